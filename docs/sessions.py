"""Console sessions of the pages: run them, and update what has changed.

    python docs/sessions.py docs/guide.md docs/comparing.md

A session that shows `...` in place of its first or last lines still does so afterwards.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_SIGNATURE = re.compile(r"^coreflens:[0-9.]+\|", re.MULTILINE)


def blocks(kind: str, pages: Sequence[Path]) -> list[tuple[Path, str]]:
    return [(page, block) for page in pages for which, block in BLOCK.findall(page.read_text("utf-8")) if which == kind]


def sessions(block: str) -> list[tuple[str, str]]:
    """(command, expected output) of a console block."""
    return [(c, out) for c, _, out in (part.partition("\n") for part in re.split(r"^\$ ", block, flags=re.M)[1:])]


def furnish(folder: Path) -> None:
    """Put into a folder what pages take for granted: the examples of the repository, and a table of labels."""
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "labels.csv").write_text("document,topic\nstories/fox,animals\nletters/aunt,people\n", "utf-8")


def output(command: str, folder: Path) -> str:
    """What a command of a session prints."""
    program, *arguments = shlex.split(command)
    assert program in ("coreflens", "python"), command
    environment = os.environ | {"COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    words = [sys.executable, *(["-m", "coreflens"] if program == "coreflens" else []), *arguments]
    run = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8")
    return (run.stdout + run.stderr).rstrip("\n")


def agrees(expected: str, found: str) -> bool:
    """Whether a session shows what was found; `...` stands for anything."""
    return re.fullmatch(re.escape(expected.rstrip("\n")).replace(r"\.\.\.", ".*"), found, re.DOTALL) is not None


def _renewed(expected: str, found: str) -> str:
    """What was found, with as many lines left out at the beginning or the end as before."""
    shown, lines = expected.rstrip("\n").split("\n"), _SIGNATURE.sub("coreflens:...|", found).split("\n")
    if len(lines) < len(shown):
        pass
    elif shown[-1] == "..." and len(shown) > 1:
        lines = [*lines[: len(shown) - 1], "..."]
    elif shown[0] == "..." and len(shown) > 1:
        lines = ["...", *lines[1 - len(shown) :]]
    return "".join(f"{line}\n" for line in lines if found)


def refresh(page: Path) -> int:
    """Update the sessions of a page; returns how many have changed."""
    text, changed = page.read_text("utf-8"), 0
    with tempfile.TemporaryDirectory() as folder:
        furnish(Path(folder))
        for _, block in blocks("console", [page]):
            renewed = ""
            for command, expected in sessions(block):
                found = output(command, Path(folder))
                kept = agrees(expected, found)
                changed += not kept
                renewed += f"$ {command}\n{expected if kept else _renewed(expected, found)}"
            text = text.replace(f"```console\n{block}```", f"```console\n{renewed}```", 1)
    if changed:
        page.write_text(text, "utf-8")
    return changed


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{name}: {refresh(Path(name))} sessions changed")  # noqa: T201
