"""What can be wrong with a file: the codes, and how grave each is.

An error can't be scored: a reader refuses it, and `validate` lists it with all the others. A warning can: it is
reported with the result. A remark is of interest to those who build the corpus only.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

CODES: dict[str, tuple[str, str]] = {
    "input": ("error", "the file can't be read"),
    "empty-file": ("error", "a file without anything in it"),
    "unknown-format": ("error", "a file of no format that coreflens reads"),
    "syntax": ("error", "something that the format does not allow"),
    "encoding": ("error", "bytes that are not of the encoding"),
    "truncated": ("error", "the file seems to be cut off"),
    "unclosed": ("error", "a mention that is opened and never closed"),
    "unopened": ("error", "a mention that is closed and was never opened"),
    "span-order": ("error", "a span that ends before it starts"),
    "span-range": ("error", "a span outside of its document"),
    "duplicate-document": ("error", "two documents of one name and part"),
    "duplicate-id": ("error", "an identifier used twice"),
    "dangling": ("error", "a link to something that is not there"),
    "bad-head": ("error", "a head outside of its mention"),
    "missing-text": ("error", "the file with the text is not beside the annotation"),
    "text-mismatch": ("error", "the annotation quotes other words than the text has at that place"),
    "two-entities": ("warning", "one span in two entities"),
    "repeated": ("warning", "one span twice in the same entity"),
    "sentence-border": ("warning", "a mention that goes over the end of a sentence"),
    "crossing": ("warning", "two mentions that overlap, and neither contains the other"),
    "malformed": ("warning", "a cell against the format's rules, whose meaning is plain"),
    "continued": ("warning", "a bare id on a word inside of that mention, ignored"),
    "cells": ("warning", "a line with other cells than the rest of its sentence, whose coreference is certain"),
    "trees": ("warning", "a tree that is not whole; `describe` and `--match head-word` refuse it"),
    "sub-token": ("warning", "a mention of a part of a token, read as one of the whole token"),
    "mixed-kinds": ("warning", "mentions of events and of entities in one file"),
    "left-out": ("warning", "annotation that is no coreference of mentions, left out"),
    "non-referring": ("warning", "expressions marked as non-referring"),
    "no-coreference": ("warning", "a file without the layer that holds coreference"),
    "antecedent-place": ("warning", "an antecedent of which only the words are known, taken where these stand"),
    "bad-minimum": ("remark", "a minimum span that is not within its mention; `--match min` matches it exactly"),
    "same-entity": ("remark", "a mention within another of the same entity"),
    "limit": ("error", "more than one of the limits allows"),
    "outside": ("error", "a name or link that leads to another place than the format's layout has"),
    "irregular": ("warning", "a pipe, device or link in a directory, which is no file to read"),
    "passed-over": ("remark", "a file among others, of no format that coreflens reads"),
    "no-mentions": ("remark", "a document without any mention"),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding of `validate` in one place; `coreflens validate --codes` explains the codes."""

    code: str
    message: str
    file: str
    line: int | None = None
    column: int | None = None
    hint: str = ""

    @property
    def severity(self) -> str:
        """`error`, `warning` or `remark`."""
        return CODES[self.code][0]

    @property
    def place(self) -> str:
        """`file:line:column`, as far as these are known."""
        return ":".join(str(x) for x in (self.file, self.line, self.column) if x is not None)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON, with the severity."""
        return asdict(self) | {"severity": self.severity}
