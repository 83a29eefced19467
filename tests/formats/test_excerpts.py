"""Words as columns: values between two places of the bytes of a file."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chance import examples
from coreflens.formats.conllu.lines import index
from coreflens.formats.shared.excerpts import Excerpts, laid
from coreflens.formats.shared.source import Source

WORDS = st.lists(st.text("aé漢_-", max_size=5), max_size=20)


def excerpts(words: list[str]) -> Excerpts:
    """The words with something else around each."""
    data, begin, stop = b"<", [], []
    for word in words:
        begin.append(len(data))
        data += word.encode()
        stop.append(len(data))
        data += b"><"
    return Excerpts(data, np.array(begin, np.int64), np.array(stop, np.int64), {"_": ""})


@examples(200)
@given(words=WORDS)
def test_values_are_the_same_one_by_one_and_all_at_once(words: list[str]) -> None:
    column, meant = excerpts(words), ["" if word == "_" else word for word in words]
    assert [column[n] for n in range(len(words))] == meant
    assert list(column) == meant
    assert column.any(b"_") == any(meant)
    rows = np.arange(0, len(words), 2)
    assert column.joined(rows, b"\t") == "".join(f"{word}\t" for word in words[::2]).encode()


@examples(200)
@given(words=WORDS)
def test_cells_are_laid_end_to_end(words: list[str]) -> None:
    column = excerpts(words)
    found, border = laid(np.frombuffer(column.data, np.uint8), column.begin, column.stop, ord("\n"))
    assert found.tobytes().decode() == "".join(f"{word}\n" for word in words)
    assert border.tolist() == np.cumsum([len(word.encode()) + 1 for word in words]).tolist()


def test_a_long_value_is_decoded_once() -> None:
    column = excerpts(["x" * 100_000])
    assert column.read_one(0) is column.read_one(0)


ITEM = st.sampled_from(["Entity=(e1)", "Entity=", "SpaceAfter=No", "XEntity=(e2)", "Bridge=e1<e2", "Entity=é)", "_"])
LINES = st.lists(st.tuples(st.booleans(), st.lists(ITEM, min_size=1, max_size=3)), min_size=1, max_size=8)


@examples(200)
@given(lines=LINES, end=st.sampled_from(["\n", "", "\r\n"]))
def test_items_of_the_last_column(lines: list[tuple[bool, list[str]]], end: str) -> None:
    text = ""
    for number, (comment, items) in enumerate(lines, start=1):
        cells = [str(number), "w|Entity=(x)", *["_"] * 7, "|".join(items)]
        text += ("# Entity=(no)|Entity=(no)" if comment else "\t".join(cells)) + (end or "\n")
    text = text if end else text[:-1]
    found = index(Source(text.encode(), "x"))
    expected = [
        (n, value)
        for n, line in enumerate(text.split("\n"))
        if "\t" in line
        for value in re.findall(r"(?:^|(?<=\|))Entity=([^|\r]*)", line.split("\t")[9])
    ]
    assert [(n, value) for n, _, value in found.cells(b"Entity")] == expected
    starts = [text.encode()[place:].decode() for _, place, _ in found.cells(b"Entity")]
    assert all(rest.startswith(value) for rest, (_, value) in zip(starts, expected, strict=True))


def test_columns_that_a_line_has_not_are_empty() -> None:
    source = Source(b"1\ta\tb\n2\tc\n\n# x\ty\n3\td\te\tf\n", "x", lenient=True)
    lines = index(source)
    at = np.array([0, 1, 4])
    columns = [Excerpts(lines.data, *lines.column(k, at)).read_all() for k in range(5)]
    assert columns == [["1", "2", "3"], ["a", "c", "d"], ["b", "", "e"], ["", "", "f"], ["", "", ""]]
