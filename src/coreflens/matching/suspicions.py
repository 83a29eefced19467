"""Likely mistakes in what was given as key and response, each with its evidence.

They do not change any number. `score` reports them with the result, or as the hint of an error if nothing can be
scored. `pair` lists them. They cost a few vectorised comparisons, and shifts are tried only if few mentions match.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from itertools import chain

import numpy as np

from ..corpus.columns import padded
from ..corpus.model import Corpus
from ..errors import InputError, Issue
from .alignment import Alignment
from .documents import Pairing
from .mentions import Side, identify, reconcile

# What has to be added to the starts and ends of the response, and what the likely mistake is.
SHIFTS: dict[tuple[int, int], tuple[str, str]] = {
    (0, -1): ("ends were one less", "are the response's ends exclusive?"),
    (-1, -1): ("starts and ends were one less", "does the response count from 1?"),
    (-1, -2): ("starts were one and ends two less", "does the response count from 1, with exclusive ends?"),
    (0, 1): ("ends were one more", "are the key's ends exclusive?"),
    (1, 1): ("starts and ends were one more", "does the key count from 1?"),
    (1, 2): ("starts were one and ends two more", "does the key count from 1, with exclusive ends?"),
}
SAMPLED = 0.95  # a key may be a sample if at least this share of its records is in the response
CONVENTIONS = ("no-singletons", "sampled-key")  # notes on how a key was made, and no reason to refuse a response
FEW = 0.5  # shifts are tried if a smaller share of the mentions is common
_GOLD = {"key", "gold", "ref", "reference", "truth"}
_SYSTEM = {"response", "sys", "system", "pred", "predicted", "prediction", "auto"}


def suspicions(key: Corpus, response: Corpus, pairing: Pairing, alignment: Alignment) -> Iterator[Issue]:
    """What may be wrong with two corpora whose mentions were aligned."""
    yield from swapped(key, response)
    yield from same_file(key, response)
    if alignment.common < FEW * min(len(key), len(response)):
        yield from shifted(key, response, pairing)
    yield from blanks(key, response, pairing)
    yield from no_singletons(*singletons(alignment))
    if not key.has_text and not response.has_text:
        ours, theirs = (total for _, total in singletons(alignment))
        yield from sampled_key(ours, theirs, alignment.common)


def swapped(key: Corpus, response: Corpus) -> Iterator[Issue]:
    """File names that contradict the order of the arguments."""
    k, r = (_words_of(c.source) for c in (key, response))
    if k & _SYSTEM and r & _GOLD and not k & _GOLD and not r & _SYSTEM:
        named = f"key '{key.source}' and response '{response.source}'"
        yield Issue("swapped", f"by their names, {named} may be swapped: the key comes first")


def _words_of(path: str) -> set[str]:
    """The words of a file's name, and those that end in an s also without it."""
    words = re.split(r"[_\W]+", os.path.basename(path).lower())
    return {*words, *(word.removesuffix("s") for word in words)}


def same_file(key: Corpus, response: Corpus) -> Iterator[Issue]:
    """One file is given as both sides. A file that contains both, in two fields or layers, is not meant here."""
    if key.source and response.source and len(key) and _identical(key, response):
        yield from same_path(key.source, response.source)


def same_path(key: str, response: str) -> Iterator[Issue]:
    """Two paths that lead to the same file."""
    try:
        same = os.path.samefile(key, response)
    except (OSError, ValueError):  # stdin, or not a path
        same = False
    if same:
        yield Issue("same-file", "key and response are the same file, which is compared with itself")


def _identical(key: Corpus, response: Corpus) -> bool:
    columns = ((getattr(c, name) for c in (key, response)) for name in ("doc", "start", "end", "entity"))
    return all(np.array_equal(ours, theirs) for ours, theirs in columns)


def shifted(key: Corpus, response: Corpus, pairing: Pairing) -> Iterator[Issue]:
    """Spans that are counted in another way: if starts or ends are moved by one, many more mentions are the same."""
    if key.unit != response.unit:
        return
    key, response = _placed(key), _placed(response)
    try:
        ours, theirs = reconcile(Side.of(key, pairing.key_row), Side.of(response, pairing.response_row))
    except InputError:  # names against spans
        return
    if ours.names is not None or not len(ours.row) or not len(theirs.row):
        return
    ours, theirs = replace(ours, parts={}), replace(theirs, parts={})
    now = _common(ours, theirs, (0, 0))
    best, shift = max(((_common(ours, theirs, shift), shift) for shift in SHIFTS), key=lambda found: found[0])
    if best < 3 or best < 2 * now + 1 or best < FEW * min(len(ours.row), len(theirs.row)):
        return
    change, question = SHIFTS[shift]
    n = len(theirs.row)
    message = f"{_percent(best, n)} of the response's mentions would match if {change} ({_percent(now, n)} do as it is)"
    yield Issue("shifted", f"{message}: {question}", best)


def _placed(corpus: Corpus) -> Corpus:
    """A corpus of plain Python whose mentions are all (start, end), with these as its spans."""
    names = corpus.names
    if names is None or corpus.format != "python" or not isinstance(names, list):
        return corpus
    if {*map(type, names)} != {tuple} or {*map(len, names)} != {2}:
        return corpus
    if {*map(type, chain.from_iterable(names))} != {int}:
        return corpus
    start, end = np.array(names, dtype=np.int64).reshape(-1, 2).T
    return replace(corpus, names=None, start=start, end=end)


def blanks(key: Corpus, response: Corpus, pairing: Pairing) -> Iterator[Issue]:
    """Names that differ only in blanks at their ends, such as ` m1` and `m1` in a CSV file."""
    if key.names is None or response.names is None or not (padded(key.names) or padded(response.names)):
        return
    given, bare = [], []
    for corpus, pairs in ((key, pairing.key_row), (response, pairing.response_row)):
        where, names = pairs[corpus.doc].tolist(), list(corpus.names or ())
        given.append({*zip(where, names, strict=True)})
        stripped = (name.strip() if isinstance(name, str) else name for name in names)
        bare.append({*zip(where, stripped, strict=True)})
    yield from more_without_blanks(len(bare[0] & bare[1]) - len(given[0] & given[1]))


def more_without_blanks(more: int) -> Iterator[Issue]:
    """How many more mentions both sides would have without the blanks at the ends of names."""
    if more > 0:
        message = f"{more} more mentions would be the same without the blanks at the ends of their names"
        yield Issue("blanks", f"{message}: are there blanks after the delimiters of a table?", more)


def _common(key: Side, response: Side, shift: tuple[int, int]) -> int:
    start, end = response.start + shift[0], response.end + shift[1]
    moved = replace(response, start=start, end=end).keep(np.flatnonzero((start >= 0) & (end >= start)))
    return len(np.intersect1d(*identify(key, moved)))


def singletons(alignment: Alignment) -> tuple[tuple[int, int], tuple[int, int]]:
    """How many singletons and how many mentions the key has, and the response."""
    key, response = ((int((sizes == 1).sum()), int(sizes.sum())) for sizes in alignment.sizes)
    return key, response


def no_singletons(key: tuple[int, int], response: tuple[int, int]) -> Iterator[Issue]:
    """Only one side has entities of one mention: this is a convention of the corpus, not a mistake of the system.

    Each side is given as `singletons` has it.
    """
    for (ours, size), (theirs, other), what, against in (
        (key, response, "key", "response"),
        (response, key, "response", "key"),
    ):
        if ours >= 10 and 10 * ours >= size and not theirs and other >= 20:
            message = f"{ours} entities of the {what} are singletons ({_percent(ours, size)} of its mentions)"
            yield Issue("no-singletons", f"{message}, and none of the {against}: --singletons drop compares the rest")


_full_key: ContextVar[bool] = ContextVar("full_key", default=False)


@contextmanager
def full_key() -> Iterator[None]:
    """Within this block a key that has few of the response's records is meant as it is, as `--full-key` says."""
    token = _full_key.set(True)
    try:
        yield
    finally:
        _full_key.reset(token)


def sampled_key(key: int, response: int, common: int) -> Iterator[Issue]:
    """A key without text whose records are in the response, but which has less than half of the response's."""
    if _full_key.get() or not key or common < SAMPLED * key or 2 * common >= response:
        return
    share = f"{100 * common / response:.1f} %"
    message = f"the key has {share} of the response's records. If it is a sample, precision is wrong: use "
    yield Issue("sampled-key", f"{message}`coreflens estimate`; --full-key says that it is none", common)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "0 %"
