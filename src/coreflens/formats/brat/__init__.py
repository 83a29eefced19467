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
    found = _lines(source)
    text = _text(source, found)
    builder = Builder(source, "brat", unit="character")
    builder.document(file_stem(source.name), line=1)
    if text is None:
        what = f"the text {file_stem(source.name)}.txt is not beside the annotation: spans are read, words are not"
        source.report("left-out", what)
    else:
        builder.raw(text)
        _compare(source, found, text)
    _mentions(source, builder, found)
    for what, lines in found.left_out.items():
        source.report("left-out", f"{what}, {len(lines)}: left out", line=lines[0])
    return builder.build()


def _lines(source: Source) -> _Annotation:
    found = _Annotation()
    for number, line in enumerate(source.text.split("\n"), start=1):
        line = line.removesuffix("\r")
        if not line.strip():
            continue
        id, _, rest = line.partition("\t")
        kind = id[:1]
        if not kind or kind not in "TRAM#*EN" or not rest:
            hint = "T1<TAB>PER 0 5<TAB>Alice, R1<TAB>Coref Arg1:T2 Arg2:T1"
            source.report("syntax", f"not an annotation of brat: {line:.40}", line=number, column=1, hint=hint)
        elif kind == "T":
            _read_mention(source, found, id, rest, number)
        elif kind in "R*":
            name, *ends = rest.split("\t")[0].split() or [""]
            ids = [end.rpartition(":")[2] for end in ends]
            if len(ids) < 2 or (kind == "R" and len(ids) > 2):
                what = f"a relation needs two mentions, but this one has {len(ids)}"
                source.report("syntax", what, line=number, column=len(id) + 2)
                continue
            plain = re.sub("[-_]", "", name).lower()
            same = _IDENTITY.fullmatch(plain) or (kind == "*" and plain == "equiv")
            (found.identity if same else found.others).append(
                _Link(name, ids, number, tuple(e.startswith("Entity") for e in ends))
            )
        elif kind in "AM":
            name, *values = rest.split() or [""]
            if not values:
                source.report("syntax", "this attribute has no mention", line=number, column=len(id) + 2)
            else:
                found.attributes.append((name, values[0], " ".join(values[1:]) or "true", number))
        elif kind == "#" and rest.startswith("Entity ") and "\t" in rest:
            target, _, label = rest.removeprefix("Entity ").partition("\t")
            found.labels[target] = label
        else:
            found.left_out[_KINDS[kind]].append(number)
    return found


def _read_mention(source: Source, found: _Annotation, id: str, rest: str, number: int) -> None:
    head, tab, quoted = rest.partition("\t")
    match = _SPANS.fullmatch(head.rstrip())
    if not match:
        hint = "T1<TAB>PER 0 5<TAB>Alice, with more spans after `;`"
        found.refused.add(id)
        source.report("syntax", f"not a type and a span: {head:.40}", line=number, column=len(id) + 2, hint=hint)
        return
    if id in found.mentions:
        what = f"there is already a mention {id} at line {found.mentions[id].line}"
        source.report("duplicate-id", what, line=number, column=1)
        return
    column = len(id) + len(match[1]) + 3
    parts = tuple(sorted((int(a), int(b)) for a, b in (piece.split() for piece in match[2].split(";"))))
    for a, b in parts:
        if b <= a:
            what = f"the span {a} {b} of {id} {'is empty' if b == a else 'ends before it starts'}"
            found.refused.add(id)
            source.report("span-order", what, line=number, column=column)
            return
    if any(b > c for (_, b), (c, _) in pairwise(parts)):
        found.refused.add(id)
        source.report("syntax", f"the pieces of {id} overlap", line=number, column=column)
        return
    found.mentions[id] = _Mention(id, match[1], parts, quoted if tab else None, number)


def _text(source: Source, found: _Annotation) -> str | None:
    stem = file_stem(source.name)
    for name in (f"{stem}.txt", f"{stem}.txt.gz"):
        data = source.sibling(name)
        if data is not None:
            break
    else:
        return None
    text = encoding.text(data, name)
    if "\r\n" in text:
        joined = text.replace("\r\n", "\n")
        wrong, wrong_joined = (sum(not _fits(m, t) for m in found.mentions.values()) for t in (text, joined))
        return joined if wrong_joined < wrong else text
    return text


def _fits(mention: _Mention, text: str) -> bool:
    """Whether the quoted words are those of the text, apart from blanks and line breaks."""
    if mention.quoted is None:
        return True
    there = " ".join(text[a:b] for a, b in mention.parts)
    return mention.quoted == there or mention.quoted.split() == there.split()


def _compare(source: Source, found: _Annotation, text: str) -> None:
    for mention in list(found.mentions.values()):
        if mention.parts[-1][1] > len(text):
            a, b = mention.parts[-1]
            what = f"the span {a} {b} of {mention.id} is not within the {len(text)} characters of the text"
            source.report("span-range", what, line=mention.line, column=len(mention.id) + len(mention.type) + 3)
            found.refused.add(mention.id)
            del found.mentions[mention.id]
        elif not _fits(mention, text):
            there = " ".join(text[a:b] for a, b in mention.parts)
            what = f"{mention.id} quotes {mention.quoted!r:.60}, but the text has {there!r:.60} there"
            hint = "is the .txt the one that was annotated? offsets count Unicode characters"
            source.report("text-mismatch", what, line=mention.line, hint=hint)


def _mentions(source: Source, builder: Builder, found: _Annotation) -> None:
    """Add all mentions, with the entities that the links or LitBank's labels make of them."""
    labels, same = _pair(found) if _is_litbank(found) else ({}, {})
    rows = sorted(
        (m for m in found.mentions.values() if m.id not in same), key=lambda m: (m.parts[0][0], -m.parts[-1][1])
    )
    for link in found.identity + found.others:
        link.ids[:] = [i for i in link.ids if _is_known(source, found, i, link.line)]
    first = closure(
        (m.id for m in rows),
        ((same.get(a, a), same.get(b, b)) for link in found.identity for a, b in pairwise(link.ids)),
    )
    entity: dict[str, str] = {}
    for id, label in (labels | found.labels).items():
        if id in first:
            entity.setdefault(first[id], label)
    numbered = [m.id for m in rows] == [f"T{place}" for place in range(1, len(rows) + 1)]
    handles: dict[str, int] = {}
    for id, type, parts, _, line in rows:
        pieces = [(a, b - 1) for a, b in parts]
        label = entity.get(first[id], first[id])
        handles[id] = builder.mention(pieces[0][0], pieces[-1][1], label, line=line, parts=pieces)
        builder.attribute(handles[id], "id", "" if numbered else id)
        builder.attribute(handles[id], "type", "" if type == NO_TYPE else type)
    for name, target, value, line in found.attributes:
        if _is_known(source, found, target, line):
            builder.attribute(handles[same.get(target, target)], name, value)
    for link in found.others:
        _relate(builder, found, link, [same.get(i, i) for i in link.ids], entity, first, handles)


def _relate(
    builder: Builder,
    found: _Annotation,
    link: _Link,
    ids: list[str],
    entity: dict[str, str],
    first: dict[str, str],
    handles: dict[str, int],
) -> None:
    """Add a relation other than identity, if a corpus has this kind."""
    plain = re.sub("[-_]", "", link.name).lower()
    kind = next((kind for start, kind in _RELATIONS.items() if plain.startswith(start)), "")
    if not kind:
        found.left_out[f"relations '{link.name:.40}'"].append(link.line)
    elif len(ids) == 2:
        ends = [-1 if whole else handles[id] for id, whole in zip(ids, link.whole, strict=True)]
        label = "" if link.name == NAMES[kind] else link.name.removeprefix(NAMES[kind] + "_")
        a, b = (entity.get(first[id], first[id]) for id in ids)
        builder.relation(kind, a, b, mention=ends[0], anchor=ends[1], label=label)


def _is_known(source: Source, found: _Annotation, id: str, line: int) -> bool:
    """Whether there is such a mention; links of events are left out, and unknown mentions are reported."""
    if id in found.mentions:
        return True
    if not id.startswith("T"):
        found.left_out["links and attributes of events"].append(line)
    elif id not in found.refused:
        source.report("dangling", f"there is no mention {id:.20}", line=line)
    return False


def _is_litbank(found: _Annotation) -> bool:
    types = {m.type for m in found.mentions.values()}
    labels = {type for type in types if LABEL.fullmatch(type)}
    return bool(labels) and labels < types and all(map(_CATEGORY.fullmatch, types - labels))


def _pair(found: _Annotation) -> tuple[dict[str, str], dict[str, str]]:
    """LitBank: the label of each mention with a category; and for each line with a label, the mention it belongs to."""
    spans: dict[tuple[Span, ...], tuple[list[_Mention], list[_Mention]]] = defaultdict(lambda: ([], []))
    for mention in found.mentions.values():
        spans[mention.parts][bool(LABEL.fullmatch(mention.type))].append(mention)
    labels: dict[str, str] = {}
    same: dict[str, str] = {}
    for categories, named in spans.values():
        for category, name in zip_longest(categories, named):
            if name is not None:
                labels[(category or name).id] = name.type
                if category is not None:
                    same[name.id] = category.id
    return labels, same
