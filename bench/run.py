"""Measure coreflens against its targets: `python bench/run.py [--quick | --full] [--peers DIR]`.

Every target is a ratio of two times taken in this run, whole processes with start-up unless it says otherwise, the best
of several rounds. Nothing here fails because something is slow.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from commands import LARGE_PAIRS, against_score, systems
from generate import INPUTS
from processes import CLOCK, Command, Run, best, process, run, snapshot
from publish import plot, seconds
from table import Row

HERE = Path(__file__).parent
PYTHON = sys.executable
Scores: TypeAlias = Mapping[str, Sequence[float]]  # recall, precision and F1 of each metric


# ---- coreflens and its peers


def coreflens(folder: Path, *options: str) -> Command:
    return score(folder / "key.conll", folder / "response.conll", *options)


def score(key: Path, response: Path, *options: str) -> Command:
    return [PYTHON, "-m", "coreflens", "score", str(key), str(response), *options]


def inside(name: str, folder: Path, rounds: int) -> Command:
    return [PYTHON, str(HERE / "inside.py"), name, str(folder), str(rounds), CLOCK]


def entities(reader: str, python: str, path: Path, rounds: int) -> dict[str, Any]:
    """The entities of a CoNLL-U file, read within a process by coreflens or udapi."""
    found: dict[str, Any] = json.loads(
        run([python, str(HERE / "entities.py"), reader, str(path), str(rounds), CLOCK]).output
    )
    return found


def corefud(path: Path, where: Path | None, rounds: int) -> Iterator[Row]:
    """Reading CorefUD, against udapi in turns; both must find the same entities."""
    what = "CorefUD file of 160,000 tokens: entities, within a process"
    own = where / "venv" / "bin" / "python" if where else None
    ours = entities("coreflens", PYTHON, path, rounds)
    if not own or not own.exists() or subprocess.run([own, "-c", "import udapi"], capture_output=True).returncode:
        yield Row(what, ours["seconds"] * 1000, "ms")
        yield Row(f"{what}: udapi", None, note="no copy available")
        return
    theirs = entities("udapi", str(own), path, max(rounds // 3, 1))
    ours = min(ours, entities("coreflens", PYTHON, path, rounds), key=lambda found: float(found["seconds"]))
    yield Row(what, ours["seconds"] * 1000, "ms")
    yield Row(f"{what}: udapi", theirs["seconds"] * 1000, "ms")
    yield Row(f"{what}: faster than udapi", theirs["seconds"] / ours["seconds"], "×", "≥8")
    same = ours["mentions"] if ours["digest"] == theirs["digest"] else 0
    yield Row("CorefUD file: udapi and coreflens agree", same, "mentions", f"≥{theirs['mentions']}")


def corefud_scored(folder: Path, where: Path | None, rounds: int, cap: float) -> Iterator[Row]:
    """Whole processes on a CorefUD pair, beside corefud-scorer; the drop-in must print what it prints."""
    files = str(folder / "key.conllu"), str(folder / "response.conllu")
    commands = {
        "score --protocol corefud": [PYTHON, "-m", "coreflens", "score", *files, "--protocol", "corefud"],
        "corefud-scorer": [PYTHON, "-m", "coreflens", "corefud-scorer", *files],
    }
    ours = best(max(rounds // 3, 1), commands)
    what = "CorefUD pair of 160,000 tokens"
    for name, found in ours.items():
        yield from process(f"{what}: coreflens {name}", found)
    tool = where / "corefud-scorer" / "corefud-scorer.py" if where else None
    own = where / "venv" / "bin" / "python" if where else None
    if not (tool and tool.exists() and own and own.exists()):
        yield Row(f"{what}: corefud-scorer", None, note="no copy available")
        return
    theirs = run([str(own), str(tool), *files], cap)
    yield from process(f"{what}: corefud-scorer", theirs)
    for name, found in ours.items():
        yield Row(f"{what}: coreflens {name}, faster than corefud-scorer", theirs.seconds / found.seconds, "×", "≥20")
    printed = [line for line in theirs.output.splitlines() if line.strip()]
    same = sum(line in ours["corefud-scorer"].output.splitlines() for line in printed)
    yield Row("CorefUD pair: corefud-scorer and coreflens corefud-scorer agree", same, "lines", f"≥{len(printed)}")


def loops(out: Path, rounds: int) -> Iterator[Row]:
    """Small inputs one after the other: an accumulator in a training loop."""
    times = json.loads(run(inside("accumulator", out / "document", rounds)).output)
    what = "Accumulator.update of a document of 30 mentions, with its share of compute"
    yield Row(f"{what}, within a process", times["update"] * 1e6, "µs", "≤150")


def streamed(out: Path) -> Iterator[Row]:
    """A file of 100 MB, of which no more than a few documents are ever held."""
    file, target = str(out / "stream" / "key.conll"), str(out / "stream" / "key.jsonl")
    for name, arguments in (("validate", [file, "--severity", "error"]), ("convert", [file, target, "--lossy"])):
        found = run([PYTHON, "-m", "coreflens", name, *arguments])
        yield from process(f"100 MB of CoNLL: coreflens {name}", found, "≤400")
    Path(target).unlink()


class Peer(NamedTuple):
    """A peer that is available: how it is called, and how many times faster coreflens is to be, on dev and on large."""

    name: str
    command: Sequence[str]
    targets: tuple[int, int]
    files: tuple[str, str] = ("key.conll", "response.conll")
    after: Sequence[str] = ()

    def call(self, folder: Path) -> Command:
        return self.on(*(folder / file for file in self.files))

    def on(self, key: Path, response: Path) -> Command:
        return [*self.command, str(key), str(response), *self.after]


def peers(folder: Path | None) -> Iterator[Peer | str]:
    """The peers, or the names of those of which there is no copy."""
    own = folder / "venv" / "bin" / "python" if folder else None
    python = str(own) if own and own.exists() else PYTHON
    if folder and (perl := folder / "perl" / "scorer.pl").exists():
        yield Peer("Perl scorer", ["perl", str(perl), "all"], (25, 50), after=["none"])
    else:
        yield "Perl scorer"
    if folder and (coval := folder / "coval" / "scorer.py").exists():
        yield Peer("coval", [python, str(coval)], (5, 12))
    else:
        yield "coval"
    if find_spec("scorch"):
        yield Peer("scorch", [PYTHON, "-m", "scorch.main"], (4, 10), files=("scorch/key", "scorch/response"))
    else:
        yield "scorch"
    if folder and (ua := folder / "ua" / "ua-scorer.py").exists():
        yield Peer("UA scorer", [python, str(ua)], (5, 12), files=("key.CONLLUA", "response.CONLLUA"))
    else:
        yield "UA scorer"
    if folder and (old := folder / "neleval" / "bin" / "python").exists():  # it needs Python 3.9 and numpy 1.23
        measures = ["-m", "luo", "-m", "strong_mention_match"]
        command = [str(old), "-W", "ignore", "-m", "neleval", "evaluate", *measures, "-g"]
        yield Peer("neleval", command, (2, 4), files=("key.tab", "response.tab"))
    else:
        yield "neleval"


def compared(peer: Peer | str, folder: Path, large: bool, cap: float) -> Iterator[tuple[Row, Run | None]]:
    """A peer and coreflens in turns, up to three times or half a minute; coreflens has one turn more."""
    where = f"{folder.name} pair"
    if isinstance(peer, str):
        yield Row(f"{where}: {peer}", None, note="no copy available"), None
        return
    for file in peer.files:
        if not (folder / file).exists():
            source = folder / Path(file).with_suffix(".conll")
            run([PYTHON, "-m", "coreflens", "convert", str(source), str(folder / file), "--lossy"])
    ours, some = [run(coreflens(folder))], list[Run]()
    while len(some) < 3 and (not some or sum(r.seconds for r in some) + some[0].seconds < 30):
        some.append(run(peer.call(folder), cap))
        ours.append(run(coreflens(folder)))
    theirs = min(some)
    note = "" if theirs.finished else f"stopped after {cap:.0f} s, so at least"
    for place, row in enumerate(process(f"{where}: {peer.name}", theirs)):
        yield replace(row, note=note), None if place else theirs
    faster = theirs.seconds / min(ours).seconds
    yield Row(f"{where}: faster than {peer.name}", faster, "×", f"≥{peer.targets[large]}", note), None


# Real pairs, from a directory of third-party data; the project has none of its own.
REAL = {
    "two annotators of one act of a play": (
        "gerdracor_parallel/Emilia-IV_Act1.part.xml.rksp.0.CoNLL2012.conll",
        "gerdracor_parallel/Emilia-LF_Act1.part.xml.rksp.0.CoNLL2012.conll",
    ),
    "two news articles and a system": (
        "berkeley_ontonotes_sample/classified/stanford.gold",
        "berkeley_ontonotes_sample/homogenised/stanford.homogenised.out",
    ),
}


def real(data: Path | None, where: Path | None, rounds: int, cap: float) -> Iterator[Row]:
    """coreflens and the peers that read CoNLL on real files."""
    for name, files in REAL.items():
        key, response = (data / file if data else Path(file) for file in files)
        if not (key.exists() and response.exists()):
            yield Row(f"real, {name}", None, note="no copy of the data available")
            continue
        ours = best(rounds, {"ours": score(key, response)})["ours"]
        yield from process(f"real, {name}: coreflens score", ours)
        for peer in peers(where):
            if isinstance(peer, Peer) and peer.files == Peer._field_defaults["files"]:
                theirs = run(peer.on(key, response), cap)
                yield Row(f"real, {name}: faster than {peer.name}", theirs.seconds / ours.seconds, "×")


# ---- do the numbers agree?

_FRACTION = r"\(([\d.e+-]+) / ([\d.e+-]+)\)"
_PERL = re.compile(rf"^(?:Coreference|BLANC): Recall: {_FRACTION}.*Precision: {_FRACTION}.*F1: ([\d.]+)%", re.MULTILINE)
_COVAL = re.compile(r"^(\w+) +Recall: ([\d.]+) +Precision: ([\d.]+) +F1: ([\d.]+)", re.MULTILINE)
_UA = re.compile(r"^(\w+)\nRecall: ([\d.]+) +Precision: ([\d.]+) +F1: ([\d.]+)", re.MULTILINE)
_NELEVAL = re.compile(r"^([\d.]+)\t([\d.]+)\t([\d.]+)\t([\d.]+)\t.*\t(\w+)$", re.MULTILINE)
_MEASURES = {"b_cubed": "bcub", "entity_ceaf": "ceafe", "mention_ceaf": "ceafm", "muc": "muc"}
_MEASURES["strong_mention_match"] = "mentions"
_SCORCH = re.compile(r"^(\S+):\tR=(\S+)\tP=(\S+)\tF₁=(\S+)", re.MULTILINE)


def agrees(peer: Peer, theirs: str, folder: Path) -> Row:
    """How far coreflens is from what a peer printed: Perl's fractions (its F1 is truncated), the two decimals of coval
    and of the UA scorer, neleval's counts, and all digits of scorch, whose averages over documents are computed
    likewise from coreflens' scores of them."""
    protocol = "ua" if peer.name == "UA scorer" else "conll-2012"
    result = json.loads(run(coreflens(folder, "--protocol", protocol, "--format", "json")).output)["scores"]
    ours: Scores = {name: [s["recall"], s["precision"], s["f1"]] for name, s in result.items() if "recall" in s}
    pairs: list[tuple[float, float, float]]  # coreflens, the peer, and what the peer's rounding allows
    if peer.name == "Perl scorer":
        metrics = re.findall(r"^METRIC (\w+):", theirs, re.MULTILINE)
        pairs = []
        for metric, found in zip(metrics, _PERL.findall(theirs), strict=True):
            r, rd, p, pd, f1 = map(float, found)
            pairs += [(ours[metric][0], r / rd, 1e-9), (ours[metric][1], p / pd, 1e-9)]
            pairs.append((ours[metric][2], f1 / 100 + 0.00005, 0.0000501))
    elif peer.name == "neleval":
        metrics = [found[-1] for found in _NELEVAL.findall(theirs)]
        pairs = []
        for *counts, metric in _NELEVAL.findall(theirs):
            true_p, false_p, true_r, false_n = map(float, counts)
            recall, precision, _ = ours[_MEASURES[metric]]
            pairs.append((recall, true_r / (true_r + false_n), 1e-6))
            pairs.append((precision, true_p / (true_p + false_p), 1e-6))
    elif peer.name in ("coval", "UA scorer"):
        shown_by = (_COVAL if peer.name == "coval" else _UA).findall(theirs)
        metrics = [found[0] for found in shown_by]
        pairs = [
            (mine, float(text) / 100, 0.0000501)
            for metric, *texts in shown_by
            for mine, text in zip(ours[metric], texts, strict=True)
        ]
    else:
        ours = json.loads(run(inside("like-scorch", folder, 1)).output)
        metrics = [found[0] for found in _SCORCH.findall(theirs)]
        pairs = [
            (mine, float(text), 1e-9)
            for metric, *texts in _SCORCH.findall(theirs)
            for mine, text in zip(ours[metric], texts, strict=True)
        ]
    off = sum(abs(a - b) > allowed for a, b, allowed in pairs)
    shown = f"{len(pairs)} numbers of {', '.join(metrics)}"
    what = f"{folder.name} pair: {peer.name} and coreflens agree"
    return Row(what, len(pairs) - off, "numbers", f"≥{max(len(pairs), 1)}", f"({shown})")


# ---- the run


def measure(
    out: Path, where: Path | None, data: Path | None, rounds: int, quick: bool, full: bool, cap: float
) -> Iterator[Row]:
    commands: dict[str, Command] = {
        "python": [PYTHON, "-c", "pass"],
        "numpy": [PYTHON, "-c", "import numpy"],
        "import": [PYTHON, "-c", "import coreflens"],
        "score": [PYTHON, "-c", "from coreflens import score"],
        "dev": coreflens(out / "dev"),
    }
    runs = best(rounds, commands)
    floor, dev = runs["numpy"], runs["dev"]
    yield Row("start-up: python -c pass", runs["python"].seconds)
    yield Row("start-up: import numpy", floor.seconds)
    yield Row("start-up: import coreflens, against numpy", runs["import"].seconds / floor.seconds, "×", "≤1.2")
    yield Row("start-up: from coreflens import score, against numpy", runs["score"].seconds / floor.seconds, "×")
    yield from process("dev pair: coreflens score", dev)
    yield Row("dev pair: coreflens score, against import numpy", dev.seconds / floor.seconds, "×", "≤3")
    for peer in peers(where):
        if quick:
            break
        for row, theirs in compared(peer, out / "dev", False, cap):
            yield row
            if theirs and theirs.finished and isinstance(peer, Peer):
                yield agrees(peer, theirs.output, out / "dev")

    large = best(0 if quick else max(rounds // 3, 1), {"large": coreflens(out / "large")})["large"]
    yield from process("large pair (8 × dev): coreflens score", large, "≤600")
    yield Row("large pair: against dev pair", large.seconds / dev.seconds, "×", "≤5")
    for peer in peers(where):
        if full:
            yield from (row for row, _ in compared(peer, out / "large", True, cap))
        elif not quick:
            name = peer if isinstance(peer, str) else peer.name
            yield Row(f"large pair: {name}", None, note="measured with --full")

    for name, what, base, target, unit, factor in (
        ("arrays", "1,000,000 mentions as arrays", "one np.unique over the pairs", "≤8", "s", 1),
        ("document", "document of 500 mentions, as lists", "building its two dicts", "≤12", "ms", 1000),
    ):
        times = json.loads(run(inside(name, out / name, rounds)).output)
        yield Row(f"{what}: score, within a process", times["score"] * factor, unit)
        yield Row(f"{what}: against {base}", times["score"] / times["baseline"], "×", target)
        if "sort" in times:
            yield Row(f"{what}: against one np.sort of the pairs", times["score"] / times["sort"], "×")
        if "seen" in times:
            yield Row(f"{what}: with a look at a score, against {base}", times["seen"] / times["baseline"], "×")

    for pair in ("dev", "parsed", "corefud", *(() if quick else LARGE_PAIRS)):
        yield from against_score(out / pair, 0 if pair in LARGE_PAIRS else 1 if quick else 2)
    yield from systems(out, 0 if quick else max(rounds // 2, 1))
    yield from loops(out, rounds)
    yield from streamed(out)
    yield from corefud(out / "corefud" / "key.conllu", None if quick else where, rounds)
    yield from corefud_scored(out / "corefud", None if quick else where, rounds, cap)
    times = json.loads(run(inside("resamples", out / "dev", rounds)).output)
    what = f"dev pair, {times['documents']:.0f} documents: 10,000 resamples, all default metrics"
    yield Row(f"{what}, within a process", times["percentile"] * 1000, "ms")
    yield Row(f"{what}, against scoring the parsed pair", times["percentile"] / times["score"], "×", "≤5")
    yield Row(f"{what}, BCa, against scoring the parsed pair", times["bca"] / times["score"], "×", "≤5")
    times = json.loads(run(inside("relaxed", out / "parsed", rounds)).output)
    what = "160,000 tokens with trees, from the files within a process"
    yield Row(f"{what}: exact match", times["exact"] * 1000, "ms")
    yield Row(f"{what}: head-word match, against exact", times["head-word"] / times["exact"], "×", "≤3")
    times = json.loads(run(inside("matches", out / "novel", rounds)).output)
    what = "CorefUD book of 30,000 mentions in one document, from the files within a process"
    yield Row(f"{what}: exact match", times["exact"] * 1000, "ms")
    for name in ("head", "partial", "share"):
        yield Row(f"{what}: {name} match, against exact", times[name] / times["exact"], "×", "≤3")
    times = json.loads(run(inside("pairs", out / "dev", 1)).output)
    yield Row("30 systems, 435 pairs, 10,000 permutations, within a process", times["compare"])

    yield from process("book of 30,000 mentions in one document: coreflens score", run(coreflens(out / "book")))
    for peer in peers(where) if full else ():
        yield from (row for row, _ in compared(peer, out / "book", False, cap))
    for name, kind in (("blocks", "confused"), ("alike", "unrelated")):
        what = f"60,000 × 60,000 {kind} entities in one block"
        blocks = run(inside(name, out / name, 1), cap)
        if blocks.finished:
            yield Row(f"{what}: score, within a process", json.loads(blocks.output)["score"])
        else:
            yield Row(f"{what}: score", blocks.seconds, note=f"stopped after {cap:.0f} s")
        yield Row(f"{what}: peak memory", blocks.megabytes, "MB")
    yield from real(data, None if quick else where, 2 if quick else rounds, cap)
    page = run([PYTHON, str(HERE / "page.py"), "--json", "--rounds", "3" if quick else "5"])
    yield from (Row(**row) for row in json.loads(page.output))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rounds, no peers")
    parser.add_argument("--full", action="store_true", help="the peers on the large pair too, once: many minutes")
    parser.add_argument("--cpu", action="store_true", help="processor time instead of wall time")
    parser.add_argument("--rounds", type=int, help="rounds to take the best of (default 10, with --quick 3)")
    parser.add_argument(
        "--cap", type=float, default=900, help="seconds after which a peer, or a block, is stopped (900)"
    )
    parser.add_argument("--peers", type=Path, default=os.environ.get("COREFLENS_PEERS"), help="see bench/README.md")
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data", help="real files, if there")
    options = parser.parse_args()
    out = HERE / "out"
    # in a process of its own, for what this one has used would count as memory of those it starts
    subprocess.run([sys.executable, str(Path(__file__).parent / "generate.py"), str(out), *INPUTS], check=True)
    about = f"{CLOCK} time, coreflens {snapshot()}, Python {platform.python_version()}, numpy {version('numpy')}"
    about += f", {os.cpu_count()} processors"
    print(about + ("; the targets are meant for wall time" if CLOCK == "cpu" else ""))
    before = os.getloadavg()[0]
    rows: list[Row] = []
    for row in measure(
        out,
        Path(options.peers) if options.peers else None,
        options.data,
        options.rounds or (3 if options.quick else 10),
        options.quick,
        options.full,
        options.cap,
    ):
        rows.append(row)
        print(row, flush=True)
    short = [row for row in rows if row.verdict == "falls short"]
    print(f"\n{len(short)} of {sum(bool(r.verdict) for r in rows)} targets fall short" + (":" if short else ""))
    for row in short:
        print("  " + " ".join(filter(None, row.cells())))
    load = f"load {before:.1f} before, {os.getloadavg()[0]:.1f} after"  # over the number of processors: don't trust it
    print(load)
    write(out, f"{about}, {load}", rows)


def write(out: Path, about: str, rows: Sequence[Row]) -> None:
    plain: list[dict[str, Any]] = [asdict(row) | {"verdict": row.verdict} for row in rows]
    (out / "results.json").write_text(json.dumps({"about": about, "rows": plain}, ensure_ascii=False, indent=1) + "\n")
    lines = ["| what | value | target | |", "|---|---:|---:|---|"]
    lines += ["| " + " | ".join(row.cells()) + " |" for row in rows]
    (out / "results.md").write_text("\n".join([*lines, "", about]) + "\n")
    (out / "results.svg").write_text(plot(seconds(plain)), "utf-8")


if __name__ == "__main__":
    main()
