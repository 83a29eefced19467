"""The CoNLL reader against examples of every dialect, a slow and obvious reader, and real files where there are any."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chance import examples
from coreflens.corpus.model import Corpus, Document
from coreflens.errors import InputError
from coreflens.formats import conll
from coreflens.formats.shared.source import Source
from places import DATA
from samples import paths

Row = tuple[int, int, int, str, int]  # document, start, end, id, line


def read(text: str | bytes, name: str = "dir/file.conll") -> Corpus:
    return conll.read(Source(text if isinstance(text, bytes) else text.encode(), name))


def rows(corpus: Corpus) -> list[Row]:
    assert corpus.line is not None
    labels = [corpus.labels[i] for i in corpus.entity]
    columns = (corpus.doc.tolist(), corpus.start.tolist(), corpus.end.tolist(), labels, corpus.line.tolist())
    return list(zip(*columns, strict=True))


def spans(text: str) -> list[tuple[int, int, str]]:
    """Mentions of a file of one document: start, end, id."""
    return [row[1:4] for row in rows(read(text))]


def document(*cells: str, name: str = "(d); part 0") -> str:
    lines = "".join(f"d\t0\t{i}\tw\t{cell}\n" if cell else "\n" for i, cell in enumerate(cells))
    return f"#begin document {name}\n{lines}#end document\n"


def failure(text: str | bytes, name: str = "f.conll") -> InputError:
    with pytest.raises(InputError) as caught:
        read(text, name)
    assert caught.value.file == name
    return caught.value


# ---- the slow reader


def slow_pieces(cell: str) -> list[str]:
    """The pieces of a cell; ValueError if it is none."""
    if cell in ("", "-", "_", "*"):
        return []
    pieces, rest = [], cell
    while rest:
        match = re.match(r"(\([^()| ]+\)?|[^()| ]+\)) *", rest)
        if not match:
            raise ValueError(cell)
        pieces.append(match[1])
        rest = rest[match.end() :]
        if rest.startswith("|"):
            rest = rest[1:].lstrip(" ") or "|"
    return pieces


def slow(data: bytes) -> tuple[list[tuple[str, int]], list[Row]]:
    """(rest of the begin line, tokens) of each document, and the mentions. Takes only well-formed input."""
    documents: list[tuple[str, int]] = []
    found: list[tuple[tuple[int, int, int], Row]] = []
    opened: dict[str, list[tuple[int, int, int]]] = {}
    for number, raw in enumerate(data.decode().split("\n"), 1):
        line = raw.removesuffix("\r").rstrip(" ")
        if header := re.match(r"# *begin document(.*)", line):
            assert not any(opened.values())
            documents.append((header[1], 0))
            continue
        if line.startswith("#") or not line.strip():
            continue
        if not documents:
            documents.append(("", 0))
        doc, (name, token) = len(documents) - 1, documents[-1]
        documents[-1] = name, token + 1
        cell = line.split("\t")[-1] if "\t" in line else line.split()[-1]
        for i, piece in enumerate(slow_pieces(cell)):
            label = piece.strip("()")
            if piece.startswith("("):
                opened.setdefault(label, []).append((token, i, number))
            if piece.endswith(")"):
                start, order, opening = opened[label].pop()
                found.append(((doc, start, order), (doc, start, token, label, opening)))
    assert not any(opened.values())
    return documents, [row for _, row in sorted(found)]


def assert_like_slow(data: bytes) -> Corpus:
    corpus = read(data)
    documents, mentions = slow(data)
    assert rows(corpus) == mentions
    assert [document.tokens for document in corpus.documents] == [tokens for _, tokens in documents]
    for column in (corpus.doc, corpus.start, corpus.end, corpus.entity, corpus.line):
        assert column is not None and column.dtype == np.int64
    assert len(set(corpus.labels)) == len(corpus.labels)
    return corpus


# ---- documents


@pytest.mark.parametrize(
    ("header", "name", "part"),
    [
        ("#begin document (a/b); part 000", "a/b", 0),
        ("#begin document (a/b); part 012", "a/b", 12),
        ("#begin document (a/b); part 3", "a/b", 3),
        ("#begin document (a/b); part 3;  ", "a/b", 3),
        ("#begin document (a/b) part 003", "a/b", 3),
        ("#begin document (a/b);part 003", "a/b", 3),
        ("#begin document (a/b);", "a/b", None),
        ("#begin document (a/b); ", "a/b", None),
        ("#begin document (a/b)", "a/b", None),
        ("#begin document a/b", "a/b", None),
        ("#begin document a/b \t", "a/b", None),
        ("# begin document a/b", "a/b", None),
        ("#\tbegin  document a/b", "a/b", None),
        ("#begin document(a/b);", "a/b", None),
        ("#begin document test_events", "test_events", None),
        ("#begin document my part 3", "my part 3", None),
        ("#begin document a; part 3", "a", 3),
        ('#begin document (wb-Foo\'s:"x":(Bar)-Q); part 000', 'wb-Foo\'s:"x":(Bar)-Q', 0),
        ("#begin document ((a)); part 000", "(a)", 0),
        ("#begin document (a; part 7); part 001", "a; part 7", 1),
        ("#begin document (a); part two", "a; part two", None),
        ("#begin document (a); part -1", "a; part -1", None),
        ("#begin document (a); part " + "9" * 5000, "a; part " + "9" * 5000, None),
        ("#begin document (é: ü); part 000", "é: ü", 0),
        ("# begin document ", "file", None),
        ("#begin document ();", "file", None),
        ("#begin document (); part 002", "file", 2),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_begin_lines(header: str, name: str, part: int | None, newline: str) -> None:
    corpus = read(f"{newline}{header}{newline}w\tx\t(1){newline}#end document{newline}")
    assert corpus.documents == [Document(name, part, 1, "dir/file.conll", 2)]
    assert rows(corpus) == [(0, 0, 0, "1", 3)]
    assert (corpus.source, corpus.format, corpus.issues) == ("dir/file.conll", "conll", ())


@pytest.mark.parametrize(
    ("file", "stem"),
    [
        ("a/b.conll", "b"),
        ("b.v4_gold_conll", "b"),
        ("b.v4_gold_conll.gz", "b"),
        ("b.x.conll.gz", "b.x"),
        ("b", "b"),
        ("b.gz", "b"),
        ("", ""),
    ],
)
def test_a_file_without_begin_line_is_one_document(file: str, stem: str) -> None:
    corpus = read("a\t0\t(1\n\nb\t1\t1)\n#end document\n", file)
    assert corpus.documents[0][:3] == (stem, None, 2)
    assert rows(corpus) == [(0, 0, 1, "1", 1)]


def test_several_documents_share_labels_and_may_be_empty() -> None:
    text = document("(7)", name="a") + "#begin document b\n" + document("-", "(7)", "(8)", name="(a); part 0")
    corpus = read(text)
    assert [(d.name, d.part, d.tokens, d.line) for d in corpus.documents] == [
        ("a", None, 1, 1),
        ("b", None, 0, 4),
        ("a", 0, 3, 5),
    ]
    assert rows(corpus) == [(0, 0, 0, "7", 2), (2, 1, 1, "7", 7), (2, 2, 2, "8", 8)]
    assert corpus.labels == ["7", "8"] and corpus.entity.tolist() == [0, 0, 1]
    assert corpus.bounds.tolist() == [0, 1, 1, 3]


def test_a_missing_end_line() -> None:
    text = "#begin document a\nx\t(1)\n#begin document b\nx\t(1)\n"
    assert rows(read(text)) == [(0, 0, 0, "1", 2), (1, 0, 0, "1", 4)]


def test_a_comment_that_resembles_a_header() -> None:
    corpus = read("#begin document a\nx\t(1)\n#begin documentation\n#end documents\ny\t(1)\n")
    assert [document.tokens for document in corpus.documents] == [2]


def test_labels_are_ids_only() -> None:
    assert read("-\n(1)\n").labels == ["1"]
    assert read("_\n- x\t*\n(b(a\na)b)\n").labels == ["b", "a"]


def test_documents_without_mentions() -> None:
    corpus = read(document("-", "_", "*"))
    assert len(corpus) == 0 and corpus.labels == [] and corpus.documents[0].tokens == 3 and corpus.entity.dtype == int


# ---- lines and columns


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("d\t0\t0\tw\t(1\nd\t0\t1\tw\t1)\n", [(0, 1, "1")]),
        ("d   0  0     word  NN   (1\nd   0  1  w  NN   1)\n", [(0, 1, "1")]),
        ("d 0\t0   w \t  (1  \nd 0\t1   w   -\t1)\t \n", [(0, 1, "1")]),  # an empty cell too many
        ("(1\n-\n1)\n", [(0, 2, "1")]),  # a single column
        ("-\n(1)", [(1, 1, "1")]),
        ("  -\n   (1)\n", [(1, 1, "1")]),
        ("\t(1)\n", [(0, 0, "1")]),
        ("a b c (1)\na b (2)\na (3)\n", [(0, 0, "1"), (1, 1, "2"), (2, 2, "3")]),  # columns vary
        ("a\tb\t\na\tb\t(1)\na\t\t\n\t\t\na\t\t \n", [(1, 1, "1")]),  # empty cells; only tabs: blank
        ("a -\nb _\nc *\nd (1)\n", [(3, 3, "1")]),
        ("a\t(1)   \nb\t-  \n   \nc - \nd (1) \n", [(0, 0, "1"), (3, 3, "1")]),  # blanks behind
        ("\n\n \n\t\na (1\n\n\n \t \nb 1)\n\n", [(0, 1, "1")]),  # blank lines, and a mention across them
        ("\r\na\t(1\r\n\r\nb\t1)\r\n", [(0, 1, "1")]),
        ("a\t(1)\r\nb\t-\r\nc\t\r\nd (2)\r\n", [(0, 0, "1"), (3, 3, "2")]),
        ("a (1\n# a comment (2)\n#\n#(3)\nb 1)\n", [(0, 1, "1")]),
        ("#\t(1)\n#x\t-\n#y\t\na\t(2)\n", [(0, 0, "1"), (3, 3, "2")]),  # words that start with "#"
        ("# x\t\n# sent\t1 2\n#\tfoo\na\t(2)\n", [(0, 0, "2")]),  # still comments
        ("a\tb\t(1| (2)\nc\td\t1)| (2)\n", [(0, 1, "1"), (0, 0, "2"), (1, 1, "2")]),  # blanks in the cell
        ("a\tb\t(1) (2)\n", [(0, 0, "1"), (0, 0, "2")]),
        ("a\t(2\nb\t(1  2)\nc\t1)\n", [(0, 1, "2"), (1, 2, "1")]),
        ("a b| (1)\n", [(0, 0, "1")]),
        ("a\tb| (1)\n", [(0, 0, "1")]),
        ("é\té\t(é)\n字 (字)\n", [(0, 0, "é"), (1, 1, "字")]),
    ],
)
def test_lines(text: str, expected: list[tuple[int, int, str]] | None) -> None:
    for prefix in ("", "#begin document x\n"):
        if expected is None:
            assert "mention 1, opened here, is never closed" in failure(prefix + text).message
        else:
            assert spans(prefix + text) == expected


MANY = [(0, 1, str(i)) for i in range(2000)]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("(1(3(3", "3)3)1)"), [(0, 1, "1"), (0, 1, "3"), (0, 1, "3")]),
        (("(3(4", "3)4)"), [(0, 1, "3"), (0, 1, "4")]),
        (("(1", "(2|1)", "2)"), [(0, 1, "1"), (1, 2, "2")]),  # crossing, opened before closed
        (("(1", "1)|(2", "2)"), [(0, 1, "1"), (1, 2, "2")]),
        (("(1", "1)|(1", "1)"), [(0, 1, "1"), (1, 2, "1")]),
        (("(1", "(1|1)", "1)"), [(0, 2, "1"), (1, 1, "1")]),  # as written: the second is opened, then closed
        (("(1", "(1", "1)", "1)"), [(0, 3, "1"), (1, 2, "1")]),  # same id: last opened, first closed
        (("(1)(2)", "(1)|(2)"), [(0, 0, "1"), (0, 0, "2"), (1, 1, "1"), (1, 1, "2")]),
        (("(1)|(1)",), [(0, 0, "1"), (0, 0, "1")]),
        (("(1(2)3)|(4", "1)4)"), None),
        (("(01)", "(1)", "(001)"), [(0, 0, "01"), (1, 1, "1"), (2, 2, "001")]),
        (("(abstract-2-English_language", "abstract-2-English_language)"), [(0, 1, "abstract-2-English_language")]),
        (("(e1(T12)", "e1)"), [(0, 1, "e1"), (0, 0, "T12")]),
        (("(cross_intra_ORG371|(-)", "cross_intra_ORG371)"), [(0, 1, "cross_intra_ORG371"), (0, 0, "-")]),
        (("(17740950239373139)", "(17740950239373138)"), [(0, 0, "17740950239373139"), (1, 1, "17740950239373138")]),
        ((f"({'9' * 40})", f"({'9' * 41})"), [(0, 0, "9" * 40), (1, 1, "9" * 41)]),
        (("(1+2)", "(1)"), [(0, 0, "1+2"), (1, 1, "1")]),
        (("(" + "x" * 5000, "-", "x" * 5000 + ")"), [(0, 2, "x" * 5000)]),
        (("".join(f"({i}" for i in range(2000)), "|".join(f"{i})" for i in range(2000))), MANY),
    ],
)
def test_cells(cells: tuple[str, ...], expected: list[tuple[int, int, str]] | None) -> None:
    if expected is None:
        failure(document(*cells))
    else:
        assert spans(document(*cells)) == expected


@examples(300)
@given(st.text("(()|1a_- ", min_size=1, max_size=12))
def test_what_is_a_cell(cell: str) -> None:
    cell = cell.strip(" ")
    try:
        slow_pieces(cell)
    except ValueError:
        if re.search(r"\)_|_\(", cell):  # which may still be plain
            outcome(f"#begin document x\na\t-\na\t{cell}\nb\t-\n".encode())
        elif " " not in cell:
            error = failure(f"#begin document x\na\t-\na\t{cell}\nb\t-\n")
            assert "not understood" in error.message or "not coreference" in error.message
            assert (error.line, error.column) == (3, 3)
    else:
        try:
            read(f"#begin document x\na\t{cell}\n")
        except InputError as error:
            assert "opened" in error.message


# ---- mention ids


def test_a_column_of_mention_ids_gives_names() -> None:
    corpus = read("#begin document(a);\nm_1\t(0)\nm_2\t-\nm é3\t(1)|(0)\n#begin document(b);\n7\t(0)\nm_1\t(2)\n")
    assert corpus.names == ["m_1", "m é3", "m é3", "7", "m_1"]
    assert [row[:3] for row in rows(corpus)] == [(0, 0, 0), (0, 2, 2), (0, 2, 2), (1, 0, 0), (1, 1, 1)]
    assert read("a (0)\r\nb (1)\r\n").names == ["a", "b"]
    assert read("a1\t\nb2\t(1)\n").names == ["b2"]
    assert read("a1\t-\nb2\t-\n").names == []


def test_words_between_mentions_are_words() -> None:
    for text in ("a (0)\r\nb -\r\n", "a\t\nb\t(1)\n", "a\t-\nb\t-\n"):
        assert read(text).names is None and read(text).text.words == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        "a\t(0)\na\t(1)\n",  # twice
        "1\t(0)\n2\t(1)\n",  # numbers only
        "a\t(0)\n#begin document b\n1\t(0)\n2\t-\n",
        "a\t(0\nb\t0)\n",  # two tokens
        "a\tx\t(0)\nb\tx\t(1)\n",  # three columns
        "a\t(0)\nb\tx\t(1)\nc\t-\n",
        "(0)\n(1)\n",
    ],
)
def test_other_first_columns_do_not(text: str) -> None:
    assert read(text if "#" not in text else "#begin document a\n" + text).names is None


# ---- errors


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        (document("-", "12"), "this coreference is not understood: '12'", 3, 9),
        (document("-", "wor"), "the last column is not coreference: 'wor'", 3, 9),
        (document("("), "this coreference is not understood: '('", 2, 9),
        (document("()"), "this coreference is not understood: '()'", 2, 9),
        (document(")"), "this coreference is not understood: ')'", 2, 9),
        (document("_(3)"), "this coreference is not understood: '_(3)'", 2, 9),
        (document("(3)|"), "this coreference is not understood: '(3)|'", 2, 9),
        (document("(3", "3)", "(3||(4)"), "this coreference is not understood: '(3||(4)'", 4, 9),
        (document("x" * 99), f"the last column is not coreference: '{'x' * 40}...'", 2, 9),
        ("é é   NNP\n", "the last column is not coreference: 'NNP'", 1, 7),
        (document("-", "(12"), "mention 12, opened here, is never closed", 3, 9),
        (document("(1|(2", "", "(3(1", "1)"), "mention 1, opened here, is never closed (and 2 more)", 2, 9),
        (document("(1", "1)|12)"), "mention 12 is closed but was never opened", 3, 12),
        (document("(1") + document("1)", name="e"), "mention 1 is closed but was never opened", 5, 9),
        (document("(1"), "mention 1, opened here, is never closed", 2, 9),
        (document("(1)") + document("-"), "there is already a document 'd_0' at line 1", 4, None),
        (document("-", name="(d); part 000") + document("-"), "there is already a document 'd_0' at line 1", 4, None),
        ("\n# note\nw (1)\n" + document("-"), "this line is not in any document", 3, 1),
        (document("-") + "# note\n\nw -\n", "this line is not in any document", 6, 1),
        (document("-") + "w -\n" + document("-", name="e"), "this line is not in any document", 4, 1),
        ("", "there is no token line in this file", None, None),
        ("\n \n# x\n", "there is no token line in this file", None, None),
        ("#begin document a\n#end document\n", "there is no token line in this file", None, None),
        ("a b c -\na b c -\na b", "the file seems to be cut off here", 3, 4),
        ("a\tb\t-\na\tb\t(1)\nwor", "the file seems to be cut off here", 3, 4),
        ("a\tb\t-\na\tb\t", "the file seems to be cut off here", 2, 5),
        (b"a -\nb (1)\n\xc3\xa9 \xe9 -\n", "byte 0xe9 is not UTF-8", 3, 3),
        (b"a -\nb\0 -\n", "NUL byte: this is not text", 2, 2),
    ],
)
def test_errors(text: str | bytes, message: str, line: int | None, column: int | None) -> None:
    error = failure(text)
    assert (error.message, error.line, error.column) == (message, line, column)


def test_hints() -> None:
    assert "`(3|(5)`" in failure(document("wor")).hint
    assert "no mention 12 is open here" in failure(document("12")).hint
    assert "iconv -f latin1 -t utf-8" in failure(b"\xe9 -\n").hint and "--encoding latin-1" in failure(b"\xe9 -\n").hint
    assert "utf-16" in failure("a -\n".encode("utf-16-le")).hint
    assert "CR only" in failure("#begin document a\ra -\r").hint


def test_a_last_line_without_newline_is_fine() -> None:
    assert spans("a b (1)\na b (2)") == [(0, 0, "1"), (1, 1, "2")]
    assert spans("a b (1)\n\nb (2)") == [(0, 0, "1"), (1, 1, "2")]
    assert spans(document("(1)").rstrip("\n")) == [(0, 0, "1")]
    assert spans("a\t(1)\nb\t") == [(0, 0, "1")]


# ---- recognition


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("#begin document (a); part 000\n", True),
        ("# begin document a\n0\ta\t_\n", True),
        ("# a comment\n#begin document(a);\n", True),
        ("a b (1\nc d 1)\n", True),
        ("a\tb\t\nc\td\t(1)\n\n# x\n", True),
        ("#\t(1)\n", True),
        ("a b (1)\nc d fragmen", True),
        ("a b -\nc d _\n", False),
        ("(1)\n(2)\n", False),
        ("", False),
        ("#end document\n", False),
        ("# newdoc id = a\n# sent_id = 1\n1\ta\ta\tX\t_\t_\t0\troot\t_\t(1)\n", False),
        ("# global.Entity = eid-etype-head-other\n1\ta\t_\t_\t_\t_\t_\t_\t_\t(e1)\n", False),
        ("1\ta\ta\tX\t_\t_\t0\troot\t_\tEntity=(e1-person-1-)\n", False),
        ('{"doc_key": "a", "clusters": [[[0, 1]]]}\n', False),
        ("doc,mention,entity\na,1,(1)\n", False),
        ("<?xml version='1.0'?>\n<a b='(1)'/>\n", False),
        ("T1\tPER 0 5\tAlice\nR1\tCoref Arg1:T2 Arg2:T1\n", False),
        ("As was shown (1)\nit is so (2).\n", False),
        ("#FORMAT=WebAnno TSV 3.2\n#T_SP=x|y\n\n#Text=a\n1-1\t0-1\ta\t(1)\n", False),
        ('{A:type="x" Alice} saw {B Bob}\n', False),
        ("(ROOT\n  (NP (NN a)))\n", False),
    ],
)
def test_looks_like(head: str, expected: bool) -> None:
    assert conll.looks_like(head.encode()) is expected
    assert conll.looks_like(head.replace("\n", "\r\n").encode()) is expected


@given(st.binary())
def test_looks_like_takes_anything(head: bytes) -> None:
    assert conll.looks_like(head) in (True, False)


# ---- generated files

IDS = st.sampled_from(["0", "1", "2", "01", "12", "e1", "person-3-A._B", "17740950239373139", "é", "x" * 40])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A well-formed file, in one dialect or a mixture."""
    rng = draw(st.randoms(use_true_random=False))
    padded, piped, spaced = (draw(st.booleans()) for _ in range(3))
    nothing = draw(st.sampled_from(["-", "_", "*", "" if not padded else "-"]))
    columns = draw(st.integers(0, 4))
    lines = []
    for number in range(draw(st.integers(1, 4))):
        lines.append(
            rng.choice(["#begin document (d%d); part 000", "# begin document d%d", "#begin document(d%d);"]) % number
        )
        size = draw(st.integers(0 if number else 1, 12))
        opens: list[list[str]] = [[] for _ in range(size)]
        closes: list[list[str]] = [[] for _ in range(size)]
        for label in draw(st.lists(IDS, max_size=12 if size else 0)):
            start = rng.randrange(size)
            end = min(size - 1, start + rng.choice((0, 0, 1, 2, 5)))
            if start == end:
                opens[start].append(f"({label})")
            else:
                opens[start].append(f"({label}")
                closes[end].append(f"{label})")
        for i in range(size):
            pieces = closes[i] + opens[i] if rng.random() < 0.8 else opens[i] + closes[i]
            bar = "|" if piped else ""
            bar += " " if spaced and not padded and columns else ""
            words = [rng.choice(["w", "été", "(NP*", "-", "1", "a b" if not padded else "ab"]) for _ in range(columns)]
            cell = bar.join(pieces) or nothing
            if padded:
                lines.append(" ".join(x.rjust(rng.randint(1, 9)) for x in (*words, cell)))
            else:
                lines.append("\t".join((*words, cell)) if columns or cell else "-")
            lines += rng.choice(([], [], [], [""], ["", "  "], ["# note"], ["\t"] if rng.random() < 0.3 else []))
        if rng.random() < 0.7:
            lines.append("#end document")
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return (newline.join(lines) + newline * (not lines[-1] or draw(st.booleans()))).encode()


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    return lambda size: monkeypatch.setattr(conll, "SLICE", size)


def outcome(data: bytes) -> object:
    try:
        corpus = read(data)
    except InputError as error:
        return str(error)
    return corpus.documents, rows(corpus), corpus.labels, corpus.names


def unbalanced_as_written(data: bytes) -> bool:
    """`(1|1)` as written closes what it opens, which may leave nothing for the piece that was meant."""
    try:
        slow(data)
    except (AssertionError, IndexError, KeyError):
        return True
    return False


@examples(400)
@given(files(), st.sampled_from([1, 7, 64, 1000]), st.sampled_from([1, 5, 24]))
def test_generated_files(data: bytes, size: int, window: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conll, "SLICE", size)
        patch.setattr(conll, "WINDOW", window)
        if unbalanced_as_written(data):
            failure(data)
        else:
            assert_like_slow(data)
        sliced = outcome(data)
    assert outcome(data) == sliced


# ---- anything at all

BITS = ["\n", "\n", "\t", " ", "(", ")", "|", "-", "_", "*", "#", "1", "2", "a", "é", "\r", "\r\n", "\x01", "\0", ";"]
BITS += ["#begin document ", "#end document", "part 0", "(1", "1)", "(1)", "\t(2", "\t2)\n", " -\n", "a\t", "b c "]


@examples(600)
@given(st.lists(st.sampled_from(BITS), max_size=40).map("".join), st.integers(1, 20))
def test_any_text_is_read_or_refused_in_slices_or_whole(text: str, size: int) -> None:
    whole = outcome(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conll, "SLICE", size)
        patch.setattr(conll, "WINDOW", 1 + size % 4)
        assert outcome(text.encode()) == whole


@examples(300)
@given(st.binary())
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    outcome(data)


@examples(200)
@given(files(), st.randoms(use_true_random=False))
def test_damaged_files_are_read_or_refused(data: bytes, rng: random.Random) -> None:
    damaged = bytearray(data[: rng.randrange(len(data) + 1)])
    for _ in range(rng.randrange(4) if damaged else 0):
        damaged[rng.randrange(len(damaged))] = rng.choice(b"()|-\n\t #1\r\xff\0")
    outcome(bytes(damaged))


@pytest.mark.slow
def test_long_lines_and_cells_take_no_long_time() -> None:
    big = 1 << 16  # enough for what grows with the square to take minutes
    cells = {"(1)" * big, "(1" * big, "1" * big, "(" * big, "(1)|" * big + "x", " " * big + "(1)", "(1)" + " " * big}
    for cell in cells:
        outcome(f"#begin document x\na\t{cell}\n".encode())
        outcome(f"{cell}\n".encode())
    outcome(b"\n" * big + b"a (1)\n" + b"#" * big)
    outcome(b"#begin document " + b"; part " * big)


def test_mentions_are_paired_across_slices(slices: Callable[[int], None]) -> None:
    text = document("(1", *["-"] * 500, "1)", name="a") + document(*["-"] * 500, "(1)", name="b")
    slices(100)
    assert rows(read(text)) == [(0, 0, 501, "1", 2), (1, 500, 500, "1", 1006)]
    slices(1 << 30)
    assert rows(read(text)) == [(0, 0, 501, "1", 2), (1, 500, 500, "1", 1006)]


# ---- real files

# How many malformed cells, by a count of their patterns in the file: `)_`, `_(` and arguments, in the last column.
MALFORMED = {
    "corefconversion/testing_sacr2conll.conll": rb"(?m)\t\S*(?:\)_|\d_\()\S*$",
    "semeval2010_systems/original_task/sucre/closed/regular/es.txt": rb"(?m)\t(?:_\S+|arg\S+)$",
    "semeval2010_systems/original_task/ubiu/closed/regular/es.txt": rb"(?m)\targ\S+$",
}


def real_files() -> Iterator[tuple[str, bytes]]:
    if not DATA.is_dir():
        pytest.skip(f"no real data at {DATA}")
    for path in paths():
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
        yield path.relative_to(DATA).as_posix(), data.removeprefix(b"\xef\xbb\xbf")


@pytest.mark.slow
def test_real_files_are_recognised() -> None:
    for name, data in real_files():
        expected = re.search(rb"^#\s*begin document", data[: 1 << 16], re.MULTILINE) is not None
        assert conll.looks_like(data[: 1 << 16]) is expected, name


@pytest.mark.slow
def test_real_files_read_as_by_the_slow_reader() -> None:
    seen = 0
    for name, data in real_files():
        if not conll.looks_like(data[: 1 << 16]):
            continue
        if name in MALFORMED:
            pattern = MALFORMED[name]
            (issue,) = read(data, name).issues
            assert (issue.code, issue.count) == ("malformed", len(re.findall(pattern, data))), name
            continue
        corpus = assert_like_slow(data)
        assert (corpus.names is not None) == name.startswith("cdcr_beyond/"), name
        seen += 1
    assert seen > 200


def test_damaged_real_files_are_read_or_refused(slices: Callable[[int], None]) -> None:
    rng = random.Random(1)
    chosen = [data for name, data in real_files() if len(data) < 30_000 and conll.looks_like(data)]
    for data in rng.sample(chosen, 60):
        slices(rng.choice((50, 1000, 1 << 20)))
        damaged = bytearray(data[: rng.randrange(len(data))])
        for _ in range(rng.randrange(3) if damaged else 0):
            damaged[rng.randrange(len(damaged))] = rng.choice(b"()|-\n\t #1\r\xff")
        outcome(bytes(damaged))
