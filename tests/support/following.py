"""The recipes of CONTRIBUTING.md, and how to follow one in a copy of the code.

A recipe is a section "Add ...". Its blocks change the copy: a Python block that begins with the name of a file is a new
file or is added to the end of that file, and a diff has the changes of one file without numbers of lines. The lines of
a console block are the commands that then work.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from places import ROOT

COPIED = ("src/coreflens", "tests")


class Block(NamedTuple):
    """A block of code: its language, and its lines."""

    language: str
    lines: list[str]


def recipes() -> dict[str, list[Block]]:
    """The blocks of each recipe, by its title."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    sections = re.findall(r"^### (Add an? [^\n]*)\n(.*?)(?=^##|\Z)", text, re.M | re.S)
    return {title: list(_blocks(section)) for title, section in sections}


def _blocks(section: str) -> Iterator[Block]:
    for language, code in re.findall(r"^```(\w+)\n(.*?)^```$", section, re.M | re.S):
        yield Block(language, code.splitlines())


def commands(blocks: list[Block]) -> list[str]:
    """The commands that work after a recipe."""
    lines = [line for block in blocks if block.language == "console" for line in block.lines]
    return [line.removeprefix("$ ") for line in lines]


def copy_code(folder: Path) -> None:
    """Copy the code. Files are shared with the original until one is changed."""
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("data"), copy_function=_share)
    _share(str(ROOT / "pyproject.toml"), str(folder / "pyproject.toml"))


def _share(source: str, target: str) -> None:
    """Give a file a second name, or copy it to another disk."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def follow(blocks: list[Block], folder: Path) -> None:
    """Change a copy as the blocks of a recipe say."""
    for block in blocks:
        if block.language == "python":
            title, *lines = block.lines
            _append(_place(folder, title.removeprefix("# ")), lines)
        elif block.language == "diff":
            title, *lines = block.lines
            path = _place(folder, title.removeprefix("--- "))
            _replace(path, patched(path.read_text("utf-8").splitlines(), lines))


def _place(folder: Path, name: str) -> Path:
    return folder / name if name.startswith("tests/") else folder / "src" / "coreflens" / name


def _append(path: Path, lines: list[str]) -> None:
    before = [*path.read_text("utf-8").splitlines(), "", ""] if path.exists() else []
    _replace(path, [*before, *lines])


def _replace(path: Path, lines: list[str]) -> None:
    """Write a new file, because the old one is also that of the original."""
    path.unlink(missing_ok=True)
    path.write_text("\n".join(lines) + "\n", "utf-8")


def patched(lines: list[str], diff: list[str]) -> list[str]:
    """The lines after the changes of a diff, whose parts are separated by @@.

    Each part stands where its lines without a + occur, and that must be one place.
    """
    for part in "\n".join(diff).split("\n@@\n"):
        changes = part.splitlines()
        old = [line[1:] for line in changes if not line.startswith("+")]
        new = [line[1:] for line in changes if not line.startswith("-")]
        places = [n for n in range(len(lines)) if lines[n : n + len(old)] == old]
        assert len(places) == 1, f"{len(places)} places for\n{part}"
        lines = [*lines[: places[0]], *new, *lines[places[0] + len(old) :]]
    return lines
