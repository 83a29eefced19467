"""Entities with names: those that a proper name mentions, and those whose labels are names."""

from __future__ import annotations

import numpy as np

from ..corpus.model import Corpus, IntArray
from ..formats import FORMATS
from ..options import Options
from .assignment import assign
from .contingency import Array, Contingency
from .registry import Columns, Values, metric, ratio


def _means(c: Columns, options: Options) -> Values:
    return {name: ratio(c[f"{name}_sum"], c["entities"]) for name in ("recall", "precision", "f1")}


_SUMS = ("recall_sum", "precision_sum", "f1_sum", "entities")


@metric(
    "nec",
    title="NEC",
    cite="agarwal2019",
    aliases=("named entity coreference",),
    absent="no names to count; tags identify them, so give a file with parts of speech",
    columns=_SUMS,
    finalize=_means,
    symmetric=False,
)
def nec(t: Contingency) -> tuple[Array, ...]:
    """Named-entity coreference: how much of each key entity that has a name is found together with one of its names.

        F1 = Σ_i f(K_i, g(K_i)) / |N|        f(K, R) = 2|K ∩ R| / (|K| + |R|) if R has a name of K, else 0

    N: the key entities with at least one name among their mentions. g: the one-to-one alignment of these with response
    entities that has the largest Σ f. R and P are the means of |K ∩ R|/|K| and |K ∩ R|/|R| over the same pairs, so F1
    is a mean of F1s and not the F1 of R and P. Response entities that are not aligned cost nothing.

    A name is a mention whose head is tagged as a proper noun. 0/0 without tags.
    """
    m = t.mentions
    from ..corpus.heads import TYPES

    name = m.types == TYPES.index("name")
    width = max(len(t.b), 1)
    both = name & (m.key >= 0) & (m.response >= 0)
    with_name = np.flatnonzero(np.isin(t.i * width + t.j, m.key[both] * width + m.response[both]))
    f1 = 2 * t.n / (t.ai + t.bj)
    chosen = np.zeros(len(t.n), dtype=bool)
    chosen[with_name] = assign(t.i[with_name], t.j[with_name], f1[with_name], len(t.a), len(t.b))
    return (
        t.cells(np.where(chosen, t.n / t.ai, 0)),
        t.cells(np.where(chosen, t.n / t.bj, 0)),
        t.cells(np.where(chosen, f1, 0)),
        t.keys(np.minimum(m.by_key(name), 1)),
    )


_ABSENT = "entities have no names here; use --ids global if equal ids mean the same on both sides"


@metric("labels", title="labels", cite="choi2018", aliases=("label accuracy",), mention_detection=True, absent=_ABSENT)
def labels(t: Contingency) -> tuple[Array, ...]:
    """Mentions whose entity has the right name, for inputs whose entities have names, such as the characters of a play.

        R = right / |M_K|        P = right / |M_R|        right: Σ n_ij where K_i and R_j have the same name

    With the same mentions on both sides, R = P = F1, the label accuracy. `labels-macro` is the macro average over
    names.

    Entities have names in the formats `labels` and `neleval`. In other formats, `--ids global` says that equal ids mean
    the same on both sides. 0/0 without names. Clusters without ids, as in jsonlines, never have names.
    """
    ours, theirs = _names(t)
    right = t.cells(np.where(_same(t, ours, theirs), t.n, 0))
    return right, t.keys(np.where(ours >= 0, t.a, 0)), right, t.responses(np.where(theirs >= 0, t.b, 0))


@metric(
    "labels-macro",
    title="labels (macro)",
    cite="choi2018",
    aliases=("label macro f1",),
    absent=_ABSENT,
    columns=_SUMS,
    finalize=_means,
    mention_detection=True,
    symmetric=False,
)
def labels_macro(t: Contingency) -> tuple[Array, ...]:
    """Macro average over the names of the key: the mean of the F1 of each of them. See `labels`.

        F1 = Σ_i 2 n_ij / (a_i + b_j) / |L_K|        j: the response entity with the name of K_i

    L_K: the names of the key. R and P are the means of n_ij/a_i and n_ij/b_j, so F1 is a mean of F1s. A name that the
    response never uses has 0 for all three. A name counts once per document, and once in all with `--scope corpus`.
    """
    ours, theirs = _names(t)
    same = _same(t, ours, theirs)
    return (
        t.cells(np.where(same, t.n / t.ai, 0)),
        t.cells(np.where(same, t.n / t.bj, 0)),
        t.cells(np.where(same, 2 * t.n / (t.ai + t.bj), 0)),
        t.keys(np.where(ours >= 0, t.a / np.maximum(t.a, 1), 0)),
    )


def _same(t: Contingency, ours: IntArray, theirs: IntArray) -> Array:
    """The cells of two entities with the same name."""
    same: Array = (ours[t.i] >= 0) & (ours[t.i] == theirs[t.j])
    return same


def _names(t: Contingency) -> tuple[IntArray, IntArray]:
    """A number for the name of each entity of the key and of the response, the same for equal names; −1 for none."""
    alignment, options = t.mentions.alignment, t.mentions.alignment.matching.options
    known: dict[str, int] = {}
    found = []
    corpora = [side.source for side in alignment.sides]
    named = all(_has_names(corpus, options) for corpus in corpora)
    for corpus, entity, origin, size in zip(
        corpora, (t.mentions.key, t.mentions.response), alignment.origins, (t.a, t.b), strict=True
    ):
        names = np.full(len(size), -1, dtype=np.int64)
        if named and corpus is not None:
            rows = np.flatnonzero((entity >= 0) & (origin >= 0))
            used = np.unique(corpus.entity[origin[rows]])
            number = np.zeros(len(corpus.labels), dtype=np.int64)
            number[used] = [known.setdefault(str(corpus.labels[label]), len(known)) for label in used.tolist()]
            names[entity[rows]] = number[corpus.entity[origin[rows]]]
        found.append(names)
    return found[0], found[1]


def _has_names(corpus: Corpus | None, options: Options) -> bool:
    """Whether equal labels mean the same on both sides: by the format, or because the options say so."""
    if corpus is None or not len(corpus):
        return corpus is not None  # every entity there has a name
    if corpus.format == "python":  # clusters have numbers for labels, or pairs of numbers; an array has labels
        without = isinstance(corpus.labels, range) or any(isinstance(label, tuple) for label in corpus.labels)
        return options.ids == "global" and (isinstance(corpus.names, range) or not without)
    known = FORMATS.get(corpus.format)
    if isinstance(corpus.labels, range) or not known:
        return False
    return options.ids == "global" or getattr(known.module, "NAMED", False)
