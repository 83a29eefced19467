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


class Place(os.PathLike[str]):
    """A path of another library."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return str(self.path)


def test_a_path_may_come_from_another_library(tmp_path: Path) -> None:
    for name in ("key", "response"):
        (tmp_path / name).mkdir()
        _corpus(tmp_path / name)
    key, response = Place(tmp_path / "key"), Place(tmp_path / "response")
    assert cl.score(key, response).conll == 1
    assert cl.read(Place(tmp_path / "key" / "0.conll")).source == str(tmp_path / "key" / "0.conll")
    assert "100.00" in str(cl.compare(key, {"a": response, "b": Place(tmp_path / "key")}))
    assert "100.00" in cl.view(key, response).html


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
    with pytest.raises(cl.InputError, match="outside itself"):
        cl.read(tmp_path / "a.zip")


@pytest.mark.slow
def test_bombs(run: Run, tmp_path: Path) -> None:
    """By what they say of themselves, and where they lie or say nothing, by what comes out."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.conll", bytes(2_000_000))
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"#begin document (a)\n" * 100_000))
    for command in (("score", "X", "X"), ("validate", "X"), ("convert", "X", tmp_path / "o.conll"), ("describe", "X")):
        for name in ("a.zip", "a.gz"):
            arguments = [tmp_path / name if given == "X" else given for given in command]
            ran = run(*arguments, "--max-unpacked", "1M")
            assert ran.code == (1 if command[0] == "validate" else 3)
            assert "limit of 1 MB" in ran.out + ran.err and "--max-unpacked" in ran.out + ran.err
    assert not (tmp_path / "o.conll").exists()


@pytest.mark.slow
def test_many_small_members_are_one_large_input(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(30):
            text = conll(*["(1)"] * 1000, name=f"nw/{i}")
            archive.writestr(f"{i}.conll", text)
            (folder / f"{i}.conll.gz").write_bytes(gzip.compress(text.encode()))
    for source in (tmp_path / "a.zip", folder):
        assert run("describe", source).code == 0
        ran = run("describe", source, "--max-total", "200k")
        assert ran.code == 3 and "limit of 200 kB" in ran.err and "--max-total" in ran.err
    with cl.limits(total=200 << 10), pytest.raises(cl.InputError, match="limit of 200 kB"):
        cl.read(folder)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["validate", pytest.param("describe", marks=pytest.mark.endurance)])
def test_a_bomb_larger_than_the_default(run: Run, tmp_path: Path, command: str) -> None:
    """No more than the limit is ever unpacked, and nothing is parsed before."""
    block = gzip.compress(b"#begin document (a); part 000\n" * 2_000_000)
    (tmp_path / "a.gz").write_bytes(block * 100)  # 6 GB
    ran = run(command, tmp_path / "a.gz")
    assert "limit of 1 GB" in ran.out + ran.err


def test_a_very_long_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(conll("(1)", "x" * 3000, "(1)"))
    for command in ("describe", "validate"):
        ran = run(command, tmp_path / "a.conll", "--max-line", "2k")
        assert ":3: " in ran.out + ran.err and "limit of 2 kB" in ran.out + ran.err
        assert "--max-line" in ran.out + ran.err
    assert run("describe", tmp_path / "a.conll", "--max-line", "nonsense").code == 2


def test_damaged_members(run: Run, tmp_path: Path) -> None:
    """Each packing method has its own way to say that something is wrong."""
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_STORED):
        path = tmp_path / f"{method}.zip"
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.writestr("a.conll", conll(*["(1)", "(2)"] * 500))
        data = bytearray(path.read_bytes())
        for at in range(60, len(data) - 150, 7):
            data[at] ^= 0x55
        path.write_bytes(data)
        for command in (("score", path, path), ("validate", path), ("convert", path, tmp_path / "o.conll")):
            assert run(*command).code in (1, 3)


def test_the_same_member_twice(run: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.conll", conll("(1)"))
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.conll", conll("(1)", "(2)"))
    ran = run("score", tmp_path / "a.zip", tmp_path / "a.zip")
    assert ran.code == 3 and "two files 'a.conll'" in ran.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes of a name here")
def test_what_is_no_file_is_passed_over_and_reported(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    _corpus(folder)
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "circle").symlink_to("circle")
    (folder / "nothing").symlink_to("nowhere")
    (folder / "again").symlink_to(folder)
    ran = run("score", folder, folder)
    assert ran.code == 0 and "5 things" in ran.err and "a link in a circle" in ran.err
    ran = run("validate", folder)
    assert ran.code == 0
    for what in ("a pipe", "a device", "a link in a circle", "a link to nothing", "a folder that is already read"):
        assert what in ran.out
    ran = run("convert", folder, tmp_path / "out", "--to", "jsonlines")
    assert ran.code == 0 and "5 things" in ran.err


def test_a_path_with_a_newline(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a\nb.conll"
    path.write_text(conll("(1)", "(1)"))
    assert run("score", path, path).code == 0
    path.write_text(conll("(1", "(1)"))
    ran = run("score", path, path)
    assert ran.code == 3 and "a\\nb.conll" in ran.err  # still one line


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


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="THE DEVICE IS NOT TESTED: there is no /dev/zero")
def test_a_device_is_no_input(run: Run, tmp_path: Path) -> None:
    """It would be read until memory ends, wherever a file is read."""
    key = tmp_path / "key.conll"
    key.write_text(conll("(1)", "(1)"))
    (tmp_path / "link.conll").symlink_to("/dev/zero")
    manifest = tmp_path / "m.toml"
    manifest.write_text(f'key = "{key}"\n[[system]]\nname = "a"\nfiles = "/dev/zero"\n')
    for words in (
        ("score", "/dev/zero", key),
        ("score", key, "/dev/zero"),
        ("score", key, tmp_path / "link.conll"),
        ("compare", manifest),
        ("describe", "/dev/urandom"),
        ("view", key, "/dev/zero", tmp_path / "page.html"),
        ("convert", "/dev/zero", tmp_path / "out.jsonl"),
    ):
        ran = run(*words)
        assert ran.code == 3 and "this is a device" in ran.err, words
    assert "this is a device" in run("validate", "/dev/zero").out
    assert "is empty" in run("score", key, "/dev/null").err  # it ends at once


def test_a_pipe_without_end_is_refused(run: Run, tmp_path: Path) -> None:
    key = tmp_path / "key.conll"
    key.write_text(conll("(1)", "(1)"))
    ran = run("score", "-", key, "--max-total", "1k", stdin=b"x" * 5000)
    assert ran.code == 3 and "--max-total raises the limit" in ran.err
    assert run("score", "-", key, "--max-total", "1k", stdin=key.read_bytes()).code == 0
