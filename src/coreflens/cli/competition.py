"""coreflens check-submission and bundle."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..corpora.submission import check_submission
from ..protocols import CHOICES, PROTOCOLS
from . import echo, note
from .choices import Choice
from .headings import command
from .policies import inputs, policies

_CHECK = """\b
Examples:
  coreflens check-submission skeleton.conll team.zip                 before it is sent in
  coreflens check-submission key/ team/ --format json                for machines
  coreflens check-submission key/ team/ --strict                     warnings are not accepted, either
\b
Exit codes: 0 accepted, 1 not accepted, 2 usage, 3 the task can't be read or there is no submission.
"""
_BUNDLE = """\b
Examples:
  coreflens bundle key.conll task.zip --protocol conll-2012
  coreflens bundle key/ task.zip -m conll,lea --title "Pronouns 2027" --docker-image me/coreflens:1
\b
The platform runs scoring_program/score.py, which calls the coreflens that is installed in its image;
the bundle has a Dockerfile for that.
"""


@command("check-submission", epilog=_CHECK, short_help="Say whether a submission to a shared task is sound.")
@click.argument("task", metavar="KEY-OR-SKELETON", type=click.Path())
@click.argument("submission", type=click.Path())
@click.option(
    "--format", "format_", type=Choice(["text", "json"]), default="text", show_default=True, help="Output format."
)
@click.option("--strict", is_flag=True, help="Exit with 1 on warnings as well.")
@click.option("--pair", type=Choice(list(CHOICES["pair"])), help="How documents are paired, as in `score`.")
@click.option(
    "--align", type=Choice(list(CHOICES["align"])), help="characters: other tokens of the same text are fine."
)
@inputs
def check_submission_command(task: str, submission: str, format_: str, strict: bool, **settings: Any) -> None:
    """Check SUBMISSION (a file, directory or zip archive) against the documents of a shared task.

    The documents of the task, each once and no others; its tokens unchanged; files that can be read without a doubt;
    mentions in every document; entities that can be meant. The chains of the key are not looked at, so that a skeleton
    without coreference serves as well. The report is written for the team; nothing is scored.
    """
    report = check_submission(task, submission, **settings)
    echo(report.to_json() if format_ == "json" else str(report))
    if not report.ok or (strict and report.findings):
        sys.exit(1)


@command("bundle", epilog=_BUNDLE, short_help="Make a scoring bundle for a competition on Codabench.")
@click.argument("key", type=click.Path())
@click.argument("out", metavar="OUT.zip", type=click.Path())
@click.option(
    "-m", "--metrics", multiple=True, metavar="A,B,...", help="Metrics or sets: the columns of the leaderboard."
)
@click.option("--title", default="Coreference resolution", show_default=True, help="Title of the competition.")
@click.option(
    "--start", default="2000-01-01 00:00:00", metavar="DATE", show_default=True, help="Start of its phase, in UTC."
)
@click.option("--docker-image", metavar="IMAGE", help="An image that has coreflens; see the Dockerfile in the bundle.")
@click.option("--lenient", is_flag=True, help="Score submissions that check-submission does not accept, if possible.")
@click.option("--protocol", type=Choice(list(PROTOCOLS)), help="A named recipe for the options below.")
@policies()
@inputs
def bundle_command(key: str, out: str, metrics: tuple[str, ...], **settings: Any) -> None:
    """Write a competition for KEY into a zip archive: scoring program, reference data, and a leaderboard.

    The program checks a submission as `check-submission` does, and says to the team what is wrong with it. Otherwise it
    writes scores.json with all columns in points, a page with the details, and the counts of the submission.
    """
    from ..integrations.codabench import bundle

    members = bundle(key, out, metrics=",".join(metrics) or None, **settings)
    for name in sorted(members):
        echo(name)
    if settings["docker_image"] is None:
        note("no --docker-image: the platform's own image has no coreflens; the Dockerfile in the bundle makes one")
