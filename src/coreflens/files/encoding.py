"""From the bytes of a file to plain UTF-8."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from gzip import GzipFile
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import IO

from ..errors import InputError, UsageError
from .limits import Budget, allowed, check_lines, refuse
from .opening import load

HINT = "recode it (iconv -f latin1 -t utf-8), or name the encoding: --encoding latin-1"
LARGE = 1 << 26  # a file with more bytes is read twice and not kept in memory
_INFLATION = 1032  # gzip packs at most this many bytes into one


def unpacked(data: bytes, name: str, encoding: str | None, budget: Budget | None = None) -> bytes:
    """UTF-8 bytes without BOM: decompressed, and recoded if an encoding is named or a BOM marks another."""
    if data[:2] == b"\x1f\x8b":
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


@dataclass(frozen=True, slots=True)
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


def unzipped(data: bytes, name: str, budget: Budget | None = None) -> bytes:
    """The content of a gzip file, unless it is damaged or exceeds the limits."""
    pieces, size = [], 0
    with Unzipped(BytesIO(data), name, budget) as stream:
        while piece := stream.read(1 << 24):
            pieces.append(piece)
            size += len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


class Unzipped(GzipFile):
    """A gzip reader that raises an InputError for damaged data and stops at the limits."""

    def __init__(self, file: IO[bytes], name: str, budget: Budget | None = None, owns: bool = True) -> None:
        super().__init__(fileobj=file, mode="rb")
        self._file, self._owns = file, owns  # whether the file is closed with it
        self._of, self._budget, self._size = name, budget or Budget(), 0

    def close(self) -> None:
        super().close()
        if self._owns:
            self._file.close()

    def read(self, size: int | None = -1) -> bytes:
        most = allowed().unpacked - self._size + 1
        try:
            data = super().read(most if size is None or size < 0 else min(size, most))
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"the gzip file is damaged: {error}", file=self._of) from None
        self._size += len(data)
        if self._size > allowed().unpacked:
            refuse("unpacked", "the gzip file is too large when unpacked", file=self._of)
        self._budget.take(len(data), self._of)
        return data


def measure(file: IO[bytes], name: str) -> None:
    """Unpack a gzip file without keeping anything, so that a file that is too large is refused before work begins."""
    packed = file.seek(0, SEEK_END)
    file.seek(0)
    if packed * _INFLATION <= min(allowed().unpacked, allowed().total):
        return
    with Unzipped(file, name, owns=False) as stream:
        while stream.read(1 << 24):
            pass
    file.seek(0)


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
