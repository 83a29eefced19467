"""FoLiA: words, sentences and speakers, chains with heads and features, mistakes with their places."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import coreflens as cl
from coreflens.formats import recognise
from coreflens.formats.shared.source import Source
from corpora import words
from mistakes import changed, place, refused
from mutations import outcomes
from places import DATA
from standoff import entities
from texts.folia import DOCUMENT

REAL = DATA / "folia"


def write(folder: Path, *changes: tuple[str, str], name: str = "a.folia.xml") -> Path:
    path = folder / name
    path.write_text(changed(DOCUMENT, *changes), encoding="utf-8")
    return path


def test_words_chains_and_what_is_known_of_them(tmp_path: Path) -> None:
    corpus = cl.read(write(tmp_path))
    assert corpus.format == "folia"
    assert [(d.name, d.tokens) for d in corpus.documents] == [("meeting", 9)]
    assert [list(s) for s in corpus.text.sentences_of(0)] == [
        ["The", "old", "fox", ",", "she", "slept", "."],
        ["It", "woke"],
    ]
    assert entities(corpus) == {"c1": ["The old fox", "It"], "c2": ["she ... ."]}
    assert corpus.head is not None
    assert corpus.head.tolist() == [2, -1, -1]
    assert corpus.attributes == {
        "type": ["animal", "", "animal"],
        "id": ["l1", "", ""],
        "min": ["", "she .", ""],
        "level": ["", "", "sense"],
    }
    assert corpus.text.layers == {
        "speaker": ["Ann"] * 7 + ["", ""],
        "pos": ["DT"] + [""] * 8,
        "lemma": ["", "", "fox"] + [""] * 6,
        "misc": ["", "", "SpaceAfter=No", "", "", "SpaceAfter=No", "", "", ""],
    }
    assert [i.message for i in corpus.issues] == ["not coreference, left out: entities (1), sense (1)"]
    assert [m.line for m in corpus] == [21, 25, 22]


def test_chains_without_ids_are_never_the_same_in_two_files(tmp_path: Path) -> None:
    for n in (1, 2):
        change = ((' xml:id="c1"', ""), (' xml:id="c2"', ""), ('"meeting"', f'"m{n}"'))
        write(tmp_path, *change, name=f"{n}.xml")
    corpus = cl.read(tmp_path)
    assert [d.name for d in corpus.documents] == ["m1", "m2"]
    assert len(corpus.labels) == 4
    assert cl.score(tmp_path, tmp_path).conll == 1


MISTAKES = [
    ('<wref id="w8" t="it"/>', '<wref id="w88"/>', "dangling", '<wref id="w88"/>'),
    ('<wref id="w5"/>', "<wref/>", "dangling", "<wref/>"),
    ('xml:id="w9"', 'xml:id="w8"', "duplicate-id", '<w xml:id="w8"><t>woke'),
    ('xml:id="c2"', 'xml:id="c1"', "duplicate-id", '<coreferencechain xml:id="c1">'),
    ("<t>It</t>", "", "syntax", '<w xml:id="w8">'),
    ('<wref id="w8" t="it"/>', "", "syntax", '<coreferencelink><feat subset="level"'),
    ("</text>\n</FoLiA>\n", "", "truncated", ""),
]


@pytest.mark.parametrize(("old", "new", "code", "there"), MISTAKES)
def test_mistakes(old: str, new: str, code: str, there: str) -> None:
    text = changed(DOCUMENT, (old, new))
    error = refused("folia", text)
    assert (error.code, error.line, error.column) == (code, *place(text, there))


def test_what_is_no_folia() -> None:
    assert refused("folia", "<KAF/>").message == "<FoLiA> is expected, not <KAF>"
    assert refused("folia", "<FoLiA><text><t>He came.</t></text></FoLiA>").message == "there is no <w> in this file"
    assert refused("folia", DOCUMENT.encode().replace(b"fox", b"f\xe9x", 1)).code == "encoding"
    bomb = DOCUMENT.replace("<FoLiA", '<!DOCTYPE a [<!ENTITY b "c">]>\n<FoLiA')
    assert "entity 'b' is declared" in refused("folia", bomb).message
    assert recognise(Source(DOCUMENT.encode(), "x")).name == "folia"


def test_damaged_files() -> None:
    assert "read" in set(outcomes("folia", DOCUMENT.encode(), 300))


@pytest.mark.skipif(not REAL.is_dir(), reason="no folia in ../shared/data")
def test_real_files() -> None:
    space = "{http://ilk.uvt.nl/folia}"
    for path in REAL.glob("*.xml"):
        tree = ElementTree.parse(path)
        corpus = cl.read(path)
        assert corpus.documents[0].tokens == len(tree.findall(f".//{space}w"))
        assert len(corpus) == len(tree.findall(f".//{space}coreferencelink"))
        assert len(corpus.labels) == len(tree.findall(f".//{space}coreferencechain"))
        quoted = [[w.get("t", "") for w in link.iter(f"{space}wref")] for link in tree.iter(f"{space}coreferencelink")]
        assert sorted(w.lower() for w in words(corpus)) == sorted(" ".join(q).lower() for q in quoted)
        assert cl.score(path, path).conll == 1
