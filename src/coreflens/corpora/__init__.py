"""Work with corpora apart from scoring: convert, validate, describe, see whether two fit, name several."""

__all__ = [
    "conversion",
    "description",
    "excerpt",
    "fit",
    "homonymy",
    "joining",
    "naming",
    "prompts",
    "submission",
    "taggers",
    "validation",
]
