"""The one way in which files are written: completely, or not at all.

A file is written under a random name in the folder of its target, flushed to the disk, and then replaces the target in
one step. If the process is killed or the disk is full, the earlier file is unchanged. At most a hidden `.coreflens-*`
file is left behind. Links are followed, and the mode of an earlier file is kept. A device, a pipe or `/dev/stdout` is
written to and never replaced.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, cast

from ..errors import InputError
from .opening import was_read, was_written

_DESCRIPTOR = re.compile(r"/(?:dev|proc/(?:self|thread-self))/fd/(\d+)")
_STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_LINKS = 40  # links that are followed, as in the operating system
LONGEST_NAME = 200  # bytes of a name that we make; file systems allow 255, and some less
_DIGITS = 10  # of the checksum in a name that was cut
_BLOCK = 1 << 16  # bytes of a log that are read at a time, from its end
_SPOOLED = 1 << 24  # bytes kept in memory before they go to a stream


def save(pieces: Iterable[str | bytes], path: str | Path) -> None:
    """Write a file, gzipped if its name ends in .gz, or to stdout (`-`): all of it or, if this fails, nothing."""
    name = str(path)
    try:
        with _stream(name) if _is_stream(name) else _replacing(name) as out:
            _fill(out, pieces, packed=name.endswith(".gz") and name != "-")
    except BrokenPipeError:  # the reader went away, which is not an error of the output
        raise
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        if isinstance(error, UnicodeEncodeError):
            bad = error.object[error.start]
            raise InputError(f"half a surrogate pair, {bad!a}, can't be written as UTF-8", file=name) from None
        raise unwritable(error, name) from None


def put_in_place(temporary: str, path: str | Path) -> None:
    """Replace the target, in one step, with a file that another library has written beside it."""
    name = str(path)
    try:
        before = _status(name)
        _check(name, before)
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        if before is not None:
            with suppress(OSError):
                os.chown(temporary, before.st_uid, before.st_gid)
            os.chmod(temporary, stat.S_IMODE(before.st_mode))
        os.replace(temporary, os.path.realpath(name))
    except OSError as error:
        raise unwritable(error, name) from None
    _sync(os.path.dirname(os.path.realpath(name)))


class OpenLog:
    """A file of lines that only grows, open for one process at a time; see `log_of`."""

    def __init__(self, name: str) -> None:
        self._name = name
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        try:
            self._number = os.open(name, flags, 0o666)
        except OSError as error:
            raise unwritable(error, name) from None

    def lock(self) -> None:
        """Wait until no other process has the log. Some systems and network drives know no locks."""
        with suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(self._number, fcntl.LOCK_EX)

    def close(self) -> None:
        os.close(self._number)

    def add(self, *lines: str) -> None:
        """Add lines in one write, and flush them to the disk: all of them or, if this fails, none.

        If the process is killed, the log has the whole lines or their beginning, which the next addition cuts off.
        """
        try:
            size = self._complete()
            os.ftruncate(self._number, size)
            try:
                data = memoryview("".join(f"{line}\n" for line in lines).encode())
                while data:
                    data = data[os.write(self._number, data) :]
                os.fsync(self._number)
            except BaseException:
                os.ftruncate(self._number, size)
                raise
        except OSError as error:
            raise unwritable(error, self._name) from None

    def _complete(self) -> int:
        """The number of bytes of the complete lines."""
        end = os.fstat(self._number).st_size
        while end:
            start = max(0, end - _BLOCK)
            os.lseek(self._number, start, os.SEEK_SET)
            block = os.read(self._number, end - start)
            if b"\n" in block:
                return start + block.rindex(b"\n") + 1
            end = start
        return 0


@contextmanager
def log_of(path: str | Path) -> Iterator[OpenLog]:
    """A log to be read and added to while other processes that do the same wait. It is made if it does not exist."""
    log = OpenLog(str(path))
    try:
        log.lock()
        yield log
    finally:
        log.close()


def take_away(path: str | Path) -> None:
    """Remove one of our files; it may already be gone."""
    with suppress(FileNotFoundError):
        os.unlink(path)


def file_name(name: str, suffix: str) -> str:
    """A file name for anything that has a name, such as a document. A name that is too long for a file is cut, and a
    checksum of the whole name keeps it different from others."""
    if len(f"{name}{suffix}".encode()) <= LONGEST_NAME:
        return f"{name}{suffix}"
    import hashlib

    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    room = LONGEST_NAME - len(f"-{digest}{suffix}".encode())
    return f"{name.encode()[:room].decode(errors='ignore')}-{digest}{suffix}"


def make_directory(path: str | Path) -> None:
    """Make a directory and those above it, unless they exist."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the directory can't be made: {error.strerror}", file=str(path)[:200]) from None


def unwritable(error: OSError | ValueError, name: str) -> InputError:
    """The error of the operating system as an InputError for this output."""
    return InputError(f"can't be written: {getattr(error, 'strerror', None) or error}", file=name[:200])


def _fill(out: IO[bytes], pieces: Iterable[str | bytes], packed: bool) -> None:
    encoded = (piece.encode() if isinstance(piece, str) else piece for piece in pieces)
    if not packed:
        out.writelines(encoded)
        return
    import gzip

    with gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0) as inner:
        for piece in encoded:
            inner.write(piece)


@contextmanager
def _replacing(name: str) -> Iterator[IO[bytes]]:
    """A file beside the target, which replaces it at the end unless something fails before."""
    target = os.path.realpath(name)
    before = _status(name)
    _check(name, before)
    folder = os.path.dirname(target)
    import secrets

    temporary = os.path.join(folder, f".coreflens-{secrets.token_hex(8)}")
    number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
    try:
        with os.fdopen(number, "wb") as out:
            yield out
            out.flush()
            if before is not None:
                with suppress(OSError):
                    os.chown(temporary, before.st_uid, before.st_gid)
                os.chmod(temporary, stat.S_IMODE(before.st_mode))
            os.fsync(out.fileno())
        _check(name, _status(name))  # files that were read meanwhile, in a stream, are also inputs
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync(folder)
    was_written(name)


def _check(name: str, status: os.stat_result | None) -> None:
    if status is not None and stat.S_ISDIR(status.st_mode):
        raise InputError("can't be written: this is a directory", file=name)
    if status is not None and not _writable(name):
        raise InputError("can't be written: this file is read-only", file=name)
    if status is not None and was_read(status):
        raise InputError("this is one of the inputs and is not overwritten", file=name, hint="name another output")


def _writable(name: str) -> bool:
    return os.access(name, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _status(name: str) -> os.stat_result | None:
    """The status of the target, with links followed; None if it does not exist. A circle of links is an OSError."""
    try:
        return os.stat(name)
    except FileNotFoundError:
        return None


def _sync(folder: str) -> None:
    """Flush the new name itself to the disk, if the system can do that."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _is_stream(name: str) -> bool:
    if name == "-" or _descriptor(name) is not None:
        return True
    status = _status(name)
    return status is not None and not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode)


def _descriptor(name: str) -> int | None:
    """The open file that a path such as /dev/stdout stands for, which may be a regular file."""
    path = os.path.abspath(name)
    for _ in range(_LINKS):
        if path in _STANDARD:
            return _STANDARD[path]
        if found := _DESCRIPTOR.fullmatch(path):
            return int(found[1])
        if not os.path.islink(path):
            return None
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    return None


@contextmanager
def _stream(name: str) -> Iterator[IO[bytes]]:
    """A buffer for a target that can't be replaced; its bytes are written when they are complete."""
    from shutil import copyfileobj
    from tempfile import SpooledTemporaryFile

    with SpooledTemporaryFile(_SPOOLED) as spool:
        yield cast(IO[bytes], spool)
        spool.seek(0)
        with _sink(name) as out:
            copyfileobj(spool, out)
            out.flush()


@contextmanager
def _sink(name: str) -> Iterator[IO[bytes]]:
    if name == "-":
        if sys.stdout is None:
            raise InputError("standard output is closed", file="-")
        sys.stdout.flush()
        yield sys.stdout.buffer
        return
    number = _descriptor(name)
    with open(name, "wb") if number is None else os.fdopen(os.dup(number), "wb") as out:
        yield out
