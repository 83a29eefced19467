"""Options of every command that reads files: limits on the size of the input."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from ..files import limits as held
from ..files.limits import HIGHEST, LOWEST, Limits, limits, size
from ..formats.shared.repairs import repair

if TYPE_CHECKING:
    _Kind = click.ParamType[int]
else:
    _Kind = click.ParamType  # not generic before click 8.2

_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


class _Size(_Kind):
    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = re.fullmatch(r"(\d{1,12})\s*([kmgt]?)b?", str(value).strip().lower())
        if found is None or not int(found[1]):
            self.fail(f"'{value}' is not a size, such as 500M or 4G", param, ctx)
        return int(found[1]) << _UNITS[found[2]]


def reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options, one for each limit, and --repair. They are in force while the command runs."""
    return _repairing(limited(command))


def _repairing(command: Callable[..., Any]) -> Callable[..., Any]:
    about = (
        "Repair output of language models. Close brackets that were cut off, leave out marks that have no partner, and "
        "place strings in another spelling. Every repair is reported."
    )
    return click.option("--repair", is_flag=True, expose_value=False, callback=_mend, help=about)(command)


def limited(command: Callable[..., Any]) -> Callable[..., Any]:
    """The limits alone, for commands that repair nothing."""
    for limit in reversed(fields(Limits)):
        about, unit, default = limit.metadata["about"], limit.metadata["unit"], limit.default
        if limit.name == "outside":
            command = click.option("--allow-outside", is_flag=True, expose_value=False, callback=_hold, help=about)(
                command
            )
            continue
        kind = _Size() if unit == "bytes" else click.IntRange(LOWEST.get(limit.name, 1), HIGHEST.get(limit.name))
        shown = size(default) if unit == "bytes" else f"{default:,}"
        command = click.option(
            f"--max-{limit.name}",
            type=kind,
            metavar="SIZE" if unit == "bytes" else "N",
            expose_value=False,
            callback=_hold,
            help=f"{about}  [default: {shown}]",
        )(command)
    return command


_BY_DEFAULT = "By default one per core if the input is large, and one otherwise."


def jobs(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--jobs`, where it changes nothing but the time: one process per core for large input, unless it is given."""
    return _jobs(f"Number of processes. {_BY_DEFAULT}")(command)


def checking_jobs(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a command that looks at each file of a directory by itself."""
    what = f"Number of processes that read the files of a directory. {_BY_DEFAULT}"
    return _jobs(what, expose_value=False, callback=_share)(command)


def reading_jobs(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--jobs`, for commands whose work is to read files, and which need all of them in one process in the end."""
    what = "Number of processes that read the files of a directory. By default one."
    return _jobs(what, expose_value=False, callback=_share)(command)


def _jobs(what: str, **more: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    about = f"{what} The result is always the same."
    return click.option("--jobs", metavar="N", type=click.IntRange(1), help=about, **more)


def _share(context: click.Context, _: click.Parameter, jobs: int | None) -> None:
    if jobs is not None:
        context.with_resource(held.reading(jobs))


def _hold(context: click.Context, option: click.Parameter, value: Any) -> None:
    """An option that is given is in force until the command ends."""
    if value is not None and value is not False:
        context.with_resource(limits(**{str(option.name).partition("_")[2]: value}))


def meant(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--full-key`, for commands that note a key that looks like a sample."""
    about = (
        "The key is meant as it is, although it has few of the response's records. Without this, a note says that "
        "it looks like a sample."
    )
    return click.option("--full-key", is_flag=True, expose_value=False, callback=_keep_key, help=about)(command)


def _keep_key(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from ..matching.suspicions import full_key

        context.with_resource(full_key())


def _mend(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        context.with_resource(repair())
