"""The answer in a sentence: who beats whom by the official score, or how many documents would decide it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

from ..errors import counted
from ..metrics import METRICS
from ..paper.table import signed
from ..scoring.scores import is_number, or_none
from .testing import LEVEL


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the tests of a section say about its two most interesting systems; numbers in 0–1.

    winner      the system that beats the other, or all others; None if the tests do not decide
    ahead       the better one of the two, `behind` the other: the best two, or the baseline and the best of the others
    delta       `ahead` minus `behind` by the official score, with its interval `low` to `high`
    p           the corrected p of the difference; `smallest` is the smallest possible p on these documents
    documents   the number of documents tested, or of the units that they make up
    scored      the number of documents scored
    needed      documents that would decide a difference of this size; None if it is decided or no number can be given
    needed_low  the range of that number, with a confidence of 80 %; `needed_high` is None if it has no upper end
    """

    official: str
    ahead: str
    behind: str
    winner: str | None = None
    delta: float = nan
    low: float = nan
    high: float = nan
    p: float = nan
    smallest: float = 0.0
    documents: int = 0
    scored: int = 0
    needed: int | None = None
    needed_low: int | None = None
    needed_high: int | None = None
    unit: str = "document"
    others: int = 1  # systems besides the leader, or besides the baseline
    beaten: int = 0  # how many of these the leader beats; with a baseline, how many beat it
    baseline: str | None = None
    corrected: bool = False
    carried: Sequence[str] = ()  # metrics that decide for the winner
    undecided: Sequence[str] = ()
    opposed: Sequence[str] = ()
    limit: str = ""  # why nothing could be decided, if not because of the number of documents
    also: Sequence[str] = ()  # sentences about runs, groups and datasets
    more_runs: bool = False  # documents alone would not decide it

    @property
    def text(self) -> str:
        """The verdict in words, in points with two decimals."""
        return self.sentence()

    def sentence(self, digits: int = 2) -> str:
        """The verdict in words."""
        return " ".join([self._main(digits), *self.also])

    def _main(self, digits: int) -> str:
        title = METRICS[self.official].title
        if not is_number(self.delta):
            return f"{title} is undefined for {self.ahead} or {self.behind}: there is nothing to compare."
        if not self.delta:
            return f"{self.ahead} and {self.behind} have the same {title}{self._rest()}."
        by = self._difference(digits)
        if not is_number(self.p):
            return f"{self.ahead} is ahead of {self.behind}: {by}; {self.limit or 'it was not tested'}{self._rest()}."
        size = self._size()
        after = " after correction" if self.corrected else ""
        p = f"{told_p(self.p)}{after} ({size})"
        if self.p <= LEVEL:
            return f"{self._beats(by)}, {p}{self._metrics()}{self._rest()}."
        if self.limit or self.smallest > LEVEL:
            smallest = f"smallest possible p{after} {short_p(self.smallest)}"
            cause = self.limit or f"{size} can't decide it ({smallest})"
            return f"{self._leads(by)}; {cause}{self._needed(' would')}{self._rest()}."
        more = self._needed(" would decide a difference of this size")
        return f"{self._leads(by)}, but {p} leaves it undecided{more}{self._rest()}."

    def _size(self) -> str:
        size = counted(range(self.documents), self.unit)
        return f"{size} of {self.scored} documents" if self.unit == "unit" and self.scored else size

    def _difference(self, digits: int) -> str:
        """The difference in points, with its interval."""
        by = f"{signed(self.delta, digits)} {METRICS[self.official].title}"
        if is_number(self.low):
            by += f" [{signed(self.low, digits, plus=False)}, {signed(self.high, digits, plus=False)}]"
        return by

    def _beats(self, by: str) -> str:
        if self._many:
            if self.winner:
                return f"{self.ahead} beats all {self.others} other systems: {by} over {self.behind}, the next"
            return f"{self.ahead} leads: it beats {self.behind}, the next, by {by}"
        others = f", the best of the {self.others} others" if self.baseline == self.ahead and self.others > 1 else ""
        return f"{self.ahead} beats {self.behind}{others}: {by}"

    def _leads(self, by: str) -> str:
        following = ", the next" if self._many else ""
        return f"{self.ahead} is ahead of {self.behind}{following}: {by}"

    @property
    def _many(self) -> bool:
        """Whether the leader of several systems was tested, not one of two, or a baseline."""
        return self.baseline is None and self.others > 1

    def _needed(self, would: str) -> str:
        if self.more_runs:
            return "; more documents alone would not decide it, because the runs differ too much"
        if self.needed:
            where = f"between {self.needed_low:,} and {self.needed_high:,}, with 80 % confidence"
            return f"; about {self.needed:,}{would} ({where})"
        if self.needed_low:
            return (
                f"; at least {self.needed_low:,} would be needed, but the difference is too uncertain to say how many"
            )
        return ""

    def _rest(self) -> str:
        """How the other systems compare, if there are more than two."""
        if self.others < 2 or not is_number(self.p):
            return ""
        number = self.beaten or "none"
        if self.baseline is not None:
            beat = "beats" if self.beaten == 1 else "beat"
            return f"; {number} of {self.others} systems {beat} {self.baseline}"
        return "" if self.winner else f"; {self.ahead} beats {number} of the {self.others} others"

    def _metrics(self) -> str:
        """Which metrics carry the difference, and which do not."""
        if self.carried and not self.undecided and not self.opposed:
            return "; every metric agrees"
        text = ""
        if self.carried:
            text += f"; {listed(self.carried)} {'carries' if len(self.carried) == 1 else 'carry'} it"
        if self.undecided:
            text += f"; {listed(self.undecided)} {'is' if len(self.undecided) == 1 else 'are'} undecided"
        if self.opposed:
            text += f"; {listed(self.opposed)} {'prefers' if len(self.opposed) == 1 else 'prefer'} {self.behind}"
        return text

    def to_dict(self) -> dict[str, Any]:
        """For JSON; numbers in 0–1."""
        numbers = {name: or_none(getattr(self, name)) for name in ("delta", "low", "high", "p")}
        return {"text": self.text, "winner": self.winner, **numbers} | {
            "documents": self.documents,
            "needed": self.needed,
            "needed_low": self.needed_low,
            "needed_high": self.needed_high,
        }


def listed(metrics: Sequence[str]) -> str:
    """Titles as a list in a sentence."""
    titles = [METRICS[m].title for m in metrics]
    return titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"


def told_p(p: float) -> str:
    """p as papers print it: `p = .005`, `p < .001`."""
    return "p < .001" if p < 0.001 else f"p = {short_p(p)}"


def short_p(p: float) -> str:
    """p without its 0: `.005`; with one more digit where three would hide on which side of .05 it is."""
    if p >= 0.9995:
        return "1"
    text = f"{p:.3f}"
    if (float(text) <= LEVEL) != (p <= LEVEL):
        text = f"{p:.4f}"
    return text[1:]
