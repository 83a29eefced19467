"""The note on a key that looks like a sample, on every engine, and what silences it."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import Run

RESPONSE = "record,cluster\n" + "".join(f"r{k},c{k // 3}\n" for k in range(30))
KEY = "record,entity\nr0,A\nr1,A\nr2,A\nr3,B\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """A key with the entities of a few records, and the response."""
    (tmp_path / "key.csv").write_text(KEY, "utf-8")
    (tmp_path / "response.csv").write_text(RESPONSE, "utf-8")
    return str(tmp_path / "key.csv"), str(tmp_path / "response.csv")


@pytest.mark.parametrize("options", [(), ("--by", "document"), ("--format", "json"), ("--engine", "duckdb")], ids=str)
def test_a_key_that_looks_like_a_sample(options: tuple[str, ...], files: tuple[str, str], run: Run) -> None:
    if "duckdb" in options:
        pytest.importorskip("duckdb")
    ran = run("score", *files, *options)
    assert "the key has 13.3 % of the response's records" in ran.err
    assert "`coreflens estimate`" in ran.err and "[sampled-key]" in ran.err
    assert "sampled-key" not in run("score", *files, *options, "--full-key").err


def test_pair_reports_it_too(files: tuple[str, str], run: Run) -> None:
    ran = run("pair", *files)
    assert "[sampled-key]" in ran.out + ran.err


def test_half_of_the_records_or_others_are_no_sample(files: tuple[str, str], tmp_path: Path, run: Run) -> None:
    half = "record,entity\n" + "".join(f"r{k},e{k}\n" for k in range(15))
    others = "record,entity\nr0,A\nx1,A\nx2,A\n"
    for text in (half, others):
        (tmp_path / "key.csv").write_text(text, "utf-8")
        assert "sampled-key" not in run("score", *files).err


def test_a_text_is_no_sample(tmp_path: Path, run: Run) -> None:
    words = "\n".join(f"a\t0\t{k}\tw{k}\t({k})" for k in range(9))
    (tmp_path / "r.conll").write_text(f"#begin document (a); part 000\n{words}\n\n#end document\n", "utf-8")
    one = "\n".join(f"a\t0\t{k}\tw{k}\t{'(0)' if k == 0 else '-'}" for k in range(9))
    (tmp_path / "k.conll").write_text(f"#begin document (a); part 000\n{one}\n\n#end document\n", "utf-8")
    assert "sampled-key" not in run("score", str(tmp_path / "k.conll"), str(tmp_path / "r.conll")).err
