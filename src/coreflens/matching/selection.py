"""Selection of mentions by conditions on entities, mentions or documents: `--only kind=event`, `--without type=PER`.

attributes.py says what can be asked. A mention that is left out leaves its entity, and an entity without mentions is
removed. An entity with one mention left is a singleton. What is left out is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..conditions import ALL, NONE, NOTHING, Condition, conditions, names
from ..corpus.model import Corpus
from ..errors import CoreflensError, InputError, Issue, UsageError, counted, did_you_mean
from ..integers import bincount
from ..options import CHOICES, Conditions, Options
from ..protocols import resolve
from .documents import blocks_of
from .filters import nested, nonreferring, reported
from .mentions import Side, number_entities

if TYPE_CHECKING:
    from .attributes import Valued
    from .optimal import Bools

NAMES = ("key", "response")


class Selected(NamedTuple):
    """Which mentions and which documents of a corpus meet the conditions."""

    mentions: Bools
    documents: Bools

    def of(self, corpus: Corpus) -> Corpus:
        """The corpus with only these, or the same corpus if these are all."""
        kept = corpus
        if not self.mentions.all():
            kept = corpus.take(np.flatnonzero(self.mentions))
            left = bincount(kept.entity, minlength=len(kept.labels)) > 0 if len(kept) else np.zeros(len(kept.labels))
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


def selected(
    corpora: Sequence[Corpus], options: Options, roles: Sequence[str] = NAMES
) -> tuple[list[Selected], list[Issue]]:
    """What the conditions select of each corpus, and the messages about it.

    Non-referring expressions that are left out have gone before, so entities are judged without them. Whether these
    expressions themselves are selected matters for annotations beside the entities, which they may belong to.
    """
    marked = [_left_out_before(corpus, options) for corpus in corpora]
    if not any(rows.any() for rows in marked):
        return _selected(corpora, options, roles)
    judged = [_without_values(corpus, rows) for corpus, rows in zip(corpora, marked, strict=True)]
    found, issues = _selected(judged, options, roles)
    themselves = _selected(corpora, options, roles)[0]
    both = zip(found, themselves, marked, strict=True)
    return [
        referring._replace(mentions=np.where(rows, other.mentions, referring.mentions))
        for referring, other, rows in both
    ], issues


def _left_out_before(corpus: Corpus, options: Options) -> Bools:
    """Which mentions `--without nonreferring` leaves out before the conditions are applied."""
    if "nonreferring" not in names(options.without):
        return np.zeros(len(corpus), dtype=bool)
    return nonreferring(Side.of(corpus, np.arange(len(corpus.documents))))


def _without_values(corpus: Corpus, rows: Bools) -> Corpus:
    """The corpus in which these mentions have no attributes, so that they do not count for their entities."""
    attributes = {
        name: ["" if gone else value for value, gone in zip(values, rows.tolist(), strict=True)]
        for name, values in corpus.attributes.items()
    }
    return replace(corpus, attributes=attributes)


def selected_values(attribute: str, corpora: Sequence[Corpus], options: Options) -> list[dict[str, int]]:
    """The values of an attribute among the selected mentions of each corpus, with their frequencies."""
    marked = [_left_out_before(corpus, options) for corpus in corpora]
    judged = [_without_values(c, rows) if rows.any() else c for c, rows in zip(corpora, marked, strict=True)]
    there = valued(attribute, judged, options)
    which = _selected(judged, options, NAMES[: len(judged)])[0] if asked(options) else None
    counts = []
    for side, (values, rows) in enumerate(zip(there, marked, strict=True)):
        stays = ~rows if which is None else ~rows & which[side].mentions
        counts.append(values.taken(np.flatnonzero(stays)).counts())
    return counts


def _selected(
    corpora: Sequence[Corpus], options: Options, roles: Sequence[str] = NAMES
) -> tuple[list[Selected], list[Issue]]:
    """What the conditions select of each corpus by its own attributes.

    If no corpus has an attribute or a value, or no mention is left, a UsageError lists the known ones. If one corpus
    lacks an attribute, that is an InputError with a remedy.
    """
    kept = [Selected(np.ones(len(c), dtype=bool), np.ones(len(c.documents), dtype=bool)) for c in corpora]
    issues: list[Issue] = []
    existing: list[str] = []  # the values that exist, for an error message
    for condition, wanted in asked(options):
        level, answers = _answers(condition, corpora, options)
        lacking = [role for role, answer in zip(roles, answers, strict=True) if answer is None]
        if lacking and not condition.optional:
            raise _lacks(condition, corpora, lacking, roles)
        if lacking:
            where = " and ".join(f"the {role}" for role in lacking)
            message = f"no attribute {condition.attribute} in {where}: all mentions count as {condition.values[0]}"
            issues.append(Issue("unselected", message, len(lacking)))
        existing.append(_check_values(condition, [answer for answer in answers if answer is not None]))
        for n, answer in enumerate(answers):
            if answer is not None:
                kept[n] = _narrowed(kept[n], corpora[n], level, _meets(condition, answer) == wanted)
    for role, corpus, of_corpus in zip(roles, corpora, kept, strict=True):
        issues += _told(role, corpus, of_corpus, options)
    if any(map(len, corpora)) and not any(of_corpus.mentions.any() for of_corpus in kept):
        raise UsageError(f"no mention is left with {spelled(options)} ({'; '.join(existing)})")
    return kept, issues


def _narrowed(selected: Selected, corpus: Corpus, level: str, meets: Bools) -> Selected:
    """What is left if a condition holds for some documents, or for some mentions."""
    if level == "document":
        return Selected(selected.mentions & meets[corpus.doc], selected.documents & meets)
    return selected._replace(mentions=selected.mentions & meets)


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
            if level == "document" and not len(corpus):  # a side without mentions lacks nothing
                answers.append(Valued(np.zeros(len(corpus.documents), dtype=np.int64), [NONE]))
                continue
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


def _told(role: str, corpus: Corpus, what: Selected, options: Options) -> Iterator[Issue]:
    """How many mentions are selected, and how many entities have one left."""
    if what.mentions.all() and what.documents.all():
        return
    entity = number_entities(blocks_of(corpus.documents, options.scope)[0][corpus.doc], corpus.entity)[0]
    before, after = bincount(entity), bincount(entity[what.mentions], minlength=int(entity.max(initial=-1)) + 1)
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
        (which,), issues = selected((corpus,), options, ("corpus",))
        corpus = which.of(corpus)
    for name, what, find in (
        ("nonreferring", "non-referring expression", nonreferring),
        ("nested", "nested mention", nested),
    ):
        if name in out:
            side = Side.of(corpus, np.arange(len(corpus.documents)))
            found = find(side)
            issues += reported(side, found, "corpus", what, name)
            corpus = Selected(~found, np.ones(len(corpus.documents), dtype=bool)).of(corpus)
    told = {"mixed-kinds"} if any(c.attribute.removeprefix("entity.") == "kind" for c, _ in asked(options)) else set()
    return replace(corpus, issues=(*(i for i in corpus.issues if i.code not in told), *issues))
