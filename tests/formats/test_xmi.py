"""UIMA XMI: CorefAnnotator's entities, chains, relations, UTF-16 offsets; written for INCEpTION; mistakes."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

import coreflens as cl
from coreflens.corpus.model import Corpus
from coreflens.errors import InputError
from coreflens.formats import conllu, recognise, xmi
from coreflens.formats.shared.source import Source
from corpora import characters
from mistakes import changed, place, refused
from mutations import outcomes
from places import DATA
from roundtrip import corpora, same
from standoff import entities
from texts.xmi import ANNOTATOR, CHAINS, RELATIONS, SURFACES

REAL = DATA / "corefannotator_xmi"
TEXTS = {"chains": CHAINS, "relations": RELATIONS, "annotator": ANNOTATOR, "surfaces": SURFACES}


def read(text: str, lenient: bool = False) -> Corpus:
    return xmi.read(Source(text.encode(), "a.xmi", lenient=lenient))


def test_chains_over_tokens() -> None:
    corpus = read(CHAINS)
    assert (corpus.format, corpus.unit) == ("xmi", "token")
    assert [(d.name, d.tokens) for d in corpus.documents] == [("fox", 8)]
    assert [" ".join(s) for s in corpus.text.sentences_of(0)] == ["The 😊fox smiled .", "It saw him ."]
    assert list(entities(corpus).values()) == [["The 😊fox", "It"], ["him"]]
    assert isinstance(corpus.labels, range)
    assert corpus.attributes == {"type": ["nam", "pro", "pro"]}
    assert list(corpus.text.layers["pos"]) == ["DT"] + [""] * 7
    assert list(corpus.text.layers["lemma"])[:2] == ["", "fox"]
    (issue,) = corpus.issues
    assert "Note (1)" in issue.message
    assert issue.count == 2  # and the link that the view does not list


def test_relations_over_tokens() -> None:
    corpus = read(RELATIONS)
    assert list(entities(corpus).values()) == [["The 😊fox", "It"], ["him"]]
    assert corpus.attributes == {"type": ["animal", "animal", "person"]}
    assert {i.code: i.count for i in corpus.issues} == {"sub-token": 1, "left-out": 1}
    assert "webanno.custom.Bond that are not coreference, 1" in corpus.issues[1].message


def test_entities_over_characters() -> None:
    corpus = read(ANNOTATOR)
    assert corpus.unit == "character"
    assert corpus.text.raw == ["The 😊fox smiled.\nIt saw him."]
    assert entities(corpus) == {"the fox": ["The 😊fox ... smiled", "It"], "he#62": ["It saw him"], "he#61": ["him"]}
    assert list(corpus.attributes["flags"]) == ["gen,x", "", "", ""]
    assert [(corpus.labels[r.source], corpus.labels[r.target]) for r in corpus.relations] == [
        ("he#62", "the fox"),
        ("he#62", "he#61"),
    ]


def test_mentions_of_several_surfaces() -> None:
    corpus = read(SURFACES)
    assert entities(corpus) == {"fox": ["The ... smiled", "It"]}
    assert list(corpus.attributes["flags"]) == ["generic", ""]


MISTAKES = [
    (CHAINS, 'next="31"', 'next="99"', "dangling", '<type:CoreferenceLink xmi:id="30"'),
    (CHAINS, 'first="32"', 'first="99"', "dangling", '<type:CoreferenceChain xmi:id="41"'),
    (CHAINS, '<type4:Token xmi:id="21" sofa="12" begin="4"', '<type4:Token xmi:id="21" sofa="12" begin="2"', "syntax",
     '<type4:Token xmi:id="21"'),
    (CHAINS, 'begin="25" end="28" referenceType', 'begin="25" end="280" referenceType', "span-range",
     '<type:CoreferenceLink xmi:id="32"'),
    (CHAINS, 'begin="25" end="28" referenceType', 'begin="25" end="25" referenceType', "span-order",
     '<type:CoreferenceLink xmi:id="32"'),
    (CHAINS, 'begin="0" end="9" next', 'begin="5" end="9" next', "span-range", '<type:CoreferenceLink xmi:id="30"'),
    (CHAINS, 'xmi:id="31"', 'xmi:id="30"', "duplicate-id", '<type:CoreferenceLink xmi:id="30" sofa="12" begin="18"'),
    (CHAINS, 'xmi:id="42" ', "", "syntax", "<custom:Note"),
    (RELATIONS, 'Dependent="31"', 'Dependent="99"', "dangling", '<custom:Bond xmi:id="50"'),
    (ANNOTATOR, 'Entity="61"', 'Entity="99"', "dangling", '<v1:Mention xmi:id="72"'),
    (ANNOTATOR, 'Members="60 61 0"', 'Members="60 99"', "dangling", '<v1:EntityGroup xmi:id="62"'),
    (CHAINS, "</xmi:XMI>\n", "", "truncated", ""),
]  # fmt: skip


@pytest.mark.parametrize(("good", "old", "new", "code", "there"), MISTAKES)
def test_mistakes(good: str, old: str, new: str, code: str, there: str) -> None:
    text = changed(good, (old, new))
    error = refused("xmi", text)
    assert (error.code, error.line, error.column) == (code, *place(text, there))


def test_chains_that_come_back() -> None:
    text = changed(CHAINS, ('end="20" referenceType="pro"', 'end="20" next="30"'))
    assert "returns to itself" in refused("xmi", text).message
    text = changed(CHAINS, ('end="28" referenceType="pro"', 'end="28" next="31"'))
    assert "belongs to two chains" in refused("xmi", text).message
    lists = changed(SURFACES, ('tail="65"', 'tail="64"'))
    assert len(read(lists)) == 2


def test_what_is_no_coreference() -> None:
    nothing = read(RELATIONS.replace("Koreferenz", "part"))
    assert (len(nothing), [i.code for i in nothing.issues]) == (0, ["no-coreference", "left-out"])
    assert "no text" in refused("xmi", CHAINS.replace("sofaString=", "x=")).message
    assert refused("xmi", "<KAF/>").message == "<xmi:XMI> is expected, not <KAF>"
    assert recognise(Source(CHAINS.encode(), "x")).name == "xmi"


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(corpora(xmi.HOLDS - {"text"}, attributes=("type", "link")))
def test_any_corpus_of_tokens_comes_back(corpus: Corpus) -> None:
    same(read("".join(xmi.write(corpus))), corpus, xmi.HOLDS - {"text"})


@settings(max_examples=40, deadline=None)
@given(corpora(xmi.HOLDS, unit="character"))
def test_any_corpus_of_characters_comes_back(corpus: Corpus) -> None:
    same(read("".join(xmi.write(corpus))), corpus, xmi.HOLDS - {"words", "sentences"})


def test_written_for_inception(tmp_path: Path) -> None:
    """Only structures of its built-in layers, each listed in the view, no link of two chains."""
    corpus = characters(("a", "Ann 😊 saw her.", {"1": [(0, 2), (10, 12)], "2": [(4, 4)]}))
    for name, given_ in (("c", corpus), ("t", read(CHAINS))):
        cl.write(given_, tmp_path / f"{name}.xmi")
        tree = ElementTree.parse(tmp_path / f"{name}.xmi").getroot()
        tags = {child.tag.rpartition("/dkpro/core/api/")[2] for child in tree}
        assert {t for t in tags if "uima/cas" not in t} <= {
            "metadata/type.ecore}DocumentMetaData",
            "segmentation/type.ecore}Sentence",
            "segmentation/type.ecore}Token",
            "segmentation/type.ecore}Lemma",
            "lexmorph/type/pos.ecore}POS",
            "coref/type.ecore}CoreferenceLink",
            "coref/type.ecore}CoreferenceChain",
        }
        ids = [child.get("{http://www.omg.org/XMI}id") for child in tree]
        listed = (tree[-1].get("members") or "").split()
        assert {*listed} == {*ids} - {"0", "1", None}
        text = (tree[-2].get("sofaString") or "").encode("utf-16-le")
        spans = [(int(c.get("begin", "")), int(c.get("end", ""))) for c in tree if c.tag.endswith("CoreferenceLink")]
        assert [text[2 * a : 2 * b].decode("utf-16-le") for a, b in sorted(spans)] in (
            ["Ann", "😊", "her"],
            ["The 😊fox", "It", "him"],
        )


def test_a_document_without_words_is_refused() -> None:
    corpus = conllu.read(Source(b"# newdoc id = a\n# global.Entity = eid\n\n", "a.conllu"))
    with pytest.raises(InputError, match="XMI needs a text, but there is none"):
        list(xmi.write(corpus))


@pytest.mark.parametrize("name", TEXTS)
def test_damaged_files(name: str) -> None:
    assert "read" in set(outcomes("xmi", TEXTS[name].encode(), 150))


def test_directories(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.xmi").write_text(CHAINS.replace("fox.txt", f"{name}.txt"), encoding="utf-8")
    corpus = cl.read(tmp_path)
    assert ([d.name for d in corpus.documents], len(corpus.labels)) == (["a", "b"], 4)
    assert cl.score(tmp_path, tmp_path).conll == 1


@pytest.mark.skipif(not REAL.is_dir(), reason="no corefannotator_xmi in ../shared/data")
def test_real_files(tmp_path: Path) -> None:
    for path in REAL.glob("*.xmi"):
        tags = [child.tag.rpartition("}")[2] for child in ElementTree.parse(path).getroot()]
        corpus = cl.read(path)
        assert corpus.documents[0].tokens == tags.count("Token")
        assert (len(corpus), len(corpus.labels)) == (tags.count("CoreferenceLink"), tags.count("CoreferenceChain"))
        assert cl.score(path, path).conll == 1
        assert cl.write(corpus, tmp_path / "a.xmi") == {}
        same(cl.read(tmp_path / "a.xmi"), corpus, xmi.HOLDS)
