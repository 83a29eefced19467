"""Files as such: which ones a path stands for, from their bytes to plain UTF-8, and how they are written."""

__all__ = ["encoding", "finding", "writing"]
