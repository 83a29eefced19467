r"""CoNLL-2011/2012 coreference and its relatives.

    file    = (line newline)*                  without any begin line the file is one document, named after the file
    line    = begin | end | comment | token | separators alone
    begin   = "#" "begin document" name ("; part" number)?        the name in parentheses or bare, or missing
    end     = "#" "end document"               may be missing: the next begin or the end of the file ends a document
    comment = "#" anything                     but see `_is_token`
    token   = (column separator)* cell         separator: a tab, or a run of blanks and other control characters
    cell    = "-" | "_" | "*" | nothing, after a tab | piece ("|"? piece)*
    piece   = "(" id ")" | "(" id | id ")"     id: any bytes but brackets, pipes and separators

The last column is the one that counts, however many there are. `id)` closes the mention of that id opened last, the
pieces of a cell taken as they are written; mentions of different ids may cross, and any may cross a sentence border,
which is only a blank line. In a line with tabs the pieces may stand apart: `(1| (2`.

The bytes are read in slices of whole lines with numpy. Nearly all lines are settled by their last two bytes ("-" after
a separator); the cells of the others are laid end to end and cut into pieces all at once. Tokens, lines and ids are
numbered through the file, and only at the end divided among its documents.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import count, islice, pairwise
from typing import NamedTuple, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..model import Corpus, Document, IntArray, file_stem
from . import encoding
from .source import Source

Bytes: TypeAlias = npt.NDArray[np.uint8]
Bools: TypeAlias = npt.NDArray[np.bool_]
SLICE = 1 << 21  # bytes read at a time: few enough for the caches, enough for numpy to pay
WINDOW = 24  # cells that are longer are looked for one by one
TAB, NEWLINE, RETURN, BLANK, OPEN, CLOSE, PIPE = b"\t\n\r ()|"
_SEPARATORS = bytes(range(BLANK + 1))
_BLANKS = _SEPARATORS.replace(b"\t", b"")  # what may trail behind the last column
_TO_BLANK = bytes(max(byte, BLANK) for byte in range(256))  # makes every separator a blank
_NO_MENTION = np.isin(np.arange(256), list(b"-_*"))
# An id ends where it can't go on, lest a long cell that is wrong be tried in every possible division. (Possessive
# quantifiers would say so, too, but match wrongly in Python 3.11.2.)
_ID = rb"[^()|\x00-\x20]+(?![^()|\x00-\x20])"
_PIECE = rb"(?:\(%b\)?|%b\))" % (_ID, _ID)
_CELL = re.compile(rb"[-_*]|%b(?:(?: *\|)? *%b)*" % (_PIECE, _PIECE))
_HEADER = re.compile(rb"^#[ \t]*(begin|end)[ \t]+document(?![a-z])([^\n]*)", re.MULTILINE)
_ALIEN = re.compile(rb"^# *(?:newdoc|newpar|sent_id|global\.|FORMAT=)|\0", re.MULTILINE)  # CoNLL-U, WebAnno, UTF-16


def looks_like(head: bytes) -> bool:
    """Whether a file that starts so is of this format: by a begin line, else by cells that obey the grammar."""
    begins = any(header[1] == b"begin" for header in _HEADER.finditer(head))
    return begins or (not _ALIEN.search(head) and _has_coreference(BytesIO(head)))


def read(source: Source) -> Corpus:
    """The corpus in the file. Raises nothing but InputError."""
    data, name = source.data, source.name
    reader = _Reader(data, name)
    reader.check_text()
    reader.check_end()
    for begin, stop in _slices(data, SLICE):
        reader.read_slice(begin, stop)
    documents, first = reader.documents()
    pieces = _Pieces(*map(np.concatenate, zip(*reader.pieces, strict=True)))
    doc = np.searchsorted(first, pieces.token, side="right") - 1
    end = reader.pair(pieces, doc)
    rows = np.flatnonzero(pieces.opens)
    doc, token = doc[rows], pieces.token[rows]
    start, end = token - first[doc], end[rows] - first[doc]
    labels, names = [label.decode() for label in reader.ids], reader.names(first, token)
    return Corpus(documents, doc, start, end, pieces.id[rows], labels, names, pieces.line[rows], name, "conll")


class _Pieces(NamedTuple):
    token: IntArray
    line: IntArray
    place: IntArray  # of the id, in the bytes
    id: IntArray
    opens: Bools
    closes: Bools


class _Reader:
    def __init__(self, data: bytes, name: str) -> None:
        self.data, self.name = data, name
        self.bytes: Bytes = np.frombuffer(data, np.uint8)
        self.tokens = self.lines = self.tabbed = 0
        self.ids: dict[bytes, int] = defaultdict(count().__next__)
        self.headers: list[tuple[int, int, bytes | None]] = []  # line, tokens before it, name (None in an end line)
        none, never = np.zeros(0, np.int64), np.zeros(0, np.bool_)
        self.pieces = [_Pieces(none, none, none, none, never, never)]
        self.starts: list[IntArray] | None = []  # of the token lines, while these may turn out to be mention ids

    def read_slice(self, begin: int, stop: int) -> None:
        """Number the tokens of data[begin:stop], which is whole lines, note the headers, and read the cells."""
        newline = np.flatnonzero(self.bytes[begin:stop] == NEWLINE) + begin
        if self.data[stop - 1] != NEWLINE:
            newline = np.append(newline, stop)
        start = np.concatenate(([begin], newline[:-1] + 1))
        end = newline - (self.at(newline - 1) == RETURN)
        last, apart = self.strip(start, end)
        token = end > start
        headers, hashes = [], np.flatnonzero(token & (self.at(start) == ord("#")))
        for i, a, b in zip(hashes.tolist(), start[hashes].tolist(), end[hashes].tolist(), strict=True):
            token[i] = _is_token(line := self.data[a:b])
            if header := _HEADER.match(line):
                headers.append((i, header))
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
            two = _columns(self.line_at(start[token.argmax()])) == 2
            self.starts = [*self.starts, start[token]] if two else None
        self.tabbed += int(np.count_nonzero(token & (last == TAB)))
        self.tokens = int(number[-1]) + 1
        self.lines += len(newline)

    def strip(self, start: IntArray, end: IntArray) -> tuple[Bytes, Bools]:
        """Take blanks off the ends of lines; their last bytes, and whether the byte before each is a separator."""
        last, apart = self.at(end - 1), self.at(end - 2) <= BLANK
        loose = np.flatnonzero((last <= BLANK) & (apart | (last != TAB)) & (end > start))
        for i in loose.tolist():
            line = self.data[start[i] : end[i]].rstrip(_BLANKS)  # but a tab stays: the cell behind it is empty
            end[i] = start[i] + (len(line) if line.strip(_SEPARATORS) else 0)
        return (self.at(end - 1), self.at(end - 2) <= BLANK) if len(loose) else (last, apart)

    def find_cells(self, start: IntArray, end: IntArray) -> IntArray:
        """Where the last column of each line starts."""
        cell, live = end.copy(), np.arange(len(end))
        for _ in range(WINDOW):
            live = live[(self.at(cell[live] - 1) > BLANK) & (cell[live] > start[live])]
            cell[live] -= 1
        for i in live.tolist():
            cell[i] = end[i] - len(self.data[start[i] : end[i]].translate(_TO_BLANK).rpartition(b" ")[2])
        spaced = np.flatnonzero((self.at(cell - 1) == BLANK) & (cell > start))
        if len(spaced) and self.data.find(b"\t", start[0], end[-1]) >= 0:
            for i in spaced.tolist():
                cell[i] = end[i] - len(_last_column(self.data[start[i] : end[i]]))
        return cell

    def read_cells(self, cell: IntArray, end: IntArray, token: IntArray, line: IntArray) -> None:
        """Cut data[cell:end] of every line into its pieces."""
        size = end - cell + 1
        stop = np.cumsum(size)
        place = np.repeat(cell - stop + size, size) + np.arange(stop[-1])
        char = self.at(place)
        char[stop - 1] = PIPE  # all cells are one string now, with a pipe behind each
        opening, closing, pipe = char == OPEN, char == CLOSE, char == PIPE
        special = opening | closing | pipe | (char == BLANK)
        after_special = np.concatenate(([True], special[:-1]))
        first = np.flatnonzero(~special & after_special)
        after_id = special & ~after_special
        opens, closes = opening[first - 1], closing[after_id]
        lonely = np.count_nonzero(opening | closing) - np.count_nonzero(opens) - np.count_nonzero(closes)
        if lonely or not (opens | closes).all() or pipe[0] or (pipe[1:] & pipe[:-1]).any():
            self.reject(cell, end)
        char[special] = NEWLINE
        ids = char[after_id | ~special].tobytes().split(b"\n")[:-1]
        number = np.fromiter(map(self.ids.__getitem__, ids), np.int64, len(ids))
        row = np.searchsorted(cell, place[first], side="right") - 1
        self.pieces.append(_Pieces(token[row], line[row], place[first], number, opens, closes))
        if (opens != closes).any():
            self.starts = None

    def at(self, place: IntArray) -> Bytes:
        return self.bytes.take(place, mode="clip")  # the byte before the first is the first: looked at more closely

    def line_at(self, start: int) -> bytes:
        stop = self.data.find(b"\n", start)
        return self.data[start : stop if stop >= 0 else None].rstrip(_BLANKS)

    def documents(self) -> tuple[list[Document], IntArray]:
        """The documents, and the number of the first token of each."""
        if not self.tokens:
            hint = "its lines end in CR alone" if b"\r" in self.data and b"\n" not in self.data else ""
            raise InputError("there is no token line in this file", file=self.name, hint=hint)
        if self.tabbed == self.tokens and self.coreference_before_tabs():
            hint = r"take off the tabs at the ends of lines: `sed 's/\t*$//'`"
            raise InputError("the last column is empty, and coreference before it", file=self.name, hint=hint)
        begins = [(line, tokens, text) for line, tokens, text in self.headers if text is not None]
        for (line, tokens, text), (_, more, _) in pairwise([(0, 0, None), *self.headers, (0, self.tokens, None)]):
            if begins and text is None and tokens < more:
                self.reject_outside(line)
        begins = begins or [(1, 0, b"")]
        first = np.array([tokens for _, tokens, _ in begins], np.int64)
        documents: dict[tuple[str, int | None], Document] = {}
        for (line, _, text), tokens in zip(begins, np.diff(first, append=self.tokens).tolist(), strict=True):
            name, part = _name_and_part(text.decode())
            document = Document(name or file_stem(self.name), part, tokens, self.name, line)
            if (known := documents.setdefault(document[:2], document)) is not document:
                what = f"document '{document.label}' is here and already at line {known.line}"
                raise InputError(what, file=self.name, line=line)
        return list(documents.values()), first

    def coreference_before_tabs(self) -> bool:
        """Whether the column before an empty last one holds numbered mentions (names or parses are not numbered)."""
        lines = [line.rstrip() + b"\n" for line in BytesIO(self.data)]
        if not _has_coreference(lines):
            return False
        try:
            return all(map(str.isdigit, read(Source(b"".join(lines), self.name)).labels))  # type: ignore[arg-type]
        except InputError:
            return False

    def pair(self, pieces: _Pieces, doc: IntArray) -> IntArray:
        """The last token of every mention, where its opening piece stands."""
        end = pieces.token.copy()
        half = np.flatnonzero(pieces.opens != pieces.closes)
        key = doc[half] * len(self.ids) + pieces.id[half]
        order = np.argsort(key, kind="stable")
        half, key = half[order], key[order]
        opens = pieces.opens[half]
        depth = np.cumsum(np.where(opens, 1, -1))
        if len(half) and (depth.min() < 0 or depth[-1] or depth[:-1][key[1:] != key[:-1]].any()):
            self.reject_unpaired(pieces, doc)
        level = depth + ~opens  # how many of one id and document are open: on every level, opens and closes alternate
        if len(half) and level.max() > 1:
            half = half[np.lexsort((level, key))]
        end[half[0::2]] = pieces.token[half[1::2]]
        return end

    def names(self, first: IntArray, token: IntArray) -> list[str] | None:
        """The first column, if it names the mentions: two columns, every token another name, and not just numbers."""
        if self.starts is None:
            return None
        starts, names = np.concatenate(self.starts), list[bytes]()
        for a, b in pairwise((*first.tolist(), self.tokens)):
            lines = [self.line_at(start) for start in starts[a:b].tolist()]
            words = [line.partition(b"\t")[0].strip() if b"\t" in line else line.split()[0] for line in lines]
            named = len(set(words)) == len(words) and all(_columns(line) == 2 for line in lines)
            if not named or (a < b and all(map(bytes.isdigit, words))):
                return None
            names += words
        return [names[i].decode() for i in token.tolist()]

    def check_text(self) -> None:
        if (place := self.data.find(b"\0")) >= 0:
            self.fail("NUL byte: this is not text", place, "if it is UTF-16, recode it with `iconv -f utf-16 -t utf-8`")
        for start, stop in _slices(self.data, 1 << 16):  # small, so that what is decoded stays in the cache
            try:
                if not (piece := self.data[start:stop]).isascii():
                    piece.decode()
            except UnicodeDecodeError:
                encoding.text(self.data, self.name)  # says where, and what to do

    def check_end(self) -> None:
        """A last line without newline must have the columns of the one before it in its sentence."""
        stop = self.data.rfind(b"\n") + 1
        before, last = self.line_at(self.data.rfind(b"\n", 0, max(stop - 1, 0)) + 1), self.line_at(stop)
        same = _columns(last) == _columns(before) and not (last.endswith(b"\t") and before[-1:] in b"-_*")
        if stop and _is_token(before) and _is_token(last) and not same:
            self.fail("the file seems to be cut off here", len(self.data), "the line before has other columns")

    def reject(self, cell: IntArray, end: IntArray) -> None:
        for a, b in zip(cell.tolist(), end.tolist(), strict=True):
            if not _CELL.fullmatch(text := self.data[a:b]):
                shown = text.decode() if len(text) <= 40 else text[:40].decode(errors="ignore") + "..."
                prose = text.strip(b"0123456789") and not re.search(rb"[()|]", text)
                what = "the last column is not coreference" if prose else "this coreference is not understood"
                self.fail(f"{what}: '{shown}'", a, "the last column must be `-` or brackets such as `(3|(5)`")

    def reject_outside(self, line: int) -> NoReturn:
        texts = enumerate(islice(BytesIO(self.data), line, None), line + 1)
        line = next(number for number, text in texts if _is_token(text.rstrip(_BLANKS)))
        hint = "tokens stand between `#begin document` and `#end document`"
        raise InputError("this line is outside of every document", file=self.name, line=line, column=1, hint=hint)

    def reject_unpaired(self, pieces: _Pieces, doc: IntArray) -> NoReturn:
        label = [label.decode() for label in self.ids]
        hint = "brackets must be paired within their document, and `|` or nothing stand between them"
        opened = defaultdict[tuple[int, int], list[int]](list)
        for i in np.flatnonzero(pieces.opens != pieces.closes).tolist():
            same = opened[int(doc[i]), int(pieces.id[i])]
            if pieces.opens[i]:
                same.append(i)
            elif not same:
                self.fail(f"mention {label[pieces.id[i]]} is closed but was never opened", int(pieces.place[i]), hint)
            else:
                same.pop()
        first, *more = sorted(i for same in opened.values() for i in same)
        message = f"mention {label[pieces.id[first]]}, opened here, is never closed"
        self.fail(message + (f" (nor are {len(more)} more)" if more else ""), int(pieces.place[first]) - 1, hint)

    def fail(self, message: str, place: int, hint: str) -> NoReturn:
        start = self.data.rfind(b"\n", 0, place) + 1
        line, column = self.data.count(b"\n", 0, start) + 1, len(self.data[start:place].decode(errors="replace")) + 1
        raise InputError(message, file=self.name, line=line, column=column, hint=hint)


def _slices(data: bytes, size: int) -> Iterator[tuple[int, int]]:
    """Pieces of about `size` bytes that end with a line."""
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start + size - 1) + 1 or len(data)
        yield start, stop
        start = stop


def _is_token(line: bytes) -> bool:
    """Whether a line, without blanks at its end, is neither blank nor header nor comment.

    One that starts with "#" is a token if it has tabs and a cell behind the last; an empty cell, which may be but a tab
    typed after a comment, will do only if the first column is one word.
    """
    if not line.startswith(b"#"):
        return bool(line.strip(_SEPARATORS))
    head, tab, cell = line.rpartition(b"\t")
    word = bool(_CELL.fullmatch(cell)) if cell else b" " not in head.partition(b"\t")[0]
    return bool(tab) and word and not _HEADER.match(line)


def _last_column(line: bytes) -> bytes:
    """The cell of a token line without blanks at its end: all that follows the last tab, if that obeys the grammar."""
    tail = line[line.rfind(b"\t") + 1 :]
    return tail if b"\t" in line and (not tail or _CELL.fullmatch(tail)) else tail.split()[-1]


def _columns(line: bytes) -> int:
    return line.count(b"\t") + 1 if b"\t" in line else len(line.split())


def _has_coreference(lines: Iterable[bytes]) -> bool:
    """Whether every token line has two columns or more and ends in a cell, and some mention is opened."""
    opened = False
    for line in lines:
        text = line.rstrip(_BLANKS)
        if _is_token(text):
            cell = _last_column(text)
            if _columns(text) == 1 or not _CELL.fullmatch(cell or b"-"):
                return opened and not line.endswith(b"\n")  # the last line, cut
            opened |= b"(" in cell
    return opened


def _name_and_part(text: str) -> tuple[str, int | None]:
    """`(a/b); part 001` → `a/b`, 1. What follows the last "; part" and is no number belongs to the name."""
    found = re.fullmatch(r"(.*)(?:;|(?<=\)))\s*part\s+(\S+?)\s*;?\s*", text, re.DOTALL)
    name, part = found.groups() if found else (text, "")
    name = name.strip().removesuffix(";").rstrip()
    name = name[1:-1].strip() if name.startswith("(") and name.endswith(")") else name
    if part and not re.fullmatch("[0-9]{1,18}", part):
        return f"{name}; part {part}", None
    return name, int(part) if part else None
