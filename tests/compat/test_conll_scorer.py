"""coreflens conll-scorer prints what scorer.pl v8.01 prints, line for line, with its exit codes.

What the original printed for files made up here is recorded in data/conll_scorer.json.gz. Where Perl and a copy of the
scorer are at hand ($COREFLENS_PEERS/perl/scorer.pl) it is also asked anew, of fresh files and of real ones.

    PYTHONPATH=tests/support python tests/compat/test_conll_scorer.py      records anew
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, count, islice, product
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from coreflens.compat.conll_scorer import run, scoring
from coreflens.compat.conll_scorer.munkres import cheapest
from coreflens.compat.conll_scorer.printing import number, percent
from places import DATA, RECORDED

RECORD = RECORDED / "conll_scorer.json.gz"
ORIGINAL = Path(os.environ.get("COREFLENS_PEERS", "")) / "perl" / "scorer.pl"
METRICS = ("muc", "bcub", "ceafm", "ceafe", "blanc")
LIVE = bool(os.environ.get("COREFLENS_PEERS")) and ORIGINAL.is_file() and bool(shutil.which("perl"))
FRESH = int(os.environ.get("COREFLENS_FRESH", "1500"))  # files made up in a live run
CHUNKS = 10  # so that they can be run in parallel
LARGEST = int(os.environ.get("COREFLENS_LARGEST", "600"))  # mentions in a real file
live = pytest.mark.skipif(not LIVE, reason="no perl, or no scorer.pl at $COREFLENS_PEERS/perl")

Output: TypeAlias = tuple[str, str, int]  # stdout without the path of the version, stderr without places, exit code
Entities: TypeAlias = dict[str, list[tuple[int, int]]]


def ours(arguments: list[str], quiet: bool = True) -> Output:
    out, err = io.StringIO(), io.StringIO()
    code = run([*arguments, *(["--quiet"] if quiet else [])], out, err)
    return _comparable(out.getvalue(), err.getvalue(), code)


def theirs(arguments: list[str], names: tuple[str, ...] = ()) -> Output:
    """What the original prints; with names, its documents in that order, which otherwise is that of a hash."""
    environment = hash_order(names) if names else None
    done = subprocess.run(["perl", str(ORIGINAL), *arguments], env=environment, capture_output=True)
    out, err = (x.decode("utf-8", "surrogateescape") for x in (done.stdout, done.stderr))
    return _comparable(out, err, done.returncode)


def _comparable(out: str, err: str, code: int) -> Output:
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


# ---- files made up at random


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


# ---- recorded


def partitions() -> Iterator[Case]:
    """The original's own 36 cases, from their partitions, in files of ours."""
    for case in json.loads((RECORDED / "cases.json").read_text("utf-8"))["cases"]:
        if case["id"].startswith("perl-"):
            yield from_entities(*(_entities(case[side]) for side in ("key", "response")))


def _entities(clusters: list[str]) -> Entities:
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


def test_recorded(tmp_path: Path) -> None:
    kept = json.loads(gzip.decompress(RECORD.read_bytes()))
    codes: Counter[int] = Counter()
    for place, (key, response, runs) in enumerate(kept):
        sides = [side.encode("utf-8", "surrogateescape") for side in (key, response)]
        k, r = Case(sides[0], sides[1], ()).write(tmp_path)
        for request, *printed in runs:
            assert list(ours([request[0], k, r, *request[1:]])) == printed, f"case {place}, {request}"
            codes[printed[2]] += 1
    assert len(kept) >= 400 and codes[0] > 500 and min(codes[1], codes[25]) > 50 and codes[255]


def test_what_was_recorded_of_the_partitions_is_made_from_them() -> None:
    kept = json.loads(gzip.decompress(RECORD.read_bytes()))
    sides = [(case.key.decode(), case.response.decode()) for case in partitions()]
    assert len(sides) == 36 and sides == [(key, response) for key, response, _ in kept[:36]]


# ---- what the original is known for: key → response, metric, and what it prints as R, P and F1

KNOWN: list[tuple[list[str], list[str], str, str]] = [
    (["a", "bc", "def"], ["a", "bc", "def"], "ceafe", "100 100 100"),
    (["a", "bc", "def"], ["a", "bcx", "dy", "z"], "bcub", "55.55 40.47 46.83"),
    (["a", "bc", "def"], ["a", "bcx", "dy", "z"], "ceafe", "73.33 55 62.85"),
    ([], ["a", "bc"], "bcub", "0 0 0"),
    ([], [], "blanc", "0 0 0"),
    (["a", "b"], ["a", "b"], "muc", "0 0 0"),
    (["a", "b"], ["a", "b"], "blanc", "100 100 100"),
    (["a"], ["a"], "blanc", "0 0 0"),
    (["a"], ["ab"], "blanc", "0 0 0"),
    (["a", "b", "c", "d", "e", "f"], ["ab", "cde", "f"], "blanc", "73.33 100 84.61"),
    (["abcdef"], ["ab", "cde", "f"], "blanc", "26.66 100 42.1"),
    (["a", "bc", "def"], ["a", "bcc", "def"], "ceafe", "100 100 100"),
    (["a", "bc", "def"], ["a", "bc", "defc"], "muc", "100 100 100"),
    (["a", "bc", "def"], ["a", "bcx", "defx"], "bcub", "100 57.29 72.84"),
    (["ab", "bc"], ["ab", "c"], "muc", "0 0 0"),
    (["ab", "bc"], ["ab", "c"], "bcub", "50 83.33 62.5"),
    (["a", "ad"], ["a", "ad"], "bcub", "33.33 100 50"),
]


@pytest.mark.parametrize(("key", "response", "metric", "printed"), KNOWN)
def test_known(key: list[str], response: list[str], metric: str, printed: str, tmp_path: Path) -> None:
    k, r = from_entities(_entities(key), _entities(response)).write(tmp_path)
    out, _, code = ours([metric, k, r, "none"])
    assert code == 0 and " ".join(re.findall(r"([\d.]+)%", out)[-3:]) == printed


def test_numbers_are_cut_off_not_rounded() -> None:
    assert [percent(x) for x in (0, 1, 2 / 3, 0.29, 0.57, 1e-5)] == ["0%", "100%", "66.66%", "29%", "56.99%", "0%"]
    assert [number(x) for x in (0, 7, 1 / 3, 1e-5, 1e16)] == ["0", "7", "0.333333333333333", "1e-05", "1e+16"]


def chains(rng: random.Random, mentions: int, entities: int) -> list[list[int]]:
    found: dict[int, list[int]] = {}
    for mention in range(mentions):
        found.setdefault(rng.randrange(entities), []).append(mention)
    return list(found.values())


@pytest.mark.parametrize("seed", range(1, 20))
def test_assignment(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The original's choice among optimal assignments is optimal, and so is the other way for large documents."""
    scipy_optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, 12, (seed, seed)) / 12
    rows, columns = scipy_optimize.linear_sum_assignment(costs)
    chosen = cheapest(costs)
    assert sorted(chosen) == list(range(seed))
    assert costs[np.arange(seed), chosen].sum() == pytest.approx(costs[rows, columns].sum())
    sides = [chains(random.Random(seed + side), 60, 25) for side in (0, 1)]
    small = scoring.ceafe(*sides)
    monkeypatch.setattr(scoring, "LARGEST", 0)
    assert scoring.ceafe(*sides) == pytest.approx(small)


@pytest.mark.parametrize("seed", range(40))
def test_blanc_without_enumeration(seed: int) -> None:
    """Sets of links, mentions that occur twice included."""
    rng = random.Random(seed)
    sides = [chains(rng, 12, 4) for _ in range(2)]
    for side in sides:
        for _ in range(rng.randrange(4)):
            rng.choice(side).append(rng.randrange(14))
    coref, non = [], []
    for side in sides:
        coref.append({tuple(sorted(pair)) for chain in side for pair in combinations(chain, 2)})
        non.append({tuple(sorted(pair)) for a, b in combinations(side, 2) for pair in product(a, b)})
    expected = [len(x) for k, r in (coref, non) for x in (k & r, k, k & r, r)]
    assert list(scoring.blanc(*sides)) == expected


# ---- arguments, exit codes, notes


@pytest.fixture
def demo(tmp_path: Path) -> tuple[str, str]:
    return from_entities(_entities(["a", "bc", "def"]), _entities(["a", "bcx", "defx"])).write(tmp_path)


def test_arguments(demo: tuple[str, str]) -> None:
    k, r = demo
    out, err, code = ours(["muc", k])
    assert out.startswith("version: 8.01\n\nuse: scorer.pl <metric>") and (err, code) == ("", 0)
    assert ours(["conll", k, r]) == ("version: 8.01\nInvalid metric\n", "", 0)
    assert ours(["muc", k, "absent"])[1:] == ("Can not open absent: No such file or directory\n", 2)
    assert ours(["MUCH", k, r])[1:] == ("Metric much not implemented yet\n", 25)
    assert ours(["all", k, r, "(ours)", "more"]) == ours(["all", k, r, "(ours)"])
    assert ours(["BLANC", k, r]) == ours(["blanc", k, r])


def test_command(demo: tuple[str, str], tmp_path: Path) -> None:
    def call(*arguments: str) -> tuple[str, str, int]:
        command = [sys.executable, "-m", "coreflens", "conll-scorer", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True)
        return done.stdout.decode(), done.stderr.decode(), done.returncode

    out, err, code = call("bcub", "k", "r")
    assert _comparable(out, "", code) == ours(["bcub", *demo])
    assert re.match(r"version: 8\.01 \S", out) and "coreflens: note: right: bcub R 100.00 P 76.19" in err
    assert call("bcub", "k", "r", "--quiet") == (out, "", 0) == call("--quiet", "bcub", "k", "r")
    assert call("bcub", "k", "nowhere")[2] == 2
    assert call("nothing", "k", "r")[2] == 0
    assert "scorer.pl" in call("--help")[0]


def noted(key: str, response: str, *request: str, folder: Path) -> list[str]:
    """The notes; a cell is a token, `/` starts the next document, and a word before `:` is its header."""
    texts = []
    for side in (key, response):
        lines = []
        for document in side.split(" / "):
            name, _, cells = document.rpartition(": ")
            lines += [f"#begin document {name or 'one'}", *(f"w\t{c}" for c in cells.split()), "#end document"]
        texts.append("\n".join([*lines, ""]).encode())
    k, r = Case(texts[0], texts[1], ()).write(folder)
    _, err, code = ours([request[0], k, r, *request[1:]], quiet=False)
    assert all(line.startswith("coreflens: note: ") for line in err.splitlines()[bool(code) :])
    return [line.removeprefix("coreflens: note: ").replace(str(folder), "") for line in err.splitlines()]


def test_nothing_to_note(tmp_path: Path) -> None:
    assert noted("(1) (1) (2)", "(1) (2) (2)", "all", folder=tmp_path) == []
    assert noted("(1) (1) (2)", "(1) (2) (2)", "blanc", "one", folder=tmp_path) == []


@pytest.mark.parametrize(
    ("key", "response", "request_", "cause", "right"),
    [
        ("(1) (1) -", "(1) (1) (1)|(2)", "bcub", "1 repeated mention in the response counted each time", "P 44.44"),
        ("(1) (1)|(2) (2)", "(1) (1) (2)", "bcub", "1 repeated mention in the key counted each time", "R 100.00"),
        ("(1) (1) (1)", "(1) (1) (2)", "blanc", "BLANC is its coreference part alone", "R 16.67 P 50.00 F1 25.00"),
        ("(1) (2) (3)", "(1) (1) (2)", "blanc", "BLANC is its non-coreference part alone", "R 33.33 P 50.00 F1 40.00"),
        ("(1) -", "(1) -", "blanc", "BLANC is 0 where there are no links", "R 100.00 P 100.00 F1 100.00"),
        ("a: (1) (1)", "a: (1) (1) / b: (1) (1)", "muc", "1 document only in the response ignored (/r:5)", "P 50.00"),
        (
            "a; part 0: (1) (1)",
            "a; part 000: (1) (1)",
            "muc",
            "1 document of the key not in the response (/k:1)",
            "R 100",
        ),
        ("(1) (1)", "(1) (1) -", "muc", "document 'one' has 2 tokens in the key and 3 in the response", "refuses"),
        ("(1 1)|(1 1)", "(1 1)|(2 2)", "bcub", "cells that close a mention and open the next", "R 50.00 P 100.00"),
        ("(1) (1)", "(1) (1", "muc", "", "refuses"),
    ],
)
def test_notes(key: str, response: str, request_: str, cause: str, right: str, tmp_path: Path) -> None:
    found = noted(key, response, request_, folder=tmp_path)
    assert any(note.startswith(cause) for note in found)
    assert any(right in note and note.startswith(("right: ", "coreflens score ")) for note in found), found


def test_notes_of_a_refusal(tmp_path: Path) -> None:
    many = "(1)" * 4
    found = noted("(1) (1)", f"{many} (1)", "all", folder=tmp_path)
    assert found[0].startswith("Found too many repeated mentions (> 10) in the response")
    assert found[1].startswith("3 repeated mentions in the response (/r:2, /r:2, /r:2); refused")
    assert found[2:] == [f"right: {metric} R 100.00 P 100.00 F1 100.00" for metric in ("ceafe", "blanc")]


def test_notes_of_one_document(tmp_path: Path) -> None:
    found = noted("a: (1) (1) / b: (1) (1)", "a: (1) (1) / b: (1) (2)", "muc", "c", folder=tmp_path)
    assert found == ["no document 'c' in the key; a name is all that follows '#begin document ' (there: 'a', 'b')"]
    found = noted("a: (1) - / b: (1) (1)", "a: (1) (2)(2) / b: (1) (2)", "bcub", "a", folder=tmp_path)
    assert found[1:] == ["right: bcub R 100.00 P 50.00 F1 66.67, not 100.00 33.33 50.00"]


def test_notes_of_columns_and_comments(tmp_path: Path) -> None:
    key = b"#begin document a\nw   -\nw   (1)\n#end document\n"
    response = b"#begin document a\n# hm\n(2) -\nw   (1)\n#end document\n"
    _, err, _ = ours(["muc", *Case(key, response, ()).write(tmp_path)], quiet=False)
    assert "1 line starting with '#' in a document counted as tokens" in err
    assert re.search("no tabs, so that brackets in all columns were read as coreference .*r:3", err)


# ---- live


@live
@pytest.mark.parametrize("metric", ["all", *METRICS])
def test_its_own_cases(metric: str) -> None:
    responses = sorted((ORIGINAL.parent / "test" / "DataFiles").glob("*.response"))
    assert len(responses) == 36
    for response in responses:
        key = response.with_name(response.name.rpartition("-")[0] + ".key")
        for name in ([], ["none"]):
            arguments = [metric, str(key), str(response), *name]
            assert ours(arguments) == theirs(arguments)


@live
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_fresh(chunk: int, tmp_path: Path) -> None:
    first = random.randrange(10**9)
    for seed, (case, wanted) in enumerate(islice(made_up(first), FRESH // CHUNKS), start=first):
        k, r = case.write(tmp_path)
        for request in wanted:
            arguments = [request[0], k, r, *request[1:]]
            assert ours(arguments) == theirs(arguments, case.names), f"Maker({seed}), {request}"


@live
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data at {DATA}")
@pytest.mark.parametrize(
    "folder", sorted(path.name for path in DATA.iterdir() if path.is_dir()) if DATA.is_dir() else []
)
def test_real_files(folder: str) -> None:
    """Each file against itself and against its neighbour, which is another system's where there are several."""
    files = [path for path in sorted((DATA / folder).rglob("*")) if path.is_file() and is_conll(path)]
    for key, other in zip(files, files[1:] + files[:1], strict=True):
        for response in {key, other}:
            arguments = ["all", str(key), str(response)]
            printed, expected = ours(arguments), theirs(arguments)
            if printed != expected:
                (text, numbers), (expected_text, expected_numbers) = in_order(printed), in_order(expected)
                assert text == expected_text, arguments
                assert numbers == pytest.approx(expected_numbers, abs=0.011), arguments


NUMBER = r"[\d.]+(?:e-\d+)?"


def is_conll(path: Path) -> bool:
    """Whether a file may be read by the original, and by it in reasonable time: its work is cubic in the mentions."""
    data = path.read_bytes()
    mentions = len(re.findall(rb"\(\d+", data))
    return mentions < LARGEST and bool(re.search(rb"^#\s*begin document ", data, re.MULTILINE))


def in_order(output: Output) -> tuple[object, list[float]]:
    """Documents sorted, and the numbers of the totals apart: their last digits depend on the original's order."""
    out, err, code = output
    if code:  # what comes before an end depends on the order, too
        return (err.startswith("Detected") or err, code), []
    metrics, numbers = [], list[float]()
    for part in re.split(r"^METRIC ", out, flags=re.MULTILINE):
        documents, _, totals = part.partition("\n====== TOTALS")
        numbers += [float(x) for x in re.findall(NUMBER, totals)]
        pieces = re.split(r"^====> ", documents, flags=re.MULTILINE)  # two a document
        pairs = sorted(zip(pieces[1::2], pieces[2::2], strict=True))
        metrics.append((pieces[0], pairs, re.sub(NUMBER, "", totals)))
    return metrics, numbers


if __name__ == "__main__":
    record()
