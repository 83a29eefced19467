"""The system of Popescu-Belis and Robba (1998): mentions attached to mental representations by their activation.

A mental representation is what the text is about, and all mentions of it so far. Each has an activation, which falls
with every sentence and rises with every mention. A mention is attached to the most active representation among those
that selection leaves: number and gender are compatible with enough of its mentions, as is the head, the same word or a
synonym, unless the mention is a pronoun. If none is left, or none is active enough, the mention starts a new one.

    activation after n sentences     a · decay^n
    a mention adds                   1, a name or a subject `bonus` more, a pronoun `pronoun`
    selection                        the mean compatibility with its mentions is at least `selection`

The paper gives the idea and no values; these were set on training texts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field

from .constructions import arguments
from .lexicon import Words
from .parameters import parameter
from .reading import Phrase, Reading
from .traits import agree


@dataclass(frozen=True)
class SalienceSettings:
    """Parameters of the salience system."""

    decay: float = parameter(0.3, "What is left of an activation one sentence later.", low=0, high=1)
    window: int = parameter(5, "How many sentences back a pronoun's representation was last mentioned at most.", low=0)
    selection: float = parameter(
        0.7, "The least mean compatibility with the mentions of a representation.", low=0, high=1
    )
    activation: float = parameter(0.01, "The least activation of a representation for a pronoun.", low=0)
    bonus: float = parameter(0.5, "What a name or a subject adds to the activation beyond 1.", low=0)
    pronoun: float = parameter(0.5, "What a pronoun adds to the activation.", low=0)
    words: Words = parameter("english", "Word lists; none for other languages.")  # noqa: RUF009


@dataclass
class Representation:
    """Something that the text is about: its mentions, and how active it was in which sentence."""

    mentions: list[Phrase] = field(default_factory=list)
    activation: float = 0.0
    sentence: int = 0

    def active(self, sentence: int, decay: float) -> float:
        """Its activation some sentences later."""
        return self.activation * decay ** (sentence - self.sentence)

    def attach(self, phrase: Phrase, gain: float, decay: float) -> None:
        """Add a mention."""
        self.activation = self.active(phrase.sentence, decay) + gain
        self.sentence = phrase.sentence
        self.mentions.append(phrase)


def salience(
    reading: Reading, settings: SalienceSettings, over: Callable[[Iterable[int]], Iterable[int]]
) -> list[Hashable]:
    """A representation for each row."""
    labels: list[Hashable] = [None] * len(reading.phrases)
    for d in over(range(len(reading.corpus.documents))):
        known: list[Representation] = []
        for phrase in reading.document(d):
            best = _selected(reading, known, phrase, settings)
            if best is None:
                best = Representation(sentence=phrase.sentence)
                known.append(best)
            best.attach(phrase, _gain(reading, phrase, settings), settings.decay)
            labels[phrase.row] = (d, best.mentions[0].row)
    return labels


def _gain(reading: Reading, phrase: Phrase, settings: SalienceSettings) -> float:
    if phrase.kind == "pronoun":
        return settings.pronoun
    prominent = phrase.kind == "name" or reading.syntax.relation[phrase.head] == "nsubj"
    return 1 + settings.bonus * prominent


def _selected(
    reading: Reading, known: list[Representation], phrase: Phrase, settings: SalienceSettings
) -> Representation | None:
    """The most active representation among those that selection leaves; of equals the latest."""
    best, most = None, 0.0
    for representation in reversed(known):
        active = representation.active(phrase.sentence, settings.decay)
        if phrase.kind == "pronoun" and not _near(representation, phrase, active, settings):
            continue
        if active > most and _fitting(reading, representation, phrase) >= settings.selection:
            best, most = representation, active
    return best


def _near(representation: Representation, phrase: Phrase, active: float, settings: SalienceSettings) -> bool:
    if phrase.traits.person & {"first", "second"}:
        return True
    return active >= settings.activation and phrase.sentence - representation.sentence <= settings.window


def _fitting(reading: Reading, representation: Representation, phrase: Phrase) -> float:
    """The mean compatibility of a mention with those of a representation; 0 where grammar forbids it."""
    last = representation.mentions[-1]
    if any(
        p.contains(phrase) or phrase.contains(p) for p in representation.mentions[-3:] if p.sentence == phrase.sentence
    ):
        return 0
    reflexive = phrase.head_word in reading.lexicon.section("pronouns", "reflexive")
    if last.sentence == phrase.sentence and not reflexive and arguments(reading, phrase, last):
        return 0
    if phrase.kind != "pronoun" and not any(_same_head(reading, p, phrase) for p in representation.mentions):
        return 0
    return sum(_compatible(p, phrase) for p in representation.mentions) / len(representation.mentions)


def _compatible(a: Phrase, b: Phrase) -> bool:
    """Whether number, gender, animacy and person of two mentions can be those of one thing."""
    one, other = a.traits, b.traits
    if one.person & {"first", "second"} or other.person & {"first", "second"}:
        if a.kind == b.kind == "pronoun":
            return one.person == other.person and agree(one.number, other.number) and a.speaker == b.speaker
        return False
    return agree(one.number, other.number) and agree(one.gender, other.gender) and agree(one.animacy, other.animacy)


def _same_head(reading: Reading, a: Phrase, b: Phrase) -> bool:
    """The same head, or a synonym of it, and as full a coordination."""
    if a.kind == "pronoun" or a.coordinated != b.coordinated:
        return False
    if a.coordinated or a.kind != b.kind:
        return a.words == b.words
    return a.head_word == b.head_word or a.head_word in reading.lexicon.synonyms(b.head_word)
