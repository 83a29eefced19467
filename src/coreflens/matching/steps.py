"""The steps from two corpora to matched mentions, in the order of `coreflens.order`.

Each step takes two sides and returns two sides: as corpora (`Given`) until documents are paired, then as mentions in
common places (`Paired`). A step reads only its own options, and sees only what the steps before it left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ..conditions import names
from ..corpus.model import Corpus, IntArray
from ..corpus.spans import over_sentence_borders
from ..errors import PLACES, InputError, Issue, UsageError, counted
from ..formats.shared.unread import Unread
from ..options import Options
from ..order import BY_NAME, STEPS
from .alignment import Alignment, aligned
from .comparable import common
from .documents import Pairing
from .documents import pair as pair_documents
from .duplicates import copies, resolved
from .filters import counted_as_mentions, has_others, nested, nonreferring, reported, without_verbs
from .identifiers import separated
from .matchers import HEADS, Matching, has_choice, head_places
from .matchers import run as run_matchers
from .mentions import Side, has_heads, number_entities, reconcile, with_heads
from .other_anaphora import OtherAnaphora
from .places import Common, divergence, matched
from .selection import NAMES, Selected, asked, selected, spelled
from .strings import STRING, are_strings, placed
from .words import Words

if TYPE_CHECKING:
    from .optimal import Bools
    from .splits import Sets

Sides: TypeAlias = tuple[Side, Side]
Codes: TypeAlias = tuple[IntArray, IntArray]
Issues: TypeAlias = tuple[Issue, ...]


class Given(NamedTuple):
    """Key and response before their documents are paired.

    `whole` are both as the step `ids` left them. Conditions look at these whole entities. `strict`: documents of
    unequal length are refused.
    """

    key: Corpus
    response: Corpus
    options: Options
    strict: bool
    issues: Issues = ()
    whole: tuple[Corpus, Corpus] | None = None

    @property
    def corpora(self) -> tuple[Corpus, Corpus]:
        return self.key, self.response


class Paired(NamedTuple):
    """The mentions of both sides, with their documents paired and their places in common.

    given      the corpora that they come from
    sides      the mentions that are left
    codes      two mentions have the same code exactly if they are the same mention of the same document
    first      the sides as the step `pair` left them, without non-referring expressions if these are left out
    annotated  the words of all mentions before repetitions are judged, non-referring ones included
    sets       the split antecedents, where they count
    repeats    the mentions that went as repetitions, as rows of the corpora
    blocked    key mentions that count but can't be matched: repetitions under --duplicates perl
    emptied    the option that left a side without mentions, if one did
    """

    given: Given
    pairing: Pairing
    place: Common
    sides: Sides
    first: Sides
    issues: Issues = ()
    codes: Codes | None = None
    annotated: Words | None = None
    other_anaphora: OtherAnaphora | None = None
    sets: tuple[Sets | None, Sets | None] = (None, None)
    repeats: tuple[IntArray, IntArray] = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    blocked: IntArray | None = None
    emptied: tuple[str, str] = ("", "")
    alignment: Alignment | None = None

    @property
    def options(self) -> Options:
        return self.given.options

    def told(self, issues: Iterable[Issue]) -> Paired:
        """The same with more messages."""
        more = tuple(issues)
        return self._replace(issues=self.issues + more) if more else self

    def keeping(self, stays: tuple[Bools, Bools], option: str) -> Paired:
        """The mentions of both sides that stay. `option` is what makes the others go."""
        sides, codes, emptied = list(self.sides), list(self.codes or ()), list(self.emptied)
        for s, stay in enumerate(stays):
            if stay.all():
                continue
            rows = np.flatnonzero(stay)
            sides[s] = sides[s].keep(rows)
            if codes:
                codes[s] = codes[s][rows]
            if not len(rows):
                emptied[s] = option
        return self._replace(
            sides=(sides[0], sides[1]),
            codes=(codes[0], codes[1]) if codes else None,
            emptied=(emptied[0], emptied[1]),
        )


# Steps of two corpora


def read(given: Given) -> Given:
    """Both sides as they are scored: the layer, and the strings of an answer at their places in the text."""
    key, response = given.corpora
    if given.options.layer == "deixis":
        from ..formats.conllua import deixis

        key, response = deixis(key), deixis(response)
    issues: list[Issue] = []
    if are_strings(key, response):
        response, issues = placed(key, response, pair_documents(key, response, given.options)[0])
    return given._replace(key=key, response=response, issues=(*given.issues, *issues))


def ids(given: Given) -> Given:
    """Both sides with entities that are those of the scope."""
    key, response = given.corpora
    if given.options.scope != "document":
        key, response = (
            separated(corpus, name, given.options) for name, corpus in zip(NAMES, given.corpora, strict=True)
        )
    return given._replace(key=key, response=response, whole=(key, response))


def select(given: Given) -> Given:
    """The mentions and documents that meet the conditions. Non-referring expressions are left out when sides are made,
    because annotations beside the entities may need them."""
    if not asked(given.options):
        return given
    find = _by_each_side if given.options.on == "both" else _by_key
    (ours, theirs), issues = find(given)
    return given._replace(
        key=ours.of(given.key),
        response=theirs.of(given.response),
        issues=(*issues, *given.issues),
    )


def _by_each_side(given: Given) -> tuple[tuple[Selected, Selected], list[Issue]]:
    (ours, theirs), issues = selected(given.corpora, given.options)
    return (ours, theirs), issues


def _by_key(given: Given) -> tuple[tuple[Selected, Selected], list[Issue]]:
    """What the conditions select in the key. A response mention is kept if its key mention is.

    A response mention that matches no key mention is left out, because nothing is known about it.
    """
    key, response = given.corpora
    (ours,), issues = selected((key,), given.options, NAMES[:1])
    everything = replace(
        given.options,
        only="all",
        without="nonreferring" if "nonreferring" in names(given.options.without) else "none",
        on="both",
        excerpt="all",
        singletons="keep",
        duplicates="perl",
        multi="first",
        ids="global",  # the step `ids` is done
    )
    met = pass_through(Given(key, response, everything, given.strict))
    assert met.alignment is not None
    k, r = met.alignment.origins
    both = (k >= 0) & (r >= 0)
    stays = np.zeros(len(response), dtype=bool)
    stays[r[both]] = ours.mentions[k[both]]
    stays = _with_copies(response, stays, r)
    rows = met.pairing.response_row
    extra = len(met.pairing.documents) - len(ours.documents)
    documents = np.append(ours.documents, np.ones(extra, dtype=bool))[rows]
    documents |= rows < 0  # the step `pair` reports what happens to them
    if len(response) and not ours.mentions.any() and not stays.any():
        raise UsageError(f"no mention is left with {spelled(given.options)}")
    lonely = int((r[~both] >= 0).sum())
    if lonely:
        mentions = "mention" if lonely == 1 else "mentions"
        message = f"{lonely} response {mentions} without a matching key mention left out (--on key)"
        issues.append(Issue("selected-response", message, lonely))
    return (ours, Selected(stays, documents)), issues


def _with_copies(response: Corpus, stays: Bools, met: IntArray) -> Bools:
    """Repetitions, which the match left aside, stay if the mention that they repeat does."""
    aside = np.setdiff1d(np.arange(len(response)), met)
    if len(aside):
        spans = {(int(response.doc[row]), response.mention(row).identity) for row in np.flatnonzero(stays).tolist()}
        stays[aside] = [(int(response.doc[row]), response.mention(row).identity) in spans for row in aside.tolist()]
    return stays


# From corpora to sides


def pair(given: Given) -> Paired:
    """Documents paired, and the places of both sides made common."""
    key, response = given.corpora
    options = given.options
    pairing, found = pair_documents(key, response, options)
    _check_arrays(key, response, pairing)
    if STRING in response.attributes or (response.format == "inline" and not response.has_text):
        # strings are placed in the key's own text, and the spans of an answer without text count the key's tokens
        options = replace(options, align="none")
        given = given._replace(options=options)
    place = common(key, response, pairing, options, strict=given.strict)
    issues = [*found]
    if given.strict and options.match in ("head", "partial") and options.align == "none":
        issues += _check_words(key, response, pairing)
    if place.key is not key and options.match in HEADS:  # heads move with their mentions, other words do not
        from ..corpus.heads import with_heads as headed

        sides = [headed(c) if s in HEADS[options.match] else c for s, c in enumerate((key, response))]
        place = common(sides[0], sides[1], pairing, options, strict=given.strict)
    if given.strict and options.align == "none" and key.format == response.format == "conllu":
        from .sentences import other_sentences

        issues += other_sentences(key, response, pairing)
    sides_in_common = reconcile(
        Side.of(place.key, pairing.key_row, key), Side.of(place.response, pairing.response_row, response)
    )
    first = _only_referring(sides_in_common, options)
    return Paired(given, pairing, place, sides_in_common, first, (*issues, *place.issues))


def _only_referring(sides: Sides, options: Options) -> Sides:
    """The mentions that were selected, if non-referring expressions are left out."""
    marked = any(side.source is not None and side.source.attributes for side in sides)
    if not marked or "nonreferring" not in names(options.without):
        return sides
    ours, theirs = (side.keep(np.flatnonzero(~nonreferring(side))) for side in sides)
    return ours, theirs


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


# Steps of two sides


def excerpt(paired: Paired) -> Paired:
    """The mentions within the tokens of the excerpt. Tokens are those of each side's own text."""
    if paired.options.excerpt == "all":
        return paired
    first, last = map(int, paired.options.excerpt.split(":"))
    cut: list[Corpus] = []
    issues: list[Issue] = []
    for corpus, side in zip(paired.given.corpora, paired.sides, strict=True):
        rows = np.intersect1d(_within(corpus, first, last), side.origin)  # documents that take no part are gone
        mentions = counted(side.origin, "mention")
        message = f"tokens {first} to {last} of each document: {len(rows)} of {mentions} take part"
        issues.append(Issue("excerpt", message, places=(corpus.source,) if corpus.source else ()))
        cut.append(corpus.take(rows))
    again = pair(paired.given._replace(key=cut[0], response=cut[1]))
    emptied = [
        f"--excerpt {paired.options.excerpt}" if len(before.row) and not len(after) else ""
        for before, after in zip(paired.sides, cut, strict=True)
    ]
    return again._replace(first=paired.first, issues=(*paired.issues, *issues), emptied=(emptied[0], emptied[1]))


def _within(corpus: Corpus, first: int, last: int) -> IntArray:
    """The mentions from one token to another, counted from 1. Popescu-Belis & Robba (1998) score such a part of a
    text."""
    if corpus.names is not None and len(corpus):
        what = "an excerpt needs tokens, but mentions here are names"
        raise InputError(what, file=corpus.source or None, hint="--excerpt is for files with tokens")
    if corpus.unit == "character":
        raise InputError("an excerpt needs tokens, but mentions here count characters", file=corpus.source or None)
    return np.flatnonzero((corpus.start >= first - 1) & (corpus.end <= last - 1))


def zeros(paired: Paired) -> Paired:
    """The mentions that are not zeros, under --zeros drop."""
    if paired.options.zeros != "drop":
        return paired
    from .zeros import zeros as find

    stays, issues = [], []
    for side, name in zip(paired.sides, NAMES, strict=True):
        zero = find(side)
        dropped = np.flatnonzero(zero)
        if len(dropped):
            assert side.corpus is not None
            places = (side.corpus.mention(int(row)).place for row in side.origin[dropped[:PLACES]])
            message = f"{counted(dropped, 'zero')} of the {name} left out (--zeros drop)"
            issues.append(Issue(f"zeros-{name}", message, len(dropped), tuple(filter(None, places))))
        stays.append(~zero)
    return paired.keeping((stays[0], stays[1]), "--zeros drop").told(issues)


def repeats(paired: Paired) -> Paired:
    """Every mention once, unless repetitions count as in scorer.pl."""
    paired = _referring(identified(paired))
    options = paired.options
    issues: list[Issue] = []
    assert paired.codes is not None
    judged = copies(paired.codes, paired.sides, options, issues) if options.multi == "each" else paired.codes
    if options.duplicates == "perl":
        return paired.told(issues)
    ours, theirs, _ = resolved(judged, paired.sides, _moved(paired), options.duplicates, issues, paired.pairing.block)
    return _without_repeats(paired, (ours, theirs)).told(issues)


def _moved(paired: Paired) -> tuple[Corpus, Corpus]:
    return paired.place.key, paired.place.response


def _without_repeats(paired: Paired, stays: tuple[slice | IntArray, slice | IntArray]) -> Paired:
    """The rows of both sides that stay. The others are recorded as repetitions."""
    assert paired.codes is not None
    sides, codes, gone = list(paired.sides), list(paired.codes), list(paired.repeats)
    for s, rows in enumerate(stays):
        if isinstance(rows, slice):
            continue
        gone[s] = np.setdiff1d(sides[s].origin, sides[s].origin[rows])
        sides[s], codes[s] = sides[s].keep(rows), codes[s][rows]
    return paired._replace(sides=(sides[0], sides[1]), codes=(codes[0], codes[1]), repeats=(gone[0], gone[1]))


def identified(paired: Paired) -> Paired:
    """The sides with codes by which mentions are the same, with split antecedents and all other annotations."""
    options, sides = paired.options, paired.sides
    issues: list[Issue] = []
    sets: tuple[Sets | None, Sets | None] = None, None
    if options.split_antecedents == "keep" and any(corpus.relations for corpus in paired.given.corpora):
        from .splits import opened

        (one, our_sets, odd), (other, their_sets, more) = (
            opened(side, paired.pairing.block, name) for side, name in zip(sides, NAMES, strict=True)
        )
        sides, sets = (one, other), (our_sets, their_sets)
        issues += [*odd, *more]
    if options.match == "head" and any(has_heads(side.corpus) for side in sides):
        (ours, odd), (theirs, more) = (
            head_places(side, np.arange(len(side.row)), name, options) for side, name in zip(sides, NAMES, strict=True)
        )
        sides = replace(sides[0], head=ours), replace(sides[1], head=theirs)
        issues += [*odd, *more]
    words = Words(*sides, paired.place.ground)
    codes = with_heads(words.codes, *sides)
    if options.match == "mina":
        from .minimum import codes as minimum_spans

        codes, odd = minimum_spans(sides, paired.place.ground, codes)
        issues += odd
    pairing = paired.pairing
    other_anaphora = OtherAnaphora(words, pairing.block, (pairing.key_row, pairing.response_row))
    issues += other_anaphora.issues()
    found = paired._replace(sides=sides, codes=codes, annotated=words, other_anaphora=other_anaphora, sets=sets)
    return found.told(issues)


def _referring(paired: Paired) -> Paired:
    """The sides without non-referring expressions, if these are left out; otherwise they are reported."""
    if not any(side.source is not None and side.source.attributes for side in paired.sides):
        return paired
    leave_out = "nonreferring" in names(paired.options.without)
    issues: list[Issue] = []
    stays = []
    for side, name in zip(paired.sides, NAMES, strict=True):
        marked = nonreferring(side)
        stays.append(~marked)
        if leave_out:
            issues += reported(side, marked, name, "non-referring expression", "nonreferring")
        else:
            issues += counted_as_mentions(side, marked, name)
    if leave_out:
        paired = paired.keeping((stays[0], stays[1]), "--without nonreferring")
    return paired.told(issues)


def drop_before(paired: Paired) -> Paired:
    """The entities that have more than one mention, under --singletons drop-before."""
    if paired.options.singletons != "drop-before":
        return paired
    assert paired.codes is not None
    block = paired.pairing.block
    ours, theirs = (has_others(side, code, block) for side, code in zip(paired.sides, paired.codes, strict=True))
    return paired.keeping((ours, theirs), "--singletons drop-before")


def filters(paired: Paired) -> Paired:
    """The sides without verbs and without nested mentions, as coval leaves them out."""
    left_out = names(paired.options.without)
    if "verbs" in left_out:
        paired = _without_verbs(paired)
    if "nested" in left_out:
        paired = drop_before(_without_nested(paired))
    return paired


def _without_verbs(paired: Paired) -> Paired:
    from .minimum import verbal

    verbs = verbal(*paired.sides, paired.place.ground)
    issues: list[Issue] = []
    stays = []
    for side, verb, name in zip(paired.sides, verbs, NAMES, strict=True):
        entity = number_entities(paired.pairing.block[side.row], side.entity)[0]
        issues += reported(side, verb, name, "verb phrase", "verbs")
        stays.append(without_verbs(verb, entity))
    return paired.keeping((stays[0], stays[1]), "--without verbs").told(issues)


def _without_nested(paired: Paired) -> Paired:
    inner = [nested(side) for side in paired.sides]
    issues: list[Issue] = []
    for side, found, name in zip(paired.sides, inner, NAMES, strict=True):
        issues += reported(side, found, name, "nested mention", "nested")
    return paired.keeping((~inner[0], ~inner[1]), "--without nested").told(issues)


def match(paired: Paired) -> Paired:
    """Mentions matched one to one. Repetitions under --duplicates perl are treated here, as scorer.pl does."""
    issues: list[Issue] = []
    if paired.options.duplicates == "perl":
        assert paired.codes is not None
        ours, theirs, blocked = resolved(
            paired.codes, paired.sides, _moved(paired), "perl", issues, paired.pairing.block
        )
        paired = _without_repeats(paired, (ours, theirs))._replace(blocked=blocked)
    matching = matching_of(paired)
    assert paired.annotated is not None and paired.other_anaphora is not None
    alignment, more = aligned(
        matching, paired.pairing, paired.options, paired.other_anaphora, paired.annotated, paired.sets, paired.repeats
    )
    return paired._replace(alignment=alignment).told([*issues, *matching.issues, *more])


def matching_of(paired: Paired) -> Matching:
    """The mentions that are left, matched."""
    assert paired.codes is not None
    options = paired.options
    if options.ties != "definition" and not has_choice(options, paired.given.corpora):
        needed = "--match head, partial, share, min or craft, --multi each, or files with empty nodes"
        raise UsageError(f"--ties {options.ties} has no effect here: it needs {needed}")
    ground, block = paired.place.ground, paired.pairing.block
    matching = Matching(*paired.sides, paired.codes, options, ground, block, paired.blocked)
    run_matchers(matching)
    return matching


RUN: dict[str, Callable[[Any], Any]] = {
    "read": read,
    "ids": ids,
    "select": select,
    "pair": pair,
    "excerpt": excerpt,
    "zeros": zeros,
    "repeats": repeats,
    "drop-before": drop_before,
    "filters": filters,
    "match": match,
}
_PASS = [RUN[step.name] for step in STEPS[: BY_NAME["match"].number]]


def pass_through(given: Given) -> Paired:
    """All steps up to the match."""
    sides: Any = given
    for step in _PASS:
        sides = step(sides)
    found: Paired = sides
    return found


def common_at_first(paired: Paired) -> int:
    """How many mentions the sides have in common as the step `pair` left them, before options left anything out."""
    first = identified(paired._replace(sides=paired.first, codes=None, blocked=None))
    return int(np.count_nonzero(matching_of(first).found >= 0))
