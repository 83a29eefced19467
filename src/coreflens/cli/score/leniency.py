"""--leniency: usual ways to score across documents, in one table."""

from __future__ import annotations

import json

import click

from ...metrics import METRICS
from .. import note, notes, output
from ..modes import POLICIES, READING, SHAPE, Asked, Mode, Rule
from .sides import matches_of, metrics_asked, settings_of


class LeniencyTable(Mode):
    """One row of F1 per usual way of cross-document scoring."""

    name = "--leniency, which makes its own table"
    takes = (READING | POLICIES | SHAPE | {"leniency", "metrics", "excerpt", "heads"}) - {"singletons"}
    rules = (
        Rule(
            ("scope",),
            lambda asked: asked["scope"] != "document",
            "document can't be combined with --leniency, whose rows have scopes across documents",
        ),
    )

    def when(self, asked: Asked) -> bool:
        return bool(asked["leniency"])

    def run(self, asked: Asked) -> None:
        from ...paper.writers import WRITERS
        from ...studies.leniency import leniency

        metrics = metrics_asked(asked) if asked["metrics"] else "conll"
        settings = settings_of(asked) | {"metrics": metrics, "match": matches_of(asked)[0]}
        found = leniency(asked["key"], asked["response"], **settings)
        format_, digits = asked["format_"], asked["digits"]
        if format_ == "json":
            click.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1))
        else:
            output(WRITERS[format_](found.table(digits), found.signature), format_)
            title = METRICS[found.official].title
            note(f"{title} differs by {100 * found.spread:.{digits}f} points between these ways")
        notes(found.issues)
