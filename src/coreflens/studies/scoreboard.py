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
from ..errors import InputError, Issue, MissingFile, UsageError
from ..files.encoding import content as content_of
from ..files.notation import delimiter, json_value
from ..formats import Input
from ..metrics import METRICS, spelled
from ..scoring.scorer import Scorer
from ..scoring.settings import Settings

MetricPart: TypeAlias = tuple[str, str]  # metric, part
Row: TypeAlias = tuple[str, dict[MetricPart, float]]
Lines: TypeAlias = Sequence[tuple[int, Mapping[str, Any]]]  # of a table: number (0: unknown), and column → cell

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
    columns: Mapping[MetricPart, npt.NDArray[np.float64]]
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
            rows_of_file, odd = _read(path, name)
            rows += rows_of_file
            issues |= dict.fromkeys(odd)
        return cls.of(rows, issues)


def _read(path: str, name: str) -> tuple[list[Row], list[Issue]]:
    file, _, keys = (path, "", "") if Path(path).exists() else path.rpartition(":")
    if not Path(file or path).is_file():
        return _of_package(path, name), []
    content = content_of(file)
    if content.lstrip()[:1] in ("{", "["):
        value = _below(json_value(content, file), keys, file)
        return _from_json(value, file, name.partition(":")[0].removesuffix(".json"))
    lines = _table_lines(content, file)
    header, first = _header([cells for _, cells in lines])
    return _from_rows([(line, dict(zip(header, cells, strict=False))) for line, cells in lines[first:]], file, name)


def _of_package(path: str, name: str) -> list[Row]:
    """The rows of a printed table, such as conll-2012/english."""
    table = printed(path)
    if table is None:
        raise MissingFile(path, f"no such file{guess(path)}")
    rows, _ = _from_rows([(0, row) for row in table.rows], path, name)
    return [(f"{system}, {path}", scores) for system, scores in rows]


def _below(value: Any, keys: str, file: str) -> Any:
    """What is below these keys, `a.b`, in a JSON value."""
    try:
        for key in filter(None, keys.split(".")):
            value = value[int(key) if isinstance(value, list) else key]
    except (KeyError, IndexError, ValueError, TypeError):
        raise InputError(f"there is no '{keys}' in it", file=file) from None
    return value


def _table_lines(content: str, file: str) -> list[tuple[int, list[str]]]:
    """The cells of a CSV or TSV, with the numbers of their lines."""
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter(content))
    try:
        return [(reader.line_num, cells) for cells in reader if cells]
    except csv.Error as error:
        raise InputError(f"not a table: {error}", file=file, line=reader.line_num) from None


def _header(rows: Sequence[Sequence[str]]) -> tuple[list[str], int]:
    """The names of the columns, and how many rows the header has.

    pandas writes a row for each level of its columns (MUC MUC B3, then R P R) and one for the name of its index.
    Spreadsheets leave cells blank if the name to the left extends over them.
    """
    size = next((number for number, row in enumerate(rows) if _has_score(row)), 1)
    levels = [[cell.strip() for cell in row] for row in rows[:size]]
    index = "system"
    if len(levels) > 1 and levels[-1][:1] != [""] and not any(levels[-1][1:]):
        index = levels.pop()[0]
    names = _joined_levels(levels)
    if len(levels) < 2 or not any(_column(name) for name in names[1:]):
        return list(rows[0]) if rows else [], 1
    return [index, *names[1:]], size


def _has_score(row: Sequence[str]) -> bool:
    """Whether a row has a score, so it is not a part of the header."""
    return any(cell.strip() and _is_score(cell) for cell in row[1:])


def _joined_levels(levels: list[list[str]]) -> list[str]:
    """One name for each column. A blank cell of an upper level has the name to its left."""
    width = max(map(len, levels), default=0)
    for level in levels:
        level += [""] * (width - len(level))
    for upper in levels[:-1]:
        for place in range(2, width):
            upper[place] = upper[place] or upper[place - 1]
    return [" ".join(filter(None, cells)) for cells in zip(*levels, strict=True)]


def _from_json(value: object, file: str, name: str) -> tuple[list[Row], list[Issue]]:
    if isinstance(value, Mapping) and "scores" in value:  # one result
        return [(name or "1", _numbers(value["scores"]))], []
    if isinstance(value, Mapping) and value and all(isinstance(scores, Mapping) for scores in value.values()):
        return [(str(system), _numbers(scores.get("scores", scores))) for system, scores in value.items()], []
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes, Mapping)):
        raise _no_table(file)
    rows = list(value)
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise _no_table(file)
    return _from_rows([(0, row) for row in rows], file, name)


def _no_table(file: str) -> InputError:
    hint = "give rows, or system → metric → score; see --help"
    return InputError("not a table of results", file=file or None, hint=hint)


def _numbers(scores: object) -> dict[MetricPart, float]:
    """metric → number, or metric → {recall, precision, f1 or value}; other entries are ignored."""
    if not isinstance(scores, Mapping):
        raise InputError(f"no scores: {scores!r:.40}", hint="metric → number, or metric → {recall, precision, f1}")
    numbers: dict[MetricPart, float] = {}
    for name, score in scores.items():
        column = _column(str(name))
        if column is None:
            continue
        parts = score if isinstance(score, Mapping) else {column[1]: score}
        undefined = parts.get("undefined", ())
        known = {p: None if p in undefined else x for p, x in parts.items() if p in _PARTS}
        numbers |= {(column[0], _PARTS[p]): _number(x, "", 0) for p, x in known.items()}
    return numbers


def _from_rows(lines: Lines, file: str, name: str) -> tuple[list[Row], list[Issue]]:
    header = list(dict.fromkeys(str(column) for _, row in lines for column in row if column is not None))
    if "metric" in map(str.lower, header):
        lower = [(line, {str(title).lower(): cell for title, cell in row.items()}) for line, row in lines]
        return _long(lower, file, name), []
    metric_columns = _metric_columns(header, file)
    others = [title for title in header if title not in metric_columns]
    words = [title for title in others if _is_of_words(title, lines)]
    rows = _wide(lines, _naming_columns(words, lines), metric_columns, file)
    ignored = [title for title in others if title not in words]
    message = f"columns that are not metrics are ignored: {', '.join(ignored)}"
    return rows, [Issue("columns", message, len(ignored))] if ignored else []


def _wide(lines: Lines, naming: Sequence[str], metric_columns: Mapping[str, MetricPart], file: str) -> list[Row]:
    """One row per system, with a column for each metric and part."""
    rows: list[Row] = []
    for number, (line, row) in enumerate(lines, start=1):
        label = ", ".join(str(row.get(title, "")) for title in naming) or str(number)
        scores = {column: _number(row.get(title), file, line) for title, column in metric_columns.items()}
        rows.append((label, scores))
    return rows


def _metric_columns(header: Sequence[str], file: str) -> dict[str, MetricPart]:
    """The columns with scores: title → metric and part."""
    columns = {title: column for title in header if (column := _column(title)) is not None}
    if not columns:
        hint = "columns have names such as muc, MUC R, bcub.precision; `coreflens list metrics` lists the metrics"
        raise InputError("no column is a metric", file=file or None, line=1 if file else None, hint=hint)
    return columns


def _is_of_words(title: str, lines: Lines) -> bool:
    """Whether a column says what a row is about: it is named like one, or has something that is not a number."""
    return _names_systems(title) or not all(_is_number(row.get(title)) for _, row in lines)


def _names_systems(title: str) -> bool:
    return title.strip().lower() in _SYSTEM


def _naming_columns(words: list[str], lines: Lines) -> list[str]:
    """The columns that name the rows: that of the system; or all columns of words, such as track and system."""
    naming = next(([title] for title in words if _names_systems(title)), words[:1])
    labels = {tuple(row.get(title) for title in naming) for _, row in lines}
    return words if len(labels) < len(lines) else naming


def _long(lines: Lines, file: str, name: str) -> list[Row]:
    """One row per system and metric; `all` is not a group but the sum of the groups.

    With several systems, groups are ignored. In the output of `compare`, each combination of system, track, language,
    condition and matching is a system of its own.
    """
    lines, by = _systems_or_groups(lines)
    where = [title for title in ("track", "language", "condition", "match") if len(_values(lines, title)) > 1]
    systems: dict[str, dict[MetricPart, float]] = {}
    for line, row in lines:
        label = ", ".join(str(row[title]) for title in (by, *where) if row.get(title)) or name
        systems.setdefault(label, {}).update(_scores_of_row(row, file, line))
    if "all" in systems and by == "group":
        whole = systems.pop("all")
        systems = systems or {name: whole}
    return list(systems.items())


def _systems_or_groups(lines: Lines) -> tuple[Lines, str]:
    """The rows to take, and the column of what is compared: systems, or groups of one system."""
    by = next((title for title in _SYSTEM if title in lines[0][1]), "")
    if by == "group":
        return lines, by
    if len(_values(lines, by)) > 1 and "all" in _values(lines, "group"):
        return [(line, row) for line, row in lines if row["group"] == "all"], by
    return lines, "group" if "group" in lines[0][1] else by


def _values(lines: Lines, title: str) -> set[object]:
    """The different values of a column."""
    return {row.get(title) for _, row in lines}


def _scores_of_row(row: Mapping[str, object], file: str, line: int) -> dict[MetricPart, float]:
    """The scores of one metric. Cells that are blank or undefined are left out."""
    column = _column(str(row["metric"]))
    if column is None:
        raise InputError(f"unknown metric '{row['metric']}'", file=file or None, line=line or None)
    undefined = str(row.get("undefined") or "").split()
    scores = {}
    for title, value in row.items():
        if title in _PARTS and title not in undefined and value not in ("", None):
            scores[column[0], _PARTS[title]] = _number(value, file, line)
    return scores


def _column(name: str) -> MetricPart | None:
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
