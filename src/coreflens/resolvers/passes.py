"""The passes of the sieve. Each decides whether a mention and an antecedent are the same thing.

    speaker        I, you and the speaker of one turn or quotation
    exact          the same words
    relaxed        the same words up to the head
    precise        constructions, acronyms, and the words for a nation
    head-a         the same head, nothing new in the words or modifiers
    head-b         the same head, nothing new in the words
    head-c         the same head, nothing new in the modifiers, or a definite mention nearby
    proper         names with the same head, without different places or numbers
    relaxed-head   names of one type whose head is among the antecedent's words
    pronoun        pronouns and what they agree with

The passes follow Lee, Peirsman, Chang, Chambers, Surdeanu and Jurafsky (CoNLL 2011) and Lee et al. (Computational
Linguistics 2013).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from .analysis import Analysis, Phrase
from .constructions import arguments
from .entities import Entities
from .speakers import spoken_together
from .traits import agree, compatible

PassName: TypeAlias = Literal[
    "speaker", "exact", "relaxed", "precise", "head-a", "head-b", "head-c", "proper", "relaxed-head", "pronoun"
]


@dataclass(frozen=True, eq=False)
class Scene:
    """A document while it is resolved."""

    analysis: Analysis
    phrases: list[Phrase]
    entities: Entities
    constructions: Mapping[tuple[int, int], str]
    voices: Mapping[int, str]  # quotation → the row of the phrase that speaks, or a name
    window: int
    verbs: Mapping[int, Sequence[int]]  # sentence → rows

    @cached_property
    def built_with(self) -> dict[int, list[int]]:
        """Row → the rows before it that are the same thing because of a construction."""
        found: dict[int, list[int]] = {}
        for first, second in self.constructions:
            found.setdefault(second, []).append(first)
        return found


Pass: TypeAlias = Callable[[Scene, Phrase, Phrase], bool]


_NEAR = 3  # sentences


def full(phrase: Phrase) -> bool:
    """Whether a phrase is neither a pronoun nor a verb."""
    return phrase.kind not in ("pronoun", "verb")


def same_speaker(s: Scene, m: Phrase, a: Phrase) -> bool:
    """Pronouns of the first and second person, and the phrase that speaks."""
    return spoken_together(s.voices, m, a)


def exact(s: Scene, m: Phrase, a: Phrase) -> bool:
    """The same words, apart from case and an ending 's; not for pronouns."""
    return full(m) and full(a) and bare(m) == bare(a)


def bare(phrase: Phrase) -> tuple[str, ...]:
    """The words of a phrase without an ending 's."""
    return phrase.words[:-1] if phrase.words[-1] in ("'s", "’s", "'", "’") and len(phrase.words) > 1 else phrase.words


def relaxed(s: Scene, m: Phrase, a: Phrase) -> bool:
    """The same words up to the head, apart from an article."""
    return full(m) and full(a) and m.core == a.core and not (m.coordinated or a.coordinated or _within(m, a))


def precise(s: Scene, m: Phrase, a: Phrase) -> bool:
    """Apposition, predicate, role or relative pronoun; an acronym; the words for one nation."""
    if (a.row, m.row) in s.constructions:
        kind = s.constructions[a.row, m.row]
        traits, other = s.entities.of(m).traits, s.entities.of(a).traits
        if kind == "relative":
            return True
        return compatible(traits, other) if kind == "role" else agree(traits.number, other.number)
    if m.kind == a.kind == "name" and (_acronym(s, m, a) or _acronym(s, a, m)):
        return True
    return full(m) and full(a) and " ".join(m.core) in s.analysis.lexicon.named(" ".join(a.core))


def _acronym(s: Scene, short: Phrase, long: Phrase) -> bool:
    """IBM for International Business Machines."""
    if len(short.core) != 1 or len(long.core) < 2:
        return False
    found = letters(s, short)
    return len(found) > 1 and found.isupper() and found == capitals(s, long)


def letters(s: Scene, phrase: Phrase) -> str:
    """The head as it is written, without full stops."""
    return s.analysis.texts[phrase.head].replace(".", "")


def capitals(s: Scene, phrase: Phrase) -> str:
    """The capital letters with which words of a phrase begin."""
    first = (word[:1] for word in s.analysis.texts[phrase.start : phrase.end + 1])
    return "".join(letter for letter in first if letter.isupper())


def _head_match(s: Scene, m: Phrase, a: Phrase) -> bool:
    return (
        full(m)
        and full(a)
        and m.head_word in s.entities.of(a).heads
        and not _within(m, a)
        and m.coordinated == a.coordinated
        and compatible(s.entities.of(m).traits, s.entities.of(a).traits)
    )


def _within(a: Phrase, b: Phrase) -> bool:
    return a.contains(b) or b.contains(a)


def _nothing_new(s: Scene, m: Phrase, a: Phrase) -> bool:
    """Word inclusion: the content words of the mention's entity are all words of the antecedent's entity."""
    stop = _stop(s)
    return s.entities.of(m).words - stop <= s.entities.of(a).words


def _stop(s: Scene) -> frozenset[str]:
    section = s.analysis.lexicon.section
    return section("function_words", "definite") | section("function_words", "indefinite")


def _modifiers(s: Scene, phrase: Phrase) -> frozenset[str]:
    """The adjectives and nouns before the head."""
    return frozenset(phrase.core) - {phrase.head_word} - _stop(s)


def _modified_alike(s: Scene, m: Phrase, a: Phrase) -> bool:
    return _modifiers(s, m) <= _modifiers(s, a)


def head_a(s: Scene, m: Phrase, a: Phrase) -> bool:
    """The same head; word inclusion; no modifier that the antecedent lacks."""
    return _head_match(s, m, a) and _nothing_new(s, m, a) and _modified_alike(s, m, a)


def head_b(s: Scene, m: Phrase, a: Phrase) -> bool:
    """Like head-a, with any modifiers."""
    return _head_match(s, m, a) and _nothing_new(s, m, a)


def head_c(s: Scene, m: Phrase, a: Phrase) -> bool:
    """Like head-a, without word inclusion; a definite mention near its antecedent may have other modifiers."""
    if not _head_match(s, m, a):
        return False
    near = m.words[0] in s.analysis.lexicon.section("function_words", "definite") and m.sentence - a.sentence <= _NEAR
    return near or _modified_alike(s, m, a)


def proper(s: Scene, m: Phrase, a: Phrase) -> bool:
    """Names with the same head; neither has a place or a number that the other lacks."""
    if not (m.kind == a.kind == "name" and m.head_word == a.head_word and not _within(m, a)):
        return False
    if m.coordinated or a.coordinated or not compatible(s.entities.of(m).traits, s.entities.of(a).traits):
        return False
    return _telling(s, m) == _telling(s, a)


def _telling(s: Scene, phrase: Phrase) -> frozenset[str]:
    """Places and numbers in the words of a name: Northern Ireland is not Ireland."""
    places = s.analysis.lexicon.section("function_words", "places")
    return frozenset(
        word
        for word in phrase.core
        if word in places or any(c.isdigit() for c in word) or s.analysis.lexicon.named(word)
    ) - {phrase.head_word}


def relaxed_head(s: Scene, m: Phrase, a: Phrase) -> bool:
    """Names of the same type; the mention's head is any word of the antecedent's entity; word inclusion."""
    one, other = s.entities.of(m), s.entities.of(a)
    return (
        m.kind == a.kind == "name"
        and not (m.coordinated or a.coordinated or _within(m, a))
        and m.head_word in other.words
        and _nothing_new(s, m, a)
        and compatible(one.traits, other.traits)
    )


def pronoun(s: Scene, m: Phrase, a: Phrase) -> bool:
    """A pronoun and a mention shortly before it that agrees. "this plan" is treated like "this", within one
    sentence."""
    section = s.analysis.lexicon.section
    demonstrative = _is_demonstrative(s, m)
    if m.coordinated or not (demonstrative or m.kind == "pronoun"):
        return False
    if m.sentence - a.sentence > (1 if demonstrative else s.window):
        return False
    if _within(m, a) or not _may_be_event(s, m, a):
        return False
    traits, other = s.entities.of(m).traits, s.entities.of(a).traits
    if not (agree(traits.person, other.person) and compatible(traits, other)):
        return False
    reflexive = m.head_word in section("pronouns", "reflexive")
    if m.traits.person & {"first", "second"}:
        return _speak_alike(m, a, reflexive)
    if not demonstrative and _from_it_to_this(m, a):
        return False
    is_near = m.sentence == a.sentence
    return is_near if reflexive else not (is_near and arguments(s.analysis, m, a))


def _is_demonstrative(s: Scene, phrase: Phrase) -> bool:
    """Whether a phrase is like "this plan"."""
    return phrase.kind == "nominal" and phrase.words[0] in s.analysis.lexicon.section(
        "function_words", "demonstratives"
    )


def _from_it_to_this(m: Phrase, a: Phrase) -> bool:
    """Whether "this" follows "it". "it" may be what "this" was, but "this" is not what "it" was."""
    return a.kind == "pronoun" and bool(a.traits.person) and not m.traits.person


def _speak_alike(m: Phrase, a: Phrase, reflexive: bool) -> bool:
    """Whether both are "we", of one speaker and of the next; or "I" and "myself"."""
    if m.traits == a.traits and m.traits.number == {"plural"}:
        return True
    return reflexive and a.traits.person == m.traits.person


def _may_be_event(s: Scene, m: Phrase, a: Phrase) -> bool:
    """A verb stands for an event. "this" and "that" prefer it. People and plurals never refer to an event."""
    if a.kind == "verb":
        return m.traits.number != {"plural"} and m.traits.animacy != {"animate"}
    if m.head_word not in s.analysis.lexicon.section("pronouns", "demonstrative") or m.traits.number == {"plural"}:
        return True
    return not any(row < m.row for sentence in (m.sentence, m.sentence - 1) for row in s.verbs.get(sentence, ()))


PASSES: dict[PassName, Pass] = {
    "speaker": same_speaker,
    "exact": exact,
    "relaxed": relaxed,
    "precise": precise,
    "head-a": head_a,
    "head-b": head_b,
    "head-c": head_c,
    "proper": proper,
    "relaxed-head": relaxed_head,
    "pronoun": pronoun,
}
