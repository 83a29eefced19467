"""coreflens db: a corpus with all its layers as one database."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError, counted
from ..protocols import PROTOCOLS
from . import bar, echo, note, notes, output
from .choices import PLOT, Choice
from .headings import group
from .limits import reading
from .modes import Rule, given
from .paths import FilePath
from .policies import coref_column

if TYPE_CHECKING:
    from ..store.building import Built
    from ..store.loading import Mode

_EPILOG = """\b
Examples:
  coreflens db build corpus.duckdb key=gold/                          everything that the files contain
  coreflens db build dev.duckdb key=dev.conll --response lee=lee.conll --response clark=clark.conll
  coreflens db query dev.duckdb pronoun-distance                      a recipe
  coreflens db query dev.duckdb "SELECT type, count(*) FROM mention GROUP BY type"
  coreflens db check dev.duckdb                                       check that it is consistent
  coreflens score dev.duckdb:key dev.duckdb:lee                       every command can read its sides
\b
Exit codes: 0 done, 1 `check` found errors, 2 usage, 3 input that can't be read or a file that can't be written.
"""
_BUILD = """\b
Examples:
  coreflens db build corpus.duckdb key=gold/
  coreflens db build both.duckdb gold=data/gold auto=data/auto --jobs 2
  coreflens db build dev.duckdb key=dev.conll --response lee=lee.conll --protocol conll-2012
\b
An interrupted build is continued by the same command.
"""
_ADD = """\b
Examples:
  coreflens db add dev.duckdb key=more/                               add documents
  coreflens db add dev.duckdb --response clark=clark.conll            another response
"""
_REPLACE = """\b
Examples:
  coreflens db replace dev.duckdb key=corrected.conll                 the documents of this file
  coreflens db replace dev.duckdb --response lee=lee-2.conll
"""
_REMOVE = """\b
Examples:
  coreflens db remove dev.duckdb lee                                  a response
  coreflens db remove dev.duckdb key bc/cctv/00/cctv_0000             a document of the key
"""
_QUERY = """\b
Examples:
  coreflens db query dev.duckdb entities-by-size
  coreflens db query dev.duckdb entities-by-size --set side=lee --format csv
  coreflens db query dev.duckdb question.sql -o answer.parquet
  coreflens db query dev.duckdb "SELECT distance, count(*) FROM error GROUP BY distance" --plot errors.svg
"""
_RECIPES = """\b
Examples:
  coreflens db recipes
  coreflens db recipes pronoun-distance                               its SQL, to start from
"""
_CHECK = """\b
Examples:
  coreflens db check dev.duckdb
  coreflens db check dev.duckdb --format json
"""
_FORMATS = ("table", "csv", "json", "markdown", "latex", "html", "parquet")
_LISTED = ("table", "json", "csv", "markdown")
_SUFFIXES = {".csv": "csv", ".json": "json", ".md": "markdown", ".tex": "latex", ".html": "html", ".parquet": "parquet"}


@group("db", epilog=_EPILOG)
def db_command() -> None:
    """A corpus with all its layers, responses, scores and errors as one database (DuckDB), for queries in SQL."""


_SCORED = Rule(("metrics", "protocol", "key"), given("response"), "needs --response NAME=PATH, which is scored")


def _sources(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of commands that read files into a database."""
    command = reading(command)
    command = click.option("--encoding", help="Encoding of the files, if it is not UTF-8.")(command)
    known = "Format of the files, if it is not recognised; see `coreflens list formats`."
    command = click.option("--input-format", "format", metavar="FORMAT", help=known)(command)
    command = coref_column("format")(command)
    command = click.option(
        "--jobs", type=click.IntRange(1), help="Number of processes that read files. By default one per core."
    )(command)
    command = click.option("--key", metavar="NAME", help="The side to score responses against, if there are several.")(
        command
    )
    return click.option(
        "--response",
        "responses",
        metavar="NAME=PATH",
        multiple=True,
        help="Response of a system. Repeat the option for several.",
    )(command)


@db_command.command("build", epilog=_BUILD, rules=(_SCORED,))
@click.argument("out", metavar="OUT.duckdb", type=FilePath())
@click.argument("keys", metavar="NAME=PATH...", nargs=-1, required=True)
@_sources
@click.option("-m", "--metrics", multiple=True, metavar="A,B,...", help="Metrics of the table of scores.")
@click.option("--protocol", type=Choice(list(PROTOCOLS)), help="Named settings for the scores and errors.")
def build_command(
    out: str,
    keys: tuple[str, ...],
    responses: tuple[str, ...],
    metrics: tuple[str, ...],
    protocol: str | None,
    jobs: int | None,
    **options: Any,
) -> None:
    """Build OUT.duckdb from corpora, each with a name: files, directories, globs or archives of any format.

    With responses, the database also records which mentions matched, the scores by document, and the errors with their
    prices.
    """
    from ..processes import cores
    from ..store import build

    settings = {name: value for name, value in (("metrics", ",".join(metrics)), ("protocol", protocol)) if value}
    built = build(
        out, _named(keys), _named(responses), settings=settings, jobs=jobs or cores(), watch=bar("reading"), **options
    )
    _tell(built, out)


def _change(
    mode: Mode, path: str, keys: Sequence[str], responses: Sequence[str], jobs: int | None, **options: Any
) -> None:
    from ..processes import cores
    from ..store import change

    if not keys and not responses:
        raise UsageError("nothing to read: give NAME=PATH, or --response NAME=PATH")
    built = change(
        path,
        mode,
        _named(keys),
        _named(responses),
        jobs=jobs or cores(),
        watch=bar("reading"),
        **options,
    )
    _tell(built, path)


@db_command.command("add", epilog=_ADD, rules=(_SCORED,))
@click.argument("path", metavar="FILE.duckdb", type=FilePath())
@click.argument("keys", metavar="[NAME=PATH]...", nargs=-1)
@_sources
def add_command(path: str, **options: Any) -> None:
    """Add documents to a side of FILE.duckdb, or add a new side. A document that exists already is an error."""
    _change("add", path, **options)


@db_command.command("replace", epilog=_REPLACE, rules=(_SCORED,))
@click.argument("path", metavar="FILE.duckdb", type=FilePath())
@click.argument("keys", metavar="[NAME=PATH]...", nargs=-1)
@_sources
def replace_command(path: str, **options: Any) -> None:
    """Replace documents of a side of FILE.duckdb by those of the same names in PATH. New documents are added."""
    _change("replace", path, **options)


@db_command.command("remove", epilog=_REMOVE)
@click.argument("path", metavar="FILE.duckdb", type=FilePath())
@click.argument("side", metavar="NAME")
@click.argument("documents", metavar="[DOCUMENT]...", nargs=-1)
def remove_command(path: str, side: str, documents: tuple[str, ...]) -> None:
    """Remove a side from FILE.duckdb, or some of its documents, by name or by name and part (`NAME_0`)."""
    from ..store import remove

    _tell(remove(path, side, documents), path)


def _query_format(asked: Mapping[str, Any]) -> str:
    """The format that is asked for, or that of the file to write."""
    out = (asked["out"] or "").lower()
    suffix = next((kind for end, kind in _SUFFIXES.items() if out.endswith(end)), "table")
    return asked["format_"] or suffix


_QUERY_RULES = (
    Rule(
        ("width",),
        lambda asked: _query_format(asked) in ("latex", "json", "csv"),
        "needs --format latex, or a file OUT.tex",
    ),
)


@db_command.command("query", epilog=_QUERY, rules=_QUERY_RULES)
@click.argument("path", metavar="FILE.duckdb", type=FilePath())
@click.argument("question", metavar="SQL|FILE.sql|RECIPE")
@click.option(
    "--set",
    "given",
    metavar="NAME=VALUE",
    multiple=True,
    help="Value of a parameter, $NAME. Repeat the option for several.",
)
@click.option(
    "--format", "format_", type=Choice(_FORMATS), help="Output format. By default it follows from the suffix of -o."
)
@click.option("-o", "--output", "out", type=FilePath(), help="File to write. By default stdout.")
@click.option("--plot", type=PLOT, metavar="FILE", help="Draw the two columns of the result, as .svg, .png or .pdf.")
@click.option("--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals in tables.")
def query_command(
    path: str,
    question: str,
    given: tuple[str, ...],
    format_: str | None,
    out: str | None,
    plot: str | None,
    digits: int,
) -> None:
    """Ask FILE.duckdb a question in SQL, from a file of SQL, or by the name of a recipe.

    The database is opened read-only, and a query can't read any other file. `end` is a keyword of SQL: write "end".
    """
    from ..files.writing import save
    from ..paper.writers import WRITERS
    from ..store import ask

    format_ = _query_format({"format_": format_, "out": out})
    if format_ == "parquet" and out is None:
        raise UsageError("Parquet can't be printed on a terminal: give -o FILE.parquet")
    found = ask(path, question, _given(given))
    if plot is not None:
        found.plot(question if len(question) < 60 else "").save(plot)
        note(f"wrote {plot}")
    if format_ == "parquet":
        save([found.parquet()], str(out))
        return
    text = found.json() if format_ == "json" else WRITERS[format_](found.table(17 if format_ == "csv" else digits), "")
    if out is not None:
        save([text.rstrip("\n") + "\n"], out)
    else:
        output(text, format_)


@db_command.command("recipes", epilog=_RECIPES)
@click.argument("name", required=False)
@click.option(
    "--format", "format_", type=Choice(["table", "json", "csv", "markdown"]), default="table", help="Output format."
)
def recipes_command(name: str | None, format_: str) -> None:
    """List the recipes: named queries for `coreflens db query`. With NAME, show its SQL."""
    from ..errors import choose
    from ..paper.writers import WRITERS
    from ..report.answer import recipe_table
    from ..store.queries import recipes

    if name is not None:
        choose(name, recipes(), "recipe")
    some = [recipes()[name]] if name else list(recipes().values())
    if format_ == "json":
        echo(json.dumps([{**r._asdict(), "parameters": r.parameters} for r in some], ensure_ascii=False, indent=1))
    elif name:
        one = some[0]
        echo("\n".join(filter(None, (f"-- {one.title}", one.about and f"-- {one.about}", one.sql))))
    else:
        echo(WRITERS[format_](recipe_table(some), ""))


@db_command.command("check", epilog=_CHECK)
@click.argument("path", metavar="FILE.duckdb", type=FilePath())
@click.option(
    "--format", "format_", type=Choice(["table", "json"]), default="table", show_default=True, help="Output format."
)
@click.pass_context
def check_command(context: click.Context, path: str, format_: str) -> None:
    """Check that FILE.duckdb is consistent, and show the place in the source file of each problem.

    It checks the keys between tables, that mentions lie in their documents and heads in their mentions, that trees,
    sentences and tokens agree, that there are no empty chains and no half-read files, and that every side is complete
    and has the rows that were written. Names and arguments that are not constituents are warnings, since corpora have
    such cases.
    """
    from ..store.checks import check

    findings = check(path)
    errors = sum(finding.severity == "error" for finding in findings)
    if format_ == "json":
        echo(json.dumps([finding.to_dict() for finding in findings], ensure_ascii=False, indent=1))
    else:
        for finding in findings:
            echo(f"{finding.severity}: {finding}")
        note(f"{counted(range(errors), 'error')}, {counted(range(len(findings) - errors), 'warning')}")
    context.exit(1 if errors else 0)


def _named(sources: Sequence[str]) -> dict[str, str]:
    """NAME=PATH, each name once."""
    found: dict[str, str] = {}
    for source in sources:
        name, equals, path = source.partition("=")
        if not equals or not name or not path:
            raise UsageError(f"'{source}' is not NAME=PATH, such as key=dev.conll")
        if name in found:
            raise UsageError(f"two sides are named '{name}'")
        found[name] = path
    return found


def _given(values: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE of parameters. The name may begin with `$`."""
    found = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals:
            raise UsageError(f"'{value}' is not NAME=VALUE, such as side=key")
        found[name.removeprefix("$")] = text
    return found


def _tell(built: Built, path: str) -> None:
    notes(built.issues)
    sides = ", ".join(f"{name} ({count} documents)" for name, count in built.documents.items())
    note(f"wrote {path}: {sides or 'no side'}")
