"""Files as such: which ones a path stands for, their bytes as UTF-8, notations they share, and how they are written."""

__all__ = ["encoding", "finding", "limits", "notation", "opening", "writing"]
