"""`compare` of systems that are scored here, against a key or as a manifest says."""

from __future__ import annotations

import sys
from glob import glob
from os.path import isdir
from pathlib import Path
from typing import Any

from ...corpora.naming import is_named
from ...errors import UsageError
from .. import bar, note, notes, output, say
from ..modes import INTERVALS, POLICIES, READING, SHAPE, Asked, Mode, Rule

# Parameters that are not arguments of `compare`.
_SHOWN = ("key", "systems", "metrics", "rpf", "format_", "digits", "show", "paper_rounding", "plots", "confidence",
          "save_counts", "from_table")  # fmt: skip

# Options of the tests, which are shown below the ranking and in plots.
_TESTS = ("baseline", "max-pairs", "test", "correction", "seed", "unit", "interval", "confidence")

RULES = (
    Rule(
        tuple(option for option in _TESTS if option != "baseline"),
        lambda asked: asked["resamples"] > 0,
        "can't be combined with --resamples 0, which leaves out the tests",
    ),
    Rule(
        ("show",),
        lambda asked: asked.gives("by", "macro") or is_manifest(asked["key"]),
        "needs groups, such as --by genre",
    ),
    Rule(
        ("title",),
        lambda asked: asked["format_"] in ("markdown", "latex", "html") or asked.gives("plot"),
        "needs a caption: --format markdown, latex or html, or --plot",
    ),
    Rule(
        ("rpf", "show", "signature"),
        lambda asked: not asked["paper_rounding"],
        "can't be combined with --paper-rounding, which shows R, P and F alone",
    ),
    Rule(
        ("by", "title", "beside", *_TESTS),
        lambda asked: not asked["paper_rounding"] or asked.gives("plot"),
        "can't be combined with --paper-rounding, which shows R, P and F alone",
    ),
    Rule(
        ("resamples",),
        lambda asked: not asked["paper_rounding"] or asked.gives("plot") or asked["resamples"] == 0,
        "can't be combined with --paper-rounding, which shows no tests; --resamples 0 leaves them out",
    ),
)


class ScoredSystems(Mode):
    """Systems scored, ranked and tested."""

    name = "a comparison of systems"
    takes = (
        READING | POLICIES | SHAPE | INTERVALS
        | {"resamples", "metrics", "weights", "by", "rpf", "show", "window", "baseline", "test", "correction", "plot"}
        | {"max-pairs", "save-counts", "title", "paper-rounding", "beside", "macro"}
    )  # fmt: skip
    rules = RULES

    def when(self, asked: Asked) -> bool:
        return True

    def run(self, asked: Asked) -> None:
        run_comparison(asked)


def run_comparison(asked: Asked) -> None:
    """Compare the systems, and write counts, plots and tables."""
    from ...comparison import compare, cost_of_tests

    plots = []
    if asked["plots"]:
        from ...report.comparison.plots import kind_and_file

        plots = [kind_and_file(given) for given in asked["plots"]]
    key, systems = _arguments(asked)
    if cost := cost_of_tests(systems, asked["baseline"], asked["resamples"]):
        note(cost)
    comparison = compare(
        key,
        systems,
        metrics=_metrics(asked),
        confidence=asked["confidence"] / 100,
        progress=bar("testing"),
        **asked.settings(*_SHOWN),
    )
    if asked["save_counts"] is not None:
        comparison.save_counts(asked["save_counts"])
    for kind, path in plots:
        for target in comparison.plot(path, kind):
            note(f"wrote {target}")
    if comparison.sections:
        output(comparison.render(asked["format_"], **shape_of(asked)), asked["format_"])
    notes(comparison.issues)
    if asked["format_"] == "csv":
        for section in comparison.sections:
            note(f"signature: {section.signature}")
    for name, message in comparison.failures.items():
        say(f"coreflens: error: {name}: {message}")
    if comparison.failures:
        sys.exit(1)


def shape_of(asked: Asked) -> dict[str, Any]:
    """How the tables are shown."""
    return {name: asked[name] for name in ("digits", "rpf", "show", "paper_rounding")}


def _metrics(asked: Asked) -> str | None:
    named = ",".join(asked["metrics"]) or None
    return f"{named or 'default'},mela" if asked["weights"] else named


def _arguments(asked: Asked) -> tuple[str | None, Any]:
    """The key and the systems. There is no key if the first argument is already a system."""
    from ...comparison.systems import from_arguments

    key, systems = asked["key"], asked["systems"]
    whole = asked["macro"] is not None
    if key is None:
        raise UsageError("nothing to compare: give KEY SYSTEM..., a manifest, or files of saved counts")
    if is_manifest(key) or is_named(key) or holds_counts(key):
        return None, from_arguments([key, *systems], whole=whole)
    if not systems:
        raise UsageError("no system given: coreflens compare KEY SYSTEM...")
    return key, from_arguments(systems, whole=whole)


def is_manifest(argument: str | None) -> bool:
    """Whether an argument is a manifest of systems."""
    return argument is not None and argument.endswith(".toml")


def holds_counts(argument: str) -> bool:
    """Whether an argument is saved counts: a file, a pattern, or a directory of such files, with or without a name."""
    from ...scoring.counts_file import are_counts

    path = argument.partition("=")[2] if is_named(argument) else argument
    if isdir(path):
        files = [str(file) for file in Path(path).iterdir() if not file.name.startswith(".")]
    else:
        files = glob(path) or [path]
    return bool(files) and all(map(are_counts, files))
