"""Who is first by which metric, and which documents make metrics disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import PLACES
from ..metrics import METRICS, Metric
from ..scoring.scores import Scores, is_number, percent
from ..stats.sample import Sample
from ..stats.swapping import Pair


@dataclass(frozen=True, slots=True)
class Dispute:
    """A metric that names another winner than the official score; without `documents` it would not."""

    metric: str
    winner: str
    official: str
    difference: float
    documents: tuple[str, ...] = ()
    of: int = 0

    def describe(self, official: str) -> str:
        by, score = METRICS[self.metric].title, METRICS[official].title
        text = f"{by} prefers '{self.winner}' to '{self.official}', the winner by {score}"
        if is_number(self.difference):
            text += f", by {percent(abs(self.difference), 2)} points"
        if self.documents and self.of > 1:
            shown = ", ".join(self.documents[:PLACES]) + (", ..." if len(self.documents) > PLACES else "")
            text += f"; without {len(self.documents)} of {self.of} documents ({shown}) it would not"
        return text


def ranks(scores: Mapping[str, Scores], metric: str) -> dict[str, int]:
    """Rank of each system by a metric, 1 the best; equals share a rank, and undefined ones come last."""
    numbers = {name: merit(s, metric) for name, s in scores.items()}
    return {name: 1 + sum(other > number for other in numbers.values()) for name, number in numbers.items()}


def rank_intervals(
    names: Sequence[str], decided: Mapping[tuple[str, str], bool], scores: Mapping[str, Scores], metric: str
) -> dict[str, tuple[int, int]]:
    """The ranks that each system may have, given which pairs differ significantly.

    Of n systems, if b are significantly better than one and w significantly worse, its ranks are 1 + b to n − w. If the
    tests of all pairs together raise a false alarm in at most 5 of 100 cases, as with Holm's correction, all true ranks
    are within these intervals in at least 95 of 100 cases (Al Mohamad, Goeman & van Zwet 2022).
    """
    merits = {name: merit(scores[name], metric) for name in names}
    better = dict.fromkeys(names, 0)
    worse = dict.fromkeys(names, 0)
    for (a, b), differ in decided.items():
        if differ:
            winner, loser = (a, b) if merits[a] > merits[b] else (b, a)
            better[loser] += 1
            worse[winner] += 1
    return {name: (1 + better[name], len(names) - worse[name]) for name in names}


def merit(scores: Scores, metric: str) -> float:
    """A number that is higher for better scores."""
    if metric not in scores:
        return -np.inf
    number = round(float(scores[metric].main), 12)  # sums in another order differ in the last bits
    if not is_number(number):
        return -np.inf
    return -number if METRICS[metric].error else number


@dataclass(frozen=True, eq=False)
class Ranking:
    """Systems in the order of their official score, best first, with their scores by the first match rule."""

    order: Sequence[str]
    scores: Mapping[str, Scores]
    metrics: Sequence[str]
    official: str
    baseline: str | None  # None also if the baseline is not one of these systems

    @property
    def sign(self) -> int:
        """−1 where a lower official score is better."""
        return -1 if METRICS[self.official].error else 1

    def compared(self) -> Pair:
        """The two systems of a verdict, better one first: the best two, or the baseline and the best of the others."""
        if self.baseline is None:
            return self.order[0], self.order[1]
        other = next(name for name in self.order if name != self.baseline)
        ahead, behind = sorted((self.baseline, other), key=self.order.index)
        return ahead, behind


def ranked(scores: Mapping[str, Scores], baseline: str | None) -> Ranking:
    """The systems sorted by the official score; equal ones stay in the order given."""
    metrics = list(next(iter(scores.values())))
    official = official_of(metrics)
    order = sorted(scores, key=lambda name: -merit(scores[name], official))
    return Ranking(order, scores, metrics, official, baseline if baseline in scores else None)


def disputes(ranking: Ranking, samples: Mapping[str, Sample] | None) -> list[Dispute]:
    """Coreference metrics whose winner is not the official one, with the documents that decide."""
    if len(ranking.order) < 2:
        return []
    first = _winner(ranking.scores, ranking.official)
    disputes_found = []
    for metric in ranking.metrics:
        about = METRICS[metric]
        if metric == ranking.official or (isinstance(about, Metric) and about.mention_detection):
            continue
        winner = _winner(ranking.scores, metric)
        ahead = merit(ranking.scores[winner], metric) - merit(ranking.scores[first], metric)
        if not 0 < ahead < np.inf:
            continue
        difference = float(ranking.scores[winner][metric].main) - float(ranking.scores[first][metric].main)
        dispute = Dispute(metric, winner, first, difference)
        if samples is not None:
            documents = _deciding(samples[winner], samples[first], metric)
            dispute = replace(dispute, documents=documents, of=len(samples[winner]))
        disputes_found.append(dispute)
    return disputes_found


def _winner(scores: Mapping[str, Scores], metric: str) -> str:
    return max(scores, key=lambda name: merit(scores[name], metric))


def _deciding(winner: Sample, other: Sample, metric: str) -> tuple[str, ...]:
    """Documents to leave out until the winner no longer wins; those whose absence costs it most come first."""
    place = winner.mains[list(winner.metrics).index(metric)]
    sign = -1 if METRICS[metric].error else 1

    def ahead(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        gap: np.ndarray = sign * (winner.scores(a)[:, place] - other.scores(b)[:, place])
        return gap

    a, b = winner.counts.values, other.counts.values
    order = np.argsort(ahead(winner.total - a, other.total - b), kind="stable")
    left = ahead(winner.total - np.cumsum(a[order], axis=0), other.total - np.cumsum(b[order], axis=0))
    enough = np.flatnonzero(~(left > 1e-12))
    return tuple(winner.labels[n] for n in order[: int(enough[0]) + 1].tolist()) if len(enough) else ()


def official_of(metrics: Sequence[str]) -> str:
    """The metric to rank by: the CoNLL average, or else another average, or else the first except mention detection."""
    if "conll" in metrics:
        return "conll"
    averages = [m for m in metrics if METRICS[m].values == ("f1",)]
    rest = [m for m in metrics if not getattr(METRICS[m], "mention_detection", False)]
    return (averages or rest or list(metrics))[0]
