"""coreflens list and coreflens show: the names that coreflens knows, and what they mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import click

from ..errors import UsageError, did_you_mean
from ..formats import FORMATS
from ..metrics import METRICS, SETS, Metric, spelled
from ..options import CHOICES
from ..protocols import ALIASES, PROTOCOLS
from ..references import bibtex, short
from . import echo
from .choices import Choice
from .headings import command

if TYPE_CHECKING:
    from ..resolvers import System


def _metrics() -> list[tuple[str, str]]:
    return [(name, f"{m.doc.splitlines()[0]}  {short(m.cite)}") for name, m in METRICS.items()]


def _systems() -> Mapping[str, System]:
    from ..resolvers import SYSTEMS

    return dict(SYSTEMS.items())


def _tables() -> list[tuple[str, str]]:
    from ..comparison.library import names, printed

    return [(name, f"{t.title}  {t.source}") for name in names() if (t := printed(name)) is not None]


_OPTIONS = {name.replace("_", "-"): values for name, values in CHOICES.items()}
_LISTS: dict[str, Callable[[], list[tuple[str, str]]]] = {
    "metrics": _metrics,
    "sets": lambda: [(name, " ".join(members)) for name, members in SETS.items()],
    "formats": lambda: [(name, f.about) for name, f in FORMATS.items()],
    "protocols": lambda: [(name, p.about) for name, p in PROTOCOLS.items()],
    "options": lambda: [(f"--{name}", " | ".join(values)) for name, values in _OPTIONS.items()],
    "tables": _tables,
    "systems": lambda: [(name, s.about + (f"  {short(s.cite)}" if s.cite else "")) for name, s in _systems().items()],
}


@command("list")
@click.argument("what", type=Choice(list(_LISTS)))
def list_command(what: str) -> None:
    """List what coreflens knows. `coreflens show NAME` explains each entry.

    \b
    Examples:
      coreflens list metrics
      coreflens list systems
      coreflens list tables
    """
    rows = _LISTS[what]()
    width = max(len(name) for name, _ in rows)
    for name, about in rows:
        echo(f"{name:<{width}}  {about}")


@command("show")
@click.argument("name")
def show_command(name: str) -> None:
    """Show a metric (formula, edge cases, citation as BibTeX), a set, a format, a protocol, an option,
    a system or a published table.

    \b
    Examples:
      coreflens show muc
      coreflens show conll-2012
      coreflens show duplicates
      coreflens show sieve
      coreflens show conll-2012/english
    """
    echo(describe(name))


def describe(name: str) -> str:
    """The reference text of a name, for everything with that name."""
    plain = name.strip().lower().lstrip("-")
    plain = plain.replace("_", "-") if plain.replace("_", "-") in _OPTIONS else plain
    described = _described()
    found = [describe_it(plain) for known, describe_it in described if plain in known]
    if not found and "/" in plain and (table := _table(plain)):
        found = [table]
    if not found:
        try:
            found = [_metric(spelled(plain, METRICS))]
        except UsageError:
            known = [n for names, _ in described for n in names] + [n for n, _ in _tables() if "/" in plain]
            raise UsageError(
                f"nothing is named '{name}'{did_you_mean(plain, known)} (`coreflens list "
                "metrics|sets|formats|protocols|options|systems|tables`; `coreflens score --help` for the other "
                "options)"
            ) from None
    return "\n\n".join(found)


def _protocol(name: str) -> str:
    name = ALIASES.get(name, name)
    protocol = PROTOCOLS[name]
    pinned = "\n".join(f"  --{option.replace('_', '-')} {value}" for option, value in protocol.options.items())
    lines = [f"Protocol {name}: {protocol.about}", pinned or "  every option at its default"]
    lines += [f"Metrics: {', '.join(protocol.metrics)}"] if protocol.metrics else []
    lines += [f"Compared with {protocol.tool}."] if protocol.tool else []
    lines += ["", f"  coreflens score KEY RESPONSE --protocol {name}"]
    return "\n".join([*lines, *(["", bibtex(protocol.cite)] if protocol.cite else [])])


def _option(name: str) -> str:
    values = _OPTIONS[name]
    default = next(iter(values))
    lines = (f"  {value}{' (default)' * (value == default)}: {text}" for value, text in values.items())
    return "\n".join([f"Option --{name}", *lines])


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
    from ..report.tables import WRITERS

    table = printed(name)
    if table is None:
        return ""
    lines = [f"Table {name}: {table.source}", "", WRITERS["table"](table.table(), ""), *([""] if table.notes else [])]
    lines += table.notes
    if table.scores:
        lines += ["", f"  coreflens compare KEY SYSTEM --beside {name}", f"  coreflens compare --from-table {name}"]
    return "\n".join([*lines, "", bibtex(table.cite)])


def _described() -> list[tuple[Mapping[str, object], Callable[[str], str]]]:
    """Known names, and what describes each of them."""
    return [
        (METRICS, _metric),
        (SETS, _set),
        (PROTOCOLS | {alias: PROTOCOLS[name] for alias, name in ALIASES.items()}, _protocol),
        (_OPTIONS, _option),
        (FORMATS, _format),
        (_systems(), _system),
    ]


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
