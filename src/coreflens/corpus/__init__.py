"""What a corpus is: mentions, entities and documents as columns; words, trees and heads beside them."""

__all__ = [
    "brackets",
    "candidates",
    "characters",
    "heads",
    "model",
    "pronouns",
    "singletons",
    "spans",
    "spelling",
    "treebank",
    "trees",
]
