"""coreflens sample."""

from __future__ import annotations

from typing import Any

import click

from ..errors import UsageError
from ..estimates.allocation import ALLOCATIONS
from ..estimates.designs import BY
from ..estimates.sampling import sample
from . import note, notes
from .choices import Choice
from .estimate import response_options
from .headings import command
from .modes import Rule, given
from .paths import FilePath

_EPILOG = """\b
Examples:
  coreflens sample response.csv to-label.csv -n 200                       records, with their clusters
  coreflens sample response.csv to-label.csv -n 200 --links pairs.csv     also what links lead to
  coreflens sample response.csv to-label.csv -n 200 --fields name,city    also what shares rare words
  coreflens sample response.csv more.csv -n 100 --extend labelled.csv     100 more; labels are kept
  coreflens sample response.csv to-label.csv -n 200 --by cluster --size records
  coreflens sample authors.csv to-label.csv -n 200 --by entity            from a table of known entities
"""

RULES = (
    Rule(("allocate",), given("strata"), "needs --strata"),
    Rule(("link-score",), given("links"), "needs --links FILE"),
    Rule(("without-clusters",), lambda asked: asked["by"] == "record", "is for --by record"),
)


@command("sample", epilog=_EPILOG, rules=RULES)
@click.argument("response", type=FilePath())
@click.argument("out", type=FilePath())
@click.option("-n", "--draws", "n", type=click.IntRange(1), required=True, metavar="N", help="How many draws.")
@click.option("--by", type=Choice(BY), default="record", show_default=True, help="What is drawn.")
@click.option(
    "--size",
    metavar="records|COLUMN",
    help="Draw with chances by size, with replacement: the records of a cluster, or a column of numbers.",
)
@click.option(
    "--strata",
    metavar="size|COLUMN|LABELS.csv",
    help="Draw within strata: by the size of clusters, by a column, or by a file with the columns record and stratum.",
)
@click.option(
    "--allocate",
    type=Choice(list(ALLOCATIONS)),
    help="How draws are divided among strata. "
    f"{'; '.join(f'{name}: {about}' for name, about in ALLOCATIONS.items())}.  "
    "[default: mixed for --strata size, else proportional]",
)
@click.option(
    "--without-clusters", is_flag=True, help="By record: do not list the other records of the drawn records' clusters."
)
@click.option(
    "--extend",
    type=FilePath(),
    metavar="OLD.csv",
    help="Draw N more for an earlier sample of the same design, and keep its labels.",
)
@click.option(
    "--links", type=FilePath(), metavar="FILE", help="List records that scored links connect with drawn ones."
)
@click.option(
    "--link-score",
    "score",
    default="score",
    show_default=True,
    metavar="COLUMN",
    help="Column of scores in --links.",
)
@click.option(
    "--fields", metavar="A,B,...", help="List records that share rare words with drawn ones in these columns."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of the draws.")
@response_options
def sample_command(response: str, out: str, without_clusters: bool, fields: str | None, **settings: Any) -> None:
    """Draw records of RESPONSE to be labelled, and write them to OUT as CSV.

    Fill in the column `entity` with the true entity of each record, and add the entity's other records as new rows. A
    record of an entity that nobody looked for makes recall too high: tick `complete` when you have looked. The order of
    the rows in RESPONSE does not change what is drawn.
    """
    if response == "-":
        raise UsageError("a response is read from a file, not from stdin")
    words = [name.strip() for name in (fields or "").split(",") if name.strip()]
    if fields is not None and not words:
        raise UsageError("--fields needs the names of columns")
    found = sample(response, with_clusters=not without_clusters, fields=words, **settings)
    found.write(out)
    note(f"{out}: {found.drawn:,} draws, {len(found):,} records to label")
    notes(found.issues)
