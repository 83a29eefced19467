"""What goes wrong around an engine: killed half-way, short of memory, skewed tables, no Java, no package."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import coreflens as cl
from tables import written

duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: the engines are not tested")


def generated(folder: Path, mentions: int) -> tuple[str, str]:
    """Two large tables, made by DuckDB."""
    paths = str(folder / "key.parquet"), str(folder / "response.parquet")
    for path, size in zip(paths, (3, 4), strict=True):
        with duckdb.connect() as connection:
            entity = f"CAST((range * 7919 % {mentions}) // {size} AS VARCHAR)"
            rows = f"SELECT 'record ' || range AS mention, 'entity ' || {entity} AS entity FROM range({mentions})"
            connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
    return paths


def until(met: object, seconds: float = 60) -> bool:
    """Wait until something holds."""
    assert callable(met)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if met():
            return True
        time.sleep(0.02)
    return False


@pytest.mark.slow
def test_killed_half_way_nothing_is_left_behind(tmp_path: Path) -> None:
    """Beside the tables, in the spill folder and in the working directory."""
    paths = generated(tmp_path, 400_000)
    spill = tmp_path / "spill"
    command = [sys.executable, "-m", "coreflens", "score", *paths, "--engine", "duckdb", "--spill", str(spill)]
    before = sorted(os.listdir(tmp_path))
    process = subprocess.Popen(
        [*command, "--memory-limit", "100M"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        assert until(lambda: process.poll() is not None or (spill.is_dir() and any(spill.rglob("*.*"))))
        assert process.poll() is None, "it was over before it could be killed"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert until(lambda: not os.listdir(spill)), os.listdir(spill)
    assert sorted(os.listdir(tmp_path)) == sorted([*before, "spill"])


@pytest.mark.slow
def test_little_memory_gives_the_same_counts(tmp_path: Path) -> None:
    paths = generated(tmp_path, 400_000)
    metrics = "mentions,muc,bcub,ceafe,lea,blanc"
    roomy = cl.score(*paths, engine="duckdb", metrics=metrics)
    tight = cl.score(*paths, engine="duckdb", metrics=metrics, memory_limit="150M", spill=tmp_path / "spill")
    assert tight.counts.values.tobytes() == roomy.counts.values.tobytes()
    assert not os.listdir(tmp_path / "spill")


def test_far_too_little_memory_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    paths = written(tmp_path, [(m, m % 9) for m in range(9000)], [(m, m % 7) for m in range(9000)], ("id", "entity"))
    with pytest.raises(cl.InputError, match="DuckDB has too little memory") as found:
        cl.score(*paths, engine="duckdb", memory_limit="1M", spill=tmp_path / "spill")
    assert "memory_limit" in str(found.value)
    assert not os.listdir(tmp_path / "spill")


def test_a_spill_folder_that_can_not_be(tmp_path: Path) -> None:
    paths = written(tmp_path, [("a", "1", "x")], [("a", "1", "x")])
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(cl.InputError):
        cl.score(*paths, engine="duckdb", spill=tmp_path / "file")


def skewed(folder: Path, mentions: int) -> tuple[str, str]:
    """A third of the mentions is one entity, half of them is one block, the rest are many small ones."""
    rng = random.Random(2)
    key = [("big" if m % 2 else f"d{m % 40}", m, 0 if m % 3 == 0 else 1 + m // 7) for m in range(mentions)]
    response = [(d, m, e if rng.random() < 0.9 else rng.randrange(50)) for d, m, e in key]
    return written(folder, key, response)


@pytest.mark.slow
@pytest.mark.parametrize("scope", ["document", "corpus"])
def test_skew(scope: str, tmp_path: Path) -> None:
    paths = skewed(tmp_path, 6000)
    metrics = "mentions,muc,bcub,ceafm,ceafe,lea,blanc,pairs"
    ours, theirs = (cl.score(*paths, engine=e, metrics=metrics, scope=scope, exact=True) for e in ("memory", "duckdb"))
    assert theirs.counts.values.tolist() == ours.counts.values.tolist()


def test_spark_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = written(tmp_path, [("a", "1", "x")], [("a", "1", "x")])
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(cl.UsageError, match=r"engine=.spark. needs .*pip install 'coreflens\[spark\]'"):
        cl.score(*paths, engine="spark")


def test_spark_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed: the engine spark is NOT tested")
    from pyspark.sql import SparkSession

    if SparkSession.getActiveSession() is not None:
        pytest.skip("a session is there already, and it has its Java")
    paths = written(tmp_path, [("a", "1", "x")], [("a", "1", "x")])
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(cl.UsageError, match='engine="spark" needs Java 17, which was not found: apt-get install'):
        cl.score(*paths, engine="spark")
