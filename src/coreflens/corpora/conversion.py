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
from ..files.finding import File, find
from ..files.opening import run
from ..files.writing import make_directory, save
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
    if blind and add_singletons:
        raise UsageError("give either blind or add_singletons: a skeleton has no mentions")
    change = without_mentions if blind else with_singletons if add_singletons else None
    if (only or without) and change is not None:
        raise UsageError("--only and --without can't be used with --blind or --add-singletons")
    if (side := side_of_a_database(str(source))) is not None:
        changed = change(side) if change else select(side, only, without)
        return _convert_side(changed, Path(target), to, strict, progress, report)
    whole = select(read(source, format=format, encoding=encoding), only, without) if only or without else None
    found = find(str(source))
    files, several = found.files, found.several
    into = str(target).endswith("/") or Path(target).is_dir() or (several and not Path(target).suffix)
    into = into and str(target) != "-"
    if into and to is None:
        raise InputError("a directory does not say which format to write", file=str(target), hint="--to FORMAT")
    chosen = to or format_of(str(target))
    writing = _Writing(chosen, strict, report)
    if into or len(files) == 1:  # else `read` reports it
        for issue in found.issues(str(source)):
            report(issue)
    if whole is not None:  # select once for all files, so that a value that one file lacks is not an error
        for issue in whole.issues:
            report(issue)
    if not into and whole is not None:
        writing.file([whole], Path(target))
        progress(str(target))
        return writing.done()
    if not into:
        writing.file(_reported(_corpora(files, several, str(source), format, encoding), report, change), Path(target))
        progress(str(target))
        return writing.done()
    if several:
        files = _own(files, str(source), format, encoding, report)
    for place, file in _targets(files, str(source), Path(target), FORMATS[chosen].suffixes[0]).items():
        make_directory(place.parent)
        pieces: Iterable[Corpus] = _reported(_corpora([file], False, "", format, encoding), report, change)
        for written in writing.files(pieces if whole is None else _of_file(whole, file), place):
            progress(str(written))
    return writing.done()


def _convert_side(
    side: Corpus,
    target: Path,
    to: FormatName | None,
    strict: bool,
    progress: Callable[[str], None],
    report: Callable[[Issue], None],
) -> dict[str, int]:
    """A side of a database: into a file, or into a directory that gets a file named after the side."""
    into = target.is_dir() or str(target).endswith("/")
    if into and to is None:
        raise InputError("a directory does not say which format to write", file=str(target), hint="--to FORMAT")
    chosen = to or format_of(str(target))
    writing = _Writing(chosen, strict, report)
    if not into:
        writing.file(_reported([side], report), target)
        progress(str(target))
        return writing.done()
    make_directory(target)
    place = target / f"{side.source.rpartition(':')[2]}{FORMATS[chosen].suffixes[0]}"
    for written in writing.files(_reported([side], report), place):
        progress(str(written))
    return writing.done()


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

    def __init__(self, format: str, strict: bool, report: Callable[[Issue], None]) -> None:
        self.format, self.strict, self.report = format, strict, report
        self.module: Any = writer(format)
        self.lost: Counter[str] = Counter()
        self.places: dict[Path, Document] = {}  # the file of each document, if each gets one

    def done(self) -> dict[str, int]:
        """What was left out of all the files, reported once."""
        if self.lost:
            self.report(Issue("no-room", f"{self._lacks(self.lost)}: left out", sum(self.lost.values())))
        return dict(self.lost)

    def _lacks(self, lost: Counter[str]) -> str:
        return f"{self.format} can't hold " + ", ".join(f"{feature} ({count})" for feature, count in lost.items())

    def files(self, corpora: Iterable[Corpus], path: Path) -> Iterator[Path]:
        """One file, or one per document if the format can't hold several."""
        if "documents" in self.module.HOLDS:
            self.file(corpora, path)
            yield path
            return
        for corpus in corpora:
            one = len(corpus.documents) == 1
            for d, document in enumerate(corpus.documents):
                name = re.sub(r"[^\w.+-]+", "_", document.label).strip("._") or f"document_{d}"
                place = path if one else path.with_name(f"{name}{path.suffix}")
                if (other := self.places.setdefault(place, document)) is not document:
                    message = (
                        f"documents {other.quoted} ({other.place}) and {document.quoted} would both be written here"
                    )
                    raise InputError(
                        message, file=str(place), hint="convert their files one by one, each to another target"
                    )
                self.file([corpus if one else corpus.only(d)], place)
                yield place

    def file(self, corpora: Iterable[Corpus], path: Path) -> None:
        """All the corpora in one file; a format that can't be continued needs them at once."""
        if not getattr(self.module, "APPENDS", False):
            corpora = [concatenate(list(corpora))]
        beside: dict[str, Iterator[str]] = {}
        seen: dict[str, Document] = {}

        def pieces() -> Iterator[str | bytes]:
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
            if self.lost - before and self.strict:
                hint = "without --strict the rest is written; `coreflens list formats` lists other formats"
                if "documents" in self.lost - before:
                    hint = f"a directory as the target (OUT/ --to {self.format}) gets a file for each document; {hint}"
                raise InputError(self._lacks(self.lost - before), file=str(path), hint=hint)

        save(pieces(), path)
        for suffix, other in beside.items():
            save(other, Path(str(path).removesuffix(".gz")).with_suffix(suffix))


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


def _own(
    files: list[File], source: str, format: FormatName | None, encoding: str | None, report: Callable[[Issue], None]
) -> list[File]:
    """The files of a collection that are converted; empty files and files in unknown formats are reported."""
    own, strangers = apart(files, format, encoding)
    if not own:
        raise InputError(f"there is no coreference file here ({counted(files, 'file')})", file=source)
    if strangers:
        message = f"{counted(strangers, 'file')} below {source} empty or in no known format: left out"
        report(Issue("skipped-files", message, len(strangers), tuple(f.name for f, _ in strangers[:PLACES])))
    return own


def _targets(files: list[File], source: str, target: Path, suffix: str) -> dict[Path, File]:
    """Where each file goes: the same path below the target, with the suffix of its new format."""
    names = [Path(file.name) for file in files]
    if len(names) > 1 and not names[0].is_relative_to(source):  # a pattern: below the directory that its files share
        source = os.path.commonpath([name.parent for name in names])
    found: dict[Path, File] = {}
    for name, file in zip(names, files, strict=True):
        below = name.relative_to(source) if name != Path(source) and name.is_relative_to(source) else Path(name.name)
        place = target / below.parent / (file_stem(below.name) + suffix)
        if place in found:
            message = f"'{found[place].name}' and '{file.name}' would both become '{place}'"
            raise InputError(message, hint="convert them one by one, or give one of them another name")
        found[place] = file
    return found
