"""Plain English: the worst habits stay out of help, messages, docs and comments."""

from __future__ import annotations

import re
import subprocess

import pytest

from places import ROOT

_THINGS = [
    "array",
    "bar",
    "block",
    "call",
    "category",
    "cell",
    "change",
    "character",
    "class",
    "column",
    "command",
    "corpus",
    "count",
    "directory",
    "document",
    "entity",
    "error",
    "family",
    "figure",
    "file",
    "format",
    "genre",
    "group",
    "key",
    "label",
    "language",
    "line",
    "matching",
    "matrix",
    "mention",
    "metric",
    "module",
    "name",
    "node",
    "number",
    "object",
    "option",
    "page",
    "pair",
    "part",
    "pass",
    "plot",
    "point",
    "record",
    "response",
    "row",
    "score",
    "sentence",
    "side",
    "split",
    "stage",
    "step",
    "system",
    "table",
    "tagger",
    "test",
    "token",
    "topic",
    "value",
    "word",
]
_THING = f"(?:{'|'.join(_THINGS)})"
_NOUN = f"argument|coreference|database|id|list|object|offset|pointer|relation|span|{'|'.join(_THINGS)}"

HABITS = {
    rf"\b(?:[Aa]n?|[Oo]ne|\d+) {_THING} an? {_THING}\b": 'one line per genre, not "one line a genre"',
    r",\s+too\b(?=[.;:,)\"'`])": 'use "also", or leave it out',
    r"\b(?:is|are) said\b": '"is reported", or "a note says so"',
    r"\b(?:it tells|does not tell)\b": '"it says"',
    r"\bcalled after\b": '"named after"',
    r"help=f?\"(?:Of|Likewise)\b": "whole sentences, such as \"Output format.\"",
    r"\b(?:Written|Read|Given|Shown|Counted|Left out|[Gg]rey) (?:is|are)\b(?! as\b)": "subject first, then the verb",
    r"\bhow sure\b|\bas sure as\b": '"with what confidence", "close to nominal coverage"',
    r"\banew\b": '"again"',
    r"\bat hand\b": '"available"',
    r"\bput right\b": '"corrected"',
    r"\b(?:[Oo]utside|[Ii]nside) of\b": '"is not in", "is not within", "inside"',
    r"\bno room for\b": '"can\'t hold"',
    r"\bwhich is not there\b": '"which does not exist"',
    r"\bis here and already\b": '"there is already a document \'d\' at line 1"',
    r"\b(?:written|spelled) alike\b": '"written the same way"',
    r"\blest\b": '"so that ... not", or "because"',
    rf"(?<![Tt]here )\bis no (?:{_NOUN})\b": '"is not a mention", not "is no mention"',
}  # fmt: skip


def texts() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        return []
    kinds = (".md", ".py", ".js", ".toml", ".yml", ".sh")
    apart = ("tests/house/test_prose.py", "tests/data/")
    return [name for name in listed.stdout.splitlines() if name.endswith(kinds) and not name.startswith(apart)]


@pytest.mark.parametrize("habit", HABITS)
def test_habits_that_make_people_read_twice(habit: str) -> None:
    names = texts()
    if not names:
        pytest.skip("this is not a checkout of git")
    pattern = re.compile(habit)
    found = []
    for name in names:
        text = (ROOT / name).read_text("utf-8")
        found += [f"{name}:{text.count(chr(10), 0, m.start()) + 1}: {m[0]!r}" for m in pattern.finditer(text)]
    assert not found, f"{HABITS[habit]}:\n" + "\n".join(found)


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) < 120
