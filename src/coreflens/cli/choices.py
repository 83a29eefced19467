"""Options with a few values, and files of plots. The error for a wrong value suggests what was probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..errors import did_you_mean
from ..formats.registry import OTHER_NAMES
from .paths import FilePath

if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # not generic before click 8.2

# Words that people try, and the values that they mean; those of formats of files are in the registry.
_WORDS = {"resolvers": "systems", "models": "systems", "policies": "options", **OTHER_NAMES}
_SUFFIXES = {"tex": "latex", "md": "markdown", "htm": "html", "tsv": "csv"}  # other names of formats


class Choice(_Choice):
    """Like click's own choice, but it answers `--format tex` with `did you mean 'latex'?`, and knows other words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices and _WORDS.get(value) in self.choices:
            value = _WORDS[value]
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            names = {suffix: name for suffix, name in _SUFFIXES.items() if name in self.choices}
            meant = did_you_mean(str(value), [*names, *self.choices], names)
            self.fail(f"{error.message.rstrip('.')}{meant}" if meant else error.message, param, ctx)


class _PlotFile(FilePath):
    """The file of a plot. A suffix that names no format is refused before anything is computed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from ..paper.drawing import check_suffix

        check_suffix(value)
        return super().convert(value, param, ctx)


PLOT = _PlotFile(dir_okay=False)
