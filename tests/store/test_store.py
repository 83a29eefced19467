"""The database: what goes in comes out, and scores from it are those of the files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import coreflens as cl
from command import Run
from coreflens.database.schema import TABLES
from coreflens.errors import InputError, UsageError
from coreflens.scoring.settings import Settings
from coreflens.store import ask, build, change, check, remove
from databases import files, identical, key, response
from places import DATA
from samples import OWN, Sample

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

METRICS = "muc,bcub,ceafm,ceafe,blanc,lea,mentions,conll"
REAL = {
    "gold": "berkeley_ontonotes_sample/gold/nw/wsj/00/*gold_conll",
    "auto": "berkeley_ontonotes_sample/gold/nw/wsj/00/*auto_conll",
    "ontogum": "ontogum/conllu",
    "gum": "gum/dep",
    "litbank": "litbank/conll",
    "craft": "craft",
    "ecb": "ecbplus_xml",
    "mmax2": "corefpro_mmax2",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a key and two responses, the second of which is the key itself."""
    folder = tmp_path_factory.mktemp("base")
    ours, theirs = files(folder)
    build(str(folder / "a.duckdb"), {"key": str(ours)}, {"lee": str(theirs), "perfect": str(ours)})
    return folder


def _path(base: Path) -> str:
    return str(base / "a.duckdb")


@pytest.mark.slow
@pytest.mark.parametrize("sample", OWN, ids=lambda s: f"{s.format}-{s.name}")
def test_every_format_comes_back(sample: Sample, tmp_path: Path) -> None:
    if sample.sibling is not None:
        pytest.skip("its neighbours are nowhere")
    for name, data in {**sample.neighbours, sample.name: sample.data}.items():
        place = tmp_path / "in" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    source = str(tmp_path / "in" / sample.name)
    build(str(tmp_path / "a.duckdb"), {"key": source})
    identical(cl.read(source, role="key"), cl.read(tmp_path / "a.duckdb:key"))


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_real_corpora_come_back_and_hold_together(name: str, tmp_path: Path) -> None:
    if not DATA.is_dir():
        pytest.skip("../shared/data is absent")
    build(str(tmp_path / "a.duckdb"), {"key": str(DATA / REAL[name])})
    identical(cl.read(DATA / REAL[name]), cl.read(tmp_path / "a.duckdb:key"))
    assert not [finding for finding in check(str(tmp_path / "a.duckdb")) if finding.severity == "error"]


@pytest.mark.slow
def test_scores_are_those_of_the_files(base: Path) -> None:
    """Bit for bit, in every protocol, with groups and by head, where words and trees are needed."""
    ours, theirs = base / "key.conll", base / "response.conll"
    for options in ({}, {"protocol": "conll-2012"}, {"match": "head"}, {"exact": True}):
        expected = cl.score(ours, theirs, metrics=METRICS, **options)
        found = cl.score(f"{_path(base)}:key", f"{_path(base)}:lee", metrics=METRICS, **options)
        assert found.to_dict("genre") == expected.to_dict("genre")


@pytest.mark.slow
def test_gold_and_automatic_layers_as_two_sides(tmp_path: Path) -> None:
    """Scored against each other from the database as from the files, in fractions; heads come from other trees."""
    if not DATA.is_dir():
        pytest.skip("../shared/data is absent")
    sides = {name: str(DATA / REAL[name]) for name in ("gold", "auto")}
    path = str(tmp_path / "a.duckdb")
    build(path, sides)
    several: tuple[Settings, ...] = ({"exact": True}, {"match": "head", "exact": True}, {"match": "partial"})
    for options in several:
        expected = cl.score(sides["gold"], sides["auto"], **options)
        found = cl.score(f"{path}:gold", f"{path}:auto", **options)
        assert found.counts.values.tolist() == expected.counts.values.tolist()
        assert found.to_dict()["scores"] == expected.to_dict()["scores"]


def test_the_tables_of_a_response_are_those_of_score_and_diagnose(base: Path) -> None:
    result = cl.score(base / "key.conll", base / "response.conll")
    columns = "metric, recall, precision, f1, value"
    rows = ask(_path(base), f"SELECT {columns} FROM score WHERE response = 'lee' AND document IS NULL").rows
    assert {row[0] for row in rows} == set(result)
    for metric, recall, precision, f1, value in rows:
        score = result[metric]
        assert (score.recall, score.precision, score.f1, score.value) == (recall, precision, f1, value)
    by_document = result.by_document()
    rows = ask(
        _path(base),
        "SELECT d.label, s.metric, coalesce(s.f1, s.value) FROM score s JOIN document d ON d.id = s.document"
        " WHERE s.response = 'lee'",
    ).rows
    assert len(rows) == len(by_document) * len(result)
    for label, metric, main in rows:
        expected = by_document[label][metric].main
        assert main == (None if expected != expected else expected)
    found = cl.diagnose(base / "key.conll", base / "response.conll")
    columns = "kind, text, entity, mentions, type, price"
    rows = ask(_path(base), f"SELECT {columns} FROM error WHERE response = 'lee' ORDER BY number").rows
    assert rows == [
        (e.kind, e.text, e.entity, len(e.mentions), e.features["type"], float(found.gains[e.number]))
        for e in found.errors()
    ]
    assert rows
    assert ask(_path(base), "SELECT count(*) FROM error WHERE response = 'perfect'").rows == [(0,)]


def test_alignment_has_every_mention_once(base: Path) -> None:
    met = ask(
        _path(base),
        'SELECT k.start, k."end", r.start, r."end" FROM alignment a'
        " JOIN mention k ON k.document = a.document AND k.row = a.key_row"
        " JOIN mention r ON r.document = a.response_document AND r.row = a.response_row WHERE a.response = 'lee'",
    ).rows
    assert met and all(row[:2] == row[2:] for row in met)
    sides = ask(_path(base), "SELECT count(key_row), count(response_row) FROM alignment WHERE response = 'lee'").rows[0]
    assert sides == (len(cl.read(base / "key.conll")), len(cl.read(base / "response.conll")))


@pytest.mark.slow
def test_every_table_has_rows(base: Path) -> None:
    """But for those that CoNLL has nothing for."""
    counts = {name: ask(_path(base), f'SELECT count(*) FROM "{name}"').rows[0][0] for name in TABLES}
    empty = {name for name, count in counts.items() if not count}
    assert empty == {"label", "dependency", "link", "inventory", "frame"}


def test_layers_as_rows(base: Path) -> None:
    def rows(sql: str) -> list[tuple[object, ...]]:
        return ask(_path(base), f"{sql} AND document = 0 ORDER BY ALL").rows

    assert rows('SELECT type, start, "end", node IS NULL FROM name WHERE true') == [
        ("ORG", 6, 6, False),
        ("PERSON", 0, 1, False),
    ]
    assert rows("SELECT token, lemma, frameset FROM proposition WHERE true") == [
        (2, "see", "01"),
        (9, "say", "02"),
        (16, "cheer", "01"),
    ]
    assert rows('SELECT label, start, "end" FROM argument WHERE proposition = 0') == [
        ("ARG0", 0, 1),
        ("ARG1", 3, 6),
        ("V", 2, 2),
    ]
    assert rows("SELECT token, lemma, sense FROM sense WHERE token > 9") == [(11, "report", "2")]
    assert rows("SELECT label, head FROM node WHERE node < 4") == [("NP", 1), ("S", 2), ("TOP", 2), ("VP", 2)]
    assert rows("SELECT form FROM token WHERE start_char = 4 AND end_char = 7") == [("Bell",)]


@pytest.mark.slow
def test_check_finds_nothing_and_then_what_was_broken(base: Path, tmp_path: Path) -> None:
    import duckdb

    assert check(_path(base)) == []
    breaking = {
        "mention-range": 'UPDATE mention SET "end" = 99 WHERE document = 0 AND row = 0',
        "head-outside": "UPDATE mention SET head = 5 WHERE document = 0 AND row = 0",
        "chain-size": "UPDATE entity SET mentions = 9 WHERE document = 0 AND entity = '1'",
        "empty-chain": "INSERT INTO entity VALUES (0, 'nobody', 99, 'text', 0)",
        "name-constituent": "UPDATE name SET node = NULL WHERE document = 0 AND name = 0",
        "argument-constituent": "UPDATE argument SET node = NULL WHERE document = 0 AND argument = 0",
        "tree-tokens": "DELETE FROM node WHERE document = 0 AND sentence = 1",
        "tree-sentence": 'UPDATE node SET "end" = 12 WHERE document = 0 AND node = 0',
        "tree-brackets": "DELETE FROM node WHERE document = 0 AND node = 1",
        "document-length": "DELETE FROM token WHERE document = 0 AND token = 18",
        "document-twice": "UPDATE document SET label = 'x' WHERE side = 'key'",
        "key": "DELETE FROM document WHERE id = 0",
        "unique": "INSERT INTO sentence SELECT * FROM sentence WHERE document = 0 AND sentence = 0",
        "unscored": "UPDATE side SET signature = NULL WHERE name = 'lee'",
        "unread": "UPDATE source SET state = 'reading'",
        "sentence-tokens": 'UPDATE sentence SET "end" = 3 WHERE document = 0 AND sentence = 0',
    }
    whole = Path(_path(base)).read_bytes()
    for name, statement in breaking.items():
        path = tmp_path / f"{name}.duckdb"
        path.write_bytes(whole)
        with duckdb.connect(str(path)) as connection:
            connection.execute(statement)
        found = [finding for finding in check(str(path)) if finding.check == name]
        assert found, name
        if name in ("mention-range", "head-outside"):
            assert found[0].place == f"{base / 'key.conll'}:2"


def test_queries_reach_no_other_file(base: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,2\n", "utf-8")
    for sql in (
        f"SELECT * FROM '{secret}'",
        f"SELECT * FROM read_csv('{secret}')",
        f"SELECT content FROM read_text('{secret}')",
        f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
        f"ATTACH '{tmp_path / 'b.duckdb'}'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "DELETE FROM mention",
        "SELECT * FROM secret",
    ):
        with pytest.raises((UsageError, InputError)):
            ask(_path(base), sql)
    assert not (tmp_path / "out.csv").exists() and not (tmp_path / "b.duckdb").exists()


@pytest.mark.slow
def test_add_replace_and_remove(tmp_path: Path) -> None:
    path = str(tmp_path / "a.duckdb")
    one, two = tmp_path / "one.conll", tmp_path / "two.conll"
    one.write_text(key("nw/1"), "utf-8")
    two.write_text(key("nw/2"), "utf-8")
    both = tmp_path / "both"
    both.mkdir()
    for name in ("1", "2"):
        (both / f"{name}.conll").write_text(response(f"nw/{name}"), "utf-8")
    build(path, {"key": str(one)})
    with pytest.raises(InputError, match=r"already has document 'nw/1_0'(.|\n)*db replace"):
        change(path, "add", {"key": str(one)})
    change(path, "add", {"key": str(two)})
    change(path, "add", {}, {"lee": str(both)})
    (tmp_path / "key").mkdir()
    for file in (one, two):
        (tmp_path / "key" / file.name).write_bytes(file.read_bytes())
    expected = cl.score(tmp_path / "key", both)
    assert cl.score(f"{path}:key", f"{path}:lee").to_dict()["scores"] == expected.to_dict()["scores"]
    stored = ask(path, "SELECT f1 FROM score WHERE response = 'lee' AND metric = 'conll' AND document IS NULL").rows
    assert stored == [(expected.conll,)]
    (both / "2.conll").write_text(key("nw/2"), "utf-8")
    change(path, "replace", {}, {"lee": str(both / "2.conll")})
    stored = ask(path, "SELECT f1 FROM score WHERE response = 'lee' AND metric = 'conll' AND document IS NULL").rows
    assert stored == [(cl.score(tmp_path / "key", both).conll,)]
    assert check(path) == []
    assert remove(path, "lee", ["nw/2_0"]).documents == {"key": 2, "lee": 1}
    with pytest.raises(UsageError, match="'key' is the key of lee"):
        remove(path, "key")
    assert remove(path, "lee").documents == {"key": 2}
    assert check(path) == []
    with pytest.raises(UsageError, match="unknown side 'lea'"):
        remove(path, "lea")


@pytest.mark.slow
def test_the_command(base: Path, tmp_path: Path, run: Run) -> None:
    ours, theirs = base / "key.conll", base / "response.conll"
    path = tmp_path / "b.duckdb"
    ran = run("db", "build", path, f"key={ours}", "--response", f"lee={theirs}", "--jobs", 1)
    assert ran.code == 0 and "key (3 documents), lee (3 documents)" in ran.err
    assert run("db", "check", path).code == 0
    assert run("db", "query", path, "entities-by-size", "--format", "json").json
    listed = run("db", "recipes", "--format", "json").json
    assert len(listed) >= 20
    assert run("db", "recipes", "heads").out.startswith("-- Which words are most often heads")
    assert "did you mean 'heads'" in run("db", "query", path, "head").err
    for suffix in ("csv", "json", "parquet", "tex", "md", "html"):
        out = tmp_path / f"answer.{suffix}"
        assert run("db", "query", path, "mention-types", "-o", out).code == 0
        assert out.stat().st_size
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(tmp_path / "answer.parquet").column_names == ["type", "mentions", "mean_length"]
    plot = tmp_path / "plot.svg"
    assert run("db", "query", path, "SELECT type, count(*) AS n FROM mention GROUP BY 1", "--plot", plot).code == 0
    assert plot.read_text("utf-8").startswith("<svg")
    assert run("db", "query", path, "mention-types", "--plot", plot).code == 2
    assert run("db", "query", path, "SELECT 1 +").code == 2
    assert run("score", f"{path}:key", f"{path}:lee").out == run("score", ours, theirs).out
    assert run("convert", f"{path}:key", tmp_path / "back.conll").code == 0
    identical_text = cl.read(tmp_path / "back.conll")
    assert list(identical_text.text.words) == list(cl.read(ours).text.words)
    assert "`coreflens db check` checks a database" in run("validate", f"{path}:key").out
    assert (
        run("explain", f"{path}:key", f"{path}:lee", "-m", "muc").out == run("explain", ours, theirs, "-m", "muc").out
    )
    assert run("view", f"{path}:key", f"{path}:lee", tmp_path / "view.html").code == 0
    assert run("db", "add", path, "--response", f"other={ours}").code == 0
    assert run("db", "remove", path, "other").code == 0


@pytest.mark.slow
def test_mentions_to_parquet_and_back(base: Path, tmp_path: Path, run: Run) -> None:
    """The table that the engines read: the same scores from it, and the same mentions in another format."""
    key, lee = tmp_path / "key.parquet", tmp_path / "lee.parquet"
    for side, out in (("key", key), ("lee", lee)):
        assert run("db", "query", _path(base), "mention-table", "--set", f"side={side}", "-o", out).code == 0
    expected = cl.score(base / "key.conll", base / "response.conll", metrics=METRICS).to_dict()["scores"]
    assert cl.score(key, lee, metrics=METRICS).to_dict()["scores"] == expected
    for name in ("key", "response"):
        assert run("convert", base / f"{name}.conll", tmp_path / f"{name}.parquet").code == 0
    found = cl.score(tmp_path / "key.parquet", tmp_path / "response.parquet", metrics=METRICS)
    assert found.to_dict()["scores"] == expected
    assert run("convert", f"{_path(base)}:key", tmp_path / "side.parquet").code == 0
    assert cl.read(tmp_path / "side.parquet").clusters(0) == cl.read(base / "key.conll").clusters(0)
    assert run("convert", key, tmp_path / "key.csv").code == 0
    assert cl.read(tmp_path / "key.csv").clusters(0) == cl.read(base / "key.conll").clusters(0)


def test_wrong_use(base: Path, tmp_path: Path, run: Run) -> None:
    ours = base / "key.conll"
    cases = {
        ("db", "build", tmp_path / "a.duckdb", "key"): "is not NAME=PATH",
        ("db", "build", tmp_path / "a.duckdb", f"a/b={ours}"): "can't be the name of a side",
        ("db", "build", ours, f"key={ours}"): "this file is not a database",
        ("db", "build", tmp_path / "a.duckdb", f"a={ours}", f"b={ours}", "--response", f"c={ours}"): "which key",
        ("db", "build", tmp_path / "no" / "a.duckdb", f"key={ours}"): "no such directory",
        ("db", "query", tmp_path / "none.duckdb", "heads"): "no such file",
        ("db", "query", ours, "heads"): "not a database of coreflens",
        ("score", _path(base), ours): "a database with several sides",
        ("convert", _path(base), tmp_path / "a.conll"): "a database with several sides",
        ("score", f"{_path(base)}:kay", ours): "unknown side 'kay'; did you mean 'key'?",
        ("db", "query", _path(base), "heads", "--set", "site=x"): "unknown parameter 'site'",
        ("db", "query", _path(base), "SELECT $x"): "needs a value for $x",
    }
    for arguments, message in cases.items():
        ran = run(*arguments)
        assert ran.code in (2, 3) and message in ran.err, (arguments, ran.err)
    assert not os.path.exists(tmp_path / "a.duckdb")
    assert json.loads(run("db", "check", _path(base), "--format", "json").out) == []
