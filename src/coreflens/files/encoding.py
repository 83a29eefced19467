"""From the bytes of a file to plain UTF-8."""

from __future__ import annotations

from ..errors import InputError, UsageError

HINT = "recode it (iconv -f latin1 -t utf-8), or name the encoding: --encoding latin-1"


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
            hint=HINT,
            code="encoding",
        ) from None
