"""Correlations between metrics: coefficients against scipy, Luo et al.'s table, and the ways scores come in."""

from __future__ import annotations

import csv
import io
import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special, stats

import coreflens as cl
from chance import examples
from command import Run
from coreflens.stats.coefficients import ALL_ORDERS, EXACT_KENDALL, kendall, pearson, spearman
from coreflens.stats.distributions import incomplete_beta
from coreflens.studies.scoreboard import Scoreboard
from places import SHARED

TABLES = SHARED / "spec" / "tables.json"

numbers = st.floats(-100, 100, allow_nan=False).map(lambda x: round(x, 3))
few = st.integers(0, 4).map(float)  # many ties


def columns(values: st.SearchStrategy[float], most: int = 40) -> Any:
    return st.lists(st.tuples(values, values), min_size=3, max_size=most).map(lambda pairs: np.array(pairs).T)


# --------------------------------------------------------------------------------------------------------- coefficients


@examples(300)
@given(st.floats(0.5, 200), st.floats(0.5, 200), st.floats(0, 1, allow_subnormal=False))
def test_incomplete_beta(a: float, b: float, x: float) -> None:
    assert incomplete_beta(a, b, x, 1 - x) == pytest.approx(special.betainc(a, b, x), rel=1e-9, abs=1e-280)


@pytest.mark.parametrize("x", [1e-300, 1e-20, 0.3, 1 - 1e-12])
def test_incomplete_beta_far_out(x: float) -> None:
    for a in (0.5, 1, 25.5, 5000):
        assert incomplete_beta(a, 0.5, x, 1 - x) == pytest.approx(special.betainc(a, 0.5, x), rel=1e-8, abs=1e-300)


@examples(200)
@given(st.one_of(columns(numbers), columns(few)))
def test_as_scipy_has_them(xy: Any) -> None:
    x, y = xy
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    r = stats.pearsonr(x, y)
    assert pearson(x, y).value == pytest.approx(r.statistic, abs=1e-9)
    assume(abs(r.statistic) < 1 - 1e-9)  # at ±1 a rounding error decides between 0 and nearly 0
    assert pearson(x, y).p == pytest.approx(r.pvalue, rel=1e-6, abs=1e-12)
    rho = stats.spearmanr(x, y)
    assert spearman(x, y).value == pytest.approx(rho.statistic, abs=1e-9)
    if len(x) > ALL_ORDERS and abs(rho.statistic) < 1 - 1e-9:
        assert spearman(x, y).p == pytest.approx(rho.pvalue, rel=1e-6, abs=1e-12)
    ties = len(set(x)) < len(x) or len(set(y)) < len(y)
    tau = stats.kendalltau(x, y, method="asymptotic" if ties else "exact")
    ours = kendall(x, y)
    assert ours.value == pytest.approx(tau.statistic, abs=1e-9)
    if not ties or len(x) > ALL_ORDERS:
        assert ours.method == ("normal approximation" if ties else "exact")
        assert ours.p == pytest.approx(tau.pvalue, rel=1e-9)


def test_kendall_of_many_without_ties_is_approximated() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.random((2, EXACT_KENDALL + 1))
    tau = stats.kendalltau(x, y, method="asymptotic")
    assert kendall(x, y).method == "normal approximation"
    assert kendall(x, y).p == pytest.approx(tau.pvalue)


@examples(40)
@given(st.one_of(columns(numbers, 5), columns(few, 5)))
def test_of_few_every_order_is_looked_at(xy: Any) -> None:
    x, y = xy
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    for ours, theirs in ((spearman, stats.spearmanr), (kendall, stats.kendalltau)):
        found = np.abs([theirs(x, np.array(order)).statistic for order in permutations(y)])
        assert ours(x, y).p == pytest.approx(np.mean(found >= abs(theirs(x, y).statistic) - 1e-9))
        assert ours(x, y).method == "exact"


def test_a_perfect_order_of_five_is_not_certain() -> None:
    x = np.arange(5.0)
    assert spearman(x, x**3).p == kendall(x, x**3).p == pytest.approx(2 / 120)


def test_constants_have_no_correlation() -> None:
    for coefficient in (pearson, spearman, kendall):
        found = coefficient(np.ones(5), np.arange(5.0))
        assert np.isnan(found.value) and np.isnan(found.p)
        assert found.to_dict()["value"] is None


# ------------------------------------------------------------------------------------------------------ Luo et al. 2014


def test_luo_2014_table_3(run: Run) -> None:
    """The F1 column of their Table 3, from Table 1 of Pradhan et al. 2014 with all 53 rows pooled."""
    if not TABLES.is_file():
        pytest.skip("no ../shared/spec/tables.json: the published correlations are not reproduced")
    rows = json.loads(TABLES.read_text("utf-8"))["paper002"]["table1"]
    found = cl.correlate(rows, against="blanc")
    assert len(found.board.systems) == len(set(found.board.systems)) == 53
    printed = {"muc": 0.935, "bcub": 0.966, "ceafm": 0.966, "ceafe": 0.919}
    assert {metric: round(found["blanc", metric].pearson.value, 3) for metric in printed} == printed
    assert all(found["blanc", metric].pearson.p < 0.001 for metric in printed)
    ran = run("correlate", "--tables", f"{TABLES}:paper002.table1", "--against", "blanc", "-m", "muc,b3")
    assert [line.split()[:6] for line in ran.out.splitlines()[2:4]] == [
        ["BLANC", "MUC", "F1", "53", "0.935", "<"],
        ["BLANC", "B³", "F1", "53", "0.966", "<"],
    ]
    assert "AVG" in ran.err  # a column that is not a metric is named


# ---------------------------------------------------------------------------------------------------------------- input

KEY = [["a", "b", "c"], ["d", "e"], ["f", "g"]]
SYSTEMS = {
    "one": [["a", "b"], ["d", "e"], ["f", "g", "x"]],
    "two": [["a", "b", "d"], ["e", "f"]],
    "three": [["a", "c"], ["b", "d"], ["e", "f", "g"]],
    "four": [["a", "b", "c", "d", "e", "f", "g"]],
}


def test_runs_are_correlated_as_scored() -> None:
    found = cl.correlate(KEY, SYSTEMS, metrics="muc,bcub,lea")
    assert [(pair.x, pair.y, pair.part) for pair in found][:2] == [
        ("muc", "bcub", "recall"),
        ("muc", "bcub", "precision"),
    ]
    assert len(found) == 3 * 3
    results = [cl.score(KEY, system) for system in SYSTEMS.values()]
    for part in ("recall", "precision", "f1"):
        x, y = ([float(getattr(r[m], part)) for r in results] for m in ("muc", "lea"))
        assert found["lea", "muc", part].pearson.value == pytest.approx(stats.pearsonr(x, y).statistic)


def test_against_one_metric() -> None:
    found = cl.correlate(KEY, SYSTEMS, against="B3", metrics="muc,ceafe")
    assert {(pair.x, pair.y) for pair in found} == {("bcub", "muc"), ("bcub", "ceafe")}
    assert "τ_b" in str(found)
    plot = found.plot()
    assert plot.x_label == "B³ F1"
    assert [s.name for s in plot.series] == ["MUC", "CEAFe"]
    assert list(plot.series[0].labels) == list(SYSTEMS)
    assert max(plot.series[0].y) > 1  # in points


@pytest.fixture
def scored(run: Run, tmp_path: Path) -> list[Path]:
    """A key and four systems as tables of mentions."""
    paths = []
    for name, clusters in {"key": KEY, **SYSTEMS}.items():
        rows = [f"{m},{k}" for k, cluster in enumerate(clusters) for m in cluster]
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("\n".join(["mention,entity", *rows]))
    return paths


def test_tables_of_every_kind_say_the_same(run: Run, scored: list[Path], tmp_path: Path) -> None:
    direct = run("correlate", *scored, "-m", "muc,bcub", "--format", "json").json
    key, *systems = scored
    results = {path.stem: cl.score(key, path, metrics="muc,bcub") for path in systems}
    jsons = []
    for name, result in results.items():
        jsons.append(tmp_path / f"{name}.json")
        jsons[-1].write_text(result.to_json())
    wide = tmp_path / "wide.csv"
    with wide.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["system", "MUC R", "muc_p", "muc", "B3 (R)", "bcub.precision", "b_cubed F1", "year"])
        for name, r in results.items():
            cells = [getattr(r[m], part) for m in ("muc", "bcub") for part in ("recall", "precision", "f1")]
            out.writerow([name, *(f"{100 * c!r}" for c in cells), 2020])
    long = tmp_path / "long.tsv"
    rows = [f"{n}\t{m}\t{s.recall}\t{s.precision}\t{s.f1}" for n, r in results.items() for m, s in r.items()]
    long.write_text("\n".join(["System\tMetric\tR\tP\tF1", *rows]))
    whole = tmp_path / "whole.json"
    whole.write_text(json.dumps({name: result.to_dict() for name, result in results.items()}))
    for tables in (jsons, [wide], [long], [whole]):
        found = run("correlate", "--tables", *tables, "--format", "json").json
        assert found["systems"] == direct["systems"]
        for ours, theirs in zip(found["correlations"], direct["correlations"], strict=True):
            assert [ours[k] for k in ("x", "y", "part", "n")] == [theirs[k] for k in ("x", "y", "part", "n")]
            for name in ("pearson", "spearman", "kendall"):
                assert ours[name]["value"] == pytest.approx(theirs[name]["value"])
                assert ours[name]["p"] == pytest.approx(theirs[name]["p"], abs=1e-6)
                assert ours[name]["method"] == theirs[name]["method"]


HEADERS = {
    "pandas": ",MUC,MUC,B3,B3\n,R,F1,R,F1\n",
    "pandas with an index": ",MUC,MUC,B3,B3\n,R,F1,R,F1\nsystem,,,,\n",
    "pandas with names of everything": "metric,MUC,MUC,B3,B3\npart,recall,f1,recall,f1\nmodel,,,,\n",
    "pandas with names of the levels": "metric,muc,muc,bcub,bcub\n,R,F1,R,F1\n",
    "a spreadsheet": "system,MUC,,B³,\n,R,F1,R,F1\n",
    "one row": "system,MUC R,MUC F1,B3 R,B3 F1\n",
}


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("separator", [",", "\t"])
def test_several_header_rows(run: Run, tmp_path: Path, header: str, separator: str) -> None:
    rows = "a,0.1,0.2,0.5,0.6\nb,-,0.4,0.3,0.2\nc,0.3,0.3,0.2,0.1\n"
    (tmp_path / "scores.csv").write_text((HEADERS[header] + rows).replace(",", separator))
    found = run("correlate", "--tables", tmp_path / "scores.csv", "--format", "json").json
    assert found["systems"] == ["a", "b", "c"]
    pairs = {(p["x"], p["y"], p["part"]): (p["n"], p["pearson"]["value"]) for p in found["correlations"]}
    assert set(pairs) == {("muc", "bcub", "recall"), ("muc", "bcub", "f1")}
    assert pairs["muc", "bcub", "recall"][0] == 2
    assert pairs["muc", "bcub", "f1"] == (3, pytest.approx(float(np.corrcoef([0.2, 0.4, 0.3], [0.6, 0.2, 0.1])[0, 1])))


def test_what_pandas_writes_is_read(run: Run, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    columns = pandas.MultiIndex.from_product([["muc", "lea"], ["recall", "f1"]])
    frame = pandas.DataFrame(
        [[0.1, 0.2, 0.3, 0.4], [0.2, 0.3, 0.3, 0.5], [0.3, 0.1, 0.2, 0.2]], ["a", "b", "c"], columns
    )
    frame.to_csv(tmp_path / "scores.csv")
    found = run("correlate", "--tables", tmp_path / "scores.csv", "--format", "json").json
    assert found["systems"] == ["a", "b", "c"]
    assert {(p["x"], p["part"]) for p in found["correlations"]} == {("muc", "recall"), ("muc", "f1")}


def test_a_directory_of_systems(run: Run, scored: list[Path], tmp_path: Path) -> None:
    """As `compare` reads it: one file per system; and with systems that are named beside it."""
    direct = run("correlate", *scored, "-m", "muc,bcub", "--format", "json").json
    key, *systems = scored
    (tmp_path / "outputs").mkdir()
    for path in systems:
        path.rename(tmp_path / "outputs" / path.name)
    found = run("correlate", key, tmp_path / "outputs", "-m", "muc,bcub", "--format", "json").json
    assert sorted(found["systems"]) == sorted(direct["systems"])
    assert found["systems"] == [s["name"] for s in sorted(
        run("compare", key, tmp_path / "outputs", "--resamples", 0, "--format", "json").json["sections"][0]["systems"],
        key=lambda system: system["name"])]  # fmt: skip
    (tmp_path / "nothing").mkdir()
    ran = run("correlate", key, tmp_path / "nothing")
    assert (ran.code, "no system in this directory" in ran.err) == (3, True)


def test_documents_as_systems(run: Run, tmp_path: Path) -> None:
    key = dict.fromkeys(SYSTEMS, KEY)
    by_document = tmp_path / "by.csv"
    from coreflens.report.score import render

    by_document.write_text(render(cl.score(key, SYSTEMS, metrics="muc,bcub"), "csv", by="document"))
    board = Scoreboard.read(by_document)
    assert board.systems == list(SYSTEMS)  # and not their sum


def test_missing_scores_are_left_out_pair_by_pair() -> None:
    rows = [{"system": k, "muc": k, "bcub": k * k, "lea": None if k == 3 else k} for k in range(6)]
    found = cl.correlate([{**row, "system": f"s{row['system']}"} for row in rows])
    assert (found["muc", "bcub"].n, found["muc", "lea"].n) == (6, 5)
    assert found["muc", "lea"].pearson.value == pytest.approx(1)


def test_what_comes_from_nothing_is_no_score(tmp_path: Path) -> None:
    from coreflens.report.score import render

    systems = {**SYSTEMS, "none": [["a"], ["b"]]}  # no link: the precision of MUC is 0/0
    key = dict.fromkeys(systems, KEY)
    by_document = tmp_path / "by.csv"
    by_document.write_text(render(cl.score(key, systems, metrics="muc,bcub"), "csv", by="document"))
    for found in (cl.correlate(KEY, systems, metrics="muc,bcub"), cl.correlate(by_document)):
        assert [found["muc", "bcub", part].n for part in ("recall", "precision")] == [5, 4]


def test_csv(run: Run, scored: list[Path]) -> None:
    rows = list(csv.DictReader(io.StringIO(run("correlate", *scored, "-m", "muc,lea", "--format", "csv").out)))
    assert [row["part"] for row in rows] == ["recall", "precision", "f1"]
    assert rows[0]["kendall_method"] in ("exact", "normal approximation")


def test_plot(run: Run, scored: list[Path], tmp_path: Path) -> None:
    assert run("correlate", *scored, "--plot", tmp_path / "c.svg").code == 0
    assert "three, MUC" in (tmp_path / "c.svg").read_text("utf-8")


def test_wrong_input(run: Run, scored: list[Path], tmp_path: Path) -> None:
    def table(content: str, name: str = "t.csv") -> Path:
        (tmp_path / name).write_text(content)
        return tmp_path / name

    def tables(content: str, name: str = "t.csv") -> tuple[int, str]:
        ran = run("correlate", "--tables", table(content, name))
        return ran.code, ran.err

    assert tables("system,muc,b3\na,1,2\nb,2,x\nc,3,1\n") == (
        3,
        f"coreflens: error: {tmp_path}/t.csv:3: 'x' is not a number\n",
    )
    assert tables("system,points\na,1\n")[0] == 3
    assert tables("system,metric,f1\na,nonsense,1\n")[0] == 3
    assert tables("[1, 2]", "t.json")[0] == 3
    assert tables("[{]", "t.json")[0] == 3
    assert tables('{"a": {"scores": [1]}, "b": {"muc": 1}}', "t.json")[0] == 3
    assert tables('{"scores": 5}', "t.json")[0] == 3
    assert tables('{"a": {"muc": [1]}, "b": {"muc": 1}}', "t.json")[0] == 3
    assert tables("system,muc,b3\na,1,2\nb,2,3\n")[0] == 2  # two systems
    assert tables("system,muc\na,1\nb,2\nc,3\n")[0] == 2  # one metric
    assert tables("system,muc R,b3 P\na,1,2\nb,2,3\nc,3,1\n")[0] == 2  # nothing to compare
    assert run("correlate", "--tables", tmp_path / "none.csv").code == 3
    precision = table("system,muc P,b3 P\na,1,2\nb,2,3\nc,3,1\n")
    assert run("correlate", "--tables", precision, "--plot", tmp_path / "p.svg").code == 2
    assert run("correlate", "--tables", f"{table('[]', 'e.json')}:a.b").code == 3
    assert run("correlate", scored[0]).code == 2
    assert run("correlate", "--tables", table("system,muc,b3\na,1,2\n"), "--match", "exact").code == 2
    assert run("correlate", *scored, "-m", "muc,lea", "--against", "nonsense").code == 2


def test_systems_scored_here_bring_their_signature_and_names() -> None:
    """Three systems have six orders, two of them perfect: p is 1/3 at least."""
    key = [["a", "b", "c"], ["d", "e"]]
    systems = {"one": [["a", "b"], ["d", "e"]], "two": [["a", "b", "c"]], "none": []}
    found = cl.correlate(key, systems, metrics="muc,bcub")
    assert "|metrics:muc,bcub" in str(found) and found.to_dict()["signature"] == found.board.signature
    assert [(i.code, i.message.split(":")[0]) for i in found.issues] == [
        ("empty-response", "none"), ("few-systems", "3 systems")]  # fmt: skip
    assert found["muc", "bcub"].spearman.p >= 1 / 3
    board = [{"system": str(n), "muc": n, "bcub": n} for n in range(5)]
    assert not cl.correlate(board).issues and cl.correlate(board[:4]).issues
    assert cl.correlate(board).board.systems == list("01234")  # names may be numbers


def test_what_compare_prints_is_a_table_of_its_systems(run: Run, tmp_path: Path) -> None:
    """A system in two languages is two rows, and groups of documents are not mistaken for the whole."""
    key = tmp_path / "key.conll"
    text = {"a": "(0) (0) (1) (1) (1) (2)", "b": "(0) (1) (1) (1) (2) (2)", "c": "(0) (0) (0) (0) (1) (1)"}
    for name, cells in {"key": "(0) (0) (1) (1) (2) (2)", **text}.items():
        rows = "".join(f"d 0 {n} w {cell}\n" for n, cell in enumerate(cells.split()))
        documents = [f"#begin document ({d}); part 000\n{rows}\n#end document\n" for d in ("bc/1", "nw/1")]
        (tmp_path / f"{name}.conll").write_text("".join(documents))
    systems = [f"{tmp_path / name}.conll" for name in text]
    plain = run("compare", key, *systems, "--by", "genre", "-m", "muc,lea", "--resamples", 0, "--format", "csv").out
    (tmp_path / "plain.csv").write_text(plain)
    expected = cl.correlate(key, systems, metrics="muc,lea")
    assert sorted(Scoreboard.read(tmp_path / "plain.csv").systems) == ["a", "b", "c"]
    found = cl.correlate(tmp_path / "plain.csv")
    assert found["muc", "lea"].n == 3
    assert found["muc", "lea"].pearson.value == pytest.approx(expected["muc", "lea"].pearson.value)
    lines = plain.splitlines()
    (tmp_path / "two.csv").write_text(
        "\n".join([lines[0], *(f",x{line[1:]}" for line in lines[1:]), *(f",y{line[1:]}" for line in lines[1:])])
    )
    assert sorted(Scoreboard.read(tmp_path / "two.csv").systems) == ["a, x", "a, y", "b, x", "b, y", "c, x", "c, y"]
