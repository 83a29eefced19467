"""The lm-evaluation-harness: what the configuration of a task needs to score coreference.

    from coreflens.integrations.lm_eval import coreference

    ConfigurableTask(config={..., "output_type": "generate_until", **coreference("clusters", metrics="conll")})

A task in YAML names the functions of a Python file in the same directory:

    process_results: !function scoring.process_results
    metric_list:
      - metric: conll
        aggregation: !function scoring.add
        higher_is_better: true

    made = coreference("clusters", numbers=["conll"], metrics="conll")                             # scoring.py
    process_results, add = made["process_results"], made["metric_list"][0]["aggregation"]

Target and answer are read by `samples.read_text`, or by the `reader` given. This module needs
`pip install 'coreflens[lm-eval]'`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..errors import UsageError, choose
from ..extras import extra
from ..metrics import METRICS
from ..scoring.scorer import Accumulator
from .samples import Reader, Sample, count_sample, flat, gather, names_of

extra("lm_eval", "coreflens.integrations.lm_eval", "lm-eval")


def coreference(
    target: str | Callable[[Mapping[str, Any]], Any],
    *,
    name: str | None = None,
    numbers: Sequence[str] = (),
    reader: Reader | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """`process_results` and `metric_list` for the configuration of a task. The settings are those of
    `coreflens.Accumulator`.

    target     the field of a dataset's row that has the clusters, or a function of the row
    name       the field with the name of the document, if there is one
    numbers    the numbers to report, such as `muc_recall`; by default every F1 and average

    The harness leaves out the standard error, as for every aggregation that is not its own.
    """
    known = names_of(Accumulator(**settings).metrics)
    for number in numbers:
        choose(number, known, "number")
    chosen = list(numbers) or [number for number in known if not number.endswith(("_recall", "_precision"))]

    def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Sample]:
        if len(results) != 1:
            raise UsageError(f"each document must have one answer, but there are {len(results)}")
        right = target(doc) if callable(target) else doc[target]
        label = str(doc[name]) if name else ""
        sample = count_sample(right, results[0], label, reader=reader, settings=settings)
        return dict.fromkeys(chosen, sample)

    metrics = [
        {"metric": n, "aggregation": partial(_add, number=n), "higher_is_better": not METRICS[known[n]].error}
        for n in chosen
    ]
    return {"process_results": process_results, "metric_list": metrics}


def _add(samples: Sequence[Sample], number: str) -> float:
    return flat(gather(samples))[number]
