"""The policies as options of every command that scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from ..protocols import CHOICES


def policies(but: Sequence[str] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """One option for each policy, its values and meanings taken from protocols.CHOICES."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for name, values in reversed(CHOICES.items()):
            meaning = "; ".join(f"{value}: {text}" for value, text in values.items())
            kind = click.STRING if name == "scope" else click.Choice(list(values))
            metavar = "document|corpus|genre|LABELS.csv" if name == "scope" else None
            if name not in but:
                command = click.option(f"--{name}", type=kind, metavar=metavar, help=meaning)(command)
        return command

    return decorate
