"""coreflens validate."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator

import click

from ..corpora.validation import SEVERITIES, check, github, tally
from ..formats import FormatName
from ..formats.shared.problems import CODES, Problem
from . import echo, note
from .choices import Choice
from .headings import command
from .limits import checking_jobs, limited
from .paths import FilePath
from .policies import coref_column

LISTED = 5  # findings of each kind that are listed, unless all are asked for

_EPILOG = """\b
Examples:
  coreflens validate corpus/                          every file in a directory
  coreflens validate a.conllu --severity remark       also the least important findings
  coreflens validate corpus/ --details                every finding, not only the first of each kind
  coreflens validate *.conll --ignore crossing        without findings of one kind
  coreflens validate corpus/ --format github          annotations of a pull request
  coreflens validate corpus/ --format json | jq .     for scripts
\b
Exit codes: 0 no error found, 1 errors found (with --strict also warnings), 2 usage.
"""


def _list_codes(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        width = max(map(len, CODES))
        for code, (severity, about) in CODES.items():
            echo(f"{code:<{width}}  {severity:<7}  {about}")
        context.exit()


@command("validate", epilog=_EPILOG)
@click.argument("files", nargs=-1, required=True, type=FilePath())
@click.option("--format", "format_", type=Choice(["text", "json", "github"]), default="text", help="Output format.")
@click.option(
    "--severity", type=Choice(SEVERITIES), default="warning", show_default=True, help="The lowest severity to show."
)
@click.option(
    "--ignore", multiple=True, metavar="CODE", type=Choice(list(CODES)), help="Leave out findings with this code."
)
@click.option("--details", is_flag=True, help=f"List all findings, not only the first {LISTED} of each kind.")
@click.option("--strict", is_flag=True, help="Exit with code 1 also on warnings.")
@click.option(
    "--codes",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_codes,
    help="List the codes of findings, and exit.",
)
@coref_column("input_format")
@click.option(
    "--input-format",
    metavar="FORMAT",
    help="Format of the files, if it is not recognised; see `coreflens list formats`.",
)
@click.option("--encoding", help="Encoding of the files, if it is not UTF-8.")
@checking_jobs
@limited
def validate_command(
    files: tuple[str, ...],
    format_: str,
    severity: str,
    ignore: tuple[str, ...],
    strict: bool,
    details: bool,
    input_format: FormatName | None,
    encoding: str | None,
) -> None:
    """Check FILES (or directories, globs, zip archives) and list problems, with file, line and column.

    If there are many, the number of each kind comes first, and then the first few of each kind. Errors are what `score`
    would refuse. Warnings are scored by a policy. Remarks are for people who build the corpus. `--codes` lists all
    kinds of findings.
    """
    shown = SEVERITIES[: SEVERITIES.index(severity) + 1]
    kinds = {code for code, (grade, _) in CODES.items() if grade in shown and code not in ignore}
    in_full = details or format_ != "text"
    counts: Counter[str] = Counter()

    def wanted() -> Iterator[Problem]:
        """The findings that are listed; all are counted."""
        for path in files:
            for problem in check(path, input_format, encoding, None if in_full else LISTED):
                if problem.code in kinds:
                    counts[problem.code] += 1
                    if in_full or counts[problem.code] <= LISTED:
                        yield problem

    if format_ == "json":
        echo(json.dumps([problem.to_dict() for problem in wanted()], ensure_ascii=False, indent=1))
    elif in_full:
        for problem in wanted():
            echo(github(problem) if format_ == "github" else _line(problem))
    else:
        listed = list(wanted())
        _list(counts, listed)
    note(tally(counts))
    if any(CODES[code][0] in ("error", "warning")[: 1 + strict] for code in counts):
        sys.exit(1)


def _list(counts: Counter[str], listed: list[Problem]) -> None:
    """The number of findings of each kind, if not all are listed; then the first ones, in the order of the input."""
    if sum(counts.values()) > len(listed):
        of_code = max(map(len, counts))
        of_count = max(len(str(count)) for count in counts.values())
        for code, (grade, about) in CODES.items():
            if code in counts:
                echo(f"{counts[code]:>{of_count}}  {code:<{of_code}}  {grade:<7}  {about}")
        echo("")
    for problem in listed:
        echo(_line(problem))
    if sum(counts.values()) > len(listed):
        note(f"the first {LISTED} findings of each kind are listed: --details lists all")


def _line(problem: Problem) -> str:
    hint = f"\n  hint: {problem.hint}" if problem.hint else ""
    return f"{problem.place}: {problem.severity}: {problem.message} [{problem.code}]{hint}"
