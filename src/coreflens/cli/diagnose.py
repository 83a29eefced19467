"""coreflens diagnose."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..paper.writers import titled
from . import echo, note, notes, output
from .choices import Choice
from .headings import command
from .limits import reading_jobs
from .modes import Asked, Rule
from .paths import FilePath
from .policies import inputs, policies, protocol

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis
    from ..paper.table import Table

_SHOW = ("classes", "repairs", "prices", "entities", "mentions", "errors", "links", "matches", "anaphora")

_EPILOG = """\b
Examples:
  coreflens diagnose key.conll response.conll                      error classes, their prices, the ten best repairs
  coreflens diagnose key.conll response.conll --by type            errors and scores by mention type
  coreflens diagnose key.conll response.conll --errors class=missing-mention --errors type=pronoun
  coreflens diagnose key.conll new.conll --against old.conll       what the new one repaired and broke
  coreflens diagnose key.conll answer.md --align characters --errors cause=wrong
  coreflens diagnose key.conll response.conll --write better.conll --errors class=span-error
  coreflens diagnose key.conll response.conll --only mention.type=pronoun       pronouns alone
  coreflens diagnose key.CONLLUA response.CONLLUA --protocol ua --show classes,anaphora    bridging, split antecedents
\b
Fields for --by and --errors: type, length, size (of the entity), distance, position, document, genre, part, speaker,
cause (wrong, or text lost), an attribute of the mentions, a layer of the words, or LABELS.csv; --errors also takes
class, entity and text.
"""


_CUT = ("repairs", "entities", "mentions")  # lists of which -n shows the first rows


def _shown(asked: Mapping[str, Any]) -> list[str]:
    """The names of the tables to show."""
    from ..report.diagnosis import SUMMARY

    if asked["show"]:
        return [name.strip() for given in asked["show"] for name in given.split(",")]
    if asked["by"]:
        return []
    if asked["errors"] or any(map(_is_class, asked["only"])):
        return ["errors"]
    return [] if asked["against"] else [*SUMMARY]


def _is_class(condition: str) -> bool:
    """Whether a value of --only selects errors, as in version 0.1."""
    return condition.strip().startswith("class=")


def _is_json(asked: Asked) -> bool:
    return bool(asked["format_"] == "json")


RULES = (
    Rule(
        ("show",),
        lambda asked: not _is_json(asked),
        "can't be combined with --format json, which has every table",
    ),
    Rule(
        ("metrics", "blanc"),
        lambda asked: _is_json(asked) or "prices" in _shown(asked),
        "needs --show prices or --format json, where other metrics than CoNLL are shown",
    ),
    Rule(
        ("count",),
        lambda asked: _is_json(asked) or asked.gives("against") or any(name in _CUT for name in _shown(asked)),
        f"needs a list that is cut: --show {', '.join(_CUT)}, --against or --format json",
    ),
)


@command("diagnose", epilog=_EPILOG, rules=RULES)
@click.argument("key", type=FilePath())
@click.argument("response", type=FilePath())
@click.option(
    "--against",
    metavar="OTHER",
    type=FilePath(),
    help="Another response. Shows what RESPONSE repaired and broke in comparison.",
)
@click.option(
    "--show",
    multiple=True,
    metavar="A,B,...",
    help=f"Tables to show, of {', '.join(_SHOW)}.  [default: classes,repairs; with --errors: errors]",
)
@click.option("--by", multiple=True, metavar="FIELD", help="Show errors and scores by FIELD.")
@click.option("--errors", multiple=True, metavar="FIELD=VALUE[,VALUE]", help="Show and repair these errors only.")
@click.option("--write", "target", metavar="OUT", type=FilePath(), help="Write RESPONSE with these errors repaired.")
@click.option(
    "-n",
    "--count",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="How many repairs, entities and mentions to show.",
)
@click.option("-m", "--metrics", multiple=True, metavar="A,B,...", help="Metrics for the prices.")
@click.option(
    "--format",
    "format_",
    type=Choice(["table", "json", "csv", "markdown", "latex", "html"]),
    default="table",
    show_default=True,
    help="Output format.",
)
@click.option("--digits", type=click.IntRange(0, 15), default=2, show_default=True, help="Decimals of the scores.")
@protocol
@policies(but=("signature",))  # no table has one below it
@reading_jobs
@inputs
def diagnose_command(
    key: str,
    response: str,
    against: str | None,
    show: tuple[str, ...],
    by: tuple[str, ...],
    errors: tuple[str, ...],
    target: str | None,
    count: int,
    metrics: tuple[str, ...],
    format_: str,
    digits: int,
    **settings: Any,
) -> None:
    """Diagnose RESPONSE (what the system found) against KEY (what is right).

    Errors are in eight classes (after Kummerfeld & Klein 2013). "alone" is what the CoNLL average gains if only this
    class is repaired. "in turn" is what it gains if the classes above it are already repaired. Then come the single
    repairs that gain most.
    """
    from ..corpora.conversion import write
    from ..diagnosis import diagnose
    from ..report.diagnosis import headline

    shown = _shown(settings | {"show": show, "by": by, "errors": errors, "against": against})
    old = tuple(filter(_is_class, settings["only"]))
    if old:
        note(f"--only selects mentions now, so this was read as --errors {old[0]}, which selects errors [only-class]")
        settings["only"] = tuple(text for text in settings["only"] if text not in old)
        errors += old
    choice = _choice(errors)
    found = diagnose(key, response, against=against, metrics=",".join(metrics) or None, **settings)
    if format_ == "json":
        echo(json.dumps(found.to_dict(by, count, **choice), ensure_ascii=False, indent=1))
    else:
        tables = found.tables(shown, by=by, count=count, digits=digits, wide=format_ == "csv", **choice)
        _show(tables, format_, headline(found, digits))
    if choice:
        _note_price(found, choice, digits)
    if target is not None:
        write(found.corrected(**choice), target, report=lambda issue: note(str(issue)))
        note(f"wrote {target}")
    notes(found.issues)


def _show(tables: dict[str, Table], format_: str, headline: str) -> None:
    """Write the tables. The summary in one line comes first; it is the caption of the first table in a paper, and a
    note beside CSV."""
    from ..report.diagnosis import fitted

    if format_ == "table":
        tables = fitted(tables)
    elif format_ != "csv" and tables:
        first = next(iter(tables))
        tables = tables | {first: replace(tables[first], caption=headline)}
    pieces = [titled(title, table, format_) for title, table in tables.items()]
    if format_ == "table":
        output("\n\n".join([headline, *pieces]), format_)
        return
    output("\n\n".join(pieces), format_)
    if format_ == "csv" or not pieces:
        note(headline)


def _note_price(found: Diagnosis, choice: dict[str, list[str]], digits: int) -> None:
    """What the chosen errors cost."""
    gain = found.price(**choice)
    number = int(found.chosen(**choice).sum())
    what = "this error changes" if number == 1 else f"these {number} errors change"
    note(f"if corrected, {what} CoNLL by {100 * gain['conll']:+.{digits}f}")


def _choice(errors: tuple[str, ...]) -> dict[str, list[str]]:
    choice: dict[str, list[str]] = {}
    for text in errors:
        field, equals, value = text.partition("=")
        if not equals or not field or not value:
            raise UsageError(f"'{text}' is not FIELD=VALUE, as in --errors type=pronoun")
        choice.setdefault(field, []).extend(re.split(r"[,|]", value))
    return choice
