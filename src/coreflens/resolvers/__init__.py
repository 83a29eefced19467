"""Systems to evaluate: resolvers that are small enough to read."""

from .registry import MENTIONS, SYSTEMS, Mentions, Resolver, SystemName, resolve, train

__all__ = [
    "MENTIONS",
    "SYSTEMS",
    "Mentions",
    "Resolver",
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
