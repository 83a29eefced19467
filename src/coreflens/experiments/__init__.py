"""Experiments with evaluation: tune a system by its scores, measure what its parts contribute, probe the metrics."""

from .ablation import Ablation, ablate
from .probing import Probe, probe
from .tuning import Tuning, tune

__all__ = [
    "Ablation",
    "Probe",
    "Tuning",
    "ablate",
    "ablation",
    "history",
    "probe",
    "probing",
    "search",
    "space",
    "tune",
    "tuning",
]
