"""From one format to another, without loss or with a list of what is lost.

One file becomes one file, documents in the order of the input; into a directory, each file of the input becomes a file
of its own (or each document, if the format holds one only). Files of formats that can be streamed are never held whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from .errors import InputError
from .formats import FORMATS, concatenate, format_of, read, save, writer
from .formats.features import held, lost, without
from .formats.files import File, find
from .formats.streaming import stream
from .model import Corpus, file_stem


def convert(
    source: str | Path,
    target: str | Path,
    *,
    to: str | None = None,
    lossy: bool = False,
    format: str | None = None,
    encoding: str | None = None,
    progress: Callable[[str], None] = lambda name: None,
) -> dict[str, int]:
    """Write `source` in another format; what would be lost, feature → how many, is an InputError unless `lossy`.

    `to` is the format to write, by default told by the name of the target; `format` that of the source, if its content
    does not tell. `progress` is called with the name of each file written.
    """
    files, several = find(str(source))
    into = str(target).endswith("/") or Path(target).is_dir()
    if into and to is None:
        raise InputError("a directory does not tell the format to write", file=str(target), hint="--to FORMAT")
    chosen = to or format_of(str(target))
    writing = _Writing(chosen, lossy)
    if not into:
        writing.file(_corpora(files, several, str(source), format, encoding), Path(target))
        progress(str(target))
    else:
        for place, file in _targets(files, str(source), Path(target), FORMATS[chosen].suffixes[0]):
            place.parent.mkdir(parents=True, exist_ok=True)
            for written in writing.files(_corpora([file], several, str(source), format, encoding), place):
                progress(str(written))
    return dict(writing.lost)


def write(corpus: Corpus, path: str | Path, *, format: str | None = None, lossy: bool = False) -> dict[str, int]:
    """Write a corpus, in the format that the name tells if none is named; what is lost as for `convert`."""
    writing = _Writing(format or format_of(str(path)), lossy)
    writing.file([corpus], Path(path))
    return dict(writing.lost)


class _Writing:
    """Files in one format, and what they lack."""

    def __init__(self, format: str, lossy: bool) -> None:
        self.format, self.lossy = format, lossy
        self.module: Any = writer(format)
        self.lost: Counter[str] = Counter()

    def files(self, corpora: Iterable[Corpus], path: Path) -> Iterator[Path]:
        """One file, or one a document if the format has no room for several."""
        if "documents" in self.module.HOLDS:
            self.file(corpora, path)
            yield path
            return
        for corpus in corpora:
            one = len(corpus.documents) == 1
            for d, document in enumerate(corpus.documents):
                name = re.sub(r"[^\w.+-]+", "_", document.label).strip("._") or f"document_{d}"
                place = path if one else path.with_name(f"{name}{path.suffix}")
                self.file([corpus if one else corpus.only(d)], place)
                yield place

    def file(self, corpora: Iterable[Corpus], path: Path) -> None:
        """All the corpora in one file; a format that can't be continued needs them at once."""
        if not getattr(self.module, "APPENDS", False):
            corpora = [concatenate(list(corpora))]
        beside: dict[str, Iterator[str]] = {}

        def pieces() -> Iterator[str]:
            before = Counter(self.lost)
            for corpus in corpora:
                self.lost.update(lost(held(corpus), self.module.HOLDS))
                if self.lost and not self.lossy:
                    continue  # go on counting, that the message may name it all
                fitting = fitted(corpus, self.module)
                if hasattr(self.module, "beside"):
                    beside.update(self.module.beside(fitting))
                yield from self.module.write(fitting)
            if self.lost - before and not self.lossy:
                what = ", ".join(f"{feature} ({count})" for feature, count in (self.lost - before).items())
                hint = "--lossy writes it without them; `coreflens list formats` has others"
                raise InputError(f"{self.format} has no room for {what}", file=str(path), hint=hint)

        save(pieces(), path)
        for suffix, other in beside.items():
            save(other, Path(str(path).removesuffix(".gz")).with_suffix(suffix))


def fitted(corpus: Corpus, module: Any) -> Corpus:
    """The corpus counted in tokens or in characters, as the format needs it, without what it would misread."""
    corpus = without(corpus, module.HOLDS)
    units: tuple[str, ...] = getattr(module, "UNITS", ("token",))
    if corpus.unit in units or (corpus.names is not None and not corpus.has_text):
        return corpus
    from .characters import tokenised, written

    return tokenised(corpus) if corpus.unit == "character" else written(corpus)


def _corpora(files: list[File], several: bool, name: str, format: str | None, encoding: str | None) -> Iterator[Corpus]:
    if several and len(files) != 1:  # with the care for neighbours and strangers that `read` takes
        yield read(name, format=format, encoding=encoding)
        return
    for file in files:
        for _, _, corpus in stream(file, format, encoding):
            if corpus is not None:
                yield corpus


def _targets(files: list[File], source: str, target: Path, suffix: str) -> Iterator[tuple[Path, File]]:
    """Where each file goes: the same path below the target, with the suffix of its new format."""
    for file in files:
        below = Path(file.name)
        if below.is_relative_to(source) and below != Path(source):
            below = below.relative_to(source)
        else:
            below = Path(below.name)
        yield target / below.parent / (file_stem(below.name) + suffix), file
