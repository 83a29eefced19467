"""coreflens check-submission and bundle."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..corpora.submission import check_submission
from ..options import CHOICES
from ..protocols import PROTOCOLS
from . import echo, note
from .choices import Choice
from .headings import command
from .paths import FilePath
from .policies import inputs, policies

_CHECK = """\b
Examples:
  coreflens check-submission skeleton.conll team.zip                 before you submit it
  coreflens check-submission key/ team/ --format json                for scripts
  coreflens check-submission key/ team/ --strict                     do not accept warnings
\b
Exit codes: 0 accepted, 1 not accepted, 2 usage, 3 the task can't be read or there is no submission.
"""
_BUNDLE = """\b
Examples:
  coreflens bundle key.conll task.zip --protocol conll-2012
  coreflens bundle key/ task.zip -m conll,lea --title "Pronouns 2027" --docker-image me/coreflens:1
\b
The platform runs scoring_program/score.py, which calls the coreflens that is installed in its image. The bundle has a
Dockerfile for that image.
"""


@command("check-submission", epilog=_CHECK)
@click.argument("task", metavar="KEY-OR-SKELETON", type=FilePath())
@click.argument("submission", type=FilePath())
@click.option(
    "--format", "format_", type=Choice(["text", "json"]), default="text", show_default=True, help="Output format."
)
@click.option("--strict", is_flag=True, help="Exit with code 1 also on warnings.")
@click.option("--pair", type=Choice(list(CHOICES["pair"])), help="How documents are paired, as in `score`.")
@click.option(
    "--align", type=Choice(list(CHOICES["align"])), help="With `characters`, the same text may have other tokens."
)
@inputs
def check_submission_command(task: str, submission: str, format_: str, strict: bool, **settings: Any) -> None:
    """Check SUBMISSION (a file, directory or zip archive) against the documents of a shared task.

    A submission must have each document of the task once, and no others. Its tokens must be unchanged, its files
    unambiguous, and its entities plausible, and every document must have mentions. The chains of the key are not used,
    so a skeleton without coreference will do. The report is written for the team. Nothing is scored.
    """
    report = check_submission(task, submission, **settings)
    echo(report.to_json() if format_ == "json" else str(report))
    if not report.ok or (strict and report.findings):
        sys.exit(1)


@command("bundle", epilog=_BUNDLE)
@click.argument("key", type=FilePath())
@click.argument("out", metavar="OUT.zip", type=FilePath())
@click.option(
    "-m", "--metrics", multiple=True, metavar="A,B,...", help="Metrics or sets: the columns of the leaderboard."
)
@click.option("--title", default="Coreference resolution", show_default=True, help="Title of the competition.")
@click.option(
    "--start",
    default="2000-01-01 00:00:00",
    metavar="DATE",
    show_default=True,
    help="Start of the competition's phase, in UTC.",
)
@click.option(
    "--docker-image", metavar="IMAGE", help="A Docker image that has coreflens. See the Dockerfile in the bundle."
)
@click.option("--lenient", is_flag=True, help="Score submissions that check-submission does not accept, if possible.")
@click.option("--protocol", type=Choice(list(PROTOCOLS)), help="A named recipe for the options below.")
@policies(but=("signature",))  # the program on the platform writes its own
@inputs
def bundle_command(key: str, out: str, metrics: tuple[str, ...], **settings: Any) -> None:
    """Write a competition for KEY into a zip archive: scoring program, reference data, and a leaderboard.

    The program checks a submission as `check-submission` does, and reports errors to the team. If there are none, it
    writes scores.json with all columns in points, a page with the details, and the counts of the submission.
    """
    from ..integrations.codabench import bundle

    members = bundle(key, out, metrics=",".join(metrics) or None, **settings)
    for name in sorted(members):
        echo(name)
    if settings["docker_image"] is None:
        note(
            "no --docker-image: the platform's own image has no coreflens, but the Dockerfile in the bundle makes an "
            "image that has it"
        )
