"""Tables wherever they are: Parquet, CSV, JSON, files of DuckDB, frames, patterns, folders; and what `auto` takes."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
from command import Run
from coreflens.engines import choice
from coreflens.scoring.settings import EngineName
from tables import HEADER, Row, random_table, write_csv, written

duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: the engines are not tested")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: tables in Parquet are not tested")

METRICS = "mentions,muc,bcub,ceafe,lea,blanc"


@pytest.fixture(scope="module")
def rows() -> tuple[list[Row], list[Row]]:
    rng = random.Random(3)
    return random_table(rng, 2, 30, 7, 0.1), random_table(rng, 2, 30, 7, 0)


@pytest.fixture(scope="module")
def expected(rows: tuple[list[Row], list[Row]], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    paths = written(tmp_path_factory.mktemp("plain"), *rows)
    return scores(cl.score(*paths, metrics=METRICS, engine="memory", exact=True))


def scores(result: cl.Result) -> dict[str, Any]:
    found: dict[str, Any] = result.to_dict()["scores"]
    return found


def arrow(rows: list[Row]) -> Any:
    return pa.table({name: [row[n] for row in rows] for n, name in enumerate(HEADER)})


def parquet(path: Path, rows: list[Row]) -> str:
    from pyarrow.parquet import write_table

    write_table(arrow(rows), path)
    return str(path)


def both(folder: Path, rows: tuple[list[Row], list[Row]], write: Any, suffix: str) -> list[str]:
    return [write(folder / f"{name}{suffix}", some) for name, some in zip("kr", rows, strict=True)]


def as_json(path: Path, rows: list[Row]) -> str:
    path.write_text(json.dumps([dict(zip(HEADER, row, strict=True)) for row in rows]), "utf-8")
    return str(path)


def as_lines(path: Path, rows: list[Row]) -> str:
    path.write_text("".join(json.dumps(dict(zip(HEADER, row, strict=True))) + "\n" for row in rows), "utf-8")
    return str(path)


def as_tsv(path: Path, rows: list[Row]) -> str:
    path.write_bytes(gzip.compress("".join("\t".join(row) + "\n" for row in [HEADER, *rows]).encode()))
    return str(path)


def as_database(path: Path, rows: list[Row]) -> str:
    with duckdb.connect(str(path)) as connection:
        given = arrow(rows)
        connection.register("given", given)
        connection.execute('CREATE TABLE "odd one" AS SELECT * FROM given')
        connection.execute("CREATE TABLE another (x INTEGER)")
    return f"{path}:odd one"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "suffix"),
    [
        (write_csv, ".csv"),
        (as_tsv, ".tsv.gz"),
        (as_json, ".json"),
        (as_lines, ".jsonl"),
        (parquet, ".parquet"),
        (as_database, ".duckdb"),
        (parquet, "*[1]'.parquet"),
    ],
)
def test_every_kind_of_file(
    write: Any, suffix: str, rows: tuple[list[Row], list[Row]], expected: dict[str, Any], tmp_path: Path
) -> None:
    paths = both(tmp_path, rows, write, suffix)
    assert scores(cl.score(paths[0], paths[1], metrics=METRICS, engine="duckdb", exact=True)) == expected


def test_folders_and_patterns(rows: tuple[list[Row], list[Row]], expected: dict[str, Any], tmp_path: Path) -> None:
    """Several files are one table, in the order of their names; a repeated mention is found across them."""
    for name, some in zip("kr", rows, strict=True):
        for n in range(3):
            folder = tmp_path / name / f"day={n}"
            folder.mkdir(parents=True)
            cut = len(some) // 3
            parquet(folder / "a.parquet", some[n * cut : (n + 1) * cut if n < 2 else None])
        (tmp_path / name / "_SUCCESS").write_text("", "utf-8")
    for paths in (("k", "r"), ("k/*/a.parquet", "r/**/*.parquet")):
        result = cl.score(*(str(tmp_path / path) for path in paths), metrics=METRICS, engine="duckdb", exact=True)
        assert scores(result) == expected
    with pytest.raises(cl.InputError, match="no file matches this pattern"):
        cl.score(str(tmp_path / "x*.csv"), str(tmp_path / "r"), engine="duckdb")
    (tmp_path / "k" / "b.csv").write_text("doc,mention,entity\na,1,x\n", "utf-8")
    with pytest.raises(cl.UsageError, match=r'files of several kinds in .* \(csv, parquet\) need engine="memory"'):
        cl.score(str(tmp_path / "k"), str(tmp_path / "r"), engine="duckdb")


def test_frames(rows: tuple[list[Row], list[Row]], expected: dict[str, Any]) -> None:
    frames = [arrow(some) for some in rows]
    for kind in (
        [*frames],
        [frame.to_pandas() for frame in frames],
        [duckdb.from_arrow(frame) for frame in frames[:1]],
    ):
        one, other = kind[0], kind[1] if len(kind) > 1 else frames[1]
        result = cl.score(one, other, metrics=METRICS, exact=True)
        assert result.engine == ("memory" if len(kind) > 1 else "duckdb")
        assert scores(result) == expected
        assert scores(cl.score(one, other, metrics=METRICS, exact=True, engine="duckdb")) == expected


def test_files_that_are_not_what_they_say(rows: tuple[list[Row], list[Row]], tmp_path: Path) -> None:
    good = parquet(tmp_path / "good.parquet", rows[1])
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(Path(good).read_bytes()[:200])
    with pytest.raises(cl.InputError, match=r"DuckDB: .*bad"):
        cl.score(str(bad), good, engine="duckdb")
    bad.write_text("doc,mention,entity\n", "utf-8")
    with pytest.raises(cl.InputError, match="the table has no rows"):
        cl.score(str(bad), good, engine="duckdb")
    database = as_database(tmp_path / "a.duckdb", rows[0]).partition(":")[0]
    with pytest.raises(cl.InputError, match="there are several tables here, and none is named"):
        cl.score(database, good, engine="duckdb")
    with pytest.raises(cl.InputError, match="no table 'x' here"):
        cl.score(f"{database}:x", good, engine="duckdb")
    fractions = tmp_path / "fractions.parquet"
    from pyarrow.parquet import write_table

    write_table(pa.table({"mention": [0.5, 1.5], "entity": ["a", "a"]}), fractions)
    with pytest.raises(cl.InputError, match="the column of mention has the type DOUBLE"):
        cl.score(str(fractions), str(fractions), engine="duckdb")


def test_mixed_types_are_compared_as_text(tmp_path: Path) -> None:
    from pyarrow.parquet import write_table

    for name, mentions in (("k", [1, 2, 3]), ("r", ["1", "2", "03"])):
        write_table(pa.table({"mention": mentions, "entity": [7, 7, 8]}), tmp_path / f"{name}.parquet")
    paths = str(tmp_path / "k.parquet"), str(tmp_path / "r.parquet")
    engines: tuple[EngineName, ...] = ("duckdb", "memory")
    for engine in engines:
        result = cl.score(*paths, metrics="mentions", engine=engine)
        assert result["mentions"].counts["recall_num"] == 2 and not result.issues


def test_nulls_are_errors_with_example_rows(tmp_path: Path) -> None:
    from pyarrow.parquet import write_table

    write_table(
        pa.table({"doc": ["a", "b", "a"], "mention": [1, None, 3], "entity": ["x", "y", None]}), tmp_path / "k.parquet"
    )
    path = str(tmp_path / "k.parquet")
    with pytest.raises(cl.InputError) as found:
        cl.score(path, path, engine="duckdb")
    assert "2 rows with an empty mention or entity: doc 'a', mention '3', entity (empty)" in found.value.message
    with pytest.raises(cl.InputError):
        cl.score(path, path, engine="memory")


# ------------------------------------------------------------------------------------------------------------- auto


def test_auto_takes_memory_for_what_fits(rows: tuple[list[Row], list[Row]], tmp_path: Path) -> None:
    paths = both(tmp_path, rows, parquet, ".parquet")
    assert cl.score(paths[0], paths[1], metrics=METRICS).engine == "memory"
    assert cl.score([["a", "b"]], [["a"], ["b"]]).engine == "memory"


def test_auto_takes_duckdb_for_what_does_not_and_says_so(
    rows: tuple[list[Row], list[Row]],
    expected: dict[str, Any],
    tmp_path: Path,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paths = both(tmp_path, rows, parquet, ".parquet")
    monkeypatch.setattr(choice, "_free", lambda: 10_000)
    ran = run("score", *paths, "-m", METRICS, "--format", "json", "--exact")
    assert ran.code == 0 and "--engine duckdb" in ran.err and "in memory" in ran.err
    found = json.loads(ran.out)
    assert found["engine"] == "duckdb" and found["scores"] == expected
    spans = [write_csv(tmp_path / f"{n}.csv", [("a", 1, 2, "x")] * 40, ("doc", "start", "end", "entity")) for n in "ab"]
    assert cl.score(spans[0], spans[1]).engine == "memory"  # only memory knows spans


def test_auto_without_duckdb_stays_in_memory(
    rows: tuple[list[Row], list[Row]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = both(tmp_path, rows, parquet, ".parquet")
    monkeypatch.setattr(choice, "_free", lambda: 10_000)
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    said: list[str] = []
    assert cl.score(paths[0], paths[1], metrics=METRICS, say=said.append).engine == "memory"
    assert "pip install 'coreflens[duckdb]'" in said[0]
    with pytest.raises(cl.UsageError, match=r"pip install 'coreflens\[duckdb\]'"):
        cl.score(paths[0], paths[1], engine="duckdb")


@pytest.mark.parametrize("size", ["", "much", "0", "-1", "4X"])
def test_sizes_that_are_none(size: str, rows: tuple[list[Row], list[Row]], tmp_path: Path) -> None:
    paths = both(tmp_path, rows, write_csv, ".csv")
    with pytest.raises(cl.UsageError, match="is not a size, such as 500M or 4G"):
        cl.score(paths[0], paths[1], engine="duckdb", memory_limit=size)
