"""A system that is retrained at each step of a sweep (Cai & Strube 2010, Figures 1 and 2).

In the paper, mentions that the key lacks are removed from the output of the mention tagger, and the resolver learns and
resolves with the mentions that are left. Here the mentions are those of the damaged response. For training, each has
the entity that the key gives it, and is alone if the key lacks it. No document is resolved by a model that has seen it:
the documents are divided into folds, and those of a fold are resolved by a model trained on the others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..corpus.model import Corpus
from ..errors import InputError, Issue, UsageError
from ..formats import concatenate
from ..matching.matched import Matched
from ..resolvers import SYSTEMS, SystemName, resolve, train

FOLDS = 5
MENTIONS_CHANGE = ("twinless", "drop", "add", "shift")  # kinds of damage after which there are other mentions


def check_retraining(system: SystemName, damage: str, key: Corpus) -> None:
    """Raise a UsageError if the system can't learn anything, or if nothing would change."""
    if system not in SYSTEMS or SYSTEMS[system].training is None:
        learners = ", ".join(name for name, known in SYSTEMS.items() if known.training is not None)
        raise UsageError(f"{system} can't be trained; systems that can: {learners}")
    if damage not in MENTIONS_CHANGE:
        kinds = ", ".join(MENTIONS_CHANGE)
        raise UsageError(f"a retrained system makes its own entities, so --damage must be one of {kinds}")
    if len({document.name for document in key.documents}) < 2:
        hint = "each document is resolved by a model that was trained on others"
        raise InputError("retraining needs at least two documents", file=key.source or None, hint=hint)


def retrained(matched: Matched, system: SystemName) -> Corpus:
    """The mentions of a response, resolved by a system that was trained on those of the other documents."""
    response = matched.response
    labelled = _labelled(matched)
    names = [document.name for document in response.documents]
    many = min(FOLDS, len(set(names)))
    fold_of = {name: place % many for place, name in enumerate(dict.fromkeys(names))}
    parts: dict[int, Corpus] = {}
    issues: dict[Issue, None] = {}
    for fold in range(many):
        here = [d for d, name in enumerate(names) if fold_of[name] == fold]
        rest = [labelled.only(d) for d, name in enumerate(names) if fold_of[name] != fold]
        model = train(concatenate(rest), system)
        resolved = resolve(concatenate([response.only(d) for d in here]), system, model=model)
        issues.update(dict.fromkeys(resolved.issues))
        parts |= {d: resolved.only(place) for place, d in enumerate(here)}
    # Steps are not files, so having nothing in common with the key is a result and not a mistake.
    whole = concatenate([parts[d] for d in range(len(names))])
    return replace(whole, source="", issues=tuple(issues))


def _labelled(matched: Matched) -> Corpus:
    """The response with the key's entities; mentions that the key lacks are alone."""
    ours, theirs = matched.alignment.origins
    response = matched.response
    entity = len(matched.key.labels) + np.arange(len(response), dtype=np.int64)
    both = (ours >= 0) & (theirs >= 0)
    entity[theirs[both]] = matched.key.entity[ours[both]]
    return replace(response, entity=entity, labels=range(len(matched.key.labels) + len(response)))
