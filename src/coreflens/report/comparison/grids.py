"""Further tables of a comparison: metrics by group, systems by tagger, approaches, numbers as a paper rounds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import inf

from ...comparison.ranks import merit
from ...comparison.sections import Section
from ...comparison.systems import System
from ...metrics import METRICS, Average, Metric
from ...metrics.registry import recall_precision
from ...options import Options
from ...paper.table import Table, points, score_points
from ...scoring.scores import Score, Scores, fixed, is_number, rounded

_SHORT = {"recall": "R", "precision": "P", "f1": "F1"}


def metrics_by_group(section: Section, metrics: Sequence[str], digits: int, rpf: bool, by: str) -> Table:
    """Metrics × groups, a block for each system; with `rpf` R, P and F1 of each metric (CoNLL-2011, Tables 20, 21)."""
    labels = list(dict.fromkeys(label for groups in section.groups.values() for label in groups))
    rows: list[list[str]] = []
    headings: dict[int, str] = {}
    for name in section.names:
        headings[len(rows)] = name
        views: list[Scores | None] = [section.groups[name].get(label) for label in labels]
        views.append(section.main[name])
        for metric in metrics:
            parts = [v for v in _SHORT if v in METRICS[metric].values] if rpf else []
            for part in parts if len(parts) > 1 else ["main"]:
                title = METRICS[metric].title + (f" {_SHORT[part]}" if part in _SHORT else "")
                cells = (score_points(s[metric], part, digits) if s is not None and metric in s else "–" for s in views)
                rows.append([title, *cells])
    last = "mean" if section.macro else "all"
    title = f"metrics by {by}" if rpf else f"F1 by {by}"
    title = f"{section.title}: {title}" if section.title else title[0].upper() + title[1:]
    return Table(["metric", *labels, last], rows, title=title, headings=headings)


def by_tagger(section: Section, metric: str, digits: int) -> Table | None:
    """Systems × mention taggers by a metric (Cai & Strube 2010, Tables 8 to 10); none without taggers."""
    taggers = list(dict.fromkeys(system.tagger for system in _as_given(section) if system.tagger))
    if not taggers:
        return None
    grid: dict[str, dict[str, str]] = {}
    for system in _as_given(section):
        grid.setdefault(_base(system), {})[system.tagger] = system.name
    columns = [*taggers, *([""] if any("" in of for of in grid.values()) else [])]
    rows = [
        [name, *(_cell(section.main[of[t]], metric, digits) if t in of else "–" for t in columns)]
        for name, of in grid.items()
    ]
    best = set()
    for n, of in enumerate(grid.values()):
        merits = {c: merit(section.main[of[t]], metric) for c, t in enumerate(columns, 1) if t in of}
        best |= {
            (n, c) for c, x in merits.items() if len(merits) > 1 and x == max(merits.values()) > min(merits.values())
        }
    title = f"{METRICS[metric].title} by mention tagger"
    title = f"{section.title}: {title}" if section.title else title
    return Table(["system", *(t or "no tagger" for t in columns)], rows, title=title, bold=frozenset(best))


def approaches(section: Section) -> Table | None:
    """What the manifest says about each system, one column per word (CoNLL-2011, Tables 22, 23)."""
    words = list(dict.fromkeys(word for system in section.systems for word, _ in system.about))
    noted = any(system.notes for system in section.systems)
    if not words:
        return None
    rows = []
    for system in section.systems:
        said = dict(system.about)
        rows.append([system.name, *(said.get(word, "–") for word in words), *([system.notes or "–"] if noted else [])])
    header = ["system", *words, *(["notes"] if noted else [])]
    title = f"{section.title}: approaches" if section.title else "Approaches"
    return Table(header, rows, frozenset(range(len(header))), title=title)


def paper_ranking(section: Section, metrics: Sequence[str], digits: int) -> Table:
    """R, P and F as shares; F is computed from the rounded P and R (Cai & Strube 2010, Tables 12 to 15)."""
    header, spans = ["system"], [("", 1)]
    for metric in metrics:
        parts = [v for v in _SHORT if v in METRICS[metric].values] or ["value"]
        header += [_SHORT.get(part, "") for part in parts]
        spans.append((METRICS[metric].title, len(parts)))
    rows = []
    for name in section.names:
        found = _rounded(section.main[name], digits)
        cells = []
        for metric in metrics:
            for part in [v for v in _SHORT if v in METRICS[metric].values] or ["value"]:
                number = found.get(metric, {}).get(part)
                cells.append("n/a" if number is None else fixed(number, digits))
        rows.append([name, *cells])
    return Table(header, rows, title=section.title, spans=tuple(spans))


PAPER = "Shares, and F of P and R rounded first, as Cai & Strube (2010) computed it."


def _rounded(scores: Scores, digits: int) -> dict[str, dict[str, Fraction]]:
    """The numbers of each metric, with R and P rounded first; averages use the F computed from these."""
    found: dict[str, dict[str, Fraction]] = {}
    for metric, score in scores.items():
        about = METRICS[metric]
        if isinstance(about, Metric):
            found[metric] = _parts(score, about, digits)
    for metric, score in scores.items():
        about = METRICS[metric]
        if isinstance(about, Average):
            weights = about.weights(getattr(scores, "options", Options()))
            if all("f1" in found.get(m, {}) for m in weights):
                total = sum((Fraction(w) * found[m]["f1"] for m, w in weights.items()), Fraction(0))
                found[metric] = {"f1": rounded(total / Fraction(sum(weights.values())), digits)}
            elif is_number(score.f1):
                found[metric] = {"f1": rounded(score.f1, digits)}
    return found


def _parts(score: Score, about: Metric, digits: int) -> dict[str, Fraction]:
    numbers = {name: rounded(x, digits) for name, x in score.numbers().items() if score.defined(name)}
    kinds = [_link_parts(score.counts, kind, digits) for kind in ("coref", "non")]
    if "coref_key" in score.counts and all(kinds):  # BLANC: the mean of the two kinds of links, each rounded
        return {n: rounded((kinds[0][n] + kinds[1][n]) / 2, digits) for n in _SHORT}
    if {"recall", "precision", "f1"} <= set(numbers) and about.finalize is recall_precision:
        r, p = numbers["recall"], numbers["precision"]
        numbers["f1"] = rounded(2 * r * p / (r + p), digits) if r + p else Fraction(0)
    return numbers


def _link_parts(counts: Mapping[str, object], kind: str, digits: int) -> dict[str, Fraction]:
    """R, P and F of one kind of links as a paper prints them; empty where a side has none."""
    if not counts.get(f"{kind}_key") or not counts.get(f"{kind}_response"):
        return {}
    common, key, response = (Fraction(str(counts[f"{kind}_{of}"])) for of in ("common", "key", "response"))
    r, p = rounded(common / key, digits), rounded(common / response, digits)
    return {"recall": r, "precision": p, "f1": rounded(2 * r * p / (r + p), digits) if r + p else Fraction(0)}


def _as_given(section: Section) -> Iterator[System]:
    yield from sorted(section.systems, key=lambda system: (_base(system), system.tagger))


def _base(system: System) -> str:
    return system.name.removesuffix(f" ({system.tagger})")


def _cell(scores: Scores, metric: str, digits: int) -> str:
    return score_points(scores[metric], "main", digits) if metric in scores else "–"


def summary(sections: Sequence[Section], digits: int) -> Table | None:
    """Systems × sections by the official score, and the mean over languages for systems that are in all of them.

    A mean is over one track and one condition; a mean over several would mix tasks of different difficulty.
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
    """Sections whose mean makes sense, if some system is in all of them."""
    alike: dict[tuple[object, ...], list[int]] = {}
    for place, s in enumerate(sections):
        options = getattr(next(iter(s.main.values())), "options", None)
        alike.setdefault((s.track, s.condition, s.official, options), []).append(place)
    everywhere = (set.intersection(*(set(sections[n].main) for n in run)) for run in alike.values())
    return [run for run, common in zip(alike.values(), everywhere, strict=True) if len(run) > 1 and common]


def _within(section: Section, track: str) -> str:
    """The title of a section among those of its track."""
    return (section.title.removeprefix(f"{track} · ") if track else section.title) or "–"
