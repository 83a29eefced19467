"""Every exit code that the help of a command documents is reached, and arrives in the shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from command import conll
from coreflens.cli import _COMMANDS, cli, main

KEY = conll("(0)", "(0)", "(1)", "(1)")
FILES = {
    "key.conll": KEY,
    "response.conll": conll("(0)", "(0)", "(1)", "-"),
    "other.conll": conll("(0)", "(0)", name="nw/b"),
    "more.conll": conll("(0)", "(0)", name="nw/c"),
    "longer.conll": conll("(0)", "(0)", "(1)", "(1)", "-"),
    "open.conll": conll("(0", "(0)", "(1)", "(1)"),
    "twice.conll": conll("|".join(["(0)"] * 20), "(1)", "(1)", "(0)"),
    "nonsense.txt": "no corpus\n",
}
CONLLU = "# newdoc id = a\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n# text = A B\n{}\n\n"
_ROW = "{}\t{}\t_\tNOUN\t_\t_\t{}\tdep\t_\t{}"
# command and code → the words behind the command. `broken.duckdb` has a mention outside its document.
CASES: dict[tuple[str, int], str] = {
    ("score", 0): "key.conll response.conll",
    ("score", 1): "key.conll response.conll --fail-under conll=99",
    ("score", 3): "key.conll other.conll",
    ("compare", 0): "key.conll response.conll key.conll",
    ("compare", 1): "key.conll response.conll nonsense.txt",
    ("compare", 3): "gone.conll response.conll key.conll",
    ("pair", 0): "key.conll response.conll",
    ("pair", 1): "key.conll longer.conll",
    ("pair", 3): "key.conll gone.conll",
    ("validate", 0): "key.conll",
    ("validate", 1): "open.conll",
    ("convert", 0): "key.conll written.jsonl",
    ("convert", 3): "nonsense.txt written.jsonl",
    ("check-submission", 0): "key.conll response.conll",
    ("check-submission", 1): "key.conll open.conll",
    ("check-submission", 3): "gone.conll response.conll",
    ("conll-scorer", 0): "muc key.conll response.conll",
    ("conll-scorer", 1): "muc key.conll twice.conll",
    ("conll-scorer", 2): "muc key.conll gone.conll",
    ("conll-scorer", 25): "muc key.conll open.conll",
    ("conll-scorer", 255): "muc key.conll unended.conll",
    ("corefud-scorer", 0): "key.conllu key.conllu",
    ("corefud-scorer", 3): "key.conllu gone.conllu",
    ("db", 0): "check good.duckdb",
    ("db", 1): "check broken.duckdb",
    ("db", 3): "check key.conll",
}


def documented(name: str) -> set[int]:
    """The exit codes in the help of a command; wrong usage is tried with all of them."""
    command = cli.get_command(click.Context(cli), name)
    _, found, codes = ((command and command.epilog) or "").partition("Exit codes")
    return {int(code) for code in re.findall(r"(?<![\w-])(\d+)(?![\w-])", codes)} if found else set()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "unended.conll").write_text(FILES["open.conll"].rstrip("\n"), "utf-8")
    rows = [_ROW.format(1, "A", 0, "Entity=(e1-x-1-)"), _ROW.format(2, "B", 1, "Entity=(e1-x-1-)")]
    (tmp_path / "key.conllu").write_text(CONLLU.format("\n".join(rows)), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def code_of(monkeypatch: pytest.MonkeyPatch, *words: str) -> object:
    monkeypatch.setattr(sys, "argv", ["coreflens", *words])
    try:
        main()
    except SystemExit as stop:
        return stop.code or 0
    return 0


def test_every_documented_code_has_a_case() -> None:
    known = {name: {code for command, code in CASES if command == name} for name in _COMMANDS}
    assert {name: documented(name) - {2} for name in _COMMANDS} == {name: known[name] - {2} for name in _COMMANDS}


def _databases(folder: Path) -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    import duckdb

    from coreflens.store import build

    for name in ("good", "broken"):
        build(str(folder / f"{name}.duckdb"), {"key": str(folder / "key.conll")})
    with duckdb.connect(str(folder / "broken.duckdb")) as connection:
        connection.execute('UPDATE mention SET "end" = 99 WHERE row = 0')


@pytest.mark.parametrize("command, code", CASES)
def test_a_documented_code(
    command: str, code: int, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if command == "db":
        _databases(folder)
    assert code_of(monkeypatch, command, *CASES[command, code].split()) == code, capsys.readouterr().err


@pytest.mark.parametrize("command", [name for name in _COMMANDS if name != "conll-scorer"])
def test_wrong_usage(command: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    assert code_of(monkeypatch, command, "--no-such-option") == 2


@pytest.mark.slow
def test_the_shell_gets_the_code_of_a_context(folder: Path) -> None:
    """A command that ends by `context.exit`, not by `sys.exit`."""
    _databases(folder)
    ran = subprocess.run(
        [sys.executable, "-m", "coreflens", "db", "check", "broken.duckdb"], env=os.environ, capture_output=True
    )
    assert ran.returncode == 1, ran.stderr
