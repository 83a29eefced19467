"""Running text out of tokens, for formats that count characters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import InputError
from ..model import Corpus, Text


def in_characters(corpus: Corpus) -> Corpus:
    """The corpus with spans in characters: of its raw text, or of its words with blanks and a line for each sentence.

    Such a line of words without blanks in them can be taken apart again; words that have some are an InputError.
    """
    if corpus.names is not None:
        what = "the mentions have names and no places in a text"
        raise InputError(what, file=corpus.source or None, hint="write a table, or give a file that has the words")
    if corpus.unit == "character":
        return corpus
    text = corpus.text
    raws: list[str] = []
    first = np.zeros(len(text.words), dtype=np.int64)  # of each token: its first character in the document
    for d in range(len(corpus.documents)):
        raws.append("".join(f"{' '.join(sentence)}\n" for sentence in text.sentences_of(d)))
        words = text.document(d)
        sizes = np.fromiter(map(len, text.words[words]), dtype=np.int64, count=words.stop - words.start)
        first[words] = np.cumsum(sizes + 1) - sizes - 1
    for number, word in enumerate(text.words):
        if word.split() != [word]:
            what = f"token {number + 1} is {word!r:.40}: words in running text have no blanks"
            raise InputError(what, file=corpus.source or None)
    last = first + np.fromiter(map(len, text.words), dtype=np.int64, count=len(text.words)) - 1
    offset = text.first[corpus.doc]
    parts = {
        row: tuple((int(first[offset[row] + a]), int(last[offset[row] + b])) for a, b in pieces)
        for row, pieces in corpus.parts.items()
    }
    return replace(
        corpus,
        start=first[offset + corpus.start],
        end=last[offset + corpus.end],
        unit="character",
        parts=parts,
        head=None,
        documents=[d._replace(tokens=len(raw)) for d, raw in zip(corpus.documents, raws, strict=True)],
        texts=Text([], np.zeros(len(raws) + 1, dtype=np.int64), np.zeros(0, dtype=np.int64), raw=raws),
    )
