"""TEI of GerDraCor: running text, referring strings, tags that cross, mistakes with their places."""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from coreflens.formats import recognise
from coreflens.formats.shared.source import Source
from mistakes import changed, place, refused
from mutations import outcomes
from standoff import entities
from texts.tei import PLAY


def test_text_and_mentions(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(PLAY, encoding="utf-8")
    corpus = cl.read(path)
    assert (corpus.format, corpus.unit) == ("tei", "character")
    assert [d.name for d in corpus.documents] == ["fox"]
    assert corpus.text.raw == ["ANN.\nI saw the fox, B&O\nand the its\nden !"]
    assert entities(corpus) == {
        "ann": ["ANN."],
        "fox": ["the fox", "its"],
        "animal": ["the fox"],
        "den": ["the its\nden"],
    }
    assert list(corpus.attributes["speaker"]) == ["ann"] * 5
    assert list(corpus.attributes["type"]) == ["", "np", "np", "", ""]
    assert {i.code: i.count for i in corpus.issues} == {"malformed": 3, "left-out": 1}
    assert cl.score(path, path).conll == 1


MISTAKES = [
    ("its</rs>", "its", "unclosed", '<rs ref="#den">'),
    ("ANN.</rs>", "ANN.</rs></rs>", "unopened", "</rs></speaker>"),
    ('<rs ref="#den">', '<rs ref="#den>', "syntax", '<rs ref="#den>'),
    ("<?xml-model", "<!ENTITY a 'b'><?xml-model", "syntax", "<!ENTITY"),
    ("<TEI ", "<T>\n<TEI ", "syntax", "<T>"),
]


@pytest.mark.parametrize(("old", "new", "code", "there"), MISTAKES)
def test_mistakes(old: str, new: str, code: str, there: str) -> None:
    text = changed(PLAY, (old, new))
    error = refused("tei", text)
    assert (error.code, error.line, error.column) == (code, *place(text, there))


def test_cut_off_empty_or_without_mentions() -> None:
    assert refused("tei", PLAY[: PLAY.index("</text>")]).code == "truncated"
    assert refused("tei", "<TEI><text/></TEI>").message == "there is no <text> with words in this file"
    assert refused("tei", "x").message == "there is no <TEI> in this file"
    assert "nested" in refused("tei", "<TEI><text>" + "<p>" * 2000).message
    bare = recognise(Source(PLAY.encode(), "x")).module.read
    corpus = bare(Source(b"<TEI><text><p>He came.</p></text></TEI>", "x.xml"))
    assert (len(corpus), [i.code for i in corpus.issues]) == (0, ["no-coreference"])
    empty = bare(Source(PLAY.replace("den</rs>", 'den<rs ref="#z"/></rs>').encode(), "x.xml"))
    assert {i.code: i.count for i in empty.issues} == {"malformed": 3, "left-out": 2}


def test_damaged_files() -> None:
    assert "read" in set(outcomes("tei", PLAY.encode(), 300))
