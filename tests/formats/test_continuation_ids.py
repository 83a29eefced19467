"""`(1`, then `1` on the words inside, then `1)`: bare ids of mentions that are open."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import Run, conll
from coreflens.errors import InputError
from coreflens.formats import read


@pytest.mark.parametrize(
    ("cells", "plain", "lines"),
    [
        (["(1", "1", "1)", "-"], ["(1", "-", "1)", "-"], [3]),
        (["(1", "1|(2)", "1)|(1)"], ["(1", "(2)", "1)|(1)"], [3]),
        (["(12", "(2|12", "2|12|(3)", "2)|12)"], ["(12", "(2", "(3)", "2)|12)"], [3, 4]),
        (["(a", "a", "a)"], ["(a", "-", "a)"], [3]),
        (["(1|1", "1)", "(1)"], ["(1", "1)", "(1)"], [2]),
    ],
)
def test_ids_of_open_mentions_are_ignored(tmp_path: Path, cells: list[str], plain: list[str], lines: list[int]) -> None:
    path, other = tmp_path / "a.conll", tmp_path / "b.conll"
    for text in (conll(*cells), conll(*cells).replace("\t", "  ")):
        path.write_text(text, "utf-8")
        other.write_text(conll(*plain), "utf-8")
        corpus, expected = read(path), read(other)
        for name in ("start", "end", "entity"):
            assert getattr(corpus, name).tolist() == getattr(expected, name).tolist()
        assert corpus.labels == expected.labels and corpus.text.words == expected.text.words
        (issue,) = corpus.issues
        assert (issue.code, issue.count) == ("continued", len(lines))
        assert [place.split(":")[1] for place in issue.places] == list(map(str, lines))


@pytest.mark.parametrize(
    ("cells", "line"),
    [(["1", "(1)"], 2), (["(1", "1)", "1"], 4), (["(1", "2", "1)"], 3), (["(1", "1", "1)", "(2)|1"], 5)],
)
def test_ids_where_nothing_is_open_are_errors(tmp_path: Path, cells: list[str], line: int) -> None:
    path = tmp_path / "a.conll"
    path.write_text(conll(*cells), "utf-8")
    with pytest.raises(InputError) as caught:
        read(path)
    assert caught.value.line == line
    if cells[line - 2].isdigit():
        assert f"no mention {cells[line - 2]} is open here" in caught.value.hint


def test_a_document_ends_what_is_open(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text(conll("(1", "1", "1)") + conll("1", "(1)", name="nw/b"), "utf-8")
    with pytest.raises(InputError, match="no mention 1 is open here"):
        read(path)


def test_a_file_without_begin_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("0\ta\t(1\n1\tb\t1\n2\tc\t1)\n3\td\t(1)\n", "utf-8")
    assert read(path).format == "conll" and len(read(path)) == 2


def test_one_note_and_the_scores_of_the_plain_file(tmp_path: Path, run: Run) -> None:
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(conll("(1", "-", "1)", "(1)", "(2)"), "utf-8")
    response.write_text(conll("(1", "1", "1)", "(1)", "-"), "utf-8")
    ran = run("score", key, response, "--format", "json")
    assert ran.json["scores"]["mentions"]["recall"] == pytest.approx(2 / 3)
    assert ran.err.count("[continued]") == 1
    assert run("validate", response).code == 0
