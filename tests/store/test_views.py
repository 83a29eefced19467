"""The database in Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import coreflens as cl
from coreflens.errors import UsageError
from coreflens.store import build
from databases import files, identical

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("views")
    key, response = files(folder)
    build(str(folder / "a.duckdb"), {"key": str(key)}, {"lee": str(response)})
    return folder


@pytest.fixture
def db(base: Path) -> Iterator[cl.Database]:
    with cl.open_db(base / "a.duckdb") as opened:
        yield opened


def test_views_are_what_the_corpus_has(db: cl.Database, base: Path) -> None:
    corpus = cl.read(base / "key.conll")
    assert db.sides == ["key", "lee"]
    assert [d.label for d in db.documents()] == [d.label for d in corpus.documents]
    for n, document in enumerate(db.documents()):
        assert [str(s) for s in document.sentences] == [" ".join(s) for s in corpus.text.sentences_of(n)]
        assert {e.label: [(m.start, m.end) for m in e.mentions] for e in document.entities} == corpus.clusters(n)
        assert [m.place for m in document.mentions] == [m.place for m in corpus.only(n)]


def test_from_one_thing_to_the_next(db: cl.Database) -> None:
    document = db.document("bc/b/00/b_0002")
    assert (document.genre, document.part, document.length) == ("bc", 0, 19)
    her = next(m for m in document.mentions if m.text == "her")
    assert her.antecedent is not None and her.antecedent.text == "Ann Bell"
    assert her.antecedent.head is not None and her.antecedent.head.form == "Bell"
    assert her.sentence is not None and str(her.sentence).startswith("I said")
    assert her in her.sentence.mentions
    assert her.antecedent.antecedent is None
    assert len(her.entity) == 2 and her.entity == document.entity("1")
    assert her.antecedent.node is not None and her.antecedent.node.label == "NP"
    parent = her.antecedent.node.parent
    assert parent is not None and parent.label == "S" and her.antecedent.node in parent.children
    assert parent.head is not None and parent.head.form == "saw"
    assert [(n.type, [str(t) for t in n.tokens]) for n in document.names] == [
        ("PERSON", ["Ann", "Bell"]),
        ("ORG", ["Acme"]),
    ]
    assert [t.form for t in her.antecedent.node.tokens] == [t.form for t in her.antecedent.tokens]
    assert [d.label for d in db.documents("lee", genre="bc")] == [document.label]


def test_sql_as_frames(db: cl.Database) -> None:
    found = db.sql("SELECT type, count(*) AS n FROM mention GROUP BY type ORDER BY type")
    assert found.columns == ["type", "n"] and len(found) == found.arrow.num_rows
    pandas = pytest.importorskip("pandas")
    assert isinstance(found.pandas(), pandas.DataFrame)
    assert db.sql("heads", side="lee", top="1").rows == [("report", 6)]
    assert str(found).startswith("type")
    polars = pytest.importorskip("polars")
    assert isinstance(found.polars(), polars.DataFrame)


def test_a_side_is_a_corpus(db: cl.Database, base: Path) -> None:
    """Also while another connection of the same process is open."""
    identical(db.corpus("key"), cl.read(base / "key.conll"))
    identical(cl.read(f"{base}/a.duckdb:lee"), cl.read(base / "response.conll"))
    expected = cl.score(base / "key.conll", base / "response.conll")
    assert cl.score(db.corpus("key"), db.corpus("lee")).to_dict()["scores"] == expected.to_dict()["scores"]


def test_wrong_names_and_a_closed_file(base: Path) -> None:
    db = cl.open_db(base / "a.duckdb")
    with pytest.raises(UsageError, match="unknown side 'kay'"):
        db.documents("kay")
    with pytest.raises(UsageError, match="unknown document"):
        db.document("nothing")
    db.close()
    db.close()
    with pytest.raises(UsageError, match="was closed"):
        db.sql("SELECT 1")
