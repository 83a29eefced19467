"""A diagnosis in tables, and a short summary."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..diagnosis.account import ACCOUNTED
from ..diagnosis.classes import CLASSES
from ..diagnosis.findings import Error, Loss, short
from ..errors import choose, counted
from ..matching.labels import By
from ..metrics import METRICS
from ..paper.table import Table, counted_mark, counted_note, points
from ..paper.writers import WRITERS
from ..scoring.scores import percent

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis

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
    found: dict[str, Table] = {}
    if "classes" in show:
        found |= _class_tables(d, digits)
    if "prices" in show:
        found["Change of F1 when a class alone is corrected"] = _prices(d, digits, "alone")
        found["Change of F1 when the classes are corrected in turn"] = _prices(d, digits, "next")
    if "repairs" in show:
        found |= _repair_tables(d, count, digits)
    if "entities" in show:
        found["Entities that lose most"] = _losses(d.entities(count), digits, "entity")
    if "mentions" in show:
        found["Mentions that lose most"] = _losses(d.mentions(count), digits, "mention")
    for field in by:
        found[f"Errors by {field}"] = _counts(d.count_by(field, **only), str(field))
        found[f"Scores by {field}"] = _cells(d, field, digits)
    if "links" in show:
        found["Wrong links"] = _wrong_links(d)
    if "errors" in show:
        found["Every error" if not only else "These errors"] = errors_table(d.errors(**only), wide)
    if "matches" in show:
        found["Matched mentions that are not the same"] = _inexact_matches(d)
    if "anaphora" in show:
        found[_EVERY_ANAPHOR] = _every_anaphor(d)
    if d.against is not None:
        found |= _difference(d, count, digits)
    return found


_EVERY_ANAPHOR = "Every error of bridging, split antecedents and non-referring expressions"


def _class_tables(d: Diagnosis, digits: int) -> dict[str, Table]:
    found = {"Errors": _classes(d, digits)}
    if d.anaphora_classes:
        found["Errors of bridging, split antecedents and non-referring expressions"] = _anaphora(d, digits)
    if d.causes:
        rows = []
        for cause, price in d.causes.items():
            rows.append([cause, str(price.errors), str(price.mentions), _signed(price.alone["conll"], digits)])
        found["Errors by cause"] = Table(["cause", "errors", "mentions", "alone"], rows)
    return found


def _repair_tables(d: Diagnosis, count: int, digits: int) -> dict[str, Table]:
    """The best repairs, if there are any."""
    rows = []
    for repair in d.repairs(count):
        alone, together = _signed(repair.alone["conll"], digits), points(repair.together, digits)
        rows.append([alone, together, repair.error.kind, str(repair.error), repair.error.place])
    if not rows:
        return {}
    header = ["alone", "together", "class", "error", "place"]
    return {"Repairs that raise CoNLL most": Table(header, rows, left=frozenset({2, 3, 4}))}


def _wrong_links(d: Diagnosis) -> Table:
    rows = []
    for (anaphor, antecedent), counts in d.link_counts().items():
        rows.append([anaphor, antecedent, str(counts["lost"]), str(counts["spurious"])])
    return Table(["anaphor", "antecedent", "lost", "spurious"], rows, left=frozenset({0, 1}))


def _inexact_matches(d: Diagnosis) -> Table:
    rows = [[short(m.key), short(m.response), m.by, m.place] for m in d.matches()]
    return Table(["key mention", "response mention", "met by", "place"], rows, left=frozenset({0, 1, 2, 3}))


def _every_anaphor(d: Diagnosis) -> Table:
    rows = [[error.kind, str(error), error.place or error.document] for error in d.anaphora]
    return Table(["class", "error", "place"], rows, left=frozenset({0, 1, 2}))


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
    conll = d.scores["conll"]
    note = counted_note([conll], d.options.undefined)
    scored = f"CoNLL {points(float(conll.main), digits)}{counted_mark(conll)}; {errors}."
    return f"{scored} {d.known.capitalize()}.{met}" + (f" {note}." if note else "")


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


def _difference(d: Diagnosis, count: int, digits: int) -> dict[str, Table]:
    change = d.difference
    rows = [
        [c.kind, *map(str, (c.old, c.new, c.repaired, c.broken)), f"{c.net:+d}" if c.net else "0"]
        for c in change.classes
        if c.old or c.new
    ]
    sums = [sum(getattr(c, n) for c in change.classes) for n in ("old", "new", "repaired", "broken")]
    rows.append(["all", *map(str, sums), f"{sums[2] - sums[3]:+d}"])
    found = {
        "Against the other response: errors": Table(
            ["class", "other", "this", "repaired", "broken", "net"], rows, strong=1
        ),
        "Against the other response: scores": Table(
            ["", "other", "this", "change"],
            [
                [METRICS[n].title, points(a, digits), points(b, digits), _signed(b - a, digits)]
                for n, (a, b) in change.scores.items()
            ],
        ),
    }
    documents = [x for x in change.documents if x.new != x.old or x.repaired or x.broken][:count]
    if documents:
        rows = [
            [
                *(x.document, points(x.old, digits), points(x.new, digits), _signed(x.new - x.old, digits)),
                *(str(x.repaired), str(x.broken)),
            ]
            for x in documents
        ]
        found["Documents where it matters (CoNLL)"] = Table(
            ["document", "other", "this", "change", "repaired", "broken"], rows
        )
    for title, errors in (("Repaired", change.repaired), ("Broken", change.broken)):
        if errors:
            more = f" (first {count} of {len(errors)})" if len(errors) > count else ""
            found[title + more] = errors_table(errors[:count])
    return found


def _signed(x: float, digits: int) -> str:
    text = percent(x, digits)
    return text if text.startswith("-") or not text.strip("0.") else f"+{text}"
