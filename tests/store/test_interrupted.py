"""Whatever ends a writer, the database is the earlier one or the new one, and nothing half-done is read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import coreflens as cl
from command import Run
from coreflens.database import copies, marks
from coreflens.database.refusals import failures, refusal
from coreflens.errors import InputError
from coreflens.store import ask, build, building, change, check, loading, remove
from databases import identical, key, response

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


class Stopped(BaseException):
    """What nobody catches, like Ctrl-C."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A database with a key and a response; more documents of both; a response that is the key."""
    for name, content in (("key", key), ("lee", response)):
        (tmp_path / name).mkdir()
        (tmp_path / f"more-{name}").mkdir()
        for n in range(4):
            place = name if n < 2 else f"more-{name}"
            (tmp_path / place / f"{n}.conll").write_text(content(f"nw/{n}"), "utf-8")
    build(str(tmp_path / "a.duckdb"), {"key": str(tmp_path / "key")}, {"lee": str(tmp_path / "lee")})
    return tmp_path


CHANGES: dict[str, Callable[[Path], object]] = {
    "add": lambda f: change(f"{f}/a.duckdb", "add", {"key": f"{f}/more-key"}, {"lee": f"{f}/more-lee"}),
    "add a response": lambda f: change(f"{f}/a.duckdb", "add", {}, {"perfect": f"{f}/key"}),
    "replace": lambda f: change(f"{f}/a.duckdb", "replace", {}, {"lee": f"{f}/key"}),
    "remove": lambda f: remove(f"{f}/a.duckdb", "lee", ["nw/0_0"]),
}
STEPS = {  # the steps of a change, each of which is the last one begun
    "copied": (copies, "_copy"),
    "a batch": (loading.Writer, "write"),
    "documents removed": (building, "delete_documents"),
    "scored": (building, "evaluate"),
    "marked": (building, "mark"),
    "replaced": (copies, "put_in_place"),
}


@pytest.mark.slow
@pytest.mark.parametrize("change_", CHANGES)
def test_a_change_that_is_stopped_changes_nothing(change_: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped at each of its steps; then the same change succeeds."""
    before = (folder / "a.duckdb").read_bytes()
    stopped = 0
    for owner, name in STEPS.values():
        with monkeypatch.context() as patch:

            def stop(*_: object) -> None:
                raise Stopped

            patch.setattr(owner, name, stop)
            try:
                CHANGES[change_](folder)
            except Stopped:
                stopped += 1
                assert (folder / "a.duckdb").read_bytes() == before
                assert [name for name in os.listdir(folder) if name.startswith("a.duckdb")] == ["a.duckdb"]
            else:
                (folder / "a.duckdb").write_bytes(before)
    assert stopped >= 4
    CHANGES[change_](folder)
    assert (folder / "a.duckdb").read_bytes() != before
    assert check(f"{folder}/a.duckdb") == []


@pytest.mark.slow
@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_while_documents_are_added(signal_: signal.Signals, folder: Path) -> None:
    """What a killed process leaves behind is in nobody's way."""
    many = folder / "many"
    many.mkdir()
    for n in range(40):
        (many / f"{n}.conll").write_text("".join(key(f"bc/{n}/{m}") for m in range(20)), "utf-8")
    path = folder / "a.duckdb"
    before = path.read_bytes()
    command = [sys.executable, "-m", "coreflens", "db", "add", str(path), f"key={many}", "--jobs", "2"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while process.poll() is None and not os.path.exists(f"{path}.changing"):
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal_)
    process.wait(timeout=60)
    assert process.returncode in (130, -signal_)
    assert path.read_bytes() == before
    change(str(path), "add", {"key": str(folder / "more-key")})
    assert sorted(name for name in os.listdir(folder) if name.startswith("a.duckdb")) == ["a.duckdb"]
    assert check(str(path)) == []


@pytest.mark.slow
def test_a_disk_that_is_full_while_documents_are_added(folder: Path) -> None:
    path = folder / "a.duckdb"
    before = path.read_bytes()
    for room in (len(before) // 2, len(before) + 4096):
        code = (
            "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
            f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}));"
            "from coreflens.cli import main; main()"
        )
        command = [sys.executable, "-c", code, "db", "add", str(path), f"key={folder}/more-key", "--jobs", "1"]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert ran.returncode == 3 and ran.stderr.startswith("coreflens: error:"), ran.stderr
        assert path.read_bytes() == before
        assert sorted(name for name in os.listdir(folder) if name.startswith("a.duckdb")) == ["a.duckdb"]


@pytest.mark.slow
def test_two_builds_of_one_database(folder: Path, run: Run) -> None:
    """One builds it, and the others say who does."""
    path = folder / "new.duckdb"
    command = [sys.executable, "-m", "coreflens", "db", "build", str(path), f"key={folder}/key", "--jobs", "1"]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    ended = [(process.communicate(timeout=300)[1], process.returncode) for process in processes]
    codes = [code for _, code in ended]
    assert 0 in codes and set(codes) <= {0, 3}
    assert all("is working on this database" in message for message, code in ended if code == 3)
    assert check(str(path)) == []
    assert not [name for name in os.listdir(folder) if name.startswith("new.duckdb.")]


@pytest.mark.parametrize("error", [RuntimeError("Query interrupted"), duckdb.InterruptException("INTERRUPT")])
def test_an_interrupt_during_a_query_is_an_interrupt(error: Exception) -> None:
    with pytest.raises(KeyboardInterrupt), failures("a.duckdb"):
        raise error


def test_the_lock_names_its_owner(folder: Path) -> None:
    path = str(folder / "a.duckdb")
    with copies.locked(path), pytest.raises(InputError, match=rf"another process \({os.getpid()}\) is working"):
        remove(path, "lee")
    assert remove(path, "lee").documents == {"key": 2}


def test_readers_see_the_earlier_state(folder: Path) -> None:
    """A database that is open stays as it was. Mixing it with the new state is refused."""
    path = str(folder / "a.duckdb")
    with cl.open_db(path) as db:
        CHANGES["add"](folder)
        assert len(db.documents()) == 2
        with pytest.raises(InputError, match=r"still reads its earlier state(.|\n)*open_db"):
            cl.read(f"{path}:key")
    assert len(cl.read(f"{path}:key").documents) == 4


def test_a_text_that_is_fetched_later_is_not_of_another_state(folder: Path) -> None:
    path = str(folder / "a.duckdb")
    corpus = cl.read(f"{path}:key")
    build(path, {"key": str(folder / "lee")}, {"lee": str(folder / "lee")})
    with pytest.raises(InputError, match="was changed while it was read"):
        _ = corpus.text


@pytest.mark.slow
def test_a_side_that_was_never_finished_is_not_read(folder: Path, run: Run) -> None:
    path = str(folder / "a.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("DELETE FROM mark WHERE side = 'lee'")
    for words in (["score", f"{path}:key", f"{path}:lee"], ["db", "query", path, "heads"]):
        ran = run(*words)
        assert ran.code == 3 and "'lee'" in ran.err and f"db remove {path} lee" in ran.err
    ran = run("db", "check", path)
    assert ran.code == 1 and "never loaded to the end" in ran.out
    assert run("db", "remove", path, "lee").code == 0
    assert run("db", "check", path).code == 0


@pytest.mark.slow
def test_rows_that_are_not_those_that_were_written(folder: Path, run: Run) -> None:
    """Counts, and values that no other check knows."""
    path = folder / "a.duckdb"
    whole = path.read_bytes()
    for statement, message in (
        ("DELETE FROM name WHERE document = 1", "side 'key' has 2 rows of name, but was written with 4"),
        ("UPDATE token SET form = 'x' WHERE token = 3", "the rows of token of side"),
        ("UPDATE score SET f1 = 1", "the rows of score of side 'lee'"),
        ("UPDATE mark SET \"table\" = 'x' WHERE \"table\" = 'node'", "names a table that does not exist"),
    ):
        path.write_bytes(whole)
        with duckdb.connect(str(path)) as connection:
            connection.execute(statement)
        ran = run("db", "check", path)
        assert ran.code == 1 and message in ran.out, (statement, ran.out)


def test_checksums_of_another_duckdb_are_not_compared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "_version", lambda: "9.9")
    with duckdb.connect(str(folder / "a.duckdb")) as connection:
        connection.execute("UPDATE mark SET checksum = '1'")
    assert check(str(folder / "a.duckdb")) == []


@pytest.mark.slow
def test_a_database_of_version_1(folder: Path) -> None:
    """A side that was read to its end is marked, and one that was not is refused."""
    path = str(folder / "a.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("DROP TABLE mark")
        connection.execute("UPDATE info SET value = '1' WHERE name = 'version'")
    whole = Path(path).read_bytes()
    assert ask(path, "SELECT count(*) FROM document").rows == [(4,)]
    assert check(path) == []
    for statement in (
        "UPDATE source SET state = 'reading' WHERE side = 'lee' AND number = 0",
        "UPDATE side SET issues = NULL WHERE name = 'lee'",
    ):
        Path(path).write_bytes(whole)
        with duckdb.connect(path) as connection:
            connection.execute(statement)
        with pytest.raises(InputError, match="'lee'"):
            cl.read(f"{path}:key")


@pytest.mark.slow
def test_rows_that_do_not_fit_together_are_damage(folder: Path, run: Run) -> None:
    """What was deleted by hand is no bug of ours, and no corpus either."""
    path = folder / "a.duckdb"
    whole = path.read_bytes()
    for statement in (
        "UPDATE source SET traits = '{}'",
        "UPDATE source SET traits = 'x'",
        "UPDATE entity SET number = NULL",
        "UPDATE side SET issues = 'x'",
    ):
        path.write_bytes(whole)
        with duckdb.connect(str(path)) as connection:
            connection.execute(statement)
        ran = run("score", f"{path}:key", f"{path}:lee")
        assert ran.code == 3 and "damaged" in ran.err, (statement, ran.err)


@pytest.mark.slow
def test_memory_and_blocks_are_no_locks(tmp_path: Path) -> None:
    """Only DuckDB's message about the lock of a file says that somebody else is working."""
    cases = {
        "IO Error: Corrupt database file: computed checksum 1 does not match that in block 3": "damaged",
        "Out of Memory Error: failed to pin block of size 256.0 KiB": "not enough memory",
        "IO Error: Could not set lock on file 'a': Conflicting lock is held in python (PID 17)": r"process \(17\)",
        "IO Error: Could not write all bytes to file 'a': No space left on device": "can't be written",
    }
    for text, message in cases.items():
        kind = duckdb.OutOfMemoryException if "Memory" in text else duckdb.IOException
        with pytest.raises(InputError, match=message) as found:
            raise refusal(kind(text), "a.duckdb")
        assert found.value.hint


@pytest.mark.slow
def test_a_document_in_two_tables(tmp_path: Path) -> None:
    """It is one document, as where the folder itself is scored."""
    corpus = tmp_path / "tables"
    corpus.mkdir()
    (corpus / "1.csv").write_text("doc,start,end,entity\na,0,0,x\na,3,4,x\nb,0,1,y\n", "utf-8")
    (corpus / "2.csv").write_text("doc,start,end,entity\na,1,1,x\na,6,6,z\nc,0,1,y\n", "utf-8")
    path = str(tmp_path / "a.duckdb")
    built = build(path, {"key": str(corpus)}, {"same": str(corpus)})
    assert built.documents == {"key": 3, "same": 3}
    identical(cl.read(corpus), cl.read(f"{path}:key"))
    assert cl.score(f"{path}:key", f"{path}:same").conll == 1
    assert check(path) == []
