"""Work that grows with the input and not with its square: operations are counted, for a timing is never a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from command import conll
from coreflens.corpora.validation import check
from coreflens.corpus.model import Text
from coreflens.files.finding import find
from coreflens.formats.shared import streaming


def crossing(number: int) -> str:
    """As many mentions, each of which crosses all the others."""
    return conll(*(f"({i}" for i in range(number)), *(f"{i})" for i in range(number)))


def test_messages_about_long_mentions_do_not_read_all_their_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = 0
    forms = Text.forms

    def counting(text: Text, tokens: slice) -> list[str]:
        nonlocal words
        found = forms(text, tokens)
        words += len(found)
        return found

    monkeypatch.setattr(Text, "forms", counting)
    looked = {}
    for number in (200, 800):
        (tmp_path / "a.conll").write_text(crossing(number))
        words = 0
        assert sum(problem.code == "crossing" for problem in check(str(tmp_path / "a.conll"))) == number - 1
        looked[number] = words
    assert 0 < looked[800] < 5 * looked[200]


@pytest.mark.parametrize("more", [0, 1])
def test_one_large_document_is_searched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int) -> None:
    searched = 0
    last = streaming._last

    def counting(begins: Any, data: bytes, low: int = 0) -> int:
        nonlocal searched
        searched += len(data) - low
        return last(begins, data, low)

    monkeypatch.setattr(streaming, "_last", counting)
    text = conll(*["(1)"] * 100_000) + conll("(1)", name="nw/b") * more
    (tmp_path / "a.conll").write_text(text)
    size = 1 << 15
    pieces = list(streaming.stream(find(str(tmp_path / "a.conll")).files[0], size=size))
    assert sum(len(corpus.documents) for _, _, corpus in pieces if corpus) == 1 + more
    assert searched < 4 * len(text)
