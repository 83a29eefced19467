"""coreflens resolve."""

from __future__ import annotations

from typing import Any

import click

from ..corpora.conversion import write
from ..errors import UsageError, counted
from ..formats import FORMATS, FormatName, read
from ..resolvers import MENTIONS, SYSTEMS, Mentions, SystemName, resolve
from ..resolvers import train as train_system
from ..resolvers.attachment import attach_trees, read_counts
from ..resolvers.model import read_model, write_model
from . import bar, note, notes
from .choices import Choice
from .headings import command
from .limits import reading
from .policies import COREF_COLUMN

_WIDTH = max(map(len, SYSTEMS))
_EPILOG = "\b\nSystems (`coreflens show NAME` has their parameters):\n" + "\n".join(
    f"  {name:<{_WIDTH}}  {system.about}" for name, system in SYSTEMS.items()
)
_EPILOG += """
\b
Examples:
  coreflens resolve key.conll out.conll --system sieve
  coreflens resolve key.conll - --system head-match | coreflens score key.conll -
  coreflens resolve dev.v4_auto_conll out.conll --system sieve --mentions detected
  coreflens resolve text.conllu out.conllu --system sieve --set passes=exact,pronoun --set window=3
  coreflens resolve --train train.conll --system mention-pair --model pairs.json
  coreflens resolve dev.conll out.conll --system mention-pair --model pairs.json
  coreflens resolve dev.v4_auto_conll out.conll --system oracle --mentions detected --key gold.conll
  coreflens resolve ECB+/ out.csv --system lemma --set scope=topic
"""


@command("resolve", epilog=_EPILOG)
@click.argument("source", metavar="IN", type=click.Path(), required=False)
@click.argument("out", metavar="OUT", type=click.Path(), required=False)
@click.option("--system", type=Choice(list(SYSTEMS)), required=True, help="The system.")
@click.option(
    "--set",
    "parameters",
    metavar="NAME=VALUE",
    multiple=True,
    help="A parameter of the system. Repeat the option for several.",
)
@click.option(
    "--mentions",
    type=Choice(list(MENTIONS)),
    default="given",
    show_default=True,
    help="; ".join(f"{name}: {about}" for name, about in MENTIONS.items()),
)
@click.option(
    "--trees", type=click.Path(), help="Directory of constituent trees, one file per document, to attach to IN."
)
@click.option("--gender", type=click.Path(), help="Number and gender table in the format of the closed track of 2011.")
@click.option("--key", type=click.Path(), help="The key for the oracle. By default IN.")
@click.option(
    "--train", metavar="KEY", type=click.Path(), help="Learn from this key, and write --model. Takes no IN and OUT."
)
@click.option(
    "--model", metavar="FILE", type=click.Path(), help="The learned model. --train writes it, and other runs read it."
)
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(0),
    default=0,
    help="Number of processes. With 0, the default, all cores for mention-pair and long texts, and one otherwise.",
)
@click.option(
    "--to",
    metavar="FORMAT",
    help="Format to write. By default it follows from the name of OUT; for -, it is the format of IN.",
)
@click.option("--strict", is_flag=True, help="Write nothing if the format can't hold all that IN has.")
@click.option("--lossy", is_flag=True, hidden=True, help="Has no effect. It was needed in version 0.1.")
@reading
@click.option("--coref-column", metavar="N|NAME", help=COREF_COLUMN)
def resolve_command(
    source: str | None,
    out: str | None,
    system: SystemName,
    parameters: tuple[str, ...],
    mentions: Mentions,
    trees: str | None,
    gender: str | None,
    key: str | None,
    train: str | None,
    model: str | None,
    jobs: int,
    to: FormatName | None,
    strict: bool,
    lossy: bool,
    coref_column: str | None,
) -> None:
    """Resolve the mentions of IN (any format with words), and write OUT, a response that is ready to score."""
    if key is not None and system != "oracle":
        raise UsageError("--key needs --system oracle: other systems must not see the key")
    settings = dict(_assigned(parameter) for parameter in parameters)
    if train is not None:
        if source is not None or model is None:
            raise UsageError("training needs --train KEY and --model FILE, but no IN and OUT")
        _train(train, system, settings, trees, model, coref_column)
        return
    if source is None or out is None:
        raise UsageError("IN and OUT are missing: what to resolve, and where to write the response")
    corpus = read(source, coref_column=coref_column)
    if trees is not None:
        corpus = attach_trees(corpus, trees)
    response = resolve(
        corpus,
        system,
        mentions,
        parameters=settings,
        key=None if key is None else read(key, role="key"),
        model=None if model is None else read_model(model),
        counts=None if gender is None else read_counts(gender, corpus),
        over=bar("resolving"),
        jobs=jobs,
    )
    notes(response.issues)
    if to is None and out == "-":
        own = FORMATS[corpus.format]
        to = own.name if own.writes else "conll"
    write(response, out, format=to, strict=strict, report=lambda issue: note(str(issue)))
    note(f"{counted(response, 'mention')} of {counted(response.documents, 'document')}")
    if not len(corpus) and mentions == "given":
        note("the input has no mentions: --mentions detected finds some in its trees or dependencies")


def _train(
    key: str, system: SystemName, settings: dict[str, Any], trees: str | None, model: str, coref_column: str | None
) -> None:
    corpus = read(key, role="key", coref_column=coref_column)
    if trees is not None:
        corpus = attach_trees(corpus, trees)
    learned = train_system(corpus, system, parameters=settings, over=bar("training"))
    write_model(learned, model)
    seen = learned.trained
    note(f"trained on {seen['pairs']} pairs, {seen['positive']} of them positive, of {seen['documents']} documents")


def _assigned(parameter: str) -> tuple[str, Any]:
    name, equals, value = parameter.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"--set takes NAME=VALUE, not '{parameter}'")
    return name.strip(), value.strip()
