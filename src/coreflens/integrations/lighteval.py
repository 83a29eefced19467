"""lighteval: a metric for the `metrics` of a task, computed over the whole corpus.

    from coreflens.integrations.lighteval import coreference

    LightevalTaskConfig(..., metrics=[coreference(metrics="conll")])

The first gold of a `Doc` and the first text of the answer are read by `samples.read_text`, or by the `reader` given.
lighteval computes no standard errors for it. `resamples` adds limits of 95 % by bootstrap over the documents
(`conll_low`, `conll_high`). This module needs `pip install 'coreflens[lighteval]'`.
"""

from __future__ import annotations

from typing import Any

from ..extras import extra
from ..metrics import METRICS
from ..scoring.scorer import Accumulator
from .samples import Reader, Sample, count_sample, gather, names_of, with_limits

_HERE = "coreflens.integrations.lighteval"
_groups: Any = extra("lighteval.metrics.utils.metric_utils", _HERE, "lighteval")
_samples: Any = extra("lighteval.metrics.metrics_sample", _HERE, "lighteval")
_corpora: Any = extra("lighteval.metrics.metrics_corpus", _HERE, "lighteval")
_requests: Any = extra("lighteval.tasks.requests", _HERE, "lighteval")


class CountSample(_samples.SampleLevelComputation):  # type: ignore[misc]
    """The counts of one document, under the name of the first number."""

    def __init__(self, name: str, reader: Reader | None, settings: dict[str, Any]) -> None:
        self.name, self.reader, self.settings = name, reader, settings

    def compute(self, doc: Any, model_response: Any, **kwargs: Any) -> dict[str, Sample]:
        answer = model_response.final_text[0]
        target = doc.get_golds()[0]
        return {self.name: count_sample(target, answer, str(doc.id), reader=self.reader, settings=self.settings)}


class AddCounts(_corpora.CorpusLevelComputation):  # type: ignore[misc]
    """All numbers of a corpus, by the names of `samples.flat`."""

    def __init__(self, resamples: int = 0, seed: int = 0) -> None:
        self.resamples, self.seed = resamples, seed

    def compute_corpus(self, items: list[Sample]) -> dict[str, float]:
        return with_limits(gather(items), self.resamples, self.seed)


def coreference(reader: Reader | None = None, resamples: int = 0, seed: int = 0, **settings: Any) -> Any:
    """Score the clusters in the model's answer against those of the gold. The settings are those of
    `coreflens.Accumulator`."""
    names = names_of(Accumulator(**settings).metrics)
    better = {name: not METRICS[metric].error for name, metric in names.items()}
    return _groups.CorpusLevelMetricGrouping(
        metric_name=list(names),
        higher_is_better=better,
        category=_requests.SamplingMethod.GENERATIVE,
        sample_level_fn=CountSample(next(iter(names)), reader, settings),
        corpus_level_fn={name: AddCounts(resamples, seed).compute_corpus for name in names},
    )
