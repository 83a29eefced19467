"""Inspect (inspect-ai): a scorer whose values are counts, and the metric that adds them up.

    from coreflens.integrations.inspect import coreference

    Task(dataset=[Sample(id="d1", input=prompt, target='[["John", "he"]]')], scorer=coreference(metrics="conll"))

Target and answer are read by `samples.read_text`, or by the `reader` given. With several epochs, the reducer of Inspect
takes the mean of a sample's counts, so every epoch has the same weight. Only the reducer `mean` makes sense with
counts. `result(log)` is the whole `Result` of an evaluation log. This module needs `pip install 'coreflens[inspect]'`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from ..errors import UsageError
from ..extras import extra
from ..scoring.result import Result
from ..scoring.scorer import Accumulator
from .samples import Reader, Sample, count_sample, gather, with_limits

_inspect: Any = extra("inspect_ai.scorer", "coreflens.integrations.inspect", "inspect")
_OURS = "coreflens"  # in the metadata of a score: everything about a sample except its values


def _scores(resamples: int = 0, seed: int = 0) -> Callable[[list[Any]], dict[str, float]]:
    """All numbers of a task, by the names of `samples.flat`. `resamples` adds limits of 95 % (`conll_low`)."""

    def compute(scores: list[Any]) -> dict[str, float]:
        return with_limits(gather(_sample(each.score) for each in scores), resamples, seed)

    return compute


coreference_scores = _inspect.metric(name="coreference_scores")(_scores)


def _coreference(reader: Reader | None = None, **settings: Any) -> Callable[[Any, Any], Awaitable[Any]]:
    """Score the clusters in the model's answer against those in the target. The settings are those of
    `coreflens.Accumulator`."""
    if Accumulator(**settings).exact:
        raise UsageError("the values of Inspect are floats, so exact=True can't be used")

    async def score(state: Any, target: Any) -> Any:
        answer = state.output.completion
        sample = count_sample(target.text, answer, str(state.sample_id), reader=reader, settings=settings)
        rest = {name: value for name, value in sample.items() if name != "values"}
        notes = [" ".join([issue["message"], *issue["places"]]) for issue in sample["issues"]]
        counts = dict(zip(sample["columns"], sample["values"][0], strict=True))
        return _inspect.Score(value=counts, answer=answer, explanation="\n".join(notes) or None, metadata={_OURS: rest})

    return score


coreference = _inspect.scorer(metrics=[coreference_scores()], name="coreference")(_coreference)


def _sample(score: Any) -> Sample:
    """The sample from which a score was made. Its counts are those of the score, which may be means over epochs."""
    rest: Mapping[str, Any] = (score.metadata or {}).get(_OURS, {})
    if not rest:
        raise UsageError("only scores made by `coreference` can be added up")
    values = [score.value[column] for column in rest["columns"]]
    return {**rest, "values": [[None if x is None or x != x else x for x in values]]}


def result(log: Any) -> Result:
    """The result of an evaluation log, to print, save or compare. Every epoch of a sample is a document in it."""
    scores: Iterable[Any] = (score for sample in log.samples or () for score in (sample.scores or {}).values())
    return gather(_sample(score) for score in scores if _OURS in (score.metadata or {}))
