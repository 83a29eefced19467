"""How `--help` shows a command: three common uses, then options under headings that are the same everywhere.

`--help` explains the common options and names the others. `--help-all` explains every option.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import click

from ..options import ABOUT
from .choices import Choice
from .modes import Asked, Mode, Rule, option_name, refuse_idle

USES = 3  # examples that `--help` shows
NARROW = ("explain",)  # its LaTeX always fits into a column


class Heading(NamedTuple):
    """Options that are listed together."""

    title: str
    common: tuple[str, ...]  # explained by --help
    more: tuple[str, ...] = ()  # named by --help, explained by --help-all


def _listed(heading: str, common: bool = False) -> tuple[str, ...]:
    """The options of an evaluation that stand under a heading."""
    chosen = [name for name, about in ABOUT.items() if (about.heading, about.common) == (heading, common)]
    return tuple(name.replace("_", "-") for name in chosen)


OWN = "Options"  # options of one command only, which come first
HEADINGS = (
    Heading(
        "Input",
        ("input-format", "key", "input", "trees"),
        (
            "key-format", "response-format", "coref-column", "encoding", *_listed("Input"), "repair", "gender",
            "excerpt", "heads", "key-columns", "response-columns", "full-key",
        ),
    ),
    Heading(
        "Metrics",
        ("metrics", "metric", "by"),
        ("weights", "rpf", "exact", "supplement", "leniency", "major", "entities"),
    ),
    Heading(
        "Policies",
        ("protocol", *_listed("Policies", common=True)),
        ("min-share", *_listed("Policies"), "window"),
    ),
    Heading(
        "Sample",
        ("precision-from", "completed", "population"),
        (),
    ),
    Heading(
        "Statistics",
        ("bootstrap", "test", "baseline"),
        ("interval", "confidence", "seed", "unit", "stratify", "resamples", "max-pairs", "correction"),
    ),
    Heading(
        "Output",
        ("format", "fail-under"),
        (
            "plot", "title", "digits", "signature", "paper-rounding", "save-counts", "against", "fail-if-worse",
            "rate-plot", "alignment", "width", "strict", "lossy",
        ),
    ),
    Heading(
        "Scale",
        (),
        ("jobs", "engine", "columns", "memory-limit", "spill", "master", "no-ceaf"),
    ),
    Heading(
        "Limits",
        (),
        ("max-unpacked", "max-total", "max-line", "max-nesting", "max-digits", "allow-outside"),
    ),
)  # fmt: skip


class Command(click.Command):
    """A command whose help is grouped, with `--help-all` for the rest.

    modes   its kinds of output, if it has several: `modes.run_mode` runs one of them
    rules   options that act under a condition only, in every mode
    """

    def __init__(self, *args: Any, modes: Sequence[Mode] = (), rules: Sequence[Rule] = (), **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.modes = modes
        self.rules = rules
        show_all = click.Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            help="Explain every option, with more examples.",
        )
        self.params.append(show_all)
        formats = next((getattr(p.type, "choices", ()) for p in self.params if option_name(p) == "format"), ())
        if "latex" in formats and self.name not in NARROW:
            self.params.append(_width())
            self.rules = (*rules, WIDTH)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, unless an option can't act."""
        refuse_idle(self.rules, Asked.from_context(ctx))
        return super().invoke(ctx)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        uses, remarks = _uses(self.epilog or "")
        shown = uses if _all(ctx) else uses[:USES]
        if shown:
            with formatter.section("Examples" if _all(ctx) else "Common uses"):
                for line in shown:
                    formatter.write(f"{' ' * formatter.current_indent}{line}\n")
        self.format_options(ctx, formatter)
        for remark in remarks if _all(ctx) else [r for r in remarks if "Exit codes" not in r]:
            formatter.write_paragraph()
            formatter.write_text(remark)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Common options with their help under headings, then the names of the others. `--help-all` explains all."""
        records = self._help_records(ctx)
        help_ = [records.pop(name) for name in ("help-all", "help") if name in records]
        known = {name for heading in HEADINGS for name in (*heading.common, *heading.more)}
        own = Heading(OWN, tuple(name for name in records if name not in known))
        rest = []
        for heading in (own, *HEADINGS):
            explained = [name for name in heading.common if name in records]
            named = [name for name in heading.more if name in records]
            if _all(ctx):
                explained += named
                named = []
            if explained:
                with formatter.section(heading.title):
                    formatter.write_dl([records[name] for name in explained])
            if named and heading.title != "Limits":  # hardly anybody needs the limits
                rest.append((heading.title, named))
        with formatter.section("Help" if _all(ctx) else "More options"):
            for title, named in rest:
                _write_names(formatter, title, ", ".join(f"--{name}" for name in named))
            formatter.write_dl(help_)

    def _help_records(self, ctx: click.Context) -> dict[str, tuple[str, str]]:
        """The name of each option that is shown, with what its help says."""
        records = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                records[option_name(parameter)] = record if _all(ctx) else _brief(record)
        return records


def _write_names(formatter: click.HelpFormatter, title: str, names: str) -> None:
    """Names of options after their heading. No name is broken at a hyphen."""
    indent = " " * formatter.current_indent
    first = f"{indent}{title:<12}"
    wrapped = textwrap.fill(
        names, formatter.width, initial_indent=first, subsequent_indent=" " * len(first), break_on_hyphens=False
    )
    formatter.write(wrapped + "\n")


def _show_all(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[__name__] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def _all(ctx: click.Context) -> bool:
    return bool(ctx.meta.get(__name__))


def _brief(record: tuple[str, str]) -> tuple[str, str]:
    """The first sentence of an option's help, with its default."""
    option, text = record
    sentence = re.match(r".*?\.(?=\s|$)", text, re.DOTALL)
    default = re.search(r"\[default: [^\]]*\]", text)
    if sentence is None:
        return record
    return option, "  ".join([sentence[0], *([default[0]] if default else [])])


def _width() -> click.Option:
    """`--width`, for every command that writes LaTeX."""
    about = (
        "The width that LaTeX tables must fit into. Tables that are too wide are set closer, then split or turned. A "
        "column of long words makes a table as wide as the page. By default each table takes the space that it needs."
    )
    return click.Option(["--width"], type=Choice(("column", "page")), expose_value=False, callback=_fit, help=about)


# JSON and CSV have everything, whatever the width.
WIDTH = Rule(
    ("width",),
    lambda asked: asked["format_"] in (None, "latex", "json", "csv"),
    "needs --format latex",
)


def _fit(context: click.Context, _: click.Parameter, width: str | None) -> None:
    if width:
        from ..paper.latex import fitting

        context.with_resource(fitting(width))


def _uses(epilog: str) -> tuple[list[str], list[str]]:
    """The examples of an epilog, one per line, and the other paragraphs."""
    uses: list[str] = []
    remarks: list[str] = []
    for paragraph in epilog.split("\b\n"):
        first, _, rest = paragraph.partition("\n")
        if first.strip() == "Examples:":
            uses += [line.strip() for line in rest.splitlines() if line.strip()]
        elif paragraph.strip():
            remarks.append("\b\n" + paragraph.strip("\n"))
    return uses, remarks


class Group(click.Group):
    """A command with subcommands. Their help is also grouped."""

    command_class = Command


def command(name: str, cls: type[Command] = Command, **settings: Any) -> Callable[[Callable[..., Any]], Command]:
    """`click.command` with the help of this module."""
    return click.command(name, cls=cls, **settings)


def group(name: str, **settings: Any) -> Callable[[Callable[..., Any]], Group]:
    """`click.group` with the help of this module."""
    return click.group(name, cls=Group, **settings)


def explained(command: click.Command, context: click.Context) -> str:
    """The text that `--help-all` shows for a command."""
    context.meta[__name__] = True
    return command.get_help(context)
