"""KNP: basic phrases, links between them, and to targets that are not in the text."""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from coreflens.formats import recognise
from coreflens.formats.shared.source import Source
from mistakes import changed, place, refused
from mutations import outcomes
from standoff import entities
from texts.knp import KNP


def test_phrases_and_links(tmp_path: Path) -> None:
    path = tmp_path / "a.knp"
    path.write_text(KNP, encoding="utf-8")
    corpus = cl.read(path)
    assert corpus.format == "knp"
    assert [(d.name, d.tokens) for d in corpus.documents] == [("w1-0001", 5), ("w1-0002", 1)]
    assert [len(s) for s in corpus.text.sentences_of(0)] == [3, 2]
    assert [list(entities(corpus, d).values()) for d in range(2)] == [[["太郎は", "彼"], ["私"]], [["僕"]]]
    assert list(corpus.text.layers["pos"])[:3] == ["名詞:人名", "助詞:副助詞", "動詞"]
    assert list(corpus.text.layers["reading"])[:2] == ["たろう", "は"]
    (issue,) = corpus.issues
    assert (issue.code, issue.count) == ("left-out", 3)
    assert cl.score(path, path).conll == 1


MISTAKES = [
    ('sid="w1-0001-1" id="0"/><rel', 'sid="w1-0001-1" id="9"/><rel', "dangling", 13),
    ('sid="w1-0001-1" id="0"/><rel', 'sid="w1-9-1" id="0"/><rel', "dangling", 13),
    ('sid="w1-0001-1" id="0"/><rel', f'sid="w1-0001-1" id="{"9" * 5000}"/><rel', "dangling", 13),
    ("S-ID:w1-0001-2", "S-ID:w1-0001-1", "duplicate-id", 10),
    ("彼 かれ 彼 名詞 6", "彼 かれ", "syntax", 14),
    ("# S-ID:w1-0001-1 JUMAN:6.1 KNP:3.1\n", "", "syntax", 2),
    ("* 1D\n+ 1D <ne type", "* 1D\n太郎 <ne type", "syntax", 3),
]


@pytest.mark.parametrize(("old", "new", "code", "line"), MISTAKES)
def test_mistakes(old: str, new: str, code: str, line: int) -> None:
    text = changed(KNP, (old, new))
    error = refused("knp", text)
    assert (error.code, error.line) == (code, line)
    if code == "dangling":
        assert error.column == place(text, '<rel type="="')[1]


def test_damaged_files() -> None:
    assert recognise(Source(KNP.encode(), "x")).name == "knp"
    assert "read" in set(outcomes("knp", KNP.encode(), 300))
