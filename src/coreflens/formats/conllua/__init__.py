r"""CONLL-UA, the format of Universal Anaphora with a column for each kind of anaphora ("exploded").

    # global.columns = ID FORM LEMMA ... MISC IDENTITY BRIDGING DISCOURSE_DEIXIS REFERENCE NOM_SEM
    # newdoc id = name
    column    = tabs between columns or, in a line without tabs, blanks; the last columns may be missing
    IDENTITY  = "_" | closing* opening*
    opening   = "(EntityID=" label ("|" key "=" value)* ")"?       keys: MarkableID, Min, SemType, ElementOf, ...
    closing   = ")" | MarkableID ")"          the mention opened last or, if mentions cross, the mention of this id
    BRIDGING  = "(MarkableID=m3|Rel=poss|MentionAnchor=m1|EntityAnchor=1" and a bracket at its end
    SPLIT     = "EntityID=1|ElementOf=4"      from version 1.1 on; before, ElementOf is in IDENTITY

A MarkableID that opens again in its document is another part of a discontinuous mention. An id such as `14.1` is a
zero. Attributes of a mention: `id` (MarkableID), `min` (Min, as in the file), Entity_Type and Genericity (NOM_SEM), and
all other keys under their own names.

Policies. A label that ends in `-Pseudo` marks a non-referring expression. It is a mention here, with the attribute
`referring` "no", and is reported, because the scorer of Universal Anaphora leaves these out by default. ElementOf makes
a relation `split-antecedent` from the plural entity to this one. BRIDGING makes a relation `bridging`; if its markable
is not in IDENTITY, it is left out, as in that scorer. DISCOURSE_DEIXIS has separate entities, which are not entities
here. Those of its markables that are also in IDENTITY get a relation `deixis` with their label in DISCOURSE_DEIXIS. The
column is kept as layer `discourse_deixis`, and `--layer deixis` scores its entities.

The writer puts tabs between columns. A mention without `id` gets one. Closing brackets have ids in documents where
mentions cross. SPLIT becomes ElementOf. Tokens are numbered through the document. Blanks, brackets and `|@,%` are
escaped (%20).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ...corpus.model import Corpus, Span
from ...errors import InputError, counted
from .. import conllu
from ..shared.brackets import joined, without_codes
from ..shared.builder import Builder
from ..shared.conllup import Token, tokens
from ..shared.source import Source
from .writer import HOLDS, NOM_SEM, SPECIAL, write

__all__ = ["CARRIED", "DOCUMENT", "HOLDS", "deixis", "looks_like", "read", "write"]

DOCUMENT, CARRIED = conllu.DOCUMENT, re.compile(rb"^# *global\.columns[^\n]*\n?", re.MULTILINE)
_COLUMNS = re.compile(rb"^# *global\.columns *=[^\n]*\b(?:IDENTITY|DISCOURSE_DEIXIS)\b", re.MULTILINE | re.IGNORECASE)
_HINT = "`(EntityID=1|MarkableID=m1` opens, `)` closes"
_SPELT = ("EntityID", "MarkableID", "Min", "ElementOf")  # documentation and files spell these in several ways
_KEYS = {key.lower(): key for key in _SPELT} | {"mentionid": "MarkableID"}
_PSEUDO = re.compile("[-_]Pseudo$")


def looks_like(head: bytes) -> bool:
    return bool(_COLUMNS.search(head))


def read(source: Source) -> Corpus:
    """The corpus in the file. Raises nothing but InputError."""
    reader = _Reader(source)
    for token in tokens(source, reader.builder, {"IDENTITY", "BRIDGING", "SPLIT"}, reader.finish):
        reader.token(token)
    return reader.build()


def deixis(corpus: Corpus) -> Corpus:
    """The annotation of discourse deixis: the mentions, entities and split antecedents of that column.

    A document without any has no mentions. A corpus of another format is an InputError.
    """
    if corpus.format != "conllua":
        message = f"there is no annotation of discourse deixis in {corpus.format or 'this input'}"
        raise InputError(message, file=corpus.source or None, hint="--layer deixis is for CONLL-UA")
    text = corpus.text
    cells = text.layers.get("discourse_deixis") or [""] * len(text.words)
    reader = _Reader(Source(b"", corpus.source))
    for d, document in enumerate(corpus.documents):
        reader.source = reader.builder.source = Source(b"", document.file or corpus.source)
        reader.builder.document(document.name, document.part, document.line)
        here = text.document(d)
        for place, cell in enumerate(cells[here]):
            if cell:
                line = 0 if text.line is None else int(text.line[here.start + place])
                reader.token(Token(line, place, "", 0, {"IDENTITY": cell}, ""))
        reader.finish()
    return replace(
        reader.build(), documents=corpus.documents, source=corpus.source, format="conllua", texts=corpus.texts
    )


@dataclass(slots=True)
class _Mention:
    label: str
    id: str
    line: int
    column: int | None
    attributes: dict[str, str]
    elements_of: list[str]
    parts: list[Span] = field(default_factory=list)
    opened: int | None = None  # the token at which its current part opened
    handle: int = -1


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source, self.builder = source, Builder(source, "conllua")
        self.left_out: dict[str, list[int]] = {}  # kind → lines
        self.pseudo: list[_Mention] = []
        self.latest_column = (0, ""), 0  # line, name and start of the last column
        self.types_only = True  # whether NOM_SEM has only types of mentions
        self.links: dict[
            tuple[str, str, str, int, int, str], int
        ] = {}  # link → line; parts of a mention may repeat a link
        self.start()

    def start(self) -> None:
        self.mentions: list[_Mention] = []
        self.stack: list[_Mention] = []
        self.known: dict[str, _Mention] = {}
        self.latest: dict[str, _Mention] = {}  # of each entity
        self.entries: dict[str, list[dict[str, str]]] = {"BRIDGING": [], "DISCOURSE_DEIXIS": [], "NOM_SEM": []}
        self.bridging_lines: list[int] = []  # of the entries of BRIDGING
        self.split: list[tuple[str, str, _Mention | None]] = []
        self.written: list[int] = []  # places of the words that are not zeros; Min counts these

    def token(self, token: Token) -> None:
        """Read the pieces of IDENTITY in the order in which they are written, and store the other columns."""
        cell = token.cells.get("IDENTITY", "_")
        if cell not in ("", "_"):
            closing, *chunks = cell.split("(")
            self.close(closing, token)
            for chunk in chunks:
                content, bracket, rest = chunk.partition(")")
                mention = self.open(content.rstrip("@"), token)
                if bracket and mention:
                    self.end(mention, token.place)
                self.close(rest.rstrip("@"), token)
        if "." not in token.id:
            self.written.append(token.place)
        for column, entries in self.entries.items():
            new_entries = self.parse(column, token)
            entries += new_entries
            if column == "BRIDGING":
                self.bridging_lines += [token.line] * len(new_entries)
        for entry in self.parse("SPLIT", token):
            label = entry.get("EntityID", "")
            for plural in entry.get("ElementOf", "").split(","):
                self.split.append((without_codes(plural, SPECIAL), label, self.latest.get(label)))

    def parse(self, column: str, token: Token) -> list[dict[str, str]]:
        """The entries that open in a cell, with brackets or without."""
        cell = token.cells.get(column, "_")
        if "=" not in cell:
            return []
        entries = [chunk.partition(")")[0] for chunk in cell.split("(")[1:]] if "(" in cell else [cell]
        return [self.pairs(entry.rstrip("@"), token, column) for entry in entries]

    def pairs(self, text: str, token: Token, column: str) -> dict[str, str]:
        pairs = {}
        for item in text.split("|"):
            key, sign, value = item.partition("=")
            if not sign:
                self.report("syntax", f"'{item[:40]}' is not `key=value`", token, column)
            key = _KEYS.get(key.replace("_", "").lower(), key)
            pairs[key] = value if key == "ElementOf" else without_codes(value, SPECIAL)
        return pairs

    def open(self, text: str, token: Token) -> _Mention | None:
        pairs = self.pairs(text, token, "IDENTITY")
        label, name = pairs.pop("EntityID", ""), pairs.pop("MarkableID", "")
        if not label:
            self.report("syntax", f"this mention has no EntityID: '{text[:40]}'", token, "IDENTITY")
            return None
        mention = self.known.get(name) if name else None
        if mention and (mention.opened is not None or mention.label != label):
            fault = "opens while it is still open" if mention.opened is not None else "belongs to two entities"
            self.report("duplicate-id", f"markable {name} (line {mention.line}) {fault}", token, "IDENTITY")
            return None
        if mention is None:
            mention = self.new_mention(label, name, pairs, token)
        mention.opened = token.place
        self.latest[label] = mention
        self.stack.append(mention)
        return mention

    def new_mention(self, label: str, name: str, pairs: dict[str, str], token: Token) -> _Mention:
        elements = [without_codes(plural, SPECIAL) for plural in pairs.pop("ElementOf", "").split(",") if plural]
        attributes = {"id": name, "referring": "no" if _PSEUDO.search(label) else ""}
        attributes |= {"min" if key == "Min" else key: value for key, value in pairs.items()}
        mention = _Mention(label, name, token.line, self.column(token, "IDENTITY"), attributes, elements)
        self.mentions.append(mention)
        if name:
            self.known[name] = mention
        return mention

    def close(self, text: str, token: Token) -> None:
        if not text:
            return
        *names, rest = text.split(")")
        for name in names:
            while self.stack and self.stack[-1].opened is None:
                self.stack.pop()  # closed by its id, or where it opened
            last = self.stack[-1] if self.stack else None
            mention = self.known.get(without_codes(name, SPECIAL)) if name else last
            if mention is None or mention.opened is None:
                message = (
                    f"markable {name[:40]} is closed but was never opened" if name else "this bracket closes nothing"
                )
                self.report("unopened", message, token, "IDENTITY")
            else:
                self.end(mention, token.place)
        if rest:
            self.report("syntax", f"this neither opens nor closes a mention: '{rest[:40]}'", token, "IDENTITY")

    def end(self, mention: _Mention, place: int) -> None:
        assert mention.opened is not None
        mention.parts.append((mention.opened, place))
        mention.opened = None

    def finish(self) -> None:
        """Give the mentions and relations of a document to the builder."""
        for entry in self.entries["NOM_SEM"]:
            mention = self.known.get(entry.get("MarkableID", ""))
            self.types_only &= mention is not None and {*entry} <= {"MarkableID", *NOM_SEM}
            if mention:
                mention.attributes |= {key: entry[key] for key in NOM_SEM if key in entry}
        for m in self.mentions:
            if m.opened is not None:
                message = f"mention {m.id or 'of entity ' + m.label}, opened here, is never closed"
                self.source.report("unclosed", message, line=m.line, column=m.column, hint=_HINT)
                continue
            parts = joined(m.parts)
            if any(a >= b for (_, a), (b, _) in pairwise(parts)):
                self.source.report("syntax", f"the parts of markable {m.id} overlap", line=m.line, column=m.column)
                continue
            self.check_minimum(m, parts[0][0], parts[-1][1])
            m.handle = self.builder.mention(parts[0][0], parts[-1][1], m.label, line=m.line, parts=parts)
            for name, value in m.attributes.items():
                self.builder.attribute(m.handle, name, value)
            if m.attributes["referring"]:
                self.pseudo.append(m)
            self.split += [(plural, m.label, m) for plural in m.elements_of]
        self.relations()
        self.start()

    def check_minimum(self, m: _Mention, start: int, end: int) -> None:
        """Check that Min is `3` or `3,5`, where these are numbers of words of the mention."""
        text = m.attributes.get("min", "")
        numbers = [int(x) for x in text.split(",")] if re.fullmatch(r"\d{1,9}(,\d{1,9})?", text) else []
        within = [n for n in numbers if 0 < n <= len(self.written) and start <= self.written[n - 1] <= end]
        if text and (len(within) < len(numbers) or not numbers):
            what = f"Min={text[:40]}, but markable {m.id or m.label} has no such word"
            self.source.report("bad-minimum", what, line=m.line, column=m.column)

    def relations(self) -> None:
        for entry, line in zip(self.entries["BRIDGING"], self.bridging_lines, strict=True):
            mention, anchor = (self.known.get(entry.get(key, "")) for key in ("MarkableID", "MentionAnchor"))
            target = entry.get("EntityAnchor") or (anchor.label if anchor else "")
            if mention and target and (anchor or not entry.get("MentionAnchor")):
                label, handle = entry.get("Rel", ""), anchor.handle if anchor else -1
                self.links.setdefault(("bridging", mention.label, target, mention.handle, handle, label), line)
            else:
                self.left_out.setdefault("bridging relation", []).append(line)
        for entry in self.entries["DISCOURSE_DEIXIS"]:
            if mention := self.known.get(entry.get("MarkableID", "")):
                self.links.setdefault(("deixis", mention.label, "", mention.handle, -1, entry.get("EntityID", "")), 0)
        for plural, element, anchor in self.split:
            handle = anchor.handle if anchor else -1
            line = anchor.line if anchor else 0
            self.links.setdefault(("split-antecedent", plural, element, -1, handle, ""), line)

    def build(self) -> Corpus:
        for (kind, anaphor, antecedent, mention, anchor, label), line in self.links.items():
            if kind != "deixis" and not {anaphor, antecedent} <= self.builder.labels.keys():
                self.left_out.setdefault(f"{kind} relation", []).append(line)
            else:
                self.builder.relation(kind, anaphor, antecedent, mention=mention, anchor=anchor, label=label)
        for what, lines in self.left_out.items():
            message = f"{counted(lines, what)} to or from markables that are not in IDENTITY"
            self.source.report("left-out", message, line=lines[0] or None)
        if self.pseudo:
            message = f"{counted(self.pseudo, 'non-referring expression')} (`-Pseudo`)"
            self.source.report("non-referring", message, line=self.pseudo[0].line, column=self.pseudo[0].column)
        if self.types_only:
            self.builder.layers.pop("nom_sem", None)
        return self.builder.build()

    def column(self, token: Token, name: str) -> int | None:
        if not token.text:
            return None
        if self.latest_column[0] != (token.line, name):
            self.latest_column = (token.line, name), token.column(name)
        return self.latest_column[1]

    def report(self, code: str, message: str, token: Token, column: str) -> None:
        self.source.report(code, message, line=token.line, column=self.column(token, column), hint=_HINT)
