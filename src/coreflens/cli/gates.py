"""Gates for continuous integration: thresholds, and saved counts of an earlier run that a result must not fall
below."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from math import inf, isfinite
from typing import TYPE_CHECKING

from ..errors import InputError, UsageError
from ..metrics import METRICS, spelled
from ..scoring.result import Result
from ..scoring.scores import is_number
from . import say

if TYPE_CHECKING:
    from ..stats import Unit


def under(text: str) -> tuple[str, str, float]:
    """`conll=70` or `muc.recall=60` → metric, part, threshold in points."""
    name, _, number = text.partition("=")
    try:
        threshold = float(number)
    except ValueError:
        threshold = inf
    if not isfinite(threshold):
        raise UsageError(f"'{text}' is not METRIC=POINTS, as in --fail-under conll=70")
    if 0 < threshold < 1:
        raise UsageError(f"--fail-under {text}: points are meant: did you mean {100 * threshold:g}?")
    metric, _, part = name.strip().partition(".")
    metric = spelled(metric, METRICS)
    if METRICS[metric].error:
        title = METRICS[metric].title
        raise UsageError(f"--fail-under: a lower {title} is better, so there is no gate for it")
    if part and part not in METRICS[metric].values:
        raise UsageError(f"--fail-under: {metric} has {', '.join(METRICS[metric].values)}, not '{part}'")
    return metric, part, threshold


def points_of(result: Result, gate: tuple[str, str, float]) -> float:
    """The number that a gate checks, in points. An undefined number is below every gate."""
    metric, part, _ = gate
    number = getattr(result[metric], part) if part else result[metric].main
    return 100 * float(number) if is_number(number) else -inf


def shortfall(result: Result, gate: tuple[str, str, float], text: str, digits: int) -> str:
    """The message of a gate, given as `text`, for a result below it. Empty if the result passes."""
    points = points_of(result, gate)
    if points >= gate[2]:
        return ""
    name, _, threshold = (part.strip() for part in text.partition("="))
    return f"{name} is {'n/a (0/0)' if points == -inf else f'{points:.{digits}f}'}, below {threshold}"


def worse(text: str) -> tuple[str | None, float]:
    """`0.5` or `lea=0.5` → metric (None: the official score) and how many points it may lose."""
    name, equals, number = text.rpartition("=")
    try:
        points = float(number)
    except ValueError:
        points = inf
    if not 0 <= points < inf:
        raise UsageError(f"'{text}' is not POINTS or METRIC=POINTS, as in --fail-if-worse 0.5")
    return (spelled(name, METRICS) if equals else None), points


def losses(result: Result, before: Result, gates: Sequence[tuple[str | None, float]]) -> Iterator[str]:
    """The messages of the gates for a result that is worse than the one before."""
    from ..comparison import official_of
    from ..comparison.ranks import merit

    for metric, allowed in gates:
        name = metric or official_of(list(result))
        if name not in before:
            raise InputError(f"the counts to compare with have no {name} (they have {', '.join(before)})")
        if merit(before, name) == -inf or {"f1", "value"} & before[name].undefined:
            raise InputError(f"{name} is n/a in the counts to compare with, so nothing can be worse")
        lost = 100 * (merit(before, name) - merit(result, name))
        if lost > allowed + 1e-9 or not is_number(lost):
            was, now = (f"{100 * float(r[name].main):.2f}" for r in (before, result))
            yield f"{METRICS[name].title} got worse by {lost:.2f} points, from {was} to {now} (allowed: {allowed:g})"


def difference_to(result: Result, before: Result, name: str, unit: Unit, seed: int) -> str:
    """The official score and the one before, with interval and p of a paired test if the documents are the same."""
    from ..comparison import official_of
    from ..stats import aligned, paired_tests

    metrics = [metric for metric in result if metric in before]
    if not metrics:
        raise InputError("these counts have no metric in common with the result", file=name)
    results = {which: r.narrowed(metrics) for which, r in (("before", before), ("now", result))}
    try:
        samples = aligned(results, unit)
    except (InputError, UsageError) as error:
        raise InputError(f"the result can't be compared with these counts: {error}", file=name) from None
    official = official_of(metrics)
    test = paired_tests(samples, [("before", "now")], seed=seed, intervals=True)["before", "now"][official]
    was, now = (f"{100 * float(r[official].main):.2f}" for r in results.values())
    text = f"{METRICS[official].title} {now}, before {was}: {100 * test.difference:+.2f} points"
    if is_number(test.p):
        text += f" [{100 * test.low:+.2f}, {100 * test.high:+.2f}], p = {test.p:.4f}"
        if why := test.disagreement(0.95):
            text += f"; the interval excludes 0, but p is above 0.05: {why}"
    return text


def report(messages: Sequence[str]) -> None:
    """Report failed gates on stderr, and as annotations if GitHub runs the job."""
    for message in messages:
        say(f"coreflens: error: gate failed: {message}")
        if os.environ.get("GITHUB_ACTIONS") == "true":
            escaped = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
            say(f"::error title=coreflens::{escaped}")
