"""`coreflens` as tests call it, and what they feed it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


Run: TypeAlias = Callable[..., Ran]


def conll(*cells: str, name: str = "nw/a", part: int = 0) -> str:
    """A CoNLL document with one token per cell."""
    tokens = "".join(f"{name}\t{part}\t{i}\tw{i % 3}\t{cell}\n" for i, cell in enumerate(cells))
    return f"#begin document ({name}); part {part:03}\n{tokens}\n#end document\n"
