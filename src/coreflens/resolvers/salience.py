"""The system of Popescu-Belis and Robba (1998): mentions are attached to mental representations by their activation.

A mental representation stands for something that the text is about. It has all mentions of it so far, and an
activation, which falls with every sentence and rises with every mention. Selection keeps the representations that are
compatible with a mention: number and gender agree with enough of their mentions, and the head is the same word or a
synonym (pronouns need no common head). The mention is attached to the most active of these. If none is left, or none
is active enough, the mention starts a new representation.

    activation after n sentences     a · decay^n
    a mention adds                   1; a name or a subject adds `bonus` more; a pronoun adds `pronoun`
    selection                        the mean compatibility with its mentions is at least `selection`

The paper describes the idea but gives no values. The defaults were chosen on training texts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field

from ..corpus.heads import TYPES
from .analysis import Analysis, Phrase
from .constructions import arguments
from .lexicon import Words
from .parameters import parameter
from .traits import agree


@dataclass(frozen=True)
class SalienceSettings:
    """Parameters of the salience system."""

    decay: float = parameter(0.3, "What is left of an activation one sentence later.", low=0, high=1)
    window: int = parameter(5, "How many sentences back a pronoun looks for a representation.", low=0)
    selection: float = parameter(
        0.7, "The minimum of the mean compatibility with the mentions of a representation.", low=0, high=1
    )
    activation: float = parameter(0.01, "The minimum activation of a representation for a pronoun.", low=0)
    bonus: float = parameter(0.5, "What a name or a subject adds to the activation beyond 1.", low=0)
    pronoun: float = parameter(0.5, "What a pronoun adds to the activation.", low=0)
    words: Words = parameter("english", "Word lists; none for other languages.")  # noqa: RUF009


@dataclass(eq=False)
class Representation:
    """Something that the text is about: what is known of its mentions, and its last activation.

    Mentions that selection can't distinguish are counted, not kept. So a representation of a thousand mentions is
    compared as quickly as one of ten.
    """

    number: int  # in the order of creation
    row: int  # of its first mention
    activation: float = 0.0
    sentence: int = 0
    mentions: int = 0
    last: list[Phrase] = field(default_factory=list)  # at most three
    kinds: dict[Hashable, tuple[Phrase, int]] = field(default_factory=dict)  # one phrase of each kind, and how many
    heads: set[Hashable] = field(default_factory=set)

    def active(self, sentence: int, decay: float) -> float:
        """Its activation some sentences later."""
        return self.activation * decay ** (sentence - self.sentence)

    def attach(self, phrase: Phrase, gain: float, decay: float) -> None:
        """Add a mention."""
        self.activation = self.active(phrase.sentence, decay) + gain
        self.sentence = phrase.sentence
        self.mentions += 1
        self.last = [*self.last[-2:], phrase]
        kind = (phrase.traits, phrase.kind == "pronoun", phrase.speaker)
        known, count = self.kinds.get(kind, (phrase, 0))
        self.kinds[kind] = known, count + 1
        self.heads.update(_heads(phrase))


class Memory:
    """The representations of a document, and where to look for those that a mention may be attached to."""

    def __init__(self, analysis: Analysis, settings: SalienceSettings) -> None:
        self._reading, self._settings = analysis, settings
        self._all: list[Representation] = []
        self._by_head: dict[Hashable, dict[Representation, None]] = {}
        self._by_voice: dict[Hashable, dict[Representation, None]] = {}
        self._by_sentence: dict[int, dict[Representation, None]] = {}  # of the last mention

    def selected(self, phrase: Phrase) -> Representation:
        """The most active representation that selection keeps (the latest if several are equal), or a new one."""
        best, most, settings = None, 0.0, self._settings
        for representation in sorted(self._candidates(phrase), key=lambda r: r.number, reverse=True):
            active = representation.active(phrase.sentence, settings.decay)
            if phrase.kind == "pronoun" and not _near(representation, phrase, active, settings):
                continue
            if active > most and _fitting(self._reading, representation, phrase) >= settings.selection:
                best, most = representation, active
        if best is None:
            best = Representation(len(self._all), phrase.row, sentence=phrase.sentence)
            self._all.append(best)
        return best

    def attach(self, representation: Representation, phrase: Phrase, gain: float) -> None:
        """Add a mention to a representation."""
        self._by_sentence.get(representation.sentence, {}).pop(representation, None)
        representation.attach(phrase, gain, self._settings.decay)
        self._by_sentence.setdefault(phrase.sentence, {})[representation] = None
        for head in _heads(phrase):
            self._by_head.setdefault(head, {})[representation] = None
        if phrase.kind == "pronoun":
            self._by_voice.setdefault((phrase.traits.person, phrase.speaker), {})[representation] = None

    def _candidates(self, phrase: Phrase) -> Iterable[Representation]:
        """All representations that may fit, and perhaps others: by words, by speaker, or by the last sentences."""
        if self._settings.selection == 0:  # all fit
            return self._all
        if phrase.kind != "pronoun":
            return {r: None for head in _fitting_heads(self._reading, phrase) for r in self._by_head.get(head, ())}
        if phrase.traits.person & {"first", "second"}:
            return self._by_voice.get((phrase.traits.person, phrase.speaker), ())
        near = range(max(phrase.sentence - self._settings.window, 0), phrase.sentence + 1)
        return [r for sentence in near for r in self._by_sentence.get(sentence, ())]


def salience(
    analysis: Analysis, settings: SalienceSettings, over: Callable[[Iterable[int]], Iterable[int]]
) -> list[Hashable]:
    """A representation for each row."""
    labels: list[Hashable] = [None] * len(analysis.phrases)
    for d in over(range(len(analysis.corpus.documents))):
        memory = Memory(analysis, settings)
        for phrase in analysis.document(d):
            best = memory.selected(phrase)
            memory.attach(best, phrase, _gain(analysis, phrase, settings))
            labels[phrase.row] = (d, best.row)
    return labels


def _gain(analysis: Analysis, phrase: Phrase, settings: SalienceSettings) -> float:
    if phrase.kind == "pronoun":
        return settings.pronoun
    prominent = phrase.kind == "name" or analysis.syntax.relation[phrase.head] == "nsubj"
    return 1 + settings.bonus * prominent


def _near(representation: Representation, phrase: Phrase, active: float, settings: SalienceSettings) -> bool:
    if phrase.traits.person & {"first", "second"}:
        return True
    return active >= settings.activation and phrase.sentence - representation.sentence <= settings.window


def _fitting(analysis: Analysis, representation: Representation, phrase: Phrase) -> float:
    """The mean compatibility of a mention with those of a representation; 0 if grammar forbids it."""
    last = representation.last[-1]
    if any(p.contains(phrase) or phrase.contains(p) for p in representation.last if p.sentence == phrase.sentence):
        return 0
    reflexive = phrase.head_word in analysis.lexicon.section("pronouns", "reflexive")
    if last.sentence == phrase.sentence and not reflexive and arguments(analysis, phrase, last):
        return 0
    if phrase.kind != "pronoun" and representation.heads.isdisjoint(_fitting_heads(analysis, phrase)):
        return 0
    compatible = sum(count for p, count in representation.kinds.values() if _compatible(p, phrase))
    return compatible / representation.mentions


def _compatible(a: Phrase, b: Phrase) -> bool:
    """Whether number, gender, animacy and person allow two mentions to be the same thing."""
    one, other = a.traits, b.traits
    if one.person & {"first", "second"} or other.person & {"first", "second"}:
        if a.kind == b.kind == "pronoun":
            return one.person == other.person and agree(one.number, other.number) and a.speaker == b.speaker
        return False
    return agree(one.number, other.number) and agree(one.gender, other.gender) and agree(one.animacy, other.animacy)


def _heads(phrase: Phrase) -> list[Hashable]:
    """What later mentions may have in common with this one: its words, and the head unless it is a coordination."""
    if phrase.kind == "pronoun":
        return []
    if phrase.coordinated:
        return [("and", phrase.words)]
    return [(phrase.kind, phrase.head_word), (phrase.kind, phrase.words)]


def _fitting_heads(analysis: Analysis, phrase: Phrase) -> list[Hashable]:
    """A representation must have one of these: the same head or a synonym, or for other kinds the same words."""
    if phrase.coordinated:
        return [("and", phrase.words)]
    others = [(kind, phrase.words) for kind in TYPES if kind not in ("pronoun", phrase.kind)]
    heads = sorted({phrase.head_word, *analysis.lexicon.synonyms(phrase.head_word)})
    return [*others, *((phrase.kind, head) for head in heads)]
