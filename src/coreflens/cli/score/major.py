"""--major and --entities: one row per chosen entity of the key."""

from __future__ import annotations

from .. import note, notes, output
from ..modes import POLICIES, READING, SHAPE, Asked, Mode
from .sides import matches_of, settings_of

# Policies of steps after the match: no number of this table depends on them.
_IDLE = {"average", "mean", "undefined", "blanc", "multi", "split-antecedents"}


class MajorEntities(Mode):
    """R, P and F1 of some entities of the key."""

    name = "--major or --entities, which make their own table"
    takes = (READING | POLICIES | SHAPE | {"major", "entities", "excerpt", "heads"}) - _IDLE

    def when(self, asked: Asked) -> bool:
        return asked.gives("major", "entities")

    def run(self, asked: Asked) -> None:
        from ...studies.major import major

        settings = settings_of(asked) | {"match": matches_of(asked)[0]}
        found = major(asked["key"], asked["response"], asked["major"], entities=asked["entities"], **settings)
        output(found.render(asked["format_"], asked["digits"]), asked["format_"])
        notes(found.issues)
        if asked["format_"] == "csv":
            note(f"signature: {found.signature}")
