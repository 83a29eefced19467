"""The problems that a file can have: their codes and severities.

A file with an error can't be scored: a reader refuses it, and `validate` lists all errors. A file with a warning can be
scored, and the warning is reported with the result. A remark is of interest only to those who build the corpus.
"""

from __future__ import annotations

from typing import Any, NamedTuple

CODES: dict[str, tuple[str, str]] = {
    "input": ("error", "the file can't be read"),
    "empty-file": ("error", "an empty file"),
    "unknown-format": ("error", "a file that is not in a format that coreflens reads"),
    "no-rows": ("error", "a table with a header, but without rows"),
    "syntax": ("error", "something that the format does not allow"),
    "encoding": ("error", "bytes that are not valid in the encoding"),
    "truncated": ("error", "the file seems to be cut off"),
    "unclosed": ("error", "a mention that is opened but never closed"),
    "unopened": ("error", "a mention that is closed but was never opened"),
    "span-order": ("error", "a span that ends before it starts"),
    "span-range": ("error", "a span that is not within its document"),
    "duplicate-document": ("error", "two documents with the same name and part"),
    "duplicate-id": ("error", "an identifier that is used twice"),
    "dangling": ("error", "a link to something that does not exist"),
    "bad-head": ("error", "a head that is not in its mention"),
    "missing-text": ("error", "the file with the text is not beside the annotation"),
    "text-mismatch": ("error", "the annotation quotes other words than the text has at this place"),
    "two-entities": ("warning", "the same span in two entities"),
    "repeated": ("warning", "the same span twice in one entity"),
    "sentence-border": ("warning", "a mention that extends over the end of a sentence"),
    "crossing": ("warning", "two mentions that overlap while neither contains the other"),
    "malformed": ("warning", "a cell that breaks the rules of the format but has a clear meaning"),
    "continued": ("warning", "an id without brackets on a word inside that mention, ignored"),
    "cells": ("warning", "a line with more or fewer cells than its sentence, whose coreference is certain"),
    "trees": ("warning", "an incomplete tree; `describe` and `--match head-word` refuse it"),
    "sub-token": ("warning", "a mention of a part of a token, read as the whole token"),
    "mixed-kinds": ("warning", "mentions of events and of entities in one file"),
    "left-out": ("warning", "annotation that is not coreference of mentions, left out"),
    "non-referring": ("warning", "expressions marked as non-referring"),
    "no-coreference": ("warning", "a file without a coreference layer"),
    "antecedent-place": ("warning", "an antecedent of which only the words are known, searched in the text"),
    "bad-minimum": ("remark", "a minimum span that is not within its mention; `--match min` matches it exactly"),
    "same-entity": ("remark", "a mention within another of the same entity"),
    "limit": ("error", "input that exceeds one of the limits"),
    "outside": ("error", "a name or link that leads outside the folders of the format"),
    "irregular": ("warning", "a pipe, device or link in a directory, which is not read"),
    "passed-over": ("remark", "a file among others that is not in a format that coreflens reads"),
    "no-mentions": ("remark", "a document without any mention"),
}


class Problem(NamedTuple):
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
        return self._asdict() | {"severity": self.severity}
