"""Entities under construction: phrases joined step by step, each entity with the union of what its phrases are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .reading import Phrase
from .traits import Traits


@dataclass
class Entity:
    """Phrases that are taken for one thing, in the order of the text."""

    phrases: list[Phrase]
    traits: Traits
    heads: set[str]  # of phrases that are no pronouns
    words: set[str]  # of the same

    @property
    def first(self) -> Phrase:
        """Its first mention."""
        return self.phrases[0]


class Entities:
    """The entities of a document; at the beginning every phrase is one of its own."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self._of = {phrase.row: _alone(phrase) for phrase in phrases}

    def of(self, phrase: Phrase) -> Entity:
        """The entity that a phrase belongs to."""
        return self._of[phrase.row]

    def same(self, a: Phrase, b: Phrase) -> bool:
        """Whether both are one entity already."""
        return self._of[a.row] is self._of[b.row]

    def join(self, a: Phrase, b: Phrase) -> None:
        """Make the entities of both one."""
        into, from_ = self._of[a.row], self._of[b.row]
        if into is from_:
            return
        into.phrases = sorted((*into.phrases, *from_.phrases), key=lambda p: p.row)
        into.traits = into.traits.union(from_.traits)
        into.heads |= from_.heads
        into.words |= from_.words
        for phrase in from_.phrases:
            self._of[phrase.row] = into


def _alone(phrase: Phrase) -> Entity:
    full = phrase.kind != "pronoun"
    return Entity([phrase], phrase.traits, {phrase.head_word} if full else set(), set(phrase.words) if full else set())
