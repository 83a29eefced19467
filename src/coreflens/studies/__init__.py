"""Studies of annotators, of metrics and of controlled damage."""

__all__ = ["agreement", "categories", "correlation", "curve", "damage", "ranges", "rates", "sweeps", "tables"]
