"""Work with corpora besides scoring: convert, validate and describe them, check whether two fit, name several."""

__all__ = [
    "anaphora",
    "compatibility",
    "conversion",
    "description",
    "homonymy",
    "joining",
    "naming",
    "prompts",
    "submission",
    "taggers",
    "validation",
]
