"""The multi-pass sieve of Lee et al. (2011), which won the CoNLL-2011 task.

Ten deterministic passes run in turn over the whole document, the most precise first. In each pass every entity's first
mention looks for an antecedent: in its own sentence and then back, sentence by sentence. The first one that the pass
accepts is joined to it, and both become one entity with the union of their attributes, which later passes respect.

A mention with an indefinite article, or an indefinite pronoun, looks for none, but in the passes `speaker`, `exact` and
`precise`. With no passes every mention is a singleton.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass

from .constructions import constructions
from .entities import Entities
from .lexicon import Words
from .parameters import parameter
from .passes import PASSES, PassName, Scene
from .reading import Phrase, Reading
from .speakers import voices


@dataclass(frozen=True)
class SieveSettings:
    """Parameters of the sieve."""

    passes: tuple[PassName, ...] = parameter(tuple(PASSES), "The passes, in the order in which they run.")
    window: int = parameter(5, "How many sentences back a pronoun of the third person is looked up.", low=0)
    words: Words = parameter("english", "Word lists; none for other languages.")  # noqa: RUF009


def sieve(reading: Reading, settings: SieveSettings, over: Callable[[Iterable[int]], Iterable[int]]) -> list[Hashable]:
    """An entity for each row."""
    labels: list[Hashable] = [None] * len(reading.phrases)
    for d in over(range(len(reading.corpus.documents))):
        phrases = reading.document(d)
        entities = Entities(phrases)
        verbs: dict[int, list[int]] = {}
        for phrase in phrases:
            if phrase.kind == "verb":
                verbs.setdefault(phrase.sentence, []).append(phrase.row)
        found, who = constructions(reading, phrases), voices(reading, phrases)
        scene = Scene(reading, phrases, entities, found, who, settings.window, verbs)
        for name in settings.passes:
            _run(scene, name)
        for phrase in phrases:
            labels[phrase.row] = entities.of(phrase).first.row
    return labels


def _run(scene: Scene, name: PassName) -> None:
    accepts = PASSES[name]
    # Most passes are about names and nouns only, and pronouns are looked up within the window: the rest is not visited.
    any_kind = name in ("speaker", "precise", "pronoun")
    looking = [p for p in scene.phrases if any_kind or p.kind not in ("pronoun", "verb")]
    back = scene.window if name == "pronoun" else len(scene.reading.words)
    by_sentence: dict[int, list[Phrase]] = {}
    for phrase in looking:
        by_sentence.setdefault(phrase.sentence, []).append(phrase)
    for phrase in looking:
        if scene.entities.of(phrase).first is not phrase and name != "speaker":
            continue
        if name not in ("exact", "speaker", "precise") and _opens(scene, phrase):
            continue
        for candidate in _candidates(scene, by_sentence, phrase, back):
            if not scene.entities.same(phrase, candidate) and accepts(scene, phrase, candidate):
                scene.entities.join(candidate, phrase)
                break


def _opens(scene: Scene, phrase: Phrase) -> bool:
    """Whether a phrase introduces something new: "a cat", "someone"."""
    section = scene.reading.lexicon.section
    if phrase.kind == "pronoun":
        return phrase.head_word in section("pronouns", "indefinite")
    return phrase.words[0] in section("function_words", "indefinite") and phrase.kind != "name"


def _candidates(scene: Scene, by_sentence: dict[int, list[Phrase]], phrase: Phrase, back: int) -> Iterator[Phrase]:
    """Antecedents: in the same sentence, then sentence by sentence back, so many sentences at most.

    A pronoun looks first in its own clause, then in those around it, always from the left, where subjects stand (after
    Hobbs 1978). Other mentions look from the left in their own sentence, and from the right in those before.
    """
    here = [p for p in by_sentence[phrase.sentence] if p.row < phrase.row]
    if phrase.kind == "pronoun" and len(here) > 1:
        steps = scene.reading.syntax.steps(phrase.head)
        here.sort(key=lambda p: (scene.reading.syntax.meeting(steps, p.head), p.row))
    yield from here
    for sentence in range(phrase.sentence - 1, max(scene.phrases[0].sentence, phrase.sentence - back) - 1, -1):
        before = by_sentence.get(sentence, [])
        yield from before if phrase.kind == "pronoun" else reversed(before)
