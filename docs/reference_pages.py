"""The reference pages, from the registries: metrics, formats, options and protocols, commands and exit codes."""

from __future__ import annotations

from collections.abc import Callable

import click

from coreflens.cli import EXIT_CODES, cli
from coreflens.cli.headings import explained
from coreflens.formats import FORMATS, UNREAD
from coreflens.formats.shared.features import FEATURES
from coreflens.metrics import METRICS, SETS, Average, Metric
from coreflens.options import CHOICES
from coreflens.protocols import PROTOCOLS
from coreflens.references import bibtex, short

_WIDTH = 100


def metrics() -> str:
    rows = [f"| [`{name}`](#{name}) | {m.title} | {_first(m.doc)} | {short(m.cite)} |" for name, m in METRICS.items()]
    sets = [f"| `{name}` | {' '.join(f'`{m}`' for m in members)} |" for name, members in SETS.items()]
    parts = [
        "# Metrics",
        "K_i are key entities, R_j response entities, n_ij = |K_i ∩ R_j|, a_i = |K_i|, b_j = |R_j|; sizes include "
        "twinless mentions. `coreflens show NAME` prints each of these sections.",
        "\n".join(["| name | | what it measures | |", "|---|---|---|---|", *rows]),
        "## Sets",
        "\n".join(["| set | metrics |", "|---|---|", *sets]),
        *(_metric(m) for m in METRICS.values()),
    ]
    return "\n\n".join(parts) + "\n"


def _metric(m: Metric | Average) -> str:
    facts = []
    if isinstance(m, Metric):
        corpus = {"sum": "counts add over documents", "pooled": "all documents as one partition", "macro": "mean"}
        facts = [
            "| declared | |\n|---|---|",
            f"| over a corpus | {corpus[m.aggregation]} |",
            f"| exchanging key and response | {'exchanges R and P' if m.symmetric else 'gives another number'} |",
            f"| twinless mentions | {m.twinless} |",
            f"| equal mention sets only | {'yes' if m.equal_mentions else 'no'} |",
            f"| counts | {' '.join(f'`{column}`' for column in m.columns)} |",
        ]
    aliases = f"Also called {', '.join(f'`{a}`' for a in m.aliases)}." if m.aliases else ""
    parts = [f"({m.name})=\n## {m.title} (`{m.name}`)", f"```text\n{m.doc}\n```", aliases, "\n".join(facts)]
    return "\n\n".join(part for part in [*parts, f"```bibtex\n{bibtex(m.cite)}\n```"] if part)


def _holds() -> str:
    """What formats that are written have room for, from their HOLDS."""
    written = {name: format.module.HOLDS for name, format in FORMATS.items() if format.writes}
    intro = """\
`convert` writes these formats. What a corpus has and the format lacks is left out, and a note lists it; `--strict`
refuses instead. What is marked comes back as it was when the file is read again."""
    rows = [
        [about, *("✓" if feature in holds else "" for holds in written.values())] for feature, about in FEATURES.items()
    ]
    for kind, about in (("layer", "layers of the tokens"), ("attribute", "attributes of mentions")):
        rows.append([about, *(_named(kind, holds) for holds in written.values())])
    lines = [["", *written], ["---"] * (len(written) + 1), *rows]
    return intro + "\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _named(kind: str, holds: frozenset[str]) -> str:
    if f"{kind} *" in holds:
        return "any"
    return "some" if any(feature.startswith(f"{kind} ") for feature in holds) else ""


def formats() -> str:
    parts = ["# Formats", "Recognised by content, never by name. A side is a file, a directory, or `-` for stdin."]
    parts += ["## What each format holds", _holds()]
    for name, format in FORMATS.items():
        parts += [f"## `{name}`", format.about, f"```text\n{(format.module.__doc__ or '').strip()}\n```"]
    unread = ", ".join(title for title, _ in UNREAD)
    parts += ["## Recognised and not read", f"Met, these are named in the message: {unread}."]
    return "\n\n".join(parts) + "\n"


def options() -> str:
    parts = [
        "# Options and protocols",
        "Every option that changes a number; the first value is the default. A protocol pins all of them, an explicit "
        "option wins, and the signature of the result says so.",
    ]
    for name, values in CHOICES.items():
        rows = [f"| `{value}` | {meaning} |" for value, meaning in values.items()]
        parts += [f"## `--{name}`", "\n".join(["| value | meaning |", "|---|---|", *rows])]
    parts += ["## Protocols"]
    rows = [
        f"| `{name}` | {' '.join(f'`--{o} {v}`' for o, v in p.options.items()) or 'every default'} | {p.about} |"
        for name, p in PROTOCOLS.items()
    ]
    parts.append("\n".join(["| protocol | options | |", "|---|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def commands() -> str:
    codes = [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    parts = ["# Commands", "\n".join(["| exit code | meaning |", "|---|---|", *codes])]
    root = click.Context(cli, info_name="coreflens", terminal_width=_WIDTH, **cli.context_settings)
    parts += ["## `coreflens`", f"```text\n{cli.get_help(root).rstrip()}\n```"]
    for name in cli.list_commands(root):
        command = cli.get_command(root, name)
        assert command is not None
        parts += _command(command, root, name)
    return "\n\n".join(parts) + "\n"


def _command(command: click.Command, above: click.Context, name: str) -> list[str]:
    """The help of a command, and of those below it."""
    context = click.Context(command, above, name, terminal_width=_WIDTH)
    level = "#" * (2 + context.command_path.count(" ") - 1)
    parts = [f"{level} `{context.command_path}`", f"```text\n{explained(command, context).rstrip()}\n```"]
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            parts += _command(found, context, below)
    return parts


def _first(doc: str) -> str:
    return doc.splitlines()[0].replace("|", "\\|")


PAGES: dict[str, Callable[[], str]] = {
    "reference/metrics.md": metrics,
    "reference/formats.md": formats,
    "reference/options.md": options,
    "reference/commands.md": commands,
}
