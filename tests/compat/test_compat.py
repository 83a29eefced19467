"""The ways in from other tools: their calls, the right numbers, and with `legacy=True` the numbers of the originals.

tests/data/compat.json has what the originals said of random documents, some with repeated mentions: e2e-coref and
fastcoref (the same), Maverick and BOOKCOREF (the same, of the documents of e2e-coref), AllenNLP's ConllCorefScores,
HuggingFace's coval.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import coreflens as cl
from coreflens.compat import (
    ConllCorefScores,
    CorefEvaluator,
    CorefMetric,
    Coval,
    OfficialCharacterEvaluator,
    OfficialCoNLL2012CorefEvaluator,
    OfficialMentionEvaluator,
)
from places import RECORDED

ORIGINALS: dict[str, list[dict[str, Any]]] = json.loads((RECORDED / "compat.json").read_text("utf-8"))
GOLD = [((0, 0),), ((1, 1), (2, 2)), ((3, 3), (4, 4), (5, 5))]  # {a} {b c} {d e f}
PREDICTED = [((0, 0),), ((1, 1), (2, 2), (7, 7)), ((3, 3), (8, 8)), ((9, 9),)]  # {a} {b c x} {d y} {z}


def by_mention(clusters: Any) -> dict[Any, Any]:
    return {mention: cluster for cluster in clusters for mention in cluster}


def tuples(clusters: Any) -> list[Any]:
    return [tuple(map(tuple, cluster)) for cluster in clusters]


def test_nothing_of_the_frameworks_is_imported() -> None:
    frameworks = ["torch", "torchmetrics", "allennlp", "evaluate", "datasets", "sklearn", "scipy"]
    code = f"import sys, coreflens.compat; print(set({frameworks}) & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


# CorefEvaluator


def test_evaluator_takes_predicted_before_gold() -> None:
    evaluator = CorefEvaluator()
    evaluator.update(PREDICTED, GOLD, by_mention(PREDICTED), by_mention(GOLD))
    result = cl.score(GOLD, PREDICTED, metrics="muc,bcub,ceafe,conll")
    parts = [result[name] for name in ("muc", "bcub", "ceafe")]
    precision, recall, f1 = evaluator.get_prf()
    assert precision == evaluator.get_precision() == pytest.approx(sum(float(s.precision or 0) for s in parts) / 3)
    assert recall == evaluator.get_recall() == pytest.approx(sum(float(s.recall or 0) for s in parts) / 3)
    assert f1 == evaluator.get_f1() == pytest.approx(result.conll)
    muc = evaluator.evaluators[0]
    assert muc.name == "muc" and muc.get_prf() == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert evaluator.evaluators[1].get_counts() == pytest.approx((17 / 6, 7, 10 / 3, 6))


def test_evaluator_legacy_drops_singletons() -> None:
    """The numbers of example 2 in docs/disagreements.md: recall, precision, F1."""
    right, legacy = CorefEvaluator(), CorefEvaluator(legacy=True)
    for evaluator in (right, legacy):
        evaluator.update(PREDICTED, GOLD)
    found = [
        {e.name: [round(100 * x, 2) for x in (e.get_recall(), e.get_precision(), e.get_f1())] for e in ev.evaluators}
        for ev in (right, legacy)
    ]
    assert found[0] == {"muc": [33.33] * 3, "bcub": [55.56, 40.48, 46.83], "ceafe": [73.33, 55, 62.86]}
    assert found[1] == {"muc": [33.33] * 3, "bcub": [46.67, 36.67, 41.07], "ceafe": [40, 60, 48]}


@pytest.mark.parametrize("case", ORIGINALS["e2e"])
@pytest.mark.parametrize("maps", [True, False])
def test_evaluator_legacy_is_the_original(case: dict[str, Any], maps: bool) -> None:
    evaluator = CorefEvaluator(legacy=True, metrics=["muc", "bcub", "ceafe", "lea"])
    average = CorefEvaluator(legacy=True)
    for document in case["documents"]:
        gold, predicted = tuples(document["gold"]), tuples(document["predicted"])
        more = (by_mention(predicted), by_mention(gold)) if maps else ()
        evaluator.update(predicted, gold, *more)
        average.update(predicted, gold, *more)
    assert average.get_prf() == pytest.approx(tuple(case["prf"]), abs=1e-12)
    for each in evaluator.evaluators:
        assert each.get_prf() == pytest.approx(tuple(case["metrics"][each.name]), abs=1e-12)


@pytest.mark.parametrize("case", ORIGINALS["e2e"])
def test_evaluator_legacy_is_two_options(case: dict[str, Any]) -> None:
    """Without repeated mentions: singletons dropped on both sides, and for CEAFe in the response only."""
    documents = case["documents"]
    key, response = ({str(d): document[side] for d, document in enumerate(documents)} for side in ("gold", "predicted"))
    if any(len(by_mention(tuples(side))) < sum(map(len, side)) for d in documents for side in d.values()):
        with pytest.raises(cl.InputError, match="occurs twice"):
            cl.score(key, response, duplicates="error")
        return
    both = cl.score(key, response, metrics="muc,bcub,lea", singletons="drop")
    one = cl.score(key, response, metrics="ceafe", singletons="drop-response")
    for name, prf in case["metrics"].items():
        score = (one if name == "ceafe" else both)[name]
        assert (score.precision, score.recall, score.f1) == pytest.approx(tuple(prf), abs=1e-12)


@pytest.mark.parametrize("case", ORIGINALS["e2e"])
def test_evaluator_is_right_by_default(case: dict[str, Any]) -> None:
    evaluator = CorefEvaluator()
    for document in case["documents"]:
        evaluator.update(document["predicted"], document["gold"])
    key, response = (
        {str(d): document[side] for d, document in enumerate(case["documents"])} for side in ("gold", "predicted")
    )
    assert evaluator.get_f1() == pytest.approx(float(cl.score(key, response).conll), abs=1e-12)


def test_evaluator_of_nothing_and_of_odd_things() -> None:
    assert CorefEvaluator().get_prf() == CorefEvaluator(legacy=True).get_prf() == (0, 0, 0)
    for legacy in (False, True):
        evaluator = CorefEvaluator(legacy=legacy)
        evaluator.update([], [])
        evaluator.update([], GOLD)
        evaluator.update([[[1, 1], [2, 2]]], [])
        assert evaluator.get_f1() == 0
        assert pickle.loads(pickle.dumps(evaluator)).get_prf() == evaluator.get_prf()
    with pytest.raises(cl.UsageError, match="blanc"):
        CorefEvaluator(legacy=True, metrics=["blanc"])
    with pytest.raises(cl.UsageError, match="blanc"):
        CorefEvaluator(metrics=["blanc"])
    assert [e.name for e in CorefEvaluator(metrics=["B_cubed", "lea"]).evaluators] == ["bcub", "lea"]


def test_oddities_are_told() -> None:
    repeated = [[(0, 0), (1, 1)], [(1, 1), (2, 2)]]
    evaluator, metric, coval = CorefEvaluator(), CorefMetric(), Coval()
    for _ in range(2):
        evaluator.update(repeated, GOLD)
    metric.update([repeated], [GOLD])
    allennlp = ConllCorefScores()
    allennlp([[]], [[]], [[]], [{"clusters": repeated}])
    coval.compute(predictions=[sentence("(1)|(1)")], references=[sentence("(1)")])
    for issues in (evaluator.issues, metric.issues, allennlp.issues, coval.issues):
        assert [issue.code for issue in issues if issue.code.startswith("duplicates")]
    assert next(iter(evaluator.issues)).count == 2


# Maverick and BOOKCOREF

COPIES = list(zip(ORIGINALS["e2e"], ORIGINALS["maverick"], strict=True))


@pytest.mark.parametrize(("case", "said"), COPIES)
@pytest.mark.parametrize("maps", [True, False])
def test_maverick_legacy_is_the_original(case: dict[str, Any], said: dict[str, Any], maps: bool) -> None:
    evaluator = OfficialCoNLL2012CorefEvaluator(legacy=True)
    mentions = [OfficialMentionEvaluator(), OfficialCharacterEvaluator()]
    for document in case["documents"]:
        gold, predicted = tuples(document["gold"]), tuples(document["predicted"])
        evaluator.update(predicted, gold, *((by_mention(predicted), by_mention(gold)) if maps else ()))
        for each in mentions:
            each.update([m for c in document["predicted"] for m in c], [m for c in document["gold"] for m in c])
    for metric in ("muc", "b_cubed", "ceafe", "conll2012"):
        prf = evaluator.get_precision(metric), evaluator.get_recall(metric), evaluator.get_f1(metric)
        assert prf == evaluator.get_prf(metric) == pytest.approx(tuple(said[metric]), abs=1e-12)
    for each in mentions:
        prf = each.get_precision(), each.get_recall(), each.get_f1()
        assert prf == each.get_prf() == pytest.approx(tuple(said["spans"]), abs=1e-12)


@pytest.mark.parametrize(("case", "said"), COPIES)
def test_maverick_is_coreflens_where_no_mention_is_repeated(case: dict[str, Any], said: dict[str, Any]) -> None:
    """Singletons count in this copy, so that only repeated mentions make a difference."""
    documents = case["documents"]
    repeated = any(len(by_mention(tuples(side))) < sum(map(len, side)) for d in documents for side in d.values())
    evaluator = OfficialCoNLL2012CorefEvaluator()
    for document in documents:
        evaluator.update(document["predicted"], document["gold"])
    key, response = ({str(d): document[side] for d, document in enumerate(documents)} for side in ("gold", "predicted"))
    result = cl.score(key, response, metrics="mentions,conll")
    assert evaluator.get_f1() == pytest.approx(float(result.conll), abs=1e-12)
    assert (evaluator.get_prf() == pytest.approx(tuple(said["conll2012"]), abs=1e-12)) is not repeated
    mentions = result["mentions"]
    assert (mentions.precision, mentions.recall, mentions.f1) == pytest.approx(tuple(said["spans"]), abs=1e-12)


def test_maverick_of_nothing_and_of_a_wrong_name() -> None:
    assert OfficialCoNLL2012CorefEvaluator().get_prf("conll2012") == OfficialMentionEvaluator().get_prf() == (0, 0, 0)
    with pytest.raises(cl.UsageError, match="did you mean 'b_cubed'"):
        OfficialCoNLL2012CorefEvaluator().get_f1("b_cubd")


# AllenNLP


@pytest.mark.parametrize("case", ORIGINALS["allennlp"])
@pytest.mark.parametrize("kind", [list, np.array])
def test_allennlp_legacy_is_the_original(case: dict[str, Any], kind: Any) -> None:
    metric = ConllCorefScores(case["allow_singletons"], legacy=True)
    inputs = {name: kind(case[name]) for name in ("top_spans", "antecedent_indices", "predicted_antecedents")}
    metric(**inputs, metadata_list=[{"clusters": gold} for gold in case["gold"]])
    assert metric.get_metric() == pytest.approx(tuple(case["metric"]), abs=1e-12)
    assert metric.get_metric(reset=True) == metric.get_metric() or metric.get_metric() == (0, 0, 0)


def test_allennlp_clusters_and_numbers() -> None:
    spans = [[0, 0], [1, 2], [4, 4], [6, 6], [8, 9]]
    candidates = [list(range(5))] * 5
    antecedents = [-1, 0, 2, 1, 2]  # 1 → 0, 2 → itself, 3 → 1, 4 → 2
    clusters, by = ConllCorefScores.get_predicted_clusters(spans, candidates, antecedents, allow_singletons=True)
    assert clusters == [((0, 0), (1, 2), (6, 6)), ((4, 4), (8, 9))]
    assert by[(8, 9)] == by[(4, 4)] == clusters[1] and len(by) == 5
    gold = [[[0, 0], [1, 2], [6, 6]], [[4, 4], [8, 9]]]
    assert ConllCorefScores.get_gold_clusters(gold)[0] == clusters
    metric = ConllCorefScores(allow_singletons=True)
    metric(np.array([spans]), np.array([candidates]), np.array([antecedents]), [{"clusters": gold}])
    assert metric.get_metric(reset=True) == (1, 1, 1)
    assert metric.get_metric() == (0, 0, 0)
    original = ConllCorefScores(allow_singletons=True, legacy=True)  # span 2 counts twice
    original([spans], [candidates], [antecedents], [{"clusters": gold}])
    assert original.get_metric()[2] < 1


def test_allennlp_singleton() -> None:
    metric = ConllCorefScores(allow_singletons=True)
    metric([[[0, 0]]], [[[0]]], [[0]], [{"clusters": [[[0, 0]]]}])
    assert metric.get_metric()[2] == pytest.approx(2 / 3)  # MUC has no link to count


def test_allennlp_refuses_antecedents_that_do_not_precede() -> None:
    with pytest.raises(cl.InputError, match="allow_singletons"):
        ConllCorefScores()([[[0, 0]]], [[[0]]], [[0]], [{"clusters": []}])
    with pytest.raises(cl.InputError, match="does not precede"):
        ConllCorefScores(True)([[[0, 0], [1, 1]]], [[[1], [0]]], [[0, -1]], [{"clusters": []}])


# HuggingFace


@pytest.mark.parametrize("case", ORIGINALS["huggingface"])
def test_coval_is_the_original(case: dict[str, Any]) -> None:
    lines = {"predictions": case["predictions"], "references": case["references"]}
    assert Coval().compute(**lines) == pytest.approx(case["keep"], abs=1e-9)
    assert list(Coval().compute(**lines)) == list(case["keep"])
    assert Coval().compute(**lines, keep_singletons=False) == pytest.approx(case["drop"], abs=1e-9)


def sentence(*cells: str) -> list[str]:
    return [f"d 0 {place} w{place} {cell}" for place, cell in enumerate(cells)]


def test_coval_differs_where_the_original_is_wrong() -> None:
    key = [sentence("(1)", "(2)"), sentence("(1)", "(2)")]
    assert Coval().compute(predictions=[sentence("(1)", "(2)", "(1)", "(2)")], references=key)["conll_score"] == 100
    with pytest.raises(cl.InputError, match="never closed"):
        Coval().compute(predictions=[sentence("(1)", "(1")], references=[sentence("(1)", "(1)")])
    with pytest.raises(cl.InputError, match="2 tokens in the references, 1 predicted"):
        Coval().compute(predictions=[sentence("(1)")], references=[sentence("(1)", "-")])
    documents = [[f"#begin document ({name}); part 000", *sentence("(1)", "(1)"), "#end document"] for name in "ab"]
    assert Coval().compute(predictions=documents, references=documents)["mentions/f1"] == 1
    whole = Coval().compute(predictions=documents[:1], references=documents)
    assert (whole["muc/recall"], whole["muc/precision"]) == (0.5, 1)  # the entities of two documents are not merged


@pytest.mark.parametrize("option", ["NP_only", "min_span", "remove_nested"])
def test_coval_refuses_what_it_can_not_do(option: str) -> None:
    asked: dict[str, Any] = {"predictions": [sentence("(1)")], "references": [sentence("(1)")], option: True}
    with pytest.raises(cl.UsageError, match=option):
        Coval().compute(**asked)


def test_coval_of_nothing() -> None:
    nothing = Coval().compute(predictions=[sentence("-")], references=[sentence("(1)")])
    assert nothing["mentions/recall"] == nothing["conll_score"] == 0


# torchmetrics


def test_metric_updates_computes_and_resets() -> None:
    metric = CorefMetric(metrics=["conll", "lea"])
    metric.update([PREDICTED, [["x", "y"]]], [GOLD, [["x", "y"]]])
    key, response = {"1": GOLD, "2": [["x", "y"]]}, {"1": PREDICTED, "2": [["x", "y"]]}
    result = cl.score(key, response, metrics=["conll", "lea"])
    values = metric.compute()
    assert values["conll"] == pytest.approx(float(result.conll))
    assert values["lea_recall"] == pytest.approx(float(result["lea"].recall or 0))
    assert values["muc_precision"] == pytest.approx(2 / 4)
    metric.reset()
    assert metric([GOLD], [GOLD])["conll"] == 1
    assert metric.forward([PREDICTED], [GOLD])["conll"] < metric.compute()["conll"] < 1
    with pytest.raises(cl.UsageError, match="1 predicted documents, but 2 targets"):
        metric.update([GOLD], [GOLD, GOLD])


def test_metric_of_several_processes() -> None:
    whole, parts = CorefMetric(metrics="conll"), [CorefMetric(metrics="conll") for _ in range(2)]
    whole.update([PREDICTED, GOLD], [GOLD, PREDICTED])
    parts[0].update([PREDICTED], [GOLD])
    parts[1].update([GOLD], [PREDICTED])
    parts[0].merge_state(pickle.loads(pickle.dumps(parts[1])))
    assert parts[0].compute() == pytest.approx(whole.compute())
