"""`score` as it is mostly used: one score, with groups, intervals, gates and saved counts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, ClassVar

from ...conditions import is_attribute
from ...engines.choice import score
from ...report.score import render
from ...scoring.result import Result
from .. import note, notes, output
from ..engines import engine_settings
from ..gates import difference_to, losses, report, shortfall, under, worse
from ..modes import DRAWS, ENGINE, GATES, POLICIES, READING, SHAPE, Asked, Mode, Rule, given, value
from .sides import matches_of, metrics_asked, settings_of

if TYPE_CHECKING:
    from ...stats import Intervals

# What makes one score of a single size of --window, instead of a table of windows.
ONE_SCORE = ("by", "bootstrap", "fail-under", "save-counts", "against", "rate-plot", "alignment")

RULES = (
    Rule(("interval", "confidence", "stratify"), given("bootstrap"), "needs --bootstrap N"),
    Rule(("seed", "unit"), given("bootstrap", "against"), "needs --bootstrap N or --against FILE"),
    Rule(("fail-if-worse",), given("against"), "needs --against FILE, the counts to compare with"),
    Rule(("rpf",), given("by"), "needs --by GROUP, such as --by document, or --window"),
)
_MEMORY_RULES = (
    Rule(("plot",), given("window"), "needs --window, such as --window 500,1500,all"),
    Rule(("alignment",), value("format_", "json"), "needs --format json"),
    Rule(
        ("rate-plot",),
        lambda asked: not is_attribute(asked["by"]),
        "draws documents or groups of documents, but --by entity.NAME makes groups of mentions",
    ),
    Rule(
        ("excerpt", "heads"),
        lambda asked: not asked.gives("columns", "key-columns", "response-columns"),
        "needs text, but --columns reads tables of mentions",
    ),
    Rule(
        ("split-antecedents",),
        lambda asked: not asked.gives("window"),
        "can't be combined with --window: split antecedents are left out of windows",
    ),
    Rule(("master",), value("engine", "spark"), "needs --engine spark"),
    Rule(("memory-limit", "spill"), value("engine", "auto"), "needs --engine duckdb"),
)


class OneScore(Mode):
    """One result."""

    name = "a single score"
    takes = (
        READING | POLICIES | SHAPE | DRAWS | GATES | ENGINE
        | {"metrics", "weights", "exact", "by", "rpf", "excerpt", "heads", "window", "plot", "save-counts"}
        | {"alignment", "rate-plot"}
    )  # fmt: skip
    rules: ClassVar[tuple[Rule, ...]] = (*RULES, *_MEMORY_RULES)

    def when(self, asked: Asked) -> bool:
        return True

    def run(self, asked: Asked) -> None:
        gates = [under(text) for text in asked["fail_under"]]
        limits = [worse(text) for text in asked["fail_if_worse"]]
        before = _counts_before(asked)
        needed = [metric for metric, _, _ in gates] + [metric for metric, _ in limits if metric]
        result = _scored(asked, metrics_asked(asked, *needed))
        intervals = _intervals(result, asked)
        _show(result, intervals, asked)
        notes([*result.issues, *(intervals.issues if intervals else ()), *(before.issues if before else ())])
        _note_signature(result, intervals, asked)
        _save(result, asked)
        failed = _shortfalls(result, gates, asked)
        if before is not None:
            note(difference_to(result, before, asked["against"], asked["unit"], asked["seed"]))
            failed += losses(result, before, limits)
        _end(failed)


def _counts_before(asked: Asked) -> Result | None:
    if asked["against"] is None:
        return None
    from ...scoring.loading import load_counts

    return load_counts(asked["against"])


def _scored(asked: Asked, metrics: str) -> Result:
    settings = settings_of(asked) | {"metrics": metrics, "match": matches_of(asked)[0]}
    if asked["window"] is not None:
        from ...studies.ranges import sizes_of

        settings["window"] = sizes_of(asked["window"])[0]
    where = engine_settings(asked)
    if _needs_memory(asked) and where["engine"] == "auto":
        where["engine"] = "memory"
    key, response = asked["key"], asked["response"]
    result: Result = score(key, response, say=note, **where, **settings)
    if asked["alignment"] and result.matched is not None:
        result.alignment = result.matched.pairs()
    return result


def _needs_memory(asked: Asked) -> bool:
    """Whether the mentions themselves are needed, and not only their counts."""
    return bool(asked["alignment"] or asked["rate_plot"] or is_attribute(asked["by"]))


def _intervals(result: Result, asked: Asked) -> Intervals | None:
    if not asked["bootstrap"]:
        return None
    by = asked["by"]
    return result.bootstrap(
        asked["bootstrap"],
        seed=asked["seed"],
        interval=asked["interval"] or "percentile",
        confidence=(asked["confidence"] or 95) / 100,
        stratify=asked["stratify"],
        unit=asked["unit"],
        by=None if by == "document" else by,  # one document can't be resampled
    )


def _show(result: Result, intervals: Intervals | None, asked: Asked) -> None:
    format_ = asked["format_"]
    text = render(result, format_, by=asked["by"], digits=asked["digits"], intervals=intervals, rpf=asked["rpf"])
    output(text, format_)


def _note_signature(result: Result, intervals: Intervals | None, asked: Asked) -> None:
    if asked["format_"] == "csv":
        note(f"signature: {intervals.signature if intervals else result.signature}")


def _save(result: Result, asked: Asked) -> None:
    """Write the plot and the counts."""
    plot = asked["rate_plot"]
    if plot is not None and result.matched is not None:
        from ...report.rates import rate_plot

        rate_plot(result, result.matched.key, asked["by"] or "document").save(plot)
        note(f"plot written to {plot}")
    if asked["save_counts"] is not None:
        result.save_counts(asked["save_counts"])


def _shortfalls(result: Result, gates: list[tuple[str, str, float]], asked: Asked) -> list[str]:
    """The messages of the gates that failed."""
    messages = (
        shortfall(result, gate, text, asked["digits"]) for gate, text in zip(gates, asked["fail_under"], strict=True)
    )
    return [message for message in messages if message]


def _end(failed: list[str]) -> None:
    """Report the gates that failed, and end with exit code 1 if there are any."""
    report(failed)
    if failed:
        sys.exit(1)
