"""What a path may be: a file, a directory, a glob, an archive; and what is refused."""

from __future__ import annotations

import gzip
import os
import threading
import zipfile
from pathlib import Path

import pytest

import coreflens as cl
from command import Run, conll


def _corpus(folder: Path) -> None:
    for i in range(3):
        (folder / f"{i}.conll").write_text(conll("(1)", "(1)", name=f"nw/{i}"))


def test_directory_glob_and_zip_are_the_same_corpus(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    _corpus(folder)
    with zipfile.ZipFile(tmp_path / "d.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in folder.iterdir():
            archive.write(file, f"below/{file.name}")
    whole = cl.read(folder)
    assert [d.name for d in whole.documents] == ["nw/0", "nw/1", "nw/2"]
    for other in (folder / "*.conll", tmp_path / "d.zip", tmp_path / "**" / "[0-2].conll"):
        assert [d.label for d in cl.read(other).documents] == [d.label for d in whole.documents]
        assert cl.score(folder, other).conll == 1
    assert cl.read(tmp_path / "d.zip").documents[0].file == f"{tmp_path}/d.zip/below/0.conll"


def test_nothing_matches(tmp_path: Path) -> None:
    with pytest.raises(cl.InputError, match="no file matches"):
        cl.read(tmp_path / "*.conll")


def test_a_name_with_brackets_is_a_name_first(tmp_path: Path) -> None:
    (tmp_path / "a[1].conll").write_text(conll("(1)"))
    assert len(cl.read(tmp_path / "a[1].conll")) == 1


def test_links_in_circles(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    _corpus(folder)
    os.symlink(folder, folder / "again")
    os.symlink(tmp_path, folder / "up")
    assert len(cl.read(folder).documents) == 3
    os.symlink(folder / "self", folder / "self")
    with pytest.raises(cl.InputError, match="can't be read"):
        cl.read(folder / "self")


def test_linked_directories_are_read(tmp_path: Path) -> None:
    folder, other = tmp_path / "d", tmp_path / "e"
    folder.mkdir()
    other.mkdir()
    _corpus(folder)
    os.symlink(folder, other / "linked")
    assert len(cl.read(other).documents) == 3


@pytest.mark.parametrize("name", ["../../evil.conll", "/etc/evil.conll", "a\\..\\..\\b.conll", "C:\\x.conll"])
def test_archives_that_point_outside(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, conll("(1)"))
    with pytest.raises(cl.InputError, match="outside of itself"):
        cl.read(tmp_path / "a.zip")


def test_bombs(run: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.conll", bytes(200_000_000))
    ran = run("score", tmp_path / "a.zip", tmp_path / "a.zip")
    assert ran.code == 3
    assert "unpacks to" in ran.err
    (tmp_path / "a.gz").write_bytes(gzip.compress(bytes(300_000_000)))
    ran = run("score", tmp_path / "a.gz", tmp_path / "a.gz")
    assert ran.code == 3
    assert "refused" in ran.err


def test_hidden_files_stay_hidden(tmp_path: Path) -> None:
    _corpus(tmp_path)
    (tmp_path / ".a.conll").write_text(conll("(1)", name="nw/hidden"))
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "b.conll").write_text(conll("(1)", name="nw/hidden"))
    assert len(cl.read(tmp_path).documents) == 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes of a name here")
@pytest.mark.parametrize("command", ["score", "validate", "describe", "convert"])
def test_a_pipe_is_read_from_its_first_byte(run: Run, tmp_path: Path, command: str) -> None:
    """`coreflens score key.conll <(zcat response.gz)`: what is read from a pipe to have a look is gone."""
    text = conll("(1)", "(1)")
    (tmp_path / "key.conll").write_text(text)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text(text), daemon=True)
    writer.start()
    given = {"score": [tmp_path / "key.conll", tmp_path / "pipe"], "convert": [tmp_path / "pipe", tmp_path / "o.conll"]}
    ran = run(command, *given.get(command, [tmp_path / "pipe"]))
    writer.join(5)
    assert ran.code == 0, ran.err


def test_a_zip_on_stdin_is_refused_as_such(run: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.conll", conll("(1)"))
    ran = run("validate", "-", stdin=(tmp_path / "a.zip").read_bytes())
    assert (ran.code, "zip archive can't be read from a pipe" in ran.out) == (1, True)


def test_stdin_is_no_file_of_that_name(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("stdin").write_text("nothing of interest\n")
    assert run("validate", "-", stdin=conll("(1)").encode()).code == 0
    assert run("validate", "-", stdin=conll("(1").encode()).code == 1
