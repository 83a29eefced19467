"""The worked examples of tests/data/cases.json, and how their numbers are compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from places import RECORDED

Case: TypeAlias = dict[str, Any]

CASES: list[Case] = json.loads((RECORDED / "cases.json").read_text(encoding="utf-8"))["cases"]


def partition(entities: Sequence[str]) -> list[list[str]]:
    return [entity.split() for entity in entities]


def rounded(x: Fraction, digits: int) -> Fraction:
    """To the nearest, halves up."""
    return Fraction((x * 10**digits + Fraction(1, 2)).__floor__(), 10**digits)


def parsed(text: str) -> tuple[Fraction, int | None]:
    """The value and the number of decimals it is rounded to; None if it is exact."""
    if text.endswith("%"):
        value, digits = parsed(text[:-1])
        return value / 100, (digits or 0) + 2
    return Fraction(text), len(text.partition(".")[2]) or None


def agrees(printed: str, exact: Fraction) -> bool:
    value, digits = parsed(printed)
    return (exact if digits is None else rounded(exact, digits)) == value
