"""coreflens view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from . import bar, note, notes
from .headings import command
from .limits import jobs
from .paths import FilePath
from .policies import inputs, policies, protocol

_EPILOG = """\b
Examples:
  coreflens view key.conll response.conll view.html                look at a response
  coreflens view key.conll old.conll new.conll view.html --open    two systems; opens the browser
  coreflens view key.conll response.conll view.html --bootstrap 2000
\b
The page is one file that loads nothing else: it opens from disk and can be mailed. Its URL records the current view.
"""


@command("view", epilog=_EPILOG)
@click.argument("key", type=FilePath())
@click.argument("files", nargs=-1, required=True, type=FilePath(), metavar="RESPONSE... OUT.html")
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
    """Write OUT.html, a page to explore KEY and the RESPONSEs down to single mentions."""
    from ..viewer import view

    *responses, target = files
    if not responses:
        raise UsageError("give a response and the file to write: coreflens view KEY RESPONSE... OUT.html")
    if Path(target).suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"'{target}' is not an .html file: the last argument is the page to write")
    page = view(key, *responses, names=names, metrics=",".join(metrics) or None, progress=bar("writing"), **settings)
    notes(page.issues)
    if open_:
        page.open(target)
    else:
        page.save(target)
    note(f"wrote {target}")
