"""coreflens task: the CoNLL-2011 shared task as a workbench."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from ..errors import UsageError
from ..task.conditions import CONDITIONS
from . import echo, note, notes, say
from .choices import Choice
from .headings import group
from .limits import reading
from .modes import Rule, given
from .paths import FilePath

if TYPE_CHECKING:
    from ..corpus.model import Corpus
    from ..task.quality import Agreed

    AgreementByGroup: TypeAlias = dict[str, dict[str, Agreed]]
    Polysemy: TypeAlias = dict[str, dict[int, int]]

_EPILOG = """\b
Examples:
  coreflens task assemble skeletons/ ontonotes/ corpus/       put the words back into the skeletons
  coreflens task split corpus/ lists/                         train, development and test
  coreflens task layers dev.v4_gold_conll layers/             .parse, .name, .coref, .prop, .sense, .speaker
  coreflens task join layers/ dev.conll                       back to one file
  coreflens task conditions gold/ boundaries.conll --input auto/ --condition gold-boundaries
  coreflens task skeleton corpus/ skeletons/                  to share a corpus without its words
"""
_LAYERS = """\b
Examples:
  coreflens task layers dev.v4_gold_conll layers/
  coreflens task layers gold/ layers/ --predicted auto/       and how well the two agree
  coreflens task layers gold/ layers/ --predicted auto/ --by genre --show senses,framesets,arguments,polysemy
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
  coreflens task split ids.txt                                one line per document: id and part of the split
  coreflens task split corpus/ lists/                         lists/train.txt and so on
"""
_CONDITIONS = """\b
Examples:
  coreflens task conditions gold/ official.conll --input auto/ --condition official
  coreflens task conditions gold/ boundaries.conll --input auto/ --condition gold-boundaries
  coreflens task conditions gold/ mentions.conll --input auto/ --condition gold-mentions
  coreflens task conditions gold/ - --condition gold-mentions+gold-layers
"""
_SKELETON = """\b
Examples:
  coreflens task skeleton dev.v4_gold_conll dev.v4_gold_skel
  coreflens task skeleton corpus/ skeletons/
"""


@group("task", epilog=_EPILOG)
def task_command() -> None:
    """The CoNLL-2011 shared task as a workbench (Pradhan et al. 2011)."""


_PREDICTED = Rule(("by", "show", "format"), given("predicted"), "needs --predicted CONLL")


@task_command.command("layers", epilog=_LAYERS, rules=(_PREDICTED,))
@click.argument("source", metavar="CONLL", type=FilePath())
@click.argument("out", metavar="DIRECTORY", type=FilePath())
@click.option("--predicted", metavar="CONLL", type=FilePath(), help="The same documents with predicted layers.")
@click.option(
    "--format",
    "format_",
    type=Choice(["table", "json", "csv", "markdown", "latex"]),
    default="table",
    show_default=True,
    help="Output format of the table.",
)
@click.option("--by", metavar="genre|source|LABELS.csv|LISTS/", help="With --predicted: show the agreement by group.")
@click.option(
    "--show",
    metavar="LAYER,...",
    help="With --predicted: tags, phrases, senses, framesets, arguments, names, polysemy.  [default: all]",
)
@reading
def layers_command(
    source: str, out: str, predicted: str | None, format_: str, by: str | None, show: str | None
) -> None:
    """Write the layers of .conll files to DIRECTORY: DOCUMENT.parse, .name, .coref, .prop, .sense and .speaker.

    CONLL is a file or a directory of files. With --predicted, the layers of both are written, as DOCUMENT.gold.parse,
    DOCUMENT.auto.parse and so on. A table then shows how well the predicted layers agree with the gold ones: tags,
    senses and framesets by token; phrases, names and arguments by labelled span. Polysemy is the number of lemmas with
    one, two or more senses or framesets in CONLL.
    """
    from ..formats import read
    from ..task.quality import agreement, polysemy, shown

    asked = shown([name.strip() for name in show.split(",")] if show else None)
    gold = read(source)
    if predicted is None:
        targets = _write_layers([(gold, "")], out, source)
        echo("\n".join(targets))
        return
    other = read(predicted)
    agreed = agreement(gold, other, by)
    lemmas = polysemy(gold.text) if "polysemy" in asked else {}
    targets = _write_layers([(gold, ".gold"), (other, ".auto")], out, source)
    if format_ == "json":
        _show_quality_as_json(agreed, lemmas)
    else:
        _show_quality(agreed, lemmas, asked, format_)
    note(f"{len(targets)} files below {out}")


def _write_layers(sides: Sequence[tuple[Corpus, str]], out: str, source: str) -> list[str]:
    """Write the layers of each corpus, with its word before the suffix. Notes say what is lost or missing."""
    from ..files.writing import save
    from ..task.layers import layers

    targets: dict[str, None] = {}
    lost: Counter[str] = Counter()
    for corpus, middle in sides:
        for layer in layers(corpus, lost):
            target = _below(out, layer.document + middle + layer.suffix)
            if target in targets:
                raise UsageError(f"two documents would be written to {target}")
            targets[target] = None
            save([layer.content], target)
    if left := ", ".join(f"{kind} ({count})" for kind, count in sorted(lost.items()) if count):
        note(f"the files can't hold {left}")
    missing = {".parse", ".name", ".coref"} - {Path(target).suffix for target in targets}
    if missing:
        note(f"no {' and no '.join(sorted(missing))} files: {source} has no such column")
    return list(targets)


def _show_quality_as_json(agreed: AgreementByGroup, lemmas: Polysemy) -> None:
    groups: dict[str, Any] = {}
    for label, layers in agreed.items():
        groups[label] = {name: agreement._asdict() for name, agreement in layers.items()}
    counts: dict[str, object] = {**groups.pop("all")}
    if groups:
        counts["by"] = groups
    if lemmas:
        counts["polysemy"] = lemmas
    echo(json.dumps(counts, indent=1))


def _show_quality(agreed: AgreementByGroup, lemmas: Polysemy, asked: Sequence[str], format_: str) -> None:
    from ..paper.writers import WRITERS
    from ..report.quality import polysemy_table, quality_table

    tables = [quality_table(agreed, asked)]
    if lemmas:
        tables.append(polysemy_table(lemmas))
    echo("\n\n".join(WRITERS[format_](table, "").rstrip("\n") for table in tables if table.rows))


@task_command.command("join", epilog=_JOIN)
@click.argument("source", metavar="DIRECTORY", type=FilePath())
@click.argument("out", metavar="CONLL", type=FilePath())
@reading
def join_command(source: str, out: str) -> None:
    """Make a .conll file from the OntoNotes files in DIRECTORY: .coref, .parse, .name, .prop, .sense and .speaker.

    All except .coref and .parse may be missing. Trees may have traces, like those of the LDC. Traces do not count as
    words. A note counts annotations that do not fit into the columns.
    """
    from ..corpora.conversion import write
    from ..formats import concatenate
    from ..task.layers import read_layers

    corpus = concatenate([*read_layers(Path(source))])
    write(corpus, out, format="conll")
    notes(corpus.issues)


@task_command.command("assemble", epilog=_ASSEMBLE)
@click.argument("skeletons", metavar="SKEL_DIR", type=FilePath())
@click.argument("treebank", metavar="ONTONOTES_DIR", type=FilePath())
@click.argument("out", metavar="OUT", type=FilePath())
@click.option("--jobs", type=click.IntRange(1), help="Number of processes. By default one per core.")
@click.option("--again", is_flag=True, help="Write existing files again.")
@reading
def assemble_command(skeletons: str, treebank: str, out: str, jobs: int | None, again: bool) -> None:
    """Put the words of a licensed OntoNotes tree into skeletons, files with [WORD] for every word.

    Existing files are kept, so the same command continues a run that was stopped. A file that does not fit its trees is
    reported with sentence and token. The other files are still written, and the exit code is 1.
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
    note(f"{len(found.written)} written, {len(found.kept)} existed already, {len(found.failed)} failed")
    if found.failed:
        sys.exit(1)


@task_command.command("split", epilog=_SPLIT)
@click.argument("source", metavar="IDS", type=FilePath())
@click.argument("out", metavar="DIRECTORY", type=FilePath(), required=False)
@reading
def split_command(source: str, out: str | None) -> None:
    """Split documents into train, development and test by Algorithm 1 of the task.

    IDS is a corpus, or a file with one id per line, such as bc/cctv/00/cctv_0003. Lists of ids are written to DIRECTORY
    as train.txt, development.txt and test.txt. Without DIRECTORY, a table goes to stdout.
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


@task_command.command("skeleton", epilog=_SKELETON)
@click.argument("source", metavar="CONLL", type=FilePath())
@click.argument("out", metavar="OUT", type=FilePath())
@reading
def skeleton_command(source: str, out: str) -> None:
    """Make skeletons of .conll files: [WORD] replaces every word, and nothing else changes.

    CONLL is a file or a directory. The files of a directory are written to OUT with the same paths, and `_conll`
    becomes `_skel`. In this way you can share a corpus whose text is licensed. `task assemble` puts the words back.
    """
    from ..task.skeletons import skeletons

    written = skeletons(source, out)
    note(f"{len(written)} skeleton{'' if len(written) == 1 else 's'} written")


@task_command.command("conditions", epilog=_CONDITIONS)
@click.argument("source", metavar="GOLD", type=FilePath())
@click.argument("out", metavar="OUT", type=FilePath())
@click.option(
    "--condition",
    "name",
    type=Choice(list(CONDITIONS)),
    required=True,
    help="; ".join(f"{name}: {about}" for name, about in CONDITIONS.items()) + ".",
)
@click.option(
    "--input",
    "given",
    metavar="AUTO",
    type=FilePath(),
    help="The same documents with predicted layers, which are written. By default only words and speakers are written.",
)
@reading
def conditions_command(source: str, out: str, name: str, given: str | None) -> None:
    """Write the input that systems get under a condition of the task: layers, and mentions instead of the chains.

    The layers are the predicted ones of --input, except for speakers, which are always gold. Under
    gold-mentions+gold-layers they are the layers of GOLD.
    """
    from ..corpora.conversion import write
    from ..formats import read
    from ..task.conditions import condition

    made = condition(read(source), name, None if given is None else read(given))
    notes(made.issues)
    write(made, out, format="conll" if out == "-" else None)
    note(f"{len(made)} mentions ({name})")


def _below(directory: str, name: str) -> str:
    """A path in a directory, which is created. A document's name may not lead out of it."""
    from ..files.writing import make_directory

    name = name.lstrip("/")  # some corpora have ids such as /nw/a
    target = (Path(directory) / name).resolve()
    if not target.is_relative_to(Path(directory).resolve()):
        raise UsageError(f"document '{name[:80]}' would be written outside {directory}")
    make_directory(target.parent)
    return str(Path(directory) / name)
