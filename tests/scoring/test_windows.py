"""Windows of a long text: cut at the ends of sentences, every mention in exactly one, the counts added up."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples
from command import Run, conll
from coreflens.errors import InputError, UsageError
from coreflens.scoring.scorer import Scorer
from coreflens.scoring.signature import Signature
from coreflens.scoring.windows import windows_of
from coreflens.studies.ranges import sizes_of, windows
from corpora import characters, tokens

METRICS = "default,pairs"


def cut_by_hand(lengths: list[int], size: int) -> list[int]:
    """The window of each word: sentences are put together as long as they fit."""
    window, room, found = -1, 0, []
    for length in lengths:
        if length > room or window < 0:
            window, room = window + 1, size
        room -= length
        found += [window] * length
    return found


@st.composite
def books(draw: st.DrawFn) -> tuple[list[int], list[dict[int, list[tuple[int, int]]]]]:
    """Lengths of sentences, and the entities of both sides: numbers with spans."""
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=8))
    words = sum(lengths)
    spans = st.tuples(st.integers(0, words - 1), st.integers(0, 2)).map(lambda s: (s[0], min(sum(s), words - 1)))
    sides = []
    for _ in range(2):
        chosen = draw(st.lists(spans, max_size=12, unique=True))
        side: dict[int, list[tuple[int, int]]] = {}
        for span in chosen:
            side.setdefault(draw(st.integers(0, 3)), []).append(span)
        sides.append(side)
    return lengths, sides


def as_text(lengths: list[int]) -> str:
    numbers = iter(range(sum(lengths)))
    return "\n".join(" ".join(f"w{next(numbers)}" for _ in range(length)) for length in lengths)


@given(books(), st.integers(1, 12))
@examples(150)
def test_windows_score_what_the_documents_cut_by_hand_do(book: Any, size: int) -> None:
    lengths, sides = book
    where = cut_by_hand(lengths, size)
    corpora = [tokens(("book", as_text(lengths), side)) for side in sides]
    found = cl.score(*corpora, metrics=METRICS, window=size, no_common="score")
    pieces: list[dict[str, list[list[Any]]]] = []
    for side in sides:
        documents: dict[str, list[list[Any]]] = {str(w): [] for w in range(where[-1] + 1)}
        for spans in side.values():
            for w in documents:
                part = [span for span in spans if str(where[span[0]]) == w]
                documents[w] += [part] if part else []
        pieces.append(documents)
    by_hand = cl.score(*pieces, metrics=METRICS)
    for metric, score in by_hand.items():
        assert score.counts.keys() == found[metric].counts.keys()
        for name, number in score.counts.items():
            assert found[metric].counts[name] == pytest.approx(number), (metric, name)
        assert found[metric].f1 == pytest.approx(score.f1), metric


@given(books(), st.integers(1, 12))
@examples(100)
def test_mentions_of_the_windows_sum_to_the_whole_and_links_divide(book: Any, size: int) -> None:
    lengths, sides = book
    corpora = [tokens(("book", as_text(lengths), side)) for side in sides]
    scorer = Scorer(corpora[0], metrics=METRICS, no_common="score")
    matched = scorer.match(corpora[1])
    cut = windows_of(matched, size)
    assert len(cut.of) == len(matched.alignment.key)
    assert np.bincount(cut.of, minlength=len(cut)).sum() == len(matched.alignment.key)
    study = windows(corpora[0], corpora[1], [size, "all"], metrics=METRICS, no_common="score")
    some, whole = study[0], study[1]
    assert some.result["mentions"].counts == whole.result["mentions"].counts
    assert whole.result.to_dict()["scores"] == scorer.result(matched).to_dict()["scores"]
    where = cut_by_hand(lengths, size)
    for side, field in zip(sides, ("key", "response"), strict=True):
        pairs = [pair for spans in side.values() for pair in combinations(spans, 2)]
        inside = sum(where[one[0]] == where[other[0]] for one, other in pairs)
        assert (getattr(some.inside, field), getattr(some.across, field)) == (inside, len(pairs) - inside)
    both = {frozenset(p) for spans in sides[0].values() for p in combinations(spans, 2)}
    both &= {frozenset(p) for spans in sides[1].values() for p in combinations(spans, 2)}
    inside = sum(len({where[span[0]] for span in pair}) == 1 for pair in both)
    assert (some.inside.common, some.across.common) == (inside, len(both) - inside)
    assert tuple(whole.across) == (0, 0, 0)


def test_every_document_is_cut_by_itself_and_rows_stay_documents() -> None:
    side = {0: [(0, 0), (2, 2)], 1: [(3, 3)]}
    corpus = tokens(("x/a", "a b\nc d", side), ("x/b", "a b\nc d\ne", side))
    result = cl.score(corpus, corpus, window=2, metrics="muc,ceafe")
    assert list(result.by_document()) == ["x/a", "x/b"]
    assert result["ceafe"].counts["recall_den"] == 6  # entity 0 is cut in both
    assert result["muc"].counts["recall_den"] == 0
    assert windows(corpus, corpus, 2)[0].windows == 5
    exact = cl.score(corpus, corpus, window=2, metrics="bcub", exact=True)
    assert exact["bcub"].f1 == 1


def test_a_sentence_is_never_cut_and_a_note_says_so() -> None:
    corpus = tokens(("a", "a b c d e\nf", {0: [(0, 0), (4, 4)], 1: [(5, 5)]}))
    result = cl.score(corpus, corpus, window=3, metrics="pairs")
    assert result["pairs"].counts["recall_den"] == 1
    assert [issue.code for issue in result.issues if issue.code == "long-window"] == ["long-window"]


def test_places_that_tokens_do_not_share_are_carried_over() -> None:
    """The response has other tokens: its mentions lie in the window of the same characters."""
    key = tokens(("a", "I can not go\nyou will", {0: [(0, 0), (4, 4)], 1: [(2, 2)]}))
    response = tokens(("a", "I cannot go you will", {0: [(0, 0), (3, 3)], 1: [(4, 4)]}))
    options: Any = {"metrics": "pairs,mentions", "align": "characters"}
    assert cl.score(key, response, **options)["pairs"].f1 == 1
    study = windows(key, response, "4,all", **options)
    assert tuple(study[0].inside) == (0, 0, 0)
    assert tuple(study[0].across) == (1, 1, 1)
    matched = Scorer(key, **options).match(response)
    assert sorted(windows_of(matched, 4).of.tolist()) == [0, 0, 1, 1]  # "will" of the response is in the second


def test_empty_nodes_of_one_side_do_not_move_the_borders() -> None:
    key = tokens(("a", "*pro go home\nyou *pro stay", {0: [(1, 1), (3, 3)], 1: [(5, 5)]}))
    response = tokens(("a", "go home\nyou stay", {0: [(0, 0), (2, 2)], 1: [(3, 3)]}))
    study = windows(key, response, "3,all", metrics="pairs,mentions")
    assert study[0].result["mentions"].f1 == 1
    assert tuple(study[0].across) == (1, 1, 1)


def test_singletons_that_the_cut_makes_are_dropped_where_singletons_are() -> None:
    corpus = tokens(("a", "a b\nc d", {0: [(0, 0), (2, 2), (3, 3)]}))
    for policy in ("drop", "drop-before"):
        result = cl.score(corpus, corpus, window=2, metrics="mentions,bcub", singletons=policy)
        assert result["bcub"].counts["recall_den"] == 2
    assert result["mentions"].counts["recall_den"] == 2  # before matching: for every number


def test_what_can_not_be_cut_is_refused() -> None:
    corpus = tokens(("a", "a b\nc d", {0: [(0, 0), (2, 2)]}))
    with pytest.raises(InputError, match="mentions have names"):
        cl.score([["x", "y"]], [["x", "y"]], window=10)
    raw = characters(("a", "a b c", {0: [(0, 0)]}))
    with pytest.raises(InputError, match="counted in words"):
        cl.score(raw, raw, window=10)
    for wrong in (0, "-3", "x", "1.5"):
        with pytest.raises(UsageError, match="number of words"):
            cl.score(corpus, corpus, window=wrong)
    with pytest.raises(UsageError, match="twice"):
        sizes_of("500,all,0500")
    with pytest.raises(UsageError, match="whole documents"):
        cl.explain(corpus, corpus, "muc", window=2)
    with pytest.raises(UsageError, match="whole documents"):
        cl.diagnose(corpus, corpus, protocol="bookcoref:window")
    with pytest.raises(UsageError, match="not a sum"):
        cl.score(corpus, corpus, window=2, metrics="derror")
    with pytest.raises(UsageError, match="extend over"):
        cl.score(corpus, corpus, window=2, scope="corpus")


def test_the_recipes_of_books() -> None:
    text = "\n".join(" ".join(["w"] * 50) for _ in range(61))  # 3050 words: three windows
    spans = [(0, 0), (1499, 1499), (1500, 1500), (3000, 3000), (3049, 3049)]
    book = tokens(("book", text, {0: spans}))
    full, window = (cl.score(book, book, protocol=p) for p in ("bookcoref:full", "bookcoref:window"))
    assert full["muc"].counts["recall_den"] == 4
    assert window["muc"].counts["recall_den"] == 2  # (0, 1499), 1500 alone, (3000, 3049): none is lost, none is twice
    assert window["bcub"].counts["recall_den"] == 5
    assert list(full) == ["mentions", "muc", "bcub", "ceafe", "conll"]
    assert "window:" not in str(full.signature)
    assert "|window:1500|" in str(window.signature)
    assert Signature.parse(str(window.signature)) == window.signature


def test_the_command_prints_one_row_per_size(run: Run, tmp_path: Path) -> None:
    key, response, plot = tmp_path / "key.conll", tmp_path / "response.conll", tmp_path / "windows.svg"
    for path, cells in (
        (key, ("(0)", "-", "(1)", "(0)", "-", "(1)")),
        (response, ("(0)", "-", "(0)", "(0)", "-", "-")),
    ):
        lines = conll(*cells).splitlines(keepends=True)
        path.write_text("".join([*lines[:4], "\n", *lines[4:]]))  # two sentences of three words
    ran = run("score", key, response, "--window", "3,all", "--plot", plot, "-m", "muc,pairs")
    assert ran.code == 0, ran.err
    assert "F1 by window" in ran.out
    assert [line.split()[0] for line in ran.out.splitlines()[2:4]] == ["3", "all"]
    assert ">links across</text>" in plot.read_text()
    found = run("score", key, response, "--window", "all", "-m", "muc", "--format", "json").json["windows"][0]
    plain = run("score", key, response, "-m", "muc", "--format", "json").json
    assert found["scores"] == plain["scores"]
    assert found["links"]["inside"]["key"] == 2
    gate = run("score", key, response, "--window", "3", "--fail-under", "muc=99")
    assert gate.code == 1
    assert run("score", key, response, "--window", "2,all", "--by", "document").code == 2
    assert run("score", key, response, "--plot", plot).code == 2
    assert run("score", key, response, "--window", "none").code == 2
    assert json.loads(json.dumps(found))


def test_an_accumulator_counts_windows_as_score_does() -> None:
    words = "a b c d\ne\nf g h"
    key = tokens(("book", words, {1: [(0, 0), (4, 4)], 2: [(2, 3), (5, 6)]}))
    response = tokens(("book", words, {1: [(0, 0), (5, 6)], 2: [(2, 3), (4, 4)]}))
    for window in ("3", "5"):
        accumulator = cl.Accumulator(metrics=METRICS, window=window)
        accumulator.update(key, response)
        alone = cl.score(key, response, metrics=METRICS, window=window)
        together = accumulator.compute()
        assert together.to_dict()["scores"] == alone.to_dict()["scores"]
        assert {issue.code for issue in alone.issues} == {issue.code for issue in together.issues}
    with pytest.raises(InputError, match="windows need the text"):
        cl.Accumulator(window="3").update([["a", "b"]], [["a", "b"]])
