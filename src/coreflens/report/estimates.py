"""Estimates on paper: one sentence, the scores with their intervals, and what the sample is."""

from __future__ import annotations

from ..estimates.designs import UNITS
from ..estimates.ratios import Part
from ..estimates.results import PARTS, Estimate, Estimates, SystemDifference, SystemEstimates
from ..metrics import METRICS
from ..paper.panels import Dot, Panel, Panels
from ..paper.table import NOT_AVAILABLE, Table, points, signed
from ..paper.web import fragment
from ..paper.writers import written

DIGITS = 1
_TITLES: dict[Part, str] = {"recall": "R", "precision": "P", "f1": "F1"}
_PREFERRED = "bcub"  # the metric of the first sentence, if it was asked for


def text(found: Estimates) -> str:
    """Everything, for a terminal."""
    return render(found, "table")


def html(found: Estimates) -> str:
    """The scores, for a notebook."""
    return fragment(scores(found), found.signature)


def render(found: Estimates, format: str, digits: int = DIGITS) -> str:
    """The sentence, the scores and what the sample is; CSV has one row per score."""
    if format == "csv":
        return written([records(found)], "csv", "")
    tables = [scores(found, digits)]
    if found.differences:
        tables.append(differences(found, digits))
    return written([*tables, about(found)], format, found.signature)


def sentence(found: Estimates, digits: int = DIGITS) -> str:
    """`B³ F1 is 72.4 [69.7, 75.1], from 200 of 19,375 records.` With several systems: which is better."""
    if found.differences:
        return verdict(found, digits)
    metric = _main_metric(found)
    part, estimate = _main_part(found.first, metric)
    whole = f" of {found.population:,}" if found.population is not None else ""
    drawn = f"from {found.draws:,}{whole} {UNITS[found.design.by]}"
    title = f"{METRICS[metric].title} {_TITLES[part]}"
    if estimate.value is None:
        return f"{title} can't be estimated {drawn}: {estimate.why}."
    return f"{title} is {points(estimate.value, digits)}{interval(estimate, digits)}, {drawn}."


def verdict(found: Estimates, digits: int = DIGITS) -> str:
    """Who is better in the most important metric, and by how much."""
    metric = _main_metric(found)
    part, _ = _main_part(found.first, metric)
    title = f"{METRICS[metric].title} {_TITLES[part]}"
    compared = [d for d in found.differences if (d.metric, d.part) == (metric, part)]
    if not compared:
        return f"{title} can't be compared on this sample."
    return " ".join(_judged(difference, title, digits) for difference in compared)


def _judged(difference: SystemDifference, title: str, digits: int) -> str:
    ahead, behind, sign = difference.one, difference.other, 1
    if difference.difference < 0:
        ahead, behind, sign = behind, ahead, -1
    by = points(sign * difference.difference, digits)
    if difference.low is None or difference.high is None:
        return f"{ahead} has {by} more in {title} than {behind}, and no interval."
    ends = sorted((sign * difference.low, sign * difference.high))
    span = f"[{', '.join(signed(end, digits, plus=False) for end in ends)}]"
    if difference.shown:
        return f"{ahead} is better than {behind} in {title}, by {by} {span}."
    return f"No difference between {ahead} and {behind} is shown in {title}: {by} {span}."


def _main_metric(found: Estimates) -> str:
    return _PREFERRED if _PREFERRED in found.metrics else found.metrics[0]


def _main_part(system: SystemEstimates, metric: str) -> tuple[Part, Estimate]:
    """F1, or another part if there is no F1."""
    parts = system.scores[metric]
    known = [part for part in reversed(PARTS) if parts[part].value is not None]
    part = known[0] if known else "f1"
    return part, parts[part]


def interval(estimate: Estimate, digits: int) -> str:
    """` [69.7, 75.1]`, empty if there is none."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f" [{points(estimate.low, digits)}, {points(estimate.high, digits)}]"


def scores(found: Estimates, digits: int = DIGITS) -> Table:
    """Value, standard error and interval of each score, one row per metric (and system)."""
    several = len(found.systems) > 1
    rows = []
    for metric in found.metrics:
        for name, system in found.systems.items():
            cells = [cell for part in PARTS for cell in _cells(system.scores[metric][part], digits)]
            rows.append([METRICS[metric].title, *([name] if several else []), *cells])
    level = f"{100 * found.confidence:g} %"
    header = ["metric", *(["system"] if several else []), *(["", "±", level] * len(PARTS))]
    spans = (("", 2 if several else 1), *((_TITLES[part], 3) for part in PARTS))
    left = frozenset({0, 1} if several else {0})
    return Table(header, rows, left, spans=spans, caption=sentence(found, digits), name="Estimated scores")


def _cells(estimate: Estimate, digits: int) -> list[str]:
    if estimate.value is None:
        return [NOT_AVAILABLE, "", ""]
    error = "" if estimate.se is None else points(estimate.se, digits)
    return [points(estimate.value, digits), error, interval(estimate, digits).strip()]


def differences(found: Estimates, digits: int = DIGITS) -> Table:
    """The paired differences, with their intervals; those that exclude 0 are in bold."""
    rows, bold = [], set()
    for row, difference in enumerate(found.differences):
        title = f"{METRICS[difference.metric].title} {_TITLES[difference.part]}"
        ends = ["", ""]
        if difference.low is not None and difference.high is not None:
            ends = [signed(difference.low, digits), signed(difference.high, digits)]
        error = "" if difference.se is None else points(difference.se, digits)
        span = f"[{', '.join(ends)}]" if ends[0] else ""
        rows.append(
            [f"{difference.one} − {difference.other}", title, signed(difference.difference, digits), error, span]
        )
        if difference.shown:
            bold.add((row, 2))
    level = f"{100 * found.confidence:g} %"
    header = ["difference", "score", "points", "±", level]
    return Table(header, rows, frozenset({0, 1}), bold=frozenset(bold), name="Paired differences")


def about(found: Estimates) -> Table:
    """What was drawn, what was labelled, and what the sample stands for."""
    rows = [["drawn", _drawn(found)]]
    if found.strata > 1:
        rows.append(["strata", f"{found.strata:,}"])
    if found.population is not None:
        rows.append(["population", f"{found.population:,} {UNITS[found.design.by]}"])
    rows.append(["records labelled", f"{found.labelled:,}"])
    for name, system in found.systems.items():
        which = f" ({name})" if len(found.systems) > 1 else ""
        if system.pairs_share is not None:
            rows.append([f"of the response's pairs{which}", f"{100 * system.pairs_share:.0f} %"])
    if found.first.entities is not None:
        rows.append(["true entities, estimated", f"{found.first.entities:,.0f}"])
    if found.first.mean_size is not None:
        rows.append(["their mean size", f"{found.first.mean_size:.2f}"])
    return Table(["sample", ""], rows, frozenset({0}), name="The sample")


def _drawn(found: Estimates) -> str:
    design = found.design
    more = ", precision from clusters" if design.from_clusters else ", entities completed" if design.completed else ""
    return f"{found.draws:,} {UNITS[design.by]}{more}"


def records(found: Estimates) -> Table:
    """One row per score, with all digits."""
    header = ["system", "metric", "part", "value", "se", "bias", "low", "high", "effective"]
    rows = [
        [name, metric, part, *map(_exact, (e.value, e.se, e.bias, e.low, e.high, e.effective))]
        for name, system in found.systems.items()
        for metric, parts in system.scores.items()
        for part, e in parts.items()
    ]
    rows += [
        [f"{d.one} - {d.other}", d.metric, d.part, *map(_exact, (d.difference, d.se, None, d.low, d.high, None))]
        for d in found.differences
    ]
    return Table(header, rows, frozenset({0, 1, 2}))


def _exact(number: float | None) -> str:
    return "" if number is None else repr(number)


def plot(found: Estimates) -> Panels:
    """Dots with intervals: one panel for each part, one row for each metric (and system)."""
    several = len(found.systems) > 1
    entries = [(metric, name) for metric in found.metrics for name in found.systems]
    titles = [f"{METRICS[metric].title}, {name}" if several else METRICS[metric].title for metric, name in entries]
    panels = [
        Panel(_TITLES[part], [_dot(found.systems[name].scores[metric][part]) for metric, name in entries])
        for part in PARTS
    ]
    note = f"{100 * found.confidence:g} % intervals from {found.draws:,} {UNITS[found.design.by]}"
    return Panels("Estimated scores", titles, panels, "points", note, most=100)


def _dot(estimate: Estimate) -> Dot | None:
    if estimate.value is None:
        return None
    nothing = float("nan")
    low, high = (nothing if x is None else 100 * x for x in (estimate.low, estimate.high))
    return Dot(100 * estimate.value, low, high)
