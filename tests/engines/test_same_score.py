"""Memory, DuckDB and Spark: the same scores, notes and names of documents for the same tables, or a usage error."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
from coreflens.options import Singletons
from coreflens.scoring.settings import EngineName
from engine_cases import Compared, compare, random_case
from sparking import spark as spark
from tables import write_csv

pytest.importorskip("duckdb", reason="duckdb is not installed: the engines are not tested")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: tables in Parquet are not tested")

ON_SPARK = pytest.mark.slow
NAMED = ("mention", "entity")
BOTH: tuple[EngineName, EngineName] = ("memory", "duckdb")
ENGINES = pytest.mark.parametrize("engine", BOTH)
EVERYWHERE = pytest.mark.parametrize("engine", ["memory", "duckdb", pytest.param("spark", marks=ON_SPARK)])


@pytest.fixture(autouse=True)
def session(request: pytest.FixtureRequest) -> None:
    """Start Spark once for the tests that need it."""
    if "spark" in request.node.name:
        request.getfixturevalue("spark")


def folder(path: Path, files: Mapping[str, Sequence[Sequence[str]]], header: Sequence[str] = NAMED) -> str:
    """A folder of tables: their names and rows."""
    for name, rows in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        write_csv(path / name, rows, header)
    return str(path)


def counts(result: cl.Result, metric: str = "muc") -> tuple[Any, ...]:
    return tuple(result[metric].counts.values())


def notes(result: cl.Result) -> list[tuple[str, str, int]]:
    return [(issue.code, issue.message, issue.count) for issue in result.issues]


# ------------------------------------------------------------------------------------------------------ random tables

ON_SPARK_TOO = (12, pytest.param(8, marks=pytest.mark.endurance))


def check(compared: Compared) -> None:
    assert not compared.difference


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(16))
def test_random_tables_on_duckdb(seed: int, tmp_path: Path) -> None:
    check(compare(random_case(seed), tmp_path, "duckdb"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", ON_SPARK_TOO)
def test_random_tables_on_spark(seed: int, tmp_path: Path) -> None:
    check(compare(random_case(seed), tmp_path, "spark"))


# ------------------------------------------------------------------------------------- files without a document column

KEY = {"a.csv": [("x", "1"), ("y", "1")], "b.csv": [("z", "1"), ("w", "1")]}
RESPONSE = {"a.csv": [("x", "1"), ("y", "1")], "b.csv": [("z", "2"), ("w", "2")]}


@EVERYWHERE
def test_each_file_is_a_document_with_the_name_of_the_file(engine: EngineName, tmp_path: Path) -> None:
    paths = folder(tmp_path / "k", KEY), folder(tmp_path / "r", RESPONSE)
    for given in (paths, tuple(f"{path}/*.csv" for path in paths)):
        result = cl.score(given[0], given[1], metrics="muc", engine=engine)
        assert counts(result) == (2, 2, 2, 2) and list(result.by_document()) == ["a", "b"] and not result.issues
    whole = cl.score(*paths, metrics="muc", engine=engine, columns="doc=")
    assert counts(whole) == (2, 3, 2, 2) and len(whole.counts) == 1 and not whole.issues


@EVERYWHERE
def test_names_of_files_with_blanks_and_dots(engine: EngineName, tmp_path: Path) -> None:
    names = ("a b.csv", "c+d%20.e.csv", "f.csv.gz")
    paths = []
    for role in "kr":
        paths.append(folder(tmp_path / role, {name: [("x", "1"), ("y", "1")] for name in names}))
        packed = tmp_path / role / names[2]
        packed.write_bytes(gzip.compress(packed.read_bytes()))
    result = cl.score(paths[0], paths[1], metrics="muc", engine=engine)
    assert list(result.by_document()) == ["a b", "c+d%20.e", "f"]
    assert counts(result) == (3, 3, 3, 3)


@ENGINES
def test_one_file_on_each_side_is_paired_whatever_its_name(engine: EngineName, tmp_path: Path) -> None:
    rows = [("x", "1"), ("y", "1")]
    key, response = folder(tmp_path / "k", {"part-0.csv": rows}), folder(tmp_path / "r", {"part-7.csv": rows})
    for one, other in ((key, response), (f"{key}/part-0.csv", response), (f"{key}/part-0.csv", f"{response}/*")):
        result = cl.score(one, other, metrics="muc", engine=engine)
        assert counts(result) == (1, 1, 1, 1)
    assert list(cl.score(key, response, engine=engine).by_document()) == ["part-0"]


@ENGINES
@pytest.mark.parametrize(
    ("key", "response", "message"),
    [
        (KEY, {"c.csv": [("x", "1")], "d.csv": [("y", "1")]}, "no document in common"),
        (KEY, {**RESPONSE, "c.csv": [("q", "1")]}, "1 document only in the response, such as 'c'"),
        ({"one.csv": [("x", "1"), ("z", "1")]}, RESPONSE, "no document in common"),
        (KEY, {"one.csv": [("x", "1"), ("z", "1")]}, "no document in common"),
    ],
    ids=["strangers", "extra", "one-many", "many-one"],
)
def test_files_that_do_not_pair_name_the_remedy(
    engine: EngineName, key: dict[str, Any], response: dict[str, Any], message: str, tmp_path: Path
) -> None:
    paths = folder(tmp_path / "k", key), folder(tmp_path / "r", response)
    with pytest.raises(cl.InputError, match=message) as found:
        cl.score(*paths, engine=engine)
    assert "`score --columns doc=` reads each side as one document" in found.value.hint
    assert len(cl.score(*paths, engine=engine, columns="doc=").counts) == 1


@pytest.mark.parametrize(
    ("engine", "names"),
    [
        ("memory", ("part-00000.csv", "part-00001.csv")),
        ("duckdb", ("part-00000.csv", "part-00001.csv")),
        ("memory", ("0000.csv", "0001.csv")),
        ("memory", ("shard-3-of-8.csv", "shard-4-of-8.csv")),
        ("memory", ("data_0.csv", "data_1.csv")),
    ],
)
def test_parts_of_one_table_are_suspected(engine: EngineName, names: tuple[str, str], tmp_path: Path) -> None:
    paths = [folder(tmp_path / role, dict(zip(names, KEY.values(), strict=True))) for role in "kr"]
    result = cl.score(paths[0], paths[1], metrics="muc", engine=engine)
    first = names[0].removesuffix(".csv")
    assert notes(result) == [
        (
            "table-parts",
            f"the 2 files of the {side} look like parts of one table, such as '{first}', but each is scored as a "
            "document: `score --columns doc=` reads them as one",
            2,
        )
        for side in ("key", "response")
    ]
    assert not cl.score(paths[0], paths[1], engine=engine, columns="doc=").issues


@ENGINES
def test_two_files_of_one_name_are_refused(engine: EngineName, tmp_path: Path) -> None:
    path = folder(tmp_path / "k", {"u/a.csv": KEY["a.csv"], "v/a.csv": KEY["b.csv"]})
    with pytest.raises(cl.InputError, match="document 'a' occurs twice"):
        cl.score(path, path, engine=engine)


@ENGINES
def test_an_empty_name_falls_back_to_the_file(engine: EngineName, tmp_path: Path) -> None:
    header = ("doc", "mention", "entity")
    files = {"a.csv": [("", "x", "1"), ("", "y", "1")], "b.csv": [("d", "x", "1"), ("", "y", "1")]}
    paths = [folder(tmp_path / role, files, header) for role in "kr"]
    assert list(cl.score(paths[0], paths[1], engine=engine).by_document()) == ["a", "d", "b"]


# ------------------------------------------------------------------------------------------------ one table, many files


@EVERYWHERE
def test_a_document_in_several_files_is_one(engine: EngineName, tmp_path: Path) -> None:
    """Of its repeated mentions the first counts, in the order of the files' names."""
    header = ("doc", "mention", "entity")
    files = {"b.csv": [("d", "x", "2"), ("d", "z", "2")], "a.csv": [("e", "x", "1"), ("d", "x", "1"), ("d", "y", "1")]}
    key = folder(tmp_path / "k", files, header)
    response = folder(
        tmp_path / "r", {"r.csv": [("e", "x", "1"), ("d", "x", "1"), ("d", "y", "1"), ("d", "z", "2")]}, header
    )
    result = cl.score(key, response, metrics="muc,bcub", engine=engine)
    assert list(result.by_document()) == ["e", "d"]
    assert counts(result) == (1, 1, 1, 1)
    assert notes(result) == [
        ("duplicates-key", "1 repeated mention in the key: repetitions left out (--duplicates first)", 1)
    ]
    last = cl.score(key, response, metrics="muc", engine=engine, duplicates="last")
    assert counts(last) == (0, 1, 0, 1)


def test_spans_of_a_document_in_several_files_are_in_their_order(tmp_path: Path) -> None:
    header = ("doc", "start", "end", "entity")
    path = folder(tmp_path / "k", {"a.csv": [("d", "5", "6", "x")], "b.csv": [("d", "0", "1", "x")]}, header)
    corpus = cl.read(path)
    assert [document.name for document in corpus.documents] == ["d"] and corpus.start.tolist() == [0, 5]
    assert corpus.documents[0].place == path and {mention.place for mention in corpus} == {path}


@EVERYWHERE
def test_headers_that_differ_from_file_to_file(engine: EngineName, tmp_path: Path) -> None:
    paths = []
    for role in "kr":
        folder(tmp_path / role, {"a.csv": [("x", "d", "1")]}, ("mention", "doc", "entity"))
        folder(tmp_path / role, {"b.csv": [("1", "y", "d")]}, ("cluster", "record_id", "document_id"))
        paths.append(folder(tmp_path / role, {"c.csv": [("z", "1")]}))
    result = cl.score(paths[0], paths[1], metrics="muc,mentions", engine=engine)
    assert list(result.by_document()) == ["d", "c"] and counts(result) == (1, 1, 1, 1)


@ENGINES
def test_files_that_are_no_tables_or_have_no_rows(engine: EngineName, tmp_path: Path) -> None:
    paths = [folder(tmp_path / role, {**KEY, "c.csv": []}) for role in "kr"]
    (tmp_path / "k" / "_SUCCESS").write_text("", "utf-8")
    (tmp_path / "k" / "notes.txt").write_text("Two annotators.\n", "utf-8")
    result = cl.score(paths[0], paths[1], metrics="muc", engine=engine)
    assert counts(result) == (2, 2, 2, 2) and list(result.by_document()) == ["a", "b"]
    assert notes(result) == [
        ("skipped-files", f"3 files below {paths[0]} empty or in no known format: left out", 3),
        ("skipped-files", f"1 file below {paths[1]} empty or in no known format: left out", 1),
    ]


def test_another_format_beside_tables_needs_memory(tmp_path: Path) -> None:
    path = folder(tmp_path / "k", KEY)
    (tmp_path / "k" / "c.json").write_text('{"e1": ["m1", "m2"]}', "utf-8")
    assert list(cl.score(path, path, engine="memory").by_document()) == ["a", "b", "c"]
    with pytest.raises(
        cl.UsageError, match=r"c\.json is not a table of mentions but clusters, which needs engine=.memory."
    ):
        cl.score(path, path, engine="duckdb")


def test_an_archive_needs_memory(tmp_path: Path) -> None:
    from zipfile import ZipFile

    path = str(tmp_path / "k.zip")
    with ZipFile(path, "w") as archive:
        for name in KEY:
            archive.write(write_csv(tmp_path / name, KEY[name], NAMED), name)
    assert list(cl.score(path, path, engine="memory").by_document()) == ["a", "b"]
    assert len(cl.score(path, path, engine="memory", columns="doc=").counts) == 1
    with pytest.raises(cl.UsageError, match='is an archive or a pipe, which needs engine="memory"'):
        cl.score(path, path, engine="duckdb")


def test_only_one_side_has_documents(tmp_path: Path) -> None:
    key = folder(tmp_path / "k", {"k.csv": [("a", "x", "1"), ("b", "x", "1")]}, ("doc", "mention", "entity"))
    response = folder(tmp_path / "r", {"a.csv": [("x", "1")], "b.csv": [("x", "2")]})
    alone = write_csv(tmp_path / "alone.csv", [("x", "1")], NAMED)
    for engine in BOTH:
        assert list(cl.score(key, response, engine=engine).by_document()) == ["a", "b"]
        with pytest.raises(cl.InputError, match="no document in common") as found:
            cl.score(key, alone, engine=engine)
        assert "the key has a column of documents, but the response has none" in found.value.hint


def test_auto_takes_memory_for_several_small_files(tmp_path: Path) -> None:
    from pyarrow.parquet import write_table

    for name in ("a", "b"):
        write_table(pa.table({"mention": [1, 2], "entity": [1, 1]}), tmp_path / f"{name}.parquet")
    result = cl.score(str(tmp_path), str(tmp_path))
    assert result.engine == "memory" and list(result.by_document()) == ["a", "b"]


# ------------------------------------------------------------------------------------------------------------- options


@pytest.mark.parametrize("engine", ["duckdb"])
def test_repetitions_go_before_singletons(engine: EngineName, tmp_path: Path) -> None:
    """{a b} {b c}: without the second b, c is alone, and drop-before leaves it out."""
    key = write_csv(tmp_path / "key.csv", [("a", "1"), ("b", "1"), ("c", "1")], NAMED)
    response = write_csv(tmp_path / "r.csv", [("a", "1"), ("b", "1"), ("b", "2"), ("c", "2")], NAMED)
    result = cl.score(key, response, metrics="mentions", singletons="drop-before", engine=engine)
    assert counts(result, "mentions") == (2, 3, 2, 2)


@pytest.mark.parametrize("engine", ["duckdb", pytest.param("spark", marks=ON_SPARK)])
def test_a_side_that_an_option_has_emptied_scores(engine: EngineName, tmp_path: Path) -> None:
    key = write_csv(tmp_path / "key.csv", [("a", "1"), ("b", "1")], NAMED)
    response = write_csv(tmp_path / "r.csv", [("a", "1"), ("b", "2")], NAMED)
    for one, other, side, expected in ((key, response, "response", (0, 2, 0, 0)), (response, key, "key", (0, 0, 0, 2))):
        result = cl.score(one, other, metrics="mentions", singletons="drop-before", engine=engine)
        assert counts(result, "mentions") == expected
        assert notes(result) == [
            (f"empty-{side}", f"the {side} has no mentions left after --singletons drop-before", 1)
        ]


@pytest.mark.parametrize("engine", ["duckdb", pytest.param("spark", marks=ON_SPARK)])
def test_local_ids_are_an_order(engine: EngineName, tmp_path: Path) -> None:
    """They equal ids with the name of the document before them, whatever the ids look like."""
    rows = [("a", "1", "x"), ("a", "2", "x"), ("b", "1", "x"), ("b", "2", "z"), ("b", "3", "z")]
    other = [("a", "1", "p"), ("a", "2", "q"), ("b", "1", "p"), ("b", "2", "p"), ("b", "3", "p")]
    header = ("doc", "mention", "entity")
    plain = [write_csv(tmp_path / f"{n}.csv", some, header) for n, some in enumerate((rows, other))]
    apart = [
        write_csv(tmp_path / f"{n}-apart.csv", [(d, m, f"{d} {e}") for d, m, e in some], header)
        for n, some in enumerate((rows, other))
    ]
    metrics = "mentions,muc,bcub,ceafe,ceafm-sys"
    policies: tuple[Singletons, ...] = ("keep", "drop", "drop-before")
    for singletons in policies:
        local = cl.score(
            plain[0], plain[1], metrics=metrics, scope="corpus", ids="local", singletons=singletons, engine=engine
        )
        by_hand = cl.score(apart[0], apart[1], metrics=metrics, scope="corpus", singletons=singletons, engine="memory")
        assert local.counts.values.tolist() == by_hand.counts.values.tolist()
    together = cl.score(plain[0], plain[1], metrics=metrics, scope="corpus", ids="global", engine=engine)
    assert counts(together) != counts(local)


def test_a_repetition_is_reported_by_its_own_entity(tmp_path: Path) -> None:
    header = ("doc", "mention", "entity")
    key = write_csv(tmp_path / "k.csv", [("a", "1", "x"), ("a", "1", "y"), ("b", "1", "x")], header)
    result = cl.score(key, key, engine="duckdb", scope="corpus", ids="local")
    issue = next(issue for issue in result.issues if issue.code == "duplicates-key")
    assert issue.places == (f"{key}: mention 1 in x and y",)


# --------------------------------------------------------------------------------------------------------------- cells


@ENGINES
@pytest.mark.parametrize("blank", ["\t", "\u00a0", "\u2003", " \n "], ids=repr)
def test_a_name_of_blanks_is_empty(engine: EngineName, blank: str, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "k.csv", [("a", "1"), (blank, "1")], NAMED)
    with pytest.raises(cl.InputError, match="empty mention or entity"):
        cl.score(path, path, engine=engine)


@EVERYWHERE
def test_documents_that_are_missing_numbers(engine: EngineName, tmp_path: Path) -> None:
    """A row of Parquet without a document is in the document without a name, as it is in memory."""
    from pyarrow.parquet import write_table

    path = str(tmp_path / "k.parquet")
    write_table(pa.table({"doc": [1, None, 1], "mention": [1, 2, 3], "entity": [1, 1, 1]}), path)
    result = cl.score(path, path, metrics="mentions", engine=engine)
    assert counts(result, "mentions") == (3, 3, 3, 3) and len(result.counts) == 2
    assert [document.label for document in result.counts.documents] == ["1", ""]


@ENGINES
def test_names_of_documents_from_values_that_are_no_text(engine: EngineName, tmp_path: Path) -> None:
    from pyarrow.parquet import write_table

    path = str(tmp_path / "k.parquet")
    write_table(pa.table({"doc": [True, False], "mention": [1, 2], "entity": [1, 1]}), path)
    assert list(cl.score(path, path, engine=engine).by_document()) == ["True", "False"]


def test_dates_against_text_need_memory(tmp_path: Path) -> None:
    from datetime import datetime

    from pyarrow.parquet import write_table

    moments = [datetime(2020, 1, 1, 0, 0, 0, 500_000), datetime(2020, 1, 2)]
    paths = []
    for name, mentions in (("dates", moments), ("texts", [str(moment) for moment in moments])):
        paths.append(str(tmp_path / f"{name}.parquet"))
        write_table(pa.table({"mention": mentions, "entity": [1, 1]}), paths[-1])
    assert counts(cl.score(paths[0], paths[1], metrics="muc", engine="memory")) == (1, 1, 1, 1)
    with pytest.raises(cl.UsageError, match="the column of mention is TIMESTAMP on one side only"):
        cl.score(paths[0], paths[1], engine="duckdb")
    assert counts(cl.score(paths[0], paths[0], metrics="muc", engine="duckdb")) == (1, 1, 1, 1)


@pytest.mark.parametrize("cell", [' "x"', '"x" ', '"x"y', '"x'])
def test_quotation_marks_that_engines_read_in_their_own_way_need_memory(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "k.csv"
    path.write_text(f"mention,entity\na,1\n{cell},1\n", "utf-8")
    with pytest.raises(cl.UsageError, match=r'quotation marks of this line: .*engine="memory" reads it'):
        cl.score(path, path, engine="duckdb")


@pytest.mark.parametrize("cell", ['"a,""b""\nc"', '5" pipe', '"x"', "#a", "'a'"])
def test_quotation_marks_that_all_read_alike(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "k.csv"
    path.write_text(f"mention,entity\n{cell},1\nb,1\n", "utf-8")
    ours, theirs = (cl.score(path, path, metrics="mentions", engine=engine) for engine in BOTH)
    assert theirs.counts.values.tolist() == ours.counts.values.tolist()


@pytest.mark.parametrize("row", ["b", "b,2,3"], ids=["short", "long"])
def test_rows_of_another_length(row: str, tmp_path: Path) -> None:
    """What DuckDB can't read, memory may: it is refused, not called wrong."""
    path = tmp_path / "k.csv"
    path.write_text(f"mention,entity\na,1\n{row}\n", "utf-8")
    with pytest.raises(cl.UsageError, match='engine="memory" reads it, or says what is wrong with it'):
        cl.score(path, path, engine="duckdb")


def test_records_in_lines_are_a_table_in_memory_too(tmp_path: Path) -> None:
    path = tmp_path / "k.jsonl"
    path.write_text('{"mention": 1, "entity": "e"}\n\n{"mention": "2", "entity": "e", "note": null}\n', "utf-8")
    assert cl.read(path).names == ["1", "2"] and [mention.line for mention in cl.read(path)] == [1, 3]
    ours, theirs = (cl.score(path, path, metrics="muc", engine=engine) for engine in BOTH)
    assert counts(ours) == counts(theirs) == (1, 1, 1, 1)
    path.write_text('{"mention": 1, "entity": "e"}\n[2]\n', "utf-8")
    with pytest.raises(cl.InputError, match="one record per line is expected") as found:
        cl.read(path)
    assert found.value.line == 2


def test_parts_of_documents_with_named_columns(tmp_path: Path) -> None:
    """A named column of mentions does not make parts one document; engines refuse parts."""
    rows = [("a", "0", "1", "x"), ("a", "1", "1", "x")]
    path = write_csv(tmp_path / "k.csv", rows, ("doc", "part", "who", "entity"))
    result = cl.score(path, path, engine="memory", columns="mention=who")
    assert list(result.by_document()) == ["a_0", "a_1"]
    with pytest.raises(cl.UsageError, match='a column for parts of documents, which is scored with engine="memory"'):
        cl.score(path, path, engine="duckdb", columns="mention=who")


def test_spans_with_all_rows_in_one_document(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "k.csv", [("a", 0, 1, "x"), ("b", 2, 3, "x")], ("doc", "start", "end", "entity"))
    assert counts(cl.score(path, path, engine="memory", columns="doc=", metrics="muc")) == (1, 1, 1, 1)


def test_marks_of_nonreferring_expressions(tmp_path: Path) -> None:
    header = ("mention", "entity", "referring")
    path = write_csv(tmp_path / "k.csv", [("a", "1", "no"), ("b", "1", "yes")], header)
    ours, theirs = (cl.score(path, path, engine=engine) for engine in BOTH)
    assert notes(ours) == notes(theirs) and "non-referring-key" in {code for code, _, _ in notes(ours)}
    with pytest.raises(cl.UsageError, match='without="nonreferring" needs engine="memory"'):
        cl.score(path, path, engine="duckdb", without="nonreferring")


def test_blanks_and_one_file_twice_are_suspected(tmp_path: Path) -> None:
    key = write_csv(tmp_path / "k.csv", [("a", "1"), ("b", "1"), ("c", "1")], NAMED)
    response = write_csv(tmp_path / "r.csv", [("a", "1"), (" b", "1"), ("c ", "1")], NAMED)
    for other, code in ((response, "blanks"), (key, "same-file")):
        ours, theirs = (cl.score(key, other, engine=engine) for engine in BOTH)
        assert notes(ours) == notes(theirs) and [issue for issue, _, _ in notes(ours)] == [code]


# -------------------------------------------------------------------------------------------------------------- frames


def test_messages_about_frames_are_true() -> None:
    spans = pa.table({"start": [1, 2], "end": [1, 2], "entity": [1, 1]})
    with pytest.raises(cl.UsageError, match='which are scored with engine="memory"'):
        cl.score(spans, spans, engine="duckdb")
    assert cl.score(spans, spans, engine="memory").conll == cl.score(spans, spans).conll == 1
