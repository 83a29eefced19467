"""The twelve features of Soon, Ng and Lim (2001) for an antecedent i and an anaphor j.

    distance       sentences from i to j                       i_pronoun      i is a pronoun
    string_match   the same words without articles             j_pronoun      j is a pronoun
    definite       j begins with "the"                         demonstrative  j begins with this, that, these or those
    number         both have the same number                   proper_names   both are names
    class          their semantic classes agree                alias          names of one thing: Ms. Berg and Berg, UN
    gender         their genders agree                         apposition     j is in apposition to i

A feature is 1 for yes and 0 for no. `class` and `gender` are 1 for agreement, −1 for disagreement and 0 for unknown.
The paper takes its classes from WordNet. Here they are persons and things, and below things there are organizations,
places, times and amounts. A class agrees with the one above it. Such broad classes say little about two nouns, so their
heads are also compared, as the paper does where WordNet has no answer: 1 if they are the same, else 0. "I" and "you"
are classes of their own, one for each known speaker.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from .analysis import Analysis, Phrase
from .constructions import constructions
from .speakers import voice, voices
from .traits import Traits, Values, agree, compatible

FeatureName: TypeAlias = Literal[
    "distance",
    "i_pronoun",
    "j_pronoun",
    "string_match",
    "definite",
    "demonstrative",
    "number",
    "class",
    "gender",
    "proper_names",
    "alias",
    "apposition",
]
FEATURES: tuple[FeatureName, ...] = get_args(FeatureName)
Matrix = npt.NDArray[np.float64]


class Pairs:
    """The features of all pairs of a document, computed for one anaphor and all mentions before it at a time."""

    def __init__(self, analysis: Analysis, phrases: Sequence[Phrase]) -> None:
        section = analysis.lexicon.section
        dropped = section("function_words", "articles") | section("function_words", "demonstratives")
        self._demonstratives = section("function_words", "demonstratives")
        self.phrases = phrases
        self._text = _numbered([_compared(phrase, dropped) for phrase in phrases])
        self._sentence = np.array([phrase.sentence for phrase in phrases], dtype=np.int64)
        self._pronoun = np.array([phrase.kind == "pronoun" for phrase in phrases], dtype=bool)
        self._name = np.array([phrase.kind == "name" for phrase in phrases], dtype=bool)
        self._number = np.array([_number_bits(phrase.traits.number) for phrase in phrases], dtype=np.int64)
        self._gender = _coded([phrase.traits.gender for phrase in phrases])
        speakers = voices(analysis, phrases)
        classes = [_class(phrase, voice(speakers, phrase), self._demonstratives) for phrase in phrases]
        self._class = _coded(classes)
        self._thing = np.array([class_ == {"thing"} for class_ in classes], dtype=bool)
        self._head = _numbered([phrase.head_word for phrase in phrases])
        self._below = np.array([bool(class_ & _THINGS) for class_ in classes], dtype=bool)
        self._apposition = _appositions(analysis, phrases)
        self._aliases = _Aliases(analysis, phrases)

    def before(self, j: int, first: int = 0, last: int | None = None) -> Matrix:
        """One line for each mention from `first` to the one before j, or before `last`."""
        mentions = slice(first, j if last is None else last)
        anaphor = self.phrases[j]
        matrix = np.zeros((mentions.stop - first, len(FEATURES)))
        matrix[:, 0] = self._sentence[j] - self._sentence[mentions]
        matrix[:, 1] = self._pronoun[mentions]
        matrix[:, 2] = self._pronoun[j]
        matrix[:, 3] = self._text[mentions] == self._text[j]
        matrix[:, 4] = anaphor.words[0] == "the"
        matrix[:, 5] = anaphor.words[0] in self._demonstratives
        matrix[:, 6] = (self._number[mentions] & self._number[j]) > 0
        matrix[:, 7] = _agreement(self._class[mentions], int(self._class[j]))
        thing = (self._thing[mentions] & self._below[j]) | (self._below[mentions] & self._thing[j])
        matrix[thing, 7] = 1
        nouns = (matrix[:, 7] >= 0) & ~self._pronoun[mentions] & ~self._pronoun[j]
        matrix[nouns, 7] = (self._head[mentions] == self._head[j])[nouns]
        matrix[:, 8] = _agreement(self._gender[mentions], int(self._gender[j]))
        matrix[:, 9] = self._name[mentions] & self._name[j]
        matrix[:, 10] = self._aliases.alias(j)[self._aliases.of[mentions]]
        for i in self._apposition.get(j, ()):
            if first <= i < mentions.stop:
                matrix[i - first, 11] = 1
        return matrix


def _compared(phrase: Phrase, dropped: frozenset[str]) -> tuple[str, ...]:
    """The words to compare: up to the head, as in the paper's noun phrases; all words of a coordination."""
    words = phrase.words if phrase.coordinated else phrase.core
    return tuple(w for w in words if w not in dropped) or phrase.words


def _appositions(analysis: Analysis, phrases: Sequence[Phrase]) -> dict[int, list[int]]:
    """Place of a phrase → the places of those that it is in apposition to."""
    place = {phrase.row: i for i, phrase in enumerate(phrases)}
    appositions: dict[int, list[int]] = {}
    for (first, second), kind in constructions(analysis, phrases).items():
        if kind in ("apposition", "predicate"):
            appositions.setdefault(place[second], []).append(place[first])
    return appositions


def _number_bits(number: Values) -> int:
    """1 for singular, 2 for plural, 3 for both."""
    return (1 if "singular" in number else 0) | (2 if "plural" in number else 0)


def _numbered(values: Sequence[Hashable]) -> npt.NDArray[np.int64]:
    """A number for each value."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int64)


def _coded(values: Sequence[Values]) -> npt.NDArray[np.int64]:
    """A number for each set of values. 0 is the empty set."""
    known: dict[Values, int] = {frozenset(): 0}
    return np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int64)


def _agreement(codes: npt.NDArray[np.int64], code: int) -> npt.NDArray[np.int64]:
    return np.where((codes == 0) | (code == 0), 0, np.where(codes == code, 1, -1))


_THINGS = frozenset(("organization", "location", "time", "amount"))


def _class(phrase: Phrase, speaker: str, demonstratives: frozenset[str]) -> Values:
    """The semantic class: for "I" and "you" the person meant, else the type, or a class from animacy."""
    if phrase.traits.person & {"first", "second"}:
        return frozenset((_participant(phrase, speaker),))
    if phrase.traits.animacy == {"animate"}:
        return frozenset(("person",))
    if phrase.kind == "pronoun" and phrase.head_word in demonstratives:
        return frozenset(("thing",))
    return phrase.traits.type or (frozenset(("thing",)) if phrase.traits.animacy == {"inanimate"} else frozenset())


def _participant(phrase: Phrase, speaker: str) -> str:
    """Who is meant by a pronoun of the first or second person."""
    if phrase.traits.number == {"plural"}:
        return "we"
    if "first" in phrase.traits.person:
        return f"speaker {speaker}"
    return f"speaker {phrase.addressee}" if phrase.addressee else f"addressee of {speaker}"


class _Name(NamedTuple):
    """The data that decide whether two names may name the same thing."""

    last: str
    words: frozenset[str]
    traits: Traits
    capitals: str  # of a name of several words
    acronym: str  # of a name of one word, if it may be one

    def alias(self, other: _Name) -> bool:
        if self.capitals == other.acronym != "" or self.acronym == other.capitals != "":
            return True
        return self.last == other.last and compatible(self.traits, other.traits) and agree(self.words, other.words)


class _Aliases:
    """Names of one thing: the same last word without a contradiction, or the capitals of the longer one.

    Names with the same data are one, so there are far fewer of them than mentions. 0 means no name.
    """

    def __init__(self, analysis: Analysis, phrases: Sequence[Phrase]) -> None:
        known: dict[_Name | None, int] = {None: 0}
        self.of = np.array([known.setdefault(_name(analysis, p), len(known)) for p in phrases], dtype=np.int64)
        self._names = list(known)
        self._having: dict[str, list[int]] = {}  # a last word, capitals, or an acronym → names
        for name, number in known.items():
            for what in {name.last, name.capitals, name.acronym} if name is not None else ():
                self._having.setdefault(what, []).append(number)
        self._found: dict[int, npt.NDArray[np.bool_]] = {}

    def alias(self, j: int) -> npt.NDArray[np.bool_]:
        """For each name, whether it may name the same thing as mention j."""
        own = int(self.of[j])
        if own not in self._found:
            self._found[own] = np.zeros(len(self._names), dtype=bool)
            name = self._names[own]
            if name is not None:
                for attribute in (name.last, name.capitals, name.acronym):
                    for number in self._having.get(attribute, ()) if attribute else ():
                        other = self._names[number]
                        self._found[own][number] = other is not None and name.alias(other)
        return self._found[own]


def _name(analysis: Analysis, phrase: Phrase) -> _Name | None:
    if phrase.kind != "name" or phrase.coordinated:
        return None
    capitals = "".join(w[0] for w in analysis.texts[phrase.start : phrase.end + 1] if w[:1].isupper())
    short = analysis.texts[phrase.head].replace(".", "")
    several = len(phrase.core) > 1
    return _Name(
        phrase.head_word,
        frozenset(phrase.core),
        phrase.traits,
        capitals if several and len(capitals) > 1 else "",
        short if not several and short.isupper() and len(short) > 1 else "",
    )
