"""Agreement between annotators, and what they disagree about, on paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np

from ..metrics import METRICS
from ..paper.table import Table, points
from ..paper.writers import written
from ..scoring.scores import is_number
from ..studies.agreement import DIFFERING, Agreement, Disagreement, Group

NAME = 28  # characters of a document's name in a table for people


def text(agreement: Agreement) -> str:
    """The matrices and groups, for a terminal."""
    return written(agreed(agreement), "table", agreement.signature)


def agreed(agreement: Agreement, digits: int = 2) -> list[Table]:
    """One matrix per measure; then one row per group and pair of annotators, and a row for all annotators."""
    names, tables = agreement.names, []
    for measure, matrix in agreement.matrices.items():
        rows = [
            [name, *("–" if a == b else _measured(measure, matrix[a, b], digits) for b in range(len(names)))]
            for a, name in enumerate(names)
        ]
        tables.append(Table([_title(measure), *names], rows, name=f"Agreement between annotators: {_title(measure)}"))
    people = len(names) - (agreement.adjudicated is not None)
    if agreement.by or people > 2:
        rows = [row for label, g in agreement.by.items() for row in _grouped(label, g, names, people, digits)]
        whole = _grouped("all", agreement, names, people, digits)[: None if agreement.by else 1]
        header = ["group", "annotators", *map(_title, agreement.matrices)]
        name = "Agreement by group" if agreement.by else "Agreement"
        tables.append(Table(header, rows + whole, left=frozenset({0, 1}), strong=len(whole), name=name))
    return tables


def _grouped(label: str, group: Group, names: Sequence[str], people: int, digits: int) -> list[list[str]]:
    """A row for all annotators, with the mean F1 of their pairs, if there are more than two, and one row per pair."""
    pairs = list(combinations(range(len(names)), 2))
    rows = [
        [f"{names[a]}, {names[b]}", *(_measured(m, x[a, b], digits) for m, x in group.matrices.items())]
        for a, b in pairs
    ]
    if people > 2:
        means = {m: float(np.mean([x[p] for p in combinations(range(people), 2)])) for m, x in group.matrices.items()}
        means["alpha"] = group.alpha
        rows.insert(0, ["all", *(_measured(m, x, digits) for m, x in means.items())])
    return [[label if k == 0 else "", *row] for k, row in enumerate(rows)]


def _title(measure: str) -> str:
    return "α" if measure == "alpha" else METRICS[measure].title


def _measured(measure: str, x: float, digits: int) -> str:
    """Alpha as it is, F1 in points."""
    if measure == "alpha" and is_number(x):
        return f"{x:.{digits + 1}f}"
    return points(x, digits)


def records(agreement: Agreement) -> Table:
    """One row per group, measure and ordered pair, numbers at full precision; `*` is all annotators."""

    def rows_of(label: str, group: Group) -> list[list[str]]:
        whole = [label, "alpha", "*", "*", repr(group.alpha)]
        pairs = [
            [label, measure, one, other, repr(float(matrix[a, b]))]
            for measure, matrix in group.matrices.items()
            for a, one in enumerate(agreement.names)
            for b, other in enumerate(agreement.names)
            if a != b
        ]
        return [row if row[4] != "nan" else [*row[:4], ""] for row in (whole, *pairs)]

    rows = [row for label, g in {**agreement.by, "all": agreement}.items() for row in rows_of(label, g)]
    return Table(["group", "measure", "key", "response", "value"], rows)


def differing(differences: Sequence[Disagreement]) -> Table:
    """One row per mention or link that only one annotator has, with all that is known of it."""
    rows = [
        [
            d.mention.place, d.kind, d.mention.document.label, d.mention.span, d.words, d.context,
            str(d.mention.entity), "" if d.antecedent is None else d.antecedent.span, d.antecedent_words,
            "" if d.antecedent is None else d.antecedent.place, d.has, d.lacks,
        ]
        for d in differences
    ]  # fmt: skip
    return Table(list(DIFFERING), rows, left=frozenset(range(len(DIFFERING))))


def differing_by_kind(differences: Sequence[Disagreement]) -> Table:
    """How many mentions and links only one of two annotators has, one row per ordered pair."""
    counts = Counter((d.has, d.lacks, d.kind) for d in differences)
    pairs = dict.fromkeys((d.has, d.lacks) for d in differences)
    rows = [[has, lacks, *(str(counts[has, lacks, kind]) for kind in ("mention", "link"))] for has, lacks in pairs]
    total = [str(sum(d.kind == kind for d in differences)) for kind in ("mention", "link")]
    rows.append(["all", "", *total])
    name = "How many mentions and links one annotator has and another lacks"
    return Table(["in", "not in", "mentions", "links"], rows, frozenset({0, 1}), strong=1, name=name)


def differing_in_words(differences: Sequence[Disagreement]) -> Table:
    """The differences for people to read: words in context, and document names as short as they stay distinct."""
    names = _short_names({d.mention.document.label for d in differences})
    lines = any(mention.line for d in differences for mention in (d.mention, d.antecedent) if mention is not None)

    def linked(d: Disagreement) -> str:
        if d.antecedent is None:
            return ""
        shown = _clipped(d.antecedent_words, 30) or d.antecedent.span
        return f"{shown} (line {d.antecedent.line})" if d.antecedent.line else shown

    rows = [
        [
            *([d.mention.place] if lines else []), names[d.mention.document.label], d.kind,
            d.context or d.mention.span, linked(d), d.has, d.lacks,
        ]
        for d in differences
    ]  # fmt: skip
    header = [*(["place"] if lines else []), "document", "kind", "mention", "linked to", "in", "not in"]
    name = "Mentions and links that one annotator has and another lacks"
    return Table(header, rows, left=frozenset(range(len(header))), name=name)


def _short_names(labels: Collection[str]) -> dict[str, str]:
    """Names without the directories that all of them share; of long names only the end."""
    split = {label: label.split("/") for label in labels}
    shared = 0
    while all(len(parts) > shared + 1 for parts in split.values()) and len({p[shared] for p in split.values()}) == 1:
        shared += 1
    short = {label: "/".join(parts[shared:]) for label, parts in split.items()}
    return {label: name if len(name) <= NAME else f"…{name[1 - NAME :]}" for label, name in short.items()}


def _clipped(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
