"""The writer of a comparison: its tables, and its plots."""

from __future__ import annotations

from pathlib import Path

from ...comparison.sections import Comparison
from .rendering import render

__all__ = ["html", "plot", "plots", "render", "text"]


def text(comparison: Comparison) -> str:
    """All tables, for a terminal."""
    return render(comparison)


def html(comparison: Comparison) -> str:
    """All tables, for notebooks."""
    return render(comparison, "html")


def plot(comparison: Comparison, path: str | Path, kind: str = "") -> list[Path]:
    """Draw a comparison into files; drawing is loaded when it is needed."""
    from .plots import plot as drawn

    return drawn(comparison, path, kind)
