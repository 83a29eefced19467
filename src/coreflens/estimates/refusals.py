"""Metrics that a sample of entities can't estimate, each with the reason."""

from __future__ import annotations

from ..errors import UsageError
from ..metrics import METRICS
from .ratios import ESTIMATED

_ALIGNED = (
    "the best one-to-one alignment depends on entities that nobody drew, so equal samples may have different scores"
)
_LARGEST = "the largest part of a cluster is only known if all its entities are"
_LISTED = "it compares the sorted sizes of all entities"
_SQUARES = "pairs of mentions that both sides have are a square of sums over entities"
_REASONS = {
    **dict.fromkeys(("ceafm", "ceafe", "conll", "mela"), _ALIGNED),
    **dict.fromkeys(("core", "xcore"), _LARGEST),
    **dict.fromkeys(("overlap", "derror"), _LISTED),
    **dict.fromkeys(("blanc", "blanc-gold"), _SQUARES),
}


def refuse(metric: str) -> None:
    """A UsageError if a sample can't estimate the metric."""
    if metric in ESTIMATED:
        return
    title = METRICS[metric].title
    reason = _REASONS.get(metric) or next((why for name, why in _REASONS.items() if metric.startswith(f"{name}-")), "")
    offered = ", ".join(ESTIMATED)
    if reason:
        raise UsageError(f"{title} can't be estimated from a sample: {reason} (offered: {offered})")
    raise UsageError(f"{title} is not offered for samples (offered: {offered})")
