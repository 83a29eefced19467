"""The writer of CoNLL-U with the coreference of CorefUD; `conllu` describes the format."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, NoReturn

from ...corpus.model import Corpus, Document, Relation, Span, Text
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
_KEY_OF = {"bridging": "Bridge", "split-antecedent": "SplitAnte"}  # kinds of relations
_OWN_ITEM = re.compile(r"(?:^|\|)(?:Entity|Bridge|SplitAnte|Split)=|[\t\n\r]")


class _Piece(NamedTuple):
    """A mention, or one part of it: its first and last token, its name in brackets, and its opening piece."""

    start: int
    end: int
    name: str
    text: str
    row: int


class _Bracket(NamedTuple):
    """A piece as it is written at a token: where it opens, where it closes, or both."""

    text: str
    piece: _Piece
    opens: bool
    closes: bool


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
    used = {name: None for name, values in corpus.attributes.items() if any(values)}
    _check_names(used)
    heads = corpus.head is not None and bool((corpus.head >= 0).any())
    original = _original_fields(text)
    names = {"etype" if field == "entity" else field for field in original}
    if names & {"eid", "GRP"} and names >= used.keys() and (not heads or "head" in names):
        return original
    usual = _STANDARD if {*_STANDARD} >= used.keys() else tuple(dict.fromkeys(("eid", "etype", "head", *used)))
    if len(corpus) and not heads:  # other readers refuse an empty head, but accept a missing one
        usual = tuple(field for field in usual if field != "head")
    return usual


def _check_names(attributes: Iterable[str]) -> None:
    for name in attributes:
        if name in ("eid", "GRP", "head") or not re.fullmatch(r"[^\s()|-]+", name):
            _fail(f"an attribute with the name '{name}'")


def _original_fields(text: Text) -> tuple[str, ...]:
    """The fields that the comments of the first sentence name; none if they name none."""
    comments = text.layers.get("comments", ())
    declared = _GLOBAL.search(comments[0]) if len(comments) else None
    return tuple(declared[1].split("-")) if declared else ()


def _entities(
    corpus: Corpus, rows: range, fields: tuple[str, ...], document: Document
) -> dict[int, dict[str, list[str]]]:
    """The pieces of the mentions of a document, for MISC, by token."""
    pieces = _pieces(corpus, rows, fields, document)
    longer, single, closing = (defaultdict[int, list[_Piece]](list) for _ in range(3))
    for piece in pieces:
        (single if piece.start == piece.end else longer)[piece.start].append(piece)
    for piece in reversed(pieces):  # the last opened one is closed first
        if piece.start < piece.end:
            closing[piece.end].append(piece)
    misc = defaultdict[int, dict[str, list[str]]](lambda: defaultdict(list))
    reader = _Reader()
    for token in sorted({*longer, *single, *closing}):
        opened = [_Bracket(f"({p.text}", p, True, False) for p in longer.get(token, ())]
        alone = [_Bracket(f"({p.text})", p, True, True) for p in single.get(token, ())]
        closed = [_Bracket(f"{p.name})", p, False, True) for p in closing.get(token, ())]
        for bracket in [*closed, *opened, *alone] if opened else [*alone, *closed]:
            misc[token]["Entity"].append(bracket.text)
            reader.read(bracket, token)
    reader.check(corpus, document)
    return misc


def _pieces(corpus: Corpus, rows: range, fields: tuple[str, ...], document: Document) -> list[_Piece]:
    """The pieces of the mentions of a document in the order in which they open, the longer first."""
    pieces: list[_Piece] = []
    for row in rows:
        label = escaped(str(corpus.labels[corpus.entity[row]]), LABEL)
        if not label:
            _fail("an entity without a label", document=document)
        spans = corpus.pieces(row)
        for number, (start, end) in enumerate(spans, start=1):
            name = f"{label}[{number}/{len(spans)}]" if len(spans) > 1 else label
            pieces.append(_Piece(start, end, name, _mention(corpus, row, name, fields, spans), row))
    return sorted(pieces, key=lambda p: (p.start, -p.end))


class _Reader:
    """Reads the brackets as a reader of the file will, to find out whether it gets the same mentions."""

    def __init__(self) -> None:
        self.brackets = Brackets()
        self.rows: list[int] = []  # of the mentions, in order of opening

    def read(self, bracket: _Bracket, token: int) -> None:
        if bracket.opens:
            self.brackets.opens(bracket.piece.name, token)
            if len(self.brackets.mentions) > len(self.rows):
                self.rows.append(bracket.piece.row)
        if bracket.closes:
            self.brackets.closes(bracket.piece.name, token)

    def check(self, corpus: Corpus, document: Document) -> None:
        """An InputError if a mention would be read differently."""
        for row, mention in zip(self.rows, self.brackets.mentions, strict=True):
            if tuple(mention.parts) != corpus.pieces(row):
                _fail(f"mentions of one entity, {mention.label}, that cross", "they must not overlap", document)


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
    """Bridge and SplitAnte by the row of the anaphor."""
    by_row: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    first = _first_rows(corpus) if corpus.relations else {}
    for relation in corpus.relations:
        key = _KEY_OF.get(relation.kind)
        if key is None or relation.target < 0 or relation.source == relation.target:
            continue
        row = relation.mention if relation.mention >= 0 else _row_of_anaphor(corpus, relation, first)
        target = escaped(str(corpus.labels[relation.target]), LABEL)
        source = escaped(str(corpus.labels[int(corpus.entity[row])]), LABEL)
        label = f":{escaped(relation.label, LABEL)}" if relation.label and key == "Bridge" else ""
        by_row[row][key].append(f"{target}<{source}{label}")
    return by_row


def _first_rows(corpus: Corpus) -> dict[tuple[int, int], int]:
    """Document and entity → its first mention there; document −1 is the whole corpus."""
    first: dict[tuple[int, int], int] = {}
    for row in range(len(corpus) - 1, -1, -1):
        entity = int(corpus.entity[row])
        first[int(corpus.doc[row]), entity] = first[-1, entity] = row
    return first


def _row_of_anaphor(corpus: Corpus, relation: Relation, first: Mapping[tuple[int, int], int]) -> int:
    """The mention that stands for an anaphor which is an entity as a whole.

    It is its first mention in the document of the anchor, otherwise its first mention in the corpus.
    """
    document = int(corpus.doc[relation.anchor]) if relation.anchor >= 0 else -1
    return first.get((document, relation.source), first[-1, relation.source])


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
    """The lines of a document, sentence by sentence."""
    document = corpus.documents[d]
    comments, declared = text.layers.get("comments"), f"# global.Entity = {'-'.join(fields)}"
    first = int(text.first[d])
    stops = [*(text.starts(d) + first).tolist(), int(text.first[d + 1])]
    head = _head_lines(document)
    own_comments = _comments(comments[first], declared) if comments and len(stops) > 1 else []
    if not d and declared not in own_comments:
        head.append(declared)
    if len(stops) == 1:  # no sentence
        yield "\n".join(head) + "\n\n"
    for begin, stop in pairwise(stops):
        lines = head if begin == first else []
        if comments:
            lines += _comments(comments[begin], declared)
        lines += _speaker_line(text, begin, stop, lines, document)
        lines += _token_lines(text, range(begin, stop), first, misc, document)
        yield "\n".join(lines) + "\n\n"


def _head_lines(document: Document) -> list[str]:
    if not document.label or re.search(r"[\t\n\r]|^\s|\s$", document.label):
        _fail(f"a document with the name {document.label!r}")
    lines = [f"# newdoc id = {document.label}"]
    if document.part is not None:
        lines.append(f"# document_part = {document.part}")
    return lines


def _speaker_line(text: Text, begin: int, stop: int, comments: Sequence[str], document: Document) -> list[str]:
    """The comment about the speaker of a sentence; none if there is no speaker, or a comment names one."""
    if "speaker" not in text.layers:
        return []
    speakers = {*text.layers["speaker"][begin:stop]}
    speaker = min(speakers)
    if len(speakers) > 1 or re.search(r"[\n\r]", speaker):
        _fail(f"speakers that change within a sentence, such as {speaker!r:.40}", document=document)
    if not speaker or any(re.match(r"# *speaker *=", line) for line in comments):
        return []
    return [f"# speaker = {speaker}"]


def _token_lines(
    text: Text, tokens: range, first: int, misc: Mapping[int, Mapping[str, Sequence[str]]], document: Document
) -> Iterator[str]:
    """The lines of a sentence; `first` is the first token of its document."""
    layers = text.layers
    columns = [layers.get(name) for name in LAYERS[:-1]]
    words = zeros = 0
    for i in tokens:
        if line := _multiword(layers, i, words + 1):
            yield line
        if text.empty is not None and text.empty[i]:
            zeros += 1
            id, form = f"{words}.{zeros}", text.words[i] or "_"
        else:
            words, zeros = words + 1, 0
            id, form = str(words), text.words[i]
        cells = [id, form, *((column[i] or "_") if column is not None else "_" for column in columns)]
        other_misc = layers["misc"][i] if "misc" in layers else ""
        if not form:
            _fail(f"an empty word in word {i - first + 1}", document=document)
        if _OWN_ITEM.search(other_misc) or re.search(r"[\t\n\r]", "".join(cells)):
            _fail(f"a tab, a line break or an item Entity= in word {i - first + 1}", document=document)
        yield "\t".join([*cells, _misc(other_misc, misc.get(i - first, {}))])


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
    cells = re.fullmatch(r"(\d+)-(\d+)((?:\t[^\t\n\r]*){9})", line)
    if not cells:
        _fail(f"a multiword token that is not a line of CoNLL-U: '{line[:40]}'")
    more = int(cells[2]) - int(cells[1])
    return f"{word}-{word + more}{cells[3]}"


def _misc(others: str, coreference: Mapping[str, Sequence[str]]) -> str:
    """The MISC column, with the items of coreference in alphabetical order among the others."""
    items = others.split("|") if others else []
    for key in _KEYS:
        if values := coreference.get(key):
            value = ("" if key == "Entity" else ",").join(values)
            place = next((i for i, item in enumerate(items) if item.lower() > f"{key}=".lower()), len(items))
            items.insert(place, f"{key}={value}")
    return "|".join(items) or "_"
