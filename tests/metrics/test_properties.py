"""What each metric declares of itself holds, and what the papers say of them; hypothesis looks for the exceptions.

A declaration that claims too much fails here, and so does one that claims too little: a metric that says it is not
symmetric must have an example that is not.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
import reference
from chance import examples
from coreflens.matching.twinless import POLICIES, TwinlessPolicy
from coreflens.metrics import METRICS, SETS, Average, Metric
from coreflens.metrics.registry import RECALL_PRECISION
from coreflens.options import CHOICES, Options, Singletons, Undefined
from coreflens.options import Average as Averaging
from coreflens.protocols import PROTOCOLS
from coreflens.references import REFERENCES
from labelled import Clusters, Doc, both, corpora, docs, equal_corpora, equal_docs, sides

_COUNTED = [metric for metric in METRICS.values() if isinstance(metric, Metric)]
every_metric = pytest.mark.parametrize("metric", _COUNTED, ids=[m.name for m in _COUNTED])


def score_one(metric: Metric, key: Any, response: Any, **options: Any) -> cl.Score:
    result: cl.Result = cl.score(key, response, metrics=[metric.name], **options)
    return result[metric.name]


def close(x: Any, y: Any) -> bool:
    return bool(x != x and y != y) or abs(float(x) - float(y)) <= 1e-12


def same(a: cl.Score, b: cl.Score) -> bool:
    """Equal numbers to 1e-12, and equal in what is undefined and in the label."""
    x, y = a.numbers(), b.numbers()
    return (x.keys(), a.undefined, a.label) == (y.keys(), b.undefined, b.label) and all(close(x[n], y[n]) for n in x)


def same_all(a: cl.Scores, b: cl.Scores) -> None:
    assert list(a) == list(b)
    for name in a:
        assert same(a[name], b[name]), (a[name], b[name])


def sample(equal: bool, size: int = 300) -> Iterator[Doc]:
    """Fixed random documents, to find an example in."""
    random = Random(1998)
    for _ in range(size):
        entities = list(range(random.randint(1, 4))) + ([] if equal else [None])
        yield [(random.choice(entities), random.choice(entities)) for _ in range(random.randint(1, 8))]


def documents_for(metric: Metric) -> st.SearchStrategy[Doc]:
    return equal_docs if metric.equal_mentions else docs


# ---- the declarations


def test_the_reference_knows_every_metric() -> None:
    """And no other: who adds a metric adds its definition there."""
    assert reference.score({"d": {0: [1]}}, {"d": {0: [1]}}, reference.Settings()).keys() == METRICS.keys()
    assert {metric.name for metric in METRICS.values()} == METRICS.keys()
    assert set().union(*SETS.values()) == METRICS.keys()


@every_metric
def test_declaration_is_complete(metric: Metric) -> None:
    assert metric.title
    assert metric.cite in REFERENCES
    assert len(metric.doc) > 40
    assert metric.twinless in POLICIES
    assert metric.aggregation in ("sum", "pooled", "macro")
    assert metric.values in (("recall", "precision", "f1"), ("value",))
    assert len(set(metric.columns)) == len(metric.columns)
    assert metric.lower <= 0
    counts = cl.score([[1, 2]], [[1], [2]], metrics=[metric.name]).counts
    assert counts.columns == tuple(f"{metric.name}.{column}" for column in metric.columns)
    assert counts.values.shape == (1, len(metric.columns))


def test_averages_are_means_of_metrics() -> None:
    assert {name for name, metric in METRICS.items() if isinstance(metric, Average)} == {"conll", "mela", "split"}
    result = cl.score([[1, 2, 3], [4]], [[1, 2], [3, 4, 5]], metrics="all", exact=True, weights={"lea": 2, "muc": 1})
    f1 = {name: result[name].f1 for name in ("muc", "bcub", "ceafe", "lea")}
    assert None not in f1.values()
    assert result["conll"].f1 == (f1["muc"] + f1["bcub"] + f1["ceafe"]) / 3
    assert result["mela"].f1 == (2 * f1["lea"] + f1["muc"]) / 3
    assert result.conll == result["conll"].f1


# No plain mention is one of these: tests/matching/test_corefud.py and test_anaphora.py have some, and
# tests/metrics/test_measures.py those of the last line.
NEED_TEXT = {"zero", "nonreferring", *reference.BRIDGING, *reference.SPLIT}
NEED_TEXT |= {"pairs-cross"}  # needs several documents: tests/metrics/test_links.py
NEED_TEXT |= {*reference.TAGGED, *reference.GAP, "gap-bias", "nec", "labels", "labels-macro"}


def holds_identity(metric: Metric, clusters: Clusters) -> bool:
    score = score_one(metric, clusters, clusters)
    defined = [name for name in metric.values if name not in score.undefined]
    if metric.zero_over_zero and not score.counts["recall_den"]:
        return True  # what the paper says of 0/0 is no matter of identity
    return all(close(getattr(score, name), 1) for name in defined)


@every_metric
def test_identity(metric: Metric) -> None:
    @examples(40)
    @given(documents_for(metric))
    def holds(doc: Doc) -> None:
        clusters = sides(doc)[0]
        assert not clusters or holds_identity(metric, clusters)

    if metric.identity:
        holds()
        assert metric.name in NEED_TEXT or any(
            score_one(metric, k, k).main == 1 for k, _ in map(sides, sample(metric.equal_mentions)) if k
        )
    else:
        assert metric.name in NEED_TEXT or any(not holds_identity(metric, sides(doc)[0]) for doc in sample(True))


def holds_symmetry(metric: Metric, key: Clusters, response: Clusters) -> bool:
    a, b = score_one(metric, key, response), score_one(metric, response, key)
    names = {"recall": "precision", "precision": "recall"}
    if metric.columns == RECALL_PRECISION:
        if not all(close(a.counts[f"{x}_{y}"], b.counts[f"{names[x]}_{y}"]) for x in names for y in ("num", "den")):
            return False
        if metric.zero_over_zero and not (a.counts["recall_den"] and a.counts["precision_den"]):
            return True  # 0/0 is another number for recall than for precision
    if a.undefined != {names.get(name, name) for name in b.undefined} or a.label != names.get(b.label or "", b.label):
        return False
    return all(close(x, getattr(b, names.get(name, name))) for name, x in a.numbers().items())


@every_metric
def test_symmetry(metric: Metric) -> None:
    @examples(40)
    @given(documents_for(metric))
    def holds(doc: Doc) -> None:
        assert holds_symmetry(metric, *sides(doc))

    if metric.symmetric:
        holds()
    else:
        assert metric.name in NEED_TEXT or any(
            not holds_symmetry(metric, *sides(doc)) for doc in sample(metric.equal_mentions)
        )


@pytest.mark.slow
@every_metric
def test_bounds(metric: Metric) -> None:
    ones = {column: np.ones(1) for column in metric.columns}
    harmonic = "f1" in metric.values and "f1" not in metric.finalize(ones, Options())  # BLANC has an F1 of its own

    @examples(40)
    @given(equal_corpora if metric.equal_mentions else corpora)
    def holds(corpus: list[Doc]) -> None:
        for average in CHOICES["average"]:
            score = score_one(metric, *both(corpus), average=average)
            assert all(metric.lower - 1e-12 <= x <= 1 + 1e-12 for x in score.numbers().values())
            if average == "micro" and harmonic:
                assert close(score.f1, _f1(score.recall, score.precision))

    holds()
    least = min(float(score_one(metric, *sides(doc)).main) for doc in sample(metric.equal_mentions))
    assert least < 0 if metric.lower < 0 else least < 0.5  # and the metric does go down


def _f1(recall: Any, precision: Any) -> Any:
    return 2 * recall * precision / (recall + precision) if recall + precision else 0


@every_metric
def test_exact_agrees_with_floats(metric: Metric) -> None:
    @examples(40)
    @given(equal_corpora if metric.equal_mentions else corpora, st.sampled_from(list(CHOICES["average"])))
    def holds(corpus: list[Doc], average: str) -> None:
        exact = score_one(metric, *both(corpus), exact=True, average=average)
        assert same(score_one(metric, *both(corpus), average=average), exact)
        fractions = [isinstance(x, Fraction) for x in exact.numbers().values()]
        assert metric.irrational or all(fractions)

    holds()
    if metric.irrational:
        shown = score_one(metric, [[1, 2, 3], [4]], [[1, 2], [3, 4]], exact=True)
        assert not any(isinstance(x, Fraction) for x in shown.numbers().values())


@every_metric
def test_mentions_needed(metric: Metric) -> None:
    """Equal mention sets are asked for where declared, and nowhere else."""
    if metric.equal_mentions:
        with pytest.raises(cl.UsageError, match="needs the same mentions"):
            score_one(metric, [[1, 2]], [[1, 3]])
    else:
        assert score_one(metric, [[1, 2]], [[1, 3]]).numbers()


LIES = [
    ("bcub-0", "symmetric", True, holds_symmetry),
    ("ceafm-sys", "symmetric", True, holds_symmetry),
    ("xcore", "symmetric", True, holds_symmetry),
    ("derror", "identity", True, lambda metric, key, _: holds_identity(metric, key)),
]


@pytest.mark.parametrize(("name", "field", "value", "check"), LIES, ids=[f"{name} {field}" for name, field, *_ in LIES])
def test_a_false_declaration_is_found(name: str, field: str, value: bool, check: Callable[..., bool]) -> None:
    metric = METRICS[name]
    assert isinstance(metric, Metric)
    assert getattr(metric, field) is not value
    lying = metric._replace(**{field: value})  # type: ignore[arg-type]
    assert not all(check(lying, *sides(doc)) for doc in sample(field == "identity"))


# ---- order and names


@given(corpora, st.randoms(use_true_random=False), st.sampled_from(["document", "corpus"]))
def test_order_and_names_do_not_matter(corpus: list[Doc], random: Random, scope: str) -> None:
    """Documents, entities and mentions shuffled, entities and mentions renamed; mentions keep their order for ties."""
    assert all(metric.order_free for metric in METRICS.values() if isinstance(metric, Metric))
    key, response = ({d: dict(enumerate(c)) for d, c in side.items()} for side in both(corpus))

    def disturbed(side: dict[str, dict[int, list[int]]]) -> dict[str, dict[str, str]]:
        names = random.sample(range(100), 10)
        renamed = {d: [(f"m{m}", f"e{names[i]}") for i, e in es.items() for m in e] for d, es in side.items()}
        return {d: dict(random.sample(found, len(found))) for d, found in random.sample([*renamed.items()], len(side))}

    def plain(side: dict[str, dict[int, list[int]]]) -> dict[str, Any]:
        return {d: {m: i for i, e in es.items() for m in e} or [] for d, es in side.items()}

    results = [
        cl.score(plain(key), plain(response), metrics="all", scope=scope),
        cl.score(
            {d: e or [] for d, e in disturbed(key).items()},
            {d: e or [] for d, e in disturbed(response).items()},
            metrics="all",
            scope=scope,
        ),
    ]
    same_all(*results)


@given(corpora, st.randoms(use_true_random=False))
def test_documents_by_any_name(corpus: list[Doc], random: Random) -> None:
    key, response = both(corpus)
    names = dict(zip(key, random.sample(["x", "y/1", "ü", "0", "d0"], len(key)), strict=True))
    renamed = [{names[d]: clusters for d, clusters in side.items()} for side in (key, response)]
    result = cl.score(*renamed, metrics="all")
    same_all(cl.score(key, response, metrics="all"), result)
    assert list(result.by_document()) == list(names.values())


# ---- S: rows add


@given(corpora, st.booleans(), st.sampled_from(list(CHOICES["average"])), st.integers(0, 4))
def test_counts_add_over_documents(corpus: list[Doc], exact: bool, average: str, cut: int) -> None:
    """Scored at once, one by one, in two accumulators that are merged, one of them pickled: all are equal."""
    options: dict[str, Any] = {"metrics": "all", "exact": exact, "average": average}
    key, response = both(corpus)
    whole = cl.score(key, response, **options)
    alone = [cl.score({d: key[d]}, {d: response[d]}, **options).counts for d in key]
    stacked = cl.Counts.concatenate(alone)
    assert stacked.columns == whole.counts.columns
    assert stacked.labels == whole.counts.labels
    for ours, theirs in zip(stacked.values.tolist(), whole.counts.values.tolist(), strict=True):
        for column, x, y in zip(stacked.columns, ours, theirs, strict=True):
            assert close(x, y), column

    first, second = cl.Accumulator(**options), cl.Accumulator(**options)
    for number, d in enumerate(key):
        (first if number < cut else second).update({d: key[d]}, {d: response[d]})
    second = pickle.loads(pickle.dumps(second))
    first.merge(second)
    assert len(first) == len(key)
    same_all(first.compute(), whole)
    assert first.compute().signature == whole.signature


@given(corpora)
def test_unnamed_documents_accumulate(corpus: list[Doc]) -> None:
    accumulator = cl.Accumulator(metrics="all")
    for doc in corpus:
        accumulator.update(*sides(doc))
    same_all(accumulator.compute(), cl.score(*both(corpus), metrics="all"))
    accumulator.reset()
    with pytest.raises(cl.UsageError):
        accumulator.compute()


@given(equal_corpora)
def test_pooled_means_one_partition(corpus: list[Doc]) -> None:
    """A pooled metric of a corpus is that of all documents as one, and so are those that add over components."""
    parts = [sides(doc, lambda p, d=d: (d, p)) for d, doc in enumerate(corpus)]  # type: ignore[misc]
    one = [cluster for key, _ in parts for cluster in key], [cluster for _, response in parts for cluster in response]
    separate, together = cl.score(*both(corpus), metrics="all"), cl.score(*one, metrics="all")
    pooled = [m.name for m in _COUNTED if m.aggregation == "pooled"]
    assert pooled == ["ari", "vmeasure"]
    for name in (*pooled, "mentions", "muc", "bcub", "ceafm", "ceafe", "lea", "pairs", "core"):
        assert same(separate[name], together[name]), name


@given(corpora, st.sampled_from(["document", "corpus"]))
def test_a_response_that_lacks_a_document_has_it_empty(corpus: list[Doc], scope: str) -> None:
    key, response = both(corpus)
    key["last"] = [["a", "b"], ["c"]]
    empty = cl.score(key, response | {"last": []}, metrics="all", scope=scope)
    same_all(cl.score(key, response, metrics="all", scope=scope), empty)


# ---- what the papers say


@given(equal_corpora)
def test_variants_are_one_metric_if_the_mentions_are_equal(corpus: list[Doc]) -> None:
    """Metrics that count alike differ in their treatment of twinless mentions only."""
    result = cl.score(*both(corpus), metrics="all")
    families: dict[Any, list[Metric]] = {}
    for metric in _COUNTED:
        families.setdefault(metric.count, []).append(metric)
    variants = {family[0].name: [m.name for m in family[1:]] for family in families.values() if len(family) > 1}
    assert variants == {
        "bcub": ["bcub-0", "bcub-all", "bcub-rn", "bcub-sys"],
        "ceafm": ["ceafm-rn", "ceafm-sys"],
        "ceafe": ["ceafe-sys"],
        "blanc": ["blanc-gold"],
    }
    for base, others in variants.items():
        for other in others:
            assert same(result[base], replace(result[other], metric=base)), (result[base], result[other])


def test_variants_differ_if_they_are_not() -> None:
    result = cl.score([["a", "b", "c"]], [["a", "b", "d"], ["i", "j"], ["k"], ["l"]], metrics="cai-strube")
    assert len({result[name].main for name in result if name.startswith("bcub")}) == 5
    assert len({result[name].main for name in result if name.startswith("ceafm")}) == 3


@given(docs)
def test_relations_between_metrics(doc: Doc) -> None:
    r = cl.score(*sides(doc), metrics="all", exact=True, undefined="nan")

    def at_most(less: str, more: str) -> None:
        for side in ("recall", "precision"):
            x, y = getattr(r[less], side), getattr(r[more], side)
            dens = r[less].counts[f"{side}_den"], r[more].counts[f"{side}_den"]
            assert not all(dens) or x <= y, (r[less], r[more])

    assert r["muc"].counts["recall_num"] == r["muc"].counts["precision_num"]
    at_most("core", "muc")  # Popescu-Belis & Robba: CRS ≤ MRS, CPS ≤ MPS
    at_most("bcub", "mentions")
    at_most("ceafm", "mentions")
    at_most("bcub", "bcub-all")
    at_most("lea", "bcub")
    assert r["bcub-0"].recall == r["bcub"].recall or not sides(doc)[0]
    links = r["blanc"].counts
    assert r["pairs"].counts["recall_num"] == links["coref_common"]
    assert (r["pairs"].counts["recall_den"], r["pairs"].counts["precision_den"]) == (
        links["coref_key"],
        links["coref_response"],
    )
    key, response = (len(side) for side in sides(doc))
    assert r["ceafe"].counts["recall_num"] <= min(key, response)
    assert r["ceafe"].counts["recall_den"] == key
    assert r["ceafm"].counts["recall_num"] >= max((len({*k} & {*x}) for k, x in product(*sides(doc))), default=0)


@given(equal_docs)
def test_rand_counts_links(doc: Doc) -> None:
    r = cl.score(*sides(doc), metrics="blanc,rand", exact=True)
    links = r["blanc"].counts
    assert r["rand"].counts["agreeing"] == links["coref_common"] + links["non_common"]
    assert r["rand"].counts["pairs"] == links["coref_key"] + links["non_key"] == len(doc) * (len(doc) - 1) / 2


@given(docs)
def test_extending_the_mention_sets(doc: Doc) -> None:
    """Popescu-Belis & Robba: twinless mentions as singletons on the other side leave MUC and core alone.

    Their other measures extend the sets themselves, so that nothing is left to extend.
    """
    key, response = sides(doc)
    in_key, in_response = ({m for cluster in side for m in cluster} for side in (key, response))
    extended = key + [[m] for m in in_response - in_key], response + [[m] for m in in_key - in_response]
    names = SETS["popescu-belis"]
    assert "muc" in names
    assert "core" in names
    same_all(cl.score(key, response, metrics=names), cl.score(*extended, metrics=names))


@given(docs, st.lists(st.integers(0, 5), max_size=5))
def test_bcub_0_ignores_twinless_response_mentions(doc: Doc, more: list[int]) -> None:
    key, response = sides(doc)
    spoilt = [list(cluster) for cluster in response] + [[] for _ in range(6)]
    for number, place in enumerate(more):
        spoilt[place].append(f"spurious {number}")
    assert same(*(cl.score(key, x, metrics=["bcub-0"])["bcub-0"] for x in (response, spoilt)))


@given(docs)
def test_dropping_singletons(doc: Doc) -> None:
    """As if they had never been there, except for mention detection, which does not see it."""
    key, response = sides(doc)
    plain = cl.score(key, response, metrics="all")
    without = [[cluster for cluster in side if len(cluster) > 1] for side in (key, response)]
    cases: list[tuple[Singletons, list[Any]]] = [("drop", without), ("drop-response", [key, without[1]])]
    for policy, by_hand in cases:
        dropped, expected = cl.score(key, response, metrics="all", singletons=policy), cl.score(*by_hand, metrics="all")
        for name in dropped:
            detection = getattr(METRICS[name], "mention_detection", False)
            assert same(dropped[name], (plain if detection else expected)[name]), (policy, name)


@given(docs)
def test_partitions_of_the_policies(doc: Doc) -> None:
    """What `partitions` shows is what is scored: the plain metric on it gives the variant."""
    key, response = sides(doc)
    for name, base in (("bcub-sys", "bcub"), ("ceafm-sys", "ceafm"), ("ceafm-rn", "ceafm"), ("bcub-all", "bcub")):
        metric = METRICS[name]
        assert isinstance(metric, Metric)
        shown = cl.partitions(key, response, policy=cast(TwinlessPolicy, metric.twinless))
        score = cl.score(key, response, metrics=[name], exact=True)[name]
        assert score.recall == cl.score(shown["key_r"], shown["response_r"], metrics=[base], exact=True)[base].recall
        precision = cl.score(shown["key_p"], shown["response_p"], metrics=[base], exact=True)[base].precision
        assert score.precision == precision


# ---- signature and JSON

_weights = st.lists(
    st.tuples(st.sampled_from(["muc", "bcub", "ceafe", "lea", "blanc"]), st.floats(0.001, 1e6)),
    min_size=1,
    max_size=3,
    unique_by=lambda pair: pair[0],
).map(tuple)
_labels = st.text(min_size=1, max_size=8) | st.sampled_from(["topics.csv:topic", "a|b", "100%", "x+y:z", "%7C", "a\nb"])


@pytest.mark.slow
def test_signatures_of_all_options_can_be_read_back() -> None:
    """Every value of the options that are a choice, each together with every value of every other one."""
    names = [f.name for f in fields(Options) if f.name in CHOICES]
    others = {
        "weights",
        "min_share",
        "ids",
        "no_common",
        "window",
        "excerpt",
        "heads",
    }  # no choices, or not in a signature
    assert {*names, *others} == {f.name for f in fields(Options)}
    seen = set()
    two = [(a, x, b, y) for a, b in combinations(names, 2) for x, y in product(CHOICES[a], CHOICES[b])]
    for protocol, (a, x, b, y) in product(PROTOCOLS, two):
        chosen: dict[str, Any] = {a: x, b: y, "min_share": 0.3}
        options = Options(**chosen)
        signature = cl.Signature(protocol, options, ("muc", "conll"), 3, "0.1.0")
        assert cl.Signature.parse(str(signature)) == signature
        seen.add(str(signature))
    standard = {name: next(iter(values)) for name, values in CHOICES.items()}
    assert len(seen) == len(PROTOCOLS) * len({tuple((standard | {a: x, b: y}).items()) for a, x, b, y in two})


@given(_labels, _weights, st.integers(0, 10**9), st.lists(st.sampled_from(list(METRICS)), min_size=1))
def test_signatures_with_labels_and_weights(
    scope: str, weights: tuple[tuple[str, float], ...], documents: int, metrics: list[str]
) -> None:
    options = Options(scope=scope, weights=weights)
    signature = cl.Signature("default", options, tuple(metrics), documents, "1.2.3")
    assert "\n" not in str(signature)
    assert cl.Signature.parse(str(signature)) == signature


@given(
    corpora,
    st.booleans(),
    st.sampled_from(list(CHOICES["undefined"])),
    st.sampled_from(list(CHOICES["average"])),
    st.sampled_from([None, "document"]),
)
def test_json(corpus: list[Doc], exact: bool, undefined: Undefined, average: Averaging, by: str | None) -> None:
    """Valid JSON without NaN, which holds everything there is to know of the scores."""
    result = cl.score(*both(corpus), metrics="all", exact=exact, undefined=undefined, average=average)
    plain = result.to_dict(by)
    text = json.dumps(plain, allow_nan=False)
    assert json.loads(result.to_json(by)) == json.loads(text) == plain
    assert list(plain) == ["signature", "documents", "engine", "scores", *(["by"] if by else []), "issues"]
    assert plain["documents"] == len(corpus)
    assert cl.Signature.parse(plain["signature"]) == result.signature
    read_back = cl.Result.from_dict(json.loads(text))
    same_all(read_back, result)
    assert read_back.signature == result.signature
    assert [i.code for i in read_back.issues] == [i.code for i in result.issues]
    if by:
        for label, scores in result.by_document().items():
            same_all(read_back.by[label], scores)
