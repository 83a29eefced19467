"""JSON of model-based annotation: two annotators, antecedents by their words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import coreflens as cl
from coreflens.corpus.model import Corpus
from coreflens.formats import modelbased, recognise
from coreflens.formats.shared.source import Source
from mistakes import changed, place, refused
from mutations import outcomes
from places import DATA
from standoff import entities
from texts.modelbased import JSON

REAL = DATA / "model_based_coref" / "data"


def read(text: str, role: str = "key") -> Corpus:
    return modelbased.read(Source(text.encode(), "a.json", role))


def test_the_first_annotator_is_the_key() -> None:
    corpus = read(JSON)
    assert (corpus.format, corpus.unit) == ("modelbased", "character")
    assert [(d.name, d.line) for d in corpus.documents] == [("x1", 2), ("x2", place(JSON, '"x2"')[0])]
    assert entities(corpus) == {"ann bell": ["Ann Bell", "She", "who"], "bo": ["Bo", "him"], "it@50": ["it"]}
    assert corpus.start.tolist()[:2] == [0, 13]  # the nearest `Bo` before `him`, not the one after
    assert list(corpus.attributes["referring"]) == ["", "", "", "", "", "no"]
    assert {i.code: i.count for i in corpus.issues} == {"left-out": 1, "antecedent-place": 3, "non-referring": 1}


def test_the_second_annotator_is_the_response(tmp_path: Path) -> None:
    corpus = read(JSON, "response")
    assert entities(corpus) == {"ann bell": ["Ann Bell", "She", "who"], "bo": ["Bo", "him"], "ann of x": ["it"]}
    assert {i.code: i.count for i in corpus.issues} == {"antecedent-place": 3, "left-out": 1, "no-coreference": 1}
    path = tmp_path / "a.json"
    path.write_text(JSON, encoding="utf-8")
    assert cl.score(path, path).conll == 1


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        ('"38"', '"37"', "text-mismatch", "'him' should be at 37"),
        ('"38"', '"x"', "syntax", "is not a list of offset"),
        ('"38"', '"' + "9" * 5000 + '"', "syntax", "is not a list of offset"),
        ('"38"', "38", "syntax", "is not a list of offset"),
        ('"paragraph": "Ann', '"text": "Ann', "syntax", "has no paragraph"),
        ('"para_ann": [\n', '"para_ann": {"x": [\n', "syntax", "not valid JSON"),
        ('"x2"', '"x1"', "duplicate-id", "'x1' occurs twice"),
    ],
)
def test_mistakes(old: str, new: str, code: str, message: str) -> None:
    error = refused("modelbased", changed(JSON, (old, new)))
    assert error.code == code
    assert message in error.message
    assert error.line


def test_other_json() -> None:
    assert "expected" in refused("modelbased", "[]").message
    assert "cut off" in refused("modelbased", JSON[:200]).hint
    assert recognise(Source(JSON.encode(), "x")).name == "modelbased"


def test_damaged_files() -> None:
    assert "read" in set(outcomes("modelbased", JSON.encode(), 300))


@pytest.mark.skipif(not REAL.is_dir(), reason="no model_based_coref in ../shared/data")
@pytest.mark.parametrize(("role", "side"), [("key", "a1"), ("response", "a2")])
def test_real_files(role: str, side: str) -> None:
    for path in REAL.glob("*.json"):
        entries = json.loads(path.read_text("utf-8"))
        corpus = modelbased.read(Source(path.read_bytes(), str(path), role))
        assert [d.name for d in corpus.documents] == list(entries)
        assert list(corpus.text.raw or ()) == [entry["paragraph"] for entry in entries.values()]
        for d, entry in enumerate(entries.values()):
            given: dict[tuple[int, int], str] = {}
            for offset, words, antecedent in entry[side]["para_ann"]:
                given.setdefault((int(offset), int(offset) + len(words) - 1), antecedent)
            rows = range(*corpus.bounds[d : d + 2])
            found = {(m.start, m.end): m.entity for m in map(corpus.mention, rows)}
            assert given.keys() <= found.keys()
            for span in found.keys() - given.keys():
                assert entry["paragraph"][span[0] : span[1] + 1].lower() in given.values()
            groups: dict[str, set[object]] = {}
            for span, antecedent in given.items():
                if antecedent != "$no_ref$":
                    groups.setdefault(antecedent, set()).add(found[span])
            assert all(len(labels) == 1 for labels in groups.values())
