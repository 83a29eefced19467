"""Systems and their scores side by side, from runs or from tables of results.

A table is CSV, TSV or JSON, either wide (one row per system, one column per metric: `muc`, `MUC R`, `bcub.precision`)
or long, as `coreflens score --format csv` prints it (one row per metric: system or group, metric, recall, precision,
f1). JSON is a list of such rows, what `coreflens score --format json` prints, or an object system → metric → score.
`FILE.json:a.b` takes the rows below these keys. The header of a wide table may have several rows, with metrics above
R, P and F1. Names such as `conll-2012/english` are tables of the package (`coreflens list tables`).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from pathlib import Path
from typing import Any, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt

from ..comparison.library import guess, printed
from ..corpora.naming import named
from ..errors import InputError, Issue, UsageError
from ..files.encoding import content as content_of
from ..files.notation import delimiter, json_value
from ..formats import Input
from ..metrics import METRICS, spelled
from ..scoring.scorer import Scorer
from ..scoring.settings import Settings

Column: TypeAlias = tuple[str, str]  # metric, part
Row: TypeAlias = tuple[str, dict[Column, float]]

Tables: TypeAlias = str | Path | Iterable[str | Path] | Iterable[Mapping[str, Any]] | Mapping[str, Any]
"""Tables of results: paths, rows, or an object system → metric → score."""

PARTS = ("recall", "precision", "f1")
_PARTS = {"r": "recall", "rec": "recall", "recall": "recall", "p": "precision", "pr": "precision", "prec": "precision",
          "precision": "precision", "f": "f1", "f1": "f1", "value": "f1"}  # fmt: skip
_COLUMN = re.compile(rf"(?i)(.+?)[\s._/-]*[\s._/(-]({'|'.join(_PARTS)})\)?$")
_NONE = ("n/a", "-", "nan")  # no score
_SYSTEM = ("system", "participant", "name", "team", "model", "group")


@dataclass(frozen=True, eq=False)
class Scoreboard:
    """The scores of systems, nan if one is missing or 0/0; `f1` also has the `value` of metrics without F1."""

    systems: Sequence[str]
    columns: Mapping[Column, npt.NDArray[np.float64]]
    issues: tuple[Issue, ...] = ()
    signature: str = ""  # of systems that were scored here

    @property
    def metrics(self) -> list[str]:
        found = {metric for metric, _ in self.columns}
        return [metric for metric in METRICS if metric in found]

    @classmethod
    def of(cls, rows: Sequence[Row], issues: Iterable[Issue] = (), signature: str = "") -> Scoreboard:
        keys = dict.fromkeys(column for _, scores in rows for column in scores)
        columns = {c: np.array([scores.get(c, nan) for _, scores in rows], dtype=np.float64) for c in keys}
        return cls([name for name, _ in rows], columns, tuple(issues), signature)

    @classmethod
    def run(
        cls, key: Input, systems: Mapping[str, Input] | Iterable[Input], **settings: Unpack[Settings]
    ) -> Scoreboard:
        """Score every system against the key."""
        scorer = Scorer(key, **settings)
        rows, issues, signature = [], list(scorer.key.issues), ""
        for name, source in named(systems).items():
            result = scorer(source)
            rows.append((name, _numbers(result.to_dict()["scores"])))
            issues += [replace(i, message=f"{name}: {i.message}") for i in result.issues if i not in scorer.key.issues]
            signature = str(result.signature)
        return cls.of(rows, dict.fromkeys(issues), signature)

    @classmethod
    def read(cls, tables: Tables) -> Scoreboard:
        """One or several tables, joined: paths, rows, or an object system → metric → score."""
        paths = [tables] if isinstance(tables, (str, Path)) else tables
        if isinstance(paths, Mapping) or not all(isinstance(path, (str, Path)) for path in paths):
            return cls.of(*_from_json(tables, "", ""))
        rows: list[Row] = []
        issues: dict[Issue, None] = {}
        for name, path in named([str(path) for path in paths]).items():
            found, odd = _read(path, name)
            rows += found
            issues |= dict.fromkeys(odd)
        return cls.of(rows, issues)


def _read(path: str, name: str) -> tuple[list[Row], list[Issue]]:
    file, _, keys = (path, "", "") if Path(path).exists() else path.rpartition(":")
    if not Path(file or path).is_file():
        if (table := printed(path)) is not None:
            rows, _ = _from_rows([(0, row) for row in table.rows], path, name)
            return [(f"{system}, {path}", scores) for system, scores in rows], []
        raise InputError(f"no such file{guess(path)}", file=path)
    content = content_of(file)
    if content.lstrip()[:1] in ("{", "["):
        found = json_value(content, file)
        try:
            for key in filter(None, keys.split(".")):
                found = found[int(key) if isinstance(found, list) else key]
        except (KeyError, IndexError, ValueError, TypeError):
            raise InputError(f"there is no '{keys}' in it", file=file) from None
        return _from_json(found, file, name.partition(":")[0].removesuffix(".json"))
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter(content))
    try:
        lines = [(reader.line_num, cells) for cells in reader if cells]
    except csv.Error as error:
        raise InputError(f"not a table: {error}", file=file, line=reader.line_num) from None
    header, first = _header([cells for _, cells in lines])
    return _from_rows([(line, dict(zip(header, cells, strict=False))) for line, cells in lines[first:]], file, name)


def _header(rows: Sequence[Sequence[str]]) -> tuple[list[str], int]:
    """The names of the columns, and how many rows the header has.

    pandas writes a row for each level of its columns (MUC MUC B3, then R P R) and one for the name of its index.
    Spreadsheets leave cells blank if the name to the left extends over them.
    """
    plain = next((n for n, row in enumerate(rows) if any(cell.strip() and _is_score(cell) for cell in row[1:])), 1)
    levels = [[cell.strip() for cell in row] for row in rows[:plain]]
    index = "system"
    if len(levels) > 1 and levels[-1][:1] != [""] and not any(levels[-1][1:]):
        index = levels.pop()[0]
    width = max(map(len, levels), default=0)
    for upper in levels[:-1]:
        upper += [""] * (width - len(upper))
        for place in range(2, width):
            upper[place] = upper[place] or upper[place - 1]
    names = [
        " ".join(filter(None, (row[place] if place < len(row) else "" for row in levels))) for place in range(width)
    ]
    if len(levels) < 2 or not any(_column(name) for name in names[1:]):
        return list(rows[0]) if rows else [], 1
    return [name if place else index for place, name in enumerate(names)], plain


def _from_json(found: Any, file: str, name: str) -> tuple[list[Row], list[Issue]]:
    if isinstance(found, Mapping) and "scores" in found:  # one result
        return [(name or "1", _numbers(found["scores"]))], []
    if isinstance(found, Mapping) and found and all(isinstance(value, Mapping) for value in found.values()):
        return [(str(system), _numbers(value.get("scores", value))) for system, value in found.items()], []
    rows = list(found) if isinstance(found, Iterable) and not isinstance(found, (str, bytes, Mapping)) else []
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise InputError(
            "not a table of results", file=file or None, hint="give rows, or system → metric → score; see --help"
        )
    return _from_rows([(0, row) for row in rows], file, name)


def _numbers(scores: Any) -> dict[Column, float]:
    """metric → number, or metric → {recall, precision, f1 or value}; other entries are ignored."""
    if not isinstance(scores, Mapping):
        raise InputError(f"no scores: {scores!r:.40}", hint="metric → number, or metric → {recall, precision, f1}")
    found: dict[Column, float] = {}
    for name, score in scores.items():
        column = _column(str(name))
        if column is None:
            continue
        parts = score if isinstance(score, Mapping) else {column[1]: score}
        undefined = parts.get("undefined", ())
        known = {p: None if p in undefined else x for p, x in parts.items() if p in _PARTS}
        found |= {(column[0], _PARTS[p]): _number(x, "", 0) for p, x in known.items()}
    return found


def _from_rows(lines: Sequence[tuple[int, Mapping[str, Any]]], file: str, name: str) -> tuple[list[Row], list[Issue]]:
    header = list(dict.fromkeys(str(column) for _, row in lines for column in row if column is not None))
    if "metric" in map(str.lower, header):
        return _long([(line, {str(c).lower(): x for c, x in row.items()}) for line, row in lines], file, name), []
    columns = {c: found for c in header if (found := _column(c)) is not None}
    if not columns:
        hint = "columns have names such as muc, MUC R, bcub.precision; `coreflens list metrics` lists the metrics"
        raise InputError("no column is a metric", file=file or None, line=1 if file else None, hint=hint)
    others = [c for c in header if c not in columns]
    words = [c for c in others if c.strip().lower() in _SYSTEM or not all(_is_number(row.get(c)) for _, row in lines)]
    ignored = [c for c in header if c not in columns and c not in words]
    naming = next(([c] for c in words if c.strip().lower() in _SYSTEM), words[:1])
    if len({tuple(row.get(c) for c in naming) for _, row in lines}) < len(lines):
        naming = words  # such as track and system
    rows: list[Row] = []
    for k, (line, row) in enumerate(lines, start=1):
        label = ", ".join(str(row.get(c, "")) for c in naming) or str(k)
        rows.append((label, {place: _number(row.get(c), file, line) for c, place in columns.items()}))
    message = f"columns that are not metrics are ignored: {', '.join(ignored)}"
    return rows, [Issue("columns", message, len(ignored))] if ignored else []


def _long(lines: Sequence[tuple[int, Mapping[str, Any]]], file: str, name: str) -> list[Row]:
    """One row per system and metric; `all` is not a group but the sum of the groups.

    With several systems, groups are ignored. In the output of `compare`, each combination of system, track, language,
    condition and matching is a system of its own.
    """
    by = next((c for c in _SYSTEM if c in lines[0][1]), "")
    if by != "group" and len({row.get(by) for _, row in lines}) > 1 and "all" in {row.get("group") for _, row in lines}:
        lines = [(line, row) for line, row in lines if row["group"] == "all"]
    elif by != "group" and "group" in lines[0][1]:
        by = "group"
    where = [c for c in ("track", "language", "condition", "match") if len({row.get(c) for _, row in lines}) > 1]
    systems: dict[str, dict[Column, float]] = {}
    for line, row in lines:
        label = ", ".join(str(row[c]) for c in (by, *where) if row.get(c)) or name
        column = _column(str(row["metric"]))
        if column is None:
            raise InputError(f"unknown metric '{row['metric']}'", file=file or None, line=line or None)
        scores = systems.setdefault(label, {})
        undefined = str(row.get("undefined") or "").split()
        for part, value in row.items():
            if part in _PARTS and part not in undefined and value not in ("", None):
                scores[column[0], _PARTS[part]] = _number(value, file, line)
    if "all" in systems and by == "group":
        whole = systems.pop("all")
        systems = systems or {name: whole}
    return list(systems.items())


def _column(name: str) -> Column | None:
    """The metric and part of a column's name: `MUC` and `muc.f1` are F1, `B3 P` is precision."""
    split = _COLUMN.match(name.strip())
    for metric, part in ((name, "f1"), (split[1], _PARTS[split[2].lower()]) if split else ("", "")):
        try:
            return spelled(metric, METRICS), part
        except UsageError:
            continue
    return None


def _is_score(cell: str) -> bool:
    """Whether a cell of a table holds a number, or says that there is none."""
    return cell.strip().lower() in _NONE or _is_number(cell)


def _is_number(value: Any) -> bool:
    try:
        float(value or "nan")
    except (TypeError, ValueError):
        return False
    return True


def _number(value: Any, file: str, line: int) -> float:
    if value is None or value == "" or str(value).strip().lower() in _NONE:
        return nan
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"'{value!s:.40}' is not a number", file=file or None, line=line or None) from None
