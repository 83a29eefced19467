"""All files of ../shared/data: read or refused, counted independently, 100 against themselves, through every format."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Hashable
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

import coreflens as cl
import data_page
from coreflens.corpora.conversion import fitted
from coreflens.corpus.model import Corpus
from coreflens.formats import FORMATS, FormatName, read
from coreflens.formats.shared.features import held, lost
from places import DATA
from samples import OWN, paths

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there: no real file is tested"),
]

FOLDERS = sorted({p.relative_to(DATA).parts[0] for p in paths()})
WRITTEN = [name for name, format in FORMATS.items() if format.writes]


@cache
def corpora() -> dict[Path, Corpus]:
    """All that can be read."""
    found = {}
    for path in paths():
        try:
            found[path] = read(path, role="key")
        except cl.InputError as error:
            assert error.file and error.message
    return found


def below(folder: str) -> dict[Path, Corpus]:
    return {path: corpus for path, corpus in corpora().items() if path.relative_to(DATA).parts[0] == folder}


def test_the_page_is_what_is_read_today() -> None:
    assert data_page.outdated() == []
    assert len(data_page.settled()) > 600, "most of ../shared/data is not what the page lists: python docs/pages.py"


def test_new_data_is_no_fault_and_changed_counts_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On copies: a directory more, a file more, a mention less."""
    data, page = tmp_path / "data", tmp_path / "page.md"
    for folder in ("litbank/conll", "gum/dep"):
        shutil.copytree(DATA / folder, data / folder)
    monkeypatch.setattr(data_page, "DATA", data)
    monkeypatch.setattr(data_page, "PAGE", page)
    page.write_text(data_page.page(), "utf-8")
    known = data_page.settled()
    assert data_page.outdated() == [] and len(known) == 14
    shutil.copytree(DATA / "litbank/tsv", data / "litbank/tsv")
    assert data_page.outdated() == [] and data_page.settled() == known
    (data / "gum/dep/more.conllu").write_text("more")
    assert data_page.outdated() == [] and len(data_page.settled()) == 6
    file = known[-1]
    file.write_text(re.sub(r"\(\d+\)", "-", file.read_text("utf-8"), count=1), "utf-8")
    (line,) = data_page.outdated()
    assert line.startswith("| `litbank/conll/*.conll` | 6 | conll |")
    file.write_text("nothing")
    assert len(data_page.outdated()) == 2


# What is refused, and with which message: texts, scores and notes beside corpora, and formats known but not read.
REFUSED = {
    r".*/(txt|const|tsv|brat|original)/.*\.(txt|ptb)": "not a coreference format",
    r".*(README(\.md)?|\.summary|(scores|results|map)\.txt|eval_.*\.txt)": "not a coreference format",
    r".*\.eval": "(not a coreference format|table without)",
    r"hypercoref_cdcr/[^/]*\.csv": "not a coreference format",
    r".*\.conll10": "CoNLL-U without coreference",
    r"er_other/.*\.csv(\.gz)?": "a table without columns",
    r"(koconovel|scorer_tests_scorch)/.*\.jsonl?": "(JSON that is neither|a mention must be a string or)",
    r"corefpro_mmax2/.*\.xml": "(XML|MMAX2)",
    r"(fr_litbank|litbank)/.*\.txt": "not a coreference format",
}


def test_only_what_is_none_is_refused() -> None:
    for path in {*paths()} - {*corpora()}:
        name = str(path.relative_to(DATA))
        expected = next((message for pattern, message in REFUSED.items() if re.fullmatch(pattern, name)), None)
        assert expected, f"{name} should be read"
        with pytest.raises(cl.InputError, match=expected):
            read(path)


# ---- counts made without the readers


def _text(path: Path) -> str:
    return (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode()


def _columns(path: Path) -> tuple[int, int]:
    """Documents and opening brackets of the last column."""
    lines = [line for line in _text(path).splitlines() if line.strip()]
    begins = sum(bool(re.match(r"#\s*begin document", line)) for line in lines)
    tokens = [line for line in lines if not re.match(r"#\s*(begin|end) doc", line)]
    last = [line.rstrip("\n\r").split("\t" if "\t" in line else None)[-1] for line in tokens]
    return begins or 1, "".join(last).count("(")


def _conllu(path: Path) -> tuple[int, int]:
    """newdoc comments, and opening brackets of Entity but for the later parts of a mention."""
    text = _text(path)
    cells = re.findall(r"^(?:\d+|\d+\.\d+)\t.*?(?<=[\t|])Entity=([^|\n]*)", text, re.MULTILINE)
    parts = len(re.findall(r"\([^()-]*\[(?!1/)\d+/\d+\]", "\n".join(cells)))
    return len(re.findall("^# *newdoc", text, re.MULTILINE)) or 1, "".join(cells).count("(") - parts


def _litbank(path: Path) -> tuple[int, int]:
    return 1, len(re.findall(r"^MENTION\t", _text(path), re.MULTILINE))


def _jsonlines(path: Path) -> tuple[int, int]:
    records = [json.loads(line) for line in _text(path).splitlines()]
    return len(records), sum(len(cluster) for record in records for cluster in record["clusters"])


def _ecb(path: Path) -> tuple[int, int]:
    markables = ElementTree.parse(path).getroot().findall("Markables/*")
    return 1, sum(m.find("token_anchor") is not None for m in markables)


def _labels(path: Path) -> tuple[int, int]:
    lines = _text(path).split()
    return 1, len(lines) - (not lines[0].isdigit())


def _booknlp(path: Path) -> tuple[int, int]:
    return 1, len(_text(path).splitlines()) - 1


def _xrenner(path: Path) -> tuple[int, int]:
    return 1, _text(path).count("<referent ")


COUNTS: dict[str, Callable[[Path], tuple[int, int]]] = {
    "conll": _columns,
    "semeval": _columns,
    "conllu": _conllu,
    "litbank": _litbank,
    "jsonlines": _jsonlines,
    "ecb": _ecb,
    "labels": _labels,
    "booknlp": _booknlp,
    "xrenner": _xrenner,
}


@pytest.mark.parametrize("format", COUNTS)
def test_counts(format: str) -> None:
    found = {path: corpus for path, corpus in corpora().items() if corpus.format == format}
    assert found
    for path, corpus in found.items():
        assert (len(corpus.documents), len(corpus)) == COUNTS[format](path), path


# ---- 100 against itself


@pytest.mark.parametrize("folder", FOLDERS)
def test_all_get_100_against_themselves(folder: str) -> None:
    for path, corpus in below(folder).items():
        if not len(corpus):
            continue
        result = cl.score(corpus, corpus, metrics=["conll"])
        for name in ("mentions", "muc", "bcub", "ceafe"):
            numbers = result[name].numbers()
            assert all(x == pytest.approx(1) for n, x in numbers.items() if n not in result[name].undefined), (
                path,
                name,
            )


# ---- through every format


def entities(corpus: Corpus) -> Counter[Hashable]:
    """Entities by document as their mentions, whatever they are called."""
    found: dict[tuple[int, int], list[str]] = {}
    for row, key in enumerate(zip(corpus.doc.tolist(), corpus.entity.tolist(), strict=True)):
        place = corpus.pieces(row) if corpus.names is None else corpus.names[row]
        found.setdefault(key, []).append(str(place))
    return Counter((d, tuple(sorted(mentions))) for (d, _), mentions in found.items())


# What changes mentions or documents if a format can't hold it; all else that is lost leaves them as they are.
MATTERS = {
    *("spans", "names", "crossing mentions", "repeated mentions", "discontinuous mentions", "cross-document entities"),
    *("documents without mentions", "document parts", "documents"),
}


def _few() -> list[Path]:
    """The smallest files of each format in each folder: all shapes, in little time."""
    found: dict[tuple[str, str], list[Path]] = {}
    for path, corpus in corpora().items():
        found.setdefault((path.relative_to(DATA).parts[0], corpus.format), []).append(path)
    return [path for group in found.values() for path in sorted(group, key=lambda p: (p.stat().st_size, p))[:2]]


@pytest.mark.parametrize("to", WRITTEN)
def test_through_every_format(to: FormatName, tmp_path: Path) -> None:
    module = FORMATS[to].module
    target = tmp_path / f"file{FORMATS[to].suffixes[0]}"
    kept = 0
    for path in _few():
        corpus = corpora()[path]
        missing = lost(held(corpus), module.HOLDS)
        try:
            assert cl.write(corpus, target, lossy=True) == missing
        except cl.InputError:  # what a format can't say at all, such as spans without the words
            assert not target.exists(), path
            continue
        if not len(corpus) and "documents without mentions" in missing:
            continue  # nothing is left
        again = read(target, format=None if len(corpus) else to)  # without any mark, some are but text
        assert again.format == ("table" if to == "parquet" else to), path
        if not MATTERS & {*missing}:
            assert entities(again) == entities(fitted(corpus, module)), path
            kept += 1
        for file in tmp_path.iterdir():
            file.unlink()
    assert kept > 1


def test_own_files_are_of_every_format() -> None:
    assert {sample.format for sample in OWN} == {*FORMATS}
