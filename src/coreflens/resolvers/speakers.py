"""Who says "I", and to whom: turns with a named speaker, and quotations with a phrase that speaks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from .analysis import Analysis, Phrase


def voices(analysis: Analysis, phrases: Sequence[Phrase]) -> dict[int, str]:
    """Quotation → its speaker: the row of the subject of a nearby verb of saying.

    The verb is not in any quotation, in a sentence in which the quotation begins or ends. A quotation without such
    a verb has a speaker of its own.
    """
    speakers: dict[int, str] = {}
    if not phrases:
        return speakers
    subjects = _sayers(analysis, phrases)
    sentences = analysis.corpus.text.sentences
    last = max(phrase.end for phrase in phrases)
    for number in range(
        bisect_left(analysis.quotes, phrases[0].start, key=lambda quote: quote[1]), len(analysis.quotes)
    ):
        start, end = analysis.quotes[number]
        if start > last:
            break
        near: list[Phrase] = []
        for token in (start, end):
            sentence = int(sentences.searchsorted(token, side="right")) - 1
            near += [phrase for phrase in subjects.get(sentence, ()) if phrase.quoted < 0]
        if near:
            nearest = min(near, key=lambda phrase: min(abs(phrase.head - start), abs(phrase.head - end)))
            speakers[number] = f"row {nearest.row}"
        else:
            speakers[number] = f"quote {number}"
    return speakers


def _sayers(analysis: Analysis, phrases: Sequence[Phrase]) -> dict[int, list[Phrase]]:
    """Sentence → the subjects of verbs of saying there."""
    reporting = analysis.lexicon.section("function_words", "reporting")
    found: dict[int, list[Phrase]] = {}
    for phrase in phrases:
        verb = analysis.syntax.parent[phrase.head]
        if analysis.syntax.relation[phrase.head] == "nsubj" and verb >= 0 and analysis.words[verb] in reporting:
            found.setdefault(phrase.sentence, []).append(phrase)
    return found


def voice(speakers: Mapping[int, str], phrase: Phrase) -> str:
    """Who speaks a phrase: the speaker of the turn, else the speaker of the quotation; "" is the author."""
    return phrase.speaker or speakers.get(phrase.quoted, "")


def spoken_together(speakers: Mapping[int, str], m: Phrase, a: Phrase) -> bool:
    """Whether two phrases are the same person because of who speaks.

    This holds for "I" and "I" of one speaker, and so for "we" and "you"; for "I" and "you" if one speaks to the other;
    for the speaker of a quotation and its "I"; and for a name and the "I" of the speaker with this name.
    """
    if _is_participant(m) and _is_participant(a):
        return _same_participant(speakers, m, a)
    if _is_i(m) and a.kind != "pronoun":
        return voice(speakers, m) == f"row {a.row}" or _bears(a, m.speaker)
    if _is_i(a):
        return voice(speakers, a) == f"row {m.row}" or _bears(m, a.speaker)
    return False


def _is_participant(phrase: Phrase) -> bool:
    """Whether a phrase is a pronoun of the first or second person."""
    person = phrase.traits.person
    return phrase.kind == "pronoun" and bool(person) and "third" not in person


def _is_i(phrase: Phrase) -> bool:
    return phrase.traits.person == {"first"} and phrase.traits.number == {"singular"}


def _same_participant(speakers: Mapping[int, str], m: Phrase, a: Phrase) -> bool:
    """Whether two pronouns of the first or second person are the same person or group."""
    numbers = m.traits.number, a.traits.number
    if all(numbers) and numbers[0] != numbers[1]:
        return False
    voices_of_both = voice(speakers, m), voice(speakers, a)
    if m.traits.person == a.traits.person:
        return voices_of_both[0] == voices_of_both[1]
    if not all(voices_of_both) or {"plural"} in numbers:
        return False
    i, you = (m, a) if m.traits.person == {"first"} else (a, m)
    return bool(you.addressee) and you.addressee == i.speaker and you.quoted == i.quoted == -1


def _bears(phrase: Phrase, speaker: str) -> bool:
    """Whether a name is the speaker's."""
    return phrase.kind == "name" and phrase.head_word in names_of(speaker)


def names_of(speaker: str) -> list[str]:
    """The words of a speaker's name."""
    return speaker.lower().replace("_", " ").split()
