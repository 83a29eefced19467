"""coreflens demo."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from textwrap import fill

import click

from ..engines.choice import score
from ..files.writing import make_directory, save
from ..report.score import render
from . import echo
from .headings import command
from .modes import Rule, given
from .paths import FilePath

WIDTH = 80  # the width of a narrow terminal, and of the README

_NEXT = """
What to try next:
  coreflens demo --write DIR      put the two files into DIR, then:
  coreflens score DIR/key.conll DIR/response.conll --by document
  coreflens score DIR/key.conll DIR/response.conll -m all --exact
  coreflens score DIR/key.conll DIR/response.conll --format latex
  coreflens show lea              what a metric means, and whom to cite
"""


@command("demo", rules=(Rule(("answers",), given("write"), "needs --write DIR"),))
@click.option(
    "--write",
    "directory",
    type=FilePath(file_okay=False),
    help="Write the files of the example to this directory instead.",
)
@click.option(
    "--answers",
    is_flag=True,
    help="With --write: also write possible answers of a language model, to prompts made from the key and to a quiz.",
)
def demo_command(directory: str | None, answers: bool) -> None:
    """Score a small example that comes with coreflens: two short stories, and a system with typical mistakes.

    \b
    Examples:
      coreflens demo
      coreflens demo --write .
      coreflens demo --write . --answers
    """
    source = files("coreflens") / "demo"
    if directory is not None:
        _write(Path(directory), answers)
        return
    with as_file(source / "key.conll") as key, as_file(source / "response.conll") as response:
        sides = [_bracketed(path.read_text(encoding="utf-8")) for path in (key, response)]
        for ours, theirs in zip(*sides, strict=True):
            for title, text in (("Key", ours), ("Response", theirs)):
                echo(fill(text, WIDTH, initial_indent=f"{title + ':':11}", subsequent_indent=" " * 11))
            echo("")
        echo(render(score(key, response)))
    echo(_NEXT)


def _write(directory: Path, answers: bool) -> None:
    make_directory(directory)
    for name in ("key.conll", "response.conll", *(("answers.jsonl", "quiz.jsonl") if answers else ())):
        save([(files("coreflens") / "demo" / name).read_bytes()], directory / name)
        echo(str(directory / name))


def _bracketed(conll: str) -> list[str]:
    """Each document as running text, mentions in brackets: [the fox]2."""
    documents = []
    for document in conll.split("#end document")[:-1]:
        words = []
        for line in document.strip().splitlines()[1:]:
            if line.strip():
                *_, word, cell = line.split()
                opened = "[" * cell.count("(")
                closed = "".join(f"]{part.strip('(').rstrip(')')}" for part in cell.split("|") if part.endswith(")"))
                words.append(f"{opened}{word}{closed}")
        documents.append(" ".join(words))
    return documents
