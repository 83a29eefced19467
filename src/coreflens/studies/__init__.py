"""Studies of annotators, of metrics and of controlled damage."""

__all__ = ["agreement", "categories", "correlation", "curve", "damage", "major", "ranges", "rates", "sweeps", "tables"]
