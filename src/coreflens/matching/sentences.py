"""Do both sides split the text into the same sentences? Spans are counted in words, so most numbers do not depend on
this."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..corpus.model import Corpus, IntArray
from ..errors import PLACES, Issue, counted
from .documents import Pairing
from .places import matched, written_before


def other_sentences(key: Corpus, response: Corpus, pairing: Pairing) -> Iterator[Issue]:
    """Report places where only one side starts a sentence, if the words are the same."""
    pairs = matched(pairing)
    sides = (key, response)
    places = [_borders(corpus, pairs[:, s]) for s, corpus in enumerate(sides)]
    width = 1 + max((int(place.max()) for _, place, _ in places if len(place)), default=0)
    codes = [pair * width + place for pair, place, _ in places]
    alone = [~np.isin(code, other) for code, other in (codes, codes[::-1])]
    if not any(rows.any() for rows in alone):
        return
    documents: set[int] = set()
    where: list[tuple[int, str]] = []
    for s, corpus in enumerate(sides):
        pair, _, token = (column[alone[s]] for column in places[s])
        documents.update(pair.tolist())
        first_places = _file_places(corpus, pairs[pair[:PLACES], s], token[:PLACES])
        where += zip(codes[s][alone[s]][:PLACES].tolist(), first_places, strict=True)
    ours, theirs = (np.flatnonzero(rows) for rows in alone)
    yield Issue(
        "sentences",
        f"key and response split {counted(documents, 'document')} into different sentences: "
        f"{counted(ours, 'sentence')} of the key and {len(theirs)} of the response begin where the other side has "
        "no beginning. Most mentions are not affected, because spans are counted in words. But zeros are matched "
        "within a sentence, and corefud-scorer refuses such files. Give the response the key's sentences",
        len(ours) + len(theirs),
        tuple(place for _, place in sorted(where)[:PLACES]),
    )


def _file_places(corpus: Corpus, documents: IntArray, tokens: IntArray) -> list[str]:
    """The file of each document, with the line of a token if lines are known."""
    files = [corpus.documents[d].file for d in documents.tolist()]
    if corpus.text.line is None:
        return files
    lines = corpus.text.line[tokens].tolist()
    return [f"{file}:{line}" if line else file for file, line in zip(files, lines, strict=True)]


def _borders(corpus: Corpus, documents: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """For the sentences of these documents: the number of the document, the written words before the sentence, and its
    first token.

    A sentence without a written word begins where the next one begins.
    """
    text = corpus.text
    row = np.full(len(corpus.documents), -1, dtype=np.int64)
    row[documents] = np.arange(len(documents))
    document = np.searchsorted(text.first, text.sentences, side="right") - 1
    before = written_before(text)
    place = before[text.sentences] - before[text.first[document]]
    chosen = row[document] >= 0
    last = before[np.append(text.sentences[1:], len(before) - 1)] == before[text.sentences]  # no written word
    chosen &= ~last
    return row[document][chosen], place[chosen], text.sentences[chosen]
