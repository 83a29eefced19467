"""Skeletons of .conll files: every word is replaced, and nothing else is changed. `assembly` puts the words back."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import InputError
from ..files.encoding import content
from ..files.writing import make_directory, save
from .assembly import WORD

_LINE = re.compile(r"((?:\S+[ \t]+){3})(\S+)")  # document, part, number, word
_NAME = re.compile(r"conll(?=$|\.)")


def skeleton(text: str, file: str = "") -> str:
    """A .conll text with [WORD] instead of every word."""
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        found = _LINE.match(line.lstrip())
        if found is None:
            hint = "skeletons are made of .conll files: document, part, number, word and more"
            raise InputError("there is no word in this line", file=file or None, line=number, hint=hint)
        before = line[: len(line) - len(line.lstrip())]
        lines[number - 1] = f"{before}{found[1]}{WORD}{line.lstrip()[found.end() :]}"
    return "\n".join(lines)


def skeletons(source: str | Path, out: str | Path) -> list[str]:
    """Write the skeleton of a file, or of every _conll file below a directory; returns the paths written."""
    source, out = Path(source), Path(out)
    if not source.is_dir():
        save([skeleton(content(source), str(source))], out)
        return [str(out)]
    files = sorted(f for f in source.rglob("*") if f.is_file() and _NAME.search(f.name))
    if not files:
        raise InputError("no .conll file here", file=str(source), hint="their names end in _conll or .conll")
    written = []
    for file in files:
        target = out / file.relative_to(source).with_name(_NAME.sub("skel", file.name))
        make_directory(target.parent)
        save([skeleton(content(file), str(file))], target)
        written.append(str(target))
    return written
