"""Sets of antecedents that can be assigned in several equally good ways."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

import coreflens as cl
from anaphora_cases import Doc, written
from split_reference import backwards, blanc_values, many_plurals

SAME_IN_ANY_ORDER = ("muc", "bcub", "lea", "blanc", "pairs")


def scores(key: Doc, response: Doc, folder: Path) -> cl.Result:
    paths = written(key, folder / "key.CONLLUA"), written(response, folder / "response.CONLLUA")
    return cl.score(*paths, protocol="ua", metrics=SAME_IN_ANY_ORDER, exact=True, no_common="score")


def documents(seeds: range) -> Iterator[tuple[int, Doc, Doc]]:
    for seed in seeds:
        key, response = many_plurals(seed)
        if key.elements and response.elements:
            yield seed, key, response


@pytest.mark.slow
def test_blanc_takes_the_best_of_equal_assignments(tmp_path: Path) -> None:
    ties = 0
    for seed, key, response in documents(range(120, 200)):
        possible = blanc_values(key, response)
        ties += len(possible) > 1
        assert Fraction(scores(key, response, tmp_path)["blanc"].f1 or 0) == max(possible), seed
    assert ties


@pytest.mark.slow
def test_no_metric_but_ceaf_depends_on_the_order_of_the_text(tmp_path: Path) -> None:
    for seed, key, response in documents(range(120, 200)):
        forth = scores(key, response, tmp_path)
        back = scores(backwards(key), backwards(response), tmp_path)
        for name in SAME_IN_ANY_ORDER:
            assert forth[name] == back[name], (seed, name)
