r"""brat stand-off: an `.ann` file of annotations, which count the characters of the text in the `.txt` beside it.

    T1<TAB>PER 0 5<TAB>Alice                 a mention: type, first character, the one after the last; its text
    T2<TAB>PER 9 14;20 24<TAB>Alice Bell     a discontinuous mention, with a blank between its pieces
    R1<TAB>Coref Arg1:T3 Arg2:T1             a link, with any names of the arguments
    *<TAB>Coref T1 T3 T4                     mentions of one entity
    A1<TAB>Number T1 Plural                  an attribute of a mention (also M1); without a value it is `true`
    #1<TAB>Entity T1<TAB>Alice_Bell          the label of T1's entity, as coreflens writes it

Entities are the closure of the links that mean identity: `Coref...` in any spelling, `Ident`, `Identity`, `Identical`,
`Same_as`, and in `*` lines also `Equiv`; case, `-` and `_` do not matter. A mention without any link is a singleton.
An entity without a label gets the id of its first mention as its label. The ids are kept, unless they just count the
mentions. `Bridging...`, `Split...`, `Appos...` and `Deixis` become relations of the first argument to the second.
Other relations, events (E), normalisations (N) and notes (#) are left out, and this is reported.

LitBank has two T lines per mention, one for its category (PROP_PER, NOM_FAC, ...) and one for its entity
(`Chancery-0`).

Offsets count Unicode characters of the text as it is, or with \r\n as one character if only this fits the quoted words.
Without the `.txt` only the spans are read, which is enough to score, and a warning says so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import NamedTuple

from ...corpus.model import Corpus, Span, file_stem
from ...files import encoding
from ..shared.builder import Builder
from ..shared.closure import closure
from ..shared.source import Source
from .writer import HOLDS, LABEL, NAMES, NO_TYPE, beside, write

__all__ = ["HOLDS", "UNITS", "beside", "looks_like", "read", "write"]
UNITS = ("character",)  # the writer counts these
_HEAD = re.compile(
    rb"\s*(?:T\d+\t\S+ \d+ \d+(?:;\d+ \d+)*[\t\r\n]|[REAMN]\d+\t\S+[ \t]\S|#\d*\t\S+ \S+\t|\*\t\S+ T\d+ )"
)
_MENTION = re.compile(rb"^T\d+\t\S+ \d+ \d+(?:;\d+ \d+)*[\t\r\n]", re.MULTILINE)
_SPANS = re.compile(r"([^\s;]+) (\d{1,18} \d{1,18}(?:;\d{1,18} \d{1,18})*)")
_IDENTITY = re.compile(r"coref\w*|ident|identity|identical|sameas", re.ASCII)
_RELATIONS = {"bridg": "bridging", "split": "split-antecedent", "appos": "apposition", "deixis": "deixis"}
_KINDS = {"E": "events", "N": "normalisations", "#": "notes"}
_CATEGORY = re.compile(r"(PROP|NOM|PRON)_[A-Z]+")


class _Mention(NamedTuple):
    id: str
    type: str
    parts: tuple[Span, ...]  # as in the file: the end is the character after the last
    quoted: str | None
    line: int


class _Link(NamedTuple):
    name: str
    ids: list[str]
    line: int
    whole: tuple[bool, ...] = ()  # which ends mean the whole entity, written by coreflens as `Entity1:T1`


@dataclass
class _Annotation:
    """The lines of a file, sorted by kind."""

    mentions: dict[str, _Mention] = field(default_factory=dict)
    identity: list[_Link] = field(default_factory=list)
    others: list[_Link] = field(default_factory=list)
    attributes: list[tuple[str, str, str, int]] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)  # ids whose lines are already reported
    left_out: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))


def looks_like(head: bytes) -> bool:
    return bool(_HEAD.match(head)) and bool(_MENTION.search(head))


def read(source: Source) -> Corpus:
    annotation = _lines(source)
    text = _text(source, annotation)
    builder = Builder(source, "brat", unit="character")
    builder.document(file_stem(source.name), line=1)
    if text is None:
        message = f"the text {file_stem(source.name)}.txt is not beside the annotation: spans are read, words are not"
        source.report("left-out", message)
    else:
        builder.raw(text)
        _compare(source, annotation, text)
    _mentions(source, builder, annotation)
    for kind, lines in annotation.left_out.items():
        source.report("left-out", f"{kind}, {len(lines)}: left out", line=lines[0])
    return builder.build()


def _lines(source: Source) -> _Annotation:
    annotation = _Annotation()
    for number, line in enumerate(source.text.split("\n"), start=1):
        line = line.removesuffix("\r")
        if line.strip():
            _read_line(source, annotation, line, number)
    return annotation


def _read_line(source: Source, annotation: _Annotation, line: str, number: int) -> None:
    id, _, rest = line.partition("\t")
    kind = id[:1]
    if not kind or kind not in "TRAM#*EN" or not rest:
        hint = "T1<TAB>PER 0 5<TAB>Alice, R1<TAB>Coref Arg1:T2 Arg2:T1"
        source.report("syntax", f"not an annotation of brat: {line:.40}", line=number, column=1, hint=hint)
    elif kind == "T":
        _read_mention(source, annotation, id, rest, number)
    elif kind in "R*":
        _read_link(source, annotation, id, rest, number)
    elif kind in "AM":
        _read_attribute(source, annotation, id, rest, number)
    elif kind == "#" and rest.startswith("Entity ") and "\t" in rest:
        target, _, label = rest.removeprefix("Entity ").partition("\t")
        annotation.labels[target] = label
    else:
        annotation.left_out[_KINDS[kind]].append(number)


def _read_link(source: Source, annotation: _Annotation, id: str, rest: str, number: int) -> None:
    """A relation (R1) or a set of mentions (*)."""
    name, *ends = rest.split("\t")[0].split() or [""]
    ids = [end.rpartition(":")[2] for end in ends]
    is_set = id.startswith("*")
    if len(ids) < 2 or (not is_set and len(ids) > 2):
        message = f"a relation needs two mentions, but this one has {len(ids)}"
        source.report("syntax", message, line=number, column=len(id) + 2)
        return
    link = _Link(name, ids, number, tuple(end.startswith("Entity") for end in ends))
    bare_name = _bare(name)
    if _IDENTITY.fullmatch(bare_name) or (is_set and bare_name == "equiv"):
        annotation.identity.append(link)
    else:
        annotation.others.append(link)


def _bare(name: str) -> str:
    """The name of a relation in lower case, without hyphens."""
    return re.sub("[-_]", "", name).lower()


def _read_attribute(source: Source, annotation: _Annotation, id: str, rest: str, number: int) -> None:
    name, *values = rest.split() or [""]
    if not values:
        source.report("syntax", "this attribute has no mention", line=number, column=len(id) + 2)
        return
    annotation.attributes.append((name, values[0], " ".join(values[1:]) or "true", number))


def _read_mention(source: Source, annotation: _Annotation, id: str, rest: str, number: int) -> None:
    head, tab, quoted = rest.partition("\t")
    match = _SPANS.fullmatch(head.rstrip())
    if not match:
        hint = "T1<TAB>PER 0 5<TAB>Alice, with more spans after `;`"
        annotation.refused.add(id)
        source.report("syntax", f"not a type and a span: {head:.40}", line=number, column=len(id) + 2, hint=hint)
        return
    if id in annotation.mentions:
        message = f"there is already a mention {id} at line {annotation.mentions[id].line}"
        source.report("duplicate-id", message, line=number, column=1)
        return
    column = len(id) + len(match[1]) + 3
    ends = (piece.split() for piece in match[2].split(";"))
    parts = tuple(sorted((int(begin), int(stop)) for begin, stop in ends))
    for begin, stop in parts:
        if stop <= begin:
            problem = "is empty" if stop == begin else "ends before it starts"
            annotation.refused.add(id)
            message = f"the span {begin} {stop} of {id} {problem}"
            source.report("span-order", message, line=number, column=column)
            return
    if any(stop > begin for (_, stop), (begin, _) in pairwise(parts)):
        annotation.refused.add(id)
        source.report("syntax", f"the pieces of {id} overlap", line=number, column=column)
        return
    annotation.mentions[id] = _Mention(id, match[1], parts, quoted if tab else None, number)


def _text(source: Source, annotation: _Annotation) -> str | None:
    """The text beside the annotation, with the line breaks that fit the quoted words; None if there is none."""
    stem = file_stem(source.name)
    for name in (f"{stem}.txt", f"{stem}.txt.gz"):
        data = source.sibling(name)
        if data is not None:
            break
    else:
        return None
    text = encoding.text(data, name)
    if "\r\n" not in text:
        return text
    with_single_breaks = text.replace("\r\n", "\n")
    if _misfits(annotation, with_single_breaks) < _misfits(annotation, text):
        return with_single_breaks
    return text


def _misfits(annotation: _Annotation, text: str) -> int:
    """How many mentions do not quote what is at their place of the text."""
    return sum(not _fits(mention, text) for mention in annotation.mentions.values())


def _fits(mention: _Mention, text: str) -> bool:
    """Whether the quoted words are those of the text, apart from blanks and line breaks."""
    if mention.quoted is None:
        return True
    there = " ".join(text[a:b] for a, b in mention.parts)
    return mention.quoted == there or mention.quoted.split() == there.split()


def _compare(source: Source, annotation: _Annotation, text: str) -> None:
    for mention in list(annotation.mentions.values()):
        begin, stop = mention.parts[-1]
        if stop > len(text):
            message = f"the span {begin} {stop} of {mention.id} is not within the {len(text)} characters of the text"
            column = len(mention.id) + len(mention.type) + 3
            source.report("span-range", message, line=mention.line, column=column)
            annotation.refused.add(mention.id)
            del annotation.mentions[mention.id]
        elif not _fits(mention, text):
            there = " ".join(text[a:b] for a, b in mention.parts)
            message = f"{mention.id} quotes {mention.quoted!r:.60}, but the text has {there!r:.60} there"
            hint = "is the .txt the one that was annotated? offsets count Unicode characters"
            source.report("text-mismatch", message, line=mention.line, hint=hint)


def _mentions(source: Source, builder: Builder, annotation: _Annotation) -> None:
    """Add all mentions, with the entities that the links or LitBank's labels make of them."""
    litbank_labels, mention_of_line = _pair(annotation) if _is_litbank(annotation) else ({}, {})
    mentions = [m for m in annotation.mentions.values() if m.id not in mention_of_line]
    mentions.sort(key=lambda m: (m.parts[0][0], -m.parts[-1][1]))
    for link in annotation.identity + annotation.others:
        known_ids = [id for id in link.ids if _is_known(source, annotation, id, link.line)]
        link.ids[:] = [mention_of_line.get(id, id) for id in known_ids]
    entity = _entities(annotation, mentions, litbank_labels | annotation.labels)
    handles = _add_mentions(builder, mentions, entity)
    for name, target, value, line in annotation.attributes:
        if _is_known(source, annotation, target, line):
            builder.attribute(handles[mention_of_line.get(target, target)], name, value)
    for link in annotation.others:
        _relate(builder, annotation, link, entity, handles)


def _entities(annotation: _Annotation, mentions: list[_Mention], labels: dict[str, str]) -> dict[str, str]:
    """The label of each mention's entity: the first label of a mention in it, or the id of its first mention."""
    links = (pair for link in annotation.identity for pair in pairwise(link.ids))
    first_of_entity = closure((m.id for m in mentions), links)
    label_of_first: dict[str, str] = {}
    for id, label in labels.items():
        if id in first_of_entity:
            label_of_first.setdefault(first_of_entity[id], label)
    return {id: label_of_first.get(first, first) for id, first in first_of_entity.items()}


def _add_mentions(builder: Builder, mentions: list[_Mention], entity: dict[str, str]) -> dict[str, int]:
    """The handle of each mention by its id. Ids that just count the mentions are not kept."""
    handles: dict[str, int] = {}
    numbered = [m.id for m in mentions] == [f"T{place}" for place in range(1, len(mentions) + 1)]
    for id, type, parts, _, line in mentions:
        pieces = [(begin, stop - 1) for begin, stop in parts]
        handles[id] = builder.mention(pieces[0][0], pieces[-1][1], entity[id], line=line, parts=pieces)
        builder.attribute(handles[id], "id", "" if numbered else id)
        builder.attribute(handles[id], "type", "" if type == NO_TYPE else type)
    return handles


def _relate(
    builder: Builder, annotation: _Annotation, link: _Link, entity: dict[str, str], handles: dict[str, int]
) -> None:
    """Add a relation other than identity, if a corpus has this kind."""
    bare_name = _bare(link.name)
    kind = next((kind for start, kind in _RELATIONS.items() if bare_name.startswith(start)), "")
    if not kind:
        annotation.left_out[f"relations '{link.name:.40}'"].append(link.line)
    elif len(link.ids) == 2:
        ends = [-1 if whole else handles[id] for id, whole in zip(link.ids, link.whole, strict=True)]
        label = "" if link.name == NAMES[kind] else link.name.removeprefix(NAMES[kind] + "_")
        source, target = (entity[id] for id in link.ids)
        builder.relation(kind, source, target, mention=ends[0], anchor=ends[1], label=label)


def _is_known(source: Source, annotation: _Annotation, id: str, line: int) -> bool:
    """Whether there is such a mention; links of events are left out, and unknown mentions are reported."""
    if id in annotation.mentions:
        return True
    if not id.startswith("T"):
        annotation.left_out["links and attributes of events"].append(line)
    elif id not in annotation.refused:
        source.report("dangling", f"there is no mention {id:.20}", line=line)
    return False


def _is_litbank(annotation: _Annotation) -> bool:
    types = {m.type for m in annotation.mentions.values()}
    labels = {type for type in types if LABEL.fullmatch(type)}
    return bool(labels) and labels < types and all(map(_CATEGORY.fullmatch, types - labels))


def _pair(annotation: _Annotation) -> tuple[dict[str, str], dict[str, str]]:
    """LitBank: the label of each mention with a category; and for each line with a label, the mention it belongs to."""
    lines_of_span: dict[tuple[Span, ...], tuple[list[_Mention], list[_Mention]]] = defaultdict(lambda: ([], []))
    for mention in annotation.mentions.values():
        has_label = LABEL.fullmatch(mention.type) is not None
        lines_of_span[mention.parts][has_label].append(mention)
    labels: dict[str, str] = {}
    mention_of_line: dict[str, str] = {}
    for categories, named in lines_of_span.values():
        for category, name in zip_longest(categories, named):
            if name is None:
                continue
            labels[(category or name).id] = name.type
            if category is not None:
                mention_of_line[name.id] = category.id
    return labels, mention_of_line
