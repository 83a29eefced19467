"""Results from files of saved counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..errors import InputError, UsageError
from .counts import Counts
from .counts_file import read_counts
from .result import Result


def load_counts(*paths: str | Path) -> Result:
    """The result whose counts were saved. Several files are shards of one corpus and are added up."""
    return add_up([_load(path) for path in paths], [str(path) for path in paths])


def add_up(results: Sequence[Result], names: Sequence[str]) -> Result:
    """One result from shards, which need the same metrics and options. No document may occur twice."""
    if not results:
        raise UsageError("no counts given")
    if len(results) == 1:
        return results[0]
    first = results[0]
    seen: dict[tuple[str, int | None], int] = {}
    for number, (result, name) in enumerate(zip(results, names, strict=True)):
        if name in names[:number]:
            raise UsageError(f"{name} is given twice, so it would count twice")
        if (result.signature.metrics, result.options) != (first.signature.metrics, first.options):
            raise UsageError(f"{names[0]} and {name} were made with different metrics or options")
        if len(result.counts.documents) != len(result.counts) or result.options.scope == "corpus":
            raise UsageError(f"{name}: entities extend over several documents here, so shards can't be added up")
        for document in result.counts.documents:
            which = document.name, document.part
            if document.name and seen.setdefault(which, number) != number:
                raise InputError(f"document {document.quoted} is also in {names[seen[which]]}", file=name)
    counts = Counts.concatenate(result.counts for result in results)
    return Result(
        counts,
        first.signature.metrics,
        first.options,
        first.signature.protocol,
        list(dict.fromkeys(issue for result in results for issue in result.issues)),
    )


def _load(path: str | Path) -> Result:
    counts, signature, issues = read_counts(path)
    result = Result(counts, signature.metrics, signature.options, signature.protocol, issues)
    result.signature = signature
    return result
