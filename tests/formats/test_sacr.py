"""SACR: properties, paragraphs and the lines before them, mistakes; the same entities as its author's converter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import coreflens as cl
from coreflens.corpus.model import Corpus
from coreflens.errors import InputError
from coreflens.formats import read, sacr
from places import DATA
from standoff import entities, problems, real, source, squeezed
from texts.sacr import SACR


def read_sacr(text: str) -> Corpus:
    return sacr.read(source(text, "a.sacr"))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_is_read(newline: str) -> None:
    corpus = read_sacr(SACR.replace("{set}", "set").replace("{1}", "one").replace("\n", newline))
    assert corpus.documents[0].name == "aesop"
    assert entities(corpus) == {"Peasant": ["A Peasant", "You"], "Eagle": ["an eagle"], "Bird": ["eagle"]}
    assert corpus.attributes == {
        "function": ["s subject", "", "", ""],
        "head": ["1", "", "0", ""],
        "kind": ["", "", "x", ""],
        "speaker": ["", "", "", "Eagle"],
    }
    assert corpus.line is not None
    assert corpus.line.tolist() == [4, 5, 5, 11]
    assert corpus.text.raw == [
        'A Peasant found\nan eagle in a set of one.\n# no comment within a paragraph\n\n"You,"\n\nit said.\n'
    ]


def test_a_brace_before_no_entity_is_text() -> None:
    corpus = read_sacr("{A He} said { and {")
    assert corpus.text.raw == ["He said { and {"]
    assert corpus.documents[0].name == "a"


WRONG = [
    ("unclosed", 3, 3, "x\n\nx {A:b=c y\n\nz}"),
    ("unopened", 2, 2, "{A x}\nx} y"),
    ("syntax", 1, 3, 'x {A:b="c y}'),
    ("syntax", 1, 3, "x {A:b c y}"),
    ("syntax", 1, 3, "x {A }"),
]


@pytest.mark.parametrize(("code", "line", "column", "text"), WRONG)
def test_mistakes_have_their_place(code: str, line: int, column: int, text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_sacr(text)
    assert (caught.value.code, caught.value.line, caught.value.column) == (code, line, column)
    assert problems("sacr", text)[0] == (code, line, column)


# ---- real files

FABLES = DATA / "corefconversion"


@real
@pytest.mark.parametrize("name", ["aesop", "cicero"])
def test_the_entities_are_those_of_sacr2conll(name: str) -> None:
    """Its output joins the pieces of a cell with `_`; text and spans are compared without blanks."""
    conll = (FABLES / "testing_sacr2conll.conll").read_text()
    (body,) = re.findall(rf"(?s)#begin document \({name}\.sacr\); part 000\n(.*?)#end", conll)
    text, opened, expected = "", {}, {}  # type: ignore[var-annotated]
    for _, word, cell in re.findall(r"(?m)^(\d+)\t(.*)\t(.*)$", body):
        start, text = len(text), text + word
        for opens, label, closes in re.findall(r"(\(?)(\d+)(\)?)", cell):
            if opens:
                opened.setdefault(label, []).append(start)
            if closes:
                expected.setdefault(label, set()).add(((opened[label].pop(), len(text) - 1),))
    path = FABLES / f"{name}.sacr"
    corpus = read(path)
    assert "".join((corpus.text.raw or [""])[0].split()) == text
    assert {frozenset(e) for e in squeezed(corpus).values()} == {frozenset(e) for e in expected.values()}
    assert cl.score(path, path).conll == 1


@real
def test_fr_litbank() -> None:
    path = DATA / "fr_litbank" / "sacr" / "Jean-Christophe-2.sacr"
    text = Path(path).read_text()
    corpus = read(path)
    assert len(corpus) == text.count("{") == 1624
    assert set(corpus.labels) == set(re.findall(r"\{(\w+):", text))
    (paragraph, *settings) = filter(None, text.split("\n\n"))
    assert all(line.startswith("#") for line in "\n".join(settings).strip().split("\n"))
    assert corpus.text.raw == [re.sub(r"\{\w+:EN=\"[^\"]*\" |\}", "", paragraph)]
    assert cl.score(path, path).conll == 1
