"""docs/real-files.md: what coreflens reads in the third-party files of ../shared/data, and why it refuses others.

If the files are absent, the page stays as it is. tests/formats/test_real_files.py counts independently. Files that the
page does not list yet are not an error: they are neither compared nor tested until the page is written again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from coreflens.corpus.model import Corpus
from coreflens.errors import InputError
from coreflens.formats import read

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
PAGE = ROOT / "docs" / "real-files.md"
FUZZED = ROOT / "tests" / "data" / "fuzzed.md"

INTRODUCTION = """\
# Real files

This page shows what coreflens reads in {files} files made by others: corpora, outputs of systems and tests of scorers,
in their published formats and dialects. Each row stands for the files of one directory and format. Entities are counted
per document. None of these files is part of coreflens. Tests compare the counts with counts made without its readers.
They also check that every file gets 100 against itself, and that it stays the same when it is written in each format
and read again.
"""


@dataclass
class Row:
    """Similar files: from one directory, with one format or one refusal."""

    folder: str
    format: str
    files: list[str] = field(default_factory=list)
    documents: int = 0
    mentions: int = 0
    entities: int = 0
    warnings: set[str] = field(default_factory=set)

    def add(self, name: str, corpus: Corpus) -> None:
        self.files.append(name)
        self.documents += len(corpus.documents)
        self.mentions += len(corpus)
        self.entities += len({*zip(corpus.doc.tolist(), corpus.entity.tolist(), strict=True)})
        self.warnings |= {issue.code for issue in corpus.issues}

    @property
    def path(self) -> str:
        if len(self.files) == 1:
            return f"{self.folder}/{self.files[0]}"
        suffixes = {"".join(Path(name).suffixes[-1:]) for name in self.files}
        return f"{self.folder}/*{suffixes.pop() if len(suffixes) == 1 else ''}"


def files() -> list[Path]:
    """All files."""
    return sorted(p for p in DATA.rglob("*") if p.is_file() and p != DATA / "MANIFEST.md")


def listed(text: str) -> dict[str, list[tuple[int, str]]]:
    """Directory → its rows on a page, each with the number of its files."""
    found: dict[str, list[tuple[int, str]]] = {}
    for line in text.splitlines():
        if row := re.match(r"\| `([^`]*)/[^`/]*` \| (\d+) \|", line):
            found.setdefault(row[1], []).append((int(row[2]), line))
    return found


def settled() -> list[Path]:
    """The files of directories that the page lists, if a directory still has as many files as the page says."""
    below: dict[str, list[Path]] = {}
    for path in files():
        below.setdefault(str(path.parent.relative_to(DATA)), []).append(path)
    numbers = {folder: sum(n for n, _ in rows) for folder, rows in listed(PAGE.read_text("utf-8")).items()}
    return [path for folder, paths in below.items() if numbers.get(folder) == len(paths) for path in paths]


def outdated() -> list[str]:
    """Lines that the page should have today, and lacks, about the files that it lists."""
    if not DATA.is_dir():
        return []
    paths = settled()
    folders = {str(path.parent.relative_to(DATA)) for path in paths}
    old, new = PAGE.read_text("utf-8"), "\n".join(_parts(*rows(paths), len(paths)))
    said, found = (
        {line for f, rows in listed(text).items() if f in folders for _, line in rows} for text in (old, new)
    )
    prose, ours = ({*re.sub(r"\d+ files", "", text).splitlines()} for text in (old, new))
    return sorted((found - said) | {line for line in prose ^ ours if not line.startswith("| `")})


def rows(paths: Iterable[Path]) -> tuple[list[Row], list[Row]]:
    """The rows of files that are read, and of refused ones, with the message in place of the format."""
    known: dict[tuple[str, str], Row] = {}
    refused: dict[tuple[str, str], Row] = {}
    for path in paths:
        folder = str(path.parent.relative_to(DATA))
        try:
            corpus = read(path, role="key")
        except InputError as error:
            refused.setdefault((folder, error.message), Row(folder, error.message)).files.append(path.name)
        else:
            known.setdefault((folder, corpus.format), Row(folder, corpus.format)).add(path.name, corpus)
    return list(known.values()), list(refused.values())


def page() -> str:
    if not DATA.is_dir():
        return PAGE.read_text("utf-8")
    paths = files()
    return "\n".join(_parts(*rows(paths), len(paths)))


def _parts(known: list[Row], refused: list[Row], count: int) -> Iterator[str]:
    yield INTRODUCTION.format(files=count)
    yield "| files | number | format | documents | mentions | entities | warnings |"
    yield "|---|---:|---|---:|---:|---:|---|"
    for row in known:
        numbers = " | ".join(f"{n:,}" for n in (row.documents, row.mentions, row.entities))
        warnings = ", ".join(sorted(row.warnings))
        yield f"| `{row.path}` | {len(row.files)} | {row.format} | {numbers} | {warnings} |"
    yield "\n## Refused\n"
    yield "coreflens refuses these files. They are texts, tables of scores, notes on corpora, and other formats.\n"
    yield "| files | number | message |"
    yield "|---|---:|---|"
    for row in refused:
        yield f"| `{row.path}` | {len(row.files)} | {re.sub(r'[|]', r'&#124;', row.format)} |"
    yield "\n" + FUZZED.read_text("utf-8")
