"""The options of an evaluation, and the named recipes that pin them.

A protocol sets every option; an explicit option wins, and the signature says so (`conll-2012+blanc:luo2014`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict

from .errors import UsageError, choose

# The values of each option, the default first. `CHOICES` says what they mean; a test keeps the two equal.
Match: TypeAlias = Literal["exact", "head-word"]
Duplicates: TypeAlias = Literal["first", "last", "error", "perl"]
Singletons: TypeAlias = Literal["keep", "drop", "drop-response"]
Blanc: TypeAlias = Literal["luo2014", "perl"]
Undefined: TypeAlias = Literal["zero", "nan", "popescu-belis"]
Average: TypeAlias = Literal["micro", "macro"]
Extra: TypeAlias = Literal["error", "ignore", "count"]
Scope: TypeAlias = Literal["document", "corpus", "genre"] | str | Path  # or a file with labels: see matching/labels.py
Pair: TypeAlias = Literal["name", "file"]
Align: TypeAlias = Literal["none", "characters"]
Ids: TypeAlias = Literal["check", "local", "global"]
NoCommon: TypeAlias = Literal["judge", "score", "refuse"]
Weights: TypeAlias = Mapping[str, float] | Iterable[tuple[str, float]] | str

ProtocolName: TypeAlias = Literal["default", "conll-2012", "conll-2011"]


@dataclass(frozen=True, slots=True)
class Options:
    """Every policy that changes a number, as it was settled for a result.

    `coreflens show NAME` and the reference page of the options say what each value means. The defaults are those of the
    protocol `default`.
    """

    match: Match = "exact"
    duplicates: Duplicates = "first"
    singletons: Singletons = "keep"
    blanc: Blanc = "luo2014"
    undefined: Undefined = "zero"
    average: Average = "micro"
    extra: Extra = "error"
    scope: str = "document"
    pair: Pair = "name"
    align: Align = "none"
    weights: tuple[tuple[str, float], ...] = (("muc", 1.0), ("bcub", 1.0), ("ceafe", 1.0))
    ids: Ids = "check"
    no_common: NoCommon = field(default="judge", compare=False)


class PoliciesButMatch(TypedDict, total=False):
    """The options as keyword arguments, without `match`, of which `compare` takes several."""

    duplicates: Duplicates | None
    singletons: Singletons | None
    blanc: Blanc | None
    undefined: Undefined | None
    average: Average | None
    extra: Extra | None
    scope: Scope | None
    pair: Pair | None
    align: Align | None
    weights: Weights | None
    ids: Ids | None
    no_common: NoCommon | None


class Policies(PoliciesButMatch, total=False):
    """The options as keyword arguments; None leaves one as the protocol has it."""

    match: Match | None


# option → value → what it means; `weights` has no list of values.
CHOICES: dict[str, dict[str, str]] = {
    "match": {
        "exact": "the same span, or the same name",
        "head-word": "also one within the key mention that contains its head word (the relaxed match of CoNLL-2011)",
    },
    "duplicates": {
        "first": "of a mention that occurs twice on one side, the one that opens first counts",
        "last": "the one that opens last counts",
        "error": "refuse",
        "perl": "as scorer.pl v8.01: only response mentions found in the key lose their repetitions",
    },
    "singletons": {
        "keep": "entities of one mention count",
        "drop": "dropped on both sides for the coreference metrics, after mention detection",
        "drop-response": "dropped in the response only, for the coreference metrics, after mention detection",
    },
    "blanc": {
        "luo2014": "BLANC's boundary cases as Luo et al. 2014 define them",
        "perl": "as scorer.pl v8.01 decides them, by the key alone",
    },
    "undefined": {
        "zero": "0/0 counts as 0 (and is printed as n/a)",
        "nan": "0/0 stays undefined, and so does what is computed from it",
        "popescu-belis": "recall 0/0 counts as 0, precision 0/0 as 1 (Popescu-Belis & Robba 1998)",
    },
    "average": {
        "micro": "counts are summed over the documents, then divided",
        "macro": "mean over the documents of R, of P and of F each, every part by itself; undefined ones are left out "
        "and counted",
    },
    "extra": {
        "error": "a document that only the response has is an error",
        "ignore": "it is left out",
        "count": "it is scored against an empty key",
    },
    "scope": {
        "document": "an entity lives in one document",
        "corpus": "an entity may extend over all documents",
        "genre": "an entity may extend over the documents of one genre; likewise for any LABELS.csv",
    },
    "pair": {
        "name": "documents meet by name and part",
        "file": "files meet by name, or the two files given; their documents by order",
    },
    "align": {
        "none": "spans are compared as they are, so both sides need the same tokens",
        "characters": "spans are carried over by the characters of the text, whatever the tokens",
    },
}

# Options that decide whether there is a number; a signature has `ids` only where it was given, and never `no_common`.
HANDLING: dict[str, dict[str, str]] = {
    "ids": {
        "check": "where entities may extend over documents, ids that start anew in every document are an error",
        "local": "such ids are of their document alone",
        "global": "ids mean the same in all documents",
    },
    "no_common": {
        "judge": "a response without any mention of the key scores 0 if the words agree and nothing looks wrong; "
        "otherwise it is an error",
        "score": "it scores 0, with a note",
        "refuse": "it is an error",
    },
}


@dataclass(frozen=True, slots=True)
class Protocol:
    """A named recipe: the options that differ from the defaults, and why it exists."""

    name: str
    about: str
    options: Mapping[str, Any]


PROTOCOLS: dict[str, Protocol] = {
    p.name: p
    for p in (
        Protocol("default", "BLANC as its paper defines it; of repeated mentions the first counts.", {}),
        Protocol(
            "conll-2012",
            "The reference scorer v8.01 (Pradhan et al. 2014): its numbers on well-formed files.",
            {"duplicates": "perl", "blanc": "perl"},
        ),
        Protocol(
            "conll-2011",
            "conll-2012 with response singletons dropped after mention detection (Pradhan et al. 2011). "
            "Not the official figures of 2011, whose scorer was faulty.",
            {"duplicates": "perl", "blanc": "perl", "singletons": "drop-response"},
        ),
    )
}


def resolve(protocol: str | None = None, **explicit: Any) -> tuple[str, Options]:
    """The protocol's name, and its options with the explicit ones in place of its own."""
    chosen = PROTOCOLS[choose(protocol or "default", PROTOCOLS, "protocol")]
    base = replace(Options(), **chosen.options)
    known = [f.name for f in fields(Options)]
    changes: dict[str, Any] = {}
    for name, value in explicit.items():
        if value is None:
            continue
        choose(name, known, "option")
        if name == "weights":
            value = _weights(value)
        elif name == "scope":
            value = str(value)
        else:
            choose(value, (CHOICES | HANDLING)[name], f"value of --{name.replace('_', '-')}")
        if value != getattr(base, name):
            changes[name] = value
    return chosen.name, replace(base, **changes)


def _weights(value: Any) -> tuple[tuple[str, float], ...]:
    """Weights of `mela`: a mapping, pairs, or the command line's `muc=2,bcub=1`."""
    if isinstance(value, str):
        value = [pair.split("=", 1) for pair in value.split(",")]
    try:
        pairs = tuple((str(k).strip(), float(v)) for k, v in (value.items() if isinstance(value, Mapping) else value))
    except (TypeError, ValueError):
        raise UsageError(f"weights are METRIC=NUMBER,... or a mapping, not {value!r}") from None
    if not all(0 <= w < float("inf") for _, w in pairs) or not any(w for _, w in pairs):
        raise UsageError("weights are finite numbers, none negative and at least one positive")
    return pairs
