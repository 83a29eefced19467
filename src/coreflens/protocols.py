"""The protocols: named recipes that pin the options of an evaluation.

A protocol sets every option. An option given explicitly wins, and the signature shows it (`conll-2012+blanc:luo2014`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from .errors import choose
from .options import Options, checked

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


class Protocol(NamedTuple):
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
        value = checked(name, value)
        if value != getattr(base, name):
            changes[name] = value
    return chosen.name, replace(base, **changes)


@lru_cache(maxsize=64)
def _known(protocol: str | None) -> tuple[Protocol, Options]:
    """A protocol by its name or alias, and its options."""
    asked = ALIASES.get(protocol, protocol) if protocol else "default"
    chosen = PROTOCOLS[choose(asked, PROTOCOLS, "protocol")]
    return chosen, replace(Options(), **chosen.options)
