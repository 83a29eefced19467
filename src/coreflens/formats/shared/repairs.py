"""Whether readers repair mistakes in outputs. The default is no.

Some systems, language models above all, write text with marks that do not fit together. By default this is an error.
Within `repair()` a reader leaves out such a mark if it can, and reports it as an issue of the corpus.

    with coreflens.repair():
        coreflens.score("key.conll", "answer.md", align="characters")
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_asked: ContextVar[bool] = ContextVar("repair", default=False)


def repairing() -> bool:
    """Whether readers repair mistakes here."""
    return _asked.get()


@contextmanager
def repair() -> Iterator[None]:
    """Repair input that is read within this block, in this thread, as `--repair` does on the command line.

    Marks without a partner are left out of running text. JSON that is cut off is closed. Strings in lists of clusters
    are also searched in other spellings. Every repair is in an issue of the result, with its place.

        with repair():
            score("key.conll", "answer.md", align="characters")
    """
    token = _asked.set(True)
    try:
        yield
    finally:
        _asked.reset(token)
