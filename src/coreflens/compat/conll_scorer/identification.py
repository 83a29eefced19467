"""Mentions numbered by span, as in scorer.pl v8.01, and its messages about repeated ones."""

from __future__ import annotations

from typing import NamedTuple

from .reading import ReadDocument, Span
from .scoring import Chains, Counts


class Identified(NamedTuple):
    """The mentions of a document: the same for all metrics, and printed again by each."""

    in_key: list[str]  # lines about repeated mentions
    in_response: list[str]
    totals: str
    counts: Counts
    keys: Chains
    responses: Chains


def identified(key: ReadDocument, response: ReadDocument) -> Identified:
    """Number the mentions by span: counts of them, and the chains of both sides.

    If the key has a repeated response mention, only the first copy is kept. All other repetitions are kept, with one
    number.
    """
    key_numbers, used, in_key = _key_numbers(key)
    numbers: dict[Span, int] = {}  # of the response
    in_response = []
    chains: list[list[Span]] = []
    for entity in response.entities:
        chain = []
        for start, end, _ in entity:
            span = start, end
            if span in numbers:
                in_response.append(f"Repeated mention in the response: {start}, {end} {2 * str(numbers[span])}\n")
                continue
            if span in key_numbers:
                numbers[span] = key_numbers[span]
            chain.append(span)
        if chain:
            chains.append(chain)
    exact = len(numbers)
    for chain in chains:
        for span in chain:
            if span not in numbers:
                numbers[span] = used
                used += 1
    totals = (
        f"Total key mentions: {len(key_numbers)}\n"
        f"Total response mentions: {len(numbers)}\n"
        f"Strictly correct identified mentions: {exact}\n"
        "Partially correct identified mentions: 0\n"
        f"No identified: {len(key_numbers) - exact}\n"
        f"Invented: {used - len(key_numbers)}\n"
    )
    counts = (exact, len(key_numbers), exact, len(numbers))
    keys = [[key_numbers[start, end] for start, end, _ in entity] for entity in key.entities]
    responses = [[numbers[span] for span in chain] for chain in chains]
    return Identified(in_key, in_response, totals, counts, keys, responses)


def _key_numbers(key: ReadDocument) -> tuple[dict[Span, int], int, list[str]]:
    """The number of each span of the key, the next free number, and the lines about repeated mentions."""
    numbers: dict[Span, int] = {}
    used = 0
    lines = []
    for entity in key.entities:
        for start, end, _ in entity:
            span = start, end
            if span in numbers:
                lines.append(f"Repeated mention in the key: {start}, {end} {numbers[span]}{used}\n")
            numbers[span] = used
            used += 1
    return numbers, used, lines
