"""Systems to evaluate: resolvers small enough to be read."""

__all__ = ["baselines"]
