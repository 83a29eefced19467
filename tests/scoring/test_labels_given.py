"""Labels of plain Python that are missing, arrays that do not fit, and responses without anything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest

import coreflens as cl
from coreflens.errors import InputError

KEY = {"a": 1, "b": 1, "c": 2, "d": 3}


@pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan"), pandas.NA, pandas.NaT])
def test_a_missing_label_is_an_error_that_names_the_mention(missing: Any) -> None:
    response = {"a": 1, "b": 1, "c": missing, "d": missing}
    with pytest.raises(InputError, match="response: the label of mention 'c' is missing") as caught:
        cl.score(KEY, response)
    assert "unlabelled" in caught.value.hint
    with pytest.raises(InputError, match="key, document 'x': the label of mention 'c' is missing"):
        cl.score({"x": response}, {"x": KEY})
    result = cl.score(KEY, response, unlabelled="absent")
    assert result["mentions"].counts["recall_num"] == 2 and result["mentions"].counts["precision_den"] == 2
    assert [(i.code, i.count, i.places) for i in result.issues] == [("unlabelled", 2, ("'c'", "'d'"))]
    same = cl.score(KEY, {"a": 1, "b": 1})
    assert {name: score.main for name, score in result.items()} == {name: score.main for name, score in same.items()}


@pytest.mark.parametrize(
    "labels", [np.array([0, 0, np.nan, np.nan]), np.array([0, 0, None, None], object), np.array(["x", "x", None, None])]
)
def test_arrays_with_missing_labels(labels: Any) -> None:
    key = np.array([0, 0, 1, 2])
    with pytest.raises(InputError, match="the label of mention 2 is missing"):
        cl.score(key, labels)
    with pytest.raises(InputError, match="the label of mention 2 is missing"):
        cl.score({"x": key}, {"x": labels})
    for ours, theirs in ((key, labels), ({"x": key}, {"x": labels})):
        result = cl.score(ours, theirs, unlabelled="absent")
        assert result["mentions"].counts["precision_den"] == 2 and result["bcub"].precision == 1
        assert result.issues[0].code == "unlabelled" and result.issues[0].count == 2


def test_arrays_of_unequal_length() -> None:
    with pytest.raises(InputError, match="the key has 4 labels, and the response 3"):
        cl.score(np.array([0, 0, 1, 1]), np.array([0, 0, 1]))
    with pytest.raises(InputError, match="labels of document 'x', and the response 5"):
        cl.score({"x": np.array([0, 0])}, {"x": np.array([0, 0, 1, 1, 1])})
    assert cl.score(np.array([0, 0, 1]), np.array([5, 5, 7])).conll == 1


@pytest.mark.parametrize("nothing", [{}, []])
def test_an_empty_response_scores_0(nothing: Any) -> None:
    one = cl.score(KEY, nothing)
    assert one.conll == 0
    several = cl.score({"x": KEY, "y": KEY}, nothing)
    assert several.conll == 0 and several["mentions"].counts["recall_den"] == 8
    assert {"missing-documents", "empty-response"} <= {issue.code for issue in several.issues}
    assert next(i.count for i in several.issues if i.code == "missing-documents") == 2


def test_a_wrong_policy() -> None:
    with pytest.raises(cl.UsageError, match="unlabelled"):
        cl.score(KEY, KEY, unlabelled="absnt")  # type: ignore[call-overload]
