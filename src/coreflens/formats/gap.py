"""GAP: one ambiguous pronoun and two names per line (Webster et al. 2018).

    ID  Text  Pronoun  Pronoun-offset  A  A-offset  A-coref  B  B-offset  B-coref  URL

Tabs separate the columns, without quotes, and a header names them. A line is a document: a text with three mentions,
given by their first character. TRUE or FALSE says whether the pronoun is A, and whether it is B. If both are FALSE, all
three are singletons. The attribute `role` is pronoun, A or B. The URL is not read.

Systems for GAP write only `ID, A-coref, B-coref`, without any mentions. Give coreflens the table with their answers in
the columns A-coref and B-coref.
"""

from __future__ import annotations

from ..corpus.model import Corpus
from .shared.builder import Builder, unlabelled
from .shared.source import Source

_COLUMNS = ("ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref")
_ANSWERS = {"TRUE": True, "FALSE": False}


def looks_like(head: bytes) -> bool:
    first = head.partition(b"\n")[0].rstrip(b"\r").split(b"\t")
    return b"Pronoun-offset" in first and b"Text" in first


def read(source: Source) -> Corpus:
    lines = source.text.split("\n")
    header = lines[0].rstrip("\r").split("\t")
    missing = [name for name in _COLUMNS if name not in header]
    if missing:
        hint = "the columns A-coref and B-coref have the answers" if "A-coref" in missing else ""
        source.fail(f"the header has no column {', '.join(missing)}", line=1, hint=hint)
    place = {name: header.index(name) for name in _COLUMNS}
    builder = Builder(source, "gap", "character")
    for number, line in enumerate(lines[1:], start=2):
        cells = line.rstrip("\r").split("\t")
        if cells == [""]:
            continue
        if len(cells) != len(header):
            source.report("syntax", f"this line has {len(cells)} cells, but the header has {len(header)}", line=number)
            continue
        _row(builder, source, {name: cells[at] for name, at in place.items()}, number)
    return unlabelled(builder.build())


def _row(builder: Builder, source: Source, row: dict[str, str], line: int) -> None:
    id, text = row["ID"], row["Text"]
    builder.document(id or f"line-{line}", line=line)
    builder.raw(text)
    for name in ("A", "B"):
        answer = _ANSWERS.get(row[f"{name}-coref"].strip().upper())
        if answer is None:
            message = f"{name}-coref is '{row[f'{name}-coref']:.20}'"
            source.report("syntax", message, line=line, hint="it must be TRUE or FALSE")
        row[f"{name}-coref"] = "TRUE" if answer else "FALSE"
    for role in ("Pronoun", "A", "B"):
        word, offset = row[role], row[f"{role}-offset"].strip()
        if not (offset.isascii() and offset.isdecimal() and len(offset) < 10):
            hint = "it must be a number of characters"
            source.report("syntax", f"{role}-offset is '{offset:.20}'", line=line, hint=hint)
            continue
        start = int(offset)
        text_there = text[start : start + len(word)]
        if not word or text_there != word:
            message = f"{role} is '{word:.40}', but the text has '{text_there:.40}' at {start}"
            source.report("text-mismatch", message, line=line)
            continue
        same = role if role == "Pronoun" or row[f"{role}-coref"] == "FALSE" else "Pronoun"
        builder.mention(start, start + len(word) - 1, (line, same), line=line, role=role.replace("Pron", "pron"))
