"""How far metrics agree with each other over systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial
from typing import TYPE_CHECKING, Any, Unpack, cast, overload

import numpy as np

from ..errors import Issue, UsageError
from ..exporting import Exported
from ..formats import Input
from ..keywords import known_keywords
from ..metrics import METRICS, select, spelled
from ..presentation import Presented, writer_of
from ..scoring.settings import Metrics, StudySettings
from ..stats.coefficients import COEFFICIENTS, Coefficient
from .scoreboard import PARTS, Scoreboard, Tables

if TYPE_CHECKING:
    from ..paper.plot import Plot


@dataclass(frozen=True, slots=True)
class Correlation:
    """Two metrics over `n` systems, in recall, precision or F1."""

    x: str
    y: str
    part: str
    n: int
    pearson: Coefficient
    spearman: Coefficient
    kendall: Coefficient

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        about = {"x": self.x, "y": self.y, "part": self.part, "n": self.n}
        return about | {name: getattr(self, name).to_dict() for name in COEFFICIENTS}


@dataclass(frozen=True, eq=False)
class Correlations(Presented, Exported, Sequence[Correlation]):
    """Every pair of metrics in each part; `found["blanc", "muc"]` is that of F1, `found["blanc", "muc", "recall"]`."""

    board: Scoreboard
    pairs: Sequence[Correlation]
    against: str

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Correlation]:
        return iter(self.pairs)

    @overload
    def __getitem__(self, which: int | tuple[str, str] | tuple[str, str, str]) -> Correlation: ...
    @overload
    def __getitem__(self, which: slice) -> Sequence[Correlation]: ...
    def __getitem__(
        self, which: int | slice | tuple[str, str] | tuple[str, str, str]
    ) -> Correlation | Sequence[Correlation]:
        """A correlation by its two metrics (and the part, F1 by default), or by its place in the list."""
        if not isinstance(which, tuple):
            return self.pairs[which]
        x, y, part = (*(spelled(m, METRICS) for m in which[:2]), which[2] if len(which) > 2 else "f1")
        for pair in self.pairs:
            if {pair.x, pair.y} == {x, y} and pair.part == part:
                return pair
        raise KeyError(f"no correlation of {x} and {y} in {part}")

    @property
    def about(self) -> str:
        """How the p-values were computed, and the signature of the scores, if they were computed here."""
        symbols = {"pearson": "r", "spearman": "ρ", "kendall": "τ_b"}
        by = {name: " or ".join(sorted({getattr(pair, name).method for pair in self.pairs})) for name in symbols}
        tests = "p, two-sided: " + "; ".join(f"{symbols[name]} {how}" for name, how in by.items())
        return "\n".join(filter(None, (tests, self.board.signature)))

    @property
    def issues(self) -> list[Issue]:
        """Notes on the scores, and a note if there are too few systems for a small p."""
        n = max(pair.n for pair in self.pairs)
        if 2 / factorial(n) <= 0.05:
            return list(self.board.issues)
        message = f"{n} systems: the p of ρ and τ can't be below {2 / factorial(n):.2g}"
        return [*self.board.issues, Issue("few-systems", message, n)]

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        about = {"signature": self.board.signature} if self.board.signature else {}
        found = [pair.to_dict() for pair in self.pairs]
        issues = [issue.to_dict() for issue in self.issues]
        return {"systems": list(self.board.systems), "correlations": found, **about, "issues": issues}

    def plot(self, part: str = "f1") -> Plot:
        """Scores of every metric (y) by those of `against` (x), one point per system."""
        drawn: Plot = writer_of(self).plot(self, part)
        return drawn


@known_keywords
def correlate(
    source: Input | Tables,
    systems: Mapping[str, Input] | Iterable[Input] | None = None,
    *,
    against: str | None = None,
    metrics: Metrics | None = None,
    **settings: Unpack[StudySettings],
) -> Correlations:
    """Pearson's, Spearman's and Kendall's correlations between metrics over systems, for R, P and F1, with p-values.

    With `systems` (paths, `NAME=PATH`, or a mapping by name) the source is a key, and the systems are scored with
    `settings` as for `score`. Without them, the source is one or several tables of results (see
    `coreflens.studies.scoreboard`). `against` is the metric that all others are compared with. Without it, each two
    metrics are compared.

        correlate("scores.csv", against="blanc")["blanc", "muc"].pearson.value
    """
    asked = None if metrics is None else select(metrics)[0]
    if against is not None:
        against = spelled(against, METRICS)
    if systems is not None:
        board = Scoreboard.run(cast(Input, source), systems, metrics=_with(asked, against), **settings)
    elif settings:
        raise UsageError(f"scores in a table are not computed here, so {', '.join(settings)} has no effect on them")
    else:
        board = Scoreboard.read(cast(Tables, source))
    if len(board.systems) < 3:
        raise UsageError(f"a correlation needs at least three systems, and there are {len(board.systems)}")
    names = _metrics_of(board, asked, against)
    correlations = _correlations(board, names, against)
    if not correlations:
        raise UsageError("no two metrics have a part in common (recall, precision or F1)")
    return Correlations(board, correlations, against or names[0])


def _with(asked: Sequence[str] | None, against: str | None) -> list[str] | None:
    """The metrics to score; None for the default set."""
    if asked is None:
        return None
    return list(dict.fromkeys([*asked, *([] if against is None else [against])]))


def _metrics_of(board: Scoreboard, asked: Sequence[str] | None, against: str | None) -> list[str]:
    """The metrics to compare, at least two."""
    wanted = [*(asked or ()), *([] if against is None else [against])]
    for metric in wanted:
        if metric not in board.metrics:
            raise UsageError(f"no scores of {metric} (there are {', '.join(board.metrics)})")
    names = board.metrics if asked is None else [metric for metric in board.metrics if metric in wanted]
    if len(names) < 2:
        raise UsageError("a correlation needs at least two metrics")
    return names


def _correlations(board: Scoreboard, names: Sequence[str], against: str | None) -> list[Correlation]:
    """Each two metrics, or one with all others, in every part that both have."""
    if against is None:
        pairs = list(combinations(names, 2))
    else:
        pairs = [(against, metric) for metric in names if metric != against]
    correlations = []
    for x, y in pairs:
        shared_parts = [part for part in PARTS if (x, part) in board.columns and (y, part) in board.columns]
        correlations += [_correlation(x, y, part, board) for part in shared_parts]
    return correlations


def _correlation(x: str, y: str, part: str, board: Scoreboard) -> Correlation:
    xs, ys = board.columns[x, part], board.columns[y, part]
    scored = np.isfinite(xs) & np.isfinite(ys)
    coefficients = {name: coefficient(xs[scored], ys[scored]) for name, coefficient in COEFFICIENTS.items()}
    return Correlation(x, y, part, int(scored.sum()), **coefficients)
