"""From one format to another, with a list of what the new format can't hold.

A target file gets all documents in the order of the input. A target directory gets one file per file of the input (or
per document, if the format holds only one). Files of formats that can be streamed are never held in memory as a whole.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..corpus.model import Corpus, Document, file_stem
from ..corpus.singletons import with_singletons
from ..errors import PLACES, InputError, Issue, UsageError, counted
from ..files.finding import File, FoundFiles, find
from ..files.opening import run
from ..files.writing import file_name, make_directory, save
from ..formats import FORMATS, FormatName, choose_format, concatenate, format_of, read, writer
from ..formats.reading import side_of_a_database
from ..formats.shared import features
from ..formats.shared.features import held, lost
from ..formats.shared.streaming import apart, stream
from ..keywords import known_keywords
from ..matching.selection import select
from ..options import Conditions


@run()
def convert(
    source: str | Path,
    target: str | Path,
    *,
    to: FormatName | None = None,
    strict: bool = False,
    blind: bool = False,
    lossy: bool = True,
    format: FormatName | None = None,
    encoding: str | None = None,
    add_singletons: bool = False,
    only: Conditions | None = None,
    without: Conditions | None = None,
    progress: Callable[[str], None] = lambda name: None,
    report: Callable[[Issue], None] = lambda issue: None,
) -> dict[str, int]:
    """Write `source` in another format; returns what was left out, feature → how many.

    What the format can't hold is left out and reported; if `strict`, it is an InputError and nothing is written.
    `blind` leaves out all mentions: the result is a skeleton, for systems that are to find them.
    `lossy` is accepted, as in version 0.1, and changes nothing.
    `to` is the format to write, by default that of the target's name. `format` is the format of the source, if it is
    not recognised. `add_singletons` makes an entity of each noun phrase that is not yet a mention (see
    `with_singletons`). `only` and `without` select mentions as they do for `score`.
    `progress` is called with the name of each file written, `report` with each note on the source.
    """
    format, to = choose_format(format), choose_format(to)
    change = _change(blind, add_singletons, selects=bool(only or without))
    side = side_of_a_database(str(source))
    if side is not None:
        changed = change(side) if change else select(side, only, without)
        return _convert_side(changed, Path(target), to, strict, progress, report)
    selected = select(read(source, format=format, encoding=encoding), only, without) if only or without else None
    found = find(str(source))
    directory = _is_directory(target, found.several)
    writing = _Writing(_target_format(target, to, directory), strict, report, progress)
    if directory or len(found.files) == 1:  # else `read` reports it
        for issue in found.issues(str(source)):
            report(issue)
    if selected is not None:
        for issue in selected.issues:
            report(issue)
    given = _Given(str(source), found, format, encoding, report, change, selected)
    if directory:
        for place, file in _targets(given.own_files(), str(source), Path(target), writing.suffix).items():
            make_directory(place.parent)
            writing.files(given.of_file(file), place)
    else:
        writing.file(given.corpora(), Path(target))
    return writing.done()


def _change(blind: bool, add_singletons: bool, *, selects: bool) -> Callable[[Corpus], Corpus] | None:
    """What is done to each corpus, besides selecting mentions."""
    if blind and add_singletons:
        raise UsageError("give either blind or add_singletons: a skeleton has no mentions")
    if selects and (blind or add_singletons):
        raise UsageError("--only and --without can't be used with --blind or --add-singletons")
    if blind:
        return without_mentions
    return with_singletons if add_singletons else None


def _is_directory(target: str | Path, several: bool = False) -> bool:
    """Whether the target is a directory. One that does not exist yet ends in a slash, or gets several files."""
    if str(target) == "-":
        return False
    return str(target).endswith("/") or Path(target).is_dir() or (several and not Path(target).suffix)


def _target_format(target: str | Path, to: FormatName | None, directory: bool) -> str:
    if directory and to is None:
        raise InputError("a directory does not say which format to write", file=str(target), hint="--to FORMAT")
    return to or format_of(str(target))


def _convert_side(
    side: Corpus,
    target: Path,
    to: FormatName | None,
    strict: bool,
    progress: Callable[[str], None],
    report: Callable[[Issue], None],
) -> dict[str, int]:
    """A side of a database: into a file, or into a directory that gets a file named after the side."""
    directory = _is_directory(target)
    writing = _Writing(_target_format(target, to, directory), strict, report, progress)
    if directory:
        make_directory(target)
        writing.files(_reported([side], report), target / file_name(side.source.rpartition(":")[2], writing.suffix))
    else:
        writing.file(_reported([side], report), target)
    return writing.done()


class _Given:
    """The files that are converted, as corpora.

    Mentions are selected once for all files, so that a value that one file lacks is not an error: `selected`.
    """

    def __init__(
        self,
        source: str,
        found: FoundFiles,
        format: FormatName | None,
        encoding: str | None,
        report: Callable[[Issue], None],
        change: Callable[[Corpus], Corpus] | None,
        selected: Corpus | None,
    ) -> None:
        self.source = source
        self.files, self.several = found.files, found.several
        self.format, self.encoding = format, encoding
        self.report = report
        self.change = change
        self.selected = selected

    def corpora(self) -> Iterable[Corpus]:
        """All documents, in the order of the input."""
        if self.selected is not None:
            return [self.selected]
        corpora = _corpora(self.files, self.several, self.source, self.format, self.encoding)
        return _reported(corpora, self.report, self.change)

    def of_file(self, file: File) -> Iterable[Corpus]:
        """The documents of one file; none if nothing of it is left."""
        if self.selected is not None:
            return _of_file(self.selected, file)
        return _reported(_corpora([file], False, "", self.format, self.encoding), self.report, self.change)

    def own_files(self) -> list[File]:
        """The files that are converted; empty files and files in unknown formats are reported."""
        if not self.several:
            return self.files
        own, strangers = apart(self.files, self.format, self.encoding)
        if not own:
            raise InputError(f"there is no coreference file here ({counted(self.files, 'file')})", file=self.source)
        if strangers:
            message = f"{counted(strangers, 'file')} below {self.source} empty or in no known format: left out"
            places = tuple(file.name for file, _ in strangers[:PLACES])
            self.report(Issue("skipped-files", message, len(strangers), places))
        return own


@known_keywords
def write(
    corpus: Corpus,
    path: str | Path,
    *,
    format: FormatName | None = None,
    strict: bool = False,
    lossy: bool = True,
    report: Callable[[Issue], None] = lambda issue: None,
) -> dict[str, int]:
    """Write a corpus, by default in the format of the target's name; returns what was left out, as `convert` does."""
    writing = _Writing(format or format_of(str(path)), strict, report)
    writing.file([corpus], Path(path))
    return writing.done()


class _Writing:
    """Files in one format, and what was left out of them."""

    def __init__(
        self,
        format: str,
        strict: bool,
        report: Callable[[Issue], None],
        progress: Callable[[str], None] = lambda name: None,
    ) -> None:
        self.format, self.strict = format, strict
        self.report, self.progress = report, progress
        self.module: Any = writer(format)
        self.lost: Counter[str] = Counter()
        self.places: dict[Path, Document] = {}  # the file of each document, if each gets one

    @property
    def suffix(self) -> str:
        return FORMATS[self.format].suffixes[0]

    def done(self) -> dict[str, int]:
        """What was left out of all the files, reported once."""
        if self.lost:
            self.report(Issue("no-room", f"{self._lacks(self.lost)}: left out", sum(self.lost.values())))
        return dict(self.lost)

    def _lacks(self, lost: Counter[str]) -> str:
        return f"{self.format} can't hold " + ", ".join(f"{feature} ({count})" for feature, count in lost.items())

    def files(self, corpora: Iterable[Corpus], path: Path) -> None:
        """One file, or one per document if the format can't hold several."""
        if "documents" in self.module.HOLDS:
            self.file(corpora, path)
            return
        for corpus in corpora:
            places = self._places_of(corpus, path)  # all of them before the first is written
            for d, place in enumerate(places):
                self.file([corpus if len(places) == 1 else corpus.only(d)], place)

    def _places_of(self, corpus: Corpus, path: Path) -> list[Path]:
        """The file of each document of a corpus: the given one, or one that is named after the document."""
        places = []
        for d, document in enumerate(corpus.documents):
            alone = len(corpus.documents) == 1
            place = path if alone else path.with_name(file_name(_stem(document, d), path.suffix))
            self._refuse_same_place(document, place)
            places.append(place)
        return places

    def _refuse_same_place(self, document: Document, place: Path) -> None:
        """Refuse to write two documents into one file."""
        other = self.places.setdefault(place, document)
        if other is not document:
            raise InputError(
                f"documents {other.quoted} ({other.place}) and {document.quoted} would both be written here",
                file=str(place),
                hint="convert their files one by one, each to another target",
            )

    def file(self, corpora: Iterable[Corpus], path: Path) -> None:
        """All the corpora in one file; a format that can't be continued needs them at once."""
        if not getattr(self.module, "APPENDS", False):
            corpora = [concatenate(list(corpora))]
        beside: dict[str, Iterator[str]] = {}
        save(self._pieces(corpora, path, beside), path)
        for suffix, other in beside.items():
            save(other, Path(str(path).removesuffix(".gz")).with_suffix(suffix))
        self.progress(str(path))

    def _pieces(self, corpora: Iterable[Corpus], path: Path, beside: dict[str, Iterator[str]]) -> Iterator[str | bytes]:
        """The pieces of a file. What belongs into files of other suffixes is added to `beside`."""
        seen: dict[str, Document] = {}
        before = Counter(self.lost)
        for corpus in corpora:
            _refuse_twice(corpus, seen)
            self.lost.update(lost(held(corpus), self.module.HOLDS))
            if self.lost and self.strict:
                continue  # go on counting, so that the message names everything
            fitting = fitted(corpus, self.module)
            if hasattr(self.module, "beside"):
                beside.update(self.module.beside(fitting))
            yield from self.module.write(fitting)
        if self.strict:
            self._refuse_losses(self.lost - before, path)

    def _refuse_losses(self, lost: Counter[str], path: Path) -> None:
        if not lost:
            return
        hint = "without --strict the rest is written; `coreflens list formats` lists other formats"
        if "documents" in lost:
            hint = f"a directory as the target (OUT/ --to {self.format}) gets a file for each document; {hint}"
        raise InputError(self._lacks(lost), file=str(path), hint=hint)


def _stem(document: Document, number: int) -> str:
    """The name of a document as that of a file, without a suffix."""
    return re.sub(r"[^\w.+-]+", "_", document.label).strip("._") or f"document_{number}"


def fitted(corpus: Corpus, module: Any) -> Corpus:
    """The corpus counted in tokens or in characters, as the format needs it, without what it would misread."""
    corpus = features.without(corpus, module.HOLDS)
    units: tuple[str, ...] = getattr(module, "UNITS", ("token",))
    if corpus.unit in units or (corpus.names is not None and not corpus.has_text):
        return corpus
    from ..corpus.characters import tokenised, written

    return tokenised(corpus) if corpus.unit == "character" else written(corpus)


def _corpora(
    files: list[File], several: bool, name: str, format: FormatName | None, encoding: str | None
) -> Iterator[Corpus]:
    if several and len(files) != 1:  # `read` takes care of neighbours and of files in unknown formats
        yield read(name, format=format, encoding=encoding)
        return
    for file in files:
        for _, _, corpus in stream(file, format, encoding):
            if corpus is not None:
                yield corpus


def _of_file(whole: Corpus, file: File) -> list[Corpus]:
    """The documents of one file; none if nothing of it is left."""
    documents = [d for d, document in enumerate(whole.documents) if document.file == file.name]
    return [replace(whole.within(np.array(documents, dtype=np.int64)), issues=())] if documents else []


def without_mentions(corpus: Corpus) -> Corpus:
    """Words and layers alone: a skeleton, for systems that are to find the mentions."""
    return replace(corpus.take(np.arange(0)), relations=[])


def _reported(
    corpora: Iterable[Corpus], report: Callable[[Issue], None], change: Callable[[Corpus], Corpus] | None = None
) -> Iterator[Corpus]:
    for given in corpora:
        corpus = given if change is None else change(given)
        for issue in corpus.issues:
            report(issue)
        yield corpus


def _refuse_twice(corpus: Corpus, seen: dict[str, Document]) -> None:
    """Refuse two documents of one name in a file, which a reader could not distinguish."""
    for document in corpus.documents:
        first = seen.setdefault(document.label, document)
        if first is not document and document.label:
            raise InputError(
                f"document {document.quoted} is also in {first.place or 'an earlier file'}: not written twice",
                file=document.file or None,
                line=document.line or None,
                hint="a directory as the target (OUT/ --to FORMAT) gets a file for each file of the input",
            )


def _targets(files: list[File], source: str, target: Path, suffix: str) -> dict[Path, File]:
    """Where each file goes: the same path below the target, with the suffix of its new format."""
    names = [Path(file.name) for file in files]
    if len(names) > 1 and not names[0].is_relative_to(source):  # a pattern: below the directory that its files share
        source = os.path.commonpath([name.parent for name in names])
    found: dict[Path, File] = {}
    for name, file in zip(names, files, strict=True):
        below = name.relative_to(source) if name != Path(source) and name.is_relative_to(source) else Path(name.name)
        place = target / below.parent / file_name(file_stem(below.name), suffix)
        if place in found:
            message = f"'{found[place].name}' and '{file.name}' would both become '{place}'"
            raise InputError(message, hint="convert them one by one, or give one of them another name")
        found[place] = file
    return found
