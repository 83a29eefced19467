"""The scores of a corpus, a document or a group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from ..errors import UsageError
from ..metrics import METRICS, spelled

Number: TypeAlias = float | Fraction


def is_number(x: Number | None) -> TypeGuard[Number]:
    """Whether there is a number. None means that the metric does not have it, and nan that it is not defined."""
    return x is not None and x == x


def or_none(x: Number | None) -> float | None:
    """A number for JSON, at full precision, or None."""
    return float(x) if is_number(x) else None


def whole_or_none(x: Number | None) -> float | int | None:
    """A count for JSON, or None. A whole number has no decimal point."""
    value = or_none(x)
    return value if value is None or value != int(value) else int(value)


@lru_cache(maxsize=10_000, typed=True)
def fixed(x: Number, digits: int, shift: int = 0) -> str:
    """A number, times 10 to the `shift`, with a fixed number of decimals: 35.65 becomes 35.7, whatever its binary form
    is.

    A float stands for the shortest decimal within its last bits, a Fraction for itself. Halves are rounded away from
    zero.
    """
    if isinstance(x, Fraction):
        x = nearest(x, digits + shift)
        value = Decimal(x.numerator).scaleb(shift) / Decimal(x.denominator)
    else:
        value = Decimal(f"{float(x):.15g}").scaleb(shift)
    text = f"{value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"
    return text if text.strip("-0.") else text.lstrip("-")


def nearest(x: Number, digits: int) -> Fraction:
    """A number rounded to a number of decimals. Halves are rounded away from zero."""
    exact = x if isinstance(x, Fraction) else Fraction(f"{float(x):.15g}")
    scaled = abs(exact) * 10**digits
    units = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return Fraction(units if exact > 0 else -units, 10**digits)


def rounded(x: Number, digits: int) -> Fraction:
    """Round as the papers round their sums: a half is rounded to the even digit (Pradhan et al. 2014 print .365 as
    .36)."""
    return round(Fraction(x), digits)


def percent(x: Number, digits: int) -> str:
    """A share in percent, rounded in the same way as `fixed`."""
    return fixed(x, digits, shift=2)


_NONE: Any = None  # a metric does not have every number


@dataclass(frozen=True, slots=True)
class Score:
    """One metric's result. `recall`, `precision`, `f1` (or `value`) are in 0–1. Those that it does not have are None.

    `undefined` names those that came from 0/0. `counts` are the sums they were computed from. `counted` are the
    metrics of an average whose F1 is 0/0 and counts as a number in it.

    Type checkers see floats, so that `r["muc"].f1` needs no check. Scores of `exact=True` are Fractions: `ExactScore`.
    """

    metric: str
    recall: float = _NONE
    precision: float = _NONE
    f1: float = _NONE
    value: float = _NONE
    label: str | None = None
    undefined: frozenset[str] = frozenset()
    counts: Mapping[str, Number] = field(default_factory=dict)
    counted: tuple[str, ...] = ()

    @property
    def main(self) -> float:
        """The number to compare by: F1, or the value."""
        number: float | None = self.f1 if self.value is None else self.value
        assert number is not None
        return number

    def defined(self, name: str = "main") -> bool:
        """Whether the metric has this number, and it does not come from 0/0, even if 0/0 was counted as a number."""
        names = {"f1", "value"} if name == "main" else {name}
        return is_number(getattr(self, name)) and not names & self.undefined

    def numbers(self) -> dict[str, Number]:
        """The numbers that the metric has, in the order recall, precision, F1 or value."""
        return {name: getattr(self, name) for name in (*_NAMES, "value") if getattr(self, name) is not None}

    def __repr__(self) -> str:
        shown = (f"{n}={'n/a' if n in self.undefined else f'{float(x):.4f}'}" for n, x in self.numbers().items())
        label = f", {self.label}" if self.label else ""
        return f"<{self.metric}: {', '.join(shown)}{label}>"

    def to_dict(self) -> dict[str, Any]:
        """For JSON: numbers at full precision, undefined ones as None, Fractions also as text."""
        plain: dict[str, Any] = {name: or_none(x) for name, x in self.numbers().items()}
        if getattr(METRICS[self.metric], "label", None):
            plain["label"] = self.label
        if self.undefined:
            plain["undefined"] = sorted(self.undefined)
        if self.counted:
            plain["counted"] = list(self.counted)
        if self.counts:
            plain["counts"] = {name: whole_or_none(x) for name, x in self.counts.items()}
        exact = {name: str(x) for name, x in self.numbers().items() if isinstance(x, Fraction)}
        return plain | ({"exact": exact} if exact else {})

    @classmethod
    def from_dict(cls, metric: str, plain: Mapping[str, Any]) -> Score:
        """Read the output of `to_dict`. Exact scores come back as Fractions, their counts as floats."""
        exact = {name: Fraction(x) for name, x in plain.get("exact", {}).items()}
        numbers: dict[str, Any] = {
            n: float("nan") if plain[n] is None else plain[n] for n in (*_NAMES, "value") if n in plain
        }
        counts = {name: float("nan") if x is None else x for name, x in plain.get("counts", {}).items()}
        undefined = frozenset(plain.get("undefined", ()))
        counted = tuple(plain.get("counted", ()))
        label = plain.get("label")
        return cls(metric, **(numbers | exact), label=label, undefined=undefined, counts=counts, counted=counted)


_NAMES = ("recall", "precision", "f1")


class ExactScore(Score):
    """A `Score` of `exact=True`, for type checkers: its numbers are Fractions."""

    if TYPE_CHECKING:
        recall: Fraction  # type: ignore[assignment]
        precision: Fraction  # type: ignore[assignment]
        f1: Fraction  # type: ignore[assignment]
        value: Fraction  # type: ignore[assignment]

        @property
        def main(self) -> Fraction: ...  # type: ignore[override]


class Scores(Mapping[str, Score]):
    """Scores by metric name: `r["muc"].f1`, `r.conll`. `label` names the corpus, document or group."""

    def __init__(self, scores: Mapping[str, Score], label: str = "") -> None:
        self.label = label
        self._scores = dict(scores)

    def __getitem__(self, metric: str) -> Score:
        """The score of a metric, by its name or an alias of it."""
        if metric in self._scores:
            return self._scores[metric]
        try:
            return self._scores[spelled(metric, METRICS)]
        except (UsageError, KeyError):
            raise KeyError(f"{metric} was not scored (there are {', '.join(self._scores)})") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __repr__(self) -> str:
        shown = (f"{n} {percent(s.main, 2)}" if is_number(s.main) else f"{n} n/a" for n, s in self.items())
        return f"<Scores {self.label}: {', '.join(shown)}>"

    @classmethod
    def parse(cls, plain: Mapping[str, Any], label: str = "") -> Scores:
        """Scores read back from `to_dict`."""
        return cls({name: Score.from_dict(name, score) for name, score in plain.items()}, label)

    @property
    def conll(self) -> float:
        """The CoNLL average: the mean F1 of MUC, B³ and CEAFe."""
        return self["conll"].main

    def to_dict(self) -> dict[str, Any]:
        """Metric → score, for JSON."""
        return {name: score.to_dict() for name, score in self.items()}
