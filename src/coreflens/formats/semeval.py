"""SemEval-2010 Task 1: columns with tabs, coreference in the last column, `_` for none.

    #begin document name
    number  word  lemma  lemma  pos  pos  feats  feats  head  head  deprel  deprel  names  names  predicate  predicate
            arguments...  coreference
    #end document name

In each pair of columns, the first is annotated by hand. The second is predicted, and becomes a layer such as `predicted
lemma`. Words are counted from 1 in each sentence, and a blank line separates sentences. The outputs of systems have two
columns, the number and the coreference. Some have `_(3)` for `(3)`, which is read with a warning.

It is a dialect of CoNLL's columns, and the reader of `conll` reads both. It recognises this dialect by a name without
parentheses in the begin line and a first word with number 1, in two columns or in seventeen or more. A corpus without
words is written in two columns.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..corpus.model import Corpus, Document
from ..errors import InputError
from . import conll
from .conll.coref_cells import written
from .conll.text import COREFERENCE, SEMEVAL, SEMEVAL_LAYERS, SEMEVAL_LAYOUT
from .conll.writer import (
    check_tokens,
    checked_header,
    label_texts,
    write_documents,
)
from .shared.source import Source

# Words are always numbered again from 1, because the format is recognised by this first number.
HOLDS = COREFERENCE | {f"layer {name}" for name in (*SEMEVAL_LAYERS, "arguments")} | {"not layer number"}

DOCUMENT, APPENDS = conll.DOCUMENT, conll.APPENDS


def looks_like(head: bytes) -> bool:
    return SEMEVAL.match(head) is not None


def read(source: Source) -> Corpus:
    return conll.read(source)


def write(corpus: Corpus) -> Iterator[str]:
    """The file, document by document; in two columns if only the number of words is known."""
    if corpus.names is not None:
        raise InputError("columns can't hold mentions that have only names", file=corpus.source or None)
    headers = [_header(document) for document in corpus.documents]
    if corpus.has_text or any(document.tokens is None for document in corpus.documents) or corpus.unit != "token":
        check_tokens(corpus)
        yield from write_documents(corpus, SEMEVAL_LAYOUT, headers, list(map(_end, headers)))
        return
    if not any(document.tokens for document in corpus.documents):
        raise InputError("there are no words to write", file=corpus.source or None)
    cells = written(corpus, label_texts(corpus))
    for d, header in enumerate(headers):
        cell = cells.of(d)
        lines = [f"{i + 1}\t{cell.get(i, '_')}\n" for i in range(corpus.documents[d].tokens or 0)]
        yield "".join([header, "\n", *lines, f"\n{_end(header)}\n"])


def _header(document: Document) -> str:
    """The begin line. It can't hold a part, so the part becomes a piece of the name."""
    named = document._replace(name=document.label, part=None)
    if named.name.startswith("(") or ";" in named.name or not named.name:
        what = f"the name of document {named.quoted} can't be written in a begin line"
        raise InputError(what, hint="give it another name")
    return checked_header(named, f"#begin document {named.name}")


def _end(header: str) -> str:
    return header.replace("begin", "end", 1)
