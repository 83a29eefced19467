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
from typing import Any

import numpy as np

from ..corpus.model import Corpus
from ..errors import Issue, UsageError, choose
from ..files.opening import run
from ..files.writing import save
from ..formats import FormatName, Input, read
from ..keywords import known_keywords
from ..resolvers.lexicon import Words, lexicon
from ..resolvers.reading import Phrase, Reading, read_phrases
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
    reading = read_phrases(corpus, lexicon(words))
    making = _Making(corpus, reading, options, none, context, seed)
    asked = [phrase for phrase in reading.phrases if phrase.kind in types]
    questions = [question for phrase in asked if (question := making.question(phrase)) is not None]
    if count is not None and count < len(questions):
        chosen = sorted(random.Random(seed).sample(range(len(questions)), count))
        questions = [questions[n] for n in chosen]
    save((json.dumps(question, ensure_ascii=False) + "\n" for question in questions), target)
    without = (replace(i, message=i.message.replace("resolved without", "made without", 1)) for i in reading.without)
    return Made(len(questions), len(asked), (*corpus.issues, *without))


class _Making:
    """Makes the questions of a corpus."""

    def __init__(self, corpus: Corpus, reading: Reading, options: int, none: bool, context: int, seed: int) -> None:
        self.corpus, self.reading, self.text = corpus, reading, corpus.text
        self.most, self.none, self.context, self.seed = options, none, context, seed
        self.first = {
            d: int(np.searchsorted(self.text.sentences, self.text.first[d])) for d in range(len(corpus.documents))
        }
        self.entity = corpus.entity.tolist()
        self.inside = self._inside()
        self._known: dict[int, str] = {}

    def _inside(self) -> list[bool]:
        """Which mentions lie within another one."""
        found = [False] * len(self.corpus)
        for d in range(len(self.corpus.documents)):
            reach = (-1, -1)
            for phrase in sorted(self.reading.document(d), key=lambda p: (p.start, -p.end)):
                found[phrase.row] = phrase.end <= reach[1] and (phrase.start, phrase.end) != reach
                if phrase.end > reach[1]:
                    reach = (phrase.start, phrase.end)
        return found

    def question(self, asked: Phrase) -> dict[str, Any] | None:
        """A question about a mention; None if it has no antecedent to ask for, or if there is no wrong option."""
        near = list(self._near(asked))
        own = self.entity[asked.row]
        same = self._words(asked).casefold()
        antecedent = next(
            (
                p
                for p in near
                if self.entity[p.row] == own and p.kind != "pronoun" and self._words(p).casefold() != same
            ),
            None,
        )
        if antecedent is None:
            return None
        taken = {same} | {self._words(p).casefold() for p in near if self.entity[p.row] == own}
        others: dict[str, Phrase] = {}
        ranked = sorted(
            (p for p in near if self.entity[p.row] != own and p.kind != "pronoun"),
            key=lambda p: (not compatible(p.traits, asked.traits), asked.sentence - p.sentence, -p.start, p.end),
        )
        entities: set[int] = set()
        for phrase in ranked:
            words = self._words(phrase).casefold()
            if words not in taken and words not in others and self.entity[phrase.row] not in entities:
                others[words] = phrase
                entities.add(self.entity[phrase.row])
        name = f"{self.corpus.documents[asked.doc].label}#{asked.row - int(self.corpus.bounds[asked.doc]) + 1}"
        chance = random.Random(f"{self.seed}/{name}")
        left_out = self.none and chance.randrange(self.most) == 0
        wrong = [self._words(p) for p in others.values()][: self.most - self.none - (not left_out)]
        if not wrong:
            return None
        right = NONE if left_out else self._words(antecedent)
        given = [*wrong, *([] if left_out else [right])]
        chance.shuffle(given)
        options = dict(zip(_LETTERS, [*given, *([NONE] if self.none else [])], strict=False))
        context = self._context(asked)
        question = f"What does *{self._words(asked)}* refer to?"
        shown = "\n".join(f"{letter}) {words}" for letter, words in options.items())
        return {
            "id": name,
            "doc": self.corpus.documents[asked.doc].label,
            "type": asked.kind,
            "nesting": "inside" if self.inside[asked.row] else "outside",
            "distance": asked.sentence - antecedent.sentence,
            "context": context,
            "question": question,
            "options": options,
            "answer": next(letter for letter, words in options.items() if words == right),
            "prompt": _PROMPT.format(context=context, question=question, options=shown),
        }

    def _near(self, asked: Phrase) -> Iterator[Phrase]:
        """The mentions before this one in its context, the nearest first, without those that it lies in."""
        low = asked.sentence - self.context
        for row in range(asked.row - 1, int(self.corpus.bounds[asked.doc]) - 1, -1):
            phrase = self.reading.phrases[row]
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
