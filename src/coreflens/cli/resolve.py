"""coreflens resolve."""

from __future__ import annotations

import click

from ..corpora.conversion import write
from ..errors import counted
from ..formats import FORMATS, FormatName, read
from ..resolvers.baselines import MENTIONS, SYSTEMS, Mentions, SystemName, resolve
from . import note
from .choices import Choice
from .limits import reading
from .policies import COREF_COLUMN

_EPILOG = """\b
Systems:
  singletons          every mention an entity of its own
  one-entity          all mentions of a document one entity
  pronouns-together   the pronouns of a document one entity
  exact-match         mentions of the same words
  head-match          mentions of the same head word
\b
Examples:
  coreflens resolve key.conll out.conll --system head-match
  coreflens resolve key.conll - --system one-entity | coreflens score key.conll -
  coreflens resolve dev.v4_auto_conll out.conll --system exact-match --mentions phrases
"""


@click.command("resolve", epilog=_EPILOG, short_help="Resolve by a dumb baseline, for a floor to compare with.")
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("out", metavar="OUT", type=click.Path())
@click.option("--system", type=Choice(list(SYSTEMS)), required=True, help="The baseline.")
@click.option(
    "--mentions",
    type=Choice(list(MENTIONS)),
    default="given",
    show_default=True,
    help="; ".join(f"{name}: {about}" for name, about in MENTIONS.items()),
)
@click.option("--to", metavar="FORMAT", help="To write; by default what the name of OUT tells, for - that of IN.")
@click.option("--strict", is_flag=True, help="Write nothing if the format has no room for all that IN has.")
@click.option("--lossy", is_flag=True, hidden=True, help="Changes nothing; it was needed in version 0.1.")
@reading
@click.option("--coref-column", metavar="N|NAME", help=COREF_COLUMN)
def resolve_command(
    source: str,
    out: str,
    system: SystemName,
    mentions: Mentions,
    to: FormatName | None,
    strict: bool,
    lossy: bool,
    coref_column: str | None,
) -> None:
    """Resolve the mentions of IN (any format with words) by a baseline; OUT is a response, ready to score."""
    corpus = read(source, coref_column=coref_column)
    response = resolve(corpus, system, mentions)
    if to is None and out == "-":
        own = FORMATS[corpus.format]
        to = own.name if own.writes else "conll"
    write(response, out, format=to, strict=strict, report=lambda issue: note(str(issue)))
    note(f"{counted(response, 'mention')} of {counted(response.documents, 'document')}")
    if not len(corpus) and mentions == "given":
        note("the input has no mentions: --mentions phrases takes its noun phrases")
