"""Texts for language models: documents cut into windows that overlap, each with a prompt and the answer of the key.

One line of JSON per window:

    id        document and number of the window: `nw/1_0#3`
    doc       name of the document; `part`, if it has one
    window    number of the window from 1, of `windows`
    first     number of the window's first word in the document, from 0
    tokens    its words, by sentence; `continues` if the first sentence began in the window before
    text      the same words as in the prompt
    prompt    the text to send to the model
    target    the answer that the key would give, entities numbered by document; not with `blind`

A window ends at the end of a sentence, has at most `chunk` words, and shares at least `overlap` words with the window
before, as far as whole sentences allow. A sentence that is longer is cut. `joining` puts the answers together again.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ..corpus.model import Corpus, IntArray, Text
from ..errors import PLACES, InputError, Issue, UsageError, counted
from ..files.opening import run
from ..files.writing import save
from ..formats import FormatName, inline, read
from ..formats.crac_text import numbered, pieces_with_heads
from ..formats.shared.features import held, lost
from .conversion import fitted

CHUNK, OVERLAP = 400, 50
INSTRUCTION = """\
Mark the coreference in the text below. Copy the text word by word. Put every mention of a person, thing or event in \
square brackets, and the number of its entity in parentheses behind it, as in
[Ada](1) wrote to [[her](1) aunt](2) .
Mentions of the same entity have the same number. Mentions may stand within others. Do not add, leave out or change \
words. Write the marked text, and nothing else.

{text}
"""
_ROOM = frozenset({"words", "sentences", "spans", "labels", "documents", "document parts", "singletons"}) | {
    *("documents without mentions", "repeated mentions", "cross-document entities", "heads", "layer *", "attribute *")
}
_BLANK = re.compile(r"\s")


@run()
def prompts(
    source: str | Path,
    target: str | Path,
    *,
    chunk: int = CHUNK,
    overlap: int = OVERLAP,
    blind: bool = False,
    template: str = INSTRUCTION,
    format: FormatName | None = None,
    encoding: str | None = None,
    report: Callable[[Issue], None] = lambda issue: None,
) -> int:
    """Write a corpus as prompts for a language model, one line of JSON per window; returns how many there are.

    chunk      the largest number of words of a window; a window ends at the end of a sentence
    overlap    the smallest number of words that two windows share
    blind      without the answers that the key would give
    template   the prompt, with {text} in place of the text
    """
    if not 0 <= overlap < chunk:
        raise UsageError(f"windows of {chunk} words can't share {overlap} words: 0 <= overlap < chunk")
    if "{text}" not in template:
        raise UsageError("the template has no {text}, which is replaced by the text")
    corpus = read(source, format=format, encoding=encoding)
    for issue in corpus.issues:
        report(issue)
    if left := lost(held(corpus), _ROOM):
        what = ", ".join(f"{feature} ({count})" for feature, count in left.items())
        report(Issue("no-room", f"prompts can't hold {what}: left out", sum(left.values())))
    made = _Windows(written_words(fitted(corpus, inline)), chunk, overlap, blind, template)
    save(made.lines(), target)
    for issue in made.issues():
        report(issue)
    return made.count


def written_words(corpus: Corpus) -> Corpus:
    """The corpus of written words: without empty nodes, and without mentions of empty nodes alone."""
    if corpus.names is not None:
        raise InputError("prompts need spans, but these mentions have only names", file=corpus.source or None)
    text = corpus.text
    spans = [pieces_with_heads(corpus, row) for row in range(len(corpus))]
    start, end = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    if text.empty is None or not text.empty.any():
        return replace(corpus, start=start, end=end, parts={}, head=None, relations=(), attributes={})
    before = np.concatenate(([0], np.cumsum(~text.empty)))
    offset = text.first[corpus.doc]
    first = before[text.first]
    kept = np.flatnonzero(before[offset + end + 1] > before[offset + start])
    words = [word for word, empty in zip(text.words, text.empty.tolist(), strict=True) if not empty]
    sentences = np.unique(before[text.sentences])
    moved = replace(corpus, parts={}, head=None, relations=(), attributes={}).take(kept)
    return replace(
        moved,
        start=(before[offset + start] - first[corpus.doc])[kept],
        end=(before[offset + end + 1] - 1 - first[corpus.doc])[kept],
        documents=[d._replace(tokens=int(n)) for d, n in zip(corpus.documents, np.diff(first), strict=True)],
        texts=Text(words, first, sentences[sentences < len(words)]),
    )


def windows(starts: Sequence[int], size: int, chunk: int, overlap: int) -> Iterator[tuple[int, int]]:
    """The first word and the end of each window of a document, given the starts of its sentences."""
    if not size:
        return
    borders = [0]
    for begin, stop in pairwise([*dict.fromkeys([0, *starts]), size]):
        borders += [*range(begin + chunk, stop, chunk), stop]  # a sentence that is too long is cut
    i = 0
    while i < len(borders) - 1:
        j = bisect_right(borders, borders[i] + chunk) - 1
        yield borders[i], borders[j]
        if j == len(borders) - 1:
            return
        i = max(bisect_right(borders, borders[j] - overlap) - 1, i + 1)
        while borders[j + 1] - borders[i] > chunk:
            i += 1


class _Windows:
    """The windows of a corpus as lines of JSON, and what was left out."""

    def __init__(self, corpus: Corpus, chunk: int, overlap: int, blind: bool, template: str) -> None:
        self.corpus, self.chunk, self.overlap, self.blind, self.template = corpus, chunk, overlap, blind, template
        self.count = 0
        self.cut: list[int] = []  # mentions that no window contains as a whole
        self.empty: list[str] = []  # documents without words

    def lines(self) -> Iterator[str]:
        for d in range(len(self.corpus.documents)):
            yield from self._document(d)

    def issues(self) -> Iterator[Issue]:
        """What the windows cut, and documents that have none."""
        if self.empty:
            message = f"{counted(self.empty, 'document')} without words: no prompt"
            yield Issue("empty-documents", message, len(self.empty), tuple(self.empty[:PLACES]))
        if self.cut:
            places = tuple(self.corpus.mention(row).place for row in self.cut[:PLACES])
            message = f"{counted(self.cut, 'mention')} that no window contains as a whole: left out of the answers"
            yield Issue("cut", message, len(self.cut), places)

    def _document(self, d: int) -> Iterator[str]:
        corpus, text = self.corpus, self.corpus.text
        document, here = corpus.documents[d], text.document(d)
        words, starts = text.words[here], text.starts(d).tolist()
        every = list(windows(starts, len(words), self.chunk, self.overlap))
        self.empty += [] if every else [document.label]
        rows = np.arange(*corpus.bounds[d : d + 2])
        start, end = corpus.start[rows], corpus.end[rows]
        number = numbered(corpus, d)
        seen = np.zeros(len(rows), dtype=bool)
        for n, (first, stop) in enumerate(every, start=1):
            inside = np.flatnonzero((start >= first) & (end < stop))
            seen[inside] = True
            begins = [0, *(s - first for s in starts if first < s < stop)]
            own = [words[first + a : first + b] for a, b in pairwise([*begins, stop - first])]
            shown = self._marked(own, np.zeros(0, dtype=np.int64), first, number)
            record: dict[str, Any] = {"id": f"{document.label}#{n}", "doc": document.name}
            record |= {} if document.part is None else {"part": document.part}
            record |= {"window": n, "windows": len(every), "first": first}
            record |= {} if first in starts or not first else {"continues": True}
            record |= {"tokens": own, "text": shown, "prompt": self.template.replace("{text}", shown)}
            if not self.blind:
                record["target"] = self._marked(own, rows[inside], first, number)
            self.count += 1
            yield json.dumps(record, ensure_ascii=False) + "\n"
        self.cut += rows[~seen].tolist()

    def _marked(self, sentences: list[Sequence[str]], rows: IntArray, first: int, number: dict[int, int]) -> str:
        """A window in the recommended notation, with some of the mentions."""
        words = [_BLANK.sub("\u00a0", word) or "\u00a0" for sentence in sentences for word in sentence]
        begins = np.cumsum([0, *(len(sentence) for sentence in sentences[:-1])])
        entities, entity = np.unique(self.corpus.entity[rows], return_inverse=True)
        window = replace(
            self.corpus,
            documents=[self.corpus.documents[0]._replace(name="x", part=None, tokens=len(words))],
            doc=np.zeros(len(rows), dtype=np.int64),
            start=self.corpus.start[rows] - first,
            end=self.corpus.end[rows] - first,
            entity=entity,
            labels=[number[int(e)] for e in entities],
            line=None,
            texts=Text(words, np.array([0, len(words)]), begins),
        )
        return "".join(inline.write(window)).partition("\n")[2].rstrip("\n")
