"""CRAFT's Knowtator-2, and the text beside it."""

from __future__ import annotations

TEXT = "BRCA2, a gene, binds DNA; it is a large gene."

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<knowtator-project><document id="9" text-file="9.txt">\n'

TAIL = "</graph-space></document></knowtator-project>\n"


def annotation(id: str, kind: str, *spans: tuple[int, int]) -> str:
    found = "".join(f'<span start="{a}" end="{b}">{TEXT[a:b]}</span>' for a, b in spans)
    return f'<annotation id="{id}"><class id="{kind}"/>{found}</annotation>\n'


def triple(subject: str, property: str, object: str) -> str:
    return f'<triple subject="n{subject}" property="{property}" object="n{object}"/>\n'


PHRASES = (
    annotation("c", "IDENTITY chain", (0, 5))
    + annotation("a", "Noun Phrase", (0, 5))
    + annotation("b", "Noun Phrase", (7, 13))
    + annotation("d", "Noun Phrase", (26, 28))
    + annotation("e", "Noun Phrase", (32, 33), (40, 44))
    + annotation("p", "APPOS relation", (0, 5))
    + annotation("i", "Nonreferential pronoun", (26, 28))
)

VERTICES = "<graph-space>" + "".join(f'<vertex id="n{id}" annotation="{id}"/>' for id in "cabdepi") + "\n"

TRIPLES = (
    triple("c", "Coreferring strings", "p")
    + triple("c", "Coreferring strings", "d")
    + triple("p", "APPOS Head", "a")
    + triple("p", "APPOS Attributes", "b")
)

XML = HEAD + PHRASES + VERTICES + TRIPLES + TAIL
