"""coreflens score."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ..conditions import is_attribute
from ..errors import UsageError
from ..protocols import metrics_of
from ..report import FORMATS, render
from ..scoring.scorer import Scorer, score
from . import note, notes, output
from .choices import Choice
from .engines import elsewhere, engines, taken
from .gates import difference_to, losses, report, shortfall, under, worse
from .headings import command
from .limits import reading_jobs
from .policies import decides, inputs, min_share, policies, protocol
from .score_tables import SUPPLEMENT, show_leniency, show_major, show_side_by_side, show_windows

if TYPE_CHECKING:
    from ..stats import IntervalKind, Unit

_EPILOG = """\b
Examples:
  coreflens score key.conll response.conll                    all default metrics
  coreflens score key.conll response.conll -m conll           the CoNLL average and its parts
  coreflens score key.conll response.conll --by genre         one line per genre
  coreflens score ecb/ out/ --by entity.kind                  events and entities separately
  coreflens score ecb/ out/ --only kind=event --scope topic   events alone, across the documents of a topic
  coreflens score ecb/ out/ --only kind=event --leniency      the usual ways to score, in one table
  coreflens score key.conll response.conll --format latex     a table for the paper
  coreflens score gold/ predicted/ --fail-under conll=70      a gate for CI: exit code 1 if it is below 70
  coreflens score key.conll response.conll --bootstrap 10000  with confidence intervals
  coreflens score key.conll response.conll --bootstrap 10000 --by genre
  coreflens score key.conll new.conll --against last.counts --fail-if-worse 0.5
  coreflens score book.conll found.conll --window 500,1500,all --plot windows.svg
  coreflens score book.jsonl found.jsonl --major 10           the ten largest entities, one by one
  coreflens score book.conll found.conll --by entity.spread   entities by how far they reach
  coreflens score book.conll found.conll --bootstrap 1000 --unit block:1500
  zcat out.conll.gz | coreflens score key.conll -             the response from stdin
  coreflens score run-a.conll run-b.conll --heads gold/       two outputs, without regard to boundaries
  coreflens score key.conll response.conll --excerpt 1:500    the first 500 tokens of each document
  coreflens score truth.parquet found/ --engine duckdb --memory-limit 4G
  coreflens score truth.csv found.csv --columns mention=record_id,entity=cluster
\b
Exit codes: 0 scored (notes on stderr report anything unusual), 1 a gate failed, 2 usage,
3 input that can't be read or paired.
"""


@command("score", epilog=_EPILOG)
@click.argument("key", type=click.Path())
@click.argument("response", type=click.Path())
@click.option(
    "-m",
    "--metrics",
    multiple=True,
    metavar="A,B,...",
    help="Metrics or sets. `coreflens list metrics` lists them all.",
)
@click.option(
    "--by",
    metavar="GROUP",
    help="Show scores by group. GROUP is document, part, genre, source, topic, a table (LABELS.csv) or lists (LISTS/) "
    "of documents, entity.type, entity.kind, entity.size, entity.spread, mention.type or distance.",
)
@click.option("--rpf", is_flag=True, help="With --by or --window: show R and P of each row beside F1.")
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--digits", type=click.IntRange(0, 15), default=2, show_default=True, help="Decimals of the scores.")
@click.option("--exact", is_flag=True, help="Compute with exact fractions, and show them.")
@click.option(
    "--fail-under",
    multiple=True,
    metavar="METRIC=POINTS",
    help="Exit with code 1 if a score is lower. `muc.recall=60` also works.",
)
@click.option(
    "--bootstrap",
    type=click.IntRange(1),
    metavar="N",
    help="Show confidence intervals from N resamples, also for groups.",
)
@click.option(
    "--interval",
    type=Choice(("percentile", "bca")),
    help="Kind of interval for --bootstrap.  [default: percentile]",
)
@click.option(
    "--confidence", type=click.FloatRange(1, 99.99), help="Confidence level for --bootstrap, in percent.  [default: 95]"
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed for --bootstrap and --against."
)
@click.option("--stratify", metavar="genre|LABELS.csv", help="Resample documents within each label.")
@click.option(
    "--unit",
    metavar="document|part|topic|LABELS.csv|block:WORDS|entity",
    default="document",
    show_default=True,
    help="Unit of resampling. document: all parts of a document together; topic, or another label: all documents with "
    "that label. For a few long documents, block:1500: blocks of 1500 words; entity: each entity of the key.",
)
@click.option(
    "--rate-plot",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Draw the score of each document, or group of --by, against its mentions per entity, as .svg or .pdf.",
)
@click.option(
    "--major",
    type=click.IntRange(1),
    metavar="N",
    help="Show R, P and F1 of the N largest entities of each document of the key, with the response entity that each "
    "is assigned, instead of the metrics.",
)
@click.option(
    "--entities",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Show the same table for the entities that FILE names: one name or id of the key per line.",
)
@click.option(
    "--window",
    metavar="WORDS,...|all",
    help="Cut documents into windows of at most this many words, at the ends of sentences, and add up their counts. "
    "Prints one row per size, and the links inside and across windows.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="With --window: draw F1 by size of the windows, as .svg or .pdf.",
)
@click.option(
    "--save-counts",
    type=click.Path(),
    metavar="FILE",
    help="Save the counts of this run, without any text, for --against.",
)
@click.option(
    "--against",
    type=click.Path(),
    metavar="FILE",
    help="Show the differences to an earlier run, from its saved counts.",
)
@click.option(
    "--fail-if-worse",
    multiple=True,
    metavar="POINTS",
    help="Exit with code 1 if the official score lost more points than this. `lea=0.5` names another metric.",
)
@protocol
@policies(but=("match",))
@click.option(
    "--match",
    metavar="A,B,...",
    help=f"{decides('match')} Several values give one table of F1, with one row per value.",
)
@min_share
@click.option(
    "--supplement",
    is_flag=True,
    help="With --protocol corefud: show the supplementary scores of the CRAC tasks in one table.",
)
@click.option(
    "--excerpt",
    metavar="FROM:TO",
    help="Score a part of each document: on both sides, the mentions within these tokens, counted from 1.",
)
@click.option(
    "--heads",
    metavar="GOLD",
    type=click.Path(),
    help="Take the heads of both sides from the same documents with trees. This compares two system outputs without "
    "regard to boundaries. --match head-word then works in both directions (head-either).",
)
@click.option(
    "--leniency",
    is_flag=True,
    help="Show usual ways to score across documents in one table: with and without singletons, topic and corpus scope, "
    "predicted and gold mentions.",
)
@click.option("--alignment", is_flag=True, help="With --format json: list which mentions matched, and by which rule.")
@click.option("--weights", metavar="METRIC=WEIGHT,...", help="Weights of the metrics in `mela`.")
@engines
@reading_jobs
@inputs
def score_command(
    key: str,
    response: str,
    metrics: tuple[str, ...],
    by: str | None,
    rpf: bool,
    format_: str,
    digits: int,
    fail_under: tuple[str, ...],
    bootstrap: int | None,
    interval: IntervalKind | None,
    confidence: float | None,
    seed: int,
    stratify: str | None,
    unit: Unit,
    rate_plot: str | None,
    major: int | None,
    entities: str | None,
    window: str | None,
    plot: str | None,
    save_counts: str | None,
    against: str | None,
    fail_if_worse: tuple[str, ...],
    weights: str | None,
    alignment: bool,
    supplement: bool,
    leniency: bool,
    excerpt: str | None,
    heads: str | None,
    **settings: Any,
) -> None:
    """Score RESPONSE (what the system found) against KEY (what is right).

    Both are files, directories or - for stdin. Their format is recognised by content (`coreflens list formats`).
    """
    gates = [under(text) for text in fail_under]
    limits = [worse(text) for text in fail_if_worse]
    if limits and against is None:
        raise UsageError("--fail-if-worse needs --against FILE, the counts to compare with")
    idle = {"--stratify": stratify, "--interval": interval, "--confidence": confidence}
    if not bootstrap and any(idle.values()):
        raise UsageError(f"{next(name for name, given in idle.items() if given)} needs --bootstrap N")
    if rate_plot and is_attribute(by):
        raise UsageError(
            "--rate-plot draws documents or groups of documents, but --by entity.NAME makes groups of mentions"
        )
    if rpf and by is None and window is None:
        raise UsageError("--rpf needs --by GROUP, such as --by document, or --window")
    if alignment and format_ != "json":
        raise UsageError("--alignment needs --format json")
    if key == response == "-":
        raise UsageError("only one of key and response can come from stdin")
    more = [
        *(metric for metric, _, _ in gates),
        *(m for m, _ in limits if m),
        *(["mela"] if weights else []),
    ]  # scored because another option needs it
    before = None
    if against is not None:
        from ..scoring.counts_file import load_counts

        before = load_counts(against)
    asked = ",".join(metrics or metrics_of(settings["protocol"]) or ["default"])
    settings["metrics"] = ",".join([asked, *more]) if asked.strip(" ,") else asked
    if supplement:
        if settings["protocol"] != "corefud":
            raise UsageError("--supplement needs --protocol corefud")
        variants = SUPPLEMENT
        settings["metrics"] = "conll,ceafm,blanc,lea,mor,zero"
    else:
        matches = [name.strip() for name in (settings["match"] or "").split(",")]
        variants = {f"{name} match": {"match": name} for name in matches}
    where = taken(settings)
    if excerpt or heads:
        if elsewhere(where):
            raise UsageError("--excerpt and --heads need --engine memory, without --columns")
        settings |= {"excerpt": excerpt, "heads": heads}
    if leniency:
        if any((by, bootstrap, fail_under, save_counts, against, rate_plot, alignment, window, plot, rpf, supplement)):
            raise UsageError("--leniency makes its own table, so it can't be combined with groups, intervals or gates")
        if len(variants) > 1 or elsewhere(where):
            raise UsageError("--leniency needs a single --match, and --engine memory")
        settings["metrics"] = settings["metrics"] if metrics else "conll"
        show_leniency(key, response, {**settings, "weights": weights}, format_, digits)
        return
    if major is not None or entities is not None:
        others = (
            metrics,
            by,
            bootstrap,
            fail_under,
            save_counts,
            against,
            rate_plot,
            alignment,
            window,
            plot,
            rpf,
            supplement,
        )
        if any(others) or len(variants) > 1 or elsewhere(where):
            raise UsageError(
                "--major and --entities make their own table, so they can't be combined with metrics, groups or gates"
            )
        show_major(key, response, {**settings, "weights": weights}, major, entities, format_, digits)
        return
    if plot is not None and window is None:
        raise UsageError("--plot needs --window, such as --window 500,1500,all")
    if window is not None:
        from ..studies.ranges import sizes_of

        sizes = sizes_of(window)
        one = [by, bootstrap, fail_under, save_counts, against, rate_plot, alignment or None]
        if plot is not None or not any(one):
            if len(variants) > 1 or any(one) or elsewhere(where):
                raise UsageError(
                    "a table of windows needs a single --match, and can't be combined with other tables or gates"
                )
            show_windows(key, response, {**settings, "weights": weights}, sizes, (format_, digits, rpf), plot)
            return
        if len(sizes) > 1:
            raise UsageError("several sizes of --window make their own table; for groups and gates give a single size")
        settings["window"] = sizes[0]
    if len(variants) > 1:
        if elsewhere(where):
            raise UsageError("several values of --match need --engine memory, without --columns")
        show_side_by_side(key, response, {**settings, "weights": weights}, variants, format_, digits)
        return
    stratified = is_attribute(by)
    if alignment or rate_plot or stratified:
        if elsewhere(where):
            option = "--alignment" if alignment else "--rate-plot" if rate_plot else f"--by {by}"
            raise UsageError(f"{option} needs --engine memory, without --columns")
        scorer = Scorer(key, weights=weights, **settings)
        matched = scorer.match(response)
        result = scorer.result(matched)
        result.alignment = matched.pairs() if alignment else None
    else:
        result = score(key, response, weights=weights, say=note, **where, **settings)
    intervals = None
    if bootstrap:
        groups = None if by == "document" else by  # one document can't be resampled
        intervals = result.bootstrap(
            bootstrap,
            seed=seed,
            interval=interval or "percentile",
            confidence=(confidence or 95) / 100,
            stratify=stratify,
            unit=unit,
            by=groups,
        )
    output(render(result, format_, by=by, digits=digits, intervals=intervals, rpf=rpf), format_)
    notes([*result.issues, *(intervals.issues if intervals else ()), *(before.issues if before else ())])
    if format_ == "csv":
        note(f"signature: {intervals.signature if intervals else result.signature}")
    if rate_plot is not None:
        from ..studies.rates import rate_plot as drawn

        drawn(result, matched.key, by or "document").save(rate_plot)
        note(f"plot written to {rate_plot}")
    if save_counts is not None:
        result.save_counts(save_counts)
    failed = [
        message
        for gate, text in zip(gates, fail_under, strict=True)
        if (message := shortfall(result, gate, text, digits))
    ]
    if before is not None:
        note(difference_to(result, before, against or "", unit, seed))
        failed += losses(result, before, limits)
    report(failed)
    if failed:
        sys.exit(1)
