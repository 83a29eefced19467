r"""CoNLL-2011/2012 coreference and its relatives.

    file    = (line newline)*                  a file without a begin line is one document, named after the file
    line    = begin | end | comment | token | only separators
    begin   = "#" "begin document" name ("; part" number)?        the name may be in parentheses, and may be missing
    end     = "#" "end document"               may be missing: the next begin or the end of the file ends a document
    comment = "#" anything                     a line with tabs that ends in a cell is a token instead
    token   = (column separator)* cell         separator: a tab, or a run of blanks and other control characters
    cell    = "-" | "_" | "*" | nothing, after a tab | piece ("|"? piece)*
    piece   = "(" id ")" | "(" id | id ")"     id: any bytes except brackets, pipes and separators

The last column is the coreference, for any number of columns. The pieces of a cell are read in the order in which they
are written, and `id)` closes the mention of that id that was opened last. Mentions of different ids may cross. Any
mention may cross a sentence border, which is only a blank line. In a line with tabs there may be blanks between the
pieces: `(1| (2`.

The words are the column after the word numbers. The word numbers are the first column that goes up by one from line to
line of a sentence. If there is none, the words are the first column that is neither numbers nor the same in every line.
The first lines decide. If the remaining columns have only numbers, or repeat one name in every line, the file has no
words. If there are two columns and the first is different in every line of a document, and not only numbers, it names
the mentions and does not give words. If some lines have no mention, this holds only if each name has a digit, as `m_1`
does.

    CoNLL-2012   document, part, number, word, then pos, parse, lemma, frameset, sense, speaker, names, arguments...
                 with twelve columns or more; `-` means no value, and `*` in names
    SemEval      number, word, lemma, ... with seventeen columns or more: see `semeval`
    any other    the columns are layers such as `column 5`, counted from 1; `-` means no value

A column that has only `-`, `_` and `*` is ignored. The columns of document, part and number are kept as layers of these
names only if they differ from the begin line and from the count of the words.

If a file can't be read otherwise, some malformed cells are accepted with a warning. An id without brackets, such as
`1`, is ignored where mention 1 is open. `2)_1)` is read as `2)|1)`. In SemEval's files `_(3)` is read as `(3)`, and the
label of an argument as `_`. All lines of a sentence must have the same columns. If a line has not, its last cell is
read with a warning, if it is certain that it is the coreference.

The writer puts tabs between columns. It writes the twelve columns of CoNLL-2012 and those of the arguments, or the
`column 5` layers that were read. Mentions that have only names are written as two columns. If there are no words, the
two columns are numbers and coreference. The mentions in a cell have the order of OntoNotes: those that open, by
ascending label; those of one word; and those that close, by descending label: `(0|(46`, `(23)|8)`.

The bytes are read in slices of whole lines with numpy. Nearly all lines are decided by their last two bytes ("-" after
a separator). The cells of the other lines are joined to one string and cut into pieces all at once. Tokens, lines and
ids are numbered through the file, and are divided among its documents only at the end.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from itertools import count, pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...corpus.model import Corpus, Document, IntArray, file_stem
from ...errors import InputError
from ...integers import repeat
from ..shared.source import Source, checked
from .columns import (
    BLANKS,
    HEADER,
    SEPARATORS,
    TO_BLANK,
    columns,
    has_coreference,
    is_token,
    last_column,
    name_and_part,
    slices,
)
from .problems import Problems
from .text import HOLDS, SEMEVAL, TextReader, find_layout
from .widths import evened, widths

__all__ = ["APPENDS", "DOCUMENT", "HOLDS", "columns", "looks_like", "read", "write"]

Bytes: TypeAlias = npt.NDArray[np.uint8]
Bools: TypeAlias = npt.NDArray[np.bool_]
TAB, NEWLINE, RETURN, BLANK, OPEN, CLOSE, PIPE = b"\t\n\r ()|"
SLICE = 1 << 21  # bytes read at a time: small enough for the caches, large enough for numpy to be fast
WINDOW = 24  # longer cells are searched one by one
DOCUMENT = re.compile(rb"^#[ \t]*begin[ \t]+document", re.MULTILINE)
APPENDS = True
_NO_MENTION = np.isin(np.arange(256), list(b"-_*"))
_CELL_END = np.frombuffer(b")0123456789", np.uint8)
_DIGIT = re.compile(rb"[0-9]")
_ALIEN = re.compile(rb"^# *(?:newdoc|newpar|sent_id|global\.|FORMAT=)|\0", re.MULTILINE)  # CoNLL-U, WebAnno, UTF-16


def looks_like(head: bytes) -> bool:
    """Whether a file with this beginning is of this format: it has a begin line, or its cells obey the grammar."""
    begins = any(header[1] == b"begin" for header in HEADER.finditer(head))
    return begins or (not _ALIEN.search(head) and has_coreference(BytesIO(head)))


def read(source: Source) -> Corpus:
    """The corpus in the file. Raises nothing but InputError."""
    reader, first_error = None, None
    try:
        reader = _Reader(_strict(source), source.data)
        corpus = reader.corpus()
        if not reader.uneven:
            return corpus
    except InputError as error:
        first_error = error
    return _read_mended(source, first_error, evens=reader is not None)


def _read_mended(source: Source, error: InputError | None, evens: bool) -> Corpus:
    """The corpus of a file that could not be read as it is; `evens`: its lines may be uneven.

    An error if no way to mend the file makes it readable, and the source is not lenient.
    """
    from .malformed import corrected, without_continuations

    for mend in (evened, without_continuations, corrected):
        if mend is evened and not evens:
            continue
        data = mend(source)
        if data is not None:
            source = replace(source, data=data, again=None)
            try:
                return _Reader(_strict(source), data).corpus()
            except InputError as newer:
                error = newer
    if error and not source.lenient:
        raise error
    return _Reader(source, source.data).corpus()


def write(corpus: Corpus) -> Iterator[str]:
    """The file, document by document. An InputError if the format can't hold the corpus."""
    from .writer import write_corpus

    return write_corpus(corpus)


def _strict(source: Source) -> Source:
    """The same source, but it stops at the first error and has a separate list of reports."""
    return replace(source, lenient=False, problems=[*source.problems])


class _Pieces(NamedTuple):
    token: IntArray
    line: IntArray
    place: IntArray  # of the id, in the bytes
    id: IntArray
    opens: Bools
    closes: Bools

    def take(self, rows: IntArray) -> _Pieces:
        token, line, place, number, opens, closes = self
        return _Pieces(token[rows], line[rows], place[rows], number[rows], opens[rows], closes[rows])


class _Reader:
    def __init__(self, source: Source, data: bytes) -> None:
        self.source, self.name, self.data = source, source.name, checked(source, data)
        self.tokens = self.lines = self.width = self.before = 0
        self.uneven = False
        self.ids: dict[bytes, int] = defaultdict(count().__next__)
        self.headers: list[tuple[int, int, bytes | None]] = []  # line, tokens before it, name (None in an end line)
        none, never = np.zeros(0, np.int64), np.zeros(0, np.bool_)
        self.pieces = [_Pieces(none, none, none, none, never, never)]
        self.starts: list[IntArray] | None = []  # of the token lines, as long as these may be ids of mentions
        self.problems = Problems(source, self.data)
        self.check_end()
        self.bytes: Bytes = np.frombuffer(self.data, np.uint8)

    def corpus(self) -> Corpus:
        for begin, stop in slices(self.data, SLICE):
            self.read_slice(begin, stop)
        documents, first, stops = self.documents()
        pieces = _Pieces(*map(np.concatenate, zip(*self.pieces, strict=True)))
        doc = np.searchsorted(first, pieces.token, side="right") - 1
        if stops is not None:  # some tokens are in no document
            inside = np.flatnonzero((doc >= 0) & (pieces.token < stops[doc]))
            pieces, doc = pieces.take(inside), doc[inside]
        pieces, doc, end = self.pair(pieces, doc)
        rows = np.flatnonzero(pieces.opens)
        doc, token = doc[rows], pieces.token[rows]
        start, end = token - first[doc], end[rows] - first[doc]
        labels, names = [label.decode() for label in self.ids], self.names(documents, first, token)
        words = names is None and (self.width >= 5 or find_layout(self.data) is not None)
        again = self.source.again if self.data is self.source.data else None
        return Corpus(
            documents,
            doc,
            start,
            end,
            pieces.id[rows],
            labels,
            names,
            pieces.line[rows],
            self.name,
            "semeval" if SEMEVAL.match(self.data) else "conll",
            self.source.issues(),
            texts=TextReader(again or self.data, documents, first) if words else None,
        )

    def read_slice(self, begin: int, stop: int) -> None:
        """Number the tokens of the whole lines data[begin:stop], record the headers, and read the cells."""
        newline = np.flatnonzero(self.bytes[begin:stop] == NEWLINE) + begin
        if self.data[stop - 1] != NEWLINE:
            newline = np.append(newline, stop)
        start = np.concatenate(([begin], newline[:-1] + 1))
        end = newline - (self.at(newline - 1) == RETURN)
        last, apart = self.strip(start, end)
        token = end > start
        headers = []
        hashes = np.flatnonzero(token & (self.at(start) == ord("#")))
        for i, a, b in zip(hashes.tolist(), start[hashes].tolist(), end[hashes].tolist(), strict=True):
            line = self.data[a:b]
            header = HEADER.match(line)
            if header:
                headers.append((i, header))
            token[i] = not header and is_token(line)
        self.check_widths(begin, stop, start, end, token, last)
        number = np.cumsum(token) + (self.tokens - 1)
        for i, header in headers:
            text = header[2] if header[1] == b"begin" else None
            self.headers.append((self.lines + i + 1, int(number[i]) + 1, text))
        look = np.flatnonzero(token & ~np.where(apart, _NO_MENTION[last], last == TAB))
        cell = self.find_cells(start[look], end[look])
        filled = cell + _NO_MENTION[self.at(cell)] < end[look]
        cell, look = cell[filled], look[filled]
        if len(look):
            self.read_cells(cell, end[look], number[look], look + (self.lines + 1))
        if self.starts is not None and token.any():
            self.width = columns(self.line_at(start[token.argmax()]))
            self.starts = [*self.starts, start[token]] if self.width == 2 else None
        self.tokens = int(number[-1]) + 1
        self.lines += len(newline)

    def check_widths(self, begin: int, stop: int, start: IntArray, end: IntArray, token: Bools, last: Bytes) -> None:
        """Record whether a line has more or fewer columns than the token line before it, or an empty cell after one
        that looks like coreference."""
        tabs = self.data.find(b"\t", begin, stop) >= 0
        width = widths(self.bytes[begin:stop], start - begin, token, tabs)
        before = np.concatenate(([self.before], width[:-1]))
        self.uneven |= bool(((width != before) & (width > 0) & (before > 0)).any())
        self.before = int(width[-1])
        if not self.uneven and (empty := token & (last == TAB)).any():
            self.uneven = bool(np.isin(self.at(end[empty] - 2), _CELL_END).any())

    def strip(self, start: IntArray, end: IntArray) -> tuple[Bytes, Bools]:
        """Remove blanks from the ends of lines; returns their last bytes, and whether a separator is before each."""
        last, apart = self.at(end - 1), self.at(end - 2) <= BLANK
        loose = np.flatnonzero((last <= BLANK) & (apart | (last != TAB)) & (end > start))
        for i in loose.tolist():
            line = self.data[start[i] : end[i]].rstrip(BLANKS)  # a tab stays, because the cell after it is empty
            end[i] = start[i] + (len(line) if line.strip(SEPARATORS) else 0)
        return (self.at(end - 1), self.at(end - 2) <= BLANK) if len(loose) else (last, apart)

    def find_cells(self, start: IntArray, end: IntArray) -> IntArray:
        """Where the last column of each line starts."""
        cell, live = end.copy(), np.arange(len(end))
        for _ in range(WINDOW):
            live = live[(self.at(cell[live] - 1) > BLANK) & (cell[live] > start[live])]
            cell[live] -= 1
        for i in live.tolist():
            cell[i] = end[i] - len(self.data[start[i] : end[i]].translate(TO_BLANK).rpartition(b" ")[2])
        spaced = np.flatnonzero((self.at(cell - 1) == BLANK) & (cell > start))
        if len(spaced) and self.data.find(b"\t", start[0], end[-1]) >= 0:
            for i in spaced.tolist():
                cell[i] = end[i] - len(last_column(self.data[start[i] : end[i]]))
        return cell

    def read_cells(self, cell: IntArray, end: IntArray, token: IntArray, line: IntArray) -> None:
        """Cut data[cell:end] of every line into its pieces."""
        size = end - cell + 1
        stop = np.cumsum(size)
        place = repeat(cell - stop + size, size) + np.arange(stop[-1])
        char = self.at(place)
        char[stop - 1] = PIPE  # all cells are now one string, with a pipe after each
        opening, closing, pipe = char == OPEN, char == CLOSE, char == PIPE
        special = opening | closing | pipe | (char == BLANK)
        after_special = np.concatenate(([True], special[:-1]))
        first = np.flatnonzero(~special & after_special)
        after_id = special & ~after_special
        opens, closes = opening[first - 1], closing[after_id]
        lonely = np.count_nonzero(opening | closing) - np.count_nonzero(opens) - np.count_nonzero(closes)
        if lonely or not (opens | closes).all() or pipe[0] or (pipe[1:] & pipe[:-1]).any():
            good = self.problems.cells(cell, end)
            if 0 < len(good) < len(cell):
                self.read_cells(cell[good], end[good], token[good], line[good])
            if len(good) < len(cell):
                return
        char[special] = NEWLINE
        ids = char[after_id | ~special].tobytes().split(b"\n")[:-1]
        number = np.fromiter(map(self.ids.__getitem__, ids), np.int64, len(ids))
        row = np.searchsorted(cell, place[first], side="right") - 1
        self.pieces.append(_Pieces(token[row], line[row], place[first], number, opens, closes))
        if (opens != closes).any():
            self.starts = None

    def at(self, place: IntArray) -> Bytes:
        return self.bytes.take(place, mode="clip")  # before the first byte it gives the first byte; callers check that

    def line_at(self, start: int) -> bytes:
        stop = self.data.find(b"\n", start)
        return self.data[start : stop if stop >= 0 else None].rstrip(BLANKS)

    def documents(self) -> tuple[list[Document], IntArray, IntArray | None]:
        """The documents, the first token of each, and where each ends, if some token is in no document."""
        if not self.tokens:
            hint = "its lines end in CR only" if b"\r" in self.data and b"\n" not in self.data else ""
            self.source.fail("there is no token line in this file", hint=hint, code="input")
        headers = self.headers
        if not any(text is not None for _, _, text in headers):
            headers = [(1, 0, b"")]
        documents: dict[tuple[str, int | None], Document] = {}
        first, stops, outside = list[int](), list[int](), list[int]()
        for (line, a, text), (_, b, _) in pairwise([(0, 0, None), *headers, (0, self.tokens, None)]):
            if text is None:
                if a < b:
                    outside.append(line)
                continue
            name, part = name_and_part(text.decode())
            document = Document(name or file_stem(self.name), part, b - a, self.name, line)
            known = documents.setdefault(document[:2], document)
            if known is not document:
                message = f"there is already a document '{document.label}' at line {known.line}"
                self.source.report("duplicate-document", message, line=line)
                continue
            first.append(a)
            stops.append(b)
        self.problems.outside(outside)
        gaps = [0, *stops] != [*first, self.tokens]
        return list(documents.values()), np.array(first, np.int64), np.array(stops, np.int64) if gaps else None

    def pair(self, pieces: _Pieces, doc: IntArray) -> tuple[_Pieces, IntArray, IntArray]:
        """The last token of each mention, at its opening piece; pieces that have no partner are left out."""
        end = pieces.token.copy()
        half = np.flatnonzero(pieces.opens != pieces.closes)
        key = doc[half] * len(self.ids) + pieces.id[half]
        order = np.argsort(key, kind="stable")
        half, key = half[order], key[order]
        opens = pieces.opens[half]
        depth = np.cumsum(np.where(opens, 1, -1))
        if len(half) and (depth.min() < 0 or depth[-1] or depth[:-1][key[1:] != key[:-1]].any()):
            half = np.sort(half)
            paired = self.problems.unpaired(list(self.ids), half, doc, pieces.id, pieces.opens, pieces.place)
            return self.pair(pieces.take(paired), doc[paired])
        level = depth + ~opens  # how many of one id and document are open: on every level, opens and closes alternate
        if len(half) and level.max() > 1:
            half = half[np.lexsort((level, key))]
        end[half[0::2]] = pieces.token[half[1::2]]
        return pieces, doc, end

    def names(self, documents: list[Document], first: IntArray, token: IntArray) -> list[str] | None:
        """The first column, if it names the mentions: one of two columns, different for each token, not only numbers.

        If some line has no mention, the names are words, unless each of them has a digit.
        """
        if self.starts is None:
            return None
        starts, names = np.concatenate(self.starts), dict[int, bytes]()
        all_mentions = len(np.unique(token)) >= sum(document.tokens or 0 for document in documents)
        for a, document in zip(first.tolist(), documents, strict=True):
            lines = [self.line_at(start) for start in starts[a : a + document.tokens].tolist()]
            words = [_first_of_two(line) for line in lines]
            if not all(columns(line) == 2 for line in lines) or not _are_names(words, all_mentions):
                return None
            names.update(enumerate(words, a))
        return [names[i].decode() for i in token.tolist()]

    def check_end(self) -> None:
        """Check that a last line without a newline has the columns of the line before it in its sentence."""
        stop = self.data.rfind(b"\n") + 1
        before, last = self.line_at(self.data.rfind(b"\n", 0, max(stop - 1, 0)) + 1), self.line_at(stop)
        same = columns(last) == columns(before) and not (last.endswith(b"\t") and before[-1:] in b"-_*")
        if stop and is_token(before) and is_token(last) and not same:
            what, hint = "the file seems to be cut off here", "the line before has more or fewer columns"
            self.source.report("truncated", what, **self.problems.place(len(self.data)), hint=hint)
            self.data = self.data[:stop]


def _first_of_two(line: bytes) -> bytes:
    return line.partition(b"\t")[0].strip() if b"\t" in line else line.split()[0]


def _are_names(words: list[bytes], all_mentions: bool) -> bool:
    """Whether the first column of a document names mentions; `all_mentions`: there is a mention in every line.

    If there is not, these are words unless each of them has a digit, as ids have.
    """
    if len(set(words)) < len(words) or (words and all(map(bytes.isdigit, words))):
        return False
    return all_mentions or all(map(_DIGIT.search, words))
