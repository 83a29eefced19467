"""Spark Connect: a server of its own on the loopback, and the command as a client without Java."""

from __future__ import annotations

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

import pytest

import coreflens as cl
from tables import random_table, written

pytestmark = pytest.mark.slow
METRICS = "mentions,muc,bcub,ceafe,lea"
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server, which PyPI's package of PySpark has since version 4."""
    pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed: Spark Connect is NOT tested")
    for package in ("grpc", "grpc_status", "google.rpc", "zstandard", "pandas", "pyarrow"):
        pytest.importorskip(
            package, reason=f"{package} is not installed (pyspark[connect]): Spark Connect is NOT tested"
        )
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("there is no Java: Spark Connect is NOT tested")
    home = Path(pyspark.__file__).parent
    if not [*home.glob("jars/spark-connect_*.jar")]:
        pytest.skip("this package of PySpark has no server: Spark Connect is NOT tested")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = int(found.getsockname()[1])
    folder = tmp_path_factory.mktemp("connect")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    given = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    environment = os.environ | {"SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
    submit = [str(home / "bin" / "spark-submit"), "--master", "local[2]", *given, "--class", SERVER, "spark-internal"]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(submit, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        end = time.monotonic() + 180
        while time.monotonic() < end and process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.5)
        else:
            pytest.skip("no server came up on the loopback: Spark Connect is NOT tested")
        yield f"sc://127.0.0.1:{port}"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_the_same_counts(server: str, tmp_path: Path) -> None:
    """Another process, since one can't have a session of both kinds; it finds no Java and needs none."""
    rng = random.Random(11)
    paths = written(tmp_path, random_table(rng, 2, 60, 9, 0.1), random_table(rng, 2, 60, 9, 0))
    ours = cl.score(*paths, metrics=METRICS, engine="memory", exact=True)
    out = tmp_path / "saved.counts"
    command = [sys.executable, "-m", "coreflens", "score", *paths, "-m", METRICS, "--exact", "--engine", "spark"]
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    ran = subprocess.run(
        [*command, "--master", server, "--save-counts", str(out)],
        env=environment | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stderr
    assert "FutureWarning" not in ran.stderr
    assert cl.load_counts(out).counts.values.tolist() == ours.counts.values.tolist()


def test_workers_solve_components(server: str, tmp_path: Path) -> None:
    """The code of the solver goes from the client to the server and to its workers."""
    rng = random.Random(5)
    rows = [[("a", str(m), str(m // 20 * 20 + rng.randrange(5))) for m in range(200)] for _ in "kr"]
    paths = written(tmp_path, rows[0], rows[1])
    ours = cl.score(*paths, metrics="ceafe", engine="memory", exact=True)
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, coreflens as cl\n"
        "from coreflens.engines import ceaf, spark\n"
        "ceaf.ROUNDS, ceaf.HERE, spark.Spark.portion = 0, 30, 20\n"
        "key, response, master = sys.argv[1:]\n"
        "result = cl.score(key, response, metrics='ceafe', engine='spark', exact=True, master=master, say=print)\n"
        "print(result.counts.values.tolist())\n",
        "utf-8",
    )
    ran = subprocess.run(
        [sys.executable, str(program), *paths, server], capture_output=True, text=True, timeout=600, cwd=tmp_path
    )
    assert ran.stdout.splitlines() == [str(ours.counts.values.tolist())], ran.stdout + ran.stderr


def test_no_server(tmp_path: Path) -> None:
    """An address where nobody answers is an error of one line."""
    for package in ("pyspark", "grpc", "grpc_status", "pandas", "pyarrow"):
        pytest.importorskip(package, reason=f"{package} is not installed: Spark Connect is NOT tested")
    paths = written(tmp_path, [("a", "1", "x")], [("a", "1", "x")])
    command = [sys.executable, "-m", "coreflens", "score", *paths, "--engine", "spark", "--master", "sc://127.0.0.1:9"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 2 and "Traceback" not in ran.stderr and "Spark Connect at sc://127.0.0.1:9" in ran.stderr
