"""The answer in a sentence: who beats whom by the official score, or how many documents would decide it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

from ..errors import counted
from ..metrics import METRICS, Average
from ..options import Options
from ..paper.table import signed
from ..scoring.scores import Scores, is_number, or_none
from ..stats import PairedTest, Sample, contributions, needed, needed_with_runs
from .testing import LEVEL, Spreads, Testing, Tests


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the tests of a section say about its two most interesting systems; numbers in 0–1.

    winner      the system that beats the other, or all others; None if the tests do not decide
    ahead       the better one of the two, `behind` the other: the best two, or the baseline and the best of the others
    delta       `ahead` minus `behind` by the official score, with its interval `low` to `high`
    p           the corrected p of the difference; `smallest` is the smallest possible p on these documents
    documents   the number of documents tested
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
        by = f"{signed(self.delta, digits)} {title}"
        if is_number(self.low):
            by += f" [{signed(self.low, digits, plus=False)}, {signed(self.high, digits, plus=False)}]"
        size = counted(range(self.documents), self.unit)
        p = f"{told_p(self.p)}{' after correction' if self.corrected else ''} ({size})" if is_number(self.p) else ""
        if not self.delta:
            return f"{self.ahead} and {self.behind} have the same {title}{self._rest()}."
        if not p:
            return f"{self.ahead} is ahead of {self.behind}: {by}; {self.limit or 'it was not tested'}{self._rest()}."
        if self.p <= LEVEL:
            return f"{self._beats(by)}, {p}{self._metrics()}{self._rest()}."
        if self.limit or self.smallest > LEVEL:
            least = f"smallest possible p{' after correction' if self.corrected else ''} {short_p(self.smallest)}"
            cause = self.limit or f"{size} can't decide it ({least})"
            return f"{self._leads(by)}; {cause}{self._needed(' would')}{self._rest()}."
        more = self._needed(" would decide a difference of this size")
        return f"{self._leads(by)}, but {p} leaves it undecided{more}{self._rest()}."

    def _beats(self, by: str) -> str:
        if self.baseline is None and self.others > 1:
            if self.winner:
                return f"{self.ahead} beats all {self.others} other systems: {by} over {self.behind}, the next"
            return f"{self.ahead} leads: it beats {self.behind}, the next, by {by}"
        others = f", the best of the {self.others} others" if self.baseline == self.ahead and self.others > 1 else ""
        return f"{self.ahead} beats {self.behind}{others}: {by}"

    def _leads(self, by: str) -> str:
        return f"{self.ahead} is ahead of {self.behind}{', the next' if self._many else ''}: {by}"

    @property
    def _many(self) -> bool:
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
        if self.baseline is not None:
            return f"; {self.beaten or 'none'} of {self.others} systems beat{'s' * (self.beaten == 1)} {self.baseline}"
        if self.winner:
            return ""
        return f"; {self.ahead} beats {self.beaten or 'none'} of the {self.others} others"

    def _metrics(self) -> str:
        """Which metrics carry the difference, and which do not."""
        found = []
        if self.carried and not self.undecided and not self.opposed:
            return "; every metric agrees"
        if self.carried:
            found.append(f"{listed(self.carried)} carr{'ies' if len(self.carried) == 1 else 'y'} it")
        if self.undecided:
            found.append(f"{listed(self.undecided)} {'is' if len(self.undecided) == 1 else 'are'} undecided")
        if self.opposed:
            found.append(f"{listed(self.opposed)} prefer{'s' * (len(self.opposed) == 1)} {self.behind}")
        return "".join(f"; {part}" for part in found)

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


def metrics_of(
    tests: Mapping[str, PairedTest], adjusted: Mapping[str, float], official: str, sign: int, options: Options
) -> tuple[list[str], list[str], list[str]]:
    """Metrics that decide for the winner, that are undecided, that decide against it.

    Where the official score is an average, only its own metrics can carry it; others can only be undecided or opposed.
    """
    average = METRICS[official]
    within = set(average.weights(options)) if isinstance(average, Average) else set(tests)
    carried, undecided, opposed = [], [], []
    for metric, test in tests.items():
        about = METRICS[metric]
        if metric == official or getattr(about, "mention_detection", False) or not is_number(test.p):
            continue
        towards = (sign if not about.error else -sign) * test.difference
        if adjusted[metric] > LEVEL:
            undecided.append(metric)
        elif towards < 0:
            opposed.append(metric)
        elif metric in within:
            carried.append(metric)
    return carried, undecided, opposed


def judged(
    order: Sequence[str],
    scores: Mapping[str, Scores],
    official: str,
    tests: Tests,
    how: Testing,
    samples: Mapping[str, Sample] | None,
    spreads: Spreads,
    baseline: str | None,
    documents: int,
    also: Sequence[str] = (),
) -> Verdict | None:
    """The verdict of a section whose systems are sorted by their official score; None for a single system."""
    if len(order) < 2:
        return None
    ahead, behind = compared(order, baseline)
    one = next(iter(samples.values())) if samples else None
    about: dict[str, Any] = {
        "others": len(order) - 1,
        "documents": documents if one is None else len(one),
        "also": also,
    }
    about |= {"baseline": baseline} if baseline in scores else {}
    if one is not None:
        about["unit"] = one.word
    delta = float(scores[ahead][official].main) - float(scores[behind][official].main)
    if abs(delta) < 1e-12:
        delta = 0.0
    pair = (ahead, behind) if (ahead, behind) in tests else (behind, ahead)
    if pair not in tests:
        why = "no test was asked for" if not how.resamples else "there is no test on different documents"
        if about["documents"] == 1:
            why = f"1 {about.get('unit', 'document')} can't decide it"
        return Verdict(official, ahead, behind, delta=delta, limit=why, **about)
    corrected, smallest = how.corrected(tests, [official]), how.smallest(tests, [official])
    test = tests[pair][official] if pair == (behind, ahead) else tests[pair][official].reversed()
    p, least = corrected[pair, official], smallest[pair, official]
    found: dict[str, Any] = {"delta": delta, "low": test.low, "high": test.high, "p": p, "smallest": least}
    sign = -1 if METRICS[official].error else 1
    leader = str(baseline) if baseline in scores else ahead
    beaten = [q for q in tests if leader in q and corrected[q, official] <= LEVEL]
    if baseline in scores:
        beaten = [q for q in beaten if sign * tests[q][official].difference > 0]  # pairs are (baseline, other)
    decided = p <= LEVEL
    winner = ahead if decided and (baseline in scores or len(beaten) == len(order) - 1) else None
    about |= {"winner": winner, "beaten": len(beaten), "corrected": how.correction != "none" and len(tests) > 1}
    if decided:
        every = {m: how.corrected(tests, [m])[pair, m] for m in tests[pair]}
        towards = 1 if pair == (behind, ahead) else -1
        options = samples[ahead].options if samples else Options()
        carried, undecided, opposed = metrics_of(tests[pair], every, official, towards, options)
        about |= {"carried": carried, "undecided": undecided, "opposed": opposed}
    elif least > LEVEL and how.short_of_resamples(test):
        what = f"{how.resamples:,} resamples can't decide it among {counted(tests, 'pair')}"
        about["limit"] = f"{what} (smallest possible p {short_p(least)}); --resamples {100 * len(tests)} would"
    elif is_number(delta) and delta and samples is not None:
        level = how.level(tests, pair, official)
        if spreads:
            of = [spreads[name][official] for name in (behind, ahead)]
            number = needed_with_runs(samples[behind], samples[ahead], official, of, level)
            about["more_runs"] = number is None
        else:
            number = needed(contributions(samples[behind], samples[ahead], official), level, how.seed)
        if number is not None:
            about |= {"needed": number.documents, "needed_low": number.low, "needed_high": number.high}
    return Verdict(official, ahead, behind, **found, **about)


def compared(order: Sequence[str], baseline: str | None) -> tuple[str, str]:
    """The two systems of a verdict, the better one first: the best two, or the baseline and the best of the others."""
    if baseline not in order:
        return order[0], order[1]
    other = next(name for name in order if name != baseline)
    ahead, behind = sorted((str(baseline), other), key=order.index)
    return ahead, behind
