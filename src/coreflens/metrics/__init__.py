"""The metrics, one short file per family. To add a metric, add a function with `@metric` to one of them."""

from __future__ import annotations

from importlib import import_module

from .registry import METRICS, SETS, Average, Metric, select, spelled

__all__ = [
    "METRICS",
    "SETS",
    "Average",
    "Metric",
    "antecedents",
    "assignment",
    "bcubed",
    "blanc",
    "ceaf",
    "contingency",
    "cores",
    "detection",
    "distributions",
    "division",
    "entities",
    "expressions",
    "gap",
    "influence",
    "lea",
    "links",
    "named",
    "partitions",
    "pronouns",
    "registry",
    "repetitions",
    "select",
    "spelled",
    "split",
    "words",
    "zeros",
]

# Importing a family registers its metrics; they are listed in this order.
for _family in (
    *("detection", "links", "bcubed", "ceaf", "blanc", "lea", "entities"),
    *("partitions", "cores", "distributions", "words", "zeros", "pronouns", "named", "gap", "expressions"),
    *("averages", "antecedents"),
):
    import_module(f".{_family}", __name__)

SETS["default"] = ("mentions", "muc", "bcub", "ceafm", "ceafe", "blanc", "lea", "conll")
SETS["conll"] = ("mentions", "muc", "bcub", "ceafe", "conll")
SETS["all"] = tuple(METRICS)
SETS["cai-strube"] = (
    *("muc", "bcub", "bcub-0", "bcub-all", "bcub-rn", "bcub-sys"),
    *("ceafm", "ceafm-rn", "ceafm-sys", "ceafe-sys"),
)
SETS["popescu-belis"] = ("muc", "core", "xcore", "overlap", "derror")
SETS["links"] = ("pairs", "pairs-within", "pairs-cross")
SETS["pronouns-by-kind"] = ("pronouns", *(name for name in METRICS if name.startswith("pronouns-")))
SETS["gap-by-gender"] = ("gap", "gap-feminine", "gap-masculine", "gap-bias")
SETS["bridging"] = ("bridging-recognition", "bridging-mention", "bridging-entity")
_KINDS = ("muc", "bcub", "ceafm", "ceafe", "blanc", "lea")
SETS["split-antecedents"] = (*(f"split-{name}" for name in _KINDS), "split")
