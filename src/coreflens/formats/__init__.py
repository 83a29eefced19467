"""Reading and writing corpora: formats are recognised by content, never by name.

A format is a module with `looks_like(head: bytes) -> bool` and `read(source: Source) -> Corpus`; one that can be
written also has `write(corpus: Corpus) -> Iterator[str]` and `HOLDS`, the features it has room for, and if it takes two
files, `beside(corpus)`: suffix → pieces of the other. One line in `FORMATS` makes it known everywhere. `UNREAD` names
what coreflens recognises but does not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from ..errors import PLACES, InputError, Issue, choose, counted
from ..model import Corpus, IntArray, Text
from .encoding import unpacked
from .files import File, find
from .source import Source

_HEAD = 1 << 16


class _Module(Protocol):
    HOLDS: frozenset[str]

    def looks_like(self, head: bytes) -> bool: ...
    def read(self, source: Source) -> Corpus: ...
    def write(self, corpus: Corpus) -> Iterator[str]: ...
    def beside(self, corpus: Corpus) -> Mapping[str, Iterator[str]]: ...


@dataclass(frozen=True, slots=True)
class Format:
    """A format's name, a line about it, and the module that reads it; `suffixes` of files written in it."""

    name: str
    about: str
    suffixes: tuple[str, ...] = ()

    @property
    def module(self) -> _Module:
        return cast(_Module, import_module(f".{self.name}", __name__))

    @property
    def writes(self) -> bool:
        return bool(self.suffixes)


FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Format("conll", "CoNLL-2011/2012 columns, coreference in the last; also two-column and mention-id files"),
        Format("conllu", "CoNLL-U with the coreference of CorefUD: Entity=, Bridge=, SplitAnte= in MISC", (".conllu",)),
        Format(
            "conllua", "CONLL-UA of Universal Anaphora: IDENTITY, BRIDGING, DISCOURSE_DEIXIS columns", (".conllua",)
        ),
        Format("korkor", "CoNLL-U Plus with pointers to antecedents (COREFHEAD), as KorKor has them"),
        Format("jsonlines", "one document a line: doc_key, sentences, clusters of [start, end] token spans"),
        Format("table", "CSV or TSV with a header and a mention a row: doc, mention, entity"),
    )
}

_PACKED = ((b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"), (b"PK\3\4", "a zip archive"), (b"\x28\xb5\x2f\xfd", "zstandard"))

UNREAD: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    ("CoNLL-U without coreference", re.compile(rb"(?m)^\d+\t[^\t\n]*(\t[^\t\n]*){8}$")),
    ("CoNLL-U Plus without coreference", re.compile(rb"(?m)^# global\.columns")),
    ("WebAnno TSV", re.compile(rb"^#FORMAT=WebAnno")),
    ("FoLiA", re.compile(rb"<FoLiA")),
    ("KAF/NAF", re.compile(rb"<(KAF|NAF)")),
    ("UIMA XMI", re.compile(rb"<xmi:XMI")),
    ("MMAX2", re.compile(rb"<!DOCTYPE (markables|words)|<mmax_project")),
    ("MUC SGML", re.compile(rb"(?i)^\s*<(coref|doc|txt)\b")),
    ("ECB+ XML", re.compile(rb"<Document [^>]*doc_name")),
    ("XML", re.compile(rb"^\s*<\?xml|^\s*<[a-zA-Z][^>]*>")),
    ("brat standoff", re.compile(rb"(?m)^T\d+\t\w+ \d+ \d+")),
    ("BookNLP entities", re.compile(rb"^COREF\tstart_token")),
    ("LitBank TSV", re.compile(rb"^MENTION\tT\d+\t")),
    ("SACR", re.compile(rb"\{[^{}:\s]+:\w+=\"")),
    ("a JSON array, where jsonlines has an object a line", re.compile(rb"^\s*\[\s*\{")),
    ("GAP", re.compile(rb"^ID\tText\tPronoun\t")),
)


def read(source: Any, *, format: str | None = None, encoding: str | None = None, role: str = "") -> Corpus:
    """Read a corpus from a file, a directory, a glob, a zip archive, `-` (stdin), or plain Python clusters.

    `role` ("key" or "response") matters to formats that hold both sides in one file.
    """
    if format is not None:
        choose(format, FORMATS, "format")
    if isinstance(source, Corpus):
        return source
    if not isinstance(source, (str, Path)):
        from .python import from_python

        return from_python(source, role)
    files, several = find(str(source))
    if several:
        return _read_several(files, str(source), format, encoding, role)
    return read_file(files[0], format, encoding, role)


def read_file(file: File, format: str | None = None, encoding: str | None = None, role: str = "") -> Corpus:
    """The corpus in one file."""
    source = opened(file, encoding, role)
    return (FORMATS[format] if format else recognise(source)).module.read(source)


def opened(file: File, encoding: str | None = None, role: str = "") -> Source:
    """A file's content, unpacked and recoded; its neighbours are, too, when asked for."""

    def sibling(path: str) -> bytes | None:
        data = file.sibling(path)
        return None if data is None else unpacked(data, path, encoding)

    return Source(unpacked(file.load(), file.name, encoding), file.name, role, sibling)


def recognise(source: Source) -> Format:
    """The format of a file by its first bytes; an InputError says what it looks like otherwise."""
    head, name = source.data[:_HEAD], source.name
    if not head or source.data.isspace():
        raise InputError("the file is empty", file=name, hint="was the system's output written?")
    for format in FORMATS.values():
        if format.module.looks_like(head):
            return format
    known = f"coreflens reads {', '.join(FORMATS)} (`coreflens show table` says what one needs)"
    packed = next((what for magic, what in _PACKED if head.startswith(magic)), None)
    if packed:
        raise InputError(f"this is {packed}, which coreflens does not unpack", file=name, hint="gzip and zip are")
    if b"\0" in head:
        raise InputError("this is a binary file", file=name, hint=f"{known}; --encoding utf-16-le if it is text")
    for title, pattern in UNREAD:
        if pattern.search(head):
            raise InputError(f"this looks like {title}, which coreflens does not read", file=name, hint=known)
    raise InputError("no coreference format that coreflens knows", file=name, line=1, hint=known)


def _read_several(files: list[File], name: str, format: str | None, encoding: str | None, role: str) -> Corpus:
    """Several files as one corpus; those of no known format are left out and reported, text beside them is not."""
    corpora: list[Corpus] = []
    skipped: list[str] = []
    used: set[str] = set()
    for file in files:
        source = opened(replace(file, sibling=_noting(file, used)), encoding, role)
        try:
            chosen = FORMATS[format] if format else recognise(source)
        except InputError:
            skipped.append(file.name)
            continue
        corpora.append(chosen.module.read(source))
    if not corpora:
        raise InputError(f"no coreference file here ({counted(files, 'file')})", file=name)
    skipped = [s for s in skipped if s not in used]
    issues: tuple[Issue, ...] = ()
    if skipped:
        message = f"{counted(skipped, 'file')} below {name} empty or of no known format: left out"
        issues = (Issue("skipped-files", message, len(skipped), tuple(skipped[:PLACES])),)
    whole = concatenate(corpora)
    return replace(whole, source=name, issues=whole.issues + issues)


def _noting(file: File, used: set[str]) -> Callable[[str], bytes | None]:
    """The file's neighbours, with a note of each that was looked at."""

    def sibling(path: str) -> bytes | None:
        from posixpath import dirname, join, normpath

        used.add(normpath(join(dirname(file.name), path)))
        return file.sibling(path)

    return sibling


def concatenate(corpora: Sequence[Corpus]) -> Corpus:
    """Several corpora as one; equal entity labels stay equal."""
    if len(corpora) == 1:
        return corpora[0]
    named = {c.names is not None for c in corpora if len(c)}
    if len(named) > 1:
        raise InputError("some of the files identify mentions by name and others by span", file=corpora[0].source)
    units = {c.unit for c in corpora if len(c)} or {"token"}
    if len(units) > 1:
        raise InputError("some of the files count tokens and others characters", file=corpora[0].source)
    labels: dict[Any, int] = {}
    numbers = [
        # entities without labels of their own (a range) are never the same in two files
        np.array(
            [labels.setdefault((c, x) if isinstance(corpus.labels, range) else x, len(labels)) for x in corpus.labels],
            dtype=np.int64,
        )
        for c, corpus in enumerate(corpora)
    ]
    rows = np.cumsum([0, *map(len, corpora)]).tolist()
    docs = np.cumsum([0, *(len(c.documents) for c in corpora)])
    attributes = dict.fromkeys(name for c in corpora for name in c.attributes)
    return Corpus(
        documents=[d for c in corpora for d in c.documents],
        doc=np.concatenate([c.doc + offset for c, offset in zip(corpora, docs, strict=False)]),
        start=np.concatenate([c.start for c in corpora]),
        end=np.concatenate([c.end for c in corpora]),
        entity=np.concatenate([n[c.entity] if len(n) else c.entity for c, n in zip(corpora, numbers, strict=True)]),
        labels=list(labels),
        names=[n for c in corpora for n in c.names or ()] if named == {True} else None,
        line=_joined([c.line for c in corpora], rows, 0),
        format=corpora[0].format,
        issues=tuple(i for c in corpora for i in c.issues),
        unit=units.pop(),
        parts={row + offset: p for c, offset in zip(corpora, rows, strict=False) for row, p in c.parts.items()},
        head=_joined([c.head for c in corpora], rows, -1) if any(c.head is not None for c in corpora) else None,
        attributes={name: [x for c in corpora for x in c.attributes.get(name) or [""] * len(c)] for name in attributes},
        relations=[
            r._replace(
                source=int(n[r.source]) if r.source >= 0 else -1,
                target=int(n[r.target]) if r.target >= 0 else -1,
                mention=r.mention + offset if r.mention >= 0 else -1,
                anchor=r.anchor + offset if r.anchor >= 0 else -1,
            )
            for c, n, offset in zip(corpora, numbers, rows, strict=False)
            for r in c.relations
        ],
        texts=(lambda: _join_texts([c.text for c in corpora])) if all(c.has_text for c in corpora) else None,
    )


def _joined(columns: Sequence[IntArray | None], rows: Sequence[int], missing: int) -> IntArray:
    sizes = np.diff(rows)
    return np.concatenate(
        [np.full(n, missing, dtype=np.int64) if c is None else c for c, n in zip(columns, sizes, strict=True)]
    )


def _join_texts(texts: Sequence[Text]) -> Text:
    offsets = np.cumsum([0, *(len(t.words) for t in texts)])
    layers = dict.fromkeys(name for t in texts for name in t.layers)
    empty = any(t.empty is not None for t in texts)
    return Text(
        [word for t in texts for word in t.words],
        np.concatenate([*(t.first[:-1] + o for t, o in zip(texts, offsets, strict=False)), offsets[-1:]]),
        np.concatenate([t.sentences + o for t, o in zip(texts, offsets, strict=False)]),
        {name: [x for t in texts for x in t.layers.get(name) or [""] * len(t.words)] for name in layers},
        np.concatenate([np.zeros(len(t.words), bool) if t.empty is None else t.empty for t in texts])
        if empty
        else None,
        _joined([t.line for t in texts], offsets.tolist(), 0),
        [raw for t in texts for raw in t.raw or ()] if any(t.raw for t in texts) else None,
    )


def losses(corpus: Corpus, format: str) -> dict[str, int]:
    """What the corpus has and the format has no room for: feature → how many."""
    from .features import held, lost

    return lost(held(corpus), writer(format).HOLDS)


def writer(format: str) -> _Module:
    """The module that writes a format."""
    choose(format, [f.name for f in FORMATS.values() if f.writes], "format to write")
    return FORMATS[format].module


def format_of(path: str) -> str:
    """The format to write by the suffix of a file's name."""
    plain = path.removesuffix(".gz").lower()
    for format in FORMATS.values():
        if plain.endswith(format.suffixes):
            return format.name
    known = {suffix: f.name for f in FORMATS.values() for suffix in f.suffixes}
    raise InputError(
        "the name does not tell the format to write",
        file=path,
        hint=f"--to FORMAT, or one of {', '.join(f'{s} ({n})' for s, n in known.items())}",
    )


def write(corpus: Corpus, path: str | Path, *, format: str | None = None, lossy: bool = False) -> dict[str, int]:
    """Write a corpus; what the format has no room for is an InputError, or with `lossy` returned.

    Either the whole file is written or none of it.
    """
    chosen = format or format_of(str(path))
    lacking = losses(corpus, chosen)
    if lacking and not lossy:
        what = ", ".join(f"{feature} ({count})" for feature, count in lacking.items())
        raise InputError(f"{chosen} has no room for {what}", file=str(path), hint="--lossy writes it without them")
    module = writer(chosen)
    for suffix, pieces in (module.beside(corpus) if hasattr(module, "beside") else {}).items():
        save(pieces, Path(path).with_suffix(suffix))
    save(module.write(corpus), path)
    return lacking


def save(pieces: Iterable[str], path: str | Path) -> None:
    """Text into a file, gzipped if its name says so; nothing is left if that fails half-way."""
    import gzip
    import os

    path = Path(path)
    partial = path.with_name(path.name + ".partial")
    try:
        with gzip.open(partial, "wb") if path.suffix == ".gz" else open(partial, "wb") as out:
            for piece in pieces:
                out.write(piece.encode())
        os.replace(partial, path)
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=str(path)) from None
    finally:
        partial.unlink(missing_ok=True)
