"""From tests to a verdict: who beats whom, which metrics agree, and how many documents would decide it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..errors import counted
from ..matching.labels import By
from ..metrics import METRICS, Average
from ..options import Options
from ..scoring.result import Result
from ..scoring.scores import is_number
from ..stats import PairedTest, Sample, contributions, needed, needed_with_runs
from ..stats.swapping import Pair
from .datasets import MacroBy
from .group_tests import GroupTests
from .ranks import Ranking
from .testing import LEVEL, Spreads, Testing, Tests
from .verdict import Verdict, short_p


def judged(
    ranking: Ranking,
    tests: Tests,
    spreads: Spreads,
    samples: Mapping[str, Sample] | None,
    testing: Testing,
    *,
    documents: int,
    also: Sequence[str] = (),
) -> Verdict | None:
    """The verdict of a section; None for a single system."""
    if len(ranking.order) < 2:
        return None
    ahead, behind = ranking.compared()
    verdict = Verdict(
        ranking.official,
        ahead,
        behind,
        delta=_lead(ranking),
        documents=documents,
        others=len(ranking.order) - 1,
        baseline=ranking.baseline,
        also=also,
    )
    if samples:
        units = next(iter(samples.values()))
        verdict = replace(verdict, documents=len(units), unit=units.word, scored=documents)
    pair = (ahead, behind) if (ahead, behind) in tests else (behind, ahead)
    if pair not in tests:
        return replace(verdict, limit=_why_untested(verdict, testing))
    verdict = _with_test(verdict, pair, ranking, tests, testing)
    if verdict.p <= LEVEL:
        options = samples[ahead].options if samples else Options()
        return _with_metrics(verdict, pair, tests, testing, options)
    if verdict.smallest > LEVEL and testing.short_of_resamples(tests[pair][ranking.official]):
        return replace(verdict, limit=_too_few_resamples(verdict, tests, testing))
    if is_number(verdict.delta) and verdict.delta and samples is not None:
        return _with_needed(verdict, samples, spreads, testing, testing.level(tests, pair, ranking.official))
    return verdict


def _lead(ranking: Ranking) -> float:
    """The better system minus the other; differences in the last bits are none."""
    ahead, behind = (float(ranking.scores[name][ranking.official].main) for name in ranking.compared())
    difference = ahead - behind
    return 0.0 if abs(difference) < 1e-12 else difference


def _why_untested(verdict: Verdict, testing: Testing) -> str:
    if verdict.documents == 1:
        return f"1 {verdict.unit} can't decide it"
    if not testing.resamples:
        return "no test was asked for"
    return "there is no test on different documents"


def _with_test(verdict: Verdict, pair: Pair, ranking: Ranking, tests: Tests, testing: Testing) -> Verdict:
    """The verdict with the test of its two systems, and with how many others the leader beats."""
    official = ranking.official
    corrected = testing.corrected(tests, [official])
    smallest = testing.smallest(tests, [official])
    test = tests[pair][official]
    if pair == (verdict.ahead, verdict.behind):
        test = test.reversed()
    leader = verdict.ahead if ranking.baseline is None else ranking.baseline
    decided = [other for other in tests if leader in other and corrected[other, official] <= LEVEL]
    if ranking.baseline is not None:  # pairs are (baseline, other); those count that beat the baseline
        decided = [other for other in decided if ranking.sign * tests[other][official].difference > 0]
    beats_all = ranking.baseline is not None or len(decided) == verdict.others
    p = corrected[pair, official]
    return replace(
        verdict,
        low=test.low,
        high=test.high,
        p=p,
        smallest=smallest[pair, official],
        winner=verdict.ahead if p <= LEVEL and beats_all else None,
        beaten=len(decided),
        corrected=testing.correction != "none" and len(tests) > 1,
    )


def _with_metrics(verdict: Verdict, pair: Pair, tests: Tests, testing: Testing, options: Options) -> Verdict:
    """The verdict with the metrics that decide for the winner, that are undecided, and that decide against it."""
    adjusted = {metric: testing.corrected(tests, [metric])[pair, metric] for metric in tests[pair]}
    sign = 1 if pair == (verdict.behind, verdict.ahead) else -1
    carried, undecided, opposed = metrics_of(tests[pair], adjusted, verdict.official, sign, options)
    return replace(verdict, carried=carried, undecided=undecided, opposed=opposed)


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


def _too_few_resamples(verdict: Verdict, tests: Tests, testing: Testing) -> str:
    limit = f"{testing.resamples:,} resamples can't decide it among {counted(tests, 'pair')}"
    return f"{limit} (smallest possible p {short_p(verdict.smallest)}); --resamples {100 * len(tests)} would"


def _with_needed(
    verdict: Verdict, samples: Mapping[str, Sample], spreads: Spreads, testing: Testing, level: float
) -> Verdict:
    """The verdict with the number of documents that would decide it, if one can be given."""
    first, second = samples[verdict.behind], samples[verdict.ahead]
    if spreads:
        of_runs = [spreads[name][verdict.official] for name in (verdict.behind, verdict.ahead)]
        number = needed_with_runs(first, second, verdict.official, of_runs, level)
        verdict = replace(verdict, more_runs=number is None)
    else:
        number = needed(contributions(first, second, verdict.official), level, testing.seed)
    if number is None:
        return verdict
    return replace(verdict, needed=number.documents, needed_low=number.low, needed_high=number.high)


def sentences(
    ranking: Ranking,
    runs: Mapping[str, Sequence[Result]],
    group_tests: GroupTests,
    macro: MacroBy | None,
    by: By | None,
) -> Iterator[str]:
    """Sentences about the runs, groups and datasets of the two systems in the verdict."""
    if len(ranking.order) < 2:
        return
    ahead, behind = ranking.compared()
    if runs:
        yield _about_runs(len(runs[ahead]), len(runs[behind]))
    if not any(group_tests.tests.values()):
        return
    worse = group_tests.better(behind, ahead, ranking.sign)
    if macro:
        yield _about_datasets(ranking, group_tests, macro)
    else:
        yield _about_groups(ranking, group_tests, by)
    if worse:
        yield f"{behind} is better {'on' if macro else 'in'} {', '.join(worse)}."


def _about_runs(ahead: int, behind: int) -> str:
    if ahead == behind:
        return f"These are means over {ahead} runs each."
    return f"These are means over {ahead} and {counted(range(behind), 'run')}."


def _about_datasets(ranking: Ranking, group_tests: GroupTests, macro: MacroBy) -> str:
    """On how many datasets one system is better, also if the datasets are independent."""
    ahead, behind = ranking.compared()
    better = group_tests.better(ahead, behind, ranking.sign)
    if_independent = group_tests.at_least_if_independent(ahead, behind, ranking.sign)
    text = f"{ahead} is better on at least {len(better)} of {counted(group_tests.tests, macro)}"
    level = short_p(LEVEL).rstrip("0")
    corrected = f", by Holm: {', '.join(better)}" if better else ""
    text += f" (α = {level}{corrected})"
    if if_independent > len(better):
        text += f", on at least {if_independent} if these are independent"
    return f"{text}."


def _about_groups(ranking: Ranking, group_tests: GroupTests, by: By | None) -> str:
    """In how many groups one system is better, and in which."""
    ahead, behind = ranking.compared()
    better = group_tests.better(ahead, behind, ranking.sign)
    word = by if isinstance(by, str) and by in ("genre", "part", "document") else "group"
    where = f"none of {len(group_tests.tests)}"
    if better:
        where = f"{len(better)} of {counted(group_tests.tests, word)} ({', '.join(better)})"
    return f"Tested within each {word}, {ahead} is better in {where}."
