"""The writer of XMI with DKPro's types, which are built-in layers of INCEpTION and WebAnno."""

from __future__ import annotations

from collections.abc import Iterator

from ...corpus.model import Corpus
from ...errors import InputError
from ..shared.one_document import one_document
from ..shared.xml import attribute

UNITS = ("token", "character")
HOLDS = frozenset(
    {"words", "sentences", "text", "spans", "documents without mentions", "singletons", "crossing mentions"}
    | {
        "repeated mentions",
        "layer pos",
        "layer lemma",
        "attribute type",
        "attribute type that differs within its entity",
    }
    | {"attribute link", "attribute link that differs within its entity"}
)

_DKPRO = "http:///de/tudarmstadt/ukp/dkpro/core/api"
_SPACES = {
    "xmi": "http://www.omg.org/XMI",
    "cas": "http:///uima/cas.ecore",
    "metadata": f"{_DKPRO}/metadata/type.ecore",
    "segmentation": f"{_DKPRO}/segmentation/type.ecore",
    "pos": f"{_DKPRO}/lexmorph/type/pos.ecore",
    "coref": f"{_DKPRO}/coref/type.ecore",
}
_SOFA = 1


class _Ids:
    """Numbers of structures, and which of them the view lists."""

    def __init__(self) -> None:
        self.last = _SOFA

    def new(self) -> int:
        self.last += 1
        return self.last


def write(corpus: Corpus) -> Iterator[str]:
    """The file of one document."""
    no_words = corpus.has_text and corpus.unit == "token" and not corpus.text.words
    if corpus.names is not None or not corpus.has_text or no_words:
        raise InputError("XMI needs a text, but there is none", file=corpus.source or None)
    one_document(corpus, "xmi")
    if corpus.unit == "character":
        text = (corpus.text.raw or [""])[0]
        starts, stops = list(range(len(text))), list(range(1, len(text) + 1))
    else:
        text, starts, stops = _laid_out(corpus)
    units = _units(text)
    spaces = " ".join(f'xmlns:{name}="{uri}"' for name, uri in _SPACES.items())
    ids = _Ids()
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<xmi:XMI {spaces} xmi:version="2.0">\n  <cas:NULL xmi:id="0"/>\n'
    title = attribute(corpus.documents[0].label)
    whole = f'sofa="{_SOFA}" begin="0" end="{units[-1]}"'
    notes = f'language="x-unspecified" documentTitle={title} documentId={title} isLastSegment="false"'
    yield f'  <metadata:DocumentMetaData xmi:id="{ids.new()}" {whole} {notes}/>\n'
    if corpus.unit == "token":
        yield from _tokens(corpus, starts, stops, units, ids)
    yield from _chains(corpus, starts, stops, units, ids)
    members = " ".join(map(str, range(_SOFA + 1, ids.last + 1)))
    sofa = f'xmi:id="{_SOFA}" sofaNum="1" sofaID="_InitialView" mimeType="text"'
    yield f"  <cas:Sofa {sofa} sofaString={attribute(text)}/>\n"
    yield f'  <cas:View sofa="{_SOFA}" members="{members}"/>\n</xmi:XMI>\n'


def _laid_out(corpus: Corpus) -> tuple[str, list[int], list[int]]:
    """The text, with blanks between words where these are usual and one sentence per line; and the place of each
    word."""
    text = corpus.text
    borders = set(text.sentences.tolist())
    pieces: list[str] = []
    starts, stops = [], []
    size = 0
    for token, word in enumerate(text.words):
        if token:
            between = "\n" if token in borders else " " if text.spaced(token - 1) else ""
            pieces.append(between)
            size += len(between)
        written = word or "_"  # an annotation must cover something
        starts.append(size)
        pieces.append(written)
        size += len(written)
        stops.append(size)
    return "".join(pieces), starts, stops


def _units(text: str) -> range | list[int]:
    """Place in characters → place in UTF-16 units, the end included."""
    if text.isascii() or max(text) <= "\uffff":
        return range(len(text) + 1)
    places = [0]
    for character in text:
        places.append(places[-1] + (2 if character > "\uffff" else 1))
    return places


def _place(id: int, begin: int, end: int, units: range | list[int]) -> str:
    return f'xmi:id="{id}" sofa="{_SOFA}" begin="{units[begin]}" end="{units[end]}"'


def _tokens(corpus: Corpus, starts: list[int], stops: list[int], units: range | list[int], ids: _Ids) -> Iterator[str]:
    text = corpus.text
    first = text.sentences.tolist()
    for a, b in zip(first, [*first[1:], len(text.words)], strict=True):
        yield f"  <segmentation:Sentence {_place(ids.new(), starts[a], stops[b - 1], units)}/>\n"
    for token in range(len(text.words)):
        notes = ""
        for layer, tag, name in (("pos", "pos:POS", "PosValue"), ("lemma", "segmentation:Lemma", "value")):
            if layer in text.layers and (value := text.layers[layer][token]):
                id = ids.new()
                yield f"  <{tag} {_place(id, starts[token], stops[token], units)} {name}={attribute(value)}/>\n"
                notes += f' {layer}="{id}"'
        yield f"  <segmentation:Token {_place(ids.new(), starts[token], stops[token], units)}{notes}/>\n"


def _chains(corpus: Corpus, starts: list[int], stops: list[int], units: range | list[int], ids: _Ids) -> Iterator[str]:
    members: dict[int, list[int]] = {}
    for row, entity in enumerate(corpus.entity.tolist()):
        members.setdefault(entity, []).append(row)
    nothing = [""] * len(corpus)
    types, links = (corpus.attributes.get(name, nothing) for name in ("type", "link"))
    for rows in members.values():
        first = ids.last + 1
        for number, row in enumerate(rows):
            id = ids.new()
            notes = f' next="{id + 1}"' if number + 1 < len(rows) else ""
            notes += f" referenceType={attribute(types[row])}" if types[row] else ""
            notes += f" referenceRelation={attribute(links[row])}" if links[row] else ""
            begin, end = starts[int(corpus.start[row])], stops[int(corpus.end[row])]
            yield f"  <coref:CoreferenceLink {_place(id, begin, end, units)}{notes}/>\n"
        yield f'  <coref:CoreferenceChain xmi:id="{ids.new()}" sofa="{_SOFA}" first="{first}"/>\n'
