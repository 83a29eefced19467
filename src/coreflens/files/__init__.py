"""Files: which ones a path stands for, their bytes as UTF-8, common notations, and how files are written."""

__all__ = ["boundary", "encoding", "finding", "gzipped", "limits", "notation", "opening", "writing"]
