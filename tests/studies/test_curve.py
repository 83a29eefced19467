"""Scored links clustered at every threshold: by definition, by hand, and on the command line."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import coreflens as cl
from command import Run
from coreflens.studies.curve import curve
from tables import write_csv

TRUTH = [("a", 1), ("b", 1), ("c", 1), ("d", 2), ("e", 2), ("f", 3)]
EDGES = [("a", "b", 0.9), ("d", "e", 0.9), ("b", "c", 0.6), ("c", "d", 0.3), ("e", "f", 0.1)]


def naive(truth: list[tuple[str, int]], edges: list[tuple[str, str, float]], threshold: float) -> list[set[str]]:
    """Clusters by merging sets, link by link."""
    clusters = [{name} for name in dict.fromkeys([*(r for r, _ in truth), *(x for e in edges for x in e[:2])])]
    for one, other, score in edges:
        if score >= threshold:
            a, b = (next(c for c in clusters if x in c) for x in (one, other))
            if a is not b:
                clusters.remove(b)
                a |= b
    return clusters


def files(folder: Path, truth: list[tuple[str, int]], edges: list[tuple[str, str, float]]) -> tuple[str, str]:
    return (
        write_csv(folder / "truth.csv", truth, ("record_id", "entity_id")),
        write_csv(folder / "edges.csv", edges, ("id1", "id2", "probability")),
    )


@pytest.mark.parametrize("seed", range(4))
def test_every_threshold_is_what_its_clusters_score(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    truth = [(f"r{n}", rng.randrange(8)) for n in range(25)]
    edges = [(f"r{rng.randrange(28)}", f"r{rng.randrange(28)}", rng.randrange(10) / 10) for _ in range(30)]
    found = curve(*files(tmp_path, truth, edges), "probability", metrics="default,pairs", steps=None, exact=True)
    assert list(found.thresholds) == sorted({score for *_, score in edges}, reverse=True)
    entities: dict[int, set[str]] = {}
    for record, entity in truth:
        entities.setdefault(entity, set()).add(record)
    for threshold, result, clusters in zip(found.thresholds, found.results, found.clusters, strict=True):
        expected = naive(truth, edges, threshold)
        assert clusters == len(expected)
        whole = cl.score(list(entities.values()), expected, metrics="default,pairs", exact=True)
        assert result.to_dict()["scores"] == whole.to_dict()["scores"]


def test_the_best_point_by_hand(tmp_path: Path) -> None:
    found = curve(*files(tmp_path, TRUTH, EDGES), "probability", metrics="pairs,blanc")
    assert found.thresholds == (0.9, 0.6, 0.3, 0.1) and found.clusters == (4, 3, 2, 1)
    assert found.best("pairs") == 1 and found["pairs"][1] == 1.0
    assert found.values("pairs", "recall").tolist() == [0.5, 1, 1, 1]
    assert not found.intervals, "all records hang together: there is nothing to draw from"


def test_intervals_are_drawn_over_what_hangs_together(tmp_path: Path) -> None:
    """Where counts are sums over groups of records; BLANC's are not, and it has no interval."""
    rng = random.Random(1)
    truth = [(f"r{n}", n // 3) for n in range(90)]
    edges = [(f"r{n}", f"r{n - n % 3 + (n + 1) % 3}", rng.random()) for n in range(0, 90, 2)]
    edges += [(f"r{n}", f"r{n + 3}", rng.random()) for n in range(0, 90, 6)]
    found = curve(*files(tmp_path, truth, edges), "probability", metrics="pairs,bcub,blanc", steps=12)
    at = found.best("bcub")
    assert at is not None
    interval, units = found.intervals["bcub"]
    assert units == 15 and float(interval.low) <= found["bcub"][at] <= float(interval.high)
    assert "blanc" not in found.intervals
    assert len(found.thresholds) == 12 and any(issue.code == "steps" for issue in found.issues)
    again = curve(*files(tmp_path, truth, edges), "probability", metrics="pairs,bcub,blanc", steps=12)
    assert again.to_dict() == found.to_dict()


def test_distances_and_documents(tmp_path: Path) -> None:
    truth = write_csv(tmp_path / "t.csv", [("x", "a", 1), ("x", "b", 1), ("y", "a", 1), ("y", "b", 2)])
    edges = write_csv(tmp_path / "e.csv", [("x", "a", "b", 1), ("y", "a", "b", 5)], ("doc", "left", "right", "km"))
    found = curve(truth, edges, "km", distances=True, metrics="pairs")
    assert found.thresholds == (1.0, 5.0) and found.best("pairs") == 0
    assert np.array_equal(found.values("pairs", "precision"), [1.0, 0.5])


def test_the_command(tmp_path: Path, run: Run) -> None:
    truth, edges = files(tmp_path, TRUTH, [*EDGES, ("a", "new", 0.05)])
    plot = tmp_path / "curve.svg"
    ran = run("curve", truth, edges, "--score", "probability", "--plot", plot, "-m", "pairs,bcub")
    assert ran.code == 0 and "100.00*" in ran.out and "the truth lacks 1 record of the links" in ran.err
    assert plot.read_text("utf-8").startswith("<svg")
    plain = run("curve", truth, edges, "--score", "probability", "--format", "json").json
    assert plain["best"]["bcub"]["threshold"] == 0.6 and len(plain["scores"]["muc"]["main"]) == 5
    assert run("curve", truth, edges, "--score", "probability", "--format", "csv").out.startswith("threshold,clusters,")
    for arguments, message in (
        (("--score", "prob"), "no column 'prob' (columns: id1, id2, probability)"),
        (("--score", "id1"), "'a' is not a score"),
        (("--score", "probability", "--steps", "1"), "--steps must be a number of at least 2"),
        ((), "--score"),
    ):
        ran = run("curve", truth, edges, *arguments)
        assert ran.code in (2, 3) and message in ran.err
    bad = write_csv(tmp_path / "bad.csv", [("a", "", 0.5)], ("id1", "id2", "s"))
    assert "bad.csv:2: this link lacks one of its records" in run("curve", truth, bad, "--score", "s").err
    bad = write_csv(tmp_path / "bad.csv", [("a", 0.5)], ("id1", "s"))
    assert "no two columns of records" in run("curve", truth, bad, "--score", "s").err
