"""BLANC for system mentions, in closed form: links are never enumerated."""

from __future__ import annotations

import numpy as np

from ..options import Options
from .contingency import Array, Contingency
from .links import links
from .registry import RPF, Columns, Values, metric, ratio, replaced, variant
from .repetitions import Chains, repeated_links
from .weights import earns

COLUMNS = (
    *("coref_common", "coref_key", "coref_response"),
    *("non_common", "non_key", "non_response"),
    *("mentions_common", "mentions_key", "mentions_response"),
)


def link_counts(t: Contingency) -> tuple[Array, Array, Array, Array, Array, Array]:
    """|C_k ∩ C_r|, |C_k|, |C_r|, |N_k ∩ N_r|, |N_k|, |N_r| per block.

    There are c = Σ_ij n_ij common mentions with L(c) links, where L(x) = x(x−1)/2. The number of links that are in
    different entities on both sides is L(c) − Σ_i L(Σ_j n_ij) − Σ_j L(Σ_i n_ij) + Σ_ij L(n_ij).
    """

    in_key, in_response = t.keys(links(t.a)), t.responses(links(t.b))
    if t.antecedents is None:
        both = t.cells(links(t.n))
        apart = t.links_among(t.cells, t.n) - t.keys(links(t.key_common)) - t.responses(links(t.response_common)) + both
    else:  # a link of a split antecedent counts f, the F1 of the links of that kind
        both = t.cells(links(t.n) + t.n * t.split(coreference).f1)
        n = t.n + t.split(non_coreference).f1
        apart = (
            links(t.cells(n)) - t.keys(links(t.by_key(n))) - t.responses(links(t.by_response(n))) + t.cells(links(n))
        )
    every_key, every_response = t.links_among(t.keys, t.a), t.links_among(t.responses, t.b)
    return both, in_key, in_response, apart, every_key - in_key, every_response - in_response


def coreference(t: Contingency) -> tuple[Array, ...]:
    """The links inside entities: those of both sides, and all of each side."""
    both, in_key, in_response = link_counts(t)[:3]
    return both, in_key, both, in_response


@earns(lambda at, share: (_apart(at.elsewhere, share.f1), _apart(at.elsewhere, share.f1)))
def non_coreference(t: Contingency) -> tuple[Array, ...]:
    """The links across entities: those of both sides, and all of each side."""
    both, in_key, in_response = link_counts(t)[3:]
    return both, in_key, both, in_response


def _apart(elsewhere: Array, f1: Array) -> Array:
    """What a pair of split antecedents adds to the links across entities, but for a constant.

    Pairs p lie in different entities. So their links with each other are Σ_p<q f_p f_q = ((Σ f)² − Σ f²)/2, where Σ f
    is the same in all assignments that tie. (f − f²)/2 keeps the rest positive.
    """
    found: Array = elsewhere * f1 + (f1 - f1 * f1) / 2
    return found


def _finalize(c: Columns, options: Options) -> Values:
    """R = (R_c + R_n)/2 and so on. BLANC is the mean of F_c and F_n, not the F of the means (Luo et al. 2014, sec. 4).

    Boundary cases, luo2014: no link on either side → 1 if the mentions are the same, else 0; C_k = C_r = ∅ → the
    non-coreference part alone; N_k = N_r = ∅ → the coreference part alone; any other 0/0 part counts as 0.
    ua: as luo2014, but no link on either side → 0.
    perl (v8.01) looks at the key only: no key link → 0; C_k = ∅, or N_k = ∅ → the other part alone.
    """
    return {name: _value(name, c, options) for name in RPF}


def _f1(c: Columns, options: Options) -> Array:
    return _value("f1", c, options)


def _value(name: str, c: Columns, options: Options) -> Array:
    kinds = [[c[f"{kind}_{of}"] for of in ("common", "key", "response")] for kind in ("coref", "non")]
    coref, non = (_share(name, *kind) for kind in kinds)
    mean: Array = (coref + non) / 2
    no_coref, no_non = (_no_links(key, response, options) for _, key, response in kinds)
    if not np.count_nonzero(no_coref) and not np.count_nonzero(no_non):
        return mean
    found = replaced(no_coref & no_non, 0, np.where(no_coref, non, np.where(no_non, coref, mean)))
    if options.blanc == "luo2014":
        same = (c["mentions_common"] == c["mentions_key"]) & (c["mentions_common"] == c["mentions_response"])
        found = replaced(no_coref & no_non & same, 1, found)
    return found


def _share(name: str, both: Array, key: Array, response: Array) -> Array:
    """R, P or F of one kind of links: F = 2|∩| / (|key| + |response|), and 0 for 0/0."""
    if name == "f1":
        return ratio(2 * both, key + response, 0)
    return ratio(both, key if name == "recall" else response, 0)


def _no_links(key: Array, response: Array, options: Options) -> Array:
    none: Array = key == 0
    return none & (response == 0) if options.blanc != "perl" and np.count_nonzero(none) else none


def _repeated(keys: Chains, responses: Chains) -> list[int]:
    coref, non = repeated_links(keys, responses)
    return [*coref, *non]


@metric(
    "blanc",
    title="BLANC",
    cite="luo2014",
    columns=COLUMNS,
    finalize=_finalize,
    f1=_f1,
    repeated=_repeated,
    split=True,
    quadratic=True,
)
def blanc(t: Contingency) -> tuple[Array, ...]:
    """Mean of how well coreference links C and non-coreference links N are found, for system mentions.

        R_c = |C_k ∩ C_r| / |C_k|   P_c = |C_k ∩ C_r| / |C_r|   F_c = 2|C_k ∩ C_r| / (|C_k| + |C_r|);  N likewise
        R = (R_c + R_n)/2           P = (P_c + P_n)/2           BLANC = (F_c + F_n)/2

    C: pairs of mentions inside an entity, N: pairs across entities of one side. Over a corpus the six counts are
    summed. `--blanc` decides boundary cases: `luo2014` as the paper says, `perl` as scorer.pl v8.01 does, `ua` as the
    UA and CorefUD scorers do. A link with a split antecedent counts f, and a link with two counts the product.
    """
    return (*link_counts(t), t.cells(t.n), t.keys(t.a), t.responses(t.b))


variant(
    "blanc-gold",
    blanc,
    "BLANC of Recasens & Hovy 2011. It is defined for equal mention sets only, where it equals BLANC, and refused for "
    "others.",
    title="BLANC gold",
    cite="recasens2011",
    columns=COLUMNS,
    finalize=_finalize,
    f1=_f1,
    equal_mentions=True,
    quadratic=True,
)
