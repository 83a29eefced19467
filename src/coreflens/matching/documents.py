"""Which key document is paired with which response document, and the messages about this."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import PurePath
from typing import NamedTuple, NoReturn

import numpy as np

from ..corpus.model import Corpus, Document, IntArray, file_stem
from ..corpus.spelling import content
from ..errors import PLACES, InputError, Issue, counted
from ..options import Options, Pair
from .table_files import only_files, parts_of_a_table, table_remedies

PAIRED_BY_TEXT = "paired-by-text"  # the note on documents that were paired although their names differ


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
        partner = _paired(key, response, options)
        extras = int(np.count_nonzero(partner < 0))
        paired = len(partner) - extras
        if options.pair == "text":
            issues += _other_names(key, response, partner)
    issues += parts_of_a_table(key, response)
    documents = list(key.documents)
    if extras:
        extra = np.flatnonzero(partner < 0)
        if options.extra == "error":
            _refuse_extra(key, response, partner, options)
        issues.append(_extra_documents(response, extra, options))
        if options.extra == "count":
            partner[extra] = len(documents) + np.arange(len(extra))
            documents += [response.documents[d] for d in extra.tolist()]
            paired += extras
    if paired < len(documents):
        issues.append(_missing_documents(documents, np.setdiff1d(np.arange(len(documents)), partner)))
    block, labels = blocks_of(documents, options.scope)
    return Pairing(np.arange(len(key.documents)), partner, documents, block, labels, paired == len(documents)), issues


def _extra_documents(response: Corpus, extra: IntArray, options: Options) -> Issue:
    done = "left out" if options.extra == "ignore" else "scored against an empty key"
    message = f"{counted(extra, 'document')} only in the response: {done} (--extra {options.extra})"
    return Issue("extra-documents", message, len(extra), _places(response.documents, extra))


def _missing_documents(documents: Sequence[Document], missing: IntArray) -> Issue:
    message = f"{counted(missing, 'document')} of the key missing in the response: scored as empty"
    return Issue("missing-documents", message, len(missing), _places(documents, missing))


def _places(documents: Sequence[Document], rows: IntArray) -> tuple[str, ...]:
    """The places of the first of some documents, or their labels."""
    first = [documents[row] for row in rows[:PLACES].tolist()]
    return tuple(document.place or document.label for document in first)


def partners(key: Corpus, response: Corpus, how: Pair) -> IntArray:
    """The key document of each response document, −1 for none."""
    if how == "file":
        return _by_file(key, response)
    if how == "text" and not _nothing(response):
        return _by_text(key, response)
    if only_files(key, response):
        return np.zeros(1, dtype=np.int64)
    return _by_name(key.documents, response.documents)


def gold_documents(gold: Corpus, corpus: Corpus, how: Pair) -> list[int] | None:
    """The gold document of each document, −1 for none, for heads from another file. None: names find them all.

    Where names find them all, files need not have the same names.
    """
    labels = {document.label for document in gold.documents}
    if how == "name" or (how == "file" and all(document.label in labels for document in corpus.documents)):
        return None
    found: list[int] = partners(gold, corpus, how).tolist()
    return found


def _paired(key: Corpus, response: Corpus, options: Options) -> IntArray:
    """The key document of each response document, −1 for none. An error names the ways of pairing that would work."""
    if not len(key.documents):
        raise InputError("the key has no documents", file=key.source or None)
    try:
        partner = partners(key, response, options.pair)
        if len(partner) and (partner < 0).all():
            _strangers(key, response, options.pair)
    except InputError as error:
        hint = "; ".join(filter(None, [error.hint, *_remedies(key, response, options)]))
        raise InputError(
            error.message, file=error.file, line=error.line, column=error.column, hint=hint, code=error.code
        ) from None
    return partner


def _nothing(corpus: Corpus) -> bool:
    """Whether the input is plain Python without a document or a mention: `{}` or `[]`."""
    return corpus.format == "python" and not len(corpus) and [d.name for d in corpus.documents] == [""]


# ------------------------------------------------------------------------------------------------------------- by name


def _by_name(ours: Sequence[Document], theirs: Sequence[Document]) -> IntArray:
    """The key document of each response document by name and part, −1 for none.

    `part 0`, `part 000` and a name ending in `_0` are the same. A document without a part is paired with part 0. A
    document without any name (plain clusters, a table without documents) is paired with the other side's only one.
    """
    if len(ours) == len(theirs) == 1 and not (ours[0].name and theirs[0].name):
        return np.zeros(1, dtype=np.int64)
    known: dict[str, int] = {}
    _enter(known, ours, np.arange(len(ours)))
    labels = [document.label for document in theirs]
    partner = np.fromiter(map(known.get, labels, repeat(-1)), np.int64, len(labels))
    for d in np.flatnonzero(partner < 0).tolist():
        partner[d] = next((known[label] for label in _other_labels(theirs[d]) if label in known), -1)
    _enter({}, theirs, partner)
    return partner


def _other_labels(document: Document) -> tuple[str, ...]:
    """Labels that mean the same document, because part 0 may be left out or be a part of the name."""
    if document.part is None:
        return f"{document.label}_0", document.label.removesuffix("_0")
    return (document.name,) if document.part == 0 else ()


def _enter(known: dict[str, int], documents: Sequence[Document], rows: IntArray) -> None:
    """Record the row of every label. Two documents in one row, or with one label, are an error."""
    taken: dict[int, int] = {}
    for d, (document, row) in enumerate(zip(documents, rows.tolist(), strict=True)):
        first = known.setdefault(document.label, d)
        first = taken.setdefault(row, d) if first == d and row >= 0 else first
        if first != d:
            _duplicate(document, documents[first])


def _duplicate(document: Document, other: Document) -> NoReturn:
    raise InputError(
        f"document {document.quoted} occurs twice" + (f", first at {other.place}" if other.place else ""),
        file=document.file or None,
        line=document.line or None,
        hint=_layer_pattern(document, other) or "give every document its own name or part",
    )


def _layer_pattern(document: Document, other: Document) -> str:
    """A hint to a pattern that selects one layer, if two files differ only in their suffix. Empty otherwise."""
    ours, theirs = PurePath(document.file), PurePath(other.file)
    if not (document.file and other.file) or ours.suffix == theirs.suffix or ours.stem != theirs.stem:
        return ""
    patterns = " or ".join(f"'{path.parent}/**/*{path.suffix}'" for path in (theirs, ours))
    return f"these are two layers of one document: select one with a pattern, such as {patterns}"


# ------------------------------------------------------------------------------------------------------------- by file


def _by_file(key: Corpus, response: Corpus) -> IntArray:
    """The key document of each response document by file name and order, −1 for files the key lacks."""
    keys, responses = _rows_by_file(key), _rows_by_file(response)
    if len(keys) == len(responses) == 1:
        responses = dict(zip(keys, responses.values(), strict=True))
    partner = np.full(len(response.documents), -1, dtype=np.int64)
    for stem, rows in responses.items():
        if stem not in keys:
            continue
        for corpus, documents in ((key, keys[stem]), (response, rows)):
            _refuse_layers([corpus.documents[d] for d in documents])
        if len(rows) != len(keys[stem]):
            raise InputError(
                f"--pair file: {len(keys[stem])} documents in the key's file and {len(rows)} in the response's",
                file=response.documents[rows[0]].file or None,
                hint="documents within a file are paired by order, so both files need the same number",
            )
        partner[rows] = keys[stem]
    return partner


def _refuse_layers(documents: Sequence[Document]) -> None:
    """Files that differ only in their suffix are layers of the same text: they are not paired by order."""
    for document in documents[1:]:
        hint = _layer_pattern(document, documents[0])
        if hint:
            message = f"--pair file: {documents[0].file} and {document.file} have the same name"
            raise InputError(message, file=document.file, hint=hint)


def _rows_by_file(corpus: Corpus) -> dict[str, list[int]]:
    """Name of a file without its suffix → its documents."""
    rows: dict[str, list[int]] = {}
    for d, document in enumerate(corpus.documents):
        rows.setdefault(file_stem(document.file), []).append(d)
    return rows


# ------------------------------------------------------------------------------------------------------------- by text


def _by_text(key: Corpus, response: Corpus) -> IntArray:
    """The key document of each response document by its words in one spelling, −1 for none.

    Blanks and tokens do not matter. Documents of one side that have the same text are told apart by their names.
    """
    for corpus, side in ((key, "key"), (response, "response")):
        if not corpus.has_text:
            raise InputError(
                f"--pair text compares the words of the documents, but the {side} has no words, only mentions",
                file=corpus.source or None,
                hint=f"give a {side} with its text",
            )
    keys, responses = _rows_by_text(key), _rows_by_text(response)
    partner = np.full(len(response.documents), -1, dtype=np.int64)
    for text, theirs in responses.items():
        ours = keys.get(text, [])
        if len(ours) == len(theirs) == 1:
            partner[theirs] = ours
        elif ours:
            _pair_equal_texts(partner, (key, response), (ours, theirs))
    return partner


def _rows_by_text(corpus: Corpus) -> dict[str, list[int]]:
    """Text in one spelling → the documents that have it."""
    rows: dict[str, list[int]] = {}
    for d in range(len(corpus.documents)):
        rows.setdefault(content(corpus, d), []).append(d)
    return rows


def _pair_equal_texts(partner: IntArray, corpora: tuple[Corpus, Corpus], rows: tuple[list[int], list[int]]) -> None:
    """Pair documents with one text by name, and then a single one that is left on each side.

    What is left on one side only has no partner. Several that are left could be paired in several ways: an error.
    """
    ours, theirs = (np.array(some, dtype=np.int64) for some in rows)
    documents = [[corpus.documents[d] for d in some] for corpus, some in zip(corpora, rows, strict=True)]
    named = _by_name(*documents)
    partner[theirs] = np.where(named >= 0, ours[named], -1)
    key_left, response_left = np.setdiff1d(ours, partner[theirs]), theirs[named < 0]
    if len(key_left) == len(response_left) == 1:
        partner[response_left] = key_left
    elif len(key_left) and len(response_left):
        _equal_texts(
            [corpora[0].documents[d] for d in key_left.tolist()],
            [corpora[1].documents[d] for d in response_left.tolist()],
        )


def _equal_texts(ours: Sequence[Document], theirs: Sequence[Document]) -> NoReturn:
    side, (first, second, *_), other = ("key", ours, theirs[0]) if len(ours) > 1 else ("response", theirs, ours[0])
    other_side = "response" if side == "key" else "key"
    place = f" ({first.place})" if first.place else ""
    raise InputError(
        f"documents {first.quoted}{place} and {second.quoted} of the {side} have the same text, so --pair text can't "
        f"decide which of them belongs to {other.quoted} of the {other_side}",
        file=second.file or None,
        line=second.line or None,
        hint="give documents with the same text the same names on both sides",
    )


def _other_names(key: Corpus, response: Corpus, partner: IntArray) -> Iterator[Issue]:
    """A note on documents with different names that were paired by their text."""
    pairs = [
        (response.documents[d], key.documents[k])
        for d, k in enumerate(partner.tolist())
        if k >= 0 and _are_named_differently(key.documents[k], response.documents[d])
    ]
    if pairs:
        examples = ", ".join(f"{theirs.quoted} with {ours.quoted}" for theirs, ours in pairs[:PLACES])
        message = f"{counted(pairs, 'document')} paired by text although their names differ: {examples}"
        places = tuple(theirs.place for theirs, _ in pairs[:PLACES] if theirs.place)
        yield Issue(PAIRED_BY_TEXT, message, len(pairs), places)


def _are_named_differently(ours: Document, theirs: Document) -> bool:
    named = ours.name and theirs.name
    return bool(named) and ours.label != theirs.label and ours.label not in _other_labels(theirs)


# ------------------------------------------------------------------------------------------------ messages and remedies


def _refuse_extra(key: Corpus, response: Corpus, partner: IntArray, options: Options) -> NoReturn:
    """The error about documents that only the response has."""
    extra = np.flatnonzero(partner < 0)
    first = response.documents[extra[0]]
    paired = len(partner) - len(extra)
    hints = ["--extra ignore leaves them out, --extra count scores them against an empty key"]
    if paired == len(key.documents):
        hints.append("are key and response swapped?")
    hints += _remedies(key, response, options, more_than=paired)
    raise InputError(
        f"{counted(extra, 'document')} only in the response, such as {first.quoted}",
        file=first.file or None,
        line=first.line or None,
        hint="; ".join(hints),
    )


def _strangers(key: Corpus, response: Corpus, how: Pair) -> NoReturn:
    """The error about two sides of which no document was paired."""
    ours, theirs = key.documents[0], response.documents[0]
    one = len(key.documents) == len(response.documents) == 1
    numbers = "" if one else f" (of {len(key.documents)} and {len(response.documents)})"
    if how == "file":
        keys, responses = _rows_by_file(key), _rows_by_file(response)
        raise InputError(
            f"no file in common: the key has '{next(iter(keys))}', the response '{next(iter(responses))}' "
            f"(of {len(keys)} and {len(responses)}; suffixes don't matter)",
            file=theirs.file or None,
            hint="give the files that belong together the same name",
        )
    if how == "text":
        raise InputError(
            f"no text in common: the words of the key's {ours.quoted} and the response's {theirs.quoted} are in no "
            f"document of the other side{numbers}",
            file=theirs.file or None,
            line=theirs.line or None,
            hint="--pair text needs the same words on both sides, whatever the blanks and the tokens are",
        )
    raise InputError(
        f"no document in common: the key has {ours.quoted}, the response {theirs.quoted}{numbers}",
        file=theirs.file or None,
        line=theirs.line or None,
        hint="give the documents that belong together the same name",
    )


_BY: dict[Pair, str] = {"name": "by name", "file": "by file and order", "text": "by their words"}


def _remedies(key: Corpus, response: Corpus, options: Options, more_than: int = 0) -> list[str]:
    """Hints to the other ways of pairing that work, and pair more than so many documents."""
    hints = [remedy(key, response, options, how, more_than) for how in _BY]
    return [hint for hint in (*hints, *table_remedies(key, response)) if hint]


def remedy(key: Corpus, response: Corpus, options: Options, how: Pair, more_than: int = 0) -> str:
    """A hint to another way of pairing. Empty if it does not work, or pairs no more than so many documents."""
    if how == options.pair:
        return ""
    try:
        paired = int(np.count_nonzero(partners(key, response, how) >= 0))
    except InputError:
        return ""
    if paired <= more_than:
        return ""
    responses = counted(response.documents, "response document")
    others = " --extra ignore" if paired < len(response.documents) and options.extra == "error" else ""
    return f"--pair {how}{others} pairs {paired} of {responses} {_BY[how]}"


def blocks_of(documents: Sequence[Document], scope: str) -> tuple[IntArray, Sequence[str]]:
    """The block of each document (the range over which an entity may extend), and the labels of the blocks."""
    if scope == "document":
        return np.arange(len(documents)), [d.label for d in documents]
    if scope == "corpus":
        return np.zeros(len(documents), dtype=np.int64), ["corpus"]
    from .labels import labels_of, number_labels

    labels = labels_of(documents, scope)
    return number_labels(labels)
