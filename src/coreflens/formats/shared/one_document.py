"""What formats of one document per file have in common."""

from __future__ import annotations

from ...corpus.model import Corpus
from ...errors import InputError


def one_document(corpus: Corpus, format: str) -> Corpus:
    """The corpus, if it has one document; several documents need several files."""
    if len(corpus.documents) != 1:
        hint = f"a directory as the target (OUT/ --to {format}) gets a file for each document"
        raise InputError(f"{format} has one document per file, not {len(corpus.documents)}", hint=hint)
    return corpus
