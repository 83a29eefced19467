"""Exports of Prodigy and Label Studio: regions of a text, and links between them."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import pytest

import coreflens as cl
from coreflens.formats import FORMATS, recognise
from coreflens.formats.shared.source import Source
from mistakes import changed, refused
from mutations import outcomes
from standoff import entities
from texts import labelstudio, prodigy

TEXTS = {"prodigy": prodigy.JSONL, "labelstudio": labelstudio.JSON}


def test_prodigy(tmp_path: Path) -> None:
    path = tmp_path / "coref.jsonl"
    path.write_text(prodigy.JSONL, encoding="utf-8")
    corpus = cl.read(path)
    assert (corpus.format, corpus.unit) == ("prodigy", "character")
    assert [(d.name, d.line) for d in corpus.documents] == [("one", 1), ("8", 3)]
    assert [list(entities(corpus, d).values()) for d in range(2)] == [[["Ann", "She"], ["left"]], [["He"]]]
    assert list(corpus.attributes["type"]) == ["NP", "V", "", ""]
    (issue,) = corpus.issues
    assert (issue.code, issue.count) == ("left-out", 2)
    assert cl.score(path, path).conll == 1


def test_prodigy_without_labels() -> None:
    tasks = deepcopy(prodigy.TASKS)
    tasks[0]["relations"][0]["label"] = None  # type: ignore[index]
    text = "".join(json.dumps(task) + "\n" for task in tasks)
    corpus = FORMATS["prodigy"].module.read(Source(text.encode(), "x"))
    assert list(entities(corpus).values()) == [["Ann", "She"], ["left"]]


def test_label_studio(tmp_path: Path) -> None:
    path = tmp_path / "project-1.json"
    path.write_text(labelstudio.JSON, encoding="utf-8")
    corpus = cl.read(path)
    assert (corpus.format, corpus.unit) == ("labelstudio", "character")
    assert [d.name for d in corpus.documents] == ["7", "8"]
    assert [list(entities(corpus, d).values()) for d in range(2)] == [[["Ann", "She"], ["slept"]], [["Bo"]]]
    assert list(corpus.attributes["type"]) == ["Person", "Person", "Event", "Person"]
    (issue,) = corpus.issues
    assert (issue.code, issue.count) == ("left-out", 4)
    assert cl.score(path, path).conll == 1


MISTAKES = [
    ("prodigy", '"start": 10, "end": 13', '"start": 10, "end": 130', "span-range"),
    ("prodigy", '"start": 10, "end": 13', '"start": 13, "end": 13', "span-order"),
    ("prodigy", '"start": 10, "end": 13', '"start": "a"', "syntax"),
    ("prodigy", '"text": "He."', '"x": 1', "syntax"),
    ("prodigy", '"_task_hash": 8', '"_task_hash": ', "syntax"),
    ("labelstudio", '"from_id": "b"', '"from_id": "q"', "dangling"),
    ("labelstudio", '"text": "She"', '"text": "Shy"', "text-mismatch"),
    ("labelstudio", '"id": "b"', '"id": "a"', "duplicate-id"),
    ("labelstudio", '"end": 13', '"end": 1300', "span-range"),
    ("labelstudio", '"end": 13', '"end": 3', "span-order"),
    ("labelstudio", '"end": 13', '"end": "x"', "syntax"),
    ("labelstudio", '"story": "Bo."', '"story": 1', "syntax"),
]


@pytest.mark.parametrize(("format", "old", "new", "code"), MISTAKES)
def test_mistakes(format: str, old: str, new: str, code: str) -> None:
    error = refused(format, changed(TEXTS[format], (old, new)))
    assert error.code == code
    assert error.line


@pytest.mark.parametrize("format", TEXTS)
def test_recognised_and_never_broken(format: str) -> None:
    assert recognise(Source(TEXTS[format].encode(), "x")).name == format
    assert "read" in set(outcomes(format, TEXTS[format].encode(), 300))
