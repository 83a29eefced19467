"""The words and layers of files of columns, read from their bytes when they are first needed: see `conll`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from itertools import count, islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ...corpus.model import Document, IntArray, Text
from ...errors import InputError
from ...integers import repeat
from ..shared.excerpts import Excerpts
from .columns import BLANKS, HEADER, TO_BLANK, before_last, is_token

if TYPE_CHECKING:
    from .cell_places import Places

CONLL_LAYERS = ("pos", "parse", "lemma", "frameset", "sense", "speaker", "names")
SEMEVAL_LAYERS = tuple(
    f"{kind}{layer}"
    for layer in ("lemma", "pos", "feats", "head", "deprel", "names", "predicate")
    for kind in ("", "predicted ")
)
COREFERENCE = frozenset(
    {
        "words",
        "sentences",
        "spans",
        "labels",
        "documents",
        "documents without mentions",
        "singletons",
        "crossing mentions",
        "repeated mentions",
        "cross-document entities",
    }
)
_OWN = ("document", "part", "number", *CONLL_LAYERS, "arguments", "column *")
HOLDS = COREFERENCE | {"names", "document parts"} | {f"layer {name}" for name in _OWN}
# A begin line with a name without parentheses, then word 1 in two columns, or in seventeen or more.
SEMEVAL = re.compile(
    rb"\s*(?:#(?:begin document (?!\()[^\n;]*|end document[^\n]*)\n\s*)+1\t(?:(?:[^\t\n]*\t){15,})?[^\t\n]*(?:\n|\Z)"
)
_NOTHING = b"-_*"
_SILENT = {*CONLL_LAYERS, *SEMEVAL_LAYERS, "arguments"}  # layers that are left out if they have no values
SAMPLE = 32  # token lines that decide
_WIDEST = 99  # columns that become layers; a damaged line must not fill the memory


class ColumnLayout(NamedTuple):
    """Which column has what, counted from 0; −1 if there is no such column."""

    word: int
    number: int = -1
    document: int = -1
    part: int = -1
    layers: tuple[str, ...] = ()  # names of the columns after the word
    none: str = "-"

    def name(self, column: int) -> str:
        """`word`, or the layer of a column; columns after the named ones are arguments."""
        role = {self.word: "word", self.number: "number", self.document: "document", self.part: "part"}.get(column)
        if role or not self.layers:
            return role or f"column {column + 1}"
        place = column - self.word - 1
        return self.layers[place] if place < len(self.layers) else "arguments"

    def nothing(self, layer: str) -> str:
        """The cell that means "no value"."""
        return "*" if layer == "names" and self.none == "-" else self.none


CONLL = ColumnLayout(3, 2, 0, 1, CONLL_LAYERS)
SEMEVAL_LAYOUT = ColumnLayout(1, 0, layers=SEMEVAL_LAYERS, none="_")


def find_layout(data: bytes) -> ColumnLayout | None:
    """The layout that the first token lines have; None if no column has words."""
    lines = [(starts, before_last(text)) for _, starts, text in islice(_token_lines(data), SAMPLE)]
    sample = _Sample([cells for _, cells in lines], [starts for starts, _ in lines])
    if sample.width >= 4 and sample.has_numbers(1) and sample.counts(2):
        return CONLL if sample.widest >= 11 else CONLL._replace(layers=())
    number = sample.number_column()
    if number is not None and number < sample.width - 1:
        semeval = number == 0 and sample.width >= 16 and SEMEVAL.match(data)
        return SEMEVAL_LAYOUT if semeval else ColumnLayout(number + 1, number)
    word = sample.word_column()
    return None if word is None else ColumnLayout(word)


@dataclass(frozen=True, eq=False)
class _Sample:
    """The first token lines: their cells before the last, and whether each starts a sentence."""

    rows: list[list[bytes]]
    starts: list[bool]

    @cached_property
    def width(self) -> int:
        """How many columns all lines have."""
        return min(map(len, self.rows), default=0)

    @property
    def widest(self) -> int:
        """How many columns some line has; one that lacks columns is reported when the text is read."""
        return max(map(len, self.rows))

    def column(self, number: int) -> list[bytes]:
        return [row[number] for row in self.rows]

    def has_numbers(self, column: int) -> bool:
        return all(map(bytes.isdigit, self.column(column)))

    def counts(self, column: int) -> bool:
        """Whether a column has numbers that go up by one from line to line of a sentence, with few exceptions."""
        if not self.has_numbers(column):
            return False
        numbers = [int(cell[:18]) for cell in self.column(column)]
        steps = [b - a for (a, b), starts in zip(pairwise(numbers), self.starts[1:], strict=True) if not starts]
        return steps.count(1) * 10 >= len(steps) * 9

    def number_column(self) -> int | None:
        return next((column for column in range(self.width) if self.counts(column)), None)

    def word_column(self) -> int | None:
        """The first column that is neither numbers nor the same in every line.

        If there is none among four or more columns, it is the last that is not numbers, in which every line has the
        same word, perhaps a mask.
        """
        not_numbers = [c for c in range(self.width) if not self.has_numbers(c)]
        varied = [c for c in not_numbers if len(self.rows) == 1 or len({*self.column(c)}) > 1]
        if varied:
            return varied[0]
        if self.width < 4:
            return None
        return not_numbers[-1] if not_numbers else self.width - 1


def _token_lines(data: bytes) -> Iterator[tuple[int, bool, bytes]]:
    """For each token: its number, whether it starts a sentence, and its line without blanks at the end."""
    starts = True
    for number, line in enumerate(BytesIO(data), 1):
        text = line.rstrip(BLANKS)
        if is_token(text):
            yield number, starts, text
            starts = False
        elif not text.startswith(b"#") or HEADER.match(text):
            starts = True


@dataclass(frozen=True, eq=False)
class TextReader:
    """The text of a file, read when it is called; or only the syntax around some lines, if this is enough."""

    content: bytes | Callable[[], bytes]  # or a function that reads it again
    documents: Sequence[Document]
    first: IntArray

    @property
    def data(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content()

    def __call__(self) -> Text:
        return read_text(self.data, self.documents, self.first)

    def around(self, _: IntArray, lines: IntArray) -> tuple[Text, IntArray, IntArray]:
        """The tags and trees of the sentences of these lines, each as a document, without the words.

        The other values are the sentence and the token of each line.
        """
        data, layout = self.data, find_layout(self.data) or ColumnLayout(0)
        starts = np.append(0, np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n")) + 1)
        sizes: list[int] = []
        tokens: list[bytes] = []
        document, token = np.zeros(len(lines), np.int64), np.zeros(len(lines), np.int64)
        stop = 0
        for i in np.argsort(lines, kind="stable").tolist():
            at = int(starts[lines[i] - 1])
            if at >= stop:  # in another sentence; sentences that are not separated by an empty line come together
                begin, stop = max(data.rfind(b"\n\n", 0, at), 0), data.find(b"\n\n", at)
                stop = stop if stop >= 0 else len(data)
                excerpt = _tokens_of(data[begin:stop])
                tokens += excerpt
                sizes.append(len(excerpt))
            document[i] = len(sizes) - 1
            token[i] = sizes[-1] - len(_tokens_of(data[at:stop]))
        first = np.cumsum([0, *sizes])
        return Text([""] * len(tokens), first, first[:-1], _syntax(tokens, layout)), document, token


def _tokens_of(lines: bytes) -> list[bytes]:
    """The token lines; only lines that start with "#" need to be checked."""
    candidates = lines.split(b"\n")
    if b"#" in lines:
        candidates = [line for line in candidates if line[:1] != b"#" or is_token(line.rstrip(BLANKS))]
    return [line for line in candidates if line and not line.isspace()]


def _syntax(tokens: list[bytes], layout: ColumnLayout) -> dict[str, list[str]]:
    """The layers that are needed to find heads."""
    columns = {n: layout.word + 1 + layout.layers.index(n) for n in ("pos", "parse", "head") if n in layout.layers}
    if not columns:
        return {}
    layers: dict[str, list[str]] = {}
    for name, values in zip(columns, _cells(tokens, [*columns.values()]), strict=True):
        if not {*values} <= {"", *_NOTHING.decode()}:
            nothing = layout.nothing(name)
            layers[name] = ["" if value == nothing else value for value in values]
    return layers


def _cells(tokens: list[bytes], columns: list[int]) -> Iterator[list[str]]:
    """The cells of some columns; if blanks separate them, they are cut out all at once."""
    joined = b"\n".join(tokens) + b"\n"
    data = np.frombuffer(joined, np.uint8)
    blank = np.append(True, data <= ord(" "))
    begin, end = np.flatnonzero(blank[:-1] & ~blank[1:]), np.flatnonzero(~blank[:-1] & blank[1:])
    first = np.searchsorted(begin, np.append(-1, np.flatnonzero(data == ord("\n"))))  # cell of each line, and the end
    if b"\t" in joined or int(np.diff(first).min(initial=_WIDEST)) <= max(columns):
        rows = [before_last(line.rstrip(BLANKS)) for line in tokens]
        for column in columns:
            yield [row[column].decode() if column < len(row) else "" for row in rows]
        return
    for column in columns:
        yield Excerpts(joined, begin[first[:-1] + column], end[first[:-1] + column]).read_all()


def read_text(data: bytes, documents: Sequence[Document], first: IntArray) -> Text:
    """The text of the documents, each of which starts with the given token of the file."""
    layout = find_layout(data) or ColumnLayout(0)
    from .cell_places import find_places

    places = find_places(data)
    sizes = np.array([document.tokens or 0 for document in documents], np.int64)
    bounds = np.append(0, np.cumsum(sizes))
    if len(places.line) != bounds[-1] or (first != bounds[:-1]).any():  # some tokens are in no document
        places = places.take(repeat(first - bounds[:-1], sizes) + np.arange(bounds[-1]))
    borders = places.borders.copy()
    borders[bounds[:-1][sizes > 0]] = True
    _check_widths(places, documents, bounds, layout)
    sentences = np.flatnonzero(borders)
    layers = Layers(data, places, layout, documents, bounds, sentences)
    return Text(layers.column(layout.word), bounds, sentences, layers, None, places.line)


def _check_widths(places: Places, documents: Sequence[Document], bounds: IntArray, layout: ColumnLayout) -> None:
    """Check that every line has the columns that are layers. The number of arguments may differ.

    A document whose lines have only the words, or only few columns after them, lacks these layers.
    """
    width = places.width
    if not layout.layers and (wide := width > _WIDEST).any():
        at = int(wide.argmax())
        file = documents[int(np.searchsorted(bounds, at, side="right")) - 1].file
        message = f"{width[at] + 1} columns are too many to be layers"
        raise InputError(message, file=file, line=int(places.line[at]))
    needed = CONLL.word + 1 + len(CONLL_LAYERS)
    narrow = np.flatnonzero(width < needed)
    if layout is not CONLL or not len(narrow):
        return
    for d in np.unique(np.searchsorted(bounds, narrow, side="right") - 1).tolist():
        own = width[bounds[d] : bounds[d + 1]]
        if (own == own[0]).all() and own[0] > CONLL.word:
            continue
        at = int((own < needed).argmax())
        message = f"this line has {own[at] + 1} columns, but other lines have {needed + 1} or more"
        hint = "the columns of CoNLL-2012 are the same in all lines, except arguments; are some missing here?"
        raise InputError(message, file=documents[d].file, line=int(places.line[bounds[d] + at]), hint=hint)


class Arguments(Excerpts):
    """All cells after the named ones, with a blank between them; some sentences have fewer."""

    def read_one(self, place: int) -> str:
        return self._values[place]

    def read_all(self) -> list[str]:
        tabs = self.tabbed().tolist()
        spaced: dict[tuple[str, bool], str] = {}
        values = []
        for cell in zip(super().read_all(), tabs, strict=True):
            if cell not in spaced:
                spaced[cell] = self._spaced(*cell)
            values.append(spaced[cell])
        return values

    @property
    def is_verbatim(self) -> bool:
        return False

    def any(self, nothing: bytes) -> bool:
        return super().any(nothing) and not {*self} <= {"", *nothing.decode()}

    def tabbed(self) -> npt.NDArray[np.bool_]:
        """Whether tabs are between the cells; then cells may be empty or have blanks."""
        before = np.frombuffer(self.data, np.uint8).take(self.begin - 1, mode="clip")
        found: npt.NDArray[np.bool_] = before == ord("\t")
        return found

    def _spaced(self, cells: str, tabs: bool) -> str:
        if not tabs:
            return b" ".join(cells.encode().translate(TO_BLANK).split()).decode()
        return cells.replace("\t", " ").rstrip(" ")


class Layers(Mapping[str, Sequence[str]]):
    """The columns except the words, read when they are needed.

    Columns are left out if they have no values, or only values that are already known.
    """

    def __init__(
        self,
        data: bytes,
        places: Places,
        layout: ColumnLayout,
        documents: Sequence[Document],
        first: IntArray,
        sentences: IntArray,
    ) -> None:
        self.data, self.places, self.layout = data, places, layout
        self.documents, self.first, self.sentences = documents, first, sentences
        widest = int(places.width.max(initial=0))
        names = dict.fromkeys(layout.name(column) for column in range(widest) if column != layout.word)
        self._known: dict[str, Sequence[str] | None] = {}
        self._names = tuple(names)

    def column(self, number: int) -> Excerpts:
        """A column as it is in the file."""
        return Excerpts(self.data, *self.places.column(number))

    def __getitem__(self, name: str) -> Sequence[str]:
        if name not in self._known:
            self._known[name] = self._layer(name) if name in self._names else None
        values = self._known[name]
        if values is None:
            raise KeyError(name)
        return values

    def __contains__(self, name: object) -> bool:
        return name in self._names and (self._known.get(str(name)) is not None or self.get(str(name)) is not None)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._names if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _layer(self, name: str) -> Sequence[str] | None:
        layout = self.layout
        number = next(c for c in count() if c != layout.word and layout.name(c) == name)
        nothing = layout.nothing(name)
        cells = (
            Arguments(self.data, *self.places.rest(number), {nothing: ""})
            if name == "arguments"
            else Excerpts(self.data, *self.places.column(number), {nothing: ""})
        )
        if cells.any(_NOTHING):
            return None if self._regular(name, cells, nothing) else cells
        return None if name in _SILENT else [""] * len(cells)

    def _regular(self, name: str, cells: Excerpts, nothing: str) -> bool:
        """Whether a column has only what is known: the document's name or part, or the numbers of the words."""
        if name == "document":
            return all(
                document.name != nothing and cells.all(document.name, begin, stop)
                for document, (begin, stop) in zip(self.documents, pairwise(self.first.tolist()), strict=True)
                if stop > begin
            )
        numbers = cells.numbers() if name in ("part", "number") else None
        if numbers is None:
            return False
        if name == "part":
            parts = np.array([document.part or 0 for document in self.documents], np.int64)
            return bool((numbers == repeat(parts, np.diff(self.first))).all())
        return self._numbered_in(self.sentences, numbers) or self._numbered_in(self.first, numbers)

    def _numbered_in(self, begin: IntArray, numbers: IntArray) -> bool:
        """Whether tokens are numbered from 0 or from 1 in the sentences or documents that begin at these tokens."""
        token = np.arange(len(numbers))
        places = token - begin[np.searchsorted(begin, token, side="right") - 1]
        return bool((numbers == places).all() or (numbers == places + 1).all())
