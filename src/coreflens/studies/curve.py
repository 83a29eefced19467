"""Scored links between records, clustered at every threshold, and the scores of the clusters.

Links are taken in the order of their scores. Each threshold adds its links to the clusters of the threshold before. So
one pass of union-find makes the clusters of all thresholds. Records without links are clusters of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt

from ..corpus.model import Corpus, Document, IntArray
from ..errors import PLACES, InputError, Issue, UsageError, counted
from ..exporting import Exported
from ..files.finding import find
from ..formats import Input, read
from ..formats.links import components, load_links
from ..formats.reading import opened
from ..keywords import known_keywords
from ..metrics import METRICS
from ..options import Options
from ..presentation import writer_of
from ..scoring.counts import needed
from ..scoring.result import Result
from ..scoring.scorer import Scorer
from ..scoring.scores import or_none
from ..scoring.settings import Metrics, StudySettings
from ..stats import Interval

if TYPE_CHECKING:
    from ..paper.plot import Plot

SHOWN = "pairs,muc,bcub,ceafe,lea"
STEPS = 100
RESAMPLES = 2000


@dataclass(frozen=True, eq=False)
class Curve(Exported):
    """Results by threshold, from the strictest to the laxest; `curve["bcub"]` is an array of F1.

    thresholds   scores of links: a link counts if its score is at least (with distances: at most) the threshold
    clusters     how many clusters there are at each threshold
    distances    whether a lower score is a closer link
    """

    thresholds: tuple[float, ...]
    results: Sequence[Result]
    clusters: tuple[int, ...]
    distances: bool
    issues: tuple[Issue, ...]
    intervals: dict[str, tuple[Interval, int]]

    @property
    def signature(self) -> str:
        """The signature: how the scores were computed, in one line."""
        return str(self.results[0].signature)

    @property
    def metrics(self) -> list[str]:
        """The metrics that were scored."""
        return list(self.results[0])

    def __getitem__(self, metric: str) -> npt.NDArray[np.float64]:
        return self.values(metric)

    def values(self, metric: str, part: str = "main") -> npt.NDArray[np.float64]:
        """F1 (or the value; `part`: recall, precision) in 0–1 by threshold; nan if the metric has none."""
        numbers = (getattr(result[metric], part) for result in self.results)
        return np.array([np.nan if x is None else float(x) for x in numbers])

    def best(self, metric: str) -> int | None:
        """The index of the threshold with the highest score, the strictest of several; None if there is no score."""
        values = self.values(metric) * (-1 if METRICS[metric].error else 1)
        return None if np.isnan(values).all() else int(np.nanargmax(values))

    def records(self) -> list[dict[str, Any]]:
        """One row per metric and threshold."""
        rows: list[dict[str, Any]] = []
        for metric in self.metrics:
            columns = {name: self.values(metric, name) for name in ("recall", "precision", "main")}
            for place, threshold in enumerate(self.thresholds):
                numbers = {name: or_none(column[place]) for name, column in columns.items()}
                numbers["f1"] = numbers.pop("main")
                rows.append({"threshold": threshold, "clusters": self.clusters[place], "metric": metric, **numbers})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON: metric → recall, precision, main by threshold, and the best point."""
        best = {}
        for metric in self.metrics:
            at = self.best(metric)
            if at is None:
                continue
            interval = self.intervals.get(metric)
            best[metric] = {
                "threshold": self.thresholds[at],
                "score": or_none(self.values(metric)[at]),
                "interval": None if interval is None else [float(interval[0].low), float(interval[0].high)],
                "units": None if interval is None else interval[1],
            }
        parts = ("recall", "precision", "main")
        scores: dict[str, dict[str, list[float | None]]] = {}
        for metric in self.metrics:
            scores[metric] = {part: [*map(or_none, self.values(metric, part))] for part in parts}
        return {
            "signature": self.signature,
            "distances": self.distances,
            "thresholds": list(self.thresholds),
            "clusters": list(self.clusters),
            "scores": scores,
            "best": best,
            "issues": [issue.to_dict() for issue in self.issues],
        }

    def plot(self) -> Plot:
        """F1 in points by threshold, one line per metric."""
        drawn: Plot = writer_of(self).plot(self)
        return drawn


@known_keywords
def curve(
    truth: Input,
    edges: str | Path,
    score: str,
    *,
    metrics: Metrics | None = SHOWN,
    distances: bool = False,
    steps: int | None = STEPS,
    seed: int = 0,
    **settings: Unpack[StudySettings],
) -> Curve:
    """Score the clusters that scored links make, at every threshold.

    truth       the records with their true entities: any input of `score` whose mentions have names
    edges       a table of links: two columns of records, such as id1 and id2, and one of scores; `doc` as in `truth`
    score       the name of the column of scores
    distances   a lower score is a closer link
    steps       the largest number of thresholds, spread evenly over all scores; None takes every score
    seed        random seed of the intervals, which come from a bootstrap over documents, or over groups of records
                that no link and no true entity connects

        found = curve("truth.csv", "pairs.csv", "probability")
        found.thresholds[found.best("bcub")]
    """
    if steps is not None and steps < 2:
        raise UsageError("a curve needs at least two steps")
    key = read(truth, role="key", format=settings.get("key_format"), encoding=settings.get("encoding"))
    if key.names is None:
        raise InputError("the mentions of the truth are spans, but links are between named records", file=key.source)
    records, links = _graph(key, str(edges), score, settings.get("encoding"))
    order = np.argsort(links.score if distances else -links.score, kind="stable")
    one, other, scores = links.one[order], links.other[order], links.score[order]
    last = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))  # where each score ends, the best first
    issues = list(records.issues)
    if steps is not None and len(last) > steps:
        total = len(last)
        last = last[np.unique(np.linspace(0, len(last) - 1, steps).round().astype(np.int64))]
        message = (
            f"{total} different scores: {len(last)} of them are thresholds, spread evenly (--steps all takes each)"
        )
        issues.append(Issue("steps", message, total))
    given: Any = {name: value for name, value in settings.items() if name not in ("key_format", "encoding")}
    scorer = Scorer(key, metrics=metrics, **{**given, "no_common": "score"})
    root = np.arange(len(records.name), dtype=np.int64)
    results, clusters, roots, done = [], [], [], 0
    for end in (last + 1).tolist():
        root = components(len(root), root[one[done:end]], root[other[done:end]])[root]
        done = end
        results.append(scorer(records.corpus(root)))
        clusters.append(len(np.unique(root)))
        roots.append(root)
    unmeasured = Curve(
        tuple(scores[last].tolist()),
        results,
        tuple(clusters),
        distances,
        tuple(dict.fromkeys([*issues, *(i for i in results[0].issues if i.code not in ("no-singletons", "twinless"))])),
        {},
    )
    return replace(unmeasured, intervals=_intervals(unmeasured, scorer, records, roots, seed))


@dataclass(frozen=True, eq=False)
class _Records:
    """The records of truth and links: document, name, and the true entity (−1 if the truth lacks the record)."""

    documents: Sequence[Document]
    doc: IntArray
    name: Sequence[str]
    entity: IntArray
    issues: tuple[Issue, ...]

    def corpus(self, root: IntArray, doc: IntArray | None = None, documents: Sequence[Document] = ()) -> Corpus:
        """The records with their clusters as a response, in other documents if these are given."""
        doc = self.doc if doc is None else doc
        rows = np.argsort(doc, kind="stable")
        nowhere = np.full(len(rows), -1, dtype=np.int64)
        return Corpus(
            documents=documents or self.documents,
            doc=doc[rows],
            start=nowhere,
            end=nowhere,
            entity=root[rows],
            labels=range(len(root)),
            names=[self.name[row] for row in rows.tolist()],
            line=np.zeros(len(rows), dtype=np.int64),
            format="table",
        )


_Record: TypeAlias = tuple[str, str]  # document and name


@dataclass(frozen=True, eq=False)
class _Links:
    one: IntArray
    other: IntArray
    score: npt.NDArray[np.float64]


def _graph(key: Corpus, edges: str, column: str, encoding: str | None) -> tuple[_Records, _Links]:
    """The records, numbered, and the links between these numbers."""
    found_files = find(edges)
    if found_files.several:
        raise InputError("links must be in one file", file=edges)
    table = load_links(opened(found_files.files[0], encoding), column)
    labels = [document.label for document in key.documents]
    if len(labels) == 1 and (not labels[0] or not table.documents):  # all records are in one document without a name
        labels = [""]
        table = table._replace(documents=[])
    rows, entity = _rows_of_truth(key, labels)
    known = len(rows)
    documents = table.documents or [""] * len(table.one)
    one = _rows_of_ends(rows, documents, table.one)
    other = _rows_of_ends(rows, documents, table.other)
    strangers = sorted({document for document, _ in rows} - set(labels))
    if strangers:
        message = f"the truth lacks {counted(strangers, 'document')} of the links, such as '{strangers[0][:60]}'"
        raise InputError(message, file=edges, hint="do both tables have the same documents?")
    names = [name for _, name in rows]
    extra = names[known:]
    issues: tuple[Issue, ...] = ()
    if extra:
        lacking = counted(extra, "record")
        message = f"the truth lacks {lacking} of the links; each is a mention that only the response has"
        issues = (Issue("extra-records", message, len(extra), tuple(extra[:PLACES])),)
    number = {label: d for d, label in enumerate(labels)}
    doc = np.array([number[document] for document, _ in rows], dtype=np.int64)
    true = np.array([*entity, *[-1] * len(extra)], dtype=np.int64)
    return _Records(key.documents, doc, names, true, issues), _Links(one, other, table.score)


def _rows_of_truth(key: Corpus, labels: Sequence[str]) -> tuple[dict[_Record, int], list[int]]:
    """The records of the truth, each once, with their numbers; and their entities, which lie within one document."""
    assert key.names is not None
    rows: dict[_Record, int] = {}
    entity: list[int] = []
    for d, name, label in zip(key.doc.tolist(), key.names, key.entity.tolist(), strict=True):
        is_new = rows.setdefault((labels[d], str(name)), len(rows)) == len(entity)
        if is_new:
            entity.append(label * len(labels) + d)
    return rows, entity


def _rows_of_ends(rows: dict[_Record, int], documents: Sequence[str], names: Sequence[str]) -> IntArray:
    """The numbers of the records at one end of the links. A new record gets the next number."""
    numbers = [rows.setdefault(record, len(rows)) for record in zip(documents, names, strict=True)]
    return np.array(numbers, dtype=np.int64)


def _intervals(
    found: Curve, scorer: Scorer, records: _Records, roots: Sequence[IntArray], seed: int
) -> dict[str, tuple[Interval, int]]:
    """The interval of the best point of each metric, with the number of units that were drawn.

    With one document, the units are the groups of records that no true entity and no link connects. Most metrics are
    sums of the counts of these groups. If a metric is not, it has no interval.
    """
    intervals: dict[str, tuple[Interval, int]] = {}
    at = {metric: found.best(metric) for metric in found.metrics}
    for place in sorted({p for p in at.values() if p is not None}):
        result = found.results[place]
        apart = result
        if len(result.counts) < 2:
            if _selects(scorer.options):  # groups of records have other names and attributes than their document
                continue
            split = _split(scorer, records, roots[-1], roots[place], result)
            if split is None:
                continue
            apart = split
        drawn = apart.bootstrap(RESAMPLES, seed=seed)
        for metric in (m for m, p in at.items() if p == place):
            if _same(result, apart, metric):
                intervals[metric] = drawn.main(metric), len(apart.counts)
    return intervals


def _selects(options: Options) -> bool:
    return (options.only, options.without) != ("all", "none")


def _same(one: Result, other: Result, metric: str) -> bool:
    """Whether the counts of a metric, or of all that it is an average of, are the same in total."""
    for part in needed([metric], one.options):
        ours, theirs = (r.counts.of(part.name, r.counts.total) for r in (one, other))
        if not all(np.allclose(ours[c].astype(float), theirs[c].astype(float), rtol=1e-9) for c in ours):
            return False
    return True


def _split(scorer: Scorer, records: _Records, lax: IntArray, root: IntArray, result: Result) -> Result | None:
    """The same clusters with each group of connected records as a document; None if all are one group."""
    true = records.entity
    known = np.flatnonzero(true >= 0)
    first = np.full(int(true.max(initial=0)) + 1, -1, dtype=np.int64)
    first[true[known[::-1]]] = known[::-1]
    group = components(len(lax), np.append(lax, known), np.append(np.arange(len(lax)), first[true[known]]))
    _, doc = np.unique(group, return_inverse=True)
    doc = doc.reshape(-1)
    if int(doc.max(initial=0)) < 1:
        return None
    documents = [Document(f"group {number}") for number in range(int(doc.max()) + 1)]
    there = true >= 0
    whole = records.corpus(np.where(there, true, 0), doc, documents)
    rows = np.argsort(doc, kind="stable")
    kept = np.flatnonzero(there[rows])
    names = [whole.names[row] for row in kept.tolist()] if whole.names is not None else None
    key = replace(
        whole,
        doc=whole.doc[kept],
        start=whole.start[kept],
        end=whole.end[kept],
        entity=whole.entity[kept],
        labels=range(int(true.max(initial=0)) + 1),
        names=names,
        line=np.zeros(len(kept), dtype=np.int64),
    )
    again = Scorer(key, metrics=scorer.metrics, **_options(result))
    return again(records.corpus(root, doc, documents))


def _options(result: Result) -> Any:
    options = {f.name: getattr(result.options, f.name) for f in fields(result.options)}
    return {**options, "scope": "document", "no_common": "score"}
