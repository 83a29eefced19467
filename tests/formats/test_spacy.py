"""spaCy documents: stand-ins with the attributes of the real ones, which need not be installed."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import coreflens as cl

WORDS = ["Mary", "met", "Mr.", "Fox", ".", "She", "likes", "the", "old", "fox", "."]
STARTS = (0, 5)
HEADS = [1, 1, 3, 1, 1, 6, 6, 9, 9, 6, 6]


class Doc:
    def __init__(self, **extensions: Any) -> None:
        self.text = " ".join(WORDS)
        self.spans: dict[str, Any] = {}
        self._ = SimpleNamespace(**extensions)
        self._tokens = [
            SimpleNamespace(
                i=n, text=w, tag_=f"T{n}", pos_="X", lemma_=w.lower(), dep_="d", ent_type_="", is_sent_start=n in STARTS
            )
            for n, w in enumerate(WORDS)
        ]
        for token, head in zip(self._tokens, HEADS, strict=True):
            token.head = self._tokens[head]

    def __len__(self) -> int:
        return len(WORDS)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._tokens)

    def __getitem__(self, place: slice) -> Any:
        return SimpleNamespace(start=place.start, end=place.stop)

    def char_span(self, first: int, last: int) -> Any:
        starts = [len(" ".join(WORDS[:n])) + (n > 0) for n in range(len(WORDS))]
        ends = [start + len(word) for start, word in zip(starts, WORDS, strict=True)]
        return self[starts.index(first) : ends.index(last) + 1] if first in starts and last in ends else None


def grouped() -> Doc:
    doc = Doc()
    doc.spans["coref_clusters_1"] = [doc[0:1], doc[5:6]]
    doc.spans["coref_clusters_2"] = [doc[2:4], doc[7:10]]
    doc.spans["coref_head_clusters_2"] = [doc[3:4], doc[9:10]]
    doc.spans["other"] = [doc[0:9]]
    return doc


ENTITIES = [[(0, 0), (5, 5)], [(2, 3), (7, 9)]]


def test_span_groups() -> None:
    corpus = cl.read(grouped())
    assert list(corpus.clusters().values()) == ENTITIES
    assert list(corpus.text.words) == WORDS
    assert corpus.text.sentences.tolist() == [0, 5]
    assert corpus.head is not None
    assert corpus.head.tolist() == [-1, 3, -1, 9]
    layers = {name: list(values) for name, values in corpus.text.layers.items()}
    assert set(layers) == {"pos", "upos", "lemma", "deprel", "head"}
    assert layers["head"] == ["2", "0", "4", "2", "2", "2", "0", "5", "5", "2", "2"]
    assert layers["pos"][3] == "T3"


def test_heads_alone_are_the_mentions() -> None:
    doc = Doc()
    doc.spans["coref_head_clusters_1"] = [doc[3:4], doc[9:10]]
    assert list(cl.read(doc).clusters().values()) == [[(3, 3), (9, 9)]]


def test_characters_as_of_fastcoref() -> None:
    doc = Doc(coref_clusters=[[(0, 4), (19, 22)], [(9, 16), (29, 40)]])
    assert list(cl.read(doc).clusters().values()) == ENTITIES
    with pytest.raises(cl.InputError, match="characters 0 to 3 are not borders of tokens"):
        cl.read(Doc(coref_clusters=[[(0, 3)]]))
    with pytest.raises(cl.InputError, match="a mention must be a span"):
        cl.read(Doc(coref_clusters=[["Mary"]]))


def test_clusters_as_of_neuralcoref() -> None:
    doc = Doc()
    doc._.coref_clusters = [
        SimpleNamespace(mentions=[doc[0:1], doc[5:6]]),
        SimpleNamespace(mentions=[doc[2:4], doc[7:10]]),
    ]
    assert list(cl.read(doc).clusters().values()) == ENTITIES


def test_chains_as_of_coreferee() -> None:
    doc = Doc(coref_chains=[[SimpleNamespace(token_indexes=[0, 3]), SimpleNamespace(token_indexes=[5])]])
    corpus = cl.read(doc)
    assert list(corpus.clusters().values()) == [[((0, 0), (3, 3)), (5, 5)]]
    assert corpus.parts == {0: ((0, 0), (3, 3))}


def test_several_documents() -> None:
    nothing = Doc()
    for docs, names in (([grouped(), nothing], ["0", "1"]), ({"a": nothing, "b": grouped()}, ["a", "b"])):
        corpus = cl.read(docs)
        assert [d.name for d in corpus.documents] == names
        assert len(corpus) == 4
    twice = cl.read([grouped(), grouped()])
    assert len(twice.labels) == 4  # entities of two documents are never the same
    assert cl.score([grouped()], [grouped()]).conll == 1
    assert cl.score(grouped(), Doc(coref_clusters=[[(0, 4), (19, 22)]]))["muc"].recall == 0.5


def test_documents_and_something_else() -> None:
    with pytest.raises(cl.InputError, match="document '1' is not a spaCy document as the others are: list"):
        cl.read([grouped(), [[(0, 1)]]])  # type: ignore[arg-type]


def test_no_coreference() -> None:
    doc = Doc()
    doc.spans["sc"] = []
    with pytest.raises(cl.InputError, match=r"no coreference \(span groups: sc\)"):
        cl.read(doc)
    assert len(cl.read(Doc(coref_clusters=[]))) == 0
    broken = Doc()
    broken.spans["coref_clusters_1"] = [broken[3:99]]
    with pytest.raises(cl.InputError, match="not within the 11 tokens"):
        cl.read(broken)
