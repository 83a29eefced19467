"""The corpora that other tests go round with: they have what they should, and a change of anything is seen."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from chance import examples
from coreflens.corpus.model import Corpus
from coreflens.formats import FORMATS, clusters
from coreflens.formats.shared.features import held
from coreflens.formats.shared.source import Source
from roundtrip import EVERYTHING, corpora, same
from texts import conllu

BARE = frozenset({"spans"})


@examples(100)
@given(corpora())
def test_a_corpus_is_the_same_as_itself(corpus: Corpus) -> None:
    same(corpus, corpus)


@examples(50)
@given(corpora(BARE))
def test_only_what_is_held_is_generated(corpus: Corpus) -> None:
    assert set(held(corpus)) <= {"spans", "documents without mentions"}


# (whether labels mean the same in several documents is for a format to say)
SPECIAL = {"cross-document entities", "relations to no entity", "names of split antecedents"}
GENERATED = EVERYTHING - {"layer *", "attribute *"} - SPECIAL | {"layer own", "attribute type"}


@pytest.mark.slow
@pytest.mark.parametrize("feature", sorted(GENERATED))
def test_all_that_is_held_is_generated(feature: str) -> None:
    one = settings(max_examples=2000, phases=[Phase.generate])  # any will do: not the smallest
    find(corpora(), lambda corpus: feature in held(corpus), settings=one)


@examples(50)
@given(corpora(EVERYTHING | {"text"}, unit="character"))
def test_corpora_in_characters(corpus: Corpus) -> None:
    same(corpus, corpus, {"text", "spans"})
    raws = corpus.text.raw
    assert raws is not None and len(corpus.text.words) == 0
    assert all(0 <= m.start <= m.end < len(raws[d]) for m, d in zip(corpus, corpus.doc.tolist(), strict=True))
    with pytest.raises(AssertionError):
        same(corpus, replace(corpus, texts=replace(corpus.text, raw=[raw + "!" for raw in raws])), {"text"})


@examples(100)
@given(corpora(clusters.HOLDS, document_names=st.just("")).filter(len))  # a file of clusters names no document
def test_clusters_come_back(corpus: Corpus) -> None:
    same(clusters.read(Source("".join(clusters.write(corpus)).encode(), "f")), corpus, clusters.HOLDS)


def corpus() -> Corpus:
    """One with a bit of everything, the same each time."""
    wanted = {"sentences", "layer pos", "attribute type", "heads", "bridging", "zeros", "discontinuous mentions"}
    read = FORMATS["conllu"].module.read(Source(conllu.FULL.encode(), "a.conllu"))
    found = replace(read, attributes={"type": ["PER"] * len(read)})
    assert wanted <= set(held(found)) and max(Counter(found.entity.tolist()).values()) > 1
    return found


@pytest.mark.slow
def test_any_change_is_seen() -> None:
    a = corpus()
    text = a.text
    assert a.head is not None and text.empty is not None
    changes: list[dict[str, Any]] = [
        {"documents": [a.documents[0]._replace(name="other"), *a.documents[1:]]},
        {"entity": np.zeros_like(a.entity), "labels": ["one"]},
        {"labels": [f"{label}!" for label in a.labels]},
        {"end": a.end + 1},
        {"parts": {}},
        {"head": None},
        {"attributes": {}},
        {"relations": a.relations[1:]},
        {"texts": replace(text, words=[*text.words[:-1], "another"])},
        {"texts": replace(text, sentences=text.sentences[:1])},
        {"texts": replace(text, layers={})},
        {"texts": replace(text, empty=None)},
    ]
    for change in changes:
        with pytest.raises(AssertionError):
            same(a, replace(a, **change))
