"""The field `characters` of BOOKCOREF, which gives names to some clusters of a book, with their mentions.

    "characters": [{"name": "Mr Bennet", "mentions": [[79, 80], ...]}, ...]        (also `cluster` for `mentions`)

A name is kept as the attribute `character` of the mentions that it lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ...corpus.model import Corpus, Span

FIELD, ATTRIBUTE = "characters", "character"
Names: TypeAlias = dict[Span, str]


def characters_of(record: dict[str, Any], span_of: Callable[[Any], Span | None]) -> tuple[Names, str]:
    """Span → name, and what is wrong with the field; `span_of` reads a mention as in clusters."""
    characters = record.get(FIELD)
    names: Names = {}
    if characters is None:
        return names, ""
    if not isinstance(characters, list):
        return names, f"it is a {type(characters).__name__}, not a list"
    for character in characters:
        name = character.get("name") if isinstance(character, dict) else None
        if not isinstance(name, str) or not name.strip():
            return {}, f"a character must be an object with a name, not {character!r:.40}"
        mentions: object = character.get("mentions", character.get("cluster", []))
        if not isinstance(mentions, list):
            return {}, f"the mentions of {name!r:.40} are not a list"
        for mention in mentions:
            span = span_of(mention)
            if span is not None and names.setdefault(span, name) != name:
                return {}, f"{names[span]!r:.40} and {name!r:.40} have the mention {mention!r:.40} in common"
    return names, ""


def as_field(corpus: Corpus, rows: range, exclusive: bool) -> list[dict[str, object]]:
    """The characters of one document, in the form of the field."""
    values = corpus.attributes.get(ATTRIBUTE, ())
    if not len(values):
        return []
    spans_by_name: dict[str, list[list[int]]] = {}
    for row in rows:
        if values[row]:
            span = [int(corpus.start[row]), int(corpus.end[row]) + exclusive]
            spans_by_name.setdefault(values[row], []).append(span)
    return [{"name": name, "mentions": spans} for name, spans in spans_by_name.items()]
