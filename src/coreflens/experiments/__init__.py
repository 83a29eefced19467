"""Experiments with evaluation: tune a system by its scores, and report what was not tuned on."""

from .tuning import Tuning, tune

__all__ = ["Tuning", "history", "search", "tables", "tune", "tuning"]
