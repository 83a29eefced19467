"""A linter for coreference files: all problems, each with its place.

Readers find violations of their format. This module finds problems that any corpus can have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from ..corpus.model import Corpus
from ..corpus.spans import crossings, nested_in_same_entity, over_sentence_borders
from ..corpus.trees import trees
from ..errors import InputError, counted
from ..files.finding import File, find
from ..formats import FormatName
from ..formats.reading import Circumstances, is_side, sharing
from ..formats.shared.problems import CODES, Problem
from ..formats.shared.source import Source
from ..formats.shared.streaming import apart, stream
from ..keywords import known_keywords

SEVERITIES = ("error", "warning", "remark")


@known_keywords
def validate(*paths: str | Path, format: FormatName | None = None, encoding: str | None = None) -> list[Problem]:
    """Everything found in files, directories, globs or archives, in the order of the files and of their lines."""
    return [problem for path in paths for problem in check(str(path), format, encoding)]


def check(
    path: str, format: FormatName | None = None, encoding: str | None = None, most: int | None = None
) -> Iterator[Problem]:
    """The problems, file by file and piece by piece, so that memory stays bounded.

    Of each kind, `most` problems of a corpus are described, by default all; the others have only their code and line.

    In a directory or archive a file in no known format is only a remark, unless there is no other file. A file that
    belongs to another, such as the text beside an annotation, is only checked together with it.
    """
    try:
        if is_side(path):
            hint = "`coreflens db check` checks a database"
            raise InputError("a database has no lines to check", file=path, hint=hint, code="unknown-format")
        found = find(path)
        files = found.files
        own, strangers = apart(files, format, encoding) if found.several else (files, [])
        if not own:
            what = f"there is no coreference file here ({counted(files, 'file')})"
            raise InputError(what, file=path, code="unknown-format")
    except InputError as error:
        yield _problem(error, path)
        return
    for name, what in found.passed_over.items():
        yield Problem("irregular", f"this is {what}, and is not read", name)
    error_of = {file.name: error for file, error in strangers}
    own_names = {file.name for file in own}
    own_files = [file for file in files if file.name in own_names]
    problems_of_files = _checked(own_files, format, encoding, most)
    for file in files:
        if file.name in error_of:
            odd = _problem(error_of[file.name], file.name)
            yield Problem("passed-over", odd.message, file.name) if odd.code == "unknown-format" else odd
        elif file.name in own_names:
            yield from next(problems_of_files)


def _checked(
    own: list[File], format: FormatName | None, encoding: str | None, most: int | None
) -> Iterator[Iterable[Problem]]:
    """The problems of each file; of many files in several processes."""
    number = sharing(own, by_default=True)
    if number <= 1:
        return (_in_file(file, format, encoding, most) for file in own)
    from ..processes import each

    work = partial(_sent, Circumstances.here(), format, encoding, most)
    return each(work, [file.name for file in own], number)


def _in_file(file: File, format: FormatName | None, encoding: str | None, most: int | None) -> Iterator[Problem]:
    try:
        for _, source, corpus in stream(file, format, encoding, lenient=True):
            found = [*source.problems, *(_in_corpus(source, corpus, most) if corpus is not None else ())]
            yield from sorted(found, key=lambda p: (p.line or 0, p.column or 0))
    except InputError as error:
        yield _problem(error, file.name)


def _sent(
    here: Circumstances, format: FormatName | None, encoding: str | None, most: int | None, name: str
) -> list[Problem]:
    """The problems of a file, found in another process."""
    with here.hold():
        return [*_in_file(find(name).files[0], format, encoding, most)]


def _problem(error: InputError, file: str) -> Problem:
    return Problem(error.code, error.message, error.file or file, error.line, error.column, error.hint)


def _in_corpus(source: Source, corpus: Corpus, most: int | None = None) -> Iterator[Problem]:
    columns: dict[int, int | None] = {}  # by line, since a long line may have many problems
    lines = None if corpus.line is None else corpus.line.tolist()
    seen: Counter[str] = Counter()

    def problem(code: str, message: Callable[[], str], row: int = -1, line: int = 0) -> Problem:
        line = line or (lines[row] if lines is not None and row >= 0 else 0)
        seen[code] += 1
        if most is not None and seen[code] > most:
            return Problem(code, "", source.name, line or None)
        if line not in columns:
            columns[line] = _column(source, corpus, line)
        return Problem(code, message(), source.name, line or None, columns[line])

    for found in (_repeated, _crossing, _borders, _heads, _trees, _nested, _empty):
        yield from found(corpus, problem)


_MOST = 100  # tokens or characters of a mention that are read for a message, which shows 40 characters
_Problem = Callable[..., Problem]


def _trees(corpus: Corpus, problem: _Problem) -> Iterator[Problem]:
    """Trees that can't be read; only commands that need trees refuse them."""
    try:
        if corpus.has_text and corpus.unit == "token":
            trees(corpus)
    except InputError as error:
        yield problem("trees", error.message.__str__, line=error.line or 0)


def _repeated(corpus: Corpus, problem: _Problem) -> Iterator[Problem]:
    """Spans that occur more than once, in the same entity or in two."""
    first: dict[object, int] = {}
    rows = _rows_of_repeated(corpus)
    for row, spot in zip(rows, _spots(corpus, rows), strict=True):
        other = first.setdefault(spot, row)
        if other == row:
            continue
        code = "repeated" if corpus.entity[other] == corpus.entity[row] else "two-entities"
        yield problem(code, partial(_said_of_repeated, corpus, row, other), row)


def _spots(corpus: Corpus, rows: list[int]) -> Iterator[object]:
    """The place of each of these rows: two mentions that have the same one are the same."""
    if corpus.names is not None:
        return ((corpus.doc[row].item(), corpus.names[row]) for row in rows)
    if corpus.parts:
        return ((corpus.doc[row].item(), corpus.pieces(row)) for row in rows)
    return zip(*(column[rows].tolist() for column in (corpus.doc, corpus.start, corpus.end)), strict=True)


def _said_of_repeated(corpus: Corpus, row: int, other: int) -> str:
    here, there = (0, 0) if corpus.line is None else (int(corpus.line[row]), int(corpus.line[other]))
    where = f" (and at line {there})" if there and there != here else ""
    own, others = corpus.entity[row], corpus.entity[other]
    if own == others:
        return f"{_shown(corpus, row)} occurs twice in entity {corpus.labels[own]}{where}"
    return f"{_shown(corpus, row)} is in entities {corpus.labels[others]} and {corpus.labels[own]}{where}"


def _rows_of_repeated(corpus: Corpus) -> list[int]:
    """Rows that may share their span with another; only these are checked one by one."""
    if corpus.names is not None:
        counts = Counter(zip(corpus.doc.tolist(), corpus.names, strict=True))
        return [row for row, name in enumerate(corpus.names) if counts[int(corpus.doc[row]), name] > 1]
    if not len(corpus):
        return []
    order = np.lexsort((corpus.end, corpus.start, corpus.doc))
    columns = np.stack((corpus.doc, corpus.start, corpus.end))[:, order]
    same = (columns[:, 1:] == columns[:, :-1]).all(axis=0)
    rows: list[int] = np.sort(order[np.append(same, False) | np.append(False, same)]).tolist()
    return rows


def _crossing(corpus: Corpus, problem: _Problem) -> Iterator[Problem]:
    def said(one: int, other: int) -> str:
        return f"{_shown(corpus, other)} and {_shown(corpus, one)} cross"

    for one, other in crossings(corpus, corpus.parts):
        yield problem("crossing", partial(said, one, other), other)


def _borders(corpus: Corpus, problem: _Problem) -> Iterator[Problem]:
    def said(row: int) -> str:
        return f"{_shown(corpus, row)} extends over the end of a sentence"

    if corpus.has_text and corpus.unit == "token":
        for row in over_sentence_borders(corpus).tolist():
            yield problem("sentence-border", partial(said, row), row)


def _heads(corpus: Corpus, problem: _Problem) -> Iterator[Problem]:
    head = corpus.head
    if head is None:
        return

    def said(row: int) -> str:
        return f"the head of {_shown(corpus, row)}, token {head[row]}, is not in it"

    outside = (head >= 0) & ((head < corpus.start) | (head > corpus.end))
    for row in np.flatnonzero(outside).tolist():
        yield problem("bad-head", partial(said, row), row)


def _nested(corpus: Corpus, problem: _Problem) -> Iterator[Problem]:
    def said(outer: int, inner: int) -> str:
        label = corpus.labels[corpus.entity[inner]]
        return f"{_shown(corpus, inner)} is within {_shown(corpus, outer)}, and both are in entity {label}"

    for outer, inner in nested_in_same_entity(corpus):
        yield problem("same-entity", partial(said, outer, inner), inner)


def _empty(corpus: Corpus, problem: _Problem) -> Iterator[Problem]:
    for d in np.flatnonzero(np.diff(corpus.bounds) == 0).tolist():
        document = corpus.documents[d]
        yield problem("no-mentions", f"document {document.quoted} has no mention".__str__, line=document.line)


def _shown(corpus: Corpus, row: int) -> str:
    """A mention for a message: its words, if the source has them, else its name or span."""
    if corpus.has_text and corpus.start[row] >= 0:
        words = " ".join(corpus.words(row, _MOST).split())
        return f"'{words}'" if len(words) <= 40 else f"'{words[:37]}...'"
    mention = corpus.mention(row)
    return f"mention {mention.name!r}" if mention.name is not None else f"mention {mention.identity}"


def _column(source: Source, corpus: Corpus, line: int) -> int | None:
    """The column of the coreference in a line of a column format."""
    if not line or corpus.format not in ("conll", "semeval", "conllu", "conllua"):
        return None
    text = source.line(line - source.offset)
    place = text.find(b"Entity=") if corpus.format == "conllu" else len(text.rstrip()) - len(text.split()[-1:][0])
    return len(text[:place].decode(errors="replace")) + 1 if place >= 0 else None


def tally(counts: Mapping[str, int]) -> str:
    """Of the number of problems with each code: `2 errors, 1 warning`; `nothing found`."""
    by_severity: Counter[str] = Counter()
    for code, count in counts.items():
        by_severity[CODES[code][0]] += count
    shown = [f"{by_severity[s]} {s}{'' if by_severity[s] == 1 else 's'}" for s in SEVERITIES if by_severity[s]]
    return ", ".join(shown) or "nothing found"


def github(problem: Problem) -> str:
    """A workflow command that GitHub shows beside the line."""
    kind = {"error": "error", "warning": "warning", "remark": "notice"}[problem.severity]
    where = {"file": problem.file, "line": problem.line, "col": problem.column, "title": problem.code}
    properties = ",".join(f"{name}={_escaped(str(value), True)}" for name, value in where.items() if value is not None)
    return f"::{kind} {properties}::{_escaped(problem.message, False)}"


def _escaped(text: str, is_property: bool) -> str:
    for char in "%\r\n" + ":," * is_property:
        text = text.replace(char, f"%{ord(char):02X}")
    return text
