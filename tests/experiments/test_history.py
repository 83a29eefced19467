"""A history of stages: what is added is what is shown, and a kill leaves it sound."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
from command import Run
from coreflens.errors import InputError
from coreflens.experiments import history
from coreflens.experiments.history import add_stage, read_history


@pytest.fixture
def counts(tmp_path: Path, run: Run) -> list[Path]:
    """Two stages: the demo response, and the key itself."""
    assert run("demo", "--write", tmp_path).code == 0
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for file, response in zip(files, ("response.conll", "key.conll"), strict=True):
        asked = ["score", tmp_path / "key.conll", tmp_path / response, "-m", "conll,lea", "--save-counts", file]
        assert run(*asked).code == 0
    return files


def test_stages_are_shown_with_their_scores_and_intervals(tmp_path: Path, counts: list[Path], run: Run) -> None:
    file = tmp_path / "progress.jsonl"
    assert run("history", "add", file, counts[0], "--label", "base", "--date", "2024-05-01").code == 0
    ran = run("history", "add", file, counts[1], "--label", "perfect")
    assert ran.code == 0 and "stage 2" in ran.err
    first, second = run("history", "show", file, "--format", "json", "-m", "conll,lea").json
    fresh = cl.score(tmp_path / "key.conll", tmp_path / "response.conll", metrics="conll,lea")
    assert first["label"] == "base" and first["date"] == "2024-05-01"
    for metric in ("conll", "lea"):
        interval = fresh.bootstrap(2000, seed=0).main(metric)
        assert first["scores"][metric]["score"] == pytest.approx(float(fresh[metric].main or 0), abs=1e-12)
        assert first["scores"][metric]["low"] == pytest.approx(interval.low)
        assert second["scores"][metric]["score"] == 1
    assert run("history", "show", file, "--format", "csv").out.count("\n") == 3
    ran = run("history", "show", file)
    assert "59.45 [" in ran.out and "perfect" in ran.out
    assert run("history", "plot", file, tmp_path / "p.svg", "-m", "conll,lea").code == 0
    drawn = (tmp_path / "p.svg").read_text()
    assert ">base<" in drawn and ">perfect<" in drawn and "<polygon" in drawn


def test_a_history_cut_anywhere_is_sound(tmp_path: Path, counts: list[Path]) -> None:
    file = tmp_path / "h"
    add_stage(file, counts[0], "a", "2024-01-01")
    whole = file.read_bytes()
    add_stage(file, counts[1], "b", "2024-01-02")
    content = file.read_bytes()
    for cut in [*range(0, len(content), 61), len(whole) - 1, len(whole), len(content) - 1]:
        file.write_bytes(content[:cut])
        left = [stage.label for stage in read_history(file)]
        assert left == ["a", "b"][: max(content[:cut].count(b"\n") - 1, 0)]
        add_stage(file, counts[1], "c", "2024-01-03")
        assert [stage.label for stage in read_history(file)] == [*left, "c"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("hello\n", "not valid JSON"),
        ("hello", "not a history"),
        ("{}\n", "not a history"),
        ('{"coreflens-history": 2}\n', "version 2"),
        ('{"coreflens-history": 1}\n{"label": "a"}\n', ":2: this line is not a stage"),
        ('{"coreflens-history": 1}\n7\n', ":2: this line is not a stage"),
    ],
)
def test_what_is_no_history(content: str, message: str, tmp_path: Path, counts: list[Path], run: Run) -> None:
    file = tmp_path / "h"
    file.write_text(content)
    with pytest.raises(InputError, match=message):
        read_history(file)
    for arguments in (["show", file], ["plot", file, tmp_path / "p.svg"], ["add", file, counts[0], "--label", "x"]):
        assert run("history", *arguments).code == 3
    assert file.read_text() == content


def test_what_does_not_fit(tmp_path: Path, counts: list[Path], run: Run) -> None:
    file = tmp_path / "h"
    assert run("history", "add", file, counts[0], "--label", "a", "--date", "May").code == 2
    assert run("history", "add", file, counts[0], "--label", " ").code == 2
    assert run("history", "add", file, tmp_path / "key.conll", "--label", "a").code == 3
    assert not file.exists()
    assert run("history", "show", file).code == 3
    assert run("history", "add", file, counts[0], "--label", "a").code == 0
    ran = run("history", "add", file, counts[0], "--label", "a")
    assert ran.code == 2 and "already" in ran.err
    ran = run("history", "plot", file, tmp_path / "p.svg", "-m", "blanc")
    assert ran.code == 2 and "no stage of the history has blanc" in ran.err
    assert run("history", "plot", file, tmp_path / "p.txt").code == 2


def test_two_who_add_stages(tmp_path: Path, counts: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """One waits for the other. Both would read the same history otherwise, and the stage of one would be lost."""
    file = tmp_path / "h.jsonl"
    add_stage(file, counts[0], "base")
    read = history._read

    def slowly(path: Any) -> Any:
        found = read(path)
        time.sleep(0.2)
        return found

    monkeypatch.setattr(history, "_read", slowly)
    both = [threading.Thread(target=add_stage, args=(file, counts[1], label)) for label in ("one", "two")]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert {stage.label for stage in read(file)[0]} == {"base", "one", "two"}
