"""Stand-ins for the packages that `coreflens.integrations` plugs into: the parts that it uses, with their interface.

`bin/test --integrations` runs the same tests with the real packages, in an environment of its own, and compares the
interfaces (tests/integrations/test_real.py).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from types import ModuleType
from typing import Any

import numpy as np

REAL = bool(os.environ.get("COREFLENS_INTEGRATIONS"))  # set by bin/test --integrations
PACKAGES = {"inspect": "inspect_ai", "lighteval": "lighteval", "lm_eval": "lm_eval", "torchmetrics": "torchmetrics"}


# inspect_ai.scorer


@dataclass
class Score:
    value: Any
    answer: str | None = None
    explanation: str | None = None
    metadata: dict[str, Any] | None = None


@dataclass
class SampleScore:
    score: Score
    sample_id: str | int | None = None


def metric(name: Any = None) -> Any:
    return lambda function: function


def scorer(metrics: Any, name: str | None = None) -> Any:
    return lambda function: function


# lighteval


class SampleLevelComputation:
    def compute(self, doc: Any, model_response: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


class CorpusLevelComputation:
    def compute_corpus(self, items: Any) -> Any:
        raise NotImplementedError


class SamplingMethod(StrEnum):
    GENERATIVE = "GENERATIVE"


@dataclass
class CorpusLevelMetricGrouping:
    metric_name: list[str]
    higher_is_better: dict[str, Any]
    category: SamplingMethod
    sample_level_fn: SampleLevelComputation
    corpus_level_fn: dict[str, Callable[[Any], Any]]
    batched_compute: bool = False

    def compute_sample(self, **kwargs: Any) -> Any:
        return self.sample_level_fn.compute(**kwargs)

    def get_corpus_aggregations(self) -> dict[str, Callable[[Any], Any]]:
        return self.corpus_level_fn


# torch and torchmetrics


class Tensor:
    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values, dtype=np.float64)

    def numel(self) -> int:
        return self.values.size

    def cpu(self) -> Tensor:
        return self

    def numpy(self) -> Any:
        return self.values

    def item(self) -> float:
        return float(self.values)

    def __float__(self) -> float:
        return self.item()


def tensor(values: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    return Tensor(values)


def cat(tensors: Any) -> Tensor:
    return Tensor(np.concatenate([each.values for each in tensors]))


@dataclass
class Metric:
    """State as lists; `merge_state` and `forward` as in torchmetrics."""

    device: str = "cpu"
    sync_on_compute: bool = True
    _defaults: dict[str, Any] = field(default_factory=dict)

    def set_dtype(self, dst_type: Any) -> Metric:
        return self

    def add_state(self, name: str, default: Any, dist_reduce_fx: Any = None, persistent: bool = False) -> None:
        assert default == [] and dist_reduce_fx == "cat"
        self._defaults[name] = default
        setattr(self, name, [])

    def reset(self) -> None:
        for name in self._defaults:
            setattr(self, name, [])

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        kept = {name: getattr(self, name) for name in self._defaults}
        self.reset()
        self.update(*args, **kwargs)  # type: ignore[attr-defined]
        values = self.compute()  # type: ignore[attr-defined]
        for name, rows in kept.items():
            setattr(self, name, rows + getattr(self, name))
        return values

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    def merge_state(self, incoming_state: Any) -> None:
        for name in self._defaults:
            setattr(self, name, getattr(incoming_state, name) + getattr(self, name))


INTERFACES: dict[str, list[Any]] = {
    "inspect_ai.scorer": [Score, SampleScore, metric, scorer],
    "lighteval.metrics.metrics_sample": [SampleLevelComputation],
    "lighteval.metrics.metrics_corpus": [CorpusLevelComputation],
    "lighteval.metrics.utils.metric_utils": [CorpusLevelMetricGrouping],
    "lighteval.tasks.requests": [SamplingMethod],
    "lm_eval": [],
    "torch": [tensor, cat],
    "torchmetrics": [Metric],
}


def _forget() -> None:
    for name in [name for name in sys.modules if name.startswith("coreflens.integrations.")]:
        if name.rpartition(".")[2] in PACKAGES:
            del sys.modules[name]


@contextmanager
def standing_in(*, present: bool = True) -> Iterator[None]:
    """The stand-ins in place of the packages, or with `present=False` no such packages at all."""
    before = {name: sys.modules.get(name) for name in INTERFACES}
    _forget()
    try:
        for name, things in INTERFACES.items():
            module = ModuleType(name) if present else None
            for thing in things if module else ():
                setattr(module, thing.__name__, thing)
            if module and name == "torch":
                module.float64 = np.float64  # type: ignore[attr-defined]
            sys.modules[name] = module  # type: ignore[assignment] # None: an import of it fails
        yield
    finally:
        _forget()
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
