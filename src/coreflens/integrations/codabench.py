"""A competition on Codabench: a bundle to upload, and the program in it that scores a submission.

    competition.yaml                 title, phase, task, and the columns of the leaderboard
    scoring_program/metadata.yaml    the command that the platform runs, with its input and output folders
    scoring_program/score.py         calls `score_folders` of the coreflens that is installed there
    reference_data/key/...           the files of the key
    reference_data/settings.json     protocol, metrics and options
    pages/..., logo.png, Dockerfile  what the organisers will want to change

The platform puts the reference data into `input/ref` and a submission into `input/res`. `output` gets scores.json for
the leaderboard, scores.txt for CodaLab, detailed_results.html, and the counts, with which systems are compared later.
"""

from __future__ import annotations

import io
import json
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..comparison import official_of
from ..corpora.submission import check_submission
from ..corpus.model import Corpus
from ..errors import CoreflensError, InputError, Issue, UsageError, visible
from ..files.boundary import stamps
from ..files.finding import File, find
from ..files.limits import DEFAULTS, Limits, allowed, limits
from ..files.notation import json_value
from ..files.opening import load
from ..files.writing import make_directory, save
from ..metrics import METRICS
from ..paper.web import page as whole_page
from ..report.score import render
from ..scoring.result import Result
from ..scoring.scorer import Scorer
from .samples import flat, names_of

COMMAND = "python3 /app/program/score.py /app/input/ /app/output/"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the time of every member, so that the same input gives the same bytes
_READING = ("encoding", "key_format", "response_format", "pair", "align")  # the settings that a check needs
_LIMITS = [limit.name for limit in fields(Limits) if limit.name != "outside"]  # the bundle passes them on
_VALUES = {"recall": "R", "precision": "P", "f1": "F1"}


def bundle(
    key: str | Path,
    out: str | Path,
    *,
    title: str = "Coreference resolution",
    start: str = "2000-01-01 00:00:00",
    docker_image: str | None = None,
    lenient: bool = False,
    **settings: Any,
) -> dict[str, bytes]:
    """Write a competition for a key, and return the contents of the zip archive. The settings are those of
    `coreflens.score`.

    start          the start of the phase, in UTC; it has no end
    docker_image   an image with coreflens in it, such as one made from the Dockerfile of the bundle
    lenient        score a submission that `check_submission` does not accept, if it can be scored at all
    """
    settings = {name: value for name, value in settings.items() if value is not None}
    if str(key) == "-":
        raise UsageError("the key must be a path, since its files go into the bundle")
    scorer = Scorer(str(key), **settings)
    members = {f"reference_data/key/{name}": file.load() for name, file in _files(str(key))}
    raised = {name: getattr(allowed(), name) for name in _LIMITS if getattr(allowed(), name) != getattr(DEFAULTS, name)}
    made = {"lenient": lenient, "settings": settings} | ({"limits": raised} if raised else {})
    kept = json.dumps(made, ensure_ascii=False, indent=1, default=list)
    members |= {
        "competition.yaml": _competition(title, start, docker_image, scorer.metrics).encode(),
        "reference_data/settings.json": f"{kept}\n".encode(),
        "scoring_program/metadata.yaml": f"command: {COMMAND}\n".encode(),
        "scoring_program/score.py": _program().encode(),
        "pages/overview.md": f"# {title}\n\n{_overview(scorer)}".encode(),
        "pages/terms.md": b"The organisers have not written any terms yet.\n",
        "logo.png": _logo(),
        "Dockerfile": _dockerfile().encode(),
    }
    _check(members, scorer, settings)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(members.items()):
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
    save([packed.getvalue()], out)
    return members


def _files(key: str) -> Iterator[tuple[str, File]]:
    """The files of a key, by their paths below it."""
    found = find(key)
    for file in found.files:
        if not found.several:
            yield os.path.basename(file.name), file
        elif file.on_disk and os.path.isdir(key):
            yield os.path.relpath(file.name, key).replace(os.sep, "/"), file
        else:  # a glob, or a member of an archive
            yield os.path.basename(file.name), file


def _check(members: Mapping[str, bytes], scorer: Scorer, settings: Mapping[str, Any]) -> None:
    """Check that the packed files are read like the key, so that no file of the key is missing."""
    with TemporaryDirectory() as folder:
        for name, data in members.items():
            if name.startswith("reference_data/key/"):
                make_directory(Path(folder, name).parent)
                save([data], Path(folder, name))
        packed = Scorer(str(Path(folder, "reference_data", "key")), **settings).key
    if (len(packed), [d.label for d in packed.documents]) != (len(scorer.key), [d.label for d in scorer.key.documents]):
        raise InputError(
            "the key can't be packed: without other files, its files are read differently",
            file=scorer.key.source or None,
            hint="give a directory that has all its files and no others, with different names",
        )


def _columns(metrics: list[str]) -> list[tuple[str, str, bool]]:
    """For each column its key, its title and whether more is better. The official one comes first, then F1s, then R
    and P."""
    official = official_of(metrics)
    found = []
    for name, metric in names_of(metrics).items():
        part = name.removeprefix(metric).removeprefix("_")
        title = f"{METRICS[metric].title} {_VALUES[part]}" if part in _VALUES else METRICS[metric].title
        rank = 0 if metric == official and part in ("", "f1") else 1 if part in ("", "f1") else 2
        found.append((rank, (name, title, not METRICS[metric].error)))
    return [column for _, column in sorted(found, key=lambda each: each[0])]


def _competition(title: str, start: str, docker_image: str | None, metrics: list[str]) -> str:
    """YAML. Texts are written as JSON strings, which are also valid YAML."""
    lines = ["version: 2", f"title: {json.dumps(title)}", "image: logo.png", "terms: pages/terms.md"]
    lines += [f"docker_image: {json.dumps(docker_image)}"] if docker_image else []
    lines += ["enable_detailed_results: true", "pages:", "  - title: Overview", "    file: pages/overview.md"]
    lines += ["tasks:", "  - index: 0", "    name: Coreference", "    description: Scored by coreflens"]
    lines += ["    scoring_program: scoring_program", "    reference_data: reference_data"]
    lines += ["phases:", "  - index: 0", "    name: Evaluation", f"    start: {json.dumps(start)}"]
    lines += ["    accepts_only_result_submissions: true", "    tasks:", "      - 0"]
    lines += ["leaderboards:", "  - title: Results", "    key: main", "    columns:"]
    for index, (key, name, more) in enumerate(_columns(metrics)):
        lines += [f"      - title: {json.dumps(name, ensure_ascii=False)}", f"        key: {key}"]
        lines += [f"        index: {index}", f"        sorting: {'desc' if more else 'asc'}", "        precision: 2"]
    return "\n".join(lines) + "\n"


def _program() -> str:
    return '''"""Scores a submission with the coreflens that is installed here; written by `coreflens bundle`."""

import sys

try:
    from coreflens.integrations.codabench import score_folders
except ImportError as error:
    sys.exit(f"this image needs Python 3.11 and coreflens, see the Dockerfile of the bundle: {error}")

sys.exit(score_folders(sys.argv[1], sys.argv[2]))
'''


def _dockerfile() -> str:
    from .. import __version__

    return f"FROM python:3.12-slim\nRUN pip install --no-cache-dir 'coreflens>={__version__}'\n"


def _overview(scorer: Scorer) -> str:
    names = ", ".join(METRICS[name].title for name in scorer.metrics)
    return (
        f"Submissions are scored by coreflens, protocol `{scorer.protocol}`: {names}. A submission is a zip archive "
        "with the documents of the task in any format that coreflens reads; `coreflens check-submission SKELETON "
        "SUBMISSION.zip` says beforehand whether it will be accepted.\n"
    )


def _logo() -> bytes:
    """A plain grey square of 64 × 64 points, as PNG: a competition must have some image."""
    rows = zlib.compress((b"\0" + b"\x77" * 64) * 64, 9)
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)), (b"IDAT", rows), (b"IEND", b""))
    body = (struct.pack(">I", len(d)) + kind + d + struct.pack(">I", zlib.crc32(kind + d)) for kind, d in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(body)


def score_folders(given: str | Path, output: str | Path) -> int:
    """Score `given`/res against `given`/ref, and write what the platform shows into `output`. Returns the exit code.

    Errors of a submission go to stderr, which the platform shows to the team.
    """
    try:
        return _score(Path(given), Path(output))
    except CoreflensError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201 - a program of its own
        return error.exit_code


def _score(given: Path, output: Path) -> int:
    name = given / "ref" / "settings.json"
    made = json_value(load(name).decode(), str(name))
    with limits(**made.get("limits", {})):
        return _checked_and_scored(made["settings"], made["lenient"], given, output)


def _checked_and_scored(settings: Mapping[str, Any], lenient: bool, given: Path, output: Path) -> int:
    """The exit code, after the boundary of the submission is checked, whether it is accepted, and its score."""
    key, submission = str(given / "ref" / "key"), os.path.realpath(given / "res")
    before = stamps(submission)
    reading = {name: settings[name] for name in _READING if name in settings}
    report = check_submission(key, submission, **reading)
    print(visible(str(report), keep="\n"), file=sys.stdout if report.ok else sys.stderr)
    if not report.ok and (not lenient or report.status("boundary") == "error"):
        return 1
    result = Scorer(key, **settings)(submission)
    if stamps(submission) != before:
        raise InputError("files of the submission changed while they were scored", file=submission)
    if report.submitted is not None and _is_the_key(report.task, report.submitted, reading):
        result.issues.append(Issue("identical", "the response has all mentions and entities of the key, and no others"))
    _write(result, output)
    for issue in result.issues:
        print(f"note: {issue}")  # noqa: T201
    return 0


def _is_the_key(key: Corpus, response: Corpus, reading: Mapping[str, Any]) -> bool:
    """Whether both have the same mentions in the same entities, whatever the options of the competition forgive."""
    how = {name: reading[name] for name in ("pair", "align") if name in reading}
    return Scorer(key, metrics="bcub", exact=True, **how)(response)["bcub"].f1 == 1


def _write(result: Result, output: Path) -> None:
    """What the platform shows; the scores come last, so that a run that fails has none."""
    make_directory(output)
    scores = {name: 100 * value for name, value in flat(result).items() if value == value}
    notes = "".join(f"<p>note: {escape(str(issue))}</p>\n" for issue in result.issues)
    page = f"{whole_page(render(result, 'html') + notes)}\n"
    save([page], output / "detailed_results.html")
    result.save_counts(output / "coreflens.counts")
    save([f"{name}: {value!r}\n" for name, value in scores.items()], output / "scores.txt")
    save([json.dumps(scores)], output / "scores.json")
