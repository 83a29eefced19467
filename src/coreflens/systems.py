"""Several sources side by side, annotators or systems, each under a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import Any

from .errors import UsageError
from .model import Corpus, file_stem


def named(sources: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    """Sources by name: a mapping as it is; paths by what tells them apart; anything else by its number.

    `NAME=PATH` gives a path its name. Files of one name are called by the directories in which they differ.
    """
    if isinstance(sources, Mapping):
        return {str(name): source for name, source in sources.items()}
    given = list(sources)
    names = [_given(source) for source in given]
    paths = [PurePath(_path(source)) for source in given]
    stems = [file_stem(path.name) for path in paths]
    if len(set(stems)) < len(stems):
        stems = _apart([(*path.parts[:-1], stem) for path, stem in zip(paths, stems, strict=True)])
    chosen = [name or stem or str(k) for k, (name, stem) in enumerate(zip(names, stems, strict=True), start=1)]
    repeated = [name for name, count in Counter(chosen).items() if count > 1]
    if repeated:
        raise UsageError(f"two sources are called '{repeated[0]}'; name them: NAME=PATH")
    return {name: _bare(source) for name, source in zip(chosen, given, strict=True)}


def _given(source: Any) -> str:
    """The name before the `=`, if there is one and no file is called like the whole."""
    text = source if isinstance(source, str) else ""
    name, equals, _ = text.partition("=")
    return name if equals and not Path(text).exists() else ""


def _bare(source: Any) -> Any:
    return source.partition("=")[2] if _given(source) else source


def _path(source: Any) -> str:
    bare = _bare(source)
    return str(bare) if isinstance(bare, (str, Path)) else bare.source if isinstance(bare, Corpus) else ""


def _apart(paths: list[tuple[str, ...]]) -> list[str]:
    """Paths without the parts that all of them begin and end with."""
    same = [len(set(parts)) == 1 for parts in zip(*paths, strict=False)]
    begin = same.index(False) if False in same else 0
    same = [len(set(parts)) == 1 for parts in zip(*(path[begin:][::-1] for path in paths), strict=False)]
    end = same.index(False) if False in same else 0
    return ["/".join(path[begin : len(path) - end]) for path in paths]
