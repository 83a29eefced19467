"""Messages about problems in a file of columns, with their places. They are computed only if there is a problem."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from io import BytesIO
from itertools import chain

import numpy as np
import numpy.typing as npt

from ...corpus.model import IntArray
from ..shared.source import Source
from .columns import BLANKS, CELL, is_token, shown
from .coref_column import likely_column

_PAIRS = "brackets must be paired within their document, with `|` or nothing between them"


class Problems:
    """Reports problems to a source; if the source is lenient, each method returns what can still be read."""

    def __init__(self, source: Source, data: bytes) -> None:
        self.source, self.data = source, data
        self._last = (0, 0, 1)  # line, byte and column of the last query

    def cells(self, cell: IntArray, end: IntArray) -> IntArray:
        """Those of the cells data[cell:end] that obey the grammar."""
        good = []
        for i, (a, b) in enumerate(zip(cell.tolist(), end.tolist(), strict=True)):
            text = self.data[a:b]
            if CELL.fullmatch(text):
                good.append(i)
                continue
            prose = text.strip(b"0123456789") and not re.search(rb"[()|]", text)
            message = "the last column is not coreference" if prose else "this coreference is not understood"
            self.source.report("syntax", f"{message}: '{shown(text)}'", **self.place(a), hint=self._hint(text))
        return np.array(good, np.int64)

    def _hint(self, cell: bytes) -> str:
        if cell.isdigit():
            return f"an id without brackets must be inside its mention, and no mention {shown(cell)} is open here"
        if self._likely_column:
            return f"column {self._likely_column} looks like coreference: --coref-column {self._likely_column}"
        return "the last column must be `-` or brackets such as `(3|(5)`"

    def outside(self, after: Sequence[int]) -> None:
        """Report the first token line after each of these lines, where no document is open."""
        lines = enumerate(BytesIO(self.data), 1)
        for line in after:
            number = next(number for number, text in lines if number > line and is_token(text.rstrip(BLANKS)))
            hint = "tokens must be between `#begin document` and `#end document`"
            self.source.report("syntax", "this line is not in any document", line=number, column=1, hint=hint)

    def unpaired(
        self, ids: list[bytes], half: IntArray, doc: IntArray, id: IntArray, opens: npt.NDArray[np.bool_], at: IntArray
    ) -> IntArray:
        """Those of all pieces that are whole mentions or have a partner; `half` are those that only open or close."""
        opened = defaultdict[tuple[int, int], list[int]](list)  # document and id → the pieces that are open
        paired = np.ones(len(doc), np.bool_)
        for i in half.tolist():
            stack = opened[int(doc[i]), int(id[i])]
            if opens[i]:
                stack.append(i)
            elif stack:
                stack.pop()
            else:
                message = f"mention {ids[id[i]].decode()} is closed but was never opened"
                self.source.report("unopened", message, **self.place(int(at[i])), hint=_PAIRS)
                paired[i] = False
        still_open = sorted(chain.from_iterable(opened.values()))
        paired[still_open] = False
        others = len(still_open) - 1
        more = f" (and {others} more)" if others > 0 and not self.source.lenient else ""
        for i in still_open:
            message = f"mention {ids[id[i]].decode()}, opened here, is never closed{more}"
            self.source.report("unclosed", message, **self.place(int(at[i]) - 1), hint=_PAIRS)
        return np.flatnonzero(paired)

    def place(self, at: int) -> dict[str, int]:
        """The line and the column of a byte. The search starts at the last query, if that was before it in its line."""
        line = int(np.searchsorted(self._newlines, at))
        start, column = int(self._newlines[line - 1]) + 1 if line else 0, 1
        if self._last[0] == line and self._last[1] <= at:
            _, start, column = self._last
        column += len(self.data[start:at].decode(errors="replace"))
        self._last = (line, at, column)
        return {"line": line + 1, "column": column}

    @cached_property
    def _likely_column(self) -> int | None:
        return likely_column(self.data)

    @cached_property
    def _newlines(self) -> IntArray:
        return np.flatnonzero(np.frombuffer(self.data, np.uint8) == ord("\n"))
