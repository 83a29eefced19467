"""Stanford CoreNLP output, JSON and XML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
import places
from coreflens.errors import InputError
from coreflens.formats import corenlp, recognise
from coreflens.formats.shared.source import Source
from mutations import outcomes
from texts.corenlp import XML, document

DATA = places.DATA / "berkeley_ontonotes_sample"


def read(*records: Any, lenient: bool = False) -> cl.Corpus:
    text = "\n".join(json.dumps(r, indent=2) for r in records)
    return corenlp.read(Source(text.encode(), "x/out.json", lenient=lenient))


def test_json() -> None:
    corpus = read(document())
    assert [(d.name, d.tokens) for d in corpus.documents] == [("a.txt", 6)]
    assert corpus.clusters() == {"4": [(0, 0), (2, 2), (4, 4)], "3": [(2, 3)]}
    assert corpus.head is not None
    assert corpus.head.tolist() == [0, 3, 2, 4]
    assert list(corpus.attributes["type"]) == ["PROPER", "NOMINAL", "PRONOMINAL", "PRONOMINAL"]
    assert list(corpus.attributes["representative"]) == ["true", "", "", ""]
    assert list(corpus.attributes["animacy"]) == ["ANIMATE", "INANIMATE", "ANIMATE", "ANIMATE"]
    layers = {name: list(values) for name, values in corpus.text.layers.items()}
    assert layers["pos"] == ["NNP", "VBD", "PRP$", "NN", "PRP", "VBD"]
    assert layers["lemma"][:2] == ["mary", "sold"]
    assert layers["ner"][:2] == ["PERSON", "O"]
    assert layers["speaker"] == ["PER0"] * 6
    assert layers["parse"] == ["(ROOT(S(NP*)", "(VP*", "(NP*", "*))))", "", ""]
    assert layers["head"] == ["2", "0", "4", "2", "", ""]
    assert layers["deprel"][1] == "ROOT"
    assert corpus.text.sentences.tolist() == [0, 4]
    assert [i.message for i in corpus.issues] == ["not coreference, left out: enhancedDependencies, entitymentions"]


def test_recognised_before_jsonlines(tmp_path: Path) -> None:
    for indent in (None, 2):
        source = Source(json.dumps(document(), indent=indent).encode(), "x")
        assert recognise(source).name == "corenlp"
    plain = {"doc_key": "a", "sentences": [["a"]], "clusters": []}
    assert recognise(Source(json.dumps(plain).encode(), "x")).name == "jsonlines"


def test_several_documents_in_a_file() -> None:
    second = document() | {"docId": None}
    corpus = read(document(), second)
    assert [(d.name, d.line) for d in corpus.documents] == [
        ("a.txt", 1),
        ("out_1", json.dumps(document(), indent=2).count("\n") + 2),
    ]
    assert len(corpus) == 8


MISTAKES = [
    ({"sentNum": 3}, "span-range", "is in sentence 3, but there are 2"),
    ({"startIndex": 0}, "span-range", "is not within the 2 tokens of sentence 2"),
    ({"endIndex": 4}, "span-range", "is not within the 2 tokens of sentence 2"),
    ({"endIndex": 1}, "span-order", "is not after the start"),
    ({"headIndex": 2}, "bad-head", "head 2 is not in"),
    ({"startIndex": "1"}, "syntax", "has no sentence, start or end"),
]


@pytest.mark.parametrize(("change", "code", "message"), MISTAKES)
def test_mistakes(change: dict[str, Any], code: str, message: str) -> None:
    wrong = document()
    wrong["corefs"]["4"][2].update(change)
    with pytest.raises(InputError, match=message) as caught:
        read(wrong)
    assert (caught.value.code, caught.value.line) == (code, 1)
    assert len(read(wrong, lenient=True)) == (4 if code == "bad-head" else 3)


def test_no_coreference_in_it() -> None:
    without = {k: v for k, v in document().items() if k != "corefs"}
    with pytest.raises(InputError, match="'corefs' is missing"):
        read(without)
    with pytest.raises(InputError, match="<coreference> is missing"):
        corenlp.read(Source(XML.split("<coreference>")[0].encode() + b"</document></root>", "x.xml"))


def test_json_that_is_cut_off() -> None:
    text = json.dumps(document(), indent=2)[:-40]
    with pytest.raises(InputError) as caught:
        corenlp.read(Source(text.encode(), "x.json"))
    assert caught.value.line is not None
    assert caught.value.line > 100


def test_xml() -> None:
    assert corenlp.looks_like(XML.encode())
    corpus = corenlp.read(Source(XML.encode(), "x.xml"))
    assert [(d.name, d.tokens) for d in corpus.documents] == [("b.txt", 3)]
    assert list(corpus.clusters().values()) == [[(0, 0), (2, 2)]]
    assert [m.line for m in corpus] == [16, 17]
    assert corpus.head is not None
    assert corpus.head.tolist() == [0, 2]
    assert {k: list(v) for k, v in corpus.text.layers.items()} == {
        "pos": ["NNP", "VBD", ""],
        "lemma": ["Mary", "weep", ""],
        "ner": ["PERSON", "O", ""],
        "speaker": ["PER0", "", ""],
        "parse": ["(ROOT(S(NP*)", "(VP*)))", ""],
        "head": ["2", "", ""],
        "deprel": ["nsubj", "", ""],
    }
    with pytest.raises(InputError) as caught:
        corenlp.read(
            Source(XML.replace("<sentence>2</sentence><start>1", "<sentence>2</sentence><start>0").encode(), "x")
        )
    assert (caught.value.code, caught.value.line) == ("span-range", 17)


def test_damaged_files() -> None:
    for text in (XML, json.dumps(document(), indent=1)):
        assert "read" in set(outcomes("corenlp", text.encode(), 200))


@pytest.mark.slow
def test_the_columns_that_others_made_of_it_hold_the_same_entities() -> None:
    path = DATA / "stanford_xml_out" / "nw__wsj__00__wsj_0020__000.xml"
    if not path.is_file():
        pytest.skip(f"no {DATA.name} here")
    corpus, other = cl.read(path), cl.read(DATA / "homogenised" / "stanford.homogenised.out")
    number = next(n for n, d in enumerate(other.documents) if d.name.endswith("wsj_0020"))
    assert corpus.documents[0].tokens == other.documents[number].tokens == 639
    mine, theirs = ({frozenset(c) for c in x.clusters(n).values()} for x, n in ((corpus, 0), (other, number)))
    assert mine == theirs
    assert len(mine) == 30
    assert cl.score(path, path).conll == 1
