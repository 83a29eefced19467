"""The response, which is known in full: the cluster of each record."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..corpus.columns import TextColumn, identified, taken
from ..corpus.model import Corpus, IntArray
from ..errors import InputError, Issue, UsageError
from ..integers import bincount
from .ratios import Numbers, links

_JOINT = "\x1f"  # between document and name of a record


@dataclass(frozen=True, eq=False)
class Clustering:
    """Records with their clusters. Each record occurs once.

    names     the names of the records, in the order of the input
    docs      the document of each record, if the response has documents with names
    cluster   the number of each record's cluster
    labels    the clusters' names
    rows      the row of each record in the corpus
    """

    names: Sequence[Hashable]
    docs: Sequence[str] | None
    cluster: IntArray
    labels: Sequence[Hashable]
    rows: IntArray
    corpus: Corpus
    issues: tuple[Issue, ...] = ()

    @classmethod
    def of(cls, corpus: Corpus) -> Clustering:
        """The clusters of a corpus. Entities extend over all documents."""
        if not len(corpus):
            raise InputError("the response has no records", file=corpus.source or None)
        docs = None
        if not corpus.by_file and any(document.label for document in corpus.documents):
            labels = [document.label for document in corpus.documents]
            docs = [labels[d] for d in corpus.doc.tolist()]
        every = np.arange(len(corpus))
        whole = cls(_names(corpus), docs, corpus.entity, corpus.labels, every, corpus)
        return whole._once()

    def _once(self) -> Clustering:
        """The same with each record once. A record in two clusters is an error."""
        names = self.named(self.docs is not None)
        codes, _, _ = identified(names, names[:0])
        order = np.argsort(codes, kind="stable")
        again = np.flatnonzero(codes[order][1:] == codes[order][:-1])
        if not len(again):
            return self
        first, second = order[again], order[again + 1]
        if (apart := np.flatnonzero(self.cluster[first] != self.cluster[second])).size:
            row, other = int(first[apart[0]]), int(second[apart[0]])
            one, two = (self.labels[int(self.cluster[r])] for r in (row, other))
            message = f"the record {self.names[row]} is in two clusters of the response, {one} and {two}"
            raise InputError(message, file=self.corpus.source or None, hint="each record must be in one cluster")
        keep = np.ones(len(names), dtype=bool)
        keep[second] = False
        rows = np.flatnonzero(keep)
        issue = Issue("repeated-records", f"{len(second)} repeated records of the response count once", len(second))
        docs = None if self.docs is None else [self.docs[row] for row in rows.tolist()]
        return Clustering(taken(self.names, rows), docs, self.cluster[rows], self.labels, rows, self.corpus, (issue,))

    def __len__(self) -> int:
        return len(self.cluster)

    def named(self, with_documents: bool) -> Sequence[Hashable]:
        """The names of the records, together with their documents if asked for."""
        if not with_documents:
            return self.names
        assert self.docs is not None
        return [joint(doc, name) for doc, name in zip(self.docs, self.names, strict=True)]

    @cached_property
    def sizes(self) -> Numbers:
        """Records of each cluster."""
        return bincount(self.cluster, minlength=len(self.labels)).astype(np.float64)

    @property
    def clusters(self) -> int:
        """How many clusters have records."""
        return int(np.count_nonzero(self.sizes))

    @cached_property
    def pairs(self) -> float:
        """Pairs of records in one cluster."""
        return float(links(self.sizes).sum())

    @property
    def largest_share(self) -> float:
        """The share of the pairs that the largest cluster has."""
        return float(links(self.sizes).max() / self.pairs) if self.pairs else 0.0

    def places(self, names: Sequence[Hashable], docs: Sequence[str] | None) -> IntArray:
        """Where the records of these names are, −1 for names that the response lacks.

        Documents take part in the names if both sides have them.
        """
        with_documents = docs is not None and self.docs is not None
        if with_documents:
            assert docs is not None
            names = [joint(doc, name) for doc, name in zip(docs, names, strict=True)]
        ours, theirs, _ = identified(*_alike(names, self.named(with_documents)))
        order = np.argsort(ours, kind="stable")
        at = np.searchsorted(ours[order], theirs)
        at[at == len(ours)] = 0
        met = np.flatnonzero(ours[order][at] == theirs) if len(ours) else at[:0]
        place_of_first = np.full(len(ours), -1, dtype=np.int64)
        place_of_first[order[at[met]]] = met
        first = order[np.searchsorted(ours[order], ours)]
        return place_of_first[first]


def joint(doc: Hashable, name: Hashable) -> str:
    """A name within a document."""
    return f"{doc}{_JOINT}{name}"


def _alike(names: Sequence[Hashable], others: Sequence[Hashable]) -> tuple[Sequence[Hashable], Sequence[Hashable]]:
    """Two sequences of names as text, or as columns of Arrow."""
    if isinstance(others, TextColumn) and not isinstance(names, TextColumn):
        import pyarrow as pa

        texts = pa.chunked_array([pa.array([str(name) for name in names], pa.string())])
        return TextColumn.of_arrow(texts), others
    return names, others


def _names(corpus: Corpus) -> Sequence[Hashable]:
    """The names of the records; mentions with spans are named by them, such as `3-5`."""
    if corpus.names is None:
        return [f"{start}-{end}" for start, end in zip(corpus.start.tolist(), corpus.end.tolist(), strict=True)]
    if isinstance(corpus.names, TextColumn):
        return corpus.names
    return [str(name) for name in corpus.names]


def read_clustering(given: Any, columns: Mapping[str, str], settings: Mapping[str, Any]) -> Clustering:
    """The clusters of a path, a frame or any other input of `score`."""
    from ..engines.loaded import load_side

    if given is None:
        raise UsageError("no response is given")
    return Clustering.of(load_side(given, "response", columns, settings))
