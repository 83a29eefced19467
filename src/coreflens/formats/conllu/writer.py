"""The writer of CoNLL-U with the coreference of CorefUD; `conllu` describes the format."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, NoReturn

from ...corpus.model import Corpus, Document, Span, Text
from ...errors import InputError
from ..shared.brackets import LABEL, VALUE, Brackets, escaped
from .text import LAYERS, STANDARD_ENTITY

HOLDS = frozenset(
    {
        *("words", "sentences", "spans", "labels", "documents", "document parts", "documents without mentions"),
        *("singletons", "crossing mentions", "repeated mentions", "discontinuous mentions", "zeros", "heads"),
        *("cross-document entities", "bridging", "split-antecedent", "attribute *"),
        *(f"not attribute {name}" for name in ("eid", "GRP", "head")),  # these names are used for other fields
        *(f"layer {name}" for name in (*LAYERS, "comments", "multiword", "speaker")),
    }
)
_STANDARD = tuple(STANDARD_ENTITY.rpartition(" ")[2].split("-"))
_GLOBAL = re.compile(r"# *global\.Entity *= *(\S+)\s*")
_KEYS = ("Bridge", "Entity", "SplitAnte")
_OURS = re.compile(r"(?:^|\|)(?:Entity|Bridge|SplitAnte|Split)=|[\t\n\r]")


class _Piece(NamedTuple):
    """A mention, or one part of it: its first and last token, its name in brackets, and its opening piece."""

    start: int
    end: int
    name: str
    text: str
    row: int


def text_of_tokens(corpus: Corpus, format: str) -> Text:
    """The words that contain the mentions; an InputError if mentions are not spans of tokens."""
    if corpus.unit != "token":
        raise InputError(f"{format} counts tokens, but this corpus counts characters", file=corpus.source or None)
    text = corpus.text  # an error if there is none
    if corpus.names is not None:
        raise InputError("the mentions of this corpus have names but no spans", file=corpus.source or None)
    return text


def write(corpus: Corpus) -> Iterator[str]:
    """The lines of the file, sentence by sentence."""
    text = text_of_tokens(corpus, "CoNLL-U")
    fields = _fields(corpus, text)
    relations = _relations(corpus)
    for d, document in enumerate(corpus.documents):
        rows = range(*corpus.bounds[d : d + 2])
        misc = _entities(corpus, rows, fields, document)
        for row in rows:
            for key, links in relations.get(row, {}).items():
                misc[int(corpus.start[row])][key].extend(links)
        _check_latest(corpus, rows, relations)
        yield from _document(corpus, text, d, misc, fields)


def _fail(message: str, hint: str = "", document: Document | None = None) -> NoReturn:
    where = f" (document {document.quoted})" if document else ""
    raise InputError(f"CoNLL-U can't hold this: {message}{where}", hint=hint)


def _fields(corpus: Corpus, text: Text) -> tuple[str, ...]:
    """The fields of a mention: those of the original file, if they can hold everything, otherwise the usual ones."""
    used = [name for name, values in corpus.attributes.items() if any(values)]
    for name in used:
        if name in ("eid", "GRP", "head") or not re.fullmatch(r"[^\s()|-]+", name):
            _fail(f"an attribute with the name '{name}'")
    usual = _STANDARD if {*used} <= {*_STANDARD} else ("eid", "etype", "head", *(n for n in used if n != "etype"))
    heads = corpus.head is not None and bool((corpus.head >= 0).any())
    if len(corpus) and not heads:  # other readers refuse an empty head, but accept a missing one
        usual = tuple(f for f in usual if f != "head")
    comments = text.layers.get("comments", ())
    said = _GLOBAL.search(comments[0]) if len(comments) else None
    fields = tuple(said[1].split("-")) if said else usual
    room = {"etype" if f == "entity" else f for f in fields}
    return fields if room & {"eid", "GRP"} and room >= {*used} and (not heads or "head" in room) else usual


def _entities(
    corpus: Corpus, rows: range, fields: tuple[str, ...], document: Document
) -> dict[int, dict[str, list[str]]]:
    """The pieces of the mentions of a document, for MISC, by token."""
    pieces: list[_Piece] = []
    for row in rows:
        label = escaped(str(corpus.labels[corpus.entity[row]]), LABEL)
        if not label:
            _fail("an entity without a label", document=document)
        spans = corpus.pieces(row)
        for k, (a, b) in enumerate(spans, start=1):
            name = f"{label}[{k}/{len(spans)}]" if len(spans) > 1 else label
            pieces.append(_Piece(a, b, name, _mention(corpus, row, name, fields, spans), row))
    pieces.sort(key=lambda p: (p.start, -p.end))
    longer, single, closing = (defaultdict[int, list[_Piece]](list) for _ in range(3))
    for piece in pieces:
        (single if piece.start == piece.end else longer)[piece.start].append(piece)
    for piece in reversed(pieces):  # the last opened one is closed first
        if piece.start < piece.end:
            closing[piece.end].append(piece)
    brackets, misc = Brackets(), defaultdict[int, dict[str, list[str]]](lambda: defaultdict(list))
    opened: list[int] = []  # the rows of the mentions, in order of opening
    for token in sorted({*longer, *single, *closing}):
        open_ = [(f"({p.text}", p, True, False) for p in longer.get(token, ())]
        alone = [(f"({p.text})", p, True, True) for p in single.get(token, ())]
        closed = [(f"{p.name})", p, False, True) for p in closing.get(token, ())]
        for shown, piece, opens, closes in [*closed, *open_, *alone] if open_ else [*alone, *closed]:
            misc[token]["Entity"].append(shown)
            if opens:
                brackets.opens(piece.name, token)
                opened += [piece.row] if len(brackets.mentions) > len(opened) else []
            if closes:
                brackets.closes(piece.name, token)
    for row, mention in zip(opened, brackets.mentions, strict=True):
        if tuple(mention.parts) != corpus.pieces(row):  # it would be read differently
            _fail(f"mentions of one entity, {mention.label}, that cross", "they must not overlap", document)
    return misc


def _mention(corpus: Corpus, row: int, name: str, fields: Sequence[str], spans: Sequence[Span]) -> str:
    values = []
    for field in fields:
        attribute = corpus.attributes.get("etype" if field == "entity" else field)
        if field in ("eid", "GRP"):
            values.append(name)
        elif field == "head":
            values.append(_head(corpus, row, spans))
        else:
            values.append(escaped(attribute[row], VALUE) if attribute else "")
    while not values[-1] and fields[len(values) - 1] != "other":  # CorefUD ends with a hyphen here, GUM does not
        values.pop()
    return "-".join(values)


def _head(corpus: Corpus, row: int, spans: Sequence[Span]) -> str:
    head = -1 if corpus.head is None else int(corpus.head[row])
    before = 0
    for a, b in spans:
        if a <= head <= b:
            return str(before + head - a + 1)
        before += b - a + 1
    if head >= 0:
        _fail(f"a head (token {head}) that is not in its mention {spans}", document=corpus.documents[corpus.doc[row]])
    return ""


def _relations(corpus: Corpus) -> dict[int, dict[str, list[str]]]:
    """Bridge and SplitAnte by the row of the anaphor.

    If the anaphor is an entity as a whole, its first mention in the document of the anchor is taken, otherwise its
    first mention in the corpus.
    """
    found: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    kinds = {"bridging": "Bridge", "split-antecedent": "SplitAnte"}
    first: dict[tuple[int, int], int] = {}
    for row in range(len(corpus) - 1, -1, -1) if corpus.relations else ():
        entity = int(corpus.entity[row])
        first[int(corpus.doc[row]), entity] = first[-1, entity] = row
    for relation in corpus.relations:
        if relation.kind not in kinds or relation.target < 0 or relation.source == relation.target:
            continue
        document = int(corpus.doc[relation.anchor]) if relation.anchor >= 0 else -1
        row = relation.mention
        if row < 0:
            row = first.get((document, relation.source), first[-1, relation.source])
        target, source = (escaped(str(corpus.labels[e]), LABEL) for e in (relation.target, int(corpus.entity[row])))
        named = relation.label and relation.kind == "bridging"
        label = f":{escaped(relation.label, LABEL)}" if named else ""
        found[row][kinds[relation.kind]].append(f"{target}<{source}{label}")
    return found


def _check_latest(corpus: Corpus, rows: range, relations: Mapping[int, object]) -> None:
    """Check that a relation belongs to the mention of its entity that opens last at its token."""
    latest = {(int(corpus.start[row]), int(corpus.entity[row])): row for row in rows}
    for row in rows:
        if row in relations and latest[int(corpus.start[row]), int(corpus.entity[row])] != row:
            _fail(
                "a relation of a mention that starts with another of its entity", document=corpus.mention(row).document
            )


def _document(
    corpus: Corpus, text: Text, d: int, misc: Mapping[int, Mapping[str, Sequence[str]]], fields: Sequence[str]
) -> Iterator[str]:
    document, layers = corpus.documents[d], text.layers
    if not document.label or re.search(r"[\t\n\r]|^\s|\s$", document.label):
        _fail(f"a document with the name {document.label!r}")
    head = [f"# newdoc id = {document.label}"]
    head += [f"# document_part = {document.part}"] if document.part is not None else []
    comments, declared = layers.get("comments"), f"# global.Entity = {'-'.join(fields)}"
    first = int(text.first[d])
    stops = [*(text.starts(d) + first).tolist(), int(text.first[d + 1])]
    block = _comments(comments[first], declared) if comments and len(stops) > 1 else []
    if not d and declared not in block:
        head.append(declared)
    if len(stops) == 1:
        yield "\n".join(head) + "\n\n"
    for begin, stop in pairwise(stops):
        lines = head if begin == first else []
        lines += _comments(comments[begin], declared) if comments else []
        who = {*layers.get("speaker", [""])[begin:stop]} if "speaker" in layers else {""}
        if len(who) > 1 or re.search(r"[\n\r]", min(who)):
            _fail(f"speakers that change within a sentence, such as {min(who)!r:.40}", document=document)
        if min(who) and not any(re.match(r"# *speaker *=", line) for line in lines):
            lines.append(f"# speaker = {min(who)}")
        words = zeros = 0
        for i in range(begin, stop):
            if line := _multiword(layers, i, words + 1):
                lines.append(line)
            empty = text.empty is not None and bool(text.empty[i])
            words, zeros = (words, zeros + 1) if empty else (words + 1, 0)
            cells = [f"{words}.{zeros}" if empty else str(words), text.words[i] or ("_" if empty else "")]
            cells += [layers[name][i] or "_" if name in layers else "_" for name in LAYERS[:-1]]
            rest = layers["misc"][i] if "misc" in layers else ""
            if not cells[1] or _OURS.search(rest) or re.search(r"[\t\n\r]", "".join(cells)):
                what = "an empty word" if not cells[1] else "a tab, a line break or an item Entity="
                _fail(f"{what} in word {i - first + 1}", document=document)
            lines.append("\t".join([*cells, _misc(rest, misc.get(i - first, {}))]))
        yield "\n".join(lines) + "\n\n"


def _comments(text: str, declared: str) -> list[str]:
    lines = text.split("\n") if text else []
    for line in lines:
        if not line.startswith("#") or re.match("# *(newdoc( |$)|document_part *=)", line) or "\r" in line:
            _fail(f"a comment such as '{line[:40]}'")
    return [declared if _GLOBAL.fullmatch(line) else line for line in lines]


def _multiword(layers: Mapping[str, Sequence[str]], i: int, word: int) -> str:
    line = layers["multiword"][i] if "multiword" in layers else ""
    if not line:
        return ""
    found = re.fullmatch(r"(\d+)-(\d+)((?:\t[^\t\n\r]*){9})", line)
    if not found:
        _fail(f"a multiword token that is not a line of CoNLL-U: '{line[:40]}'")
    return f"{word}-{word + int(found[2]) - int(found[1])}{found[3]}"


def _misc(rest: str, ours: Mapping[str, Sequence[str]]) -> str:
    """The MISC column, with our items in alphabetical order among the others."""
    items = rest.split("|") if rest else []
    for key in _KEYS:
        if values := ours.get(key):
            value = ("" if key == "Entity" else ",").join(values)
            place = next((i for i, item in enumerate(items) if item.lower() > f"{key}=".lower()), len(items))
            items.insert(place, f"{key}={value}")
    return "|".join(items) or "_"
