"""--window: one row per size of the windows, and the links inside and across windows."""

from __future__ import annotations

from .. import note, notes, output
from ..modes import POLICIES, READING, SHAPE, Asked, Mode
from .plain import ONE_SCORE
from .sides import matches_of, metrics_asked, settings_of


class WindowTable(Mode):
    """R, P and F1 by size of the windows, for several sizes or for one alone."""

    name = "a table of windows"
    hint = "give --window a single size for groups, intervals and gates"
    takes = (
        READING | POLICIES | SHAPE | {"window", "metrics", "weights", "exact", "rpf", "plot", "excerpt", "heads"}
    ) - {"split-antecedents"}  # windows are scored without them

    def when(self, asked: Asked) -> bool:
        if asked["window"] is None:
            return False
        return "," in asked["window"] or asked.gives("plot") or not asked.gives(*ONE_SCORE)

    def run(self, asked: Asked) -> None:
        from ...studies.ranges import sizes_of, windows

        settings = settings_of(asked) | {"metrics": metrics_asked(asked), "match": matches_of(asked)[0]}
        sizes = sizes_of(asked["window"])
        found = windows(asked["key"], asked["response"], sizes, **settings)
        output(found.render(asked["format_"], asked["digits"], asked["rpf"]), asked["format_"])
        notes(found.issues)
        if asked["format_"] == "csv":
            note(f"signature: {found.signature}")
        if asked["plot"] is not None:
            found.plot().save(asked["plot"])
            note(f"plot written to {asked['plot']}")
