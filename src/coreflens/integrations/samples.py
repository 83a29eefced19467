"""A sample of a harness as counts, and the counts of all samples as one result.

A harness asks a model once per sample, scores each answer, and then computes one number from all the scores. Here the
score of a sample is the result of `Accumulator.to_dict`, as plain JSON: the counts of its document, and the signature.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from ..corpus.model import Corpus
from ..errors import InputError, Issue, UsageError
from ..files.notation import json_value
from ..formats import Input, read, recognise
from ..formats.shared.source import Source
from ..metrics import METRICS
from ..scoring.result import Result
from ..scoring.scorer import Accumulator
from ..scoring.scores import Scores

Sample: TypeAlias = dict[str, Any]  # the output of Accumulator.to_dict for one document
Reader: TypeAlias = Callable[[Any], Input]

UNREAD = "unreadable-answers"
_FENCED = re.compile(r"```\w*\n(.*?)(?:\n```|\Z)", re.DOTALL)


def read_text(given: Any, name: str = "answer") -> Corpus:
    """The clusters in the target of a dataset or in the answer of a model.

    JSON, alone or in a block between fences: clusters (`[["John", "he"], ["Mary"]]`), spans (`[[[0, 1], [5, 5]]]`),
    `{"clusters": ...}`, or entity → mentions. Any other text is read as a file of the format that it has, such as
    brackets in running text (`[John](1) said that [he](1) slept`). A value that is not text is returned unchanged.
    """
    if not isinstance(given, str):
        return read(given)
    fenced = _FENCED.findall(given)
    text = (fenced[-1] if fenced else given).strip()
    if text[:1] in "[{":
        try:
            value = json_value(text, name)
        except InputError:  # brackets in running text, perhaps
            value = None
        if isinstance(value, dict) and "clusters" in value:
            value = value["clusters"]
        if isinstance(value, dict) and all(isinstance(members, list) for members in value.values()):
            value = list(value.values())
        if isinstance(value, (list, dict)):
            return read(value)
    source = Source(text.encode(errors="replace"), name)
    return recognise(source).module.read(source)


def count_sample(
    target: Any, answer: Any, name: str, *, reader: Reader | None = None, settings: Mapping[str, Any] | None = None
) -> Sample:
    """The counts of one sample, a document with the name `name`.

    An answer that can't be read or does not fit the text counts as an answer without mentions, and the `issues` of the
    sample say so. A target that can't be read is an InputError.
    """
    key = read(reader(target)) if reader else read_text(target, "target")
    gathered = Accumulator(**(settings or {}))
    try:
        response = read(reader(answer)) if reader else read_text(answer)
        if len(response.documents) != 1:
            raise InputError(f"an answer must be one document, but this one has {len(response.documents)}")
        gathered.update(key, response, name)
    except InputError as error:
        gathered.reset()
        gathered.update(key, key.take(np.arange(0)), name)
        message = "1 document whose answer can't be read or does not fit: scored as empty"
        issue = Issue(UNREAD, message, places=(f"{name}: {error.message}",))
        sample = gathered.to_dict()
        others = [other for other in sample["issues"] if other["code"] != "empty-response"]
        return sample | {"issues": [*others, issue.to_dict()]}
    return gathered.to_dict()


def gather(samples: Iterable[Mapping[str, Any]]) -> Result:
    """One result for all samples: the same as `coreflens.score` of all documents."""
    whole: Accumulator | None = None
    for sample in samples:
        part = Accumulator.from_dict(sample)
        if whole is None:
            whole = part
        else:
            whole.merge(part)
    if whole is None:
        raise UsageError("there is no sample to score")
    return whole.compute()


def flat(scores: Scores) -> dict[str, float]:
    """Recall, precision and F1 by name (`muc_recall`), and averages by theirs (`conll`), between 0 and 1."""
    found: dict[str, float] = {}
    for name, score in scores.items():
        numbers = score.numbers()
        found |= {name if len(numbers) == 1 else f"{name}_{part}": float(x) for part, x in numbers.items()}
    return found


def with_limits(result: Result, resamples: int, seed: int = 0) -> dict[str, float]:
    """The numbers of `flat`. `resamples` adds the limits of 95 % of each F1 or value: `conll_low`, `conll_high`."""
    found = flat(result)
    if resamples and len(result.counts) > 1:  # harnesses show numbers after the first sample
        intervals = result.bootstrap(resamples, seed=seed)
        for name, score in result.items():
            part = "value" if score.value is not None else "f1"
            interval = intervals[name][part]
            found |= {f"{name}_low": float(interval.low), f"{name}_high": float(interval.high)}
    return found


def names_of(metrics: Iterable[str]) -> dict[str, str]:
    """The names that `flat` gives the numbers of these metrics, and the metric of each."""
    found: dict[str, str] = {}
    for metric in metrics:
        values = METRICS[metric].values
        found |= {metric if len(values) == 1 else f"{metric}_{part}": metric for part in values}
    return found
