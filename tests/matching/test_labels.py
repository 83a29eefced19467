"""What documents can be grouped by."""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from command import Run, conll
from coreflens.errors import InputError, UsageError
from coreflens.matching.labels import labels_of

NAMES = ("bc/cctv/00/cctv_0000", "bc/cnn/00/cnn_0000", "nw/wsj/00/wsj_0020")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "key.conll"
    path.write_text("".join(conll("(1)", "(1)", name=name) for name in NAMES))
    return path


def labels(corpus: Path, by: str) -> list[str]:
    return labels_of(cl.read(corpus).documents, by)


def test_genre_and_source_come_from_names(corpus: Path) -> None:
    assert labels(corpus, "genre") == ["bc", "bc", "nw"]
    assert labels(corpus, "source") == ["cctv", "cnn", "wsj"]
    assert labels(corpus, "genre, source") == ["bc cctv", "bc cnn", "nw wsj"]
    with pytest.raises(UsageError, match="has no source in its name"):
        labels_of(cl.read({"bc/a": [["x"]]}).documents, "source")


def test_what_task_split_writes_and_prints_is_taken(run: Run, corpus: Path, tmp_path: Path) -> None:
    lists, printed = tmp_path / "lists", tmp_path / "split.tsv"
    run("task", "split", str(corpus), str(lists))
    expected = labels(corpus, str(lists))
    assert set(expected) <= {"train", "development", "test"}
    assert expected[2] == "development"  # section 00 of the treebank
    printed.write_text(run("task", "split", str(corpus)).out)
    assert labels(corpus, str(printed)) == expected
    assert labels(corpus, f"{lists},genre")[2] == "development nw"
    assert "development nw" in run("score", str(corpus), str(corpus), "--by", f"{lists},genre").out


def test_lists_that_are_none(run: Run, corpus: Path, tmp_path: Path) -> None:
    lists = tmp_path / "lists"
    lists.mkdir()
    with pytest.raises(InputError, match="no list of documents"):
        labels(corpus, str(lists))
    (lists / "a.txt").write_text("\n".join(NAMES))
    (lists / "b.txt").write_text(f"\n{NAMES[1]}\n")
    with pytest.raises(InputError, match=r"is also in a.txt") as caught:
        labels(corpus, str(lists))
    assert (caught.value.file, caught.value.line) == (str(lists / "b.txt"), 2)
    (lists / "b.txt").unlink()
    (lists / "a.txt").write_text(NAMES[0])
    with pytest.raises(InputError, match="no label for document 'bc/cnn/00/cnn_0000'"):
        labels(corpus, str(lists))
    assert run("score", str(corpus), str(corpus), "--by", "nowhere").code == 2


def labelled(tmp_path: Path, content: str, column: str = "") -> str:
    path = tmp_path / "labels.csv"
    path.write_text(content)
    return f"{path}{column}"


ROWS = "".join(f"{name},{number}\n" for number, name in enumerate(NAMES))


def test_tables_of_labels(corpus: Path, tmp_path: Path) -> None:
    assert labels(corpus, labelled(tmp_path, "document,label\n" + ROWS)) == ["0", "1", "2"]
    wide = "document,label,topic\n" + "".join(f"{name},x,t{number}\n" for number, name in enumerate(NAMES))
    assert labels(corpus, labelled(tmp_path, wide, ":topic")) == ["t0", "t1", "t2"]


@pytest.mark.parametrize(
    ("content", "column", "message"),
    [
        ("document\n", "", "needs a header and two columns"),
        ("document,label\n" + ROWS, ":topic", r"has no column 'topic' \(it has document, label\)"),
        ("document,label\n" + ROWS + "x,y,z\n", "", "3 cells where the header has 2"),
        (f"document,label\n{NAMES[0]}, \n", "", "no label here"),
        (f"document,label\n{ROWS}{NAMES[0]},7\n", "", f"document '{NAMES[0]}' has two labels"),
        (f"document,label\n{NAMES[0]},1\n", "", f"no label for document '{NAMES[1]}'"),
        (ROWS, "", "line 1 is read as the header, but it contains this document"),
    ],
)
def test_tables_that_are_wrong(corpus: Path, tmp_path: Path, content: str, column: str, message: str) -> None:
    with pytest.raises((InputError, UsageError), match=message):
        labels(corpus, labelled(tmp_path, content, column))


def test_names_without_a_topic(corpus: Path) -> None:
    assert labels_of(cl.read({"36_10ecbplus": [["x"]]}).documents, "subtopic") == ["36_ecbplus"]
    with pytest.raises(UsageError, match=r"has no topic in its name \(ECB\+ names them"):
        labels(corpus, "topic")


def test_functions_and_mappings(corpus: Path) -> None:
    documents = cl.read(corpus).documents
    assert labels_of(documents, lambda document: document.name[:2]) == ["bc", "bc", "nw"]
    assert labels_of(documents, dict.fromkeys(NAMES, "one")) == ["one"] * 3
    with pytest.raises(InputError, match=f"the labels given: no label for document '{NAMES[2]}'"):
        labels_of(documents, dict.fromkeys(NAMES[:2], "one"))
