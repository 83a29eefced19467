"""A file from a stranger reads itself and what its format's layout names, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from command import Run

SECRET = "the secret words of somebody else"
KNOWTATOR = """<?xml version="1.0"?>
<knowtator-project><document id="a" text-file="{}">
<annotation id="b"><class id="Noun Phrase"/><span start="0" end="3">the</span></annotation>
</document></knowtator-project>
"""
WORDS = '<?xml version="1.0"?>\n<words><word id="word_1">the</word><word id="word_2">secret</word></words>\n'
MARKABLE = '<markable id="markable_1" span="word_1..word_2" coref_class="set_1"/>'
LEVEL = f'<?xml version="1.0"?>\n<markables>{MARKABLE}</markables>\n'
ANN = "T1\tA 0 3\tthe\n"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A stranger's folder, and beside it what is none of its business."""
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "secret_words.xml").write_text(WORDS)
    (tmp_path / "from" / "stranger").mkdir(parents=True)
    return tmp_path / "from" / "stranger"


def refused(run: Run, path: Path) -> None:
    for command in (["describe", path], ["validate", path], ["convert", path, "-", "--to", "table"]):
        ran = run(*command)
        assert ran.code != 0 and "secret words" not in ran.out + ran.err
        assert "--allow-outside" in ran.out + ran.err


@pytest.mark.parametrize("name", ["../../secret.txt", "TMP/secret.txt", "x/../../../secret.txt", "..\\..\\secret.txt"])
def test_names_in_a_file(run: Run, here: Path, name: str) -> None:
    (here / "a.xml").write_text(KNOWTATOR.format(name.replace("TMP", str(here.parents[1]))))
    refused(run, here / "a.xml")


def test_links_beside_a_file(run: Run, here: Path) -> None:
    (here / "a.ann").write_text(ANN)
    (here / "a.txt").symlink_to(here.parents[1] / "secret.txt")
    refused(run, here / "a.ann")
    assert run("describe", here / "a.ann", "--allow-outside").code == 0
    with cl.limits(outside=True):
        assert "secret" in (cl.read(here / "a.ann").text.raw or [""])[0]


def test_links_within_the_folder_and_to_the_whole_of_it(here: Path) -> None:
    (here / "texts").mkdir()
    (here / "texts" / "a.txt").write_text("the fox")
    (here / "a.txt").symlink_to("texts/a.txt")
    (here / "a.ann").write_text(ANN)
    assert len(cl.read(here / "a.ann")) == 1
    linked = here.parents[1] / "linked"
    linked.symlink_to(here)  # a way that the user chose
    assert len(cl.read(linked / "a.ann")) == 1
    (here.parents[1] / "one.ann").symlink_to(here / "a.ann")
    (here.parents[1] / "one.txt").symlink_to(here / "a.txt")
    assert len(cl.read(here.parents[1] / "one.ann")) == 1


@pytest.mark.parametrize("name", ["../../secret_words.xml", "TMP/secret_words.xml"])
def test_words_of_an_mmax2_project(run: Run, here: Path, name: str) -> None:
    name = name.replace("TMP", str(here.parents[1]))
    (here / "a.mmax").write_text(f"<mmax_project><words>{name}</words></mmax_project>")
    (here / "a_coref_level.xml").write_text(LEVEL)
    refused(run, here / "a.mmax")
    (here / "a.mmax").write_text("<mmax_project><words>a_words.xml</words></mmax_project>")
    (here / "common_paths.xml").write_text(
        f"<common_paths><basedata_path>{Path(name).parent}</basedata_path></common_paths>"
    )
    refused(run, here / "a.mmax")


def test_the_layouts_of_formats_still_hold(here: Path) -> None:
    """CRAFT's text in ../../articles/txt, MMAX2's words in ../Basedata."""
    (here / "annotation" / "knowtator").mkdir(parents=True)
    (here / "articles" / "txt").mkdir(parents=True)
    (here / "annotation" / "knowtator" / "a.xml").write_text(KNOWTATOR.format("a.txt"))
    (here / "articles" / "txt" / "a.txt").write_text("the fox")
    assert (cl.read(here / "annotation" / "knowtator" / "a.xml").text.raw or [""])[0] == "the fox"
    (here / "mmax").mkdir()
    (here / "Basedata").mkdir()
    (here / "mmax" / "a.mmax").write_text("<mmax_project><words>a_words.xml</words></mmax_project>")
    (here / "mmax" / "a_coref_level.xml").write_text(LEVEL)
    (here / "Basedata" / "a_words.xml").write_text(WORDS)
    assert len(cl.read(here / "mmax" / "a.mmax")) == 1
