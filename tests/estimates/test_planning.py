"""How many draws are needed: from a sample, for a difference, and before labelling."""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from command import Run

RESPONSE = "record,cluster\n1,c1\n2,c1\n3,c1\n4,c2\n5,c2\n6,c3\n"
LABELLED = "record,entity,hits\n1,A,1\n2,A,0\n3,B,0\n4,B,1\n5,B,0\n"
TRUTH = "record,entity\n1,A\n2,A\n3,B\n4,B\n5,B\n6,C\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Labels, a response, another one, and the truth."""
    other = RESPONSE.replace("3,c1", "3,c2")
    texts = {"labelled": LABELLED, "response": RESPONSE, "other": other, "truth": TRUTH}
    for name, text in texts.items():
        (tmp_path / f"{name}.csv").write_text(text, "utf-8")
    return [str(tmp_path / f"{name}.csv") for name in texts]


def test_the_case_worked_by_hand(files: list[str], run: Run) -> None:
    """S² = 128/729, n₀ = 269.8, ⌈269.8/(1 + 269.8/6)⌉ = 6."""
    ran = run("plan", *files[:2], "--by", "record", "--half-width", "5", "--format", "json")
    assert ran.json["plan"]["pairs"]["recall"] == {"needed": 6, "more": 4}


def test_without_a_finite_population(files: list[str], tmp_path: Path) -> None:
    (tmp_path / "twice.csv").write_text(LABELLED.replace("4,B,1", "4,B,2"), "utf-8")
    found = cl.plan(str(tmp_path / "twice.csv"), files[1], by="record", half_width=5)
    estimate = cl.estimate(str(tmp_path / "twice.csv"), files[1], by="record")["pairs"]["recall"]
    needed = found["pairs"]["recall"]
    assert needed is not None and estimate.se is not None
    assert needed.needed == -int(-(3 * estimate.se**2 * (1.959964 / 0.05) ** 2) // 1)


def test_two_systems_need_draws_for_their_difference(files: list[str], run: Run) -> None:
    ran = run("plan", *files[:3], "--by", "record", "--half-width", "5")
    assert "response − other" in ran.out.splitlines()[0]
    same = cl.plan(files[0], f"a={files[1]}", f"b={files[1]}", by="record", half_width=5)
    needed = same["pairs"]["recall"]
    assert needed is not None and needed.more == 0


def test_before_labelling(files: list[str], run: Run) -> None:
    """S² over all records of the frame, so it does not depend on chance."""
    found = cl.plan(files[1], assume=files[3], half_width=5)
    assert list(found.designs) == ["record+cluster", "record", "cluster", "entity"]
    recall = found.designs["record"].scores["pairs"]["recall"]
    # z = (x − v y)/D over the six records: x 1/2, 1/2, 1/3, 1/3, 1/3, 0; y 1/2, 1/2, 1, 1, 1, 0; v 1/2, D 4
    z = [(x - y / 2) / 4 for x, y in [(1 / 2, 1 / 2)] * 2 + [(1 / 3, 1)] * 3 + [(0, 0)]]
    draws = (1.959964 / 0.05) ** 2 * 36 * sum(a * a for a in z) / 5
    assert recall is not None and recall.needed == -int(-(draws / (1 + draws / 6)) // 1)
    ran = run("plan", files[1], "--assume", files[3])
    assert "record+cluster" in ran.out and "records to label" in ran.out
    assert list(cl.plan(files[1], assume=files[3], by="cluster").designs) == ["cluster"]


@pytest.mark.parametrize("format", ["csv", "markdown", "latex", "html", "json"])
def test_formats(format: str, files: list[str], run: Run) -> None:
    assert run("plan", *files[:2], "--by", "record", "--format", format).code == 0


def test_what_can_not_be_planned(files: list[str], run: Run) -> None:
    assert run("plan", files[1]).code == 2
    assert run("plan", *files[:2], "--assume", files[3]).code == 2
    assert run("plan", files[1], "--assume", files[3], "--completed").code == 2
    assert run("plan", *files[:2], "--by", "record", "-m", "ceafe").code == 2
