"""Files as they are written: whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..errors import InputError


def save(pieces: Iterable[str], path: str | Path) -> None:
    """Text into a file, gzipped if its name says so, or to stdout (`-`); all of it or, if that fails, nothing."""
    import gzip
    import os
    import sys
    from shutil import copyfileobj
    from tempfile import SpooledTemporaryFile

    path = Path(path)
    partial = path.with_name(path.name + ".partial")
    try:
        if str(path) == "-":
            with SpooledTemporaryFile(1 << 24) as spool:
                spool.writelines(piece.encode() for piece in pieces)
                spool.seek(0)
                copyfileobj(spool, sys.stdout.buffer)
            return
        with gzip.open(partial, "wb") if path.suffix == ".gz" else open(partial, "wb") as out:
            out.writelines(piece.encode() for piece in pieces)
        os.replace(partial, path)
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=str(path)) from None
    except UnicodeEncodeError as error:
        bad = error.object[error.start]
        raise InputError(f"half a surrogate pair, {bad!a}, can't be written as UTF-8", file=str(path)) from None
    finally:
        partial.unlink(missing_ok=True)
