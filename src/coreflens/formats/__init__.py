"""Reading corpora: formats are recognised by content, never by name.

A format is a module with `looks_like(head: bytes) -> bool` and `read(data: bytes, name: str, role: str) -> Corpus`;
one line in `FORMATS` makes it known everywhere. `UNREAD` names what coreflens recognises but does not read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from ..errors import PLACES, InputError, Issue, choose, counted
from ..model import Corpus, IntArray
from .encoding import unpacked

_HEAD = 1 << 16


class _Reader(Protocol):
    def looks_like(self, head: bytes) -> bool: ...
    def read(self, data: bytes, name: str, role: str = "") -> Corpus: ...


@dataclass(frozen=True, slots=True)
class Format:
    """A format's name, a line about it, and the module that reads it."""

    name: str
    about: str

    @property
    def module(self) -> _Reader:
        return cast(_Reader, import_module(f".{self.name}", __name__))


FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Format("conll", "CoNLL-2011/2012 columns, coreference in the last; also two-column and mention-id files"),
        Format("jsonlines", "one document a line: doc_key, sentences, clusters of [start, end] token spans"),
        Format("table", "CSV or TSV with a header and a mention a row: doc, mention, entity"),
    )
}

_PACKED = ((b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"), (b"PK\3\4", "a zip archive"), (b"\x28\xb5\x2f\xfd", "zstandard"))

UNREAD: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    ("CorefUD / CoNLL-U", re.compile(rb"(?m)^# (newdoc|global\.Entity|sent_id)|^\d+\t[^\t\n]*(\t[^\t\n]*){8}$")),
    ("CoNLL-U Plus", re.compile(rb"(?m)^# global\.columns")),
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
    """Read a corpus from a file, a directory, `-` (stdin), or plain Python clusters.

    `role` ("key" or "response") matters to formats that hold both sides in one file.
    """
    if format is not None:
        choose(format, FORMATS, "format")
    if isinstance(source, Corpus):
        return source
    if not isinstance(source, (str, Path)):
        from .python import from_python

        return from_python(source, role)
    if str(source) == "-":
        return _read_bytes(sys.stdin.buffer.read(), "stdin", format, encoding, role)
    if not str(source):
        raise InputError("an empty path", hint="is a variable in your script unset?")
    if "\n" in str(source) or "\0" in str(source):
        raise InputError("this is the content of a file, where its path is expected")
    path = Path(source)
    try:
        if path.is_dir():
            return _read_directory(path, format, encoding, role)
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError("no such file or directory", file=str(source)) from None
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}", file=str(error.filename or source)[:200]) from None
    return _read_bytes(data, str(source), format, encoding, role)


def _read_bytes(data: bytes, name: str, format: str | None, encoding: str | None, role: str) -> Corpus:
    data = unpacked(data, name, encoding)
    if not data or data.isspace():
        raise InputError("the file is empty", file=name, hint="was the system's output written?")
    chosen = FORMATS[format] if format else _recognise(data, name)
    return chosen.module.read(data, name, role)


def _recognise(data: bytes, name: str) -> Format:
    head = data[:_HEAD]
    for format in FORMATS.values():
        if format.module.looks_like(head):
            return format
    known = f"coreflens reads {', '.join(FORMATS)} (`coreflens show table` says what one needs)"
    packed = next((what for magic, what in _PACKED if head.startswith(magic)), None)
    if packed:
        raise InputError(f"this is {packed}, which coreflens does not unpack", file=name, hint="gzip is unpacked")
    if b"\0" in head:
        raise InputError("this is a binary file", file=name, hint=f"{known}; --encoding utf-16-le if it is text")
    for title, pattern in UNREAD:
        if pattern.search(head):
            raise InputError(f"this looks like {title}, which coreflens does not read", file=name, hint=known)
    raise InputError("no coreference format that coreflens knows", file=name, line=1, hint=known)


def _read_directory(path: Path, format: str | None, encoding: str | None, role: str) -> Corpus:
    """All files below a directory, hidden ones aside, as one corpus."""
    files = sorted(
        f for f in path.rglob("*") if f.is_file() and not any(p.startswith(".") for p in f.relative_to(path).parts)
    )
    corpora: list[Corpus] = []
    skipped: list[str] = []
    for file in files:
        data = unpacked(file.read_bytes(), str(file), encoding)
        try:
            chosen = FORMATS[format] if format else _recognise(data, str(file))
        except InputError:
            skipped.append(str(file))
            continue
        corpora.append(chosen.module.read(data, str(file), role))
    if not corpora:
        raise InputError(f"no coreference file in this directory ({counted(files, 'file')})", file=str(path))
    issues: tuple[Issue, ...] = ()
    if skipped:
        message = f"{counted(skipped, 'file')} below {path} empty or of no known format: left out"
        issues = (Issue("skipped-files", message, len(skipped), tuple(skipped[:PLACES])),)
    whole = concatenate(corpora)
    return replace(whole, source=str(path), issues=whole.issues + issues)


def concatenate(corpora: Sequence[Corpus]) -> Corpus:
    """Several corpora as one; equal entity labels stay equal."""
    if len(corpora) == 1:
        return corpora[0]
    named = {c.names is not None for c in corpora if len(c)}
    if len(named) > 1:
        raise InputError("some of the files identify mentions by name and others by span", file=corpora[0].source)
    labels: dict[Any, int] = {}
    docs, entities, offset = [], [], 0
    for corpus in corpora:
        docs.append(corpus.doc + offset)
        offset += len(corpus.documents)
        number = np.array([labels.setdefault(label, len(labels)) for label in corpus.labels], dtype=np.int64)
        entities.append(number[corpus.entity] if len(number) else corpus.entity)
    return Corpus(
        documents=[d for c in corpora for d in c.documents],
        doc=np.concatenate(docs),
        start=np.concatenate([c.start for c in corpora]),
        end=np.concatenate([c.end for c in corpora]),
        entity=np.concatenate(entities),
        labels=list(labels),
        names=[n for c in corpora for n in c.names or ()] if named == {True} else None,
        line=np.concatenate([_lines(c) for c in corpora]),
        format=corpora[0].format,
        issues=tuple(i for c in corpora for i in c.issues),
    )


def _lines(corpus: Corpus) -> IntArray:
    return np.zeros(len(corpus), dtype=np.int64) if corpus.line is None else corpus.line
