"""coreflens list and coreflens show: the names that coreflens knows, and what they mean."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import click

from ..errors import UsageError, did_you_mean
from ..formats import FORMATS
from ..metrics import METRICS, SETS, Metric, spelled
from ..options import CHOICES, HANDLING
from ..order import STEPS, Step
from ..protocols import ALIASES, PROTOCOLS
from ..references import bibtex, short
from . import cli, echo
from .choices import Choice
from .headings import command
from .policies import decides

if TYPE_CHECKING:
    from ..resolvers import Resolver

WIDTH = 100
ORDER = "order"  # the name that shows the order of operations
# Options that change a number and have no list of values. The help of `score` explains them.
OPEN = ("min_share", "weights", "window", "excerpt", "heads")
OPTIONS = [name.replace("_", "-") for name in (*CHOICES, *HANDLING, *OPEN)]


class Kind(NamedTuple):
    """Names of one kind: what they are, one of them, all of them, a line about each, and what explains one."""

    about: str
    example: str
    names: Callable[[], Collection[str]]
    lines: Callable[[], Mapping[str, str]]
    text: Callable[[str], str]
    prefix: str = ""  # written before a name in a list
    mark: str = ""  # what every name of this kind contains


# ---------------------------------------------------------------------------------------------------- lists of one kind


def _metrics() -> Mapping[str, str]:
    return {name: f"{m.doc.splitlines()[0]}  {short(m.cite)}" for name, m in METRICS.items()}


def _sets() -> Mapping[str, str]:
    return {name: " ".join(members) for name, members in SETS.items()}


def _protocols() -> Mapping[str, str]:
    return {name: protocol.about for name, protocol in PROTOCOLS.items()}


def _options() -> Mapping[str, str]:
    values = {name: " | ".join(meanings) for name, meanings in (CHOICES | HANDLING).items()}
    values |= {name: score_option(name).metavar or "" for name in OPEN}
    return {hyphens(name): f"{known}  ({steps_of(name)})" for name, known in values.items()}


def _formats() -> Mapping[str, str]:
    return {name: format.about for name, format in FORMATS.items()}


def _systems() -> Mapping[str, Resolver]:
    from ..resolvers import SYSTEMS

    return dict(SYSTEMS.items())


def _system_lines() -> Mapping[str, str]:
    return {name: s.about + (f"  {short(s.cite)}" if s.cite else "") for name, s in _systems().items()}


def _table_names() -> Collection[str]:
    from ..comparison.library import names

    return names()


def _tables() -> Mapping[str, str]:
    from ..comparison.library import printed

    return {name: f"{t.title}  {t.source}" for name in _table_names() if (t := printed(name)) is not None}


# ------------------------------------------------------------------------------------------------ options and the order


def hyphens(name: str) -> str:
    """An option as it is typed, without the two hyphens at its beginning."""
    return name.replace("_", "-")


@cache
def _parameters() -> Mapping[str, click.Option]:
    """Every option of `score` that has a help, by the name that is typed."""
    score = cli.get_command(click.Context(cli), "score")
    options = [p for p in (score.params if score else ()) if isinstance(p, click.Option) and p.help]
    return {max(option.opts, key=len).lstrip("-"): option for option in options}


def score_option(name: str) -> click.Option:
    """The option of `score` with this name, which may have underscores."""
    return _parameters()[hyphens(name)]


def steps_of(option: str) -> str:
    """Where an option acts in the order of operations: `step 4, pair`. Empty if it is in no step."""
    found = [f"{step.number}, {step.name}" for step in STEPS if option in step.options]
    return f"step{'s' if len(found) > 1 else ''} {'; '.join(found)}" if found else ""


def order() -> str:
    """The order of operations, as text."""
    intro = "A result is one pass through these steps, in this order. A step sees only what the steps before it left."
    return "\n\n".join([textwrap.fill(intro, WIDTH), *map(_step, STEPS)])


def _step(step: Step) -> str:
    flags = " ".join(f"--{hyphens(option)}" for option in step.options)
    notes = " ".join(["Notes:", *(f"[{code}]" for code in step.reports)]) if step.reports else ""
    indented = [_wrapped(text, " " * 4) for text in (step.about, flags, notes) if text]
    return "\n".join([f"{step.number:>2}  {step.name}", *indented])


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


def _option(name: str) -> str:
    option = name.replace("-", "_")
    values = (CHOICES | HANDLING).get(option)
    if values is None:
        parameter = score_option(name)
        usage = f"--{name} {parameter.metavar or ''}".rstrip()
        lines = [f"Option {usage}", _wrapped(parameter.help or "", "  ")]
    else:
        default = next(iter(values))
        lines = [f"Option --{name}: {_first_sentence(decides(option))}"]
        lines += [f"  {value}{' (default)' * (value == default)}: {text}" for value, text in values.items()]
    steps = [step for step in STEPS if option in step.options]
    lines += [_wrapped(f"Step {step.number}, {step.name}: {step.about}", "") for step in steps]
    return "\n".join(lines)


def _first_sentence(help: str) -> str:
    found = re.match(r".*?\.(?=\s|$)", help, re.DOTALL)
    return found[0] if found else help


# ------------------------------------------------------------------------------------------------- texts about one name


def _protocol(name: str) -> str:
    name = ALIASES.get(name, name)
    protocol = PROTOCOLS[name]
    pinned = "\n".join(f"  --{option.replace('_', '-')} {value}" for option, value in protocol.options.items())
    lines = [f"Protocol {name}: {protocol.about}", pinned or "  every option at its default"]
    lines += [f"Metrics: {', '.join(protocol.metrics)}"] if protocol.metrics else []
    lines += [f"Compared with {protocol.tool}."] if protocol.tool else []
    lines += ["", f"  coreflens score KEY RESPONSE --protocol {name}"]
    return "\n".join([*lines, *(["", bibtex(protocol.cite)] if protocol.cite else [])])


def _format(name: str) -> str:
    return f"Format {name}: {FORMATS[name].about}\n\n{(FORMATS[name].module.__doc__ or '').strip()}"


def _set(name: str) -> str:
    return f"Set {name}: {', '.join(SETS[name])}"


def _metric(name: str) -> str:
    metric = METRICS[name]
    lines = [f"{metric.title} ({metric.name})", "", metric.doc, ""]
    if isinstance(metric, Metric):
        lines += [_declared(metric), ""]
    return "\n".join([*lines, bibtex(metric.cite)])


def _system(name: str) -> str:
    from ..resolvers.parameters import parameters

    system = _systems()[name]
    lines = [f"System {name}: {system.about}", "", system.doc.strip()]
    rows = [f"  {p.name}={p.default}\n      {p.about} ({p.type})" for p in parameters(system.settings)]
    if rows:
        lines += ["", "Parameters (--set NAME=VALUE), with their defaults:", *rows]
    if system.training is not None:
        rows = [f"  {p.name}={p.default}\n      {p.about} ({p.type})" for p in parameters(system.training)]
        lines += ["", "Parameters of training (--train KEY --set NAME=VALUE):", *rows]
    return "\n".join(lines) + (f"\n\n{bibtex(system.cite)}" if system.cite else "")


def _table(name: str) -> str:
    """A published table. Empty if no table has this name."""
    from ..comparison.library import printed
    from ..paper.writers import WRITERS
    from ..report.printed import printed_table

    table = printed(name)
    if table is None:
        return ""
    lines = [f"Table {name}: {table.source}", "", WRITERS["table"](printed_table(table), "")]
    if table.notes:
        lines += ["", *table.notes]
    if table.scores:
        lines += ["", f"  coreflens compare KEY SYSTEM --beside {name}", f"  coreflens compare --from-table {name}"]
    return "\n".join([*lines, "", bibtex(table.cite)])


def _declared(metric: Metric) -> str:
    """The properties of a metric, in words."""
    corpus = {
        "sum": "counts add over documents",
        "pooled": "pooled: the documents are taken as one partition",
        "macro": "R, P and F1 are each averaged over documents",
    }
    exchange = "exchanges R and P" if metric.values != ("value",) else "changes nothing"
    facts = [
        f"Over a corpus: {corpus[metric.aggregation]}.",
        f"Exchanging key and response {exchange if metric.symmetric else 'gives another number'}.",
    ]
    if metric.equal_mentions:
        facts.append("Needs the same mentions on both sides.")
    if metric.aliases:
        facts.append(f"Also called {', '.join(metric.aliases)}.")
    return "\n".join(facts)


KINDS: dict[str, Kind] = {
    "metrics": Kind("what is measured: formula, edge cases, citation", "muc", lambda: METRICS, _metrics, _metric),
    "sets": Kind("names for several metrics", "cai-strube", lambda: SETS, _sets, _set),
    "protocols": Kind(
        "recipes for the official number of a community", "conll-2012", lambda: PROTOCOLS, _protocols, _protocol
    ),
    "options": Kind(
        "policies that change a number: values, and the step at which each acts",
        "duplicates",
        lambda: OPTIONS,
        _options,
        _option,
        prefix="--",
    ),
    "formats": Kind("files that can be read, and what they look like", "jsonlines", lambda: FORMATS, _formats, _format),
    "systems": Kind(
        "systems that resolve coreference, with their parameters", "sieve", _systems, _system_lines, _system
    ),
    "tables": Kind("tables that papers printed", "conll-2012/english", _table_names, _tables, _table, mark="/"),
}


# --------------------------------------------------------------------------------------------------------- the commands


@command("list")
@click.argument("what", required=False, type=Choice(list(KINDS)))
def list_command(what: str | None) -> None:
    """List what coreflens knows. `coreflens show NAME` explains each entry.

    Without an argument, it lists what can be listed.

    \b
    Examples:
      coreflens list
      coreflens list metrics
      coreflens list options
    """
    if what is None:
        rows = [(name, str(len(kind.names())), kind.about) for name, kind in KINDS.items()]
        echo(_columns(rows))
        echo("\n`coreflens list metrics` lists one of them, and `coreflens show NAME` explains an entry.")
        return
    kind = KINDS[what]
    echo(_columns([(f"{kind.prefix}{name}", line) for name, line in kind.lines().items()]))


@command("show")
@click.argument("name", required=False)
def show_command(name: str | None) -> None:
    """Show a metric (formula, edge cases, citation as BibTeX), a set, a format, a protocol, an option,
    a system, a published table, or the order of operations.

    Without an argument, it says what can be shown.

    \b
    Examples:
      coreflens show muc
      coreflens show conll-2012
      coreflens show duplicates
      coreflens show order
      coreflens show sieve
      coreflens show conll-2012/english
    """
    echo(_showable() if name is None else describe(name))


def _columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows with their cells below each other. Numbers are set to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = []
    for row in rows:
        cells = [f"{cell:>{w}}" if cell.isdecimal() else f"{cell:<{w}}" for cell, w in zip(row, widths, strict=False)]
        lines.append("  ".join([*cells, row[-1]]))
    return "\n".join(lines)


def _showable() -> str:
    """What can be shown: an example of each kind."""
    rows = [(f"coreflens show {kind.example}", kind.about) for kind in KINDS.values()]
    rows.append((f"coreflens show {ORDER}", "the order of operations, from two files to a number"))
    return f"{_columns(rows)}\n\n`coreflens list` lists what there is of each kind."


def describe(name: str) -> str:
    """The reference text of a name, for everything with that name."""
    plain = name.strip().lower().lstrip("-")
    if plain == ORDER:
        return order()
    if hyphens(plain) in OPTIONS:
        plain = hyphens(plain)
    plain = ALIASES.get(plain, plain)
    found = [kind.text(plain) for kind in KINDS.values() if kind.mark in plain and plain in kind.names()]
    if found:
        return "\n\n".join(found)
    try:
        return _metric(spelled(plain, METRICS))
    except UsageError:
        if hyphens(plain) in _parameters():
            return _option(hyphens(plain))
        known = [ORDER, *(n for kind in KINDS.values() for n in kind.names()), *ALIASES, *_parameters()]
        raise UsageError(
            f"nothing is named '{name}'{did_you_mean(plain, known)} (`coreflens list` lists what there is; `coreflens "
            "score --help` for other options)"
        ) from None
