"""Options of commands that score tables of mentions: where to compute, and how to read the tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from ..scoring.settings import ENGINES
from .choices import Choice
from .paths import FilePath

_MEANING = "; ".join(f"{name}: {about}" for name, about in ENGINES.items())
_NAMES = ("engine", "columns", "key_columns", "response_columns", "memory_limit", "spill", "master", "no_ceaf")


def engines(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--engine` and the options that belong to it."""
    for option in (
        click.option("--no-ceaf", is_flag=True, help="Leave out CEAF, and the averages that need it."),
        click.option(
            "--master", metavar="URL", help="Spark's master.  [default: local[*]; sc://HOST is Spark Connect]"
        ),
        click.option(
            "--spill",
            type=FilePath(file_okay=False),
            metavar="FOLDER",
            help="Directory for data that does not fit into memory.",
        ),
        click.option(
            "--memory-limit",
            metavar="SIZE",
            help="Memory that DuckDB may use, such as 4G. It uses the disk beyond that.",
        ),
        click.option("--response-columns", metavar="mention=A,entity=B", help="The same for the response alone."),
        click.option("--key-columns", metavar="mention=A,entity=B", help="The same for the key alone."),
        click.option(
            "--columns",
            metavar="doc=A,mention=B,entity=C",
            help="Names of a table's columns, if they are not the usual ones. `doc=` means that everything is one "
            "document. Several columns make one id: `mention=source+number`.",
        ),
        click.option(
            "--engine",
            type=Choice(list(ENGINES)),
            default="auto",
            show_default=True,
            help=f"The engine that scores tables of mentions. {_MEANING}.",
        ),
    ):
        command = option(command)
    return command


def engine_settings(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Where to compute, as the keyword arguments of `score`."""
    where = {name: asked[name] for name in _NAMES}
    where["ceaf"] = not where.pop("no_ceaf")
    return where
