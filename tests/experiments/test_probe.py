"""Probing: all responses are there and each once, what is found is what `score` says, repairs lead to the key."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from command import Run
from coreflens.errors import InputError, UsageError
from coreflens.experiments import probe
from coreflens.experiments.lattice import bell, canonical, chain, drawn, entities, partitions, repairs
from coreflens.metrics import METRICS
from naive_partitions import set_partitions

KEY = [["a", "b", "c"], ["d", "e"], ["f"]]
labels = st.lists(st.integers(-1, 5), min_size=1, max_size=7).map(canonical)
keys = st.lists(st.integers(0, 5), min_size=1, max_size=7).map(canonical)


# ------------------------------------------------------------------------------------------------------- responses


@pytest.mark.parametrize("n", range(8))
def test_enumeration_agrees_with_a_naive_count(n: int) -> None:
    found = list(partitions(n))
    assert len(found) == len(set(found)) == bell(n) == [1, 1, 2, 5, 15, 52, 203, 877][n]
    assert all(canonical(labels) == labels for labels in found)
    if n <= 6:
        as_sets = {frozenset(map(frozenset, entities(x, range(n)))) for x in found}
        assert as_sets == set_partitions(n)
    missing = list(partitions(n, missing=True))
    assert len(missing) == len(set(missing)) == sum(comb(n, k) * bell(k) for k in range(n + 1))


@pytest.mark.slow
def test_every_response_is_drawn_with_equal_chance() -> None:
    chance = Random(3)
    for missing, n in ((False, 4), (True, 3)):
        counts = Counter(drawn(n, chance, missing) for _ in range(15_000))
        assert set(counts) == set(partitions(n, missing)) and len(counts) == 15
        assert sum((c - 1000) ** 2 / 1000 for c in counts.values()) < 36  # χ² with 14 degrees, p = 0.001
    assert len(drawn(400, chance)) == 400 and drawn(0, chance) == ()


@given(st.data())
def test_repairs_come_closer_to_the_key(data: st.DataObject) -> None:
    """Each single repair makes links or mentions right, breaks none, and the last one gives the key."""
    key = data.draw(keys)
    before = canonical([data.draw(st.integers(-1, 5)) for _ in key])

    def wrong(found: tuple[int, ...]) -> int:
        pairs = ((i, j) for i in range(len(key)) for j in range(i))
        links = sum((found[i] == found[j] >= 0) != (key[i] == key[j]) for i, j in pairs if min(found[i], found[j]) >= 0)
        return links + (len(key) ** 2) * found.count(-1)

    for kind, after in repairs(before, key):
        assert canonical(after) == after != before and kind in ("merge", "split", "find")
        assert wrong(after) < wrong(before)
    assert (repairs(before, key) == []) == (before == key)
    steps = chain(before, key, Random(1))
    assert steps[0] == before and steps[-1] == key
    assert all(b in [after for _, after in repairs(a, key)] for a, b in pairwise(steps))


# ------------------------------------------------------------------------------------------------------- what is found


def test_every_score_is_that_of_score() -> None:
    names = "muc,bcub,ceafe,lea,blanc,conll,xcore"
    found = probe({"d": KEY}, metrics=names, missing=True)
    assert found.enumerated and found.responses == bell(7)
    responses = list(partitions(6, missing=True))
    for place in Random(1).sample(range(len(responses)), 40):
        fresh = cl.score({"d": KEY}, found.clusters((responses[place],)), metrics=names, no_common="score")
        for metric in fresh:
            assert found.scores[metric][place] == pytest.approx(float(fresh[metric].main or 0), abs=1e-12), metric
    for name, response in (("singletons", [[x] for e in KEY for x in e]), ("one entity", [[*"abcdef"]])):
        fresh = cl.score({"d": KEY}, {"d": response}, metrics=names)
        for metric in fresh:
            assert found.degenerate[name][metric] == pytest.approx(float(fresh[metric].main or 0), abs=1e-12)
    assert all(x == 1 for x in found.degenerate["the key"].values())
    assert found.deciles("muc")[0] == 0 and found.deciles("muc")[-1] == 1


def test_several_documents_are_one_response() -> None:
    key = {"a": [["1", "2"], ["3"]], "b": [["1", "2", "3"]]}
    found = probe(key, metrics="muc,bcub,ari,overlap,derror", chains=5)
    assert found.responses == 25
    place = 0
    for first in partitions(3):
        for second in partitions(3):
            fresh = cl.score(key, found.clusters((first, second)), metrics="muc,bcub,ari,overlap,derror")
            for metric in fresh:
                value = fresh[metric].main
                assert found.scores[metric][place] == pytest.approx(float(value), abs=1e-12), (metric, first, second)
            place += 1


def test_repairs_that_lower_a_metric_are_scored_again(tmp_path: Path, run: Run) -> None:
    """Every counterexample holds when `coreflens score` reads it from its files."""
    found = probe([[*"abc"], [*"de"], ["f"], ["g"]], metrics="muc,bcub,ceafm,ceafe,blanc,lea,conll,xcore,core")
    assert all(found.steps[m].lowers == 0 for m in ("muc", "bcub", "ceafm", "blanc", "lea", "core"))
    assert all(found.steps[m].lowers for m in ("ceafe", "conll", "xcore"))
    found.write(tmp_path)
    for metric in ("ceafe", "conll", "xcore"):
        worst = found.steps[metric].worst
        assert worst is not None and worst.low < worst.high
        assert worst.after in [(after,) for _, after in repairs(worst.before[0], found.key[0])]
        scores = []
        for which in ("before", "after"):
            (file,) = tmp_path.glob(f"{metric}-{which}.*")
            (key,) = tmp_path.glob("key.*")
            plain = run("score", key, file, "-m", metric, "--format", "json").json["scores"][metric]
            scores.append(plain["f1"])
        assert scores == pytest.approx([worst.high, worst.low], abs=1e-12)


def test_every_single_repair_is_counted() -> None:
    found = probe([[*"abc"], ["d"]], metrics="muc,ceafe")
    edges = [(a, b) for a in partitions(4) for _, b in repairs(a, (0, 0, 0, 1))]
    for metric in ("muc", "ceafe"):
        steps = found.steps[metric]
        assert steps.raises + steps.leaves + steps.lowers == len(edges)
        before, after = (
            [float(cl.score([[*"abc"], ["d"]], entities(x, "abcd"), metrics=metric)[metric].f1 or 0) for x in side]
            for side in zip(*edges, strict=True)
        )
        assert steps.lowers == sum(b < a - 1e-12 for a, b in zip(before, after, strict=True))
        assert steps.raises == sum(b > a + 1e-12 for a, b in zip(before, after, strict=True))


def test_what_an_error_costs_by_the_size_of_the_entity() -> None:
    found = probe([[*"abcd"], [*"ef"], ["g"]], metrics="muc,bcub")
    assert list(found.sizes) == [2, 4]
    for size, response in ((2, [[*"abcd"], ["e"], ["f"], ["g"]]), (4, [[*"abc"], ["d"], [*"ef"], ["g"]])):
        fresh = cl.score([[*"abcd"], [*"ef"], ["g"]], response, metrics="muc,bcub")
        for metric in ("muc", "bcub"):
            assert found.sizes[size][metric] == pytest.approx(1 - float(fresh[metric].f1 or 0), abs=1e-12)


def test_chains_rise_to_the_key() -> None:
    found = probe(KEY, metrics="bcub,mentions", chains=30)
    assert found.chains["bcub"].shape == (30, 11)
    assert (found.chains["bcub"][:, -1] == 1).all() and (np.diff(found.chains["bcub"], axis=1) >= -1e-12).all()
    assert 0.8 < found.straightness["bcub"] <= 1 and np.isnan(found.straightness["mentions"])


@pytest.mark.slow
def test_all_metrics_can_be_probed() -> None:
    names = [m for m, known in METRICS.items() if m not in ("mela", "slot", "words")]
    usable = []
    for name in names:
        try:
            probe([[*"ab"], ["c"]], metrics=[name], chains=2)
            usable.append(name)
        except (UsageError, InputError):
            continue
    assert {"muc", "bcub", "ceafm", "ceafe", "blanc", "lea", "pairs", "rand", "ari", "core", "xcore", "conll"} <= {
        *usable
    }


# ---------------------------------------------------------------------------------------------------------- the command


def test_a_metric_that_is_never_defined_has_no_mean() -> None:
    for average in ("micro", "macro"):
        found = probe({"d": [["a"]], "e": [["b"]]}, metrics="muc,bcub", undefined="nan", average=average).to_dict()
        assert found["metrics"]["muc"]["mean"] is None and found["metrics"]["bcub"]["mean"] is not None


def test_command(tmp_path: Path, run: Run) -> None:
    (tmp_path / "key.json").write_text('{"e1": ["a", "b", "c"], "e2": ["d", "e"], "e3": ["f"]}')
    how = ["probe", tmp_path / "key.json", "-m", "muc,ceafe", "--chains", "5"]
    ran = run(*how, "--plot", tmp_path / "p.svg", "--write", tmp_path / "cases")
    assert ran.code == 0 and "203 responses (all)" in ran.out and "lowered by" in ran.out
    assert {p.name for p in tmp_path.glob("*.svg")} == {"p-distribution.svg", "p-chains.svg", "p-sizes.svg"}
    plain = run(*how, "--format", "json").json
    assert plain["enumerated"] and plain["metrics"]["muc"]["lowers"] == 0
    for form in ("csv", "markdown", "latex", "html"):
        assert run(*how, "--format", form).code == 0
    assert run("demo", "--write", tmp_path).code == 0
    ran = run("probe", tmp_path / "key.conll", "-m", "muc,lea", "--samples", "30", "--chains", "3", "--missing")
    assert ran.code == 0 and "30 responses were drawn at random" in ran.err
    assert run(*how, "--seed", "1").out.splitlines()[:5] == run(*how).out.splitlines()[:5]


def test_what_can_not_be_probed(tmp_path: Path, run: Run) -> None:
    (tmp_path / "key.conll").write_text("#begin document (a); part 000\na 0 0 cat -\n\n#end document\n")
    ran = run("probe", tmp_path / "key.conll")
    assert ran.code == 3 and "no mention in the key" in ran.err
    with pytest.raises(UsageError, match='use scope="document"'):
        probe(KEY, scope="corpus", metrics="muc")
    with pytest.raises(UsageError, match="at least 1"):
        probe(KEY, samples=0)


def test_a_key_that_is_too_large_is_refused_at_once(run: Run, tmp_path: Path) -> None:
    key = [[f"{n}a", f"{n}b"] for n in range(5000)]
    with pytest.raises(cl.InputError, match="the key has 10000 mentions, and a probe takes 200 at most") as refused:
        probe(key)
    assert "--max-mentions N (max_mentions=N)" in str(refused.value)
    (tmp_path / "key.json").write_text(json.dumps(key[:4]))
    ran = run("probe", tmp_path / "key.json", "--max-mentions", "7")
    assert ran.code == 3 and "the key has 8 mentions, and a probe takes 7 at most" in ran.err
    ran = run("probe", tmp_path / "key.json", "--max-mentions", "8", "--samples", "3", "--chains", "2", "-m", "muc")
    assert ran.code == 0


def test_progress_goes_over_responses_and_chains() -> None:
    seen: list[int] = []

    def watched(items: Any) -> Any:
        items = list(items)
        seen.append(len(items))
        return items

    probe([[*"abcdefgh"], [*"ijklmnop"]], metrics="muc", samples=7, chains=3, progress=watched)
    assert seen == [3, 7]
