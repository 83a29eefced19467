"""Parts of what is scored: strata of entities and mentions, and units of resampling inside long documents."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples
from command import Run
from coreflens.errors import InputError, UsageError
from coreflens.scoring.parts import Parts, divided, unit_counts
from coreflens.stats import aligned, paired_tests
from coreflens.stats.bootstrap import resampled
from corpora import tokens
from places import ROOT

ENTITIES = st.lists(st.integers(-1, 3), min_size=4, max_size=14)
ALL = "mentions,muc,bcub,bcub-sys,ceafm,ceafe,lea,pairs,blanc"


def book(entities: list[int]) -> cl.Corpus:
    """A text with a mention on each word that has an entity (−1: none), in sentences of four words."""
    words = [f"w{n}" for n in range(len(entities))]
    text = "\n".join(" ".join(words[n : n + 4]) for n in range(0, len(words), 4))
    found: dict[int, list[tuple[int, int]]] = {}
    for word, entity in enumerate(entities):
        if entity >= 0:
            found.setdefault(entity, []).append((word, word))
    return tokens(("book", text, found))


def sets(entities: list[int]) -> list[set[int]]:
    return [{w for w, e in enumerate(entities) if e == x} for x in sorted({*entities} - {-1})]


def interval(size: int) -> str:
    return next(
        f"{name} mention{'s' * (name != '1')}"
        for last, name in ((1, "1"), (2, "2"), (5, "3–5"), (10, "6–10"), (50, "11–50"))
        if size <= last
    )


@given(ENTITIES, ENTITIES)
@examples(120)
def test_sizes_by_the_sets_themselves(ours: list[int], theirs: list[int]) -> None:
    n = min(len(ours), len(theirs))
    key, response = sets(ours[:n]), sets(theirs[:n])
    result = cl.score(book(ours[:n]), book(theirs[:n]), metrics="mentions,bcub,muc", exact=True, no_common="score")
    parts = result.parts("entity.size")
    assert {*parts} == {interval(len(x)) for x in (*key, *response)}
    for label, part in parts.items():
        mine, its = ([x for x in side if interval(len(x)) == label] for side in (key, response))
        found = part["bcub"].counts
        assert found["recall_den"] == sum(map(len, mine))
        assert found["precision_den"] == sum(map(len, its))
        assert found["recall_num"] == sum(Fraction(len(k & r) ** 2, len(k)) for k in mine for r in response)
        assert found["precision_num"] == sum(Fraction(len(k & r) ** 2, len(r)) for k in key for r in its)
        assert part["muc"].counts["recall_num"] == sum(len(k & r) - 1 for k in mine for r in response if k & r)
        assert part["mentions"].counts["precision_num"] == sum(len(k & r) for k in key for r in its)


@given(ENTITIES, ENTITIES, st.sampled_from(["entity.size", "entity.spread", "distance"]))
@examples(100)
def test_strata_add_up_to_the_whole(ours: list[int], theirs: list[int], by: str) -> None:
    n = min(len(ours), len(theirs))
    metrics = ALL.removesuffix(",blanc")
    result = cl.score(book(ours[:n]), book(theirs[:n]), metrics=metrics, exact=True, no_common="score")
    parts = result.parts(by)
    for metric in result:
        for name, number in result[metric].counts.items():
            assert sum(part[metric].counts[name] for part in parts.values()) == number, (metric, name)


@given(ENTITIES, ENTITIES, st.sampled_from(["block:4", "block:1", "entity"]))
@examples(100)
def test_units_add_up_to_the_whole(ours: list[int], theirs: list[int], unit: str) -> None:
    n = min(len(ours), len(theirs))
    result = cl.score(book(ours[:n]), book(theirs[:n]), metrics=ALL, no_common="score")
    counts, issues, _ = unit_counts(result, unit)
    assert not issues
    assert counts.values.sum(axis=0) == pytest.approx(result.counts.values.sum(axis=0), abs=1e-6)


def test_distances_and_spreads_are_counted_in_words() -> None:
    entities = [-1] * 120
    for word, entity in ((0, 0), (5, 0), (60, 0), (61, 1), (111, 1)):
        entities[word] = entity
    result = cl.score(book(entities), book(entities), metrics="mentions")
    shares = {label: part["mentions"].counts["recall_den"] for label, part in result.parts("distance").items()}
    assert shares == {"first mention": 2, "0–10 words": 1, "11–50 words": 1, "51–100 words": 1}
    spread = {label: part["mentions"].counts["recall_den"] for label, part in result.parts("entity.spread").items()}
    assert spread == {"11–50 words": 2, "51–100 words": 3}


def test_contributions_are_those_of_more_of_the_same_text() -> None:
    """A tenth more of one part of a text, entities joined, changes the scores as the contributions say."""
    rng = np.random.default_rng(1)
    number = 400
    ours = rng.integers(0, 6, number)
    theirs = np.where(rng.random(number) < 0.7, ours, rng.integers(0, 7, number))
    missing, invented, part = rng.random(number) < 0.1, rng.random(number) < 0.1, np.arange(number) // 40

    def scored(times: int) -> cl.Result:
        sides = []
        for entities, gone in ((ours, invented), (theirs, missing)):
            found: dict[int, list[str]] = {}
            for m in np.flatnonzero(~gone).tolist():
                copies = times if part[m] == 3 else 10
                found.setdefault(int(entities[m]), []).extend(f"{m}.{copy}" for copy in range(copies))
            sides.append(list(found.values()))
        return cl.score(*sides, metrics="bcub,ceafm,lea,pairs,blanc")

    whole, more, less = scored(10), scored(11), scored(9)
    assert whole.matched is not None
    names: Any = [side.names for side in whole.matched.alignment.sides]
    groups = [np.array([part[int(name.split(".")[0])] for name in side]) for side in names]
    counts, _ = divided(whole.matched, whole, Parts(groups[0], groups[1], [str(n) for n in range(10)]))
    base, change = whole.counts.values, 0.1 * counts.values[3]
    up, down = (
        cl.Result(cl.Counts(["all"], whole.counts.columns, base + sign * change), list(whole), whole.options)
        for sign in (1, -1)
    )
    for metric in whole:
        expected = more[metric].main - less[metric].main
        assert up[metric].main - down[metric].main == pytest.approx(expected, rel=0.05), metric


def test_intervals_and_paired_tests_of_one_document(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 9, 800).tolist()
    worse = [e if x < 0.8 else int(y) for e, x, y in zip(gold, rng.random(800), rng.integers(0, 9, 800), strict=True)]
    worst = [e if x < 0.5 else int(y) for e, x, y in zip(gold, rng.random(800), rng.integers(0, 9, 800), strict=True)]
    results = {name: cl.score(book(gold), book(side), metrics="conll") for name, side in (("a", worse), ("b", worst))}
    for unit, least in (("block:20", 40), ("entity", 9)):
        found = results["a"].bootstrap(200, unit=unit)
        assert found["conll"]["f1"].low < results["a"].conll < found["conll"]["f1"].high
        assert found.how["units"] == least
        assert "parts" in [issue.code for issue in found.issues]
    samples = aligned(results, "block:20")
    tests = paired_tests(samples, [("a", "b")], resamples=200)
    assert tests["a", "b"]["conll"].p < 0.05
    with pytest.raises(UsageError, match="scores of documents"):
        paired_tests(samples, [("a", "b")], test="wilcoxon")
    with pytest.raises(UsageError, match="only one document"):
        results["a"].bootstrap(100)


def test_a_unit_that_only_one_system_has_counts_as_nothing_for_the_other() -> None:
    key = book([0, 0, 1, 1, -1, -1, -1, -1])
    one, other = book([0, 0, 1, 1, 5, -1, 5, -1]), book([0, 0, 1, 1, -1, 6, -1, -1])
    results = {name: cl.score(key, side, metrics="bcub") for name, side in (("a", one), ("b", other))}
    samples = aligned(results, "entity")
    assert samples["a"].labels == samples["b"].labels
    assert len(samples["a"]) == 4
    for name, sample in samples.items():
        assert sample.total == pytest.approx(results[name].counts.total)


def test_what_has_no_parts_says_so(tmp_path: Path) -> None:
    result = cl.score(book([0, 0, 1, 1]), book([0, 1, 1, 1]), metrics="muc,blanc,derror")
    with pytest.raises(UsageError, match="derror: a mean over documents"):
        result.bootstrap(10, unit="block:2")
    result = result.narrowed(["muc", "blanc"])
    with pytest.raises(UsageError, match="number of words of a block"):
        result.bootstrap(10, unit="block:none")
    with pytest.raises(UsageError, match="no labels to stratify by"):
        result.bootstrap(10, unit="block:2", stratify="genre")
    with pytest.raises(UsageError, match="give no by"):
        result.bootstrap(10, unit="entity", by="genre")
    with pytest.raises(InputError, match="counted in words"):
        cl.score([["a", "b"]], [["a", "b"]]).parts("distance")
    part = result.parts("entity.size")["2 mentions"]
    assert part["blanc"].f1 != part["blanc"].f1  # nan
    assert [issue.code for issue in part.issues] == ["undivided"]
    saved = tmp_path / "a.counts"
    result.save_counts(saved)
    with pytest.raises(UsageError, match="only counts"):
        cl.load_counts(saved).bootstrap(10, unit="entity")


@pytest.mark.parametrize("by", ["entity.size", "entity.spread", "distance"])
@pytest.mark.parametrize("exact", [False, True])
def test_every_metric_beside_every_other(by: str, exact: bool) -> None:
    """A metric that can't be divided is n/a, and changes nothing for the others."""
    key, response = book([0, 1, 0, 1, 2, 2, -1, 0]), book([0, 1, 0, 2, 2, 1, -1, 0])
    together = cl.score(key, response, metrics="all", exact=exact)
    alone = cl.score(key, response, metrics="muc", exact=exact)
    with_all, with_one = together.parts(by), alone.parts(by)
    assert {*with_all} == {*with_one}
    for label, part in with_all.items():
        assert part["muc"].counts == with_one[label]["muc"].counts
        assert part["gap"].undefined


def test_the_commands(run: Run, tmp_path: Path) -> None:
    assert run("demo", "--write", tmp_path).code == 0
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    ran = run("score", key, response, "-m", "conll", "--by", "entity.size")
    assert ran.code == 0, ran.err
    assert "3–5 mentions" in ran.out
    ran = run("score", key, response, "-m", "conll", "--bootstrap", "50", "--unit", "block:10", "--format", "json")
    assert ran.json["bootstrap"]["unit"] == "block:10"
    ran = run("compare", key, response, key, "-m", "conll", "--unit", "entity", "--resamples", "50")
    assert ran.code == 0, ran.err


@pytest.mark.slow
def test_block_intervals_hold_the_truth_about_as_often_as_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Books of 15,000 words in blocks of 500, as bench/blocks.py draws them; docs/statistics.md has more of it."""
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    from blocks import METRICS, counted, sampled, systems  # type: ignore[import-not-found,unused-ignore]

    rng = np.random.default_rng(27)
    books, held = [], dict.fromkeys(METRICS, 0)
    for _ in range(80):
        book_, columns, options = counted(rng, 15_000, "local")
        books.append(book_)
    about = columns, options
    whole = sampled(np.stack([b.blocks[0].sum(axis=0) for b in books]), [str(n) for n in range(len(books))], *about)
    truth = dict(zip(whole.outputs, whole.scores(whole.total)[0], strict=True))
    for n, one in enumerate(books):
        found = resampled(systems([one], 500, about)["a"], 300, n, "percentile", 0.95, [])
        for metric in METRICS:
            held[metric] += found[metric]["f1"].low <= truth[metric, "f1"] <= found[metric]["f1"].high
    for metric, times in held.items():
        assert times / len(books) >= 0.85, (metric, times)  # 0.92 to 0.95 with 400 books; 80 vary by 0.05


def test_systems_side_by_side_have_the_strata_of_the_key(run: Run, tmp_path: Path) -> None:
    assert run("demo", "--write", tmp_path).code == 0
    key, response, single = (tmp_path / f"{name}.conll" for name in ("key", "response", "single"))
    assert run("resolve", key, single, "--system", "one-entity").code == 0
    ran = run("compare", key, response, single, "-m", "conll", "--by", "entity.size", "--resamples", "50")
    assert ran.code == 0, ran.err
    assert "3–5 mentions" in ran.out
    assert "11–50 mentions" not in ran.out  # what one-entity has, and the key has not
    ran = run("compare", key, response, single, "--by", "genre", "--unit", "block:10")
    assert ran.code == 2
    assert "give no --by" in ran.err
