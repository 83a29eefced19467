"""The systems by name, and the one function that resolves with any of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from ..corpus.candidates import apart, noun_phrases, with_spans
from ..corpus.model import Corpus
from ..corpus.trees import trees
from ..errors import InputError, Issue, UsageError, choose
from ..integers import bincount
from ..keywords import known_keywords
from . import baselines, lemma, mention_pair, oracle, passes, salience, sieve
from .analysis import read_phrases
from .detection import detected
from .lexicon import Words, lexicon
from .model import Model
from .parameters import NoSettings, settings_of
from .sharing import automatic_jobs, decided

SystemName: TypeAlias = Literal[
    "singletons",
    "one-entity",
    "pronouns-together",
    "exact-match",
    "head-match",
    "lemma",
    "sieve",
    "mention-pair",
    "salience",
    "oracle",
]
Mentions: TypeAlias = Literal["given", "phrases", "detected", "constituents"]
MENTIONS: dict[Mentions, str] = {
    "given": "the mentions of the input",
    "phrases": "noun phrases of its trees, and possessive pronouns",
    "detected": "mentions that the sieve's rules find in its trees or dependencies; singletons are left out",
    "constituents": "all constituents and words of its trees, for the oracle",
}
Over: TypeAlias = Callable[[Iterable[int]], Iterable[int]]
Answer: TypeAlias = tuple[Sequence[Hashable], tuple[Issue, ...]]  # a label for each row (None: left out), and issues


@dataclass(frozen=True, eq=False)
class Given:
    """What a system gets: a corpus whose mentions are entities of their own, and other data that it may use.

    over     iterates over the documents, and may show progress
    key      the key, for the oracle
    counts   words → how often male, female, neuter, plural: a number and gender table
    model    the model of a system that learns
    jobs     in how many processes documents may be resolved; 0 chooses the number
    """

    corpus: Corpus
    over: Over
    key: Corpus
    model: Model | None = None
    counts: Mapping[str, Sequence[int]] | None = None
    jobs: int = 1


@dataclass(frozen=True)
class Resolver:
    """A resolver: what it is, its paper, and its parameters."""

    about: str
    run: Callable[[Given, Any], Answer]
    settings: type = NoSettings
    cite: str = ""
    doc: str = ""
    training: type | None = None  # the parameters of training, if the system learns
    wide: bool = False  # its labels mean the same in all documents
    genders: bool = False  # it can use a number and gender table


def _baseline(name: baselines.BaselineName) -> Resolver:
    def run(given: Given, settings: object) -> Answer:
        return baselines.BASELINES[name](given.corpus), ()

    return Resolver(baselines.ABOUT[name], run, doc=baselines.__doc__ or "")


def _lemma(given: Given, settings: lemma.LemmaSettings) -> Answer:
    return lemma.lemma(given.corpus, settings)


def _sieve(given: Given, settings: sieve.SieveSettings) -> Answer:
    analysis = read_phrases(given.corpus, lexicon(settings.words), given.counts)
    decide = partial(sieve.sieve, settings=settings)
    return decided(decide, analysis, given.over, given.jobs or 1), analysis.without


def _mention_pair(given: Given, settings: mention_pair.MentionPairSettings) -> Answer:
    assert given.model is not None
    analysis = read_phrases(given.corpus, lexicon(given.model.words), given.counts)
    decide = partial(mention_pair.mention_pair, model=given.model, settings=settings)
    return decided(decide, analysis, given.over, given.jobs or automatic_jobs(given.corpus)), analysis.without


def _salience(given: Given, settings: salience.SalienceSettings) -> Answer:
    analysis = read_phrases(given.corpus, lexicon(settings.words), given.counts)
    decide = partial(salience.salience, settings=settings)
    return decided(decide, analysis, given.over, given.jobs or 1), analysis.without


def _oracle(given: Given, settings: Any) -> Answer:
    return oracle.oracle(given.corpus, given.key)


SYSTEMS: dict[SystemName, Resolver] = {
    "singletons": _baseline("singletons"),
    "one-entity": _baseline("one-entity"),
    "pronouns-together": _baseline("pronouns-together"),
    "exact-match": _baseline("exact-match"),
    "head-match": _baseline("head-match"),
    "lemma": Resolver(
        "mentions with the same head lemma are one entity, across documents",
        _lemma,
        lemma.LemmaSettings,
        "bugert2021",
        lemma.__doc__ or "",
        wide=True,
    ),
    "sieve": Resolver(
        "ten rules in order of their precision",
        _sieve,
        sieve.SieveSettings,
        "lee2011",
        f"{sieve.__doc__}\n{passes.__doc__}",
        genders=True,
    ),
    "mention-pair": Resolver(
        "a classifier of pairs of mentions, to be trained",
        _mention_pair,
        mention_pair.MentionPairSettings,
        "soon2001",
        mention_pair.__doc__ or "",
        mention_pair.TrainingSettings,
        genders=True,
    ),
    "salience": Resolver(
        "mentions attached to the most active representation",
        _salience,
        salience.SalienceSettings,
        "popescu1998",
        salience.__doc__ or "",
        genders=True,
    ),
    "oracle": Resolver("the best possible response with given mentions", _oracle, doc=oracle.__doc__ or ""),
}


@known_keywords
def resolve(
    corpus: Corpus,
    system: SystemName,
    mentions: Mentions = "given",
    *,
    parameters: Mapping[str, object] | None = None,
    key: Corpus | None = None,
    model: Model | None = None,
    counts: Mapping[str, Sequence[int]] | None = None,
    over: Over = lambda documents: documents,
    jobs: int = 1,
) -> Corpus:
    """The corpus with the entities that a system makes from its mentions. Repeated spans are one mention.

    mentions     which mentions: those of the input, or those found in its trees or dependencies
    parameters   the parameters of the system, name → value; `coreflens show SYSTEM` lists them
    key          for the oracle; by default the corpus itself
    model        the model of a system that learns: from `train`, or read with `read_model`
    counts       a number and gender table, words → how often male, female, neuter, plural
    over         iterates over the documents, and may show progress
    jobs         the number of processes; the result is always the same. 0 means one process per core for mention-pair
                 and long texts, else one. The baselines and the oracle always use one. A script with more processes
                 needs `if __name__ == "__main__":`, because each process loads it
    """
    choose(system, SYSTEMS, "system")
    choose(mentions, MENTIONS, "choice of mentions")
    if jobs < 0:
        raise UsageError(f"jobs must be a number of processes, or 0 to choose it automatically, not {jobs}")
    resolver = SYSTEMS[system]
    settings: object = settings_of(resolver.settings, parameters or {}, system)
    _check_data(system, key, model, counts)
    words: Words = getattr(settings, "words", "english") if model is None else model.words
    unresolved = candidates(corpus, mentions, words)
    labels, issues = resolver.run(Given(unresolved, over, key or corpus, model, counts, jobs), settings)
    response = _numbered(unresolved, labels, resolver.wide)
    if mentions == "detected" and system not in ("oracle", "singletons"):
        response = _without_singletons(response)
    return replace(response, issues=(*corpus.issues, *issues))


def _check_data(
    system: SystemName, key: Corpus | None, model: Model | None, counts: Mapping[str, Sequence[int]] | None
) -> None:
    """Raise a UsageError if a system lacks its model, or can't use what is given."""
    resolver = SYSTEMS[system]
    if resolver.training is not None and model is None:
        raise UsageError(f"{system} needs a model: train one with --train KEY --model FILE, then give --model FILE")
    if resolver.training is None and model is not None:
        raise UsageError(f"{system} does not learn, so it can't use a model")
    if counts is not None and not resolver.genders:
        users = ", ".join(name for name, known in SYSTEMS.items() if known.genders)
        raise UsageError(f"{system} does not use a number and gender table (--gender); these systems do: {users}")
    if key is not None and system != "oracle":
        raise UsageError(f"a key is for the oracle: {system} must not see it")


@known_keywords
def train(
    key: Corpus,
    system: SystemName,
    *,
    parameters: Mapping[str, object] | None = None,
    over: Over = lambda documents: documents,
) -> Model:
    """The model that a system learns from a key. `resolve` accepts it as `model`, and `write_model` saves it."""
    choose(system, SYSTEMS, "system")
    training = SYSTEMS[system].training
    if training is None:
        learners = ", ".join(name for name, known in SYSTEMS.items() if known.training is not None)
        raise UsageError(f"{system} can't be trained; these systems can: {learners}")
    return mention_pair.train(key, settings_of(training, parameters or {}, f"training {system}"), over)


def candidates(corpus: Corpus, mentions: Mentions, words: Words = "english") -> Corpus:
    """The mentions to resolve, each an entity of its own."""
    if mentions == "given":
        return apart(corpus)
    if mentions == "phrases":
        return _phrases(corpus)
    return _constituents(corpus) if mentions == "constituents" else detected(corpus, lexicon(words))


def _numbered(unresolved: Corpus, labels: Sequence[Hashable], wide: bool = False) -> Corpus:
    """The corpus with these entities, numbered over the corpus. Mentions without an entity are left out."""
    kept = np.array([row for row, label in enumerate(labels) if label is not None], dtype=np.int64)
    corpus = unresolved if len(kept) == len(labels) else unresolved.take(kept)
    # No id occurs in two documents: where entities may extend over several documents, the same id is the same entity.
    numbers: dict[Hashable, int] = {}
    entity = []
    for d, row in zip(corpus.doc.tolist(), kept.tolist(), strict=True):
        name = (-1 if wide else d, labels[row])
        entity.append(numbers.setdefault(name, len(numbers)))
    return replace(corpus, entity=np.array(entity, dtype=np.int64), labels=[str(i) for i in range(len(numbers))])


def _without_singletons(response: Corpus) -> Corpus:
    size = bincount(response.entity, minlength=len(response.labels))
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
        hint = "give a file with a parse column, or give its trees with --trees DIR"
        raise InputError("there are no trees in this corpus", file=corpus.source or None, hint=hint)
    words = np.flatnonzero(parsed.leaf >= 0)
    start, end = np.concatenate((parsed.start, words)), np.concatenate((parsed.end, words))
    doc = np.searchsorted(first, start, side="right") - 1
    return with_spans(corpus, doc, start - first[doc], end - first[doc])
