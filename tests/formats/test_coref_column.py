"""Coreference in another column than the last, and layouts of columns that are written as they were read."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import Run
from coreflens.errors import InputError, UsageError
from coreflens.formats import read

HEAD, END = "#begin document (d); part 000\n", "\n#end document\n"
LAST = HEAD + "0\tJohn\tNNP\t(1)\n1\tsaw\tVBD\t-\n2\thim\tPRP\t(1)\n" + END
THIRD = HEAD + "0\tJohn\t(1)\tNNP\n1\tsaw\t-\tVBD\n2\thim\t(1)\tPRP\n" + END
FOUR = "".join(
    f"d\t{i}\t{word}\t{cell}\n" for i, (word, cell) in enumerate([("John", "(1)"), ("saw", "-"), ("him", "(1)")])
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    last, third = tmp_path / "last.conll", tmp_path / "third.conll"
    last.write_text(LAST, "utf-8")
    third.write_text(THIRD, "utf-8")
    return last, third


@pytest.mark.parametrize("column", [3, "3", -2, "COREF"])
def test_a_column_by_number_or_name(files: tuple[Path, Path], column: int | str) -> None:
    files[1].write_text("# global.columns = ID FORM COREF TAG\n" + THIRD, "utf-8")
    corpus, expected = read(files[1], coref_column=column), read(files[0])
    assert corpus.start.tolist() == expected.start.tolist() == [0, 2]
    assert corpus.text.words == ["John", "saw", "him"] and corpus.text.layers == expected.text.layers


def test_names_of_conll_2012(files: tuple[Path, Path]) -> None:
    lines = [f"d 0 {i} {word} (1) (S* - - - - * -\n" for i, word in enumerate(("John", "saw"))]
    files[1].write_text(HEAD + "".join(lines) + END, "utf-8")
    assert len(read(files[1], coref_column="pos")) == 2


def test_a_column_that_is_not_there(files: tuple[Path, Path]) -> None:
    with pytest.raises(InputError, match="no column 9") as caught:
        read(files[1], coref_column=9)
    assert caught.value.line == 2
    with pytest.raises(InputError, match="no column is named 'COREF'"):
        read(files[1], coref_column="COREF")
    with pytest.raises(UsageError):
        read(files[1], format="xml")  # type: ignore[arg-type]


@pytest.mark.parametrize("begin", [True, False])
def test_the_error_names_the_option(files: tuple[Path, Path], run: Run, begin: bool) -> None:
    if not begin:
        files[1].write_text(THIRD.removeprefix(HEAD).removesuffix(END), "utf-8")
    ran = run("score", files[1], files[1])
    assert ran.code == 3 and "--coref-column 3" in ran.err


def test_commands_take_it(files: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    ran = run("score", files[1], files[1], "--coref-column", 3, "--format", "json")
    assert ran.json["scores"]["mentions"]["counts"]["recall_den"] == 2
    ran = run("score", files[0], files[1], "--response-format", "conll:3", "--format", "json")
    assert ran.json["scores"]["conll"]["f1"] == 1
    assert run("validate", files[1]).code == 1
    assert run("validate", files[1], "--coref-column", 3).code == 0
    assert run("convert", files[1], tmp_path / "out.jsonl", "--coref-column", "3").code == 0
    assert len(read(tmp_path / "out.jsonl")) == 2
    assert run("describe", files[1], "--coref-column", 3).code == 0
    assert run("resolve", files[1], tmp_path / "r.conll", "--system", "one-entity", "--coref-column", 3).code == 0


@pytest.mark.parametrize(
    "lines",
    [
        FOUR,
        FOUR.replace("d\t", "d\tx\t"),  # name, x, number, word
        FOUR.replace("(1)", "NNP\t(1)").replace("-", "VBD\t-"),
        FOUR.replace("d\t0\t", "a\t0\t"),
        "John NNP (1)\nsaw VBD -\nhim PRP (1)\nsaw VBD -\n",
        "x John NNP (1)\nx saw VBD -\nx him PRP (1)\nx saw VBD -\n",
    ],
)
def test_layouts_are_written_as_they_are_read(tmp_path: Path, run: Run, lines: str) -> None:
    key, copy = tmp_path / "key.conll", tmp_path / "copy.conll"
    key.write_text(HEAD + lines + END, "utf-8")
    for command in (("convert",), ("resolve", "--system", "one-entity")):
        ran = run(command[0], key, copy, *command[1:])
        assert ran.code == 0, ran.err
        ours, theirs = read(key), read(copy)
        assert ours.text.words == theirs.text.words and ours.text.layers == theirs.text.layers
        assert ours.start.tolist() == theirs.start.tolist()
    assert run("diagnose", key, key, "--write", tmp_path / "d.conll").code == 0
    assert run("sweep", key, key, "-m", "muc", "--damage", "split", "--write", tmp_path / "s", "--steps", 1).code == 0


def test_two_columns_of_words(tmp_path: Path, run: Run) -> None:
    key, out = tmp_path / "key.conll", tmp_path / "out.jsonl"
    key.write_text(HEAD + "John\t(1)\nsaw\t-\nhim\t(1)\n" + END, "utf-8")
    corpus = read(key)
    assert corpus.names is None and corpus.text.words == ["John", "saw", "him"]
    assert run("convert", key, out).code == 0
    assert read(out).text.words == ["John", "saw", "him"]


def test_two_columns_of_ids(tmp_path: Path) -> None:
    key = tmp_path / "key.conll"
    key.write_text(HEAD + "m_1\t(1)\nm_2\t-\nm_3\t(1)\n" + END, "utf-8")
    assert read(key).names == ["m_1", "m_3"]
    key.write_text(HEAD + "alpha\t(1)\nbeta\t(2)\n" + END, "utf-8")
    assert read(key).names == ["alpha", "beta"]


def test_a_directory_of_nameless_files(tmp_path: Path, run: Run) -> None:
    for side in ("key", "response"):
        (tmp_path / side).mkdir()
        for name in "ab":
            (tmp_path / side / f"{name}.csv").write_text("mention,entity\nm1,1\nm2,1\n", "utf-8")
    ran = run("score", tmp_path / "key", tmp_path / "response", "--format", "json", "--by", "document")
    assert sorted(ran.json["by"]) == ["a", "b"]
    twice = tmp_path / "key" / "c"
    twice.mkdir()
    (twice / "a.csv").write_text("mention,entity\nm1,1\n", "utf-8")
    ran = run("score", tmp_path / "key", tmp_path / "response")
    assert ran.code == 3 and "occurs twice" in ran.err and "its own name" in ran.err
    assert "--pair file" not in ran.err, "the two files `a` of the key have two documents, and that of the response one"
