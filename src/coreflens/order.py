"""The order of operations: the steps from two files to a number, with the options that each step reads.

A result is one pass through these steps. A step sees only what the steps before it left. `matching.steps` has the
functions of the steps from `read` to `match`, and runs them in the order of this list. `coreflens show order`, the page
of the options and the signature are made from it.
"""

from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    """One step: the options that it reads, what happens in it, and the codes of the notes that it may give."""

    number: int
    name: str
    options: tuple[str, ...]
    about: str
    reports: tuple[str, ...] = ()


def _numbered(*steps: tuple[str, tuple[str, ...], str, tuple[str, ...]]) -> tuple[Step, ...]:
    return tuple(Step(number, *step) for number, step in enumerate(steps, start=1))


STEPS = _numbered(
    (
        "read",
        ("key_format", "response_format", "encoding", "coref_column", "repair", "layer", "heads"),
        "Each side becomes mentions in the order of the text, with document, place, entity id and attributes. A side "
        "may have no mentions.",
        ("heads", "guessed-heads"),
    ),
    (
        "ids",
        ("scope", "ids"),
        "It is decided which mentions of a side are one entity. Every later step means these entities.",
        (),
    ),
    (
        "select",
        ("without", "only", "on"),
        "Non-referring expressions go first, then the other conditions are applied. A condition looks at whole "
        "entities, repetitions included. A mention that is not selected leaves its entity. A document that is not "
        "selected is gone on both sides, and in every mean.",
        (
            "selected-key",
            "selected-response",
            "unselected",
            "without-nonreferring-key",
            "without-nonreferring-response",
        ),
    ),
    (
        "pair",
        ("pair", "extra", "align", "no_common"),
        "Documents are paired, and their places are made common. What only the key has is empty in the response. "
        "--extra decides about documents that only the response has. It is judged here whether the sides have any "
        "mention in common.",
        ("extra-documents", "missing-documents", "paired-by-text", "non-referring-key", "non-referring-response"),
    ),
    (
        "excerpt",
        ("excerpt",),
        "On both sides, mentions that do not lie within these tokens of their document are gone.",
        ("excerpt",),
    ),
    (
        "zeros",
        ("zeros",),
        "With --zeros drop, the zeros of both sides are gone.",
        ("zeros-key", "zeros-response"),
    ),
    (
        "repeats",
        ("duplicates", "multi"),
        "One copy of a repeated mention stays on each side of a document. With --multi each, only copies within one "
        "entity are repetitions. With --duplicates perl, nothing happens yet: see the step `match`.",
        ("duplicates-key", "duplicates-response", "multi-key", "multi-response"),
    ),
    (
        "drop-before",
        ("singletons",),
        "With --singletons drop-before, entities that have one mention now are gone on both sides, for every number.",
        (),
    ),
    (
        "filters",
        ("without", "singletons"),
        "With --without verbs, verb phrases go, and the entities that have one mention after that. With --without "
        "nested, inner mentions go. Under --singletons drop-before, entities with one mention are removed once more.",
        ("without-verbs-key", "without-verbs-response", "without-nested-key", "without-nested-response"),
    ),
    (
        "match",
        ("match", "min_share", "ties", "zeros", "duplicates", "heads"),
        "Mentions are matched one to one. --duplicates perl treats repetitions here, as scorer.pl does.",
        ("scope", "empty-key", "empty-response", "none-left", "twinless"),
    ),
    (
        "window",
        ("window", "singletons"),
        "Documents are cut into windows at sentences of the key. A mention is in the window of its key mention. "
        "Entities are divided. Under --singletons drop-before, a part with one mention is gone.",
        ("long-window",),
    ),
    (
        "singletons",
        ("singletons",),
        "With drop, drop-response and e2e, entities with one mention are gone for coreference metrics, whether their "
        "mention is matched or not. Metrics that judge mentions keep every mention.",
        (),
    ),
    (
        "twinless",
        ("metrics",),
        "The policy in a metric's name (`bcub-sys`) adds or deletes mentions that only one side has.",
        (),
    ),
    (
        "counts",
        ("metrics", "blanc", "split_antecedents", "exact"),
        "Each metric is counted: one row per document, or per block of documents that --scope joins.",
        ("split-antecedents",),
    ),
    (
        "ratios",
        ("average", "undefined", "mean"),
        "Counts become R, P and F1. micro: rows are summed, then divided. macro: each number is a mean over the rows. "
        "A value that comes from 0/0 is left out of a mean, unless all of them do.",
        (),
    ),
    (
        "averages",
        ("weights",),
        "`conll` and `mela` are means of these F1s.",
        (),
    ),
    (
        "groups",
        ("by", "rpf"),
        "By labels of documents, the ratios and averages are computed again from some of the rows. By entity.NAME or "
        "mention.NAME, all steps from `select` on run again with one more condition. By entity.size, entity.spread or "
        "distance, the rows of the counts are divided. The line `all` is the result without groups.",
        (),
    ),
    (
        "statistics",
        ("bootstrap", "resamples", "interval", "confidence", "seed", "stratify", "unit", "against", "test"),
        "Rows of the counts are drawn at random, and ratios and averages are computed from them. The number beside an "
        "interval is that of the step `averages`.",
        (),
    ),
    (
        "gates",
        ("fail_under", "fail_if_worse"),
        "Numbers are compared with thresholds before they are rounded.",
        (),
    ),
    (
        "output",
        ("format", "digits", "signature", "width", "save_counts"),
        "Tables and files are written. This changes no number.",
        (),
    ),
)

BY_NAME = {step.name: step for step in STEPS}
# The options of the steps that make a number. A signature has those of them that are options of a result.
CHANGE_NUMBERS = frozenset(
    option for step in STEPS if step.number <= BY_NAME["averages"].number for option in step.options
)


def steps_of(option: str) -> tuple[Step, ...]:
    """The steps that read an option."""
    return tuple(step for step in STEPS if option in step.options)


def act_after(name: str) -> frozenset[str]:
    """The options that only steps after this one read."""
    number = BY_NAME[name].number
    until = {option for step in STEPS if step.number <= number for option in step.options}
    return frozenset(option for step in STEPS for option in step.options if option not in until)
