"""MMAX2: a project in several files is one document, whichever of them is given."""

from __future__ import annotations

import re
import zipfile
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
import places
from command import Run
from coreflens.errors import InputError
from coreflens.formats import mmax2
from coreflens.formats.shared.source import Source
from mutations import mutated
from texts.mmax2 import GROUPS, POINTERS, PROJECT, SETS, WORDS, project

DATA = places.DATA / "corefpro_mmax2"


def test_sets(tmp_path: Path) -> None:
    corpus = cl.read(project(tmp_path, coref=SETS))
    assert [(d.name, d.tokens) for d in corpus.documents] == [("t", 11)]
    assert list(corpus.text.words) == WORDS
    assert corpus.text.sentences.tolist() == [0, 8]
    assert list(corpus.text.layers["pos"][:2]) == ["P1", "P2"]
    assert corpus.clusters() == {
        "set_4": [(0, 0), (8, 8)],
        "set_12": [(2, 2)],
        1: [((2, 4), (6, 6))],
    }
    assert corpus.parts == {1: ((2, 4), (6, 6))}
    assert corpus.head is not None
    assert corpus.head.tolist() == [0, 6, -1, -1]
    assert list(corpus.attributes["np_form"]) == ["ne", "", "", "pper"]
    assert corpus.mention(0).place.endswith("t_coref_level.xml:3")


def test_pointers_splits_bridging_and_other_levels(tmp_path: Path) -> None:
    corpus = cl.read(project(tmp_path, primmark=POINTERS, groups=GROUPS))
    entities = {frozenset(v) for v in corpus.clusters().values()}
    expected: list[set[Any]] = [{(0, 0), (8, 8)}, {(2, 2), ((4, 4), (6, 6))}, {(6, 6)}, {(9, 9)}]
    assert entities == {frozenset(e) for e in expected}
    found = {(r.kind, corpus.mention(r.mention).start, corpus.mention(r.anchor).start) for r in corpus.relations}
    assert found == {("split-antecedent", 6, 0), ("split-antecedent", 6, 2), ("bridging", 9, 6)}
    assert [(i.code, i.message) for i in corpus.issues] == [
        ("left-out", "level 'groups' has no coreference: markables left out (1)")
    ]


@pytest.mark.parametrize("word", ["word_2", "word_10"])
def test_a_pointer_to_a_set_of_another_level(tmp_path: Path, word: str) -> None:
    """Whichever of the two mentions comes first."""
    pointer = f'<markable id="markable_1" span="{word}" antecedent="coref:markable_4"/>'
    corpus = cl.read(project(tmp_path, coref=SETS, more=pointer))
    place = int(word.removeprefix("word_")) - 1
    assert {*corpus.clusters()["coref:set_12"]} == {(2, 2), (place, place)}


@pytest.mark.parametrize("start", ["t.mmax", "Basedata/t_words.xml", "Markables/t_coref_level.xml"])
def test_any_file_of_the_project(tmp_path: Path, start: str) -> None:
    project(tmp_path, coref=SETS)
    corpus = cl.read(tmp_path / start, format="mmax2" if "level" in start else None)
    assert corpus.source == str(tmp_path / start)
    assert (len(corpus), len(corpus.text.words), len(corpus.text.sentences)) == (4, 11, 2)


def test_a_level_alone_is_refused_with_a_way_out(tmp_path: Path) -> None:
    project(tmp_path, coref=SETS)
    with pytest.raises(InputError, match=r"without its \.mmax or words file"):
        cl.read(tmp_path / "Markables" / "t_coref_level.xml")


def test_every_project_of_a_directory_or_zip_is_read_once(tmp_path: Path) -> None:
    folder = tmp_path / "all"
    for name in ("a", "b"):
        project(folder, name, coref=SETS)
    scheme = folder / "Schemes" / "coref_scheme.xml"
    scheme.parent.mkdir()
    scheme.write_text("<annotationscheme/>", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in sorted(folder.rglob("*.*")):
            archive.write(path, path.relative_to(tmp_path))
    for source in (folder, tmp_path / "all.zip"):
        corpus = cl.read(source)
        assert [d.name for d in corpus.documents] == ["a", "b"]
        assert len(corpus) == 8
        assert corpus.issues == ()


def test_words_without_a_project_file(tmp_path: Path) -> None:
    project(tmp_path, coref=SETS).unlink()
    assert len(cl.read(tmp_path)) == 4


def test_common_paths(tmp_path: Path) -> None:
    paths = {
        "common_paths.xml": "<common_paths><basedata_path>W/</basedata_path><markable_path>M/</markable_path>"
        '<annotations><level name="c" schemefile="c.xml">$_c_level.xml</level></annotations></common_paths>',
        "W/t_words.xml": PROJECT["Basedata/t_words.xml"].replace("Mary", "Anna"),
        "M/t_c_level.xml": f"<markables>{SETS.splitlines()[0]}</markables>",
    }
    corpus = cl.read(project(tmp_path, paths=paths, coref=SETS))
    assert (len(corpus), corpus.words(0), len(corpus.text.sentences)) == (1, "Anna", 1)


MISTAKES = [
    (SETS, 'span="word_9"', 'span="word_99"', "dangling", 5),
    (SETS, "word_3..word_5", "word_5..word_3", "span-order", 4),
    (SETS, "word_3..word_5", "word_3..word_4..word_5", "dangling", 4),
    (SETS, 'id="markable_3"', 'id="markable_1"', "duplicate-id", 5),
    (SETS, ' id="markable_3"', "", "syntax", 5),
    (SETS, "coref_class", "class", "syntax", None),
    (SETS, 'np_form="ne"', 'coref_set="set_3"', "syntax", None),
    (POINTERS, "groups:markable_1", "groups:markable_9", "dangling", 5),
    (POINTERS, "groups:markable_1", "crowd:markable_1", "dangling", 5),
    (SETS, "/>", ">", "syntax", 7),
]


@pytest.mark.parametrize(("level", "old", "new", "code", "line"), MISTAKES)
def test_mistakes(tmp_path: Path, level: str, old: str, new: str, code: str, line: int | None) -> None:
    assert old in level
    path = project(tmp_path, coref=level.replace(old, new), groups=GROUPS)
    with pytest.raises(InputError) as caught:
        cl.read(path)
    assert (caught.value.code, caught.value.line) == (code, line)
    assert line is None or caught.value.file == str(tmp_path / "Markables" / "t_coref_level.xml")


def test_missing_words(tmp_path: Path) -> None:
    path = project(tmp_path, coref=SETS)
    (tmp_path / "Basedata" / "t_words.xml").unlink()
    with pytest.raises(InputError) as caught:
        cl.read(path)
    assert caught.value.code == "missing-text"
    (tmp_path / "b_words.xml").write_text(PROJECT["Basedata/t_words.xml"], encoding="utf-8")
    with pytest.raises(InputError, match=r"no file of markables, such as 'b_coref_level\.xml'"):
        cl.read(tmp_path / "b_words.xml")


def test_damaged_files(tmp_path: Path) -> None:
    project(tmp_path, primmark=POINTERS, coref=SETS.replace("coref_class", "other"), groups=GROUPS)
    files = {str(p.relative_to(tmp_path)): p.read_bytes() for p in tmp_path.rglob("*.*") if p.is_file()}
    read = 0
    for seed in range(200):
        for name in files:
            changed = files | {name: mutated(files[name], seed)}

            def neighbours(pattern: str, changed: dict[str, bytes] = changed) -> list[str]:
                return [p for p in changed if fnmatchcase(p, pattern)]

            source: dict[str, Any] = {"sibling": changed.get, "neighbours": neighbours, "lenient": seed % 2 == 1}
            try:
                mmax2.read(Source(changed["t.mmax"], "t.mmax", **source))
                read += 1
            except InputError as error:
                assert error.file
    assert read


@pytest.mark.slow
def test_real_files(run: Run) -> None:
    if not DATA.is_dir():
        pytest.skip(f"no {DATA.name} here")
    corpus = cl.read(DATA)
    assert [d.name for d in corpus.documents] == ["text1de", "text1en", "text1ru"]
    mentions = tokens = sentences = 0
    for path in DATA.rglob("*.xml"):
        text = path.read_text(encoding="utf-8")
        if "_primmark_level" in path.name:
            mentions += text.count("<markable ") + len(set(re.findall(r'"groups:(\w+)"', text)))
        tokens += text.count("<word ") if "_words" in path.name else 0
        sentences += text.count("<markable ") if "_sentence_level" in path.name else 0
    assert (len(corpus), len(corpus.text.words), len(corpus.text.sentences)) == (mentions, tokens, sentences)
    assert corpus.issues == ()
    assert cl.score(DATA, DATA).conll == 1
    assert run("score", DATA, DATA).code == 0
