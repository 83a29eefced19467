"""The writer of CONLL-UA; `conllua` describes the format."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, pairwise
from typing import NamedTuple, NoReturn

import numpy as np

from ...corpus.model import Corpus, IntArray, Text
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
_OWN = {"id": "MarkableID", "min": "Min"}
_KEYS = {"EntityID", "MarkableID", "ElementOf", "Min", *NOM_SEM}


class _Piece(NamedTuple):
    start: int
    end: int
    text: str
    name: str


def write(corpus: Corpus) -> Iterator[str]:
    """The lines of the file, sentence by sentence."""
    text = text_of_tokens(corpus, "CONLL-UA")
    deixis = any(r.kind == "deixis" for r in corpus.relations)
    if deixis and "discourse_deixis" not in text.layers:
        _fail("discourse deixis of another format than CONLL-UA")
    for name in corpus.attributes:
        if name in _KEYS - {*NOM_SEM} or not re.fullmatch(r"[^\s()|=@]+", name):
            _fail(f"an attribute with the name '{name}'")
    ids = _ids(corpus)
    elements, bridges = _relations(corpus, ids)
    yield f"# global.columns = {COLUMNS}\n"
    for d in range(len(corpus.documents)):
        rows = range(*corpus.bounds[d : d + 2])
        identity = [_identity(corpus, row, ids[row], elements.get(row, ())) for row in rows]
        bridging = [b for row in rows for b in bridges.get(row, ())]
        at = [row for row in rows for _ in bridges.get(row, ())]
        types = [_types(corpus, row, ids[row]) for row in rows]
        typed = [row for row, t in zip(rows, types, strict=True) if t]
        columns = {
            "IDENTITY": _column(corpus, rows, identity, ids),
            "BRIDGING": _column(corpus, at, bridging, ids),
            "NOM_SEM": {} if "nom_sem" in text.layers else _column(corpus, typed, list(filter(None, types)), ids),
        }
        yield from _document(corpus, text, d, columns)


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
        implied = key == "referring" and values[row] == "no" and re.search("[-_]Pseudo$", label)
        if values[row] and key != "id" and key not in NOM_SEM and not implied:
            places = key == "min" and re.fullmatch(r"\d+,\d+", values[row])  # tools expect the comma without an escape
            items.append(f"{_OWN.get(key, key)}={values[row] if places else escaped(values[row], SPECIAL)}")
    items += [f"ElementOf={','.join(elements_of)}"] if elements_of else []
    return "|".join(items)


def _types(corpus: Corpus, row: int, name: str) -> str:
    items = [f"{k}={escaped(v[row], SPECIAL)}" for k, v in corpus.attributes.items() if k in NOM_SEM and v[row]]
    return "|".join([f"MarkableID={name}", *items]) if items else ""


def _relations(corpus: Corpus, ids: Sequence[str]) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """The plural entities that a mention is an element of, and the anchors of its bridging."""
    elements, bridges = defaultdict[int, list[str]](list), defaultdict[int, list[str]](list)
    key = corpus.doc * max(len(corpus.labels), 1) + corpus.entity
    first, anywhere = _firsts(key), _firsts(corpus.entity)
    for r in corpus.relations:
        if r.kind not in ("bridging", "split-antecedent") or r.target < 0:
            continue
        target, source = (escaped(str(corpus.labels[e]), SPECIAL) for e in (r.target, r.source))
        if r.kind == "split-antecedent":
            doc = int(corpus.doc[r.mention]) if r.mention >= 0 else -1
            row = r.anchor if r.anchor >= 0 else first.get(doc * len(corpus.labels) + r.target, anywhere[r.target])
            elements[row].append(source)
        else:
            doc = int(corpus.doc[r.anchor]) if r.anchor >= 0 else -1
            row = r.mention if r.mention >= 0 else first.get(doc * len(corpus.labels) + r.source, anywhere[r.source])
            items = [f"MarkableID={ids[row]}", f"Rel={escaped(r.label, SPECIAL)}" if r.label else ""]
            items += [f"MentionAnchor={ids[r.anchor]}" if r.anchor >= 0 else "", f"EntityAnchor={target}"]
            bridges[row].append("|".join(filter(None, items)))
    return elements, bridges


def _firsts(key: IntArray) -> dict[int, int]:
    values, rows = np.unique(key, return_index=True)
    return dict(zip(values.tolist(), rows.tolist(), strict=True))


def _column(corpus: Corpus, rows: Sequence[int], texts: Sequence[str], ids: Sequence[str]) -> dict[int, str]:
    """The brackets of some mentions by token, with ids only if mentions cross."""
    pieces = sorted(
        (_Piece(a, b, text, ids[row]) for row, text in zip(rows, texts, strict=True) for a, b in corpus.pieces(row)),
        key=lambda p: (p.start, -p.end),
    )
    opening, closing = defaultdict[int, list[_Piece]](list), defaultdict[int, list[_Piece]](list)
    for piece in pieces:
        opening[piece.start].append(piece)
    for piece in reversed(pieces):
        if piece.end > piece.start:
            closing[piece.end].append(piece)
    nested, stack = True, list[int]()
    for token in sorted({*opening, *closing}):
        for _ in closing.get(token, ()):
            nested &= stack.pop() == token
        stack += [p.end for p in opening.get(token, ()) if p.end > token]
    found = {}
    for token in {*opening, *closing}:
        closed = [")" if nested else f"{p.name})" for p in closing.get(token, ())]
        longer = [f"({p.text}" for p in opening.get(token, ()) if p.end > token]
        single = [f"({p.text})" for p in opening.get(token, ()) if p.end == token]
        found[token] = "".join([*closed, *longer, *single])
    return found


def _document(corpus: Corpus, text: Text, d: int, columns: Mapping[str, Mapping[int, str]]) -> Iterator[str]:
    document, layers, first = corpus.documents[d], text.layers, int(text.first[d])
    if not document.label or re.search(r"[\t\n\r]|^\s|\s$", document.label):
        _fail(f"a document with the name {document.label!r}")
    head = [f"# newdoc id = {document.label}"]
    head += [f"# document_part = {document.part}"] if document.part is not None else []
    stops = [*(text.starts(d) + first).tolist(), int(text.first[d + 1])]
    if len(stops) == 1:
        yield "\n".join(head) + "\n\n"
    words = zeros = 0
    for begin, stop in pairwise(stops):
        lines = head if begin == first else []
        comments = layers["comments"][begin].split("\n") if "comments" in layers and layers["comments"][begin] else []
        for comment in comments:
            if not comment.startswith("#") or re.match(r"# *(newdoc( |$)|document_part *=|global\.columns)", comment):
                _fail(f"a comment such as '{comment[:40]}'")
        # this comment of CoNLL-U names the fields of its brackets
        lines += [c for c in comments if not re.match(r"# *global\.Entity", c)]
        for i in range(begin, stop):
            if "multiword" in layers and (line := layers["multiword"][i]):
                lines.append(_multiword(line, words + 1))
            empty = text.empty is not None and bool(text.empty[i])
            words, zeros = (words, zeros + 1) if empty else (words + 1, 0)
            named = {name: layers[name][i] for name in layers}
            cells = [f"{words}.{zeros}" if empty else str(words), text.words[i] or ("_" if empty else "")]
            cells += [named.get(name) or "_" for name in CONLLU_LAYERS]
            cells += [columns[c].get(i - first, "_") for c in ("IDENTITY", "BRIDGING")]
            cells += [named.get("discourse_deixis") or "_", named.get("reference") or "_"]
            cells.append(named.get("nom_sem") or columns["NOM_SEM"].get(i - first, "_"))
            if any(not c or c != c.strip() or re.search(r"[\t\n\r]", c) for c in cells):
                _fail(f"an empty word, a tab or a line break in word {i - first + 1} of document {document.quoted}")
            lines.append("\t".join(cells))
        yield "\n".join(lines) + "\n\n"


def _multiword(line: str, word: int) -> str:
    found = re.fullmatch(r"(\d+)-(\d+)((?:\t[^\t\n\r]*)+)", line)
    if not found:
        _fail(f"a multiword token that is not a line of CoNLL-U: '{line[:40]}'")
    return f"{word}-{word + int(found[2]) - int(found[1])}{found[3]}"
