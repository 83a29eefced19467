"""The mention pairs of Soon, Ng and Lim (2001): a classifier decides whether two mentions are the same thing.

For training, each mention and its closest antecedent are a positive pair. The mention and each mention between the two
are a negative pair. Resolving goes from left to right. Each mention is joined to the closest mention before it that the
classifier accepts. If it accepts none, the mention starts a new entity. There are twelve features. The classifier is a
decision tree, as in the paper, or a logistic regression.

Train with `coreflens resolve --train KEY --system mention-pair --model FILE`. This needs the extra `coreflens[learn]`.
Resolving with the model does not need it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..corpus.candidates import apart
from ..corpus.model import Corpus
from ..errors import InputError, UsageError
from .analysis import Analysis, read_phrases
from .features import FEATURES, FeatureName, Matrix, Pairs
from .lexicon import Words, lexicon
from .model import Model
from .parameters import parameter

_NEAR = 64  # most antecedents are among this number of preceding mentions


@dataclass(frozen=True)
class TrainingSettings:
    """Parameters of training."""

    learner: Literal["tree", "logistic"] = parameter("tree", "A decision tree, or a logistic regression.")
    leaf: int = parameter(8, "The minimum number of pairs in a leaf of the tree.", low=1)
    depth: int = parameter(12, "The maximum number of questions from the root of the tree to a leaf.", low=1, high=100)
    words: Words = parameter("english", "Word lists; none for other languages.")  # noqa: RUF009
    features: tuple[FeatureName, ...] = parameter(FEATURES, "The features to learn from. The others are left out.")


@dataclass(frozen=True)
class MentionPairSettings:
    """Parameters of resolving."""

    threshold: float = parameter(0.5, "Pairs with a higher probability are joined.", low=0, high=1)


def mention_pair(
    analysis: Analysis, model: Model, settings: MentionPairSettings, over: Callable[[Iterable[int]], Iterable[int]]
) -> list[Hashable]:
    """An entity for each row, by closest-first clustering."""
    labels: list[Hashable] = list(range(len(analysis.phrases)))
    for d in over(range(len(analysis.corpus.documents))):
        phrases = analysis.document(d)
        pairs = Pairs(analysis, phrases)
        for j in range(1, len(phrases)):
            closest = _closest(pairs, j, model, settings.threshold)
            if closest >= 0:
                labels[phrases[j].row] = labels[phrases[closest].row]
    return labels


def _closest(pairs: Pairs, j: int, model: Model, threshold: float) -> int:
    """The closest mention before j that the classifier accepts, or −1. Distant ones are tried last."""
    last, many = j, _NEAR
    while last > 0:
        first = max(last - many, 0)
        accepted = np.flatnonzero(model.probabilities(pairs.before(j, first, last)) > threshold)
        if len(accepted):
            return first + int(accepted[-1])
        last, many = first, 4 * many
    return -1


def train(key: Corpus, settings: TrainingSettings, over: Callable[[Iterable[int]], Iterable[int]]) -> Model:
    """A model of the pairs of a key, with the sampling of the paper."""
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.tree import DecisionTreeClassifier
    except ModuleNotFoundError:
        raise UsageError("training needs scikit-learn: pip install 'coreflens[learn]'") from None
    x, y = instances(key, settings.words, over)
    if len(np.unique(y)) < 2:
        hint = "the key must have entities of several mentions, and other mentions between these"
        raise InputError("there is nothing to learn here", file=key.source or None, hint=hint)
    x[:, [name not in settings.features for name in FEATURES]] = 0  # nothing is learned from a constant column
    trained = {"documents": len(key.documents), "mentions": len(key), "pairs": len(y), "positive": int(y.sum())}
    if settings.learner == "logistic":
        regression = LogisticRegression(max_iter=1000).fit(x, y)
        weights = dict(zip(FEATURES, map(float, regression.coef_[0]), strict=True))
        return Model(
            "logistic", settings.words, {"intercept": float(regression.intercept_[0]), "weights": weights}, trained
        )
    tree = DecisionTreeClassifier(min_samples_leaf=settings.leaf, max_depth=settings.depth, random_state=0).fit(x, y)
    return Model("tree", settings.words, {"tree": _node(tree.tree_, 0)}, trained)


def instances(key: Corpus, words: Words, over: Callable[[Iterable[int]], Iterable[int]]) -> tuple[Matrix, Matrix]:
    """Features and answers: the closest antecedent of each mention, and all mentions between the two."""
    spans = zip(key.doc.tolist(), key.start.tolist(), key.end.tolist(), strict=True)
    of = {span: int(entity) for span, entity in reversed([*zip(spans, key.entity.tolist(), strict=True)])}
    analysis = read_phrases(apart(key), lexicon(words))
    corpus = analysis.corpus
    entity = [of[span] for span in zip(corpus.doc.tolist(), corpus.start.tolist(), corpus.end.tolist(), strict=True)]
    x, y = [np.zeros((0, len(FEATURES)))], [np.zeros(0)]
    for d in over(range(len(corpus.documents))):
        phrases = analysis.document(d)
        pairs = Pairs(analysis, phrases)
        last: dict[int, int] = {}
        for j, phrase in enumerate(phrases):
            closest = last.get(entity[phrase.row])
            if closest is not None:
                x.append(pairs.before(j, closest))
                y.append(np.append(1, np.zeros(j - closest - 1)))
            last[entity[phrase.row]] = j
    return np.concatenate(x), np.concatenate(y)


def _node(tree: Any, node: int) -> dict[str, Any]:
    """A node of scikit-learn's tree and the nodes below it."""
    if tree.children_left[node] < 0:
        counts = tree.value[node][0]
        pairs = int(tree.n_node_samples[node])
        return {"pairs": pairs, "probability": round(float(counts[1] / counts.sum()), 6)}
    no, yes = _node(tree, tree.children_left[node]), _node(tree, tree.children_right[node])
    return {"feature": FEATURES[tree.feature[node]], "above": float(tree.threshold[node]), "yes": yes, "no": no}
