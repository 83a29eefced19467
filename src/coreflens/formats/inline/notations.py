r"""The ways in which language models mark a mention in running text, and which of them a text uses.

    link    [John](1)          coreflens writes this one
    number  [John]1            `coreflens demo` prints this one
    under   [John]_1
    bar     [John|1]
    tag     <m id=1>John</m>   also mention, coref, entity or e, and the id in quotation marks

A text uses one of them: `link` if it has any, otherwise the most frequent one. Marks of the others are read as text,
and are reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...errors import counted
from ..shared.source import Source

HINT = r"a bracket that is not the bracket of a mention is written \[ or \]"
REPAIR = "; --repair leaves such marks out, and reports them"

_ESCAPED, _OPEN = r"\\[\[\]\\]", r"(?P<open>\[)"
_LABEL = r"(?P<label>#?[A-Za-z]{0,12}_?\d{1,9})(?!\w)"
_TAG = r"(?:m|mention|coref|entity|e)"
NOTATIONS: Mapping[str, re.Pattern[str]] = {
    "link": re.compile(rf"{_ESCAPED}|{_OPEN}|(?P<close>\])(?:\((?P<label>[^()\[\]\n]*)(?P<end>\)?))?"),
    "number": re.compile(rf"{_ESCAPED}|{_OPEN}|(?P<close>\])(?:(?P<label>\d{{1,9}})(?!\w))?"),
    "under": re.compile(rf"{_ESCAPED}|{_OPEN}|(?P<close>\])(?:_{_LABEL})?"),
    "bar": re.compile(rf"{_ESCAPED}|{_OPEN}|(?:\|[ \t]?{_LABEL})?(?P<close>\])"),
    "tag": re.compile(
        rf"""(?P<open><{_TAG}[ \t]+id[ \t]*=[ \t]*["']?(?P<label>[^"'<>\s]{{1,80}})["']?[ \t]*>)|(?P<close></{_TAG}>)"""
    ),
}
_CUT_TAG = re.compile(rf"</?{_TAG}(?:[ \t]+id\b[^<>]*)?(?=<|$)")
_MARKED = {  # the label of a mention in each notation, as it looks in a file
    "link": re.compile(r"(?<!\\)\]\([^()\[\]\n]*\)"),
    "number": re.compile(r"(?<!\\)\]\d{1,9}(?!\w)"),
    "under": re.compile(rf"(?<!\\)\]_{_LABEL}"),
    "bar": re.compile(rf"\|[ \t]?{_LABEL}\]"),
    "tag": re.compile(rf"<{_TAG}[ \t]+id[ \t]*=[^<>\n]{{1,90}}>"),
}
SHOWN = {"link": "[John](1)", "number": "[John]1", "under": "[John]_1", "bar": "[John|1]", "tag": "<m id=1>John</m>"}


class Mention(NamedTuple):
    """Lines and columns from 0, of the begin and end of the opening mark and of the closing mark; and the label."""

    opening: tuple[int, int]
    inside: int
    closing: tuple[int, int]
    behind: int
    label: str


def counts(text: str) -> dict[str, int]:
    """How many mentions a text has in each notation."""
    return {name: len(pattern.findall(text)) for name, pattern in _MARKED.items()}


def notation_of(source: Source) -> str:
    """The notation that a text uses; marks in another notation are reported."""
    found = counts(source.text)
    chosen = "link" if found["link"] else max(found, key=lambda name: found[name])
    for name, number in found.items():
        if number and name != chosen:
            first = _MARKED[name].search(source.text)
            line = source.text.count("\n", 0, first.start()) + 1 if first else None
            marks = counted(range(number), "mark")
            message = f"{marks} like {SHOWN[name]} in a text with {SHOWN[chosen]}: read as text"
            source.report("malformed", message, line=line)
    return chosen if found[chosen] else "link"


def mentions(
    source: Source, lines: Mapping[int, str], notation: str
) -> tuple[list[Mention], list[tuple[int, int, int]]]:
    """The marks that have an entity, in order of opening; `lines` by their numbers, from 0.

    Marks without a partner are reported and listed (line, column, column after it), so that a repair can remove them.
    """
    open_: list[tuple[int, int, int, str]] = []  # line, column, column after it, label
    found: list[Mention] = []
    left_over: list[tuple[int, int, int]] = []
    for n, line in lines.items():
        for match in _CUT_TAG.finditer(line) if notation == "tag" else ():
            source.report("unclosed", "this tag is cut off", line=n + 1, column=match.start() + 1, hint=REPAIR[2:])
            left_over.append((n, match.start(), match.end()))
        for match in NOTATIONS[notation].finditer(line):
            label = match["label"]
            if match["open"]:
                open_.append((n, match.start(), match.end(), label if notation == "tag" else ""))
            elif match["close"] is None:  # a bracket of the text
                continue
            elif not open_:
                if notation == "tag" or (label is not None and (notation != "link" or match["end"])):
                    of = "the mention" if label is None else f"the mention of '{label[:40]}'"
                    message = f"{of} is closed but was never opened"
                    source.report("unopened", message, line=n + 1, column=match.start() + 1, hint=HINT + REPAIR)
                    left_over.append((n, match.start(), match.end()))
            else:
                opening = open_.pop()
                if notation == "tag":
                    label = opening[3]
                elif notation == "link" and match["end"] == "":
                    message = f"the parenthesis of '{label[:40]}' is never closed"
                    source.report("unclosed", message, line=n + 1, column=match.start() + 2, hint=HINT + REPAIR)
                    if source.repairs and (words := label.split(maxsplit=1)):  # it ends with its first word
                        end = match.start("label") + label.index(words[0]) + len(words[0])
                        found.append(Mention(opening[:2], opening[2], (n, match.start()), end, words[0]))
                    else:
                        left_over += [(opening[0], opening[1], opening[2]), (n, match.start(), match.end())]
                    continue
                if label is not None:
                    found.append(Mention(opening[:2], opening[2], (n, match.start()), match.end(), label.strip()))
    for n, column, behind, _ in open_:
        message = f"this {'tag' if notation == 'tag' else 'bracket'} is never closed"
        source.report("unclosed", message, line=n + 1, column=column + 1, hint=HINT + REPAIR)
        left_over.append((n, column, behind))
    return sorted(found), left_over


def inside_fences(lines: Mapping[int, str], notation: str) -> Iterator[int]:
    """The lines within fences of three backticks, if mentions are only there; then the other lines are remarks."""
    fenced, within = set[int](), False
    for n, line in lines.items():
        if line.startswith("```"):
            within = not within
        elif within:
            fenced.add(n)
    marked = {n for n, line in lines.items() if not line.startswith("```") and _MARKED[notation].search(line)}
    if marked and marked <= fenced:
        yield from fenced
