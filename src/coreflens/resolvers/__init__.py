"""Systems to evaluate: resolvers that are small enough to read."""

from .registry import MENTIONS, SYSTEMS, Mentions, Resolver, SystemName, resolve, train

__all__ = [
    "MENTIONS",
    "SYSTEMS",
    "Mentions",
    "Resolver",
    "SystemName",
    "analysis",
    "attachment",
    "baselines",
    "lexicon",
    "model",
    "parameters",
    "resolve",
    "train",
    "traits",
]
