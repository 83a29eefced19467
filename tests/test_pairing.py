"""What is the same mention: pieces, units, empty nodes; and what is said of two sides that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from coreflens.matching import Side, identify
from coreflens.model import Corpus
from corpora import characters, tokens

Pieces = tuple[tuple[int, int], ...]


def mentions(key: Corpus, response: Corpus, **settings: Any) -> tuple[int, int, int]:
    """Mentions in common, of the key, of the response."""
    counts = cl.score(key, response, metrics="mentions", **settings)["mentions"].counts
    return int(counts["recall_num"]), int(counts["recall_den"]), int(counts["precision_den"])


# ------------------------------------------------------------------------------------------------ discontinuous mentions

TEXT = "a b c d e f g h"


def test_pieces_make_the_mention() -> None:
    key = tokens(("a", TEXT, {1: [((0, 1), (4, 5)), (0, 5), (7, 7)], 2: [((0, 0), (3, 5))]}))
    response = tokens(("a", TEXT, {1: [((0, 1), (4, 5)), (7, 7)], 2: [((0, 0), (4, 5)), (0, 5)]}))
    assert mentions(key, key) == (4, 4, 4)
    assert mentions(key, response) == (3, 4, 4)
    alignment = cl.Scorer(key).align(response)
    identities = alignment.identities()
    assert len(set(identities)) == 5
    assert ((0, 1), (4, 5)) in identities
    assert (0, 5) in identities
    by_rank = [identities[i] for i in np.argsort(alignment.rank)]
    assert by_rank == [(0, 5), ((0, 0), (3, 5)), ((0, 0), (4, 5)), ((0, 1), (4, 5)), (7, 7)]
    assert key.clusters()[2] == [((0, 0), (3, 5))]


def test_pieces_that_touch_are_one() -> None:
    assert mentions(tokens(("a", TEXT, {1: [((0, 1), (2, 5))]})), tokens(("a", TEXT, {1: [(0, 5)]}))) == (1, 1, 1)


def test_a_discontinuous_mention_twice() -> None:
    key = tokens(("a", TEXT, {1: [((0, 1), (4, 5)), (7, 7)]}))
    response = tokens(("a", TEXT, {1: [((0, 1), (4, 5)), (7, 7)], 2: [((0, 1), (4, 5))]}))
    result = cl.score(key, response, metrics="mentions")
    assert [i.code for i in result.issues] == ["duplicates-response"]
    with pytest.raises(cl.InputError, match=r"mention \(\(0, 1\), \(4, 5\)\) occurs twice"):
        cl.score(key, response, duplicates="error")


pieces = st.lists(st.integers(0, 9), min_size=1, max_size=6, unique=True).map(
    lambda places: tuple((p, p) for p in sorted(places))
)
side = st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), pieces), max_size=12)


@given(side, side, st.sets(st.sampled_from("abc")))
def test_codes_are_equal_for_the_same_tokens(key: Any, response: Any, left_out: set[str]) -> None:
    """Of the same document and the same set of tokens, whatever pieces they are given in; with documents left out."""
    corpora = []
    for mentions_ in (key, response):
        chosen = {name: [p for n, p in mentions_ if n == name] for name in "abc"}
        corpora.append(tokens(*((name, "x " * 10, {1: spans}) for name, spans in chosen.items())))
    rows = np.array([-1 if name in left_out else d for d, name in enumerate("abc")])
    sides = [Side.of(corpus, rows) for corpus in corpora]
    codes = np.concatenate(identify(*sides)).tolist()
    meant = [
        (int(s.row[p]), frozenset(t for a, b in corpus.pieces(int(s.origin[p])) for t in range(a, b + 1)))
        for s, corpus in zip(sides, corpora, strict=True)
        for p in range(len(s.row))
    ]
    assert len(set(zip(codes, meant, strict=True))) == len(set(codes)) == len(set(meant))


# --------------------------------------------------------------------------------------------------------------- units


def test_units() -> None:
    by_token, by_character = tokens(("a", "x y", {1: [(0, 0)]})), characters(("a", "x y", {1: [(0, 0)]}))
    for key, response, message in (
        (by_token, by_character, "the key counts tokens and the response characters"),
        (by_character, by_token, "the key counts characters and the response tokens"),
    ):
        with pytest.raises(cl.InputError, match=message) as raised:
            cl.score(key, response)
        assert "--align characters" in raised.value.hint
        assert mentions(key, response, align="characters") == (1, 1, 1)
    assert mentions(by_character, by_character) == (1, 1, 1)
    with pytest.raises(cl.InputError, match="3 characters in the key and 4 in the response"):
        cl.score(by_character, characters(("a", "x yz", {1: [(0, 0)]})))


# --------------------------------------------------------------------------------------------------------- empty nodes


def test_other_empty_nodes() -> None:
    key = tokens(
        (
            "a",
            "*0 came *1 *2 and went",
            {1: [(0, 0), (2, 2)], 2: [(3, 3)], 3: [(4, 5)], 4: [(0, 5)], 5: [((1, 1), (5, 5))]},
        ),
        ("b", "he *1 came", {1: [(1, 1), (0, 2)]}),
    )
    response = tokens(
        ("a", "came *1 and *2 went", {1: [(1, 1), (3, 3)], 3: [(2, 4)], 4: [(0, 4)], 5: [((0, 0), (4, 4))]}),
        ("b", "he *1 came", {1: [(1, 1), (0, 2)]}),
    )
    result = cl.score(key, response, metrics="mentions")
    common = int(result["mentions"].counts["recall_num"])
    assert common == 3 + 2, "the first node after `came`, `and went`, `came ... went`; all of document b"
    assert [(i.code, i.count) for i in result.issues] == [("empty-nodes", 1)]
    assert "(2) than in the key (3)" in result.issues[0].message
    assert mentions(key, key) == (8, 8, 8)


def test_as_many_tokens_but_other_empty_nodes() -> None:
    key = tokens(("a", "x *1 y z", {1: [(1, 1), (3, 3)], 2: [(2, 2)]}))
    response = tokens(("a", "x y *1 z", {1: [(2, 2), (3, 3)], 2: [(1, 1)]}))
    assert mentions(key, response) == (2, 3, 3), "y and z"


def test_written_tokens_differ() -> None:
    key, response = tokens(("a", "x *1 y z", {1: [(1, 1)]})), tokens(("a", "x *1 y", {1: [(1, 1)]}))
    with pytest.raises(cl.InputError, match="4 tokens in the key and 3 in the response") as raised:
        cl.score(key, response)
    assert "token 3 is 'z' (side:5) in the key and nothing (side) in the response" in str(raised.value)


@given(st.lists(st.sampled_from(["w", "*"]), min_size=1, max_size=12), st.data())
def test_empty_nodes_taken_out(kinds: list[str], data: st.DataObject) -> None:
    """A response without empty nodes has the mentions of written tokens, and no other, in common with the key."""
    place = {t: i for i, t in enumerate(t for t, kind in enumerate(kinds) if kind == "w")}
    number = st.integers(0, len(kinds) - 1)
    spans = data.draw(st.sets(st.tuples(number, number).map(lambda s: (min(s), max(s))), min_size=1))
    kept = {(place[a], place[b]) for a, b in spans if a in place and b in place}
    if not place or not kept:
        return
    key = tokens(("a", " ".join(kinds), {1: sorted(spans)}))
    response = tokens(("a", "w " * len(place), {1: sorted(kept)}))
    assert mentions(key, response) == (len(kept), len(spans), len(kept))


def test_text_is_read_only_if_needed() -> None:
    """Where the tokens agree in number, text that is yet to be read stays unread."""
    from dataclasses import replace

    def never() -> Any:
        raise AssertionError("text was asked for")

    corpus = replace(tokens(("a", "x y", {1: [(0, 0), (1, 1)]})), texts=never)
    assert mentions(corpus, corpus) == (2, 2, 2)
