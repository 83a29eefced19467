"""Published numbers in the tables of `compare`: rows that were printed, not computed."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ..errors import InputError, Issue, MissingFile, UsageError
from ..files.encoding import content as content_of
from ..files.notation import delimiter, json_value
from ..metrics import METRICS, Average, Metric, select, spelled
from ..metrics.registry import recall_precision
from ..options import Options
from ..scoring.scores import Score, Scores
from .library import guess, printed
from .ranks import official_of
from .sections import Comparison, Section
from .systems import System, with_tagger

_WORDS = ("track", "language", "condition", "notes", "tagger")
_ALSO = {"md": "mentions", "avg": "conll", "average": "conll"}
_PARTS = {
    **dict.fromkeys(("r", "rec", "recall"), "recall"),
    **dict.fromkeys(("p", "pr", "prec", "precision"), "precision"),
    **dict.fromkeys(("f", "f1", "f-score"), "f1"),
    "value": "value",
    "label": "label",
}
_ENDING = re.compile(r"(.*\S)[\s._:/]+(\S+)")
MISFIT = "‡"
Row: TypeAlias = Mapping[str, Any]


def published(rows: str | Path | Iterable[Row], metrics: str | Sequence[str] | None = None) -> Comparison:
    """A comparison of printed numbers, in points: `{"system": "lee", "track": "...", "MUC": 59.6, "AVG": 51.5}`.

    `rows` are such mappings, a CSV or JSON file of them, or the name of a table that comes with the package, such as
    "conll-2012/english" (`coreflens list tables`). A metric has its F1, or [R, P, F1], or one column for each: `MUC R`,
    `MUC P`, `MUC F1`, or `muc.recall` and so on. `R` and `P` alone belong to the only metric. An F1 that was not
    printed is computed from R and P, and a note says so. Rows stay in the order given. An average that can't be the
    mean of the printed F1s under any rounding is marked. Columns of words describe the systems.
    """
    if isinstance(rows, (str, Path)):
        return read_published(rows, metrics)
    return _compared(rows, metrics)


def _compared(rows: Iterable[Row], metrics: str | Sequence[str] | None, lines: Sequence[int] = ()) -> Comparison:
    """A comparison of these rows; `lines` are their line numbers, for messages."""
    sections: dict[tuple[str, str, str], dict[System, Scores]] = {}
    computed: dict[str, None] = {}
    unknown: dict[str, None] = {}
    for number, row in enumerate(rows, start=1):
        try:
            read = _row(number, row)
            scores_of = sections.setdefault(read.system.section, {})
            if any(other.name == read.system.name for other in scores_of):
                raise InputError(f"row {number}: there is already a row of {read.system.name}")
        except InputError as error:
            line = lines[number - 1] if lines else None
            raise InputError(error.message, line=error.line or line, hint=error.hint) from None
        scores_of[read.system] = read.scores
        computed |= dict.fromkeys(read.computed)
        unknown |= dict.fromkeys(read.unknown)
    if not sections:
        raise InputError("no rows of published numbers")
    issues = []
    if computed:
        titles = ", ".join(METRICS[metric].title for metric in computed)
        issues.append(Issue("f1", f"F1 is computed from the printed R and P: {titles}"))
    if unknown:
        issues.append(Issue("columns", f"numbers of no metric that is known, left out: {', '.join(unknown)}"))
    chosen = None if metrics is None else list(select(metrics)[0])
    return Comparison([_section(scores_of, chosen) for scores_of in sections.values()], {}, issues)


class _Read(NamedTuple):
    """A row: its system and scores, metrics whose F1 was computed, and columns of numbers of no known metric."""

    system: System
    scores: Scores
    computed: list[str]
    unknown: list[str]


def _row(number: int, row: Row) -> _Read:
    if None in row:
        raise InputError(f"row {number}: more cells than the header has")
    name = str(row.get("system") or "")
    if not name:
        raise InputError(f"row {number} has no system")
    words = {word: str(row.get(word) or "") for word in _WORDS}
    cells = {column: value for column, value in row.items() if column not in ("system", *_WORDS)}
    numbers, about, unknown = _sorted(cells, name)
    where = f"row {number}, {name}"
    if not numbers:
        names = ", ".join(str(column) for column in cells)
        raise InputError(f"{where}: no number of a metric (columns: {names[:200]})")
    computed = [metric for metric, parts in numbers.items() if _completed(metric, parts, where)]
    system = with_tagger(System(name, None, **words, about=about))
    scores = Scores({metric: Score(metric, **parts) for metric, parts in numbers.items()}, system.name)
    return _Read(system, scores, computed, unknown)


def _sorted(cells: Row, name: str) -> tuple[dict[str, dict[str, Any]], tuple[tuple[str, str], ...], list[str]]:
    """The numbers by metric and part, columns of words with their words, and columns of numbers of no known metric."""
    numbers: dict[str, dict[str, Any]] = {}
    words: list[tuple[str, str]] = []
    unknown: list[str] = []
    for column, (metric, part) in _columns(list(cells)).items():
        value = cells[column]
        if value in (None, ""):
            continue
        if metric is not None:
            numbers.setdefault(metric, {}).update(_parts(metric, part, value, f"{name}, {column}"))
        elif isinstance(value, str) and not _is_number(value):
            words.append((column, value))
        else:
            unknown.append(column)
    return numbers, tuple(words), unknown


def _completed(metric: str, parts: dict[str, Any], where: str) -> bool:
    """Add the F1 that follows from R and P, if it was not printed; whether that was needed."""
    if _main(metric) in parts:
        return False
    if not ({"recall", "precision"} <= set(parts) and _harmonic(metric)):
        raise InputError(
            f"{where}: {METRICS[metric].title} has {' and '.join(parts)}, and no {_main(metric)}",
            hint=f"a column '{METRICS[metric].title}' has it",
        )
    total = parts["recall"] + parts["precision"]
    parts["f1"] = 2 * parts["recall"] * parts["precision"] / total if total else 0.0
    return True


def read_published(source: str | Path, metrics: str | Sequence[str] | None = None) -> Comparison:
    """Published numbers from a CSV file with a header, a JSON list of objects, or a table of the package."""
    name = str(source)
    if not Path(source).exists() and (table := printed(name)) is not None:
        if not table.scores:
            raise UsageError(f"{name} is not a table of scores: `coreflens show {name}` prints it")
        comparison = published(table.rows, metrics)
        about = f"{table.title}: {table.source}"
        return replace(comparison, data=about, notes=table.notes)
    if not Path(source).exists() and (meant := guess(name)):
        raise MissingFile(name, f"no such file, and no table of that name{meant}", "coreflens list tables")
    content = content_of(source)
    lines: list[int] = []
    try:
        if content.lstrip().startswith("["):
            rows = json_value(content, name)
        else:
            rows, lines = _csv_rows(content)
        if not all(isinstance(row, dict) for row in rows):
            raise InputError("not a list of rows")
        return _compared(rows, metrics, lines)
    except InputError as error:
        message = f"not a table of published numbers: {error.message}"
        raise InputError(message, file=name, line=error.line, column=error.column, hint=error.hint) from None
    except (ValueError, csv.Error) as error:
        raise InputError(f"not a table of published numbers: {error}", file=name) from None


def _csv_rows(content: str) -> tuple[list[dict[str, Any]], list[int]]:
    """The rows of a CSV file and their lines; lines that begin with # before the header are remarks."""
    given = content.splitlines(keepends=True)
    before = next((n for n, line in enumerate(given) if not line.startswith("#")), len(given))
    table = "".join(given[before:])
    reader = csv.DictReader(io.StringIO(table, newline=""), delimiter=delimiter(table))
    header = list(reader.fieldnames or ())
    if twice := [column for n, column in enumerate(header) if column in header[:n]]:
        hint = "R and P of several metrics are named 'MUC R', 'MUC P' and so on"
        raise InputError(f"two columns are named '{twice[0]}'", line=before + 1, hint=hint)
    rows, lines = [], []
    for row in reader:
        rows.append(row)
        lines.append(before + reader.line_num)
    return rows, lines


def _columns(columns: Sequence[str]) -> dict[str, tuple[str | None, str]]:
    """Each column with its metric and the number that it holds; R, P and F1 alone belong to the only metric named."""
    meanings = {column: _metric(column) for column in columns}
    named = list(dict.fromkeys(metric for metric, _ in meanings.values() if metric is not None))
    for column in columns:
        part = _PARTS.get(str(column).strip().lower(), "")
        if meanings[column][0] is None and part in ("recall", "precision", "f1") and named:
            meanings[column] = _only_metric(named, column), part
    places: dict[tuple[str, str], str] = {}
    for column, (metric, part) in meanings.items():
        if metric is not None:
            other = places.setdefault((metric, part or _main(metric)), column)
            if other != column:
                raise InputError(f"columns '{other}' and '{column}' are the same number of {METRICS[metric].title}")
    return meanings


def _only_metric(named: Sequence[str], column: str) -> str:
    """The metric of a column that is named `R` or the like; an error if there are several."""
    if len(named) > 1:
        hint = f"name it '{METRICS[named[0]].title} {column}', after its metric"
        raise InputError(f"column '{column}' may belong to {', '.join(named[:-1])} or {named[-1]}", hint=hint)
    return named[0]


def _metric(column: str) -> tuple[str | None, str]:
    """The metric of a column and the number that it holds; columns that name no metric describe the systems."""
    whole = str(column).strip()
    readings = [(whole, "")]
    if ending := _ENDING.fullmatch(whole):
        readings.append((ending[1], _PARTS.get(ending[2].lower(), "-")))
    for name, part in readings:
        try:
            metric = spelled(_ALSO.get(name.lower(), name), METRICS)
        except UsageError:
            continue
        if not part or part == "label" or part in METRICS[metric].values:
            return metric, part
    return None, ""


def _main(metric: str) -> str:
    return "value" if METRICS[metric].values == ("value",) else "f1"


def _harmonic(metric: str) -> bool:
    """Whether F1 follows from R and P; the F1 of BLANC is the mean of two others."""
    about = METRICS[metric]
    return isinstance(about, Metric) and about.finalize is recall_precision


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _parts(metric: str, part: str, value: Any, where: str) -> dict[str, Any]:
    """The numbers of a cell: one, or recall, precision and F1."""
    if part == "label":
        return {"label": str(value)}
    numbers = _shares(value)
    if not numbers or not all(map(isfinite, numbers)):
        raise InputError(f"{where}: '{str(value)[:40]}' is not a number")
    if len(numbers) == 3 and not part and _main(metric) == "f1":
        return dict(zip(("recall", "precision", "f1"), numbers, strict=True))
    if len(numbers) > 1:
        raise InputError(f"{where}: {len(numbers)} numbers, where F1 or [R, P, F1] is expected")
    return {part or _main(metric): numbers[0]}


def _shares(value: Any) -> list[float]:
    """The numbers of a cell, of points made shares; empty if they are none."""
    given = value if isinstance(value, (list, tuple)) else [value]
    try:
        return [float(number) / 100 for number in given]
    except (ValueError, TypeError):
        return []


def _section(scores_of: Mapping[System, Scores], chosen: Sequence[str] | None) -> Section:
    systems = list(scores_of)
    scores = {system.name: scores_of[system] for system in systems}
    misfits = {name: MISFIT for name, printed_scores in scores.items() if not _fits(printed_scores)}
    if chosen is not None:
        scores = {name: _narrowed(printed_scores, chosen) for name, printed_scores in scores.items()}
    metrics = list(dict.fromkeys(metric for printed_scores in scores.values() for metric in printed_scores))
    if not metrics:
        raise UsageError(f"the table has no {', '.join(chosen or ())}")
    official = official_of(metrics)
    flags = misfits if isinstance(METRICS[official], Average) else {}
    return Section(*systems[0].section, systems, {"published": scores}, official, flags=flags, ranked=False)


def _narrowed(scores: Scores, metrics: Sequence[str]) -> Scores:
    return Scores({metric: scores[metric] for metric in metrics if metric in scores}, scores.label)


def _fits(scores: Scores) -> bool:
    """Can the averages be the mean of the F1s, each rounded or cut to as many decimals as were printed?"""
    return all(_fits_average(scores, name) for name in scores)


def _fits_average(scores: Scores, name: str) -> bool:
    average = METRICS[name]
    if not isinstance(average, Average):
        return True
    weights = average.weights(Options())
    if not set(weights) <= set(scores):
        return True
    printed_average = 100 * float(scores[name].main)
    parts = [100 * float(scores[metric].main) for metric in weights]
    mean = sum(weight * part for weight, part in zip(weights.values(), parts, strict=True)) / sum(weights.values())
    unit = 10.0 ** -max(_decimals(number) for number in (*parts, printed_average))
    return abs(printed_average - mean) <= unit + 1e-9


def _decimals(x: float) -> int:
    return len(f"{x:.6f}".rstrip("0").partition(".")[2])
