"""coreflens inside evaluation harnesses and training loops.

    CorefMetric    update, compute, reset and merge_state in any loop, without a framework
    inspect        a scorer and a metric of Inspect (inspect-ai)
    lighteval      a metric of lighteval
    lm_eval        the functions of a task of the lm-evaluation-harness
    torchmetrics   a torchmetrics.Metric, synchronised between processes by torch
    codabench      a competition with its scoring program

Import the modules by name, as in `from coreflens.integrations.inspect import coreference`. Each needs its package, and
says so if it is missing. Nothing is fetched at run time. The value of a sample is its counts, as `Accumulator.to_dict`
returns them, and the metric adds them up. So the average over a corpus equals that of `coreflens score`, and
`samples.gather` returns the whole `Result`, with its signature, intervals and tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .loop import CorefMetric as CorefMetric

__all__ = ["CorefMetric", "codabench"]


def __getattr__(name: str) -> Any:
    if name != "CorefMetric":
        raise AttributeError(f"module 'coreflens.integrations' has no attribute '{name}'")
    from .loop import CorefMetric

    return CorefMetric
