"""The worked examples of the papers and of the reference scorer's tests, to the last fraction (data/cases.json)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

import coreflens as cl
from cases import CASES, Case, agrees, parsed, partition, rounded
from coreflens.metrics.contingency import Contingency

VALUES = ("recall", "precision", "f1")
PARTS = ("Rc", "Pc", "Fc", "Rn", "Pn", "Fn")
KINDS = ("rounded parts", "misprint", "unknowable")


def having(field: str) -> pytest.MarkDecorator:
    cases = [case for case in CASES if field in case]
    assert cases
    return pytest.mark.parametrize("case", cases, ids=[case["id"] for case in cases])


def scored(case: Case, **settings: Any) -> cl.Result:
    settings.setdefault("metrics", list(case["metrics"]))
    options = {**case.get("options", {}), **settings}
    result: cl.Result = cl.score(partition(case["key"]), partition(case["response"]), **options)
    return result


def divided(numerator: Any, denominator: Any) -> Fraction:
    return Fraction(numerator) / Fraction(denominator) if denominator else Fraction(0)


def blanc_parts(counts: Mapping[str, Any]) -> dict[str, Fraction]:
    parts = {}
    for letter, links in (("c", "coref"), ("n", "non")):
        common, key, response = (counts[f"{links}_{side}"] for side in ("common", "key", "response"))
        parts[f"R{letter}"], parts[f"P{letter}"] = divided(common, key), divided(common, response)
        parts[f"F{letter}"] = divided(2 * common, key + response)
    return parts


def test_the_file_is_whole() -> None:
    ids = [case["id"] for case in CASES]
    assert len(set(ids)) == len(ids) == 53 + 36
    assert sum(len(case["metrics"]) for case in CASES if case["id"].startswith("perl-")) == 91
    fields = {field for case in CASES for field in case}
    assert fields == {
        *("id", "source", "options", "key", "response", "metrics", "printed", "verdicts", "note"),
        *("partitions", "links", "unseen", "distribution"),
    }


@having("metrics")
def test_exact_scores(case: Case) -> None:
    result = scored(case, exact=True)
    for metric, expected in case["metrics"].items():
        found = {value: getattr(result[metric], value) for value in VALUES}
        assert found == {value: Fraction(expected[value]) for value in VALUES}, metric
        assert all(isinstance(x, Fraction) for x in found.values()), metric


@having("metrics")
def test_float_scores(case: Case) -> None:
    result = scored(case)
    for metric, expected in case["metrics"].items():
        for value in VALUES:
            found = getattr(result[metric], value)
            assert isinstance(found, float)
            assert found == pytest.approx(float(Fraction(expected[value])), rel=0, abs=1e-12), f"{metric}.{value}"


BLANC = [case for case in CASES if "parts" in case["metrics"].get("blanc", {})]


@pytest.mark.parametrize("case", BLANC, ids=[case["id"] for case in BLANC])
def test_blanc_parts_and_boundary_case(case: Case) -> None:
    counts = scored(case, exact=True)["blanc"].counts
    expected = case["metrics"]["blanc"]
    assert blanc_parts(counts) == {part: Fraction(x) for part, x in expected["parts"].items()}
    no_coref, no_non = (not counts[f"{links}_key"] and not counts[f"{links}_response"] for links in ("coref", "non"))
    assert (1 if no_coref and no_non else 2 if no_coref else 3 if no_non else 0) == expected["boundary"]


def links_of(entities: Sequence[str]) -> tuple[set[str], set[str]]:
    """C and N of a partition, links spelt as the papers do: `ab`."""
    mentions = sorted(mention for entity in partition(entities) for mention in entity)
    within = {"".join(sorted(pair)) for entity in partition(entities) for pair in combinations(entity, 2)}
    return within, {"".join(pair) for pair in combinations(mentions, 2)} - within


@having("links")
def test_links(case: Case) -> None:
    """Those listed are those of the partitions, and coreflens counts as many without listing any."""
    listed = {name: {"".join(sorted(link)) for link in text.split()} for name, text in case["links"].items()}
    c_k, n_k = links_of(case["key"])
    c_r, n_r = links_of(case["response"])
    assert listed == {"Ck": c_k, "Nk": n_k, "Cr": c_r, "Nr": n_r}
    counts = scored(case, metrics="blanc")["blanc"].counts
    for name, key, response in (("coref", c_k, c_r), ("non", n_k, n_r)):
        assert counts[f"{name}_key"] == len(key)
        assert counts[f"{name}_response"] == len(response)
        assert counts[f"{name}_common"] == len(key & response)


@having("unseen")
def test_links_that_the_other_side_does_not_see(case: Case) -> None:
    sets = dict(zip(("Ck", "Nk", "Cr", "Nr"), (*links_of(case["key"]), *links_of(case["response"])), strict=True))
    for name, link in case["unseen"].items():
        other = ("Cr", "Nr") if name.endswith("k") else ("Ck", "Nk")
        assert link in sets[name]
        assert all(link not in sets[o] for o in other)
    counts = scored(case, metrics="blanc")["blanc"].counts
    for name, links in (("Ck", "coref_key"), ("Nr", "non_response"), ("Cr", "coref_response")):
        assert counts[links] == len(sets[name])


@having("partitions")
def test_partitions_of_cai_and_strube(case: Case) -> None:
    found = cl.partitions(partition(case["key"]), partition(case["response"]))
    assert list(found) == ["key_p", "response_p", "key_r", "response_r"]
    for name, expected in case["partitions"].items():
        assert {frozenset(e) for e in found[name]} == {frozenset(e) for e in partition(expected)}, name
        assert len(found[name]) == len(expected), name


@having("distribution")
def test_distributions(case: Case) -> None:
    expected = case["distribution"]
    for exact in (True, False):
        result = scored(case, metrics=["overlap", "derror"], exact=exact)
        for metric in ("overlap", "derror"):
            value, fraction = result[metric].value, Fraction(expected[metric]["value"])
            assert value is not None
            assert value == fraction if exact else abs(float(value) - fraction) <= 1e-12
            assert agrees(expected[metric]["printed"], fraction)
        assert result["derror"].label == expected["derror"]["label"]
        assert result["overlap"].label is None
    for name, side in (("key_sizes", "key"), ("response_sizes", "response")):
        if name in expected:
            assert sorted(map(len, partition(case[side])), reverse=True) == expected[name]


def test_projections_are_the_cells_of_the_table() -> None:
    case = next(case for case in CASES if "projections" in case.get("distribution", {}))
    table = Contingency.of(cl.Scorer(partition(case["key"])).align(partition(case["response"])))
    cells = list(zip(table.i.tolist(), table.j.tolist(), strict=True))
    projections = case["distribution"]["projections"]
    assert {f"R{j + 1}" for i, j in cells if i == 2} == set(projections["K3"].split())
    assert {f"K{i + 1}" for i, j in cells if j == 0} == set(projections["R1"].split())


# ---- what the sources print


PRINTED = [
    pytest.param(case, metric, value, id=f"{case['id']}-{metric}.{value}")
    for case in CASES
    for metric, values in case.get("printed", {}).items()
    for value in values
]


def exact_value(case: Case, metric: str, value: str) -> Fraction:
    score = scored(case, exact=True)[metric]
    found = blanc_parts(score.counts)[value] if value in PARTS else getattr(score, value)
    assert isinstance(found, Fraction)
    return found


@pytest.mark.parametrize(("case", "metric", "value"), PRINTED)
def test_printed_values(case: Case, metric: str, value: str) -> None:
    """Each agrees with the exact value, rounded, unless a verdict says why not; no verdict stands for nothing."""
    verdict = case.get("verdicts", {}).get(f"{metric}.{value}")
    assert agrees(case["printed"][metric][value], exact_value(case, metric, value)) == (verdict is None), verdict


VERDICTS = [
    pytest.param(case, name, verdict, id=f"{case['id']}-{name}")
    for case in CASES
    for name, verdict in case.get("verdicts", {}).items()
]


@pytest.mark.parametrize(("case", "name", "verdict"), VERDICTS)
def test_verdicts(case: Case, name: str, verdict: str) -> None:
    """A verdict is of a known kind and about something printed; one that blames rounding is right about it."""
    metric, value = name.split(".")
    printed = case["printed"][metric]
    assert value in printed
    kind = verdict.partition(":")[0]
    assert kind in KINDS
    if kind != "rounded parts":
        return
    shown = {v: parsed(text)[0] for v, text in printed.items()}
    target, digits = parsed(printed[value])
    assert digits is not None
    if metric == "blanc" and value == "f1":  # the mean of the parts as printed, cut off
        mean = (shown["Fc"] + shown["Fn"]) / 2
        assert Fraction((mean * 10**digits).__floor__(), 10**digits) == target
        return
    names = {"f1": ("recall", "precision"), "Fc": ("Rc", "Pc"), "Fn": ("Rn", "Pn")}[value]
    recall, precision = (shown[v] for v in names)
    assert rounded(2 * recall * precision / (recall + precision), digits) == target


def test_options_matter() -> None:
    """A case that names options would come out otherwise without them, at least once for each option."""
    changed: set[str] = set()
    for case in CASES:
        for option in case.get("options", {}):
            result = scored({k: v for k, v in case.items() if k != "options"}, exact=True)
            expected = {m: {v: Fraction(x[v]) for v in VALUES} for m, x in case["metrics"].items()}
            if {m: {v: getattr(result[m], v) for v in VALUES} for m in expected} != expected:
                changed.add(option)
    assert changed == {"protocol", "undefined"}
