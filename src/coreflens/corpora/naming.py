"""Names for several sources, such as annotators or systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path, PurePath
from typing import Any, TypeVar

from ..corpus.model import Corpus, file_stem
from ..errors import InputError, UsageError

_Name = TypeVar("_Name", str, tuple[str, ...])


def named(sources: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    """Sources by name: a mapping as it is, paths by distinct short names, anything else by its number.

    `NAME=PATH` gives a path its name. Two sources with the same name are refused.
    """
    if isinstance(sources, Mapping):
        return {str(name): source for name, source in sources.items()}
    given = [_split(source) for source in sources]
    found = iter(told_apart([_path(source) for name, source in given if not name]))
    chosen = [name or next(found) or str(k) for k, (name, _) in enumerate(given, start=1)]
    if repeated := _repeated(chosen):
        raise UsageError(f"two of them have the name '{min(repeated)}'; name them with NAME=PATH")
    return {name: source for name, (_, source) in zip(chosen, given, strict=True)}


def numbered(sources: Iterable[Any], default: str) -> list[str]:
    """A name for each source: a distinct short name, else `default`; with a number if several have the same."""
    names = [name or default for name in told_apart([_path(source) for source in sources])]
    repeated = _repeated(names)
    return [f"{name} {k}" if name in repeated else name for k, name in enumerate(names, start=1)]


def spread(arguments: Iterable[str]) -> list[str]:
    """The arguments, with each directory replaced by its files and subdirectories, one per system; NAME=PATH stays."""
    found: list[str] = []
    for argument in arguments:
        if is_named(argument) or not Path(argument).is_dir():
            found.append(argument)
            continue
        inside = sorted(str(p) for p in Path(argument).iterdir() if not p.name.startswith("."))
        if not inside:
            raise InputError("there is no system in this directory", file=argument)
        found += inside
    return found


def is_named(source: Any) -> bool:
    """Whether this is NAME=PATH, and not the name of a file."""
    return isinstance(source, str) and "=" in source and not Path(source).exists()


def _split(source: Any) -> tuple[str, Any]:
    if not is_named(source):
        return "", source
    name, _, path = source.partition("=")
    if not name.strip() or not path:
        raise UsageError(f"'{source}' is not NAME=PATH")
    return name.strip(), path


def _path(source: Any) -> str:
    return (
        fspath(source) if isinstance(source, (str, PathLike)) else source.source if isinstance(source, Corpus) else ""
    )


def _repeated(names: Iterable[_Name]) -> set[_Name]:
    return {name for name, count in Counter(names).items() if count > 1}


def told_apart(paths: Sequence[str]) -> list[str]:
    """Short distinct names for paths; equal paths get the same name, and an empty path gets none.

    A file is named after its stem, and a directory after its name. If these are the same, the names come from the
    directories in which the paths differ (`lee/out.conll clark/out.conll` → `lee clark`). A directory does not stand
    for one of several files in it (`m1/dev m1/test m2/dev` stay as they are). Files that differ only in their suffixes
    keep these.
    """
    whole = [_parts(PurePath(path)) for path in paths]
    files = {(tuple(parts), PurePath(path).name) for parts, path in zip(whole, paths, strict=True)}
    beside = _repeated(parts for parts, _ in files)
    for parts, path in zip(whole, paths, strict=True):
        if tuple(parts) in beside:
            parts[-1] = PurePath(path).name
    for shortest in (True, False):
        names = [parts[-1] if parts else "" for parts in whole]
        for group in _groups(whole):
            for place, rest in zip(group, _differing([whole[place] for place in group], shortest), strict=True):
                names[place] = "/".join(rest)
        if len(set(names)) == len(set(map(tuple, whole))):
            break
    return names


def _parts(path: PurePath) -> list[str]:
    """The directories of a path, without the root, and the stem of its file or the name of its directory."""
    if not path.name:
        return []
    above = path.parts[1 if path.anchor else 0 : -1]
    return [*above, path.name if Path(path).is_dir() else file_stem(path.name)]


def _groups(whole: Sequence[Sequence[str]]) -> list[list[int]]:
    """The paths that end the same way, together with those in the directories in which these differ."""
    groups: list[list[int]] = []
    grouped: set[int] = set()
    ends = [parts[-1] for parts in whole if parts]
    repeated = _repeated(ends)
    for end in dict.fromkeys(ends):
        if end not in repeated:
            continue
        group = _grown(whole, {place for place, parts in enumerate(whole) if parts and parts[-1] == end}, grouped)
        if group:
            groups.append(sorted(group))
            grouped |= group
    return groups


def _grown(whole: Sequence[Sequence[str]], first: set[int], grouped: set[int]) -> set[int]:
    """A group with its neighbours, their neighbours and so on, until no more join or all are in earlier groups."""
    group, more = set[int](), first
    while more > group and not more <= grouped:
        group = more
        more = group | _neighbours(whole, group)
    return group


def _neighbours(whole: Sequence[Sequence[str]], group: set[int]) -> set[int]:
    """The paths that end as one of a group does, or that are in the directories in which the group differs."""
    depth = _common([whole[place] for place in group]) + 1
    tops = {tuple(whole[place][:depth]) for place in group if len(whole[place]) > depth}
    ends = {whole[place][-1] for place in group}
    neighbours = set()
    for place, parts in enumerate(whole):
        within = len(parts) > depth and tuple(parts[:depth]) in tops
        if parts and (parts[-1] in ends or within):
            neighbours.add(place)
    return neighbours


def _common(paths: Sequence[Sequence[str]]) -> int:
    """How many directories all paths begin with."""
    depth = 0
    while all(len(parts) > depth + 1 for parts in paths) and len({parts[depth] for parts in paths}) == 1:
        depth += 1
    return depth


def _differing(paths: Sequence[Sequence[str]], shortest: bool) -> list[Sequence[str]]:
    """The paths without the first directories that all share and, for the shortest names, without shared ends."""
    first = _common(paths)
    rest = [parts[first:] for parts in paths]
    last = _common([parts[::-1] for parts in rest]) if shortest else 0
    return [parts[: len(parts) - last] for parts in rest]
