"""Samples: how often each unit is drawn, what does not change them, and what they list."""

from __future__ import annotations

import csv
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coreflens as cl
from command import Run
from coreflens.estimates.clustering import read_clustering
from coreflens.estimates.frames import Frame
from coreflens.estimates.sampling import sample

SEEDS = 300
DESIGNS: list[dict[str, Any]] = [
    {},
    {"with_clusters": False},
    {"strata": "size"},
    {"strata": "kind"},
    {"strata": "size", "allocate": "equal"},
    {"by": "cluster"},
    {"by": "cluster", "size": "records"},
    {"by": "cluster", "strata": "size"},
    {"size": "weight"},
]


@pytest.fixture(scope="module")
def response(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """50 records in clusters of different sizes."""
    rows = ["record,cluster,name,kind,weight"]
    cluster = 0
    for record in range(50):
        cluster += record in (0, 12, 20, 24, 27, 29, 31) or record > 33
        rows.append(f"r{record},c{cluster},name {cluster} x{record % 7},k{record % 3},{1 + record % 4}")
    path = tmp_path_factory.mktemp("sampling") / "response.csv"
    path.write_text("\n".join([*rows, ""]), "utf-8")
    return path


def hits_of(table: Any) -> dict[str, int]:
    """How often each drawn record was drawn."""
    hits = zip(table.column("record"), table.column("hits"), strict=True)
    return {record: int(number) for record, number in hits if int(number or 0)}


def expected_of(table: Any, response: Path, by: str) -> dict[str, float]:
    """The expected hits of each listed record, by what the table says about it."""
    if "probability" in table.header:
        return dict(zip(table.column("record"), map(float, table.column("probability")), strict=True))
    frame = Frame.of(read_clustering(str(response), {}, {}), by)  # type: ignore[arg-type]
    unit = dict(zip(frame.response.names, frame.unit.tolist(), strict=True))
    strata = table.column("stratum") if "stratum" in table.header else [""] * len(table)
    drawn: dict[str, set[int]] = {}
    for record, hits, stratum in zip(table.column("record"), table.column("hits"), strata, strict=True):
        if int(hits):
            drawn.setdefault(stratum, set()).add(unit[record])
    return {
        record: len(drawn.get(stratum, ())) / float(population)
        for record, stratum, population in zip(table.column("record"), strata, table.column("population"), strict=True)
    }


@pytest.mark.slow
@pytest.mark.parametrize("extended", [False, True], ids=["once", "extended"])
@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_units_are_drawn_as_often_as_the_table_says(
    design: dict[str, Any], extended: bool, response: Path, tmp_path: Path
) -> None:
    counts: Counter[str] = Counter()
    expected: dict[str, float] = {}
    for seed in range(SEEDS):
        table = sample(str(response), 12, seed=seed, **design)
        if extended:
            table.write(tmp_path / "old.csv")
            table = sample(str(response), 8, seed=seed, extend=tmp_path / "old.csv", **design)
        counts.update(hits_of(table))
        expected |= expected_of(table, response, design.get("by", "record"))
    draws = 20 if extended else 12
    assert len(expected) == 50
    for record, rate in expected.items():
        most = draws if "size" in design else 1
        error = (rate * (1 - rate / most) / SEEDS) ** 0.5
        assert abs(counts[record] / SEEDS - rate) <= 4.5 * error + 1e-9, record


def test_the_order_of_rows_changes_nothing(response: Path, tmp_path: Path) -> None:
    header, *rows = response.read_text("utf-8").splitlines()
    random.Random(1).shuffle(rows)
    (tmp_path / "shuffled.csv").write_text("\n".join([header, *rows, ""]), "utf-8")
    for design in DESIGNS:
        one, other = (sample(str(path), 14, **design) for path in (response, tmp_path / "shuffled.csv"))
        assert hits_of(one) == hits_of(other)
        assert sorted(one.rows) == sorted(other.rows)


def test_a_sample_is_reproducible(response: Path) -> None:
    one, other, third = (sample(str(response), 9, seed=seed).rows for seed in (3, 3, 4))
    assert one == other != third


def test_an_extended_sample_keeps_labels(response: Path, tmp_path: Path) -> None:
    first = sample(str(response), 10)
    place = first.header.index("entity")
    for row in first.rows:
        row[place] = f"e{row[first.header.index('record')]}"
    first.rows.append(["x9" if name == "record" else "e-r1" if name == "entity" else "" for name in first.header])
    first.write(tmp_path / "old.csv")
    second = sample(str(response), 10, extend=tmp_path / "old.csv")
    labels = dict(zip(second.column("record"), second.column("entity"), strict=True))
    assert all(labels[row[first.header.index("record")]] == row[place] for row in first.rows)
    assert sum(hits_of(second).values()) == 20
    assert hits_of(first).keys() < hits_of(second).keys()


def test_an_extended_sample_has_the_same_design(response: Path, tmp_path: Path) -> None:
    sample(str(response), 10).write(tmp_path / "old.csv")
    for design in ({"with_clusters": False}, {"by": "cluster"}, {"size": "weight"}, {"strata": "size"}):
        with pytest.raises(cl.UsageError, match="earlier sample"):
            sample(str(response), 10, extend=tmp_path / "old.csv", **design)


def test_a_sample_that_is_labelled_can_be_estimated(response: Path, tmp_path: Path, run: Run) -> None:
    for options in ((), ("--strata", "size"), ("--by", "cluster", "--size", "records")):
        out = tmp_path / "s.csv"
        assert run("sample", str(response), str(out), "-n", "16", *options).code == 0
        rows = list(csv.DictReader(out.read_text("utf-8").splitlines()))
        for row in rows:
            row["entity"] = row["cluster"]
        with out.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        completed = ("--completed",) if "cluster" in options else ()
        ran = run("estimate", str(out), str(response), *completed, "--format", "json")
        assert ran.json["estimates"]["bcub"]["f1"]["value"] == 1
        assert "[not-complete]" in ran.err or "cluster" in options


def test_candidates_come_with_their_reason(response: Path, tmp_path: Path) -> None:
    links = tmp_path / "links.csv"
    links.write_text("id1,id2,score\n" + "".join(f"r{k},r{k + 1},0.{k + 10}\n" for k in range(49)), "utf-8")
    table = sample(str(response), 3, links=links, fields=["name"], with_clusters=False)
    reasons = table.column("reason")
    assert any(reason.startswith("link 0.") for reason in reasons)
    assert any(reason.startswith("shares ") for reason in reasons)
    assert len(set(table.column("record"))) == len(table)
    near = dict(zip(table.column("record"), table.column("near"), strict=True))
    assert set(near.values()) == set(hits_of(table))


def test_columns_follow_the_rows_to_fill_in(response: Path) -> None:
    header = sample(str(response), 3).header
    assert header[:6] == ["by", "record", "cluster", "hits", "population", "entity"]
    assert header[6:] == ["name", "kind", "weight (response)", "complete", "near", "reason"]


@pytest.mark.parametrize(
    ("design", "message"),
    [
        ({"n": 51}, "only 50 records"),
        ({"n": 4, "by": "entity"}, "no true entities"),
        ({"n": 4, "strata": "size"}, "too few for"),
        ({"n": 4, "size": "name"}, "is not a number"),
        ({"n": 4, "strata": "nothing"}, "no column nothing"),
        ({"n": 9, "by": "cluster", "strata": "kind"}, "differs inside"),
        ({"n": 4, "allocate": "equal"}, "needs --strata"),
    ],
    ids=str,
)
def test_what_can_not_be_drawn(design: dict[str, Any], message: str, response: Path) -> None:
    with pytest.raises(cl.CoreflensError, match=message):
        sample(str(response), **design)


def test_known_entities(tmp_path: Path) -> None:
    path = tmp_path / "authors.csv"
    path.write_text("record,entity\n" + "".join(f"r{k},e{k // 3}\n" for k in range(30)), "utf-8")
    table = sample(str(path), 4, by="entity")
    assert len(set(table.column("entity"))) == 4
    assert len(table) == 12


def test_strata_from_a_file(response: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("record,stratum\n" + "".join(f"r{k},{'ab'[k % 2]}\n" for k in range(50)), "utf-8")
    table = sample(str(response), 10, strata=str(labels), with_clusters=False)
    assert Counter(table.column("stratum")) == {"a": 5, "b": 5}
    assert set(table.column("population")) == {"25"}


def test_hits_are_whole_units(response: Path) -> None:
    table = sample(str(response), 6, by="cluster")
    by_cluster = dict(zip(table.column("cluster"), table.column("hits"), strict=True))
    assert all(by_cluster[c] == h for c, h in zip(table.column("cluster"), table.column("hits"), strict=True))
    assert np.sum([int(h) for h in by_cluster.values()]) == 6
