"""One test body over all engines: the same counts, documents and reports as in memory."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coreflens as cl
from command import Run
from coreflens.engines.scored import MEMORY_ONLY
from coreflens.metrics import METRICS, Metric
from places import DATA
from sparking import spark as spark
from tables import as_table, random_table, write_csv, written

pytest.importorskip("duckdb", reason="duckdb is not installed: the engines are not tested")

METRICS_OF_ENGINES = [name for name in METRICS if name not in MEMORY_ONLY]
FOR_UNEQUAL = [
    name for name in METRICS_OF_ENGINES if not (isinstance(metric := METRICS[name], Metric) and metric.equal_mentions)
]


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What `score` is told so that an engine computes: DuckDB, or what `EVERYWHERE` says; Spark is started once."""
    name = getattr(request, "param", "duckdb")
    if name == "spark":
        request.getfixturevalue("spark")
    return {"engine": name}


ON_SPARK = pytest.mark.slow
EVERYWHERE = pytest.mark.parametrize(
    "engine", ["duckdb", pytest.param("spark", marks=ON_SPARK)], indirect=True, ids=str
)


def same(tables: tuple[str, str], engine: Mapping[str, Any], exact: bool = True, **settings: Any) -> cl.Result:
    """Score in memory and by an engine; documents, counts and reports are the same."""
    ours = cl.score(tables[0], tables[1], engine="memory", exact=exact, **settings)
    theirs = cl.score(tables[0], tables[1], exact=exact, **settings, **engine)
    assert theirs.engine == engine["engine"] and ours.engine == "memory"
    assert theirs.counts.columns == ours.counts.columns
    assert list(theirs.counts.labels) == list(ours.counts.labels)
    assert [d.label for d in theirs.counts.documents] == [d.label for d in ours.counts.documents]
    if exact:
        assert theirs.counts.values.tolist() == ours.counts.values.tolist()
        assert all(isinstance(x, Fraction) or x != x or x == int(x) for x in theirs.counts.values.ravel().tolist())
    else:
        whole = ours.counts.values == np.floor(ours.counts.values)
        assert (theirs.counts.values[whole] == ours.counts.values[whole]).all()
        np.testing.assert_allclose(theirs.counts.values, ours.counts.values, rtol=1e-12)
    reported = [[(i.code, i.message, i.count) for i in r.issues] for r in (ours, theirs)]
    assert reported[0] == reported[1]
    return theirs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "engine"),
    [
        *((seed, "duckdb") for seed in range(16)),
        pytest.param(6, "spark", marks=ON_SPARK),
        pytest.param(1, "spark", marks=pytest.mark.endurance),
    ],
    indirect=["engine"],
)
def test_random_tables(seed: int, engine: dict[str, Any], tmp_path: Path) -> None:
    rng = random.Random(seed)
    sizes = rng.choice([1, 3]), rng.choice([4, 12, 30]), rng.choice([2, 4, 12])
    paths = written(tmp_path, random_table(rng, *sizes, rng.choice([0, 0.1])), random_table(rng, *sizes, 0))
    settings: dict[str, Any] = {
        "scope": rng.choice(["document", "corpus"]),
        "singletons": ["keep", "drop", "drop-response", "drop-before"][seed % 4],
        "duplicates": rng.choice(["first", "last"]),
    }
    same(paths, engine, exact=seed % 3 > 0, metrics=FOR_UNEQUAL, extra="count", no_common="score", **settings)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_mentions_on_both_sides(seed: int, engine: dict[str, Any], tmp_path: Path) -> None:
    """Rand, ARI and V-measure, which need that."""
    rng = random.Random(seed)
    key = [(f"d{m % 3}", str(m), str(rng.randrange(6))) for m in range(40)]
    paths = written(tmp_path, key, [(d, m, str(rng.randrange(5))) for d, m, _ in key])
    result = same(paths, engine, exact=False, metrics=METRICS_OF_ENGINES)
    assert result["rand"].value is not None


def test_a_lack_of_equal_mentions_is_told_alike(engine: dict[str, Any], tmp_path: Path) -> None:
    paths = written(tmp_path, [("a", "1", "x"), ("b", "1", "x")], [("a", "1", "x"), ("b", "1", "x"), ("b", "2", "x")])
    result = cl.score(paths[0], paths[1], metrics="all", **engine)
    assert {"unequal-mentions", "left-out-metrics"} <= {issue.code for issue in result.issues}
    assert set(result) == set(METRICS) - MEMORY_ONLY
    with pytest.raises(cl.UsageError, match="rand needs the same mentions"):
        cl.score(paths[0], paths[1], metrics="rand", **engine)
    with pytest.raises(cl.UsageError, match="xcore is not a sum over a table"):
        cl.score(paths[0], paths[1], metrics="xcore", **engine)


def test_run_after_run_bit_for_bit(engine: dict[str, Any], tmp_path: Path) -> None:
    rng = random.Random(1)
    paths = written(tmp_path, random_table(rng, 5, 60, 9, 0), random_table(rng, 5, 60, 9, 0))
    first, second = (cl.score(paths[0], paths[1], metrics=FOR_UNEQUAL, **engine).counts.values for _ in range(2))
    assert first.tobytes() == second.tobytes()


# ------------------------------------------------------------------------------------------------------ real corpora


def real(*parts: str) -> Path:
    path = DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path} is absent: the engines are not tried on it")
    return path


@pytest.mark.slow
@EVERYWHERE
def test_rldata(engine: dict[str, Any], tmp_path: Path) -> None:
    """Ten thousand records and the clusters that dblink found."""
    truth = real("er_rldata_dblink", "identity.RLdata10000.tsv")
    found = real("er_rldata_dblink", "RLdata10000_2partitions_PCG-I", "shared-most-probable-clusters.csv")
    entity = [line.split("\t")[-1] for line in truth.read_text("utf-8").split("\n")[1:] if line]
    key = write_csv(tmp_path / "truth.csv", enumerate(entity, 1), ("mention", "entity"))
    clusters = [line.split(",") for line in found.read_text("utf-8").splitlines() if line.strip()]
    rows = [(record.strip().strip('"'), number) for number, line in enumerate(clusters) for record in line]
    response = write_csv(tmp_path / "found.csv", rows, ("mention", "entity"))
    # every metric on Spark is tried with random tables
    metrics = (
        METRICS_OF_ENGINES if engine["engine"] == "duckdb" else ["mentions", "muc", "bcub", "ceafe", "lea", "blanc"]
    )
    result = same((key, response), engine, exact=False, metrics=metrics, no_common="score")
    assert result.counts.of("mentions", result.counts.total)["recall_den"] == len(entity)


@pytest.mark.slow
def test_other_records(engine: dict[str, Any], tmp_path: Path) -> None:
    """A benchmark of inventors against blocks by the first letters of its own labels."""
    lines = real("er_other", "israeli-inventors-benchmark.csv").read_text("utf-8").splitlines()[1:]
    rows = [line.split(",")[:2] for line in lines]
    key = write_csv(tmp_path / "truth.csv", [(m, e) for m, e in rows], ("mention", "entity"))
    response = write_csv(tmp_path / "found.csv", [(m, e[:3]) for m, e in rows], ("mention", "entity"))
    same((key, response), engine, exact=False, metrics=FOR_UNEQUAL)


@pytest.mark.slow
@pytest.mark.parametrize("scope", ["document", "corpus"])
def test_cross_document_coreference(scope: str, engine: dict[str, Any], tmp_path: Path) -> None:
    key = real("hypercoref_cdcr", "key", "ecbp", "test_events_corpus_level.conll")
    systems = sorted(real("hypercoref_cdcr", "sys_cdcr").rglob("*.conll"))[:2]
    table = as_table(key, tmp_path / "key.csv")
    for number, system in enumerate(systems):
        same((table, as_table(system, tmp_path / f"{number}.csv")), engine, scope=scope, metrics=FOR_UNEQUAL)


@pytest.mark.slow
def test_beyond_one_corpus(engine: dict[str, Any], tmp_path: Path) -> None:
    folder = real("cdcr_beyond", "ba2019")
    key = min(folder.rglob("*.key_conll"))
    response = next((p for p in sorted(key.parent.rglob("*")) if p.suffix == ".response_conll"), None)
    if response is None:
        pytest.skip(f"no response beside {key}: the engines are not tried on it")
    tables = as_table(key, tmp_path / "key.csv"), as_table(response, tmp_path / "response.csv")
    same(tables, engine, metrics=FOR_UNEQUAL, extra="count", no_common="score")


# ------------------------------------------------------------------------------------------- policies and oddities

KEY = [("a", "1", "x"), ("a", "2", "x"), ("a", "3", "y"), ("b", "1", "x"), ("b", "2", "z")]
RESPONSE = [("a", "1", "p"), ("a", "2", "q"), ("a", "3", "q"), ("b", "1", "p"), ("b", "4", "p")]


@pytest.fixture
def tables(tmp_path: Path) -> tuple[str, str]:
    return written(tmp_path, KEY, RESPONSE)


def test_groups_intervals_and_saved_counts(tables: tuple[str, str], engine: dict[str, Any], tmp_path: Path) -> None:
    """All that is arithmetic on counts follows."""
    ours, theirs = cl.score(*tables), cl.score(tables[0], tables[1], **engine)
    labels = {"a": "one", "b": "two"}
    assert theirs.group_by(labels)["two"].to_dict() == ours.group_by(labels)["two"].to_dict()
    assert theirs.bootstrap(100, seed=3)["muc"]["f1"] == ours.bootstrap(100, seed=3)["muc"]["f1"]
    theirs.save_counts(tmp_path / "saved.counts")
    assert cl.load_counts(tmp_path / "saved.counts").to_dict()["scores"] == theirs.to_dict()["scores"]
    assert theirs.to_dict()["engine"] == engine["engine"]
    assert cl.Result.from_dict(theirs.to_dict()).engine == engine["engine"]


def test_labels_as_scope(tables: tuple[str, str], engine: dict[str, Any], tmp_path: Path) -> None:
    labels = tmp_path / "topics.csv"
    labels.write_text("document,topic\na,t\nb,t\n", "utf-8")
    same(tables, engine, scope=str(labels), metrics=FOR_UNEQUAL)


def test_documents_that_one_side_lacks(engine: dict[str, Any], tmp_path: Path) -> None:
    key = write_csv(tmp_path / "key.csv", [*KEY, ("c", "1", "x")])
    response = write_csv(tmp_path / "response.csv", [*RESPONSE, ("e", "1", "x")])
    with pytest.raises(cl.InputError, match="1 document only in the response, such as 'e'"):
        cl.score(key, response, **engine)
    for extra in ("ignore", "count"):
        same((key, response), engine, extra=extra)


@EVERYWHERE
def test_a_mention_in_two_entities(engine: dict[str, Any], tmp_path: Path) -> None:
    """Reported with the rows; the first or the last counts; refused on demand."""
    key = write_csv(tmp_path / "key.csv", [*KEY, ("b", "2", "x"), ("a", "1", "x")])
    response = write_csv(tmp_path / "response.csv", RESPONSE)
    for policy in ("first", "last"):
        result = same((key, response), engine, duplicates=policy, metrics="mentions,muc,bcub,ceafe")
        issue = next(i for i in result.issues if i.code == "duplicates-key")
        assert issue.count == 2
        assert issue.places == (f"{key}: mention 1, twice in x", f"{key}: mention 2 in x and z")
    with pytest.raises(cl.InputError, match=r"mention 1 occurs twice in the key \(2 repetitions in all\)"):
        cl.score(key, response, duplicates="error", **engine)
    with pytest.raises(cl.UsageError, match='duplicates="perl" counts them only on engine="memory"'):
        cl.score(key, response, protocol="conll-2012", **engine)
    same(written(tmp_path, KEY, RESPONSE), engine, duplicates="perl", metrics="mentions,muc")


@pytest.mark.parametrize("row", [("b", "", "x"), ("b", "7", ""), ("b", "7", "  ")])
def test_empty_cells_are_errors(row: tuple[str, str, str], engine: dict[str, Any], tmp_path: Path) -> None:
    key, response = write_csv(tmp_path / "key.csv", [*KEY, row]), write_csv(tmp_path / "response.csv", RESPONSE)
    with pytest.raises(cl.InputError, match="empty mention or entity") as found:
        cl.score(key, response, **engine)
    assert found.value.file == key and "doc 'b'" in found.value.message
    with pytest.raises(cl.InputError, match="empty mention or entity"):
        cl.score(key, response, engine="memory")


def test_rows_of_nothing_are_no_rows(engine: dict[str, Any], tmp_path: Path) -> None:
    key = write_csv(tmp_path / "key.csv", [*KEY[:2], ("", "", ""), *KEY[2:]])
    same((key, write_csv(tmp_path / "r.csv", RESPONSE)), engine)


def test_text_stays_text(engine: dict[str, Any], tmp_path: Path) -> None:
    """007 is not 7, and a date is what is written."""
    key = write_csv(
        tmp_path / "key.csv", [("007", "x"), ("7", "y"), ("2020-01-01", "x"), ("1.0", "y")], ("id", "label")
    )
    response = write_csv(tmp_path / "r.csv", [("7", "1"), ("07", "1"), ("2020-1-1", "1"), ("1", "1")], ("id", "label"))
    result = same((key, response), engine, metrics="mentions")
    assert result["mentions"].counts["recall_num"] == 1


def test_no_mention_in_common(engine: dict[str, Any], tmp_path: Path) -> None:
    key = write_csv(tmp_path / "key.csv", KEY)
    response = write_csv(tmp_path / "r.csv", [(d, f"other {m}", e) for d, m, e in RESPONSE])
    with pytest.raises(cl.InputError, match="no mention in common: none of 5"):
        cl.score(key, response, **engine)
    with pytest.raises(cl.InputError, match="no mention in common: none of 5"):
        cl.score(key, response, engine="memory")
    same((key, response), engine, no_common="score")


@EVERYWHERE
def test_columns_by_name(engine: dict[str, Any], tmp_path: Path) -> None:
    header = ("topic", "mention", "record no.", 'who`s "it"')
    rows = [(d, "never mind", m, e) for d, m, e in KEY]
    key = write_csv(tmp_path / "key.csv", rows, header)
    response = write_csv(tmp_path / "r.csv", [(d, "no", m, e) for d, m, e in RESPONSE], header)
    columns = {"doc": "topic", "mention": "record no.", "entity": 'who`s "it"'}
    same((key, response), engine, columns=columns)
    one = same((key, write_csv(tmp_path / "s.csv", rows[:3], header)), engine, columns=columns | {"doc": ""})
    assert len(one.counts) == 1
    with pytest.raises(cl.InputError, match="no column 'recrod' for mention"):
        cl.score(key, response, columns="mention=recrod", **engine)
    with pytest.raises(cl.UsageError, match="unknown column 'mentoin'; did you mean 'mention'"):
        cl.score(key, response, columns="mentoin=x", **engine)


def test_a_table_without_documents_is_one_block(engine: dict[str, Any], tmp_path: Path) -> None:
    paths = written(
        tmp_path, [(d + m, e) for d, m, e in KEY], [(d + m, e) for d, m, e in RESPONSE], ("record_id", "cluster_id")
    )
    assert len(same(paths, engine, metrics=FOR_UNEQUAL).counts) == 1


def test_what_engines_refuse(tables: tuple[str, str], engine: dict[str, Any], tmp_path: Path) -> None:
    others: list[dict[str, Any]] = [
        {"match": "head"},
        {"pair": "file"},
        {"align": "characters"},
        {"encoding": "latin-1"},
    ]
    for settings in others:
        with pytest.raises(cl.UsageError, match='engine="memory"'):
            cl.score(tables[0], tables[1], **settings, **engine)
    spans = write_csv(tmp_path / "spans.csv", [("a", 1, 2, "x")], ("doc", "start", "end", "entity"))
    with pytest.raises(cl.UsageError, match=r'the mentions of this table are spans \(start, end\), .*engine="memory"'):
        cl.score(spans, spans, **engine)
    assert cl.score(spans, spans, engine="memory")["mentions"].f1 == 1
    with pytest.raises(cl.UsageError, match="the key is not a table of mentions but list"):
        cl.score([["a"]], tables[1], **engine)
    with pytest.raises(cl.InputError):
        cl.score(str(tmp_path / "absent.csv"), tables[1], **engine)


def test_without_ceaf(tables: tuple[str, str], engine: dict[str, Any]) -> None:
    result = cl.score(tables[0], tables[1], ceaf=False, **engine)
    assert set(result) == {"mentions", "muc", "bcub", "blanc", "lea"}
    assert "ceafm, ceafe, conll left out" in next(i.message for i in result.issues if i.code == "left-out-metrics")
    with pytest.raises(cl.UsageError, match="ceafe needs CEAF's assignment"):
        cl.score(tables[0], tables[1], metrics="ceafe", ceaf=False, **engine)


@pytest.mark.slow
@pytest.mark.parametrize(("entities", "most"), [(30, 1), (30, 5), (150, 3), (399, 1)])
def test_disputed_pairs_beyond_what_is_solved_at_once(
    entities: int, most: int, engine: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounds in the engine, where ties are many; then components in portions, and the exact solver.

    With few entities all are connected, and the size of such a giant is printed first.
    """
    from coreflens.engines import ceaf

    rng = random.Random(entities)
    key, response = ([(m % 3, m, rng.randrange(entities)) for m in range(400)] for _ in "ab")
    paths = written(tmp_path, key, response)
    monkeypatch.setattr(ceaf, "HERE", most)
    said: list[str] = []
    same(paths, {**engine, "say": said.append}, metrics="ceafm,ceafe,ceafm-sys,ceafe-sys")
    if entities == 30:
        assert any("pairs of entities are connected and must be solved together, which takes about" in m for m in said)


@pytest.mark.parametrize("rounds", [0, 1, 24])
def test_components(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long chain, rings and pairs: what hangs together comes together, also where labels are not through yet."""
    from coreflens.engines import components
    from coreflens.engines.duck import connected

    monkeypatch.setattr(components, "ROUNDS", rounds)
    chain = [(0, i, j) for i in range(40) for j in (i, i + 1)]
    rings = [(b, i, j) for b in (0, 1) for i in (100, 101) for j in (100, 101)]
    cells = chain + rings + [(1, i, i) for i in range(10)]
    columns = {name: np.array([c[n] for c in cells]) for n, name in enumerate(("block", "i", "j"))}
    ones = {name: np.ones(len(cells), np.int64) for name in ("n", "a", "b", "w")}
    with connected() as duck:
        duck.register("links", columns | ones)
        small, giants = components.divided(duck, "links", 4, 30)
        parts = [duck.fetch(f"SELECT * FROM {components.APART} WHERE portion = {p}") for p in (*small, *giants)]
    found = [sorted(zip(*(part[name].tolist() for name in ("block", "i", "j")), strict=True)) for part in parts]
    assert rounds < 24 or list(giants.values()) == [len(chain)]
    assert sorted(cell for part in found for cell in part) == sorted(cells)
    for whole in (set(chain), {c for c in rings if c[0] == 0}, {c for c in rings if c[0] == 1}):
        assert sum(bool(whole & set(part)) for part in found) == 1
    assert len(found) > 3 or rounds < 2


def test_large_blocks_are_counted_exactly(monkeypatch: pytest.MonkeyPatch, tables: tuple[str, str]) -> None:
    """Beyond what floats hold exactly, sums are computed with fractions, and rounded once."""
    from coreflens.engines import grouped

    plain = cl.score(tables[0], tables[1], engine="duckdb", metrics=FOR_UNEQUAL)
    monkeypatch.setattr(grouped, "EXACT", 0)
    rounded = cl.score(tables[0], tables[1], engine="duckdb", metrics=FOR_UNEQUAL)
    assert rounded.counts.values.dtype == np.float64
    np.testing.assert_allclose(rounded.counts.values, plain.counts.values, rtol=1e-14)
    n = 3 * 10**9
    huge = {name: np.array([x]) for name, x in zip(grouped.ENTITIES, (0, n, n, n, 1), strict=True)}
    cells = {name: np.array([x]) for name, x in zip(grouped.CELLS, (0, n, n, n, n, 1), strict=True)}
    monkeypatch.undo()
    table = grouped.Groups(cells, huge, huge, 1).table()
    metric = METRICS["pairs"]
    assert isinstance(metric, Metric)
    assert [*metric.count(table)[0]] == [n * (n - 1) // 2]


# ------------------------------------------------------------------------------------------------------ command line


def test_the_command(tables: tuple[str, str], engine: dict[str, Any], run: Run) -> None:
    ran = run("score", *tables, "--engine", engine["engine"], "--format", "json", "--by", "document")
    plain = json.loads(ran.out)
    assert ran.code == 0 and plain["engine"] == engine["engine"] and set(plain["by"]) == {"a", "b"}
    assert json.loads(run("score", *tables, "--format", "json").out)["engine"] == "memory"
    ran = run("score", *tables, "--engine", engine["engine"], "--no-ceaf", "--columns", "entity=entity")
    assert ran.code == 0 and "CEAF" not in ran.out and "left out" in ran.err
    ran = run("score", *tables, "--engine", engine["engine"], "--alignment", "--format", "json")
    assert ran.code == 2 and "--alignment needs --engine memory" in ran.err
    assert run("score", *tables, "--engine", "duckbd").code == 2
