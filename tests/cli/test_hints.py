"""Hints that failed when they were followed: each is followed here as it is printed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from command import Run


def _document(name: str) -> str:
    rows = [f"{name}\t0\t{n}\t{word}\t{cell}" for n, (word, cell) in enumerate([("Anna", "(0)"), ("her", "(0)")])]
    return "\n".join([f"#begin document ({name}); part 000", *rows, "", "#end document", ""])


def _write(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir()
    for name, document in files.items():
        (folder / name).write_text(_document(document), "utf-8")
    return folder


def _suggested(text: str) -> list[str]:
    """The options that a hint to a way of pairing names."""
    found = re.search(r"(--pair \w+(?: --extra ignore)?) pairs", text)
    assert found, text
    return found[1].split()


@pytest.mark.parametrize("more", [{}, {"c.conll": "z"}])
def test_pair_file_is_suggested_as_it_works(more: dict[str, str], run: Run, tmp_path: Path) -> None:
    key = _write(tmp_path / "key", {"a.conll": "anna", "b.conll": "bob"})
    response = _write(tmp_path / "response", {"a.conll": "x", "b.conll": "y", **more})
    refused = run("score", key, response)
    assert refused.code == 3
    assert run("score", key, response, *_suggested(refused.err)).code == 0


def test_pair_file_is_suggested_for_equal_names_in_other_files(run: Run, tmp_path: Path) -> None:
    key = _write(tmp_path / "key", {"a.conll": "anna", "b.conll": "anna"})
    response = _write(tmp_path / "response", {"a.conll": "anna", "b.conll": "anna"})
    refused = run("score", key, response)
    assert "occurs twice" in refused.err
    assert run("score", key, response, *_suggested(refused.err)).code == 0


def test_layers_in_one_folder_are_told_apart_by_a_pattern(run: Run, tmp_path: Path) -> None:
    files = {f"{name}.{layer}_conll": name for name in ("anna", "bob") for layer in ("gold", "auto")}
    folder = _write(tmp_path / "data", files)
    refused = run("score", folder, folder)
    assert "--pair file" not in refused.err
    patterns = re.findall(r"'([^']*\*\*[^']*)'", refused.err)
    assert len(patterns) == 2
    assert run("score", patterns[1], patterns[0]).code == 0


def test_prompts_that_were_given_are_not_asked_for(run: Run, tmp_path: Path) -> None:
    text, prompts, answers = tmp_path / "text.conll", tmp_path / "prompts.jsonl", tmp_path / "answers.jsonl"
    text.write_text(_document("anna"), "utf-8")
    assert run("convert", text, prompts, "--to", "prompts").code == 0
    (window,) = [json.loads(line) for line in prompts.read_text("utf-8").splitlines()]
    join = ("convert", answers, tmp_path / "out.conll", "--join", "--prompts", prompts)
    answers.write_text(json.dumps({"id": "other", "answer": "Anna her"}), "utf-8")
    refused = run(*join)
    assert refused.code == 3 and "give the prompts" not in refused.err and "`id`" in refused.err
    answers.write_text(json.dumps({"id": window["id"], "answer": "Anna her"}), "utf-8")
    assert run(*join).code == 0


def test_columns_of_parquet_are_named(run: Run, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "k.parquet"
    parquet.write_table(pyarrow.table({"m": ["1", "2"], "e": ["a", "a"]}), path)
    refused = run("score", path, path)
    assert "score --columns mention=NAME,entity=NAME" in refused.err
    assert run("score", path, path, "--columns", "mention=m,entity=e").code == 0


def test_names_that_differ_are_shown(run: Run, tmp_path: Path) -> None:
    for name, ids in (("key", ("1", "2")), ("response", ("1.0", "2.0"))):
        (tmp_path / f"{name}.csv").write_text("mention,entity\n" + "".join(f"{x},a\n" for x in ids), "utf-8")
    refused = run("score", tmp_path / "key.csv", tmp_path / "response.csv")
    assert "The key has '1', the response '1.0'" in refused.err and "spans" not in refused.err
