"""What a metric is, and the list of them.

A metric turns the contingency table into additive counts, one row of `columns` per document, and finalises sums of such
rows into recall, precision and F1 (or a value). It does not know about files, matching, singletons or twinless
mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from inspect import getdoc
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..errors import UsageError, did_you_mean
from ..options import Options
from .contingency import Array, Contingency
from .repetitions import Overlap

Columns: TypeAlias = Mapping[str, Array]
Values: TypeAlias = dict[str, Array]
RPF = ("recall", "precision", "f1")
RECALL_PRECISION = ("recall_num", "recall_den", "precision_num", "precision_den")


def ratio(numerator: Array, denominator: Array, undefined: float = np.nan) -> Array:
    """numerator / denominator for floats and Fractions. x/0 is nan, or another number if one is given."""
    zero = denominator == 0
    if not np.count_nonzero(zero):
        return numerator / denominator
    return replaced(zero, undefined, numerator / np.where(zero, 1, denominator))


def replaced(where: Array, number: float, values: Array) -> Array:
    """The values, with a number in some places: a Fraction among Fractions, so that quotients stay exact."""
    whole: Any = Fraction(number) if values.dtype == object and number == number else number
    return np.where(where, whole, values)


def harmonic(recall: Array, precision: Array) -> Array:
    """F1 = 2PR/(P+R), 0 if P + R = 0. Undefined parts make it undefined."""
    if recall.dtype.hasobject:
        with np.errstate(invalid="ignore"):  # a Fraction compared with nan: some versions of Python and numpy warn
            same = recall == precision
    else:
        same = recall == precision  # then F1 is the same number, without the rounding of a division
    if not np.count_nonzero(same):
        f1: Array = recall * precision
        f1 *= 2
        f1 /= recall + precision
        return f1
    f1 = np.where(same, recall, 2 * recall * precision / np.where(same, 1, recall + precision))
    return f1


def arithmetic(recall: Array, precision: Array) -> Array:
    """(P + R)/2, for `--mean arithmetic`."""
    mean: Array = (recall + precision) / 2
    return mean


MEANS: Mapping[str, Callable[[Array, Array], Array]] = {"harmonic": harmonic, "arithmetic": arithmetic}


def recall_precision(c: Columns, options: Options) -> Values:
    return {
        "recall": ratio(c["recall_num"], c["recall_den"]),
        "precision": ratio(c["precision_num"], c["precision_den"]),
    }


class Metric(NamedTuple):
    """A metric and its declared properties, which property tests check.

    aggregation   `sum`: counts add over documents; `pooled`: the summed counts are finalised as if the corpus were one
                  partition; `macro`: only the mean over documents makes sense.
    symmetric     exchanging key and response exchanges recall and precision.
    identity      a non-empty key scored against itself gives 1 wherever it is defined.
    order_free    the order of documents, entities and mentions in the input changes nothing.
    lower         the least value; the greatest is 1.
    error         it measures errors, so lower values are better.
    f1            its F1 alone, if it is not made from recall and precision.
    similarity    the similarity of the two entities of a cell, if the metric scores the best one-to-one alignment.
    other_anaphora  it counts annotations beside the entities, such as bridging or split antecedents.
    quadratic     its counts are links, which grow with the square of the mentions.
    split         split antecedents take part in it (Paun et al. 2022).
    e2e           which singletons it ignores under `--singletons e2e`.
    absent        the message if it was asked for by its name, but there is nothing to count.
    overlap       how its table counts |K ∩ R| if mentions occur more than once, as in scorer.pl v8.01; see
                  `Contingency.of`.
    repeated      computes its first columns for such a block, if no table has them.
    """

    name: str
    title: str
    cite: str
    count: Callable[[Contingency], tuple[Array, ...]]  # type: ignore[assignment] # tuples have a method `count`
    columns: tuple[str, ...] = RECALL_PRECISION
    finalize: Callable[[Columns, Options], Values] = recall_precision
    values: tuple[str, ...] = RPF
    label: Callable[[Columns], list[str | None]] | None = None
    twinless: str = "keep"
    zero_over_zero: tuple[int, int] | None = None
    aggregation: str = "sum"
    symmetric: bool = True
    identity: bool = True
    order_free: bool = True
    lower: float = 0.0
    error: bool = False
    equal_mentions: bool = False
    mention_detection: bool = False
    irrational: bool = False
    split: bool = False
    other_anaphora: bool = False
    quadratic: bool = False
    e2e: str = "keep"
    absent: str = ""
    overlap: Overlap = ""
    f1: Callable[[Columns, Options], Array] | None = None
    similarity: Callable[[Any], Any] | None = None
    repeated: Callable[[Sequence[Sequence[int]], Sequence[Sequence[int]]], Sequence[Any]] | None = None
    aliases: tuple[str, ...] = ()
    doc: str = ""

    @property
    def headings(self) -> tuple[str, ...]:
        """Its columns as they are named beside those of other metrics."""
        return tuple(f"{self.name}.{column}" for column in self.columns)


class Average(NamedTuple):
    """The (weighted) mean of the F1 of other metrics."""

    name: str
    title: str
    cite: str
    doc: str
    weighted: bool = False
    of: tuple[str, ...] = ("muc", "bcub", "ceafe")
    aliases: tuple[str, ...] = ()
    values: tuple[str, ...] = ("f1",)
    error: bool = False

    def weights(self, options: Options) -> Mapping[str, float]:
        if not self.weighted:
            return dict.fromkeys(self.of, 1.0)
        return {spelled(name, METRICS): weight for name, weight in options.weights}


METRICS: dict[str, Metric | Average] = {}
SETS: dict[str, tuple[str, ...]] = {}


def metric(name: str, **declared: Any) -> Callable[[Callable[[Contingency], tuple[Array, ...]]], Any]:
    """Register the decorated function as a metric. Its docstring is the metric's reference page."""

    def register(count: Callable[[Contingency], tuple[Array, ...]]) -> Callable[[Contingency], tuple[Array, ...]]:
        METRICS[name] = Metric(name=name, count=count, doc=getdoc(count) or "", **declared)
        return count

    return register


def variant(name: str, of: Callable[[Contingency], tuple[Array, ...]], doc: str, **declared: Any) -> None:
    """Register a metric that differs from another only in what it declares, such as the twinless policy."""
    METRICS[name] = Metric(name=name, count=of, doc=doc, **declared)


def average(name: str, **declared: Any) -> None:
    METRICS[name] = Average(name=name, **declared)


def select(names: str | Iterable[str] | None) -> tuple[list[str], set[str]]:
    """The names of the metrics that a user asked for (by names, aliases, sets), and of those asked for by their own
    name."""
    if names is None:
        names = ["default"]
    elif isinstance(names, str):
        names = [name for name in names.split(",") if name.strip()]
    elif not isinstance(names, Iterable):
        raise UsageError(f"metrics are names, not {names!r}")
    chosen: list[str] = []
    named: set[str] = set()
    for asked in names:
        name = spelled(asked, [*SETS, *METRICS])
        if name in SETS:
            chosen += SETS[name]
        else:
            chosen.append(name)
            named.add(name)
    if not chosen:
        raise UsageError("no metric given (`coreflens list metrics` names them all)")
    return list(dict.fromkeys(chosen)), named


def spelled(asked: str, known: Iterable[str]) -> str:
    """The metric's name from the name itself, an alias, or the same letters (`B_cubed`, `CEAF-e`). Anything else is an
    error with a suggestion."""
    if not isinstance(asked, str):
        raise UsageError(f"a metric is named by a string, not {asked!r}")
    plain = asked.strip().lower()
    known = list(known)
    if plain in known:
        return plain
    aliases = {_letters(alias): name for name, m in METRICS.items() for alias in (name, *m.aliases)}
    if _letters(plain) in aliases:
        return aliases[_letters(plain)]
    meant = did_you_mean(plain, [*known, *aliases], aliases)
    raise UsageError(f"unknown metric '{asked}'{meant} (`coreflens list metrics` names them all)")


def _letters(name: str) -> str:
    return "".join(c for c in name.lower().replace("³", "3") if c.isalnum())
