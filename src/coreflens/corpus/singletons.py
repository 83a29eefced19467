"""Singletons added by heuristic to a corpus that was annotated without them.

SemEval-2010 did this for OntoNotes (Pradhan et al. 2011, footnote 22). It added all noun phrases and possessive
determiners that were not yet mentions, except appositives and noun phrases before a noun that they modify (unless these
are in the possessive case). Expletive pronouns are also added, since no reliable heuristic finds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import InputError, Issue
from .model import Corpus, IntArray
from .trees import Trees, trees

_COMMAS = (",", ":", "-LRB-", "--")


def with_singletons(corpus: Corpus) -> Corpus:
    """The corpus with a new entity for each noun phrase and possessive determiner that is not yet a mention."""
    parsed = trees(corpus) if corpus.has_text else None
    tags = corpus.text.layers.get("pos") if corpus.has_text else None
    if parsed is None or not tags:
        hint = "noun phrases come from the parse column of a CoNLL file, possessive determiners from its tags"
        raise InputError(
            "singletons can't be added: there are no trees and tags", file=corpus.source or None, hint=hint
        )
    phrases = np.array([label == "NP" for label in parsed.labels], dtype=bool)[parsed.label]
    chosen = [node for node in np.flatnonzero(phrases).tolist() if not _excluded(parsed, tags, node)]
    determiners = [token for token, tag in enumerate(tags) if tag == "PRP$"]
    start = np.array([*parsed.start[chosen].tolist(), *determiners], dtype=np.int64)
    end = np.array([*parsed.end[chosen].tolist(), *determiners], dtype=np.int64)
    return _added(corpus, start, end)


def _excluded(parsed: Trees, tags: Sequence[str], node: int) -> bool:
    """Whether a noun phrase is an appositive, or modifies a noun that follows without being possessive."""
    parent = int(parsed.parent[node])
    if parent < 0 or parsed.labels[parsed.label[parent]] not in ("NP", "NML"):
        return False
    start, end = int(parsed.start[node]), int(parsed.end[node])
    possessive = tags[end] in ("POS", "PRP$")
    before = range(int(parsed.start[parent]), start)
    after = range(end + 1, int(parsed.end[parent]) + 1)
    # An appositive follows a comma within the phrase that it belongs to; a list also has a conjunction.
    if start > parsed.start[parent] and tags[start - 1] in _COMMAS:
        siblings = [t for t in (*before, *after) if _own(parsed, t, parent)]
        return not any(tags[t] == "CC" for t in siblings)
    return not possessive and any(tags[t].startswith("NN") and _own(parsed, t, parent) for t in after)


def _own(parsed: Trees, token: int, parent: int) -> bool:
    """Whether a token is directly in a phrase, not in a phrase inside it."""
    return int(parsed.leaf[token]) == parent


def _added(corpus: Corpus, start: IntArray, end: IntArray) -> Corpus:
    """The corpus with these spans of the text as mentions, each in a new entity; existing mentions are not changed."""
    first = corpus.text.first
    columns = np.unique(np.stack((start, -end), axis=1).reshape(-1, 2), axis=0)
    doc = np.searchsorted(first, columns[:, 0], side="right") - 1
    begin, stop = columns[:, 0] - first[doc], -columns[:, 1] - first[doc]
    taken = {
        (d, a, b)
        for row, (d, a, b) in enumerate(
            zip(corpus.doc.tolist(), corpus.start.tolist(), corpus.end.tolist(), strict=True)
        )
        if row not in corpus.parts
    }
    new = np.array([x not in taken for x in zip(doc.tolist(), begin.tolist(), stop.tolist(), strict=True)], dtype=bool)
    doc, begin, stop = doc[new], begin[new], stop[new]
    count = len(doc)
    used = {str(label) for label in corpus.labels}
    number = max((int(label) for label in used if label.isdecimal() and len(label) < 16), default=-1) + 1
    labels = [*corpus.labels, *(str(number + k) for k in range(count))]
    line = corpus.line
    if line is not None and corpus.text.line is not None:
        line = np.concatenate((line, corpus.text.line[first[doc] + begin]))
    joined = replace(
        corpus,
        doc=np.concatenate((corpus.doc, doc)),
        start=np.concatenate((corpus.start, begin)),
        end=np.concatenate((corpus.end, stop)),
        entity=np.concatenate((corpus.entity, len(corpus.labels) + np.arange(count))),
        labels=labels,
        line=line,
        head=None if corpus.head is None else np.concatenate((corpus.head, np.full(count, -1))),
        attributes={name: [*values, *([""] * count)] for name, values in corpus.attributes.items()},
        issues=(*corpus.issues, Issue("singletons-added", f"{count} singletons added by heuristic", count)),
    )
    order = np.lexsort((-joined.end, joined.start, joined.doc))
    return joined.take(order)
