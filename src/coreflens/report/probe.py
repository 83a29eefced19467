"""How metrics behave on the responses to a key, on paper."""

from __future__ import annotations

from ..experiments.probing import Probe
from ..paper.plot import Plot
from ..paper.writers import written
from .experiment_plots import probe_plots
from .experiment_tables import probed
from .experiment_tables import probed_records as records

__all__ = ["records"]


def text(probe: Probe) -> str:
    """All tables, for a terminal."""
    return written(probed(probe), "table", probe.signature)


def plots(probe: Probe) -> dict[str, Plot]:
    """`distribution`, `chains` and `sizes`."""
    return probe_plots(probe)
