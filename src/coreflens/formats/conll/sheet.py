"""Lines of columns from the bytes of their cells, for many documents at once.

Cells are pieces of one array of bytes: a piece of the file that was read, and the texts that are not in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from ...corpus.model import Corpus, IntArray
from ...errors import InputError
from ...integers import places, repeat
from ..shared.excerpts import Bytes, Excerpts, gathered
from .columns import HEADER
from .coref_cells import written
from .text import ColumnLayout

_TOKENS = 1 << 14  # tokens whose lines are made at once: few enough for the caches
_COLUMN = re.compile("column [1-9][0-9]{0,3}")
_TAB, _NEWLINE, _HASH = b"\t\n#"


def bodies(corpus: Corpus, layout: ColumnLayout, labels: Sequence[str]) -> Iterator[list[bytes]]:
    """The lines between the begin line and the end line of each document, some documents at a time."""
    first = corpus.text.first
    cells = written(corpus, labels)
    token = first[cells.doc] + cells.token
    d = 0
    while d < len(corpus.documents):
        stop = max(int(np.searchsorted(first, first[d] + _TOKENS, side="right")) - 1, d + 1)
        sheet = _Sheet(corpus, layout, d, stop)
        a, b = np.searchsorted(token, (sheet.first, sheet.stop)).tolist()
        last = sheet.constant(layout.none)
        if a < b:
            low, high = int(cells.begin[a]), int(cells.stop[b - 1])
            shift = sheet.pool(cells.text[low:high]) - low
            for side, bounds in zip(last, (cells.begin, cells.stop), strict=True):
                side[token[a:b] - sheet.first] = bounds[a:b] + shift
        yield sheet.bodies(last)
        d = stop


def named_columns(text_layers: Sequence[str]) -> list[int]:
    """The columns of layers such as `column 5`, counted from 0, ascending."""
    return sorted(int(name[7:]) - 1 for name in text_layers if _COLUMN.fullmatch(name))


class _Sheet:
    """The tokens of some documents, and their cells: where each begins and stops in the bytes."""

    def __init__(self, corpus: Corpus, layout: ColumnLayout, begin: int, stop: int) -> None:
        self.corpus, self.layout, self.text = corpus, layout, corpus.text
        self.documents = corpus.documents[begin:stop]
        self.bounds = self.text.first[begin : stop + 1] - self.text.first[begin]
        self.first, self.stop = int(self.text.first[begin]), int(self.text.first[stop])
        self.size = self.stop - self.first
        self.tokens = slice(self.first, self.stop)
        self.pools: list[Bytes] = []
        self.used = 0
        a, b = np.searchsorted(self.text.sentences, (self.first, self.stop)).tolist()
        self.sentences = self.text.sentences[a:b] - self.first

    def pool(self, data: Bytes | bytes) -> int:
        """Add bytes; returns where they are."""
        self.pools.append(np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data)
        self.used += len(data)
        return self.used - len(data)

    def constant(self, text: str) -> tuple[IntArray, IntArray]:
        """The same cell for all tokens."""
        at = self.pool(_bytes(text))
        return np.full(self.size, at), np.full(self.size, self.used)

    def repeated(self, values: list[str], times: IntArray) -> tuple[IntArray, IntArray]:
        """Each of the values for several tokens."""
        begin, stop = self.texts(values)
        return repeat(begin, times), repeat(stop, times)

    def texts(self, values: Sequence[str]) -> tuple[IntArray, IntArray]:
        """One cell per value; an InputError if a value can't be a cell."""
        joined = "\n".join(values)
        if joined.count("\n") >= max(len(values), 1) or "\t" in joined or "\0" in joined:
            self.refuse(values)
        data = np.frombuffer(_bytes(joined + "\n"), np.uint8)
        at = self.pool(data)
        stop = np.flatnonzero(data == _NEWLINE)[: len(values)] + at
        return np.append(at, stop + 1)[:-1], stop

    def refuse(self, values: Sequence[str]) -> None:
        place, wrong = next((i, value) for i, value in enumerate(values) if re.search(r"[\t\n\0]", value))
        document = self.documents[int(np.searchsorted(self.bounds, place, side="right")) - 1]
        hint = "a column can't have tabs or line breaks"
        raise InputError(f"{wrong!r:.40} in document {document.quoted} can't be written", hint=hint)

    def layer(self, values: Sequence[str], nothing: str) -> tuple[IntArray, IntArray]:
        """The cells of a layer or of the words; `nothing` for an empty value."""
        if not isinstance(values, Excerpts) or not values.is_verbatim:
            some = values[self.tokens]
            return self.texts([x or nothing for x in some] if nothing else some)
        begin, stop, none = values.begin[self.tokens], values.stop[self.tokens], values.empty(self.tokens)
        if none.all():
            return self.constant(nothing)
        low, high = int(begin[~none].min()), int(stop.max())
        shift = self.pool(np.frombuffer(values.data, np.uint8)[low:high]) - low
        begin, stop = begin + shift, stop + shift
        if none.any():
            at = self.pool(_bytes(nothing))
            begin[none], stop[none] = at, self.used
        return begin, stop

    def columns(self) -> Iterator[tuple[IntArray, IntArray]]:
        """All columns except arguments and coreference."""
        layout, layers = self.layout, self.text.layers
        width = layout.word + 1 + len(layout.layers)
        if not layout.layers:
            width = max([width, *(column + 1 for column in named_columns([*layers]))])
        for name in map(layout.name, range(width)):
            values = layers.get(name) if name != "word" else self.text.words
            if values is not None:
                yield self.layer(values, "" if name == "word" else layout.nothing(name))
            elif name == "number":
                yield self.numbers()
            elif name in ("document", "part"):
                names = [d.name if name == "document" else str(d.part or 0) for d in self.documents]
                yield self.repeated(names, np.diff(self.bounds))
            else:
                yield self.constant(layout.nothing(name))

    def numbers(self) -> tuple[IntArray, IntArray]:
        """The numbers of the words of each sentence, from 0, or from 1 in SemEval's columns."""
        number = np.arange(self.size) - repeat(self.sentences, np.diff(self.sentences, append=self.size))
        begin, stop = self.texts([str(n) for n in range(int(number.max(initial=0)) + 2)])
        if self.layout.none == "_":
            number += 1
        return begin[number], stop[number]

    def arguments(self) -> tuple[IntArray, IntArray] | None:
        """The cells of the arguments of each token as one cell, with tabs; it stops before its begin if there is none.

        All lines of a sentence get the same number of cells; missing ones are empty.
        """
        given = self.text.layers.get("arguments") if self.layout.layers else None
        values = given[self.tokens] if given is not None else ()
        if not any(values):
            return None
        self.texts(values)  # an error if there is a tab
        cells = np.array([value.count(" ") + 1 if value else 0 for value in values], np.int64)
        most = repeat(np.maximum.reduceat(cells, places(self.sentences)), np.diff(self.sentences, append=self.size))
        missing = (most - np.maximum(cells, 1)).tolist()  # a token without arguments has one empty cell
        padded = [value.replace(" ", "\t") + "\t" * more for value, more in zip(values, missing, strict=True)]
        data = np.frombuffer(_bytes("\n".join(padded) + "\n"), np.uint8)
        at = self.pool(data)
        stop = np.flatnonzero(data == _NEWLINE) + at
        begin = np.append(at, stop + 1)[:-1]
        return begin, np.where(most > 0, stop, begin - 1)

    def bodies(self, last: tuple[IntArray, IntArray]) -> list[bytes]:
        """The lines of each document, with a blank line after each sentence; `last` has the cells of coreference."""
        columns = [*self.columns()]
        if (arguments := self.arguments()) is not None:
            columns.append(arguments)
        tabs = len(columns)
        breaks = np.zeros(self.size, np.int64)
        breaks[np.append(self.sentences, self.size)[1:] - 1] = 1
        columns += [last, (breaks, 2 * breaks - 1)]  # an empty cell with a newline after it, or no cell
        begin, stop = (np.stack(side, axis=1).ravel() for side in zip(*columns, strict=True))
        pool = np.concatenate(self.pools)
        size = stop - begin + 1
        chars = gathered(pool, begin, size)
        ends = np.cumsum(size).reshape(self.size, len(columns))
        chars[ends[:, :tabs] - 1] = _TAB
        chars[ends[:, tabs:] - 1] = _NEWLINE
        cuts = np.append(0, ends[:, -1])[self.bounds].tolist()
        data = chars.tobytes()
        self.check(data, chars, np.append(0, ends[:, -1])[:-1])
        return [data[a:b] for a, b in pairwise(cuts)]

    def check(self, data: bytes, chars: Bytes, starts: IntArray) -> None:
        """An InputError if a line would be read as a begin line."""
        for at in starts[chars[starts] == _HASH].tolist():
            line = data[at : data.index(b"\n", at)]
            if HEADER.match(line):
                shown = line.decode(errors="surrogatepass")
                raise InputError(f"the line {shown!r:.40} would be read as a begin line", hint="rename it")


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")
