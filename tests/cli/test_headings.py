"""`--help` is short and grouped, `--help-all` is complete, and every command has both."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import click
import pytest

from command import Run
from coreflens.cli import cli
from coreflens.cli.headings import HEADINGS, Command

SCREEN = 50  # lines


def commands(group: click.Group = cli, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from commands(found, (*above, name))
        else:
            yield (*above, name), found


COMMANDS = dict(commands())
(LIMITS,) = (heading.more for heading in HEADINGS if heading.title == "Limits")


def flags(command: click.Command) -> list[str]:
    return [max(p.opts, key=len) for p in command.params if isinstance(p, click.Option) and not p.hidden]


def test_the_list_of_commands_is_made_without_loading_them() -> None:
    context = click.Context(cli)
    shown = " ".join(context.get_help().split())
    for name in cli.list_commands(context):
        found = cli.get_command(context, name)
        assert found is not None and found.short_help and f"{name} {found.short_help}" in shown
    program = "import sys; from coreflens.cli import cli; cli(['--help'], standalone_mode=False); "
    loaded = f"{program}print('numpy' in sys.modules or 'coreflens.cli.score' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_the_help_of_score_fits_a_screen(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("score", "--help").out.splitlines()
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_is_shown_under_headings(run: Run, path: tuple[str, ...]) -> None:
    command = COMMANDS[path]
    assert isinstance(command, Command)
    brief, whole = (run(*path, flag).out for flag in ("--help", "--help-all"))
    assert brief.index("Usage:") < brief.index("--help-all")
    for flag in flags(command):
        assert (flag in brief or flag.removeprefix("--") in LIMITS) and flag in whole, flag
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.help and not parameter.hidden:
            first = parameter.help.split()[0]
            assert first in whole


def test_options_of_several_commands_have_a_heading() -> None:
    """So that the same option stands under the same heading everywhere."""
    shared = Counter(flag.removeprefix("--") for command in COMMANDS.values() for flag in flags(command))
    known = [name for heading in HEADINGS for name in (*heading.common, *heading.more)]
    assert len(known) == len(set(known))
    own = {"set", "system", "mentions", "model", "train", "run", "time-limit", "response", "write", "steps"}
    own |= {"show", "to", "categories", "quiet", "help-all", "title", "errors", "count", "template"}
    assert {name for name, count in shared.items() if count > 1} - set(known) <= own
