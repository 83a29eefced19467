"""Sense inventories and frame files of OntoNotes, XML beside the annotations.

sense-inventories/say-v.xml    <inventory lemma="say-v"><sense n="1" name="..."/>...</inventory>
frames/say-v.xml               <frameset><predicate lemma="say"><roleset id="say.01" name="...">
                               <roles><role n="0" descr="..."/></roles></roleset></predicate></frameset>
"""

from __future__ import annotations

from typing import NamedTuple

from ..shared.source import Source
from ..shared.xml import elements, root


class SenseEntry(NamedTuple):
    """A sense of a word."""

    lemma: str
    sense: str
    name: str


class FrameEntry(NamedTuple):
    """A frameset of a predicate, and its roles: number → description."""

    lemma: str
    frameset: str
    name: str
    roles: tuple[tuple[str, str], ...]


def is_lexicon(head: bytes) -> bool:
    """Whether a file with this beginning is a sense inventory or a frame file."""
    return root(head) in (b"inventory", b"frameset")


def read_inventory(source: Source) -> list[SenseEntry]:
    """The senses of a sense inventory; none if the file is something else."""
    lemma, found = "", []
    for element in elements(source, ("inventory",)):
        if element.tag == "inventory":
            lemma = element.get("lemma")
        elif element.tag == "sense" and element.parent == "inventory":
            found.append(SenseEntry(lemma, element.get("n"), element.get("name")))
    return found


def read_frames(source: Source) -> list[FrameEntry]:
    """The framesets of a frame file; none if the file is something else."""
    lemma, frames = "", []
    for element in elements(source, ("frameset", "predicate")):
        if element.tag == "predicate":
            lemma = element.get("lemma")
        elif element.tag == "roleset":
            roles = element.find("roles")
            kept = [] if roles is None else [(r.get("n"), r.get("descr")) for r in roles.children if r.tag == "role"]
            name, number = element.get("name"), element.get("id").rpartition(".")[2]
            frames.append(FrameEntry(lemma, number, name, tuple(dict(kept).items())))
    return frames
