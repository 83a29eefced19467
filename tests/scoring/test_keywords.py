"""Keywords of public functions: those that do not exist, or that can't act, are errors with a suggestion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl

KEY = [["a", "b"], ["c", "d"]]
RESPONSE = [["a", "b", "c"], ["d"]]
FUNCTIONS: Any = cl  # the types would refuse these keywords


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: FUNCTIONS.explain(KEY, RESPONSE, metrics="muc"), r"'metrics' of explain\(\); did you mean 'metric'\?"),
        (lambda: FUNCTIONS.score(KEY, RESPONSE, singleton="drop"), "did you mean 'singletons'"),
        (lambda: FUNCTIONS.Scorer(KEY, metric="muc"), r"of Scorer\(\); did you mean 'metrics'"),
        (lambda: FUNCTIONS.Accumulator(averages="macro"), r"of Accumulator\(\); did you mean 'average'"),
        (lambda: FUNCTIONS.compare(KEY, {"a": RESPONSE}, resample=9), "did you mean 'resamples'"),
        (lambda: FUNCTIONS.diagnose(KEY, RESPONSE, metric="muc"), "did you mean 'metrics'"),
        (lambda: FUNCTIONS.view(KEY, RESPONSE, metric="muc"), "did you mean 'metrics'"),
        (lambda: FUNCTIONS.agree(KEY, RESPONSE, metric="muc"), "did you mean 'metrics'"),
        (lambda: FUNCTIONS.describe(KEY, agains=KEY), "did you mean 'against'"),
        (lambda: FUNCTIONS.sweep(KEY, RESPONSE, step=3), "did you mean 'steps'"),
        (lambda: FUNCTIONS.correlate(KEY, {"a": RESPONSE}, metric="muc"), "did you mean 'metrics'"),
        (lambda: FUNCTIONS.probe(KEY, sample=3), "did you mean 'samples'"),
        (lambda: FUNCTIONS.tune(KEY, parameters=["a=1"], object="lea"), "did you mean 'objective'"),
        (lambda: FUNCTIONS.windows(KEY, RESPONSE, size="5"), "did you mean 'sizes'"),
        (lambda: FUNCTIONS.major(KEY, RESPONSE, numbers=5), "did you mean 'number'"),
        (
            lambda: FUNCTIONS.score(KEY, RESPONSE, xyzzy=1),
            r"unknown option 'xyzzy' of score\(\) \(known: key, response,",
        ),
    ],
)
def test_unknown_keywords(call: Callable[[], object], message: str) -> None:
    with pytest.raises(cl.UsageError, match=message) as raised:
        call()
    assert isinstance(raised.value, TypeError)  # as Python's own error would be


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cl.explain(KEY, RESPONSE, "muc", weights="muc=2"), "weights can't be given here"),
        (lambda: cl.agree(KEY, RESPONSE, extra="count"), "extra has no effect"),
        (lambda: cl.probe(KEY, match="exact"), "match can't be given here"),
        (lambda: cl.major(KEY, RESPONSE, 2, average="macro"), "average can't be given here"),
        (lambda: cl.windows(KEY, RESPONSE, "5,all", split_antecedents="keep"), "split_antecedents can't be given here"),
        (lambda: cl.describe(KEY, pair="file"), "pair and align need against"),
        (lambda: cl.compare({"a": cl.score(KEY, RESPONSE), "b": cl.score(KEY, KEY)}, singletons="drop"), "singletons"),
    ],
)
def test_keywords_without_effect(call: Callable[[], object], message: str) -> None:
    with pytest.raises(cl.UsageError, match=message):
        call()


def test_saved_counts_settle_how_they_were_scored(tmp_path: Path) -> None:
    for name, response in (("a", RESPONSE), ("b", KEY)):
        cl.score(KEY, response).save_counts(tmp_path / f"{name}.counts")
    systems = {name: str(tmp_path / f"{name}.counts") for name in "ab"}
    assert cl.compare(None, systems, resamples=0)
    with pytest.raises(cl.UsageError, match="match can't be given here: how these systems were scored is settled"):
        cl.compare(None, systems, resamples=0, match="exact")


def test_responses_of_steps_are_not_damaged(tmp_path: Path) -> None:
    for name in ("k", "a", "b"):
        (tmp_path / f"{name}.csv").write_text("mention,entity\nx,1\ny,1\n")
    paths = [str(tmp_path / f"{name}.csv") for name in ("a", "b")]
    assert cl.sweep(str(tmp_path / "k.csv"), paths).damage == "given"
    with pytest.raises(cl.UsageError, match="not damaged"):
        cl.sweep(str(tmp_path / "k.csv"), paths, repeats=3)
