"""The mentions of a CoNLL-U file, read cell by cell. This is slower than all at once, but it can report errors and
continue."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from ...corpus.model import Corpus
from ...errors import counted
from ..shared.brackets import LABEL, VALUE, Brackets, Opened, joined, parts_of, without_codes
from ..shared.builder import Builder
from ..shared.source import Source
from .lines import EMPTY, RANGE, WORD, Begin, Lines

Fields: TypeAlias = tuple[int, tuple[str, ...]]  # the first line in which mentions have these fields
KEYS = (b"Entity", b"Bridge", b"SplitAnte", b"Split")  # the last is an old name
_HINT = "`(e1` opens, `e1)` closes, `(e1)` does both, with nothing between them"


def one_by_one(
    source: Source, lines: Lines, begins: Sequence[Begin], fields: Sequence[Fields], builder: Builder
) -> Corpus:
    """The corpus without its text; all errors of its mentions are reported."""
    reader = _Reader(source, lines, fields, builder)
    cells = sorted(
        (_Cell(line, order, place, text) for order, key in enumerate(KEYS) for line, place, text in lines.cells(key)),
        key=lambda c: (c.line, c.order, c.place),
    )
    at = [cell.line for cell in cells]
    stops = [bisect_left(at, b.line) for b in begins]
    for begin, (a, b) in zip(begins, pairwise([*stops, len(cells)]), strict=True):
        builder.document(begin.name, begin.part, begin.line + 1)
        reader.document(cells[a:b], begin.token)
    reader.check_targets()
    return builder.build()


@dataclass(frozen=True, slots=True)
class _Cell:
    line: int
    order: int  # Entity before the relations of the same token
    place: int
    text: str


class _Reader:
    def __init__(self, source: Source, lines: Lines, fields: Sequence[Fields], builder: Builder) -> None:
        self.source, self.lines, self.fields, self.builder = source, lines, fields, builder
        self.targets: list[tuple[str, _Cell, int]] = []

    def document(self, cells: Sequence[_Cell], first: int) -> None:
        """Read all mentions and relations of a document whose first token is given."""
        kinds, tokens = self.lines.kind, self.lines.tokens
        brackets = Brackets()
        latest: dict[str, Opened] = {}
        relations: list[tuple[str, Opened, str, str]] = []
        for cell in cells:
            if kinds[cell.line] not in (WORD, EMPTY):
                where = "on a multiword token" if kinds[cell.line] == RANGE else "on a line without an id"
                self.report("syntax", f"coreference {where}: it belongs to the words", cell)
            elif cell.order:
                relations += self.relations(cell, latest)
            else:
                self.pieces(cell, int(tokens[cell.line]) - first, brackets, latest)
        self.finish(brackets)
        for kind, mention, target, label in relations:
            if mention.handle >= 0:
                self.builder.relation(
                    kind, without_codes(mention.label, LABEL), target, mention=mention.handle, label=label
                )

    def pieces(self, cell: _Cell, token: int, brackets: Brackets, latest: dict[str, Opened]) -> None:
        """Read the pieces of a cell in the order in which they are written."""
        _, fields = self.fields[max(bisect_left(self.fields, (cell.line,)) - 1, 0)]
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
                self.report("syntax", f"this is not the label of an entity: '{content[:40]}'", cell, offset + 1, _HINT)
            elif (mention := brackets.opens(name, token)) is None:
                message = f"part {number} of mention {label} does not follow part {number - 1}"
                self.report("unopened", message, cell, offset + 1)
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
                    message = (
                        f"mention {name[:80]} is closed but was never opened" if name else "a bracket has no label"
                    )
                    self.report("unopened" if name else "syntax", message, cell, offset, _HINT)
            offset += len(name) + 1
        if rest:
            self.report("syntax", f"this neither opens nor closes a mention: '{rest[:40]}'", cell, offset, _HINT)

    def finish(self, brackets: Brackets) -> None:
        """Give all complete mentions to the builder, in the order in which they open."""
        opened = {id(m) for stack in brackets.open.values() for m, _ in stack}
        for m in brackets.mentions:
            if self.is_whole(m, id(m) in opened):
                self.mention(m)

    def is_whole(self, m: Opened, is_open: bool) -> bool:
        """Whether a mention has all its parts; otherwise it is reported."""
        overlap = m.total > 1 and any(b >= c for (_, b), (c, _) in pairwise(m.parts))
        if is_open:
            self.report("unclosed", f"mention {m.label}, opened here, is never closed", m, hint=_HINT)
        elif len(m.parts) < m.total:
            message = f"mention {m.label} has {len(m.parts)} of its {m.total} parts"
            self.report("unclosed", message, m, hint=_HINT)
        elif overlap:
            self.report("syntax", f"the parts of mention {m.label} overlap", m, hint=_HINT)
        else:
            return True
        return False

    def mention(self, m: Opened) -> None:
        parts = joined(m.parts) if m.total > 1 else m.parts
        if len(parts) < m.total:
            self.report("malformed", f"the parts of mention {m.label} have nothing between them: read as one", m)
        del m.values["eid"]
        head = self.head(m.values.pop("head", ""), m)
        m.handle = self.builder.mention(
            parts[0][0], parts[-1][1], without_codes(m.label, LABEL), line=m.line + 1, head=head, parts=parts
        )
        for name, value in m.values.items():
            self.builder.attribute(m.handle, name, without_codes(value, VALUE))

    def head(self, text: str, m: Opened) -> int:
        """The token of the word of the mention that has this number."""
        if not text:
            return -1
        number = int(text) if re.fullmatch("[0-9]{1,9}", text) else 0
        words = sum(b - a + 1 for a, b in m.parts)
        if not 1 <= number <= words:
            message = f"the head is '{text[:40]}', but mention {m.label} has {counted(range(words), 'word')}"
            self.report("bad-head", message, m, hint="the head is the number of a word of the mention, from 1")
            return -1
        for a, b in m.parts:
            if number <= b - a + 1:
                break
            number -= b - a + 1
        return a + number - 1

    def relations(self, cell: _Cell, latest: dict[str, Opened]) -> list[tuple[str, Opened, str, str]]:
        """Relations such as `e1<e5:part,e2<e5`, which belong to the mention of e5 that opened last."""
        kind, relations = "bridging" if cell.order == 1 else "split-antecedent", []
        offset = 0
        for link in cell.text.split(","):
            target, sign, rest = link.partition("<")
            anaphor, _, label = rest.partition(":") if kind == "bridging" else (rest, "", "")
            if not (target and sign and anaphor) or target == anaphor:
                self.report("syntax", f"this is not a relation of two entities: '{link[:40]}'", cell, offset)
            elif anaphor not in latest:
                self.report("dangling", f"no mention of {anaphor[:40]} has opened so far", cell, offset)
            else:
                target = without_codes(target, LABEL)
                relations.append((kind, latest[anaphor], target, without_codes(label, LABEL)))
                self.targets.append((target, cell, offset))
            offset += len(link) + 1
        return relations

    def check_targets(self) -> None:
        for target, cell, offset in self.targets:
            if target not in self.builder.labels:
                hint = "Bridge= and SplitAnte= must name entities of this file, the antecedent first: `e1<e2`"
                self.report("dangling", f"there is no entity {target[:40]}", cell, offset, hint)

    def report(self, code: str, message: str, where: _Cell | Opened, offset: int = 0, hint: str = "") -> None:
        place = where.place if isinstance(where, _Cell) else where.column
        line, column = self.lines.at(place)
        self.source.report(code, message, line=line, column=column + offset, hint=hint)
