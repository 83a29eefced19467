"""xrenner's SGML: one token or one tag per line.

    <referent id="referent_8" entity="time" group="6" antecedent="referent_6" type="appos">
    Thursday
    </referent>

`group` is the entity, or `id` if there is no group. An empty line ends a sentence. Attributes are kept: `entity` as
`type`, and `type`, the kind of link to the antecedent, as `link`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..corpus.model import Corpus, file_stem
from .shared.builder import Builder
from .shared.sgml import MARK, attributes, unescaped
from .shared.source import Source

_REFERENT = re.compile(rb"^<referent\s[^<>]*\b(?:id|group)=", re.MULTILINE)
_NAMES = {"type": "link", "entity": "type"}  # attributes that get other names


def looks_like(head: bytes) -> bool:
    return bool(_REFERENT.search(head)) and not head.lstrip().startswith(b"<?xml")


def read(source: Source) -> Corpus:
    builder = Builder(source, "xrenner")
    builder.document(file_stem(source.name), line=1)
    open_: list[_Referent] = []
    mentions: list[tuple[_Referent, int]] = []  # with the last token
    place = 0
    for number, line in enumerate(source.text.split("\n"), start=1):
        line = line.strip()
        mark = MARK.fullmatch(line)
        if not line:
            builder.sentence()
        elif mark is None or mark[2] != "referent":
            place = builder.token(unescaped(line), line=number) + 1
        elif not mark[1]:
            open_.append(_Referent(number, place, _attributes(source, mark[3], number)))
        elif not open_:
            source.report("unopened", "</referent> without <referent>", line=number, column=1)
        else:
            referent = open_.pop()
            if _is_mention(source, referent, place):
                mentions.append((referent, place - 1))
    for referent in open_:
        source.report("unclosed", "this <referent> is never closed", line=referent.line, column=1)
    for referent, end in sorted(mentions, key=lambda mention: mention[0].line):
        _add(builder, referent, end)
    return builder.build()


class _Referent(NamedTuple):
    line: int
    start: int
    attributes: dict[str, str]


def _attributes(source: Source, written: str, line: int) -> dict[str, str]:
    values = attributes(written)
    if values is None:
        source.report("syntax", f"these attributes can't be read: {written.strip():.60}", line=line, column=1)
    return values or {}


def _is_mention(source: Source, referent: _Referent, stop: int) -> bool:
    """Whether an element that ends here has words and an entity; otherwise it is reported."""
    if referent.start == stop:
        source.report("syntax", "this <referent> has no tokens", line=referent.line, column=1)
    elif not (referent.attributes.get("group") or referent.attributes.get("id")):
        source.report("syntax", "this <referent> has no group and no id", line=referent.line, column=1)
    else:
        return True
    return False


def _add(builder: Builder, referent: _Referent, end: int) -> None:
    values = referent.attributes
    entity = values.pop("group", "") or values["id"]
    handle = builder.mention(referent.start, end, entity, line=referent.line)
    for name, value in values.items():
        builder.attribute(handle, _NAMES.get(name, name), value)
