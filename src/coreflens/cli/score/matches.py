"""Several values of --match: one table of F1, with one row per value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from ...metrics import METRICS
from ...scoring.result import Result
from ...scoring.scorer import Scorer
from .. import notes, output
from ..modes import POLICIES, READING, SHAPE, Asked, Mode, Rule
from .sides import matches_of, metrics_asked, settings_of

# Options that belong to some matches. A row with another match is scored without them.
MATCHES_WITH: dict[str, tuple[str, ...]] = {
    "min_share": ("share",),
    "ties": ("head", "partial", "min", "share"),
}


class SeveralMatches(Mode):
    """One row of F1 per way of matching mentions."""

    name = "several values of --match"
    hint = "give one of them"
    takes = READING | POLICIES | SHAPE | {"metrics", "weights", "exact", "excerpt", "heads"}
    rules = (
        Rule(("min-share",), lambda asked: _applies("min_share", asked), "needs --match share"),
        Rule(("ties",), lambda asked: _applies("ties", asked), "needs --match head, partial, min or share"),
    )

    def when(self, asked: Asked) -> bool:
        return "," in (asked["match"] or "")

    def run(self, asked: Asked) -> None:
        variants = {f"{match} match": _options_of_row(match) for match in matches_of(asked)}
        show_side_by_side(variants, settings_of(asked) | {"metrics": metrics_asked(asked)}, asked)


def _applies(option: str, asked: Asked) -> bool:
    return any(match in MATCHES_WITH[option] for match in matches_of(asked))


def _options_of_row(match: str | None) -> dict[str, str | None]:
    """A match, and the options that do not belong to it as if they were not given."""
    idle = [option for option, matches in MATCHES_WITH.items() if match not in matches]
    return {"match": match} | dict.fromkeys(idle)


def show_side_by_side(variants: Mapping[str, dict[str, Any]], settings: dict[str, Any], asked: Asked) -> None:
    """One table of F1, with one row for each variant of the options: name → the options that differ."""
    results = _scored(variants, settings, asked)
    if asked["format_"] == "json":
        plain = {name: result.to_dict() for name, result in results.items()}
        click.echo(json.dumps(plain, ensure_ascii=False, indent=1))
    else:
        _show_table(results, asked)
    notes(issue for result in results.values() for issue in result.issues)


def _scored(variants: Mapping[str, dict[str, Any]], settings: dict[str, Any], asked: Asked) -> dict[str, Result]:
    """A result for each variant, from sides that are read once."""
    key, response = asked["key"], asked["response"]
    first = Scorer(key, **settings | next(iter(variants.values())))
    system = first.read(response)
    return {name: Scorer(first.key, **settings | changed)(system) for name, changed in variants.items()}


def _show_table(results: Mapping[str, Result], asked: Asked) -> None:
    """F1 by variant, with the signature of each row below."""
    from ...paper.table import Table, exact_points
    from ...paper.writers import WRITERS

    format_, digits = asked["format_"], asked["digits"]
    metrics = next(iter(results.values())).signature.metrics
    shown = [metric for metric in metrics if "f1" in METRICS[metric].values]
    rows = [[name, *(exact_points(result[m], "f1", digits) for m in shown)] for name, result in results.items()]
    table = Table(["F1", *(METRICS[m].title for m in shown)], rows, name="F1 by way of matching")
    signatures = "\n".join(str(result.signature) for result in results.values())
    output(WRITERS[format_](table, signatures), format_)
