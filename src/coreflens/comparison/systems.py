"""The systems of a comparison: named files, a directory of them, or a manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from ..corpora.naming import is_named, named, spread
from ..errors import InputError, UsageError, choose, did_you_mean
from ..files.encoding import content
from ..formats import Input
from ..scoring.result import Result

Output: TypeAlias = Input | Result | Sequence[str | PathLike[str]]
"""The output of a system: anything that `score` takes as a response, saved counts, a Result, or a list of files."""


Key: TypeAlias = Input | Sequence[str | PathLike[str]]
"""The key of a system: anything that `score` takes as a key, or a list of files."""


@dataclass(frozen=True, slots=True)
class System:
    """A system's output, and where it belongs. `source` is anything that `score` takes as a response, a file of saved
    counts, a Result, or a list of files. `key` is only for systems that have their own. `tagger` says where its
    mentions come from. `about` describes it further, as (column, value)."""

    name: str
    source: Output | None
    key: Input | Sequence[str | PathLike[str]] | None = None
    track: str = ""
    language: str = ""
    condition: str = ""
    dataset: str = ""
    notes: str = ""
    tagger: str = ""
    about: tuple[tuple[str, str], ...] = ()

    @property
    def section(self) -> tuple[str, str, str]:
        """Track, language and condition: systems are compared within these."""
        return self.track, self.language, self.condition


def with_tagger(system: System) -> System:
    """The name, followed by the tagger if there is one: a system may have several taggers."""
    return replace(system, name=f"{system.name} ({system.tagger})") if system.tagger else system


Systems: TypeAlias = Mapping[str, Output] | Iterable[System] | str | PathLike[str]
"""Systems to compare: outputs by name, a list of `System`, or the path of a manifest (`.toml`)."""


def from_arguments(arguments: Sequence[str], *, whole: bool = False) -> list[System]:
    """Systems as the command line names them: a file, NAME=PATH, a directory of systems, or a manifest.

    `whole`: a directory is one system, with a file or subdirectory for each dataset.
    """
    systems: list[System] = []
    single: list[str] = []
    for argument in arguments:
        if argument.endswith(".toml") and not is_named(argument):
            systems += read_manifest(argument)
        else:
            single += [argument] if whole else spread([argument])
    listed = systems + [System(name, source) for name, source in named(single).items()]
    check_names(listed)
    return listed


def check_names(systems: Sequence[System]) -> None:
    seen: set[tuple[Any, ...]] = set()
    for system in systems:
        if (system.name, system.section, system.dataset) in seen:
            where = f" in dataset '{system.dataset}'" if system.dataset else ""
            raise UsageError(f"two systems are named '{system.name}'{where}; NAME=PATH names one")
        seen.add((system.name, system.section, system.dataset))


_TOP = ("key", "keys", "system")
_WORDS = tuple(f.name for f in fields(System) if f.name not in ("name", "source", "key", "about"))


def read_manifest(path: str | Path) -> list[System]:
    """Systems of a TOML manifest; paths in it are relative to it.

    key = "gold.conll"                          the key of systems that name no other
    keys.english = "en.conll"                   by dataset, language, condition, or keys."english/gold"
    [[system]]
    name = "base"
    files = "base.conll"                        or a list of files, or saved counts
    track = "closed"                            track, language, condition, dataset, notes and key are optional
    tagger = "SM1"                              where its mentions come from; a table shows systems × taggers
    learning = "decision trees"                 any other word is a column of the table of approaches
    """
    manifest = Path(path)
    plain = _toml(path)
    for word in plain:
        _known(word, _TOP, manifest)
    keys = plain.get("keys", {})
    rows = plain.get("system", [])
    if not isinstance(keys, dict) or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError("`keys` and each `[[system]]` must be tables", file=str(path))
    if not rows:
        raise InputError("no [[system]] in this manifest", file=str(path))
    if "key" in plain:
        _check_files("key", plain["key"], path)
    for name, value in keys.items():
        _check_files(f"keys.{name}", value, path)
    systems = [_system(number, row, keys, plain.get("key"), path) for number, row in enumerate(rows, start=1)]
    check_names(systems)
    return systems


def _toml(path: str | Path) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(content(path).replace("\r\n", "\n"))
    except RecursionError:
        raise InputError("not TOML: nested too deeply", file=str(path)) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not TOML: {error}", file=str(path)) from None


def _system(number: int, row: Mapping[str, Any], keys: Mapping[str, Any], otherwise: Any, path: str | Path) -> System:
    """One `[[system]]`; `otherwise` is the key of systems that name no other."""
    manifest = Path(path)
    own_words = [word for word in row if word not in ("name", "files", "key", *_WORDS)]
    for word in own_words:
        _own(word, row[word], manifest)
    for word in ("name", "files"):
        if not row.get(word):
            raise InputError(f"system {number} has no `{word}`", file=str(path))
    for word in ("name", *_WORDS):
        if word in row and not isinstance(row[word], str):
            raise InputError(f"`{word}` of system {number} must be a text in quotes", file=str(path))
    for word in ("files", "key"):
        if word in row:
            _check_files(word, row[word], path, f" of system {number}")
    words = {word: row.get(word, "") for word in _WORDS}
    key = row.get("key", _key(keys, words, otherwise))
    about = tuple((word, _said(row[word])) for word in own_words)
    files, key = _below(manifest, row["files"]), _below(manifest, key)
    return with_tagger(System(row["name"], files, key, **words, about=about))


def _check_files(word: str, value: Any, path: str | Path, where: str = "") -> None:
    """Check that a value is a path, or a list of paths with at least one."""
    listed = value if isinstance(value, list) else [value]
    if not listed or not all(isinstance(file, str) and file for file in listed):
        raise InputError(f"`{word}`{where} must be a path in quotes, or a list of paths", file=str(path))


def _key(keys: Mapping[str, object], words: Mapping[str, str], otherwise: object) -> object:
    language, condition = words["language"], words["condition"]
    for name in (words["dataset"], f"{language}/{condition}", language, condition):
        if name in keys:
            return keys[name]
    return otherwise


def _below(manifest: Path, files: object) -> str | list[str] | None:
    if files is None:
        return None
    if isinstance(files, list):
        return [str(manifest.parent / str(file)) for file in files]
    return str(manifest.parent / str(files))


def _own(word: str, value: object, file: Path) -> None:
    """A word that the user chose becomes a column; one that looks like a misspelt word of the manifest is an error."""
    if meant := did_you_mean(word, ("name", "files", "key", *_WORDS)):
        hint = "a word of your own becomes a column in the table of approaches; choose another word"
        raise InputError(f"unknown word in a manifest '{word}'{meant}", file=str(file), hint=hint)
    if _is_beyond_text(value):
        raise InputError(
            f"`{word}` is a table, an empty list or no number: only texts, numbers and lists describe a system",
            file=str(file),
        )


def _is_beyond_text(value: Any) -> bool:
    if isinstance(value, list):
        return not value or any(isinstance(part, list) or _is_beyond_text(part) for part in value)
    return isinstance(value, dict) or (isinstance(value, float) and not isfinite(value))


def _said(value: object) -> str:
    """A value of a manifest as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(_said, value)) if isinstance(value, list) else str(value)


def _known(word: str, known: Sequence[str], file: Path) -> None:
    try:
        choose(word, known, "word in a manifest")
    except UsageError as error:
        raise InputError(str(error), file=str(file)) from None
