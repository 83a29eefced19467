"""coreflens counts merge: shards scored on different days add up."""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from command import Run
from tables import write_csv

KEY = [("a", "1", "x"), ("a", "2", "x"), ("b", "1", "x"), ("b", "2", "y"), ("c", "1", "x"), ("c", "2", "x")]
RESPONSE = [("a", "1", "x"), ("a", "2", "y"), ("b", "1", "x"), ("b", "2", "x"), ("c", "1", "x"), ("c", "3", "x")]


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    saved = []
    for documents in ("a", "bc"):
        sides = [
            write_csv(tmp_path / f"{name}-{documents}.csv", [row for row in rows if row[0] in documents])
            for name, rows in (("key", KEY), ("response", RESPONSE))
        ]
        saved.append(tmp_path / f"{documents}.counts")
        cl.score(sides[0], sides[1]).save_counts(saved[-1])
    return saved


def test_shards_add_up(shards: list[Path], tmp_path: Path, run: Run) -> None:
    out = tmp_path / "all.counts.gz"
    ran = run("counts", "merge", *shards, out, "--format", "json")
    whole = cl.score(write_csv(tmp_path / "k.csv", KEY), write_csv(tmp_path / "r.csv", RESPONSE))
    assert ran.code == 0 and ran.json["scores"] == whole.to_dict()["scores"]
    assert "counts of 3 documents from 2 files" in ran.err
    read = cl.load_counts(out)
    assert read.to_dict() == whole.to_dict() and list(read.counts.labels) == ["a", "b", "c"]


def test_one_block_each(tmp_path: Path, run: Run) -> None:
    """Tables without documents: every shard is a block."""
    saved = []
    for shard in ("1", "2"):
        rows = [(f"{shard}{d}{m}", e) for d, m, e in KEY]
        key = write_csv(tmp_path / f"k{shard}.csv", rows, ("mention", "entity"))
        response = write_csv(tmp_path / f"r{shard}.csv", rows[:4], ("mention", "entity"))
        saved.append(tmp_path / f"{shard}.counts")
        cl.score(key, response).save_counts(saved[-1])
    ran = run("counts", "merge", *saved, tmp_path / "all.counts", "--format", "json")
    assert ran.json["scores"]["mentions"]["counts"]["recall_num"] == 8
    assert len(cl.load_counts(tmp_path / "all.counts").counts) == 2


def test_what_does_not_add_up(shards: list[Path], tmp_path: Path, run: Run) -> None:
    out = tmp_path / "out.counts"
    ran = run("counts", "merge", shards[0], shards[0], out)
    assert ran.code == 2 and "would count twice" in ran.err and not out.exists()
    again = tmp_path / "again.counts"
    again.write_bytes(shards[0].read_bytes())
    ran = run("counts", "merge", shards[0], again, out)
    assert ran.code == 3 and "'a' is also in" in ran.err and not out.exists()
    ran = run("counts", "merge", shards[0], out)
    assert ran.code == 2 and "at least two shards" in ran.err
    ran = run("counts", "merge", *shards, shards[0])
    assert ran.code == 3 and "not overwritten" in ran.err
    key, response = (write_csv(tmp_path / f"{n}.csv", r) for n, r in (("k", KEY), ("r", RESPONSE)))
    cl.score(key, response, scope="corpus").save_counts(tmp_path / "wide.counts")
    cl.score(key, response, metrics="muc").save_counts(tmp_path / "muc.counts")
    ran = run("counts", "merge", tmp_path / "wide.counts", tmp_path / "muc.counts", out)
    assert ran.code == 2 and not out.exists()
    (tmp_path / "cut.counts").write_bytes(shards[0].read_bytes()[:-30])
    ran = run("counts", "merge", tmp_path / "cut.counts", shards[1], out)
    assert ran.code == 3 and "damaged counts" in ran.err and not out.exists()
