"""coreflens task: the CoNLL-2011 shared task as a workbench."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from . import echo, note, say
from .choices import Choice
from .limits import reading

if TYPE_CHECKING:
    from ..report.tables import Table

_EPILOG = """\b
Examples:
  coreflens task assemble skeletons/ ontonotes/ corpus/       words back into the skeletons
  coreflens task split corpus/ lists/                         train, development and test
  coreflens task layers dev.v4_gold_conll layers/             .parse, .name and .coref files
  coreflens task join layers/ dev.conll                       and back
  coreflens task conditions dev.v4_gold_conll boundaries.conll --condition gold-boundaries
"""
_LAYERS = """\b
Examples:
  coreflens task layers dev.v4_gold_conll layers/
  coreflens task layers gold/ layers/ --predicted auto/       how far they agree, too
"""
_JOIN = """\b
Examples:
  coreflens task join layers/ dev.conll
  coreflens task join ontonotes/annotations/nw/wsj/00 - | coreflens score - out.conll
"""
_ASSEMBLE = """\b
Examples:
  coreflens task assemble conll-2011/v2/data ontonotes-release-4.0/data corpus/
  coreflens task assemble skeletons/ ontonotes/ corpus/ --jobs 4 --again
"""
_SPLIT = """\b
Examples:
  coreflens task split ids.txt                                a line a document: id and part of the split
  coreflens task split corpus/ lists/                         lists/train.txt and so on
"""
_CONDITIONS = """\b
Examples:
  coreflens task conditions dev.v4_gold_conll boundaries.conll --condition gold-boundaries
  coreflens task conditions gold/ - --condition gold-mentions
"""


@click.group("task", epilog=_EPILOG, short_help="The CoNLL-2011 shared task: data, layers, split, conditions.")
def task_command() -> None:
    """The CoNLL-2011 shared task as a workbench (Pradhan et al. 2011)."""


@task_command.command("layers", epilog=_LAYERS)
@click.argument("source", metavar="CONLL", type=click.Path())
@click.argument("out", metavar="DIRECTORY", type=click.Path())
@click.option("--predicted", metavar="CONLL", type=click.Path(), help="The same documents with predicted layers.")
@click.option(
    "--format",
    "format_",
    type=Choice(["table", "json", "csv", "markdown", "latex"]),
    default="table",
    show_default=True,
    help="Of the table.",
)
@reading
def layers_command(source: str, out: str, predicted: str | None, format_: str) -> None:
    """Write the layers of .conll files: DOCUMENT.parse, .name and .coref below DIRECTORY.

    CONLL is a file or a directory of them. With --predicted the layers of both are written, as DOCUMENT.gold.parse,
    DOCUMENT.auto.parse and so on, and a table shows how far the predicted ones agree with the gold ones: tags by
    token, phrases and names by labelled span.
    """
    from ..files.writing import save
    from ..formats import read
    from ..report.tables import WRITERS
    from ..task.layers import agreement, layers

    gold = read(source)
    sides = [(gold, ".gold" if predicted else "")] + ([(read(predicted), ".auto")] if predicted else [])
    agreed = agreement(gold, sides[1][0]) if predicted else {}
    targets = []
    for corpus, middle in sides:
        for layer in layers(corpus):
            targets.append(_below(out, layer.document + middle + layer.suffix))
            if targets[-1] in targets[:-1]:
                raise UsageError(f"two documents would be written to {targets[-1]}")
            save([layer.content], targets[-1])
    missing = {".parse", ".name", ".coref"} - {Path(target).suffix for target in targets}
    if missing:
        note(f"no {' and no '.join(sorted(missing))} files: {source} has no such column")
    if not predicted:
        echo("\n".join(targets))
        return
    if format_ == "json":
        counts = {name: dict(zip(("common", "gold", "predicted"), c, strict=True)) for name, c in agreed.items()}
        echo(json.dumps(counts, indent=1))
    else:
        echo(WRITERS[format_](_agreement(agreed), "").rstrip("\n"))
    note(f"{len(targets)} files below {out}")


def _agreement(agreed: dict[str, tuple[int, int, int]]) -> Table:
    from ..report.tables import Table

    rows = [
        [
            name,
            *(f"{100 * common / size:.2f}" if size else "n/a" for size in (in_gold, in_auto)),
            f"{200 * common / (in_gold + in_auto):.2f}",
            *map(str, (common, in_gold, in_auto)),
        ]
        for name, (common, in_gold, in_auto) in agreed.items()
    ]
    return Table(["layer", "R", "P", "F1", "common", "gold", "predicted"], rows)


@task_command.command("join", epilog=_JOIN)
@click.argument("source", metavar="DIRECTORY", type=click.Path())
@click.argument("out", metavar="CONLL", type=click.Path())
@reading
def join_command(source: str, out: str) -> None:
    """Make a .conll file of the .parse, .name and .coref files below DIRECTORY; .name files may be missing."""
    from ..corpora.conversion import write
    from ..formats import concatenate
    from ..task.layers import read_layers

    corpus = concatenate([*read_layers(Path(source))])
    write(corpus, out, format="conll")
    for issue in corpus.issues:
        note(str(issue))


@task_command.command("assemble", epilog=_ASSEMBLE)
@click.argument("skeletons", metavar="SKEL_DIR", type=click.Path())
@click.argument("treebank", metavar="ONTONOTES_DIR", type=click.Path())
@click.argument("out", metavar="OUT", type=click.Path())
@click.option("--jobs", type=click.IntRange(1), help="Processes; as many as there are cores.")
@click.option("--again", is_flag=True, help="Also files that are there already.")
@reading
def assemble_command(skeletons: str, treebank: str, out: str, jobs: int | None, again: bool) -> None:
    """Put the words of a licensed OntoNotes tree into skeletons, files with [WORD] for every word.

    Files that are there already are kept, so that a run that was stopped goes on where it was. A file that does not fit
    its trees is reported with sentence and token, the others go on, and the exit code is 1.
    """
    from ..task.assembly import assemble

    bar = None

    def progress(done: int, total: int) -> None:
        nonlocal bar
        if sys.stderr.isatty():
            bar = bar or click.progressbar(length=total, label="assembling", file=sys.stderr)
            bar.update(1)

    found = assemble(skeletons, treebank, out, jobs=jobs, again=again, progress=progress)
    if bar is not None:
        bar.render_finish()
    for error in found.failed:
        say(f"coreflens: error: {error}")
    note(f"{len(found.written)} written, {len(found.kept)} there already, {len(found.failed)} failed")
    if found.failed:
        sys.exit(1)


@task_command.command("split", epilog=_SPLIT)
@click.argument("source", metavar="IDS", type=click.Path())
@click.argument("out", metavar="DIRECTORY", type=click.Path(), required=False)
@reading
def split_command(source: str, out: str | None) -> None:
    """Split documents into train, development and test by Algorithm 1 of the task.

    IDS is a file with an id a line, such as bc/cctv/00/cctv_0003, or a corpus. Lists of ids are written to DIRECTORY as
    train.txt, development.txt and test.txt; without one, a table goes to stdout.
    """
    from ..files.writing import save
    from ..task.partition import document_ids, split

    parts = split(document_ids(source))
    for part, ids in parts.items():
        if out is not None:
            save((f"{document}\n" for document in ids), _below(out, f"{part}.txt"))
            note(f"{part}: {len(ids)} documents")
        else:
            for document in ids:
                echo(f"{document}\t{part}")


@task_command.command("conditions", epilog=_CONDITIONS)
@click.argument("source", metavar="GOLD", type=click.Path())
@click.argument("out", metavar="OUT", type=click.Path())
@click.option(
    "--condition",
    "name",
    type=Choice(["gold-boundaries", "gold-mentions"]),
    required=True,
    help="All noun phrases of the gold trees, or the spans of the gold chains.",
)
@reading
def conditions_command(source: str, out: str, name: str) -> None:
    """Write the mentions of a supplementary condition as input for systems: GOLD with them in place of its chains."""
    from ..corpora.conversion import write
    from ..formats import read
    from ..task.conditions import condition

    given = condition(read(source), name)
    write(given, out, format="conll" if out == "-" else None)
    note(f"{len(given)} mentions ({name})")


def _below(directory: str, name: str) -> str:
    """A path below a directory, which is made; a document's name may not lead out of it."""
    from ..files.writing import make_directory

    name = name.lstrip("/")  # some corpora have ids such as /nw/a
    target = (Path(directory) / name).resolve()
    if not target.is_relative_to(Path(directory).resolve()):
        raise UsageError(f"document '{name[:80]}' would be written outside of {directory}")
    make_directory(target.parent)
    return str(Path(directory) / name)
