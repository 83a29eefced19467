"""Progress over stages: a file with the counts of each stage, and a plot of their scores with intervals.

    {"coreflens-history": 1}
    {"label": "baseline", "date": "2024-05-01", "signature": "coreflens:...", "columns": [...], "values": [...], ...}

A stage is the output of `coreflens score --save-counts`, with a name and a date. A line is added in one write, so a
killed process leaves the history as it was. An incomplete last line is dropped when the next stage is added. If two
processes add stages, one waits for the other.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, UsageError
from ..files.encoding import text as decoded
from ..files.limits import check_lines
from ..files.notation import json_value
from ..files.opening import load
from ..files.writing import log_of
from ..metrics import METRICS, select
from ..scoring.counts_file import DAMAGE, counts_of, plain_counts
from ..scoring.loading import load_counts
from ..scoring.result import Result
from ..scoring.settings import Metrics
from ..scoring.signature import Signature
from ..stats import Interval

if TYPE_CHECKING:
    pass

VERSION = 1
RESAMPLES = 2000
_HEAD = json.dumps({"coreflens-history": VERSION})


@dataclass(frozen=True, eq=False)
class Stage:
    """One state of a system: its name, the day, and its result."""

    label: str
    date: str
    result: Result

    def interval(self, metric: str, seed: int = 0) -> Interval:
        """The score of a metric with its bootstrap interval; None with one document, or without the metric."""
        nan = float("nan")
        if metric not in self.result:
            return Interval(nan, nan, nan, nan)
        main = self.result[metric].main
        score = nan if main is None else float(main)
        if len(set(self.result.counts.labels)) < 2 or self.result.options.scope != "document":
            return Interval(score, nan, nan, nan)
        return self.result.bootstrap(RESAMPLES, seed=seed).main(metric)


def add_stage(file: str | Path, counts: str | Path, label: str, day: str | None = None) -> list[Stage]:
    """Add saved counts to a history. It is created if it does not exist. Returns all its stages."""
    if not label.strip():
        raise UsageError("a stage needs a label")
    try:
        when = datetime.now(UTC).date() if day is None else date.fromisoformat(day)
    except ValueError:
        raise UsageError(f"a date must be YEAR-MONTH-DAY, not '{day}'") from None
    result = load_counts(counts)
    stage = {
        "label": label,
        "date": when.isoformat(),
        "signature": str(result.signature),
        **plain_counts(result.counts),
    }
    line = json.dumps(stage, ensure_ascii=False, separators=(",", ":"))
    with log_of(file) as log:
        before, size = _read(file)
        if any(stage.label == label for stage in before):
            raise UsageError(f"there is already a stage '{label}'; choose another label: stages can't be replaced")
        log.add(*([] if size else [_HEAD]), line)
    return [*before, Stage(label, when.isoformat(), result)]


def read_history(file: str | Path) -> list[Stage]:
    """The stages of a history, in the order in which they were added."""
    return _read(file)[0]


def _read(file: str | Path) -> tuple[list[Stage], int]:
    """The stages, and the number of bytes of their complete lines."""
    name, data = str(file), load(file)
    check_lines(data, name)
    kept = data[: data.rfind(b"\n") + 1]
    lines = decoded(kept, name).splitlines()
    if not lines:
        if _HEAD.encode().startswith(data):
            return [], 0
        raise _foreign(name)
    head = json_value(lines[0], name)
    if not isinstance(head, dict) or "coreflens-history" not in head:
        raise _foreign(name)
    if head["coreflens-history"] != VERSION:
        message = (
            f"the history has version {head['coreflens-history']!r}, but this coreflens reads only version {VERSION}"
        )
        raise InputError(message, file=name, line=1)
    return [_stage(json_value(line, name, first=n), name, n) for n, line in enumerate(lines[1:], start=2)], len(kept)


def _foreign(name: str) -> InputError:
    return InputError("this is not a history", file=name, hint="`coreflens history add` makes one; give a new file")


def _stage(found: Any, name: str, line: int) -> Stage:
    try:
        signature = Signature.parse(found["signature"])
        counts = counts_of(found, signature)
        day = date.fromisoformat(found["date"]).isoformat()
        return Stage(str(found["label"]), day, Result(counts, signature.metrics, signature.options, signature.protocol))
    except DAMAGE as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(f"this line is not a stage: {what}", file=name, line=line) from None


def shown_metrics(stages: Sequence[Stage], metrics: Metrics | None) -> list[str]:
    """The metrics to show: those asked for, else CoNLL or the first one that all stages have."""
    if not stages:
        raise UsageError("the history has no stage yet: coreflens history add FILE COUNTS --label NAME")
    if metrics is not None:
        names = _asked_metrics(metrics)
        for name in names:
            if not any(name in stage.result for stage in stages):
                raise UsageError(f"no stage of the history has {name}: save its counts with -m {name}")
        return names
    shared = [name for name in stages[0].result if all(name in stage.result for stage in stages)]
    if not shared:
        raise UsageError("the stages have no metric in common; -m names those to show")
    return ["conll"] if "conll" in shared else shared[:1]


def _asked_metrics(metrics: Metrics) -> list[str]:
    """The metrics asked for, each once. An average is itself here: with its parts, one line would hide another."""
    listed = metrics.split(",") if isinstance(metrics, str) else metrics
    names: list[str] = []
    for name in map(str.strip, listed):
        names += [name] if name in METRICS else select(name)[0]
    return list(dict.fromkeys(names))
