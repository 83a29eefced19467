r"""CoNLL-U with the coreference of CorefUD 1.x in its last column.

    file     = (comment* (token newline)+ newline)*
    comment  = "# newdoc" (" id = " name)?          a file without one is one document, named after the file
             | "# global.Entity = " field ("-" field)*      among them `eid` or `GRP`, and most often `head`
    token    = ten columns with tabs between them; the id is `3`, or `3.1` for an empty node, which counts as a token;
               `3-4`, a multiword token, does not count as a token
    MISC     = "_" | item ("|" item)*, among the items:
    Entity   = "Entity=" piece+
    piece    = "(" mention | "(" mention ")" | eid ")"      the longer mention opens first, closing pieces come first
    mention  = the fields of global.Entity, a hyphen between them; empty ones at the end may be missing
    eid      = label ("[" part "/" parts "]")?      pieces of a discontinuous mention: `(e3[1/2]` ... `(e3[2/2]`
    Bridge   = "Bridge=" eid "<" eid (":" relation)? ("," ...)*      antecedent < anaphor
    SplitAnte= "SplitAnte=" eid "<" eid ("," ...)*                   antecedent < plural

`eid)` closes the mention of that label that was opened last. Mentions of different entities may cross. `head` is the
number of a word of the mention, from 1. All other fields become attributes of the mention, such as `etype`, whose old
name is `entity`.

GUM writes `GRP-etype-infstat-salience-centering-minspan-link-identity`: there are no heads, and labels count within a
document. Files without `# global.Entity` are read if their pieces have only labels, or if all have type and label, such
as `place-1` in AMALGUM and old releases of GUM. This is reported. All other files without it are refused.

Columns are layers, and `_` means no value. The layer of MISC lacks the three items above. `comments` are the comments
above the first token of a sentence. `multiword` is the line of a multiword token that starts at this token. In fields
and labels `%2D` is a hyphen, and brackets and `|` are written in the same way; in labels also `[]<>,:=` and blanks. A
part of a document (CoNLL-2012) is written as `# newdoc id = name_1` and `# document_part = 1`.

A file that is read and written again is the same byte for byte, except for:
- the order of pieces and of MISC items, if it was not the usual one (closing pieces innermost first, single words
  before them or after opening ones; items by the alphabet)
- Bridge and SplitAnte that were not at the token where their mention opens
- a `# newdoc` that was missing, had no name, or was not above the other comments
- files without `# global.Entity`, or with several different ones
- CR, extra blanks, and extra or missing blank lines
- empty columns, wrong numbers of words, and comments without a sentence after them
- a discontinuous mention without a gap
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ...corpus.model import Corpus, IntArray
from ..shared.builder import Builder
from ..shared.source import Source
from .at_once import mentions, relations
from .lines import Begin, Header, Lines, index
from .one_by_one import Fields, one_by_one
from .text import read_text
from .writer import HOLDS, write

__all__ = ["APPENDS", "CARRIED", "DOCUMENT", "HOLDS", "looks_like", "read", "write"]

DOCUMENT = re.compile(rb"(?:(?<=\n\n)|(?<=\n\r\n)|\A)(?:#[^\n]*\n)*?# *newdoc\b")
CARRIED = re.compile(rb"^# *global\.Entity[^\n]*\n?", re.MULTILINE)
APPENDS = True
STANDARD = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_PLUS = re.compile(rb"^# *global\.columns *=([^\n]*)", re.MULTILINE)
_TOKEN = re.compile(rb"^\d+(?:\.\d+)?\t(?:[^\t\n]+\t){8}(?:[^\t\n]*\|)?Entity=", re.MULTILINE)
_COMMENT = re.compile(rb"^# *(?:newdoc(?: |\r?$)|global\.Entity|sent_id *=)", re.MULTILINE)
_META = re.compile(rb"^# *(?:meta::([^\s=]+)|(genre)) *= *([^\r\n]*)", re.MULTILINE)
_OTHER = re.compile(rb"#FORMAT=|# *begin document")
_BARE = re.compile(r"[^\W\d]\w*-\d+")
_USUAL = ("eid", "etype", "head", "other")
_HINT = f"name the fields in a comment, such as `# global.Entity = {'-'.join(_USUAL)}`"


def looks_like(head: bytes) -> bool:
    """Whether there is Entity= in ten columns, or comments of CoNLL-U; files with other columns are CoNLL-U Plus."""
    plus = _PLUS.search(head)
    if _OTHER.match(head) or (plus and plus[1].split() != [name.encode() for name in STANDARD]):
        return False
    return bool(_COMMENT.search(head) or _TOKEN.search(head))


def read(source: Source) -> Corpus:
    """The corpus in the file; its text is read when it is first needed. Raises nothing but InputError."""
    lines = index(source)
    headers = lines.headers()
    begins = lines.begins(headers, source.name)
    if not begins:
        source.fail("there is no document in this file", code="input")
    first = np.array([*(b.token for b in begins), lines.tokens[-1]], dtype=np.int64)
    fields = _fields(source, lines, [h for h in headers if h.name == "global.Entity"])
    corpus = _at_once(source, lines, begins, fields, first[:-1])
    if corpus is None:
        corpus = one_by_one(source, lines, begins, fields, Builder(source, "conllu"))
    meta = _meta(lines, [begin.line for begin in begins])
    documents = []
    for d, (document, size) in enumerate(zip(corpus.documents, np.diff(first).tolist(), strict=True)):
        documents.append(document._replace(tokens=size, meta=tuple(meta.get(d, {}).items())))
    return replace(corpus, documents=documents, texts=partial(read_text, lines, first))


def _at_once(
    source: Source, lines: Lines, begins: Sequence[Begin], fields: Sequence[Fields], first: IntArray
) -> Corpus | None:
    """The corpus without its text, if nothing is wrong with it and all mentions have the same fields."""
    if len({names for _, names in fields}) > 1:
        return None
    columns = mentions(lines, fields[0][1], first)
    links = None if columns is None else relations(lines, columns, first)
    if columns is None or links is None:
        return None
    builder = Builder(source, "conllu")
    for begin in begins:
        builder.document(begin.name, begin.part, begin.line + 1)
    return replace(builder.build(), **columns._asdict(), relations=links)


def _meta(lines: Lines, begins: Sequence[int]) -> dict[int, dict[str, str]]:
    """Document → the values of its comments `# meta::name = value` and `# genre = value`."""
    meta: dict[int, dict[str, str]] = {}
    if b"meta::" not in lines.data and b"genre" not in lines.data:
        return meta
    for comment in _META.finditer(lines.data):
        line = int(np.searchsorted(lines.start, comment.start(), side="right")) - 1
        document = int(np.searchsorted(begins, line, side="right")) - 1
        name, value = (comment[1] or comment[2]).decode(), comment[3].decode().strip()
        if document >= 0 and value:
            meta.setdefault(document, {}).setdefault(name, value)
    return meta


def _fields(source: Source, lines: Lines, headers: Sequence[Header]) -> list[Fields]:
    """The fields of a mention, with the first line for which they hold."""
    if not headers:
        return [(0, _assumed(source, lines))]
    return [(0 if not n else h.line, _checked(source, h)) for n, h in enumerate(headers)]


def _checked(source: Source, header: Header) -> tuple[str, ...]:
    fields = tuple({"GRP": "eid", "entity": "etype"}.get(f, f) for f in header.value.split("-"))
    wrong = ""
    if fields.count("eid") != 1:
        wrong = "needs one field `eid` or `GRP`, the label of the entity"
    elif len({*fields}) < len(fields) or "" in fields:
        wrong = "has a repeated or an empty field"
    if wrong:
        source.report("syntax", f"global.Entity {wrong}: '{header.value[:80]}'", line=header.line + 1, hint=_HINT)
    return _USUAL if wrong else fields


def _assumed(source: Source, lines: Lines) -> tuple[str, ...]:
    """The fields of a file that does not name them."""
    cells = lines.cells(b"Entity")
    if not cells:
        return ("eid",)
    names = {name for _, _, text in cells for name in re.split("[()]+", text) if name}
    line, column = lines.at(cells[0][1])
    message = "there is no `# global.Entity` line"
    if not any("-" in name for name in names):
        source.report("malformed", f"{message}; pieces are read as labels", line=line, column=column)
        return ("eid",)
    if all(map(_BARE.fullmatch, names)):
        what = f"pieces such as '{min(names)}' are read as type and label"
        source.report("malformed", f"{message}; {what}", line=line, column=column)
        return ("etype", "eid")
    source.report("syntax", f"{message} that names the fields", line=line, column=column, hint=_HINT)
    return _USUAL
