"""Names in brackets, as in the column of named entities: `(PERSON*` on the first word, `*)` on the last.

A name ends within its sentence. If a bracket is not closed there, it is not read as a name, and a note says so. So an
error in the source does not affect other sentences or documents.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from ..corpus.model import Text
from ..errors import Issue, counted

_OPENED = re.compile(r"\(([^()*|\s]+)")


@dataclass(frozen=True)
class Names:
    """`types`: the spans of names, by first and last token of the corpus, with their types; `issues`: what is wrong."""

    types: dict[tuple[int, int], str]
    issues: tuple[Issue, ...] = ()

    def innermost(self) -> dict[int, str]:
        """Token → the type of the innermost name that it is in."""
        found: dict[int, str] = {}
        for (a, b), label in sorted(self.types.items(), key=lambda name: (name[0][0], -name[0][1])):
            found.update(dict.fromkeys(range(a, b + 1), label))
        return found


def names_of_text(text: Text) -> Names:
    """The names of a text, sentence by sentence."""
    layer, type_of = text.layers.get("names", ()), dict[tuple[int, int], str]()
    unclosed, unopened = list[int](), list[int]()  # tokens
    for a, b in pairwise(sorted({*text.sentences.tolist(), *text.first.tolist()}) if layer else []):
        open_: list[tuple[int, str]] = []
        for token, cell in enumerate(layer[a:b], a):
            open_ += [(token, label) for label in _OPENED.findall(cell)]
            for _ in range(cell.count(")")):
                if open_:
                    start, label = open_.pop()
                    type_of[start, token] = label
                else:
                    unopened.append(token)
        unclosed += [token for token, _ in open_]
    messages = []
    if unclosed:
        messages.append(f"{counted(unclosed, 'name')} not closed in the same sentence")
    if unopened:
        messages.append(f"{counted(unopened, 'closing bracket')} without a name")
    issues = [Issue("names", f"in the column of named entities: {'; '.join(messages)}; resolved without them")]
    return Names(type_of, tuple(issues) if messages else ())
