"""Disagreements of annotators, put into categories by hand and counted: Figure 2 of Pradhan et al. 2011."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import InputError, Issue, counted
from ..files.encoding import content as content_of
from ..files.notation import delimiter
from ..presentation import writer_of
from .agreement import DIFFERING

if TYPE_CHECKING:
    from ..paper.plot import Plot
    from ..paper.table import Table

KINDS = ("mention", "link")


@dataclass(frozen=True, eq=False)
class Categories:
    """How many disagreements of either kind each category has, the largest first.

    `issues` reports those that have no category yet: they are not counted.
    """

    source: str
    counts: Mapping[str, Mapping[str, int]]  # category → kind → disagreements
    issues: Sequence[Issue]

    @property
    def total(self) -> int:
        """All disagreements with a category."""
        return sum(sum(kinds.values()) for kinds in self.counts.values())

    def table(self, digits: int = 1) -> Table:
        """One row per category: mentions, links, all, and its share of all disagreements."""
        found: Table = writer_of(self).table(self, digits)
        return found

    def plot(self) -> Plot:
        """A bar for each category: its share of all disagreements, in percent."""
        drawn: Plot = writer_of(self).plot(self)
        return drawn

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the counts by kind, and the issues."""
        categories = {name: {**kinds, "all": sum(kinds.values())} for name, kinds in self.counts.items()}
        return {"total": self.total, "categories": categories, "issues": [issue.to_dict() for issue in self.issues]}


def categories(path: str) -> Categories:
    """Count the categories in the output of `agree --differences --format csv`, with a column added by hand.

    The column is named `category`, or is the only one that was added.
    """
    content = content_of(path)
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter(content))
    counts: dict[str, Counter[str]] = {}
    missing: list[int] = []
    try:
        header = [cell.strip() for cell in next(reader, [])]
        place, kind = _column(header, path), header.index("kind")
        for row in filter(None, reader):
            if len(row) > len(header):
                what = f"{len(row)} cells where the header has {len(header)}"
                raise InputError(what, file=path, line=reader.line_num, hint="is there a delimiter without quotes?")
            category = row[place].strip() if place < len(row) else ""
            if len(row) <= kind or row[kind] not in KINDS:
                raise InputError(f"the kind is not one of {', '.join(KINDS)}", file=path, line=reader.line_num)
            if category:
                counts.setdefault(category, Counter())[row[kind]] += 1
            else:
                missing.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"not a table: {error}", file=path, line=reader.line_num) from None
    if not counts:
        raise InputError(f"no row has a {header[place]!r}", file=path, hint="write one into each row, then count them")
    ordered = sorted(counts, key=lambda name: (-counts[name].total(), name))
    issues = []
    if missing:
        message = f"{counted(missing, 'disagreement')} without a {header[place]!r}: not counted"
        issues.append(Issue("no-category", message, len(missing), tuple(f"{path}:{line}" for line in missing[:3])))
    return Categories(path, {name: {kind: counts[name][kind] for kind in KINDS} for name in ordered}, issues)


def _column(header: Sequence[str], path: str) -> int:
    lacking = [name for name in ("kind", "mention") if name not in header]
    if lacking:
        raise InputError(
            f"no column {lacking[0]!r}",
            file=path,
            line=1,
            hint="give the output of `coreflens agree A B --differences --format csv`, with a column added",
        )
    added = [name for name in header if name and name not in DIFFERING]
    if "category" in added:
        added = ["category"]
    if len(added) != 1:
        change = f"several columns were added: {', '.join(added)}" if added else "no column was added"
        raise InputError(change, file=path, line=1, hint="add one column, and name it `category`")
    return header.index(added[0])
