"""Notes on how far an estimate can be trusted: what the sample stands for, and how much single draws weigh."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..errors import Issue
from ..metrics import METRICS
from .clustering import Clustering
from .designs import UNITS, Design
from .draws import Draws
from .results import SystemEstimates

FEW_DRAWS = 30
LEAST_SHARE, MOST_SHARE = 0.8, 1.25  # of the response's pairs that a sample should stand for
ONE_DRAW = 0.2  # of a denominator
LARGE_CLUSTER = 0.1  # of the response's pairs
_BETTER = "drawing records, with precision from their clusters (--by record --precision-from cluster), would help"


def pairs_share(draws: Draws, response: Clustering) -> float | None:
    """The share of the response's pairs that the draws stand for; of its pairs per record, if the weights only tell
    ratios."""
    ratio = draws.ratios.get(("pairs", "precision"))
    if ratio is None or not response.pairs:
        return None
    pairs = draws.total(ratio.denominator)
    if draws.scaled:
        return pairs / response.pairs
    records = draws.total(draws.records)
    return (pairs / records) / (response.pairs / len(response)) if records else None


def checks(draws: Draws, response: Clustering, design: Design, metrics: Sequence[str]) -> Iterator[Issue]:
    """Notes on the draws of one response."""
    unit = UNITS[design.by]
    if len(draws) < FEW_DRAWS and not draws.census:
        yield Issue("few-draws", f"only {len(draws)} {unit} were drawn: intervals are rough", len(draws))
    if draws.lonely:
        hint = "merge strata or draw more" if len(draws.counts) > 1 else "draw more"
        yield Issue("one-draw", f"there is no standard error from a single draw: {hint}")
    if draws.census:
        return
    if doubts := list(_doubts(draws, response, metrics)):
        better = "" if design.from_clusters else f"; {_BETTER}"
        yield Issue("not-reliable", f"{'; '.join(doubts)}: the intervals can't be trusted{better}")
    if design.by != "cluster" and not design.from_clusters and response.largest_share > LARGE_CLUSTER:
        share = f"{100 * response.largest_share:.0f} %"
        message = f"the largest cluster has {share} of the response's pairs: precision over entities may miss it"
        yield Issue("large-cluster", f"{message}, and --precision-from cluster does not")


def _doubts(draws: Draws, response: Clustering, metrics: Sequence[str]) -> Iterator[str]:
    share = pairs_share(draws, response)
    if share is not None and not LEAST_SHARE <= share <= MOST_SHARE:
        yield f"the sample stands for {100 * share:.0f} % of the response's pairs"
    weak = [name for name in _ratios(draws, metrics) if 0 < draws.effective(draws.ratios[name].denominator) < FEW_DRAWS]
    if weak and len(draws) >= FEW_DRAWS:
        least = min(draws.effective(draws.ratios[name].denominator) for name in weak)
        yield f"{_named(weak)} rests on {least:.0f} effective draws"
    heavy = [name for name in _ratios(draws, metrics) if draws.largest_share(draws.ratios[name].denominator) > ONE_DRAW]
    if heavy and len(draws) >= FEW_DRAWS:
        most = max(draws.largest_share(draws.ratios[name].denominator) for name in heavy)
        yield f"one draw has {100 * most:.0f} % of a denominator of {_named(heavy)}"


def _ratios(draws: Draws, metrics: Sequence[str]) -> list[tuple[str, str]]:
    return [name for name in draws.ratios if name[0] in metrics]


def _named(names: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{METRICS[metric].title} {'RP'[part == 'precision']}" for metric, part in names)


def no_errors(draws: Draws, estimates: SystemEstimates, design: Design) -> Iterator[Issue]:
    """The note on a sample without any error: how frequent errors may be. For equal chances only."""
    values = [e.value for parts in estimates.scores.values() for e in parts.values() if e.value is not None]
    if not values or min(values) < 1 or draws.census or not _equal(draws):
        return
    n = len(draws)
    most = 100 * (1 - 0.05 ** (1 / n))
    message = f"no error among {n} draws: at most {most:.2g} % of the {UNITS[design.by]} have one, with 95 % confidence"
    yield Issue("no-error", message, n)


def _equal(draws: Draws) -> bool:
    return bool((draws.weight == draws.weight[0]).all())
