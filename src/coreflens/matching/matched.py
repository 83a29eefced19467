"""A key and a response, matched once, for all code that reports on them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..corpus.model import Corpus
from ..errors import InputError, Issue, UsageError
from ..files.boundary import refuse_links_to_the_key
from ..options import Options
from .alignment import Alignment
from .documents import Pairing
from .matchers import BY
from .places import other_text
from .selection import NAMES, asked
from .steps import Given, Paired, common_at_first, pass_through
from .strings import ANSWERS, STRING, nowhere
from .suspicions import CONVENTIONS, shifted, suspicions
from .twinless import POLICIES

if TYPE_CHECKING:
    from .reproduction import Kept


class Counted(Protocol):
    """What a metric declares about the mentions that it counts."""

    @property
    def mention_detection(self) -> bool:
        """Singletons count, whatever the options are."""

    @property
    def twinless(self) -> str:
        """The name of its policy for twinless mentions."""

    @property
    def e2e(self) -> str:
        """Its own policy for singletons, under `--singletons e2e`."""


@dataclass(frozen=True, eq=False)
class Matched:
    """A key and a response with their documents paired and their mentions matched, and the messages about this.

    `kept` records what is left of the key's text, if some of it is lost or a language model wrote the response.
    `unselected` are key and response before anything was selected, with the entities of the scope.
    """

    key: Corpus
    response: Corpus
    pairing: Pairing
    alignment: Alignment
    options: Options
    issues: tuple[Issue, ...] = ()
    kept: Kept | None = None
    unselected: tuple[Corpus, Corpus] | None = None
    # the alignment for coreference metrics, by the policy for singletons
    _coreference: dict[str, Alignment] = field(default_factory=dict, init=False, repr=False)

    def whole(self, what: str) -> None:
        """Refuse windows, which only scores support."""
        if self.options.window != "all":
            raise UsageError(f"{what} needs whole documents: --window {self.options.window} is only for scores")

    @property
    def repeating(self) -> bool:
        """Whether a mention occurs more than once on a side, and repetitions count as in scorer.pl."""
        return self.options.duplicates == "perl" and self.alignment.repeating

    @cached_property
    def without_singletons(self) -> Alignment:
        """The alignment where the singletons that the options drop belong to no entity; every row stays."""
        return self._without(self.options.singletons)

    def _without(self, policy: str) -> Alignment:
        if policy in ("keep", "drop-before", "e2e"):  # drop-before has already removed them
            return self.alignment
        return self.alignment.without_singletons(key=policy == "drop", response=True)

    def rearranged(self, alignment: Alignment, key: bool = False) -> Matched:
        """The same with other response entities. Under `drop-before`, entities that now have one mention are removed.

        `key`: the entities of the key are also replaced.
        """
        if self.options.singletons == "drop-before":
            alignment = alignment.without_singletons(key=key, response=True).without_empty_rows()
        return replace(self, alignment=alignment)

    @cached_property
    def _detected(self) -> Alignment:
        """Every mention once: scorer.pl counts each span that it finds only once, even if it occurs several times."""
        both = (self.alignment.key >= 0) & (self.alignment.response >= 0)
        order = np.argsort(~both, kind="stable")
        once = order[np.unique(self.alignment.mention[order], return_index=True)[1]]
        again = np.setdiff1d(np.arange(len(both)), once)
        key, response = self.alignment.key.copy(), self.alignment.response.copy()
        key[again] = response[again] = -1
        return replace(self.alignment, key=key, response=response).without_empty_rows()

    def pairs(self) -> list[dict[str, Any]]:
        """The matched mentions in the order of the key: document, spans of both, and the rule by which they matched."""
        matching = self.alignment.matching
        rows = np.flatnonzero(matching.found >= 0)
        rows = rows[np.argsort(matching.found[rows], kind="stable")]
        sides = ((self.key, matching.key, matching.found[rows]), (self.response, matching.response, rows))
        ours, theirs = ([corpus.mention(int(p)) for p in side.origin[at].tolist()] for corpus, side, at in sides)
        return [
            {"document": k.document.label, "key": k.identity, "response": r.identity, "by": BY[by]}
            for k, r, by in zip(ours, theirs, matching.by[rows].tolist(), strict=True)
        ]

    def scored(self, metric: Counted) -> Alignment:
        """The alignment for a metric, before its policy for twinless mentions."""
        if metric.mention_detection:
            return self._detected if self.repeating else self.alignment
        policy = metric.e2e if self.options.singletons == "e2e" else self.options.singletons
        if policy not in self._coreference:
            whole = self.without_singletons if policy == self.options.singletons else self._without(policy)
            self._coreference[policy] = whole.without_empty_rows()
        return self._coreference[policy]

    def halves(self, metric: Counted) -> tuple[Alignment, Alignment]:
        """What a metric is computed on, for recall and for precision. Both are the same alignment if one is enough."""
        return POLICIES[metric.twinless](self.scored(metric))


def match(
    key: Corpus, response: Corpus, options: Options, *, strict: bool | None = None, lenient: bool = False
) -> Matched:
    """Key and response after all steps up to the match, which are listed in `coreflens.order`.

    strict    documents of unequal length are refused. This is the default if both sides are files
    lenient   for a report on how two inputs fit, not for scores: likely mistakes are not searched for, and sides that
              are empty or have no mention in common are accepted
    """
    files = bool(key.source and response.source)
    if files:
        refuse_links_to_the_key(_files(key), _files(response))
    paired = pass_through(Given(key, response, options, files if strict is None else strict))
    key, response = paired.given.corpora
    issues = _told(paired)
    left, strings_lost = None, nowhere(response)
    lost_words = paired.place.kept is not None or not paired.pairing.complete or strings_lost is not None
    if lost_words or response.format in ANSWERS:
        from .reproduction import kept, other_words

        left = kept(key, response, paired.pairing, paired.place, strings_lost)
        issues += other_words(key, left, paired.options)
    if not lenient:
        issues += _checked(paired, files)
    assert paired.alignment is not None and paired.given.whole is not None
    return Matched(
        key,
        response,
        paired.pairing,
        paired.alignment,
        paired.options,
        tuple(issues),
        left,
        paired.given.whole,
    )


def _files(side: Corpus) -> set[str]:
    """The paths that a side was read from, as far as they are known."""
    return {side.source, *(document.file for document in side.documents)}


def _told(paired: Paired) -> list[Issue]:
    """The messages of reading and of the steps, without those that a later step has made superfluous."""
    given = paired.given
    superfluous = {"non-referring"}  # a step says what becomes of them
    if "kind" in {condition.attribute.removeprefix("entity.") for condition, _ in asked(given.options)}:
        superfluous.add("mixed-kinds")
    read = [issue for corpus in given.corpora for issue in corpus.issues if issue.code not in superfluous]
    return [*read, *given.issues, *paired.issues]


def _checked(paired: Paired, files: bool) -> list[Issue]:
    """Empty sides and likely mistakes. A response without any mention of the key is scored as 0, or refused.

    This is judged on what the step `pair` left. A side that later steps have emptied is empty, and that is reported.
    """
    key, response = paired.given.corpora
    alignment = paired.alignment
    assert alignment is not None
    issues = []
    for corpus, side in zip((key, response), NAMES, strict=True):
        if not len(corpus) and not _has_emptied(paired, side):
            places = (corpus.source,) if corpus.source else ()
            issues.append(Issue(f"empty-{side}", f"the {side} has no mentions at all", places=places))
    for side, option in zip(NAMES, paired.emptied, strict=True):
        if option:
            issues.append(Issue(f"empty-{side}", f"the {side} has no mentions left after {option}"))
    suspected = list(suspicions(key, response, paired.pairing, alignment)) if files else []
    if not files and not alignment.common:  # Python data that has nothing in common
        suspected = list(shifted(key, response, paired.pairing))
    ours, theirs = (len(side.row) for side in paired.first)
    if not ours or alignment.common:
        return issues + suspected
    if theirs and common_at_first(paired):
        if not any(paired.emptied):
            message = "no mention in common is left after the options, so every mention is twinless"
            issues.append(Issue("none-left", message))
        return issues + suspected
    return issues + _nothing_in_common(paired, suspected, files) + suspected


def _has_emptied(paired: Paired, side: str) -> bool:
    return bool(paired.emptied[NAMES.index(side)])


def _nothing_in_common(paired: Paired, suspected: list[Issue], files: bool) -> list[Issue]:
    """The message about sides that share no mention. It is an error if the options say so, or if something looks
    wrong."""
    key, response = paired.given.corpora
    of_key, of_response = (len(side.row) for side in paired.first)
    nothing = f"no mention in common: none of {of_response} response mentions is among {of_key} key mentions"
    refused = paired.options.no_common == "refuse"
    wrong = _looks_wrong(paired, suspected, files)
    if wrong or refused:
        hint = "--no-common score scores it as 0"
        raise InputError(nothing, file=response.source or None, hint=f"{wrong}; {hint}" if wrong else hint)
    if not of_response:
        return []
    if not files:
        return [Issue("twinless", "no mention in common: every mention is twinless")]
    if key.has_text and response.has_text:
        return [Issue("twinless", f"{nothing}; the words are the same, so every score is 0")]
    return [Issue("twinless", f"{nothing}: every mention is twinless")]


_OTHER_SPANS = "are these the same documents, with spans counted in the same way (from 0, ends inclusive)?"


def _other_names(paired: Paired) -> str:
    """What may be wrong where mentions are names, such as the ids of records. Empty if they are spans."""
    ours, theirs = (side.names for side in paired.first)
    if not ours or not theirs:
        return ""
    return f"are the mentions named in the same way? The key has {ours[0]!r:.60}, the response {theirs[0]!r:.60}"


def _looks_wrong(paired: Paired, suspected: list[Issue], files: bool) -> str:
    """What may be the mistake behind sides that share no mention; empty if nothing is wrong, or if the options say that
    it does not matter."""
    key, response = paired.given.corpora
    no_common = paired.options.no_common
    judges = files and no_common == "judge"
    if not judges and no_common != "refuse":
        return ""
    wrong = "; ".join(issue.message for issue in suspected if issue.code not in CONVENTIONS)
    if not judges or wrong:
        return wrong
    wrong = other_text(key, response, paired.pairing)
    same_words = key.has_text and (response.has_text or STRING in response.attributes)
    if not wrong and len(paired.first[1].row) and not same_words:
        return _other_names(paired) or _OTHER_SPANS
    return wrong
