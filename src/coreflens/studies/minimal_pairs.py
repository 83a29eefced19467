"""Minimal pairs: texts that differ in one thing, such as the pronoun, and should be resolved the same way.

WinoBias, Winogender and WinoPron are made of templates. Each template is a few documents that differ in factors such as
the pronoun, its case, or whether it fits a stereotype. A document is right if the response puts the mentions of the key
into the same entities as the key: it has every link between two of them, and no other. Mentions that only the response
has do not count. A key mention that the response lacks counts as a singleton. The key must also mark the wrong
candidates, as entities of one mention. Otherwise a response that puts everybody into one entity is right.

    accuracy      right documents / documents, of each combination of the factors and of each value
    difference    mean over the templates of (mean of the documents with the second value − that of the first)
    consistency   templates whose documents are all right / templates with several documents

Intervals are percentiles of a bootstrap over templates, since documents of one template depend on each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..corpus.model import Document, IntArray
from ..errors import Issue, UsageError, counted
from ..exporting import Exported
from ..formats import Input
from ..integers import bincount
from ..keywords import known_keywords, refuse_idle_keywords
from ..matching.labels import By, labels_of, number_labels
from ..matching.matched import Matched
from ..metrics.contingency import Array, Contingency
from ..options import Options
from ..presentation import writer_of
from ..scoring.scorer import Scorer
from ..scoring.settings import ViewSettings
from ..stats.bootstrap import quantiles
from ..stats.weights import draws

if TYPE_CHECKING:
    from ..paper.table import Table

# Policies about metrics, and about entities across documents.
IDLE = ("split_antecedents", "blanc", "undefined", "average", "mean", "weights", "ids")
RESAMPLES = 10_000
_FEW = 20  # templates below which intervals are rough


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some documents, or templates, are right, and the interval around that share; nan for none."""

    values: tuple[str, ...]
    items: int
    right: int
    low: float
    high: float

    @property
    def accuracy(self) -> float:
        """The share of right documents or templates."""
        return self.right / self.items


@dataclass(frozen=True, slots=True)
class Difference:
    """The accuracy of the second value of a factor minus that of the first, within the templates that have both."""

    factor: str
    first: str
    second: str
    templates: int
    difference: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class MinimalPairs(Exported):
    """How a response resolves minimal pairs.

    cells         the share of right documents for each combination of the factors' values
    levels        the share of right documents for each value of each factor
    differences   between two values of a factor
    consistency   the share of templates in which all documents are right
    right         document → whether it is right
    """

    factors: tuple[str, ...]
    overall: Share
    cells: tuple[Share, ...]
    levels: dict[str, tuple[Share, ...]]
    differences: tuple[Difference, ...]
    consistency: Share
    right: dict[str, bool]
    confidence: float
    signature: str
    issues: tuple[Issue, ...]

    def records(self) -> list[dict[str, Any]]:
        """Every number as one row: what it measures, the number of cases, the value and its interval."""
        shares = [("cell", share) for share in self.cells]
        shares += [(factor, share) for factor, several in self.levels.items() for share in several]
        shares += [("all", self.overall), ("consistency", self.consistency)]
        rows: list[dict[str, Any]] = []
        for what, s in shares:
            numbers = {"number": s.items, "value": s.accuracy, "low": s.low, "high": s.high}
            rows.append({"what": what, "of": " ".join(s.values), **numbers})
        for d in self.differences:
            numbers = {"number": d.templates, "value": d.difference, "low": d.low, "high": d.high}
            rows.append({"what": f"difference {d.factor}", "of": f"{d.second} − {d.first}", **numbers})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "signature": self.signature,
            "factors": list(self.factors),
            "confidence": self.confidence,
            "overall": _plain_share(self.overall),
            "cells": [_plain_share(share) for share in self.cells],
            "levels": {factor: [_plain_share(s) for s in shares] for factor, shares in self.levels.items()},
            "differences": [_plain(asdict(difference)) for difference in self.differences],
            "consistency": _plain_share(self.consistency),
            "right": self.right,
            "issues": [issue.to_dict() for issue in self.issues],
        }

    def tables(self, digits: int = 2) -> list[Table]:
        """Accuracy by cell and value, the differences, and the consistency of the templates."""
        found: list[Table] = writer_of(self).tables(self, digits)
        return found


def _plain(record: dict[str, object]) -> dict[str, object]:
    return {name: None if x != x else x for name, x in record.items()}


def _plain_share(share: Share) -> dict[str, object]:
    return _plain(asdict(share)) | {"values": list(share.values), "accuracy": share.accuracy}


@known_keywords
def minimal_pairs(
    key: Input,
    response: Input,
    *,
    template: By,
    factors: str | Sequence[str] | Mapping[str, By],
    labels: str | Path | None = None,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 0,
    **settings: Unpack[ViewSettings],
) -> MinimalPairs:
    """Accuracy by factor, paired differences and consistency of documents that are variants of templates.

    template   the label that documents of one template share: a label of the documents, or a column of `labels`
    factors    the labels in which they differ, as a list or with commas; or a dict, name → labels
    labels     a CSV or TSV with a header, documents in the first column
    resamples  the number of resamples of the templates, for the intervals of `confidence`, with `seed`

    Everything else is as for `score`.

        found = minimal_pairs("key.conll", "response.conll", template="id", factors="pronoun,case", labels="items.csv")
        found.consistency.accuracy; [d.difference for d in found.differences]
    """
    by_factor = _factors(factors, template)
    _check(settings, resamples, confidence)
    scorer = Scorer(key, metrics=["pairs"], **settings)
    if scorer.options.scope != "document" or scorer.options.window != Options().window:
        raise UsageError("each text of a minimal pair is a document, so --scope and --window can't be used")
    matched = scorer.match(response)
    documents = matched.pairing.documents
    right = _right(matched)
    group, templates = number_labels(_labels(documents, template, labels))
    columns = {factor: _labels(documents, by, labels) for factor, by in by_factor.items()}
    sizes = bincount(group, minlength=len(templates))
    is_shared = sizes > 1
    if not is_shared.any():
        raise UsageError(
            f"each of the {counted(documents, 'document')} has a template of its own, so there are no pairs; give "
            "the label that documents of one template share"
        )
    drawn = _Drawn(group, len(templates), resamples, confidence, seed)
    all_right = bincount(group, weights=right, minlength=len(templates)) == sizes
    combinations_of_values = list(zip(*columns.values(), strict=True))
    differences: list[Difference] = []
    for factor, values in columns.items():
        differences += drawn.differences(factor, values, right)
    issues = list(matched.issues)
    if len(templates) < _FEW:
        issues.append(Issue("few-templates", f"{counted(templates, 'template')}: the intervals are rough"))
    return MinimalPairs(
        tuple(by_factor),
        drawn.share(("all",), np.arange(len(documents)), right),
        tuple(_shares(drawn, combinations_of_values, right)),
        {factor: tuple(_shares(drawn, [(value,) for value in values], right)) for factor, values in columns.items()},
        tuple(differences),
        drawn.share((), np.flatnonzero(is_shared), all_right[is_shared], of_templates=True),
        {document.label: bool(r) for document, r in zip(documents, right.tolist(), strict=True)},
        confidence,
        f"{scorer.result(matched).signature}|bootstrap:{resamples}|confidence:{confidence:g}|seed:{seed}|unit:template",
        tuple(issues),
    )


def _factors(factors: str | Sequence[str] | Mapping[str, By], template: By) -> dict[str, By]:
    """Factor → its labels."""
    listed = factors.split(",") if isinstance(factors, str) else factors
    names = [name.strip() for name in listed if name.strip()]
    if not names or len({*names}) < len(names) or template in names:
        raise UsageError("give one or more labels as factors, each once, and none that is the template")
    return {name: factors[name] if isinstance(factors, Mapping) else name for name in names}


def _check(settings: Mapping[str, object], resamples: int, confidence: float) -> None:
    """Refuse what can't be used here."""
    if resamples < 100 or not 0 < confidence < 1:
        raise UsageError("intervals need at least 100 resamples, and a confidence between 0 and 1")
    refuse_idle_keywords(settings, IDLE, "texts are right or wrong by their mentions and entities alone")
    if settings.get("singletons") not in (None, "keep", "drop-before"):
        raise UsageError(
            "--singletons can only be keep or drop-before here: no metric is computed that leaves them out"
        )


def _labels(documents: Sequence[Document], by: By, table: str | Path | None) -> list[str]:
    return labels_of(documents, f"{table}:{by}" if table is not None and isinstance(by, str) else by)


def _right(matched: Matched) -> Array:
    """1 for the documents whose key mentions are in the same entities in key and response, 0 for the others."""
    alignment = matched.alignment
    response = np.where(alignment.key >= 0, alignment.response, -1)  # mentions that only the response has do not count
    t = Contingency.of(replace(alignment, response=response).without_empty_rows())
    common_links, key_links, response_links = t.cells(_pairs(t.n)), t.keys(_pairs(t.a)), t.responses(_pairs(t.b))
    right: Array = ((common_links == key_links) & (common_links == response_links)).astype(np.int64)
    return right


def _pairs(n: Array) -> Array:
    pairs: Array = n * (n - 1) // 2
    return pairs


def _shares(drawn: _Drawn, values: Sequence[tuple[str, ...]], right: Array) -> list[Share]:
    """A share for each value, in the order of the documents."""
    rows_by_value: dict[tuple[str, ...], list[int]] = {}
    for row, value in enumerate(values):
        rows_by_value.setdefault(value, []).append(row)
    return [drawn.share(value, np.array(rows), right[rows]) for value, rows in rows_by_value.items()]


class _Drawn:
    """Templates drawn with replacement, the same draws for every number."""

    def __init__(self, group: IntArray, templates: int, resamples: int, confidence: float, seed: int) -> None:
        self.group, self.templates = group, templates
        rng = np.random.default_rng(seed)
        self.weights = [*draws(rng, np.zeros(templates, dtype=np.int64), resamples)]
        self.ends = np.array([(1 - confidence) / 2, (1 + confidence) / 2])

    def share(self, values: tuple[str, ...], rows: IntArray, right: Array, of_templates: bool = False) -> Share:
        """The share of the rows, documents or templates, that are right."""
        group = rows if of_templates else self.group[rows]
        above = bincount(group, weights=right, minlength=self.templates)
        below = bincount(group, minlength=self.templates)
        return Share(values, len(rows), int(right.sum()), *self._interval(above, below))

    def differences(self, factor: str, values: Sequence[str], right: Array) -> list[Difference]:
        """Each two values of a factor, in the templates that have documents of both."""
        mean, there = {}, {}
        for value in dict.fromkeys(values):
            rows = np.flatnonzero(np.array(values, dtype=object) == value)
            size = bincount(self.group[rows], minlength=self.templates)
            total = bincount(self.group[rows], weights=right[rows], minlength=self.templates)
            mean[value], there[value] = total / np.maximum(size, 1), size > 0
        differences = []
        for first, second in combinations(mean, 2):
            have_both = there[first] & there[second]
            if have_both.any():
                moved = np.where(have_both, mean[second] - mean[first], 0)
                templates = int(have_both.sum())
                bounds = self._interval(moved, have_both.astype(np.int64))
                difference = float(moved.sum() / templates)
                differences.append(Difference(factor, first, second, templates, difference, *bounds))
        return differences

    def _interval(self, above: Array, below: Array) -> tuple[float, float]:
        """The percentiles of a ratio of sums over templates; nan if only one template contributes."""
        if (below > 0).sum() < 2:
            return float("nan"), float("nan")
        sums = [(weights @ above, weights @ below) for weights in self.weights]
        numerator, denominator = (np.concatenate(column) for column in zip(*sums, strict=True))
        some = denominator > 0  # a draw without any of these documents says nothing about them
        low, high = quantiles(numerator[some] / denominator[some], self.ends)
        return low, high
