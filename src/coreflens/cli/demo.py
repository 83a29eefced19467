"""coreflens demo."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import click

from ..files.writing import make_directory, save
from ..report import render
from ..scoring.scorer import score
from . import echo

_NEXT = """
What to try next:
  coreflens demo --write DIR                          put the two files into DIR, then:
  coreflens score DIR/key.conll DIR/response.conll --by document
  coreflens score DIR/key.conll DIR/response.conll -m all --exact
  coreflens score DIR/key.conll DIR/response.conll --format latex
  coreflens show lea                                  what a metric means, and whom to cite
"""


@click.command("demo", short_help="Score a small example, and say what to try next.")
@click.option("--write", "directory", type=click.Path(file_okay=False), help="Write the example's files there instead.")
def demo_command(directory: str | None) -> None:
    """Score a small example that comes with coreflens: two short stories, and a system with typical mistakes.

    \b
    Examples:
      coreflens demo
      coreflens demo --write .
    """
    source = files("coreflens") / "demo"
    if directory is not None:
        _write(Path(directory))
        return
    with as_file(source / "key.conll") as key, as_file(source / "response.conll") as response:
        echo("Key:       " + _bracketed(key.read_text(encoding="utf-8")))
        echo("Response:  " + _bracketed(response.read_text(encoding="utf-8")) + "\n")
        echo(render(score(key, response)))
    echo(_NEXT)


def _write(directory: Path) -> None:
    make_directory(directory)
    for name in ("key.conll", "response.conll"):
        save([(files("coreflens") / "demo" / name).read_bytes()], directory / name)
        echo(str(directory / name))


def _bracketed(conll: str) -> str:
    """The first document as running text, mentions in brackets: [the fox]2."""
    words = []
    for line in conll.split("#end document")[0].splitlines()[1:]:
        if line.strip():
            *_, word, cell = line.split()
            opened = "[" * cell.count("(")
            closed = "".join(f"]{part.strip('(').rstrip(')')}" for part in cell.split("|") if part.endswith(")"))
            words.append(f"{opened}{word}{closed}")
    return " ".join(words)
