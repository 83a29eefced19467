"""Mentions numbered by span, as in scorer.pl v8.01, and its messages about repeated ones."""

from __future__ import annotations

from typing import NamedTuple

from .reading import Reading, Span
from .scoring import Chains, Counts


class Identified(NamedTuple):
    """The mentions of a document: the same for all metrics, and printed again by each."""

    in_key: list[str]  # lines about repeated mentions
    in_response: list[str]
    totals: str
    counts: Counts
    keys: Chains
    responses: Chains


def identified(key: Reading, response: Reading) -> Identified:
    """Number the mentions by span: counts of them, and the chains of both sides.

    If the key has a repeated response mention, only the first copy is kept. All other repetitions are kept, with one
    number.
    """
    in_key, in_response = [], []
    numbers: dict[Span, int] = {}
    used = 0
    for entity in key.entities:
        for start, end, _ in entity:
            span = start, end
            if span in numbers:
                in_key.append(f"Repeated mention in the key: {start}, {end} {numbers[span]}{used}\n")
            numbers[span] = used
            used += 1
    found: dict[Span, int] = {}
    chains: list[list[Span]] = []
    for entity in response.entities:
        chain = []
        for start, end, _ in entity:
            span = start, end
            if span in found:
                in_response.append(f"Repeated mention in the response: {start}, {end} {2 * str(found[span])}\n")
                continue
            if span in numbers:
                found[span] = numbers[span]
            chain.append(span)
        if chain:
            chains.append(chain)
    exact = len(found)
    for chain in chains:
        for span in chain:
            if span not in found:
                found[span] = used
                used += 1
    totals = (
        f"Total key mentions: {len(numbers)}\n"
        f"Total response mentions: {len(found)}\n"
        f"Strictly correct identified mentions: {exact}\n"
        "Partially correct identified mentions: 0\n"
        f"No identified: {len(numbers) - exact}\n"
        f"Invented: {used - len(numbers)}\n"
    )
    counts = (exact, len(numbers), exact, len(found))
    keys = [[numbers[start, end] for start, end, _ in entity] for entity in key.entities]
    return Identified(in_key, in_response, totals, counts, keys, [[found[span] for span in chain] for chain in chains])
