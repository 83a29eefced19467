"""The packages themselves: whole evaluations by each of them, and their interfaces against those of the stand-ins.

`bin/test --integrations` runs this in an environment that has the packages; elsewhere it is skipped. Nothing is
fetched.
"""

from __future__ import annotations

import inspect as signatures
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from test_integrations import AVERAGES, DOCUMENTS, TEXTS, WORKERS, expected, integration

from harnesses import INTERFACES, REAL, CorpusLevelMetricGrouping
from places import ROOT

pytestmark = pytest.mark.skipif(not REAL, reason="needs the packages themselves: bin/test --integrations")


def package(name: str) -> Any:
    """A package, or a loud skip where it could not be installed."""
    return pytest.importorskip(name, reason=f"NOT TESTED with the real package {name}, which is not installed")


@pytest.mark.parametrize("module", INTERFACES)
def test_the_stand_ins_have_the_interface_of_the_packages(module: str) -> None:
    package(module.partition(".")[0])
    real = import_module(module)
    for thing in INTERFACES[module]:
        there = getattr(real, thing.__name__)
        assert {name for name in dir(thing) if not name.startswith("_")} <= {
            *dir(there),
            *getattr(there, "model_fields", ()),  # of pydantic
            "sync_on_compute",  # which an instance has
        }
        if module.startswith("inspect_ai") or thing is CorpusLevelMetricGrouping:
            taken = signatures.signature(there).parameters
            assert set(signatures.signature(thing).parameters) <= set(taken), thing


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("workers", WORKERS)
def test_inspect_runs_a_task(average: str, workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inspect_ai = package("inspect_ai")
    model: Any = import_module("inspect_ai.model")
    dataset: Any = import_module("inspect_ai.dataset")
    ours = integration("inspect")
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    usage = model.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else it fetches a tokenizer to count

    def answer(input: Any, *args: Any) -> Any:
        output = model.ModelOutput.from_content("mockllm/model", TEXTS[input[-1].text][1])
        output.usage = usage
        return output

    task = inspect_ai.Task(
        dataset=[dataset.Sample(id=name, input=name, target=target) for name, (target, _) in TEXTS.items()],
        scorer=ours.coreference(metrics="conll,lea", average=average),
    )
    mock = model.get_model("mockllm/model", custom_outputs=answer, memoize=False)
    (log,) = inspect_ai.eval(task, model=mock, max_samples=workers, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    (score,) = log.results.scores
    numbers = {name: metric.value for name, metric in score.metrics.items()}
    assert numbers == pytest.approx(expected(average), abs=1e-12)
    again = ours.result(import_module("inspect_ai.log").read_eval_log(log.location))
    assert set(again.by_document()) == set(DOCUMENTS) and again.conll == pytest.approx(numbers["conll"], abs=1e-12)


@pytest.mark.parametrize("average", AVERAGES)
def test_lm_eval_runs_a_task(average: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lm_eval = package("lm_eval")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    rows = [{"id": name, "clusters": target} for name, (target, _) in TEXTS.items()]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    base: Any = import_module("lm_eval.api.model").LM

    class Recorded(base):  # type: ignore[misc]
        """A model that gives the recorded answers."""

        def generate_until(self, requests: Any, **kwargs: Any) -> list[str]:
            return [TEXTS[request.args[0]][1] for request in requests]

        def loglikelihood(self, requests: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    config = {
        "task": "coreference",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(tmp_path / "rows.jsonl")}, "cache_dir": str(tmp_path / "data")},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{id}}",
        "doc_to_target": "{{clusters}}",
        **integration("lm_eval").coreference("clusters", name="id", metrics="conll,lea", average=average),
    }
    task = import_module("lm_eval.api.task").ConfigurableTask(config=config)
    found = lm_eval.evaluate(lm=Recorded(), task_dict={"coreference": task}, bootstrap_iters=0)
    numbers = {name.partition(",")[0]: x for name, x in found["results"]["coreference"].items()}
    wanted = {name: x for name, x in expected(average).items() if name == "conll" or name.endswith("_f1")}
    assert {name: numbers[name] for name in wanted} == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("average", AVERAGES)
def test_lighteval_logs_a_task(average: str) -> None:
    package("lighteval")
    requests: Any = import_module("lighteval.tasks.requests")
    responses: Any = import_module("lighteval.models.model_output")
    loggers: Any = import_module("lighteval.logging.info_loggers")
    metric = integration("lighteval").coreference(metrics="conll,lea", average=average)
    docs = [
        requests.Doc(query=name, choices=[target], gold_index=0, id=name, task_name="coreference|0")
        for name, (target, _) in TEXTS.items()
    ]
    answers = [responses.ModelResponse(text=[answer]) for _, answer in TEXTS.values()]
    logger = loggers.MetricsLogger()
    for sample in import_module("lighteval.metrics").apply_metric(answers, docs, [metric]):
        logger.log("coreference|0", sample)
    logger.aggregate({"coreference|0": SimpleNamespace(aggregation=metric.get_corpus_aggregations)})
    assert dict(logger.metric_aggregated["coreference|0"]) == pytest.approx(expected(average), abs=1e-12)


HARNESSES = (ROOT / "docs" / "harnesses.md").read_text("utf-8")


@pytest.mark.parametrize("block", re.findall(r"(?ms)^```py\n(.*?)^```", HARNESSES))
def test_every_block_of_the_page(block: str) -> None:
    package((re.findall(r"coreflens\.integrations\.(\w+)", block)[0]).replace("inspect", "inspect_ai"))
    exec(compile(block, "harnesses.md", "exec"), {})


_WORKER = """
import json, sys
import torch.distributed as dist
rank, size, address, average, batches = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:5], json.load(open(sys.argv[5]))
dist.init_process_group("gloo", init_method=address, rank=rank, world_size=size)
from coreflens.integrations.torchmetrics import CorefMetric
metric = CorefMetric(metrics="conll,lea", average=average)
for key, response in batches[rank::size] if rank < size - 1 or size == 1 else []:
    metric.update([response], [key])
if rank == 0 and size > 1:  # the last process has no document of its own
    for key, response in batches[size - 1::size]:
        metric.update([response], [key])
print(json.dumps({name: value.item() for name, value in metric.compute().items()}))
dist.destroy_process_group()
"""


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("workers", WORKERS)
def test_torchmetrics_synchronises_processes(average: str, workers: int, tmp_path: Path) -> None:
    package("torchmetrics")
    (tmp_path / "batches.json").write_text(json.dumps(list(DOCUMENTS.values())), "utf-8")
    address = f"file://{tmp_path / 'meeting'}"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", _WORKER, str(rank), str(workers), address, average, str(tmp_path / "batches.json")],
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(workers)
    ]
    said = [process.communicate(timeout=300)[0] for process in started]
    for numbers in said:
        assert json.loads(numbers.splitlines()[-1]) == pytest.approx(expected(average), abs=1e-12)
