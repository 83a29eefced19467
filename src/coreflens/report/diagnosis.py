"""A diagnosis in tables, and a short summary."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..diagnosis import Diagnosis
from ..diagnosis.account import ACCOUNTED
from ..diagnosis.classes import CLASSES
from ..diagnosis.differences import Difference
from ..diagnosis.findings import Error, Loss, short
from ..errors import choose, counted
from ..matching.labels import By
from ..metrics import METRICS
from ..paper.table import Table, points
from ..paper.writers import WRITERS
from ..scoring.scores import percent

SHOW = {
    "classes": "errors by class, and what each class costs",
    "repairs": "the repairs that raise the CoNLL average most",
    "entities": "the entities that lose most",
    "mentions": "the mentions that lose most",
    "errors": "every error",
    "links": "wrong links, by the types of the two mentions",
    "prices": "what each class costs in every metric",
    "matches": "matched mentions that are not the same, and how they were matched",
    "anaphora": "every error of bridging, split antecedents and non-referring expressions",
}
SUMMARY = ("classes", "repairs")
WIDTH = 100  # columns of a terminal
# Columns that are shortened in this order until a table fits, and their minimum widths.
_LEAST: tuple[tuple[str, int], ...] = (
    ("context", 16),
    ("document", 8),
    ("error", 44),
    ("entity", 20),
    ("mention", 20),
    ("place", 24),
)
_LEAST += (("key mention", 24), ("response mention", 24), ("error", 28), ("entity", 14), ("mention", 14), ("place", 14))
_FEATURES = ("type", "length", "size", "distance", "position", "speaker")


def tables(
    d: Diagnosis,
    show: Sequence[str] = SUMMARY,
    by: Sequence[By] = (),
    count: int = 10,
    digits: int = 2,
    wide: bool = False,
    **only: Any,
) -> dict[str, Table]:
    """Title → table. `only` chooses errors, as in `Diagnosis.errors`."""
    for name in show:
        choose(name, SHOW, "table")
    asked = _Asked(count, digits, wide, only)
    found: dict[str, Table] = {}
    for name, tables_of in _WHAT_IT_COSTS.items():
        if name in show:
            found |= tables_of(d, asked)
    for field in by:
        found[f"Errors by {field}"] = _counts(d.count_by(field, **only), str(field))
        found[f"Scores by {field}"] = _cells(d, field, digits)
    for name, tables_of in _WHAT_IS_WRONG.items():
        if name in show:
            found |= tables_of(d, asked)
    if d.against is not None:
        found |= _difference(d, asked)
    return found


class _Asked(NamedTuple):
    """How tables are shown: the most rows, decimals, whether for machines; and the conditions on errors."""

    most: int
    digits: int
    wide: bool
    only: Mapping[str, Any]


def fitted(found: Mapping[str, Table], width: int = WIDTH) -> dict[str, Table]:
    """The tables for a terminal: places without the folders that all of them share, long texts cut to the width."""
    placed = [table for table in found.values() if "place" in table.header]
    places = {row[table.header.index("place")] for table in placed for row in table.rows}
    folders = {os.path.dirname(place) for place in places if place}
    shared = os.path.commonpath(folders) if folders and len({*map(os.path.isabs, folders)}) == 1 else ""
    return {title: _narrowed(table, shared + "/" if shared else "", width) for title, table in found.items()}


def _narrowed(table: Table, folder: str, width: int) -> Table:
    columns = [[name, *cells] for name, cells in zip(table.header, zip(*table.rows, strict=True), strict=False)]
    if not columns:
        return table
    if "place" in table.header:
        place = table.header.index("place")
        columns[place] = [cell.removeprefix(folder) for cell in columns[place]]
    widths = [max(map(len, column)) for column in columns]
    for name, least in _LEAST:
        over = sum(widths) + 2 * (len(widths) - 1) - width
        if over > 0 and name in table.header:
            n = table.header.index(name)
            widths[n] = max(widths[n] - over, min(widths[n], least))
            columns[n] = [_cut(cell, widths[n], end=name in ("place", "document")) for cell in columns[n]]
    return replace(table, rows=[list(row) for row in zip(*(column[1:] for column in columns), strict=True)])


def _cut(cell: str, width: int, end: bool) -> str:
    """A cell of at most this width. A path keeps its end, because that distinguishes it from others."""
    if len(cell) <= width:
        return cell
    return f"…{cell[1 - width :]}" if end else f"{cell[: width - 1].rstrip()}…"


def text(d: Diagnosis) -> str:
    """The summary: one line, the classes, and the best repairs."""
    pieces = [headline(d)]
    pieces += [f"{title}\n{WRITERS['table'](table, '')}" for title, table in fitted(tables(d)).items()]
    return "\n\n".join(pieces)


def headline(d: Diagnosis, digits: int = 2) -> str:
    documents = counted(d.evidence.documents, "document")
    errors = f"{counted(d.found, 'error')} in {documents}" if len(d.found) else f"no errors in {documents}"
    met = f" Matched: {d.met_by}." if d.met_by else ""
    return f"CoNLL {points(float(d.scores.conll), digits)}; {errors}. {d.known.capitalize()}.{met}"


def errors_table(errors: Sequence[Error], wide: bool = False) -> Table:
    """One row per error, with its document if there are several. `wide`, for machines, adds the features of its
    mention."""
    features = _FEATURES if wide else ()
    header = ["class", "document", *features, "error", "context", "place"]
    rows = [
        [e.kind, e.document, *(e.features[f] for f in features), str(e), short(e.context, 72).strip("“”"), e.place]
        for e in errors
    ]
    one = not wide and len({e.document for e in errors}) < 2
    shown = [n for n in range(len(header)) if wide or (any(row[n] for row in rows) and not (one and n == 1))]
    return Table([header[n] for n in shown], [[row[n] for n in shown] for row in rows], left=frozenset(range(5)))


def _class_tables(d: Diagnosis, asked: _Asked) -> dict[str, Table]:
    found = {"Errors": _classes(d, asked.digits)}
    if d.anaphora_classes:
        found["Errors of bridging, split antecedents and non-referring expressions"] = _anaphora(d, asked.digits)
    if d.causes:
        rows = []
        for cause, price in d.causes.items():
            alone = _signed(price.alone["conll"], asked.digits)
            rows.append([cause, str(price.errors), str(price.mentions), alone])
        found["Errors by cause"] = Table(["cause", "errors", "mentions", "alone"], rows)
    return found


def _price_tables(d: Diagnosis, asked: _Asked) -> dict[str, Table]:
    return {
        "Change of F1 when a class alone is corrected": _prices(d, asked.digits, "alone"),
        "Change of F1 when the classes are corrected in turn": _prices(d, asked.digits, "next"),
    }


def _repair_tables(d: Diagnosis, asked: _Asked) -> dict[str, Table]:
    rows = []
    for repair in d.repairs(asked.most):
        error = repair.error
        alone = _signed(repair.alone["conll"], asked.digits)
        rows.append([alone, points(repair.together, asked.digits), error.kind, str(error), error.place])
    if not rows:
        return {}
    header = ["alone", "together", "class", "error", "place"]
    return {"Repairs that raise CoNLL most": Table(header, rows, left=frozenset({2, 3, 4}))}


def _entity_tables(d: Diagnosis, asked: _Asked) -> dict[str, Table]:
    return {"Entities that lose most": _losses(d.entities(asked.most), asked.digits, "entity")}


def _mention_tables(d: Diagnosis, asked: _Asked) -> dict[str, Table]:
    return {"Mentions that lose most": _losses(d.mentions(asked.most), asked.digits, "mention")}


def _link_tables(d: Diagnosis, asked: _Asked) -> dict[str, Table]:
    rows = []
    for (anaphor, antecedent), counts in d.link_counts().items():
        rows.append([anaphor, antecedent, str(counts["lost"]), str(counts["spurious"])])
    header = ["anaphor", "antecedent", "lost", "spurious"]
    return {"Wrong links": Table(header, rows, left=frozenset({0, 1}))}


def _error_tables(d: Diagnosis, asked: _Asked) -> dict[str, Table]:
    title = "These errors" if asked.only else "Every error"
    return {title: errors_table(d.errors(**asked.only), asked.wide)}


def _match_tables(d: Diagnosis, asked: _Asked) -> dict[str, Table]:
    rows = [[short(match.key), short(match.response), match.by, match.place] for match in d.matches()]
    header = ["key mention", "response mention", "met by", "place"]
    return {"Matched mentions that are not the same": Table(header, rows, left=frozenset({0, 1, 2, 3}))}


def _anaphora_tables(d: Diagnosis, asked: _Asked) -> dict[str, Table]:
    rows = [[error.kind, str(error), error.place or error.document] for error in d.anaphora]
    title = "Every error of bridging, split antecedents and non-referring expressions"
    return {title: Table(["class", "error", "place"], rows, left=frozenset({0, 1, 2}))}


# The values of `SHOW`, in the order of their tables; tables by a field stand between the two.
_WHAT_IT_COSTS: dict[str, Callable[[Diagnosis, _Asked], dict[str, Table]]] = {
    "classes": _class_tables,
    "prices": _price_tables,
    "repairs": _repair_tables,
    "entities": _entity_tables,
    "mentions": _mention_tables,
}
_WHAT_IS_WRONG: dict[str, Callable[[Diagnosis, _Asked], dict[str, Table]]] = {
    "links": _link_tables,
    "errors": _error_tables,
    "matches": _match_tables,
    "anaphora": _anaphora_tables,
}


def _classes(d: Diagnosis, digits: int) -> Table:
    rows = [
        [
            price.kind,
            str(price.errors),
            str(price.mentions),
            _signed(price.alone["conll"], digits),
            _signed(price.next["conll"], digits),
            points(price.after["conll"], digits),
        ]
        for price in d.classes
        if price.errors
    ]
    total = [sum(getattr(price, name) for price in d.classes) for name in ("errors", "mentions")]
    gain = sum(price.next["conll"] for price in d.classes)
    rows.append(["all", str(total[0]), str(total[1]), "", _signed(gain, digits), ""])
    return Table(["class", "errors", "mentions", "alone", "in turn", "CoNLL"], rows, strong=1)


def _anaphora(d: Diagnosis, digits: int) -> Table:
    rows = [
        [
            *(price.kind, str(price.errors), METRICS[price.metric].title),
            *(_signed(price.alone, digits), _signed(price.next, digits), points(price.after, digits)),
        ]
        for price in d.anaphora_classes
    ]
    return Table(["class", "errors", "metric", "alone", "in turn", "F1"], rows, left=frozenset({0, 2}))


def _prices(d: Diagnosis, digits: int, which: str) -> Table:
    changes = [getattr(price, which) for price in d.classes]
    rows = [
        [price.kind, *(_signed(change[name], digits) for name in d.metrics)]
        for price, change in zip(d.classes, changes, strict=True)
        if price.errors
    ]
    if which == "next":
        rows.append(["all", *(_signed(sum(change[name] for change in changes), digits) for name in d.metrics)])
    return Table(["class", *(METRICS[name].title for name in d.metrics)], rows, strong=int(which == "next"))


def _losses(losses: Sequence[Loss], digits: int, what: str) -> Table:
    """Points of recall (key) or precision (response) that are lost, and the change of CEAF and CoNLL."""
    names = ACCOUNTED[1:]
    changes = [name for name in ("ceafm", "ceafe", "conll") if losses and name in losses[0].change]
    header = [what, "side", "place", *(["size"] if what == "entity" else [])]
    header += [f"{METRICS[n].title} lost" for n in names] + [METRICS[n].title for n in changes]
    rows = []
    for loss in losses:
        lost = [loss.recall.get(n, 0.0) + loss.precision.get(n, 0.0) for n in names]
        size = [str(loss.mentions)] if what == "entity" else []
        row = [short(loss.text), loss.side, loss.place or loss.document, *size, *(points(x, digits) for x in lost)]
        rows.append([*row, *(_signed(loss.change[n], digits) for n in changes)])
    return Table(header, rows, left=frozenset({0, 1, 2}))


def _counts(counts: Mapping[str, Mapping[str, int]], field: str) -> Table:
    shown = [kind for kind in CLASSES if any(row[kind] for row in counts.values())]
    rows = [[label, *(str(row[kind]) for kind in shown), str(sum(row.values()))] for label, row in counts.items()]
    total = [sum(row[kind] for row in counts.values()) for kind in shown]
    rows.append(["all", *map(str, total), str(sum(total))])
    return Table([field, *shown, "all"], rows, strong=1)


def _cells(d: Diagnosis, field: By, digits: int) -> Table:
    header = [str(field), "key", "response", "found R", "P"]
    header += [f"{METRICS[n].title} {x}" if x == "R" else x for n in ACCOUNTED[1:] for x in ("R", "P", "F1")]
    rows = []
    for cell in d.scores_by(field):
        shown = [points(x, digits) for x in cell.scores["mentions"][:2]]
        shown += [points(x, digits) for n in ACCOUNTED[1:] for x in cell.scores[n]]
        rows.append([cell.value, str(cell.key), str(cell.response), *shown])
    return Table(header, rows)


def _difference(d: Diagnosis, asked: _Asked) -> dict[str, Table]:
    """What was repaired and broken against the other response, in how many errors, scores and documents."""
    change = d.difference
    found = {
        "Against the other response: errors": _class_differences(change),
        "Against the other response: scores": _score_differences(change, asked.digits),
    }
    documents = _document_differences(change, asked)
    if documents.rows:
        found["Documents where it matters (CoNLL)"] = documents
    for title, errors in (("Repaired", change.repaired), ("Broken", change.broken)):
        if errors:
            more = f" (first {asked.most} of {len(errors)})" if len(errors) > asked.most else ""
            found[title + more] = errors_table(errors[: asked.most])
    return found


def _class_differences(change: Difference) -> Table:
    rows = []
    for c in change.classes:
        if c.old or c.new:
            net = f"{c.net:+d}" if c.net else "0"
            rows.append([c.kind, str(c.old), str(c.new), str(c.repaired), str(c.broken), net])
    sums = [sum(getattr(c, name) for c in change.classes) for name in ("old", "new", "repaired", "broken")]
    rows.append(["all", *map(str, sums), f"{sums[2] - sums[3]:+d}"])
    return Table(["class", "other", "this", "repaired", "broken", "net"], rows, strong=1)


def _score_differences(change: Difference, digits: int) -> Table:
    rows = []
    for name, (other, this) in change.scores.items():
        row = [METRICS[name].title, points(other, digits), points(this, digits), _signed(this - other, digits)]
        rows.append(row)
    return Table(["", "other", "this", "change"], rows)


def _document_differences(change: Difference, asked: _Asked) -> Table:
    """The documents that differ most."""
    differing = [x for x in change.documents if x.new != x.old or x.repaired or x.broken]
    rows = []
    for x in differing[: asked.most]:
        scores = [points(x.old, asked.digits), points(x.new, asked.digits), _signed(x.new - x.old, asked.digits)]
        rows.append([x.document, *scores, str(x.repaired), str(x.broken)])
    return Table(["document", "other", "this", "change", "repaired", "broken"], rows)


def _signed(x: float, digits: int) -> str:
    text = percent(x, digits)
    return text if text.startswith("-") or not text.strip("0.") else f"+{text}"
