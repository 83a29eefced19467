r"""CoNLL-U with the coreference of CorefUD 1.x in its last column.

    file     = (comment* (token newline)+ newline)*
    comment  = "# newdoc" (" id = " name)?          without any, the file is one document, named after the file
             | "# global.Entity = " field ("-" field)*      among them `eid` or `GRP`, and most often `head`
    token    = ten columns with tabs between them; id `3`, or `3.1`: an empty node, which counts as a token;
               `3-4`, a multiword token, is none
    MISC     = "_" | item ("|" item)*, among the items:
    Entity   = "Entity=" piece+
    piece    = "(" mention | "(" mention ")" | eid ")"      the longer mention opens first, closing pieces come first
    mention  = the fields of global.Entity, a hyphen between them; empty ones at the end may be missing
    eid      = label ("[" part "/" parts "]")?      pieces of a discontinuous mention: `(e3[1/2]` ... `(e3[2/2]`
    Bridge   = "Bridge=" eid "<" eid (":" relation)? ("," ...)*      antecedent < anaphor
    SplitAnte= "SplitAnte=" eid "<" eid ("," ...)*                   antecedent < plural

`eid)` closes the mention of that label opened last. Mentions of different entities may cross. `head` is a number of the
words of the mention, from 1. All other fields become attributes of the mention (`etype`, once called `entity`, is one).

GUM writes `GRP-etype-infstat-salience-centering-minspan-link-identity`: no heads, and labels that count within a
document. Files without `# global.Entity` are read if their pieces are bare labels, or all of the kind `place-1`, type
and label, as AMALGUM and old releases of GUM have them; this is reported. Any other is refused.

Columns are layers, `_` is none; MISC is without the three items above, `comments` are those above the sentence's first
token, `multiword` the line of a multiword token that starts there. Written back, a file is the same byte for byte but
for: order of pieces and of MISC items where it was not the usual one; Bridge and SplitAnte elsewhere than where their
mention opens, or in another order; CR at the ends of lines; superfluous blank lines; numbers of words that were wrong;
comments with no sentence below them; the parts of a discontinuous mention that has no gap.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np

from ..model import Corpus
from .brackets import Brackets, Opened, joined, parts_of, plain
from .builder import Builder
from .conllu_lines import EMPTY, RANGE, WORD, Lines, index
from .conllu_writer import HOLDS, write
from .source import Source

__all__ = ["HOLDS", "looks_like", "read", "write"]

STANDARD = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_PLUS = re.compile(rb"^# *global\.columns *=([^\n]*)", re.MULTILINE)
_TOKEN = re.compile(rb"^\d+(?:[-.]\d+)?\t(?:[^\t\n]+\t){8}[^\t\n]*$", re.MULTILINE)
_COMMENT = re.compile(rb"^# *(?:newdoc(?: |$)|global\.Entity|sent_id *=|newpar)", re.MULTILINE)
_BARE = re.compile(r"[^\W\d]\w*-\d+")
_ID_FIELDS = ("eid", "GRP")
_RESERVED = {"start", "end", "line", "parts", "name"}  # what Builder.mention calls its own arguments
_HINT = "`(e1` opens, `e1)` closes, `(e1)` does both, with nothing between them"
_GLOBAL = "say what the fields are in a comment, such as `# global.Entity = eid-etype-head-other`"


def looks_like(head: bytes) -> bool:
    """Token lines of ten columns, or the comments of CoNLL-U; other columns are CoNLL-U Plus."""
    plus = _PLUS.search(head)
    if plus and plus[1].split() != [name.encode() for name in STANDARD]:
        return False
    if head.startswith(b"#begin document"):
        return False
    return bool(_TOKEN.search(head) or _COMMENT.search(head))


def read(source: Source) -> Corpus:
    """The corpus in the file; its text is read when it is first asked for. Raises nothing but InputError."""
    lines = index(source)
    headers = lines.headers()
    begins = lines.begins(headers, source.name)
    reader = _Reader(source, lines, [(h.line, h.value) for h in headers if h.name == "global.Entity"])
    line_of = np.array([c.line for c in reader.cells], dtype=np.int64)
    stops = np.searchsorted(line_of, [max(b.line, 0) for b in begins]).tolist()
    for begin, (a, b) in zip(begins, pairwise([*stops, len(line_of)]), strict=True):
        reader.builder.document(begin.name, begin.part, begin.line + 1)
        reader.document(reader.cells[a:b], begin.token)
    reader.check_targets()
    corpus = reader.builder.build()
    first = np.array([*(b.token for b in begins), lines.tokens[-1]], dtype=np.int64)
    documents = [d._replace(tokens=n) for d, n in zip(corpus.documents, np.diff(first).tolist(), strict=True)]
    return replace(corpus, documents=documents, texts=partial(lines.text, first))


@dataclass(frozen=True, slots=True)
class _Cell:
    line: int
    order: int  # Entity before the relations of the same token
    place: int
    text: str


class _Reader:
    def __init__(self, source: Source, lines: Lines, headers: list[tuple[int, str]]) -> None:
        self.source, self.lines = source, lines
        self.builder = Builder(source, "conllu")
        keys = (b"Entity", b"Bridge", b"SplitAnte", b"Split")
        self.cells = sorted(
            (
                _Cell(line, order, place, text)
                for order, key in enumerate(keys)
                for line, place, text in lines.cells(key)
            ),
            key=lambda c: (c.line, c.order, c.place),
        )
        self.header_lines = [line for line, _ in headers]
        if headers:
            self.fields = [self.check_fields(value, line) for line, value in headers]
        else:
            self.header_lines, self.fields = [0], [self.assume_fields()]
        self.targets: list[tuple[str, _Cell, int]] = []

    def check_fields(self, value: str, line: int) -> tuple[str, ...]:
        fields = tuple(value.split("-"))
        wrong = ""
        if sum(f in _ID_FIELDS for f in fields) != 1:
            wrong = "needs one field `eid` or `GRP`, the label of the entity"
        elif len(set(fields)) < len(fields) or "" in fields:
            wrong = "has a field twice, or an empty one"
        elif _RESERVED & set(fields):
            wrong = f"has a field '{min(_RESERVED & set(fields))}', a name that coreflens needs for itself"
        if wrong:
            self.source.report("syntax", f"global.Entity {wrong}: '{value[:80]}'", line=line + 1, hint=_GLOBAL)
            return ("eid", "etype", "head", "other")
        return tuple({"GRP": "eid", "entity": "etype"}.get(f, f) for f in fields)

    def assume_fields(self) -> tuple[str, ...]:
        """The fields of a file that does not say what they are."""
        cells = [c for c in self.cells if not c.order]
        if not cells:
            return ("eid",)
        names = {name for c in cells for name in re.split("[()]+", c.text) if name}
        line, column = self.lines.at(cells[0].place)
        fields: tuple[str, ...]
        if all(_BARE.fullmatch(name) for name in names):
            fields, what = ("etype", "eid"), f"pieces such as '{min(names)}' are read as type and label"
        elif not any("-" in name for name in names):
            fields, what = ("eid",), "the pieces are read as labels"
        else:
            message = "there is no `# global.Entity` line that says what the fields of Entity are"
            self.source.report("syntax", message, line=line, column=column, hint=_GLOBAL)
            return ("eid", "etype", "head", "other")
        self.source.report("malformed", f"there is no `# global.Entity` line; {what}", line=line, column=column)
        return fields

    def document(self, cells: Sequence[_Cell], first: int) -> None:
        """All mentions and relations of a document whose first token is given."""
        kinds, tokens = self.lines.kind, self.lines.tokens
        brackets = Brackets()
        latest: dict[str, Opened] = {}
        relations: list[tuple[str, Opened, str, str]] = []
        for cell in cells:
            if kinds[cell.line] not in (WORD, EMPTY):
                what = "on a multiword token" if kinds[cell.line] == RANGE else "on a line without id"
                self.report("syntax", f"coreference {what}: it belongs to the words", cell)
            elif cell.order:
                relations += self.relations(cell, latest)
            else:
                self.pieces(cell, int(tokens[cell.line]) - first, brackets, latest)
        self.finish(brackets)
        for kind, mention, target, label in relations:
            if mention.handle >= 0:
                self.builder.relation(kind, mention.label, target, mention=mention.handle, label=label)

    def pieces(self, cell: _Cell, token: int, brackets: Brackets, latest: dict[str, Opened]) -> None:
        """Take the pieces of a cell as they are written."""
        fields = self.fields[max(bisect_left(self.header_lines, cell.line) - 1, 0)]
        label_at = fields.index("eid")
        closing, *chunks = cell.text.split("(")
        self.close(closing, cell, 0, token, brackets, label_at)
        offset = len(closing)
        for chunk in chunks:
            content, bracket, rest = chunk.partition(")")
            values = content.split("-", len(fields) - 1)
            name = values[label_at] if len(values) > label_at else ""
            label, number, total = parts_of(name)
            mention = None
            if not name or (name[-1] == "]" and label == name) or not 0 < number <= total:
                self.report("syntax", f"this is no label of an entity: '{content[:40]}'", cell, offset + 1, _HINT)
            elif (mention := brackets.opens(name, token)) is None:
                what = f"part {number} of mention {label}, whose part {number - 1} is not before it"
                self.report("unopened", what, cell, offset + 1)
            elif number == 1:
                mention.line, mention.column = cell.line, cell.place + offset
                mention.values = dict(zip(fields, values, strict=False))
                latest[label] = mention
            if bracket and mention:
                brackets.closes(name, token)
            offset += 1 + len(content) + len(bracket)
            self.close(rest, cell, offset, token, brackets, label_at)
            offset += len(rest)

    def close(self, text: str, cell: _Cell, offset: int, token: int, brackets: Brackets, label_at: int) -> None:
        if not text:
            return
        *names, rest = text.split(")")
        for name in names:
            if not brackets.closes(name, token):
                values = name.split("-")  # older files repeat the fields up to the label, or all
                label = values[label_at] if len(values) > label_at else ""
                if len(values) == 1 or not brackets.closes(label, token):
                    what = f"mention {name[:80]} is closed but was never opened" if name else "a bracket without label"
                    self.report("unopened" if name else "syntax", what, cell, offset, _HINT)
            offset += len(name) + 1
        if rest:
            self.report("syntax", f"neither opened nor closed: '{rest[:40]}'", cell, offset, _HINT)

    def finish(self, brackets: Brackets) -> None:
        """Hand the mentions that are whole to the builder, in the order in which they open."""
        opened = {id(m) for stack in brackets.open.values() for m, _ in stack}
        for m in brackets.mentions:
            wrong = ""
            if id(m) in opened:
                wrong = f"mention {m.label}, opened here, is never closed"
            elif len(m.parts) < m.total:
                wrong = f"mention {m.label} has {len(m.parts)} of the {m.total} parts it is to have"
            elif m.total > 1 and any(b >= c for (_, b), (c, _) in pairwise(m.parts)):
                wrong = f"the parts of mention {m.label} overlap"
            if wrong:
                self.report("syntax" if wrong.endswith("overlap") else "unclosed", wrong, m, hint=_HINT)
                continue
            parts = joined(m.parts) if m.total > 1 else m.parts
            if len(parts) < m.total:
                self.report("malformed", f"the parts of mention {m.label} have nothing between them: taken as one", m)
            del m.values["eid"]
            head = self.head(m.values.pop("head", ""), m)
            m.handle = self.builder.mention(
                parts[0][0],
                parts[-1][1],
                plain(m.label, label=True),
                line=m.line + 1,
                head=head,
                parts=parts,
                **{name: plain(value) for name, value in m.values.items()},
            )

    def head(self, text: str, m: Opened) -> int:
        """The token that the number of a word of the mention stands for."""
        if not text:
            return -1
        number = int(text) if re.fullmatch("[0-9]{1,9}", text) else 0
        words = sum(b - a + 1 for a, b in m.parts)
        if not 1 <= number <= words:
            what = f"head '{text[:40]}' of mention {m.label}, which has {words} word{'s' * (words != 1)}"
            self.report("bad-head", what, m, hint="the head is a number of the words of the mention, from 1")
            return -1
        for a, b in m.parts:
            if number <= b - a + 1:
                break
            number -= b - a + 1
        return a + number - 1

    def relations(self, cell: _Cell, latest: dict[str, Opened]) -> list[tuple[str, Opened, str, str]]:
        """`e1<e5:part,e2<e5` at the mention of e5 that opened last."""
        kind, found = "bridging" if cell.order == 1 else "split-antecedent", []
        offset = 0
        for link in cell.text.split(","):
            target, sign, rest = link.partition("<")
            anaphor, _, label = rest.partition(":") if kind == "bridging" else (rest, "", "")
            if not (target and sign and anaphor) or target == anaphor:
                self.report("syntax", f"this is no relation of two entities: '{link[:40]}'", cell, offset)
            elif anaphor not in latest:
                self.report("dangling", f"no mention of {anaphor[:40]} opened so far", cell, offset)
            else:
                target = plain(target, label=True)
                found.append((kind, latest[anaphor], target, plain(label, label=True)))
                self.targets.append((target, cell, offset))
            offset += len(link) + 1
        return found

    def check_targets(self) -> None:
        for target, cell, offset in self.targets:
            if target not in self.builder.labels:
                self.report("dangling", f"there is no entity {target[:40]}", cell, offset)

    def report(self, code: str, message: str, where: _Cell | Opened, offset: int = 0, hint: str = "") -> None:
        place = where.place if isinstance(where, _Cell) else where.column
        line, column = self.lines.at(place)
        self.source.report(code, message, line=line, column=column + offset, hint=hint)
