"""`coreflens convert` on directories, globs and archives: nothing is overwritten, nothing is left out unsaid."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from random import Random

import pytest

import anaphora_cases as anaphora
import coreflens as cl
from command import Run, conll
from coreflens.errors import Issue

ANN = "T1\tMention 0 3\tAnn\nT2\tMention 8 11\tshe\nR1\tCoref Arg1:T2 Arg2:T1\n"


def below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def tree(folder: Path, **files: str) -> Path:
    """Files by name, `__` for a slash and `_x` at the end for a suffix."""
    for name, text in files.items():
        stem, _, suffix = name.rpartition("_")
        path = folder / f"{stem.replace('__', '/')}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize("format_", ["brat", "xmi", "naf"])
def test_a_document_name_that_is_too_long_for_a_file_is_cut(run: Run, tmp_path: Path, format_: str) -> None:
    """Two names of 300 letters that differ at the end, also in letters of several bytes."""
    names = ["short", "a" * 300, "a" * 299 + "b", "é" * 300]
    source = tmp_path / "in.conll"
    source.write_text("".join(conll("(1)", "(1)", name=name) for name in names), encoding="utf-8")
    ran = run("convert", source, f"{tmp_path}/out/", "--to", format_)
    assert ran.code == 0, ran.err
    written = [name for name in below(tmp_path / "out") if not name.endswith(".txt")]
    assert len(written) == 4 and all(len(name.encode()) <= 200 for name in written)
    assert len(cl.read(tmp_path / "out").documents) == 4
    assert run("convert", source, f"{tmp_path}/again/", "--to", format_).code == 0
    assert below(tmp_path / "again") == below(tmp_path / "out")


def test_documents_that_would_be_one_file_are_refused_before_any_is_written(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.conll"
    source.write_text("".join(conll("(1)", "(1)", name=name) for name in ("z", "a b", "a/b")))
    ran = run("convert", source, f"{tmp_path}/out/", "--to", "brat")
    assert ran.code == 3 and "would both be written here" in ran.err
    assert not below(tmp_path / "out")


def test_a_directory_or_glob_keeps_its_tree(run: Run, tmp_path: Path) -> None:
    source = tree(tmp_path / "in", a__x_conll=conll("(1)"), b__x_conll=conll("(2)", name="nw/b"))
    for n, given in enumerate((source, source / "*" / "x.conll")):
        assert run("convert", given, tmp_path / f"out{n}", "--to", "conllu").code == 0
        assert below(tmp_path / f"out{n}") == ["a/x.conllu", "b/x.conllu"]
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        for name in below(source):
            archive.write(source / name, name)
    assert run("convert", tmp_path / "in.zip", tmp_path / "zip", "--to", "conllu").code == 0
    assert below(tmp_path / "zip") == ["a/x.conllu", "b/x.conllu"]
    assert [d.name for d in cl.read(tmp_path / "zip").documents] == ["nw/a", "nw/b"]


def test_two_files_of_one_target_are_refused_before_anything_is_written(run: Run, tmp_path: Path) -> None:
    source = tree(tmp_path / "in", x_conll=conll("(1)"), x_txt=conll("(2)", name="nw/b"))
    ran = run("convert", source, f"{tmp_path}/out/", "--to", "conllu")
    assert ran.code == 3
    assert "x.conll' and" in ran.err
    assert "would both become" in ran.err
    assert not (tmp_path / "out").exists()


def test_two_documents_of_one_target_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(conll("(1)", "(1)", name="a/b") + conll("(1)", "(1)", name="a_b"))
    ran = run("convert", tmp_path / "a.conll", f"{tmp_path}/out/", "--to", "brat", "--lossy")
    assert ran.code == 3
    assert "'a/b_0'" in ran.err
    assert "'a_b_0'" in ran.err


def test_a_format_of_one_document_names_the_way_out(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(conll("(1)", "(1)", name="a") + conll("(1)", "(1)", name="b"))
    ran = run("convert", tmp_path / "a.conll", tmp_path / "a.ann")
    assert ran.code == 3
    assert "OUT/ --to brat" in ran.err
    assert run("convert", tmp_path / "a.conll", f"{tmp_path}/out/", "--to", "brat", "--lossy").code == 0
    assert below(tmp_path / "out") == ["a_0.ann", "a_0.txt", "b_0.ann", "b_0.txt"]


def test_one_document_of_two_files_is_not_written_twice_into_one(run: Run, tmp_path: Path) -> None:
    source = tree(tmp_path / "in", gold_conll=conll("(1)"), system_conll=conll("(2)"))
    ran = run("convert", source, tmp_path / "all.conll")
    assert ran.code == 3
    assert "system.conll:1" in ran.err
    assert "gold.conll:1" in ran.err
    assert not (tmp_path / "all.conll").exists()


def test_strangers_are_reported_and_texts_beside_are_none(run: Run, tmp_path: Path) -> None:
    source = tree(tmp_path / "in", a_ann=ANN, a_txt="Ann saw she\n", notes_md="# to do\n", none_conll="")
    (source / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    ran = run("convert", source, f"{tmp_path}/out/", "--to", "jsonlines", "--lossy")
    assert ran.code == 0, ran.err
    assert below(tmp_path / "out") == ["a.jsonlines"]
    assert "3 files" in ran.err
    assert "image.png" in ran.err
    assert "a.txt" not in ran.err


def test_what_a_reader_leaves_out_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(conll("(1)", "(1)"))
    issues: list[Issue] = []
    cl.convert(tmp_path / "a.conll", tmp_path / "b.conll", report=issues.append)
    assert issues == []
    corpus = cl.read(tmp_path / "a.conll")
    odd = tmp_path / "a.ann"
    odd.write_text(ANN + "T3\tMention 0 3\tAnn\nE1\tMention:T3\n")
    (tmp_path / "a.txt").write_text("Ann saw she\n")
    expected = cl.read(odd).issues
    assert expected
    assert not corpus.issues
    ran = run("convert", odd, tmp_path / "c.jsonlines", "--lossy")
    assert ran.code == 0, ran.err
    assert all(f"[{issue.code}]" in ran.err for issue in expected)


@pytest.mark.parametrize("command", ["convert", "validate"])
def test_an_unknown_format_is_a_mistake_of_usage(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "a.conll").write_text(conll("(1)"))
    target = [tmp_path / "b.jsonl"] if command == "convert" else []
    ran = run(command, tmp_path / "a.conll", *target, "--input-format", "conl")
    assert ran.code == 2
    assert "did you mean 'conll'" in ran.err


def test_a_directory_of_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    ran = run("convert", tmp_path / "in", f"{tmp_path}/out/", "--to", "conll")
    assert (ran.code, "no coreference file" in ran.err) == (3, True)


@pytest.mark.parametrize("seed", range(6))
def test_other_anaphora_stays_through_corefud_and_back(seed: int, tmp_path: Path) -> None:
    """Documents whose entities have the same labels: bridging, split antecedents, what refers to nothing.

    CorefUD can't hold which mention of its entity an anchor is, nor for one within the anaphor's own entity.
    """
    random = Random(seed)
    docs = [anaphora.document(random, f"d/{n}") for n in range(9)]
    docs = [doc for doc in docs if len({m.pieces[0][0] for m in doc.markables}) == len(doc.markables)]
    for doc in docs:
        entity = {m.id: m.entity for m in doc.markables}
        doc.bridges = [(a, b) for a, b in doc.bridges if entity[a] != entity[b]]
    key = anaphora.written(docs, tmp_path / "k.CONLLUA")
    cl.convert(key, tmp_path / "there.conllu")
    cl.convert(tmp_path / "there.conllu", tmp_path / "back.CONLLUA")
    names = ["conll", "lea", "blanc", "bridging-recognition", "bridging-entity", "nonreferring", "split-bcub"]
    for response in ("there.conllu", "back.CONLLUA"):
        found = cl.score(key, tmp_path / response, protocol="ua", metrics=names)
        wrong = {name: float(found[name].main) for name in names if not found[name].undefined and found[name].main != 1}
        assert not wrong, response
    minima = [re.findall(r"Min=[\d,]+", path.read_text("utf-8")) for path in (key, tmp_path / "back.CONLLUA")]
    assert minima[0] == minima[1]  # as other tools read it
