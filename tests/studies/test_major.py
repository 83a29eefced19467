"""Major entities: each with the response entity it is assigned, and the names that BOOKCOREF's `characters` give."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples
from command import Run
from coreflens.errors import InputError, UsageError
from corpora import tokens

BOOK = {
    "doc_key": "book",
    "sentences": [["Ann", "saw", "Bob", "."], ["She", "liked", "him", "."], ["Bob", "and", "Cy", "left", "."]],
    "clusters": [[[2, 2], [6, 6], [8, 8]], [[0, 0], [4, 4]], [[10, 10]]],
    "characters": [{"name": "Ann Lee", "mentions": [[0, 0], [4, 4]]}, {"name": "Robert", "cluster": [[2, 2], [6, 6]]}],
}
ANSWER = BOOK | {"clusters": [[[2, 2], [8, 8]], [[0, 0], [4, 4], [6, 6]]], "characters": None}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "key.jsonl", tmp_path / "answer.jsonl"
    for path, record in zip(paths, (BOOK, ANSWER), strict=True):
        path.write_text(json.dumps(record) + "\n")
    return paths


def test_each_entity_with_its_own(files: tuple[Path, Path]) -> None:
    found = cl.major(*files, 2)
    first, second = found
    assert (first.entity, first.name, first.mentions, first.response) == ("0", "Robert", 3, "0")
    assert (first.recall, first.precision, first.f1) == (2 / 3, 1, 0.8)
    assert (second.entity, second.name, second.response, second.common) == ("1", "Ann Lee", "1", 2)
    assert found.micro == (4 / 5, 4 / 5, 4 / 5)
    assert found.macro == pytest.approx(((2 / 3 + 1) / 2, (1 + 2 / 3) / 2, 0.8))
    assert [row.name for row in cl.major(*files)] == ["Robert", "Ann Lee", "Cy"]
    assert cl.major(*files)[2].response is None
    assert cl.major(*files)[2].f1 == 0


partitions = st.lists(st.integers(0, 4), min_size=1, max_size=9)


@given(partitions, partitions, st.integers(1, 4))
@examples(150)
def test_the_assignment_is_the_best_that_any_permutation_finds(ours: list[int], theirs: list[int], number: int) -> None:
    key, response = ([[m for m, e in enumerate(side) if e == x] for x in sorted({*side})] for side in (ours, theirs))
    found = cl.major(key, response, number)
    largest = sorted(key, key=lambda entity: (-len(entity), entity[0]))[:number]
    assert [row.mentions for row in found] == [len(entity) for entity in largest]
    slots: list[Any] = [*response, *([None] * len(largest))]

    def f1(entity: list[int], other: list[int] | None) -> float:
        return 0 if other is None else 2 * len({*entity} & {*other}) / (len(entity) + len(other))

    best = max(
        sum(f1(entity, other) for entity, other in zip(largest, chosen, strict=True))
        for chosen in permutations(slots, len(largest))
    )
    assert sum(row.f1 for row in found) == pytest.approx(best)
    assert len({row.response for row in found if row.response}) == sum(row.response is not None for row in found)


def test_names_ids_and_mentions(files: tuple[Path, Path], tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("# the cast\nAnn Lee\n\nbook\tCy\n0\n")
    assert [row.entity for row in cl.major(*files, entities=names)] == ["1", "2", "0"]
    assert [row.entity for row in cl.major(*files, entities=["him", "Robert", "0"])] == ["0"]
    names.write_text("Ann Lee\nAnn Leigh\n")
    with pytest.raises(InputError, match=r"names.txt:2: the key has no entity 'Ann Leigh'; did you mean 'Ann Lee'"):
        cl.major(*files, entities=names)
    names.write_text("bok\tCy\n")
    with pytest.raises(InputError, match=r"names.txt:1: the key has no document 'bok'; did you mean 'book'"):
        cl.major(*files, entities=names)
    names.write_text("\n# nobody\n")
    with pytest.raises(InputError, match="no entity is named"):
        cl.major(*files, entities=names)
    with pytest.raises(UsageError, match="not both"):
        cl.major(*files, 3, entities=names)
    with pytest.raises(UsageError, match="whole documents"):
        cl.major(*files, protocol="bookcoref:window")


def test_a_name_of_several_entities_is_decided_aloud_or_refused() -> None:
    book = tokens(("a", "it saw it and it", {"cat": [(0, 0), (2, 2)], "dog": [(4, 4)]}))
    found = cl.major(book, book, entities=["it"])
    assert [row.entity for row in found] == ["cat"]
    assert [issue.code for issue in found.issues] == ["ambiguous-name"]
    even = tokens(("a", "it saw it", {"cat": [(0, 0)], "dog": [(2, 2)]}))
    with pytest.raises(InputError, match="any of the entities cat, dog"):
        cl.major(even, even, entities=["it"])


def test_characters_go_round_and_faults_in_them_are_told(tmp_path: Path, run: Run) -> None:
    path, again = tmp_path / "book.jsonl", tmp_path / "again.jsonl"
    path.write_text(json.dumps(BOOK) + "\n")
    corpus = cl.read(path)
    assert list(corpus.attributes["character"]) == ["Ann Lee", "Robert", "Ann Lee", "Robert", "", ""]
    assert run("convert", path, again).code == 0
    assert cl.read(again).attributes == corpus.attributes
    for wrong, why in (
        ({"name": "x"}, "not a list"),
        ([{"name": ""}], "an object with a name"),
        ([{"name": "x", "mentions": 3}], "are not a list"),
        ([{"name": "x", "mentions": [[0, 0]]}, {"name": "y", "mentions": [[0, 0]]}], "in common"),
    ):
        path.write_text(json.dumps(BOOK | {"characters": wrong}) + "\n")
        (issue,) = cl.read(path).issues
        assert why in issue.message
        assert not cl.read(path).attributes


def test_the_command(files: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    ran = run("score", *files, "--major", "2")
    assert ran.code == 0, ran.err
    assert "Ann Lee" in ran.out
    assert "macro" in ran.out
    found = run("score", *files, "--major", "2", "--format", "json").json
    assert found["entities"][0]["response"] == "0"
    assert found["macro"]["f1"] == pytest.approx(0.8)
    assert run("score", *files, "--major", "2", "--by", "document").code == 2
    missing = run("score", *files, "--entities", tmp_path / "none.txt")
    assert missing.code == 3
    assert "none.txt" in missing.err
