"""Ids of entities that may extend over documents: does an id mean the same entity in all documents, or do the ids
start again in each document?"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from ..corpus.model import Corpus, Relation
from ..errors import InputError
from ..formats import FORMATS
from ..integers import places
from ..options import Options
from .documents import blocks_of


def separated(corpus: Corpus, what: str, options: Options) -> Corpus:
    """The corpus with entities of the scope, which is wider than a document.

    `--ids local`: an id belongs to its document, so that an entity is never in two documents. `--ids global`: the ids
    are taken as they are. Without either, ids that seem to start again in each document are an InputError, because one
    number would stand for many entities.
    """
    if options.ids == "local":
        return _apart(corpus)
    if options.ids == "check" and starts_anew(corpus) and _joins_documents(corpus, options.scope):
        raise InputError(
            f"the ids of the {what} start again in every document, so equal ids do not mean the same entity, "
            f"but --scope {options.scope} would join them",
            file=corpus.source or None,
            hint="--ids local keeps the entities of each document apart, --ids global takes the ids as they are",
        )
    return corpus


def _joins_documents(corpus: Corpus, scope: str) -> bool:
    return len(blocks_of(corpus.documents, scope)[1]) < len(corpus.documents)


def _apart(corpus: Corpus) -> Corpus:
    """The corpus in which every document has its own entities. Their labels stay."""
    width = max(len(corpus.labels), 1)
    codes, entity = np.unique(corpus.doc * width + corpus.entity, return_inverse=True)
    labels = [corpus.labels[code % width] for code in codes.tolist()]
    number = {code: n for n, code in enumerate(codes.tolist())}
    relations: list[Relation] = []
    for relation in corpus.relations:
        mention, anchor = relation.mention, relation.anchor
        source = _renumbered(corpus, relation.source, mention if mention >= 0 else anchor, number, labels)
        target = _renumbered(corpus, relation.target, anchor if anchor >= 0 else mention, number, labels)
        relations.append(relation._replace(source=source, target=target))
    return replace(corpus, entity=entity.reshape(-1), labels=labels, relations=relations)


def _renumbered(corpus: Corpus, entity: int, row: int, number: dict[int, int], labels: list[Hashable]) -> int:
    """The new number of an entity of the document of a mention. Without a mention, of the first document that has the
    entity. An entity that has no mention there gets a number of its own."""
    if entity < 0:
        return entity
    width = max(len(corpus.labels), 1)
    if row >= 0:
        code = int(corpus.doc[row]) * width + entity
    else:
        code = next((known for known in number if known % width == entity), -1 - entity)
    if code not in number:
        number[code] = len(labels)
        labels.append(corpus.labels[entity])
    return number[code]


def starts_anew(corpus: Corpus) -> bool:
    """Whether a file's ids are numbers that run without a gap from the same first one in every document.

    This is not asked of formats whose ids are known to mean the same everywhere. Two documents of the same size, or
    with one entity each, are not evidence.
    """
    known = FORMATS.get(corpus.format)
    if not corpus.source or not known or getattr(known.module, "WIDE", False) or not len(corpus):
        return False
    labels = np.unique(corpus.entity)
    texts = [str(corpus.labels[label]) for label in labels.tolist()]
    if not all(text.isdecimal() and len(text) < 16 for text in texts):
        return False
    number = np.zeros(int(labels[-1]) + 1, dtype=np.int64)
    number[labels] = [int(text) for text in texts]
    doc, entity = np.unique(np.stack((corpus.doc, number[corpus.entity])), axis=1)
    first = np.flatnonzero(np.diff(doc, prepend=-1))
    count = np.diff(np.append(first, len(doc)))
    low, high = np.minimum.reduceat(entity, places(first)), np.maximum.reduceat(entity, places(first))
    restarted = bool((low == low[0]).all() and (high - low == count - 1).all())
    return restarted and bool((count > 1).sum() > 1) and (len(count) > 2 or bool((count != count[0]).any()))
