"""PreCo: mentions by sentence, ends exclusive, blanks between paragraphs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import coreflens as cl
from coreflens.formats import recognise
from coreflens.formats.shared.source import Source
from mistakes import changed, refused
from mutations import outcomes
from standoff import entities
from texts.preco import JSONL


def test_documents(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text(JSONL, encoding="utf-8")
    corpus = cl.read(path)
    assert (corpus.format, corpus.unit) == ("preco", "token")
    assert [(d.name, d.tokens) for d in corpus.documents] == [("d-1", 11), ("d-2", 3)]
    assert [*entities(corpus, 0).values()] == [["Ann", "She"], ["the old bed"]]
    assert list(zip(corpus.start.tolist(), corpus.end.tolist(), strict=True)) == [(0, 0), (4, 4), (7, 9)]
    assert corpus.text.sentences.tolist() == [0, 4, 11]
    assert isinstance(corpus.labels, range)
    assert cl.score(path, path).conll == 1


def test_as_jsonlines_it_is_the_same(tmp_path: Path) -> None:
    """The tokens of the document counted one by one, without blanks between paragraphs."""
    path, other = tmp_path / "dev.jsonl", tmp_path / "dev.jsonlines"
    path.write_text(JSONL, encoding="utf-8")
    records = []
    for record in map(json.loads, JSONL.splitlines()):
        sentences = [s for s in record["sentences"] if s != [" "]]
        kept = [n for n, s in enumerate(record["sentences"]) if s != [" "]]
        first = {n: sum(map(len, sentences[:at])) for at, n in enumerate(kept)}
        spans = [[[first[s] + a, first[s] + b - 1] for s, a, b in c] for c in record["mention_clusters"]]
        records.append(json.dumps({"doc_key": record["id"], "sentences": sentences, "clusters": spans}) + "\n")
    other.write_text("".join(records), encoding="utf-8")
    assert cl.score(other, path, singletons="keep").conll == 1


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "message"),
    [
        ("[2, 0, 1]", "[2, 0]", "syntax", 1, "a mention must be [sentence, first, end], not [2, 0]"),
        ("[2, 0, 1]", "[9, 0, 1]", "span-range", 1, "is in sentence 9, but there are 3"),
        ("[2, 0, 1]", "[2, 1, 1]", "span-order", 1, "[2, 1, 1] has no token"),
        ("[2, 0, 1]", "[2, 0, 8]", "span-range", 1, "not within its sentence of 7 tokens"),
        ("[2, 0, 1]", "[1, 0, 1]", "span-range", 1, "not within its sentence of 0 tokens"),
        ("[[2, 3, 6]]", "3", "syntax", 1, "a cluster must be a list of mentions, not 3"),
        ('"It"', "7", "syntax", 2, "a token must be a string, not 7"),
        ('"sentences": [["It"', '"x": [["It"', "syntax", 2, "fields id, x, mention_clusters"),
        ('"d-2"', '"d-1"', "duplicate-document", 2, "there is already a document"),
        ("[]}\n", "[", "syntax", 2, ""),
    ],
)
def test_mistakes(old: str, new: str, code: str, line: int, message: str) -> None:
    error = refused("preco", changed(JSONL, (old, new)))
    assert (error.code, error.line) == (code, line)
    assert message in error.message


def test_recognised_before_jsonlines() -> None:
    assert recognise(Source(JSONL.encode(), "x")).name == "preco"
    jsonlines = '{"doc_key": "d", "sentences": [["a"]], "clusters": []}\n'
    assert recognise(Source(jsonlines.encode(), "x")).name == "jsonlines"


def test_damaged_files() -> None:
    assert "read" in set(outcomes("preco", JSONL.encode(), 300))
