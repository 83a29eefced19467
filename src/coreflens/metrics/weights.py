"""What split antecedents share, as weights of cells, and what a pair of them earns in a metric."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, TypeVar


class Weights(NamedTuple):
    """What the split antecedents in a cell share: recall, precision and F1. 0 if there are none."""

    recall: Any
    precision: Any
    f1: Any


NOTHING = Weights(0, 0, 0)


class Places(NamedTuple):
    """Where pairs of split antecedents lie: their two entities, in numbers of mentions.

    n, overlap   what the two entities share, as in the table
    a, b         their sizes, with the split antecedents
    elsewhere    mentions of both sides that lie in neither of the two entities
    """

    n: Any
    overlap: Any
    a: Any
    b: Any
    elsewhere: Any


Earns: TypeAlias = Callable[[Places, Weights], tuple[Any, Any]]
Count = TypeVar("Count", bound=Callable[..., Any])
EARNS: dict[Callable[..., Any], Earns] = {}


def earns(by: Earns) -> Callable[[Count], Count]:
    """Declare what a pair of split antecedents adds to the numerators of recall and precision of a metric.

    It breaks ties between assignments of split antecedents. A constant per Σ f and a constant factor may be left out.
    """

    def declare(count: Count) -> Count:
        EARNS[count] = by
        return count

    return declare


def earned(count: Callable[..., Any], places: Places, weights: Weights) -> tuple[Any, Any]:
    """What each pair earns in a metric. Without a declaration, f for each mention that its entities share."""
    if count in EARNS:
        return EARNS[count](places, weights)
    shared = places.n * weights.f1
    return shared, shared
