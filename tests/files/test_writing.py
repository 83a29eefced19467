"""What is written: whole or not at all, to where it was meant, and never over an input."""

from __future__ import annotations

import ast
import gzip
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import coreflens as cl
from command import Run, conll
from coreflens.errors import InputError
from coreflens.files.opening import load, run
from coreflens.files.writing import log_of, save
from places import ROOT

OLD = "what was there before\n"


def left_over(folder: Path) -> list[str]:
    return [p.name for p in folder.iterdir() if p.name.startswith(".coreflens-")]


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_text(OLD)
    target.chmod(0o640)
    save(["new ", b"bytes"], target)
    assert target.read_bytes() == b"new bytes"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert left_over(tmp_path) == []


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    save(["x"], tmp_path / "a")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_what_fails_half_way_leaves_the_earlier_file(tmp_path: Path) -> None:
    def pieces() -> Iterator[str]:
        yield "half"
        raise InputError("no more")

    target = tmp_path / "a"
    target.write_text(OLD)
    with pytest.raises(InputError, match="no more"):
        save(pieces(), target)
    with pytest.raises(InputError, match="half a surrogate pair"):
        save(["a", "\ud800"], target)
    assert target.read_text() == OLD and left_over(tmp_path) == []


def test_nobody_elses_partial_file_is_touched(tmp_path: Path) -> None:
    (tmp_path / "a.partial").write_text(OLD)
    save(["x"], tmp_path / "a")
    assert (tmp_path / "a.partial").read_text() == OLD


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "real").write_text(OLD)
    (tmp_path / "link").symlink_to("there/real")
    (tmp_path / "dangling").symlink_to("there/new")
    (tmp_path / "circle").symlink_to("circle")
    save(["x"], tmp_path / "link")
    save(["y"], tmp_path / "dangling")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "there" / "real").read_text() == "x"
    assert (tmp_path / "dangling").is_symlink() and (tmp_path / "there" / "new").read_text() == "y"
    with pytest.raises(InputError, match="can't be written"):
        save(["z"], tmp_path / "circle")


def test_gzip_is_the_same_every_time(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        save(["x" * 100], tmp_path / name)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"x" * 100


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes of a name here")
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_text()), daemon=True)
    reader.start()
    save(["x" * 1000], tmp_path / "pipe")
    reader.join(10)
    assert found == ["x" * 1000] and stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_devices_stay_devices(run: Run, tmp_path: Path) -> None:
    (tmp_path / "k.conll").write_text(conll("(1)"))
    (tmp_path / "null").symlink_to(os.devnull)
    for target in (os.devnull, tmp_path / "null"):
        assert run("convert", tmp_path / "k.conll", target, "--to", "conll").code == 0
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode) and (tmp_path / "null").is_symlink()


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_the_file_behind_stdout_is_not_replaced(tmp_path: Path, name: str) -> None:
    """`{ echo before; coreflens convert a /dev/stdout; } > file`: after a rename the shell would have another file."""
    if not os.path.exists(name):
        pytest.skip(f"no {name} here")
    (tmp_path / "out").write_text("before\n")
    script = f"from coreflens.files.writing import save; save(['x\\n'], {name!r})"
    with open(tmp_path / "out", "ab") as out:
        subprocess.run([sys.executable, "-c", script], stdout=out, check=True)
        out.write(b"after\n")
    assert (tmp_path / "out").read_text() == "before\nx\nafter\n"


def test_an_input_is_not_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_text(OLD)
    (tmp_path / "link").symlink_to(target)
    os.link(target, tmp_path / "hard")
    with run():
        load(target)
        for name in ("a", "link", "hard"):
            with pytest.raises(InputError, match="one of the inputs"):
                save(["x"], tmp_path / name)
    save(["x"], target)  # another run
    assert target.read_text() == "x"


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "k.conll", "r.conll", "--save-counts", "k.conll"],
        ["score", "k.conll", "r.conll", "--by", "labels.csv", "--save-counts", "labels.csv"],
        ["convert", "k.conll", "k.conll"],
        ["convert", "k.conll", "./sub/../k.conll"],
        ["convert", "sub", "sub/a.conll"],
        ["view", "k.conll", "r.html", "r.html"],
        ["diagnose", "k.conll", "r.conll", "--write", "r.conll"],
        ["resolve", "k.conll", "k.conll", "--system", "singletons"],
        ["agree", "k.conll", "r.conll", "--by", "plot.svg", "--plot", "plot.svg"],
        ["task", "conditions", "k.conll", "k.conll", "--condition", "gold-mentions"],
    ],
)
def test_no_command_overwrites_an_input(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    for name in ("k.conll", "r.conll", "r.html", "sub/a.conll", "sub/b.conll"):
        Path(name).write_text(conll("(1)", "(1)", "(2)", name="nw/b" if name == "sub/b.conll" else "nw/a"))
    for name in ("labels.csv", "plot.svg"):
        Path(name).write_text("document,topic\nnw/a,x\n")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    ran = run(*arguments)
    assert ran.code == 3 and "one of the inputs" in ran.err
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_the_library_refuses_to_convert_a_file_into_itself(tmp_path: Path) -> None:
    (tmp_path / "k.conll").write_text(conll("(1)"))
    with pytest.raises(InputError, match="one of the inputs"):
        cl.convert(tmp_path / "k.conll", tmp_path / "k.conll")
    cl.write(cl.read(tmp_path / "k.conll"), tmp_path / "k.conll")  # said in so many words


@pytest.mark.parametrize("path", ["k.conll/x.conll", "k.conll/sub/", "no/x.conll", "n" * 300 + ".conll", "sub"])
def test_places_where_nothing_can_be_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    Path("k.conll").write_text(conll("(1)"))
    for arguments in (
        ["convert", "k.conll", path, "--to", "conll"],
        ["score", "k.conll", "k.conll", "--save-counts", path],
    ):
        ran = run(*arguments)
        if arguments[0] == "convert" and path == "sub":
            continue  # a directory is a fine target there
        assert ran.code == 3 and ("written" in ran.err or "can't be made" in ran.err), ran.err


WRITES = {"write_text", "write_bytes", "read_text", "read_bytes", "mkdir", "savefig", "replace", "rename", "unlink"}
ALLOWED = {
    "viewer/page.py: read_text",  # of the package itself
    "resolvers/lexicon.py: read_text",
    "formats/xmi/__init__.py: read_text",  # a method of its own
    "cli/demo.py: read_text",
    "database/copies.py: unlink",  # what an interrupted change has left
    "cli/demo.py: read_bytes",
    "store/queries.py: read_text",
    "comparison/library.py: read_text",
    "engines/choice.py: open",  # what the system says of its memory
    "paper/drawing.py: savefig",  # into a buffer
    "compat/conll_scorer/reading.py: open",  # reads what scorer.pl reads, errors included
    "cli/headings.py: write_text",  # of click, into its help
    "cli/__init__.py: open",  # /dev/null in place of a broken stdout
}


def test_files_are_opened_and_written_in_one_place() -> None:
    """No `open`, `write_text` and the like outside files/."""
    found = set()
    package = ROOT / "src" / "coreflens"
    for path in package.rglob("*.py"):
        where = path.relative_to(package).as_posix()
        if where.startswith("files/"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            plain = isinstance(node.func, ast.Name) and name == "open"
            method = isinstance(node.func, ast.Attribute) and name in WRITES and name not in ("replace", "rename")
            if plain or method:
                found.add(f"{where}: {name}")
    assert found == ALLOWED


def test_a_log_has_the_new_lines_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full after half of the bytes leaves the log as it was."""
    path = tmp_path / "log"
    path.write_text("first\n")
    write = os.write

    def half(number: int, data: memoryview) -> int:
        if len(data) < 8:
            raise OSError(28, "No space left on device")
        return write(number, data[: len(data) // 2])

    monkeypatch.setattr(os, "write", half)
    with log_of(path) as log, pytest.raises(InputError, match="log: can't be written: No space left"):
        log.add("second", "third")
    assert path.read_text() == "first\n"


@pytest.mark.parametrize("size", [0, 3, 200_000])
def test_the_beginning_of_a_line_is_cut_off(tmp_path: Path, size: int) -> None:
    path = tmp_path / "log"
    path.write_text("first\n" + "x" * size)
    with log_of(path) as log:
        log.add("second")
    assert path.read_text() == "first\nsecond\n"
