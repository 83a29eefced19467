"""From a path to a corpus: find the file, unpack it, recognise its format by its content, and read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from posixpath import dirname, join, normpath
from typing import Literal, NamedTuple, TypeAlias, cast

from ..corpus.model import Corpus, file_stem
from ..errors import PLACES, InputError, Issue, counted
from ..files.encoding import again, unpacked
from ..files.finding import File, FoundFiles, find
from ..files.limits import Limits, allowed, readers, under
from ..files.opening import bytes_of
from .inputs import Input
from .python import from_python
from .registry import FormatName, choose_format, prepared
from .shared.concatenation import concatenate, joined_documents
from .shared.repairs import repair, repairing
from .shared.source import Source

Unlabelled: TypeAlias = Literal["error", "absent"]
Role: TypeAlias = Literal["", "key", "response"]

_MANY = 10_000_000  # bytes that make other processes worth their start
LEFT_OUT = ("unknown-format", "empty-file", "no-rows")  # errors of files that are left out if there are others


def read(
    source: Input,
    *,
    format: FormatName | None = None,
    encoding: str | None = None,
    role: Role = "",
    coref_column: int | str | None = None,
    unlabelled: Unlabelled = "error",
) -> Corpus:
    """Read a corpus from a file, a directory, a glob, a zip archive, `-` (stdin), or plain Python clusters.

    format     the format of the files; by default it is recognised by content
    encoding   the encoding of the files, if it is not UTF-8
    role       "key" or "response", for formats that have both sides in one file
    coref_column   number (from 1) or name of the coreference column, if it is not the last column of a CoNLL file
    unlabelled     "absent" leaves out mentions of plain Python whose label is None or NaN; otherwise this is an error

        corpus = read("key.conll"); corpus.documents; list(corpus)
    """
    format = choose_format(format)
    if coref_column is not None:
        format = cast(FormatName, f"{format or 'conll'}:{coref_column}")
    if isinstance(source, Corpus):
        return source
    if not isinstance(source, (str, PathLike)):
        return from_python(source, role, unlabelled)
    path = fspath(source)
    if (side := side_of_a_database(path)) is not None:
        return side
    found = find(path)
    if found.several:
        return _read_several(found, path, format, encoding, role)
    return read_file(found.files[0], format, encoding, role)


def read_file(file: File, format: str | None = None, encoding: str | None = None, role: str = "") -> Corpus:
    """The corpus in one file."""
    recognised, source = prepared(opened(file, encoding, role), format)
    return recognised.module.read(source)


def opened(file: File, encoding: str | None = None, role: str = "") -> Source:
    """A file's content, unpacked and recoded."""
    data = unpacked(file.load(), file.name, encoding, file.budget)
    read_again = again(file.name, encoding) if file.on_disk else None
    return replace(source_of(data, file, encoding, role), again=read_again)


def source_of(data: bytes, file: File, encoding: str | None = None, role: str = "") -> Source:
    """The content of a file, or of a piece of it; neighbours of the file are unpacked and recoded when needed."""

    def sibling(path: str) -> bytes | None:
        data = file.sibling(path)
        return None if data is None else unpacked(data, path, encoding, file.budget)

    return Source(data, file.name, role, sibling, neighbours=file.neighbours)


def _read_several(given: FoundFiles, name: str, format: str | None, encoding: str | None, role: str) -> Corpus:
    """Several files as one corpus. Files of unknown formats are left out and reported, except texts beside
    annotations."""
    files = given.files
    corpora_by_file: dict[str, Corpus] = {}
    skipped: list[str] = []
    neighbours: set[str] = set()
    for file, (corpus, its_neighbours) in zip(files, _each_read(files, format, encoding, role), strict=True):
        neighbours |= its_neighbours
        if corpus is None:
            skipped.append(file.name)
        else:
            corpora_by_file[file.name] = corpus
    # A file that another file has read as its part, such as the words of an MMAX2 project, is not a separate corpus.
    corpora = [corpus for file, corpus in corpora_by_file.items() if normpath(file) not in neighbours]
    corpora = corpora or list(corpora_by_file.values())
    if not corpora:
        raise InputError(f"there is no coreference file here ({counted(files, 'file')})", file=name)
    skipped = [file for file in skipped if normpath(file) not in neighbours]
    return as_one(corpora, name, left_out(skipped, name) + given.issues(name))


def as_one(corpora: Sequence[Corpus], name: str, issues: tuple[Issue, ...]) -> Corpus:
    """The corpora of several files below a path of that name as one. `issues` are those about the files."""
    whole = joined_documents(concatenate(corpora), corpora, name)
    return replace(whole, source=name, issues=together(whole.issues) + issues)


_One: TypeAlias = tuple[Corpus | None, set[str]]  # None: no known format; the neighbours that the file has read


def _each_read(files: Sequence[File], format: str | None, encoding: str | None, role: str) -> Iterator[_One]:
    """Each of several files by itself, in several processes if asked for."""
    number = sharing(files)
    if number == 1:
        return (_read_one(file, format, encoding, role) for file in files)
    from ..processes import each

    work = partial(_sent, Circumstances.here(), format, encoding, role)
    return each(work, [file.name for file in files], number)


def sharing(files: Sequence[File], by_default: bool = False) -> int:
    """In how many processes files are read. Packed files count together against a limit, so they stay here.

    `by_default`: if no number was given, all cores read large files. It pays where little is sent back.
    """
    if len(files) < 2 or not all(f.on_disk and not f.name.endswith(".gz") for f in files):
        return 1
    if (asked := readers()) is not None or not by_default:
        return asked or 1
    from ..processes import chosen

    return chosen(None, bytes_of(f.name for f in files) >= _MANY)


def _read_one(file: File, format: str | None, encoding: str | None, role: str) -> _One:
    used: set[str] = set()
    source = opened(replace(file, sibling=noting(file, used)), encoding, role)
    try:
        recognised, source = prepared(source, format)
        corpus = recognised.module.read(source)
    except InputError as error:
        if error.code not in LEFT_OUT:
            raise
        return None, used
    return with_names(corpus, file.name), used


def _sent(here: Circumstances, format: str | None, encoding: str | None, role: str, name: str) -> _One:
    """The same in another process; a text that is read lazily can't be sent from there."""
    with here.hold():
        corpus, used = _read_one(find(name).files[0], format, encoding, role)
        return corpus and replace(corpus, texts=corpus.text if corpus.has_text else None), used


class Circumstances(NamedTuple):
    """The limits that hold, and whether input is repaired: what other processes take over when they read."""

    limit: Limits
    mending: bool

    @classmethod
    def here(cls) -> Circumstances:
        return cls(allowed(), repairing())

    @contextmanager
    def hold(self) -> Iterator[None]:
        with under(self.limit), repair() if self.mending else nullcontext():
            yield


def left_out(skipped: Sequence[str], name: str) -> tuple[Issue, ...]:
    """The note on files below a directory of that name that are empty or in no known format."""
    if not skipped:
        return ()
    message = f"{counted(skipped, 'file')} below {name} empty or in no known format: left out"
    return (Issue("skipped-files", message, len(skipped), tuple(skipped[:PLACES])),)


def is_side(path: str) -> bool:
    """Whether a path names a database of coreflens, or a side of one: `corpus.duckdb:key`."""
    if ".duckdb" not in path and ":" not in path:
        return False
    from ..database.connection import is_corpus

    return is_corpus(path)


def side_of_a_database(path: str) -> Corpus | None:
    """The side that `corpus.duckdb:key` names; None for any other path. A database without a side is an error."""
    if ".duckdb" not in path and ":" not in path:
        return None
    from ..database.connection import is_database, split_side
    from ..database.sides import read_side, side_names

    if (named := split_side(path)) is not None:
        return read_side(*named)
    if is_database(path):
        names = side_names(path)
        hint = f"name the side, such as {path}:{names[0]} (it has {', '.join(names)})" if names else ""
        raise InputError("this is a database with several sides", file=path, hint=hint)
    return None


def with_names(corpus: Corpus, file: str) -> Corpus:
    """The corpus of one of several files. Documents without a name get the name of the file, with a number if there
    are several."""
    nameless = [d for d, document in enumerate(corpus.documents) if not document.name]
    if not nameless:
        return corpus
    documents, stem = list(corpus.documents), file_stem(file)
    for number, d in enumerate(nameless, 1):
        documents[d] = documents[d]._replace(name=stem if len(nameless) == 1 else f"{stem} {number}")
    return replace(corpus, documents=documents)


def together(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """The issues of several files, one for each code."""
    issues_by_code: dict[str, list[Issue]] = {}
    for issue in issues:
        issues_by_code.setdefault(issue.code, []).append(issue)
    return tuple(_joined(same) for same in issues_by_code.values())


def _joined(issues: Sequence[Issue]) -> Issue:
    """Issues of the same code as one."""
    message = issues[0].message
    if len(issues) > 1:
        message += f"; and similar in {len(issues) - 1} more files"
    places = tuple(place for issue in issues for place in issue.places)
    return Issue(issues[0].code, message, sum(issue.count for issue in issues), places[:PLACES])


def noting(file: File, used: set[str]) -> Callable[[str], bytes | None]:
    """A function that reads the file's neighbours and adds each path to `used`."""

    def sibling(path: str) -> bytes | None:
        used.add(normpath(join(dirname(file.name), path)))
        return file.sibling(path)

    return sibling
