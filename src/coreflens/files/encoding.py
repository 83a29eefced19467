"""From the bytes of a file to plain UTF-8."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import InputError, UsageError

if TYPE_CHECKING:
    from ..formats.shared.source import Source

_HINT = "recode it (iconv -f latin1 -t utf-8), or name the encoding: --encoding latin-1"


def unpacked(data: bytes, name: str, encoding: str | None) -> bytes:
    """UTF-8 bytes without BOM: decompressed, and recoded if another encoding is named or marked by a BOM."""
    if data[:2] == b"\x1f\x8b":
        data = _unzipped(data, name)
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
    return data.removeprefix(b"\xef\xbb\xbf")


_INFLATION = 500  # text does not shrink more than that
_SMALL = 1 << 28


def _unzipped(data: bytes, name: str) -> bytes:
    import gzip
    import io
    import zlib

    pieces, size = [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            while piece := stream.read(1 << 24):
                pieces.append(piece)
                size += len(piece)
                if size > max(_SMALL, _INFLATION * len(data)):
                    raise InputError(f"unpacks to more than {_INFLATION} times its size: refused", file=name)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"the gzip file is damaged: {error}", file=name) from None
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


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
            hint=_HINT,
            code="encoding",
        ) from None


def checked(source: Source, data: bytes) -> bytes:
    """The bytes, if they are UTF-8; otherwise with `?` for those that are not, the first of each line reported."""
    if (place := data.find(b"\0")) >= 0:
        start = data.rfind(b"\n", 0, place) + 1
        line, column = data.count(b"\n", 0, start) + 1, len(data[start:place].decode(errors="replace")) + 1
        hint = "if it is UTF-16, recode it with `iconv -f utf-16 -t utf-8`"
        source.fail("NUL byte: this is not text", line=line, column=column, hint=hint, code="encoding")
    if _is_utf8(data):
        return data
    lines = data.split(b"\n")
    for i, text in enumerate(lines):
        try:
            text.decode()
        except UnicodeDecodeError as error:
            column = len(text[: error.start].decode()) + 1
            what = f"byte 0x{text[error.start]:02x} is not UTF-8"
            source.report("encoding", what, line=i + 1, column=column, hint=_HINT)
            marked = text.decode(errors="surrogateescape")
            lines[i] = "".join("?" if "\udc80" <= c <= "\udcff" else c for c in marked).encode()
    return b"\n".join(lines)


def _is_utf8(data: bytes) -> bool:
    """Decode in pieces of whole lines, small, so that what is decoded stays in the cache."""
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start + (1 << 16)) + 1 or len(data)
        try:
            if not (piece := data[start:stop]).isascii():
                piece.decode()
        except UnicodeDecodeError:
            return False
        start = stop
    return True
