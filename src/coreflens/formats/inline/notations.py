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
from typing import NamedTuple, TypeAlias

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
    numbers = counts(source.text)
    used = "link" if numbers["link"] else max(numbers, key=lambda name: numbers[name])
    for name, number in numbers.items():
        if number and name != used:
            first = _MARKED[name].search(source.text)
            line = source.text.count("\n", 0, first.start()) + 1 if first else None
            marks = counted(range(number), "mark")
            message = f"{marks} like {SHOWN[name]} in a text with {SHOWN[used]}: read as text"
            source.report("malformed", message, line=line)
    return used if numbers[used] else "link"


Piece: TypeAlias = tuple[int, int, int]  # of a line: its number, the first column, the column after the last


def mentions(source: Source, lines: Mapping[int, str], notation: str) -> tuple[list[Mention], list[Piece]]:
    """The marks that have an entity, in order of opening; `lines` by their numbers, from 0.

    Marks without a partner are reported and listed, so that a repair can remove them.
    """
    marks = _Marks(source, notation)
    for n, line in lines.items():
        marks.add(n, line)
    marks.report_open()
    return sorted(marks.mentions), marks.left_over


class _Opening(NamedTuple):
    """The opening mark of a mention: its line, its columns, and the label if it has one."""

    line: int
    column: int
    inside: int
    label: str

    @property
    def piece(self) -> Piece:
        return self.line, self.column, self.inside


class _Marks:
    """The marks of the lines so far."""

    def __init__(self, source: Source, notation: str) -> None:
        self.source, self.notation = source, notation
        self.open: list[_Opening] = []
        self.mentions: list[Mention] = []
        self.left_over: list[Piece] = []

    def add(self, n: int, line: str) -> None:
        """Add the marks of a line."""
        is_tag = self.notation == "tag"
        if is_tag:
            self._leave_out_cut_tags(n, line)
        for match in NOTATIONS[self.notation].finditer(line):
            if match["open"]:
                self.open.append(_Opening(n, match.start(), match.end(), match["label"] if is_tag else ""))
            elif match["close"] is None:  # a bracket of the text
                continue
            elif self.open:
                self._close(n, match, self.open.pop())
            elif self._is_mark(match):
                self._leave_out_unopened(n, match)

    def _leave_out_cut_tags(self, n: int, line: str) -> None:
        for match in _CUT_TAG.finditer(line):
            hint = REPAIR.removeprefix("; ")
            self.source.report("unclosed", "this tag is cut off", line=n + 1, column=match.start() + 1, hint=hint)
            self.left_over.append((n, match.start(), match.end()))

    def _is_mark(self, match: re.Match[str]) -> bool:
        """Whether a closing bracket can only be that of a mention."""
        if self.notation == "tag":
            return True
        if match["label"] is None:
            return False
        return self.notation != "link" or bool(match["end"])

    def _leave_out_unopened(self, n: int, match: re.Match[str]) -> None:
        mention = "the mention" if match["label"] is None else f"the mention of '{match['label'][:40]}'"
        message = f"{mention} is closed but was never opened"
        self.source.report("unopened", message, line=n + 1, column=match.start() + 1, hint=HINT + REPAIR)
        self.left_over.append((n, match.start(), match.end()))

    def _close(self, n: int, match: re.Match[str], opening: _Opening) -> None:
        label = opening.label if self.notation == "tag" else match["label"]
        if self.notation == "link" and match["end"] == "":
            self._mend_parenthesis(n, match, opening)
        elif label is not None:
            self._add_mention(opening, (n, match.start()), match.end(), label.strip())

    def _mend_parenthesis(self, n: int, match: re.Match[str], opening: _Opening) -> None:
        """A parenthesis that is never closed. A repair ends it after its first word."""
        label = match["label"]
        message = f"the parenthesis of '{label[:40]}' is never closed"
        self.source.report("unclosed", message, line=n + 1, column=match.start() + 2, hint=HINT + REPAIR)
        words = label.split(maxsplit=1)
        if self.source.repairs and words:
            behind = match.start("label") + label.index(words[0]) + len(words[0])
            self._add_mention(opening, (n, match.start()), behind, words[0])
        else:
            self.left_over += [opening.piece, (n, match.start(), match.end())]

    def _add_mention(self, opening: _Opening, closing: tuple[int, int], behind: int, label: str) -> None:
        self.mentions.append(Mention((opening.line, opening.column), opening.inside, closing, behind, label))

    def report_open(self) -> None:
        """Leave out the marks that are still open after the last line."""
        mark = "tag" if self.notation == "tag" else "bracket"
        for opening in self.open:
            line, column = opening.line + 1, opening.column + 1
            self.source.report("unclosed", f"this {mark} is never closed", line=line, column=column, hint=HINT + REPAIR)
            self.left_over.append(opening.piece)


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
