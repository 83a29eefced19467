"""Files as such: which ones a path stands for, and from their bytes to plain UTF-8."""

__all__ = ["encoding", "finding"]
