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
from typing import NamedTuple

from ..corpus.model import Corpus
from ..errors import counted
from .shared.builder import Builder
from .shared.closure import closure
from .shared.conllup import Token, tokens
from .shared.source import Source

_COLUMNS = re.compile(rb"^# *global\.columns *=[^\n]*\bCOREFHEAD\b", re.MULTILINE)
_POINTER = re.compile(r"(\d{1,9}):(\d{1,9}(?:\.\d{1,9})?)")


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


class _Link(NamedTuple):
    anaphor: Token
    antecedent: Token
    type: str


def _document(source: Source, builder: Builder, document: list[Token]) -> None:
    """Add the mentions of a document: the closure of identity, and bridging for `holo`."""
    links = _links(source, document)
    words = sorted({token.place for link in links for token in link[:2]})
    identity = [(link.anaphor.place, link.antecedent.place) for link in links if link.type != "holo"]
    first_of = closure(words, identity)
    type_of = {link.anaphor.place: link.type for link in links}
    handles: dict[int, int] = {}
    labels: dict[int, str] = {}
    for word in words:
        token, first = document[word], document[first_of[word]]
        labels[word] = f"{first.sentence}:{first.id}"
        type = type_of.get(word, "")
        if type == "holo":
            type = ""
        handles[word] = builder.mention(word, word, labels[word], line=token.line, head=word, type=type)
    for link in links:
        if link.type == "holo":
            part, whole = link.anaphor.place, link.antecedent.place
            builder.relation(
                "bridging",
                labels[part],
                labels[whole],
                mention=handles[part],
                anchor=handles[whole],
                label=link.type,
            )


def _links(source: Source, document: list[Token]) -> list[_Link]:
    """The pointers of a document; those that lead nowhere are reported."""
    place_of = {(token.sentence, token.id): token.place for token in document}
    links = []
    for token in document:
        if not _given(token, "COREFHEAD"):
            continue
        pointer, type = token.cells["COREFHEAD"], token.cells.get("COREFTYPE", "")
        numbers = _POINTER.fullmatch(pointer)
        target = place_of.get((int(numbers[1]), numbers[2])) if numbers else None
        if target is not None and target != token.place:
            links.append(_Link(token, document[target], "" if type == "_" else type))
            continue
        if pointer.strip("?") == "":
            code, message = "malformed", "the antecedent is marked as unknown: no antecedent"
        elif not numbers:
            code, message = "syntax", f"'{pointer[:40]}' is not a pointer to a word, `sentence:token`"
        elif target is None:
            code, message = "dangling", f"there is no word {pointer}"
        else:
            code, message = "malformed", f"word {pointer} points to itself: no antecedent"
        source.report(code, message, line=token.line, column=token.column("COREFHEAD"))
    return links
