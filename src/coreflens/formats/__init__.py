"""Reading and writing corpora: formats are recognised by content, never by name. registry.py has what there is."""

from __future__ import annotations

from .reading import read
from .registry import FORMATS, UNREAD, Format, format_of, recognise, writer
from .shared.concatenation import concatenate

__all__ = [
    "FORMATS",
    "UNREAD",
    "Format",
    "concatenate",
    "conll",
    "format_of",
    "read",
    "recognise",
    "shared",
    "writer",
]
