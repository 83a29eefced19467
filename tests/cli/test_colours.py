"""Bold and colour stand on a terminal only, unless the environment says otherwise."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from command import Run
from coreflens.cli.colours import table_in_colour, wanted

TABLE = """beta beats alpha.

   system   F1
──────────────
1  beta     90
2  alpha    80
──────────────
   mean     85

coreflens:0.2.0|protocol:default"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "terminal", "file"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"TERM": "dumb"}, False, False),
    ],
)
def test_who_wants_colour(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], terminal: bool, file: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wanted(Terminal()) is terminal
    assert wanted(io.StringIO()) is file


def test_headers_answers_and_signatures() -> None:
    lines = table_in_colour(TABLE).split("\n")
    bold = [n for n, line in enumerate(lines) if line.startswith("\x1b[1m")]
    assert bold == [0, 2]
    assert lines[-1].startswith("\x1b[2m")


def test_the_command(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("demo", "--write", tmp_path).code == 0
    files = tmp_path / "key.conll", tmp_path / "response.conll"
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" not in run("score", *files).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1m" in run("score", *files).out
    assert "\x1b" not in run("score", *files, "--format", "json").out
    assert "\x1b[31m" in run("score", tmp_path / "none", files[1]).err
