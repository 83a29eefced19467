"""Published numbers in the tables of `compare`: rows that were printed, not computed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from ..errors import InputError, UsageError
from ..files.encoding import content as content_of
from ..files.notation import delimiter, json_value
from ..metrics import METRICS, Average, spelled
from ..protocols import Options
from ..scoring.scores import Score, Scores
from .ranks import official_of
from .sections import Comparison, Section
from .systems import System

_WORDS = ("system", "track", "language", "condition", "notes")
_ALSO = {"md": "mentions", "avg": "conll"}
MISFIT = "‡"


def published(rows: Iterable[Mapping[str, Any]]) -> Comparison:
    """A comparison of printed numbers, in points: `{"system": "lee", "track": "...", "MUC": 59.6, "AVG": 51.5}`.

    A metric has its F1, or [R, P, F1], or a column for each: `muc.recall`, `muc.precision`, `muc.f1`. Rows stay in the
    order given. An average that can't come from the printed F1s, however these were rounded, is marked.
    """
    sections: dict[tuple[str, str, str], dict[System, Scores]] = {}
    for number, row in enumerate(rows, start=1):
        words = {word: str(row.get(word) or "") for word in _WORDS}
        if not words["system"]:
            raise InputError(f"row {number} has no system")
        name = words.pop("system")
        if None in row:
            raise InputError(f"row {number}, {name}: more cells than the header has")
        found: dict[str, dict[str, float]] = {}
        for column, value in row.items():
            metric, part = (None, "") if column in _WORDS or value in (None, "") else _metric(column)
            if metric is not None:
                found.setdefault(metric, {}).update(_parts(metric, part, value, f"{name}, {column}"))
        if not found:
            columns = ", ".join(str(column) for column in row if column not in _WORDS)
            raise InputError(f"row {number}, {name}: no number of a metric (columns: {columns[:200]})")
        for metric, parts in found.items():
            if _main(metric) not in parts:
                raise InputError(f"row {number}, {name}: {metric} has no {_main(metric)} ({', '.join(parts)} alone)")
        scores = {metric: _score(metric, parts) for metric, parts in found.items()}
        system = System(name, None, **words)
        sections.setdefault(system.section, {})[system] = Scores(scores, name)
    if not sections:
        raise InputError("no rows of published numbers")
    return Comparison([_section(found) for found in sections.values()], {}, [])


def read_published(path: str | Path) -> Comparison:
    """Published numbers from a CSV file with a header, or a JSON list of objects."""
    name = str(path)
    content = content_of(path)
    try:
        if content.lstrip().startswith("["):
            rows = json_value(content, name)
        else:
            rows = list(csv.DictReader(io.StringIO(content, newline=""), delimiter=delimiter(content)))
        if not all(isinstance(row, dict) for row in rows):
            raise InputError("not a list of rows")
        return published(rows)
    except InputError as error:
        message = f"not a table of published numbers: {error.message}"
        raise InputError(message, file=name, line=error.line, column=error.column, hint=error.hint) from None
    except (ValueError, csv.Error) as error:
        raise InputError(f"not a table of published numbers: {error}", file=name) from None


def _metric(column: str) -> tuple[str | None, str]:
    """The metric of a column and which of its numbers; columns that name none are for people, and left alone."""
    for name, part in ((column, ""), column.strip().lower().rpartition(".")[::2]):
        try:
            metric = spelled(_ALSO.get(name.strip().lower(), name), METRICS)
        except UsageError:
            continue
        if not part or part in METRICS[metric].values:
            return metric, part
    return None, ""


def _score(metric: str, parts: Mapping[str, float]) -> Score:
    numbers = (parts.get(name) for name in ("recall", "precision", "f1", "value"))
    recall, precision, f1, value = numbers
    return Score(metric, recall=recall, precision=precision, f1=f1, value=value)


def _main(metric: str) -> str:
    return "value" if METRICS[metric].values == ("value",) else "f1"


def _parts(metric: str, part: str, value: Any, where: str) -> dict[str, float]:
    """The numbers of a cell: one, or recall, precision and F1."""
    given = value if isinstance(value, (list, tuple)) else [value]
    try:
        numbers = [float(x) / 100 for x in given]
    except (ValueError, TypeError):
        numbers = []
    if not numbers or not all(map(isfinite, numbers)):
        raise InputError(f"{where}: '{str(value)[:40]}' is not a number")
    if len(numbers) == 3 and not part and _main(metric) == "f1":
        return dict(zip(("recall", "precision", "f1"), numbers, strict=True))
    if len(numbers) > 1:
        raise InputError(f"{where}: {len(numbers)} numbers, where F1 or [R, P, F1] is expected")
    return {part or _main(metric): numbers[0]}


def _section(found: Mapping[System, Scores]) -> Section:
    systems = list(found)
    scores = {system.name: found[system] for system in systems}
    metrics = list(dict.fromkeys(metric for s in scores.values() for metric in s))
    flags = {name: MISFIT for name, s in scores.items() if not _fits(s)}
    return Section(*systems[0].section, systems, {"published": scores}, official_of(metrics), flags=flags, ranked=False)


def _fits(scores: Scores) -> bool:
    """Can the average be the mean of the F1s, each rounded or cut to as many decimals as were printed?"""
    for name, score in scores.items():
        average = METRICS[name]
        if not isinstance(average, Average):
            continue
        weights = average.weights(Options())
        if set(weights) <= set(scores):
            parts = [100 * float(scores[m].main) for m in weights]
            mean = sum(w * x for w, x in zip(weights.values(), parts, strict=True)) / sum(weights.values())
            unit = 10.0 ** -max(_decimals(x) for x in (*parts, 100 * float(score.main)))
            if abs(100 * float(score.main) - mean) > unit + 1e-9:
                return False
    return True


def _decimals(x: float) -> int:
    return len(f"{x:.6f}".rstrip("0").partition(".")[2])
