"""How many documents decide, tests over runs and over datasets: against scipy, enumeration and plain definitions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from coreflens.scoring.result import Result
from coreflens.stats import (
    Needed,
    RunsSample,
    Spread,
    aligned,
    contributions,
    macro_sample,
    needed,
    needed_with_runs,
    paired_tests,
    partial_conjunction,
    runs_sample,
    two_level_tests,
)
from coreflens.stats.distributions import chi_squared_above, t_quantile
from coreflens.stats.power import effects, power, rounded
from coreflens.stats.sample import Gathered
from simulated import clusters, result, rows

RNG = np.random.default_rng


def systems(n: int, better: float, seed: int = 0, runs: int = 1, spread: float = 0.0) -> dict[str, list[Result]]:
    """Two systems on documents of the same difficulty, the second better; runs differ in quality."""
    rng = RNG(seed)
    base = rows(rng, n)
    ease = rng.beta(5.6, 2.4, n)[:, None]
    found: dict[str, list[Result]] = {"a": [], "b": []}
    for name, gain in (("a", 0.0), ("b", better)):
        for _ in range(runs):
            chance = np.clip(ease + gain + spread * rng.standard_normal(), 0.01, 0.99)
            values = base.copy()
            values[:, ::2] = rng.binomial(base[:, 1::2].astype(int), chance)
            found[name].append(result(values))
    return found


def test_contributions_add_up_and_their_signs_are_the_randomisation_test() -> None:
    found = {name: runs[0] for name, runs in systems(11, 0.05).items()}
    samples = aligned(found)
    d = contributions(samples["a"], samples["b"], "conll")
    test = paired_tests(samples, [("a", "b")])["a", "b"]["conll"]
    assert d.sum() == pytest.approx(test.difference, rel=0.02)
    assert contributions(samples["b"], samples["a"], "conll") == pytest.approx(-d)
    every = np.abs(np.array([*product((1, -1), repeat=len(d))]) @ d)
    assert test.exact and (every >= abs(d.sum()) - 1e-12).mean() == pytest.approx(test.p, abs=0.02)


@pytest.mark.slow
def test_power_is_that_of_tests_on_drawn_corpora() -> None:
    """The real test on 150 corpora drawn from the documents, against the short way: ±8 points at two sigmas."""
    found = {name: runs[0] for name, runs in systems(60, 0.03, seed=3).items()}
    samples = aligned(found)
    d = contributions(samples["a"], samples["b"], "conll")
    rng = RNG(1)
    for documents in (20, 60):
        decided = 0
        for run in range(150):
            chosen = rng.integers(0, 60, documents)
            drawn = {name: result(r.counts.values[chosen]) for name, r in found.items()}
            test = paired_tests(aligned(drawn), [("a", "b")], resamples=200, seed=run)["a", "b"]["conll"]
            decided += test.p <= 0.05 and test.difference > 0
        assert power(d, documents, 0.05) == pytest.approx(decided / 150, abs=0.09)


def test_needed_documents() -> None:
    samples = aligned({name: runs[0] for name, runs in systems(60, 0.03, seed=3).items()})
    d = contributions(samples["a"], samples["b"], "conll")
    found = needed(d, 0.05)
    assert found.documents is not None and found.low is not None and found.high is not None
    assert power(d, found.documents, 0.05) >= 0.78 and power(d, int(0.8 * found.documents), 0.05) < 0.82
    assert 6 <= found.low < found.documents < found.high
    assert needed(-d, 0.05) == found  # either may be ahead
    stricter = needed(d, 0.05 / 15)
    assert stricter.documents is not None and stricter.documents > found.documents
    assert needed(d[:4], 0.05) == needed(np.zeros(50), 0.05) == Needed()  # too little to go by
    assert needed(np.array([1.0, -1.0] * 20), 0.05) == Needed()  # no difference
    assert needed(np.full(8, 0.01), 0.05) == (6, 6, 6)  # every document agrees: 2/2⁶ is the first p below 0.05
    assert needed(np.full(8, 0.01), 0.05 / 15) == (10, 10, 10)
    assert [rounded(n) for n in (7, 42, 101, 1234, 99_999)] == [7, 42, 110, 1300, 100_000]
    assert [rounded(n, up=False) for n in (7, 42, 109, 1299)] == [7, 42, 100, 1200]


def test_a_difference_that_may_be_none_has_no_number_but_a_lower_end() -> None:
    d = np.array([1.0, -1.0] * 50)
    d[0] = 3.0
    found = needed(d, 0.05)
    assert found.documents is None and found.high is None
    assert found.low is not None and found.low > 100  # 100 documents that differ like these have not decided it


@given(st.integers(5, 300), st.floats(0, 6))
def test_the_interval_of_an_effect_is_near_the_one_of_the_noncentral_t(n: int, t: float) -> None:
    """At its ends the observed t is at the 90 % and 10 % quantiles of scipy's distribution."""
    d = RNG(n).standard_normal(n)
    d = (d - d.mean()) / d.std(ddof=1) + t / np.sqrt(n)
    low, high = (np.sqrt(n) * end for end in effects(d))
    assert scipy.stats.nct.cdf(t, n - 1, low) == pytest.approx(0.9, abs=0.015)
    assert scipy.stats.nct.cdf(t, n - 1, high) == pytest.approx(0.1, abs=0.015)


@pytest.mark.slow
def test_ranges_hold_the_true_number() -> None:
    """Of normal differences, for which the true number of documents is known by a formula; ±6 points at two sigmas."""
    rng = RNG(7)
    effect, runs = 0.3, 200
    truth = needed(effect + rng.standard_normal(20_000), 0.05).documents
    wanted = scipy.stats.norm.ppf(0.975) + scipy.stats.norm.ppf(0.8)
    assert truth == pytest.approx((wanted / effect) ** 2, rel=0.1)
    assert truth is not None
    for n in (10, 40, 160):
        found = [needed(effect + rng.standard_normal(n), 0.05, run) for run in range(runs)]
        held = np.mean([(x.low or 0) <= truth <= (x.high or np.inf) for x in found])
        assert 0.72 <= held <= 0.95


def test_documents_do_not_help_where_the_runs_differ() -> None:
    samples = aligned({name: runs[0] for name, runs in systems(60, 0.03, seed=3).items()})
    a, b = samples["a"], samples["b"]

    def asked(variance: float) -> Needed | None:
        return needed_with_runs(a, b, "conll", [Spread([0.5] * 30, 0.0, variance), Spread([0.5], 0.0, np.nan)], 0.05)

    fewer, more = asked(0.0), asked(5e-5)
    assert fewer is not None and more is not None and fewer.documents is not None and more.documents is not None
    assert fewer.documents < more.documents
    assert (fewer.low or 0) <= fewer.documents <= (fewer.high or 0)
    assert asked(1.0) is None
    alone = needed(contributions(a, b, "conll"), 0.05).documents
    assert alone is not None and alone / 1.5 <= fewer.documents <= 1.5 * alone


@given(st.floats(0.5001, 0.9999), st.floats(1, 200))
def test_quantiles_of_t_are_those_of_scipy(level: float, freedom: float) -> None:
    assert t_quantile(level, freedom) == pytest.approx(scipy.stats.t.ppf(level, freedom), rel=1e-6, abs=1e-9)


@given(st.floats(0, 500), st.integers(1, 60))
def test_chi_squared_is_that_of_scipy(x: float, pairs: int) -> None:
    assert chi_squared_above(x, pairs) == pytest.approx(scipy.stats.chi2.sf(x, 2 * pairs), rel=1e-9, abs=1e-300)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.sampled_from([0.01, 0.05, 0.2]))
def test_partial_conjunction_is_its_definition(p: list[float], level: float) -> None:
    ordered = sorted(max(x, 1e-300) for x in p)
    n = len(ordered)
    fisher = [scipy.stats.combine_pvalues(ordered[u - 1 :], "fisher").pvalue for u in range(1, n + 1)]
    bonferroni = [(n - u + 1) * ordered[u - 1] for u in range(1, n + 1)]
    for independent, tails in ((True, fisher), (False, bonferroni)):
        if any(abs(tail - level) < 1e-9 for tail in tails):
            continue
        rising = np.maximum.accumulate(tails)
        assert partial_conjunction(p, level, independent=independent) == int((rising <= level).sum())


def test_one_run_is_a_plain_sample_and_several_are_their_mean() -> None:
    found = systems(30, 0.02, runs=3, spread=0.02)["a"]
    units = list(aligned({str(k): run for k, run in enumerate(found)}).values())
    assert runs_sample(units[:1]) is units[0]
    both = runs_sample(units)
    assert isinstance(both, RunsSample)
    weights = RNG(0).integers(0, 3, (5, 30)).astype(float)
    expected = np.mean([u.scores(u.sums(5, [weights])) for u in units], axis=0)
    assert both.scores(both.sums(5, [weights])) == pytest.approx(expected)
    datasets = macro_sample({"x": units[0], "y": units[1]})
    twice = np.hstack([weights, weights[:, ::-1]])
    for one, drawn in ((units[0], weights), (both, weights), (datasets, twice)):
        scores = one.scores(one.sums(5, [drawn]))
        columns = Gathered.of({"": one}, 5, [drawn[:2], drawn[2:]]).columns("")
        assert np.stack(one.compared(columns), axis=1) == pytest.approx(scores[:, one.mains])
    values, _ = both.of_units()
    assert values == pytest.approx(np.mean([u.of_units()[0] for u in units], axis=0))


def test_metrics_that_do_not_apply_to_runs_are_undefined_without_a_warning() -> None:
    key, _ = clusters(RNG(1), 12, 0.3)
    runs = {
        name: [cl.score(key, clusters(RNG(1), 12, noise)[1], metrics="all") for noise in of]
        for name, of in (("a", (0.2, 0.3)), ("b", (0.3, 0.4)))
    }
    (section,) = cl.compare(None, runs, resamples=200).sections
    tests = section.tests[next(iter(section.tests))]
    assert tests["muc"].p == tests["muc"].p and section.spreads["a"]["muc"].by_documents > 0
    for metric in ("rand", "ari"):  # the mentions differ
        spread = section.spreads["a"][metric].by_documents
        assert tests[metric].p != tests[metric].p and spread != spread


def test_where_only_runs_vary_it_is_welch_s_t_test() -> None:
    """Documents that are all alike leave the runs alone: then the test is scipy's for unequal variances."""
    rng = RNG(4)
    base = rows(rng, 1)
    scores: dict[str, list[float]] = {}
    samples = {}
    for name, shares in (("a", (0.50, 0.53, 0.51)), ("b", (0.55, 0.56, 0.53, 0.58))):
        runs = []
        for share in shares:
            values = np.repeat(base, 20, axis=0)
            values[:, ::2] = values[:, 1::2] * share
            runs.append(result(values))
        scores[name] = [float(run.conll) for run in runs]
        samples[name] = runs_sample(list(aligned({str(k): run for k, run in enumerate(runs)}).values()))
    tests, spreads = two_level_tests(samples, [("a", "b")], resamples=20_000, seed=0, confidence=0.95)
    theirs = scipy.stats.ttest_ind(scores["b"], scores["a"], equal_var=False)
    ours = tests["a", "b"]["conll"]
    assert ours.p == pytest.approx(theirs.pvalue, rel=0.05)
    interval = theirs.confidence_interval(0.95)
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high), abs=0.002)
    assert spreads["a"]["conll"].by_documents == pytest.approx(0, abs=1e-12)
    assert spreads["b"]["conll"].by_runs == pytest.approx(np.var(scores["b"], ddof=1) / 4)


def test_with_one_run_each_it_is_near_the_bootstrap() -> None:
    samples = aligned({name: runs[0] for name, runs in systems(100, 0.02, seed=5).items()})
    ours = two_level_tests(samples, [("a", "b")], resamples=4000, seed=1, confidence=0.95)[0]["a", "b"]["conll"]
    other = paired_tests(samples, [("a", "b")], resamples=4000, seed=1, intervals=True)["a", "b"]["conll"]
    assert (ours.low, ours.high) == pytest.approx((other.low, other.high), abs=0.003)
    assert ours.p == pytest.approx(other.p, abs=0.03)
    assert ours.reversed().reversed() == ours


def test_more_documents_than_a_float_has_powers_of_two() -> None:
    samples = aligned({name: runs[0] for name, runs in systems(1100, 0.05).items()})
    assert paired_tests(samples, [("a", "b")], resamples=50)["a", "b"]["conll"].p == pytest.approx(1 / 51)
