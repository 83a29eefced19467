"""Studies of annotators, of metrics and of controlled damage."""

__all__ = ["agreement", "correlation", "damage", "sweeps", "tables"]
