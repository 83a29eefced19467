"""Published numbers: the tables of the package, systems among them, ranks that shift, rounding as in papers."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_compare import write

import coreflens as cl
from cases import CASES, partition
from command import Run
from coreflens.comparison.library import names, printed
from coreflens.references import REFERENCES
from coreflens.scoring.scores import fixed, percent
from places import SHARED
from tex import check


def tables() -> dict[str, Any]:
    source = SHARED / "spec" / "tables.json"
    if not source.exists():
        pytest.skip(f"no copy of the papers' tables at {source}")
    found: dict[str, Any] = json.loads(source.read_text("utf-8"))
    return found


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("published")
    rng = np.random.default_rng(1)
    key = {(f"{genre}/{n}", 0): rng.integers(0, 6, 20) for genre in ("bc", "nw") for n in range(4)}
    write(root / "key.conll", key)
    for name, noise in (("a", 0.2), ("b", 0.5)):
        write(root / f"{name}.conll", {d: np.where(rng.random(20) < noise, 9, x) for d, x in key.items()})
    return root


# ---- the tables of the package


def test_every_table_is_sound() -> None:
    """Each has its paper, whole rows, and can be shown; tables of scores are read without anything left out."""
    assert len(names()) == 20
    for name in names():
        table = printed(name)
        assert table is not None and table.title and table.where and table.cite in REFERENCES
        assert {len(row) for row in table.cells} == {len(table.header)}
        if table.scores:
            found = cl.published(name)
            assert sum(len(section.names) for section in found.sections) == len(table.cells)
            assert not [issue for issue in found.issues if issue.code == "columns"]
    assert printed("no/such") is None


def test_the_rows_of_2014_are_those_of_the_papers() -> None:
    """All 53 rows of either paper, cell by cell, and the BLANC of one is that of the other, rounded."""
    given = tables()
    shipped = {
        name: {row["system"]: row for row in table.rows}
        for name in names()
        if (table := printed(name)) and table.scores
    }
    tracks = {row["track"] for row in given["paper002"]["table1"]}
    assert len(tracks) == 4
    count = 0
    for row, other in zip(given["paper002"]["table1"], given["paper001"]["table1_2"], strict=True):
        name = row["track"].lower().replace("; ", "/")
        cells = shipped[name][row["system"]]
        for column in ("MD", "MUC", "B3", "CEAFm", "CEAFe", "BLANC", "AVG"):
            assert float(cells[column]) == row[column]
        blanc = shipped["blanc/" + other["track"].lower().replace("; ", "-")][other["system"]]
        assert [float(blanc[c]) for c in ("BLANC R", "BLANC P", "BLANC")] == [other[c] for c in ("R", "P", "BLANC")]
        twin = shipped[other["track"].lower().replace("; ", "/")][other["system"]]
        assert percent(float(blanc["BLANC"]) / 100, 1) == twin["BLANC"]  # 35.65 is printed as 35.7
        count += 1
    assert count == 53


def test_the_rows_of_2010_and_1998_are_those_of_the_papers() -> None:
    given = tables()
    ten = given["paper000"]
    metrics = {"muc": ("table8", ["MUC"]), "bcub": ("table9", ["B3_sys", "B3_0", "B3_all", "B3_rn"])}
    metrics |= {
        "ceaf": ("table10", ["CEAF_sys", "CEAF_orig", "CEAF_rn"]),
        "two-systems": ("table11", ["B3_sys", "B3_0"]),
    }
    for name, (source, columns) in metrics.items():
        table = printed(f"cai-strube-2010/{name}")
        assert table is not None
        for row, (system, scores) in zip(table.cells, ten[source]["rows"].items(), strict=True):
            assert system == (f"{row[0]} ({row[1]})" if row[1] else row[0])
            assert [float(x) for x in row[2:]] == [x for column in columns for x in scores[column]]
    eight = given["paper003"]
    for name, source, factor in (("trivial", "table2", 1), ("texts", "table4", 100)):
        table = printed(f"popescu-belis-1998/{name}")
        assert table is not None
        for row, (text, scores) in zip(table.cells, eight[source]["rows"].items(), strict=True):
            assert row[0] == text and [float(x) for x in row[1:]] == pytest.approx([factor * x for x in scores])
    table = printed("popescu-belis-1998/distributions")
    assert table is not None
    for row, (text, (error, label, overlap)) in zip(table.cells, eight["table5"]["rows"].items(), strict=True):
        assert row == (text, str(error), label, str(overlap))


def test_the_rows_of_2011_are_in_its_text() -> None:
    paper = next((SHARED / "papers").glob("004*"), None) if (SHARED / "papers").is_dir() else None
    if paper is None:
        pytest.skip("no text of the paper")
    text = paper.read_text("utf-8")
    for name in ("conll-2011/official", "conll-2011/relaxed"):
        table = printed(name)
        assert table is not None
        for row in table.rows:
            assert row["AVG"] in text and row["system"].split(",")[0] in text


def test_list_and_show(run: Run) -> None:
    listed = run("list", "tables").out.splitlines()
    assert [line.split()[0] for line in listed] == names()
    shown = run("show", "cai-strube-2010/taggers").out
    assert "31370  16081" in shown and "@inproceedings{cai2010" in shown
    assert "--beside conll-2012/english" in run("show", "conll-2012/english").out
    missed = run("show", "conll-2012/englsh")
    assert missed.code == 2 and "did you mean 'conll-2012/english'" in missed.err
    missed = run("compare", "--from-table", "conll-2012/englsh")
    assert missed.code == 3 and "did you mean 'conll-2012/english'" in missed.err
    assert run("compare", "--from-table", "cai-strube-2010/taggers").code == 2


# ---- columns


def test_r_and_p_in_columns(tmp_path: Path) -> None:
    """`BLANC R` gave empty columns, `blanc.recall` alone an IndexError."""
    rows = "{},{},{}\nx,50.23,49.28,48.84\n"
    for header in (
        ("BLANC R", "BLANC P", "BLANC"),
        ("R", "P", "BLANC"),
        ("blanc.recall", "blanc.precision", "blanc.f1"),
    ):
        (tmp_path / "t.csv").write_text("system," + rows.format(*header))
        score = cl.published(tmp_path / "t.csv").sections[0].main["x"]["blanc"]
        assert [score.recall, score.precision, score.f1] == pytest.approx([0.5023, 0.4928, 0.4884])
    (tmp_path / "t.csv").write_text("system,MUC R,MUC P\nx,60,30\n")
    found = cl.published(tmp_path / "t.csv")
    assert found.sections[0].main["x"]["muc"].f1 == pytest.approx(0.4)
    assert "computed from the printed R and P: MUC" in str(found.issues[0])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("system,blanc.recall,blanc.precision\nx,50,40\n", "BLANC has recall and precision, and no f1"),
        ("system,MUC R\nx,50\n", "MUC has recall, and no f1"),
        ("system,R,MUC,B3\nx,50,40,30\n", "column 'R' may belong to muc or bcub"),
        ("system,R,MUC,R,B3\nx,50,40,60,30\n", "two columns are named 'R'"),
        (
            "# mine\nsystem,MUC\nx,50\nx,40\n",
            "t.csv:4: not a table of published numbers: row 2: there is",
        ),
        ("system,MUC,MUC F1\nx,50,40\n", "columns 'MUC' and 'MUC F1' are the same number of MUC"),
        ("system,MUC\nx,high\n", "t.csv:2"),
        ("system,MUC\nx,50,1\n", "more cells than the header has"),
        ("system,quality\nx,good\n", "no number of a metric"),
    ],
)
def test_bad_tables(tmp_path: Path, run: Run, content: str, message: str) -> None:
    (tmp_path / "t.csv").write_text(content)
    ran = run("compare", "--from-table", tmp_path / "t.csv")
    assert ran.code == 3 and message in ran.err and "t.csv" in ran.err and "Traceback" not in ran.err


def test_columns_of_words_describe_and_other_numbers_are_reported(tmp_path: Path, run: Run) -> None:
    (tmp_path / "t.csv").write_text("system,MUC,learning,year\nx,50,trees,2011\ny,40,rules,2012\n")
    ran = run("compare", "--from-table", tmp_path / "t.csv")
    assert "Approaches" in ran.out and ["x", "trees"] in [line.split() for line in ran.out.splitlines()]
    assert "left out: year" in ran.err


# ---- beside


def test_systems_among_published_rows(files: Path, run: Run) -> None:
    given = [
        files / "key.conll",
        files / "a.conll",
        files / "b.conll",
        "--resamples",
        "0",
        "--beside",
        "conll-2012/english",
    ]
    ran = run("compare", *given, "--format", "json")
    found = ran.json["sections"][0]["beside"]
    rows = found["rows"]
    assert (
        found["official"] == "conll"
        and len(rows) == 17
        and [r["system"] for r in rows if not r["published"]] == ["a", "b"]
    )
    scores = [row["scores"]["conll"] for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert [row["rank"] for row in rows] == [1 + sum(other > x for other in scores) for x in scores]
    text = run("compare", *given).out
    assert "Among published systems" in text and "a*" in text and "Pradhan et al. (2014), Table 1" in text
    check(run("compare", *given, "--format", "latex").out)
    listed = list(csv.DictReader(io.StringIO(run("compare", *given, "--format", "csv").out)))
    printed_rows = [r for r in listed if r["match"] == "published" and r["metric"] == "conll"]
    assert len(printed_rows) == 15 and {r["rank"] for r in printed_rows} <= {str(row["rank"]) for row in rows}
    alone = run("compare", *given[:3], "--resamples", "0", "-m", "lea", "--beside", "conll-2012/english")
    assert alone.code == 2 and "no metric in common" in alone.err


def test_how_ranks_shift(run: Run) -> None:
    """Old and new scoring of CoNLL-2011 (Pradhan et al. 2014, section 3): chang was third and is fourth."""
    ran = run("compare", "--from-table", "conll-2011/english", "--beside", "conll-2011/official")
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["chang", "55.96", "47.70", "−8.26", "3", "4", "↓1"] in rows
    assert ["nugues", "54.53", "47.90", "−6.63", "4", "3", "↑1"] in rows
    assert "Kendall's τ between the two rankings: 0.67" in ran.out
    none = run("compare", "--from-table", "conll-2011/english", "--beside", "conll-2011/relaxed")
    assert none.code == 2 and "no two systems in common" in none.err


# ---- rounding


def test_halves_are_rounded_up() -> None:
    assert percent(0.3565, 1) == "35.7"  # the float is below
    assert [fixed(x, 2) for x in (0.125, -0.125, 1.005, 0.0, -0.001)] == ["0.13", "-0.13", "1.01", "0.00", "0.00"]
    rows = [{"system": "x", "BLANC": 35.65}]
    assert cl.published(rows).render(digits=1).splitlines()[2].split() == ["x", "35.7"]


@pytest.mark.parametrize("table", ["12", "13", "14", "15"])
def test_paper_rounding(table: str) -> None:
    """Tables 12 to 15 of Cai & Strube (2010) as printed, F of the rounded P and R; one F there is a misprint."""
    cases = [case for case in CASES if case["id"].startswith(f"000-T{table}-")]
    assert len(cases) == 4
    for case in cases:
        ((metric, numbers),) = case["printed"].items()
        key, response = partition(case["key"]), partition(case["response"])
        found = cl.compare(key, {"x": response}, metrics=metric, resamples=0)
        cells = found.render(paper_rounding=True).splitlines()[-3].split()
        misprint = case["id"] == "000-T12-r3"
        assert cells == ["x", numbers["recall"], numbers["precision"], "0.758" if misprint else numbers["f1"]]


def test_paper_rounding_of_blanc_and_averages() -> None:
    """Pradhan et al. (2014), section 4: BLANC's .36 comes from rounded parts, (.23 + .50)/2; exact is .3676."""
    case = next(case for case in CASES if case["id"] == "002-sec4")
    key, response = partition(case["key"]), partition(case["response"])
    found = cl.compare(key, {"x": response}, metrics="blanc,conll", resamples=0)
    rows = [line.split() for line in found.render(paper_rounding=True, digits=2).splitlines()]
    cells = next(row for row in rows if row[:1] == ["x"])
    place = 3 * [m for m in found.sections[0].metrics if m != "conll"].index("blanc")
    assert cells[1 + place : 4 + place] == [
        "0.44",
        "0.32",
        "0.36",
    ]
    with pytest.raises(cl.UsageError, match="JSON has the exact numbers"):
        found.render("json", paper_rounding=True)
    assert found.render("csv", paper_rounding=True).splitlines()[1].startswith("x,")


# ---- groups, taggers, approaches


def test_every_metric_by_genre(files: Path, run: Run) -> None:
    """Metrics × genres for each system (CoNLL-2011, Tables 20 and 21): each cell is the score of those documents."""
    given = [files / "key.conll", files / "a.conll", files / "b.conll", "--by", "genre", "--resamples", "0"]
    lines = run("compare", *given, "--show", "all", "-m", "muc,lea,conll").out.splitlines()
    start = lines.index("F1 by genre")
    assert lines[start + 2].split() == ["metric", "bc", "nw", "all"]
    blocks = [line for line in lines[start + 4 : lines.index("", start + 4) + 8] if line.strip()]
    for name in ("a", "b"):
        result = cl.score(files / "key.conll", files / f"{name}.conll", metrics="muc,lea,conll")
        groups = [*result.group_by("genre").values(), result]
        place = blocks.index(name)
        rows = {row.split()[0]: row.split()[1:] for row in blocks[place + 1 : place + 7]}
        for title, metric in (("MUC", "muc"), ("LEA", "lea"), ("CoNLL", "conll")):
            assert rows[title] == [percent(scores[metric].main, 2) for scores in groups]
    wide = run("compare", *given, "--show", "all", "--rpf", "-m", "muc").out
    assert "MUC R" in wide and "MUC P" in wide and "MUC F1" in wide
    check(run("compare", *given, "--show", "all", "--format", "latex").out)


def test_taggers_and_approaches_of_a_manifest(files: Path, run: Run) -> None:
    """Systems × taggers (Cai & Strube 2010, Tables 8 to 10), and other words as a table (CoNLL-2011, Tables 22, 23)."""
    manifest = files / "m.toml"
    manifest.write_text(
        'key = "key.conll"\n'
        '[[system]]\nname = "soon"\ntagger = "SM1"\nfiles = "a.conll"\nlearning = "trees"\nfeatures = ["a", "b"]\n'
        '[[system]]\nname = "soon"\ntagger = "SM2"\nfiles = "b.conll"\nlearning = "trees"\ntrained = true\n'
        '[[system]]\nname = "rules"\nfiles = "b.conll"\nnotes = "by hand"\n'
    )
    ran = run("compare", manifest, "--resamples", "0", "-m", "muc")
    scores = {
        n: percent(cl.score(files / "key.conll", files / f"{n}.conll", metrics="muc")["muc"].main, 2) for n in "ab"
    }
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["system", "SM1", "SM2", "no", "tagger"] in rows
    assert ["soon", scores["a"], scores["b"], "–"] in rows and ["rules", "–", "–", scores["b"]] in rows
    assert ["system", "learning", "features", "trained", "notes"] in rows
    assert ["soon", "(SM1)", "trees", "a,", "b", "–", "–"] in rows and ["rules", "–", "–", "–", "by", "hand"] in rows
    found = run("compare", manifest, "--resamples", "0", "-m", "muc", "--format", "json").json["sections"][0]["systems"]
    soon = next(system for system in found if system["name"] == "soon (SM2)")
    assert soon["tagger"] == "SM2" and soon["about"] == {"learning": "trees", "trained": "yes"}
    for bad, message in (("trak = 'x'", "did you mean 'track'"), ("own = {a = 1}", "`own` is a table")):
        manifest.write_text(f'key = "key.conll"\n[[system]]\nname = "x"\nfiles = "a.conll"\n{bad}\n')
        ran = run("compare", manifest)
        assert ran.code == 3 and message in ran.err
