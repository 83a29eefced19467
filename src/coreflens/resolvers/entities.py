"""Entities under construction. Phrases are joined step by step, and an entity has the union of their traits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .analysis import Phrase
from .traits import Traits


@dataclass(eq=False)
class Entity:
    """Phrases that are taken for the same thing, in any order, and the union of their traits."""

    first: Phrase  # in the order of the text
    phrases: list[Phrase]
    traits: Traits
    heads: set[str]  # of phrases that are not pronouns
    words: set[str]  # of the same


class Entities:
    """The entities of a document. At the beginning every phrase is an entity of its own."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self._of = {phrase.row: _alone(phrase) for phrase in phrases}
        self._with_head: dict[str, dict[Entity, None]] = {}  # dictionaries as sets that keep their order
        self._with_word: dict[str, dict[Entity, None]] = {}
        for entity in self._of.values():
            for head in entity.heads:
                self._with_head.setdefault(head, {})[entity] = None
            for word in entity.words:
                self._with_word.setdefault(word, {})[entity] = None

    def of(self, phrase: Phrase) -> Entity:
        """The entity that a phrase belongs to."""
        return self._of[phrase.row]

    def same(self, a: Phrase, b: Phrase) -> bool:
        """Whether both are already one entity."""
        return self._of[a.row] is self._of[b.row]

    def with_head(self, head: str) -> Iterator[Iterable[Phrase]]:
        """The phrases of each entity that has a phrase with this head."""
        return (entity.phrases for entity in self._with_head.get(head, ()))

    def with_word(self, word: str) -> Iterator[Iterable[Phrase]]:
        """The phrases of each entity that has a phrase with this word."""
        return (entity.phrases for entity in self._with_word.get(word, ()))

    def join(self, a: Phrase, b: Phrase) -> None:
        """Join the entities of both. The smaller one is added to the larger one, because that is faster."""
        into, from_ = self._of[a.row], self._of[b.row]
        if into is from_:
            return
        if len(into.phrases) < len(from_.phrases):
            into, from_ = from_, into
        into.first = min(into.first, from_.first, key=lambda p: p.row)
        into.phrases += from_.phrases
        into.traits = into.traits.union(from_.traits)
        into.heads |= from_.heads
        into.words |= from_.words
        for phrase in from_.phrases:
            self._of[phrase.row] = into
        for entities_with, names in ((self._with_head, from_.heads), (self._with_word, from_.words)):
            for name in names:
                del entities_with[name][from_]
                entities_with[name][into] = None


def _alone(phrase: Phrase) -> Entity:
    if phrase.kind == "pronoun":
        return Entity(phrase, [phrase], phrase.traits, set(), set())
    return Entity(phrase, [phrase], phrase.traits, {phrase.head_word}, set(phrase.words))
