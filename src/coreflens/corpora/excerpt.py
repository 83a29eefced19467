"""A part of every document, and heads from another file: preparations for a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..corpus.heads import FROM, GUESS, heads
from ..corpus.model import Corpus
from ..errors import InputError, Issue, UsageError, counted


def stretch(text: str) -> tuple[int, int]:
    """`1:500` as first and last token, counted from 1; `:500` starts at the first."""
    first, colon, last = text.partition(":")
    if not colon or not last.isdecimal() or not (first or "1").isdecimal():
        raise UsageError(f"--excerpt must be FROM:TO, such as 1:500, not '{text}'")
    found = int(first or 1), int(last)
    if not 1 <= found[0] <= found[1]:
        raise UsageError(f"--excerpt {text}: tokens are counted from 1, and the last one can't be before the first")
    return found


def excerpt(corpus: Corpus, first: int, last: int) -> Corpus:
    """The mentions that are within the tokens `first` to `last` of their document, counted from 1; a note counts them.

    Entities keep the mentions that they have there. Popescu-Belis & Robba (1998) score such a part of a long text.
    """
    if corpus.names is not None:
        raise InputError(
            "an excerpt needs tokens, but mentions here are names", file=corpus.source or None, hint="--excerpt FROM:TO"
        )
    if corpus.unit == "character":
        raise InputError("an excerpt needs tokens, but mentions here count characters", file=corpus.source or None)
    rows = np.flatnonzero((corpus.start >= first - 1) & (corpus.end <= last - 1))
    message = f"tokens {first} to {last} of each document: {len(rows)} of {counted(corpus, 'mention')} take part"
    issue = Issue("excerpt", message, places=(corpus.source,) if corpus.source else ())
    return replace(corpus.take(rows), issues=(*corpus.issues, issue))


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
