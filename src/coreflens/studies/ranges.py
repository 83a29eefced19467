"""Long range: the same response scored in windows of several sizes, and its links inside and across windows.

A system that loses track of entities over a long text scores well in small windows and worse in large ones. Links, the
pairs of mentions of one entity, show this: some are inside a window, and others go across windows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, overload

from ..errors import Issue, UsageError
from ..formats import Input
from ..keywords import known_keywords, refuse_idle_keywords
from ..matching.matched import Matched
from ..options import Window
from ..presentation import Presented, writer_of
from ..protocols import resolve
from ..scoring.result import Result
from ..scoring.scorer import Scorer
from ..scoring.scores import or_none
from ..scoring.settings import Settings
from ..scoring.windows import Links, cut, links, windows_of

if TYPE_CHECKING:
    from ..paper.plot import Plot
    from ..paper.table import Table

SIZES = ("500", "1500", "all")


class Range(NamedTuple):
    """The scores of a response in windows of one size.

    window    the number of words that a window has at most, or `all`
    windows   how many windows there are
    result    the scores, the counts of all windows added up
    inside    pairs of mentions of one entity that lie in one window; `across`: those that do not
    """

    window: str
    windows: int
    result: Result
    inside: Links
    across: Links


@dataclass(frozen=True, eq=False)
class Ranges(Presented, Sequence[Range]):
    """Results by size of the windows, in the order asked for."""

    rows: tuple[Range, ...]

    @overload
    def __getitem__(self, place: int) -> Range: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Range]: ...

    def __getitem__(self, place: int | slice) -> Range | Sequence[Range]:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return str(self)

    @property
    def signature(self) -> str:
        """The signature: how the results were computed, in one line, with all sizes of windows."""
        one = self.rows[0].result.signature
        whole = replace(one, options=replace(one.options, window="all"))
        return f"{whole}|windows:{','.join(row.window for row in self.rows)}"

    @property
    def issues(self) -> list[Issue]:
        """All notes, each once."""
        return list(dict.fromkeys(issue for row in self.rows for issue in row.result.issues))

    def tables(self, digits: int = 2, rpf: bool = False) -> list[Table]:
        """One row per size: F1 of each metric (`rpf`: R and P as well), and the links."""
        found: list[Table] = writer_of(self).tables(self, digits, rpf)
        return found

    def render(self, format: str = "table", digits: int = 2, rpf: bool = False) -> str:
        """The tables in one of the output formats, or everything as JSON."""
        text: str = writer_of(self).render(self, format, digits, rpf)
        return text

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "windows": [
                {
                    "window": row.window,
                    "windows": row.windows,
                    "links": {"inside": _plain(row.inside), "across": _plain(row.across)},
                    **row.result.to_dict(),
                }
                for row in self.rows
            ]
        }

    def plot(self) -> Plot:
        """F1 in points, in the order of the sizes asked for: one line per metric, and the links inside and across."""
        drawn: Plot = writer_of(self).plot(self)
        return drawn


def _plain(found: Links) -> dict[str, object]:
    shares = {name: or_none(getattr(found, name)) for name in ("recall", "precision", "f1")}
    return {**found._asdict(), **shares}


def sizes_of(sizes: str | Window | Iterable[Window]) -> list[str]:
    """Sizes of windows in their standard form, each once, from `500,1500,all` or a list."""
    several = sizes.split(",") if isinstance(sizes, str) else [sizes] if isinstance(sizes, int) else [*sizes]
    found = [resolve(None, window=size)[1].window for size in several]
    if len({*found}) < len(found):
        raise UsageError("a size of windows is given twice")
    return found


@known_keywords
def windows(
    key: Input, response: Input, sizes: str | Window | Iterable[Window] = SIZES, **settings: Unpack[Settings]
) -> Ranges:
    """Score a response in windows of several sizes.

    sizes   numbers of words, and `all` for whole documents

    Everything else is as for `score`. A window ends at the end of a sentence, every mention belongs to one window, and
    the counts of all windows are added up.

        windows("key.conll", "response.conll", "500,1500,all").plot().save("windows.svg")
    """
    asked = sizes_of(sizes)
    refuse_idle_keywords(settings, ["window"], "the sizes are an argument of their own")
    refuse_idle_keywords(settings, ["split_antecedents"], "split antecedents are left out of windows")
    settings["window"] = "all"
    scorer = Scorer(key, **settings)
    return ranged(scorer, scorer.match(response), asked)


def ranged(scorer: Scorer, matched: Matched, sizes: Sequence[str]) -> Ranges:
    """The results of what has been matched, in windows of these sizes."""
    whole, rows = links(matched.alignment), []
    for size in sizes:
        options = replace(matched.options, window=size)
        here = replace(matched, options=options)
        result = scorer.result(here)
        number, inside = len(matched.pairing.documents), whole
        if size != "all":
            windows = windows_of(matched, int(size))
            number, inside = len(windows), links(cut(matched, windows).alignment)
        rows.append(Range(size, number, result, inside, whole.without(inside)))
    return Ranges(tuple(rows))
