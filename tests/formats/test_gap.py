"""GAP: a pronoun and two names a line."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import coreflens as cl
from coreflens.formats import gap, recognise
from coreflens.formats.shared.source import Source
from mistakes import changed, refused
from mutations import outcomes
from places import DATA
from standoff import entities
from texts.gap import HEADER, TSV

REAL = DATA / "gap"


def test_three_mentions_a_line(tmp_path: Path) -> None:
    path = tmp_path / "gap.tsv"
    path.write_bytes(TSV.encode().replace(b"\n", b"\r\n"))
    corpus = cl.read(path)
    assert (corpus.format, corpus.unit) == ("gap", "character")
    assert [d.name for d in corpus.documents] == ["d-1", "d-2", "d-3"]
    assert [list(entities(corpus, d).values()) for d in range(3)] == [
        [["Ann", "she"], ["Eve"]],
        [["Bo"], ["Al"], ["he"]],
        [["Bo", "Bo", "he"]],
    ]
    assert list(corpus.attributes["role"])[:3] == ["A", "B", "pronoun"]
    assert cl.score(path, path).conll == 1
    assert isinstance(corpus.labels, range)


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "message"),
    [
        ("\t19\t", "\t20\t", "text-mismatch", 2, "Pronoun is 'she', but the text has 'he ' at 20"),
        ("\t19\t", "\tx\t", "syntax", 2, "Pronoun-offset is 'x'"),
        ("\t15\t", "\t" + "9" * 50 + "\t", "syntax", 3, "Pronoun-offset"),
        ("FALSE\thttp://x/2", "maybe\thttp://x/2", "syntax", 3, "B-coref is 'maybe'"),
        ("\thttp://x/3", "", "syntax", 4, "10 cells, but the header has 11"),
        ("\nd-2\t", "\nd-1\t", "duplicate-document", 3, "there is already a document"),
        ("\tBo\t0\t", "\t\t0\t", "text-mismatch", 3, "A is ''"),
        ("\tA-coref", "\tx", "syntax", 1, "no column A-coref"),
    ],
)
def test_mistakes(old: str, new: str, code: str, line: int, message: str) -> None:
    error = refused("gap", changed(TSV, (old, new)))
    assert (error.code, error.line) == (code, line)
    assert message in error.message


def test_only_a_header() -> None:
    assert refused("gap", HEADER).message == "there is no document in this file"
    assert recognise(Source(TSV.encode(), "x")).name == "gap"
    assert refused("gap", TSV.encode("latin-1")).code == "encoding"


def test_damaged_files() -> None:
    assert "read" in set(outcomes("gap", TSV.encode(), 300))


@pytest.mark.skipif(not REAL.is_dir(), reason="no gap in ../shared/data")
def test_real_files() -> None:
    for path in REAL.glob("*.tsv"):
        with path.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
        corpus = gap.read(Source(path.read_bytes(), str(path)))
        assert [d.name for d in corpus.documents] == [row["ID"] for row in rows]
        links = sum((row["A-coref"] == "TRUE") + (row["B-coref"] == "TRUE") for row in rows)
        assert (len(corpus), len(corpus.labels)) == (3 * len(rows), 3 * len(rows) - links)
        assert sum(d.tokens or 0 for d in corpus.documents) == sum(len(row["Text"]) for row in rows)
