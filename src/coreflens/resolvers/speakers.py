"""Who says "I", and to whom: turns with a named speaker, and quotations with a phrase that speaks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from .reading import Phrase, Reading


def voices(reading: Reading, phrases: Sequence[Phrase]) -> dict[int, str]:
    """Quotation → its speaker: the row of the subject of a nearby verb of saying.

    The verb is not in any quotation, in a sentence in which the quotation begins or ends. A quotation without such
    a verb has a speaker of its own.
    """
    found: dict[int, str] = {}
    subjects = _sayers(reading, phrases)
    text = reading.corpus.text
    starts = text.sentences
    if not phrases:
        return found
    ends = max(phrase.end for phrase in phrases)
    for number in range(bisect_left(reading.quotes, phrases[0].start, key=lambda quote: quote[1]), len(reading.quotes)):
        a, b = reading.quotes[number]
        if a > ends:
            break
        near = []
        for token in (a, b):
            sentence = int(starts.searchsorted(token, side="right")) - 1
            near += subjects.get(sentence, [])
        near = [p for p in near if p.quoted < 0]
        found[number] = (
            f"row {min(near, key=lambda p: min(abs(p.head - a), abs(p.head - b))).row}" if near else f"quote {number}"
        )
    return found


def _sayers(reading: Reading, phrases: Sequence[Phrase]) -> dict[int, list[Phrase]]:
    """Sentence → the subjects of verbs of saying there."""
    reporting = reading.lexicon.section("function_words", "reporting")
    found: dict[int, list[Phrase]] = {}
    for phrase in phrases:
        verb = reading.syntax.parent[phrase.head]
        if reading.syntax.relation[phrase.head] == "nsubj" and verb >= 0 and reading.words[verb] in reporting:
            found.setdefault(phrase.sentence, []).append(phrase)
    return found


def voice(found: Mapping[int, str], phrase: Phrase) -> str:
    """Who speaks a phrase: the speaker of the turn, else the speaker of the quotation; "" is the author."""
    return phrase.speaker or found.get(phrase.quoted, "")


def spoken_together(reading: Reading, found: Mapping[int, str], m: Phrase, a: Phrase) -> bool:
    """Whether two phrases are the same person because of who speaks.

    This holds for "I" and "I" of one speaker, and so for "we" and "you"; for "I" and "you" if one speaks to the other;
    for the speaker of a quotation and its "I"; and for a name and the "I" of the speaker with this name.
    """
    one, other = voice(found, m), voice(found, a)
    person, before = m.traits.person, a.traits.person
    if m.kind == a.kind == "pronoun" and person and before and not (person | before) & {"third"}:
        if m.traits.number and a.traits.number and m.traits.number != a.traits.number:
            return False
        if person == before:
            return one == other
        if not one or not other or m.traits.number == {"plural"} or a.traits.number == {"plural"}:
            return False
        i, you = (m, a) if person == {"first"} else (a, m)
        return bool(you.addressee) and you.addressee == i.speaker and you.quoted == i.quoted == -1
    if person == {"first"} and m.traits.number == {"singular"} and a.kind != "pronoun":
        return one == f"row {a.row}" or _bears(a, m.speaker)
    if before == {"first"} and a.traits.number == {"singular"}:
        return other == f"row {m.row}" or (m.kind == "name" and _bears(m, a.speaker))
    return False


def _bears(phrase: Phrase, speaker: str) -> bool:
    """Whether a name is the speaker's."""
    return phrase.kind == "name" and phrase.head_word in names_of(speaker)


def names_of(speaker: str) -> list[str]:
    """The words of a speaker's name."""
    return speaker.lower().replace("_", " ").split()
