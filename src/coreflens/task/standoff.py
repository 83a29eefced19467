"""Stand-off layers of OntoNotes from the columns of .conll files: .prop, .sense and .speaker.

    .prop     DOCUMENT TREE TOKEN ANNOTATOR LEMMA-POS LEMMA.FRAMESET ----- POINTER-LABEL ...
    .sense    DOCUMENT TREE TOKEN LEMMA-POS SENSE
    .speaker  START STOP NAME GENDER COMPETENCE, one line per tree; `-` for what the columns do not have

A pointer is TOKEN:HEIGHT, the constituent HEIGHT levels above a word. An argument that is not a constituent is written
as its constituents, separated by commas, and read as one again. `lost` counts data that the files can't hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from ..corpus.brackets import Labelled, Proposition
from ..corpus.model import Corpus, Text
from ..corpus.treebank import Leaf
from ..formats.ontonotes.propositions import Tree

_ANNOTATOR = "gold"


def standoff(
    corpus: Corpus, units: Sequence[int], known: Mapping[int, Proposition], lost: Counter[str]
) -> Iterator[tuple[str, str]]:
    """Suffix and content of the stand-off files of a document, only those it has facts for.

    `units` are its parts, `known` the propositions of the corpus by the token of their predicate.
    """
    text = corpus.text
    name = corpus.documents[units[0]].name
    cuts = [cut for d in units for cut in sentences(text, d)]
    senses = text.layers.get("sense", ())
    propositions: list[str] = []
    sense_lines: list[str] = []
    without: list[int] = []  # tokens that have neither
    for number, cut in enumerate(cuts):
        for token in range(cut.start, cut.stop):
            has_sense = bool(senses) and bool(senses[token])
            if token in known:
                propositions.append(_proposition(text, name, known[token], number, cut))
            if has_sense:
                sense_lines.append(f"{name} {number} {token - cut.start} {_lemma(text, token)} {senses[token]}\n")
            if token not in known and not has_sense:
                without.append(token)
    if propositions:
        yield ".prop", "".join(propositions)
    if sense_lines:
        yield ".sense", "".join(sense_lines)
    speakers = text.layers.get("speaker", ())
    if any(speakers):
        yield ".speaker", "".join(_speaker(speakers[cut], lost) for cut in cuts)
    _count_lost(corpus, units, without, lost)


def _count_lost(corpus: Corpus, units: Sequence[int], tokens: Sequence[int], lost: Counter[str]) -> None:
    """Count lemmas and framesets of tokens without a fact or a sense, and all attributes of mentions."""
    layers = corpus.text.layers
    for layer, kind in (("lemma", "lemmas of words without a frameset or a sense"), ("frameset", "framesets")):
        cells = layers.get(layer, ())
        lost[kind] += sum(bool(cells[token]) for token in tokens) if cells else 0
    rows = [row for d in units for row in range(*corpus.bounds[d : d + 2].tolist())]
    for attribute, values in corpus.attributes.items():
        lost[f"mentions' {attribute}"] += sum(bool(values[row]) for row in rows)


def sentences(text: Text, d: int) -> Iterator[slice]:
    """The tokens of each sentence of a part."""
    offset = int(text.first[d])
    stops = [*(text.starts(d) + offset).tolist(), int(text.first[d + 1])]
    for a, b in pairwise(stops):
        yield slice(a, b)


def _lemma(text: Text, token: int) -> str:
    lemma = text.layers["lemma"][token] if text.layers.get("lemma") else ""
    tag = text.layers["pos"][token] if text.layers.get("pos") else "V"
    return f"{lemma}-{'n' if tag.startswith('N') else 'v'}"


def _proposition(text: Text, name: str, proposition: Proposition, number: int, cut: slice) -> str:
    tree = Tree([Leaf(w, t, b, 0) for w, t, b in _leaves(text, cut)])
    token = proposition.token - cut.start
    lemma = _lemma(text, proposition.token)
    frameset = text.layers["frameset"][proposition.token] if text.layers.get("frameset") else ""
    sense = f"{lemma.rpartition('-')[0]}.{frameset}" if frameset else "-"
    cells = [_argument(tree, span, cut.start) for span in proposition.arguments]
    return " ".join([name, str(number), str(token), _ANNOTATOR, lemma, sense, "-----", *cells]) + "\n"


def _leaves(text: Text, cut: slice) -> Iterator[tuple[str, str, str]]:
    words = text.words[cut]
    tags = text.layers["pos"][cut] if text.layers.get("pos") else ["XX"] * len(words)
    bits = text.layers["parse"][cut] if text.layers.get("parse") else ["*"] * len(words)
    return zip(words, tags, bits, strict=True)


def _argument(tree: Tree, span: Labelled, offset: int) -> str:
    """`5:1-ARG0`: an argument as the fewest constituents, taking from left to right the largest that fits."""
    place, last = span.start - offset, span.end - offset
    pointers = []
    while place <= last:
        height, widest = _largest(tree, place, last)
        pointers.append(f"{place}:{height}")
        place = widest + 1
    return f"{','.join(pointers)}-{'rel' if span.label == 'V' else span.label}"


def _largest(tree: Tree, place: int, last: int) -> tuple[int, int]:
    """The height and the last leaf of the largest constituent that begins at a leaf and ends by `last`.

    Of several that are as large the lowest counts; the height of the leaf itself is 0.
    """
    height, widest = 0, place
    for number, (begin, end) in enumerate(tree.above[place], start=1):
        if begin == place and widest < end <= last:
            height, widest = number, end
    return height, widest


def _speaker(cells: Sequence[str], lost: Counter[str]) -> str:
    """A line of the .speaker file: who speaks in a sentence."""
    names = list(dict.fromkeys(cells))
    lost["further speakers of a sentence"] += len(names) - 1
    name = names[0].replace(" ", "_")
    lost["blanks in names of speakers"] += name != names[0]
    return f"- - {name or '-'} - -\n"
