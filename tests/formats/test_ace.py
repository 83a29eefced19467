"""ACE: entities with types and heads, the text beside them, two ways to count `&amp;`, what came before 2004, faults.

No real file is public; these are written after the guidelines and the DTD.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from command import Run
from coreflens.corpus.model import Corpus
from coreflens.errors import InputError
from coreflens.formats import ace
from standoff import entities, problems, source
from texts.ace import HEAD, PERSON, PLAIN, SGM, TAIL, XML, charseq, entity, mention


def read_apf(text: str, words: str = SGM) -> Corpus:
    return ace.read(source(text, "x.apf.xml", **{"x_sgm": words} if words else {}))  # type: ignore[arg-type]


def test_entities_types_and_heads() -> None:
    corpus = read_apf(XML)
    assert entities(corpus) == {"x-E1": ["Ann Bell", "the new director", "she"]}
    assert corpus.attributes["type"] == ["PER"] * 3
    assert corpus.attributes["mention_type"] == ["NAM", "NOM", "PRO"]
    assert corpus.attributes["min"] == ["Ann Bell", "director", "she"]
    assert corpus.documents[0].name == "x"
    assert corpus.head is not None
    raw = corpus.text.raw
    assert raw is not None
    assert [raw[0][: h + 1].split()[-1] for h in corpus.head.tolist()] == ["Bell", "director", "she"]
    assert {issue.code for issue in corpus.issues} == {"left-out"}


def test_both_ways_to_count_an_ampersand() -> None:
    """`R&amp;D` has seven characters in some releases and three in others: what is quoted decides."""
    single = PLAIN.replace("&amp;", "&")
    for text, company, last in ((PLAIN, "R&amp;D", 7), (single, "R&D", 3)):
        org = entity(
            "E2", "ORG", mention("E2-1", "NAM", company, company, text), mention("E2-2", "NOM", ".", ".", text)
        )
        corpus = read_apf(HEAD + PERSON + org + TAIL)
        found = [corpus.words(row) for row in range(len(corpus)) if corpus.attributes["type"][row] == "ORG"]
        assert found == [company, "."]
        assert corpus.end[-2] - corpus.start[-2] + 1 == last


def test_the_notation_before_2004() -> None:
    old = PERSON.replace(charseq("she"), "<charseq><start>{}</start><end>{}</end></charseq>".format(*_place("she")))
    assert entities(read_apf(HEAD + old + TAIL)) == entities(read_apf(XML))


def _place(words: str) -> tuple[int, int]:
    return PLAIN.index(words), PLAIN.index(words) + len(words) - 1


def test_without_the_text() -> None:
    corpus = read_apf(XML, "")
    assert len(corpus) == 3
    assert not corpus.has_text
    assert any("x.sgm" in issue.message for issue in corpus.issues)
    assert corpus.attributes["min"] == ["Ann Bell", "director", "she"]


SHE = charseq("she")
WRONG = [
    ("text-mismatch", PERSON.replace(">she<", ">her<")),
    ("syntax", PERSON.replace(SHE, SHE.replace("START=", "STAR="), 1)),
    ("span-order", PERSON.replace(SHE, '<charseq START="40" END="30">she</charseq>', 1)),
    ("span-range", PERSON.replace(SHE, '<charseq START="400" END="402"></charseq>')),
    ("bad-head", PERSON.replace(f"<head>{charseq('director')}", f"<head>{SHE}")),
    ("duplicate-id", PERSON.replace("x-E1-3", "x-E1-2")),
    ("syntax", PERSON.replace(' ID="x-E1"', "")),
    ("syntax", PERSON.replace(f"<extent>{SHE}</extent>", "")),
]


@pytest.mark.parametrize(("code", "text"), WRONG)
def test_mistakes_have_their_place(code: str, text: str) -> None:
    text = HEAD + text + TAIL
    with pytest.raises(InputError) as caught:
        read_apf(text)
    assert caught.value.code == code
    assert caught.value.line is not None
    assert caught.value.line > 4
    assert any(found[0] == code for found in problems("ace", text, x_sgm=SGM))


def test_names_of_other_places_and_damaged_files() -> None:
    for text, what in (
        (XML.replace("x.sgm", "../x.sgm"), "another place"),
        (XML[:-30], "not well-formed"),
        (XML.replace(TAIL, '</document><document DOCID="y"></document></source_file>'), "a second document"),
    ):
        with pytest.raises(InputError, match=what):
            read_apf(text)


def test_commands_take_it(run: Run, tmp_path: Path) -> None:
    """A directory with both files is one document, and the heads of ACE serve the relaxed match."""
    (tmp_path / "key").mkdir()
    (tmp_path / "key" / "x.apf.xml").write_text(XML)
    (tmp_path / "key" / "x.sgm").write_text(SGM)
    assert len(cl.read(tmp_path / "key")) == 3
    short = PERSON.replace(charseq("the new director"), charseq("new director"))
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "x.apf.xml").write_text(HEAD + short + TAIL)
    (tmp_path / "r" / "x.sgm").write_text(SGM)
    exact, relaxed = (
        run("score", tmp_path / "key", tmp_path / "r", "-m", "mentions", "--match", match, "--format", "json").json
        for match in ("exact", "head-word")
    )
    assert exact["scores"]["mentions"]["counts"]["recall_num"] == 2
    assert relaxed["scores"]["mentions"]["counts"]["recall_num"] == 3
    assert run("validate", tmp_path / "key").code == 0
    assert run("convert", tmp_path / "key", tmp_path / "key.jsonl").code == 0
