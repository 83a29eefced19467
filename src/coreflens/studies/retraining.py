"""A system that is trained anew at each step of a sweep (Cai & Strube 2010, Figures 1 and 2).

In the paper mentions that the key lacks are removed from what the mention tagger found, and the resolver learns and
resolves with what is left. Here the mentions are those of the damaged response. To learn from, each has the entity that
the key gives it, and is alone if the key lacks it. No document is resolved by a model that has seen it: the documents
are divided into folds, and those of a fold are resolved by what was learned from the others.
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
    """A UsageError where there is nothing to learn, or nothing would change."""
    if system not in SYSTEMS or SYSTEMS[system].training is None:
        learners = ", ".join(name for name, known in SYSTEMS.items() if known.training is not None)
        raise UsageError(f"{system} learns nothing; what can be trained anew: {learners}")
    if damage not in MENTIONS_CHANGE:
        kinds = ", ".join(MENTIONS_CHANGE)
        raise UsageError(f"a system that is trained anew makes its own entities: --damage is one of {kinds}")
    if len({document.name for document in key.documents}) < 2:
        hint = "each document is resolved by a model that was trained on others"
        raise InputError("training anew needs two documents or more", file=key.source or None, hint=hint)


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
        found = resolve(concatenate([response.only(d) for d in here]), system, model=model)
        issues.update(dict.fromkeys(found.issues))
        parts |= {d: found.only(place) for place, d in enumerate(here)}
    # Steps are not files, so that nothing in common with the key is a finding and no mistake.
    whole = concatenate([parts[d] for d in range(len(names))])
    return replace(whole, source="", issues=tuple(issues))


def _labelled(matched: Matched) -> Corpus:
    """The response with the key's entities; what the key lacks is alone."""
    ours, theirs = matched.alignment.origins
    response = matched.response
    entity = len(matched.key.labels) + np.arange(len(response), dtype=np.int64)
    both = (ours >= 0) & (theirs >= 0)
    entity[theirs[both]] = matched.key.entity[ours[both]]
    return replace(response, entity=entity, labels=range(len(matched.key.labels) + len(response)))
