"""The options of an evaluation: their values, what each value means, and the check of a value that was given."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict

from . import conditions
from .errors import UsageError, choose
from .wording import KEYWORDS

# The values of each option, the default first. `CHOICES` says what they mean; a test keeps the two equal.
Match: TypeAlias = Literal["exact", "head-word", "head-either", "head", "partial", "share", "min", "mina", "craft"]
Ties: TypeAlias = Literal["definition", "scipy"]
Zeros: TypeAlias = Literal["dependent", "linear", "drop"]
Duplicates: TypeAlias = Literal["first", "last", "error", "perl"]
Singletons: TypeAlias = Literal["keep", "drop", "drop-response", "drop-before", "e2e"]
Blanc: TypeAlias = Literal["luo2014", "perl", "ua"]
Undefined: TypeAlias = Literal["zero", "nan", "popescu-belis"]
Average: TypeAlias = Literal["micro", "macro"]
Mean: TypeAlias = Literal["harmonic", "arithmetic"]
Extra: TypeAlias = Literal["error", "ignore", "count"]
Scope: TypeAlias = Literal["document", "corpus", "genre"] | str | PathLike[str]  # or a file: see matching/labels.py
Pair: TypeAlias = Literal["name", "file", "text"]
Align: TypeAlias = Literal["none", "characters"]
Ids: TypeAlias = Literal["check", "local", "global"]
NoCommon: TypeAlias = Literal["judge", "score", "refuse"]
SplitAntecedents: TypeAlias = Literal["keep", "drop"]
Multi: TypeAlias = Literal["first", "each"]
Layer: TypeAlias = Literal["identity", "deixis"]
Conditions: TypeAlias = str | Iterable[str] | Mapping[str, str | Iterable[str]]  # "kind=event", {"kind": "event"}
Only: TypeAlias = Literal["all"] | Conditions
Without: TypeAlias = Literal["none", "nonreferring", "nested", "verbs"] | Conditions  # several of them
On: TypeAlias = Literal["both", "key"]
Window: TypeAlias = int | str  # a number of words, or "all"
Excerpt: TypeAlias = str  # FROM:TO, tokens counted from 1, or "all"
Heads: TypeAlias = str | PathLike[str]  # the same documents with trees, or "own"
Weights: TypeAlias = Mapping[str, float] | Iterable[tuple[str, float]] | str


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
    min_share: float = 0.5
    ties: Ties = "definition"
    zeros: Zeros = "dependent"
    mean: Mean = "harmonic"
    weights: tuple[tuple[str, float], ...] = (("muc", 1.0), ("bcub", 1.0), ("ceafe", 1.0))
    split_antecedents: SplitAntecedents = "keep"
    layer: Layer = "identity"
    multi: Multi = "first"
    only: str = "all"
    without: str = "none"
    on: On = "both"
    window: str = "all"
    ids: Ids = "check"
    excerpt: str = "all"
    heads: str = "own"
    no_common: NoCommon = field(default="judge", compare=False)


class PoliciesButMatch(TypedDict, total=False):
    """The options as keyword arguments, without `match`: `compare` takes several values of it."""

    min_share: float | None
    ties: Ties | None
    zeros: Zeros | None
    duplicates: Duplicates | None
    singletons: Singletons | None
    blanc: Blanc | None
    undefined: Undefined | None
    average: Average | None
    mean: Mean | None
    extra: Extra | None
    scope: Scope | None
    pair: Pair | None
    align: Align | None
    weights: Weights | None
    split_antecedents: SplitAntecedents | None
    layer: Layer | None
    multi: Multi | None
    only: Only | None
    without: Without | None
    on: On | None
    window: Window | None
    excerpt: Excerpt | None
    heads: Heads | None
    ids: Ids | None
    no_common: NoCommon | None


class Policies(PoliciesButMatch, total=False):
    """The options as keyword arguments. None keeps the value of the protocol."""

    match: Match | None


# option → value → what it means. `weights`, `min_share`, `window`, `excerpt` and `heads` have no list of values.
CHOICES: dict[str, dict[str, str]] = {
    "match": {
        "exact": "the same span, or the same name",
        "head-word": "also a response mention that lies within the key mention and contains its head word (the relaxed "
        "match of CoNLL-2011)",
        "head-either": "also a mention that lies within the other one and contains its head word, in either direction, "
        "so that key and response can be exchanged",
        "head": "also a mention with the same head word, but not the same span with another head (CRAC 2023 to 2025)",
        "partial": "also a response mention that lies within the key mention and contains its head word, the longer "
        "the better (CRAC 2022)",
        "share": "also a mention if the common words are at least --min-share of the words of both",
        "min": "also a response mention that lies within the key mention and contains the minimum span that the key "
        "gives it (MUC, ARRAU)",
        "mina": "the same minimum span, found in the trees of the key (Moosavi et al. 2019)",
        "craft": "also a response mention with a part that lies within the first part of the key mention (CRAFT 2019)",
    },
    "ties": {
        "definition": "among matches with equal weight, the closest spans win, then the earliest mentions",
        "scipy": "the match that corefud-scorer 1.2 happens to get from scipy wins",
    },
    "zeros": {
        "dependent": "empty nodes match by their enhanced dependencies first, then as other mentions do",
        "linear": "empty nodes match by their place only",
        "drop": "empty nodes are left out on both sides, before singletons are",
    },
    "duplicates": {
        "first": "if a mention occurs twice on one side, the one that opens first counts",
        "last": "the one that opens last counts",
        "error": "a repeated mention is an error",
        "perl": "as scorer.pl v8.01 does it: only response mentions found in the key lose their repetitions",
    },
    "singletons": {
        "keep": "entities with one mention count",
        "drop": "they are dropped on both sides for the coreference metrics, after mention detection",
        "drop-response": "they are dropped in the response only, for the coreference metrics, after mention detection",
        "drop-before": "they are dropped on both sides before mentions are matched, for every number",
        "e2e": "as the scripts of neural papers do it: dropped on both sides for B³ and LEA, in the response only for "
        "CEAF",
    },
    "blanc": {
        "luo2014": "as Luo et al. 2014 define them",
        "perl": "as scorer.pl v8.01 decides them, by the key alone",
        "ua": "as luo2014, but if neither side has a link the score is 0 (the UA and CorefUD scorers)",
    },
    "undefined": {
        "zero": "0/0 counts as 0 (and is printed as n/a)",
        "nan": "0/0 stays undefined, and so does what is computed from it",
        "popescu-belis": "recall 0/0 counts as 0, precision 0/0 as 1 (Popescu-Belis & Robba 1998)",
    },
    "average": {
        "micro": "counts are summed over the documents, then divided",
        "macro": "R, P and F1 are each averaged over the documents, and undefined values are left out and counted",
    },
    "mean": {
        "harmonic": "F1 is 2PR/(P+R)",
        "arithmetic": "F1 is (P+R)/2, the plain average that Popescu-Belis & Robba 1998 name, except for a metric with "
        "its own F1, such as BLANC",
    },
    "extra": {
        "error": "a document that only the response has is an error",
        "ignore": "it is left out",
        "count": "it is scored against an empty key",
    },
    "scope": {
        "document": "an entity lives in one document",
        "corpus": "an entity may extend over all documents",
        "genre": "an entity may extend over the documents of one genre, and for LABELS.csv over those with one label",
    },
    "pair": {
        "name": "documents are paired by name and part",
        "file": "files are paired by name, or the two given files are paired, and their documents by order",
        "text": "documents with the same words are paired, whatever their names and tokens are, and several with the "
        "same words by name",
    },
    "align": {
        "none": "spans are compared as they are, so both sides need the same tokens",
        "characters": "spans are compared by the characters of the text, so the tokens may differ",
    },
    "split_antecedents": {
        "keep": "several antecedents of an entity count as one more member of it (Paun et al. 2022)",
        "drop": "only the mentions of an entity count",
    },
    "layer": {
        "identity": "the annotation of identity is scored",
        "deixis": "the annotation of discourse deixis is scored, which has its own mentions and entities",
    },
    "multi": {
        "first": "a mention of several entities is a repetition, and --duplicates decides",
        "each": "it counts in each of them, and its copies match those of the other side whose entities share most",
    },
    "only": {
        "all": "every mention counts. ATTRIBUTE=VALUE[,VALUE] selects by entity (kind=event, type=PER), by mention "
        "(mention.type=pronoun, mention.length=1) or by document (genre=nw). If there are several conditions, all must "
        "hold",
    },
    "without": {
        "none": "every mention counts. ATTRIBUTE[=VALUE,...] leaves out what --only would select",
        "nonreferring": "non-referring expressions are left out before anything else",
        "nested": "if one mention of an entity lies within another in the same sentence, the inner one is left out",
        "verbs": "mentions whose tree is a VP are left out, and then the entities that have one mention left",
    },
    "on": {
        "both": "--only and --without look at the attributes of each side itself",
        "key": "they look at the key alone, and response mentions follow the key mentions that they match",
    },
}

# Options that decide whether there is a number. A signature has `ids` only if it was given, and never `no_common`.
HANDLING: dict[str, dict[str, str]] = {
    "ids": {
        "check": "if entities may extend over documents, ids that start again in every document are an error",
        "local": "an id belongs to its own document only",
        "global": "an id means the same in all documents",
    },
    "no_common": {
        "judge": "a response without any mention of the key scores 0 if the words agree and nothing looks wrong, and "
        "is an error otherwise",
        "score": "it scores 0, with a note",
        "refuse": "it is an error",
    },
}


class About(NamedTuple):
    """What an option decides, and how `--help` shows it: its heading, and whether `--help` explains it or names it.

    `values` is how its values are written, if they are others than those of `CHOICES`, or several.
    """

    decides: str
    heading: str = "Policies"
    common: bool = False
    values: str = ""


# Each option with a list of values, in the order in which `--help` lists them.
ABOUT: dict[str, About] = {
    "match": About("Which mentions of key and response match.", common=True),
    "singletons": About("What happens to entities with one mention.", common=True),
    "only": About("Which mentions are scored.", common=True, values="ATTRIBUTE=VALUE[,VALUE]"),
    "ties": About("Which of several equally good matches is taken."),
    "zeros": About("How empty nodes match."),
    "duplicates": About("Which of several equal mentions on one side counts."),
    "blanc": About("How BLANC treats its boundary cases."),
    "undefined": About("What 0/0 counts as."),
    "average": About("How documents are averaged."),
    "mean": About("How F1 is computed from P and R."),
    "scope": About("How far an entity may extend.", values="document|corpus|topic|subtopic|genre|LABELS.csv"),
    "split_antecedents": About("Whether split antecedents count."),
    "layer": About("Which annotation is scored."),
    "multi": About("How often a mention of several entities counts."),
    "without": About("Which mentions are left out.", values="nonreferring|nested|verbs|ATTRIBUTE[=VALUE]"),
    "on": About("Whose attributes --only and --without use."),
    "pair": About("How documents of key and response are paired.", "Input"),
    "align": About("How spans are compared where tokens differ.", "Input"),
    "extra": About("What happens to documents that only the response has.", "Input"),
    "ids": About("What entity ids mean across documents.", "Input"),
    "no_common": About("What happens to a response without any mention of the key.", "Input"),
}


class Need(NamedTuple):
    """What an option needs in order to act: a test of all options and of the metrics, and how to say it."""

    met: Callable[[Options, Collection[str]], bool]
    what: str


def _has_conditions(options: Options, metrics: Collection[str]) -> bool:
    return options.only != conditions.ALL or bool(conditions.conditions(options.without, CHOICES["without"]))


def _joins_documents(options: Options, metrics: Collection[str]) -> bool:
    """Ids matter if entities extend over documents, and as names, which some metrics compare."""
    return options.scope != "document" or (options.ids == "global" and bool(NAMING & set(metrics)))


NAMING = frozenset({"labels", "labels-macro"})  # metrics that compare the names of entities
# An option that is given and can't act is refused, with the name of what it needs.
NEEDS: dict[str, Need] = {
    "min_share": Need(lambda options, metrics: options.match == "share", "--match share"),
    "on": Need(_has_conditions, "a condition, such as --only type=PER"),
    "ids": Need(_joins_documents, "a --scope that joins documents, such as --scope corpus"),
    "weights": Need(lambda options, metrics: "mela" in metrics, "the metric mela: -m mela"),
}


def refuse_idle(usual: Options, options: Options, metrics: Collection[str]) -> None:
    """Refuse an option with another value than the protocol's, if it can't act with the other options and the
    metrics."""
    for name, need in NEEDS.items():
        if getattr(options, name) != getattr(usual, name) and not need.met(options, metrics):
            value = "" if name == "weights" else f" {getattr(options, name)}"
            raise UsageError(f"{flag(name)}{value} has no effect here: it needs {need.what}")


def flag(name: str) -> str:
    """An option as it is typed on the command line."""
    return f"--{name.replace('_', '-')}"


def checked(name: str, value: Any) -> Any:
    """The value of an option as `Options` keeps it. A value that the option does not have is an error."""
    match name:
        case "weights":
            return _weights(value)
        case "scope":
            return str(value)
        case "min_share":
            return _share(value)
        case "only":
            return conditions.only(value)
        case "without":
            return conditions.without(value, CHOICES["without"])
        case "window":
            return _window(value)
        case "excerpt":
            return _excerpt(value)
        case "heads":
            return str(value)
        case _:
            return choose(value, (CHOICES | HANDLING)[name], f"value of {flag(name)}")


def _window(value: Any) -> str:
    """The number of words of a window, or `all`."""
    text = str(value).strip()
    if text != "all" and not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise UsageError(f"a window is a number of words above 0, or `all`, not {value!r}")
    return text if text == "all" else str(int(text))


def _excerpt(value: Any) -> str:
    """FROM:TO, or `all`. `:500` starts at the first token."""
    text = str(value).strip()
    if text == "all":
        return text
    first, colon, last = text.partition(":")
    first = first or "1"
    if not colon or not all(part.isascii() and part.isdecimal() for part in (first, last)):
        raise UsageError(f"--excerpt must be FROM:TO, such as 1:500, not '{text}'")
    if not 1 <= int(first) <= int(last):
        raise UsageError(f"--excerpt {text}: tokens are counted from 1, and the last one can't be before the first")
    return f"{int(first)}:{int(last)}"


def _share(value: Any) -> float:
    """A share above 0, up to 1."""
    try:
        share = float(value)
    except (TypeError, ValueError):
        share = 0.0
    if not 0 < share <= 1:
        raise UsageError(f"the least share of common words is a number above 0, up to 1, not {value!r}")
    return share


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


for _name in Options.__dataclass_fields__:  # so that messages in Python have them as keywords
    _option = _name.replace("_", "-")
    KEYWORDS[_option] = (*KEYWORDS.get(_option, ()), *CHOICES.get(_name, ()))
