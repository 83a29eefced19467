"""Each integration gives the numbers of `coreflens score`: with stand-ins of the packages here, and with the packages
themselves in `bin/test --integrations`."""

from __future__ import annotations

import asyncio
import json
import pickle
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import coreflens as cl
from command import Run
from coreflens.integrations import CorefMetric
from coreflens.integrations.samples import UNREAD, count_sample, flat, gather, names_of, read_text, with_limits
from harnesses import PACKAGES, REAL, standing_in

AVERAGES = ["micro", "macro"]
WORKERS = [1, 4]


@pytest.fixture(autouse=True)
def packages() -> Iterator[None]:
    if REAL:
        yield
        return
    with standing_in():
        yield


def integration(name: str) -> Any:
    try:
        return import_module(f"coreflens.integrations.{name}")
    except cl.UsageError as error:
        assert REAL
        pytest.skip(f"NOT TESTED with the real package: {error}")


def documents(number: int = 13) -> dict[str, tuple[list[Any], list[Any]]]:
    """Name → clusters of the key and of the response: spans, some of them missing, merged or invented."""
    chance = random.Random(5)
    found = {}
    for d in range(number):
        key = [[(10 * e + m, 10 * e + m + chance.randint(0, 2)) for m in range(chance.randint(1, 5))] for e in range(4)]
        spans = [span for cluster in key for span in cluster if chance.random() < 0.8] + [(90 + d, 91 + d)]
        response: dict[int, list[Any]] = {}
        for span in spans:
            response.setdefault(chance.randint(0, 2) if chance.random() < 0.3 else span[0] // 10, []).append(span)
        found[f"d{d}"] = key, list(response.values())
    return found


DOCUMENTS = documents()
TEXTS = {name: (json.dumps(key), json.dumps(response)) for name, (key, response) in DOCUMENTS.items()}


def expected(average: str, metrics: str = "conll,lea") -> dict[str, float]:
    """What `coreflens.score` says of the same documents."""
    sides: Any = ({name: both[side] for name, both in DOCUMENTS.items()} for side in (0, 1))
    return flat(cl.score(*sides, metrics=metrics, average=average))  # type: ignore[call-overload]


def shared_out(values: list[Any], workers: int) -> list[Any]:
    """What several processes made of the samples, as it comes back from them: one worker after the other."""
    parts = [values[worker::workers] for worker in range(workers)]
    return [value for part in parts for value in pickle.loads(pickle.dumps(part))]


# Samples


def samples(average: str = "micro", texts: dict[str, tuple[str, str]] = TEXTS) -> list[Any]:
    settings = {"metrics": "conll,lea", "average": average}
    return [count_sample(target, answer, name, settings=settings) for name, (target, answer) in texts.items()]


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("workers", WORKERS)
def test_samples_add_up(average: str, workers: int) -> None:
    result = gather(json.loads(json.dumps(shared_out(samples(average), workers))))
    assert flat(result) == pytest.approx(expected(average), abs=1e-12)
    assert result.signature.documents == len(DOCUMENTS) and f"average:{average}" in str(result.signature)
    assert set(result.by_document()) == set(DOCUMENTS)


def test_samples_have_the_names_that_are_announced() -> None:
    result = gather(samples())
    assert list(names_of(result)) == list(flat(result)) and names_of(result)["lea_f1"] == "lea"
    limits = with_limits(result, 100, seed=3)
    interval = result.bootstrap(100, seed=3)["conll"]["f1"]
    assert (limits["conll_low"], limits["conll_high"]) == (interval.low, interval.high)
    assert with_limits(gather(samples()[:1]), 100) == flat(gather(samples()[:1]))  # one document: no limits


TEXT = "# doc d\n[John](1) said that [[his](1) mother](2) slept .\n"


@pytest.mark.parametrize(
    ("written", "clusters"),
    [
        ('[["John", "he"], ["Mary"]]', [["John", "he"], ["Mary"]]),
        ("[[[0, 1], [5, 5]]]", [[(0, 1), (5, 5)]]),
        ('{"clusters": [["a", "b"]]}', [["a", "b"]]),
        ('{"e1": ["a", "b"], "e2": ["c"]}', [["a", "b"], ["c"]]),
        ('Here you are:\n```json\n[["a", "b"]]\n```\nAnything else?', [["a", "b"]]),
        ('```\n[["a", "b"]]', [["a", "b"]]),
        ("[]", []),
        ([["a"]], [["a"]]),
        (TEXT, [[(0, 0), (3, 3)], [(3, 4)]]),
        (f"```\n{TEXT}```", [[(0, 0), (3, 3)], [(3, 4)]]),
    ],
)
def test_what_models_write(written: Any, clusters: list[list[Any]]) -> None:
    found = read_text(written)
    assert sorted(found.clusters().values(), key=str) == sorted(clusters, key=str)


@pytest.mark.parametrize(
    "answer",
    [
        "I can't help with that.",
        "",
        "[[",
        "[" * 100_000,
        '[["a", null], [1.5',
        "[1, 2]",
        '["a"]',
        '{"a": {"b": {}}}',
        "# doc d\n[John](1) said that [he](1) slept .\n# doc e\n[John](1) .\n",
        "[John](1) said nothing .",  # other words than the target has
        "\ud800",
        "null",
    ],
)
def test_an_answer_that_is_none_counts_as_empty_and_is_told(answer: str) -> None:
    sample = count_sample(TEXT, answer, "d", settings={"metrics": "conll"})
    result = gather([sample])
    assert result["mentions"].counts["recall_den"] == 3 and result["mentions"].counts["precision_den"] == 0
    (issue,) = [issue for issue in result.issues if issue.code == UNREAD]
    assert issue.places[0].startswith("d: ")
    both = gather([sample, sample])
    assert next(i.message for i in both.issues if i.code == UNREAD).startswith("2 documents whose answer")


def test_a_target_that_is_none_is_an_error() -> None:
    with pytest.raises(cl.InputError):
        count_sample("no clusters", "[]", "d")
    with pytest.raises(cl.UsageError, match="no sample"):
        gather([])


def test_a_reader_of_ones_own() -> None:
    def reader(text: str) -> Any:
        return [cluster.split("+") for cluster in text.split()]

    assert gather([count_sample("a+b c", "a+b c", "d", reader=reader)])["bcub"].f1 == 1


def test_files_of_texts_and_samples_of_texts(run: Run, tmp_path: Path) -> None:
    """Brackets in running text, scored by the command line and by samples."""
    key = {"a": "[Ada](1) wrote to [her](1) [aunt](2) .", "b": "[It](1) rained on [Ada](2) and [her](2) dog ."}
    response = {"a": "[Ada](1) wrote to [her](2) [aunt](2) .", "b": "[It](1) rained on [Ada](1) and [her](1) dog ."}
    for name, side in (("key.txt", key), ("response.txt", response)):
        (tmp_path / name).write_text("".join(f"# doc {d}\n{text}\n" for d, text in side.items()), "utf-8")
    ran = run("score", tmp_path / "key.txt", tmp_path / "response.txt", "--format", "json").json
    result = gather(count_sample(key[d], response[d], d) for d in key)
    assert result.to_dict()["scores"] == ran["scores"]


# Inspect


def inspected(average: str) -> list[Any]:
    inspect = integration("inspect")
    score = inspect.coreference(metrics="conll,lea", average=average)
    harness: Any = import_module("inspect_ai.scorer")

    def state(name: str, answer: str) -> Any:
        return SimpleNamespace(sample_id=name, output=SimpleNamespace(completion=answer))

    async def all_of_them() -> list[Any]:
        answers = (score(state(name, answer), SimpleNamespace(text=target)) for name, (target, answer) in TEXTS.items())
        return list(await asyncio.gather(*answers))

    with ThreadPoolExecutor(1) as thread:  # a browser's driver has a loop of its own in this one
        found = thread.submit(asyncio.run, all_of_them()).result()
    return [harness.SampleScore(score=each, sample_id=name) for name, each in zip(TEXTS, found, strict=True)]


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("workers", WORKERS)
def test_inspect(average: str, workers: int) -> None:
    inspect = integration("inspect")
    scores = shared_out(inspected(average), workers)
    assert inspect.coreference_scores()(scores) == pytest.approx(expected(average), abs=1e-12)
    limits = inspect.coreference_scores(resamples=50, seed=2)(scores)
    assert limits["conll_low"] <= limits["conll"] <= limits["conll_high"]


def test_inspect_gives_back_the_result_of_a_log() -> None:
    inspect = integration("inspect")
    log = SimpleNamespace(samples=[SimpleNamespace(scores={"coreference": each.score}) for each in inspected("micro")])
    result = inspect.result(log)
    assert flat(result) == pytest.approx(expected("micro"), abs=1e-12) and len(result.by_document()) == len(DOCUMENTS)
    harness: Any = import_module("inspect_ai.scorer")
    with pytest.raises(cl.UsageError, match="only scores made by"):
        inspect.coreference_scores()([harness.SampleScore(score=harness.Score(value=1))])
    with pytest.raises(cl.UsageError, match="exact"):
        inspect.coreference(exact=True)
    with pytest.raises(cl.UsageError, match="unknown metric"):
        inspect.coreference(metrics="muk")


# lighteval


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("workers", WORKERS)
def test_lighteval(average: str, workers: int) -> None:
    metric = integration("lighteval").coreference(metrics="conll,lea,derror", average=average, resamples=20)
    values = [
        metric.compute_sample(
            doc=SimpleNamespace(id=name, get_golds=lambda target=target: [target]),
            model_response=SimpleNamespace(final_text=[answer]),
        )
        for name, (target, answer) in TEXTS.items()
    ]
    first = metric.metric_name[0]
    numbers = metric.get_corpus_aggregations()[first]([value[first] for value in shared_out(values, workers)])
    wanted = expected(average, "conll,lea,derror")
    assert {name: numbers[name] for name in wanted} == pytest.approx(wanted, abs=1e-12)
    assert list(wanted) == metric.metric_name == list(metric.higher_is_better)
    assert metric.higher_is_better["conll"] and not metric.higher_is_better["derror"]
    assert numbers["conll_low"] <= numbers["conll"] <= numbers["conll_high"]


# lm-evaluation-harness


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("workers", WORKERS)
def test_lm_eval(average: str, workers: int) -> None:
    made = integration("lm_eval").coreference(
        "clusters", name="id", numbers=["conll", "lea_recall", "muc_f1"], metrics="conll,lea", average=average
    )
    rows = [
        made["process_results"]({"id": name, "clusters": target}, [answer]) for name, (target, answer) in TEXTS.items()
    ]
    numbers = {
        entry["metric"]: entry["aggregation"]([row[entry["metric"]] for row in shared_out(rows, workers)])
        for entry in made["metric_list"]
    }
    wanted = expected(average)
    assert numbers == pytest.approx({name: wanted[name] for name in ("conll", "lea_recall", "muc_f1")}, abs=1e-12)


def test_lm_eval_refuses_what_does_not_fit() -> None:
    coreference = integration("lm_eval").coreference
    with pytest.raises(cl.UsageError, match="unknown number 'muc'; did you mean"):
        coreference("clusters", numbers=["muc"])
    made = coreference(lambda row: row["x"], metrics="conll")
    assert [entry["metric"] for entry in made["metric_list"]] == [
        "mentions_f1",
        "muc_f1",
        "bcub_f1",
        "ceafe_f1",
        "conll",
    ]
    with pytest.raises(cl.UsageError, match="one answer"):
        made["process_results"]({"x": "[]"}, ["[]", "[]"])


# torchmetrics


def updated(metric: Any, names: list[str]) -> Any:
    for name in names:
        metric.update([DOCUMENTS[name][1]], [DOCUMENTS[name][0]])
    return metric


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("workers", WORKERS)
def test_torchmetrics(average: str, workers: int) -> None:
    make = integration("torchmetrics").CorefMetric
    names = list(DOCUMENTS)
    parts = [updated(make(metrics="conll,lea", average=average), names[w::workers]) for w in range(workers)]
    for other in parts[1:]:
        parts[0].merge_state(pickle.loads(pickle.dumps(other)))
    numbers = {name: value.item() for name, value in parts[0].compute().items()}
    assert numbers == pytest.approx(expected(average), abs=1e-12)
    assert parts[0].result().signature.documents == len(names)


def test_torchmetrics_forward_reset_and_oddities() -> None:
    make = integration("torchmetrics").CorefMetric
    metric = make(metrics="conll", sync_on_compute=False)
    with pytest.raises(cl.UsageError, match="nothing to compute"):
        metric.result()
    key, response = DOCUMENTS["d0"]
    repeated = [[(0, 0), (1, 1)], [(1, 1), (2, 2)]]
    assert metric([key], [key])["conll"].item() == 1
    assert metric([repeated], [key])["conll"].item() < 1
    metric.update([], [])
    assert "duplicates-response" in [issue.code for issue in metric.issues]
    both = cl.score({"1": key, "2": key}, {"1": key, "2": repeated}, metrics="conll")
    assert metric.compute()["conll"].item() == pytest.approx(float(both.conll), abs=1e-12)
    metric.reset()
    assert not metric.issues
    with pytest.raises(cl.UsageError, match="1 predicted documents, but 2 targets"):
        metric.update([key], [key, response])
    with pytest.raises(cl.UsageError, match="exact"):
        make(exact=True)


def test_the_loop_without_a_framework() -> None:
    names = list(DOCUMENTS)
    parts = [updated(CorefMetric(metrics="conll,lea"), names[worker::4]) for worker in range(4)]
    for other in parts[1:]:
        parts[0].merge_state(other)
    assert parts[0].compute() == pytest.approx(expected("micro"), abs=1e-12)
    assert import_module("coreflens.compat").CorefMetric is CorefMetric  # its former names
    assert import_module("coreflens.compat.torchmetrics").CorefMetric is CorefMetric


# Without the packages


@pytest.mark.parametrize(("name", "package"), PACKAGES.items())
def test_a_missing_package_is_named(name: str, package: str) -> None:
    wanted = rf"integrations\.{name} needs (torch|{package}).*pip install 'coreflens\[{name.replace('_', '-')}\]'"
    with standing_in(present=False), pytest.raises(cl.UsageError, match=wanted):
        import_module(f"coreflens.integrations.{name}")
