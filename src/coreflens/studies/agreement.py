"""How far annotators agree with each other, and with the adjudicated version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations, permutations
from typing import Any, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt

from ..corpora.naming import named
from ..corpus.model import Corpus, Document, IntArray, Mention, Text
from ..errors import PLACES, InputError, Issue, UsageError, counted
from ..exporting import Exported
from ..formats import FormatName, Input, read
from ..integers import bincount
from ..keywords import known_keywords
from ..matching.documents import PAIRED_BY_TEXT, pair
from ..matching.labels import By, labels_of, number_labels
from ..matching.matched import Matched
from ..metrics import select
from ..options import Options
from ..presentation import Presented
from ..scoring.result import Result
from ..scoring.scorer import Scorer, merge_issues
from ..scoring.scores import Scores, or_none
from ..scoring.settings import AgreementSettings, Metrics
from ..scoring.signature import Signature
from .reliability import Reliability

Floats: TypeAlias = npt.NDArray[np.float64]
Two: TypeAlias = tuple[int, int]  # the numbers of two versions, key and response
ADJUDICATED = "adjudicated"  # the name of the final version

# The columns of the differences of annotators.
DIFFERING = (
    *("place", "kind", "document", "mention", "words", "context", "entity"),
    *("linked to", "linked words", "at", "in", "not in"),
)


@dataclass(frozen=True, eq=False)
class Group:
    """The agreement of some documents, or of all: alpha of all annotators, and one matrix per measure.

    `matrices` has `alpha` (of each two) and the F1 of every metric. Rows are keys and columns are responses, with the
    adjudicated version last. The diagonal is nan, and so is 0/0.
    """

    alpha: float
    mentions: int
    matrices: Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A mention that only one annotator has, or a link from a mention to the one before it in its entity.

    A link is listed if both annotators have its two mentions but only one has them in one entity.
    """

    has: str
    lacks: str
    mention: Mention
    antecedent: Mention | None = None
    words: str = ""  # of the mention; empty where there is no text
    antecedent_words: str = ""
    context: str = ""  # the mention in brackets, among the words around it

    @property
    def kind(self) -> str:
        """`mention` or `link`."""
        return "mention" if self.antecedent is None else "link"


@dataclass(frozen=True, eq=False)
class Agreement(Presented, Exported, Group):
    """The agreement of all documents, and of groups of them in `by`; `differences` lists all differences."""

    names: tuple[str, ...]
    adjudicated: str | None
    by: Mapping[str, Group]
    signature: str
    issues: Sequence[Issue]
    _matches: Mapping[Two, Matched] = field(repr=False)

    @cached_property
    def differences(self) -> list[Disagreement]:
        """Differences of each annotator from the adjudicated version; without one, of each two annotators."""
        last = len(self.names) - 1
        pairs = [(a, b) for a, b in self._matches if self.adjudicated is None or b == last]
        return [difference for a, b in pairs for difference in self._differences(a, b)]

    def _differences(self, a: int, b: int) -> Iterator[Disagreement]:
        matched = self._matches[a, b]
        alignment = matched.alignment
        sides = (
            (a, b, matched.key, alignment.key, alignment.response, alignment.key_rows),
            (b, a, matched.response, alignment.response, alignment.key, alignment.response_rows),
        )
        for side, (has, lacks, corpus, own, others, rows) in enumerate(sides):
            origin = alignment.sides[side].origin
            origins = np.where(rows >= 0, origin[rows] if len(origin) else -1, -1).tolist()
            disagreement = partial(_disagreement, self.names[has], self.names[lacks], corpus)
            for k in np.flatnonzero((own >= 0) & (others < 0)).tolist():
                yield disagreement(origins[k])
            shared = np.flatnonzero((own >= 0) & (others >= 0))
            shared = shared[np.lexsort((rows[shared], own[shared]))]
            is_linked = own[shared[1:]] == own[shared[:-1]]
            is_cut = is_linked & (others[shared[1:]] != others[shared[:-1]])
            for k in (np.flatnonzero(is_cut) + 1).tolist():
                yield disagreement(origins[shared[k]], origins[shared[k - 1]])

    def to_dict(self) -> dict[str, Any]:
        """Everything but the differences, for JSON."""
        about: dict[str, object] = {"names": list(self.names), "adjudicated": self.adjudicated}
        groups = {"by": {label: _plain_group(group) for label, group in self.by.items()}} if self.by else {}
        issues = {"issues": [issue.to_dict() for issue in self.issues]}
        return about | _plain_group(self) | groups | {"signature": self.signature} | issues


def _disagreement(has: str, lacks: str, corpus: Corpus, row: int, before: int | None = None) -> Disagreement:
    mention = corpus.mention(row)
    antecedent = None if before is None else corpus.mention(before)
    if not corpus.has_text or mention.name is not None:
        return Disagreement(has, lacks, mention, antecedent)
    around = corpus.text.in_context(int(corpus.doc[row]), mention.start, mention.end)
    antecedent_words = "" if before is None else corpus.words(before)
    return Disagreement(has, lacks, mention, antecedent, corpus.words(row), antecedent_words, around)


@known_keywords
def agree(
    *annotators: Input | Mapping[str, Input],
    adjudicated: Input | None = None,
    by: By | None = None,
    metrics: Metrics | None = None,
    encoding: str | None = None,
    format: FormatName | None = None,
    **options: Unpack[AgreementSettings],
) -> Agreement:
    """The agreement of two or more annotators, given as paths (or `NAME=PATH`), clusters, or one mapping by name.

    It is the F1 of each two annotators by every metric (default: mentions and the CoNLL average), and Krippendorff's
    alpha with Passonneau's distance, of each two and of all. `adjudicated` is compared with each annotator, but does
    not count in the alpha of all. `by` adds groups of documents. Documents that someone lacks are left out, and a note
    says so.

        agree("ann.conll", "bob.conll", adjudicated="gold.conll").alpha
    """
    if options.get("extra") is not None:
        raise UsageError("documents that someone lacks are always left out of the agreement, so extra has no effect")
    sources, people = _sources(annotators, adjudicated)
    computed = metrics or "conll"
    scorer = Scorer(next(iter(sources.values())), metrics=computed, key_format=format, encoding=encoding, **options)
    if scorer.options.singletons == "drop-response":
        raise UsageError("agreement has no response; use --singletons keep or drop")
    others = [read(source, format=format, encoding=encoding) for source in list(sources.values())[1:]]
    corpora, issues = _shared([scorer.key, *others], scorer.options)
    options["pair"] = None  # they have the same names by now
    matches = _matches(corpora, computed, options)
    results = {(a, b): matcher.result(matched) for (a, b), (matcher, matched) in matches.items()}
    one_way = {(a, b): matches[a, b][1] for a, b in combinations(range(len(corpora)), 2)}
    if scorer.options.duplicates == "perl" and any(matched.repeating for matched in one_way.values()):
        one_way = _first_copies(corpora, computed, options)
        message = "alpha and the differences use the first copy of a repeated mention, unlike --duplicates perl"
        issues.append(Issue("duplicates", message))
    shown = ("mentions", "conll") if metrics is None else tuple(select(metrics)[0])
    measured = _Measured(len(corpora), people, one_way, shown)
    groups = {} if by is None else measured.by_group(results, by)
    whole = measured.all(results)
    issues += _notes(tuple(sources), corpora, results)
    return Agreement(
        whole.alpha,
        whole.mentions,
        whole.matrices,
        tuple(sources),
        None if adjudicated is None else ADJUDICATED,
        groups,
        str(_signed(results[0, 1].signature, scorer.options)),
        issues,
        one_way,
    )


def _sources(
    annotators: Sequence[Input | Mapping[str, Input]], adjudicated: Input | None
) -> tuple[dict[str, Input], int]:
    """The versions by name, the adjudicated one last, and how many annotators there are."""
    single = annotators[0] if len(annotators) == 1 and isinstance(annotators[0], Mapping) else annotators
    sources = named(single)
    people = len(sources)
    if people < 2:
        raise UsageError("agreement needs at least two annotators")
    if adjudicated is not None:
        if ADJUDICATED in sources:
            raise UsageError("an annotator is named 'adjudicated', but this is the name of the final version")
        sources[ADJUDICATED] = adjudicated
    return sources, people


def _matches(
    corpora: Sequence[Corpus], computed: Metrics, options: AgreementSettings
) -> dict[Two, tuple[Scorer, Matched]]:
    """Each two versions matched in both directions, with the scorer of the one that is the key."""
    scorers = [Scorer(corpus, metrics=computed, **options) for corpus in corpora]
    # the first of two annotators is the key, as for `score`; the other direction has no suspicions of its own
    unsuspicious: AgreementSettings = {**options, "no_common": "score"}
    backwards = [Scorer(corpus, metrics=computed, **unsuspicious) for corpus in corpora]
    matches = {}
    for a, b in permutations(range(len(corpora)), 2):
        scorer = scorers[a] if a < b else backwards[a]
        matches[a, b] = scorer, scorer.match(corpora[b])
    return matches


def _first_copies(corpora: Sequence[Corpus], computed: Metrics, options: AgreementSettings) -> dict[Two, Matched]:
    """Each two versions matched without repetitions: perl keeps a mention in two entities, but alpha needs one value
    per mention."""
    first_copies: AgreementSettings = {**options, "duplicates": "first"}
    scorers = [Scorer(corpus, metrics=computed, **first_copies) for corpus in corpora]
    return {(a, b): scorers[a].match(corpora[b]) for a, b in combinations(range(len(corpora)), 2)}


def _signed(signature: Signature, options: Options) -> Signature:
    """The signature with the way in which the documents were paired, before they got the same names."""
    return replace(signature, options=replace(signature.options, pair=options.pair))


def _shared(corpora: Sequence[Corpus], options: Options) -> tuple[list[Corpus], list[Issue]]:
    """The corpora with the documents that all of them have, in the same order and under the same names."""
    first = corpora[0]
    settled = replace(options, extra="ignore")
    pairings = [pair(first, corpus, settled) for corpus in corpora[1:]]
    issues = [issue for _, notes in pairings for issue in notes if issue.code == PAIRED_BY_TEXT]
    rows = [np.arange(len(first.documents)), *(pairing.response_row for pairing, _ in pairings)]
    counts = bincount(np.concatenate([row[row >= 0] for row in rows]), minlength=len(first.documents))
    everywhere = np.flatnonzero(counts == len(corpora))
    if not len(everywhere):
        raise InputError("all annotators have no document in common", hint="compare annotators who share documents")
    names = [first.documents[d] for d in everywhere.tolist()]
    new_number = np.full(len(first.documents) + 1, -1, dtype=np.int64)  # the last one serves row −1
    new_number[everywhere] = np.arange(len(everywhere))
    shared: list[Corpus] = []
    lonely: list[str] = []
    for corpus, row in zip(corpora, rows, strict=True):
        numbers = new_number[row]
        shared.append(_renumbered(corpus, numbers, names))
        left_out = [corpus.documents[d] for d in np.flatnonzero(numbers < 0).tolist()]
        lonely += [document.place or document.label for document in left_out]
    if lonely:
        message = f"{counted(lonely, 'document')} not annotated by everyone and left out"
        issues.append(Issue("missing-documents", message, len(lonely), tuple(lonely[:PLACES])))
    return shared, issues


def _renumbered(corpus: Corpus, numbers: IntArray, names: Sequence[Document]) -> Corpus:
    """The documents with these new numbers (−1: left out), under these names."""
    place = np.argsort(numbers, kind="stable")[np.count_nonzero(numbers < 0) :].tolist()
    documents = [
        corpus.documents[old]._replace(name=document.name, part=document.part)
        for old, document in zip(place, names, strict=True)
    ]
    rows = np.argsort(numbers[corpus.doc], kind="stable") if len(corpus) else corpus.doc
    kept = corpus.take(rows[np.count_nonzero(numbers[corpus.doc] < 0) :])
    texts = partial(_texts, corpus, place) if corpus.has_text else None
    return replace(kept, documents=documents, doc=numbers[kept.doc], texts=texts)


def _notes(names: Sequence[str], corpora: Sequence[Corpus], results: Mapping[Two, Result]) -> list[Issue]:
    """Notes on each annotator, reported once, and notes on each two, with the names of both."""
    own = dict.fromkeys(issue for corpus in corpora for issue in corpus.issues)
    notes = list(own)
    already_reported: set[tuple[str, int]] = set()
    for a, b in combinations(range(len(corpora)), 2):
        for issue in results[a, b].issues:
            kind, _, side = issue.code.rpartition("-")
            about = f"{names[a]} (as key) and {names[b]} (as response)"
            if kind in ("duplicates", "empty"):  # it concerns only one of them
                person = a if side == "key" else b
                if (kind, person) in already_reported:
                    continue
                already_reported.add((kind, person))
                about = f"{names[person]} (as {side})"
            if issue not in own:
                notes.append(replace(issue, message=f"{about}: {issue.message}"))
    return merge_issues(dict.fromkeys(notes))


def _texts(corpus: Corpus, documents: list[int]) -> Text:
    return corpus.text.take(documents)


class _Measured:
    """Makes the groups: alpha from the matches, the other measures from results."""

    def __init__(self, versions: int, people: int, matches: Mapping[Two, Matched], metrics: Sequence[str]) -> None:
        self._versions, self._metrics = versions, metrics
        counts = {two: matched.without_singletons.without_empty_rows() for two, matched in matches.items()}
        self._of_two = {two: Reliability.of(two, counts) for two in counts}
        self._of_all = Reliability.of(range(people), counts)

    def all(self, results: Mapping[Two, Result]) -> Group:
        """All documents."""
        return self._group(np.arange(len(self._of_all.units)), results)

    def by_group(self, results: Mapping[Two, Result], by: By) -> dict[str, Group]:
        """Groups of documents."""
        scores_by_group = {two: result.group_by(by) for two, result in results.items()}
        documents = results[0, 1].counts.documents
        codes = np.arange(len(documents)) if by == "document" else number_labels(labels_of(documents, by))[0]
        groups = {}
        for code, label in enumerate(scores_by_group[0, 1]):
            scores_of_group = {two: scores[label] for two, scores in scores_by_group.items()}
            groups[label] = self._group(np.flatnonzero(codes == code), scores_of_group)
        return groups

    def _group(self, documents: IntArray, scores: Mapping[Two, Scores]) -> Group:
        size = self._versions
        matrices = {"alpha": np.full((size, size), np.nan)}
        for (a, b), reliability in self._of_two.items():
            matrices["alpha"][a, b] = matrices["alpha"][b, a] = reliability.alpha(documents)
        for metric in self._metrics:
            matrices[metric] = np.full((size, size), np.nan)
            for (a, b), scores_of_two in scores.items():
                score = scores_of_two[metric]
                matrices[metric][a, b] = float(score.main) if score.defined() else np.nan
        return Group(self._of_all.alpha(documents), int(self._of_all.units[documents].sum()), matrices)


def _plain_group(group: Group) -> dict[str, object]:
    """None instead of nan, which is on the diagonal and wherever a number is undefined."""
    matrices = {name: [[*map(or_none, row)] for row in matrix.tolist()] for name, matrix in group.matrices.items()}
    return {"alpha": or_none(group.alpha), "mentions": group.mentions, "matrices": matrices}
