"""The files behind a path: one file, all of a directory, of a glob or of a zip archive; or stdin.

Nothing is ever unpacked to disk. Links are followed, once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import glob, has_magic
from pathlib import Path
from posixpath import dirname, join, normpath, relpath
from typing import TYPE_CHECKING

from ..errors import InputError

if TYPE_CHECKING:
    from zipfile import ZipFile

_MOST = 1 << 36  # bytes that one member of an archive may unpack to
_ZIP = b"PK\3\4"
_INFLATION = 1000  # and how many times its packed size: text does not shrink more


@dataclass(frozen=True)
class File:
    """A file to be read: its name for messages, its bytes when asked for, those of its neighbours, and their names.

    One on disk can also be opened by its name; stdin, another pipe or a member of an archive can't.
    """

    name: str
    load: Callable[[], bytes]
    sibling: Callable[[str], bytes | None]
    neighbours: Callable[[str], list[str]] = lambda _: []
    on_disk: bool = False


def find(path: str) -> tuple[list[File], bool]:
    """The files behind a path, in order of their names, and whether it was a collection of several."""
    if path == "-":
        return [_pipe("stdin", lambda: sys.stdin.buffer.read())], False
    if not path:
        raise InputError("an empty path", hint="is a variable in your script unset?")
    if "\n" in path or "\0" in path:
        raise InputError("this is the content of a file, where its path is expected")
    try:
        if Path(path).is_dir():
            return [_file(name) for name in sorted(_walk(path))], True
        if not Path(path).exists() and has_magic(path):
            return _globbed(path), True
        if Path(path).exists() and not Path(path).is_file():  # such as <(zcat key.gz), which can be read once only
            return [_pipe(path, lambda: _load(path))], False
        if _is_zip(path):
            return _members(path), True
    except OSError as error:
        raise _unreadable(error, path) from None
    return [_file(path)], False


def _file(name: str) -> File:
    return File(
        name,
        lambda: _load(name),
        lambda relative: _sibling(name, relative),
        lambda pattern: sorted(glob(pattern, root_dir=os.path.dirname(name) or ".")),
        on_disk=True,
    )


def _pipe(name: str, read: Callable[[], bytes]) -> File:
    def load() -> bytes:
        data = read()
        if data.startswith(_ZIP):
            raise InputError("a zip archive can't be read from a pipe", file=name, hint="give its path")
        return data

    return File(name, load, lambda _: None)


def _load(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise _unreadable(error, name) from None


def _sibling(name: str, relative: str) -> bytes | None:
    path = Path(name).parent / relative
    return _load(str(path)) if path.is_file() else None


def _unreadable(error: OSError, name: str) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError("no such file or directory", file=name)
    return InputError(f"can't be read: {error.strerror}", file=str(error.filename or name)[:200])


def _walk(top: str) -> Iterator[str]:
    """All files below a directory, hidden ones aside."""
    seen: set[tuple[int, int]] = set()
    for folder, folders, files in os.walk(top, followlinks=True):
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in seen:  # a link to where we were
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        yield from (os.path.join(folder, f) for f in files if not f.startswith("."))


def _globbed(pattern: str) -> list[File]:
    names = sorted(name for name in glob(pattern, recursive=True) if os.path.isfile(name))
    if not names:
        raise InputError("no file matches this pattern", file=pattern)
    return [_file(name) for name in names]


def _is_zip(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(len(_ZIP)) == _ZIP


def _members(path: str) -> list[File]:
    from zipfile import BadZipFile, ZipFile

    try:
        archive = ZipFile(path)
        members = {m.filename: m for m in archive.infolist() if not m.is_dir()}
    except (BadZipFile, NotImplementedError, ValueError) as error:
        raise InputError(f"the zip archive is damaged: {error}", file=path) from None
    for name, member in members.items():
        if name.startswith(("/", "\\")) or ".." in name.replace("\\", "/").split("/") or ":" in name[:2]:
            raise InputError(f"the archive names a file outside of itself: '{name[:80]}'", file=path)
        if member.file_size > min(_MOST, max(_INFLATION * member.compress_size, 1 << 20)):
            raise InputError(f"'{name[:80]}' unpacks to {member.file_size:,} bytes: refused", file=path)

    def file(name: str) -> File:
        def sibling(relative: str) -> bytes | None:
            other = normpath(join(dirname(name), relative))
            return _member(archive, other, path) if other in members else None

        def neighbours(pattern: str) -> list[str]:
            whole = normpath(join(dirname(name), pattern))
            return sorted(relpath(m, dirname(name)) for m in members if fnmatchcase(m, whole))

        return File(f"{path}/{name}", lambda: _member(archive, name, path), sibling, neighbours)

    visible = (n for n in members if not any(p.startswith((".", "__MACOSX")) for p in n.split("/")))
    return [file(name) for name in sorted(visible)]


def _member(archive: ZipFile, name: str, path: str) -> bytes:
    from zipfile import BadZipFile
    from zlib import error as ZlibError

    try:
        return archive.read(name)
    except (BadZipFile, ZlibError, RuntimeError, NotImplementedError, EOFError) as error:
        raise InputError(f"'{name[:80]}' can't be unpacked: {error}", file=path) from None
