"""The candidates of a pass of the sieve: the mentions before one that it might accept, in the order of trying.

A pass that compares words looks only at mentions that share something with this one, such as the head. So the cost
grows with the number of mentions of a document, not with the number of their pairs. The candidates include all mentions
that a pass accepts. For a pronoun they are all mentions of the last sentences.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator
from heapq import merge
from itertools import chain, groupby
from typing import TypeAlias

from .analysis import Phrase
from .passes import PassName, Scene, bare, capitals, full, letters
from .speakers import names_of, voice

Keys: TypeAlias = Callable[[Scene, Phrase], Iterable[Hashable]]
Find: TypeAlias = Callable[[Phrase], Iterable[int]]  # rows before a mention's, the last first


def finder(scene: Scene, name: PassName) -> Find:
    """The function that finds the rows that a pass has to look at, sentence by sentence."""
    if name == "pronoun":
        return _window(scene)
    if name.startswith("head-"):
        return lambda phrase: _members(scene, phrase, scene.entities.with_head(phrase.head_word))
    if name == "relaxed-head":
        return lambda phrase: _members(scene, phrase, scene.entities.with_word(phrase.head_word))
    has, wants = _SHARED[name]
    rows: dict[Hashable, list[int]] = {}
    for phrase in scene.phrases:
        if name in ("speaker", "precise") or full(phrase):
            for key in has(scene, phrase):
                rows.setdefault(key, []).append(phrase.row)

    def find(phrase: Phrase) -> Iterator[int]:
        lists = (rows[key] for key in wants(scene, phrase) if key in rows)
        return merge(*(_before(listed, phrase.row) for listed in lists), reverse=True)

    return find


def antecedents(scene: Scene, find: Find, phrase: Phrase) -> Iterator[Phrase]:
    """Possible antecedents: in the same sentence, then sentence by sentence back.

    A pronoun looks first in its own clause, then in those around it, always from the left, because subjects are there
    (after Hobbs 1978). Other mentions look from the left in their own sentence, and from the right in those before.
    """
    first = scene.phrases[0].row
    candidates = (scene.phrases[row - first] for row in find(phrase))
    for sentence, group in groupby(candidates, lambda p: p.sentence):
        here = list(group)
        if sentence == phrase.sentence or phrase.kind == "pronoun":
            here.reverse()
        if sentence == phrase.sentence and phrase.kind == "pronoun" and len(here) > 1:
            steps = scene.analysis.syntax.steps(phrase.head)
            here.sort(key=lambda p: (scene.analysis.syntax.meeting(steps, p.head), p.row))
        yield from here


def _before(rows: list[int], row: int) -> Iterator[int]:
    for place in range(bisect_left(rows, row) - 1, -1, -1):
        yield rows[place]


def _members(scene: Scene, phrase: Phrase, entities: Iterable[Iterable[Phrase]]) -> list[int]:
    """The rows before a mention that belong to some entities."""
    return sorted((p.row for p in chain.from_iterable(entities) if p.row < phrase.row and full(p)), reverse=True)


def _window(scene: Scene) -> Find:
    sentences = [phrase.sentence for phrase in scene.phrases]
    first = scene.phrases[0].row if scene.phrases else 0

    def find(phrase: Phrase) -> Iterable[int]:
        return range(phrase.row - 1, first + bisect_left(sentences, phrase.sentence - scene.window) - 1, -1)

    return find


def _bare(scene: Scene, phrase: Phrase) -> Iterator[Hashable]:
    yield bare(phrase)


def _core(scene: Scene, phrase: Phrase) -> Iterator[Hashable]:
    yield phrase.core


def _head(scene: Scene, phrase: Phrase) -> Iterator[Hashable]:
    yield phrase.head_word


def _built(scene: Scene, phrase: Phrase) -> Iterator[Hashable]:
    yield "row", phrase.row
    yield "core", " ".join(phrase.core)
    if phrase.kind == "name":
        yield ("short", letters(scene, phrase)) if len(phrase.core) == 1 else ("long", capitals(scene, phrase))


def _building(scene: Scene, phrase: Phrase) -> Iterator[Hashable]:
    for row in scene.built_with.get(phrase.row, ()):
        yield "row", row
    for other in scene.analysis.lexicon.named(" ".join(phrase.core)):
        yield "core", other
    if phrase.kind == "name":
        yield ("long", letters(scene, phrase)) if len(phrase.core) == 1 else ("short", capitals(scene, phrase))


def _heard(scene: Scene, phrase: Phrase) -> Iterator[Hashable]:
    """The properties of an antecedent that `spoken_together` compares."""
    who = voice(scene.voices, phrase)
    if phrase.kind == "pronoun" and "third" not in phrase.traits.person:
        yield "voice", phrase.traits.person, who
        yield "speaker", phrase.speaker
        yield "addressee", phrase.addressee
    elif phrase.kind != "pronoun":
        yield "row", f"row {phrase.row}"
        yield "name", phrase.head_word
    yield "said by", who
    for name in names_of(phrase.speaker):
        yield "speaker's name", name


def _hearing(scene: Scene, phrase: Phrase) -> Iterator[Hashable]:
    """The properties of a mention that `spoken_together` compares them with."""
    if phrase.traits.person == {"first"}:
        yield "row", voice(scene.voices, phrase)
        for name in names_of(phrase.speaker):
            yield "name", name
    if phrase.kind == "pronoun" and phrase.traits.person and "third" not in phrase.traits.person:
        yield "voice", phrase.traits.person, voice(scene.voices, phrase)
        if phrase.speaker:
            yield "addressee", phrase.speaker
        if phrase.addressee:
            yield "speaker", phrase.addressee
    yield "said by", f"row {phrase.row}"
    if phrase.kind == "name":
        yield "speaker's name", phrase.head_word


# Pass → the properties of an antecedent, and those that a mention asks for. If the pass accepts, they share one.
_SHARED: dict[PassName, tuple[Keys, Keys]] = {
    "speaker": (_heard, _hearing),
    "exact": (_bare, _bare),
    "relaxed": (_core, _core),
    "precise": (_built, _building),
    "proper": (_head, _head),
}
