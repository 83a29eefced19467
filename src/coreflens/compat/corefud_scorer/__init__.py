"""corefud-scorer 1.2, the scorer of the CRAC shared tasks since 2024, line for line.

The one place that imitates it: how it reads mentions (mentions.py), matches them (matching.py) and sums (scoring.py),
with what is wrong in that. Where its own definition gives another number, a note says so; `coreflens score --protocol
corefud` gives those numbers alone.

    run("key.conllu", "system.conllu", sys.stdout, sys.stderr)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TextIO

import numpy as np

from ...corpus.model import Corpus, Text
from ...errors import InputError
from ...formats import read
from ...formats.shared.unread import Unread
from ...matching.matched import match as match_mentions
from ...matching.places import divergence, written_before
from ...scoring.scorer import Scorer
from .matching import Document, document
from .mentions import clusters
from .scoring import METRICS, scores

__all__ = ["METRICS", "Match", "ZeroMatch", "documents_of", "run", "scores"]

Match = Literal["exact", "partial", "head"]
ZeroMatch = Literal["dependent", "linear"]
_CONLL = ("muc", "bcub", "ceafe")


def run(
    key: str,
    system: str,
    out: TextIO,
    err: TextIO | None = None,
    *,
    metrics: Sequence[str] = ("all",),
    match: Match = "head",
    keep_singletons: bool = False,
    zeros: ZeroMatch = "dependent",
) -> None:
    """Write what `corefud-scorer.py KEY SYS` writes; to `err` where its definition gives another number."""
    asked = list(METRICS) if "all" in metrics else list(metrics)
    what = ""
    if any(name != "mor" for name in asked):
        what = f"coreferential mentions{', singletons' * keep_singletons}, zeros (using {zeros} match method)"
    named = "partial-corefud" if match == "partial" else match
    out.write(f"The scorer is evaluating {what} using {named} match evaluation setting.\n")
    out.write(f"The following metrics will be evaluated: {', '.join(asked)}\n\n")
    corpora = read(key, format="conllu", role="key"), read(system, format="conllu", role="response")
    documents = documents_of(corpora[0], corpora[1], match, keep_singletons, zeros)
    found = {name: scores(documents, name) for name in asked}
    for name, numbers in found.items():
        line = "  ".join(f"{t}: {100 * x:.2f}" for t, x in zip(("Recall", "Precision", "F1"), numbers, strict=True))
        out.write(f"{name}\n{line}\n")
    conll = sum(found[name][2] for name in _CONLL) / 3 if set(_CONLL) <= set(found) else None
    if conll is not None:
        out.write(f"CoNLL score: {100 * conll:.2f}\n")
    out.flush()
    if err is not None and asked:
        singletons: Literal["keep", "drop-before"] = "keep" if keep_singletons else "drop-before"
        names = [*asked, *(["conll"] if conll is not None else [])]
        scorer = Scorer(corpora[0], protocol="corefud", match=match, zeros=zeros, singletons=singletons, metrics=names)
        by_definition = scorer.result(match_mentions(corpora[0], corpora[1], scorer.options, lenient=True))
        shown = {name: numbers[2] for name, numbers in found.items()} | ({} if conll is None else {"conll": conll})
        right = {name: float(by_definition[name].main) for name in names}
        for note in _notes(shown, right, documents):
            err.write(f"coreflens: note: {note}\n")


def documents_of(key: Corpus, system: Corpus, match: Match, keep_singletons: bool, zeros: ZeroMatch) -> list[Document]:
    """The documents of two files, matched as the original matches them; files that do not go together are refused."""
    _check(key, system)
    sides = [clusters(corpus, match == "head", keep_singletons) for corpus in (key, system)]
    names = {d.label: n for n, d in enumerate(system.documents)}
    return [
        document(mentions, sides[1][names[d.label]], match, zeros)
        for d, mentions in zip(key.documents, sides[0], strict=True)
    ]


def _check(key: Corpus, system: Corpus) -> None:
    """Every document of the key has to be in the system's file, with the same written words."""
    names = {d.label: n for n, d in enumerate(system.documents)}
    if [d.label for d in key.documents] == [*names] and _same_words(key.text, system.text):
        return
    for k, d in enumerate(key.documents):
        if d.label not in names:
            raise InputError(
                f"document {d.quoted} of the key is missing",
                file=system.source,
                hint="the scorer needs all of them, under the same `# newdoc id`; `coreflens score` counts it as empty",
            )
        if first := divergence(key, system, k, names[d.label]):
            hint = "the system's file is to be made from the key's text; `coreflens score --align characters` maps it"
            raise InputError(f"the words of document {d.quoted} differ: {first}", file=system.source, hint=hint)


def _same_words(key: Text, system: Text) -> bool:
    """Whether the written words of all documents are the same, as far as that is seen at once."""
    forms = [text.words.forms() if isinstance(text.words, Unread) else None for text in (key, system)]
    before = [written_before(text)[text.first] for text in (key, system)]
    return forms[0] is not None and forms[0] == forms[1] and np.array_equal(before[0], before[1])


def _notes(shown: dict[str, float], right: dict[str, float], documents: Sequence[Document]) -> Iterator[str]:
    other = [name for name in shown if abs(shown[name] - right[name]) >= 5e-5]
    collisions, undefined = sum(d.collisions for d in documents), sum(d.undefined for d in documents)
    if undefined:
        yield f"{undefined} zeros without dependencies: corefud-scorer 1.2 stops with an error; they weigh 0 here"
    if other:
        numbers = ", ".join(f"{name} {100 * right[name]:.2f} (not {100 * shown[name]:.2f})" for name in other)
        why = [
            *([f"{collisions} pairs of mentions overwrite each other in its table"] if collisions else []),
            "it leaves equal matches to chance, or reads x.10 as x.1" if not collisions else "",
        ]
        yield f"by the scorer's own definition F1 is {numbers}: {'; '.join(filter(None, why))}"
        yield "`coreflens score --protocol corefud` gives the numbers by definition; docs/corefud.md says why"
