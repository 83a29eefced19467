"""Scores of tables by an engine: the metrics that it can compute, and the result they make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np

from ..errors import Issue, UsageError
from ..matching.twinless import POLICIES
from ..metrics import METRICS, SETS, Average, Metric
from ..metrics.contingency import Array, Contingency
from ..options import Options
from ..scoring.counts import columns_from, gather, needed
from ..scoring.result import Result
from .ceaf import CellQuery, aligned, best
from .grouped import Grouped, Groups, Rows
from .relational import Engine, Related, TableSide, relate
from .sources import ColumnsOfSides, TableSource

# Metrics that look at the order, the words or the sizes of all entities one by one are not sums over groups. Others
# need relations and marks that tables of mentions do not have.
MEMORY_ONLY = frozenset({"xcore", "overlap", "derror", "mor", "zero", "nonreferring"})
MEMORY_ONLY |= {*SETS["bridging"], *SETS["split-antecedents"], *SETS["pronouns-by-kind"], *SETS["gap-by-gender"]}
MEMORY_ONLY |= {"nec", "labels", "labels-macro", "pairs-within", "pairs-cross"}
# Options that an engine obeys, and those that have nothing to act on in a table of names. Every other option keeps its
# usual value, apart from the values in `MORE`.
OBEYED = frozenset(
    {"duplicates", "blanc", "undefined", "average", "mean", "extra", "scope", "ids", "weights", "no_common"}
)
IDLE = frozenset({"min_share", "zeros", "split_antecedents", "on"})
MORE: dict[str, tuple[str, ...]] = {
    "without": ("nonreferring",),  # if no mention has this mark
    "singletons": ("drop", "drop-response", "drop-before"),
}


class Opening(Engine, Protocol):
    """An engine that opens tables itself."""

    def open(self, table: TableSource, role: str, given: Mapping[str, str]) -> TableSide:
        """Give the rows of a table the name `<role>_rows`, with the columns doc, mention, entity and place."""


@dataclass(frozen=True)
class Request:
    """What to compute: metrics, those that were named individually, protocol and options."""

    metrics: list[str]
    named: set[str]
    protocol: str
    options: Options
    exact: bool = False
    ceaf: bool = True


def score_tables(
    connection: AbstractContextManager[Opening],
    key: TableSource,
    response: TableSource,
    columns: ColumnsOfSides,
    request: Request,
    say: Callable[[str], None],
) -> Result:
    """The result of scoring two tables of mentions in an engine."""
    options = request.options
    _refuse(options)
    metrics, issues = _able(request)
    with connection as engine:
        sides = engine.open(key, "key", columns["key"]), engine.open(response, "response", columns["response"])
        related, whole, coreference = relate(engine, *sides, options)
        issues += related.issues
        columns_of, table_of = _counting(related, whole, coreference, request.exact, say)
        pairing = related.pairing
        wanted = needed(metrics, options)
        counts, more = gather(wanted, pairing.labels, pairing.documents, columns_of, table_of, request.named)
        if not request.exact and counts.values.dtype == object:
            counts = type(counts)(counts.labels, counts.columns, counts.values.astype(np.float64), counts.documents)
        result = Result(counts, metrics, options, request.protocol, [*issues, *more])
        result.engine = engine.name
    return result


def _refuse(options: Options) -> None:
    """Refuse options that an engine does not obey."""
    usual = Options()
    for name in (field.name for field in fields(Options)):
        value = getattr(options, name)
        if name not in OBEYED | IDLE and value not in (getattr(usual, name), *MORE.get(name, ())):
            given = f"--{name.replace('_', '-')} {value}"
            raise UsageError(f"{given} needs --engine memory, since the mentions of a table have no words and no files")


def _counting(
    related: Related, whole: Groups, coreference: Groups, exact: bool, say: Callable[[str], None]
) -> tuple[Callable[[Metric], tuple[Array, ...]], Callable[[Metric], Contingency]]:
    """How the columns of a metric are computed, and from which table; each table is made once."""
    tables: dict[tuple[str, bool], tuple[Grouped, Grouped]] = {}
    alignments: dict[tuple[str, object], Rows] = {}

    def groups_of(metric: Metric) -> tuple[Groups, Groups]:
        halves: tuple[Groups, Groups] = POLICIES[metric.twinless](whole if metric.mention_detection else coreference)
        return halves

    def tables_of(metric: Metric) -> tuple[Grouped, Grouped]:
        which = metric.twinless, metric.mention_detection
        if which not in tables:
            recall, precision = groups_of(metric)
            first = recall.table(exact)
            tables[which] = first, first if precision is recall else precision.table(exact)
        return tables[which]

    def best_of(cells: CellQuery, similarity: Callable[[Any], Any]) -> Rows:
        which = cells.query, similarity
        if which not in alignments:
            alignments[which] = best(related.engine, cells, similarity, exact, say)
        return alignments[which]

    def columns_of(metric: Metric) -> tuple[Array, ...]:
        if metric.similarity is None:
            return columns_from(metric, *tables_of(metric))
        halves = POLICIES[metric.twinless](CellQuery("cells" if coreference is whole else "kept"))
        tables = [
            aligned(groups, best_of(cells, metric.similarity)).table(exact)
            for groups, cells in zip(groups_of(metric), halves, strict=True)
        ]
        return columns_from(metric, tables[0], tables[0] if halves[0] is halves[1] else tables[1])

    return columns_of, lambda metric: tables_of(metric)[0]


def _able(request: Request) -> tuple[list[str], list[Issue]]:
    """The metrics that an engine computes. A named metric that needs memory, or CEAF, is refused."""
    left_out: dict[str, str] = {}
    for name in request.metrics:
        parts = set(_parts(name, request.options))
        if parts & MEMORY_ONLY:
            left_out[name] = "is not a sum over a table and needs --engine memory"
        elif not request.ceaf and any(_aligns(part) for part in parts):
            left_out[name] = "needs CEAF's assignment of entities, which --no-ceaf leaves out"
    for name in left_out:
        if name in request.named:
            raise UsageError(f"{name} {left_out[name]}")
    kept = [name for name in request.metrics if name not in left_out]
    if not kept:
        raise UsageError("no metric is left to compute")
    names: dict[str, list[str]] = {}
    for name, why in left_out.items():
        names.setdefault(why, []).append(name)
    return kept, [
        Issue("left-out-metrics", f"{', '.join(named)} left out: each {why}", len(named))
        for why, named in names.items()
    ]


def _parts(name: str, options: Options) -> Iterable[str]:
    asked = METRICS[name]
    return asked.weights(options) if isinstance(asked, Average) else (name,)


def _aligns(name: str) -> bool:
    metric = METRICS[name]
    return isinstance(metric, Metric) and metric.similarity is not None
