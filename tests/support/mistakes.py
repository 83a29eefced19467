"""Mistakes put into a good file: what is refused, with which code, and where."""

from __future__ import annotations

import pytest

from coreflens.errors import InputError
from coreflens.formats import FORMATS
from coreflens.formats.shared.source import Source


def changed(text: str, *changes: tuple[str, str]) -> str:
    """The text with each of these replaced where it stands first."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def refused(format: str, text: str | bytes) -> InputError:
    """What the reader says of it."""
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(InputError) as caught:
        FORMATS[format].module.read(Source(data, "a.x"))
    assert caught.value.file == "a.x"
    return caught.value


def place(text: str, there: str) -> tuple[int, int]:
    """Line and column at which this stands in a text; of its end, if it is empty."""
    before = text[: text.index(there) if there else len(text)]
    return before.count("\n") + 1, len(before) - before.rfind("\n")
