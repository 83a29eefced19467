"""A file from a stranger reads itself and what its format's layout names, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import coreflens as cl
from command import Run, conll

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


KEY = conll("(1)", "(1)", "-", "(2)", "(2)")
RESPONSE = conll("(1)", "-", "(1)", "(2)", "(2)")
LINKS = ("a link", "a hard link", "a link in a folder", "a linked folder", "a link to the folder of the key", "a table")


@pytest.fixture
def sides(tmp_path: Path) -> Path:
    """A key and a response in folders of their own, with tables of their mentions."""
    for side, text in (("key", KEY), ("team", RESPONSE)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.conll").write_text(text, "utf-8")
    (tmp_path / "key.csv").write_text("doc,mention,entity\na,m1,e1\na,m2,e1\n")
    return tmp_path


def linked(sides: Path, how: str) -> tuple[Path, Path]:
    """A key, and a response that is the key by a link."""
    key, link = sides / "key" / "a.conll", sides / "linked"
    if how == "a link":
        link.symlink_to(key)
    elif how == "a hard link":
        os.link(key, link)
    elif how == "a link in a folder":
        link.mkdir()
        (link / "a.conll").symlink_to("../key/a.conll")
    elif how == "a table":
        key = sides / "key.csv"
        link.symlink_to(key)
    else:
        link.symlink_to("key")
        key = key if how == "a linked folder" else sides / "key"
    return key, link


@pytest.mark.parametrize("how", LINKS)
@pytest.mark.parametrize("command", ["score", "compare", "explain", "diagnose", "view"])
def test_no_link_leads_to_the_key(run: Run, sides: Path, command: str, how: str) -> None:
    key, link = linked(sides, how)
    page = [sides / "page.html"] if command == "view" else []
    response = f"system={link}" if command == "compare" else link
    ran = run(command, key, response, *page)
    assert ran.code == 3 and "this is a file of the key" in ran.err, ran
    assert run(command, key, response, "--allow-outside", *page).code == 3


def test_no_engine_follows_a_link_to_the_key(run: Run, sides: Path) -> None:
    pytest.importorskip("duckdb")
    key, link = linked(sides, "a table")
    assert "this is a file of the key" in run("score", key, link, "--engine", "duckdb").err


def test_the_same_path_twice_is_no_link(run: Run, sides: Path) -> None:
    assert run("score", sides / "key", sides / "key").code == 0
    assert run("score", sides / "key", sides / "key" / "a.conll").code == 0
    assert run("score", sides / "key", sides / "team" / ".." / "key").code == 0


def test_other_links_are_followed_with_a_note(run: Run, sides: Path) -> None:
    """Caches of models and tools for versions of data store folders of links."""
    (sides / "cache").mkdir()
    (sides / "cache" / "0b7a").write_text(RESPONSE, "utf-8")
    (sides / "team" / "a.conll").unlink()
    (sides / "team" / "a.conll").symlink_to("../cache/0b7a")
    plain = run("score", sides / "key", sides / "cache" / "0b7a", "--format", "json").json
    ran = run("score", sides / "key", sides / "team", "--format", "json")
    assert ran.json["scores"] == plain["scores"]
    assert f"1 link below {sides / 'team'} leads out of it: followed" in ran.out + ran.err
    (sides / "team" / "more").symlink_to("../empty")
    (sides / "empty").mkdir()
    assert "2 links below" in run("compare", sides / "key", f"system={sides / 'team'}").err
