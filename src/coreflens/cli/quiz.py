"""coreflens quiz."""

from __future__ import annotations

import json

import click

from ..formats import FormatName
from ..paper.writers import FORMATS
from . import echo, note, notes, output
from .choices import Choice
from .headings import group
from .limits import reading
from .paths import FilePath

_EPILOG = """\b
Examples:
  coreflens quiz make key.conll q.jsonl --types pronoun,nominal --options 5 --none
  coreflens quiz score q.jsonl answers.jsonl
\b
Send the field `prompt` of each question to the model. An answer is a line such as {"id": "doc#7", "answer": "B"}.
"""


@group("quiz", epilog=_EPILOG)
def quiz_command() -> None:
    """Make multiple-choice questions from a key, and score the answers of a model or of people."""


@quiz_command.command("make")
@click.argument("key", type=FilePath())
@click.argument("target", metavar="OUT", type=FilePath())
@click.option(
    "--types",
    default="pronoun,nominal",
    show_default=True,
    metavar="A,B,...",
    help="Types of mentions to ask about: pronoun, nominal, name.",
)
@click.option(
    "--options",
    type=click.IntRange(2, 26),
    default=5,
    show_default=True,
    help="Largest number of options per question.",
)
@click.option("--none", is_flag=True, help="Add `none of these`, the right answer to about 1 in --options questions.")
@click.option(
    "--context",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Sentences to show before that of the mention.",
)
@click.option("-n", "--count", type=click.IntRange(1), help="How many questions to draw at random. All by default.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@click.option(
    "--words",
    type=Choice(["english", "none"]),
    default="english",
    show_default=True,
    help="Word lists for agreement. none: use tags and features alone, for other languages.",
)
@click.option("--input-format", metavar="FORMAT", help="Format of KEY, if it is not recognised.")
@click.option("--encoding", help="Encoding of KEY, if it is not UTF-8.")
@reading
def make_command(
    key: str,
    target: str,
    types: str,
    options: int,
    none: bool,
    context: int,
    count: int | None,
    seed: int,
    words: str,
    input_format: FormatName | None,
    encoding: str | None,
) -> None:
    """Write questions about the coreference of KEY to OUT, one line of JSON per question.

    The wrong options are mentions of other entities nearby, first those that agree in number, gender and kind.
    """
    from ..studies.questions import make_quiz

    made = make_quiz(
        key,
        target,
        types=[name.strip() for name in types.split(",") if name.strip()],
        options=options,
        none=none,
        context=context,
        count=count,
        seed=seed,
        words="none" if words == "none" else "english",
        format=input_format,
        encoding=encoding,
    )
    notes(made.issues)
    note(f"{made.questions} questions, of {made.mentions} mentions of these types")


@quiz_command.command("score")
@click.argument("questions", type=FilePath())
@click.argument("answers", type=FilePath())
@click.option(
    "--bootstrap", type=click.IntRange(1), default=10_000, show_default=True, help="Resamples for the intervals."
)
@click.option("--confidence", type=click.FloatRange(1, 99.99), default=95, show_default=True, help="In percent.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of the intervals.")
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--digits", type=click.IntRange(0, 15), default=2, show_default=True, help="Decimals of the scores.")
@click.option("--encoding", help="Encoding of the files, if it is not UTF-8.")
@reading
def score_command(
    questions: str,
    answers: str,
    bootstrap: int,
    confidence: float,
    seed: int,
    format_: str,
    digits: int,
    encoding: str | None,
) -> None:
    """Score ANSWERS to the QUESTIONS: accuracy by type, nesting and distance, with intervals by document."""
    from ..paper.writers import WRITERS
    from ..studies.quiz import score_quiz

    found = score_quiz(
        questions, answers, bootstrap=bootstrap, confidence=confidence / 100, seed=seed, encoding=encoding
    )
    if format_ == "json":
        echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        output(WRITERS[format_](found.table(digits), ""), format_)
    notes(found.issues)
