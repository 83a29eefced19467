"""Comments of CoNLL-U that say who speaks, and what a document is."""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from command import Run
from places import DATA

BETWEEN = "\t_" * 7
WORDS = (("I", "Entity=(e1)"), ("saw", "_"), ("him", "Entity=(e2)"))
SENTENCE = "".join(f"{i}\t{word}{BETWEEN}\t{misc}\n" for i, (word, misc) in enumerate(WORDS, 1)) + "\n"
TEXT = "".join(
    f"# newdoc id = {name}\n{'# global.Entity = eid' + chr(10) if name == 'a' else ''}# meta::genre = {genre}\n"
    f"# meta::year = {year}\n# sent_id = {name}-1\n# speaker = Ann\n{SENTENCE}# sent_id = {name}-2\n{SENTENCE}"
    for name, genre, year in (("a", "talk", 1999), ("b", "news", 1999), ("c", "talk", 2001))
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "f.conllu"
    path.write_text(TEXT, "utf-8")
    return path


def test_speakers_are_a_layer(file: Path, run: Run, tmp_path: Path) -> None:
    assert cl.read(file).text.layers["speaker"] == (["Ann"] * 3 + [""] * 3) * 3
    out, back = tmp_path / "out.conll", tmp_path / "back.conllu"
    assert run("convert", file, out).code == 0
    assert cl.read(out).text.layers["speaker"][:4] == ["Ann", "Ann", "Ann", ""]
    assert run("convert", out, back).code == 0
    assert back.read_text("utf-8").count("# speaker = Ann\n") == 3
    again = tmp_path / "again.conllu"
    ran = run("convert", file, again)
    assert ran.code == 0 and "speaker" not in ran.err
    assert again.read_text("utf-8").count("# speaker = Ann\n") == 3


def test_labels_of_documents(file: Path, run: Run) -> None:
    by = run("score", file, file, "--by", "genre", "--format", "json").json["by"]
    assert sorted(by) == ["news", "talk"] and by["talk"]["mentions"]["counts"]["recall_den"] == 8
    assert sorted(run("score", file, file, "--by", "year", "--format", "json").json["by"]) == ["1999", "2001"]
    assert run("score", file, file, "--by", "colour").code == 2
    assert dict(cl.read(file).documents[1].meta) == {"genre": "news", "year": "1999"}
    assert run("describe", file, "--by", "genre").code == 0


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data at {DATA}")
def test_genres_of_gum(run: Run) -> None:
    path = DATA / "ud_gum_multidoc" / "en_gum-ud-dev.first6.conllu"
    by = run("score", path, path, "--by", "genre", "--format", "json").json["by"]
    assert {"academic", "bio"} <= set(by) and sum(1 for _ in cl.read(path).documents) == 6
    assert "Kendra" in cl.read(path).text.layers["speaker"]
