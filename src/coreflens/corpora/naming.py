"""Several sources side by side, annotators or systems, each under a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from ..corpus.model import Corpus, file_stem
from ..errors import UsageError


def named(sources: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    """Sources by name: a mapping as it is; paths by what tells them apart; anything else by its number.

    `NAME=PATH` gives a path its name. Files of one name are called by the directories in which they differ.
    """
    if isinstance(sources, Mapping):
        return {str(name): source for name, source in sources.items()}
    given = [_split(source) for source in sources]
    stems = iter(_stems([PurePath(_path(source)) for name, source in given if not name]))
    chosen = [name or next(stems) or str(k) for k, (name, _) in enumerate(given, start=1)]
    repeated = [name for name, count in Counter(chosen).items() if count > 1]
    if repeated:
        raise UsageError(f"two are called '{repeated[0]}'; name them: NAME=PATH")
    return {name: source for name, (_, source) in zip(chosen, given, strict=True)}


def is_named(source: Any) -> bool:
    """Whether this is NAME=PATH, and no file is called like the whole."""
    return isinstance(source, str) and "=" in source and not Path(source).exists()


def _split(source: Any) -> tuple[str, Any]:
    if not is_named(source):
        return "", source
    name, _, path = source.partition("=")
    if not name.strip() or not path:
        raise UsageError(f"'{source}' is not NAME=PATH")
    return name.strip(), path


def _path(source: Any) -> str:
    return str(source) if isinstance(source, (str, Path)) else source.source if isinstance(source, Corpus) else ""


def _stems(paths: Sequence[PurePath]) -> list[str]:
    """Stems of files and names of directories; where these repeat, the parts in which the paths differ."""
    stems = [path.name if Path(path).is_dir() else file_stem(path.name) for path in paths]
    for stem in {stem for stem in stems if stem and stems.count(stem) > 1}:
        alike = [place for place, other in enumerate(stems) if other == stem]
        parts = [[*paths[place].parts[:-1], stem] for place in alike]
        for end in (0, -1):
            while all(len(p) > 1 for p in parts) and len({p[end] for p in parts}) == 1:
                for p in parts:
                    p.pop(end)
        for place, p in zip(alike, parts, strict=True):
            stems[place] = "/".join(p)
    return stems
