"""Ids of entities that may extend over documents: does an id mean the same entity in all documents, or do the ids
start again in each document?"""

from __future__ import annotations

import numpy as np

from ..corpus.model import Corpus
from ..errors import InputError
from ..formats import FORMATS
from ..options import Options


def local_ids(corpus: Corpus, what: str, options: Options) -> bool:
    """Whether the ids of a side are valid only within a document, although the scope is wider.

    `--ids global` takes them as they are. `--ids local` separates those that start again in every document. Without
    either, such a file is an InputError, because one number would stand for many entities.
    """
    if options.scope == "document" or options.ids == "global" or not starts_anew(corpus):
        return False
    if options.ids == "local":
        return True
    raise InputError(
        f"the ids of the {what} start again in every document, so equal ids do not mean the same entity, "
        f"but --scope {options.scope} would join them",
        file=corpus.source or None,
        hint="--ids local keeps the entities of each document apart, --ids global takes the ids as they are",
    )


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
    low, high = np.minimum.reduceat(entity, first), np.maximum.reduceat(entity, first)
    restarted = bool((low == low[0]).all() and (high - low == count - 1).all())
    return restarted and bool((count > 1).sum() > 1) and (len(count) > 2 or bool((count != count[0]).any()))
