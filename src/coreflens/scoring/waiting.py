"""Small documents that wait to be counted together. One pass of numpy over many documents is hardly slower than over
one.

A document may wait only if nothing about it can be refused or reported, because errors and issues must come from the
`update` that added it. So documents that are unusual in any way are counted immediately and alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ..corpus.model import Corpus, Document
from ..errors import Issue
from ..formats import concatenate
from ..matching.matched import match
from ..options import Options
from ..order import act_after
from .counts import Counts, count, needed

MOST = 50_000  # mentions that may wait
_UNUSUAL = ("duplicates", "extra", "no_common")  # these act in documents that do not wait
# Options that do not change which mentions match.
_FREE = (*_UNUSUAL, *(act_after("singletons") & Options.__dataclass_fields__.keys()))


@dataclass(frozen=True, eq=False, slots=True)
class Waiting:
    """One document of plain clusters on each side, and its name in the result."""

    key: Corpus
    response: Corpus
    document: Document

    def __len__(self) -> int:
        return 1


@dataclass(frozen=True, eq=False, slots=True)
class How:
    """How documents are counted."""

    metrics: Sequence[str]
    options: Options
    exact: bool
    insist: Collection[str]

    @property
    def may_wait(self) -> bool:
        """Whether all metrics and options need only the mentions of a document and their entities."""
        plain = Options()
        usual = {name: getattr(plain, name) for name in (*_FREE, "singletons")}
        return (
            replace(self.options, **usual) == plain
            and self.options.singletons != "drop-before"
            and not any(m.equal_mentions or m.absent or m.beside for m in needed(self.metrics, self.options))
        )

    def count(self, key: Corpus, response: Corpus) -> tuple[Counts, list[Issue]]:
        """The counts of a pair of corpora, and the messages about it."""
        matched = match(key, response, self.options)
        counts, issues = count(matched, self.metrics, exact=self.exact, insist=self.insist)
        return counts, [*matched.issues, *issues]

    def settle(self, gathered: Sequence[Counts | Waiting]) -> Iterator[tuple[Counts, list[Issue]]]:
        """The counts of all documents in their order. Those that waited are counted together."""
        waiting = [one for one in gathered if isinstance(one, Waiting)]
        together = self._together(waiting)
        done = 0
        for waited, run in groupby(gathered, lambda one: isinstance(one, Waiting)):
            some = list(run)
            if not waited:
                yield from ((one, []) for one in some if isinstance(one, Counts))
            elif together is None:
                yield from (self.count(*named(one)) for one in some if isinstance(one, Waiting))
            else:
                rows = slice(done, done + len(some))
                documents = [one.document for one in waiting[rows]]
                labels = [document.label for document in documents]
                yield Counts(labels, together.columns, together.values[rows], documents), []
                done += len(some)

    def _together(self, waiting: Sequence[Waiting]) -> Counts | None:
        """The counts of all waiting documents, one row per document. None if there is a message about one of them."""
        if not waiting:
            return None
        numbered = [Document(str(number)) for number in range(len(waiting))]  # they may have the same name, or none
        key, response = (
            replace(concatenate(side), documents=numbered)
            for side in ([one.key for one in waiting], [one.response for one in waiting])
        )
        counts, issues = self.count(key, response)
        return None if issues else counts


def fits(key: Corpus, response: Corpus) -> bool:
    """Whether these are one document of plain clusters with nothing unusual in it."""
    for corpus in (key, response):
        odd = corpus.issues or corpus.attributes or corpus.relations or corpus.texts
        if corpus.format != "python" or odd or len(corpus.documents) != 1 or corpus.documents[0].tokens is not None:
            return False
    ours, theirs = key.documents[0], response.documents[0]
    if ours.name and theirs.name and ours.label != theirs.label:
        return False
    mentions, others = set(key.names or ()), set(response.names or ())
    once = len(mentions) == len(key) and len(others) == len(response)
    return once and not mentions.isdisjoint(others)


def named(one: Waiting) -> tuple[Corpus, Corpus]:
    """Both sides of a document under its name."""
    return replace(one.key, documents=[one.document]), replace(one.response, documents=[one.document])
