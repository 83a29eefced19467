"""`agree --categories`: disagreements that were put into categories by hand, counted and drawn."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from command import Run, conll
from coreflens.errors import InputError
from coreflens.studies.categories import categories


@pytest.fixture
def listed(run: Run, tmp_path: Path) -> list[list[str]]:
    """What two annotators differ in: a mention and two links."""
    for name, cells in (("a", ("(1)", "(1)", "(1)", "(2)")), ("b", ("(1)", "(2)", "(1)", "-"))):
        (tmp_path / f"{name}.conll").write_text(conll(*cells))
    ran = run("agree", str(tmp_path / "a.conll"), str(tmp_path / "b.conll"), "--differences", "--format", "csv")
    return list(csv.reader(io.StringIO(ran.out)))


def saved(rows: list[list[str]], path: Path) -> str:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return str(path)


def test_categories_are_counted_by_kind(run: Run, listed: list[list[str]], tmp_path: Path) -> None:
    kinds = [row[1] for row in listed[1:]]
    assert sorted(kinds) == ["link", "link", "mention"]
    names = iter(["guidelines", "slip"])
    rows = [[*listed[0], "category"], *([*row, "slip" if row[1] == "mention" else next(names)] for row in listed[1:])]
    plot = tmp_path / "figure.svg"
    ran = run("agree", "--categories", saved(rows, tmp_path / "c.csv"), "--plot", str(plot), "--format", "json")
    assert ran.json["categories"] == {
        "slip": {"mention": 1, "link": 1, "all": 2},
        "guidelines": {"mention": 0, "link": 1, "all": 1},
    }
    assert ran.json["total"] == 3
    drawn = plot.read_text()
    assert "guidelines" in drawn
    assert "Disagreements by category (3)" in drawn


def test_the_added_column_may_have_any_name_and_gaps_are_reported(listed: list[list[str]], tmp_path: Path) -> None:
    rows = [[*listed[0], "why"], [*listed[1], "slip"], *([*row, ""] for row in listed[2:])]
    found = categories(saved(rows, tmp_path / "c.csv"))
    assert found.counts == {"slip": {"mention": int(listed[1][1] == "mention"), "link": int(listed[1][1] == "link")}}
    assert [(issue.code, issue.count) for issue in found.issues] == [("no-category", 2)]


def test_files_that_are_no_such_list(listed: list[list[str]], tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    for rows, message, line in (
        (listed, "no column was added", 1),
        ([[*listed[0], "a", "b"], *listed[1:]], "several columns were added: a, b", 1),
        ([["document", "category"], ["d", "x"]], "no column 'kind'", 1),
        ([[*listed[0], "category"], [*listed[1], ""]], "no row has a 'category'", None),
        ([[*listed[0], "category"], [*listed[1], "x", "y"]], "14 cells where the header has 13", 2),
        ([[*listed[0], "category"], ["", "entity", "x"]], "the kind is not one of mention, link", 2),
        ([], "no column 'kind'", 1),
    ):
        with pytest.raises(InputError, match=message) as caught:
            categories(saved(rows, path))
        assert (caught.value.file, caught.value.line) == (str(path), line)


def test_it_stands_alone(run: Run, tmp_path: Path) -> None:
    assert "can't be combined with FILES" in run("agree", "a", "b", "--categories", "c.csv").err
    assert "at least two FILES" in run("agree", "a").err
    assert run("agree", "--categories", str(tmp_path / "none.csv")).code == 3
