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
from .counting import count
from .counts import Counts, needed

MOST = 50_000  # mentions that may wait
_UNUSUAL = ("duplicates", "extra", "no_common")  # these act in documents that do not wait
# Options that do not change which mentions match.
_FREE = (*_UNUSUAL, *(act_after("singletons") & Options.__dataclass_fields__.keys()))


@dataclass(frozen=True, eq=False, slots=True)
class Pending:
    """One document of plain clusters on each side, and its name in the result."""

    key: Corpus
    response: Corpus
    document: Document

    def __len__(self) -> int:
        return 1


@dataclass(frozen=True, eq=False, slots=True)
class CountSettings:
    """How documents are counted."""

    metrics: Sequence[str]
    options: Options
    exact: bool
    insist: Collection[str]

    @property
    def may_wait(self) -> bool:
        """Whether all metrics and options need only the mentions of a document and their entities."""
        usual = Options()
        free = {name: getattr(usual, name) for name in (*_FREE, "singletons")}
        return (
            replace(self.options, **free) == usual
            and self.options.singletons != "drop-before"
            and not any(m.equal_mentions or m.absent or m.other_anaphora for m in needed(self.metrics, self.options))
        )

    def count(self, key: Corpus, response: Corpus) -> tuple[Counts, list[Issue]]:
        """The counts of a pair of corpora, and the messages about it."""
        matched = match(key, response, self.options)
        counts, issues = count(matched, self.metrics, exact=self.exact, insist=self.insist)
        return counts, [*matched.issues, *issues]

    def settle(self, gathered: Sequence[Counts | Pending]) -> Iterator[tuple[Counts, list[Issue]]]:
        """The counts of all documents in their order. Those that are pending are counted together."""
        pending = [document for document in gathered if isinstance(document, Pending)]
        together = self._together(pending)
        done = 0
        for are_pending, run in groupby(gathered, lambda document: isinstance(document, Pending)):
            documents = list(run)
            if not are_pending:
                yield from ((counts, []) for counts in documents if isinstance(counts, Counts))
            elif together is None:
                yield from (self.count(*named(one)) for one in documents if isinstance(one, Pending))
            else:
                rows = slice(done, done + len(documents))
                named_documents = [one.document for one in pending[rows]]
                labels = [document.label for document in named_documents]
                yield Counts(labels, together.columns, together.values[rows], named_documents), []
                done += len(documents)

    def _together(self, pending: Sequence[Pending]) -> Counts | None:
        """The counts of all pending documents, one row per document. None if there is a message about one of them."""
        if not pending:
            return None
        numbered = [Document(str(number)) for number in range(len(pending))]  # they may have the same name, or none
        key = concatenate([document.key for document in pending])
        response = concatenate([document.response for document in pending])
        counts, issues = self.count(replace(key, documents=numbered), replace(response, documents=numbered))
        return None if issues else counts


def fits(key: Corpus, response: Corpus) -> bool:
    """Whether these are one document of plain clusters with nothing unusual in it."""
    if not (_is_plain_document(key) and _is_plain_document(response)):
        return False
    ours, theirs = key.documents[0], response.documents[0]
    if ours.name and theirs.name and ours.label != theirs.label:
        return False
    mentions, others = set(key.names or ()), set(response.names or ())
    once = len(mentions) == len(key) and len(others) == len(response)
    return once and not mentions.isdisjoint(others)


def _is_plain_document(corpus: Corpus) -> bool:
    """Whether this is one document of plain clusters, without anything else."""
    more = corpus.issues or corpus.attributes or corpus.relations or corpus.texts
    return corpus.format == "python" and not more and len(corpus.documents) == 1 and corpus.documents[0].tokens is None


def named(pending: Pending) -> tuple[Corpus, Corpus]:
    """Both sides of a document under its name."""
    documents = [pending.document]
    return replace(pending.key, documents=documents), replace(pending.response, documents=documents)
