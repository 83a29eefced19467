"""BookNLP's entities with and without the tokens beside them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import coreflens as cl
from coreflens.errors import InputError
from coreflens.formats import booknlp, read
from places import DATA
from standoff import problems, real, source
from texts.booknlp import ENTITIES, TOKENS


def test_without_tokens() -> None:
    corpus = booknlp.read(source(ENTITIES, "emma.entities"))
    assert corpus.documents[0].name == "emma"
    assert corpus.unit == "token"
    assert corpus.clusters() == {"7": [(0, 1), (3, 3)], "8": [(3, 4)]}
    assert corpus.attributes == {
        "prop": ["PROP", "NOM", "PRON"],
        "type": ["PER", "FAC", "PER"],
        "text": ["Emma Woodhouse", "her house", "her"],
    }
    assert not corpus.has_text


def test_with_tokens() -> None:
    corpus = booknlp.read(source(ENTITIES, "emma.entities", emma_tokens=TOKENS))
    assert [corpus.words(row) for row in range(3)] == ["Emma Woodhouse", "her house", "her"]
    assert corpus.text.sentences_of(0) == [["Emma", "Woodhouse"], ['"', "her", "house"]]
    assert corpus.text.layers["upos"] == ["PROPN", "PROPN", "PUNCT", "PRON", "NOUN"]
    assert corpus.text.layers["head"] == ["2", "0", "3", "3", "0"]
    assert corpus.text.layers["event"] == ["O", "O", "O", "O", "EVENT"]
    assert "text" not in corpus.attributes


def test_columns_in_another_order() -> None:
    corpus = booknlp.read(source("start_token\tend_token\tCOREF\n0\t0\t5\n"))
    assert corpus.clusters() == {"5": [(0, 0)]}


WRONG = [
    ("syntax", 2, "5\tx\t1\tPROP\tPER\tEmma"),
    ("syntax", 2, "5\t0\t1\tPROP"),
    ("span-order", 2, "5\t3\t1\tPROP\tPER\tEmma"),
    ("span-range", 2, "5\t3\t9\tPROP\tPER\tEmma"),
    ("text-mismatch", 2, "5\t0\t1\tPROP\tPER\tEmma"),
]


@pytest.mark.parametrize(("code", "line", "row"), WRONG)
def test_mistakes_have_their_place(code: str, line: int, row: str) -> None:
    text = ENTITIES.split("\n")[0] + "\n" + row + "\n"
    with pytest.raises(InputError) as caught:
        booknlp.read(source(text, "emma.entities", emma_tokens=TOKENS))
    assert (caught.value.code, caught.value.line) == (code, line)


def test_mistakes_of_the_header_and_the_tokens() -> None:
    with pytest.raises(InputError, match="no column COREF"):
        booknlp.read(source("a\tb\n", "emma.entities"))
    for tokens in ("a\tb\n", TOKENS.replace("\t3\ther\t", "\t9\ther\t")):
        with pytest.raises(InputError) as caught:
            booknlp.read(source(ENTITIES, "emma.entities", emma_tokens=tokens))
        assert caught.value.code == "missing-text"
    assert [p[0] for p in problems("booknlp", ENTITIES, a_tokens="a\tb\n")] == ["missing-text"]


@real
def test_emma() -> None:
    path: Path = next((DATA / "booknlp").glob("*.entities*"))
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    corpus = read(path)
    assert corpus.format == "booknlp"
    assert corpus.documents[0].name == "158_emma"
    assert len(corpus) == len(rows) == 2999
    expected = {(row["COREF"], int(row["start_token"]), int(row["end_token"])) for row in rows}
    assert {(m.entity, m.start, m.end) for m in corpus} == expected
    assert cl.score(path, path).conll == 1
