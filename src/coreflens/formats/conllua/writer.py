"""The writer of CONLL-UA; `conllua` describes the format."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, pairwise
from typing import NamedTuple, NoReturn

import numpy as np

from ...corpus.model import Corpus, Document, IntArray, Text
from ...errors import InputError
from ..conllu.text import LAYERS as CONLLU_LAYERS
from ..conllu.writer import text_of_tokens
from ..shared.brackets import escaped

COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DISCOURSE_DEIXIS REFERENCE NOM_SEM"
NOM_SEM = ("Entity_Type", "Genericity")
SPECIAL = " \t\n\r()|@,"
HOLDS = frozenset(
    {
        *("words", "sentences", "spans", "labels", "documents", "document parts", "documents without mentions"),
        *("singletons", "crossing mentions", "repeated mentions", "discontinuous mentions", "zeros"),
        *("cross-document entities", "bridging", "split-antecedent", "deixis", "anchors", "attribute *"),
        "relations within an entity",
        *(f"layer {name}" for name in (*CONLLU_LAYERS, "comments", "multiword", "discourse_deixis", "reference")),
        "layer nom_sem",
    }
)
_KEY_OF = {"id": "MarkableID", "min": "Min"}
_KEYS = {"EntityID", "MarkableID", "ElementOf", "Min", *NOM_SEM}


class _Piece(NamedTuple):
    start: int
    end: int
    text: str
    name: str


class _Entry(NamedTuple):
    """What stands in the brackets of a mention in one of the columns."""

    row: int
    text: str


def write(corpus: Corpus) -> Iterator[str]:
    """The lines of the file, sentence by sentence."""
    text = text_of_tokens(corpus, "CONLL-UA")
    _check(corpus, text)
    ids = _ids(corpus)
    elements, bridges = _relations(corpus, ids)
    yield f"# global.columns = {COLUMNS}\n"
    for d in range(len(corpus.documents)):
        identity: list[_Entry] = []
        bridging: list[_Entry] = []
        types: list[_Entry] = []
        for row in range(*corpus.bounds[d : d + 2]):
            identity.append(_Entry(row, _identity(corpus, row, ids[row], elements.get(row, ()))))
            bridging += [_Entry(row, bridge) for bridge in bridges.get(row, ())]
            if own_types := _types(corpus, row, ids[row]):
                types.append(_Entry(row, own_types))
        columns = {
            "IDENTITY": _column(corpus, identity, ids),
            "BRIDGING": _column(corpus, bridging, ids),
            "NOM_SEM": {} if "nom_sem" in text.layers else _column(corpus, types, ids),
        }
        yield from _document(corpus, text, d, columns)


def _check(corpus: Corpus, text: Text) -> None:
    """An InputError if the format can't hold an annotation."""
    deixis = any(r.kind == "deixis" for r in corpus.relations)
    if deixis and "discourse_deixis" not in text.layers:
        _fail("discourse deixis of another format than CONLL-UA")
    for name in corpus.attributes:
        if name in _KEYS - {*NOM_SEM} or not re.fullmatch(r"[^\s()|=@]+", name):
            _fail(f"an attribute with the name '{name}'")


def _fail(message: str) -> NoReturn:
    raise InputError(f"CONLL-UA can't hold this: {message}")


def _ids(corpus: Corpus) -> list[str]:
    """The ids of the mentions, unique within a document; mentions without an id get a new one."""
    given = corpus.attributes.get("id") or [""] * len(corpus)
    ids = [escaped(x, SPECIAL) for x in given]
    for a, b in pairwise(corpus.bounds.tolist()):
        used = {x for x in ids[a:b] if x}
        if len(used) < sum(map(bool, ids[a:b])):
            _fail(f"two mentions with the same id in document {corpus.documents[int(corpus.doc[a])].quoted}")
        fresh = (name for n in count(1) if (name := f"markable_{n}") not in used)
        ids[a:b] = [x or next(fresh) for x in ids[a:b]]
    return ids


def _identity(corpus: Corpus, row: int, name: str, elements_of: Sequence[str]) -> str:
    label = str(corpus.labels[corpus.entity[row]])
    if not label:
        _fail("an entity without a label")
    items = [f"EntityID={escaped(label, SPECIAL)}", f"MarkableID={name}"]
    for key, values in corpus.attributes.items():
        value = values[row]
        implied = key == "referring" and value == "no" and re.search("[-_]Pseudo$", label)
        if value and key != "id" and key not in NOM_SEM and not implied:
            items.append(f"{_KEY_OF.get(key, key)}={_value(key, value)}")
    if elements_of:
        items.append(f"ElementOf={','.join(elements_of)}")
    return "|".join(items)


def _value(key: str, value: str) -> str:
    is_place = key == "min" and re.fullmatch(r"\d+,\d+", value)
    return value if is_place else escaped(value, SPECIAL)  # tools expect the comma of a place without an escape


def _types(corpus: Corpus, row: int, name: str) -> str:
    items = [f"{k}={escaped(v[row], SPECIAL)}" for k, v in corpus.attributes.items() if k in NOM_SEM and v[row]]
    return "|".join([f"MarkableID={name}", *items]) if items else ""


def _relations(corpus: Corpus, ids: Sequence[str]) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """The plural entities that a mention is an element of, and the anchors of its bridging."""
    elements, bridges = defaultdict[int, list[str]](list), defaultdict[int, list[str]](list)
    width = len(corpus.labels)
    first = _firsts(corpus.doc * max(width, 1) + corpus.entity)
    anywhere = _firsts(corpus.entity)

    def row_of(given: int, beside: int, entity: int) -> int:
        """The given mention, otherwise the first of the entity in the document of another mention, or anywhere."""
        if given >= 0:
            return given
        doc = int(corpus.doc[beside]) if beside >= 0 else -1
        return first.get(doc * width + entity, anywhere[entity])

    for r in corpus.relations:
        if r.kind not in ("bridging", "split-antecedent") or r.target < 0:
            continue
        target, source = (escaped(str(corpus.labels[entity]), SPECIAL) for entity in (r.target, r.source))
        if r.kind == "split-antecedent":
            elements[row_of(r.anchor, r.mention, r.target)].append(source)
        else:
            row = row_of(r.mention, r.anchor, r.source)
            items = [
                f"MarkableID={ids[row]}",
                f"Rel={escaped(r.label, SPECIAL)}" if r.label else "",
                f"MentionAnchor={ids[r.anchor]}" if r.anchor >= 0 else "",
                f"EntityAnchor={target}",
            ]
            bridges[row].append("|".join(filter(None, items)))
    return elements, bridges


def _firsts(key: IntArray) -> dict[int, int]:
    values, rows = np.unique(key, return_index=True)
    return dict(zip(values.tolist(), rows.tolist(), strict=True))


def _column(corpus: Corpus, entries: Sequence[_Entry], ids: Sequence[str]) -> dict[int, str]:
    """The brackets of some mentions by token, with ids only if mentions cross."""
    pieces = [_Piece(a, b, e.text, ids[e.row]) for e in entries for a, b in corpus.pieces(e.row)]
    pieces.sort(key=lambda p: (p.start, -p.end))
    opening, closing = defaultdict[int, list[_Piece]](list), defaultdict[int, list[_Piece]](list)
    for piece in pieces:
        opening[piece.start].append(piece)
    for piece in reversed(pieces):
        if piece.end > piece.start:
            closing[piece.end].append(piece)
    nested = _nested(opening, closing)
    cells = {}
    for token in {*opening, *closing}:
        closed = [")" if nested else f"{p.name})" for p in closing.get(token, ())]
        longer = [f"({p.text}" for p in opening.get(token, ()) if p.end > token]
        single = [f"({p.text})" for p in opening.get(token, ()) if p.end == token]
        cells[token] = "".join([*closed, *longer, *single])
    return cells


def _nested(opening: Mapping[int, Sequence[_Piece]], closing: Mapping[int, Sequence[_Piece]]) -> bool:
    """Whether every closing bracket belongs to the piece opened last."""
    ends: list[int] = []  # of the open pieces
    for token in sorted({*opening, *closing}):
        for _ in closing.get(token, ()):
            if ends.pop() != token:
                return False
        ends += [p.end for p in opening.get(token, ()) if p.end > token]
    return True


def _document(corpus: Corpus, text: Text, d: int, columns: Mapping[str, Mapping[int, str]]) -> Iterator[str]:
    """The lines of a document, sentence by sentence."""
    document, first = corpus.documents[d], int(text.first[d])
    stops = [*(text.starts(d) + first).tolist(), int(text.first[d + 1])]
    head = _head_lines(document)
    if len(stops) == 1:  # no sentence
        yield "\n".join(head) + "\n\n"
    rows = _Rows(text, document, first, columns)
    for begin, stop in pairwise(stops):
        lines = head if begin == first else []
        lines += _comments(text, begin)
        for i in range(begin, stop):
            lines += rows.lines(i)
        yield "\n".join(lines) + "\n\n"


def _head_lines(document: Document) -> list[str]:
    if not document.label or re.search(r"[\t\n\r]|^\s|\s$", document.label):
        _fail(f"a document with the name {document.label!r}")
    lines = [f"# newdoc id = {document.label}"]
    if document.part is not None:
        lines.append(f"# document_part = {document.part}")
    return lines


def _comments(text: Text, token: int) -> list[str]:
    """The comments above a token, without the one of CoNLL-U that names the fields of its brackets."""
    block = text.layers["comments"][token] if "comments" in text.layers else ""
    comments = block.split("\n") if block else []
    for comment in comments:
        if not comment.startswith("#") or re.match(r"# *(newdoc( |$)|document_part *=|global\.columns)", comment):
            _fail(f"a comment such as '{comment[:40]}'")
    return [comment for comment in comments if not re.match(r"# *global\.Entity", comment)]


class _Rows:
    """The lines of the tokens of a document, which are numbered through it."""

    def __init__(self, text: Text, document: Document, first: int, columns: Mapping[str, Mapping[int, str]]) -> None:
        self.text, self.document, self.first, self.columns = text, document, first, columns
        self.words = self.zeros = 0

    def lines(self, i: int) -> list[str]:
        """The line of a token, after that of a multiword token that starts with it."""
        lines = []
        multiword = self.layer("multiword", i)
        if multiword:
            lines.append(_multiword(multiword, self.words + 1))
        form = self.text.words[i]
        if self.text.empty is not None and self.text.empty[i]:
            self.zeros += 1
            id, form = f"{self.words}.{self.zeros}", form or "_"
        else:
            self.words, self.zeros = self.words + 1, 0
            id = str(self.words)
        token = i - self.first
        cells = [id, form]
        cells += [self.layer(name, i) or "_" for name in CONLLU_LAYERS]
        cells += [self.columns[name].get(token, "_") for name in ("IDENTITY", "BRIDGING")]
        cells += [self.layer("discourse_deixis", i) or "_", self.layer("reference", i) or "_"]
        cells.append(self.layer("nom_sem", i) or self.columns["NOM_SEM"].get(token, "_"))
        if any(not cell or cell != cell.strip() or re.search(r"[\t\n\r]", cell) for cell in cells):
            where = f"in word {token + 1} of document {self.document.quoted}"
            _fail(f"an empty word, a tab or a line break {where}")
        lines.append("\t".join(cells))
        return lines

    def layer(self, name: str, i: int) -> str:
        layers = self.text.layers
        return layers[name][i] if name in layers else ""


def _multiword(line: str, word: int) -> str:
    cells = re.fullmatch(r"(\d+)-(\d+)((?:\t[^\t\n\r]*)+)", line)
    if not cells:
        _fail(f"a multiword token that is not a line of CoNLL-U: '{line[:40]}'")
    more = int(cells[2]) - int(cells[1])
    return f"{word}-{word + more}{cells[3]}"
