"""The words and layers of files of columns, read from their bytes when first asked for: see `conll`."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from ...corpus.model import Document, IntArray, Text
from ...errors import InputError
from ..shared.excerpts import Excerpts
from .columns import BLANKS, HEADER, before_last, is_token

CONLL_LAYERS = ("pos", "parse", "lemma", "frameset", "sense", "speaker", "names")
SEMEVAL_LAYERS = tuple(
    f"{kind}{layer}"
    for layer in ("lemma", "pos", "feats", "head", "deprel", "names", "predicate")
    for kind in ("", "predicted ")
)
# A begin line with a bare name, then word 1 in two columns, or in seventeen or more.
SEMEVAL = re.compile(
    rb"\s*(?:#(?:begin document (?!\()[^\n;]*|end document[^\n]*)\n\s*)+1\t(?:(?:[^\t\n]*\t){15,})?[^\t\n]*(?:\n|\Z)"
)
_NOTHING = {"", "-", "_", "*"}
SAMPLE = 32  # token lines that decide
_WIDEST = 99  # columns that are layers of their own; a line gone wrong must not fill the memory
PIECE = 1 << 14  # tokens whose cells are held at the same time, however long their document is


class Layout(NamedTuple):
    """What is in which column, counted from 0; −1 for one that is not there."""

    word: int
    number: int = -1
    document: int = -1
    part: int = -1
    layers: tuple[str, ...] = ()  # of the columns behind the word, by name
    none: str = "-"

    def name(self, column: int) -> str:
        """`word`, or the layer of a column; all beyond the named ones are arguments."""
        role = {self.word: "word", self.number: "number", self.document: "document", self.part: "part"}.get(column)
        if role or not self.layers:
            return role or f"column {column + 1}"
        place = column - self.word - 1
        return self.layers[place] if place < len(self.layers) else "arguments"

    def nothing(self, layer: str) -> str:
        """What stands for no value."""
        return "*" if layer == "names" and self.none == "-" else self.none


CONLL = Layout(3, 2, 0, 1, CONLL_LAYERS)
SEMEVAL_LAYOUT = Layout(1, 0, layers=SEMEVAL_LAYERS, none="_")


def find_layout(data: bytes) -> Layout | None:
    """The layout by the first token lines; None if none of the columns has words."""
    sample: list[tuple[bool, list[bytes]]] = []
    for _, starts, text in islice(_token_lines(data), SAMPLE):
        sample.append((starts, before_last(text)))
    width = min((len(cells) for _, cells in sample), default=0)
    numbers = [all(cells[c].isdigit() for _, cells in sample) for c in range(width)]
    steps = [(x, y) for (_, x), (starts, y) in pairwise(sample) if not starts]

    def counts(column: int) -> bool:
        if not numbers[column]:
            return False
        ups = sum(int(y[column][:18]) == int(x[column][:18]) + 1 for x, y in steps)
        return ups * 10 >= len(steps) * 9

    if width >= 4 and numbers[1] and counts(2):
        widest = max(len(cells) for _, cells in sample)  # a line that lacks columns is told when the text is read
        return CONLL if widest >= 11 else CONLL._replace(layers=())
    number = next((c for c in range(width) if counts(c)), -1)
    if 0 <= number < width - 1:
        if number == 0 and width >= 16 and SEMEVAL.match(data):
            return SEMEVAL_LAYOUT
        return Layout(number + 1, number)
    varied = [c for c in range(width) if len(sample) == 1 or len({cells[c] for _, cells in sample}) > 1]
    word = next((c for c in varied if not numbers[c]), None)
    if word is None and width >= 4:  # one word over and over, perhaps a mask
        word = next((c for c in range(width - 1, -1, -1) if not numbers[c]), width - 1)
    return None if word is None else Layout(word)


def _token_lines(data: bytes) -> Iterator[tuple[int, bool, bytes]]:
    """Number, whether a sentence starts, and the line without blanks at its end, of each token."""
    starts = True
    for number, line in enumerate(BytesIO(data), 1):
        text = line.rstrip(BLANKS)
        if is_token(text):
            yield number, starts, text
            starts = False
        elif not text.startswith(b"#") or HEADER.match(text):
            starts = True


@dataclass(frozen=True)
class Reading:
    """The text of a file, read when it is called for; or the syntax around some lines, if no more is needed."""

    data: bytes
    documents: Sequence[Document]
    first: IntArray

    def __call__(self) -> Text:
        return read_text(self.data, self.documents, self.first)

    def around(self, _: IntArray, lines: IntArray) -> tuple[Text, IntArray, IntArray]:
        """The tags and trees of the sentences of these lines, each as a document, without the words.

        And which of them each line is in, and as which token.
        """
        data, layout = self.data, find_layout(self.data) or Layout(0)
        starts = np.append(0, np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n")) + 1)
        sizes: list[int] = []
        tokens: list[bytes] = []
        document, token = np.zeros(len(lines), np.int64), np.zeros(len(lines), np.int64)
        stop = 0
        for i in np.argsort(lines, kind="stable").tolist():
            at = int(starts[lines[i] - 1])
            if at >= stop:  # in another sentence; one that is separated otherwise comes with its neighbours
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
    """The token lines; only those that start with "#" need a closer look."""
    found = lines.split(b"\n")
    if b"#" in lines:
        found = [line for line in found if line[:1] != b"#" or is_token(line.rstrip(BLANKS))]
    return [line for line in found if line and not line.isspace()]


def _syntax(tokens: list[bytes], layout: Layout) -> dict[str, list[str]]:
    """The layers that tell heads."""
    columns = {n: layout.word + 1 + layout.layers.index(n) for n in ("pos", "parse", "head") if n in layout.layers}
    if not columns:
        return {}
    found: dict[str, list[str]] = {}
    for (name, _), values in zip(columns.items(), _cells(tokens, [*columns.values()]), strict=True):
        if not {*values} <= _NOTHING:
            nothing = layout.nothing(name)
            found[name] = ["" if value == nothing else value for value in values]
    return found


def _cells(tokens: list[bytes], columns: list[int]) -> Iterator[list[str]]:
    """The cells of some columns; where blanks separate them, cut out all at once."""
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
    layout = find_layout(data) or Layout(0)
    tokens = _token_lines(data)
    words, lines, sentences, begins = list[str](), list[int](), list[int](), [0]
    layers: dict[str, list[str]] = {}
    shared: dict[bytes, str] = {}  # equal values are one object

    def values(column: Iterable[bytes]) -> list[str]:
        return [shared.get(cell) or shared.setdefault(cell, cell.decode()) for cell in column]

    seen = 0
    for document, begin in zip(documents, first.tolist(), strict=True):
        rows = islice(tokens, begin - seen, begin - seen + (document.tokens or 0))
        widths = array("q")
        while piece := list(islice(rows, PIECE)):
            cells = [before_last(text) for _, _, text in piece]
            done = len(lines)
            sentences += [done + i for i, (_, starts, _) in enumerate(piece) if starts or done + i == begins[-1]]
            lines += [line for line, _, _ in piece]
            widths.extend(map(len, cells))
            width = max(map(len, cells))
            if width > _WIDEST and not layout.layers:
                line = next(line for (line, _, _), row in zip(piece, cells, strict=True) if len(row) == width)
                raise InputError(f"{width + 1} columns: too many to be layers", file=document.file, line=line)
            for column in range(width):
                layer = layout.name(column)
                if layer == "arguments":
                    found = [" ".join(values(row[column:])).rstrip(" ") for row in cells]  # some sentences have fewer
                else:
                    found = values(row[column] if column < len(row) else b"" for row in cells)
                known = words if layer == "word" else layers.setdefault(layer, [])
                known += [""] * (done - len(known))
                known += found
                if layer == "arguments":
                    break
        seen = begin + len(widths)
        if layout is CONLL and not _narrow(widths):
            _check_widths(lines[begins[-1] :], widths, document)
        begins.append(len(lines))
        words += [""] * (begins[-1] - len(words))
    for layer, known in layers.items():
        says = not {*known} <= _NOTHING
        nothing = layout.nothing(layer)
        known += [""] * (begins[-1] - len(known))
        layers[layer] = ["" if value == nothing else value for value in known] if says else [""] * len(known)
    bounds, starts_at = np.array(begins, np.int64), np.array(sentences, np.int64)
    _drop_regular(layers, documents, bounds, starts_at)
    return Text(words, bounds, starts_at, layers, None, np.array(lines, np.int64))


def _narrow(widths: Sequence[int]) -> bool:
    """Whether a whole document has the words and no more, or few columns behind them: then it lacks these layers."""
    return len({*widths}) == 1 and widths[0] > CONLL.word


def _check_widths(lines: Sequence[int], widths: Sequence[int], document: Document) -> None:
    """Every line has the columns that are layers; those of arguments differ from sentence to sentence, and more."""
    needed = CONLL.word + 1 + len(CONLL_LAYERS)
    for line, width in zip(lines, widths, strict=True):
        if width < needed:
            what = f"{width + 1} columns, where other lines have {needed + 1} or more"
            hint = "the columns of CoNLL-2012 are the same in all lines, but for arguments; are some missing here?"
            raise InputError(what, file=document.file, line=line, hint=hint)


def _drop_regular(
    layers: dict[str, list[str]], documents: Sequence[Document], first: IntArray, sentences: IntArray
) -> None:
    """Take out the columns that say what is known: the document's name and part, and the numbers of the words."""
    of = np.repeat(np.arange(len(documents)), np.diff(first)).tolist()
    if layers.get("document") == [documents[d].name for d in of]:
        del layers["document"]
    if all(
        x.isdecimal() and int(x[:18]) == (documents[d].part or 0)
        for x, d in zip(layers.get("part", ()), of, strict=False)
    ):
        layers.pop("part", None)
    numbers = layers.get("number", [])
    if all(map(str.isdecimal, numbers)):
        number = np.array([int(x[:18]) for x in numbers], np.int64)
        for begin in (sentences, first):
            count = np.arange(len(numbers)) - begin[np.searchsorted(begin, np.arange(len(numbers)), side="right") - 1]
            if any((number == count + base).all() for base in (0, 1)):
                layers.pop("number", None)
    for layer in (*CONLL_LAYERS, *SEMEVAL_LAYERS, "arguments"):
        if not any(layers.get(layer, ())):
            layers.pop(layer, None)
