"""The commands of the command line, from the command line itself."""

from __future__ import annotations

import click

from coreflens.cli import cli


def commands() -> dict[str, click.Command]:
    """Every command by its words, those of groups as `task split`."""
    found: dict[str, click.Command] = {}
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found |= {f"{name} {inner}": below for inner, below in command.commands.items()}
        else:
            found[name] = command
    return found
