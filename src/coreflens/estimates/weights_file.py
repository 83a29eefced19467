"""`--weights FILE`: a weight for each entity."""

from __future__ import annotations

import math
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any, Literal

from ..errors import InputError
from ..files.finding import find
from ..formats.reading import opened
from ..formats.shared.cells import load


def read_weights(given: str | PathLike[str] | Mapping[Any, float] | None) -> Any:
    """`uniform`, `size`, or weights by entity, from a mapping or a file with the columns entity and weight."""
    kinds: tuple[Literal["uniform", "size"], ...] = ("uniform", "size")
    if given is None or given in kinds:
        return given
    if isinstance(given, Mapping):
        return {str(entity): _weight(str(weight), "", None) for entity, weight in given.items()}
    source = opened(find(fspath(given)).files[0])
    wanted = ("entity", "weight")
    header, lines, cells = load(
        source,
        lambda header: {list(header).index(name) for name in wanted} if set(wanted) <= set(header) else set(),
        "the columns are entity,weight; --weights also takes uniform and size",
    )
    entities, weights = (cells[header.index(name)] for name in wanted)
    return {
        entity.strip(): _weight(weight, source.name, int(line) or None)
        for entity, weight, line in zip(entities, weights, lines.tolist(), strict=True)
    }


def _weight(text: str, file: str, line: int | None) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not 0 < weight < math.inf:
        raise InputError(f"weight must be a number above 0, not '{text[:40]}'", file=file or None, line=line)
    return weight
