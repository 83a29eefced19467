"""The documents of a page, made by several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from typing import Any

from ..formats.reading import Circumstances
from ..stats.swapping import Progress
from .content import Content

_MANY = 5000  # mentions that make other processes worth their start


@dataclass(frozen=True, eq=False)
class Again:
    """What another process reads and scores again to make some of the documents, if it is not a copy of this one.

    Content itself can't be sent there.
    """

    view: Callable[..., Any]  # what makes a page of these inputs
    key: str
    responses: Sequence[str]
    metrics: Any
    settings: Mapping[str, Any]
    here: Circumstances

    @classmethod
    def of(
        cls,
        view: Callable[..., Any],
        key: Any,
        responses: Sequence[Any],
        metrics: Any,
        settings: Mapping[str, Any],
    ) -> Again | None:
        """None if the input can be read only once, or is not a file."""
        inputs = [key, *responses]
        if not all(isinstance(source, (str, PathLike)) and fspath(source) != "-" for source in inputs):
            return None
        return cls(view, fspath(key), [*map(fspath, responses)], metrics, settings, Circumstances.here())

    def __call__(self, documents: range) -> str:
        return self.content.packed(documents)

    @cached_property
    def content(self) -> Content:
        with self.here.hold():
            page = self.view(self.key, *self.responses, metrics=self.metrics, **self.settings)
        made: Content = page.content
        return made


def packed(content: Content, progress: Progress, jobs: int | None, again: Again | None) -> Iterator[str]:
    """The chunks of documents in their order."""
    from ..processes import can_copy, chosen, each, together

    mentions = sum(map(len, content.systems[0].rows)) * len(content.systems)
    number = chosen(jobs, mentions >= _MANY)
    if number == 1 or len(content.chunks) < 2 or not (can_copy() or again):
        yield from map(content.packed, progress(content.chunks))
        return
    if again is None or can_copy():
        shared = each(content.packed, content.chunks, number)
    else:
        shared = together(again, content.chunks, number, content.packed)
    with closing(shared) as found:
        for _, chunk in zip(progress(content.chunks), found, strict=True):
            yield chunk
