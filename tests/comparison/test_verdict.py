"""The verdict of `compare`: who beats whom, what can't be decided, over groups, runs and datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coreflens as cl
from command import Run
from coreflens.comparison.ranks import rank_intervals, ranks
from coreflens.comparison.verdict import short_p, told_p
from coreflens.stats import partial_conjunction
from places import SHARED

BEYOND = SHARED / "data" / "cdcr_beyond" / "feature-based"
HYPER = SHARED / "data" / "hypercoref_cdcr"
here = pytest.mark.skipif(not BEYOND.is_dir(), reason="needs ../shared/data/cdcr_beyond")


def documents(rng: np.random.Generator, n: int, noise: float, genres: tuple[str, ...] = ("a",)) -> dict[str, Any]:
    """Documents of two entities, whose mentions go astray with some chance."""
    found = {}
    for k in range(n):
        entities: list[set[int]] = [set() for _ in range(3)]
        for mention in range(12):
            entities[2 if rng.random() < noise else mention % 2].add(mention)
        found[f"{genres[k % len(genres)]}/{k:03}"] = [e for e in entities if e]
    return found


def key(n: int, genres: tuple[str, ...] = ("a",)) -> dict[str, Any]:
    return documents(np.random.default_rng(0), n, 0.0, genres)


def write(path: Path, corpus: dict[str, Any]) -> Path:
    cl.write(cl.read(corpus), path, format="table")
    return path


# ---- two systems


def test_a_winner_and_what_carries_it() -> None:
    rng = np.random.default_rng(1)
    found = cl.compare(key(60), {"A": documents(rng, 60, 0.3), "B": documents(rng, 60, 0.1)}, resamples=2000)
    verdict = found.sections[0].verdict
    assert verdict is not None and verdict.winner == "B" and verdict.documents == 60 and verdict.needed is None
    assert found.verdict == str(found).splitlines()[0] == verdict.text
    assert found.verdict.startswith(f"B beats A: +{100 * verdict.delta:.2f} CoNLL [")
    assert "p < .001 (60 documents); every metric agrees." in found.verdict
    test = found.sections[0].test_of("A", "B")["conll"]
    assert (verdict.delta, verdict.low, verdict.high, verdict.p) == (test.difference, test.low, test.high, test.p)
    plain = found.to_dict()["verdict"]
    numbers = {"delta", "low", "high", "p", "documents", "needed", "needed_low", "needed_high"}
    assert set(plain) == {"text", "winner"} | numbers
    assert found.to_dict()["sections"][0]["verdict"] == plain


def test_two_systems_show_the_difference_and_its_p() -> None:
    rng = np.random.default_rng(1)
    found = cl.compare(key(60), {"A": documents(rng, 60, 0.3), "B": documents(rng, 60, 0.2)}, metrics="conll")
    lines = str(found).splitlines()
    gap, p = (next(line.split() for line in lines if line.split()[:1] == [word]) for word in ("Δ", "p"))
    tests = found.sections[0].test_of("A", "B")
    assert gap[1:] == [
        f"{100 * t.difference:+.2f}".replace("-", "−") if t.difference else "0.00" for t in tests.values()
    ]
    assert p[1:] == ["<.001" if t.p < 0.001 else short_p(t.p) for t in tests.values()]
    assert "group" not in str(found)


def test_too_few_documents_say_how_many_would_do() -> None:
    rng = np.random.default_rng(2)
    systems = {name: documents(rng, 8, 0.1 + 0.08 * n) for n, name in enumerate("FEDCBA")}
    found = cl.compare(key(8), systems, metrics="conll")
    verdict = found.sections[0].verdict
    assert verdict is not None and verdict.winner is None and verdict.needed is not None and verdict.needed > 8
    least = f"smallest possible p after correction {short_p(verdict.smallest)}"
    assert verdict.smallest > 0.05
    between = f"between {verdict.needed_low} and {verdict.needed_high}, with 80 % confidence"
    assert f"; 8 documents can't decide it ({least}); about {verdict.needed} would ({between}); " in found.verdict


def test_an_undecided_difference() -> None:
    rng = np.random.default_rng(4)
    found = cl.compare(key(40), {"A": documents(rng, 40, 0.2), "B": documents(rng, 40, 0.18)}, resamples=1000)
    verdict = found.sections[0].verdict
    assert verdict is not None and verdict.winner is None and 0.05 < verdict.p < 0.2
    assert verdict.needed is not None and verdict.needed > 40
    assert f"leaves it undecided; about {verdict.needed:,} would decide a difference of this size (" in found.verdict


def test_a_difference_too_small_to_say_how_many_documents_decide_it() -> None:
    rng = np.random.default_rng(2)
    found = cl.compare(key(40), {"A": documents(rng, 40, 0.2), "B": documents(rng, 40, 0.2)}, resamples=1000)
    verdict = found.sections[0].verdict
    assert verdict is not None and verdict.p > 0.2 and verdict.needed is None and verdict.needed_high is None
    assert verdict.needed_low is not None and verdict.needed_low > 40
    least = f"at least {verdict.needed_low:,} would be needed, but the difference is too uncertain to say how many"
    assert f"leaves it undecided; {least}." in found.verdict
    plain = found.to_dict()["verdict"]
    assert plain["needed"] is None and plain["needed_low"] == verdict.needed_low and plain["needed_high"] is None


def test_equal_systems_and_none_to_compare() -> None:
    corpus = documents(np.random.default_rng(1), 10, 0.2)
    found = cl.compare(key(10), {"A": corpus, "B": corpus})
    assert found.verdict == "A and B have the same CoNLL."
    assert cl.compare(key(10), {"A": corpus}).verdict == ""
    assert cl.compare(key(10), {"A": corpus}).to_dict()["sections"][0]["verdict"] is None
    untested = cl.compare(key(10), {"A": corpus, "B": key(10)}, resamples=0)
    assert untested.verdict.endswith("; no test was asked for.") and "B is ahead of A: +" in untested.verdict


def test_a_baseline_is_in_the_verdict() -> None:
    rng = np.random.default_rng(3)
    systems = {"old": documents(rng, 40, 0.3), "new": documents(rng, 40, 0.1), "bad": documents(rng, 40, 0.6)}
    found = cl.compare(key(40), systems, baseline="old", resamples=2000, metrics="conll")
    assert found.verdict.startswith("new beats old: +") and "1 of 2 systems beats old" in found.verdict
    found = cl.compare(key(40), systems, baseline="new", resamples=2000, metrics="conll")
    assert found.verdict.startswith("new beats old, the best of the 2 others: +")
    assert "none of 2 systems beat new" in found.verdict and "every metric agrees" in found.verdict
    assert found.sections[0].verdict is not None and found.sections[0].verdict.winner == "new"


def test_p_is_printed_as_papers_do() -> None:
    assert [short_p(p) for p in (0.005, 0.1171875, 0.5, 1.0, 0.05, 0.0499, 0.05001)] == [
        ".005", ".117", ".500", "1", ".050", ".050", ".0500",
    ]  # fmt: skip
    assert told_p(0.0004) == "p < .001" and told_p(0.0404) == "p = .040"


@here
def test_within_document_systems_of_ecb() -> None:
    lemma, clustered = BEYOND / "ecbp_lemma_baselines" / "lemma", BEYOND / "ecbp_evaluate_clustering" / "0"
    systems = {"A": lemma / "within_doc" / "system.conll", "B": clustered / "within_doc" / "system.conll"}
    found = cl.compare(lemma / "within_doc" / "gold.conll", systems)
    assert found.verdict.startswith("B beats A: +2.11 CoNLL [0.65, 3.74], p = .005 (206 documents); MUC carries it; ")
    assert "LEA are undecided" in found.verdict


@pytest.mark.skipif(not HYPER.is_dir(), reason="needs ../shared/data/hypercoref_cdcr")
def test_one_document_decides_nothing() -> None:
    files = sorted((HYPER / "sys_cdcr").rglob("*.conll"))[:2]
    found = cl.compare(HYPER / "key" / "ecbp" / "test_events_corpus_level.conll", dict(zip("XY", files, strict=True)))
    assert found.verdict.endswith("; 1 document can't decide it.")
    assert found.to_dict()["verdict"]["p"] is None and found.to_dict()["verdict"]["winner"] is None


# ---- many systems


@pytest.mark.slow
def test_thirty_systems_have_ranks_with_intervals() -> None:
    rng = np.random.default_rng(5)
    systems = {f"s{k:02}": documents(rng, 40, 0.02 + 0.012 * k) for k in range(30)}
    found = cl.compare(key(40), systems, metrics="conll", resamples=10_000)
    (section,) = found.sections
    places, place = section.rank_intervals(0.05), ranks(section.main, "conll")
    assert all(low <= place[name] <= high for name, (low, high) in places.items())
    assert places["s00"][1] < 30 and places["s29"][0] > 1
    assert "ranks" in str(found) and [s["rank_interval"] for s in found.to_dict()["sections"][0]["systems"]]
    verdict = section.verdict
    assert verdict is not None and verdict.others == 29
    beaten = sum(section.corrected(section.names[0], name, "conll") <= 0.05 for name in section.names[1:])
    assert verdict.beaten == beaten
    assert verdict.winner is not None or f"beats {beaten} of the 29 others" in found.verdict


def test_rank_intervals_count_who_is_better_and_worse() -> None:
    scores = {name: cl.Scores({"lea": cl.Score("lea", f1=x)}) for name, x in (("a", 0.9), ("b", 0.8), ("c", 0.5))}
    decided = {("a", "b"): False, ("a", "c"): True, ("c", "b"): False}
    assert rank_intervals("abc", decided, scores, "lea") == {"a": (1, 2), "b": (1, 3), "c": (2, 3)}


# ---- groups


def test_tests_within_groups_are_corrected_over_them() -> None:
    rng, genres = np.random.default_rng(6), ("bc", "nw", "wb")
    a, b = documents(rng, 60, 0.3, genres), documents(rng, 60, 0.2, genres)
    b |= {name: entities for name, entities in a.items() if name.startswith("wb")}
    found = cl.compare(key(60, genres), {"A": a, "B": b}, by="genre", metrics="conll", resamples=2000)
    within = found.sections[0].within
    assert list(within.tests) == ["bc", "nw", "wb"]
    raw = [within.tests[g]["B", "A"].p for g in within.tests]
    order = np.argsort(raw)
    holm = np.minimum(np.maximum.accumulate(np.sort(raw) * [3, 2, 1]), 1)
    assert [within.corrected(list(within.tests)[k], "A", "B") for k in order] == pytest.approx(holm.tolist())
    assert within.corrected("wb", "A", "B") == 1
    better = within.better("B", "A")
    assert better and f"Tested within each genre, B is better in {len(better)} of 3 genres (" in found.verdict
    gold, *both = ({n: e for n, e in corpus.items() if n[:2] == "bc"} for corpus in (key(60, genres), a, b))
    alone = cl.compare(gold, dict(zip("AB", both, strict=True)), metrics="conll", resamples=2000)
    assert within.tests["bc"]["B", "A"].p == pytest.approx(alone.sections[0].test_of("B", "A")["conll"].p, abs=0.03)
    plain = found.to_dict()["sections"][0]["tests_by"]
    assert [(t["group"], t["metric"]) for t in plain] == [("bc", "conll"), ("nw", "conll"), ("wb", "conll")]
    three = cl.compare(key(60, genres), {"A": a, "B": b, "C": key(60, genres)}, by="genre", metrics="conll")
    assert "worse than C within the genre" in str(three)


# ---- runs


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rng = np.random.default_rng(7)
    write(tmp_path / "key.csv", key(40))
    for name, noise, runs in (("a", 0.25, 3), ("b", 0.15, 4), ("c", 0.3, 1)):
        (tmp_path / name).mkdir()
        for run in range(runs):
            write(tmp_path / name / f"run{run}.csv", documents(rng, 40, noise + 0.01 * run))
    return tmp_path


def test_files_that_repeat_documents_are_runs(run: Run, files: Path) -> None:
    ran = run("compare", files / "key.csv", f"A={files}/a/run*.csv", f"B={files}/b/run*.csv", "--format", "json")
    (section,) = ran.json["sections"]
    for name, runs in (("A", 3), ("B", 4)):
        spread = section["runs"][name]["conll"]
        alone = [float(cl.score(files / "key.csv", files / name.lower() / f"run{k}.csv").conll) for k in range(runs)]
        assert spread["scores"] == pytest.approx(alone) and spread["mean"] == pytest.approx(np.mean(alone))
        assert spread["standard_deviation"] == pytest.approx(np.std(alone, ddof=1))
        assert spread["variance"]["runs"] == pytest.approx(np.var(alone, ddof=1) / runs)
        mean = next(s for s in section["systems"] if s["name"] == name)["scores"]["exact"]["conll"]["f1"]
        assert mean == pytest.approx(np.mean(alone))
    test = next(t for t in section["tests"] if t["metric"] == "conll")
    assert test["test"] == "two-level bootstrap" and (test["low"] > 0 or test["high"] < 0) == (test["p"] < 0.05)
    assert "|runs:4,3|" in section["signature"] and "|test:two-level-bootstrap|" in section["signature"]
    text = run("compare", files / "key.csv", f"A={files}/a/run*.csv", f"B={files}/b/run*.csv").out
    assert text.startswith("B beats A: +") and "These are means over 4 and 3 runs." in text and "CoNLL by run" in text


def test_a_single_run_beside_several_is_noted(run: Run, files: Path) -> None:
    ran = run("compare", files / "key.csv", f"A={files}/a/run*.csv", f"C={files}/c/run0.csv")
    assert ran.code == 0 and "only one run of C" in ran.err
    assert "means over" in ran.out


def test_parts_are_still_parts_and_neither_is_an_error(run: Run, files: Path) -> None:
    whole = documents(np.random.default_rng(8), 40, 0.2)
    names = list(whole)
    for k in range(4):
        write(files / f"part{k}.csv", {name: whole[name] for name in names[k::4]})
    ran = run("compare", files / "key.csv", f"A={files}/part*.csv", f"C={files}/c/run0.csv", "--format", "json")
    assert "runs" not in ran.json["sections"][0]
    expected = cl.score(key(40), whole)["conll"].f1
    found = next(s for s in ran.json["sections"][0]["systems"] if s["name"] == "A")
    assert found["scores"]["exact"]["conll"]["f1"] == pytest.approx(expected)
    write(files / "part4.csv", {name: whole[name] for name in names[::4]})
    ran = run("compare", files / "key.csv", f"A={files}/part*.csv", f"C={files}/c/run0.csv")
    assert ran.code == 1 and "neither a run nor a part" in ran.err


def test_runs_by_group_and_saved(run: Run, files: Path, tmp_path: Path) -> None:
    args = ["compare", files / "key.csv", f"A={files}/a/run*.csv", f"B={files}/b/run*.csv"]
    ran = run(*args, "--by", "genre", "--save-counts", tmp_path / "counts", "--format", "json")
    assert ran.code == 0 and len(list((tmp_path / "counts").rglob("run-*.counts"))) == 7
    again = run("compare", f"A={tmp_path}/counts/A/*.counts", f"B={tmp_path}/counts/B/*.counts", "--format", "json")
    assert again.json["verdict"]["p"] == ran.json["verdict"]["p"]
    assert again.json["verdict"]["delta"] == ran.json["verdict"]["delta"]


def test_runs_and_datasets_are_not_mixed(run: Run, files: Path) -> None:
    (files / "m.toml").write_text(
        'key = "key.csv"\n[[system]]\nname = "A"\nfiles = ["a/run0.csv", "a/run1.csv"]\ndataset = "d"\n'
    )
    ran = run("compare", files / "m.toml", "--macro", "dataset")
    assert ran.code == 2 and "--macro dataset takes one run of each system" in ran.err


# ---- datasets


@pytest.mark.slow
def test_how_many_datasets_are_better(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(9)
    for n in range(6):
        for place, noise in (("keys", 0.0), ("a", 0.25), ("b", 0.25 - 0.03 * n)):
            (tmp_path / place).mkdir(exist_ok=True)
            write(tmp_path / place / f"d{n}.csv", documents(rng, 30, noise) if noise else key(30))
    places = [tmp_path / name for name in ("keys", "a", "b")]
    ran = run("compare", *places, "--macro", "dataset", "--format", "json", "-m", "conll")
    (section,) = ran.json["sections"]
    better = section["macro"]["better"]
    p = [t["p"] / 2 if t["difference"] < 0 else 1 - t["p"] / 2 for t in section["tests_by"]]  # of a minus b
    small = [t["group"] for t in section["tests_by"] if t["p_corrected"] <= 0.05 and t["difference"] < 0]
    assert better["system"] == "b" and better["on"] == small and better["at_least"] == len(small) >= 3
    assert better["at_least"] >= partial_conjunction(p, 0.025, independent=False)
    assert better["at_least_if_independent"] >= partial_conjunction(p, 0.025)
    text = run("compare", *places, "--macro", "dataset", "-m", "conll").out
    assert f"b is better on at least {len(small)} of 6 datasets (α = .05, by Holm: {', '.join(small)})" in text
