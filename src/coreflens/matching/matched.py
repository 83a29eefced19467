"""A key and a response, matched once, for all code that reports on them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..corpus.model import Corpus
from ..corpus.spans import over_sentence_borders
from ..errors import PLACES, InputError, Issue, UsageError, counted
from ..formats.shared.unread import Unread
from ..options import Options
from .alignment import Alignment, align
from .documents import Pairing, pair
from .matchers import BY, HEADS
from .places import common, divergence, matched, other_text
from .selection import NAMES, Chosen, asked, chosen
from .strings import ANSWERS, STRING, are_strings, nowhere, placed
from .suspicions import suspicions
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
    """

    key: Corpus
    response: Corpus
    pairing: Pairing
    alignment: Alignment
    options: Options
    issues: tuple[Issue, ...] = ()
    kept: Kept | None = None
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
    """Pair the documents, make the spans comparable, and match the mentions.

    strict    documents of unequal length are refused. This is the default if both sides are files
    lenient   for a report on how two inputs fit, not for scores: likely mistakes are not searched for, and sides that
              are empty or have no mention in common are accepted
    """
    if options.layer == "deixis":
        from ..formats.conllua import deixis

        key, response = deixis(key), deixis(response)
    strings: list[Issue] = []
    if are_strings(key, response):
        response, strings = placed(key, response, pair(key, response, options)[0])
    whole, chosen_issues = (key, response), list[Issue]()
    if asked(options):
        key, response, chosen_issues = _chosen(key, response, options)
    files = bool(key.source and response.source)
    strict = files if strict is None else strict
    pairing, found = pair(key, response, options)
    found += strings
    _check_arrays(key, response, pairing)
    if STRING in response.attributes or (response.format == "inline" and not response.has_text):
        # strings are placed in the key's own text, and the spans of an answer without text count the key's tokens
        options = replace(options, align="none")
    place = common(key, response, pairing, options, strict=strict)
    if strict and options.match in ("head", "partial") and options.align == "none":
        found += _check_words(key, response, pairing)
    if place.key is not key and options.match in HEADS:  # heads move with their mentions, other words do not
        from ..corpus.heads import with_heads

        headed = [with_heads(c) if s in HEADS[options.match] else c for s, c in enumerate((key, response))]
        place = common(headed[0], headed[1], pairing, options, strict=strict)
    if strict and options.align == "none" and key.format == response.format == "conllu":
        from .sentences import other_sentences

        found += other_sentences(key, response, pairing)
    alignment, more = align(place, pairing, options, (key, response))
    told = {"non-referring"}  # `more` says what becomes of them
    if whole != (key, response) and "kind" in {c.attribute.removeprefix("entity.") for c, _ in asked(options)}:
        told.add("mixed-kinds")
    read = [i for i in (*key.issues, *response.issues) if i.code not in told]
    issues = [*read, *chosen_issues, *found, *place.issues, *more]
    left, strings_lost = None, nowhere(response)
    if place.kept is not None or not pairing.complete or strings_lost is not None or response.format in ANSWERS:
        from .reproduction import kept, other_words

        left = kept(key, response, pairing, place, strings_lost)
        issues += other_words(key, left, options)
    if not lenient:
        issues += _checked(key, response, pairing, alignment, options, files)
    return Matched(key, response, pairing, alignment, options, tuple(issues), left)


def _chosen(key: Corpus, response: Corpus, options: Options) -> tuple[Corpus, Corpus, list[Issue]]:
    """What the conditions select on both sides. With `--on key`, a response mention is kept if its key mention is.

    A response mention that matches no key mention is left out then, because nothing is known about it.
    """
    if options.on == "both":
        (ours, theirs), issues = chosen((key, response), options)
        return ours.of(key), theirs.of(response), issues
    (ours,), issues = chosen((key,), options, NAMES[:1])
    plain = replace(options, only="all", without="none", singletons="keep", duplicates="perl", on="both")
    found = match(key, response, plain, lenient=True)
    k, r = found.alignment.origins
    kept, met = np.zeros(len(response), dtype=bool), (k >= 0) & (r >= 0)
    kept[r[met]] = ours.mentions[k[met]]
    lonely = int((r[~met] >= 0).sum())
    aside = np.setdiff1d(np.arange(len(response)), r)  # repetitions: they follow the first of them
    if len(aside):
        spans = {(int(response.doc[row]), response.mention(row).identity) for row in np.flatnonzero(kept).tolist()}
        kept[aside] = [(int(response.doc[row]), response.mention(row).identity) in spans for row in aside.tolist()]
    rows = found.pairing.response_row
    documents = np.append(ours.documents, np.ones(len(found.pairing.documents) - len(ours.documents), dtype=bool))[rows]
    documents |= rows < 0  # `pair` reports what happens to them
    if lonely:
        message = (
            f"{lonely} response mention{'' if lonely == 1 else 's'} without a matching key mention left out (--on key)"
        )
        issues.append(Issue("selected-response", message, lonely))
    return ours.of(key), Chosen(kept, documents).of(response), issues


def _check_words(key: Corpus, response: Corpus, pairing: Pairing) -> list[Issue]:
    """Heads are words, so the written words of both sides have to be the same. They are compared where that is cheap.

    Mentions that extend over the end of a sentence are reported. CorefUD has no such mentions.
    """
    issues: list[Issue] = []
    if key.format != "conllu" or response.format != "conllu":
        return issues
    forms = [c.text.words.forms() if isinstance(c.text.words, Unread) else None for c in (key, response)]
    if None in forms or forms[0] != forms[1]:
        for k, r in matched(pairing).tolist():
            if first := divergence(key, response, k, r):
                file, _, line = first.response_place.rpartition(":")
                raise InputError(
                    f"the words of document {key.documents[k].quoted} differ: {first}",
                    file=file or response.documents[r].file or None,
                    line=int(line) if line.isdecimal() else None,
                    hint="make the response from the key's text; --align characters carries the mentions over, and "
                    "--match exact compares only places",
                )
    for corpus, what in ((key, "key"), (response, "response")):
        rows = over_sentence_borders(corpus)
        if len(rows):
            places = tuple(corpus.mention(int(row)).place for row in rows[:PLACES])
            message = f"{counted(rows, f'{what} mention')} over the end of a sentence, which corefud-scorer refuses"
            issues.append(Issue("sentence-border", f"{message}: scored like any other", len(rows), places))
    return issues


def _check_arrays(key: Corpus, response: Corpus, pairing: Pairing) -> None:
    """Label arrays of one document have a label for every mention, so they must have the same length."""
    if key.format != "python" or response.format != "python" or all(d.tokens is None for d in key.documents):
        return
    for k, r in matched(pairing).tolist():
        ours, theirs = key.documents[k].tokens, response.documents[r].tokens
        if ours is not None and theirs is not None and ours != theirs:
            where = f" of document {key.documents[k].quoted}" if key.documents[k].name else ""
            raise InputError(
                f"the key has {ours} labels{where}, and the response {theirs}",
                hint="an array has one label per mention, in the same order on both sides",
            )


def _checked(
    key: Corpus, response: Corpus, pairing: Pairing, alignment: Alignment, options: Options, files: bool
) -> list[Issue]:
    """Empty sides and likely mistakes. A response without any mention of the key is scored as 0, or refused."""
    issues = []
    for corpus, what in ((key, "key"), (response, "response")):
        if not len(corpus):
            places = (corpus.source,) if corpus.source else ()
            issues.append(Issue(f"empty-{what}", f"the {what} has no mentions at all", places=places))
    suspected = list(suspicions(key, response, pairing, alignment)) if files else []
    if not len(key) or alignment.common:
        return issues + suspected
    none = f"no mention in common: none of {len(response)} response mentions is among {len(key)} key mentions"
    wrong = "; ".join(why.message for why in suspected if why.code != "no-singletons")
    if files and options.no_common == "judge":
        wrong = wrong or other_text(key, response, pairing)
        if not wrong and len(response) and not (key.has_text and (response.has_text or STRING in response.attributes)):
            wrong = "are these the same documents, with spans counted in the same way (from 0, ends inclusive)?"
    elif options.no_common != "refuse":
        wrong = ""
    if wrong or options.no_common == "refuse":
        hint = f"{wrong}; " if wrong else ""
        raise InputError(none, file=response.source or None, hint=f"{hint}--no-common score scores it as 0")
    if len(response):
        done = "; the words are the same, so every score is 0" if files else ": every mention is twinless"
        issues.append(Issue("twinless", (none if files else "no mention in common") + done))
    return issues + suspected
