"""Heads from another file: the same documents with trees say which word of each mention is its head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import InputError, Issue, counted
from ..integers import bincount
from .heads import FROM, GUESS, heads
from .model import Corpus, IntArray


def gold_heads(corpus: Corpus, gold: Corpus, which: Sequence[int] | None = None) -> Corpus:
    """The corpus with the heads that its mentions have in the trees of another corpus, which has the same tokens.

    So two system outputs can be compared without regard to boundaries (CoNLL-2011, footnote 23). `which` is the gold
    document of each document, −1 for none. By default it is the one with the same name and part.
    """
    if which is None:
        numbers = {(d.name, d.part): n for n, d in enumerate(gold.documents)}
        which = [numbers.get((d.name, d.part), -1) for d in corpus.documents]
    _check_documents(corpus, gold, which)
    text = gold.text.take(which)
    _check_ends(corpus, gold, np.diff(text.first))
    found = heads(replace(corpus, texts=text, head=None, attributes={}))
    guessed = int(((found.source == GUESS) & (corpus.end > corpus.start)).sum())
    issues = [*corpus.issues]
    if guessed:
        what = f"{counted(range(guessed), 'mention')} in no tree: the head is a guess, the last word"
        issues.append(Issue("guessed-heads", what, guessed))
    origin = FROM[int(bincount(found.source, minlength=len(FROM)).argmax())] if len(corpus) else FROM[1]
    issues.append(Issue("heads", f"heads come from the {origin} of {gold.source or 'another corpus'}"))
    return replace(corpus, head=found.token, issues=tuple(issues))


def _check_documents(corpus: Corpus, gold: Corpus, which: Sequence[int]) -> None:
    """Check that the other corpus has all documents, with the same numbers of tokens and with words."""
    for document, place in zip(corpus.documents, which, strict=True):
        if place < 0:
            what = f"document {document.quoted}, whose heads are needed, is not in this file"
            raise InputError(what, file=gold.source or None, hint="--heads needs all documents, with trees")
        tokens, gold_tokens = document.tokens, gold.documents[place].tokens
        if tokens is not None and gold_tokens is not None and tokens != gold_tokens:
            what = f"document {document.quoted} has {gold_tokens} tokens here but {tokens} in {corpus.source}"
            raise InputError(what, file=gold.source or None, hint="--heads needs the same tokens")
    if not gold.has_text:
        raise InputError("there are no words here, so no heads", file=gold.source or None, hint="--heads needs trees")


def _check_ends(corpus: Corpus, gold: Corpus, lengths: IntArray) -> None:
    """Check that no mention ends after the last token of its document in the other corpus."""
    beyond = np.flatnonzero(corpus.end >= lengths[corpus.doc])
    if len(beyond):
        mention = corpus.mention(int(beyond[0]))
        what = f"mention {mention.identity} ends after the last token of {mention.document.quoted} in {gold.source}"
        raise InputError(what, file=corpus.source or None, line=mention.line or None)
