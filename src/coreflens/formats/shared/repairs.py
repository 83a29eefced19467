"""Whether outputs with mistakes are repaired where they are read: off, unless somebody asks for it.

Some systems, language models above all, write text with marks that do not fit together. By default that is an error.
Within `repair()` a reader that can go on without such a mark does so, and what it left out is an issue of the corpus.

    with coreflens.repair():
        coreflens.score("key.conll", "answer.md", align="characters")
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_asked: ContextVar[bool] = ContextVar("repair", default=False)


def repairing() -> bool:
    """Whether repairs are asked for here."""
    return _asked.get()


@contextmanager
def repair() -> Iterator[None]:
    """Repair what is read within this block, in this thread, as `--repair` does on the command line.

    Marks that fit with no other are left out of running text, JSON that is cut off is closed, and strings of lists of
    clusters are looked for in other spelling. Every repair is in an issue of the result, with its place.

        with repair():
            score("key.conll", "answer.md", align="characters")
    """
    token = _asked.set(True)
    try:
        yield
    finally:
        _asked.reset(token)
