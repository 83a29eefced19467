"""Traits of a mention that must not contradict each other within an entity: number, gender, animacy, person, type.

Each trait is a set of values. The empty set means that nothing is known. An entity has the union of its mentions'
values. Two sets agree unless each has a value that the other lacks (Lee et al. 2013). So the empty set agrees with
everything, and "the couple" (singular and plural) agrees with both "they" and "it".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .lexicon import Lexicon

Values: TypeAlias = frozenset[str]
NOTHING: Values = frozenset()
ANIMATE: Values = frozenset(("animate",))
INANIMATE: Values = frozenset(("inanimate",))
# Types of names, as OntoNotes spells them, and the broader types that the resolvers use.
TYPES = {
    **dict.fromkeys(("PERSON", "PER", "person"), "person"),
    **dict.fromkeys(("ORG", "ORGANIZATION", "NORP", "organization"), "organization"),
    **dict.fromkeys(("GPE", "LOC", "LOCATION", "FAC", "FACILITY", "place", "location"), "location"),
    **dict.fromkeys(("DATE", "TIME", "time"), "time"),
    **dict.fromkeys(("MONEY", "PERCENT", "CARDINAL", "QUANTITY", "ORDINAL", "amount"), "amount"),
}
_GROUPS = ("organization", "location", "time", "amount")
_SEXES = ("male", "female")
_AGENTS = ("er", "or", "ist", "ian", "ers", "ors", "ists", "ians", "ee", "ees", "ant", "ants")


@dataclass(frozen=True)
class Traits:
    """The values of one mention, or of an entity: the union of those of its mentions."""

    number: Values = NOTHING  # singular, plural
    gender: Values = NOTHING  # male, female, neuter
    animacy: Values = NOTHING  # animate, inanimate
    person: Values = NOTHING  # first, second, third; of pronouns only
    type: Values = NOTHING  # person, organization, location, time, amount, or another label of the names layer

    def union(self, other: Traits) -> Traits:
        """The union of both."""
        return Traits(
            self.number | other.number,
            self.gender | other.gender,
            self.animacy | other.animacy,
            self.person | other.person,
            self.type | other.type,
        )


EVENT = Traits(frozenset(("singular",)), frozenset(("neuter",)), frozenset(("inanimate",)))  # what a verb stands for


def agree(a: Values, b: Values) -> bool:
    """Whether the two can be the same thing: not if each has a value that the other lacks."""
    return not (a - b and b - a)


def compatible(a: Traits, b: Traits) -> bool:
    """Whether number, gender, animacy and type agree; person depends on who speaks and is checked elsewhere."""
    return (
        agree(a.number, b.number)
        and agree(a.gender, b.gender)
        and agree(a.animacy, b.animacy)
        and agree(a.type, b.type)
    )


def pronoun_traits(word: str, feats: Mapping[str, str], lexicon: Lexicon) -> Traits:
    """The traits of a pronoun, from the word list, or else from its morphological features."""
    sections = lexicon.sections_of("pronouns")

    def listed(*names: str) -> Values:
        return frozenset(name for name in names if word in sections.get(name, ()))

    known = Traits(
        listed("singular", "plural"),
        listed("male", "female", "neuter"),
        listed("animate", "inanimate"),
        listed("first", "second", "third"),
    )
    if any(word in members for members in sections.values()):
        return known
    return Traits(_number(feats), _gender(feats), NOTHING, _of(_PERSONS, feats.get("Person", "")))


def noun_traits(
    words: Sequence[str],
    head: int,
    tag: str,
    feats: Mapping[str, str],
    named: str,
    coordinated: bool,
    lexicon: Lexicon,
    counts: Mapping[str, Sequence[int]],
) -> Traits:
    """The traits of a mention whose head is not a pronoun.

    words, head   the mention in lower case, and the position of its head in it
    tag, feats    the head's part of speech and features
    named         the type in the names layer, "" without one
    coordinated   whether the head is the first of several: "Anna and Tom"
    counts        from a number and gender table: words → how often male, female, neuter, plural
    """
    word = words[head]
    name = tag in ("NNP", "NNPS", "PROPN")
    type_ = _type(words, word, name, named, coordinated, lexicon)
    number = _noun_number(word, tag, feats, type_, coordinated, lexicon)
    gender, animacy = _noun_gender(words, head, name, type_, coordinated, lexicon)
    gender = gender or _gender(feats)
    if counts and name and not coordinated:
        number, gender, animacy = _from_counts(words, word, counts, number, gender, animacy)
    if animacy == {"inanimate"} and not gender:
        gender = frozenset(("neuter",))
    return Traits(number, gender, animacy, NOTHING, frozenset((type_,)) if type_ else NOTHING)


def _type(words: Sequence[str], word: str, name: bool, named: str, coordinated: bool, lexicon: Lexicon) -> str:
    if named:
        return TYPES.get(named, named.lower())
    type_ = _type_of_name(words, word, coordinated, lexicon) if name else ""
    if type_:
        return type_
    forms = {word, _singular(word)}
    if any(forms & lexicon.section("persons", section) for section in ("person", "male", "female")):
        return "person"
    return next((group for group in _GROUPS if forms & lexicon.section("groups", group)), "")


def _type_of_name(words: Sequence[str], word: str, coordinated: bool, lexicon: Lexicon) -> str:
    """The type that the words of a name show, "" for none."""
    if not coordinated and _given_name(words, lexicon):
        return "person"
    if word in lexicon.section("function_words", "corporate"):
        return "organization"
    place = " ".join(word for word in words if word != "the")
    return "location" if place in lexicon.named(place) else ""


def _given_name(words: Sequence[str], lexicon: Lexicon) -> str:
    """The word that shows that a name is a person's: the given name, or else the title; not in "Gordon 's Diary"."""
    titles = lexicon.section("function_words", "titles")
    first = next((w for w in words if w not in titles), words[0])
    things = (lexicon.section("groups", group) for group in _GROUPS)
    if any(w in ("'s", "’s") for w in words[:-1]) or any(words[-1] in listed for listed in things):
        return ""
    if first in lexicon.section("names", "male") | lexicon.section("names", "female"):
        return first
    return words[0] if words[0] in titles and len(words) > 1 else ""


def _noun_number(
    word: str, tag: str, feats: Mapping[str, str], type_: str, coordinated: bool, lexicon: Lexicon
) -> Values:
    if coordinated or word in lexicon.section("groups", "plural"):
        return frozenset(("plural",))
    number = _number(feats)
    if not number and tag in ("NNS", "NNPS"):
        number = frozenset(("plural",))
    if not number and tag in ("NN", "NNP"):
        number = frozenset(("singular",))
    if word in lexicon.section("groups", "singular"):
        number = frozenset(("singular",))
    if type_ == "organization" and number == {"singular"}:  # "the team ... they"
        return frozenset(("singular", "plural"))
    return number


def _noun_gender(
    words: Sequence[str], head: int, name: bool, type_: str, coordinated: bool, lexicon: Lexicon
) -> tuple[Values, Values]:
    """Gender and animacy."""
    if coordinated:
        return NOTHING, ANIMATE if type_ == "person" else NOTHING
    word = words[head]
    forms = {word, _singular(word)}
    gender = next((gender for gender in _SEXES if forms & lexicon.section("persons", gender)), "")
    if not gender and name and type_ == "person":
        gender = _gender_of_name(words, lexicon)
    if gender:
        return frozenset((gender,)), ANIMATE
    if type_:
        return NOTHING, ANIMATE if type_ == "person" else INANIMATE
    if name or not lexicon.sections or word.endswith(_AGENTS):
        return NOTHING, NOTHING
    return NOTHING, INANIMATE


def _gender_of_name(words: Sequence[str], lexicon: Lexicon) -> str:
    """The gender that the first word of a person's name or the given name shows, "" for none."""
    shown = {words[0], _given_name(words, lexicon)}
    for gender in _SEXES:
        if shown & (lexicon.section("persons", gender) | lexicon.section("names", gender)):
            return gender
    return ""


def _from_counts(
    words: Sequence[str],
    word: str,
    counts: Mapping[str, Sequence[int]],
    number: Values,
    gender: Values,
    animacy: Values,
) -> tuple[Values, Values, Values]:
    """The value of a name in a number and gender table, if it has twice as many counts as all others."""
    tallies = counts.get(" ".join(words)) or counts.get(word)
    if tallies and sum(tallies):
        best = max(range(4), key=lambda i: tallies[i])
        if tallies[best] > 2 * (sum(tallies) - tallies[best]):
            if best == 3:
                return frozenset(("plural",)), gender, animacy
            gender = gender or frozenset((("male", "female", "neuter")[best],))
            animacy = animacy or frozenset(("inanimate" if best == 2 else "animate",))
    return number, gender, animacy


_PERSONS = {"1": "first", "2": "second", "3": "third"}
_NUMBERS = {"Sing": "singular", "Plur": "plural", "Ptan": "plural", "Coll": "singular"}
_GENDERS = {"Masc": "male", "Fem": "female", "Neut": "neuter"}


def _of(names: Mapping[str, str], value: str) -> Values:
    return frozenset((names[value],)) if value in names else NOTHING


def _number(feats: Mapping[str, str]) -> Values:
    return _of(_NUMBERS, feats.get("Number", ""))


def _gender(feats: Mapping[str, str]) -> Values:
    return _of(_GENDERS, feats.get("Gender", ""))


def _singular(word: str) -> str:
    """The singular of a regular English plural, or the word itself."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
