"""Windows of a text for a language model, and its answers put together again."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples
from command import Run
from coreflens.corpora.joining import join, joined
from coreflens.corpora.prompts import prompts, windows
from coreflens.corpus.model import Corpus
from coreflens.formats import read
from coreflens.formats.shared.repairs import repair
from places import DATA

KEY = """# doc a; part 1
[Ada](1) wrote to [[her](1) aunt](2) .
[The aunt](2) answered [her](1) .
[Ada](1) smiled at [the rain](3) .
# doc b
[Bob](1) slept .
"""


@pytest.fixture
def key(tmp_path: Path) -> Path:
    (tmp_path / "key.md").write_text(KEY)
    cl.convert(tmp_path / "key.md", tmp_path / "key.conll")
    return tmp_path / "key.conll"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def answered(prompts: Path, answer: Callable[[dict[str, Any]], str | None], *, bare: bool = False) -> Path:
    """The prompts with answers; `bare`: with nothing but the id."""
    path = prompts.with_name("answers.jsonl")
    records = [({"id": r["id"]} if bare else r) | {"answer": answer(r)} for r in lines(prompts)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def own_ids(record: dict[str, Any]) -> str:
    """The answer of a perfect model that numbers the entities of each window again from 1."""
    chance = random.Random(record["id"])
    shift = chance.randrange(1, 90)
    return re.sub(r"(?<!\\)\]\((\d+)\)", lambda m: f"]({int(m[1]) * 7 % 9973 + shift})", str(record["target"]))


@examples(200)
@given(
    sentences=st.lists(st.integers(1, 30), max_size=40),
    chunk=st.integers(1, 40),
    overlap=st.integers(0, 39),
)
def test_windows(sentences: list[int], chunk: int, overlap: int) -> None:
    """They have all words, are not too long, go on, and overlap as far as whole sentences allow."""
    overlap = min(overlap, chunk - 1)
    starts = [sum(sentences[:n]) for n in range(len(sentences))]
    size = sum(sentences)
    found = list(windows(starts, size, chunk, overlap))
    assert {n for a, b in found for n in range(a, b)} == set(range(size))
    assert all(0 < b - a <= chunk for a, b in found)
    for (a, b), (c, d) in pairwise(found):
        assert a < c <= b < d
        borders = {*starts, size}
        if max(sentences) <= chunk:
            assert {a, b, c, d} <= borders
            following = min(x for x in borders if x > b)
            later = [s for s in starts if a < s and b - s >= overlap and following - s <= chunk]
            assert not later or b - c >= overlap  # a start that shares enough is taken, if it has room for more


def test_a_line_per_window(key: Path, tmp_path: Path, run: Run) -> None:
    done = run("convert", key, tmp_path / "p.jsonl", "--to", "prompts", "--chunk", "12", "--overlap", "3")
    assert done.code == 0 and "3 windows" in done.err
    one, two, three = lines(tmp_path / "p.jsonl")
    assert (one["id"], one["doc"], one["part"], one["first"], one["windows"]) == ("a_1#1", "a", 1, 0, 2)
    assert one["text"] == "Ada wrote to her aunt .\nThe aunt answered her ."
    assert one["target"] == "[Ada](1) wrote to [[her](1) aunt](2) .\n[The aunt](2) answered [her](1) ."
    assert one["text"] in one["prompt"] and "[Ada](1)" in one["prompt"]
    assert two["first"] == 6 and two["tokens"][0] == ["The", "aunt", "answered", "her", "."]
    assert (three["id"], "part" in three) == ("b#1", False)
    (tmp_path / "t.txt").write_text("Q: {text}\nA:")
    run("convert", key, tmp_path / "p.jsonl", "--to", "prompts", "--blind", "--template", tmp_path / "t.txt")
    first = lines(tmp_path / "p.jsonl")[0]
    assert "target" not in first and first["prompt"] == f"Q: {first['text']}\nA:"


@pytest.mark.parametrize("bare", [False, True])
def test_there_and_back(key: Path, tmp_path: Path, run: Run, bare: bool) -> None:
    run("convert", key, tmp_path / "p.jsonl", "--to", "prompts", "--chunk", "12", "--overlap", "3")
    answers = answered(tmp_path / "p.jsonl", lambda r: r["target"], bare=bare)
    more = ("--prompts", tmp_path / "p.jsonl") if bare else ()
    for ids, score in (("document", 1.0), ("window", 1.0)):  # `her` is in both windows, and so are Ada and the aunt
        assert run("convert", answers, tmp_path / "out.conll", "--join", "--ids", ids, *more).code == 0
        assert float(cl.score(key, tmp_path / "out.conll").conll) == score
    assert cl.read(tmp_path / "out.conll").text.sentences.tolist() == cl.read(key).text.sentences.tolist()


def test_entities_that_share_a_mention_are_one(key: Path, tmp_path: Path) -> None:
    prompts(key, tmp_path / "p.jsonl", chunk=12, overlap=3)
    replies = {
        "a_1#1": "[Ada](1) wrote to [[her](1) aunt](2) .\n[The aunt](2) answered [her](1) .",
        "a_1#2": "[The aunt](9) answered [her](1) .\n[Ada](1) smiled at [the rain](2) .",
        "b#1": "Bob slept .",
    }
    corpus = joined(answered(tmp_path / "p.jsonl", lambda r: replies[r["id"]]))
    assert sorted(corpus.clusters(0).values()) == [[(0, 0), (3, 3), (9, 9), (11, 11)], [(3, 4), (6, 7)], [(14, 15)]]
    labelled = joined(answered(tmp_path / "p.jsonl", lambda r: replies[r["id"]]), ids="document")
    assert labelled.clusters(0)["2"] == [(3, 4), (6, 7), (14, 15)]  # 2 is 2, wherever it stands
    assert [i.count for i in labelled.issues if i.code == "two-entities"] == [1]  # the aunt, 2 and then 9


def test_what_models_do_to_a_text(key: Path, tmp_path: Path, run: Run) -> None:
    """Reworded, in JSON, without an answer, cut off: each is reported, and the words of the document stay."""
    run("convert", key, tmp_path / "p.jsonl", "--to", "prompts", "--chunk", "12", "--overlap", "3")
    replies = {
        "a_1#1": "Sure:\n```\n[Ada](1) spoke to [[her](1) old aunt](2) .\n[The niece](2) answered [her](1) .\n```",
        "a_1#2": '{"clusters": [["Ada"], ["the rain"]]}',
        "b#1": None,
    }
    answers = answered(tmp_path / "p.jsonl", lambda r: replies[r["id"]])
    done = run("convert", answers, tmp_path / "out.conll", "--join")
    assert done.code == 0 and "1 window of 3 without an answer" in done.err and "b#1" in done.err
    assert "1 mention of the answers not in the text" in done.err and "[placed]" in done.err
    corpus = cl.read(tmp_path / "out.conll")
    assert list(corpus.text.words) == list(cl.read(key).text.words)
    assert sorted(corpus.clusters(0).values()) == [[(0, 0), (3, 3), (9, 9)], [(3, 4)], [(11, 11)], [(14, 15)]]
    cut = answered(tmp_path / "p.jsonl", lambda r: str(r["target"])[:-4])
    refused = run("convert", cut, tmp_path / "out.conll", "--join")
    assert refused.code == 3 and f"{cut}:" in refused.err and "--repair" in refused.err
    mended = run("convert", cut, tmp_path / "out.conll", "--join", "--repair")
    assert mended.code == 0 and "[repaired]" in mended.err


START = '{"id": "a#1", "doc": "a", "window": 1, '
BROKEN: dict[str, tuple[str, str]] = {
    "no windows": ("", "no answers here"),
    "no id": ('{"answer": "x"}', "not a window of a text"),
    "not JSON": ("{", "not valid JSON"),
    "a list": ("[1]", "a JSON object is expected"),
    "no text": (START + '"windows": 1, "first": 0, "tokens": [["x"]], "answer": 3}', "a text"),
    "a window missing": (START + '"windows": 2, "first": 0, "tokens": [["x"]]}', "window 2 of 2"),
    "words missing": (START + '"windows": 1, "first": 2, "tokens": [["x"]]}', "words 0 to 1"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_broken_answers(case: str, tmp_path: Path) -> None:
    text, message = BROKEN[case]
    (tmp_path / "a.jsonl").write_text(text + "\n")
    with pytest.raises(cl.InputError, match=message):
        joined(tmp_path / "a.jsonl")


@pytest.mark.parametrize(
    "options",
    [
        ("--chunk", "9"),
        ("--ids", "window"),
        ("--to", "prompts", "--chunk", "5", "--overlap", "5"),
        ("--to", "prompts", "--strict"),
        ("--to", "prompts", "--join"),
        ("--join", "--blind"),
    ],
)
def test_options_that_do_not_go_together(key: Path, tmp_path: Path, run: Run, options: tuple[str, ...]) -> None:
    done = run("convert", key, tmp_path / "x.conll", *options)
    assert done.code == 2 and not (tmp_path / "x.conll").exists()


def cut_by_the_rule(key: Corpus, chunk: int, overlap: int) -> list[set[tuple[int, int]]]:
    """The entities of a key of one document, cut where no window has two mentions that hold them together: naively."""
    text = key.text
    spans = list(windows(text.starts(0).tolist(), len(text.words), chunk, overlap))
    found = []
    for mentions in key.clusters(0).values():
        pieces = [{m for m in mentions if a <= m[0] and m[1] < b} for a, b in spans]  # type: ignore[index]
        pieces = [piece for piece in pieces if piece]
        while pieces:
            whole = pieces.pop(0)
            while touching := [piece for piece in pieces if piece & whole]:
                pieces = [piece for piece in pieces if not piece & whole]
                whole = whole.union(*touching)
            found.append(whole)
    return found  # type: ignore[return-value]


def book(path: Path, words: int, seed: int = 7) -> None:
    """One long document: sentences of 4 to 40 words, entities that come and go, mentions within others."""
    chance = random.Random(seed)
    sentences: list[list[str]] = []
    clusters: dict[int, list[list[int]]] = {}
    place = 0
    while place < words:
        size = chance.randint(4, 40)
        sentences.append(
            [chance.choice(("the", "of", "x[1]", "(a)", "said", f"w{chance.randrange(5000)}")) for _ in range(size)]
        )
        taken: set[tuple[int, int]] = set()
        for _ in range(size // 5):
            start = chance.randrange(size)
            end = min(size - 1, start + chance.choice((0, 0, 0, 1, 2)))
            nested = all(b < start or end < a or a <= start <= end <= b or start <= a <= b <= end for a, b in taken)
            if nested and (start, end) not in taken:
                taken.add((start, end))
                near = place // 900 * 40 + chance.randrange(60)
                clusters.setdefault(chance.choice((chance.randrange(20), near)), []).append(
                    [place + start, place + end]
                )
        place += size
    record = {"doc_key": "book", "sentences": sentences, "clusters": list(clusters.values())}
    path.write_text(json.dumps(record) + "\n")


BOOK = pytest.param(200_000, 400, 50, marks=pytest.mark.endurance)


@pytest.mark.slow
@pytest.mark.parametrize(("words", "chunk", "overlap"), [BOOK, (20_000, 400, 50), (6_000, 60, 25)])
def test_a_book_through_a_perfect_model(tmp_path: Path, words: int, chunk: int, overlap: int) -> None:
    """100 where ids are kept; with ids of windows, exactly the score of the key cut by the same rule."""
    book(tmp_path / "book.jsonl", words)
    issues: list[cl.Issue] = []
    prompts(tmp_path / "book.jsonl", tmp_path / "p.jsonl", chunk=chunk, overlap=overlap, report=issues.append)
    assert not [issue for issue in issues if issue.code == "cut"]
    key = read(tmp_path / "book.jsonl")
    join(answered(tmp_path / "p.jsonl", lambda r: r["target"]), tmp_path / "kept.conll", ids="document")
    kept = cl.score(tmp_path / "book.jsonl", tmp_path / "kept.conll")
    assert all(float(score.main) == 1 for score in kept.values())
    join(answered(tmp_path / "p.jsonl", own_ids), tmp_path / "cut.conll")
    scores = cl.score(tmp_path / "book.jsonl", tmp_path / "cut.conll")
    cut = cut_by_the_rule(key, chunk, overlap)
    both = {"book": list(key.clusters(0).values())}, {"book": cut}
    expected = cl.score(*both)
    assert {m: s.main for m, s in scores.items()} == pytest.approx({m: s.main for m, s in expected.items()}, abs=1e-12)
    if words < 10_000:  # and to the last fraction
        kept, expected = (
            cl.score(*sides, exact=True) for sides in ((tmp_path / "book.jsonl", tmp_path / "cut.conll"), both)
        )
        assert {m: s.main for m, s in kept.items()} == {m: s.main for m, s in expected.items()}
    assert 0 < float(scores.conll) < 1 and float(scores["mentions"].f1 or 0) == 1


@pytest.mark.parametrize("name", ["gum/dep", "litbank/conll"])
def test_real_texts(name: str, tmp_path: Path) -> None:
    paths = sorted((DATA / name).glob("*")) if (DATA / name).is_dir() else [DATA / name]
    if not paths or not paths[0].exists():
        pytest.skip(f"no {name} here")
    prompts(paths[0], tmp_path / "p.jsonl", chunk=200, overlap=40)
    answers = answered(tmp_path / "p.jsonl", lambda r: r["target"])
    join(answers, tmp_path / "out.conll", ids="document")
    found = cl.score(paths[0], tmp_path / "out.conll")["mentions"]
    assert found.precision == 1 and float(found.recall or 0) > 0.99  # brackets can't hold mentions that cross


def test_an_answer_that_can_not_be_read(key: Path, tmp_path: Path) -> None:
    prompts(key, tmp_path / "p.jsonl")
    answers = answered(tmp_path / "p.jsonl", lambda r: "# doc x\n[a](1)\n# doc y\n[b](1)\n")
    with pytest.raises(cl.InputError, match="an answer must be one document"):
        joined(answers)
    with repair():
        corpus = joined(answers)
    assert not len(corpus) and [i.code for i in corpus.issues] == ["repaired"]
