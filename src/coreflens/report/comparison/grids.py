"""Further tables: systems by tagger, approaches, sections side by side, numbers as a paper rounds them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import inf

from ...comparison.ranks import merit
from ...comparison.sections import Section
from ...comparison.systems import System
from ...metrics import METRICS, Average, Metric
from ...metrics.registry import recall_precision
from ...options import Options
from ...paper.table import Table, points
from ...scoring.scores import Score, Scores, fixed, is_number, rounded
from .cells import SHORT, number_cell, titled


def by_tagger(section: Section, metric: str, digits: int) -> Table | None:
    """Systems × mention taggers by a metric (Cai & Strube 2010, Tables 8 to 10); none without taggers."""
    taggers = list(dict.fromkeys(system.tagger for system in _as_given(section) if system.tagger))
    if not taggers:
        return None
    names: dict[str, dict[str, str]] = {}  # system without its tagger → tagger → its name in the comparison
    for system in _as_given(section):
        names.setdefault(_base(system), {})[system.tagger] = system.name
    if any("" in by_tagger for by_tagger in names.values()):
        taggers.append("")
    rows: list[list[str]] = []
    bold: set[tuple[int, int]] = set()
    for base, name_of in names.items():
        scores = [section.main[name_of[tagger]] if tagger in name_of else None for tagger in taggers]
        bold |= {(len(rows), column) for column in _best_columns(scores, metric)}
        rows.append([base, *(number_cell(of_tagger, metric, "main", digits) for of_tagger in scores)])
    header = ["system", *(tagger or "no tagger" for tagger in taggers)]
    title = f"{METRICS[metric].title} by mention tagger"
    if section.title:
        title = f"{section.title}: {title}"
    return Table(header, rows, title=title, bold=frozenset(bold))


def _best_columns(scores: Sequence[Scores | None], metric: str) -> list[int]:
    """The columns of the best of several scores, counted from 1; none if all are equal."""
    merits = {column: merit(found, metric) for column, found in enumerate(scores, 1) if found is not None}
    best, worst = max(merits.values()), min(merits.values())
    return [column for column, number in merits.items() if number == best > worst]


def approaches(section: Section) -> Table | None:
    """What the manifest says about each system, one column per word (CoNLL-2011, Tables 22, 23)."""
    words = list(dict.fromkeys(word for system in section.systems for word, _ in system.about))
    if not words:
        return None
    has_notes = any(system.notes for system in section.systems)
    header = ["system", *words]
    if has_notes:
        header.append("notes")
    rows = []
    for system in section.systems:
        said = dict(system.about)
        row = [system.name, *(said.get(word, "–") for word in words)]
        if has_notes:
            row.append(system.notes or "–")
        rows.append(row)
    return Table(header, rows, frozenset(range(len(header))), title=titled(section, "approaches"))


def paper_ranking(section: Section, metrics: Sequence[str], digits: int) -> Table:
    """R, P and F as shares; F is computed from the rounded P and R (Cai & Strube 2010, Tables 12 to 15)."""
    header, spans = ["system"], [("", 1)]
    columns: list[tuple[str, str]] = []
    for metric in metrics:
        parts = [part for part in SHORT if part in METRICS[metric].values] or ["value"]
        columns += [(metric, part) for part in parts]
        header += [SHORT.get(part, "") for part in parts]
        spans.append((METRICS[metric].title, len(parts)))
    rows = []
    for name in section.names:
        numbers = _rounded(section.main[name], digits)
        rows.append([name, *(_fixed(numbers.get(metric, {}).get(part), digits) for metric, part in columns)])
    return Table(header, rows, title=section.title, spans=tuple(spans))


def _fixed(number: Fraction | None, digits: int) -> str:
    return "n/a" if number is None else fixed(number, digits)


PAPER = "Shares, and F of P and R rounded first, as Cai & Strube (2010) computed it."


def _rounded(scores: Scores, digits: int) -> dict[str, dict[str, Fraction]]:
    """The numbers of each metric, with R and P rounded first; averages use the F computed from these."""
    by_metric: dict[str, dict[str, Fraction]] = {}
    for metric, score in scores.items():
        about = METRICS[metric]
        if isinstance(about, Metric):
            by_metric[metric] = _parts(score, about, digits)
    for metric, score in scores.items():
        about = METRICS[metric]
        if not isinstance(about, Average):
            continue
        weights = about.weights(getattr(scores, "options", Options()))
        if all("f1" in by_metric.get(part, {}) for part in weights):
            total = sum((Fraction(weight) * by_metric[part]["f1"] for part, weight in weights.items()), Fraction(0))
            by_metric[metric] = {"f1": rounded(total / Fraction(sum(weights.values())), digits)}
        elif is_number(score.f1):
            by_metric[metric] = {"f1": rounded(score.f1, digits)}
    return by_metric


def _parts(score: Score, about: Metric, digits: int) -> dict[str, Fraction]:
    """The numbers of a metric, with F computed from the rounded R and P."""
    numbers = {name: rounded(x, digits) for name, x in score.numbers().items() if score.defined(name)}
    kinds = [_link_parts(score.counts, kind, digits) for kind in ("coref", "non")]
    if "coref_key" in score.counts and all(kinds):  # BLANC: the mean of the two kinds of links, each rounded
        return {n: rounded((kinds[0][n] + kinds[1][n]) / 2, digits) for n in SHORT}
    if {"recall", "precision", "f1"} <= set(numbers) and about.finalize is recall_precision:
        numbers["f1"] = _harmonic(numbers["recall"], numbers["precision"], digits)
    return numbers


def _harmonic(r: Fraction, p: Fraction, digits: int) -> Fraction:
    return rounded(2 * r * p / (r + p), digits) if r + p else Fraction(0)


def _link_parts(counts: Mapping[str, object], kind: str, digits: int) -> dict[str, Fraction]:
    """R, P and F of one kind of links as a paper prints them; empty where a side has none."""
    if not counts.get(f"{kind}_key") or not counts.get(f"{kind}_response"):
        return {}
    common, key, response = (Fraction(str(counts[f"{kind}_{of}"])) for of in ("common", "key", "response"))
    r, p = rounded(common / key, digits), rounded(common / response, digits)
    return {"recall": r, "precision": p, "f1": _harmonic(r, p, digits)}


def _as_given(section: Section) -> Iterator[System]:
    yield from sorted(section.systems, key=lambda system: (_base(system), system.tagger))


def _base(system: System) -> str:
    return system.name.removesuffix(f" ({system.tagger})")


def summary(sections: Sequence[Section], digits: int) -> Table | None:
    """Systems × sections by the official score, and the mean over languages for systems that are in all of them.

    A mean is over one track and one condition; a mean over several would mix tasks of different difficulty.
    """
    if not all(section.ranked for section in sections) or not _some_in_several(sections):
        return None
    means = _means(sections)
    systems = dict.fromkeys(name for section in sections for name in section.names)
    merits = {name: _merits(name, sections, means) for name in systems}
    names = sorted(merits, key=lambda name: [-number for number in merits[name][len(sections) :]])
    sign = -1 if METRICS[sections[0].official].error else 1
    rows = [[name, *_merit_cells(merits[name], sign, digits)] for name in names]
    track = sections[0].track if len({section.track for section in sections}) == 1 else ""
    title = f"{METRICS[sections[0].official].title} by section"
    return Table(
        ["system", *(_within(section, track) for section in sections), *_mean_titles(sections, means)],
        rows,
        title=f"{track}: {title}" if track else title,
        bold=_highest([merits[name] for name in names]),
    )


def _merit_cells(merits: Sequence[float], sign: int, digits: int) -> list[str]:
    return ["–" if number == -inf else points(sign * number, digits) for number in merits]


def _highest(rows: Sequence[Sequence[float]]) -> frozenset[tuple[int, int]]:
    """The cells with the highest number of each column, if there are several rows."""
    if len(rows) < 2:
        return frozenset()
    highest = []
    for column, numbers in enumerate(zip(*rows, strict=True), 1):
        best = max(numbers)
        highest += [(row, column) for row, number in enumerate(numbers) if number == best > -inf]
    return frozenset(highest)


def _some_in_several(sections: Sequence[Section]) -> bool:
    """Whether some system is in several sections."""
    times = Counter(name for section in sections for name in section.main)
    return any(number > 1 for number in times.values())


def _merits(name: str, sections: Sequence[Section], means: Sequence[Sequence[int]]) -> list[float]:
    """The merit of a system in each section, then its means; −inf where it is missing."""
    merits = [merit(s.main[name], s.official) if name in s.main else -inf for s in sections]
    return merits + [sum(merits[place] for place in places) / len(places) for places in means]


def _mean_titles(sections: Sequence[Section], means: Sequence[Sequence[int]]) -> list[str]:
    titles = []
    for places in means:
        condition = sections[places[0]].condition or "other"
        titles.append("mean" if len(places) == len(sections) else f"mean, {condition}")
    return titles


def _means(sections: Sequence[Section]) -> list[list[int]]:
    """The places of sections whose mean makes sense, if some system is in all of them."""
    alike: dict[tuple[object, ...], list[int]] = {}
    for place, section in enumerate(sections):
        options = getattr(next(iter(section.main.values())), "options", None)
        alike.setdefault((section.track, section.condition, section.official, options), []).append(place)
    means = []
    for places in alike.values():
        in_all = set.intersection(*(set(sections[place].main) for place in places))
        if len(places) > 1 and in_all:
            means.append(places)
    return means


def _within(section: Section, track: str) -> str:
    """The title of a section among those of its track."""
    return (section.title.removeprefix(f"{track} · ") if track else section.title) or "–"
