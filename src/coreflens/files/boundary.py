"""The boundary of an input: what lies inside it, what leads out of it, and what is really a file of the key.

A submission from a stranger has one root, the path that is given. Everything in it lies below this root: no link leads
out, no entry is a device or another special file, and none is a file of the key, by a link of whatever kind.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import glob
from typing import TypeAlias

from ..errors import InputError, visible
from .finding import irregular_member, is_below, listed, special
from .limits import allowed, size
from .opening import unreadable

Identity: TypeAlias = tuple[int, int]  # device and number: the same for all links to a file

_KEY_HINT = "to score the key against itself, give the same path twice"


@dataclass(frozen=True)
class Fault:
    """An entry that a submission may not have, and why; `code` names the kind of fault."""

    code: str
    path: str
    message: str
    hint: str = ""


def identities(path: str) -> set[Identity]:
    """The regular files behind a path or pattern: the file, or all files of a folder with all links followed."""
    found: set[Identity] = set()
    tops = [path] if os.path.lexists(path) else glob(path, recursive=True)
    for name in (name for top in tops for name in (top, *_below(top, followed=True))):
        if (status := _status(name)) is not None and stat.S_ISREG(status.st_mode):
            found.add((status.st_dev, status.st_ino))
    return found


def refuse_links_to_the_key(key_files: Iterable[str], response_files: Iterable[str]) -> None:
    """An InputError if a file of a response is a file of the key under another name, by a link of whatever kind.

    A path that is given on both sides is no link: so the key can be scored against itself.
    """
    of_key = set(key_files)
    others = set(response_files) - of_key - {""}
    if not others or not of_key:
        return
    key_paths: dict[Identity, set[str]] = {}
    for name in of_key:
        if name and (status := _status(name)) is not None:
            key_paths.setdefault((status.st_dev, status.st_ino), set()).add(os.path.abspath(name))
    for name in sorted(others):
        status = _status(name)
        same = None if status is None else key_paths.get((status.st_dev, status.st_ino))
        if same is not None and stat.S_ISREG(status.st_mode if status else 0) and os.path.abspath(name) not in same:
            message = f"this is a file of the key, {min(same)}, under another name"
            raise InputError(message, file=name, hint=_KEY_HINT, code="key-link")


def stamps(path: str) -> dict[str, tuple[int, ...]]:
    """What the system knows of each entry of a submission; any change of a file changes its stamp."""
    found: dict[str, tuple[int, ...]] = {}
    for name in [path, *_below(path)]:
        status = _status(name, followed=name == path)
        if status is not None:
            found[name] = (status.st_mode, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
            found[name] += (status.st_ctime_ns,)
    return found


def faults(submission: str, key: str, most: int) -> Iterator[Fault]:
    """What a submission may not have, with its name. `most` is the number of entries that it may have."""
    if os.path.islink(submission) and not allowed().outside:
        hint = "give the path that it leads to"
        yield Fault("outside", submission, "this is itself a link, and a submission has its files below it", hint)
    of_key = identities(key)
    root = os.path.realpath(submission)
    if os.path.abspath(submission) == os.path.abspath(key):  # whoever names the key twice means it
        of_key = set()
    elif root == os.path.realpath(key):
        yield Fault("key-link", submission, "this leads to the key")
        return
    if os.path.isdir(submission):
        yield from _faults_below(submission, root, of_key, most)
        return
    if (status := _status(submission)) is not None:
        if (status.st_dev, status.st_ino) in of_key:
            yield Fault("key-link", submission, "this is a file of the key, under another name")
        yield from _size_faults(submission, status.st_size, status.st_size)
        yield from _member_faults(submission, most)


def _faults_below(submission: str, root: str, of_key: set[Identity], most: int) -> Iterator[Fault]:
    """The faults of each entry of a folder, and of all together."""
    total = 0
    for number, name in enumerate(_below(submission), start=1):
        if number > most:
            message = f"there are more than {most:,} files and folders, ten for each document of the task"
            yield Fault("too-many-files", submission, message)
            return
        yield from _name_faults(name, os.path.basename(name))
        status = _status(name, followed=False)
        if status is None:
            yield Fault("changed", name, "this was there, and is gone")
        elif stat.S_ISLNK(status.st_mode):
            yield from _link_faults(name, root, of_key)
        elif stat.S_ISREG(status.st_mode):
            total += status.st_size
            if (status.st_dev, status.st_ino) in of_key:
                yield Fault("key-link", name, "this is a file of the key, under another name (a hard link)")
            yield from _size_faults(name, status.st_size, total)
        elif not stat.S_ISDIR(status.st_mode):
            yield Fault("special-file", name, f"this is {special(status.st_mode)}, and no file")


def _link_faults(name: str, root: str, of_key: set[Identity]) -> Iterator[Fault]:
    """A link may lead to another place in the same submission, and nowhere else."""
    status = _status(name)
    if status is not None and (status.st_dev, status.st_ino) in of_key:
        yield Fault("key-link", name, "this is a link to a file of the key")
    elif not is_below(os.path.realpath(name), root):
        if not allowed().outside:
            yield Fault("outside", name, "this is a link that leads out of the submission")
    elif status is None:
        yield Fault("outside", name, "this is a link to nothing")


def _size_faults(name: str, bytes_of_file: int, bytes_so_far: int) -> Iterator[Fault]:
    """Files of a submission have the limits of packed files, so that a small archive can't have filled the disk."""
    if bytes_of_file > allowed().unpacked:
        message = f"this has {bytes_of_file:,} bytes, and {size(allowed().unpacked)} are allowed"
        yield Fault("too-large", name, message, "--max-unpacked raises the limit")
    elif bytes_so_far > allowed().total >= bytes_so_far - bytes_of_file:
        message = f"with this file there are more than {size(allowed().total)}, which are allowed in all"
        yield Fault("too-large", name, message, "--max-total raises the limit")


def _member_faults(submission: str, most: int) -> Iterator[Fault]:
    """The faults of the members of a zip archive; none if it is another file."""
    members = listed(submission)
    if len(members) > most:
        message = f"there are more than {most:,} members, ten for each document of the task"
        yield Fault("too-many-files", submission, message)
        return
    for member in members:
        name = f"{submission}/{member.filename}"
        yield from _name_faults(name, member.filename)
        if (kind := irregular_member(member)) is not None:
            yield Fault("special-file", name, f"this is {kind}; pack the file itself")


def _name_faults(path: str, name: str) -> Iterator[Fault]:
    """A name that could write something else to a terminal or a log than it is."""
    if visible(name) != name or not _is_text(name):
        shown = path.encode("utf-8", "backslashreplace").decode()
        yield Fault("control-characters", shown, "the name of this file has control characters, or is not UTF-8")


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _below(folder: str, followed: bool = False) -> Iterator[str]:
    """All entries below a folder, hidden ones too, in order of their names within each folder."""
    seen: set[Identity] = set()

    def unlistable(error: OSError) -> None:
        raise unreadable(error, folder)

    if not os.path.isdir(folder):
        return
    for top, folders, files in os.walk(folder, followlinks=followed, onerror=unlistable):
        status = os.stat(top)
        if (status.st_dev, status.st_ino) in seen:  # a link back to a folder that was listed
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders.sort()
        for name in sorted([*folders, *files]):
            yield os.path.join(top, name)


def _status(name: str, followed: bool = True) -> os.stat_result | None:
    """What the system knows of a path, with links followed or not; None if there is nothing, or a circle of links."""
    try:
        return os.stat(name, follow_symlinks=followed)
    except (OSError, ValueError):
        return None
