"""Files that gzip packed: they are unpacked within the limits."""

from __future__ import annotations

import zlib
from gzip import GzipFile
from io import SEEK_END, BytesIO
from typing import IO

from ..errors import InputError
from .limits import Budget, allowed, refuse

_INFLATION = 1032  # gzip packs at most this many bytes into one


def unzipped(data: bytes, name: str, budget: Budget | None = None) -> bytes:
    """The content of a gzip file, unless it is damaged or exceeds the limits."""
    pieces = []
    with Unzipped(BytesIO(data), name, budget) as stream:
        while piece := stream.read(1 << 24):
            pieces.append(piece)
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
