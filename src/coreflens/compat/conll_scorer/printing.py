"""Numbers and lines as scorer.pl v8.01 prints them."""

from __future__ import annotations

from .scoring import Counts, Number

LINE = "-" * 74 + "\n"

USAGE = """
use: scorer.pl <metric> <keys_file> <response_file> [name]

  metric: the metric desired to score the results:
    muc: MUCScorer (Vilain et al, 1995)
    bcub: B-Cubed (Bagga and Baldwin, 1998)
    ceafm: CEAF (Luo et al, 2005) using mention-based similarity
    ceafe: CEAF (Luo et al, 2005) using entity-based similarity
    blanc: BLANC
    all: uses all the metrics to score

  keys_file: file with expected coreference chains in SemEval format

  response_file: file with output of coreference system (SemEval format)

  name: [optional] the name of the document to score. If name is not
    given, all the documents in the dataset will be scored. If given
    name is "none" then all the documents are scored but only total
    results are shown.

"""


def ratio(numerator: Number, denominator: Number, otherwise: Number = 0) -> Number:
    return numerator / denominator if denominator else otherwise


def harmonic(recall: Number, precision: Number) -> Number:
    return ratio(2 * precision * recall, precision + recall)


def number(x: Number) -> str:
    return f"{x:.15g}"


def percent(x: Number) -> str:
    """The percentage cut off after two decimals, computed in binary: 0.57 becomes 56.99%."""
    return number(int(x * 10000) / 100) + "%"


def scores(counts: Counts) -> tuple[Number, Number, Number]:
    """Recall, precision and F1 of four counts."""
    recall, precision = ratio(*counts[:2]), ratio(*counts[2:])
    return recall, precision, harmonic(recall, precision)


def score_lines(counts: Counts, f1: Number | None = None) -> str:
    values = scores(counts)
    recall, precision = (
        f"({number(n)} / {number(d)}) {percent(x)}" for n, d, x in ((*counts[:2], values[0]), (*counts[2:], values[1]))
    )
    shown = percent(values[2] if f1 is None else f1)
    return f"Recall: {recall}\tPrecision: {precision}\tF1: {shown}\n{LINE}"


def blanc_scores(counts: Counts) -> tuple[Number, Number, Number]:
    """BLANC from eight counts; a kind of link that the key lacks is left out, whatever the response has."""
    parts = [scores(part) for part in (counts[:4], counts[4:]) if part[1]]
    if len(parts) < 2:
        return parts[0] if parts else (0, 0, 0)
    recall, precision, f1 = ((x + y) / 2 for x, y in zip(*parts, strict=True))
    return recall, precision, f1
