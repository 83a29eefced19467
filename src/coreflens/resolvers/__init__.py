"""Systems to evaluate: resolvers small enough to be read."""

from .registry import MENTIONS, SYSTEMS, Mentions, System, SystemName, resolve

__all__ = [
    "MENTIONS",
    "SYSTEMS",
    "Mentions",
    "System",
    "SystemName",
    "attachment",
    "baselines",
    "parameters",
    "resolve",
]
