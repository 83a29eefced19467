"""The reference scorer, where it is available, and files made up for it; `python tests/support/perl_scorer.py` records.

What it printed is in tests/data/conll_scorer.json.gz. $COREFLENS_PEERS/perl/scorer.pl is the scorer.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count, islice
from pathlib import Path
from typing import TypeAlias

from places import RECORDED

RECORD = RECORDED / "conll_scorer.json.gz"

ORIGINAL = Path(os.environ.get("COREFLENS_PEERS", "")) / "perl" / "scorer.pl"

METRICS = ("muc", "bcub", "ceafm", "ceafe", "blanc")

Output: TypeAlias = tuple[str, str, int]  # stdout without the path of the version, stderr without places, exit code

Entities: TypeAlias = dict[str, list[tuple[int, int]]]


def theirs(arguments: list[str], names: tuple[str, ...] = ()) -> Output:
    """What the original prints; with names, its documents in that order, which otherwise is that of a hash."""
    environment = hash_order(names) if names else None
    done = subprocess.run(["perl", str(ORIGINAL), *arguments], env=environment, capture_output=True)
    out, err = (x.decode("utf-8", "surrogateescape") for x in (done.stdout, done.stderr))
    return comparable(out, err, done.returncode)


def comparable(out: str, err: str, code: int) -> Output:
    return re.sub(r"\A(version: 8\.01) \S.*\n", r"\1\n", out), re.sub(r"(?: at .* line \d+)?\.?\n\Z", "\n", err), code


@cache
def hash_order(names: tuple[str, ...]) -> dict[str, str]:
    """An environment in which Perl's hash of documents has this order."""
    script = "my %h; $h{$_} = 1 foreach @ARGV; print join(qq(\n), keys(%h))"
    for seed in range(2000):
        setting = {"PERL_HASH_SEED": random.Random(seed).randbytes(32).hex(), "PERL_PERTURB_KEYS": "0"}
        done = subprocess.run(["perl", "-e", script, *names], env=os.environ | setting, capture_output=True, check=True)
        if done.stdout.decode("utf-8", "surrogateescape").split("\n") == list(names):
            return os.environ | setting
    raise AssertionError(names)


@dataclass
class Case:
    key: bytes
    response: bytes
    names: tuple[str, ...]  # of the key's documents, in the order in which they are read

    def write(self, folder: Path) -> tuple[str, str]:
        """The paths of key and response; what is inside decides how things are printed, the paths do not."""
        paths = folder / "k", folder / "r"
        for path, data in zip(paths, (self.key, self.response), strict=True):
            path.write_bytes(data)
        return str(paths[0]), str(paths[1])


WORDS = (
    "ada",
    "came",
    "home",
    "late",
    "her",
    "old",
    "dog",
    "and",
    "two",
    "cats",
    "of",
    "bob",
    "sat",
    "there",
    "waiting",
)

NAMES = ("(tales/fox); part 000", "(tales/fox); part 001", "(news 7)", "plain", "(12)", "ümläut", "a  b ")

ODD_CELLS = (
    "(1+2)",
    "(3+1)|(2)",
    "((1)2)",
    "_",
    "*",
    "",
    "(007)",
    "x(4)y",
    "(12+3)(5)",
    "(6)(6)",
    "1",
    "(",
    "()",
    "(a)",
)

ODD_WORDS = ("12)", "(3", "(5)", "(2)(2)", "#end document", "#", "((4))", "(8+1)")


class Maker:
    """Makes up key and response: mentions that nest, cross and recur, written in every way that is met."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def case(self) -> Case:
        r = self.random
        names = r.sample(NAMES, r.choice((1, 1, 1, 2, 3)))
        large = self.chance(0.06)
        documents = [(name, *self.document(large)) for name in names]
        sides = [self.side([(name, n, s[side]) for name, n, *s in documents], side) for side in (0, 1)]
        found = re.findall(rb"^#\s*begin document (.*?)\r?$", sides[0], re.MULTILINE)
        places = {name.decode("utf-8", "surrogateescape"): place for place, name in enumerate(found)}
        return Case(sides[0], sides[1], tuple(sorted(places, key=lambda name: places[name])))

    def document(self, large: bool) -> tuple[int, Entities, Entities]:
        """Tokens, key and response of a document."""
        r = self.random
        tokens = r.randint(40, 120) if large else r.randint(1, 24)
        wanted = r.randint(0, tokens if large else 14)
        spans = list({self.span(tokens) for _ in range(wanted)})
        r.shuffle(spans)
        labels = [str(x) for x in r.sample(range(40 + wanted), r.randint(1, max(1, wanted)))]
        home = {span: r.choice(labels) for span in spans}
        key: Entities = {}
        response: Entities = {}
        kept, moved = r.choice((0.5, 0.8, 1.0)), r.choice((0, 0, 0.2, 0.6))
        for span in spans:
            key.setdefault(home[span], []).append(span)
            if self.chance(kept):
                response.setdefault(r.choice(labels) if self.chance(moved) else home[span], []).append(span)
        for _ in range(r.choice((0, 0, 1, 3, 6))):
            response.setdefault(r.choice(labels), []).append(self.span(tokens))
        if self.chance(0.35):
            self.repeat(response, r.choice((1, 1, 2, 3, 4, 5, 12)), labels)
        if self.chance(0.15):
            self.repeat(key, r.choice((1, 1, 2, 4)), labels)
        return tokens, key, response

    def span(self, tokens: int) -> tuple[int, int]:
        start = self.random.randrange(tokens)
        return start, min(tokens - 1, start + self.random.choice((0, 0, 0, 1, 2, 5)))

    def repeat(self, entities: Entities, times: int, labels: list[str]) -> None:
        spans = [span for mentions in entities.values() for span in mentions]
        for _ in range(times if spans else 0):
            entities.setdefault(self.random.choice(labels), []).append(self.random.choice(spans))

    def side(self, documents: list[tuple[str, int, Entities]], side: int) -> bytes:
        """A file: the key if `side` is 0, else the response."""
        r = self.random
        odd = self.chance(0.4)
        tab = not self.chance(0.15)
        if side and odd and self.chance(0.2):
            documents = r.sample(documents, r.randint(0, len(documents)))
        if side and self.chance(0.1):
            documents = [*documents, ("(more); part 000", 3, {"1": [(0, 0), (1, 2)]})]
        if odd and self.chance(0.1):
            documents = [*documents, r.choice(documents)] if documents else documents
        if side:
            r.shuffle(documents)
        lines: list[str] = ["# made up"] if self.chance(0.1) else []
        for name, tokens, entities in documents:
            if odd and self.chance(0.05):
                name += " "
            lines.append(f"#{r.choice(('', '', '', ' ', '  '))}begin document {name}")
            lines += self.body(tokens, entities, tab, odd)
            if not (odd and self.chance(0.08)):
                lines.append(r.choice(("#end document", "#end document", "# end document", f"#end document {name}")))
            lines += [""] * r.randint(0, 2)
        text = ("\r\n" if self.chance(0.1) else "\n").join(lines) + "\n" * (not self.chance(0.05))
        if odd and self.chance(0.12):  # lose or gain a bracket
            place = r.choice([m.start() for m in re.finditer(r"[()]", text)] or [0])
            text = text[:place] + r.choice(("", "(", ")")) + text[place + 1 :]
        data = text.encode()
        if odd and self.chance(0.05):
            data = data.replace(b"dog", b"d\xf6g").replace("ümläut".encode(), b"\xfcml\xe4ut")
        return data

    def body(self, tokens: int, entities: Entities, tab: bool, odd: bool) -> Iterator[str]:
        r = self.random
        cells: list[list[str]] = [[] for _ in range(tokens)]
        for label, mentions in entities.items():
            for start, end in mentions:
                if start == end:
                    cells[start].append(f"({label})")
                else:
                    cells[start].append(f"({label}")
                    cells[end].append(f"{label})")
        pipe, nothing = r.choice(("|", "|", "|", "")), r.choice("---_*")
        for place, cell in enumerate(cells):
            r.shuffle(cell)
            if odd and self.chance(0.03):
                cell.append(r.choice(ODD_CELLS))
            word = r.choice(ODD_WORDS if odd and self.chance(0.02) else WORDS)
            columns = ["doc", str(place), word, r.choice(("*", "(S*", "*)")), pipe.join(cell) or nothing]
            yield "\t".join(columns) + "\t" * (odd and self.chance(0.03)) if tab else "   ".join(columns)
            if self.chance(0.1):
                yield r.choice(("", "", " ", "\t", " \t "))
            if odd and self.chance(0.02):
                yield r.choice(("# a comment", "#comment (3)", "\f", "-"))


def requests(case: Case, maker: Maker) -> Iterator[list[str]]:
    """Metric, and maybe a name: what to ask about a case."""
    r = maker.random
    yield ["all", *r.choice(((), (), ("none",), (r.choice(case.names or NAMES),)))]
    metric = r.choice(METRICS)
    if maker.chance(0.1):
        metric = r.choice((metric.upper(), metric + "x", "All", "lea", ""))
    yield [
        metric,
        *r.choice(((), (), ("none",), (r.choice(case.names or NAMES),), ("absent",), ("",), ("none", "more"))),
    ]


def made_up(first: int = 0) -> Iterator[tuple[Case, list[list[str]]]]:
    for seed in count(first):
        maker = Maker(seed)
        case = maker.case()
        yield case, list(requests(case, maker))


def partitions() -> Iterator[Case]:
    """The original's own 36 cases, from their partitions, in files of ours."""
    for case in json.loads((RECORDED / "cases.json").read_text("utf-8"))["cases"]:
        if case["id"].startswith("perl-"):
            yield from_entities(*(entities(case[side]) for side in ("key", "response")))


def entities(clusters: list[str]) -> Entities:
    """`3-6 9-9` is a cluster of two spans, `a b` of two mentions of one token, `ab` likewise."""
    found: Entities = {}
    for label, cluster in enumerate(clusters):
        words = cluster.split() if " " in cluster or "-" in cluster else list(cluster)
        spans = [tuple(map(int, word.split("-"))) if "-" in word else 2 * (ord(word) - ord("a"),) for word in words]
        found[str(label)] = [(first, last) for first, last in spans]
    return found


def from_entities(key: Entities, response: Entities) -> Case:
    """One document with tabs and nothing odd."""
    tokens = 1 + max((end for side in (key, response) for spans in side.values() for _, end in spans), default=0)
    sides = []
    for entities in (key, response):
        cells: list[list[str]] = [[] for _ in range(tokens)]
        for label, spans in entities.items():
            for start, end in spans:
                cells[start].append(f"({label}" + ")" * (start == end))
                if start < end:
                    cells[end].append(f"{label})")
        lines = [f"{place}\t{WORDS[place % len(WORDS)]}\t{'|'.join(cell) or '-'}" for place, cell in enumerate(cells)]
        sides.append("\n".join(["#begin document (ours)", *lines, "#end document", ""]).encode())
    return Case(sides[0], sides[1], ("(ours)",))


def record() -> None:
    """Ask the original, and keep what it says."""
    asked: list[tuple[Case, list[list[str]]]] = [
        (case, [["all"], *([m, "none"] for m in METRICS)]) for case in partitions()
    ]
    asked += islice(made_up(), 400)
    kept = []
    with tempfile.TemporaryDirectory() as folder:
        for case, wanted in asked:
            k, r = case.write(Path(folder))
            runs = [[request, *theirs([request[0], k, r, *request[1:]], case.names)] for request in wanted]
            kept.append([*(data.decode("utf-8", "surrogateescape") for data in (case.key, case.response)), runs])
    with gzip.GzipFile(RECORD, "wb", mtime=0) as file:
        file.write(json.dumps(kept, separators=(",", ":")).encode("ascii"))


if __name__ == "__main__":
    record()
