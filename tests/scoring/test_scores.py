"""Numbers that are there, and numbers that are not."""

from __future__ import annotations

from fractions import Fraction
from math import nan
from typing import Any

import pytest

from coreflens.paper.table import points, score_points
from coreflens.scoring.scores import Score, is_number, or_none, whole_or_none


@pytest.mark.parametrize(
    ("x", "plain", "whole"),
    [
        (None, None, None),
        (nan, None, None),
        (0.0, 0.0, 0),
        (0.25, 0.25, 0.25),
        (Fraction(1, 4), 0.25, 0.25),
        (Fraction(4), 4.0, 4),
        (7, 7.0, 7),
    ],
)
def test_what_is_a_number(x: Any, plain: float | None, whole: float | None) -> None:
    assert is_number(x) == (plain is not None)
    assert or_none(x) == plain and type(or_none(x)) in (float, type(None))
    assert whole_or_none(x) == whole and type(whole_or_none(x)) is type(whole)


def test_what_a_score_has() -> None:
    counted_as_zero = Score("muc", recall=0.0, precision=0.5, f1=0.0, undefined=frozenset({"recall"}))
    assert [counted_as_zero.defined(n) for n in ("recall", "precision", "f1", "main", "value")] == [
        *(False, True, True, True, False)
    ]
    assert not Score("muc", 0.0, 0.0, 0.0, undefined=frozenset({"f1"})).defined()
    assert not Score("rand", value=nan).defined() and not Score("rand", value=nan).defined("value")
    assert not Score("rand", value=0.0, undefined=frozenset({"value"})).defined()
    assert Score("rand", value=0.0).defined()


def test_points() -> None:
    assert [points(x, 1) for x in (None, nan, 0.25, Fraction(1, 3))] == ["", "n/a", "25.0", "33.3"]
    score = Score("muc", recall=0.0, precision=0.5, f1=0.0, undefined=frozenset({"recall"}))
    assert [score_points(score, n, 2) for n in ("recall", "precision", "main", "value")] == ["n/a", "50.00", "0.00", ""]
