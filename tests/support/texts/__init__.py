"""A small text in each format that needs more than a line; `samples` has them all."""
