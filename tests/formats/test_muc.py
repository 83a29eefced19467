"""MUC SGML and xrenner's: links, groups, documents, characters that are written otherwise, mistakes, and back again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

import coreflens as cl
from coreflens import write
from coreflens.corpus.model import Corpus
from coreflens.errors import InputError
from coreflens.formats import muc, read, xrenner
from places import DATA
from standoff import content, corpora, entities, problems, real, source, written
from texts.muc import MUC, XRENNER_TEXT


def read_muc(text: str) -> Corpus:
    return muc.read(source(text, "a.sgml"))


def test_links_are_closed_within_a_document() -> None:
    corpus = read_muc(MUC)
    assert [d.name for d in corpus.documents] == ["wsj-1", "wsj-2"]
    assert [d.line for d in corpus.documents] == [1, 9]
    assert entities(corpus) == {
        "9": ["Keys", "her\nkeys"],
        "0": ["Alice Bell of AT&T", "her"],
        "3": ["an arm"],
    }
    assert entities(corpus, 1) == {"0": ["It"]}
    assert corpus.attributes["min"] == ["", "Alice", "", "", "", ""]
    assert corpus.attributes["status"] == ["OPT", "", "", "", "", ""]
    assert corpus.attributes["id"] == ["9", "0", "2", "1", "3", ""]  # those of the second just count
    assert corpus.line is not None
    assert corpus.line.tolist() == [3, 5, 5, 5, 6, 9]
    raw = corpus.text.raw or []
    assert "Keys & locks" in raw[0]
    assert "&MD; A" in raw[0]
    assert raw[1] == "It is 1 < 2."


def test_what_is_left_out_is_said() -> None:
    (issue,) = read_muc(MUC).issues
    assert (issue.code, issue.count) == ("left-out", 2)  # links of type PART, tags ENAMEX
    assert "PART" in issue.message


def test_a_file_without_doc_is_a_document_and_groups_name_entities() -> None:
    corpus = read_muc(
        '<COREF ID="a" ENTITY="person" INFSTAT="new" GROUP="7">Ann</COREF> and <COREF ID="b" GROUP="7">I</COREF>'
    )
    assert corpus.documents[0].name == "a"
    assert entities(corpus) == {"7": ["Ann", "I"]}
    assert corpus.attributes == {"id": ["a", "b"], "type": ["person", ""], "INFSTAT": ["new", ""]}


def test_xrenner_has_a_token_a_line() -> None:
    corpus = xrenner.read(source(XRENNER_TEXT))
    assert corpus.unit == "token"
    assert corpus.text.words == ["May", "7", "&", "it"]
    assert corpus.clusters() == {"6": [(0, 1), (3, 3)]}
    assert corpus.attributes == {
        "id": ["r1", "r2"],
        "type": ["time", ""],
        "antecedent": ["", "r1"],
        "link": ["", "ana"],
    }


WRONG = [
    ("unclosed", 2, 3, 'x\nx <COREF ID="1">y'),
    ("unopened", 1, 3, "x </COREF>"),
    ("syntax", 1, 1, '<COREF ID="1"></COREF>'),
    ("syntax", 1, 3, "x <COREF>y</COREF>"),
    ("syntax", 1, 1, '<COREF ID="1" MIN="a>y</COREF>'),
    ("duplicate-id", 2, None, '<COREF ID="1">y</COREF>\n<COREF ID="1">z</COREF>'),
    ("dangling", 2, None, 'x\n<COREF ID="1" REF="7">y</COREF>'),
    ("truncated", 2, None, 'x\n<DOC><COREF ID="1">y</COREF>'),
    ("syntax", 2, 2, 'x\n </DOC><DOC><COREF ID="1">y</COREF></DOC>'),
    ("syntax", 1, 6, '<DOC><DOC><COREF ID="1">y</COREF></DOC>'),
    ("syntax", 1, 13, '<DOC>x</DOC><COREF ID="1">y</COREF>'),
    ("unclosed", 1, None, "<DOC><DOCNO>x</DOC>"),
    ("duplicate-document", 1, None, "<DOC><DOCNO>x</DOCNO>y</DOC><DOC><DOCNO>x</DOCNO>y</DOC>"),
]


@pytest.mark.parametrize(("code", "line", "column", "text"), WRONG)
def test_mistakes_have_their_place(code: str, line: int, column: int | None, text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_muc(text)
    assert (caught.value.code, caught.value.line, caught.value.column) == (code, line, column)
    assert (code, line, column) in problems("muc", text)


XRENNER_WRONG = [
    ("unclosed", 1, 1, '<referent id="a" group="1">\nx'),
    ("unopened", 2, 1, "x\n</referent>"),
    ("syntax", 1, 1, '<referent id="a" group="1">\n</referent>'),
    ("syntax", 1, 1, "<referent>\nx\n</referent>"),
    ("syntax", 2, 1, "x\n<referent id='a>\nx\n</referent>"),
]


@pytest.mark.parametrize(("code", "line", "column", "text"), XRENNER_WRONG)
def test_mistakes_of_xrenner(code: str, line: int, column: int | None, text: str) -> None:
    with pytest.raises(InputError) as caught:
        xrenner.read(source(text))
    assert (caught.value.code, caught.value.line, caught.value.column) == (code, line, column)
    assert (code, line, column) in problems("xrenner", text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(corpora(documents=3, crossing=False, pieces=False, related=False))
def test_round_trip(tmp_path: Path, corpus: Corpus) -> None:
    assert content(written(corpus, tmp_path, "a.sgml")) == content(corpus)


def test_of_two_that_cross_the_first_is_written(tmp_path: Path) -> None:
    (tmp_path / "a.ann").write_text("T1\tA 0 3\tabc\nT2\tA 2 5\tcde\n")
    (tmp_path / "a.txt").write_text("abcde")
    corpus = read(tmp_path / "a.ann")
    with pytest.raises(InputError, match="crossing mentions"):
        write(corpus, tmp_path / "a.sgml", strict=True)
    assert write(corpus, tmp_path / "a.sgml")["crossing mentions"] == 1
    assert entities(read(tmp_path / "a.sgml")) == {"T1": ["abc"]}


def test_names_without_room_are_refused(tmp_path: Path) -> None:
    corpus = read_muc('<COREF ID="a">x</COREF>')
    for attributes in ({"a b": ["x"]}, {"Min": ["x"]}, {"ref": ["x"]}):
        from dataclasses import replace

        with pytest.raises(InputError, match="attribute"):
            write(replace(corpus, attributes=attributes), tmp_path / "a.sgml")


# ---- real files

XRENNER = DATA / "xrenner_example"


@real
def test_xrenner_is_the_same_as_its_conll() -> None:
    path = XRENNER / "example_out.sgml"
    corpus, conll = read(path), read(XRENNER / "example_out.conll")
    text = path.read_text()
    assert len(corpus) == text.count("<referent ")
    assert len(corpus.labels) == len(set(re.findall(r'group="(\d+)"', text)))
    assert corpus.clusters() == conll.clusters()
    assert cl.score(path, path).conll == 1
    assert cl.score(path, XRENNER / "example_out.conll", pair="file").conll == 1


@real
def test_xrenner_in_characters(tmp_path: Path) -> None:
    corpus = read(XRENNER / "example_out.sgml")
    again = written(corpus, tmp_path, "a.sgml")
    assert again.unit == "character"
    assert [again.words(row) for row in range(len(again))] == [corpus.words(row) for row in range(len(corpus))]
    assert [m.entity for m in again] == [m.entity for m in corpus]


@real
@pytest.mark.parametrize("path", [*sorted((DATA / "litbank" / "brat").glob("*.ann"))[:2]], ids=lambda p: p.stem[:20])
def test_brat_to_muc_and_back(path: Path, tmp_path: Path) -> None:
    corpus = read(path)
    lost = write(corpus, tmp_path / "a.sgml", lossy=True)
    again = read(tmp_path / "a.sgml")
    documents, raw, mentions, _ = content(corpus)
    assert content(again)[:2] == (documents, raw)
    assert len(mentions) - len(again) == lost.get("crossing mentions", 0)
    assert all(mention in mentions for mention in content(again)[2])
