"""The twelve features of Soon, Ng and Lim (2001) for an antecedent i and an anaphor j.

    distance       sentences from i to j                       i_pronoun      i is a pronoun
    string_match   the same words without articles             j_pronoun      j is a pronoun
    definite       j begins with "the"                         demonstrative  j begins with this, that, these or those
    number         both have the same number                   proper_names   both are names
    class          their semantic classes agree                alias          names of one thing: Ms. Berg and Berg, UN
    gender         their genders agree                         apposition     j is in apposition to i

A feature is 1 for yes and 0 for no; of `class` and `gender` 1 stands for agreement, −1 for disagreement and 0 for what
is not known. The classes, WordNet's in the paper, are persons and things, and below things organizations, places,
times and amounts; a class agrees with the one above it. Classes as wide as these say little about two nouns, so their
heads are compared as well, as the paper does where WordNet is silent: 1 if they are the same, else 0. "I" and "you"
are classes of their own, one for each known speaker.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .constructions import constructions
from .reading import Phrase, Reading
from .speakers import voice, voices
from .traits import Values, agree, compatible

FEATURES = (
    *("distance", "i_pronoun", "j_pronoun", "string_match", "definite", "demonstrative"),
    *("number", "class", "gender", "proper_names", "alias", "apposition"),
)
Matrix = npt.NDArray[np.float64]


class Pairs:
    """The features of all pairs of a document, computed for one anaphor and all mentions before it at a time."""

    def __init__(self, reading: Reading, phrases: Sequence[Phrase]) -> None:
        section = reading.lexicon.section
        dropped = section("function_words", "articles") | section("function_words", "demonstratives")
        self._demonstratives = section("function_words", "demonstratives")
        self.phrases = phrases
        known: dict[tuple[str, ...], int] = {}
        texts = (_compared(p, dropped) for p in phrases)
        self._text = np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)
        self._sentence = np.array([p.sentence for p in phrases], dtype=np.int64)
        self._pronoun = np.array([p.kind == "pronoun" for p in phrases], dtype=bool)
        self._name = np.array([p.kind == "name" for p in phrases], dtype=bool)
        numbers = [p.traits.number for p in phrases]
        self._number = np.array([("singular" in n) + 2 * ("plural" in n) for n in numbers], dtype=np.int64)
        self._gender = _coded([p.traits.gender for p in phrases])
        who = voices(reading, phrases)
        classes = [_class(p, voice(who, p), self._demonstratives) for p in phrases]
        self._class = _coded(classes)
        self._thing = np.array([c == {"thing"} for c in classes], dtype=bool)
        self._head = _coded([frozenset((p.head_word,)) for p in phrases])
        self._below = np.array([bool(c & _THINGS) for c in classes], dtype=bool)
        place = {p.row: i for i, p in enumerate(phrases)}
        found = constructions(reading, phrases)
        self._apposition = {
            (place[a], place[b]) for (a, b), what in found.items() if what in ("apposition", "predicate")
        }
        self._alias = _aliases(reading, phrases)

    def before(self, j: int, first: int = 0) -> Matrix:
        """One line for each mention from `first` to the one before j."""
        mentions = slice(first, j)
        anaphor = self.phrases[j]
        matrix = np.zeros((j - first, len(FEATURES)))
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
        for column, found in ((10, self._alias), (11, self._apposition)):
            for i in (i for i, k in found if k == j and i >= first):
                matrix[i - first, column] = 1
        return matrix


def _compared(phrase: Phrase, dropped: frozenset[str]) -> tuple[str, ...]:
    """The words to compare: the paper's noun phrases end with their head; those of a coordination are all."""
    words = phrase.words if phrase.coordinated else phrase.core
    return tuple(w for w in words if w not in dropped) or phrase.words


def _coded(values: Sequence[Values]) -> npt.NDArray[np.int64]:
    """A number for each set of values; 0 for the empty one."""
    known: dict[Values, int] = {frozenset(): 0}
    return np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int64)


def _agreement(codes: npt.NDArray[np.int64], code: int) -> npt.NDArray[np.int64]:
    return np.where((codes == 0) | (code == 0), 0, np.where(codes == code, 1, -1))


_THINGS = frozenset(("organization", "location", "time", "amount"))


def _class(phrase: Phrase, speaker: str, demonstratives: frozenset[str]) -> Values:
    """The semantic class: of "I" and "you" who is meant, else the type, or what animacy tells."""
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


def _aliases(reading: Reading, phrases: Sequence[Phrase]) -> set[tuple[int, int]]:
    """Names of one thing: the same last word without a contradiction, or the capitals of the longer one."""
    names = [(place, p) for place, p in enumerate(phrases) if p.kind == "name" and not p.coordinated]
    by_last: dict[str, list[tuple[int, Phrase]]] = {}
    by_capitals: dict[str, list[int]] = {}
    acronyms: dict[str, list[int]] = {}
    for place, phrase in names:
        by_last.setdefault(phrase.head_word, []).append((place, phrase))
        capitals = "".join(w[0] for w in reading.texts[phrase.start : phrase.end + 1] if w[:1].isupper())
        short = reading.texts[phrase.head].replace(".", "")
        if len(phrase.core) > 1 and len(capitals) > 1:
            by_capitals.setdefault(capitals, []).append(place)
        elif len(phrase.core) == 1 and short.isupper() and len(short) > 1:
            acronyms.setdefault(short, []).append(place)
    found = {
        (i, j)
        for same in by_last.values()
        for j, one in same
        for i, other in same
        if i < j and compatible(one.traits, other.traits) and agree(frozenset(one.core), frozenset(other.core))
    }
    pairs = ((i, j) for key, short in acronyms.items() for i in by_capitals.get(key, ()) for j in short)
    return found | {(min(pair), max(pair)) for pair in pairs}
