"""Statistics of a corpus: the tables of corpus papers (Pradhan et al. 2011, Tables 2–4), sizes of entities, and more.

Entities are counted by document. Links are mentions − entities. Only written tokens count, so a zero has length 0. The
coreference rate is mentions per entity (Popescu-Belis & Robba 1998).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from ..corpus.heads import TYPES, categories, mention_types
from ..corpus.model import Corpus, Document, IntArray
from ..errors import Issue, UsageError, counted
from ..exporting import Exported
from ..formats import FormatName, Input, concatenate, read
from ..integers import bincount
from ..keywords import known_keywords
from ..matching.labels import By, labels_of, number_labels
from ..matching.places import written_before
from ..matching.selection import select
from ..options import Align, Conditions, Pair
from ..presentation import writer_of
from ..protocols import resolve
from .anaphora import anaphora
from .homonymy import Names, count_names
from .taggers import tagged

if TYPE_CHECKING:
    from ..paper.table import Table

Pool: TypeAlias = Literal["all", "ontonotes"]
BINS = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))


@dataclass(frozen=True)
class Figures:
    """Counts of one group of documents; None if the source does not have the data."""

    documents: int
    parts: int
    sentences: int | None
    tokens: int | None
    mentions: int
    entities: int
    singletons: int

    @property
    def links(self) -> int:
        return self.mentions - self.entities

    @property
    def rate(self) -> float | None:
        """Mentions per entity: the coreference rate; None if there are no entities."""
        return self.mentions / self.entities if self.entities else None


@dataclass(frozen=True)
class Description(Exported):
    """A corpus in figures: by group, sizes of entities, lengths of mentions, syntax; and a tagger's output on a key."""

    source: str
    unit: str
    groups: Mapping[str, Figures]
    total: Figures
    entity_sizes: Mapping[int, int]
    mention_lengths: Mapping[int, int]
    mention_types: Mapping[str, int] = field(default_factory=dict)
    categories: Mapping[str, int] = field(default_factory=dict)
    by_category: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # group → category → mentions
    containing: Mapping[str, int] = field(default_factory=dict)  # entities that contain a pronoun, a name, a verb
    anaphora: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # group → bridging anaphors, ... → number
    features: Mapping[str, int] = field(default_factory=dict)
    tagger: Mapping[str, object] = field(default_factory=dict)
    names: Names | None = None
    issues: Sequence[Issue] = ()

    def records(self) -> list[dict[str, Any]]:
        """One row per group of documents, and the total last."""
        groups = [*self.groups.items(), ("total", self.total)]
        return [
            {"group": label, **asdict(figures), "links": figures.links, "rate": figures.rate}
            for label, figures in groups
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON, with `links`."""
        plain = asdict(self) | {"issues": [issue.to_dict() for issue in self.issues]}
        for figures, counts in [*zip(self.groups.values(), plain["groups"].values(), strict=True)]:
            counts |= {"links": figures.links, "rate": figures.rate}
        if self.names is None:
            del plain["names"]
        else:
            plain["names"] |= {"homonymy": self.names.homonymy, "variation": self.names.variation}
        return plain | {"total": plain["total"] | {"links": self.total.links, "rate": self.total.rate}}

    def tables(self, *, bars: bool = True, commas: bool = True, rate: bool = False) -> dict[str, Table]:
        """Title → table, for all tables that the corpus has; with or without bars and commas in large numbers.

        `rate` adds the coreference rate of each group.
        """
        found: dict[str, Table] = writer_of(self).tables(self, bars=bars, commas=commas, rate=rate)
        return found


@known_keywords
def describe(
    *sources: Input,
    by: By | None = None,
    against: Input | None = None,
    format: FormatName | None = None,
    encoding: str | None = None,
    pair: Pair = "name",
    align: Align = "none",
    pool: Pool = "all",
    names: str | Sequence[str] | None = None,
    only: Conditions | None = None,
    without: Conditions | None = None,
) -> Description:
    """Statistics of files, directories or corpora together, by genre if names have one, or by another label.

    `against` is a key; then the mentions of the key that the corpus has are also counted. `pair` and `align` are as for
    `score`. `pool="ontonotes"` counts syntactic categories as corpus papers print them: all verbs as V*, rare ones as
    other. `names` are the columns of a table that make the name of a record; by default this is the column `name`, if
    there is one. `only` and `without` select mentions as they do for `score`.
    """
    if not sources:
        raise UsageError("describe: nothing to describe")
    if against is None and (pair, align) != ("name", "none"):
        raise UsageError("describe: pair and align need against, the key to compare with")
    corpora = [read(source, format=format, encoding=encoding) for source in sources]
    everything = concatenate(corpora)
    corpus = select(everything, only, without) if only or without else everything
    group, labels = number_labels(labels_of(corpus.documents, _usual_groups(corpus) if by is None else by))
    groups_of_corpora = np.split(group, np.cumsum([len(c.documents) for c in corpora])[:-1])
    figures_by_group = dict(zip(labels, _figures(corpus, group, len(labels)), strict=True))
    types = mention_types(corpus)
    category_of = pooled(categories(corpus), pool)
    issues = [*corpus.issues, *_twice(corpus), *_nothing(corpus)]
    tagger = None
    if against is not None:
        key = read(against, encoding=encoding, role="key")
        options = resolve(extra="ignore", pair=pair, align=align, only=only, without=without)[1]
        tagger = tagged(key, everything, options)
        issues += [issue for issue in tagger.issues if _is_new(issue, issues)]
    return Description(
        source=", ".join(filter(None, (c.source for c in corpora))),
        unit=corpus.unit,
        groups={} if labels == ["all"] else figures_by_group,
        total=_figures(corpus, np.zeros_like(group), 1)[0],
        entity_sizes=_counts(_entities(corpus)[1]),
        mention_lengths=_counts(_lengths(corpus)) if (corpus.start >= 0).all() else {},
        mention_types=_in_order(Counter(types)),
        categories={category: count for category, count in Counter(category_of).most_common() if category},
        by_category=_by_group(category_of, group[corpus.doc], labels),
        containing=_containing(corpus, types) if any(types) else {},
        anaphora=anaphora(corpora, groups_of_corpora, labels),
        features=_features(corpus),
        tagger={} if tagger is None else tagger.figures(),
        names=count_names(corpus, [names] if isinstance(names, str) else names),
        issues=issues,
    )


def _usual_groups(corpus: Corpus) -> By:
    """Genres, if the names of all documents have one; else all documents together."""
    if all("/" in document.name for document in corpus.documents):
        return "genre"
    return lambda _: "all"


def _is_new(issue: Issue, reported: Sequence[Issue]) -> bool:
    """Whether an issue of the comparison with a key is about the corpus, and was not reported before."""
    return issue not in reported and not issue.code.endswith("-response")


def _in_order(counts: Mapping[str, int]) -> dict[str, int]:
    """The types of mentions that occur, in the order of `TYPES`."""
    return {type_: counts[type_] for type_ in TYPES if counts.get(type_)}


def _figures(corpus: Corpus, group: IntArray, groups: int) -> list[Figures]:
    """The counts of each group; `group` has the group of each document."""

    def summed(of_documents: IntArray) -> list[int]:
        sums: list[int] = bincount(group, of_documents, groups).astype(np.int64).tolist()
        return sums

    entities, sizes = _entities(corpus)
    given = [document.tokens for document in corpus.documents]
    tokens = _tokens_of_documents(corpus)
    unknown = summed(np.array([size is None or corpus.unit != "token" for size in given], np.int64))
    sentences_of_documents = _sentences_of_documents(corpus)
    sentences = None if sentences_of_documents is None else summed(sentences_of_documents)
    names = {*zip(group.tolist(), (document.name for document in corpus.documents), strict=True)}
    documents = Counter(g for g, _ in names)
    counts = [summed(bincount(doc, minlength=len(given))) for doc in (corpus.doc, entities, entities[sizes == 1])]
    columns = zip(summed(np.ones(len(given), np.int64)), summed(tokens), unknown, *counts, strict=True)
    return [
        Figures(
            documents=documents[g],
            parts=parts,
            sentences=None if sentences is None else sentences[g],
            tokens=None if gaps else size,
            mentions=mentions,
            entities=distinct,
            singletons=single,
        )
        for g, (parts, size, gaps, mentions, distinct, single) in enumerate(columns)
    ]


def _tokens_of_documents(corpus: Corpus) -> IntArray:
    """The number of tokens of each document, without empty nodes; 0 if it is not known."""
    if corpus.has_text and corpus.unit == "token" and corpus.text.empty is not None:
        return np.diff(written_before(corpus.text)[corpus.text.first])
    return np.array([document.tokens or 0 for document in corpus.documents], np.int64)


def _sentences_of_documents(corpus: Corpus) -> IntArray | None:
    """The number of sentences of each document; None if it is unknown where a sentence ends."""
    if not corpus.has_text or corpus.unit != "token":
        return None
    numbers: IntArray = np.diff(np.searchsorted(corpus.text.sentences, corpus.text.first))
    return numbers if (numbers > 1).any() else None


def _entities(corpus: Corpus) -> tuple[IntArray, IntArray]:
    """The document of each entity, and its size. An entity is counted in each of its documents."""
    width = len(corpus.labels) + 1
    code, sizes = np.unique(corpus.doc * width + corpus.entity, return_counts=True)
    return code // width, sizes


def _lengths(corpus: Corpus) -> IntArray:
    if corpus.unit == "token" and corpus.has_text and corpus.text.empty is not None:
        offset, before = corpus.text.first[corpus.doc], written_before(corpus.text)
    else:
        offset, before = np.zeros_like(corpus.start), np.arange(int(corpus.end.max(initial=0)) + 2)
    lengths: IntArray = before[offset + corpus.end + 1] - before[offset + corpus.start]
    for row, pieces in corpus.parts.items():
        first = int(offset[row])
        lengths[row] = sum(int(before[first + end + 1] - before[first + start]) for start, end in pieces)
    return lengths


def _counts(numbers: IntArray) -> dict[int, int]:
    values, counts = np.unique(numbers, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


# The categories in the tables of corpus papers; all others are pooled.
_PRINTED = frozenset({"NP", "PRP", "PRP$", "NNP", "NML", "no constituent", ""})


def pooled(categories: Sequence[str], pool: Pool) -> list[str]:
    """Categories as they are, or with all verbs as `V*` and those that papers do not print as `other`."""
    if pool == "all":
        return list(categories)
    return [c if c in _PRINTED else "V*" if c.startswith("V") else "other" for c in categories]


def _by_group(categories: Sequence[str], group: IntArray, labels: Sequence[str]) -> dict[str, dict[str, int]]:
    """The categories of each group, if there are several groups and any category."""
    if len(labels) < 2 or not any(categories):
        return {}
    counts = Counter(zip(group.tolist(), categories, strict=True))
    order = [kind for kind, _ in Counter(categories).most_common() if kind]
    return {label: {kind: counts[g, kind] for kind in order if counts[g, kind]} for g, label in enumerate(labels)}


def _containing(corpus: Corpus, types: Sequence[str]) -> dict[str, int]:
    """Entities with a mention of these types: an entity with a verb is an event (Pradhan et al. 2011)."""
    code = corpus.doc * (len(corpus.labels) + 1) + corpus.entity
    found = {}
    for what in ("name", "pronoun", "verb"):
        chosen = np.array([t == what for t in types], dtype=bool)
        found[f"a {what}"] = len(np.unique(code[chosen]))
    return found


def _features(corpus: Corpus) -> dict[str, int]:
    from ..formats.shared.features import DIFFERS, held

    usual = {"words", "text", "spans", "names", "sentences", "documents", "document parts", "singletons", "labels"}
    found = {f: n for f, n in held(corpus).items() if f not in usual and not f.endswith(DIFFERS)}
    return {f: n for f, n in found.items() if not f.startswith("layer ")}


def _nothing(corpus: Corpus) -> Iterator[Issue]:
    if not len(corpus):
        yield Issue("no-mentions", "there are no mentions to describe")


def _twice(corpus: Corpus) -> Iterator[Issue]:
    """Documents that are counted twice, such as those with gold and predicted layers in one directory."""
    first: dict[str, Document] = {}
    again = [d for d in corpus.documents if first.setdefault(d.label, d) is not d]
    if again:
        others = {d.label for d in again}
        message = f"{counted(others, 'document')} more than once, such as {again[0].quoted}: counted each time"
        places = (place for d in (first[again[0].label], again[0]) if (place := d.place))
        yield Issue("duplicate-document", message, len(again), tuple(places))
