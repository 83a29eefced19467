"""coreflens conll-scorer prints what scorer.pl v8.01 prints, line for line, with its exit codes.

What the original printed for made-up files is recorded in data/conll_scorer.json.gz. Where Perl and a copy of the
scorer are available ($COREFLENS_PEERS/perl/scorer.pl) it is also run again, on fresh files and of real ones.
support/perl_scorer.py makes the files up and records.
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
from collections import Counter
from collections.abc import Callable
from itertools import combinations, islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chance import examples
from command import conll
from coreflens.compat.conll_scorer import reading, run, scoring
from coreflens.compat.conll_scorer.identification import identified
from coreflens.compat.conll_scorer.munkres import cheapest
from coreflens.compat.conll_scorer.printing import number, percent
from perl_scorer import (
    METRICS,
    ORIGINAL,
    RECORD,
    Case,
    Output,
    comparable,
    entities,
    from_entities,
    made_up,
    partitions,
    theirs,
)
from places import DATA

LIVE = bool(os.environ.get("COREFLENS_PEERS")) and ORIGINAL.is_file() and bool(shutil.which("perl"))
FRESH = int(os.environ.get("COREFLENS_FRESH", "1500"))  # files made up in a live run
CHUNKS = 10  # so that they can be run in parallel
LARGEST = int(os.environ.get("COREFLENS_LARGEST", "600"))  # mentions in a real file
live = pytest.mark.skipif(not LIVE, reason="no perl, or no scorer.pl at $COREFLENS_PEERS/perl")


def ours(arguments: list[str], quiet: bool = True) -> Output:
    out, err = io.StringIO(), io.StringIO()
    code = run([*arguments, *(["--quiet"] if quiet else [])], out, err)
    return comparable(out.getvalue(), err.getvalue(), code)


# ---- recorded


@pytest.mark.slow
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
    k, r = from_entities(entities(key), entities(response)).write(tmp_path)
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
    return from_entities(entities(["a", "bc", "def"]), entities(["a", "bcx", "defx"])).write(tmp_path)


def test_arguments(demo: tuple[str, str]) -> None:
    k, r = demo
    out, err, code = ours(["muc", k])
    assert out.startswith("version: 8.01\n\nuse: scorer.pl <metric>") and (err, code) == ("", 0)
    assert ours(["conll", k, r]) == ("version: 8.01\nInvalid metric\n", "", 0)
    assert ours(["muc", k, "absent"])[1:] == ("Can not open absent: No such file or directory\n", 2)
    assert ours(["MUCH", k, r])[1:] == ("Metric much not implemented yet\n", 25)
    assert ours(["all", k, r, "(ours)", "more"]) == ours(["all", k, r, "(ours)"])
    assert ours(["BLANC", k, r]) == ours(["blanc", k, r])


@pytest.mark.slow
def test_command(demo: tuple[str, str], tmp_path: Path) -> None:
    def call(*arguments: str) -> tuple[str, str, int]:
        command = [sys.executable, "-m", "coreflens", "conll-scorer", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True)
        return done.stdout.decode(), done.stderr.decode(), done.returncode

    out, err, code = call("bcub", "k", "r")
    assert comparable(out, "", code) == ours(["bcub", *demo])
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


# ---- growth


@examples(300)
@given(st.text("(12+)|", max_size=24).map(str.encode))
def test_labels_are_taken_one_after_the_other(cell: bytes) -> None:
    """However what is left closes up."""
    for pattern in (reading._DISCARDED, reading._WHOLE, reading._OPENING, reading._CLOSING):
        labels, rest = [], cell
        while match := pattern.search(rest):
            labels.append(match[1])
            rest = rest[: match.start()] + rest[match.end() :]
        assert reading._taken(pattern, cell) == (labels, rest)


def test_a_cell_is_searched_a_few_times_however_much_is_in_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    searched = 0

    class Counting:
        def __init__(self, pattern: re.Pattern[bytes]) -> None:
            self.pattern = pattern

        def __getattr__(self, name: str) -> Callable[..., Any]:
            def call(*arguments: bytes) -> Any:
                nonlocal searched
                searched += len(arguments[-1])
                return getattr(self.pattern, name)(*arguments)

            return call

    for name in ("_DISCARDED", "_WHOLE", "_OPENING", "_CLOSING"):
        monkeypatch.setattr(reading, name, Counting(getattr(reading, name)))
    many = range(1000)
    text = conll("|".join(f"({i})" for i in many), "|".join(f"({i}" for i in many), "|".join(f"{i})" for i in many))
    (tmp_path / "a.conll").write_text(text)
    file = reading.File(str(tmp_path / "a.conll"))
    assert len(file.document(file.names()[0], False).entities) == len(many)
    assert 0 < searched < 20 * len(text)


def test_mentions_are_identified_once_for_all_metrics(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is reported of repeated ones is reported for each."""
    calls = 0

    def counting(key: reading.ReadDocument, response: reading.ReadDocument) -> Any:
        nonlocal calls
        calls += 1
        return identified(key, response)

    monkeypatch.setattr("coreflens.compat.conll_scorer.session.identified", counting)
    (tmp_path / "k").write_text(conll("(1)|(2)", "(1)") + conll("(1)", name="nw/b"))
    output = ours(["all", str(tmp_path / "k"), str(tmp_path / "k"), "none"])
    assert calls == 2
    for side in ("key", "response"):
        assert str(output).count(f"Repeated mention in the {side}") == len(METRICS)
