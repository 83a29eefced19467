"""A database of coreflens as a file: its schema, connections to it, and its sides as corpora. `store` builds it."""

__all__ = ["connection", "copies", "marks", "refusals", "schema", "sides"]
