"""Reading and writing corpora. Formats are recognised by content, never by name. registry.py lists them."""

from __future__ import annotations

from .inputs import Frame, Input
from .reading import Unlabelled, read
from .registry import FORMATS, UNREAD, Format, FormatName, choose_format, format_of, recognise, writer
from .shared.concatenation import concatenate

__all__ = [
    "FORMATS",
    "UNREAD",
    "Format",
    "FormatName",
    "Frame",
    "Input",
    "Unlabelled",
    "choose_format",
    "concatenate",
    "conll",
    "conllua",
    "crac_text",
    "format_of",
    "frames",
    "inline",
    "inputs",
    "links",
    "ontonotes",
    "parquet",
    "read",
    "reading",
    "recognise",
    "registry",
    "shapes",
    "shared",
    "table",
    "writer",
]
