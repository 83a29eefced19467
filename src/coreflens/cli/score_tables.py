"""Other tables of `coreflens score`: several results side by side, chosen entities, windows, leniency."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from ..errors import UsageError
from ..metrics import METRICS
from ..scoring.scorer import Scorer
from . import note, notes, output


def show_major(
    key: Any,
    response: Any,
    settings: dict[str, Any],
    number: int | None,
    entities: str | None,
    format_: str,
    digits: int,
) -> None:
    """One table with one row per chosen entity of the key."""
    from ..studies.major import major

    found = major(key, response, number, entities=entities, **settings)
    output(found.render(format_, digits), format_)
    notes(found.issues)
    if format_ == "csv":
        note(f"signature: {found.signature}")


def show_leniency(key: Any, response: Any, settings: dict[str, Any], format_: str, digits: int) -> None:
    """One table of F1, with one row per usual way of cross-document scoring."""
    from ..report.tables import WRITERS
    from ..studies.leniency import leniency

    found = leniency(key, response, **settings)
    if format_ == "json":
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1))
    else:
        output(WRITERS[format_](found.table(digits), str(next(iter(found.results.values())).signature)), format_)
        note(f"{METRICS[found.official].title} differs by {100 * found.spread:.{digits}f} points between these ways")
    notes(found.issues)


def show_windows(
    key: Any,
    response: Any,
    settings: dict[str, Any],
    sizes: list[str],
    shown: tuple[str, int, bool],
    plot: str | None,
) -> None:
    """A table with one row per window size, and a table of the links inside and across windows."""
    from ..studies.ranges import windows

    format_, digits, rpf = shown
    found = windows(key, response, sizes, **settings)
    output(found.render(format_, digits, rpf), format_)
    notes(found.issues)
    if format_ == "csv":
        note(f"signature: {found.signature}")
    if plot is not None:
        found.plot().save(plot)
        note(f"plot written to {plot}")


def both_ways(variants: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The value of --match if both sides have heads: the match by head words is symmetric, and the default."""
    found = {}
    for options in variants.values():
        match = {"head-word": "head-either", "": "head-either"}.get(options.get("match", ""), options.get("match"))
        if match not in HEADED:
            raise UsageError(f"--heads needs a match by heads ({', '.join(HEADED)}), not {match}")
        found[f"{match} match"] = {**options, "match": match}
    return found


HEADED = ("head-either", "head")


def prepared(key: str, response: str, excerpt: str | None, heads: str | None, settings: dict[str, Any]) -> Any:
    """Key and response with heads from other files, cut to an excerpt."""
    from ..corpora.excerpt import excerpt as cut
    from ..corpora.excerpt import gold_heads, stretch
    from ..formats import read
    from ..matching.documents import gold_documents

    part = stretch(excerpt) if excerpt else None
    first = Scorer(key, **settings)
    sides = [first.key, first.read(response)]
    if heads:
        gold = read(heads)
        how = first.options.pair
        sides = [gold_heads(corpus, gold, gold_documents(gold, corpus, how)) for corpus in sides]
    return [cut(corpus, *part) for corpus in sides] if part else sides


# Scores that the CRAC tasks report beside the official one: name → the options that differ.
SUPPLEMENT: dict[str, dict[str, Any]] = {
    "official: head match, no singletons": {},
    "partial match": {"match": "partial"},
    "exact match": {"match": "exact"},
    "with singletons": {"singletons": "keep"},
}


def show_side_by_side(
    key: Any, response: Any, settings: dict[str, Any], variants: Mapping[str, dict[str, Any]], format_: str, digits: int
) -> None:
    """One table of F1, with one row for each variant of the options: name → the options that differ."""
    from ..report.tables import WRITERS, Table, score_points

    first = Scorer(key, **settings | next(iter(variants.values())))
    system = first.read(response)
    results = {name: Scorer(first.key, **settings | changed)(system) for name, changed in variants.items()}
    if format_ == "json":
        click.echo(json.dumps({name: r.to_dict() for name, r in results.items()}, ensure_ascii=False, indent=1))
    else:
        shown = [m for m in first.metrics if "f1" in METRICS[m].values]
        rows = [[name, *(score_points(r[m], "f1", digits) for m in shown)] for name, r in results.items()]
        table = Table(["F1", *(METRICS[m].title for m in shown)], rows, name="F1 by way of matching")
        output(WRITERS[format_](table, str(next(iter(results.values())).signature)), format_)
    notes(issue for r in results.values() for issue in r.issues)
