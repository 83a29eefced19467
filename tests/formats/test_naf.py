"""NAF and KAF: words, terms and corefs, read and written; mistakes with their places."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coreflens as cl
from coreflens.corpus.model import Corpus
from coreflens.formats import FORMATS, FormatName, naf, recognise
from coreflens.formats.shared.features import held, lost
from coreflens.formats.shared.source import Source
from corpora import tokens
from mistakes import changed, place, refused
from mutations import outcomes
from places import DATA
from roundtrip import WORDS, corpora, same
from standoff import entities
from texts.naf import DOCUMENT, KAF

REAL = DATA / "opener_kaf"
TEXTS = {"naf": DOCUMENT, "kaf": KAF}


@pytest.mark.parametrize("format", TEXTS)
def test_words_terms_and_corefs(tmp_path: Path, format: str) -> None:
    path = tmp_path / "a.xml"
    path.write_text(TEXTS[format], encoding="utf-8")
    corpus = cl.read(path)
    assert corpus.format == format
    assert [(d.name, d.tokens) for d in corpus.documents] == [("fox-1", 9)]
    assert [" ".join(s) for s in corpus.text.sentences_of(0)] == ["New York 's fox ate", "It & he slept"]
    assert entities(corpus) == {"1": ["New York 's fox", "It"], "cob": ["It ... he"], "co c": ["slept"]}
    assert corpus.head is not None
    assert corpus.head.tolist() == [3, -1, -1, -1]
    assert corpus.attributes == {
        "type": ["entity", "", "entity", ""],
        "reference": ["http://dbpedia.org/resource/Fox", "", "http://dbpedia.org/resource/Fox", ""],
    }
    layers = corpus.text.layers
    assert list(layers["lemma"]) == ["New York", "New York", "'s", "fox", "", "it", "&", "he", ""]
    assert list(layers["morphofeat"])[:4] == ["NP", "NP", "", "NN"]
    assert set(layers) == {"lemma", "pos", "morphofeat", "termtype", "para"}
    assert [i.message for i in corpus.issues] == ["not coreference, left out: deps"]


@pytest.mark.parametrize("format", TEXTS)
def test_written_and_read_again(tmp_path: Path, format: str) -> None:
    corpus = cl.read(_file(tmp_path / "a.xml", TEXTS[format]))
    for suffix in (".naf", ".kaf"):
        assert cl.write(corpus, tmp_path / f"b{suffix}") == {}
        again = cl.read(tmp_path / f"b{suffix}")
        assert again.format == suffix[1:]
        same(again, corpus, naf.HOLDS)


def _file(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def by_entity(corpus: Corpus) -> Corpus:
    """Attributes have one value per entity, as these formats have."""
    rows = dict(zip(reversed(corpus.entity.tolist()), reversed(range(len(corpus))), strict=True))
    first = [rows[e] for e in corpus.entity.tolist()]
    return replace(corpus, attributes={n: [values[row] for row in first] for n, values in corpus.attributes.items()})


LABELS = st.text("abé x0_:w1tco", max_size=6) | st.sampled_from(["12", "co12", "w1", "_x0020_", "_x20_", "_", ""])


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(corpora(naf.HOLDS, labels=LABELS, words=WORDS).map(by_entity))
def test_any_corpus_comes_back(corpus: Corpus) -> None:
    for format in TEXTS:
        text = "".join(map(str, FORMATS[format].module.write(corpus)))
        same(FORMATS[format].module.read(Source(text.encode(), "f")), corpus, naf.HOLDS)
    ids = [e.get("coid") for e in ElementTree.fromstring(text).iter("coref")]
    assert len({*ids}) == len(ids)
    assert not [id for id in ids if id is None or not (id[0].isalpha() or id[0] == "_") or " " in id or ":" in id]


def test_what_has_no_room_is_named() -> None:
    corpus = tokens(("d", "a b c", {"1": [(0, 0), (1, 1)]}))
    mixed = replace(corpus, attributes={"type": ["x", "y"], "note": ["n", ""]})
    missing = lost(held(mixed), naf.HOLDS)
    assert missing == {"attribute type that differs within its entity": 1, "attribute note": 1}
    assert lost(held(replace(corpus, attributes={"type": ["x", "x"]})), naf.HOLDS) == {}


@pytest.mark.parametrize("format", ["naf", "kaf", "xmi"])
def test_one_document_per_file(tmp_path: Path, format: str) -> None:
    corpus = tokens(("a", "x y", {"1": [(0, 0), (1, 1)]}), ("b", "z", {"2": [(0, 0)]}))
    with pytest.raises(cl.InputError, match=f"{format} has one document per file, not 2"):
        cl.write(corpus, tmp_path / f"a.{format}")
    cl.write(corpus, tmp_path / "in.conll")
    cl.convert(tmp_path / "in.conll", f"{tmp_path}/out/", to=cast(FormatName, format))
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [f"a.{format}", f"b.{format}"]
    assert cl.score(tmp_path / "in.conll", tmp_path / "out").conll == 1


def test_what_xml_can_not_say(tmp_path: Path) -> None:
    with pytest.raises(cl.InputError, match="can't be written in XML"):
        cl.write(tokens(("d", "a \x02 c", {"1": [(0, 0)]})), tmp_path / "a.naf")
    assert not list(tmp_path.iterdir())


MISTAKES = [
    ('<target id="t6"/>', '<target id="t66"/>', "dangling", '<target id="t66"/>'),
    ('<target id="w8"/>', '<target id="w88"/>', "dangling", '<target id="w88"/>'),
    ('<wf id="w9"', '<wf id="w8"', "duplicate-id", '<wf id="w8" sent="2" para="1" offset="28"'),
    ('<term id="t6"', '<term id="t5"', "duplicate-id", '<term id="t5" lemma="he"'),
    ('id="cob"', 'id="co1"', "duplicate-id", '<coref id="co1"><references>'),
    ('<wf id="w9"', "<wf", "syntax", '<wf sent="2"'),
    ('<coref id="cob"', "<coref", "syntax", "<coref><references>"),
    ('<target id="w9"/>', "", "syntax", "<span></span></coref>"),
    ("</coreferences>\n</NAF>\n", "", "truncated", ""),
]


@pytest.mark.parametrize(("old", "new", "code", "there"), MISTAKES)
def test_mistakes(old: str, new: str, code: str, there: str) -> None:
    text = changed(DOCUMENT, (old, new))
    error = refused("naf", text)
    assert (error.code, error.line, error.column) == (code, *place(text, there))


def test_files_without_coreference_or_words() -> None:
    start, _, rest = DOCUMENT.partition("<coreferences>")
    bare = start + "<errors><error class='Some::Tool'/></errors>" + rest.partition("</coreferences>")[2]
    corpus = naf.read(Source(bare.encode(), "a"))
    assert len(corpus) == 0
    assert [(i.code, "Some::Tool" in i.message) for i in corpus.issues] == [
        ("no-coreference", True),
        ("left-out", False),
    ]
    assert refused("naf", "<NAF><text/></NAF>").message == "there is no <wf> in this file"
    assert refused("naf", KAF).message == "<NAF> is expected, not <KAF>"
    assert recognise(Source(KAF.encode(), "x")).name == "kaf"


@pytest.mark.parametrize("format", TEXTS)
def test_damaged_files(format: str) -> None:
    assert "read" in set(outcomes(format, TEXTS[format].encode(), 300))


@pytest.mark.skipif(not REAL.is_dir(), reason="no opener_kaf in ../shared/data")
def test_real_files(tmp_path: Path) -> None:
    for path in REAL.glob("*.kaf"):
        tree = ElementTree.parse(path)
        corpus = cl.read(path)
        assert list(corpus.text.words) == [wf.text for wf in tree.iter("wf")]
        spans = [span for coref in tree.iter("coref") for span in coref.iter("span")]
        assert (len(corpus), len(corpus.labels)) == (len(spans), len(list(tree.iter("coref"))))
        sizes = [sum(b - a + 1 for a, b in corpus.pieces(row)) for row in range(len(corpus))]
        assert sorted(sizes) == sorted(len(list(span)) for span in spans)
        cl.write(corpus, tmp_path / "a.kaf")
        same(cl.read(tmp_path / "a.kaf"), corpus, naf.HOLDS)
    corpus = cl.read(REAL)
    assert len(corpus.documents) == 2
    assert cl.score(corpus, corpus).conll == 1
    assert [(i.code, i.count) for i in corpus.issues] == [("no-coreference", 1), ("left-out", 2)]
