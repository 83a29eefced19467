"""CRAFT's Knowtator-2: chains, pieces, appositions, the text where CRAFT keeps it, mistakes, XML that is refused."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import coreflens as cl
from coreflens.corpus.model import Corpus
from coreflens.errors import InputError
from coreflens.formats import knowtator, read
from places import DATA
from standoff import entities, problems, real, source
from texts.knowtator import HEAD, PHRASES, TAIL, TEXT, VERTICES, XML, annotation, triple


def read_xml(text: str, words: str = TEXT) -> Corpus:
    return knowtator.read(source(text, "9.xml", **{"9_txt": words} if words else {}))  # type: ignore[arg-type]


def test_chains_pieces_and_appositions() -> None:
    corpus = read_xml(XML)
    assert entities(corpus) == {"c": ["BRCA2", "it"], "b": ["a gene"], "e": ["a ... gene"]}
    assert corpus.attributes == {"id": ["a", "b", "d", "e"]}
    (relation,) = corpus.relations
    assert (relation.kind, corpus.words(relation.mention), corpus.words(relation.anchor)) == (
        "apposition",
        "a gene",
        "BRCA2",
    )
    assert (corpus.labels[relation.source], corpus.labels[relation.target]) == ("b", "c")
    (issue,) = corpus.issues
    assert "Nonreferential pronoun" in issue.message


def test_without_the_text() -> None:
    corpus = read_xml(XML, "")
    assert len(corpus) == 4
    assert not corpus.has_text
    assert "9.txt" in corpus.issues[0].message


WRONG = [
    ("dangling", 11, triple("c", "Coreferring strings", "z"), ""),
    ("duplicate-id", 10, "", annotation("a", "Noun Phrase", (0, 5))),
    ("syntax", 10, "", annotation("x", "Noun Phrase")),
    ("syntax", 10, "", annotation("x", "Noun Phrase", (0, 5), (3, 9))),
    ("span-order", 10, "", annotation("x", "Noun Phrase", (5, 0))),
    ("span-range", 10, "", annotation("x", "Noun Phrase", (5, 99))),
    ("text-mismatch", 10, "", annotation("x", "Noun Phrase", (0, 5)).replace("BRCA2", "BRCA1")),
    ("syntax", 10, "", '<annotation id="x"><class id="Noun Phrase"/><span start="1" end="b"/></annotation>\n'),
]


@pytest.mark.parametrize(("code", "line", "triples", "phrases"), WRONG)
def test_mistakes_have_their_place(code: str, line: int, triples: str, phrases: str) -> None:
    text = HEAD + PHRASES + phrases + VERTICES + triples + TAIL
    with pytest.raises(InputError) as caught:
        read_xml(text)
    assert (caught.value.code, caught.value.line) == (code, line)
    assert (code, line, None) in problems("knowtator", text, **{"9_txt": TEXT})


def test_xml_that_is_refused() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]>\n<knowtator-project>&c;</knowtator-project>'
    for text, what in (
        (bomb, "entity declarations"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd">\n<knowtator-project></knowtator-project>', "no document"),
        (XML[:900], "not well-formed"),
        ("<a>" * 1000, "nested"),
    ):
        with pytest.raises(InputError, match=what):
            read_xml(text)


# ---- real files


@real
@pytest.mark.parametrize("name", ["11597317", "15018652"])
def test_craft(name: str) -> None:
    """Against a count of its own: chains by their triples, an apposition's mention being that of its head."""
    path: Path = DATA / "craft" / "coreference-annotation" / "knowtator-2" / f"{name}.xml"
    root = ElementTree.parse(path).getroot()
    spans = {
        a.get("id"): tuple((int(s.get("start", "")), int(s.get("end", "")) - 1) for s in a.iter("span"))
        for a in root.iter("annotation")
    }
    kinds = {a.get("id"): c.get("id") for a in root.iter("annotation") for c in a.iter("class")}
    node = {v.get("id"): v.get("annotation") for v in root.iter("vertex")}
    chains: dict[object, set[object]] = {}
    for t in root.iter("triple"):
        if t.get("property") == "Coreferring strings":
            chains.setdefault(node[t.get("subject")], set()).add(spans[node[t.get("object")]])
    corpus = read(path)
    found: dict[object, set[object]] = {}
    for row in range(len(corpus)):
        found.setdefault(corpus.labels[corpus.entity[row]], set()).add(corpus.pieces(row))
    assert {label: found[label] for label in chains} == chains
    assert all(len(found[label]) == 1 for label in found.keys() - chains.keys())
    assert len(corpus) == sum(kind == "Noun Phrase" for kind in kinds.values())
    assert len(corpus.relations) == sum(t.get("property") == "APPOS Attributes" for t in root.iter("triple"))
    assert corpus.text.raw == [(path.parents[2] / "articles" / "txt" / f"{name}.txt").read_text()]
    assert cl.score(path, path).conll == 1
