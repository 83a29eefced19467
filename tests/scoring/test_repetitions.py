"""`--protocol conll-2012` is the reference scorer for repeated mentions, on either side."""

from __future__ import annotations

import io
import random
import re
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
from command import conll
from coreflens.compat.conll_scorer import run
from coreflens.metrics.repetitions import repeated_links
from places import DATA


def by_the_reference_scorer(key: Path, response: Path) -> dict[str, float]:
    """F1 in points of mention detection and of each metric, as scorer.pl, line for line, prints them."""
    found: dict[str, float] = {}
    for metric in ("muc", "bcub", "ceafm", "ceafe", "blanc"):  # one by one: in a run it suffers ten repetitions in all
        out = io.StringIO()
        run([metric, str(key), str(response), "none"], out, io.StringIO())
        numbers = re.findall(r"F1: ([\d.]+)%", out.getvalue().rpartition("TOTALS")[2])
        found |= {"mentions": float(numbers[0]), metric: float(numbers[-1])}
    return found


def cells(rng: random.Random, size: int, most: int = 8) -> list[str]:
    """One-word mentions of four entities, many of them repeated."""
    found: list[list[str]] = [[] for _ in range(size)]
    for _ in range(rng.randrange(most // 8, most + 1)):
        found[rng.randrange(size)].append(f"({rng.randrange(4)})")
    return ["|".join(pieces) or "-" for pieces in found]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_as_the_reference_scorer(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    size = rng.randrange(2, 7)
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(conll(*cells(rng, size)), "utf-8")
    response.write_text(conll(*cells(rng, size)), "utf-8")
    result = cl.score(key, response, protocol="conll-2012", no_common="score")
    exact = cl.score(key, response, protocol="conll-2012", no_common="score", exact=True)
    expected = by_the_reference_scorer(key, response)
    assert len(expected) == 6
    for metric, f1 in expected.items():  # it cuts off, and does not round
        assert 100 * float(result[metric].main) == pytest.approx(f1, abs=0.0101), metric
        assert float(exact[metric].main) == pytest.approx(float(result[metric].main))


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data at {DATA}")
def test_real_files() -> None:
    """scorer.pl v8.01 prints 207 / 335 for the precision of mentions, and BLANC 50.65."""
    folder = DATA / "berkeley_ontonotes_sample" / "classified"
    result = cl.score(folder / "stanford.gold", folder / "stanford.corrected.divided", protocol="conll-2012")
    mentions = result["mentions"].counts
    assert (mentions["precision_num"], mentions["precision_den"]) == (207, 335)
    assert 100 * float(result["blanc"].main) == pytest.approx(50.65, abs=0.01)


def test_what_the_reference_scorer_would_refuse(tmp_path: Path) -> None:
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(conll(*["(1)"] * 12), "utf-8")
    for size, refused in ((10, False), (11, True)):
        response.write_text(conll(*["(1)|(2)"] * size, *["-"] * (12 - size)), "utf-8")
        issues = cl.score(key, response, protocol="conll-2012").issues
        (note,) = [str(issue) for issue in issues if issue.code == "duplicates-response"]
        assert ("scorer.pl itself refuses" in note) == refused


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_steps_sum_to_the_score(tmp_path: Path, seed: int) -> None:
    """The rows of each table of a derivation add up to its last, which is what `score` counts."""
    rng = random.Random(seed)
    size, most = rng.randrange(3, 8), 8 if seed % 2 else 24
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(conll(*cells(rng, size, most)), "utf-8")
    response.write_text(conll(*cells(rng, size, most)), "utf-8")
    how: Any = {"protocol": "conll-2012", "no_common": "score"}
    result = cl.score(key, response, exact=True, **how)
    for metric in ("muc", "bcub", "ceafm", "ceafe", "blanc", "lea"):
        for limit in (1, 20):
            found = cl.explain(key, response, metric, limit=limit, **how)
            assert found.score.counts == result[metric].counts
            for step in found.steps:
                for column, count in (step.sheet.adds if step.sheet else {}).items():
                    assert step.sheet is not None
                    cells_ = [Fraction(row[column] or 0) for row in step.sheet.rows]
                    assert sum(cells_) == result[metric].counts[count], (metric, step.title)


def test_links_are_counted_as_sets_of_pairs() -> None:
    """Without looking at pairs, the numbers of those who look at each."""
    rng = random.Random(1)
    for _ in range(300):
        sides = [[[rng.randrange(9) for _ in range(rng.randrange(4))] for _ in range(rng.randrange(12))] for _ in "kr"]
        coref: list[set[tuple[int, int]]] = []
        non: list[set[tuple[int, int]]] = []
        for chains in sides:
            mentions = [(m, number) for number, chain in enumerate(chains) for m in chain]
            for kind, same in ((coref, True), (non, False)):
                pairs = (p for p in combinations(mentions, 2) if (p[0][1] == p[1][1]) == same)
                kind.append({(min(a, b), max(a, b)) for (a, _), (b, _) in pairs})
        expected = tuple([len(of[0] & of[1]), len(of[0]), len(of[1])] for of in (coref, non))
        assert repeated_links(*sides) == expected, sides
