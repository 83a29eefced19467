"""A corpus in figures, on paper: the tables of corpus papers (Pradhan et al. 2011, Tables 2–4), with bars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from ..corpora.anaphora import KINDS
from ..corpora.description import BINS, Description, Figures
from ..corpora.homonymy import Names
from ..paper.table import Table
from ..scoring.scores import fixed, percent
from .taggers import one_tagger, whole


def tables(d: Description, *, bars: bool = True, commas: bool = True, rate: bool = False) -> dict[str, Table]:
    """Title → table, for all tables that the corpus has; with or without bars and commas in large numbers.

    `rate` adds the coreference rate of each group.
    """
    return {title: _plain(table, bars, commas) for title, table in _tables(d, rate).items()}


def _tables(d: Description, rate: bool) -> dict[str, Table]:
    found = {"Corpus": _corpus_table(d.groups, d.total, rate)}
    found["Entities by size"] = _distribution(d.entity_sizes, "mentions", "entities")
    if d.mention_lengths:
        found["Mentions by length"] = _distribution(d.mention_lengths, f"{d.unit}s", "mentions")
    if d.mention_types:
        found["Mentions by type"] = _shares(d.mention_types, "type")
    if d.categories:
        found["Mentions by syntactic category"] = _shares(d.categories, "category")
    if d.by_category:
        found["Mentions by syntactic category and group"] = _crossed(d.by_category, d.categories)
    if d.containing:
        rows = [[what, f"{n:,}", percent(Fraction(n, d.total.entities), 1)] for what, n in d.containing.items()]
        found["Entities that contain"] = Table(["", "entities", "%"], rows)
    if d.names is not None:
        found[f"Names ({', '.join(d.names.columns)})"] = _names(d.names)
    if d.anaphora:
        found["Other anaphora"] = _anaphora(d.anaphora)
    if d.features:
        rows = [[name, f"{count:,}"] for name, count in d.features.items()]
        found["Also there"] = Table(["what", "how many"], rows)
    if d.tagger:
        found["As a mention tagger"] = one_tagger(d.tagger)
    return found


def _corpus_table(groups: Mapping[str, Figures], total: Figures, rate: bool) -> Table:
    names = ("documents", "parts", "sentences", "tokens", "mentions", "entities", "links", "singletons")
    shown = [n for n in names if getattr(total, n) is not None and (n != "parts" or total.parts != total.documents)]
    every = [*groups.items(), ("all", total)]
    rows = [[label, *(whole(getattr(f, n)) for n in shown)] for label, f in every]
    if rate:
        rows = [[*row, "n/a" if f.rate is None else fixed(f.rate, 2)] for row, (_, f) in zip(rows, every, strict=True)]
    return Table(["", *shown, *(["mentions per entity"] if rate else [])], rows, strong=1 if groups else 0)


def _binned(counts: Mapping[int, int]) -> Iterable[tuple[str, int]]:
    for low, high in BINS:
        total = sum(n for value, n in counts.items() if low <= value and (high is None or value <= high))
        if high == 0 and not total:  # a corpus without zeros
            continue
        label = str(low) if low == high else f"{low}+" if high is None else f"{low}–{high}"
        yield label, total


def _distribution(counts: Mapping[int, int], unit: str, what: str) -> Table:
    """Counts by bins, up to the last that is not empty, with bars."""
    binned = list(_binned(counts))
    while binned and not binned[-1][1]:
        binned.pop()
    return _bars(binned, unit, what)


def _shares(counts: Mapping[str, int], what: str) -> Table:
    return _bars(list(counts.items()), what, "mentions")


def _crossed(groups: Mapping[str, Mapping[str, int]], total: Mapping[str, int]) -> Table:
    """One row per category: mentions and their share in each group, then in all."""
    every = [*groups.items(), ("all", total)]
    sums = [sum(counts.values()) for _, counts in every]
    rows = [
        [
            kind,
            *(
                cell
                for (_, counts), n in zip(every, sums, strict=True)
                for cell in (f"{counts.get(kind, 0):,}", percent(Fraction(counts.get(kind, 0), n), 1) if n else "")
            ),
        ]
        for kind in total
    ]
    header = ["category", *(["n", "%"] * len(every))]
    return Table(header, rows, spans=(("", 1), *((label, 2) for label, _ in every)))


def _bars(counts: Sequence[tuple[str, int]], label: str, what: str) -> Table:
    most, total = max((n for _, n in counts), default=0), sum(n for _, n in counts)
    rows = [[name, f"{n:,}", percent(Fraction(n, total), 1), _bar(n, most)] for name, n in counts] if total else []
    return Table([label, what, "%", ""], rows, left=frozenset({0, 3}))


def _plain(table: Table, bars: bool, commas: bool) -> Table:
    """The table without its bars (the column without a name), or with numbers as programs read them."""
    width = len(table.header) - (not bars and table.header[-1] == "")
    rows = [
        [cell if commas or place in table.left else cell.replace(",", "") for place, cell in enumerate(row[:width])]
        for row in table.rows
    ]
    return replace(table, header=table.header[:width], rows=rows)


def _bar(count: int, most: int, width: int = 40) -> str:
    """A bar in eighths of a character, at least one eighth unless the number is 0."""
    eighths = max(round(8 * width * count / most), 1) if count else 0
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def _names(names: Names) -> Table:
    """The counts and both rates in percent."""
    share = [f"{100 * n / names.entities:.1f}" if names.entities else "" for n in (names.sharing, names.varying)]
    rows = [
        ["records with a name", f"{names.records:,}", ""],
        ["different names", f"{names.names:,}", ""],
        ["entities with a name", f"{names.entities:,}", ""],
        ["that share one with another entity (homonymy)", f"{names.sharing:,}", share[0]],
        ["that have several (name variation)", f"{names.varying:,}", share[1]],
    ]
    return Table(["", "how many", "%"], rows)


def _anaphora(counts: Mapping[str, Mapping[str, int]]) -> Table:
    """One row per group, and one for all if there are several; columns are the kinds that occur."""
    total = {kind: sum(row[kind] for row in counts.values()) for kind in KINDS}
    shown = [kind for kind in KINDS if total[kind]]
    rows = [[label, *(f"{row[kind]:,}" for kind in shown)] for label, row in counts.items()]
    if len(rows) > 1:
        rows.append(["all", *(f"{total[kind]:,}" for kind in shown)])
    return Table(["", *shown], rows, strong=int(len(rows) > 1))
