"""Which key document is paired with which response document, and the messages about this."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from ..corpus.model import Corpus, Document, IntArray, file_stem
from ..corpus.spelling import content
from ..errors import PLACES, InputError, Issue, counted
from ..options import Options
from .table_files import only_files, parts_of_a_table, table_remedies


class Pairing(NamedTuple):
    """Document pairs ("rows"): the row of each key and each response document (−1: left out), and the row's block.

    Rows are the key's documents in its order, then the response's extra ones if they count. A block is the range over
    which an entity may extend: the document, unless the scope is wider.
    """

    key_row: IntArray
    response_row: IntArray
    documents: Sequence[Document]
    block: IntArray
    labels: Sequence[str]
    complete: bool = False  # whether the response has every document of the key

    @property
    def blocks(self) -> int:
        return len(self.labels)


def pair(key: Corpus, response: Corpus, options: Options) -> tuple[Pairing, list[Issue]]:
    """Pair the documents of two corpora."""
    issues: list[Issue] = []
    if _nothing(response) and len(key.documents) > 1:
        partner, extras, paired = np.full(1, -1, dtype=np.int64), 0, 0
    else:
        partner = _by_file(key, response) if options.pair == "file" else _by_name(key, response)
        extras = int(np.count_nonzero(partner < 0))
        paired = len(partner) - extras
        _complain_if_strangers(key, response, extras, options.pair)
    issues += parts_of_a_table(key, response)
    documents = list(key.documents)
    if extras:
        extra = np.flatnonzero(partner < 0)
        names = [response.documents[d] for d in extra[:PLACES].tolist()]
        if options.extra == "error":
            missing = len(key.documents) - paired
            raise InputError(
                f"{counted(extra, 'document')} only in the response, such as {names[0].quoted}",
                file=names[0].file or None,
                line=names[0].line or None,
                hint="; ".join(
                    [
                        "--extra ignore leaves them out, --extra count scores them against an empty key"
                        + ("; are key and response swapped?" if not missing else ""),
                        *table_remedies(key, response),
                    ]
                ),
            )
        done = "left out" if options.extra == "ignore" else "scored against an empty key"
        message = f"{counted(extra, 'document')} only in the response: {done} (--extra {options.extra})"
        issues.append(Issue("extra-documents", message, len(extra), tuple(d.place or d.label for d in names)))
        if options.extra == "count":
            partner[extra] = len(documents) + np.arange(len(extra))
            documents += [response.documents[d] for d in extra.tolist()]
            paired += extras
    if paired < len(documents):
        missing_rows = np.setdiff1d(np.arange(len(documents)), partner)
        names = [documents[d] for d in missing_rows[:PLACES].tolist()]
        message = f"{counted(missing_rows, 'document')} of the key missing in the response: scored as empty"
        issues.append(Issue("missing-documents", message, len(missing_rows), tuple(d.place or d.label for d in names)))
    block, labels = blocks_of(documents, options.scope)
    return Pairing(np.arange(len(key.documents)), partner, documents, block, labels, paired == len(documents)), issues


def _nothing(corpus: Corpus) -> bool:
    """Whether the input is plain Python without a document or a mention: `{}` or `[]`."""
    return corpus.format == "python" and not len(corpus) and [d.name for d in corpus.documents] == [""]


def _by_name(key: Corpus, response: Corpus) -> IntArray:
    """The key document of each response document by name and part, −1 for none.

    `part 0`, `part 000` and a name ending in `_0` are the same. A document without a part is paired with part 0. A
    document without any name (plain clusters, a table without documents) is paired with the other side's only one.
    """
    if len(key.documents) == len(response.documents) == 1 and (
        only_files(key, response) or not (key.documents[0].name and response.documents[0].name)
    ):
        return np.zeros(1, dtype=np.int64)
    known: dict[str, int] = {}
    _enter(known, key.documents, np.arange(len(key.documents)))
    labels = [document.label for document in response.documents]
    partner = np.fromiter(map(known.get, labels, repeat(-1)), np.int64, len(labels))
    for d in np.flatnonzero(partner < 0).tolist():
        document = response.documents[d]
        if document.part is None:
            partner[d] = known.get(f"{document.label}_0", known.get(document.label.removesuffix("_0"), -1))
        elif document.part == 0:
            partner[d] = known.get(document.name, -1)
    _enter({}, response.documents, partner)
    return partner


def _enter(known: dict[str, int], documents: Sequence[Document], rows: IntArray) -> None:
    """Record the row of every label. Two documents in one row, or with one label, are an error."""
    taken: dict[int, int] = {}
    for d, (document, row) in enumerate(zip(documents, rows.tolist(), strict=True)):
        first = known.setdefault(document.label, d)
        first = taken.setdefault(row, d) if first == d and row >= 0 else first
        if first != d:
            _duplicate(document, documents[first])


def _duplicate(document: Document, other: Document) -> None:
    raise InputError(
        f"document {document.quoted} occurs twice" + (f", first at {other.place}" if other.place else ""),
        file=document.file or None,
        line=document.line or None,
        hint="give every document its own name or part, or pair by files and order: --pair file; a directory with "
        "gold and predicted layers of the same documents contains each document twice",
    )


def _by_file(key: Corpus, response: Corpus) -> IntArray:
    """The key document of each response document by file name and order, −1 for files the key lacks."""
    sides = []
    for corpus in (key, response):
        files: dict[str, list[int]] = {}
        for d, document in enumerate(corpus.documents):
            files.setdefault(file_stem(document.file), []).append(d)
        sides.append(files)
    keys, responses = sides
    if len(keys) == len(responses) == 1:
        responses = dict(zip(keys, responses.values(), strict=True))
    partner = np.full(len(response.documents), -1, dtype=np.int64)
    for stem, rows in responses.items():
        if stem not in keys:
            continue
        if len(rows) != len(keys[stem]):
            raise InputError(
                f"--pair file: {len(keys[stem])} documents in the key's file and {len(rows)} in the response's",
                file=response.documents[rows[0]].file or None,
                hint="documents within a file are paired by order, so both files need the same number",
            )
        partner[rows] = keys[stem]
    return partner


def _complain_if_strangers(key: Corpus, response: Corpus, extras: int, how: str) -> None:
    if not len(key.documents):
        raise InputError("the key has no documents", file=key.source or None)
    if not extras or extras < len(response.documents):
        return
    if how == "file":
        ours, theirs = (dict.fromkeys(file_stem(d.file) for d in c.documents) for c in (key, response))
        raise InputError(
            f"no file in common: the key has '{next(iter(ours))}', the response '{next(iter(theirs))}' "
            f"(of {len(ours)} and {len(theirs)}; suffixes don't matter)",
            file=response.documents[0].file or None,
            hint="give the files that belong together the same name, or pair by the names of documents: --pair name"
            + _same_texts(key, response),
        )
    one = len(key.documents) == len(response.documents) == 1
    raise InputError(
        f"no document in common: the key has {key.documents[0].quoted}, the response {response.documents[0].quoted}"
        + ("" if one else f" (of {len(key.documents)} and {len(response.documents)})"),
        file=response.documents[0].file or None,
        line=response.documents[0].line or None,
        hint="; ".join(
            [
                "--pair file pairs by file and order instead of by name" + _same_texts(key, response),
                *table_remedies(key, response),
            ]
        ),
    )


def _same_texts(key: Corpus, response: Corpus) -> str:
    if not (key.has_text and response.has_text):
        return ""
    texts = {content(key, d) for d in range(len(key.documents))}
    same = sum(content(response, d) in texts for d in range(len(response.documents)))
    return (
        f"; {same} of {counted(response.documents, 'response document')} have the text of a key document"
        if same
        else ""
    )


def blocks_of(documents: Sequence[Document], scope: str) -> tuple[IntArray, Sequence[str]]:
    """The block of each document (the range over which an entity may extend), and the labels of the blocks."""
    if scope == "document":
        return np.arange(len(documents)), [d.label for d in documents]
    if scope == "corpus":
        return np.zeros(len(documents), dtype=np.int64), ["corpus"]
    from .labels import labels_of, number_labels

    labels = labels_of(documents, scope)
    return number_labels(labels)
