"""The reference pages, from the registries: metrics, formats, options and protocols, commands and exit codes."""

from __future__ import annotations

import re
from collections.abc import Callable

import click

from coreflens.cli import EXIT_CODES, cli
from coreflens.cli.headings import explained
from coreflens.cli.reference import OPEN, OPTIONS, hyphens, score_option
from coreflens.formats import FORMATS, UNREAD
from coreflens.formats.shared.features import FEATURES
from coreflens.metrics import METRICS, SETS, Average, Metric
from coreflens.options import CHOICES, HANDLING
from coreflens.order import STEPS, Step
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
        "option wins, and the signature of the result says so. The steps at which an option acts are those of [the "
        "order of operations](order.md).",
    ]
    for name, values in (CHOICES | HANDLING).items():
        rows = [f"| `{value}` | {meaning} |" for value, meaning in values.items()]
        parts += [f"## `--{hyphens(name)}`", _acts(name), "\n".join(["| value | meaning |", "|---|---|", *rows])]
    for name in OPEN:
        parts += [f"## `--{hyphens(name)}`", _acts(name), _marked(score_option(name).help or "")]
    parts += ["## Protocols"]
    rows = [
        f"| `{name}` | {' '.join(f'`--{o} {v}`' for o, v in p.options.items()) or 'every default'} | {p.about} |"
        for name, p in PROTOCOLS.items()
    ]
    parts.append("\n".join(["| protocol | options | |", "|---|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def _acts(option: str) -> str:
    """The steps at which an option acts, with links to them."""
    steps = [f"[{step.number}, `{step.name}`](order.md#{step.name})" for step in STEPS if option in step.options]
    return f"Step{'s' if len(steps) > 1 else ''} {'; '.join(steps)}"


def order() -> str:
    parts = [
        "# The order of operations",
        "A result is one pass through these steps, in this order, for one key and one response. A step sees only what "
        "the steps before it left. Every command that shows a score takes this pass. `coreflens show order` prints "
        "this list, and `coreflens show OPTION` the steps of one option.",
        "\n".join(["| | step | options |", "|--:|---|---|", *map(_row, STEPS)]),
    ]
    for step in STEPS:
        parts += [f"## `{step.name}`", f"Step {step.number}. {_marked(step.about)}", f"Options: {_options_of(step)}"]
        parts += [f"Notes: {' '.join(f'`[{code}]`' for code in step.reports)}"] if step.reports else []
    return "\n\n".join(parts) + "\n"


def _row(step: Step) -> str:
    return f"| {step.number} | [`{step.name}`](#{step.name}) | {_options_of(step)} |"


def _options_of(step: Step) -> str:
    return " ".join(map(_linked, step.options))


def _linked(option: str) -> str:
    """An option, with a link to its section if it is one that changes a number."""
    name = hyphens(option)
    return f"[`--{name}`](options.md#{name})" if name in OPTIONS else f"`--{name}`"


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


def _marked(text: str) -> str:
    """The text with its options as code, in which two hyphens do not become a dash."""
    return re.sub(r"--[a-z][a-z-]*", r"`\g<0>`", text)


def _first(doc: str) -> str:
    return doc.splitlines()[0].replace("|", "\\|")


PAGES: dict[str, Callable[[], str]] = {
    "reference/metrics.md": metrics,
    "reference/formats.md": formats,
    "reference/options.md": options,
    "reference/order.md": order,
    "reference/commands.md": commands,
}
