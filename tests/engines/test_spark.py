"""Spark itself: sessions and frames, Spark's own tables, and a master with two workers, one of which dies."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
from coreflens.options import Duplicates
from sparking import spark as spark
from tables import HEADER, random_table, write_csv, written

pytestmark = pytest.mark.slow
METRICS = "mentions,muc,bcub,ceafe,lea"


def test_frames_and_a_session(spark: Any, tmp_path: Path) -> None:
    """The session is left as it was: no view, no setting, nothing kept in memory."""
    rng = random.Random(4)
    rows = random_table(rng, 2, 20, 5, 0), random_table(rng, 2, 20, 5, 0)
    ours = cl.score(*written(tmp_path, *rows), metrics=METRICS, engine="memory", exact=True)
    frames = [spark.createDataFrame(some, list(HEADER)) for some in rows]
    setting = spark.conf.get("spark.sql.ansi.enabled")
    theirs = cl.score(frames[0], frames[1], metrics=METRICS, session=spark, engine="spark", exact=True)
    assert theirs.counts.values.tolist() == ours.counts.values.tolist() and theirs.engine == "spark"
    assert not spark.catalog.listTables() and spark.conf.get("spark.sql.ansi.enabled") == setting
    assert not spark.sparkContext._jsc.getPersistentRDDs()
    with pytest.raises(cl.UsageError, match="a session already has its master: give only one of the two"):
        cl.score(frames[0], frames[1], session=spark, master="local[1]", engine="spark")


def test_parquet_keeps_its_order(spark: Any, tmp_path: Path) -> None:
    """Of a mention in two entities the first or the last counts, in one file and across two."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: tables in Parquet are not tested")
    from pyarrow.parquet import write_table

    rows = [("a", 1, "x"), ("a", 2, "x"), ("a", 3, "y"), ("a", 1, "y"), ("a", 2, "z")]
    (tmp_path / "key").mkdir()
    for n, some in enumerate((rows[:4], rows[4:])):
        write_table(pa.table(dict(zip(HEADER, zip(*some, strict=True), strict=True))), tmp_path / f"key/{n}.parquet")
    response = str(tmp_path / "r.parquet")
    write_table(pa.table(dict(zip(HEADER, zip(*rows[:3], strict=True), strict=True))), response)
    policies: tuple[tuple[Duplicates, int], ...] = (("first", 1), ("last", 0))
    for policy, linked in policies:
        result = cl.score(str(tmp_path / "key"), response, duplicates=policy, metrics="muc", engine="spark")
        assert result["muc"].counts["recall_num"] == linked
        assert next(i.count for i in result.issues if i.code == "duplicates-key") == 2


def test_rounds_of_ceaf_and_skew(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One entity has a third of the mentions, and one block half of them; disputed pairs go through rounds of SQL."""
    from coreflens.engines import ceaf

    rng = random.Random(6)
    key = [("big" if m % 2 else f"d{m % 5}", str(m), "0" if m % 3 == 0 else str(m // 7)) for m in range(600)]
    paths = written(tmp_path, key, [(d, m, e if rng.random() < 0.8 else str(rng.randrange(9))) for d, m, e in key])
    monkeypatch.setattr(ceaf, "HERE", 20)
    ours, theirs = (cl.score(*paths, engine=e, metrics="ceafe", exact=True) for e in ("memory", "spark"))
    assert theirs.counts.values.tolist() == ours.counts.values.tolist()


@pytest.mark.parametrize("able", [True, False])
def test_workers_solve_components(able: bool, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a giant comes to this process. If the workers lack a package, all do, with a note and the same counts."""
    from coreflens.engines import ceaf, components
    from coreflens.engines import spark as engine

    def unable(similarity: Any, exact: bool) -> Any:
        def solve(batches: Any) -> Any:
            raise ModuleNotFoundError("No module named 'numpy'")

        return solve

    rng = random.Random(7)
    key = [("a" if m < 200 else "b", str(m), str(m // 20 * 20 + rng.randrange(5))) for m in range(400)]
    response = [
        (d, m, str(int(m) // 20 * 20 + rng.randrange(5)) if d == "a" else str(rng.randrange(9))) for d, m, _ in key
    ]
    paths = written(tmp_path, key, response)
    ours = cl.score(*paths, engine="memory", metrics="ceafm,ceafe", exact=True)
    monkeypatch.setattr(ceaf, "ROUNDS", 0)
    monkeypatch.setattr(ceaf, "HERE", 60)
    monkeypatch.setattr(engine.Spark, "portion", 50)
    if not able:
        monkeypatch.setattr(engine, "solver", unable)
    here: list[list[int]] = []

    def solved_here(engine: Any, portions: Any, *more: Any) -> Any:
        here.append([*portions])
        return components.solved_here(engine, portions, *more)

    for module in (ceaf, engine):
        monkeypatch.setattr(module, "solved_here", solved_here)
    said: list[str] = []
    theirs = cl.score(*paths, engine="spark", metrics="ceafm,ceafe", exact=True, say=said.append)
    assert theirs.counts.values.tolist() == ours.counts.values.tolist()
    assert any("pairs of entities are connected and must be solved together" in message for message in said)
    assert any("the workers can't solve components, so they are solved here" in m for m in said) == (not able)
    assert any(portion >= 0 for portions in here for portion in portions) == (not able)


def test_what_spark_can_not_read(spark: Any, tmp_path: Path) -> None:
    good = write_csv(tmp_path / "good.csv", [("a", "1", "x")])
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"PAR1" + bytes(100))
    with pytest.raises(cl.InputError, match="Spark: "):
        cl.score(str(bad), good, engine="spark")


# ------------------------------------------------------------------------------------- a master and two workers


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Cluster:
    """A master and workers on the loopback, each a process of Java that `spark-class` starts."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self.folder = folder
        self.home = Path(pyspark.__file__).parent
        self.url = f"spark://127.0.0.1:{free_port()}"
        self.page = free_port()
        self.processes: list[subprocess.Popen[bytes]] = []
        host = ["--host", "127.0.0.1", "--port", self.url.rpartition(":")[2], "--webui-port", str(self.page)]
        self.start("master.Master", *host)

    def start(self, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        name = f"{what.partition('.')[0]}-{len(self.processes)}"
        environment = os.environ | {
            "SPARK_HOME": str(self.home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_NO_DAEMONIZE": "1",
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
        }
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [str(self.home / "bin" / "spark-class"), f"org.apache.spark.deploy.{what}", *arguments],
                cwd=self.folder,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def worker(self) -> subprocess.Popen[bytes]:
        folder = self.folder / f"work-{len(self.processes)}"
        folder.mkdir()
        few = [
            "--cores",
            "1",
            "--memory",
            "700m",
            "--host",
            "127.0.0.1",
            "--webui-port",
            "0",
            "--work-dir",
            str(folder),
        ]
        return self.start("worker.Worker", *few, self.url)

    def alive(self) -> int:
        """How many workers the master knows."""
        from urllib.request import ProxyHandler, build_opener

        with (
            suppress(OSError, ValueError),
            build_opener(ProxyHandler({})).open(f"http://127.0.0.1:{self.page}/json/", timeout=5) as page,
        ):
            return sum(worker["state"] == "ALIVE" for worker in json.load(page)["workers"])
        return 0

    def executors(self) -> list[Path]:
        return [p for p in self.folder.glob("work-*/app-*/*") if p.is_dir()]

    def stop(self) -> None:
        for process in self.processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    pytest.importorskip("pyspark", reason="PySpark is not installed: the engine spark is NOT tested")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("there is no Java: the engine spark is NOT tested")
    found = Cluster(tmp_path)
    try:
        yield found
    finally:
        found.stop()


def wait(met: Any, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not met():
        time.sleep(0.2)
    return bool(met())


@pytest.mark.endurance
def test_a_worker_that_dies_on_the_way(cluster: Cluster, tmp_path: Path) -> None:
    """The rows that it had are computed again by the other one, and the counts are those of memory."""
    rng = random.Random(8)
    rows = random_table(rng, 3, 300, 40, 0), random_table(rng, 3, 300, 40, 0)
    paths = written(tmp_path, *rows)
    ours = cl.score(*paths, metrics=METRICS, engine="memory", exact=True)
    doomed, _ = cluster.worker(), cluster.worker()
    if not wait(lambda: cluster.alive() == 2, 120):
        pytest.skip("no cluster came up on the loopback: the engine spark is NOT tested there")
    out = tmp_path / "saved.counts"
    environment = os.environ | {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_SUBMIT_ARGS": "--conf spark.executor.memory=512m --conf spark.sql.shuffle.partitions=4 pyspark-shell",
    }
    command = [sys.executable, "-m", "coreflens", "score", *paths, "-m", METRICS, "--exact", "--engine", "spark"]
    with (tmp_path / "driver.log").open("wb") as log:
        driver = subprocess.Popen(
            [*command, "--master", cluster.url, "--save-counts", str(out)], env=environment, stdout=log, stderr=log
        )
    cluster.processes.append(driver)
    assert wait(lambda: len(cluster.executors()) >= 2 or driver.poll() is not None, 180)
    time.sleep(3)  # tasks are under way on both
    assert driver.poll() is None, (tmp_path / "driver.log").read_text("utf-8", "replace")
    os.killpg(doomed.pid, signal.SIGKILL)  # with its executor, which is in its group
    assert driver.wait(600) == 0, (tmp_path / "driver.log").read_text("utf-8", "replace")
    assert cl.load_counts(out).counts.values.tolist() == ours.counts.values.tolist()
