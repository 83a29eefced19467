"""Tables of mentions by engine and size: time and memory of whole processes, for docs/scale.md.

    python bench/scale.py                        sizes up to ten million, on every engine that is installed
    python bench/scale.py --sizes 100000000 --engines duckdb --limit 4G     out of core; about 10 GB of disk
    python bench/scale.py --publish              the plots of the docs, from the results in bench/out/scale

Key and response are Parquet files that DuckDB generates, one block, about four mentions per entity, in the response a
twentieth of the mentions astray and a tenth of the entities cut in two. Each case is a process of its own. Its memory
is that of the process and of all below it, added up, and its processor time likewise, so that Spark's Java counts.
`bare` is the join of both tables and the group-by, and nothing else, with the same limit. `arrays` scores the columns
of labels in memory, as arrays of numpy; `memory` reads the tables. Files above ten million are removed when their cases
are done.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from math import log10
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
OUT = ROOT / "bench" / "out" / "scale"
SIZES = (10_000, 100_000, 1_000_000, 3_000_000, 10_000_000)
KEEP = 10_000_000
CASES = ("bare", "duckdb", "duckdb+ceaf", "arrays", "arrays+ceaf", "memory", "memory+ceaf", "spark", "spark+ceaf")
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def generate(mentions: int) -> tuple[Path, Path]:
    """The two tables, unless they are there."""
    import duckdb

    folder = OUT / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / f"key-{mentions}.parquet", folder / f"response-{mentions}.parquet"
    entities = max(mentions // 4, 1)

    def chance(salt: int, of: str = "m") -> str:
        return f"(hash({of}, {salt}) % 1000000) / 1e6"

    key = f"CAST(floor({entities} * pow({chance(1)}, 1.3)) AS BIGINT)"
    # a twentieth goes astray, a tenth of the entities is cut in two
    response = f"""CASE WHEN {chance(2)} < 0.05 THEN CAST(floor({entities} * {chance(3)}) AS BIGINT)
        WHEN {chance(4, "e")} < 0.1 AND hash(m, 5) % 2 = 0 THEN e + {entities} ELSE e END"""
    for path, entity in zip(paths, ("e", response), strict=True):
        if path.exists():
            continue
        with duckdb.connect() as connection:
            connection.execute("SET memory_limit = '2GB'; SET preserve_insertion_order = false")
            connection.execute(
                f"""COPY (SELECT m AS mention, {entity} AS entity FROM
                (SELECT m, {key} AS e FROM (SELECT range AS m FROM range({mentions}))))
                TO '{path}.part' (FORMAT parquet)"""
            )
        os.replace(f"{path}.part", path)
    return paths


def work(case: str, key: str, response: str, limit: str | None) -> None:
    """One case, in this process."""
    engine, _, ceaf = case.partition("+")
    if engine == "bare":
        import duckdb

        with duckdb.connect() as connection:
            if limit:
                connection.execute(f"SET memory_limit = '{limit.removesuffix('B')}B'")
                connection.execute(f"SET temp_directory = '{OUT / 'spill'}'")
            connection.execute(
                f"""CREATE TEMP TABLE cells AS SELECT k.entity AS i, r.entity AS j, count(*) AS n
                FROM '{key}' k JOIN '{response}' r ON k.mention = r.mention GROUP BY ALL"""
            )
        return
    import coreflens as cl

    metrics = "ceafm,ceafe" if ceaf else "mentions,muc,bcub,blanc,lea,pairs"
    if engine == "arrays":
        result = cl.score(*(_labels(path) for path in (key, response)), metrics=metrics)
        print(json.dumps({name: result[name].main for name in result}))
        return
    settings: dict[str, Any] = {"engine": engine}
    if engine == "duckdb" and limit:
        settings |= {"memory_limit": limit, "spill": str(OUT / "spill")}
    result = cl.score(key, response, metrics=metrics, say=lambda m: print(m, file=sys.stderr), **settings)
    print(json.dumps({name: result[name].main for name in result}))


def _labels(path: str) -> Any:
    """The entities of a table in the order of its mentions."""
    import numpy as np
    from pyarrow import parquet

    table = parquet.read_table(path)
    labels = np.empty(table.num_rows, np.int64)
    labels[table["mention"].to_numpy()] = table["entity"].to_numpy()
    return labels


def descendants(root: int) -> list[tuple[int, int, float]]:
    """(process, resident bytes, processor seconds) of a process and all below it."""
    found: dict[int, tuple[int, int, float]] = {}
    parents: dict[int, int] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            text = Path("/proc", name, "stat").read_text("utf-8", "replace")
        except OSError:
            continue
        fields = text[text.rindex(")") + 2 :].split()
        parents[int(name)] = int(fields[1])
        found[int(name)] = int(name), int(fields[21]) * _PAGE, (int(fields[11]) + int(fields[12])) / _TICKS
    inside = {root}
    while more := {pid for pid, parent in parents.items() if parent in inside and pid not in inside}:
        inside |= more
    return [found[pid] for pid in inside if pid in found]


def measure(case: str, tables: tuple[Path, Path], limit: str | None) -> dict[str, Any]:
    """Wall time, processor time and peak memory of a case."""
    command = [sys.executable, __file__, "--work", case, *map(str, tables), *(["--limit", limit] if limit else [])]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = 0
    spent: dict[int, float] = {}
    while process.poll() is None:
        seen = descendants(process.pid)
        peak = max(peak, sum(resident for _, resident, _ in seen))
        spent |= {pid: seconds for pid, _, seconds in seen}
        time.sleep(0.05)
    took = time.perf_counter() - start
    out = process.stdout.read() if process.stdout else ""
    if process.returncode:
        return {"failed": process.returncode}
    scores = json.loads(out.strip().splitlines()[-1]) if out.strip() else {}
    return {"wall": took, "cpu": sum(spent.values()), "memory": peak, "scores": scores}


def publish() -> None:
    """Time and memory against size, a line per engine, as SVG."""
    from coreflens.paper.plot import Plot, Series

    rows = json.loads((OUT / "results.json").read_text("utf-8"))
    names = {
        "bare": "bare join, DuckDB",
        "memory": "memory, tables",
        "arrays": "memory, arrays",
        "duckdb": "DuckDB",
        "spark": "Spark, one machine",
        "memory+ceaf": "memory, tables, CEAF",
        "arrays+ceaf": "memory, arrays, CEAF",
        "duckdb+ceaf": "DuckDB, CEAF",
        "spark+ceaf": "Spark, CEAF",
    }
    folder = ROOT / "docs" / "scale"
    folder.mkdir(exist_ok=True)
    for file, field, title, unit, scale, cases in (
        ("time", "cpu", "Processor time by size", "seconds", 1, ("memory", "arrays", "duckdb", "spark", "bare")),
        (
            "ceaf",
            "cpu",
            "Processor time of CEAF by size",
            "seconds",
            1,
            ("memory+ceaf", "arrays+ceaf", "duckdb+ceaf", "spark+ceaf"),
        ),
        ("memory", "memory", "Peak memory by size", "GB", 1e9, ("memory", "arrays", "duckdb", "spark", "bare")),
    ):
        lines = []
        for case in cases:
            points = sorted((r["mentions"], r[field] / scale) for r in rows if r["case"] == case and field in r)
            if points:
                lines.append(Series(names[case], [log10(x) for x, _ in points], [log10(y) for _, y in points]))
        Plot("line", title, "mentions, as a power of ten", f"{unit}, as a power of ten", lines).save(
            folder / f"{file}.svg"
        )
        print(folder / f"{file}.svg")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--engines", default="bare,arrays,memory,duckdb,spark")
    parser.add_argument("--limit", help="memory of DuckDB, such as 4G")
    parser.add_argument("--publish", action="store_true")
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        case, key, response = given.work
        work(case, key, response, given.limit)
        return
    if given.publish:
        publish()
        return
    recorded = OUT / "results.json"
    rows = json.loads(recorded.read_text("utf-8")) if recorded.exists() else []
    for mentions in map(int, given.sizes.split(",")):
        tables = generate(mentions)
        print(f"{mentions:,} mentions, {sum(t.stat().st_size for t in tables) / 1e6:.0f} MB", flush=True)
        for case in (case for case in CASES if case.partition("+")[0] in given.engines.split(",")):
            found = measure(case, tables, given.limit)
            row = {"mentions": mentions, "case": case, "limit": given.limit, **found}
            rows = [r for r in rows if (r["mentions"], r["case"]) != (mentions, case)] + [row]
            recorded.write_text(json.dumps(rows, indent=1), "utf-8")
            told = f"failed ({found['failed']})" if "failed" in found else ""
            if not told:
                gigabytes = found["memory"] / 1e9
                told = f"{found['wall']:8.1f} s  {found['cpu']:8.1f} s of processors  {gigabytes:6.2f} GB"
            print(f"  {case:12} {told}", flush=True)
        if mentions > KEEP:
            for table in tables:
                table.unlink()


if __name__ == "__main__":
    main()
