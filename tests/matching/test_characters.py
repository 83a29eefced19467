"""Mentions carried over by characters, and corpora turned from characters to tokens and back."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from coreflens.corpus.characters import tokenised, written
from coreflens.corpus.model import Corpus, Span
from coreflens.corpus.spelling import common_spelling
from coreflens.matching import diff
from coreflens.matching.characters import mapped, writings
from corpora import characters, tokens, words

KEY = tokens(
    (
        "a",
        "He said : `` I do n't know -LRB- yet -RRB- . ''\nI",
        {1: [(0, 0), (4, 4), (13, 13)], 2: [(5, 10)], 3: [(8, 10)]},
    )
)


def scored(key: Corpus, response: Corpus, **settings: Any) -> cl.Result:
    metrics = "mentions,muc,bcub,ceafe,conll"
    result: cl.Result = cl.score(key, response, align="characters", metrics=metrics, **settings)
    return result


def common(key: Corpus, response: Corpus) -> int:
    """How many mentions both sides have."""
    return int(scored(key, response)["mentions"].counts["recall_num"])


def in_raw(raw: str, **entities: str | list[str]) -> Corpus:
    """A corpus in characters, the mentions given by their words (the first place where they stand)."""
    spans = {
        entity: [(raw.index(m), raw.index(m) + len(m) - 1) for m in ([found] if isinstance(found, str) else found)]
        for entity, found in entities.items()
    }
    return characters(("a", raw, spans))


@pytest.mark.parametrize(
    "response",
    [
        in_raw('He said: "I don\'t know (yet)."\nI', he=["He", "I", "\nI"], what="don't know (yet)", when="(yet)"),
        in_raw("He said: “I don’t know (yet).”  I ", he=["He ", "I", "  I"], what="don’t know (yet)", when=" (yet)"),
    ],
)
def test_other_spelling_and_blanks(response: Corpus) -> None:
    for key, other in ((KEY, response), (response, KEY)):
        result = scored(key, other)
        assert result.conll == 1
        assert not result.issues


def test_mentions_within_a_token_of_the_other_side_have_no_twin() -> None:
    key = tokens(("a", "do n't go", {1: [(0, 0)], 2: [(0, 1)]}))
    other = tokens(("a", "don't go", {1: [(0, 0)], 2: [(1, 1)]}))
    assert common(key, other) == 1
    assert not scored(key, other).issues, "the text is the same: nothing was left behind"


def test_units_are_no_matter() -> None:
    text = "Anna saw Bob .\nShe waved ."
    key = tokens(("a", text, {1: [(0, 0), (4, 4)], 2: [(2, 2)]}))
    for one in (key, written(key)):
        for other in (key, written(key)):
            assert scored(one, other).conll == 1


def test_without_the_option() -> None:
    key = tokens(("a", "do n't go", {1: [(0, 0)]}))
    with pytest.raises(cl.InputError, match=r"3 tokens in the key and 2 in the response") as raised:
        cl.score(key, tokens(("a", "don't go", {1: [(0, 0)]})))
    assert "token 0 is 'do' (side:2) in the key and \"don't\" (side:2) in the response" in str(raised.value)
    assert "--align characters" in raised.value.hint
    with pytest.raises(cl.InputError, match="the key counts tokens and the response characters") as raised:
        cl.score(key, written(key))
    assert "--align characters" in raised.value.hint
    with pytest.raises(cl.InputError, match="9 characters in the key and 8 in the response"):
        cl.score(written(key), in_raw("don't go", x="go"))
    assert cl.score(written(key), written(key)).conll == cl.score(key, key).conll


def test_no_text() -> None:
    with pytest.raises(cl.InputError, match="no text"):
        scored(replace(KEY, texts=None), KEY)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("-LRB-", "("),
        ("-rcb-", "}"),
        ("``", '"'),
        ("''", "”"),
        ("`a'", "‘a’"),
        ("1\\/2", "1/2"),
        ("--", "—"),
        ("...", "…"),
        ("e\u0301t\u00e9", "\u00e9te\u0301"),
        ("co\u00adop", "coop"),
        ("a b\u00a0c\n", "abc"),
        ("\u1112\u1161\u11ab", "\ud55c"),
        ("\u212b", "\u00c5"),
    ],
)
def test_spelling(one: str, other: str) -> None:
    assert common_spelling(one) == common_spelling(other)
    assert writings(characters(("a", one, {})))[0].text == common_spelling(one)


@given(
    st.text(max_size=20)
    | st.text(alphabet="a-LRB\\\\/*`' \u0301\u0323\u1112\u1161\u11ab\u0915\u093c\u09c7\u09be", max_size=12)
)
def test_spelling_of_raw_text_character_by_character(raw: str) -> None:
    (document,) = writings(characters(("a", raw, {})))
    assert document.text == common_spelling(raw)
    assert len(document.first) == len(raw)
    if raw:
        assert document.last[-1] == len(document.text) - 1


def test_pieces() -> None:
    key = tokens(("a", "the big and the small dog", {1: [((0, 1), (5, 5))], 2: [(3, 5)], 3: [(0, 1)]}))
    raw = "the big\nand the small dog"
    response = characters(("a", raw, {1: [((0, 2), (4, 6), (22, 24))], 2: [(12, 24)], 3: [(0, 6)]}))
    assert words(response)[-1] == "the small dog"
    for one, other in ((key, response), (response, key), (key, key), (response, response)):
        assert scored(one, other)["mentions"].f1 == 1
    without = characters(("a", raw, {1: [(0, 24)], 2: [(12, 24)], 3: [((0, 2), (4, 6))]}))
    assert common(key, without) == 2, "a blank between two pieces is none; a piece that is left out is"


def test_a_piece_that_has_no_letters() -> None:
    """A token of a soft hyphen is nothing to compare, but a mention with it and one without it are two."""
    key = tokens(("a", "co \u00ad op", {1: [(0, 2)], 2: [((0, 0), (2, 2))], 3: [(1, 1)]}))
    assert common(key, key) == 3


def test_empty_nodes() -> None:
    key = tokens(("a", "came *1 *2 and *3 went", {1: [(1, 1), (4, 4)], 2: [(2, 2)], 3: [(5, 5)], 4: [(0, 2)]}))
    response = tokens(("a", "ca me *x and *y *z went", {1: [(2, 2), (5, 5)], 2: [(4, 4)], 3: [(6, 6)], 4: [(0, 2)]}))
    assert common(key, response) == 3, "the first after `came`, the first after `and`, `went`"
    assert common(key, key) == 5
    assert not scored(key, response).issues


# ------------------------------------------------------------------------------------------------- texts that differ


def test_words_left_out_and_added() -> None:
    key = tokens(
        (
            "a",
            "Anna saw the old dog . It barked at her loudly .",
            {1: [(0, 0), (9, 9)], 2: [(2, 4), (6, 6)], 3: [(10, 10)]},
        )
    )
    response = tokens(
        ("a", "Anna saw the very old dog . Well , he barked at her .", {1: [(0, 0), (12, 12)], 2: [(2, 5), (9, 9)]})
    )
    result = scored(key, response)
    assert result["mentions"].counts["recall_num"] == 3, "Anna, her, and the dog, old or very old"
    assert [(i.code, i.count) for i in result.issues] == [("not-carried-response", 1), ("not-carried-key", 2)]
    assert result.issues[0].message.startswith("1 of 4 response mentions could not be carried over: ")
    assert result.issues[1].message.startswith("2 of 5 key mentions have no counterpart")


@pytest.mark.parametrize(
    ("key", "response"), [("she", "he"), ("cat", "coat"), ("coat", "cat"), ("is", "it"), ("a", "b")]
)
def test_a_word_is_common_as_a_whole_or_not_at_all(key: str, response: str) -> None:
    sides = [tokens(("a", f"there {word} sat", {1: [(1, 1)], 2: [(0, 0)]})) for word in (key, response)]
    assert common(*sides) == 1
    assert common(*(written(side) for side in sides)) == 1


def test_lost_mentions_stay_apart() -> None:
    """Those that could not be carried over match nothing, and are not taken for one another."""
    key = tokens(("a", "x y z", {1: [(0, 0), (0, 1)], 2: [(2, 2)], 3: [((0, 0), (2, 2))]}))
    response = tokens(("a", "u v z", {1: [(0, 0), (0, 1)], 2: [(2, 2)], 3: [((0, 0), (2, 2))]}))
    result = scored(key, response)
    counts = result["mentions"].counts
    assert (counts["recall_num"], counts["recall_den"], counts["precision_den"]) == (1, 4, 4)
    assert [(i.code, i.count) for i in result.issues] == [("not-carried-response", 3), ("not-carried-key", 3)]


def test_mentions_of_blanks() -> None:
    """Odd, but there: each is a mention of its own, and the same on both sides."""
    key = characters(("a", "a  b c", {1: [(1, 1)], 2: [(2, 2)], 3: [(1, 2)], 4: [(3, 3)]}))
    assert common(key, key) == 4
    assert common(key, characters(("a", "a  b d", {1: [(1, 1)], 2: [(4, 4)], 3: [(1, 2)], 4: [(2, 3)]}))) == 3


def other_texts(size: int, seed: int, vocabulary: int) -> tuple[list[str], list[str]]:
    chance = random.Random(seed)
    key = [f"w{chance.randrange(vocabulary)}" for _ in range(size)]
    response = [w for w in key if chance.random() > 0.05]
    response = [x for w in response for x in ((w, "new") if chance.random() < 0.05 else (w,))]
    return key, response


@pytest.mark.parametrize("vocabulary", [3, 50, 5000])
def test_alignment_is_a_common_subsequence(vocabulary: int) -> None:
    key, response = other_texts(400, 1, vocabulary)
    ours, theirs = (writings(tokens(("a", " ".join(side), {})))[0] for side in (key, response))
    to_key = mapped(ours, theirs)
    there = np.flatnonzero(to_key >= 0)
    assert (np.diff(to_key[there]) > 0).all()
    assert all(ours.text[to_key[r]] == theirs.text[r] for r in there.tolist())
    assert len(there) >= 0.85 * sum(len(w) for w in response if w != "new")


def longest(a: list[int], b: list[int]) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        new = [0]
        for j, y in enumerate(b):
            new.append(row[j] + 1 if x == y else max(row[j + 1], new[j]))
        row = new
    return row[-1]


few = st.lists(st.integers(0, 3), max_size=30)


@given(few, few)
def test_subsequence(a: list[int], b: list[int]) -> None:
    pairs = diff._subsequence(np.array(a, dtype=np.int64), np.array(b, dtype=np.int64))
    assert len(pairs) == longest(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))


@given(few, few, st.sampled_from([0, 4, 30, 1 << 20]))
def test_common_words(a: list[int], b: list[int], cells: int) -> None:
    """Whatever is settled by anchors and whatever by the table, it is a common subsequence."""
    ours, theirs = np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)
    before, diff.CELLS = diff.CELLS, cells
    try:
        pairs = sorted(diff._common_words(ours, theirs))
    finally:
        diff.CELLS = before
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))
    if a == b:
        assert len(pairs) == len(a)


@given(st.lists(st.sampled_from(["keep", "drop", "add"]), min_size=1, max_size=40), st.data())
def test_mentions_in_words_that_are_left(changes: list[str], data: st.DataObject) -> None:
    """Of words that occur once: mentions whose first and last word are left meet their twins, and no other does."""
    place: dict[int, int] = {}
    response: list[str] = []
    for i, change in enumerate(changes):
        if change == "add":
            response.append(f"new{i}")
        if change != "drop":
            place[i] = len(response)
            response.append(f"w{i}x")
    number = st.integers(0, len(changes) - 1)
    spans = data.draw(st.sets(st.tuples(number, number).map(lambda s: (min(s), max(s))), max_size=10))
    left = {(place[a], place[b]) for a, b in spans if a in place and b in place}
    added = [i for i, word in enumerate(response) if word.startswith("new")]
    if not left:
        return
    key = tokens(("a", " ".join(f"w{i}x" for i in range(len(changes))), {1: sorted(spans)}))
    for cells in (0, 1 << 20):
        before, diff.CELLS = diff.CELLS, cells
        try:
            other = tokens(("a", " ".join(response), {1: sorted(left | {(i, i) for i in added})}))
            result = scored(key, other)
        finally:
            diff.CELLS = before
        assert result["mentions"].counts["recall_num"] == len(left)
        lost = {issue.code: issue.count for issue in result.issues}
        assert lost.get("not-carried-response", 0) == len(added)
        assert lost.get("not-carried-key", 0) == len(spans) - len(left)


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", [1, 2, 100_000])
def test_bounded_work(vocabulary: int) -> None:
    """Many words, also of few kinds, where nothing is unique: a quadratic table would never end."""
    chance = np.random.default_rng(1)
    key = chance.integers(vocabulary, size=300_000)
    response = np.insert(np.delete(key, np.arange(0, len(key), 97)), 1000, -1)
    response = np.roll(response, 5000)
    pairs = sorted(diff._common_words(key, response))
    places = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    assert (key[places[:, 0]] == response[places[:, 1]]).all()
    assert (np.diff(places, axis=0) > 0).all()


# ------------------------------------------------------------------------------------------------ any text, cut anyhow

letters = st.text(alphabet="abcéß日-'\"`(", min_size=1, max_size=5)


@st.composite
def documents(draw: st.DrawFn) -> tuple[list[str], dict[int, list[Span]]]:
    """Words, and mentions of them."""
    text = draw(st.lists(letters, min_size=1, max_size=20))
    places = st.integers(0, len(text) - 1)
    spans = draw(st.lists(st.tuples(places, places).map(lambda s: (min(s), max(s))), max_size=12, unique=True))
    entities: dict[int, list[Span]] = {}
    for span in spans:
        entities.setdefault(draw(st.integers(0, 3)), []).append(span)
    return text, entities


def _corpus(text: list[str], entities: dict[int, list[Span]]) -> Corpus:
    return tokens(("a", " ".join(text), entities))


@given(documents(), st.data())
def test_retokenised(document: tuple[list[str], dict[int, list[Span]]], data: st.DataObject) -> None:
    """The same text with other token borders, mentions where they were: the same mentions and entities."""
    text, entities = document
    joined = "".join(text)
    begins = [0, *accumulate(map(len, text))]
    forced = {begins[a] for spans in entities.values() for a, _ in spans}
    forced |= {begins[b + 1] for spans in entities.values() for _, b in spans}
    chosen = data.draw(st.sets(st.integers(1, len(joined))))
    cuts = sorted({0, len(joined)} | forced | chosen)
    pieces = [joined[a:b] for a, b in pairwise(cuts)]
    place = {cut: i for i, cut in enumerate(cuts)}
    moved = {e: [(place[begins[a]], place[begins[b + 1]] - 1) for a, b in spans] for e, spans in entities.items()}
    key, response = _corpus(text, entities), _corpus(pieces, moved)
    for one, other in ((key, response), (key, written(response)), (written(key), response)):
        result = cl.score(one, other, align="characters", metrics="mentions,bcub,ceafm", undefined="nan")
        if entities:
            assert (result["mentions"].f1, result["bcub"].f1, result["ceafm"].f1) == (1, 1, 1)
        assert not [i for i in result.issues if i.code.startswith("not-carried")]


@given(documents())
def test_token_character_token(document: tuple[list[str], dict[int, list[Span]]]) -> None:
    corpus = _corpus(*document)
    characters_ = written(corpus)
    assert words(characters_) == words(corpus)
    back = tokenised(characters_)
    assert (back.unit, len(back), list(back.entity)) == ("token", len(corpus), list(corpus.entity))
    assert [w.replace(" ", "") for w in words(back)] == [w.replace(" ", "") for w in words(corpus)]
    assert all(np.diff(back.text.first) == [d.tokens for d in back.documents])
    if len(corpus):
        assert cl.score(corpus, back, align="characters", metrics="bcub")["bcub"].f1 == 1


def test_words_of_a_script_without_blanks_are_shown_alike_however_they_are_written() -> None:
    corpus = tokens(("a", "日 日", {1: [(0, 1)]}))
    assert words(corpus) == words(written(corpus)) == words(tokenised(written(corpus))) == ["日日"]


@given(st.text(alphabet="ab .\n", min_size=1, max_size=30), st.data())
def test_tokenised_keeps_every_mention(raw: str, data: st.DataObject) -> None:
    """Also those that begin or end in a blank, or are nothing but blanks."""
    place = st.integers(0, len(raw) - 1)
    span = st.tuples(place, place).map(lambda s: (min(s), max(s)))
    corpus = characters(("a", raw, {1: data.draw(st.lists(span, max_size=6, unique=True))}))
    got = tokenised(corpus)
    assert len(got) == len(corpus)
    assert (got.start <= got.end).all()
    assert (got.end < np.diff(got.text.first)[0]).all() if len(got) else True
    empty = got.text.empty
    written_words = [w for i, w in enumerate(got.text.words) if empty is None or not empty[i]]
    assert "".join(written_words) == "".join(raw.split())
    for row in range(len(corpus)):
        meant = corpus.words(row).split()
        seen = [
            w
            for i, w in enumerate(got.text.words)
            if got.start[row] <= i <= got.end[row] and (empty is None or not empty[i])
        ]
        assert "".join(seen) == "".join(meant)


def test_tokenised() -> None:
    raw = "Anna-Lena didn't.\n\nShe  left (early)."
    corpus = characters(
        ("b", "x", {1: [(0, 0)]}),
        ("a", raw, {1: [(0, 8), (19, 21)], 2: [((0, 3), (24, 27))], 3: [(5, 8)]}),
    )
    got = tokenised(corpus)
    assert [list(s) for s in got.text.sentences_of(1)] == [
        ["Anna", "-", "Lena", "didn", "'", "t", "."],
        ["She", "left", "(", "early", ")", "."],
    ]
    assert words(got) == ["x", "Anna ... left", "Anna - Lena", "Lena", "She"]
    assert got.documents[1].tokens == 13
    assert tokenised(got) is got
    assert written(corpus) is corpus


def test_written() -> None:
    corpus = tokens(
        ("a", "Anna *0 left\nShe did", {1: [(0, 0), (3, 3), (1, 1)], 2: [((0, 0), (2, 2))]}), ("b", "x", {})
    )
    got = written(corpus)
    assert list(got.text.raw or ()) == ["Anna *0 left\nShe did", "x"]
    assert words(got) == words(corpus)
    assert [d.tokens for d in got.documents] == [20, 1]
