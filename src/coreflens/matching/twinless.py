"""What becomes of twinless mentions: the policies of the papers as changes of the alignment, never of a metric.

A policy maps an alignment to the two it is scored on, one for recall and one for precision; most need only one.
Cai & Strube 2010, sections 2.2 and 2.3; Popescu-Belis & Robba 1998 for `extend`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import getdoc
from typing import Literal, TypeAlias

import numpy as np

from ..corpus.model import IntArray
from .alignment import Alignment

Policy: TypeAlias = Callable[[Alignment], tuple[Alignment, Alignment]]


def keep(m: Alignment) -> tuple[Alignment, Alignment]:
    """Nothing is added or removed."""
    return m, m


def drop(m: Alignment) -> tuple[Alignment, Alignment]:
    """B³_0 (Stoyanov et al. 2009): twinless response mentions are deleted."""
    dropped = _drop_response(m, _twinless_response(m))
    return dropped, dropped


def add_all(m: Alignment) -> tuple[Alignment, Alignment]:
    """B³_all: a twinless mention is a singleton on the other side, for the side's own score.

    This gives P(m) = 1/|R_m| to a twinless response mention and R(m) = 1/|K_m| to a twinless key mention.
    """
    return _add_to_response(m, _twinless_key(m)), _add_to_key(m, _twinless_response(m))


def rahman_ng(m: Alignment) -> tuple[Alignment, Alignment]:
    """Rahman & Ng 2009 for CEAF: twinless response singletons are deleted, nothing is added."""
    dropped = _drop_response(m, _twinless_response_singletons(m))
    return dropped, dropped


def rahman_ng_all(m: Alignment) -> tuple[Alignment, Alignment]:
    """Rahman & Ng 2009 for B³: twinless response singletons are deleted, then as `add_all`."""
    return add_all(_drop_response(m, _twinless_response_singletons(m)))


def cai_strube(m: Alignment) -> tuple[Alignment, Alignment]:
    """Cai & Strube 2010, Algorithms 1 and 2.

    1   twinless singletons of the response are deleted ("singleton" as the response has it, before any change);
    2   twinless key mentions join the response as singletons;
    P   remaining twinless response mentions join the key as singletons:  key_p, response_p;
    R   they are deleted from the response:                               key_r, response_r.
    """
    m = _drop_response(m, _twinless_response_singletons(m))
    spurious, missing = _twinless_response(m), _twinless_key(m)
    m = _add_to_response(m, missing)
    return _drop_response(m, spurious), _add_to_key(m, spurious)


def extend(m: Alignment) -> tuple[Alignment, Alignment]:
    """Popescu-Belis & Robba 1998: both partitions are extended with the mentions they lack, as singletons."""
    spurious, missing = _twinless_response(m), _twinless_key(m)
    extended = _add_to_key(_add_to_response(m, missing), spurious)
    return extended, extended


TwinlessPolicy: TypeAlias = Literal["keep", "drop", "all", "rn", "rn-all", "sys", "extend"]
POLICIES: dict[str, Policy] = {
    "keep": keep,
    "drop": drop,
    "all": add_all,
    "rn": rahman_ng,
    "rn-all": rahman_ng_all,
    "sys": cai_strube,
    "extend": extend,
}


def about(policy: str) -> str:
    """What a policy does, in a sentence."""
    return (getdoc(POLICIES[policy]) or "").splitlines()[0]


def _twinless_key(m: Alignment) -> IntArray:
    return np.flatnonzero((m.key >= 0) & (m.response < 0))


def _twinless_response(m: Alignment) -> IntArray:
    return np.flatnonzero((m.response >= 0) & (m.key < 0))


def _twinless_response_singletons(m: Alignment) -> IntArray:
    rows = _twinless_response(m)
    size = np.bincount(m.response[m.response >= 0], minlength=len(m.response_block))
    singletons: IntArray = rows[size[m.response[rows]] == 1]
    return singletons


def _drop_response(m: Alignment, rows: IntArray) -> Alignment:
    response = m.response.copy()
    response[rows] = -1
    return replace(m, response=response).without_empty_rows()


def _add_to_response(m: Alignment, rows: IntArray) -> Alignment:
    response = m.response.copy()
    response[rows] = len(m.response_block) + np.arange(len(rows))
    return replace(m, response=response, response_block=np.concatenate((m.response_block, m.block[rows])))


def _add_to_key(m: Alignment, rows: IntArray) -> Alignment:
    key = m.key.copy()
    key[rows] = len(m.key_block) + np.arange(len(rows))
    return replace(m, key=key, key_block=np.concatenate((m.key_block, m.block[rows])))
