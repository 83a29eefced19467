"""Commands that find nothing say so."""

from __future__ import annotations

from pathlib import Path

from command import Run

TEXT = """#begin document (d); part 000
d\t0\t0\tup\tRP\t(TOP(PRT*\t-\t-\t-\t-\t*\t-
d\t0\t1\tdown\tRP\t*))\t-\t-\t-\t-\t*\t-

#end document
"""


def test_a_corpus_without_mentions(run: Run, tmp_path: Path) -> None:
    (tmp_path / "text.conll").write_text(TEXT, "utf-8")
    assert "there are no mentions to describe" in run("describe", tmp_path / "text.conll").err


def test_no_mention_is_detected(run: Run, tmp_path: Path) -> None:
    (tmp_path / "text.conll").write_text(TEXT, "utf-8")
    ran = run("resolve", tmp_path / "text.conll", "-", "--system", "sieve", "--mentions", "detected")
    assert ran.code == 0 and "looks like a mention: the response is empty" in ran.err


def test_the_headline_of_a_diagnosis_without_mentions(run: Run, tmp_path: Path) -> None:
    (tmp_path / "text.conll").write_text(TEXT, "utf-8")
    assert run("diagnose", tmp_path / "text.conll", tmp_path / "text.conll").out.startswith("CoNLL n/a; no errors")
