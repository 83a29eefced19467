"""Plots of a comparison: differences with intervals, ranks, metrics × systems, groups × systems."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import nan
from pathlib import Path

from ...comparison.ranks import ranks
from ...comparison.sections import Comparison, Section
from ...comparison.testing import LEVEL
from ...errors import UsageError, choose
from ...files.writing import file_name
from ...metrics import METRICS
from ...paper.drawing import check_suffix
from ...paper.panels import Dot, Panel, Panels
from ...scoring.scores import Scores, is_number
from .legend import reference, test_name, two

_MANY = 4  # most systems with a panel each in a forest plot; with more, only the official score is shown
_DECIDED = "Filled: p ≤ .05 after correction; ring: undecided"


def plot(comparison: Comparison, path: str | Path, kind: str = "") -> list[Path]:
    """Draw a comparison into a file, or into one file per section; without a kind, the most informative one."""
    if kind:
        choose(kind, KINDS, "kind of plot")
    target = Path(path)
    written = []
    for section in comparison.sections:
        name = target
        if len(comparison.sections) > 1:
            slug = re.sub(r"\W+", "-", section.title).strip("-").lower()
            name = target.with_name(file_name(f"{target.stem}-{slug}", target.suffix))
        KINDS[kind or usual(comparison, section)](comparison, section).save(name)
        written.append(name)
    return written


def usual(comparison: Comparison, section: Section) -> str:
    """Groups if there are any; differences for two systems or a baseline; ranks for many systems; else the scores."""
    if section.groups:
        return "groups"
    if two(comparison, section) or (comparison.baseline in section.main and section.tests):
        return "forest"
    return "ranks" if section.rank_intervals(LEVEL) else "metrics"


def forest(comparison: Comparison, section: Section) -> Panels:
    """Differences from the baseline, or between the best system and the others, with their intervals."""
    if not section.tests:
        raise UsageError("a forest plot shows tested differences: two systems at least, and --resamples above 0")
    baseline = str(comparison.baseline) if comparison.baseline in section.main else ""
    pairs = _plotted_pairs(section, baseline)
    confidence = f"{100 * float(comparison.how['confidence']):g}%"
    note = f"Bars: {confidence} intervals. {_DECIDED} ({test_name(comparison, section)})."
    if len(pairs) > _MANY:
        return _one_panel(comparison, section, baseline, pairs, note)
    return _panel_per_pair(comparison, section, baseline, pairs, note)


def _plotted_pairs(section: Section, baseline: str) -> list[tuple[str, str]]:
    """The baseline with each other system, or each other system with the best one; the second minus the first."""
    others = [(baseline, name) for name in section.names if name != baseline] if baseline else []
    return others or [(name, section.names[0]) for name in section.names[1:]]


def _panel_per_pair(
    comparison: Comparison, section: Section, baseline: str, pairs: Sequence[tuple[str, str]], note: str
) -> Panels:
    """The differences by all metrics, a panel for each pair."""
    metrics = _official_last(section)
    rows = [METRICS[metric].title for metric in metrics]
    strong = frozenset({len(rows) - 1})
    panels = []
    for pair in pairs:
        title = "" if len(pairs) == 1 else _pair_title(baseline, pair)
        panels.append(Panel(title, [_difference(section, pair, metric) for metric in metrics]))
    if len(pairs) == 1:
        caption = _titled(comparison, section, f"difference, {pairs[0][1]} minus {pairs[0][0]}")
        return Panels(caption, rows, panels, "difference in points", note, zero=True, strong=strong)
    caption = _titled(comparison, section, f"differences to {baseline or section.names[0]}")
    return Panels(caption, rows, panels, _differences_label(section, baseline), note, zero=True, strong=strong)


def _one_panel(
    comparison: Comparison, section: Section, baseline: str, pairs: Sequence[tuple[str, str]], note: str
) -> Panels:
    """The differences of many pairs by the official score."""
    title = METRICS[section.official].title
    panel = Panel(title, [_difference(section, pair, section.official) for pair in pairs])
    rows = [second if baseline else first for first, second in pairs]
    what = _titled(comparison, section, f"{title}, differences to {baseline or section.names[0]}")
    return Panels(what, rows, [panel], _differences_label(section, baseline), note, zero=True)


def _differences_label(section: Section, baseline: str) -> str:
    if baseline:
        return f"difference in points, system minus {baseline}"
    return f"difference in points, {section.names[0]} minus the other"


def _official_last(section: Section) -> list[str]:
    return [*(metric for metric in section.metrics if metric != section.official), section.official]


def _pair_title(baseline: str, pair: tuple[str, str]) -> str:
    return pair[1] if baseline else f"minus {pair[0]}"


def _difference(section: Section, pair: tuple[str, str], metric: str) -> Dot:
    test = section.test_of(*pair)[metric]
    decided = section.corrected(*pair, metric) <= LEVEL
    return Dot(100 * test.difference, 100 * test.low, 100 * test.high, decided)


def rank_plot(comparison: Comparison, section: Section) -> Panels:
    """The rank of each system by the official score, with all ranks that it may have."""
    places = section.rank_intervals(LEVEL)
    if not places:
        raise UsageError("a plot of ranks needs tests of all pairs: several systems, no --baseline, enough documents")
    rank = ranks(section.main, section.official)
    title = METRICS[section.official].title
    dots = [Dot(rank[name], places[name][0], places[name][1]) for name in section.names]
    how = test_name(comparison, section)
    note = f"Bars: the ranks that a system may have, given which pairs differ significantly ({how})."
    caption = _titled(comparison, section, f"ranks by {title}")
    return Panels(caption, section.names, [Panel(title, dots)], "rank", note, whole=True)


def metrics_plot(comparison: Comparison, section: Section) -> Panels:
    """The F1 or value of each system by each metric, a panel for each metric with its own scale."""
    metrics = _official_last(section)
    panels = [Panel(METRICS[m].title, [_score(section.main[name], m) for name in section.names]) for m in metrics]
    what = _titled(comparison, section, "systems by metric")
    return Panels(what, section.names, panels, "F1 in points; each metric has its own scale", shared=False, most=100)


def _score(scores: Scores, metric: str) -> Dot | None:
    number = scores[metric].main if metric in scores else nan
    return Dot(100 * float(number)) if is_number(number) else None


def groups_plot(comparison: Comparison, section: Section) -> Panels:
    """The official score of each system in each group, a panel for each group, all on one scale."""
    if not section.groups:
        raise UsageError("a plot of groups needs --by or --macro dataset")
    labels = list(next(iter(section.groups.values())))
    official = METRICS[section.official].title
    pair = two(comparison, section)
    against = pair[1] if pair else reference(comparison, section)
    panels = []
    for label in labels:
        dots = []
        for name in section.names:
            dot = _score(section.groups[name][label], section.official)
            if dot is not None and against:
                p = section.within.corrected(label, against, name)
                dot = Dot(dot.value, decided=name == against or p <= LEVEL)
            dots.append(dot)
        panels.append(Panel(label, dots))
    by = comparison.by if comparison.by in ("genre", "source", "part", "document", "dataset") else "group"
    note = f"Filled: {against}, and what differs from it within the {by}, p ≤ .05 after correction; ring: undecided."
    caption = _titled(comparison, section, f"{official} by {by}")
    return Panels(caption, section.names, panels, f"{official} in points", note if against else "", most=100)


KINDS: dict[str, Callable[[Comparison, Section], Panels]] = {
    "forest": forest,
    "ranks": rank_plot,
    "metrics": metrics_plot,
    "groups": groups_plot,
}


def _titled(comparison: Comparison, section: Section, what: str) -> str:
    """A title: the data, what the plot shows, and the number of documents."""
    documents = ""
    if section.verdict is not None and section.verdict.documents:
        documents = f" ({_sized(section.verdict.documents, section.verdict.unit)})"
    where = " · ".join(filter(None, (comparison.data, section.title)))
    return f"{where}: {what}{documents}" if where else f"{what[0].upper()}{what[1:]}{documents}"


def _sized(number: int, unit: str) -> str:
    """`1 document`, `1,200 documents`."""
    return f"{number:,} {unit}" if number == 1 else f"{number:,} {unit}s"


def kind_and_file(given: str) -> tuple[str, str]:
    """KIND=FILE or FILE of the command line; a file that can't be written is an error before anything is scored."""
    kind, equals, path = given.partition("=")
    if not equals or (kind not in KINDS and Path(given).parent != Path(kind).parent):
        kind, path = "", given
    elif kind not in KINDS:
        choose(kind, KINDS, "kind of plot")
    check_suffix(path)
    return kind, path
