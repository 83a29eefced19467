"""Heads from another file: the same documents with trees say which word of each mention is its head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import InputError, Issue, counted
from .heads import FROM, GUESS, heads
from .model import Corpus


def gold_heads(corpus: Corpus, gold: Corpus, which: Sequence[int] | None = None) -> Corpus:
    """The corpus with the heads that its mentions have in the trees of another corpus, which has the same tokens.

    So two system outputs can be compared without regard to boundaries (CoNLL-2011, footnote 23). `which` is the gold
    document of each document, −1 for none. By default it is the one with the same name and part.
    """
    if which is None:
        numbers = {(d.name, d.part): n for n, d in enumerate(gold.documents)}
        which = [numbers.get((d.name, d.part), -1) for d in corpus.documents]
    for document, place in zip(corpus.documents, which, strict=True):
        if place < 0:
            what = f"document {document.quoted}, whose heads are needed, is not in this file"
            raise InputError(what, file=gold.source or None, hint="--heads needs all documents, with trees")
        sizes = document.tokens, gold.documents[place].tokens
        if None not in sizes and sizes[0] != sizes[1]:
            what = f"document {document.quoted} has {sizes[1]} tokens here but {sizes[0]} in {corpus.source}"
            raise InputError(what, file=gold.source or None, hint="--heads needs the same tokens")
    if not gold.has_text:
        raise InputError("there are no words here, so no heads", file=gold.source or None, hint="--heads needs trees")
    text = gold.text.take(which)
    lengths = np.diff(text.first)
    if len(corpus) and (corpus.end >= lengths[corpus.doc]).any():
        row = int(np.flatnonzero(corpus.end >= lengths[corpus.doc])[0])
        mention = corpus.mention(row)
        what = f"mention {mention.identity} ends after the last token of {mention.document.quoted} in {gold.source}"
        raise InputError(what, file=corpus.source or None, line=mention.line or None)
    found = heads(replace(corpus, texts=text, head=None, attributes={}))
    guessed = int(((found.source == GUESS) & (corpus.end > corpus.start)).sum())
    issues = [*corpus.issues]
    if guessed:
        what = f"{counted(range(guessed), 'mention')} in no tree: the head is a guess, the last word"
        issues.append(Issue("guessed-heads", what, guessed))
    origin = FROM[int(np.bincount(found.source, minlength=len(FROM)).argmax())] if len(corpus) else FROM[1]
    issues.append(Issue("heads", f"heads come from the {origin} of {gold.source or 'another corpus'}"))
    return replace(corpus, head=found.token, issues=tuple(issues))
