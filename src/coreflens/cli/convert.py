"""coreflens convert."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..corpora.conversion import convert
from ..corpora.prompts import CHUNK, OVERLAP
from ..errors import Issue
from ..files.encoding import content
from ..formats import FORMATS
from . import note
from .choices import Choice
from .headings import command
from .limits import reading
from .modes import LIMITS, ONE_SIDE, Asked, Mode, Rule, run_mode, value
from .paths import FilePath
from .policies import coref_column, selection

_WRITTEN = [f.name for f in FORMATS.values() if f.writes]

_EPILOG = """\b
Examples:
  coreflens convert gold.conll gold.jsonl                     the name of OUT gives the format
  coreflens convert gold.conll - --to jsonlines               to stdout
  coreflens convert corpus/ converted/ --to conllu            every file of a directory
  coreflens convert corpus.zip all.conll                      an archive into one file
  coreflens convert gold.conllu gold.conll --strict           refuse to leave anything out
  coreflens convert gold.conll with.conll --add-singletons    add noun phrases that are in no chain
  coreflens convert gold.conllu skeleton.conllu --blind       without mentions
  coreflens convert ecb/ events.conll --only kind=event       events alone
  coreflens convert book.conll prompts.jsonl --to prompts --chunk 400 --overlap 50
  coreflens convert answers.jsonl book.out.conll --join       join the answers of the model
\b
Exit codes: 0 written, 2 usage, 3 input that can't be read or does not fit the format.
"""


class Prompts(Mode):
    """Windows of the text, as prompts for a language model."""

    name = "--to prompts"
    takes = ONE_SIDE | {"to", "chunk", "overlap", "template", "blind"}

    def when(self, asked: Asked) -> bool:
        return bool(asked["to"] == "prompts")

    def run(self, asked: Asked) -> None:
        from ..corpora.prompts import INSTRUCTION, prompts

        template = asked["template"]
        count = prompts(
            asked["source"],
            asked["target"],
            chunk=CHUNK if asked["chunk"] is None else asked["chunk"],
            overlap=OVERLAP if asked["overlap"] is None else asked["overlap"],
            blind=asked["blind"],
            template=INSTRUCTION if template is None else content(template),
            format=asked["input_format"],
            encoding=asked["encoding"],
            report=_odd,
        )
        note(f"{count} windows")


class Join(Mode):
    """The answers of a language model, joined into one corpus."""

    name = "--join"
    takes = LIMITS | {"join", "to", "prompts", "ids", "encoding", "repair"}

    def when(self, asked: Asked) -> bool:
        return bool(asked["joins"])

    def run(self, asked: Asked) -> None:
        from ..corpora.joining import join

        join(
            asked["source"],
            asked["target"],
            prompts=asked["prompts"],
            ids=asked["ids"] or "window",
            to=asked["to"],
            encoding=asked["encoding"],
            report=_odd,
        )


class Conversion(Mode):
    """Files in another format."""

    name = "a conversion"
    takes = (
        ONE_SIDE
        | {"to", "strict", "lossy", "blind", "add-singletons", "only", "without"}
        | {"chunk", "overlap", "template", "prompts", "ids"}
    )
    rules = (
        Rule(("chunk", "overlap", "template"), value("to", "prompts"), "needs --to prompts"),
        Rule(("prompts", "ids"), value("joins", True), "needs --join"),
        Rule(("lossy",), value("strict", False), "can't be combined with --strict"),
    )

    def when(self, asked: Asked) -> bool:
        return True

    def run(self, asked: Asked) -> None:
        names = ("to", "strict", "blind", "encoding", "add_singletons", "only", "without")
        convert(
            asked["source"],
            asked["target"],
            format=asked["input_format"],
            progress=_tell,
            report=_odd,
            **{name: asked[name] for name in names},
        )


MODES = (Prompts(), Join(), Conversion())


@command("convert", epilog=_EPILOG, modes=MODES)
@click.argument("source", metavar="IN", type=FilePath())
@click.argument("target", metavar="OUT", type=FilePath())
@click.option(
    "--to", metavar="FORMAT", type=Choice([*_WRITTEN, "prompts"]), help=f"One of {', '.join(_WRITTEN)}, prompts."
)
@click.option("--strict", is_flag=True, help="Write nothing if the format can't hold all of the input.")
@click.option(
    "--add-singletons",
    is_flag=True,
    help="Add an entity for each noun phrase and possessive determiner that is not yet a mention, as SemEval-2010 did.",
)
@click.option("--blind", is_flag=True, help="Write no mentions: a skeleton for systems to fill.")
@click.option(
    "--chunk",
    type=click.IntRange(1),
    metavar="N",
    help=f"With --to prompts: largest number of words of a window. It ends where a sentence ends.  [default: {CHUNK}]",
)
@click.option(
    "--overlap",
    type=click.IntRange(0),
    metavar="N",
    help=f"With --to prompts: smallest number of words that two windows share.  [default: {OVERLAP}]",
)
@click.option(
    "--template",
    type=FilePath(dir_okay=False),
    metavar="FILE",
    help="With --to prompts: file with the prompt, with {text} as the place of the text.",
)
@click.option(
    "--join",
    "joins",
    is_flag=True,
    help="Join the answers to such prompts in IN. Entities that share a mention become one.",
)
@click.option(
    "--prompts",
    type=FilePath(),
    metavar="FILE",
    help="With --join: the prompts, if the answers have only `id` and `answer`.",
)
@click.option(
    "--ids",
    type=Choice(["window", "document"]),
    help="With --join: whether labels of entities are valid in one window, or in all windows of a document.  [default: "
    "window]",
)
@click.option("--lossy", is_flag=True, hidden=True, help="Has no effect. It was needed in version 0.1.")
@selection
@coref_column("input_format")
@click.option(
    "--input-format",
    metavar="FORMAT",
    help="Format of the files, if it is not recognised; see `coreflens list formats`.",
)
@click.option("--encoding", help="Encoding of the input, if it is not UTF-8. The output is always UTF-8.")
@reading
def convert_command(**values: Any) -> None:
    """Convert IN (a file, directory, glob, zip archive or - for stdin) to OUT (a file, a directory, or - for stdout).

    What the format of OUT can't hold is left out, and a note lists it. With --strict, this is an error. A directory, an
    archive or a glob becomes one file if OUT names a file. Otherwise it becomes a directory with one file per input
    file.
    """
    run_mode(values)


def _odd(issue: Issue) -> None:
    note(str(issue))


def _tell(name: str) -> None:
    if sys.stderr.isatty() and name != "-":
        note(f"wrote {name}")
