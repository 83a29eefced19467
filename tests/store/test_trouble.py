"""Interrupted builds, two writers, other versions, damage, a full disk, hostile names: clear messages, nothing lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import coreflens as cl
from command import Run
from coreflens.database import connection, schema
from coreflens.errors import InputError
from coreflens.store import ask, build, change, check, loading
from databases import files, identical, key, response

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


def _corpus(folder: Path, count: int) -> Path:
    folder.mkdir()
    for n in range(count):
        (folder / f"{n:03}.conll").write_text(key(f"nw/{n:03}") + key(f"nw/{n:03}", 1), "utf-8")
    return folder


def _rows(path: str) -> dict[str, int]:
    return {name: ask(path, f'SELECT count(*) FROM "{name}"').rows[0][0] for name in schema.TABLES if name != "info"}


class Stopped(Exception):
    pass


def _stopping(monkeypatch: pytest.MonkeyPatch, before: int) -> None:
    """Every file is a batch, and the `before`-th is not written."""
    write, calls = loading.Writer.write, [0]

    def stopping(writer: loading.Writer) -> None:
        calls[0] += 1
        if calls[0] == before:
            raise Stopped
        write(writer)

    monkeypatch.setattr(loading, "_BATCH", 1)
    monkeypatch.setattr(loading.Writer, "write", stopping)


@pytest.mark.slow
@pytest.mark.parametrize("before", [1, 2, 3])
def test_a_build_that_was_stopped_goes_on(before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped before its n-th batch, it has those before it whole; the same command reads no file twice."""
    corpus = _corpus(tmp_path / "in", 3)
    path = str(tmp_path / "a.duckdb")
    with monkeypatch.context() as patch:
        _stopping(patch, before)
        with pytest.raises(Stopped):
            build(path, {"key": str(corpus)})
    assert not os.path.exists(path)
    opened: list[str] = []
    load = loading._load

    def noting(reading: loading.Reading, limit: object, place: int) -> loading.Loaded:
        opened.append(str(place))
        return load(reading, limit, place)  # type: ignore[arg-type]

    monkeypatch.setattr(loading, "_load", noting)
    built = build(path, {"key": str(corpus)})
    assert opened == [str(n) for n in range(before - 1, 3)]
    assert [issue.code for issue in built.issues] == ["resumed"]
    assert check(path) == []
    identical(cl.read(corpus), cl.read(f"{path}:key"))
    assert sorted(os.listdir(tmp_path)) == ["a.duckdb", "in"]


@pytest.mark.slow
def test_files_that_changed_or_went_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that goes on reads changed files again, and has none that is gone."""
    corpus = _corpus(tmp_path / "in", 4)
    path = str(tmp_path / "a.duckdb")
    with monkeypatch.context() as patch:
        _stopping(patch, 3)
        with pytest.raises(Stopped):
            build(path, {"key": str(corpus)})
    (corpus / "000.conll").write_text(response("nw/000"), "utf-8")
    (corpus / "001.conll").unlink()
    build(path, {"key": str(corpus)})
    identical(cl.read(corpus), cl.read(f"{path}:key"))
    assert check(path) == []


@pytest.mark.slow
def test_another_build_does_not_go_on_with_it(tmp_path: Path) -> None:
    corpus = _corpus(tmp_path / "in", 1)
    path = str(tmp_path / "a.duckdb")
    connection.create(f"{path}.building", {"state": "building", "plan": "another"})
    built = build(path, {"key": str(corpus)})
    assert [issue.code for issue in built.issues] == ["restarted"]
    Path(f"{path}.building").write_bytes(b"nonsense")
    assert [issue.code for issue in build(path, {"key": str(corpus)}).issues] == ["restarted"]
    assert check(path) == []


@pytest.mark.endurance
def test_a_build_killed_at_random_points(tmp_path: Path) -> None:
    corpus = _corpus(tmp_path / "in", 30)
    path = tmp_path / "a.duckdb"
    command = [sys.executable, "-m", "coreflens", "db", "build", str(path), f"key={corpus}", "--jobs", "1"]
    command += ["--response", f"lee={corpus}"]
    chance, kills = random.Random(21), 0
    for _ in range(4):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while process.poll() is None and not os.path.exists(f"{path}.building"):
            time.sleep(0.02)
        time.sleep(chance.random() * 1.5)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, timeout=600)
    assert kills
    assert check(str(path)) == []
    identical(cl.read(corpus), cl.read(f"{path}:key"))
    whole = tmp_path / "b.duckdb"
    build(str(whole), {"key": str(corpus)}, {"lee": str(corpus)})
    assert _rows(str(path)) == _rows(str(whole))


@pytest.mark.slow
def test_while_one_process_writes_others_get_a_message(tmp_path: Path, run: Run) -> None:
    ours, theirs = files(tmp_path)
    path = tmp_path / "a.duckdb"
    build(str(path), {"key": str(ours)})
    code = f"import duckdb, sys; c = duckdb.connect({str(path)!r}); print('open', flush=True); sys.stdin.read()"
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None and holder.stdout.readline()
        for arguments in (
            ("db", "query", path, "heads"),
            ("db", "add", path, "--response", f"lee={theirs}"),
            ("db", "check", path),
            ("score", f"{path}:key", theirs),
        ):
            ran = run(*arguments)
            assert ran.code == 3 and f"another process ({holder.pid}) is working on this database" in ran.err
    finally:
        holder.communicate(b"")
    assert run("db", "check", path).code == 0


def test_older_versions_are_brought_forward_and_newer_ones_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, _ = files(tmp_path)
    path = str(tmp_path / "a.duckdb")
    build(path, {"key": str(ours)})
    now = schema.VERSION
    with monkeypatch.context() as patch:
        patch.setattr(connection, "VERSION", now + 1)
        patch.setitem(schema.MIGRATIONS, now, ("ALTER TABLE mention ADD COLUMN mood VARCHAR DEFAULT 'good'",))
        assert ask(path, "SELECT DISTINCT mood FROM mention").rows == [("good",)]
    with pytest.raises(InputError, match=f"has version {now + 1} of the schema, but this program only knows"):
        ask(path, "heads")


@pytest.mark.slow
def test_damage(tmp_path: Path, run: Run) -> None:
    ours, _ = files(tmp_path)
    path = tmp_path / "a.duckdb"
    build(str(path), {"key": str(ours)})
    whole = path.read_bytes()
    damaged = tmp_path / "b.duckdb"
    chance = random.Random(21)
    for how in ("cut", "half", "zeros", "header", "empty"):
        data = bytearray(whole)
        if how in ("cut", "half"):
            del data[len(data) // 2 if how == "half" else 4096 :]
        elif how == "empty":
            data.clear()
        else:
            at = 4096 * 3 if how == "zeros" else 8
            data[at : at + 4096] = bytes(chance.randrange(256) for _ in range(4096)) if how == "header" else bytes(4096)
        damaged.write_bytes(data)
        for arguments in (
            ("db", "query", damaged, "heads"),
            ("score", f"{damaged}:key", ours),
            ("db", "check", damaged),
        ):
            ran = run(*arguments)
            assert ran.code in (0, 1, 2, 3)
            assert ran.code == 0 or ran.err.startswith("coreflens: ") or ran.out
    damaged.write_bytes(b"x" * 100)
    assert run("db", "query", damaged, "heads").code == 3
    import duckdb

    with duckdb.connect(str(tmp_path / "c.duckdb")) as other:
        other.execute("CREATE TABLE a (b INTEGER)")
    assert "coreflens did not make this" in run("db", "query", tmp_path / "c.duckdb", "heads").err


@pytest.mark.slow
def test_flipped_bytes(tmp_path: Path, run: Run) -> None:
    """A message with a remedy, or the same scores as before."""
    ours, _ = files(tmp_path)
    path = tmp_path / "a.duckdb"
    build(str(path), {"key": str(ours)}, {"lee": str(ours)})
    whole, damaged = path.read_bytes(), tmp_path / "b.duckdb"
    used = [place for place in range(0, len(whole), 64) if any(whole[place : place + 64])]
    expected = run("score", path.with_name("a.duckdb:key"), path.with_name("a.duckdb:lee")).out
    chance = random.Random(21)
    refused = 0
    for _ in range(12):
        data = bytearray(whole)
        data[chance.choice(used) + chance.randrange(64)] ^= chance.randrange(1, 256)
        damaged.write_bytes(data)
        checked = run("db", "check", damaged)
        assert checked.code in (0, 1) or "hint: " in checked.err
        scored = run("score", f"{damaged}:key", f"{damaged}:lee")
        assert scored.out == expected if scored.code == 0 else "hint: " in scored.err
        refused += scored.code == 3
    assert refused


@pytest.mark.slow
def test_a_full_disk(tmp_path: Path) -> None:
    """What can't be written is an error with a message, and the database that was there is unchanged."""
    corpus = _corpus(tmp_path / "in", 2)
    path = tmp_path / "a.duckdb"
    build(str(path), {"key": str(corpus)})
    before = path.read_bytes()
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000));"
        "from coreflens.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "db", "build", str(path), f"key={corpus}", f"again={corpus}", "--jobs", "1"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 3, ran.stderr
    assert "Traceback" not in ran.stderr and "coreflens: error:" in ran.stderr
    assert path.read_bytes() == before


@pytest.mark.slow
def test_hostile_names(tmp_path: Path) -> None:
    names = ["a'; DROP TABLE mention; --", 'b"c', "d\\e", "f;g", "$h", "é字", "%s", "x:key", "y\u202ez"]
    source = tmp_path / "a'b;\"c.csv"
    rows = [
        f'"{n.replace(chr(34), chr(34) * 2)}",{i},{i},"{n.replace(chr(34), chr(34) * 2)}"' for i, n in enumerate(names)
    ]
    source.write_text("doc,start,end,entity\n" + "\n".join(rows) + "\n", "utf-8")
    path = str(tmp_path / "q'uo\"te;.duckdb")
    build(path, {"key": str(source)}, {"lee": str(source)})
    identical(cl.read(source), cl.read(f"{path}:key"))
    assert check(path) == []
    change(path, "replace", {"key": str(source)})
    assert ask(path, "SELECT count(*) FROM mention").rows == [(2 * len(names),)]
    with cl.open_db(path) as db:
        assert sorted(d.name for d in db.documents()) == sorted(names)
        assert len(db.document(names[0]).entities) == 1
