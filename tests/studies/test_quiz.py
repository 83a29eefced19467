"""Multiple-choice questions from a key, and the accuracy of answers."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coreflens as cl
from command import Run
from coreflens.studies.questions import NONE, make_quiz
from coreflens.studies.quiz import letter_of, score_quiz
from places import DATA

KEY = """# doc a
[Ada Berg](1) wrote to [[her](1) aunt](2) .
[The old lady](2) lived in [a house](3) near [the mill](4) .
[She](2) met [Bob](5) there , and [he](5) sold [it](3) .
# doc b
[Carl](1) saw [Dora](2) .
[He](1) greeted [her](2) .
"""


@pytest.fixture
def key(tmp_path: Path) -> Path:
    (tmp_path / "key.md").write_text(KEY)
    return tmp_path / "key.md"


def questions(path: Path) -> dict[str, dict[str, Any]]:
    return {q["id"]: q for q in map(json.loads, path.read_text("utf-8").splitlines())}


def asked(made: dict[str, dict[str, Any]], words: str) -> dict[str, Any]:
    return next(q for q in made.values() if q["question"] == f"What does *{words}* refer to?")


def test_questions(key: Path, tmp_path: Path, run: Run) -> None:
    done = run("quiz", "make", key, tmp_path / "q.jsonl", "--types", "pronoun,nominal", "--options", "3")
    assert done.code == 0 and "questions" in done.err
    made = questions(tmp_path / "q.jsonl")
    she = asked(made, "She")
    assert she["options"][she["answer"]] == "The old lady" and she["type"] == "pronoun" and she["distance"] == 1
    assert "Ada Berg" in she["options"].values()  # she agrees with Ada, and not with a house, which is nearer
    assert len(she["options"]) == 3 and "*She* met Bob" in she["context"] and she["nesting"] == "outside"
    her = asked(made, "her")
    assert her["doc"] == "a" or her["doc"] == "b"
    assert "her aunt" not in asked(made, "her")["options"].values()  # it lies in that one
    lady = asked(made, "The old lady")
    assert lady["options"][lady["answer"]] == "her aunt" and "Ada Berg" in lady["options"].values()


@pytest.mark.slow
def test_every_question_is_sound(tmp_path: Path) -> None:
    """On real text: the right option is of the same entity, the others are not, and no two are alike."""
    folder = DATA / "gum" / "dep"
    if not folder.is_dir():
        pytest.skip("no gum/dep here")
    made = make_quiz(folder, tmp_path / "q.jsonl", options=5, none=True)
    found = questions(tmp_path / "q.jsonl")
    assert made.questions == len(found) > 200
    corpus = cl.read(folder)
    entities: dict[str, dict[str, set[Any]]] = {}
    for row, mention in enumerate(corpus):
        here = entities.setdefault(mention.document.label, {})
        here.setdefault(corpus.words(row).casefold(), set()).add(mention.entity)
    number = {label: n for n, label in enumerate(d.label for d in corpus.documents)}
    none = 0
    for name, q in found.items():
        row = int(corpus.bounds[number[q["doc"]]]) + int(name.rpartition("#")[2]) - 1
        own, options = corpus.mention(row).entity, dict(q["options"])
        right = options.pop(q["answer"])
        none += right == NONE
        assert right == NONE or own in entities[q["doc"]][right.casefold()]
        for words in options.values():
            assert words == NONE or entities[q["doc"]][words.casefold()] - {own}
        assert len({w.casefold() for w in q["options"].values()}) == len(q["options"])
        assert q["type"] in ("pronoun", "nominal") and 2 <= len(q["options"]) <= 5
    assert 0.1 < none / len(found) < 0.3
    again = make_quiz(folder, tmp_path / "again.jsonl", options=5, none=True)
    assert again == made and questions(tmp_path / "again.jsonl") == found
    some = make_quiz(folder, tmp_path / "some.jsonl", options=5, none=True, count=50)
    assert some.questions == 50
    assert all(found[name] == question for name, question in questions(tmp_path / "some.jsonl").items())


LETTERS = {
    "B": "B", "b": "B", "(b)": "B", " B. ": "B", "B) the aunt": "B", "Answer: B": "B", "The answer is B": "",
    "**B**": "B", "the aunt": "B", "The  Aunt": "B", "a man": "C", "A man": "C", "A": "A", "D": "", "": "",
    "I think B": "", "answer is: A.": "A", "option C": "C", "A and B": "",
}  # fmt: skip


@pytest.mark.parametrize("answer", LETTERS)
def test_what_an_answer_names(answer: str) -> None:
    assert letter_of(answer, {"A": "Ada", "B": "the aunt", "C": "a man"}) == LETTERS[answer]


def test_accuracy(tmp_path: Path, run: Run) -> None:
    """Counted by hand: 3 documents, 5 questions, 3 right, one without an answer, one that names nothing."""
    rows = [("a#1", "a", "pronoun", 0, "A"), ("a#2", "a", "nominal", 4, "B"), ("b#1", "b", "pronoun", 1, "A")]
    rows += [("b#2", "b", "pronoun", 9, "C"), ("c#1", "c", "nominal", 0, "A")]
    options = {"A": "Ada", "B": "the aunt", "C": NONE}
    with (tmp_path / "q.jsonl").open("w") as file:
        for name, doc, kind, distance, answer in rows:
            record = {"id": name, "doc": doc, "type": kind, "nesting": "inside", "distance": distance}
            file.write(json.dumps(record | {"options": options, "answer": answer}) + "\n")
    answers = {"a#1": "A", "a#2": "(B)", "b#1": "who knows", "b#2": "none of these", "x#1": "A"}
    lines = (json.dumps({"id": name, "answer": answer}) for name, answer in answers.items())
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    done = run("quiz", "score", tmp_path / "q.jsonl", tmp_path / "a.jsonl", "--format", "json")
    found = {(r["group"], r["value"]): (r["right"], r["questions"]) for r in done.json["accuracy"]}
    assert found == {
        ("all", ""): (3, 5),
        ("type", "nominal"): (1, 2),
        ("type", "pronoun"): (2, 3),
        ("nesting", "inside"): (3, 5),
        ("distance", "0"): (1, 2),
        ("distance", "1"): (0, 1),
        ("distance", "3–5"): (1, 1),
        ("distance", "6+"): (1, 1),
        ("right option", "a mention"): (2, 4),
        ("right option", "none"): (1, 1),
    }
    assert done.json["documents"] == 3 and done.json["answered"] == 3
    assert [i["code"] for i in done.json["issues"]] == [
        *("unanswered", "unclear-answers", "extra-answers", "few-documents"),
    ]
    assert "3–5" in run("quiz", "score", tmp_path / "q.jsonl", tmp_path / "a.jsonl").out


def test_the_interval_is_one_of_documents(tmp_path: Path) -> None:
    """Documents that are all right or all wrong: as wide as that of so many documents, not of so many questions."""
    chance = random.Random(5)
    right = {d: chance.random() < 0.7 for d in range(40)}
    with (tmp_path / "q.jsonl").open("w") as q, (tmp_path / "a.jsonl").open("w") as a:
        for d in right:
            for n in range(25):
                record = {"id": f"{d}#{n}", "doc": str(d), "type": "name", "nesting": "outside", "distance": 0}
                q.write(json.dumps(record | {"options": {"A": "x", "B": "y"}, "answer": "A"}) + "\n")
                a.write(json.dumps({"id": f"{d}#{n}", "answer": "A" if right[d] else "B"}) + "\n")
    whole = score_quiz(tmp_path / "q.jsonl", tmp_path / "a.jsonl").rows[0]
    p = sum(right.values()) / 40
    width = 2 * 1.96 * np.sqrt(p * (1 - p) / 40)
    assert whole.accuracy == p and whole.low is not None and whole.high is not None
    assert whole.high - whole.low == pytest.approx(width, rel=0.15)
    assert whole == score_quiz(tmp_path / "q.jsonl", tmp_path / "a.jsonl").rows[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no questions"),
        ("[]", "with an id"),
        ('{"id": "a"}', "not a question"),
        ("{", "not valid JSON"),
    ],
)
def test_broken_questions(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "q.jsonl").write_text(text)
    (tmp_path / "a.jsonl").write_text('{"id": "a", "answer": "A"}')
    with pytest.raises(cl.InputError, match=message):
        score_quiz(tmp_path / "q.jsonl", tmp_path / "a.jsonl")


def test_usage(key: Path, tmp_path: Path, run: Run) -> None:
    assert run("quiz", "make", key, tmp_path / "q.jsonl", "--types", "verbs").code == 2
    assert run("quiz", "make", key, tmp_path / "q.jsonl", "--options", "2", "--none").code == 2
    assert run("quiz", "score", tmp_path / "nothing.jsonl", tmp_path / "q.jsonl").code == 3
