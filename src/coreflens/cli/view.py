"""coreflens view."""

from __future__ import annotations

import os
import re
from glob import has_magic
from itertools import chain, count
from pathlib import Path
from typing import Any

import click

from ..corpus.model import file_stem
from ..errors import InputError, UsageError
from . import bar, echo, note, notes
from .headings import command
from .limits import jobs
from .paths import FilePath
from .policies import inputs, policies, protocol

_LONGEST = 50  # characters of the name of a page; no file system refuses so many
_EPILOG = """\b
Examples:
  coreflens view key.conll response.conll view.html                look at a response
  coreflens view key.conll response.conll                          the page is key.html, or key-2.html if there is one
  coreflens view key.conll old.conll new.conll view.html --open    two systems; opens the browser
  coreflens view key.conll response.conll view.html --bootstrap 2000
\b
The page is one file that loads nothing else: it opens from disk and can be mailed. Its URL records the current view.
"""


@command("view", epilog=_EPILOG)
@click.argument("key", type=FilePath())
@click.argument("files", nargs=-1, required=True, type=FilePath(), metavar="RESPONSE... [OUT.html]")
@click.option("--open", "open_", is_flag=True, help="Open the page in the browser.")
@click.option("--title", default="", help="Title of the page, before the name of the key.")
@click.option(
    "--name", "names", multiple=True, help="Name of a system. Repeat the option in the order of the responses."
)
@click.option("-m", "--metrics", multiple=True, metavar="A,B,...", help="Metrics shown.")
@click.option("--bootstrap", type=click.IntRange(1), metavar="N", help="Show confidence intervals from N resamples.")
@jobs
@protocol
@policies(but=("signature",))  # the page always has the full one
@inputs
def view_command(
    key: str, files: tuple[str, ...], open_: bool, names: tuple[str, ...], metrics: tuple[str, ...], **settings: Any
) -> None:
    """Write OUT.html, a page to explore KEY and the RESPONSEs down to single mentions.

    Without OUT.html, the page is written in the current folder under the name of KEY. No file is replaced: if there is
    one of that name, the page gets a number. The path is printed.
    """
    from ..viewer import view

    responses, target = _divided(files)
    page = view(key, *responses, names=names, metrics=",".join(metrics) or None, progress=bar("writing"), **settings)
    notes(page.issues)
    if target:
        chosen = Path(target)
    else:
        assert page.html  # made before a name is chosen, so that no other page takes the name meanwhile
        chosen = _free_name(key)
    if open_:
        page.open(chosen)
    else:
        page.save(chosen)
    if target:
        note(f"wrote {target}")
    else:
        echo(str(chosen.absolute()))


def _divided(files: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """The responses, and the page to write if it was named."""
    last = files[-1]
    if Path(last).suffix.lower() not in (".html", ".htm"):
        is_missing = len(files) > 1 and not any((os.path.lexists(last), has_magic(last), ":" in last, last == "-"))
        if is_missing:
            hint = "the last argument is a response, or the page to write, whose name ends in .html"
            raise InputError("no such file or directory", file=last[:200], hint=hint)
        return files, ""
    if len(files) == 1:
        raise UsageError("give a response: coreflens view KEY RESPONSE... [OUT.html]")
    return files[:-1], files[-1]


def _free_name(key: str) -> Path:
    """KEY.html in the current folder, or KEY-2.html and so on: the first that does not exist."""
    stem = re.sub(r"[^\w.+-]+", "_", file_stem(Path(key).name)).strip("._-")[:_LONGEST] or "view"
    names = chain([f"{stem}.html"], (f"{stem}-{number}.html" for number in count(2)))
    return Path(next(name for name in names if not os.path.lexists(name)))
