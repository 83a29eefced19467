"""One session of Spark for all tests of a process; without Java or PySpark they are skipped, and say so."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session on this machine, which `score` finds as the active one."""
    pytest.importorskip("pyspark", reason="PySpark is not installed: the engine spark is NOT tested")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("there is no Java: the engine spark is NOT tested")
    from pyspark.sql import SparkSession

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = SparkSession.builder.appName("coreflens tests").master("local[2]")
        for name, value in {
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "1g",
            # tables of some rows: compiling, and collecting garbage in several threads, cost more than they save
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.adaptive.enabled": "true",
        }.items():
            builder = builder.config(name, value)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYSPARK_PYTHON", sys.executable)  # workers that solve components of CEAF need numpy
            session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
