"""Multiple-choice questions about coreference, made from any key: what does *she* refer to?

A question is about a mention that has an antecedent in its context which is not a pronoun and has other words. The
nearest such antecedent is the right option. The other options are mentions of other entities in the same context. They
are chosen to be hard: first those that agree with the mention in number, gender, animacy and kind of thing, and among
these the nearest. No two options have the same words, and no wrong option has words that also name the right entity
there. With `none`, the last option is "none of these". It is the right option in about 1 of `options` questions, in
which the antecedent is not among the options.

There is one line of JSON per question: id, doc, type, nesting, distance, context, question, options (letter → words),
answer, and prompt, which is the text to send to a model. `distance` is in sentences.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..corpus.model import Corpus
from ..errors import Issue, UsageError, choose
from ..files.opening import run
from ..files.writing import save
from ..formats import FormatName, Input, read
from ..keywords import known_keywords
from ..resolvers.analysis import Analysis, Phrase, read_phrases
from ..resolvers.lexicon import Words, lexicon
from ..resolvers.traits import compatible

TYPES = ("pronoun", "nominal", "name")
NONE = "none of these"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PROMPT = """\
{context}

{question}
{options}
Answer with the letter of one option, and nothing else.
"""


@dataclass(frozen=True)
class Made:
    """How many questions were made, of how many mentions of the types; `issues` has notes on the key."""

    questions: int
    mentions: int
    issues: tuple[Issue, ...] = ()


@known_keywords
@run()
def make_quiz(
    key: Input,
    target: str | Path,
    *,
    types: Sequence[str] = ("pronoun", "nominal"),
    options: int = 5,
    none: bool = False,
    context: int = 10,
    count: int | None = None,
    seed: int = 0,
    words: Words = "english",
    format: FormatName | None = None,
    encoding: str | None = None,
) -> Made:
    """Write multiple-choice questions about the coreference of a key, one line of JSON per question.

    types     the types of mentions to ask about: pronoun, nominal, name
    options   the largest number of options per question, with the right one and "none of these"
    none      add "none of these", which is right in about 1 of `options` questions
    context   how many sentences before that of the mention are shown
    count     how many questions to draw at random; all by default
    words     word lists; `none` uses only tags and features, for languages other than English
    """
    for name in types:
        choose(name, TYPES, "type of mentions")
    if not 2 + none <= options <= len(_LETTERS):
        raise UsageError(f"a question has {2 + none} to {len(_LETTERS)} options, not {options}")
    corpus = read(key, format=format, encoding=encoding, role="key")
    analysis = read_phrases(corpus, lexicon(words))
    making = _Making(corpus, analysis, options, none, context, seed)
    asked = [phrase for phrase in analysis.phrases if phrase.kind in types]
    questions = [question for phrase in asked if (question := making.question(phrase)) is not None]
    if count is not None and count < len(questions):
        chosen = sorted(random.Random(seed).sample(range(len(questions)), count))
        questions = [questions[n] for n in chosen]
    save((json.dumps(question, ensure_ascii=False) + "\n" for question in questions), target)
    without = (replace(i, message=i.message.replace("resolved without", "made without", 1)) for i in analysis.without)
    return Made(len(questions), len(asked), (*corpus.issues, *without))


class _Making:
    """Makes the questions of a corpus."""

    def __init__(self, corpus: Corpus, analysis: Analysis, options: int, none: bool, context: int, seed: int) -> None:
        self.corpus, self.analysis, self.text = corpus, analysis, corpus.text
        self.most, self.none, self.context, self.seed = options, none, context, seed
        self.first = {
            d: int(np.searchsorted(self.text.sentences, self.text.first[d])) for d in range(len(corpus.documents))
        }
        self.entity = corpus.entity.tolist()
        self.inside = self._inside()
        self._known: dict[int, str] = {}

    def _inside(self) -> list[bool]:
        """Which mentions lie within another one."""
        inside = [False] * len(self.corpus)
        for d in range(len(self.corpus.documents)):
            reach = (-1, -1)
            for phrase in sorted(self.analysis.document(d), key=lambda p: (p.start, -p.end)):
                inside[phrase.row] = phrase.end <= reach[1] and (phrase.start, phrase.end) != reach
                if phrase.end > reach[1]:
                    reach = (phrase.start, phrase.end)
        return inside

    def question(self, asked: Phrase) -> dict[str, object] | None:
        """A question about a mention; None if it has no antecedent to ask for, or if there is no wrong option."""
        near = list(self._near(asked))
        antecedent = self._antecedent(asked, near)
        if antecedent is None:
            return None
        document = self.corpus.documents[asked.doc].label
        name = f"{document}#{asked.row - int(self.corpus.bounds[asked.doc]) + 1}"
        chance = random.Random(f"{self.seed}/{name}")
        is_left_out = self.none and chance.randrange(self.most) == 0
        most_wrong = self.most - int(self.none) - int(not is_left_out)
        wrong = self._wrong_options(asked, near)[:most_wrong]
        if not wrong:
            return None
        right = NONE if is_left_out else self._words(antecedent)
        given = wrong if is_left_out else [*wrong, right]
        chance.shuffle(given)
        if self.none:
            given.append(NONE)
        options = dict(zip(_LETTERS, given, strict=False))
        context = self._context(asked)
        question = f"What does *{self._words(asked)}* refer to?"
        shown = "\n".join(f"{letter}) {words}" for letter, words in options.items())
        return {
            "id": name,
            "doc": document,
            "type": asked.kind,
            "nesting": "inside" if self.inside[asked.row] else "outside",
            "distance": asked.sentence - antecedent.sentence,
            "context": context,
            "question": question,
            "options": options,
            "answer": next(letter for letter, words in options.items() if words == right),
            "prompt": _PROMPT.format(context=context, question=question, options=shown),
        }

    def _antecedent(self, asked: Phrase, near: Sequence[Phrase]) -> Phrase | None:
        """The nearest mention of the same entity that is not a pronoun and has other words."""
        words = self._words(asked).casefold()
        for phrase in near:
            is_same_entity = self.entity[phrase.row] == self.entity[asked.row]
            if is_same_entity and phrase.kind != "pronoun" and self._words(phrase).casefold() != words:
                return phrase
        return None

    def _wrong_options(self, asked: Phrase, near: Sequence[Phrase]) -> list[str]:
        """The words of one mention of each other entity, the hardest first. None of them also names the right one."""
        own = self.entity[asked.row]
        others = [phrase for phrase in near if self.entity[phrase.row] != own and phrase.kind != "pronoun"]
        others.sort(
            key=lambda p: (not compatible(p.traits, asked.traits), asked.sentence - p.sentence, -p.start, p.end)
        )
        taken = {self._words(asked).casefold()}
        taken |= {self._words(phrase).casefold() for phrase in near if self.entity[phrase.row] == own}
        options = []
        entities: set[int] = set()
        for phrase in others:
            words = self._words(phrase).casefold()
            if words not in taken and self.entity[phrase.row] not in entities:
                options.append(self._words(phrase))
                taken.add(words)
                entities.add(self.entity[phrase.row])
        return options

    def _near(self, asked: Phrase) -> Iterator[Phrase]:
        """The mentions before this one in its context, the nearest first, without those that it lies in."""
        low = asked.sentence - self.context
        for row in range(asked.row - 1, int(self.corpus.bounds[asked.doc]) - 1, -1):
            phrase = self.analysis.phrases[row]
            if phrase.sentence < low:
                return
            if not phrase.contains(asked):
                yield phrase

    def _words(self, phrase: Phrase) -> str:
        if phrase.row not in self._known:  # the options of many questions are the same mentions
            self._known[phrase.row] = self.corpus.words(phrase.row)
        return self._known[phrase.row]

    def _context(self, asked: Phrase) -> str:
        """The sentences up to that of the mention, which stands between asterisks."""
        low = max(asked.sentence - self.context, self.first[asked.doc])
        offset = int(self.text.first[asked.doc])
        begin = int(self.text.sentences[low]) - offset
        sentences = self.text.sentences
        last = int(np.searchsorted(sentences, asked.end, side="right"))
        stop = int(sentences[last]) if last < len(sentences) else len(self.text.words)
        stop = min(stop, int(self.text.first[asked.doc + 1])) - offset
        start, end = asked.start - offset, asked.end - offset
        span = self.text.span
        pieces = [
            span(asked.doc, begin, start - 1) if begin < start else "",
            f"*{span(asked.doc, start, end)}*",
            span(asked.doc, end + 1, stop - 1) if end + 1 < stop else "",
        ]
        return " ".join(filter(None, pieces))
