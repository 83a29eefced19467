"""Selection of mentions: what is left out of both sides before mentions are matched, in this order.

    conditions     on entities, mentions or documents: `--only kind=event`, `--without type=PER` (see attributes.py)
    nonreferring   expressions that refer to nothing (`--without nonreferring`)
    singletons     entities of one mention (`--singletons drop-before`). A mention that occurs twice counts as one
    verbs          mentions whose tree is a VP, and the entities that have one mention after that (`--without verbs`)
    nested         mentions within another one of their entity and sentence (`--without nested`)

A mention that is left out leaves its entity, and an entity without mentions is removed. An entity with one mention left
is a singleton. The last two are filters of coval (Moosavi et al. 2019). Everything left out is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from ..conditions import ALL, NONE, NOTHING, Condition, conditions, names
from ..corpus.model import Corpus, IntArray
from ..errors import PLACES, CoreflensError, InputError, Issue, UsageError, counted, did_you_mean
from ..options import CHOICES, Conditions, Options
from ..protocols import resolve
from .documents import Pairing, blocks_of
from .mentions import Side, number_entities
from .places import Ground

if TYPE_CHECKING:
    from .attributes import Valued
    from .optimal import Bools

NAMES = ("key", "response")
NONREFERRING = {
    "referring": "no",
    "reference": "non_referring",
}  # attribute → its value; the second one is that of ARRAU in MMAX2
Sides: TypeAlias = tuple[Side, Side]
Codes: TypeAlias = tuple[IntArray, IntArray]


class Chosen(NamedTuple):
    """Which mentions and which documents of a corpus meet the conditions."""

    mentions: Bools
    documents: Bools

    def of(self, corpus: Corpus) -> Corpus:
        """The corpus with only these, or the same corpus if these are all."""
        kept = corpus
        if not self.mentions.all():
            kept = corpus.take(np.flatnonzero(self.mentions))
            left = np.bincount(kept.entity, minlength=len(kept.labels)) > 0 if len(kept) else np.zeros(len(kept.labels))
            whole = [r for r in kept.relations if all(e < 0 or left[e] for e in (r.source, r.target))]
            kept = replace(kept, relations=whole)
        return kept if self.documents.all() else kept.within(np.flatnonzero(self.documents))


def asked(options: Options) -> list[tuple[Condition, bool]]:
    """The conditions of the options: True if a mention has to meet the condition, False if it must not meet it."""
    only = [] if options.only == ALL else conditions(options.only)
    without = [] if options.without == NOTHING else conditions(options.without, CHOICES["without"])
    return [*((c, True) for c in only), *((c, False) for c in without)]


def spelled(options: Options) -> str:
    """The conditions as they are typed on the command line."""
    return " ".join(f"--{'only' if wanted else 'without'} {condition}" for condition, wanted in asked(options))


def chosen(
    corpora: Sequence[Corpus], options: Options, roles: Sequence[str] = NAMES
) -> tuple[list[Chosen], list[Issue]]:
    """What the conditions select of each corpus by its own attributes, and the messages about it.

    If no corpus has an attribute or a value, or no mention is left, a UsageError lists the known ones. If one corpus
    lacks an attribute, that is an InputError with a remedy.
    """
    found = [Chosen(np.ones(len(c), dtype=bool), np.ones(len(c.documents), dtype=bool)) for c in corpora]
    issues: list[Issue] = []
    held: list[str] = []  # the values that exist, for an error message
    for condition, wanted in asked(options):
        level, answers = _answers(condition, corpora, options)
        lacking = [role for role, corpus, answer in zip(roles, corpora, answers, strict=True) if answer is None]
        if lacking and condition.optional:
            message = f"no attribute {condition.attribute} in {' and '.join(f'the {role}' for role in lacking)}"
            issues.append(Issue("unselected", f"{message}: all mentions count as {condition.values[0]}", len(lacking)))
        elif lacking:
            raise _lacks(condition, corpora, lacking, roles)
        held.append(_check_values(condition, [answer for answer in answers if answer is not None]))
        for n, (corpus, answer) in enumerate(zip(corpora, answers, strict=True)):
            if answer is None:
                continue
            hit = _meets(condition, answer) == wanted
            if level == "document":
                found[n] = Chosen(found[n].mentions & hit[corpus.doc], found[n].documents & hit)
            else:
                found[n] = found[n]._replace(mentions=found[n].mentions & hit)
    for role, corpus, what in zip(roles, corpora, found, strict=True):
        issues += _told(role, corpus, what, options)
    if any(map(len, corpora)) and not any(what.mentions.any() for what in found):
        raise UsageError(f"no mention is left with {spelled(options)} ({'; '.join(held)})")
    return found, issues


def _answers(condition: Condition, corpora: Sequence[Corpus], options: Options) -> tuple[str, list[Valued | None]]:
    """The values of the mentions (or documents) of each corpus, None if it has no such attribute."""
    from .attributes import Valued, level_of, of_documents, unknown, values

    try:
        level, name = level_of(condition.attribute, corpora)
    except UsageError:
        if condition.optional:
            return "entity", [None] * len(corpora)
        raise unknown(condition.attribute, corpora, CHOICES["without"]) from None
    answers: list[Valued | None] = []
    failure: CoreflensError | None = None
    for corpus in corpora:
        try:
            if level == "document":
                answers.append(of_documents(corpus, name))
            else:
                block = blocks_of(corpus.documents, options.scope)[0] if level == "entity" else corpus.doc[:0]
                answer = values(corpus, level, name, block)
                nothing = Valued(corpus.doc, [NONE])
                answers.append(nothing if answer is None and not len(corpus) else answer)
        except CoreflensError as error:
            failure = error
            answers.append(None)
    if all(answer is None for answer in answers) and not condition.optional:
        raise failure or unknown(condition.attribute, corpora, CHOICES["without"])
    return level, answers


def valued(attribute: str, corpora: Sequence[Corpus], options: Options) -> list[Valued]:
    """The value of each mention of each corpus, or of each document. Errors are those of a selection by this
    attribute."""
    condition = Condition(attribute)
    _, answers = _answers(condition, corpora, options)
    lacking = [role for role, answer in zip(NAMES, answers, strict=False) if answer is None]
    if lacking:
        raise _lacks(condition, corpora, lacking, NAMES)
    return [answer for answer in answers if answer is not None]


def _lacks(condition: Condition, corpora: Sequence[Corpus], lacking: Sequence[str], roles: Sequence[str]) -> InputError:
    from .attributes import known, named

    corpus = corpora[roles.index(lacking[0])]
    values = condition.values or (NONE,)
    hint = (
        f"'{condition.attribute}?={values[0]}' keeps all mentions of a side that lacks it" if condition.values else ""
    )
    if lacking == ["response"]:
        hint = "; ".join(filter(None, ("--on key selects by the key alone", hint)))
    has = f"; it has {named(there)}" if (there := known(corpus)) else ""
    return InputError(
        f"the {lacking[0]} has no attribute {condition.attribute}{has}", file=corpus.source or None, hint=hint
    )


def _check_values(condition: Condition, answers: Sequence[Valued]) -> str:
    """Check that each value exists on some side. Returns the values that exist, for a message."""
    from .attributes import listed

    counts = [answer.counts() for answer in answers]
    there = next(filter(None, counts), {})
    strange = next((value for value in condition.values if not any(value in found for found in counts)), None)
    if strange is not None and there:
        meant = did_you_mean(strange, there)
        raise UsageError(f"nothing has {condition.attribute}={strange}{meant} (there are {listed(there)})")
    return f"{condition.attribute} has {listed(there)}"


def _meets(condition: Condition, answer: Valued) -> Bools:
    wanted = [value in condition.values if condition.values else value != NONE for value in answer.values]
    found: Bools = np.array(wanted, dtype=bool)[answer.number] if wanted else np.zeros(len(answer.number), dtype=bool)
    return found


def _told(role: str, corpus: Corpus, what: Chosen, options: Options) -> Iterator[Issue]:
    """How many mentions are selected, and how many entities have one left."""
    if what.mentions.all() and what.documents.all():
        return
    entity = number_entities(blocks_of(corpus.documents, options.scope)[0][corpus.doc], corpus.entity)[0]
    before, after = np.bincount(entity), np.bincount(entity[what.mentions], minlength=int(entity.max(initial=-1)) + 1)
    alone = int(((before > 1) & (after == 1)).sum())
    left = int(what.mentions.sum())
    message = f"{left} of {counted(corpus, 'mention')} of the {role} selected ({spelled(options)})"
    if alone:
        message += f"; {alone} {'entity has' if alone == 1 else 'entities have'} one mention left"
    yield Issue(f"selected-{role}", message, left)


def select(corpus: Corpus, only: Conditions | None = None, without: Conditions | None = None) -> Corpus:
    """A corpus with the mentions that meet the conditions, `--without nonreferring` and `nested` among them.

    An entity does not extend over documents. The issues of the corpus say what was left out.
    """
    options = resolve(only=only, without=without)[1]
    out = names(options.without)
    if "verbs" in out:
        raise UsageError("--without verbs compares key and response, so it is only for scores")
    issues: list[Issue] = []
    if asked(options):
        (which,), issues = chosen((corpus,), options, ("corpus",))
        corpus = which.of(corpus)
    for name, what, find in (
        ("nonreferring", "non-referring expression", nonreferring),
        ("nested", "nested mention", _nested),
    ):
        if name in out:
            side = Side.of(corpus, np.arange(len(corpus.documents)))
            found = find(side)
            issues += _left_out(side, found, "corpus", what, name)
            corpus = Chosen(~found, np.ones(len(corpus.documents), dtype=bool)).of(corpus)
    told = {"mixed-kinds"} if any(c.attribute.removeprefix("entity.") == "kind" for c, _ in asked(options)) else set()
    return replace(corpus, issues=(*(i for i in corpus.issues if i.code not in told), *issues))


def selected(
    sides: Sides, codes: Codes, pairing: Pairing, options: Options, ground: Ground
) -> tuple[Sides, Codes, list[Issue]]:
    """The sides and their codes with the selected mentions, and the messages about the others."""
    some = options.without != NOTHING or options.singletons == "drop-before"
    if not some and not any(side.source is not None and side.source.attributes for side in sides):
        return sides, codes, []
    issues: list[Issue] = []
    out = names(options.without)
    parts = []
    for name, side, code in zip(NAMES, sides, codes, strict=True):
        marked = nonreferring(side)
        if "nonreferring" in out:
            issues += _left_out(side, marked, name, "non-referring expression", "nonreferring")
            side, code = _kept(side, code, ~marked)
        else:
            issues += _counted(side, marked, name)
        if options.singletons == "drop-before":
            side, code = _kept(side, code, _plural(side, code, pairing))
        parts.append((side, code))
    if "verbs" in out:
        from .minimum import verbal

        found = verbal(parts[0][0], parts[1][0], ground)
        for s, name in enumerate(NAMES):
            side, code = parts[s]
            entity = number_entities(pairing.block[side.row], side.entity)[0]
            hit, left = _has(entity, found[s]), _per_entity(entity, ~found[s])
            issues += _left_out(side, found[s], name, "verb phrase", "verbs")
            parts[s] = _kept(side, code, ~found[s] & ~(hit & (left <= 1)))
    if "nested" in out:
        for s, name in enumerate(NAMES):
            side, code = parts[s]
            inner = _nested(side)
            issues += _left_out(side, inner, name, "nested mention", "nested")
            side, code = _kept(side, code, ~inner)
            if options.singletons == "drop-before":
                side, code = _kept(side, code, _plural(side, code, pairing))
            parts[s] = side, code
    return (parts[0][0], parts[1][0]), (parts[0][1], parts[1][1]), issues


def nonreferring(side: Side) -> Bools:
    """Which mentions are marked as referring to nothing."""
    found = np.zeros(len(side.row), dtype=bool)
    for attribute, value in NONREFERRING.items():
        marks = side.source.attributes.get(attribute) if side.source is not None else None
        if marks is not None and len(side.row):
            found |= np.array([mark == value for mark in marks], dtype=bool)[side.origin]
    return found


def _kept(side: Side, code: IntArray, keep: Bools) -> tuple[Side, IntArray]:
    if keep.all():
        return side, code
    rows = np.flatnonzero(keep)
    return side.keep(rows), code[rows]


def _plural(side: Side, code: IntArray, pairing: Pairing) -> Bools:
    """Which mentions belong to an entity that has another mention."""
    entity, block = number_entities(pairing.block[side.row], side.entity)
    if not len(entity):
        return np.zeros(0, dtype=bool)
    order = np.lexsort((code, entity))
    again = (np.diff(entity[order]) == 0) & (np.diff(code[order]) == 0)
    distinct = entity[order[np.append(True, ~again)]]
    several: Bools = np.bincount(distinct, minlength=len(block))[entity] > 1
    return several


def _per_entity(entity: IntArray, which: Bools) -> IntArray:
    """For each mention, how many of these mentions its entity has."""
    return np.bincount(entity, weights=which)[entity].astype(np.int64) if len(entity) else entity


def _has(entity: IntArray, which: Bools) -> Bools:
    return _per_entity(entity, which) > 0


def _nested(side: Side) -> Bools:
    """Mentions that lie within a longer one of their entity and sentence."""
    inner = np.zeros(len(side.row), dtype=bool)
    if side.names is not None or not len(side.row):
        return inner
    order = np.lexsort((-side.end, side.start, _sentence(side), side.entity, side.row))
    columns = (side.row, side.entity, _sentence(side))
    new = np.append(True, np.any([c[order][1:] != c[order][:-1] for c in columns], axis=0))
    group, end, start = np.cumsum(new), side.end[order], side.start[order]
    reach = group * (int(end.max()) + 1) + end
    widest = np.maximum.accumulate(reach)
    before = np.append(-1, widest[:-1])
    same = np.append(False, (start[1:] == start[:-1]) & (end[1:] == end[:-1]) & ~new[1:])
    within = ~new & (reach <= before)
    # the same span twice is not nesting: a repetition is treated like the first one
    first = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
    inner[order] = within[first]
    return inner


def _sentence(side: Side) -> IntArray:
    """The sentence in which each mention starts, if the source has sentences."""
    corpus = side.source
    if corpus is None or not corpus.has_text or corpus.unit != "token" or corpus.names is not None:
        return np.zeros(len(side.row), dtype=np.int64)
    text = corpus.text
    token = text.first[corpus.doc[side.origin]] + corpus.start[side.origin]
    return np.searchsorted(text.sentences, token, side="right")


def _left_out(side: Side, which: Bools, name: str, what: str, value: str) -> Iterator[Issue]:
    rows = np.flatnonzero(which)
    if len(rows):
        message = f"{counted(rows, what)} of the {name} left out (--without {value})"
        yield Issue(f"without-{value}-{name}", message, len(rows), _places(side, rows))


def _counted(side: Side, which: Bools, name: str) -> Iterator[Issue]:
    rows = which.nonzero()[0]
    if len(rows):
        message = f"{counted(rows, 'non-referring expression')} of the {name} counted as mentions"
        hint = "--without nonreferring, or --protocol ua, leaves them out"
        yield Issue(f"non-referring-{name}", f"{message}: {hint}", len(rows), _places(side, rows))


def _places(side: Side, rows: IntArray) -> tuple[str, ...]:
    assert side.source is not None
    found = (side.source.mention(int(row)).place for row in side.origin[rows[:PLACES]])
    return tuple(filter(None, found))
