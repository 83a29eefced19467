"""The systems by name, and the one function that resolves with any of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from ..corpus.candidates import apart, noun_phrases, with_spans
from ..corpus.model import Corpus
from ..corpus.trees import trees
from ..errors import InputError, Issue, choose
from . import baselines, oracle, sieve
from .detection import detected
from .lexicon import lexicon
from .parameters import NoSettings, settings_of
from .reading import read_phrases

SystemName: TypeAlias = Literal[
    "singletons", "one-entity", "pronouns-together", "exact-match", "head-match", "sieve", "oracle"
]
Mentions: TypeAlias = Literal["given", "phrases", "detected", "constituents"]
MENTIONS: dict[Mentions, str] = {
    "given": "those of the input",
    "phrases": "noun phrases of its trees, and possessive pronouns",
    "detected": "what its trees or dependencies suggest, by the sieve's rules; entities of one mention are left out",
    "constituents": "all constituents and words of its trees, for the oracle",
}
Over: TypeAlias = Callable[[Iterable[int]], Iterable[int]]
Answer: TypeAlias = tuple[Sequence[Hashable], tuple[Issue, ...]]  # a label for each row, None to leave it out; reports


@dataclass(frozen=True, eq=False)
class Given:
    """What a system gets: a corpus whose mentions are entities of their own, and what it may ask for beside it.

    over     goes over the documents, and may show progress
    key      the truth, for the oracle
    counts   words → how often male, female, neuter, plural: a number and gender table
    """

    corpus: Corpus
    over: Over
    key: Corpus
    counts: Mapping[str, Sequence[int]] | None = None


@dataclass(frozen=True)
class System:
    """A resolver: what it is, its paper, and its parameters."""

    about: str
    run: Callable[[Given, Any], Answer]
    settings: type = NoSettings
    cite: str = ""
    doc: str = ""


def _baseline(name: baselines.BaselineName) -> System:
    def run(given: Given, settings: Any) -> Answer:
        return baselines.BASELINES[name](given.corpus), ()

    return System(baselines.ABOUT[name], run, doc=baselines.__doc__ or "")


def _sieve(given: Given, settings: sieve.SieveSettings) -> Answer:
    reading = read_phrases(given.corpus, lexicon(settings.words), given.counts)
    return sieve.sieve(reading, settings, given.over), reading.without


def _oracle(given: Given, settings: Any) -> Answer:
    return oracle.oracle(given.corpus, given.key)


SYSTEMS: dict[SystemName, System] = {
    "singletons": _baseline("singletons"),
    "one-entity": _baseline("one-entity"),
    "pronouns-together": _baseline("pronouns-together"),
    "exact-match": _baseline("exact-match"),
    "head-match": _baseline("head-match"),
    "sieve": System(
        "ten rules in order of their precision", _sieve, sieve.SieveSettings, "lee2011", sieve.__doc__ or ""
    ),
    "oracle": System("the best that can be had with the mentions at hand", _oracle, doc=oracle.__doc__ or ""),
}


def resolve(
    corpus: Corpus,
    system: SystemName,
    mentions: Mentions = "given",
    *,
    parameters: Mapping[str, Any] | None = None,
    key: Corpus | None = None,
    counts: Mapping[str, Sequence[int]] | None = None,
    over: Over = lambda documents: documents,
) -> Corpus:
    """The corpus with the entities that a system makes of its mentions; repeated spans are one mention.

    mentions     which ones: those given, or those found in its trees or dependencies
    parameters   of the system, name → value; `coreflens show SYSTEM` lists them
    key          for the oracle; by default the corpus itself
    counts       a number and gender table, words → how often male, female, neuter, plural
    over         goes over the documents, and may show progress
    """
    choose(system, SYSTEMS, "system")
    choose(mentions, MENTIONS, "choice of mentions")
    chosen = SYSTEMS[system]
    settings: Any = settings_of(chosen.settings, parameters or {}, system)
    found = candidates(corpus, mentions, getattr(settings, "words", "english"))
    labels, issues = chosen.run(Given(found, over, key or corpus, counts), settings)
    response = _numbered(found, labels)
    if mentions == "detected" and system not in ("oracle", "singletons"):
        response = _several(response)
    return replace(response, issues=(*corpus.issues, *issues))


def candidates(corpus: Corpus, mentions: Mentions, words: Any = "english") -> Corpus:
    """The mentions to resolve, each an entity of its own."""
    if mentions == "given":
        return apart(corpus)
    if mentions == "phrases":
        return _phrases(corpus)
    return _constituents(corpus) if mentions == "constituents" else detected(corpus, lexicon(words))


def _numbered(found: Corpus, labels: Sequence[Hashable]) -> Corpus:
    """The corpus with these entities, numbered over the corpus; without the mentions that have none."""
    kept = np.array([row for row, label in enumerate(labels) if label is not None], dtype=np.int64)
    found = found if len(kept) == len(labels) else found.take(kept)
    numbers: dict[Hashable, int] = {}
    # No id in two documents: where entities may extend over several, the same id is the same entity.
    named = ((d, labels[row]) for d, row in zip(found.doc.tolist(), kept.tolist(), strict=True))
    of = [numbers.setdefault(name, len(numbers)) for name in named]
    return replace(found, entity=np.array(of, dtype=np.int64), labels=[str(i) for i in range(len(numbers))])


def _several(response: Corpus) -> Corpus:
    """Without entities of one mention."""
    size = np.bincount(response.entity, minlength=len(response.labels))
    return response.take(np.flatnonzero(size[response.entity] > 1))


def _phrases(corpus: Corpus) -> Corpus:
    text, phrases = corpus.text, noun_phrases(corpus)
    tags = text.layers.get("pos") or []
    lone = np.array([i for i, tag in enumerate(tags) if tag in ("PRP$", "WP$")], dtype=np.int64)
    doc = np.searchsorted(text.first, lone, side="right") - 1
    place = lone - text.first[doc]
    return with_spans(
        corpus,
        np.concatenate((phrases.doc, doc)),
        np.concatenate((phrases.start, place)),
        np.concatenate((phrases.end, place)),
    )


def _constituents(corpus: Corpus) -> Corpus:
    parsed, first = trees(corpus), corpus.text.first
    if parsed is None:
        hint = "give a file with a parse column, or trees beside it: --trees DIR"
        raise InputError("there are no trees in this corpus", file=corpus.source or None, hint=hint)
    words = np.flatnonzero(parsed.leaf >= 0)
    start, end = np.concatenate((parsed.start, words)), np.concatenate((parsed.end, words))
    doc = np.searchsorted(first, start, side="right") - 1
    return with_spans(corpus, doc, start - first[doc], end - first[doc])
