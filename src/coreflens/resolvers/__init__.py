"""Systems to evaluate: resolvers that are small enough to read."""

from .registry import MENTIONS, SYSTEMS, Mentions, System, SystemName, resolve, train

__all__ = [
    "MENTIONS",
    "SYSTEMS",
    "Mentions",
    "System",
    "SystemName",
    "attachment",
    "baselines",
    "lexicon",
    "model",
    "parameters",
    "reading",
    "resolve",
    "train",
    "traits",
]
