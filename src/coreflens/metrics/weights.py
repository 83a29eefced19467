"""What split antecedents share, as weights of cells."""

from __future__ import annotations

from typing import Any, NamedTuple


class Weights(NamedTuple):
    """What the split antecedents in a cell share: recall, precision and F1. 0 if there are none."""

    recall: Any
    precision: Any
    f1: Any


NOTHING = Weights(0, 0, 0)
