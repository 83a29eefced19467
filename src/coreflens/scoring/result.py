"""The result of a scoring: scores, the counts behind them, and views of these by document or group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from ..conditions import is_attribute
from ..errors import Issue, UsageError
from ..exporting import Exported, arrow_of, frame_of
from ..options import Options
from ..presentation import InNotebooks
from .counts import Counts
from .finalize import finalize, finalize_rows
from .scores import ExactScore, Score, Scores
from .signature import Signature

if TYPE_CHECKING:
    from pathlib import Path

    import pandas
    import pyarrow

    from ..matching.labels import By
    from ..matching.matched import Matched
    from ..stats import IntervalKind, Intervals, Unit
    from .coverage import Coverage


class Result(InNotebooks, Exported, Scores):
    """Scores of a corpus, with the counts they come from, also by document or group.

    It is a mapping from metric to `Score`, and prints as a table.

    counts      the counts of each document, from which every score is computed
    options     all options, with their final values
    signature   how the result was computed, in one line
    issues      messages about unusual input that was scored
    engine      the engine that computed the counts: `memory`, `duckdb` or `spark`
    by          the groups that a result read back from JSON was saved with
    coverage    how much of the key the response answers, and the scores on that part; None if it answers everything
    """

    def __init__(
        self,
        counts: Counts,
        metrics: Sequence[str],
        options: Options,
        protocol: str = "default",
        issues: Sequence[Issue] = (),
    ) -> None:
        self.counts = counts
        self.options = options
        self.issues = list(issues)
        self.by: dict[str, Scores] = {}
        self.engine = "memory"
        self.matched: Matched | None = None  # key and response, for results that the counts of documents can't give
        self.strata: dict[str, dict[str, Result]] = {}  # attribute → value → the result of its mentions
        self.coverage: Coverage | None = None
        self.alignment: list[dict[str, Any]] | None = None  # `Matched.pairs`, if the JSON should contain them
        self.signature = Signature(protocol, options, tuple(metrics), len(counts.documents), __version__)
        self.label = "corpus"

    @cached_property
    def _scores(self) -> dict[str, Score]:  # type: ignore[override]
        """The scores, computed from the counts when one of them is first looked at."""
        return finalize(self.counts, self.signature.metrics, self.options)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Result:
        """A result read back from `to_dict`: scores, groups (in `by`), issues and signature, without its documents."""
        if not {"signature", "scores", "issues"} <= set(plain):
            raise UsageError("this is not from Result.to_dict: signature, scores or issues are missing")
        signature = Signature.parse(plain["signature"])
        result = cls.__new__(cls)
        Scores.__init__(result, Scores.parse(plain["scores"]), "corpus")
        result.matched = None
        result.counts, result.options, result.signature = Counts((), (), np.zeros((0, 0))), signature.options, signature
        result.issues = [Issue(**(issue | {"places": tuple(issue["places"])})) for issue in plain["issues"]]
        result.by = {label: Scores.parse(scores, label) for label, scores in plain.get("by", {}).items()}
        result.strata = {}
        result.alignment = plain.get("alignment")
        result.coverage = None
        if "coverage" in plain:
            from .coverage import Coverage

            result.coverage = Coverage.parse(plain["coverage"])
        result.engine = str(plain.get("engine", "memory"))
        return result

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "matched": None}  # an unpickled result has the numbers, not the corpora

    def __repr__(self) -> str:
        return str(self)

    def narrowed(self, metrics: Sequence[str], counts: Counts | None = None) -> Result:
        """The same result with some of its metrics, or with other counts of the same documents."""
        found = Result(counts or self.counts, metrics, self.options, self.signature.protocol, self.issues)
        found.matched = self.matched
        return found

    def by_document(self) -> dict[str, Scores]:
        """Scores of each document, by its label."""
        return self.group_by("document")

    def group_by(self, by: By) -> dict[str, Scores]:
        """Scores by label of the documents.

        `by` is `document`, `genre` or `part`, a LABELS.csv, a mapping from document to label, or a function of the
        `Document`. An attribute of mentions, such as `entity.type` or `mention.type`, scores the mentions of each value
        separately: see `parts`.
        """
        metrics, options = self.signature.metrics, self.options
        if isinstance(by, str) and is_attribute(by):
            return dict(self.parts(by))
        if not len(self.counts):
            raise UsageError("a result read back from JSON has only the groups it was saved with, in `by`")
        if isinstance(by, str) and by == "document":
            if options.scope != "document":
                raise UsageError(f"entities extend over the {options.scope} here; documents need --scope document")
            rows = finalize_rows(self.counts, metrics, options)
            return {label: Scores(row, label) for label, row in zip(_distinct(self.counts.labels), rows, strict=True)}
        from ..matching.labels import number_labels

        codes, labels = number_labels(self.counts.labelled(by, options))
        return {
            label: Scores(finalize(self.counts.take(np.flatnonzero(codes == group)), metrics, options), label)
            for group, label in enumerate(labels)
        }

    def parts(self, by: str) -> dict[str, Result]:
        """The result of each value of an attribute of mentions. Both sides are selected as by `only`.

        Their counts do not add up to those of the whole, because links between the parts are in none of them. The
        counts of `entity.size`, `entity.spread` and `distance` do add up: they divide the counts of the whole, recall
        by the entities of the key and precision by those of the response.
        """
        from .strata import strata

        if by not in self.strata:
            if self.matched is None:
                raise UsageError(f"{by} needs the mentions, but this result has only counts: score the files again")
            self.strata[by] = strata(self.matched, by, self)
        return self.strata[by]

    def bootstrap(
        self,
        resamples: int = 10_000,
        *,
        seed: int = 0,
        interval: IntervalKind = "percentile",
        confidence: float = 0.95,
        stratify: By | None = None,
        unit: Unit = "document",
        by: By | None = None,
    ) -> Intervals:
        """Confidence intervals of every metric, by bootstrap over the documents.

        seed        the seed of the random numbers; the same seed gives the same intervals
        interval    `percentile`, or `bca`, which corrects for bias and skewness (Efron 1987)
        stratify    a label as for `group_by`; each resample has as many documents of each label as the corpus
        unit        `document` draws the parts of a document together, and `part` draws them separately; `topic` or any
                    other label draws the documents with the same label together; for few, long documents,
                    `block:1500` draws blocks of 1500 words, and `entity` draws entities of the key
        by          groups of documents that get their own intervals

            score(key, response).bootstrap(seed=7)["muc"]["f1"].low
        """
        from ..stats import bootstrap

        return bootstrap(
            self,
            resamples,
            seed=seed,
            interval=interval,
            confidence=confidence,
            stratify=stratify,
            unit=unit,
            by=by,
        )

    def jackknife(self, *, confidence: float = 0.95, unit: Unit = "document") -> Intervals:
        """Standard errors and normal intervals, by leaving out one document at a time."""
        from ..stats import jackknife

        return jackknife(self, confidence=confidence, unit=unit)

    def save_counts(self, path: str | Path) -> None:
        """Write the counts, without any text, for later comparisons or sums: see `load_counts`."""
        from .counts_file import save_counts

        save_counts(self, path)

    def to_dict(self, by: By | None = None) -> dict[str, Any]:
        """Everything, for JSON. `by` adds the groups."""
        plain: dict[str, Any] = {
            "signature": str(self.signature),
            "documents": self.signature.documents,
            "engine": self.engine,
            "scores": super().to_dict(),
        }
        groups = self.by if by is None else self.group_by(by)
        if groups:
            plain["by"] = {label: Scores.to_dict(scores) for label, scores in groups.items()}
        if isinstance(by, str) and is_attribute(by):
            from .strata import added_up

            plain["added_up"] = added_up(self.parts(by), self).to_dict()
        if self.coverage is not None:
            plain["coverage"] = self.coverage.to_dict()
        if self.alignment is not None:
            plain["alignment"] = self.alignment
        plain["issues"] = [issue.to_dict() for issue in self.issues]
        return plain

    def to_json(self, by: By | None = None) -> str:
        """What `to_dict` has, as JSON text."""
        import json

        return json.dumps(self.to_dict(by), ensure_ascii=False, indent=1, allow_nan=False)

    def records(self, by: By | None = None) -> list[dict[str, Any]]:
        """One row per metric, or with `by` one row per group and metric: its numbers, and the counts behind them."""
        groups: Mapping[str, Scores] = {"corpus": self} if by is None else self.group_by(by)
        return [
            ({} if by is None else {"group": label})
            | {"metric": name}
            | {k: float(v) for k, v in score.numbers().items()}
            | {k: float(v) for k, v in score.counts.items()}
            for label, scores in groups.items()
            for name, score in scores.items()
        ]

    def to_frame(self, by: By | None = None) -> pandas.DataFrame:
        """A pandas DataFrame with one row per metric, or with `by` one row per group and metric."""
        return frame_of(self.records(by)).set_index("metric" if by is None else ["group", "metric"])

    def to_arrow(self, by: By | None = None) -> pyarrow.Table:
        """The same as an Arrow table, with the metric and the group as columns."""
        return arrow_of(self.records(by))


class ExactResult(Result):
    """A `Result` of `exact=True`, for type checkers: its numbers are Fractions."""

    if TYPE_CHECKING:

        def __getitem__(self, metric: str) -> ExactScore: ...

        @property
        def conll(self) -> Fraction: ...  # type: ignore[override]


def _distinct(labels: Sequence[str]) -> list[str]:
    """Unique labels of documents: an unnamed document gets its number, and a repeated name gets a suffix."""
    taken = set(labels)
    distinct: list[str] = []
    seen: set[str] = set()
    for place, given in enumerate(labels, start=1):
        label = given
        if not given or given in seen:
            spellings = (f"{given} ({n})" if given else str(n) for n in count(2 if given else place))
            label = next(s for s in spellings if s not in taken)
            taken.add(label)
        seen.add(given)
        distinct.append(label)
    return distinct
