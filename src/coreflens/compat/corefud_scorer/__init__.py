"""corefud-scorer 1.2, the scorer of the CRAC shared tasks since 2024, line for line.

Only this package imitates it: how it reads mentions (mentions.py), matches them (matching.py) and sums (scoring.py),
including the faults. Documents in which no fault can occur (faultless.py) are scored in the usual, quick way. If the
scorer's own definition gives another number, a note says so. `coreflens score --protocol corefud` gives only the
numbers by definition.

    run("key.conllu", "system.conllu", sys.stdout, sys.stderr)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TextIO

import numpy as np

from ...corpus.model import Corpus, IntArray, Text
from ...errors import InputError
from ...formats import read
from ...formats.shared.unread import Unread
from ...matching.matched import match as match_mentions
from ...matching.places import divergence, written_before
from ...options import Multi, Ties
from ...scoring.scorer import Scorer
from . import faultless
from .matching import Document, document
from .mentions import Clusters, clusters, misread
from .scoring import METRICS, Sums, scores, sums

__all__ = ["METRICS", "FileSums", "Match", "ZeroMatch", "documents_of", "found_by", "run", "scores", "sums"]

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
    """Write the output of `corefud-scorer.py KEY SYS`; notes go to `err` if its definition gives another number."""
    names = list(METRICS) if "all" in metrics else list(metrics)
    _write_header(out, names, match, keep_singletons, zeros)
    corpora = read(key, format="conllu", role="key"), read(system, format="conllu", role="response")
    file_sums = found_by(*corpora, names, match, keep_singletons, zeros)
    numbers = {name: scores(parts) for name, parts in file_sums.sums.items()}
    _write_scores(out, numbers)
    f1 = {name: values[2] for name, values in numbers.items()}
    if set(_CONLL) <= set(f1):
        f1["conll"] = sum(f1[name] for name in _CONLL) / 3
        out.write(f"CoNLL score: {100 * f1['conll']:.2f}\n")
    out.flush()
    if err is None or not names:
        return
    scorer = _scorer(corpora[0], list(f1), match, keep_singletons, zeros)
    result = scorer.result(match_mentions(corpora[0], corpora[1], scorer.options, lenient=True))
    by_definition = {name: float(result[name].main) for name in f1}
    for note in _notes(f1, by_definition, file_sums.imitated, [corpus.text for corpus in corpora]):
        err.write(f"coreflens: note: {note}\n")


def _write_header(out: TextIO, names: Sequence[str], match: Match, keep_singletons: bool, zeros: ZeroMatch) -> None:
    evaluated = ""
    if any(name != "mor" for name in names):
        singletons = ", singletons" if keep_singletons else ""
        evaluated = f"coreferential mentions{singletons}, zeros (using {zeros} match method)"
    setting = "partial-corefud" if match == "partial" else match
    out.write(f"The scorer is evaluating {evaluated} using {setting} match evaluation setting.\n")
    out.write(f"The following metrics will be evaluated: {', '.join(names)}\n\n")


def _write_scores(out: TextIO, numbers: Mapping[str, tuple[float, float, float]]) -> None:
    for name, values in numbers.items():
        titled = zip(("Recall", "Precision", "F1"), values, strict=True)
        line = "  ".join(f"{title}: {100 * value:.2f}" for title, value in titled)
        out.write(f"{name}\n{line}\n")


@dataclass(frozen=True, eq=False)
class FileSums:
    """What the original sums up for each metric, and the documents that had to be imitated for that."""

    sums: dict[str, list[Sums]]
    imitated: list[Document]


def found_by(
    key: Corpus, system: Corpus, metrics: Sequence[str], match: Match, keep_singletons: bool, zeros: ZeroMatch
) -> FileSums:
    """The original's sums over two files; files that do not go together are refused."""
    _check(key, system)
    tool = _scorer(key, metrics, match, keep_singletons, zeros, ties="scipy", multi="each")
    matched = match_mentions(key, system, tool.options, lenient=True)
    faulty = faultless.faulty(matched)
    imitated = documents_of(key, system, match, keep_singletons, zeros, faulty) if len(faulty) else []
    total = faultless.sums(matched, faulty, metrics)
    if imitated:
        for name, parts in total.items():
            rest = zip(parts, sums(imitated, name), strict=True)
            total[name] = [(a + e, b + f, c + g, d + h) for (a, b, c, d), (e, f, g, h) in rest]
    return FileSums(total, imitated)


def _scorer(
    key: Corpus,
    metrics: Sequence[str],
    match: Match,
    keep_singletons: bool,
    zeros: ZeroMatch,
    ties: Ties = "definition",
    multi: Multi = "first",
) -> Scorer:
    """What scores by the definition, in the original's setting."""
    return Scorer(
        key,
        protocol="corefud",
        metrics=list(metrics),
        match=match,
        zeros=zeros,
        singletons="keep" if keep_singletons else "drop-before",
        extra="ignore",
        ties=ties,
        multi=multi,
    )


def documents_of(
    key: Corpus,
    system: Corpus,
    match: Match,
    keep_singletons: bool,
    zeros: ZeroMatch,
    wanted: IntArray | None = None,
) -> list[Document]:
    """The documents of two files, or the wanted ones of the key, matched as the original matches them."""
    system_documents = {document.label: d for d, document in enumerate(system.documents)}
    of_key = np.arange(len(key.documents)) if wanted is None else wanted
    pairs = [(d, system_documents[key.documents[d].label]) for d in of_key.tolist()]
    of_system = np.array([s for _, s in pairs], dtype=np.int64)
    key_clusters = clusters(key, match == "head", keep_singletons, of_key)
    system_clusters = clusters(system, match == "head", keep_singletons, of_system)
    return [document(key_clusters[k], system_clusters[s], match, zeros) for k, s in pairs]


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
            hint = "the system's file must have the key's words; `coreflens score --align characters` maps other tokens"
            raise InputError(f"the words of document {d.quoted} differ: {first}", file=system.source, hint=hint)


def _same_words(key: Text, system: Text) -> bool:
    """Whether the written words of all documents are the same, as far as that is seen at once."""
    forms = [text.words.forms() if isinstance(text.words, Unread) else None for text in (key, system)]
    before = [written_before(text)[text.first] for text in (key, system)]
    return forms[0] is not None and forms[0] == forms[1] and np.array_equal(before[0], before[1])


def _notes(
    shown: dict[str, float], by_definition: dict[str, float], documents: Sequence[Document], texts: Sequence[Text]
) -> Iterator[str]:
    undefined = sum(d.undefined for d in documents)
    if undefined:
        yield f"{undefined} zeros without dependencies: corefud-scorer 1.2 stops with an error; they weigh 0 here"
    different = [name for name in shown if abs(shown[name] - by_definition[name]) >= 5e-5]
    if different:
        numbers = ", ".join(
            f"{name} {100 * by_definition[name]:.2f} (not {100 * shown[name]:.2f})" for name in different
        )
        reasons = list(_reasons(documents, texts)) or ["it leaves equal matches to chance"]
        yield f"by the scorer's own definition F1 is {numbers}: {'; '.join(reasons)}"
        yield "`coreflens score --protocol corefud` gives the numbers by definition; docs/corefud.md says why"


def _reasons(documents: Sequence[Document], texts: Sequence[Text]) -> Iterator[str]:
    """Which faults of the scorer affect these files."""
    collisions = sum(d.collisions for d in documents)
    if collisions:
        yield f"{collisions} pairs of mentions overwrite each other in its table"
    repetitions = sum(_repetitions(d.key) + _repetitions(d.response) for d in documents)
    if repetitions:
        yield f"{repetitions} times a mention is in one more entity; it takes the last or all, depending on the metric"
    borders = [written_before(text)[text.sentences] for text in texts]
    if any(not np.array_equal(places, borders[0]) for places in borders):
        yield "the sentences are split in other places, and it counts words within sentences"
    if any(len(misread(text)) for text in texts):
        yield "it reads x.10 as x.1"
    if any(_looks_up_a_place(d) for d in documents):
        yield "its score of zeros looks at places first"


def _repetitions(clusters: Clusters) -> int:
    """How many mentions are in one more cluster."""
    mentions = [mention for cluster in clusters for mention in cluster]
    return len(mentions) - len(set(mentions))


def _looks_up_a_place(d: Document) -> bool:
    """Whether a zero of the key has an entry in the table, and a response mention at its own place."""
    zeros = (m for cluster in d.key for m in cluster if m.zero)
    return any(m in d.in_response and m in d.table for m in zeros)
