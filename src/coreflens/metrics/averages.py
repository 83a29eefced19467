"""Averages of metrics."""

from __future__ import annotations

from .registry import average

average(
    "conll",
    title="CoNLL",
    cite="pradhan2012",
    aliases=("conll average", "conll f1", "average"),
    doc="Mean of the F1 of MUC, B³ and CEAFe.\n\n"
    "    CoNLL = (F1(muc) + F1(bcub) + F1(ceafe)) / 3\n\n"
    "The official score of CoNLL-2011 and 2012. An undefined F1 counts by `--undefined`.",
)
average(
    "mela",
    title="MELA",
    cite="denis2009",
    weighted=True,
    doc="Weighted mean of the F1 of several metrics. With the default weights it is `conll`.\n\n    MELA = Σ_m w_m "
    "F1(m) / Σ_m w_m\n\n`--weights muc=1,bcub=1,ceafe=1` sets the weights, for any metrics that have an F1 (Denis & "
    "Baldridge 2009).",
)
