"""Corpora: mentions, entities and documents as columns, with words, trees and heads."""

__all__ = [
    "brackets",
    "candidates",
    "characters",
    "columns",
    "given_heads",
    "heads",
    "model",
    "pronouns",
    "singletons",
    "spans",
    "spelling",
    "treebank",
    "trees",
]
