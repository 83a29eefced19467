"""What happens to twinless mentions: the policies of the papers, as changes of the alignment and never of a metric.

A policy maps an alignment to two alignments, one to score recall and one to score precision. Most policies need only
one. A policy consists of four kinds of changes. Everything that supports these four, such as a table that is grouped by
size, supports every policy.
Cai & Strube 2010, sections 2.2 and 2.3; Popescu-Belis & Robba 1998 for `extend`.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import getdoc
from typing import Any, Literal, Protocol, Self, TypeAlias, TypeVar


class Twins(Protocol):
    """Anything that knows which mentions have a twin. Key mentions without a twin are missing; response mentions
    without a twin are spurious."""

    def without_spurious(self) -> Self:
        """Without the twinless mentions of the response."""

    def without_spurious_singletons(self) -> Self:
        """Without the twinless mentions of the response that are singletons."""

    def with_missing(self) -> Self:
        """The twinless mentions of the key become singletons of the response."""

    def with_spurious(self) -> Self:
        """The twinless mentions of the response become singletons of the key."""


T = TypeVar("T", bound=Twins)
Policy: TypeAlias = Callable[[T], tuple[T, T]]


def keep(m: T) -> tuple[T, T]:
    """Nothing is added or removed."""
    return m, m


def drop(m: T) -> tuple[T, T]:
    """B³_0 (Stoyanov et al. 2009): twinless response mentions are deleted."""
    dropped = m.without_spurious()
    return dropped, dropped


def add_all(m: T) -> tuple[T, T]:
    """B³_all: for the score of a side, each of its twinless mentions is a singleton on the other side.

    This gives P(m) = 1/|R_m| to a twinless response mention and R(m) = 1/|K_m| to a twinless key mention.
    """
    return m.with_missing(), m.with_spurious()


def rahman_ng(m: T) -> tuple[T, T]:
    """Rahman & Ng 2009 for CEAF: twinless response singletons are deleted, nothing is added."""
    dropped = m.without_spurious_singletons()
    return dropped, dropped


def rahman_ng_all(m: T) -> tuple[T, T]:
    """Rahman & Ng 2009 for B³: twinless response singletons are deleted, then as `add_all`."""
    return add_all(m.without_spurious_singletons())


def cai_strube(m: T) -> tuple[T, T]:
    """Cai & Strube 2010, Algorithms 1 and 2.

    1   twinless singletons of the response are deleted (those that are singletons before any change);
    2   twinless key mentions join the response as singletons;
    P   remaining twinless response mentions join the key as singletons:  key_p, response_p;
    R   they are deleted from the response:                               key_r, response_r.
    """
    m = m.without_spurious_singletons().with_missing()
    return m.without_spurious(), m.with_spurious()


def extend(m: T) -> tuple[T, T]:
    """Popescu-Belis & Robba 1998: both partitions get the mentions that they lack, as singletons."""
    extended = m.with_missing().with_spurious()
    return extended, extended


TwinlessPolicy: TypeAlias = Literal["keep", "drop", "all", "rn", "rn-all", "sys", "extend"]
POLICIES: dict[str, Policy[Any]] = {
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
