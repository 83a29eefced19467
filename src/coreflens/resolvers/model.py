"""The file of a learned resolver: readable JSON with a version, without any code in it.

    {"coreflens-model": 1,                       the version of this format, and always the first member
     "system": "mention-pair",
     "learner": "tree",                          or "logistic"
     "words": "english",                         the word lists it was trained with
     "features": ["distance", ...],              the order of the columns
     "trained": {"documents": 60, ...},          what it was trained on
     "tree": {"feature": "string_match", "above": 0.5,        more than that: "yes", else "no"
              "yes": {"pairs": 2100, "probability": 0.93}, "no": {...}}}

A logistic regression has "intercept" and "weights" (feature → weight) in place of "tree".
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..corpus.model import IntArray
from ..errors import InputError
from ..files.encoding import text as decoded
from ..files.encoding import unpacked
from ..files.finding import find
from ..files.notation import json_value
from ..files.writing import save
from .features import FEATURES, Matrix
from .lexicon import WORDS, Words

VERSION = 1
_DEEPEST = 200
_LARGEST = 1e300  # of numbers in a model
_SHOWN = 80  # characters of a wrong value in a message


class _Nodes(NamedTuple):
    """A tree as columns: feature, threshold, the two nodes below, and the probability; and how deep it is."""

    feature: IntArray
    above: Matrix
    yes: IntArray
    no: IntArray
    probability: Matrix
    depth: int


@dataclass(frozen=True)
class Model:
    """A tree or a logistic regression over the features, and how it was trained."""

    learner: str
    words: Words
    knowledge: Mapping[str, Any]  # "tree", or "intercept" and "weights"
    trained: Mapping[str, int]

    def probabilities(self, matrix: Matrix) -> Matrix:
        """For each line of features, the probability that both mentions are the same thing."""
        if self.learner == "logistic":
            weights = np.array([self.knowledge["weights"][name] for name in FEATURES])
            probabilities: Matrix = 1 / (1 + np.exp(-np.clip(matrix @ weights + self.knowledge["intercept"], -50, 50)))
            return probabilities
        feature, above, yes, no, probability, depth = self._nodes
        lines, at = np.arange(len(matrix)), np.zeros(len(matrix), dtype=np.int64)
        for _ in range(depth):  # a leaf leads to itself
            at = np.where(matrix[lines, feature[at]] > above[at], yes[at], no[at])
        probabilities = probability[at]
        return probabilities

    @cached_property
    def _nodes(self) -> _Nodes:
        """The tree as columns."""
        rows: list[list[float]] = []
        deepest = 0
        open_: list[tuple[Mapping[str, Any], int, int, int]] = [(self.knowledge["tree"], -1, 0, 0)]
        while open_:
            node, above, side, depth = open_.pop()
            here = len(rows)
            deepest = max(deepest, depth)
            if above >= 0:
                rows[above][side] = here
            if "probability" in node:
                rows.append([0, 0, here, here, node["probability"]])
            else:
                rows.append([FEATURES.index(node["feature"]), node["above"], 0, 0, 0])
                open_ += [(node["yes"], here, 2, depth + 1), (node["no"], here, 3, depth + 1)]
        columns = np.array(rows, dtype=np.float64).T
        whole = [columns[i].astype(np.int64) for i in (0, 2, 3)]
        return _Nodes(whole[0], columns[1], whole[1], whole[2], columns[4], deepest)


def write_model(model: Model, path: str | Path) -> None:
    """Write a model. `read_model` reads it back."""
    content = {
        "coreflens-model": VERSION,
        "system": "mention-pair",
        "learner": model.learner,
        "words": model.words,
        "features": list(FEATURES),
        "trained": dict(model.trained),
        **model.knowledge,
    }
    save([json.dumps(content, indent=1, ensure_ascii=False), "\n"], path)


def read_model(path: str | Path) -> Model:
    """Read a model. A bad file is an InputError."""
    file = find(str(path))[0][0]
    content = json_value(decoded(unpacked(file.load(), file.name, None), file.name), file.name)
    try:
        return _model_of(content)
    except _NotAModel as error:
        hint = "a model is what `coreflens resolve --train KEY --system mention-pair --model FILE` writes"
        raise InputError(str(error), file=file.name, hint=hint) from None


class _NotAModel(Exception):
    """What is wrong with the content of a file."""


def _model_of(content: object) -> Model:
    if not isinstance(content, dict) or "coreflens-model" not in content:
        raise _NotAModel("this is not a model of coreflens")
    if content["coreflens-model"] is True or content["coreflens-model"] != VERSION:
        version = str(content["coreflens-model"])[:_SHOWN]
        raise _NotAModel(f"the model has version {version}, but this coreflens reads only version {VERSION}")
    if content.get("system") != "mention-pair" or content.get("features") != list(FEATURES):
        raise _NotAModel("this is a model of another system, or with other features")
    words = content.get("words")
    if not isinstance(words, str) or words not in WORDS:
        raise _NotAModel(f"the model needs word lists that do not exist: {str(words)[:_SHOWN]}")
    trained = content.get("trained")
    if not isinstance(trained, dict) or not all(_is_count(number) for number in trained.values()):
        raise _NotAModel("the model is damaged: 'trained' must have whole numbers")
    learner = content.get("learner")
    if not isinstance(learner, str) or learner not in _KNOWLEDGE:
        raise _NotAModel(f"the model has a learner that does not exist: {str(learner)[:_SHOWN]}")
    return Model(learner, words, _KNOWLEDGE[learner](content), trained)


def _weights(content: Mapping[str, Any]) -> dict[str, Any]:
    """What a logistic regression has learned."""
    weights = content.get("weights")
    if not isinstance(weights, dict) or set(weights) != set(FEATURES):
        raise _NotAModel("the model is damaged: 'weights' must have one number for each feature")
    if not all(_is_number(number) for number in (*weights.values(), content.get("intercept"))):
        raise _NotAModel("the model is damaged: a weight is not a number")
    return {"intercept": content["intercept"], "weights": weights}


def _tree(content: Mapping[str, Any]) -> dict[str, Any]:
    """What a tree has learned."""
    if wrong := _wrong_node(content.get("tree"), ("tree",)):
        raise _NotAModel(f"the model is damaged: {wrong}")
    return {"tree": content["tree"]}


_KNOWLEDGE: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {"logistic": _weights, "tree": _tree}


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return math.isfinite(value) and abs(value) <= _LARGEST if isinstance(value, float) else abs(value) <= _LARGEST


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _wrong_node(node: object, path: Sequence[str]) -> str:
    """What is wrong with a node or a node below it, "" if nothing is wrong."""
    where = ".".join(path)
    if len(path) > _DEEPEST:
        return "its tree is too deep"
    if not isinstance(node, dict):
        return f"{where} is not a node"
    if "probability" in node:
        fine = _is_number(node["probability"]) and 0 <= node["probability"] <= 1
        return "" if fine else f"the probability in {where} is not between 0 and 1"
    if node.get("feature") not in FEATURES or not _is_number(node.get("above")):
        return f"{where} tests no feature"
    return _wrong_node(node.get("yes"), (*path, "yes")) or _wrong_node(node.get("no"), (*path, "no"))
