"""--from-table: published numbers, as their table has them."""

from __future__ import annotations

from dataclasses import replace

from ...errors import UsageError
from .. import notes, output
from ..modes import SHAPE, Asked, Mode, Rule
from .systems import shape_of


class PublishedTable(Mode):
    """A table of published numbers, by itself or beside another."""

    name = "--from-table, which shows published numbers"
    takes = (SHAPE | {"from-table", "metrics", "rpf", "title", "paper-rounding", "beside"}) - {"signature"}

    rules = (
        Rule(("rpf", "title"), lambda asked: not asked["paper_rounding"], "can't be combined with --paper-rounding"),
        Rule(
            ("title",),
            lambda asked: asked["format_"] not in ("json", "csv"),
            "needs a caption: --format table, markdown, latex or html",
        ),
    )

    def when(self, asked: Asked) -> bool:
        return asked["from_table"] is not None

    def run(self, asked: Asked) -> None:
        from ...comparison.published import read_published
        from ...comparison.with_published import stand_beside

        if asked["key"] is not None:
            raise UsageError("--from-table shows published numbers, so it takes no key and no systems")
        metrics = ",".join(asked["metrics"]) or None
        table = read_published(asked["from_table"], metrics)
        if asked["beside"] is not None:
            table = stand_beside(table, read_published(asked["beside"], metrics), asked["beside"])
        if asked["title"]:
            table = replace(table, data=asked["title"])
        output(table.render(asked["format_"], **shape_of(asked)), asked["format_"])
        notes(table.issues)
