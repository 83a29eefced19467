"""Text and layers of columns, files with many mistakes, and what is written."""

from __future__ import annotations

import random
import re
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples
from coreflens.corpus.model import Corpus, Document
from coreflens.errors import InputError
from coreflens.files.writing import save
from coreflens.formats import conll, semeval
from coreflens.formats.conll import cell_places
from coreflens.formats.conll import text as columns
from coreflens.formats.conll.columns import BLANKS, before_last, is_token, name_and_part
from coreflens.formats.conll.text import CONLL_LAYERS, SEMEVAL_LAYERS
from coreflens.formats.python import from_python
from coreflens.formats.shared.builder import Builder
from coreflens.formats.shared.problems import Problem
from coreflens.formats.shared.source import Source
from places import DATA
from roundtrip import corpora, same
from samples import paths


def read(text: str | bytes, name: str = "f.conll") -> Corpus:
    return conll.read(Source(text if isinstance(text, bytes) else text.encode(), name))


def problems(text: str | bytes) -> tuple[Corpus, list[Problem]]:
    """What a lenient reading makes of a file that can't be read otherwise."""
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(InputError) as strict:
        read(data)
    source = Source(data, "f.conll", lenient=True)
    corpus = conll.read(source)
    assert strict.value.code in {problem.code for problem in source.problems}
    return corpus, source.problems


def places(found: list[Problem]) -> list[tuple[str, int | None, int | None]]:
    return [(problem.code, problem.line, problem.column) for problem in found]


def spans(corpus: Corpus) -> list[tuple[str, int, int, str]]:
    return [(m.document.label, m.start, m.end, str(m.entity)) for m in corpus]


# ---- the text

GOLD = """#begin document (a/b); part 000
a/b   0   0    Bob   NNP  (TOP(S(NP*)  -     -   -  Ann  (PERSON)  (ARG0*)     *   (1)
a/b   0   1  likes   VBZ         (VP*  like  01  1  Ann         *     (V*)  (V*)    -
a/b   0   2   him    PRP      (NP*)))  -     -   -  Ann         *  (ARG1*)     *   (2)

a/b   0   0    He    PRP    (TOP(S*))  -     -   -  -           *  (1)

#end document
#begin document (a/b); part 001
a/b   1   0    OK     UH      (TOP*)   -     -   -  -           *    -

#end document
"""


def test_the_layers_of_conll_2012() -> None:
    corpus = read(GOLD)
    assert corpus.has_text
    text = corpus.text
    assert text.words == ["Bob", "likes", "him", "He", "OK"]
    assert (text.first.tolist(), text.sentences.tolist()) == ([0, 4, 5], [0, 3, 4])
    assert text.line is not None and text.line.tolist() == [2, 3, 4, 6, 10]
    assert text.empty is None and text.raw is None
    assert text.layers == {
        "pos": ["NNP", "VBZ", "PRP", "PRP", "UH"],
        "parse": ["(TOP(S(NP*)", "(VP*", "(NP*)))", "(TOP(S*))", "(TOP*)"],
        "lemma": ["", "like", "", "", ""],
        "frameset": ["", "01", "", "", ""],
        "sense": ["", "1", "", "", ""],
        "speaker": ["Ann", "Ann", "Ann", "", ""],
        "names": ["(PERSON)", "", "", "", ""],
        "arguments": ["(ARG0*) *", "(V*) (V*)", "(ARG1*) *", "", ""],
    }
    assert corpus.words(0) == "Bob"


@pytest.mark.parametrize(
    ("text", "words", "layers"),
    [
        ("0\tA\t(1\n1\tB\t1)\n\n0\tC\t_\n", "A B C", {}),  # GUM, xrenner
        ("1 A X (1\n2 B Y 1)\n", "A B", {"column 3": ["X", "Y"]}),
        ("A X (1\nB Y 1)\n", "A B", {"column 2": ["X", "Y"]}),
        ("A (1\nB 1)\n", "A B", {}),
        ("d A (1\nd B 1)\n", "A B", {"column 1": ["d", "d"]}),
        ("f 0 1 A (1\nf 0 2 B 1)\n", "A B", {}),
        ("f 0 7 A (1\nf 0 8 B 1)\n", "A B", {"number": ["7", "8"]}),
        (
            "g 2 1 A - X (1\ng 2 2 B Y - 1)\n",
            "A B",
            {"document": ["g", "g"], "part": ["2", "2"], "column 5": ["", "Y"], "column 6": ["X", ""]},
        ),
        (
            "38 s 1 35 ___ True (1\n38 s 1 36 ___ True 1)\n",  # hypercoref
            "___ ___",
            {"number": ["35", "36"]} | {f"column {i}": [x, x] for i, x in ((1, "38"), (2, "s"), (3, "1"), (6, "True"))},
        ),
        ("f\t0\t0\ta b\t_\t_\t_\t_\t_\t_\t_\t_\t(1)\nf\t0\t1\t-\t_\t_\t_\t_\t_\t_\t_\t_\t\n", "a b|-", {}),  # LitBank
    ],
)  # fmt: skip
def test_where_the_words_are(text: str, words: str, layers: dict[str, list[str]]) -> None:
    corpus = read(text)
    assert corpus.text.words == (words.split("|") if "|" in words else words.split())
    assert corpus.text.layers == layers


@pytest.mark.parametrize(
    "text", ["1\t(1)\n2\t-\n", "d\t(1)\nd\t-\n", "(1)\n-\n", "m1\t(1)\nm2\t(1)\n", "d 0 0 (1)\nd 0 1 -\n"]
)
def test_files_without_words(text: str) -> None:
    corpus = read(text)
    assert not corpus.has_text
    with pytest.raises(InputError, match="no text"):
        _ = corpus.text


def test_comments_and_blank_lines_in_a_text() -> None:
    text = read("# note\n#begin document x\n\n0\tA\t-\n# note\n1\t#\t-\n \t\n\n0\tB\t-\r\n#end document\n").text
    assert (text.words, text.sentences.tolist()) == (["A", "#", "B"], [0, 2])
    assert text.line is not None and text.line.tolist() == [4, 6, 9]


def test_a_line_gone_wrong_is_no_text() -> None:
    with pytest.raises(InputError, match="100001 columns") as caught:
        _ = read("A x (1)\n" + "B " * 100_000 + "(1)\n").text
    assert caught.value.line == 2


def real_texts() -> Iterator[tuple[str, Corpus]]:
    if not DATA.is_dir():
        pytest.skip(f"no real data at {DATA}")
    for path in paths():
        if path.suffix != ".gz" and path.stat().st_size < 3_000_000:
            data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
            if conll.looks_like(data[: 1 << 16]):
                name = path.relative_to(DATA).as_posix()
                yield name, read(data, name)


@pytest.mark.slow
def test_real_files_are_the_same_when_written() -> None:
    seen = 0
    for name, corpus in real_texts():
        if not corpus.has_text:
            continue
        assert len(corpus.text.words) == sum(d.tokens or 0 for d in corpus.documents), name
        text = "".join(conll.write(corpus))
        again = read(text, name)
        same(corpus, again, conll.HOLDS)
        assert sorted(spans(corpus)) == sorted(spans(again)), name
        assert "".join(conll.write(again)) == text, name
        seen += 1
    assert seen > 150


def test_ontonotes_comes_back_byte_for_byte_but_for_padding() -> None:
    files = sorted(DATA.glob("berkeley_ontonotes_sample/gold/**/*_conll"))
    if not files:
        pytest.skip(f"no real data at {DATA}")
    for path in files:
        lines = path.read_text().splitlines()
        expected = ["\t".join(line.split()) if not line.startswith("#") else line for line in lines]
        assert "".join(conll.write(read(path.read_bytes()))).splitlines() == expected


# ---- all that is wrong


def test_all_problems_of_a_file() -> None:
    text = """#begin document a
0\tx\t(1
1\tx\t(2|3)
2\tx\tNN
3\tx\t(4)
#end document
0\tx\t(5)
1\tx\t(6)
#begin document b
0\tx\t(1
1\tx\t12
2\tx\t1)|(7
#end document
#begin document a
0\tx\t(9)
#end document
#begin document c
0\tx\t(é)
1\tx"""
    corpus, found = problems(text)
    assert sorted(places(found), key=lambda p: (p[1], p[2] or 0)) == [
        ("unclosed", 2, 5),
        ("unclosed", 3, 5),
        ("unopened", 3, 8),
        ("syntax", 4, 5),
        ("syntax", 7, 1),
        ("syntax", 11, 5),
        ("unclosed", 12, 8),
        ("duplicate-document", 14, None),
        ("truncated", 19, 4),
    ]
    assert spans(corpus) == [("a", 3, 3, "4"), ("b", 0, 2, "1"), ("c", 0, 0, "é")]
    assert [(d.label, d.tokens) for d in corpus.documents] == [("a", 4), ("b", 3), ("c", 1)]
    assert corpus.text.words == ["x"] * 8
    assert corpus.text.line is not None and corpus.text.line.tolist() == [2, 3, 4, 5, 10, 11, 12, 18]


def test_bytes_that_are_not_utf8() -> None:
    corpus, found = problems(b"#begin document a\n0\t\xe9t\xe9\t(1)\n1\tb\t-\n2\t\xff\t(2)\n")
    assert places(found) == [("encoding", 2, 3), ("encoding", 4, 3)]
    assert corpus.text.words == ["?t?", "b", "?"] and len(corpus) == 2


def test_nothing_can_be_read_of_some() -> None:
    for text in (b"a\0b\t(1)\n", b"# x\n"):
        with pytest.raises(InputError):
            conll.read(Source(text, "f.conll", lenient=True))


@pytest.mark.slow
def test_many_problems_take_no_long_time() -> None:
    size = 20_000
    for cell in ("1)" * size, "(1" * size, "|" * size):
        source = Source(f"#begin document x\n0\tx\t-\n{'é' * size}\tx\t{cell}\n".encode(), "f", lenient=True)
        conll.read(source)
        assert len(source.problems) in (1, size) and source.problems[-1].line == 3
    for line in ("x\t(1\n", "x\t1)\n", "x\tNN\n", "#end document\nx\t-\n"):
        source = Source(("#begin document x\n" + line * size).encode(), "f", lenient=True)
        conll.read(source)
        assert len(source.problems) == size


BITS = ["\n", "\n", "\t", " ", "(", ")", "|", "-", "_", "*", "#", "1", "2", "a", "é", "\r", "\x01", ";", "0\tx\t(1)\n"]
BITS += [
    "#begin document ",
    "#end document\n",
    "part 0",
    "(1",
    "1)",
    "(1)",
    "\t(2",
    "\t2)\n",
    " -\n",
    "a\t",
    "b c ",
    "_(",
]


@examples(400)
@given(st.lists(st.sampled_from(BITS), max_size=40).map("".join))
def test_any_text_is_read_leniently_with_its_problems(text: str) -> None:
    """What is read strictly is read the same leniently; what is not has an error; the tokens are those of the text."""
    source = Source(text.encode(), "f", lenient=True)
    try:
        corpus = read(text, "f")
    except InputError:
        try:
            corpus = conll.read(source)
        except InputError:
            return
        assert any(problem.severity == "error" for problem in source.problems)
    else:
        assert spans(conll.read(source)) == spans(corpus) and corpus.documents == conll.read(source).documents
        assert not any(problem.severity == "error" for problem in source.problems)
    if corpus.has_text:
        assert np.diff(corpus.text.first).tolist() == [d.tokens for d in corpus.documents]
        assert len(corpus.text.sentences) <= len(corpus.text.words)


@pytest.mark.slow
def test_damaged_real_files_are_read_leniently_and_written() -> None:
    rng = random.Random(2)
    files = [
        path.read_bytes()
        for path in sorted(DATA.glob("*/**/*conll"))
        if path.is_file() and path.stat().st_size < 60_000
    ]
    files = [data for data in files if conll.looks_like(data)]
    if not files:
        pytest.skip(f"no real data at {DATA}")
    written = 0
    for data in rng.sample(files, min(60, len(files))):
        damaged = bytearray(data[: rng.randrange(1, len(data))])
        for _ in range(rng.randrange(9)):
            damaged[rng.randrange(len(damaged))] = rng.choice(b"()|-\n\t #1\r\xff")
        try:
            corpus = conll.read(Source(bytes(damaged), "f.conll", lenient=True))
            text = "".join(conll.write(corpus))
        except InputError:
            continue
        same(read(text), corpus, conll.HOLDS)
        written += 1
    assert written > 20


def test_only_semeval_looks_like_semeval() -> None:
    if not DATA.is_dir():
        pytest.skip(f"no real data at {DATA}")
    for path in paths():
        with path.open("rb") as file:
            assert semeval.looks_like(file.read(1 << 16)) is ("semeval2010_systems/original_task" in str(path)), path


@examples(100)
@given(st.binary())
def test_any_bytes_are_read_leniently_or_refused(data: bytes) -> None:
    try:
        corpus = conll.read(Source(b"#begin document x\n0\ta\t-\n" + data, "f", lenient=True))
    except InputError:
        return
    if corpus.has_text:
        assert len(corpus.text.words) == sum(d.tokens or 0 for d in corpus.documents)


# ---- malformed cells


def test_an_underscore_between_brackets() -> None:
    corpus = read("#begin document (a)\n0\tA\t(0_(1_(2)\n1\tB\t1)_0)\n2\tC\t(3)\n")
    assert spans(corpus) == [("a", 0, 1, "0"), ("a", 0, 1, "1"), ("a", 0, 0, "2"), ("a", 2, 2, "3")]
    (issue,) = corpus.issues
    assert (issue.code, issue.count, issue.places) == ("malformed", 2, ("f.conll:2:5", "f.conll:3:5"))
    assert "'(0_(1_(2)' is read as '(0|(1|(2)'" in issue.message
    assert corpus.text.words == ["A", "B", "C"]


def test_labels_with_underscores_are_labels() -> None:
    corpus = read("#begin document (a)\n0\tA\t(0_(1\n1\tB\t1)0_)\n")
    assert spans(corpus) == [("a", 0, 1, "0_"), ("a", 0, 1, "1")] and not corpus.issues


def test_what_is_wrong_besides_is_still_an_error() -> None:
    _, found = problems("#begin document (a)\n0\tA\t(0_(1\n1\tB\t1)_0)\n2\tC\t5)\n")
    assert places(found) == [("malformed", 2, 5), ("malformed", 3, 5), ("unopened", 4, 5)]


# ---- writing

WORDS = st.text("abAé字().,-_*#'\" &<|\r\x01", min_size=0, max_size=6)
NAMES = st.text("abé/_. ;()#", min_size=1, max_size=6)
DOCUMENTS: st.SearchStrategy[str] = NAMES.filter(lambda x: bool(name_and_part(f"({x});") == (x, None)))
LAYERS = {"layer column *", "layer number", "layer document", "layer part"}


@examples(300)
@given(corpora(conll.HOLDS - LAYERS, words=WORDS, document_names=DOCUMENTS, least=0, same_entity_crossing=False))
def test_round_trip(corpus: Corpus) -> None:
    if corpus.names is not None or not corpus.has_text:
        return
    same(read("".join(conll.write(corpus))), corpus, conll.HOLDS)


@examples(100)
@given(
    corpora(
        conll.HOLDS - LAYERS - {"words", "sentences", "names"}, document_names=DOCUMENTS, same_entity_crossing=False
    )
)
def test_round_trip_without_words(corpus: Corpus) -> None:
    sizes = [int(corpus.end[slice(*corpus.bounds[d : d + 2])].max(initial=0)) + 1 for d in range(len(corpus.documents))]
    corpus = replace(corpus, documents=[d._replace(tokens=n) for d, n in zip(corpus.documents, sizes, strict=True)])
    again = conll.read(Source("".join(conll.write(corpus)).encode(), "f"))
    same(again, corpus, conll.HOLDS - {"words"})
    assert not again.has_text
    assert [d.tokens for d in again.documents] == sizes


@examples(100)
@given(corpora({"names", "labels", "documents", "document parts", "singletons", "cross-document entities"}))
def test_round_trip_of_mention_names(corpus: Corpus) -> None:
    if len(corpus):
        same(read("".join(conll.write(corpus))), corpus, conll.HOLDS)


@examples(100)
@given(
    corpora(
        conll.HOLDS - LAYERS - {f"layer {x}" for x in (*CONLL_LAYERS, "arguments")}
        | {"layer column 3", "layer column 4"},
        same_entity_crossing=False,
    )
)
def test_round_trip_of_other_columns(corpus: Corpus) -> None:
    if corpus.has_text:
        try:
            text = "".join(conll.write(corpus))
        except InputError as error:
            assert "would take these columns for others" in error.message
        else:
            same(read(text), corpus, conll.HOLDS)


def corpus_of(*mentions: tuple[int, int, str], words: str = "a b c d", name: str = "d") -> Corpus:
    builder = Builder(Source(b"", "x"), "test")
    builder.document(name)
    for word in words.split(" "):
        builder.token(word)
    for start, end, entity in mentions:
        builder.mention(start, end, entity)
    return builder.build()


def with_layer(name: str, value: str) -> Corpus:
    corpus = corpus_of()
    return replace(corpus, texts=replace(corpus.text, layers={name: [value] * 4}))


@pytest.mark.parametrize(
    ("mentions", "cells"),
    [
        ([(0, 3, "1"), (0, 1, "2"), (0, 0, "3"), (1, 1, "4")], "(1|(2|(3) (4)|2) - 1)"),
        ([(0, 2, "1"), (1, 3, "2")], "(1 (2 1) 2)"),
        ([(0, 1, "1"), (1, 2, "1")], "(1 1)|(1 1) -"),
        ([(0, 1, "1"), (0, 1, "1"), (1, 1, "1")], "(1|(1 (1)|1)|1) - -"),
        ([(0, 1, "1"), (0, 1, "2")], "(1|(2 2)|1) - -"),
    ],
)
def test_the_order_of_pieces(mentions: list[tuple[int, int, str]], cells: str) -> None:
    text = "".join(conll.write(corpus_of(*mentions)))
    assert [line.split("\t")[-1] for line in text.splitlines() if "\t" in line] == cells.split()
    same(read(text), corpus_of(*mentions), conll.HOLDS)


def test_what_is_written() -> None:
    text = "".join(conll.write(corpus_of((0, 1, "1"), words="A b")))
    assert text == (
        "#begin document (d);\n"
        "d\t0\t0\tA\t-\t-\t-\t-\t-\t-\t*\t(1\n"
        "d\t0\t1\tb\t-\t-\t-\t-\t-\t-\t*\t1)\n"
        "\n"
        "#end document\n"
    )


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        (corpus_of((0, 2, "1"), (1, 3, "1")), "two mentions of entity 1 in document 'd' cross at token 2"),
        (corpus_of((0, 2, "a b")), "entity 'a b' can't be written into a cell"),
        (corpus_of((0, 2, "(")), "entity '(' can't be written into a cell"),
        (corpus_of(words="a\tb"), "'a\\tb' in document 'd' can't be written"),
        (corpus_of(words="a\nb"), "'a\\nb' in document 'd' can't be written"),
        (with_layer("pos", "a\tb"), "'a\\tb' in document 'd' can't be written"),
        (with_layer("arguments", "a\nb"), "'a\\nb' in document 'd' can't be written"),
        (with_layer("column 9", "x"), "the layers column 9 do not make up the columns of one file"),
        (corpus_of(name="a\nb"), "can't be written in a begin line"),
        (corpus_of(name=" a"), "can't be written in a begin line"),
        (corpus_of(name="a; part 3"), "can't be written in a begin line"),
        (from_python([[1, 2], [3]]), "have numbers as names"),
        (from_python([["a", "b "], ["c"]]), "can't be written into a column"),
        (replace(corpus_of((0, 1, "1")), texts=None, documents=[Document("a", None, None)]), "no text"),
    ],
)
def test_what_can_not_be_written(corpus: Corpus, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        list(conll.write(corpus))


def test_half_a_surrogate_pair_can_not_be_saved(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="surrogate"):
        save(conll.write(corpus_of(words="a \ud800")), tmp_path / "x.conll")
    assert not list(tmp_path.iterdir())


def test_characters_are_no_tokens() -> None:
    builder = Builder(Source(b"", "x"), "test", unit="character")
    builder.document("d")
    builder.raw("A cat")
    builder.mention(0, 4, "1")
    for module in (conll, semeval):
        with pytest.raises(InputError, match="count characters"):
            list(module.write(builder.build()))


# ---- SemEval


def semeval_line(i: int, word: str, *more: str) -> str:
    layers = ("_" if layer.startswith("p") else f"{layer[0]}{i}" for layer in SEMEVAL_LAYERS)
    return "\t".join([str(i), word, *layers, *more]) + "\n"


LINES = semeval_line(1, "A", "arg0", "_", "(1") + semeval_line(2, "b", "_", "_", "(2)|1)")
FULL = f"#begin document wp_0124\n{LINES}\n#end document wp_0124\n"


def test_the_layers_of_semeval() -> None:
    corpus = read(FULL)
    assert (corpus.format, corpus.documents[0].label) == ("semeval", "wp_0124")
    text = corpus.text
    assert text.words == ["A", "b"] and spans(corpus) == [("wp_0124", 0, 1, "1"), ("wp_0124", 1, 1, "2")]
    assert text.layers["lemma"] == ["l1", "l2"] and text.layers["names"] == ["n1", "n2"]
    assert text.layers["arguments"] == ["arg0 _", "_ _"] and "pos" not in text.layers
    assert "".join(semeval.write(corpus)) == FULL


TWO = "#begin document a\n1\t(1\n2\t1)\n\n#end document a\n"


def test_two_columns_of_numbers() -> None:
    corpus = read(TWO)
    assert (corpus.format, corpus.has_text, spans(corpus)) == ("semeval", False, [("a", 0, 1, "1")])
    assert "".join(semeval.write(corpus)) == TWO
    assert "".join(conll.write(corpus)) == "#begin document (a);\n0\t(1\n1\t1)\n\n#end document\n"


def test_malformed_cell_places_semeval() -> None:
    corpus = read("#begin document a\n1\t_(3)\n2\t_(4\n3\t_4)\n4\targ1-pat\n5\t_\n")
    assert spans(corpus) == [("a", 0, 0, "3"), ("a", 1, 2, "4")]
    (issue,) = corpus.issues
    assert (issue.code, issue.count, issue.places[0]) == ("malformed", 4, "f.conll:2:3")
    _, found = problems("#begin document a\n1\t_(3)\n2\tNN\n3\t_((\n")
    assert places(found) == [("malformed", 2, 3), ("syntax", 3, 3), ("syntax", 4, 3)]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (FULL, True),
        (TWO, True),
        ("#begin document a\r\n1\t_\r\n", True),
        ("#begin document a\n#end document a\n#begin document b\n1\t_\n", True),
        (GOLD, False),
        ("#begin document (a)\n1\t_\n", False),
        ("#begin document a; part 0\n1\t_\n", False),
        ("#begin document a\n1\tx\t_\n", False),
        ("# begin document a\n0\tx\t_\n", False),
        ("#begin document a\nm1\t(1)\n", False),
        ("", False),
    ],
)
def test_looks_like_semeval(head: str, expected: bool) -> None:
    assert semeval.looks_like(head.encode()) is expected


PARTS = semeval.HOLDS - {"layer number"}
BARE_NAMES = st.text("abé/_.", min_size=1, max_size=6)


@examples(200)
@given(corpora(PARTS, words=WORDS, document_names=BARE_NAMES, least=0, same_entity_crossing=False))
def test_round_trip_of_semeval(corpus: Corpus) -> None:
    if corpus.has_text:
        again = semeval.read(Source("".join(semeval.write(corpus)).encode(), "f"))
        same(again, corpus, semeval.HOLDS)
        assert again.format == "semeval"


@examples(50)
@given(corpora(PARTS - {"words", "sentences"}, document_names=BARE_NAMES, same_entity_crossing=False))
def test_round_trip_of_semeval_without_words(corpus: Corpus) -> None:
    documents = [Document(d.name, d.part, 9, d.file, d.line) for d in corpus.documents]
    corpus = Corpus(documents, corpus.doc, corpus.start, corpus.end, corpus.entity, corpus.labels)
    same(semeval.read(Source("".join(semeval.write(corpus)).encode(), "f")), corpus, semeval.HOLDS)


@pytest.mark.slow
def test_real_systems_of_semeval() -> None:
    files = sorted(DATA.glob("semeval2010_systems/original_task/**/*.txt"))
    if not files:
        pytest.skip(f"no real data at {DATA}")
    for path in files:
        corpus = cl.read(path)
        opened = re.findall(rb"(?m)\t\S*\(", data := path.read_bytes())
        assert corpus.format == "semeval" and not corpus.has_text
        assert len(corpus) == data.count(b"(") and opened
        assert len(corpus.documents) == len(re.findall(rb"(?m)^#begin", data))
        assert sum(d.tokens or 0 for d in corpus.documents) == len(re.findall(rb"(?m)^\d+\t", data))
        result = cl.score(path, path)
        assert result.conll == 1
        same(semeval.read(Source("".join(semeval.write(corpus)).encode(), "f")), corpus, semeval.HOLDS)


# -------------------------------------------------------------------------------------------------------------- growth


def outcome(data: bytes, documents: list[Document], first: list[int]) -> object:
    try:
        found = columns.read_text(data, documents, np.array(first, np.int64))
    except InputError as error:
        return str(error)
    assert found.line is not None
    numbers = [found.first.tolist(), found.sentences.tolist(), found.line.tolist()]
    return list(found.words), {name: list(layer) for name, layer in found.layers.items()}, numbers


@pytest.mark.parametrize("widths", [(1, 2, 3), (2, 3, 7), (10, 11, 13), (9, 10, 11), (7,)])
def test_a_text_is_the_same_in_whatever_pieces_it_is_read(widths: tuple[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of several widths, so that layers begin and end in the middle of a document."""
    rng = np.random.default_rng(len(widths))
    data, documents, first, begin = b"", [], [], 0
    for number, size in enumerate((7, 0, 1, 12)):
        data += f"#begin document (a{number}); part 000\n".encode()
        for token in range(size):
            cells = [f"x{rng.integers(5)}" for _ in range(rng.choice(widths))]
            blank = "\n" * int(rng.integers(1, 3))
            data += ("\t".join([f"a{number}", "0", str(token), *cells, "(1)"]) + blank).encode()
        data += b"#end document\n"
        documents.append(Document(f"a{number}", tokens=size))
        first.append(begin)
        begin += size
    monkeypatch.setattr(cell_places, "SLICE", 1 << 40)
    whole = outcome(data, documents, first)
    for size in (1, 40, 100, 300):
        monkeypatch.setattr(cell_places, "SLICE", size)
        assert outcome(data, documents, first) == whole


@pytest.mark.slow
def test_the_cell_places_one_long_document_are_not_held_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    number = 20_000
    data = b"#begin document (a); part 000\n" + b"a\t0\t0\tword\t(1)\n" * number + b"#end document\n"
    peaks = []
    for size in (1 << 10, 1 << 40):
        monkeypatch.setattr(cell_places, "SLICE", size)
        tracemalloc.start()
        found = columns.read_text(data, [Document("a", tokens=number)], np.zeros(1, np.int64))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert len(found.words) == number
    assert peaks[0] < peaks[1] * 2 / 3  # what finds the cells of a slice is let go


def test_cells_found_for_many_lines_at_once_are_those_of_each_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tabs, blanks, both in one line, empty cells, ragged ends, comments that are tokens."""
    rng = random.Random(7)
    pieces = ["a", "é", "b c", "", "-", "(1)", "(1| 2)", "\t", "\t", " ", "  ", "\r", "\x01", "#", "# x"]
    monkeypatch.setattr(cell_places, "SLICE", 64)
    for _ in range(300):
        lines = ["".join(rng.choices(pieces, k=rng.randrange(9))).encode() for _ in range(rng.randrange(1, 30))]
        data = b"\n".join(lines)
        wanted = [
            (number, before_last(text)) for number, line in enumerate(lines, 1) if is_token(text := line.rstrip(BLANKS))
        ]
        found = cell_places.find_places(data)
        cells = [data[a:b] for a, b in zip(*_spans(found), strict=True)]
        rows = [cells[a:b] for a, b in zip(found.first[:-1], found.first[1:], strict=True)]
        assert list(zip(found.line.tolist(), rows, strict=True)) == wanted


def _spans(found: cell_places.Places) -> tuple[list[int], list[int]]:
    start = np.repeat(found.start, found.width)
    return (start + found.begin).tolist(), (start + found.stop).tolist()
