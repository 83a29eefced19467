"""The same text in several formats has the same entities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
from places import DATA

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there: no real file is compared")


def stems(folder: str, pattern: str) -> list[str]:
    return sorted(p.name.removesuffix(pattern[1:]) for p in (DATA / folder).glob(pattern))


def same(key: Path, response: Path, **options: Any) -> None:
    result = cl.score(key, response, pair="file", metrics=["mentions", "muc", "bcub", "ceafe"], **options)
    assert [result[name].f1 for name in ("mentions", "muc", "bcub", "ceafe")] == [pytest.approx(1)] * 4, (key, response)


@pytest.mark.parametrize("stem", stems("gum/conll", "*.conll"))
def test_gum(stem: str) -> None:
    """CoNLL, CoNLL-U and WebAnno TSV; CoNLL can't hold split antecedents."""
    key = DATA / "gum" / "conll" / f"{stem}.conll"
    same(key, DATA / "gum" / "dep" / f"{stem}.conllu", split_antecedents="drop")
    same(key, DATA / "gum" / "tsv" / f"{stem}.tsv", split_antecedents="drop")


@pytest.mark.parametrize("stem", stems("ontogum/conll", "*.conll"))
def test_ontogum(stem: str) -> None:
    key = DATA / "ontogum" / "conll" / f"{stem}.conll"
    same(key, DATA / "ontogum" / "conllu" / f"{stem}.conllu")
    same(key, DATA / "ontogum" / "tsv" / f"{stem}.tsv")


@pytest.mark.parametrize("stem", stems("litbank/conll", "*.conll"))
def test_litbank(stem: str) -> None:
    """CoNLL and TSV in tokens, brat in characters."""
    key = DATA / "litbank" / "conll" / f"{stem}.conll"
    same(key, DATA / "litbank" / "tsv" / f"{stem}.ann")
    same(key, DATA / "litbank" / "brat" / f"{stem}.ann", align="characters")


@pytest.mark.parametrize("name", ["aesop", "cicero"])
def test_corefconversion(name: str, tmp_path: Path) -> None:
    """SACR, and the documents that its author's converter made of it."""
    made = cl.read(DATA / "corefconversion" / "testing_sacr2conll.conll")
    found = [d for d, document in enumerate(made.documents) if name in document.name]
    assert found, [document.name for document in made.documents]
    for d in found:
        cl.write(made.only(d), tmp_path / "made.conll", lossy=True)
        same(DATA / "corefconversion" / f"{name}.sacr", tmp_path / "made.conll", align="characters")
