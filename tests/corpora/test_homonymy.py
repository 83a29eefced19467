"""Names of records: counted by hand, by a loop, and as ER-Evaluation's documented example has them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import coreflens as cl
from command import Run
from coreflens.corpora.homonymy import Names
from tables import write_csv


def names(path: str, columns: str | list[str] | None = None) -> Names:
    found = cl.describe(path, names=columns).names
    assert found is not None
    return found


def test_an_example_by_hand(tmp_path: Path) -> None:
    """Entities 1 and 4 share n1 and n2, and each has several names; 2 and 3 keep to themselves."""
    entity, name = [1, 1, 2, 3, 2, 4, 4, 4], ["n1", "n2", "n3", "n4", "n3", "n1", "n2", "n8"]
    rows = [(n, e, called) for n, (e, called) in enumerate(zip(entity, name, strict=True))]
    found = names(write_csv(tmp_path / "a.csv", rows, ("record_id", "entity_id", "Name")))
    assert found == Names(("Name",), 8, 5, 4, 2, 2)
    assert (found.homonymy, found.variation) == (0.5, 0.5)


@pytest.mark.parametrize("seed", range(6))
def test_against_a_loop(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    rows = [(n, rng.randrange(12), rng.choice(["", "Al ", "Bo"]), rng.choice(["", "x", "y", "z"])) for n in range(40)]
    called: dict[int, set[str]] = {}
    for _, entity, given, surname in rows:
        if whole := f"{given.strip()} {surname}".strip():
            called.setdefault(entity, set()).add(whole)
    sharing = sum(any(mine & theirs for e, theirs in called.items() if e != entity) for entity, mine in called.items())
    found = names(write_csv(tmp_path / "a.csv", rows, ("id", "entity", "given", "surname")), ["given", "surname"])
    assert (found.entities, found.sharing) == (len(called), sharing)
    assert found.varying == sum(len(mine) > 1 for mine in called.values())
    assert found.names == len(set().union(*called.values()))


def test_no_names_and_wrong_ones(tmp_path: Path, run: Run) -> None:
    path = write_csv(tmp_path / "a.csv", [("1", "x", "Ann"), ("2", "y", "Ann")], ("id", "entity", "called"))
    assert cl.describe(path).names is None and "names" not in cl.describe(path).to_dict()
    assert run("describe", path, "--names", "called", "--format", "json").json["names"]["homonymy"] == 1
    assert "(homonymy)" in run("describe", path, "--names", "called").out
    ran = run("describe", path, "--names", "caled")
    assert ran.code == 2 and "did you mean 'called'" in ran.err
    bare = write_csv(tmp_path / "b.csv", [("1", "x")], ("id", "entity"))
    ran = run("describe", bare, "--names", "name")
    assert ran.code == 3 and "no column 'name' of names" in ran.err
