"""Damages files at random and reads them: `python tests/support/fuzz_readers.py --count 100000 --seed 1`.

Whatever is in a file, a reader gives a corpus in which all is where it says it is, or an InputError: in time, in
bounded memory, strictly as for a score and leniently as for `validate`. Seed and number tell each input.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import resource
import signal
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import FrameType

from coreflens.corpus.model import Corpus
from coreflens.errors import InputError
from coreflens.formats import FORMATS, recognise
from samples import OWN, Sample, real

SECONDS = 5  # of the processor, for one reading of one input
MEMORY = 3 << 30
LARGEST = 1 << 20  # bytes, however often lines are repeated
LENGTH = 6000  # bytes of a real file that are used, but for one in fifty

_NUMBERS = (b"0", b"-1", b"1.5", b"2147483648", b"9" * 20, b"9" * 5000, b"1e999", b"0x10", "٣".encode())
_BITS = (
    *(bytes([byte]) for byte in b"\0\t\n\r\x0b\x1c\x85\xff\xc3 ()|[]{}<>&;:,.\"'\\/#*_-=%"),
    *(
        text.encode()
        for text in ("\u2028", "\ufeff", "\U0001f600", "é", "\ud7ff", "&#x110000;", "&lol;", "null", '"a":')
    ),
    b"\xed\xa0\x80",
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
    b"#begin document (x); part 000\n",
    b"# newdoc id = x\n",
    b"# global.Entity = eid\n",
)
_NESTS = (b"(", b"[", b"{", b"<a>", b'{"a":', b"(1|", b"{x:", b"<COREF ID=1>", b"(e1", b"(EntityID=1", b"\\", b"*")
_SEPARATORS = (b"\t", b" ", b",", b"|", b'"', b"-", b"<")


def _place(data: bytes, chance: random.Random) -> tuple[int, int]:
    a, b = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return a, min(b, a + chance.choice((1, 3, 40, len(data))))


def flipped(data: bytes, chance: random.Random) -> bytes:
    if not data:
        return b"\0"
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def cut(data: bytes, chance: random.Random) -> bytes:
    a, b = _place(data, chance)
    return data[:a] if chance.random() < 0.2 else data[:a] + data[b:]


def doubled(data: bytes, chance: random.Random) -> bytes:
    a, b = _place(data, chance)
    at = chance.randrange(len(data) + 1)
    return data[:at] + data[a:b] + data[at:]


def littered(data: bytes, chance: random.Random) -> bytes:
    a, b = _place(data, chance)
    return data[:a] + chance.choice(_BITS) * chance.choice((1, 1, 1, 2, 30)) + data[b if chance.random() < 0.3 else a :]


def lines_moved(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    match chance.randrange(3):
        case 0:
            lines[at:at] = [lines[chance.randrange(len(lines))]] * chance.choice((1, 1, 3, 200))
        case 1:
            part = lines[at : at + 20]
            chance.shuffle(part)
            lines[at : at + 20] = part
        case _:
            del lines[at]
    return b"\n".join(lines)


def cells_exchanged(data: bytes, chance: random.Random) -> bytes:
    cells = data.split(separator := chance.choice(_SEPARATORS))
    a, b = (chance.randrange(len(cells)) for _ in range(2))
    cells[a], cells[b] = cells[b], chance.choice((cells[a], b"", cells[b]))
    return separator.join(cells)


def numbers_changed(data: bytes, chance: random.Random) -> bytes:
    digits = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
    if not digits:
        return data + chance.choice(_NUMBERS)
    at = chance.choice(digits)
    return data[:at] + chance.choice(_NUMBERS) + data[at + 1 :]


def nested(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice(_NESTS) * chance.choice((2, 50, 3000)) + data[at:]


def line_ends(data: bytes, chance: random.Random) -> bytes:
    return data.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\n", b"\n ", b"\x0b")))


DAMAGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    flipped,
    cut,
    doubled,
    littered,
    lines_moved,
    cells_exchanged,
    numbers_changed,
    nested,
    line_ends,
)


def damaged(data: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        data = chance.choice(DAMAGES)(data, chance)[:LARGEST]
    return data


def inputs(seed: int, numbers: Sequence[int], formats: Sequence[str]) -> Iterator[tuple[int, Sample]]:
    """Damaged files, every format as often as any other."""
    ours: dict[str, list[Sample]] = defaultdict(list)
    samples: dict[str, list[Sample]] = defaultdict(list)
    for sample in OWN:
        ours[sample.format].append(sample)
    for sample in [*OWN, *real()]:
        samples[sample.format].append(sample)
    for number in numbers:
        chance = random.Random(f"{seed} {number}")
        sample = chance.choice((ours if chance.random() < 0.5 else samples)[formats[number % len(formats)]])
        data = sample.data
        if len(data) > LENGTH and chance.random() < 0.98:
            data = data[: data.rfind(b"\n", 0, LENGTH) + 1] or data[:LENGTH]
        near = sample.neighbours
        if near and chance.random() < 0.5:
            path = chance.choice(list(near))
            near = {**near, path: damaged(near[path], chance)}
        else:
            data = damaged(data, chance)
        yield number, replace(sample, data=data, neighbours=near)


def sound(corpus: Corpus) -> None:
    """All of a corpus is looked at, and is where it says it is."""
    rows = len(corpus)
    assert all(len(column) == rows for column in (corpus.doc, corpus.entity, corpus.start, corpus.end))
    if rows:
        assert corpus.doc.min() >= 0 and corpus.doc.max() < len(corpus.documents)
        assert corpus.entity.min() >= 0 and corpus.entity.max() < len(corpus.labels)
        assert (corpus.start <= corpus.end).all()
    assert all(len(values) == rows for values in corpus.attributes.values())
    assert all(0 <= r.source < len(corpus.labels) > r.target >= -1 for r in corpus.relations)
    assert all(-1 <= r.mention < rows > r.anchor >= -1 for r in corpus.relations)
    if corpus.has_text:
        text = corpus.text
        assert all(len(values) == len(text.words) for values in text.layers.values())
        for row in range(rows):
            assert corpus.words(row) or corpus.start[row] >= -1
    for mention in corpus:
        assert mention.document in corpus.documents


def outcome(sample: Sample, lenient: bool, named: bool) -> str:
    """`read` or `refused`; anything else is raised."""
    source = sample.source(lenient=lenient)
    try:
        format = FORMATS[sample.format] if named else recognise(source)
        sound(format.module.read(source))
        return "read"
    except InputError as error:
        assert error.message and str(error)
        return "refused"


def _late(_: int, __: FrameType | None) -> None:
    raise TimeoutError(f"more than {SECONDS} s of the processor")


def limited() -> None:
    """A limit of time for every reading, and of memory for the process."""
    signal.signal(signal.SIGPROF, _late)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def fuzz(
    seed: int, numbers: Sequence[int], formats: Sequence[str], log: Callable[[str], None]
) -> tuple[dict[str, Counter[str]], int]:
    """What became of the inputs by format, and how many failed."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in formats}
    failures = 0
    for number, sample in inputs(seed, numbers, formats):
        faulthandler.dump_traceback_later(120 * SECONDS, exit=True)  # where no signal arrives
        for lenient, named in ((False, True), (True, True), (False, False)):
            started = time.perf_counter()
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                result = outcome(sample, lenient, named)
            except Exception:
                result = "failed"
                failures += 1
                last = traceback.format_exc().strip().splitlines()
                log(f"{sample.format} {number} lenient={lenient} named={named} {sample.name}\n" + "\n".join(last[-6:]))
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            counts[sample.format][f"{'lenient' if lenient else 'strict' if named else 'recognised'} {result}"] += 1
            took = int(1000 * (time.perf_counter() - started))
            counts[sample.format]["slowest"] = max(counts[sample.format]["slowest"], took)
    faulthandler.cancel_dump_traceback_later()
    return counts, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--formats", default=",".join(FORMATS), help="only these, with commas between them")
    given = parser.parse_args()
    limited()
    numbers = range(given.first, given.first + given.count)
    formats = given.formats.split(",")
    counts, failures = fuzz(given.seed, numbers, formats, lambda t: print(t, file=sys.stderr, flush=True))  # noqa: T201
    columns = [f"{how} {what}" for how in ("strict", "lenient", "recognised") for what in ("read", "refused", "failed")]
    lines = [f"| format | {' | '.join(columns)} | slowest, ms |", "|---" * (len(columns) + 2) + "|"]
    for name, found in counts.items():
        lines.append(f"| {name} | {' | '.join(str(found[column]) for column in columns)} | {found['slowest']} |")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    lines += ["", f"{given.count} inputs, seed {given.seed}, {failures} failures, peak memory {peak} MB", ""]
    sys.stdout.write("\n".join(lines))
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
