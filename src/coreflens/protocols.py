"""The options of an evaluation, and the named recipes that pin them.

A protocol sets every option. An option given explicitly wins, and the signature shows it (`conll-2012+blanc:luo2014`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict

from . import conditions
from .errors import UsageError, choose

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
Scope: TypeAlias = Literal["document", "corpus", "genre"] | str | Path  # or a file with labels: see matching/labels.py
Pair: TypeAlias = Literal["name", "file"]
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
Weights: TypeAlias = Mapping[str, float] | Iterable[tuple[str, float]] | str

ProtocolName: TypeAlias = Literal[
    "default",
    "conll-2012",
    "conll-2011",
    "e2e",
    "corefud",
    "corefud:2023",
    "corefud:2022",
    "ua",
    "codi-crac-2022:ar",
    "codi-crac-2022:br",
    "codi-crac-2022:dd",
    "arrau",
    "craft",
    "coval",
    "bookcoref:full",
    "bookcoref:split",
    "bookcoref:window",
    "ecbplus:event",
    "ecbplus:entity",
    "ecbplus:all",
    "litbank",
    "preco",
    "gap",
    "semeval-2010",
]


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
    ids: Ids | None
    no_common: NoCommon | None


class Policies(PoliciesButMatch, total=False):
    """The options as keyword arguments. None keeps the value of the protocol."""

    match: Match | None


# option → value → what it means. `weights`, `min_share` and `window` have no list of values.
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
        "local": "such ids belong to their own document only",
        "global": "ids mean the same in all documents",
    },
    "no_common": {
        "judge": "a response without any mention of the key scores 0 if the words agree and nothing looks wrong, and "
        "is an error otherwise",
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
    tool: str = ""  # what its numbers were compared with
    cite: str = ""  # what to cite
    metrics: tuple[str, ...] = ()  # what is shown, if not the default set


_CRAC = {"singletons": "drop-before", "blanc": "ua", "split_antecedents": "drop"}
_UA = {"zeros": "linear", "blanc": "ua", "without": "nonreferring"}
_BOOKS = {"split_antecedents": "drop"}
_CONLL = ("muc", "bcub", "ceafe", "conll")
_CROSS = ("mentions", "muc", "bcub", "ceafe", "conll", "lea")
_PERL = {"duplicates": "perl", "blanc": "perl", "split_antecedents": "drop"}
_ECB = {"scope": "corpus", "split_antecedents": "drop"}
_CORRECTED = "The official figures let several mentions match one, but this protocol does not."
ALIASES = {"craft-2019": "craft"}  # other names of protocols

PROTOCOLS: dict[str, Protocol] = {
    p.name: p
    for p in (
        Protocol("default", "BLANC as its paper defines it. The first of repeated mentions counts.", {}),
        Protocol(
            "conll-2012",
            "The reference scorer v8.01 (Pradhan et al. 2014): its numbers on well-formed files.",
            {"duplicates": "perl", "blanc": "perl", "split_antecedents": "drop"},
            "scorer.pl v8.01",
            "pradhan2014",
        ),
        Protocol(
            "conll-2011",
            "conll-2012 with response singletons dropped after mention detection (Pradhan et al. 2011). "
            "These are not the official figures of 2011, whose scorer was faulty.",
            {"duplicates": "perl", "blanc": "perl", "singletons": "drop-response", "split_antecedents": "drop"},
            cite="pradhan2011",
        ),
        Protocol(
            "e2e",
            "The scorer that comes with the code of Lee et al. (2017) and its many descendants. It is like conll-2012, "
            "but B³ and LEA leave out singletons, and CEAFe leaves out those of the response.",
            {"singletons": "e2e", "split_antecedents": "drop"},
            metrics=_CONLL,
        ),
        Protocol(
            "corefud",
            "The CRAC shared tasks of 2024 and 2025 as their scorer is defined: head match, without singletons, zeros "
            "by dependencies. `coreflens corefud-scorer` repeats the scorer itself, with its faults.",
            {**_CRAC, "match": "head", "zeros": "dependent"},
            "corefud-scorer 1.2",
            "novak2024",
        ),
        Protocol(
            "corefud:2023",
            f"The CRAC shared task of 2023: head match, without singletons, zeros by their places. {_CORRECTED}",
            {**_CRAC, "match": "head", "zeros": "linear"},
            "corefud-scorer 1.2",
            "zabokrtsky2023",
        ),
        Protocol(
            "corefud:2022",
            f"The CRAC shared task of 2022: partial match, without singletons, zeros by their places. {_CORRECTED}",
            {**_CRAC, "match": "partial", "zeros": "linear"},
            "corefud-scorer 1.2",
            "zabokrtsky2022",
        ),
        Protocol(
            "ua",
            "The Universal Anaphora scorer as it is defined: exact spans, singletons and split antecedents kept, "
            "without non-referring expressions.",
            _UA,
            "universal-anaphora-scorer and Universal Anaphora scorer 2.0",
            "yu2023",
        ),
        Protocol(
            "codi-crac-2022:ar",
            "CODI-CRAC 2021 and 2022, anaphora resolution: `ua`, whose CoNLL score ranks the systems.",
            _UA,
            "universal-anaphora-scorer",
            "yu2023",
            _CONLL,
        ),
        Protocol(
            "codi-crac-2022:br",
            "CODI-CRAC 2021 and 2022, bridging: `ua`, where the F1 of `bridging-entity` ranks the systems.",
            _UA,
            "universal-anaphora-scorer keep_bridging",
            "yu2023",
            ("bridging-recognition", "bridging-mention", "bridging-entity"),
        ),
        Protocol(
            "codi-crac-2022:dd",
            "CODI-CRAC 2021 and 2022, discourse deixis: the CoNLL score of that annotation, with split antecedents.",
            {**_UA, "layer": "deixis"},
            "universal-anaphora-scorer evaluate_discourse_deixis",
            "yu2023",
            _CONLL,
        ),
        Protocol(
            "arrau",
            "CRAC 2018 on ARRAU: minimum spans as annotated, one to one, singletons kept, non-referring expressions by "
            "themselves. The scorer of 2018 lets several mentions match one, but this protocol does not.",
            {"match": "min", "blanc": "ua", "without": "nonreferring", "split_antecedents": "drop"},
            "Universal Anaphora scorer 2.0, partial-corefud",
            "poesio2018",
            (*_CONLL, "nonreferring"),
        ),
        Protocol(
            "craft",
            "The CRAFT shared task of 2019: its partial match, singletons kept. The task gave one number per file; "
            "--average macro is their mean.",
            {"match": "craft", "blanc": "ua", "split_antecedents": "drop"},
            "Universal Anaphora scorer 2.0, partial-craft",
            "baumgartner2019",
        ),
        Protocol(
            "coval",
            "coval (Moosavi et al. 2019): exact spans, singletons kept. Its filters are --match mina, --without "
            "nested,verbs and --singletons drop-before.",
            {"split_antecedents": "drop"},
            "coval",
            "moosavi2019",
            ("mentions", "muc", "bcub", "ceafe", "lea", "conll"),
        ),
        Protocol(
            "bookcoref:full",
            "BOOKCOREF, whole books: exact spans, singletons kept, the counts of the books added up.",
            _BOOKS,
            "BOOKCOREF's evaluate.py --mode full",
            "martinelli2025",
            ("mentions", *_CONLL),
        ),
        Protocol(
            "bookcoref:split",
            "BOOKCOREF, books in pieces: as `bookcoref:full`, for files whose documents are pieces of 1500 words on "
            "both sides (test_split.jsonl). Each piece is scored by itself, and the counts are added up.",
            _BOOKS,
            "BOOKCOREF's evaluate.py --mode split",
            "martinelli2025",
            ("mentions", *_CONLL),
        ),
        Protocol(
            "bookcoref:window",
            "BOOKCOREF, whole books scored in windows of 1500 words (gold_window). Windows end at the ends of "
            "sentences, and every mention counts once. The script of the authors leaves out mentions that begin at a "
            "border, and counts some mentions of the last window twice.",
            {**_BOOKS, "window": "1500"},
            cite="martinelli2025",
            metrics=("mentions", *_CONLL),
        ),
        Protocol(
            "ecbplus:event",
            "ECB+ (Cybulska & Vossen 2014), events alone: entities extend over all documents, singletons are kept. "
            "--scope topic or subtopic and --singletons drop-before are the usual other choices. Report which one you "
            "took.",
            {**_ECB, "only": "kind?=event"},  # files with events alone have no kinds
            cite="cybulska2014",
            metrics=_CROSS,
        ),
        Protocol(
            "ecbplus:entity",
            "As ecbplus:event, but for the participants, times and places instead of the events.",
            {**_ECB, "only": "kind?=entity"},
            cite="cybulska2014",
            metrics=_CROSS,
        ),
        Protocol(
            "ecbplus:all",
            "As ecbplus:event, but with every mention of the files. Use it for files that have one kind only, as most "
            "published ones do, or to score both kinds together.",
            _ECB,
            "the scores published with HyperCoref and by Bugert et al. (2021)",
            "cybulska2014",
            _CROSS,
        ),
        Protocol(
            "litbank",
            "LitBank (Bamman et al. 2020): exact spans, singletons kept. The published figures are means over ten "
            "cross-validation splits, so score each split.",
            _PERL,
            cite="bamman2020",
            metrics=("mentions", *_CONLL),
        ),
        Protocol(
            "preco",
            "PreCo (Chen et al. 2018): exact spans, singletons kept. There is no official scorer. Papers also give "
            "scores without singletons: --singletons drop-before.",
            _PERL,
            cite="chen2018",
            metrics=("mentions", "singletons", *_CONLL),
        ),
        Protocol(
            "gap",
            "GAP (Webster et al. 2018): F1 of the pairs of pronoun and name, by gender, and the bias ratio. A response "
            "with other tokens needs --align characters.",
            {"split_antecedents": "drop"},
            "gap_scorer.py",
            "webster2018",
            ("gap", "gap-feminine", "gap-masculine", "gap-bias"),
        ),
        Protocol(
            "semeval-2010",
            "SemEval-2010 Task 1 with the definitions of scorer.pl v8.01: exact spans, singletons kept, four metrics. "
            "These are not the official figures of 2010: their scorer was version 1, and gave half a point for "
            "mentions with other boundaries than the key.",
            _PERL,
            cite="recasens2010",
            metrics=("mentions", "ceafm", "muc", "bcub", "blanc"),
        ),
    )
}


def metrics_of(protocol: str | None) -> tuple[str, ...]:
    """The metrics that a protocol shows. Empty if it shows the default set."""
    return PROTOCOLS[resolve(protocol)[0]].metrics


def resolve(protocol: str | None = None, **explicit: Any) -> tuple[str, Options]:
    """The protocol's name, and its options with the explicit ones in place of its own."""
    chosen, base = _known(protocol)
    if not explicit:
        return chosen.name, base
    known = [f.name for f in fields(Options)]
    changes: dict[str, Any] = {}
    for name, value in explicit.items():
        if value is None or value == ():  # a repeatable option that was not given
            continue
        choose(name, known, "option")
        if name == "weights":
            value = _weights(value)
        elif name == "scope":
            value = str(value)
        elif name == "min_share":
            value = _share(value)
        elif name == "only":
            value = conditions.only(value)
        elif name == "without":
            value = conditions.without(value, CHOICES["without"])
        elif name == "window":
            value = _window(value)
        else:
            choose(value, (CHOICES | HANDLING)[name], f"value of --{name.replace('_', '-')}")
        if value != getattr(base, name):
            changes[name] = value
    return chosen.name, replace(base, **changes)


@lru_cache(maxsize=64)
def _known(protocol: str | None) -> tuple[Protocol, Options]:
    """A protocol by its name or alias, and its options."""
    asked = ALIASES.get(protocol, protocol) if protocol else "default"
    chosen = PROTOCOLS[choose(asked, PROTOCOLS, "protocol")]
    return chosen, replace(Options(), **chosen.options)


def _window(value: Any) -> str:
    """The number of words of a window, or `all`."""
    text = str(value).strip()
    if text != "all" and not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise UsageError(f"a window is a number of words above 0, or `all`, not {value!r}")
    return text if text == "all" else str(int(text))


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
