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
from ..corpus.model import Corpus, IntArray, Mention, Text
from ..errors import PLACES, InputError, Issue, UsageError, counted
from ..formats import FormatName, Input, read
from ..keywords import known_keywords
from ..matching.documents import PAIRED_BY_TEXT, pair
from ..matching.labels import By, labels_of, number_labels
from ..matching.matched import Matched
from ..metrics import select
from ..options import Options
from ..presentation import Presented
from ..scoring.scorer import Scorer, merge_issues
from ..scoring.scores import or_none
from ..scoring.settings import AgreementSettings, Metrics
from ..scoring.signature import Signature
from .reliability import Reliability

Floats: TypeAlias = npt.NDArray[np.float64]

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
class Agreement(Presented, Group):
    """The agreement of all documents, and of groups of them in `by`; `differences` lists all differences."""

    names: tuple[str, ...]
    adjudicated: str | None
    by: Mapping[str, Group]
    signature: str
    issues: Sequence[Issue]
    _matches: Mapping[tuple[int, int], Matched] = field(repr=False)

    @cached_property
    def differences(self) -> list[Disagreement]:
        """Differences of each annotator from the adjudicated version; without one, of each two annotators."""
        last = len(self.names) - 1
        pairs = [(a, b) for a, b in self._matches if self.adjudicated is None or b == last]
        return [difference for a, b in pairs for difference in self._differences(a, b)]

    def _differences(self, a: int, b: int) -> Iterator[Disagreement]:
        matched = self._matches[a, b]
        alignment = matched.alignment
        for side, (has, lacks) in enumerate(((a, b), (b, a))):
            ours, theirs = (alignment.key, alignment.response)[:: -1 if side else 1]
            rows = (alignment.key_rows, alignment.response_rows)[side]
            origin, corpus = alignment.sides[side].origin, (matched.key, matched.response)[side]

            origins = np.where(rows >= 0, origin[rows] if len(origin) else -1, -1).tolist()
            for k in np.flatnonzero((ours >= 0) & (theirs < 0)).tolist():
                yield _disagreement(self.names[has], self.names[lacks], corpus, origins[k])
            both = np.flatnonzero((ours >= 0) & (theirs >= 0))
            both = both[np.lexsort((rows[both], ours[both]))]
            linked = ours[both[1:]] == ours[both[:-1]]
            for k in (np.flatnonzero(linked & (theirs[both[1:]] != theirs[both[:-1]])) + 1).tolist():
                yield _disagreement(self.names[has], self.names[lacks], corpus, origins[both[k]], origins[both[k - 1]])

    def to_dict(self) -> dict[str, Any]:
        """Everything but the differences, for JSON."""
        about: dict[str, Any] = {"names": list(self.names), "adjudicated": self.adjudicated}
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
    single = annotators[0] if len(annotators) == 1 and isinstance(annotators[0], Mapping) else annotators
    sources = named(single)
    people = len(sources)
    if people < 2:
        raise UsageError("agreement needs at least two annotators")
    last = None
    if adjudicated is not None:
        last = "adjudicated"
        if last in sources:
            raise UsageError("an annotator is named 'adjudicated', but this is the name of the final version")
        sources[last] = adjudicated
    settings: dict[str, Any] = {"metrics": metrics or "conll"} | options
    scorer = Scorer(next(iter(sources.values())), key_format=format, encoding=encoding, **settings)
    if scorer.options.singletons == "drop-response":
        raise UsageError("agreement has no response; use --singletons keep or drop")
    others = [read(source, format=format, encoding=encoding) for source in list(sources.values())[1:]]
    corpora, issues = _shared([scorer.key, *others], scorer.options)
    settings |= {"pair": None}  # they have the same names by now
    scorers = [Scorer(corpus, **settings) for corpus in corpora]
    # the first of two annotators is the key, as for `score`; the other direction has no suspicions of its own
    backwards = [Scorer(corpus, **{**settings, "no_common": "score"}) for corpus in corpora]
    every = {
        (a, b): (scorers if a < b else backwards)[a].match(corpora[b]) for a, b in permutations(range(len(corpora)), 2)
    }
    results = {(a, b): scorers[a].result(matched) for (a, b), matched in every.items()}
    matches = {(a, b): every[a, b] for a, b in combinations(range(len(corpora)), 2)}
    if scorer.options.duplicates == "perl" and any(matched.repeating for matched in matches.values()):
        # perl keeps a mention in two entities, but alpha needs one value per mention
        settings |= {"duplicates": "first"}
        scorers = [Scorer(corpus, **settings) for corpus in corpora]
        matches = {(a, b): scorers[a].match(corpora[b]) for a, b in matches}
        message = "alpha and the differences use the first copy of a repeated mention, unlike --duplicates perl"
        issues.append(Issue("duplicates", message))
    counts = {p: m.without_singletons.without_empty_rows() for p, m in matches.items()}
    pairs = {p: Reliability.of(p, counts) for p in counts}
    everyone = Reliability.of(range(people), counts)
    names = ("mentions", "conll") if metrics is None else tuple(select(metrics)[0])
    groups: dict[str, Group] = {}
    if by is not None:
        scores = {pair: result.group_by(by) for pair, result in results.items()}
        documents = results[0, 1].counts.documents
        codes = np.arange(len(documents)) if by == "document" else number_labels(labels_of(documents, by))[0]
        for k, label in enumerate(scores[0, 1]):
            its = {pair: groups_of[label] for pair, groups_of in scores.items()}
            groups[label] = _group(len(corpora), everyone, pairs, np.flatnonzero(codes == k), names, its)
    whole = _group(len(corpora), everyone, pairs, np.arange(len(everyone.units)), names, results)
    issues += _told(tuple(sources), corpora, results)
    return Agreement(
        whole.alpha, whole.mentions, whole.matrices, tuple(sources), last, groups,
        str(_signed(results[0, 1].signature, scorer.options)), issues, matches,
    )  # fmt: skip


def _signed(signature: Signature, options: Options) -> Signature:
    """The signature with the way in which the documents were paired, before they got the same names."""
    return replace(signature, options=replace(signature.options, pair=options.pair))


def _shared(corpora: Sequence[Corpus], options: Options) -> tuple[list[Corpus], list[Issue]]:
    """The corpora with the documents that all of them have, in the same order and under the same names."""
    first = corpora[0]
    settled = replace(options, extra="ignore")
    pairings = [pair(first, corpus, settled) for corpus in corpora[1:]]
    issues = [issue for _, found in pairings for issue in found if issue.code == PAIRED_BY_TEXT]
    rows = [np.arange(len(first.documents)), *(pairing.response_row for pairing, _ in pairings)]
    counts = np.bincount(np.concatenate([row[row >= 0] for row in rows]), minlength=len(first.documents))
    everywhere = np.flatnonzero(counts == len(corpora))
    if not len(everywhere):
        raise InputError("all annotators have no document in common", hint="compare annotators who share documents")
    number = np.full(len(first.documents) + 1, -1, dtype=np.int64)  # the last one serves row −1
    number[everywhere] = np.arange(len(everywhere))
    found, lonely = [], []
    for corpus, row in zip(corpora, rows, strict=True):
        new = number[row]
        lonely += [d.place or d.label for d, n in zip(corpus.documents, new.tolist(), strict=True) if n < 0]
        place = np.argsort(new, kind="stable")[np.count_nonzero(new < 0) :].tolist()
        documents = [
            corpus.documents[p]._replace(name=first.documents[d].name, part=first.documents[d].part)
            for p, d in zip(place, everywhere.tolist(), strict=True)
        ]
        mentions = np.argsort(new[corpus.doc], kind="stable") if len(corpus) else corpus.doc
        kept = corpus.take(mentions[np.count_nonzero(new[corpus.doc] < 0) :])
        texts = partial(_texts, corpus, place) if corpus.has_text else None
        found.append(replace(kept, documents=documents, doc=new[kept.doc], texts=texts))
    if lonely:
        message = f"{counted(lonely, 'document')} not annotated by everyone and left out"
        issues.append(Issue("missing-documents", message, len(lonely), tuple(lonely[:PLACES])))
    return found, issues


def _told(names: Sequence[str], corpora: Sequence[Corpus], results: Mapping[tuple[int, int], Any]) -> list[Issue]:
    """Notes on each annotator, reported once, and notes on each two, with the names of both."""
    own = dict.fromkeys(issue for corpus in corpora for issue in corpus.issues)
    found = list(own)
    seen: set[tuple[str, int]] = set()
    for a, b in combinations(range(len(corpora)), 2):
        for issue in results[a, b].issues:
            what, _, side = issue.code.rpartition("-")
            about = f"{names[a]} (as key) and {names[b]} (as response)"
            if what in ("duplicates", "empty"):  # it concerns only one of them
                person = a if side == "key" else b
                if (what, person) in seen:
                    continue
                seen.add((what, person))
                about = f"{names[person]} (as {side})"
            if issue not in own:
                found.append(replace(issue, message=f"{about}: {issue.message}"))
    return merge_issues(dict.fromkeys(found))


def _texts(corpus: Corpus, documents: list[int]) -> Text:
    return corpus.text.take(documents)


def _group(
    size: int,
    everyone: Reliability,
    pairs: Mapping[tuple[int, int], Reliability],
    blocks: IntArray,
    metrics: Sequence[str],
    scores: Mapping[tuple[int, int], Any],
) -> Group:
    matrices = {"alpha": np.full((size, size), np.nan)}
    for (a, b), reliability in pairs.items():
        matrices["alpha"][a, b] = matrices["alpha"][b, a] = reliability.alpha(blocks)
    for metric in metrics:
        matrices[metric] = np.full((size, size), np.nan)
        for (a, b), score in scores.items():
            its = score[metric]
            matrices[metric][a, b] = float(its.main) if its.defined() else np.nan
    return Group(everyone.alpha(blocks), int(everyone.units[blocks].sum()), matrices)


def _plain_group(group: Group) -> dict[str, Any]:
    """None instead of nan, which is on the diagonal and wherever a number is undefined."""
    matrices = {name: [[*map(or_none, row)] for row in matrix.tolist()] for name, matrix in group.matrices.items()}
    return {"alpha": or_none(group.alpha), "mentions": group.mentions, "matrices": matrices}
