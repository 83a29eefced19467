"""The tables of a comparison: ranking, differences to a baseline, ranks by metric, groups, matchings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf

from ..errors import choose
from ..metrics import METRICS
from ..report.tables import WRITERS, Table, points, score_points
from ..scoring.scores import Scores, is_number
from ..stats.paired import TESTS
from . import Comparison, Section
from .numbers import plain, records
from .ranks import merit, ranks
from .testing import LEVEL

BETTER, WORSE = "†", "‡"


def render(comparison: Comparison, format: str = "table", *, digits: int = 2, rpf: bool = False) -> str:
    """A comparison in one of `report.FORMATS`."""
    from ..report import FORMATS

    choose(format, FORMATS, "format")
    if format == "json":
        return json.dumps(plain(comparison), ensure_ascii=False, indent=1, allow_nan=False)
    if format == "csv":
        rows = records(comparison)
        header = list(rows[0]) if rows else []
        return WRITERS["csv"](Table(header, [["" if x is None else str(x) for x in row.values()] for row in rows]), "")
    tables = list(_tables(comparison, digits, rpf))
    tables[-1][1].extend(dict.fromkeys(section.signature for section in comparison.sections if section.signature))
    return "\n\n".join(WRITERS[format](table, "\n".join(notes)).rstrip("\n") for table, notes in tables)


def _tables(comparison: Comparison, digits: int, rpf: bool) -> Iterator[tuple[Table, list[str]]]:
    """All tables, each with the notes below it: rankings in one if their columns are the same, then the details."""
    sections = comparison.sections
    rankings = [ranking(comparison, section, digits, rpf) for section in sections]
    legends = [list(_legend(comparison, section)) for section in sections]
    together = len({tuple(table.long_header) for table in rankings}) == 1 and len(sections) > 1
    if together:
        yield stacked(rankings), list(dict.fromkeys(line for legend in legends for line in legend))
    for section, table, legend in zip(sections, rankings, legends, strict=True):
        if not together:
            yield table, legend
        yield from _details(comparison, section, digits)
    tracks = dict.fromkeys(section.track for section in sections)
    together = len(tracks) == len(sections)  # nothing but tracks: side by side
    for some in [sections] if together else [[s for s in sections if s.track == track] for track in tracks]:
        if len(some) > 1 and (summary := _summary(some, digits)) is not None:
            yield summary, []


def _details(comparison: Comparison, section: Section, digits: int) -> Iterator[tuple[Table, list[str]]]:
    if len(section.scores) > 1:
        yield matchings(section, digits), []
    if comparison.baseline in section.main and section.tests:
        notes = [*_columns(comparison), *_disagreements(comparison, section)]
        yield differences(section, str(comparison.baseline), digits), notes
    if _reordered(section):
        yield rank_changes(section), [f"! {dispute.describe(section.official)}" for dispute in section.disputes]
    if section.groups:
        yield by_group(comparison, section, digits), []


def stacked(tables: Sequence[Table]) -> Table:
    """Tables with the same columns as one, the title of each as a heading between the rows."""
    starts = [sum(len(table.rows) for table in tables[:n]) for n in range(len(tables))]
    placed = list(zip(starts, tables, strict=True))
    return replace(
        tables[0],
        title="",
        rows=[row for table in tables for row in table.rows],
        headings={start: table.title for start, table in placed},
        bold=frozenset((start + n, c) for start, table in placed for n, c in table.bold),
        marks={(start + n, c): mark for start, table in placed for (n, c), mark in table.marks.items()},
    )


def _shown(section: Section) -> list[str]:
    """Metrics in the order of the papers' tables: the official score last."""
    return [m for m in section.metrics if m != section.official] + [section.official]


def _cell(scores: Scores, metric: str, value: str, digits: int) -> str:
    if metric not in scores:
        return "–"
    return score_points(scores[metric], value, digits)


def ranking(comparison: Comparison, section: Section, digits: int, rpf: bool) -> Table:
    """A row a system, best first; with a baseline, marks where a system differs from it."""
    columns: list[tuple[str, str]] = []  # metric, value
    spans: list[tuple[str, int]] = [("", 2)]
    for metric in _shown(section):
        values = [v for v in ("recall", "precision") if rpf and v in METRICS[metric].values]
        columns += [(metric, v) for v in (*values, "main")]
        spans.append((METRICS[metric].title, len(values) + 1))
    titles = {"recall": "R", "precision": "P", "main": "F1"}
    header = ["", "system", *(titles[v] if rpf else METRICS[m].title for m, v in columns)]
    place = ranks(section.main, section.official)
    rows = []
    for name in section.names:
        rank = f"{place[name]}" if section.ranked else ""
        rows.append([rank, name, *(_cell(section.main[name], m, v, digits) for m, v in columns)])
    marks: dict[tuple[int, int], str] = {}
    for n, name in enumerate(section.names):
        if name in section.flags:
            marks[n, len(header) - 1] = section.flags[name]
        for c, (metric, value) in enumerate(columns):
            found = section.tests.get((str(comparison.baseline), name)) if value == "main" else None
            if found and section.adjusted[(str(comparison.baseline), name), metric] <= LEVEL:
                better = (found[metric].difference > 0) != METRICS[metric].error
                marks[n, c + 2] = BETTER if better else WORSE
    letters = {} if comparison.baseline in section.main else section.letters(LEVEL)
    if letters and len(rows) > 1:
        header.append("group")
        spans.append(("", 1))
        rows = [[*row, letters[name]] for row, name in zip(rows, section.names, strict=True)]
    if not section.ranked:
        header, rows, spans = header[1:], [row[1:] for row in rows], [("", 1), *spans[1:]]
        marks = {(n, c - 1): mark for (n, c), mark in marks.items()}
    shift = header.index("system") + 1
    bold = frozenset(
        (n, c + shift)
        for c, (metric, value) in enumerate(columns)
        if len(rows) > 1
        for n in _best(section, metric, value)
    )
    left = frozenset({shift - 1, *([len(header) - 1] if header[-1] == "group" else [])})
    return Table(header, rows, left, title=section.title, spans=tuple(spans) if rpf else (), bold=bold, marks=marks)


def _best(section: Section, metric: str, value: str) -> list[int]:
    """Rows of the best systems by a value."""
    if value == "main":
        numbers = [merit(section.main[name], metric) for name in section.names]
    else:
        numbers = [_part(section.main[name], metric, value) for name in section.names]
    return [n for n, x in enumerate(numbers) if x == max(numbers) > -inf]


def _part(scores: Scores, metric: str, value: str) -> float:
    number = getattr(scores[metric], value) if metric in scores else None
    return float(number) if is_number(number) else -inf


def matchings(section: Section, digits: int) -> Table:
    """F1 under each matching side by side, and the rank under each."""
    kinds = list(section.scores)
    shown = _shown(section)
    header = ["system", *(kind for _ in shown for kind in kinds), *kinds]
    place = {kind: ranks(section.scores[kind], section.official) for kind in kinds}
    rows = [
        [
            name,
            *(_cell(section.scores[kind][name], metric, "main", digits) for metric in shown for kind in kinds),
            *(str(place[kind][name]) for kind in kinds),
        ]
        for name in section.names
    ]
    spans = [("", 1), *((METRICS[m].title, len(kinds)) for m in shown), ("rank", len(kinds))]
    return Table(header, rows, spans=tuple(spans), title=_title(section, f"{' beside '.join(kinds)} matching, F1"))


def differences(section: Section, baseline: str, digits: int) -> Table:
    """Each system minus the baseline: the difference, its interval, p as it is and corrected, effect sizes."""
    rows = []
    for name in section.names:
        if name == baseline:
            continue
        for metric in _shown(section):
            test = section.tests[baseline, name][metric]
            adjusted = section.adjusted[(baseline, name), metric]
            interval = f"[{_signed(test.low, digits)}, {_signed(test.high, digits)}]" if is_number(test.low) else ""
            cells = [_signed(test.difference, digits), interval, _p(test.p), _p(adjusted), _plain(test.effect)]
            rows.append([name, METRICS[metric].title, *cells, f"{test.wins}/{test.losses}"])
    header = ["system", "metric", "Δ", "interval", "p", "p corrected", "d", "documents +/–"]
    title = _title(section, f"differences to {baseline}, in points")
    return Table(header, rows, frozenset({0, 1}), title=title)


def rank_changes(section: Section) -> Table:
    """The rank of each system by each metric."""
    shown = _shown(section)
    place = {metric: ranks(section.main, metric) for metric in shown}
    rows = [[name, *(str(place[metric][name]) for metric in shown)] for name in section.names]
    first = {dispute.metric for dispute in section.disputes}
    marks = {
        (n, c + 1): "!"
        for n, name in enumerate(section.names)
        for c, metric in enumerate(shown)
        if metric in first and place[metric][name] == 1
    }
    title = _title(section, "rank by metric")
    return Table(["system", *(METRICS[m].title for m in shown)], rows, title=title, marks=marks)


def _reordered(section: Section) -> bool:
    official = ranks(section.main, section.official)
    coreference = [m for m in section.metrics if not getattr(METRICS[m], "mention_detection", False)]
    return section.ranked and any(ranks(section.main, m) != official for m in coreference)


def by_group(comparison: Comparison, section: Section, digits: int) -> Table:
    """Systems × groups, by the official score."""
    labels = list(dict.fromkeys(label for groups in section.groups.values() for label in groups))
    intervals = section.macro.intervals if section.macro else {}
    rows = []
    for name in section.names:
        of = section.groups[name]
        cells = [_cell(of[label], section.official, "main", digits) if label in of else "–" for label in labels]
        rows.append([name, *cells, _cell(section.main[name], section.official, "main", digits)])
        if intervals:
            found = intervals[name][section.official]
            ends = found.get("f1") or found["value"]
            shown = f"[{points(ends.low, digits)}, {points(ends.high, digits)}]" if is_number(ends.low) else ""
            rows[-1].append(shown)
    best = []
    for c, label in enumerate(labels):
        numbers = [merit(section.groups[n][label], section.official) for n in section.names]
        best += [(n, c + 1) for n, x in enumerate(numbers) if len(numbers) > 1 and x == max(numbers)]
    by = comparison.by if comparison.by in ("genre", "part", "document", "dataset") else "group"
    title = _title(section, f"{METRICS[section.official].title} by {by}")
    header = ["system", *labels, "mean" if section.macro else "all"]
    if intervals:
        header.append(f"{100 * float(comparison.how['confidence']):g}% interval")
    return Table(header, rows, title=title, bold=frozenset(best))


def _summary(sections: Sequence[Section], digits: int) -> Table | None:
    """Systems × sections by the official score, and the mean over languages for systems that are in all of them.

    A mean is of one track and one condition: over others it would mix tasks of different difficulty.
    """
    names = list(dict.fromkeys(name for s in sections for name in s.names))
    if not all(s.ranked for s in sections) or all(sum(name in s.main for s in sections) < 2 for name in names):
        return None
    found: list[tuple[str, list[float]]] = []  # −inf: not there
    runs = _runs(sections)
    for name in names:
        numbers = [merit(s.main[name], s.official) if name in s.main else -inf for s in sections]
        found.append((name, [*numbers, *(sum(numbers[n] for n in run) / len(run) for run in runs)]))
    found.sort(key=lambda row: [-x for x in row[1][len(sections) :]])
    columns = list(zip(*(numbers for _, numbers in found), strict=True))
    sign = -1 if METRICS[sections[0].official].error else 1
    rows = [[name, *("–" if x == -inf else points(sign * x, digits) for x in numbers)] for name, numbers in found]
    bold = {(n, c) for c, column in enumerate(columns, 1) for n, x in enumerate(column) if x == max(column) > -inf}
    tracks = {section.track for section in sections}
    track = sections[0].track if len(tracks) == 1 else ""
    of = [sections[run[0]].condition or "other" if len(run) < len(sections) else "" for run in runs]
    means = [f"mean, {condition}" if condition else "mean" for condition in of]
    header = ["system", *(_within(section, track) for section in sections), *means]
    by = f"{METRICS[sections[0].official].title} by section"
    return Table(header, rows, title=f"{track}: {by}" if track else by, bold=frozenset(bold if len(rows) > 1 else ()))


def _runs(sections: Sequence[Section]) -> list[list[int]]:
    """Sections that a mean may be taken over, where some system is in all of them."""
    alike: dict[tuple[object, ...], list[int]] = {}
    for place, s in enumerate(sections):
        options = getattr(next(iter(s.main.values())), "options", None)
        alike.setdefault((s.track, s.condition, s.official, options), []).append(place)
    everywhere = (set.intersection(*(set(sections[n].main) for n in run)) for run in alike.values())
    return [run for run, common in zip(alike.values(), everywhere, strict=True) if len(run) > 1 and common]


def _within(section: Section, track: str) -> str:
    """The title of a section among those of its track."""
    return (section.title.removeprefix(f"{track} · ") if track else section.title) or "–"


def _title(section: Section, what: str) -> str:
    return f"{section.title}: {what}" if section.title else what[0].upper() + what[1:]


def _columns(comparison: Comparison) -> Iterator[str]:
    interval = f"{100 * float(comparison.how['confidence']):g}% interval"
    yield (
        f"{interval} by paired bootstrap; p corrected over the systems, by metric; d: mean difference of the documents "
        "over its standard deviation; documents in which the system is better/worse"
    )


def _disagreements(comparison: Comparison, section: Section) -> Iterator[str]:
    """A sentence for every reason why an interval excludes 0 and yet nothing is significant."""
    confidence = float(comparison.how["confidence"])
    found: dict[str, dict[str, list[str]]] = {}
    for (_, name), tests in section.tests.items():
        for metric in _shown(section):
            test = tests[metric]
            why = test.disagreement(confidence)
            large = f"p is above {1 - confidence:.2g}: "
            if not why and (test.low > 0 or test.high < 0) and section.adjusted[(test.first, name), metric] > LEVEL:
                large = f"the corrected p is above {LEVEL:g}: "
                why = (
                    f"an interval is for one comparison alone, and p is corrected for {len(section.tests)} comparisons"
                )
            if why:
                found.setdefault(large + why, {}).setdefault(name, []).append(METRICS[metric].title)
    for why, systems in found.items():
        where = "; ".join(f"{name}: {', '.join(titles)}" for name, titles in systems.items())
        yield f"The interval excludes 0 ({where}), but {why}"


def _legend(comparison: Comparison, section: Section) -> Iterator[str]:
    if section.tests:
        how = comparison.how
        corrected = {"holm": ", corrected by Holm", "bh": ", corrected by Benjamini–Hochberg", "none": ""}
        told = TESTS[how["test"]].split(":")[0].split(",")[0].split(" on ")[0]
        if all(test.exact for tests in section.tests.values() for test in tests.values()):
            told += ", all assignments counted out"
        by = f"({told}, two-sided p ≤ {LEVEL:g}{corrected[str(how['correction'])]})"
        against = comparison.baseline in section.main
        least = section.smallest_of(section.metrics if against else [section.official])
        if least > 0:
            by = f"{by[:-1]}; the smallest possible is {least:.3g})"
        if least > LEVEL:
            who = f"No system can differ significantly from {comparison.baseline}"
            yield f"{who if against else 'No two systems can differ significantly'} {by}"
        elif against:
            yield f"{BETTER} better, {WORSE} worse than {comparison.baseline} {by}"
        elif section.letters(LEVEL):
            official = METRICS[section.official].title
            yield f"Systems that share a letter do not differ significantly in {official} {by}"
        else:
            yield f"All pairs were tested {by}; letters can't sum it up: --format json has every p"
    for flag in dict.fromkeys(section.flags.values()):
        systems = ", ".join(name for name, mark in section.flags.items() if mark == flag)
        yield f"{flag} the printed average is not the mean of the printed F1s: {systems}"


def _signed(x: float, digits: int) -> str:
    return f"{100 * x:+.{digits}f}".replace("-", "−") if is_number(x) else "n/a"


def _plain(x: float) -> str:
    return f"{x:+.2f}".replace("-", "−") if is_number(x) else "n/a"


def _p(p: float) -> str:
    return ("<0.0001" if p < 0.0001 else f"{p:.4f}") if is_number(p) else "n/a"
