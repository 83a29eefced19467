"""A large file is read once more when its words are asked for, instead of being kept in memory until then."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import coreflens as cl
from coreflens.files import encoding

CONLL = b"""#begin document (a); part 000
a 0 0 Anna - - - - - - - (1)
a 0 1 s\xc3\xa4he - - - - - - - -

#end document
"""
LATIN = CONLL.decode().encode("latin-1")


@pytest.fixture(autouse=True)
def every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "LARGE", 0)


@pytest.mark.parametrize("content", [CONLL, b"\xef\xbb\xbf" + CONLL, CONLL.replace(b" ", b"\t")])
def test_its_words_are_read_when_they_are_asked_for(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    corpus = cl.read(path)
    assert content not in pickle.dumps(corpus)
    assert list(corpus.text.words) == ["Anna", "sähe"]


def test_the_directory_may_change_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.conll").write_bytes(CONLL)
    monkeypatch.chdir(tmp_path)
    corpus = cl.read("a.conll")
    monkeypatch.chdir("/")
    assert list(corpus.text.words) == ["Anna", "sähe"]


def test_so_are_those_of_a_file_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_bytes(LATIN)
    assert list(cl.read(path, encoding="latin-1").text.words) == ["Anna", "sähe"]


def test_what_was_mended_is_kept(tmp_path: Path) -> None:
    """The text is the mended one; the bytes on the disk are others."""
    path = tmp_path / "a.conll"
    path.write_bytes(CONLL.replace(b"- (1)\n", b"- (1)\t\n").replace(b" ", b"\t"))
    assert list(cl.read(path).text.words) == ["Anna", "sähe"]


def test_a_file_that_has_changed_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_bytes(CONLL)
    corpus = cl.read(path)
    path.write_bytes(CONLL + b"\n")
    with pytest.raises(cl.InputError, match="has changed since it was read"):
        _ = corpus.text
    path.unlink()
    with pytest.raises(cl.InputError, match="has changed since it was read"):
        _ = corpus.text
