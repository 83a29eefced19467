"""The files of a path: one file, all files of a directory, a glob or a zip archive, or stdin.

Nothing is ever unpacked to disk. Links on the disk are followed, once, and those in an archive are not. In a directory
or archive only regular files are read: pipes, devices and broken links are skipped, and a note says so. Another note
names links that lead out of the directory.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from errno import EBADF, ELOOP, ENOENT, ENOTDIR
from fnmatch import fnmatchcase
from glob import glob, has_magic
from posixpath import dirname, join, normpath, relpath
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ..errors import PLACES, InputError, Issue, MissingFile, counted
from .limits import Budget, allowed, refuse
from .opening import load, open_file, stdin, unreadable

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

_ZIP = b"PK\3\4"
_NOTHING = (ENOENT, ENOTDIR, EBADF, ELOOP)


@dataclass(frozen=True)
class File:
    """A file to be read: its name for messages, functions for its bytes and its neighbours', and the neighbours' names.

    A file on disk can also be opened by its name. Stdin, another pipe or a member of an archive can't. Files of one
    input share a limit on their total unpacked size.
    """

    name: str
    load: Callable[[], bytes]
    sibling: Callable[[str], bytes | None]
    neighbours: Callable[[str], list[str]] = lambda _: []
    on_disk: bool = False
    budget: Budget = field(default_factory=Budget, compare=False)


class FoundFiles(NamedTuple):
    """The files of a path in order of their names, whether the path was a collection, what was skipped because it is
    not a regular file (path → what it is), and the links that lead out of the collection, which were followed."""

    files: list[File]
    several: bool = False
    passed_over: Mapping[str, str] = MappingProxyType({})
    leading_out: Sequence[str] = ()

    def issues(self, name: str) -> tuple[Issue, ...]:
        """Notes on what was skipped below a directory of that name, and on links that lead out of it."""
        found: list[Issue] = []
        if self.passed_over:
            places = tuple(f"{path}: {what}" for path, what in self.passed_over.items())[:PLACES]
            message = f"{counted(self.passed_over, 'thing')} below {name} that can't be read as a file: skipped"
            found.append(Issue("irregular", message, len(self.passed_over), places))
        if self.leading_out:
            verb = "leads" if len(self.leading_out) == 1 else "lead"
            message = f"{counted(self.leading_out, 'link')} below {name} {verb} out of it: followed"
            found.append(Issue("links", message, len(self.leading_out), tuple(self.leading_out[:PLACES])))
        return tuple(found)


def find(path: str) -> FoundFiles:
    """The files of a path."""
    if path == "-":
        return FoundFiles([_pipe("stdin", stdin)])
    if not path:
        raise InputError("the path is empty", hint="is a variable in your script unset?")
    if "\0" in path or ("\n" in path and not os.path.lexists(path)):
        raise InputError("this is the content of a file, but a path is expected")
    try:
        mode = _mode(path)
        if mode is None and has_magic(path):
            return _globbed(path)
        if mode is not None and stat.S_ISDIR(mode):
            return _directory(path)
        if mode is not None and not stat.S_ISREG(mode):  # such as <(zcat key.gz), which can be read only once
            return FoundFiles([_pipe(path, lambda: load(path))])
        if _is_zip(path):
            return _members(path)
    except OSError as error:
        raise unreadable(error, path) from None
    return FoundFiles([_file(path, Budget())])


def _mode(path: str) -> int | None:
    """What kind of file there is; None if there is nothing."""
    try:
        return os.stat(path).st_mode
    except OSError as error:
        if error.errno in _NOTHING:
            return None
        raise


def _file(name: str, budget: Budget) -> File:
    return File(
        name,
        lambda: load(name),
        lambda relative: _sibling(name, relative),
        lambda pattern: sorted(glob(pattern, root_dir=os.path.dirname(name) or ".")),
        on_disk=True,
        budget=budget,
    )


def _pipe(name: str, read: Callable[[], bytes]) -> File:
    def bytes_of() -> bytes:
        data = read()
        if data.startswith(_ZIP):
            raise InputError("a zip archive can't be read from a pipe", file=name, hint="give its path")
        return data

    return File(name, bytes_of, lambda _: None)


def _sibling(name: str, relative: str) -> bytes | None:
    """A neighbour's bytes, unless it is a link that leads outside the folders of the format."""
    path = os.path.join(os.path.dirname(name), relative)
    if not os.path.isfile(path):
        return None
    if not allowed().outside and not _is_inside(name, relative):
        message = f"'{relative[:80]}' beside it is a link to another place, and is not followed"
        hint = "--allow-outside follows it, if you trust these files"
        raise InputError(message, file=name, hint=hint, code="outside")
    return load(path)


def _is_inside(name: str, relative: str) -> bool:
    """Whether a neighbour's real place, with all links followed, is below the folder that its path names."""
    up = [".."] * relative.replace("\\", "/").split("/").count("..")
    there = os.path.realpath(os.path.join(os.path.dirname(name), relative))
    for folder in (os.path.dirname(name), os.path.dirname(os.path.realpath(name))):
        top = os.path.normpath(os.path.join(os.path.realpath(folder or "."), *up))
        if os.path.commonpath([top, there]) == top:
            return True
    return False


def _directory(top: str) -> FoundFiles:
    """All files below a directory, except hidden ones."""
    names: list[str] = []
    passed_over: dict[str, str] = {}
    leading_out: list[str] = []
    root = os.path.realpath(top)
    seen: set[tuple[int, int]] = set()

    def unlistable(error: OSError) -> None:
        raise error

    for folder, folders, files in os.walk(top, followlinks=True, onerror=unlistable):
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in seen:  # a link to a folder that was already read
            folders.clear()
            passed_over[folder] = "a link to a folder that is already read"
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        leading_out += [name for f in folders if _leads_out(name := os.path.join(folder, f), root)]
        for name in (os.path.join(folder, f) for f in files if not f.startswith(".")):
            if (what := _irregular(name)) is not None:
                passed_over[name] = what
                continue
            names.append(name)
            if _leads_out(name, root):
                leading_out.append(name)
    budget = Budget()
    found = [_file(name, budget) for name in sorted(names)]
    return FoundFiles(found, True, dict(sorted(passed_over.items())), sorted(leading_out))


def _leads_out(name: str, root: str) -> bool:
    """Whether this is itself a link, to a place that is not below the root."""
    return os.path.islink(name) and not is_below(os.path.realpath(name), root)


def is_below(path: str, root: str) -> bool:
    """Whether a path is a folder or below it; both have all links followed."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _irregular(name: str) -> str | None:
    """What an entry of a directory is if it is not a regular file; reading it could wait for ever, or never end."""
    try:
        mode = os.stat(name).st_mode
    except FileNotFoundError:
        return "a link to nothing"
    except OSError:
        return "a link in a circle"
    return None if stat.S_ISREG(mode) else special(mode)


def special(mode: int) -> str:
    """What something is that is no regular file, folder or link."""
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def _globbed(pattern: str) -> FoundFiles:
    names = sorted(name for name in glob(pattern, recursive=True) if os.path.isfile(name))
    if not names:
        raise MissingFile(pattern, "no file matches this pattern")
    budget = Budget()
    return FoundFiles([_file(name, budget) for name in names], True)


def _is_zip(path: str) -> bool:
    with open_file(path) as file:
        return file.read(len(_ZIP)) == _ZIP


def _members(path: str) -> FoundFiles:
    archive, members = _archive(path)
    passed_over = {
        f"{path}/{name}": what for name in sorted(members) if (what := irregular_member(members[name])) is not None
    }
    members = {name: member for name, member in members.items() if irregular_member(member) is None}
    budget = Budget()

    def file(name: str) -> File:
        def sibling(relative: str) -> bytes | None:
            other = normpath(join(dirname(name), relative))
            return _member(archive, other, path) if other in members else None

        def neighbours(pattern: str) -> list[str]:
            whole = normpath(join(dirname(name), pattern))
            return sorted(relpath(m, dirname(name)) for m in members if fnmatchcase(m, whole))

        return File(f"{path}/{name}", lambda: _member(archive, name, path), sibling, neighbours, budget=budget)

    files = [file(name) for name in sorted(members) if not _is_hidden(name)]
    return FoundFiles(files, True, passed_over)


def irregular_member(member: ZipInfo) -> str | None:
    """What a member of an archive is if it is no regular file; Unix notes that in its attributes."""
    mode = member.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "a link in an archive"
    return None if stat.S_IFMT(mode) in (0, stat.S_IFREG, stat.S_IFDIR) else special(mode)


def listed(path: str) -> list[ZipInfo]:
    """The members of a zip archive, folders left out; none if it is another file."""
    return [*_archive(path)[1].values()] if os.path.isfile(path) and _is_zip(path) else []


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


def _archive(path: str) -> tuple[ZipFile, dict[str, ZipInfo]]:
    """A zip archive, and its files by name. Names outside the archive, names that occur twice and archives that are
    too large are refused."""
    from zipfile import BadZipFile, ZipFile

    try:
        archive = ZipFile(path)  # which `_is_zip` has opened before
        listed = [member for member in archive.infolist() if not member.is_dir()]
    except (BadZipFile, NotImplementedError, ValueError, EOFError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"the zip archive is damaged: {error}", file=path) from None
    members: dict[str, ZipInfo] = {}
    for member in listed:
        name = member.filename
        if _is_outside(name):
            raise InputError(f"the archive names a file outside itself: '{name[:80]}'", file=path)
        if members.setdefault(name, member) is not member:
            hint = "pack the archive again with only one of them"
            raise InputError(f"the archive has two files '{name[:80]}'", file=path, hint=hint)
        if member.file_size > allowed().unpacked:
            refuse("unpacked", f"'{name[:80]}' unpacks to {member.file_size:,} bytes", file=path)
    size = sum(member.file_size for member in listed)
    if size > allowed().total:
        refuse("total", f"the archive unpacks to {size:,} bytes", file=path)
    return archive, members


def _is_outside(name: str) -> bool:
    """Whether a name in an archive is an absolute path, or one that leads out of the archive."""
    if name.startswith(("/", "\\")) or ":" in name[:2]:
        return True
    return ".." in name.replace("\\", "/").split("/")


def _member(archive: ZipFile, name: str, path: str) -> bytes:
    """The bytes of a member; damage in any packing method is an InputError."""
    from zipfile import BadZipFile
    from zlib import error as ZlibError

    damage: tuple[type[Exception], ...] = (BadZipFile, ZlibError, RuntimeError, EOFError, OSError, ValueError)
    with suppress(ImportError):  # Python without lzma has a RuntimeError for such a member
        from lzma import LZMAError

        damage = (*damage, LZMAError)
    try:
        return archive.read(name)
    except damage as error:
        raise InputError(f"'{name[:80]}' can't be unpacked: {error}", file=path) from None
