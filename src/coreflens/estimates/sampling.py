"""`sample`: what to label, with what is needed to weigh it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from ..corpus.model import IntArray
from ..errors import Issue, UsageError, choose
from ..files.writing import save
from ..formats import Input
from ..formats.inputs import Frame as DataFrame
from ..formats.table import line_of
from ..integers import bincount
from .allocation import ALLOCATIONS, Allocation, allocated
from .candidates import Candidate, from_clusters, from_fields, from_links
from .clustering import Clustering, read_clustering
from .designs import BY, By
from .frames import Frame
from .labels import OWN, Labels, read_labels
from .ratios import Numbers

LARGE = 0.2  # share of the rows to label from which one cluster is a reason to take strata
MANY = 50  # rows


@dataclass(frozen=True, eq=False)
class SampleTable:
    """Rows to label: `header`, and one list of cells for each record.

    drawn    how many draws there are in all
    issues   notes
    """

    header: list[str]
    rows: list[list[str]]
    drawn: int
    issues: tuple[Issue, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> list[str]:
        """The cells of a column."""
        place = self.header.index(name)
        return [row[place] for row in self.rows]

    def write(self, path: str | PathLike[str]) -> None:
        """Write the rows as CSV."""
        save(map(line_of, [self.header, *self.rows]), Path(path))


@dataclass(frozen=True, eq=False)
class _Plan:
    """How units are drawn: their strata, and their expected hits per draw if chances are by size."""

    frame: Frame
    stratum: IntArray
    names: list[str]
    chance: Numbers | None
    units: IntArray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "units", bincount(self.stratum, minlength=len(self.names)))


def sample(
    response: Input | DataFrame,
    n: int,
    *,
    by: By = "record",
    size: str | None = None,
    strata: str | None = None,
    allocate: Allocation | None = None,
    with_clusters: bool = True,
    extend: str | PathLike[str] | None = None,
    links: str | PathLike[str] | None = None,
    score: str = "score",
    fields: Sequence[str] = (),
    seed: int = 0,
    response_columns: Mapping[str, str] | str | None = None,
    response_format: str | None = None,
    encoding: str | None = None,
) -> SampleTable:
    """Draw records (or clusters, or entities) of a response to be labelled for `estimate`.

    n              how many draws; with `extend`, how many more
    by             `record`, `cluster`, or `entity` for a table that has entities
    size           chances by size, with replacement: `records`, or a column of numbers
    strata         `size` (of the cluster), a column, or a file with records and labels
    allocate       how draws are divided among strata: `proportional`, `equal` or `mixed`
    with_clusters  by record: also list the other records of the clusters, for precision from clusters
    extend         an earlier sample, whose labels are kept
    links          scored links; records linked to drawn ones are listed, by the column `score`
    fields         columns whose words are compared; records that share rare ones are listed

        sample("response.csv", 200).write("to-label.csv")
    """
    choose(by, BY, "unit")
    if n < 1:
        raise UsageError(f"a sample has at least one draw, not {n}")
    settings = {"encoding": encoding, "response_format": response_format}
    columns = _columns(response_columns)
    if by == "entity":
        _check_entities(response, columns)
    clustering = read_clustering(response, columns, settings)
    plan = _plan(Frame.of(clustering, by), size, strata)
    how = _allocation(allocate, strata)
    design = "record+cluster" if by == "record" and with_clusters else by
    old = None if extend is None else _old(fspath(extend), design, plan, encoding)
    before = np.zeros(plan.frame.units, dtype=np.int64) if old is None else _hits_before(old, plan)
    hits = _drawn(plan, n, how, before, seed)
    listed = _listed(plan.frame, hits, design, links, score, fields)
    return _table(plan, hits, design, listed, old)


def _columns(given: Mapping[str, str] | str | None) -> dict[str, str]:
    from ..engines.sources import parse_columns

    return parse_columns(given)


def _check_entities(response: Any, columns: Mapping[str, str]) -> None:
    """By entity, the input must be a table whose column of entities says that these are entities."""
    hint = "give a table of known entities, with a column entity; a response has clusters, and is drawn by cluster"
    if "entity" in columns:
        return
    if not isinstance(response, (str, PathLike)):
        names = list(getattr(response, "column_names", None) or getattr(response, "columns", []))
    else:
        from ..files.finding import find
        from ..formats.reading import opened
        from ..formats.shared.cells import header_of

        source = opened(find(fspath(response)).files[0])
        if source.data.startswith(b"PAR1"):
            from ..formats.parquet import load_cells

            names = load_cells(source, lambda header: set())[0]
        else:
            names = header_of(source.data[: 1 << 16])
    if not {"entity", "entity_id"} & {str(name).strip().lower() for name in names}:
        raise UsageError(f"a response has no true entities to draw from: {hint}")


def _plan(frame: Frame, size: str | None, strata: str | None) -> _Plan:
    """Strata, and chances by size within each of them."""
    stratum, names = np.zeros(frame.units, dtype=np.int64), [""]
    if strata is not None:
        stratum, names = frame.strata(strata)
    chance = None
    if size is not None:
        sizes = frame.sizes(size)
        chance = sizes / bincount(stratum, sizes)[stratum]
    return _Plan(frame, stratum, names, chance)


def _allocation(asked: Allocation | None, strata: str | None) -> Allocation:
    if asked is not None and strata is None:
        raise UsageError("--allocate needs --strata")
    if asked is None:
        return "mixed" if strata == "size" else "proportional"
    choose(asked, ALLOCATIONS, "allocation")
    return asked


def _drawn(plan: _Plan, n: int, how: Allocation, before: IntArray, seed: int) -> IntArray:
    """How often each unit was drawn, together with earlier draws."""
    frame = plan.frame
    repeats = plan.chance is not None
    drawn = bincount(plan.stratum, before, minlength=len(plan.names)).astype(np.int64)
    left = frame.units - int(np.count_nonzero(before))
    if not repeats and n > left:
        more = "more " if before.any() else ""
        raise UsageError(f"{n} draws, but there are only {left:,} {more}{frame.word}")
    counts = np.array([n], dtype=np.int64)
    if len(plan.names) > 1:
        counts = allocated(n, plan.units, frame.pairs(plan.stratum, len(plan.names)), how, drawn, repeats)
    chance = np.random.default_rng([seed, int(before.sum())])
    hits = before.copy()
    for stratum, count in enumerate(counts.tolist()):
        inside = np.flatnonzero(plan.stratum == stratum)
        if plan.chance is not None:
            np.add.at(hits, chance.choice(inside, count, p=plan.chance[inside]), 1)
        else:
            free = inside[before[inside] == 0]
            hits[chance.choice(free, count, replace=False)] += 1
    return hits


def _listed(
    frame: Frame, hits: IntArray, design: str, links: Any, score: str, fields: Sequence[str]
) -> list[tuple[int, int, str]]:
    """The records to label: the record, the drawn record that it stands with, and the reason, in an order that keeps
    together what is labelled together."""
    units = np.flatnonzero(hits)
    if frame.by == "record":
        drawn = frame.records[units]
    else:
        drawn = np.concatenate([frame.members(unit) for unit in units.tolist()])
    sources: list[dict[int, list[Candidate]]] = []
    if design == "record+cluster":
        sources.append(from_clusters(frame.response, drawn))
    if links is not None:
        sources.append(from_links(frame.response, drawn, fspath(links), score))
    if fields:
        sources.append(from_fields(frame, drawn, fields))
    is_drawn = set(drawn.tolist())
    reason = "drawn" if frame.by == "record" else f"in a drawn {frame.by}"
    listed: dict[int, tuple[int, int, str]] = {}
    for record in drawn.tolist():
        listed.setdefault(record, (record, record, reason))
        for source in sources:
            for candidate in source.get(record, ()):
                if candidate.record in is_drawn:
                    listed.setdefault(candidate.record, (candidate.record, candidate.record, reason))
                listed.setdefault(candidate.record, (candidate.record, record, candidate.reason))
    return list(listed.values())


def _table(
    plan: _Plan, hits: IntArray, design: str, listed: Sequence[tuple[int, int, str]], old: Labels | None
) -> SampleTable:
    """The rows, with old labels first."""
    frame, response = plan.frame, plan.frame.response
    with_docs = response.docs is not None
    others = _other_columns(response)
    header = [
        "by",
        *(["doc"] if with_docs else []),
        *("record", "cluster", "hits"),
        *(["stratum"] if len(plan.names) > 1 else []),
        "population" if plan.chance is None else "probability",
        "entity",
        *others,
        *("complete", "near", "reason"),
    ]
    total = bincount(plan.stratum, hits, minlength=len(plan.names))
    before = {} if old is None else dict(zip(_old_names(old), range(len(old)), strict=True))
    names = response.named(with_docs)
    rows: list[list[str]] = []
    for record, near, reason in listed:
        unit = int(frame.unit[record])
        stratum = int(plan.stratum[unit])
        weighing = str(int(plan.units[stratum]))
        if plan.chance is not None:
            weighing = repr(float(plan.chance[unit] * total[stratum]))
        earlier = before.pop(str(names[record]), None)
        entity, complete = _earlier_label(old, earlier)
        rows.append(
            [
                design,
                *([response.docs[record]] if response.docs is not None else []),
                str(response.names[record]),
                str(response.labels[int(response.cluster[record])]),
                str(int(hits[unit])),
                *([plan.names[stratum]] if len(plan.names) > 1 else []),
                weighing,
                entity if frame.by != "entity" else str(response.labels[int(response.cluster[record])]),
                *(cells[record] for cells in others.values()),
                *(complete, str(response.names[near]), reason),
            ]
        )
    rows += _added_by_hand(old, before.values(), header, design)
    drawn = int(hits.sum())
    return SampleTable(header, rows, drawn, tuple(_notes(frame, listed)))


def _other_columns(response: Clustering) -> dict[str, Sequence[str]]:
    """The input's other columns by name, and the words of mentions. Names that mean something here are changed."""
    taken = {*OWN, "record", "entity", "near", "reason"}
    rows = response.rows.tolist()
    found: dict[str, Sequence[str]] = {}
    corpus = response.corpus
    if corpus.has_text:
        found["text"] = [corpus.words(row) for row in rows]
    for name, cells in corpus.attributes.items():
        title = f"{name} (response)" if name.strip().lower() in taken else name
        found[title] = [cells[row] for row in rows]
    return found


def _notes(frame: Frame, listed: Sequence[tuple[int, int, str]]) -> list[Issue]:
    """A note if one cluster has a large part of the rows to label."""
    response = frame.response
    clusters = response.cluster[[record for record, _, _ in listed]]
    counts = bincount(clusters)
    largest = int(counts.max())
    if largest < MANY or largest < LARGE * len(listed):
        return []
    name = response.labels[int(counts.argmax())]
    message = f"the cluster {name} has {largest:,} of the {len(listed):,} records to label: --strata size draws fewer"
    return [Issue("giant-cluster", f"{message} of such clusters", largest)]


# Earlier samples


def _old(path: str, design: str, plan: _Plan, encoding: str | None) -> Labels:
    """An earlier sample of the same design."""
    old = read_labels(path, {}, encoding)
    stated = {cell.strip() for cell in old.others.get("by", ()) if cell.strip()}
    if stated != {design}:
        raise UsageError(f"the earlier sample is by {', '.join(sorted(stated)) or 'nothing'}, and this one by {design}")
    by_size = "probability" in old.others
    if by_size != (plan.chance is not None):
        raise UsageError(f"the earlier sample was {'' if by_size else 'not '}drawn by size: give the same --size")
    if ("stratum" in old.others) != (len(plan.names) > 1):
        has = "has" if "stratum" in old.others else "has no"
        raise UsageError(f"the earlier sample {has} strata: give the same --strata")
    return old


def _old_names(old: Labels) -> list[str]:
    from .clustering import joint

    if old.docs is None:
        return [str(name) for name in old.records]
    return [joint(doc, name) for doc, name in zip(old.docs, old.records, strict=True)]


def _hits_before(old: Labels, plan: _Plan) -> IntArray:
    """How often each unit was drawn before."""
    frame = plan.frame
    rows = np.flatnonzero(old.hits)
    place = frame.response.places(old.records, old.docs)[rows]
    if (missing := np.flatnonzero(place < 0)).size:
        row = int(rows[missing[0]])
        message = f"the drawn record {old.records[row]} is not in the response"
        raise old.fail(message, row, "the earlier sample is of another response")
    hits = np.zeros(frame.units, dtype=np.int64)
    hits[frame.unit[place]] = old.hits[rows]
    if "stratum" in old.others:
        for row, record in zip(rows.tolist(), place.tolist(), strict=True):
            now = plan.names[int(plan.stratum[frame.unit[record]])]
            if old.others["stratum"][row] != now:
                message = f"the record {old.records[row]} was in the stratum {old.others['stratum'][row]}, now in {now}"
                raise old.fail(message, row, "the earlier sample has other strata")
    return hits


def _earlier_label(old: Labels | None, row: int | None) -> tuple[str, str]:
    """The entity and the tick that a record has in the earlier sample."""
    if old is None or row is None:
        return "", ""
    ticks = old.others.get("complete")
    return old.entities[row], "" if ticks is None else ticks[row]


def _added_by_hand(old: Labels | None, rows: Any, header: Sequence[str], design: str) -> list[list[str]]:
    """The rows of the earlier sample that are not listed again: records that a person has added."""
    if old is None:
        return []
    found = []
    for row in rows:
        entity, complete = _earlier_label(old, row)
        known = {"by": design, "record": old.records[row], "hits": "0", "entity": entity, "complete": complete}
        if old.docs is not None:
            known["doc"] = old.docs[row]
        found.append([str(known.get(name, "")) for name in header])
    return found
