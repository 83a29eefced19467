"""OntoNotes in the layout of Hugging Face, from Parquet and Arrow."""

from __future__ import annotations

import sys
from copy import deepcopy
from pathlib import Path

import pytest

import coreflens as cl
from coreflens.formats import parquet, recognise
from coreflens.formats.shared.source import Source
from mistakes import refused
from standoff import entities
from texts import ontonotes

pytest.importorskip("pyarrow", reason="pyarrow is not installed: no Parquet is tested")


@pytest.mark.parametrize("kind", ["parquet", "file", "stream"])
def test_documents_parts_and_spans(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "train-00000-of-00001.bin"
    path.write_bytes(ontonotes.parquet() if kind == "parquet" else ontonotes.arrow(stream=kind == "stream"))
    corpus = cl.read(path)
    assert corpus.format == "parquet"
    assert [(d.name, d.part, d.tokens) for d in corpus.documents] == [("nw/a", 0, 5), ("nw/a", 1, 1)]
    assert entities(corpus, 0) == {5: ["Ann Bell", "She"], 7: ["She slept"]}
    assert entities(corpus, 1) == {5: ["It"]}
    assert [list(s) for s in corpus.text.sentences_of(0)] == [["Ann", "Bell", "left"], ["She", "slept"]]
    assert list(corpus.text.layers["pos"]) == ["NNP", "NNP", "VBD", "PRP", "VBD", "PRP"]
    assert list(corpus.text.layers["speaker"]) == ["x", "x", "x", "", "", ""]
    assert [i.message for i in corpus.issues] == ["fields of sentences: named_entities (3), parse_tree (1)"]
    assert cl.score(path, path).conll == 1
    cl.write(corpus, tmp_path / "a.conll")
    assert cl.score(path, tmp_path / "a.conll").conll == 1


@pytest.mark.parametrize(
    ("spans", "code"),
    [([[5, 0, 9]], "span-range"), ([[5, -1, 0]], "span-range"), ([[5, 2, 1]], "span-order"), ([[5]], "syntax")],
)
def test_mistakes(spans: list[list[int]], code: str) -> None:
    rows = deepcopy(ontonotes.ROWS)
    rows[0]["sentences"][1]["coref_spans"] = spans
    error = refused_bytes(ontonotes.parquet(rows))
    assert (error.code, error.line) == (code, 1)


def refused_bytes(data: bytes) -> cl.InputError:
    return refused("parquet", data)


def test_other_tables_and_damaged_files() -> None:
    assert "no column sentences" in refused_bytes(ontonotes.parquet([{"document_id": "a", "x": 1}])).message
    whole = ontonotes.parquet()
    assert refused_bytes(whole[:-20]).code == "truncated"
    assert recognise(Source(whole, "x")).name == "parquet"
    for cut in range(4, len(whole), 37):
        for data in (whole[:cut], whole[:cut] + b"\xff" + whole[cut + 1 :]):
            try:
                parquet.read(Source(data, "a", lenient=True))
            except cl.InputError as error:
                assert error.file == "a"


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    error = refused_bytes(b"PAR1")
    assert "needs pyarrow" in error.message
    assert "coreflens[parquet]" in error.hint
