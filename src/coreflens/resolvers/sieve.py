"""The multi-pass sieve of Lee et al. (2011), which won the CoNLL-2011 task.

Ten deterministic passes run one after the other over the whole document, the most precise first. In each pass the first
mention of every entity looks for an antecedent, first in its own sentence and then back, sentence by sentence. It is
joined to the first mention that the pass accepts. The two become one entity with the union of their attributes, which
later passes use.

A mention with an indefinite article, or an indefinite pronoun, looks for an antecedent only in the passes `speaker`,
`exact` and `precise`. With no passes every mention is a singleton.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from .analysis import Analysis, Phrase
from .antecedents import antecedents, finder
from .constructions import constructions
from .entities import Entities
from .lexicon import Words
from .parameters import parameter
from .passes import PASSES, PassName, Scene, full
from .speakers import voices


@dataclass(frozen=True)
class SieveSettings:
    """Parameters of the sieve."""

    passes: tuple[PassName, ...] = parameter(tuple(PASSES), "The passes, in the order in which they run.")
    window: int = parameter(5, "How many sentences back a pronoun of the third person is looked up.", low=0)
    words: Words = parameter("english", "Word lists; none for other languages.")  # noqa: RUF009


def sieve(
    analysis: Analysis, settings: SieveSettings, over: Callable[[Iterable[int]], Iterable[int]]
) -> list[Hashable]:
    """An entity for each row."""
    labels: list[Hashable] = [None] * len(analysis.phrases)
    for d in over(range(len(analysis.corpus.documents))):
        phrases = analysis.document(d)
        entities = Entities(phrases)
        verbs: dict[int, list[int]] = {}
        for phrase in phrases:
            if phrase.kind == "verb":
                verbs.setdefault(phrase.sentence, []).append(phrase.row)
        construction_of, who = constructions(analysis, phrases), voices(analysis, phrases)
        scene = Scene(analysis, phrases, entities, construction_of, who, settings.window, verbs)
        for name in settings.passes:
            _run(scene, name)
        for phrase in phrases:
            labels[phrase.row] = entities.of(phrase).first.row
    return labels


def _run(scene: Scene, name: PassName) -> None:
    accepts, find = PASSES[name], finder(scene, name)
    for phrase in scene.phrases:
        if name not in ("speaker", "precise", "pronoun") and not full(phrase):
            continue
        if scene.entities.of(phrase).first is not phrase and name != "speaker":
            continue
        if name not in ("exact", "speaker", "precise") and _opens(scene, phrase):
            continue
        for candidate in antecedents(scene, find, phrase):
            if not scene.entities.same(phrase, candidate) and accepts(scene, phrase, candidate):
                scene.entities.join(candidate, phrase)
                break


def _opens(scene: Scene, phrase: Phrase) -> bool:
    """Whether a phrase introduces something new: "a cat", "someone"."""
    section = scene.analysis.lexicon.section
    if phrase.kind == "pronoun":
        return phrase.head_word in section("pronouns", "indefinite")
    return phrase.words[0] in section("function_words", "indefinite") and phrase.kind != "name"
