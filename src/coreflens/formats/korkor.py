"""KorKor, Hungarian coreference in CoNLL-U Plus: each anaphor points to the head word of its antecedent.

    # global.columns = ID FORM LEMMA XPOS UPOS FEATS DEPREL HEAD COREFHEAD COREFTYPE ZERO_SUBJ ZERO_OBJ ZERO_POSS
    COREFHEAD = sentence ":" token, both from 1 | "_"
    COREFTYPE = "coref" and the types of pronouns: identity | "holo": a part and its whole, read as bridging

A mention is one word. Entities are the closure of the pointers, named after their first word (`1:7`). The type is the
attribute `type` of the anaphor. A dropped subject, object or possessor is a layer of its verb or noun, because this
format has no tokens for zeros and no antecedents for them.
"""

from __future__ import annotations

import re

from ..corpus.model import Corpus
from ..errors import counted
from .shared.builder import Builder
from .shared.conllup import Token, tokens
from .shared.source import Source

_COLUMNS = re.compile(rb"^# *global\.columns *=[^\n]*\bCOREFHEAD\b", re.MULTILINE)


def looks_like(head: bytes) -> bool:
    return bool(_COLUMNS.search(head))


def read(source: Source) -> Corpus:
    """The corpus in the file. Raises nothing but InputError."""
    builder = Builder(source, "korkor")
    document: list[Token] = []
    alone: list[Token] = []

    def finish() -> None:
        _document(source, builder, document)
        alone.extend(t for t in document if _given(t, "COREFTYPE") and not _given(t, "COREFHEAD"))
        document.clear()

    for token in tokens(source, builder, {"COREFHEAD", "COREFTYPE"}, finish):
        document.append(token)  # noqa: PERF402 -- the list is emptied in the loop
    if alone:
        message = f"{counted(alone, 'pronoun')} with a type but without an antecedent"
        source.report("left-out", message, line=alone[0].line, column=alone[0].column("COREFTYPE"))
    return builder.build()


def _given(token: Token, column: str) -> bool:
    return token.cells.get(column, "") not in ("", "_")


def _document(source: Source, builder: Builder, document: list[Token]) -> None:
    place = {(t.sentence, t.id): t.place for t in document}
    links: list[tuple[Token, Token, str]] = []  # anaphor, antecedent, type
    for token in document:
        if not _given(token, "COREFHEAD"):
            continue
        pointer, kind = token.cells["COREFHEAD"], token.cells.get("COREFTYPE", "")
        found = re.fullmatch(r"(\d{1,9}):(\d{1,9}(?:\.\d{1,9})?)", pointer)
        line, column = token.line, token.column("COREFHEAD")
        if pointer.strip("?") == "":
            what = "the antecedent is marked as unknown: no antecedent"
            source.report("malformed", what, line=line, column=column)
        elif not found:
            source.report(
                "syntax", f"'{pointer[:40]}' is not a pointer to a word, `sentence:token`", line=line, column=column
            )
        elif (target := place.get((int(found[1]), found[2]))) is None:
            source.report("dangling", f"there is no word {pointer}", line=line, column=column)
        elif target == token.place:
            source.report("malformed", f"word {pointer} points to itself: no antecedent", line=line, column=column)
        else:
            links.append((token, document[target], "" if kind == "_" else kind))
    root: dict[int, int] = {}

    def find(word: int) -> int:
        root.setdefault(word, word)
        while root[word] != word:
            root[word] = root[root[word]]  # halving the path keeps the cost nearly linear
            word = root[word]
        return word

    for anaphor, antecedent, kind in links:
        a, b = find(anaphor.place), find(antecedent.place)
        if kind != "holo":
            root[max(a, b)] = min(a, b)
    kinds = {anaphor.place: kind for anaphor, _, kind in links}
    handles: dict[int, int] = {}
    label = {}
    for word in sorted(root):
        token, first = document[word], document[find(word)]
        label[word] = f"{first.sentence}:{first.id}"
        kind = "" if kinds.get(word) == "holo" else kinds.get(word, "")
        handles[word] = builder.mention(word, word, label[word], line=token.line, head=word, type=kind)
    for anaphor, antecedent, kind in links:
        if kind == "holo":
            a, b = anaphor.place, antecedent.place
            builder.relation("bridging", label[a], label[b], mention=handles[a], anchor=handles[b], label=kind)
