"""How a run ends where its surroundings fail it: streams closed, full or broken; and never with a bug."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

import coreflens.cli
from command import conll

pytestmark = pytest.mark.slow  # every test starts processes
KEY = conll("(1)", "(1)", "(2)")
COREFLENS = f"{sys.executable} -m coreflens"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "k.conll").write_text(KEY)
    (tmp_path / "large.conll").write_text("".join(conll(*["(1)"] * 300, name=f"nw/{i}") for i in range(300)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(command: str) -> tuple[int, str]:
    """The exit code of coreflens in `coreflens ... | head`, and what it said on stderr."""
    line = command.replace("coreflens", COREFLENS, 1)
    ran = subprocess.run(
        ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"], capture_output=True, text=True, timeout=120
    )
    assert "Traceback" not in ran.stderr and "bug in coreflens" not in ran.stderr, ran.stderr
    assert "Exception ignored" not in ran.stderr
    return ran.returncode, ran.stderr


FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")


@FULL
@pytest.mark.parametrize(
    "command", ["score k.conll k.conll", "convert k.conll -", "validate k.conll --severity remark"]
)
def test_a_full_disk_behind_stdout(here: Path, command: str) -> None:
    (here / "k.conll").write_text(KEY.replace("(2)", "(2)|(2)"))
    command += " --to conll" * command.startswith("convert")
    code, said = shell(f"coreflens {command} > /dev/full")
    assert code == 3 and "No space left" in said


@FULL
def test_a_full_disk_behind_an_output(here: Path) -> None:
    code, said = shell("coreflens convert k.conll /dev/full --to conll")
    assert code == 3 and "/dev/full: can't be written" in said


@FULL
def test_a_full_stderr_changes_nothing(here: Path) -> None:
    assert shell("coreflens score k.conll k.conll 2> /dev/full")[0] == 0


def test_a_closed_stdout_is_an_error(here: Path) -> None:
    for command in ("score k.conll k.conll", "convert k.conll - --to conll", "list metrics"):
        code, said = shell(f"coreflens {command} >&-")
        assert code == 3 and "standard output is closed" in said


def test_a_closed_stdin_is_an_error(here: Path) -> None:
    code, said = shell("coreflens score k.conll - <&-")
    assert code == 3 and "standard input is closed" in said
    assert shell("coreflens score k.conll k.conll <&-")[0] == 0


def test_a_closed_stderr_changes_nothing(here: Path) -> None:
    assert shell("coreflens score k.conll k.conll 2>&-")[0] == 0
    assert shell("coreflens score k.conll none 2>&-")[0] == 3
    assert shell("coreflens score --no-such-option 2>&-")[0] == 2


@pytest.mark.parametrize(
    "command", ["score large.conll large.conll --by document", "convert large.conll - --to jsonlines", "list metrics"]
)
def test_a_reader_that_goes_away(here: Path, command: str) -> None:
    code, said = shell(f"coreflens {command} | true")
    assert code == 141 and said == ""


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (RuntimeError("Query interrupted"), 130, "interrupted"),  # what DuckDB makes of Ctrl-C
        (ImportError("libarrow.so: failed to map segment from shared object"), 3, "out of memory"),
        (ImportError("x.so: cannot open shared object file"), 70, "a bug in coreflens"),
    ],
)
def test_errors_of_others(
    error: Exception, code: int, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(click.Group, "invoke", fails)
    monkeypatch.setattr(sys, "argv", ["coreflens", "list"])
    with pytest.raises(SystemExit) as ended:
        coreflens.cli.main()
    assert ended.value.code == code and message in capsys.readouterr().err


def test_too_little_memory_at_the_start(here: Path) -> None:
    """Memory for less than what is asked for first."""
    script = """if True:
        import resource, coreflens.cli
        size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() + (4 << 20)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        coreflens.cli.main()
    """
    if not Path("/proc/self/statm").exists():
        pytest.skip("the size of a process is not known here")
    ran = subprocess.run([sys.executable, "-c", script, "list", "metrics"], capture_output=True, text=True, timeout=60)
    assert ran.returncode in (0, 3) and "Traceback" not in ran.stderr
