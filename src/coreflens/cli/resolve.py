"""coreflens resolve."""

from __future__ import annotations

from typing import Any

import click

from ..corpora.conversion import write
from ..corpus.model import Corpus
from ..errors import UsageError, counted
from ..formats import FORMATS, read
from ..resolvers import MENTIONS, SYSTEMS, resolve, train
from ..resolvers.attachment import attach_trees, read_counts
from ..resolvers.model import read_model, write_model
from . import bar, note, notes
from .choices import Choice
from .headings import command
from .limits import reading
from .modes import LIMITS, Asked, Mode, Rule, run_mode, value
from .paths import FilePath
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


_COMMON = LIMITS | {"system", "set", "trees", "model", "coref-column", "repair"}


class Training(Mode):
    """A model, learned from a key."""

    name = "--train"
    takes = _COMMON | {"train"}

    def when(self, asked: Asked) -> bool:
        return asked["train"] is not None

    def run(self, asked: Asked) -> None:
        if asked["source"] is not None or asked["model"] is None:
            raise UsageError("training needs --train KEY and --model FILE, but no IN and OUT")
        corpus = _read(asked["train"], asked, role="key")
        learned = train(corpus, asked["system"], parameters=_parameters(asked), over=bar("training"))
        write_model(learned, asked["model"])
        seen = learned.trained
        note(f"trained on {seen['pairs']} pairs, {seen['positive']} of them positive, of {seen['documents']} documents")


class Resolving(Mode):
    """A response to a corpus."""

    name = "resolving"
    takes = _COMMON | {"mentions", "gender", "key", "jobs", "to", "strict", "lossy"}
    rules = (
        Rule(("key",), value("system", "oracle"), "needs --system oracle: other systems must not see the key"),
        Rule(
            ("gender",),
            lambda asked: SYSTEMS[asked["system"]].genders,
            f"needs a system that uses it: {', '.join(name for name, system in SYSTEMS.items() if system.genders)}",
        ),
        Rule(("lossy",), value("strict", False), "can't be combined with --strict"),
    )

    def when(self, asked: Asked) -> bool:
        return True

    def run(self, asked: Asked) -> None:
        if asked["source"] is None or asked["out"] is None:
            raise UsageError("IN and OUT are missing: what to resolve, and where to write the response")
        key, model, gender = asked["key"], asked["model"], asked["gender"]
        corpus = _read(asked["source"], asked)
        response = resolve(
            corpus,
            asked["system"],
            asked["mentions"],
            parameters=_parameters(asked),
            key=None if key is None else read(key, role="key"),
            model=None if model is None else read_model(model),
            counts=None if gender is None else read_counts(gender, corpus),
            over=bar("resolving"),
            jobs=asked["jobs"],
        )
        notes(response.issues)
        write(
            response,
            asked["out"],
            format=_format_to_write(corpus, asked),
            strict=asked["strict"],
            report=lambda issue: note(str(issue)),
        )
        note(f"{counted(response, 'mention')} of {counted(response.documents, 'document')}")
        if not len(response) and asked["mentions"] == "detected":
            note("nothing in the trees or dependencies looks like a mention: the response is empty")
        if not len(corpus) and asked["mentions"] == "given":
            note("the input has no mentions: --mentions detected finds some in its trees or dependencies")


MODES = (Training(), Resolving())


def _read(source: str, asked: Asked, **how: Any) -> Corpus:
    corpus = read(source, coref_column=asked["coref_column"], **how)
    return corpus if asked["trees"] is None else attach_trees(corpus, asked["trees"])


def _format_to_write(corpus: Corpus, asked: Asked) -> Any:
    """The format that is asked for. On stdout it is by default that of the input."""
    if asked["to"] is not None or asked["out"] != "-":
        return asked["to"]
    own = FORMATS[corpus.format]
    return own.name if own.writes else "conll"


def _parameters(asked: Asked) -> dict[str, Any]:
    return dict(_assigned(parameter) for parameter in asked["parameters"])


def _assigned(parameter: str) -> tuple[str, Any]:
    name, equals, value = parameter.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"--set takes NAME=VALUE, not '{parameter}'")
    return name.strip(), value.strip()


@command("resolve", epilog=_EPILOG, modes=MODES)
@click.argument("source", metavar="IN", type=FilePath(), required=False)
@click.argument("out", metavar="OUT", type=FilePath(), required=False)
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
    "--trees", type=FilePath(), help="Directory of constituent trees, one file per document, to attach to IN."
)
@click.option("--gender", type=FilePath(), help="Number and gender table in the format of the closed track of 2011.")
@click.option("--key", type=FilePath(), help="The key for the oracle. By default IN.")
@click.option(
    "--train", metavar="KEY", type=FilePath(), help="Learn from this key, and write --model. Takes no IN and OUT."
)
@click.option(
    "--model", metavar="FILE", type=FilePath(), help="The learned model. --train writes it, and other runs read it."
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
def resolve_command(**values: Any) -> None:
    """Resolve the mentions of IN (any format with words), and write OUT, a response that is ready to score."""
    run_mode(values)
