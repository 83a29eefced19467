"""Files of any size, read a few documents at a time.

A format can be streamed if its module has `DOCUMENT`, a pattern of the line that begins a document. If it also has
`CARRIED`, lines of this pattern hold for all documents after them, and are put before every piece. Files in other
formats are one piece.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from posixpath import normpath
from typing import IO, cast

from ...corpus.model import Corpus, Document, Text
from ...errors import InputError
from ...files.finding import File
from ...files.gzipped import Unzipped, measure
from ...files.limits import allowed, check_lines
from ...files.opening import open_file, unreadable
from ..reading import noting, opened, source_of
from ..registry import Format, choose_format, prepared
from .problems import Problem
from .source import Source

SIZE = 1 << 24  # bytes of a piece; a larger document is one piece
_BORDER = 1 << 14  # bytes at the end of a piece that may belong to a document that begins in the next


def stream(
    file: File,
    format: str | None = None,
    encoding: str | None = None,
    *,
    lenient: bool = False,
    size: int = SIZE,
) -> Iterator[tuple[Format, Source, Corpus | None]]:
    """The pieces of a file and their corpora; if lenient, errors are among the problems of the sources."""
    format = choose_format(format)
    known: dict[tuple[str, int | None], Document] = {}
    for chosen, source in _pieces(file, format, encoding, size):
        source.lenient = lenient
        corpus = None
        try:
            corpus = _shifted(chosen.module.read(source), source.offset)
        except InputError as error:
            line = None if error.line is None else error.line + source.offset
            if not lenient:
                raise InputError(
                    error.message, file=error.file, line=line, column=error.column, hint=error.hint, code=error.code
                ) from None
            source.problems.append(_problem(error, source.name))
        source.problems[:] = [
            p._replace(line=None if p.line is None else p.line + source.offset) for p in source.problems
        ]
        for document in corpus.documents if corpus else ():
            first = known.setdefault(document[:2], document)
            if first is not document and first.line <= source.offset:  # within a piece the reader reports it
                _report_twice(source, document, first)
        yield chosen, source, corpus


def apart(
    files: list[File], format: str | None = None, encoding: str | None = None
) -> tuple[list[File], list[tuple[File, InputError]]]:
    """The files that are read separately, and those that are empty or in no known format, each with its error.

    A file that another one reads as its part is in neither list, such as the text of a .ann or the words of an MMAX2
    project.
    """
    used: set[str] = set()
    readable: list[File] = []
    strangers: list[tuple[File, InputError]] = []
    for file in files:
        try:
            chosen, source = next(_pieces(replace(file, sibling=noting(file, used)), format, encoding, SIZE))
        except InputError as error:
            if error.code in ("unknown-format", "empty-file"):
                strangers.append((file, error))
            else:
                readable.append(file)
            continue
        readable.append(file)
        if not hasattr(chosen.module, "DOCUMENT"):  # a file that may have neighbours
            source.lenient = True
            with suppress(InputError):
                chosen.module.read(source)
    own = [file for file in readable if normpath(file.name) not in used] or readable
    return own, [(file, error) for file, error in strangers if normpath(file.name) not in used]


def _pieces(file: File, format: str | None, encoding: str | None, size: int) -> Iterator[tuple[Format, Source]]:
    whole = _streamable(file, encoding)
    if whole is None:
        source = opened(file, encoding)
        yield prepared(source, format)
        return
    with whole as stream:
        head = stream.read(size)
        source = source_of(head.removeprefix(b"\xef\xbb\xbf"), file)
        if format and ":" in format:
            source.data += stream.read()
            yield prepared(source, format)
            return
        chosen, source = prepared(source, format)
        begins: re.Pattern[bytes] | None = getattr(chosen.module, "DOCUMENT", None)
        array = source.data.lstrip()[:1] == b"["  # a JSON array, which can't be cut
        if begins is None or array or len(head) < size:
            source.data += stream.read()
            check_lines(source.data, file.name)
            yield chosen, source
            return
        carried = b""
        offset = 0
        data = source.data
        while data:
            more = stream.read(size)
            cut = _last(begins, data) if more else len(data)
            if more and not cut:
                data, cut, more = _longer(begins, data, more, stream, file.name, size)
            piece = data[:cut]
            check_lines(piece, file.name)
            lines = carried.count(b"\n")
            yield chosen, replace(source_of(carried + piece, file), offset=offset - lines)
            carried = _header(chosen, carried + piece)
            offset += piece.count(b"\n")
            data = data[cut:] + more


def _longer(
    begins: re.Pattern[bytes], data: bytes, more: bytes, stream: IO[bytes], name: str, size: int
) -> tuple[bytes, int, bytes]:
    """A document that is larger than a piece, read up to the next document; bytes are searched only once."""
    whole = bytearray(data)
    cut = 0
    while more and not cut:
        last = whole.rfind(b"\n") + 1
        if len(whole) - last > allowed().line:
            check_lines(bytes(whole), name)
        searched = whole.rfind(b"\n", 0, max(last - _BORDER, 0)) + 1
        whole += more
        more = stream.read(size)
        cut = _last(begins, whole, searched)
    return bytes(whole), cut or len(whole), more


def _streamable(file: File, encoding: str | None) -> IO[bytes] | None:
    """The file as a stream of UTF-8, unless it must be recoded or is not on disk."""
    if encoding is not None or not file.on_disk:
        return None
    stream = open_file(file.name)
    try:
        magic = stream.read(3)
        stream.seek(0)
        if magic[:2] == b"\x1f\x8b":
            measure(stream, file.name)
            return cast(IO[bytes], Unzipped(stream, file.name, file.budget))
        if magic[:2] not in (b"\xff\xfe", b"\xfe\xff"):
            return stream
    except (OSError, InputError) as error:
        stream.close()
        raise (error if isinstance(error, InputError) else unreadable(error, file.name)) from None
    stream.close()
    return None


def _last(begins: re.Pattern[bytes], data: bytes | bytearray, low: int = 0) -> int:
    """Where the last document from `low` on begins; 0 if there is none besides the first."""
    stop = len(data)
    step = 1 << 16
    while stop > low:
        start = max(data.rfind(b"\n", low, max(stop - step, low)) + 1, low)
        begins_at = [match.start() for match in begins.finditer(data, start, stop)]
        if begins_at and begins_at[-1]:
            return begins_at[-1]
        stop = start
        step *= 2
    return 0


def _header(format: Format, data: bytes) -> bytes:
    pattern: re.Pattern[bytes] | None = getattr(format.module, "CARRIED", None)
    lines = [] if pattern is None else [match[0].rstrip(b"\r\n") + b"\n" for match in pattern.finditer(data)]
    return b"".join(dict.fromkeys(lines))


def _shifted(corpus: Corpus, offset: int) -> Corpus:
    """The corpus with lines counted in the file instead of the piece."""
    if not offset:
        return corpus
    texts = corpus.texts
    return replace(
        corpus,
        documents=[d._replace(line=d.line + offset if d.line else 0) for d in corpus.documents],
        line=None if corpus.line is None else corpus.line + offset,
        texts=_shift_text(texts, offset) if isinstance(texts, Text) else _shift_later(texts, offset),
    )


def _shift_later(texts: Callable[[], Text] | None, offset: int) -> Callable[[], Text] | None:
    return None if texts is None else lambda: _shift_text(texts(), offset)


def _shift_text(text: Text, offset: int) -> Text:
    return text if text.line is None else replace(text, line=text.line + offset)


def _problem(error: InputError, name: str) -> Problem:
    return Problem(error.code, error.message, error.file or name, error.line, error.column, error.hint)


def _report_twice(source: Source, document: Document, first: Document) -> None:
    message = f"there is already a document {document.quoted} at line {first.line}"
    source.report("duplicate-document", message, line=document.line)
