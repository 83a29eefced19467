"""xrenner's SGML: one token or one tag per line.

    <referent id="referent_8" entity="time" group="6" antecedent="referent_6" type="appos">
    Thursday
    </referent>

`group` is the entity, or `id` if there is no group. An empty line ends a sentence. Attributes are kept: `entity` as
`type`, and `type`, the kind of link to the antecedent, as `link`.
"""

from __future__ import annotations

import re

from ..corpus.model import Corpus, file_stem
from .shared.builder import Builder
from .shared.sgml import MARK, attributes, unescaped
from .shared.source import Source

_REFERENT = re.compile(rb"^<referent\s[^<>]*\b(?:id|group)=", re.MULTILINE)


def looks_like(head: bytes) -> bool:
    return bool(_REFERENT.search(head)) and not head.lstrip().startswith(b"<?xml")


def read(source: Source) -> Corpus:
    builder = Builder(source, "xrenner")
    builder.document(file_stem(source.name), line=1)
    open_: list[tuple[int, dict[str, str], int]] = []
    mentions: list[tuple[int, int, int, dict[str, str]]] = []  # line, start, end, attributes
    place = 0
    for number, line in enumerate(source.text.split("\n"), start=1):
        line = line.strip()
        mark = MARK.fullmatch(line)
        if not line:
            builder.sentence()
        elif mark is None or mark[2] != "referent":
            place = builder.token(unescaped(line), line=number) + 1
        elif not mark[1]:
            found = attributes(mark[3])
            if found is None:
                source.report("syntax", f"these attributes can't be read: {mark[3].strip():.60}", line=number, column=1)
            open_.append((place, found or {}, number))
        elif not open_:
            source.report("unopened", "</referent> without <referent>", line=number, column=1)
        else:
            start, found, opened = open_.pop()
            if start == place:
                source.report("syntax", "this <referent> has no tokens", line=opened, column=1)
            elif not (found.get("group") or found.get("id")):
                source.report("syntax", "this <referent> has no group and no id", line=opened, column=1)
            else:
                mentions.append((opened, start, place - 1, found))
    for _, _, opened in open_:
        source.report("unclosed", "this <referent> is never closed", line=opened, column=1)
    names = {"type": "link", "entity": "type"}
    for opened, start, end, found in sorted(mentions, key=lambda m: m[0]):
        handle = builder.mention(start, end, found.pop("group", "") or found["id"], line=opened)
        for name, value in found.items():
            builder.attribute(handle, names.get(name, name), value)
    return builder.build()
