"""From the bytes of a file to plain UTF-8."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import InputError, UsageError
from .limits import Budget, check_lines
from .opening import load

if TYPE_CHECKING:
    from pathlib import Path

HINT = "recode it (iconv -f latin1 -t utf-8), or name the encoding: --encoding latin-1"
LARGE = 1 << 26  # a file with more bytes is read twice and not kept in memory


def unpacked(data: bytes, name: str, encoding: str | None, budget: Budget | None = None) -> bytes:
    """UTF-8 bytes without BOM: decompressed, and recoded if an encoding is named or a BOM marks another."""
    if data[:2] == b"\x1f\x8b":
        from .gzipped import unzipped

        data = unzipped(data, name, budget)
    if encoding is None and data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    if encoding is not None:
        try:
            data = data.decode(encoding).encode()
        except LookupError:
            raise UsageError(f"unknown encoding '{encoding}'") from None
        except UnicodeError as error:
            line = data.count(b"\n", 0, getattr(error, "start", 0)) + 1
            raise InputError(
                f"this is not {encoding}: {getattr(error, 'reason', error)}", file=name, line=line
            ) from None
    check_lines(data, name)
    return data.removeprefix(b"\xef\xbb\xbf")


@dataclass(frozen=True, eq=False)
class Again:
    """The bytes of a large file on disk, read again when it is called, so that they need not stay in memory."""

    name: str
    path: str  # the same file in whatever directory the process is by then
    encoding: str | None
    state: tuple[int, ...]

    def __call__(self) -> bytes:
        if _state(self.path) != self.state:
            raise InputError("this file has changed since it was read", file=self.name, hint="read the file again")
        return unpacked(load(self.path), self.name, self.encoding)


def again(name: str, encoding: str | None) -> Again | None:
    """A function that reads a file on disk again; None if the file is small."""
    state = _state(name)
    return Again(name, os.path.abspath(name), encoding, state) if state and state[0] >= LARGE else None


def _state(name: str) -> tuple[int, ...]:
    """Values that differ if a file has changed; empty if there is no such file."""
    try:
        status = os.stat(name)
    except (OSError, ValueError):
        return ()
    return status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev


def text(data: bytes, name: str) -> str:
    """The text, or an error that shows the first byte that is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        raise InputError(
            f"byte 0x{data[error.start]:02x} is not UTF-8",
            file=name,
            line=data.count(b"\n", 0, error.start) + 1,
            column=len(data[start : error.start].decode()) + 1,
            hint=HINT,
            code="encoding",
        ) from None


def content(path: str | Path) -> str:
    """The text of a single file, unpacked: labels, lists, tables, manifests."""
    name = str(path)
    return text(unpacked(load(path), name, None), name)
