"""Intervals and tests: against scipy, against enumeration, and against what simulation says they must do."""

from __future__ import annotations

import csv
from itertools import product
from math import atan, nan, pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples
from command import Run
from coreflens.metrics import METRICS
from coreflens.options import Average, Blanc, Undefined
from coreflens.scoring.finalize import finalize
from coreflens.stats import (
    aligned,
    benjamini_hochberg,
    bootstrap,
    holm,
    letters,
    paired_tests,
    sample,
)
from coreflens.stats.bootstrap import bca_levels
from coreflens.stats.distributions import rank_sums, signed_ranks, t_two_sided
from coreflens.stats.paired import TESTS, Test
from coreflens.stats.sample import Gathered
from coreflens.stats.weights import draws
from simulated import clusters, result, rows

RNG = np.random.default_rng


@pytest.fixture(scope="module")
def scored() -> cl.Result:
    key, response = clusters(RNG(3), 60, 0.3)
    return cl.score(key, response, metrics="default,overlap,mela")


def corpus_score(result: cl.Result, chosen: np.ndarray) -> dict[str, float]:
    """Main numbers of a corpus made of some documents, computed from its rows one below the other."""
    scores = finalize(result.counts.take(chosen), result.signature.metrics, result.options)
    return {name: float(score.main) for name, score in scores.items()}


# ---- what is resampled


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("undefined", ["zero", "nan"])
def test_a_weighted_sum_is_the_corpus_with_the_documents_repeated(average: Average, undefined: Undefined) -> None:
    key, response = clusters(RNG(5), 25, 0.4, apart=3)
    scored = cl.score(key, response, metrics="all,mela", average=average, undefined=undefined)
    assert average == "micro" or scored["muc"].counts["f1_undefined_documents"] == 3
    units = sample(scored)
    weights = next(draws(RNG(0), units.stratum, 20))
    assert (weights.sum(axis=1) == 25).all()
    found = units.scores(units.sums(20, [weights]))[:, units.mains]
    for row, drawn in zip(found, weights.astype(int), strict=True):
        expected = corpus_score(scored, np.repeat(np.arange(25), drawn))
        for (metric, number), got in zip(expected.items(), row, strict=True):
            if getattr(METRICS[metric], "equal_mentions", False):
                assert got != got  # does not apply to the corpus, and so to none drawn from it
            else:
                assert got == pytest.approx(number, abs=1e-12, nan_ok=True), metric


@pytest.mark.parametrize("blanc", ["luo2014", "perl", "ua"])
@pytest.mark.parametrize("undefined", ["zero", "nan"])
def test_a_column_of_one_number_is_the_same_in_all_rows(undefined: Undefined, blanc: Blanc) -> None:
    key, response = clusters(RNG(5), 25, 0.4, apart=3)
    units = sample(cl.score(key, response, metrics="all,mela", undefined=undefined, blanc=blanc))
    gathered = Gathered.of({"": units}, 20, [next(draws(RNG(0), units.stratum, 20))])
    assert len(gathered.sums) == len({column.tobytes() for column in units.counts.values.T}) < len(units.counts.columns)
    for seed in range(5):
        of_one = RNG(seed).random(len(units.counts.columns)) < 0.5
        zero = RNG(seed).random(len(of_one)) < 0.2
        columns = [x[:1] * (not z) if one else x for x, one, z in zip(gathered.columns(""), of_one, zero, strict=True)]
        whole = [np.broadcast_to(x, 20) for x in columns]
        every = units.scores(np.stack(whole, axis=1))[:, units.mains]
        for found in (columns, whole):
            values = [np.broadcast_to(x, 20) for x in units.compared(found)]
            np.testing.assert_array_equal(np.stack(values, axis=1), every)


def test_the_whole_sample_scores_as_the_result(scored: cl.Result) -> None:
    units = sample(scored)
    found = dict(zip(units.outputs, units.scores(units.total)[0], strict=True))
    for (metric, value), number in found.items():
        assert number == pytest.approx(float(getattr(scored[metric], value)), abs=1e-12)


def test_parts_of_a_document_are_drawn_together() -> None:
    key = {f"doc{d}_{p}": [{"a", "b"}, {"c", "d"}] for d in range(5) for p in range(3)}
    documents = [d._replace(name=d.name.rpartition("_")[0], part=int(d.name[-1])) for d in cl.read(key).documents]
    corpus = cl.Corpus(**{**vars(cl.read(key)), "documents": documents})
    scored = cl.score(corpus, corpus)
    assert len(sample(scored)) == 5 and sample(scored).labels[0] == "doc0"
    assert len(sample(scored, unit="part")) == 15
    assert sample(scored).total == pytest.approx(scored.counts.total)


def test_unnamed_documents_are_units_of_their_own() -> None:
    gathered = cl.Accumulator()
    for _ in range(4):
        gathered.update([{"a", "b"}], [{"a", "b"}])
    assert len(sample(gathered.compute())) == 4


def test_strata_keep_their_sizes() -> None:
    stratum = np.array([0, 0, 0, 1, 1, 2])
    for weights in draws(RNG(1), stratum, 500):
        assert (weights[:, :3].sum(axis=1) == 3).all() and (weights[:, 3:5].sum(axis=1) == 2).all()
        assert (weights[:, 5] == 1).all()
        assert weights[:, 0].mean() == pytest.approx(1, abs=0.15)


def test_a_wide_sample_is_drawn_in_blocks() -> None:
    sizes = [w.shape for w in draws(RNG(0), np.zeros(1 << 19, dtype=np.int64), 10)]
    assert sizes == [(4, 1 << 19), (4, 1 << 19), (2, 1 << 19)]


# ---- intervals


def test_intervals_are_those_of_scipy(scored: cl.Result) -> None:
    """scipy is handed our own resamples, so that its percentile and BCa limits must be ours to the last digits."""
    units = sample(scored)
    replicas = np.concatenate([units.scores(units.sums(len(w), [w])) for w in draws(RNG(7), units.stratum, 2000)])
    for method in ("percentile", "bca"):
        found = scored.bootstrap(2000, seed=7, interval=method)
        for place, (metric, value) in enumerate(units.outputs):
            if np.ptp(replicas[:, place]) == 0:  # nothing varies, and scipy divides by it
                assert found[metric][value].low == found[metric][value].high
                continue

            def statistic(row: np.ndarray, axis: int = -1, place: int = place) -> np.ndarray:
                chosen = np.atleast_2d(row)
                sums = np.stack([units.counts.values[r].sum(axis=0) for r in chosen.astype(int)])
                scores = units.scores(sums)[:, place]
                return scores if np.ndim(row) > 1 else scores[0]

            prior: Any = type("Prior", (), {"bootstrap_distribution": replicas[:, place]})()
            theirs = scipy.stats.bootstrap(
                (np.arange(60),),
                statistic,
                n_resamples=0,
                bootstrap_result=prior,
                method={"percentile": "percentile", "bca": "BCa"}[method],
                vectorized=True,
                axis=-1,
            )
            ours = found[metric][value]
            assert (ours.low, ours.high) == pytest.approx(theirs.confidence_interval, abs=1e-9), (metric, value)
            assert ours.standard_error == pytest.approx(theirs.standard_error, abs=1e-12)


def test_stratified_acceleration_is_that_of_scipy_for_several_samples() -> None:
    x, y = RNG(1).exponential(size=12), RNG(2).exponential(size=20)
    drawn = RNG(3).normal(size=500) * 0.3 + x.mean() + y.mean()
    prior: Any = type("Prior", (), {"bootstrap_distribution": drawn})()
    theirs = scipy.stats.bootstrap(
        (x, y), lambda a, b, axis=-1: a.mean(axis=axis) + b.mean(axis=axis), n_resamples=0, bootstrap_result=prior
    )
    left_out = np.concatenate([(x.sum() - x) / 11 + y.mean(), x.mean() + (y.sum() - y) / 19])
    stratum = np.repeat([0, 1], [12, 20])
    levels = bca_levels(drawn, x.mean() + y.mean(), left_out, stratum, np.array([0.025, 0.975]))
    assert tuple(np.quantile(drawn, levels)) == pytest.approx(tuple(theirs.confidence_interval), abs=1e-12)


def test_bca_counts_ties_in_spite_of_the_last_bits() -> None:
    drawn = np.array([0.1, 0.3, 0.3, 0.3, 0.5, 0.7])
    left_out, stratum, ends = np.array([0.2, 0.3, 0.45]), np.zeros(3, dtype=np.int64), np.array([0.025, 0.975])
    expected = bca_levels(drawn, 0.3, left_out, stratum, ends)
    for last_bits in (np.nextafter(drawn, 0), np.nextafter(drawn, 1)):
        assert bca_levels(last_bits, 0.3, left_out, stratum, ends).tolist() == expected.tolist()


def test_jackknife_of_a_mean_is_the_standard_error_of_the_mean() -> None:
    key, response = clusters(RNG(1), 30, 0.3)
    scored = cl.score(key, response, metrics="lea", average="macro", undefined="nan")
    per_document = np.array([float(s["lea"].main) for s in scored.by_document().values()])
    per_document = per_document[per_document == per_document]
    assert len(per_document) == 30
    interval = scored.jackknife()["lea"]["f1"]
    assert interval.standard_error == pytest.approx(scipy.stats.sem(per_document), abs=1e-12)
    assert interval.high - interval.low == pytest.approx(2 * 1.959963984540054 * interval.standard_error)


def test_same_seed_same_interval_and_it_is_in_the_signature(scored: cl.Result) -> None:
    first, again, other = scored.bootstrap(500, seed=1), scored.bootstrap(500, seed=1), scored.bootstrap(500, seed=2)
    assert first["lea"] == again["lea"] != other["lea"]
    assert first.signature.startswith(str(scored.signature))
    assert "|bootstrap:500|interval:percentile|confidence:0.95|seed:1|unit:document|units:60" in first.signature
    assert cl.Signature.parse(first.signature) == scored.signature


def test_what_is_not_additive_is_said(scored: cl.Result) -> None:
    assert any(i.code == "not-additive" and "overlap" in i.message for i in scored.bootstrap(50).issues)
    assert not scored.bootstrap(50)["overlap"]["value"].low > scored["overlap"].main


def test_doubtful_samples_are_reported() -> None:
    few = result(rows(RNG(0), 8)).bootstrap(100)
    assert [i.code for i in few.issues] == ["few-documents"]
    values = rows(RNG(0), 40)
    values[7] *= 1000
    assert [i.code for i in result(values).bootstrap(100).issues] == ["one-document"]
    assert "'nw/7'" in result(values).bootstrap(100).issues[0].message
    assert not result(rows(RNG(0), 40)).bootstrap(100).issues


def test_undefined_resamples_are_counted() -> None:
    values = np.zeros((3, 12))
    values[0] = 5
    scored = result(values)
    undefined = cl.Result(scored.counts, ("muc",), cl.Options(undefined="nan"))
    issue = next(i for i in undefined.bootstrap(1000).issues if i.code == "undefined")
    assert issue.count == pytest.approx(1000 * (2 / 3) ** 3, abs=60)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"interval": "basic"}, "interval"),
        ({"confidence": 95}, "between 0 and 1"),
        ({"resamples": 0}, "at least one"),
        ({"seed": -1}, "seed"),
        ({"unit": "sentence"}, "unit"),
        ({"stratify": "topic"}, "topic"),
    ],
)
def test_wrong_arguments(scored: cl.Result, how: dict[str, Any], message: str) -> None:
    with pytest.raises(cl.UsageError, match=message):
        scored.bootstrap(**how)


def test_one_document_has_no_interval() -> None:
    with pytest.raises(cl.UsageError, match="only one document"):
        cl.score([{"a", "b"}], [{"a", "b"}]).bootstrap()


def test_intervals_of_groups_are_those_of_their_documents_alone() -> None:
    rng = RNG(5)
    names = ["solo/x", *(f"{'bc' if n % 3 else 'nw'}/{n}" for n in range(40))]

    def entities() -> list[list[int]]:
        labels = rng.integers(0, 6, 20)
        return [np.flatnonzero(labels == e).tolist() for e in range(6)]

    both = [{name: entities() for name in names} for _ in range(2)]
    found = cl.score(*both, metrics="conll").bootstrap(500, seed=2, interval="bca", by="genre")
    assert set(found.by) == {"bc", "nw"}  # one document of `solo` is nothing to draw from
    for genre, intervals in found.by.items():
        alone = [{d: c for d, c in side.items() if d.startswith(genre)} for side in both]
        assert dict(intervals) == dict(cl.score(*alone, metrics="conll").bootstrap(500, seed=2, interval="bca"))
    (few,) = [issue.message for issue in found.issues if "by group" in issue.message]
    assert "3 groups" in few and "solo" in few
    assert found.to_dict()["by"]["bc"]["conll"]["f1"]["low"] == found.by["bc"]["conll"]["f1"].low


def test_intervals_of_groups_are_shown(run: Run, tmp_path: Path) -> None:
    for name, shift in (("key", 0), ("response", 1)):
        text = "".join(
            f"#begin document ({genre}/{n}); part 000\n"
            + "".join(f"d 0 {w} w ({(w + (shift and (w + n) % 3 == 0)) % 4})\n" for w in range(12))
            + "\n#end document\n"
            for genre, size in (("bc", 4), ("nw", 1))
            for n in range(size)
        )
        (tmp_path / f"{name}.conll").write_text(text)
    files = tmp_path / "key.conll", tmp_path / "response.conll"
    asked = ("score", *files, "-m", "muc", "--bootstrap", 200, "--by", "genre")
    expected = cl.score(*files, metrics="muc").bootstrap(200, by="genre").by["bc"]["muc"]["f1"]
    lines = run(*asked).out.splitlines()
    at = lines.index(next(line for line in lines if line.startswith("bc")))
    assert lines[at + 1].strip() == f"{100 * expected.low:.2f}–{100 * expected.high:.2f}"
    assert (lines[at + 2].split()[0], lines[at + 3].strip()) == ("nw", "n/a")
    rows = {row["group"]: row for row in csv.DictReader(run(*asked, "--format", "csv").out.splitlines())}
    assert float(rows["bc"]["f1_low"]) == expected.low and rows["nw"]["f1_low"] == ""
    assert run("score", *files, "-m", "muc", "--bootstrap", 200, "--by", "document").code == 0


def test_exact_results_can_be_resampled() -> None:
    key, response = clusters(RNG(3), 10, 0.3)
    exact, plain = (cl.score(key, response, exact=x).bootstrap(200) for x in (True, False))
    for metric in plain:
        assert exact.main(metric).low == pytest.approx(plain.main(metric).low, abs=1e-12)


@pytest.mark.slow
def test_coverage_of_the_95_percent_interval_at_300_documents() -> None:
    """The share of intervals that hold the true score; 600 corpora leave an error of ±1.8 points at two sigmas."""
    rng = RNG(11)
    truth = dict.fromkeys(("muc", "bcub", "ceafe", "conll"), 0.7)
    for method in ("percentile", "bca"):
        held = dict.fromkeys(truth, 0)
        for _ in range(600):
            intervals = bootstrap(result(rows(rng, 300)), 400, interval=method, seed=int(rng.integers(1 << 31)))
            for metric, true in truth.items():
                held[metric] += intervals.main(metric).low <= true <= intervals.main(metric).high
        shares = [n / 600 for n in held.values()]
        assert 0.93 <= np.mean(shares) <= 0.97, (method, held)


# ---- tests


def test_t_is_that_of_scipy() -> None:
    for freedom in (1, 2, 5, 30, 342, 5000):
        for t in (0.0, 1e-4, 0.3, 1.0, 2.1, 5.5, 40.0):
            expected = 2 * scipy.stats.t.sf(t, freedom)
            assert t_two_sided(t, freedom) == pytest.approx(expected, rel=1e-9, abs=1e-300), (t, freedom)
    for t in (1e-8, 1e-3, 7.0):  # ν = 1 is Cauchy's distribution
        assert t_two_sided(t, 1) == pytest.approx(1 - 2 / pi * atan(t), rel=1e-12)


@pytest.mark.parametrize(("n", "ties"), [(3, False), (20, False), (50, False), (51, False), (200, True), (343, False)])
def test_wilcoxon_is_that_of_scipy(n: int, ties: bool) -> None:
    d = RNG(n).normal(0.2, 1, n)
    if ties:
        d = np.round(d, 1)
    theirs = scipy.stats.wilcoxon(d, method="exact" if n <= 50 else "approx")
    plus, minus, p, exact = signed_ranks(d)
    assert min(plus, minus) == pytest.approx(theirs.statistic) and exact == (n <= 50)
    assert p == pytest.approx(theirs.pvalue, rel=1e-9)


@examples(50)
@given(st.lists(st.sampled_from([-0.0, 0.0, 5e-324, -1e-12, 1e-12, -0.5, 0.5, 0.25, -1.0]), min_size=1, max_size=12))
def test_rank_sums_of_several_rows(differences: list[float]) -> None:
    d = np.array([differences, differences[::-1], [-x for x in differences]])
    ranks = scipy.stats.rankdata(np.abs(d), axis=1) - (d == 0).sum(axis=1, keepdims=True)
    for sums, of in zip(rank_sums(d), (d > 0, d < 0), strict=True):
        assert sums.tolist() == (ranks * of).sum(axis=1).tolist()


@examples(30)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=10))
def test_wilcoxon_with_ties_counts_all_signs(differences: list[int]) -> None:
    d = np.array([x for x in differences if x], dtype=float)
    _, _, p, _ = signed_ranks(np.array(differences, dtype=float))
    if not len(d):
        assert p == 1
        return
    ranks = scipy.stats.rankdata(np.abs(d))
    mean = ranks.sum() / 2
    observed = abs(ranks[d > 0].sum() - mean)
    sums = [ranks @ np.array(signs) for signs in product((0, 1), repeat=len(d))]
    assert p == pytest.approx(np.mean([abs(s - mean) >= observed - 1e-9 for s in sums]))


def pair(documents: int, seed: int = 0, better: float = 0.0) -> dict[str, cl.Result]:
    rng = RNG(seed)
    size = rng.integers(5, 80, documents)
    return {"base": result(rows(rng, documents, 0.7, size)), "new": result(rows(rng, documents, 0.7 + better, size))}


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_tests_on_documents_are_those_of_scipy(test: Test) -> None:
    results = pair(60, seed=4, better=0.05)
    found = paired_tests(aligned(results), [("base", "new")], test=test)["base", "new"]
    for metric in ("muc", "bcub", "ceafe", "conll"):
        a, b = ([float(s[metric].main) for s in r.by_document().values()] for r in results.values())
        d = np.array(b) - np.array(a)
        theirs = scipy.stats.ttest_rel(b, a) if test == "t" else scipy.stats.wilcoxon(d, method="approx")
        assert found[metric].p == pytest.approx(theirs.pvalue, rel=1e-6)
        assert found[metric].effect == pytest.approx(d.mean() / d.std(ddof=1))
        assert (found[metric].wins, found[metric].losses) == ((d > 0).sum(), (d < 0).sum())


def test_undefined_pairs_are_dropped_and_counted() -> None:
    results = pair(12)
    for r in results.values():
        r.counts.values[3] = 0
    found = paired_tests(aligned(results), [("base", "new")], test="t")["base", "new"]["muc"]
    assert found.dropped == 1
    a, b = ([float(s["muc"].main) for n, s in r.by_document().items() if n != "nw/3"] for r in results.values())
    assert found.p == pytest.approx(scipy.stats.ttest_rel(b, a).pvalue)


def test_few_documents_are_enumerated_and_agree_with_the_randomisation() -> None:
    """All 2ⁿ assignments, made here one by one, against both ways of `paired_tests`."""
    results = pair(9, seed=6, better=0.1)
    a, b = (r.counts.values for r in results.values())
    units = aligned(results)["base"]

    def conll(sums: np.ndarray) -> float:
        return float(units.scores(sums[None])[0, -1])

    observed = abs(conll(a.sum(0)) - conll(b.sum(0)))
    beyond = 0
    for signs in product((False, True), repeat=9):
        swap = np.array(signs)[:, None]
        first, second = np.where(swap, b, a).sum(0), np.where(swap, a, b).sum(0)
        beyond += abs(conll(first) - conll(second)) >= observed - 1e-12
    samples = aligned(results)
    enumerated = paired_tests(samples, [("base", "new")], resamples=512)["base", "new"]["conll"]
    assert enumerated.exact and enumerated.p == pytest.approx(beyond / 512)
    drawn = paired_tests(samples, [("base", "new")], resamples=511)["base", "new"]["conll"]
    assert not drawn.exact and drawn.p == pytest.approx(beyond / 512, abs=4 * (0.25 / 511) ** 0.5)


def test_randomisation_of_a_mean_is_scipys_permutation_test() -> None:
    key, first = clusters(RNG(1), 11, 0.3)
    _, second = clusters(RNG(1), 11, 0.35)
    results = {n: cl.score(key, r, metrics="lea", average="macro") for n, r in (("a", first), ("b", second))}
    a, b = ([float(s["lea"].main) for s in r.by_document().values()] for r in results.values())
    theirs = scipy.stats.permutation_test(
        (np.array(a), np.array(b)), lambda x, y: np.mean(x) - np.mean(y), permutation_type="samples", n_resamples=np.inf
    )
    ours = paired_tests(aligned(results), [("a", "b")])["a", "b"]["lea"]
    assert ours.exact and ours.p == pytest.approx(theirs.pvalue)


@pytest.mark.slow
def test_several_processes_give_the_same_tests() -> None:
    key, _ = clusters(RNG(2), 40, 0.3)
    results = {str(seed): cl.score(key, clusters(RNG(seed), 40, 0.3)[1]) for seed in (3, 4, 5)}
    samples = aligned(results)
    pairs = [("3", "4"), ("3", "5"), ("4", "5")]
    one, three = (paired_tests(samples, pairs, resamples=999, jobs=jobs) for jobs in (1, 3))
    assert {pair: {m: t.to_dict() for m, t in of.items()} for pair, of in one.items()} == {
        pair: {m: t.to_dict() for m, t in of.items()} for pair, of in three.items()
    }
    assert any(not test.exact and 0.001 < test.p < 1 for of in one.values() for test in of.values())


def test_equal_systems_and_unequal_ones() -> None:
    results = pair(40, better=0.2)
    results["same"] = results["base"]
    for test in TESTS:
        found = paired_tests(aligned(results), [("base", "same"), ("base", "new")], test=test, resamples=2000)
        assert found["base", "same"]["conll"].p == 1
        assert found["base", "new"]["conll"].p < 0.01
        assert found["base", "new"]["conll"].difference > 0


@pytest.mark.slow
@pytest.mark.parametrize("test", list(TESTS))
def test_type_1_error_is_near_5_percent(test: Test) -> None:
    """Two systems of the same quality: 5 of 100 tests may call them different (500 runs: ±2 points at two sigmas)."""
    rng = RNG(17)
    alarms = 0
    for run in range(500):
        base = rows(rng, 60)
        ease = rng.beta(5.6, 2.4, 60)[:, None]
        counts = [rng.binomial(base[:, 1::2].astype(int), ease).astype(float) for _ in range(2)]
        results = {}
        for name, numerators in zip("ab", counts, strict=True):
            values = base.copy()
            values[:, ::2] = numerators
            results[name] = result(values, ("muc", "bcub", "ceafe", "conll"))
        found = paired_tests(aligned(results), [("a", "b")], test=test, resamples=300, seed=run)["a", "b"]
        alarms += found["conll"].p <= 0.05
    assert 0.025 <= alarms / 500 <= 0.08, alarms


def test_interval_of_the_difference_holds_it() -> None:
    samples = aligned(pair(50, better=0.1))
    for interval in ("percentile", "bca"):
        found = paired_tests(samples, [("base", "new")], intervals=True, interval=interval, resamples=2000)
        one = found["base", "new"]["muc"]
        assert one.low < one.difference < one.high


def test_order_of_documents_does_not_matter_and_other_documents_do() -> None:
    results = pair(20, better=0.1)
    order = RNG(0).permutation(20)
    shuffled = cl.Result(results["new"].counts.take(order), ("muc", "bcub", "ceafe", "conll"), cl.Options())
    p = [
        paired_tests(aligned({"base": results["base"], "new": r}), [("base", "new")])["base", "new"]["muc"].p
        for r in (results["new"], shuffled)
    ]
    assert p[0] == p[1]
    with pytest.raises(cl.InputError, match=r"different documents, such as 'nw/19'"):
        aligned({"base": results["base"], "new": pair(19)["new"]})
    with pytest.raises(cl.InputError, match="different keys"):
        aligned({"base": results["base"], "new": result(rows(RNG(99), 20))})


# ---- many comparisons


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_benjamini_hochberg_is_that_of_scipy(p: list[float]) -> None:
    assert benjamini_hochberg(p) == pytest.approx(scipy.stats.false_discovery_control(p))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_by_its_definition(p: list[float]) -> None:
    found, m = holm(p), len(p)
    order = sorted(range(m), key=lambda i: p[i])
    for place, i in enumerate(order):
        assert found[i] == pytest.approx(min(1, max((m - k) * p[order[k]] for k in range(place + 1))))


def test_undefined_p_values_stay_so() -> None:
    assert holm([0.01, nan, 0.04]) == pytest.approx([0.02, nan, 0.04], nan_ok=True)


@examples(60)
@given(st.integers(2, 7), st.data())
def test_systems_share_a_letter_if_and_only_if_they_do_not_differ(n: int, data: st.DataObject) -> None:
    names = [f"s{i}" for i in range(n)]
    different = {(a, b): data.draw(st.booleans()) for i, a in enumerate(names) for b in names[i + 1 :]}
    found = letters(names, different)
    for (a, b), differ in different.items():
        assert bool(set(found[a]) & set(found[b])) == (not differ)
    assert found[names[0]].startswith("a")


def test_too_many_letters_are_none() -> None:
    """Pairs that differ within each of four triples, and only there: 81 maximal sets of systems that do not differ."""
    names = [f"{triple}{n}" for triple in "abcd" for n in range(3)]
    different = {(x, y): x[0] == y[0] for i, x in enumerate(names) for y in names[i + 1 :]}
    assert letters(names, different) == {}


def test_strata_of_one_document_are_reported() -> None:
    scored = result(rows(RNG(0), 40))
    labels = {f"nw/{n}": "a" if n else "b" for n in range(40)}
    assert [i.code for i in scored.bootstrap(50, stratify=labels).issues] == ["lonely-strata"]


def test_resamples_without_a_score_do_not_reach_the_interval_of_the_difference() -> None:
    """MUC is 0/0 in the resamples that miss the one document with links; --undefined nan keeps it so."""
    values = np.zeros((4, 12))
    values[:, 1::2] = [[10], [0], [0], [0]]
    low, high = values.copy(), values.copy()
    low[0, ::2], high[0, ::2] = 4, 6
    results = {
        name: cl.Result(result(v).counts, ("muc",), cl.Options(undefined="nan"))
        for name, v in (("a", low), ("b", high))
    }
    found = paired_tests(aligned(results), [("a", "b")], intervals=True, resamples=500)["a", "b"]["muc"]
    assert (found.low, found.high) == pytest.approx((0.2, 0.2)) and found.dropped == 3
