"""`coreflens convert` as people use it: any path to any path, losses named, and nothing left behind by a failure."""

from __future__ import annotations

import gzip
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import coreflens as cl
from command import Run, conll
from coreflens.errors import Issue
from coreflens.files.finding import find
from coreflens.formats.shared.streaming import stream
from texts import brat, conllu

TWO = conll("(1)|(2", "2)", "(1)", name="nw/a") + conll("(7)", "-", "(7)", name="nw/b")


@pytest.fixture
def two(tmp_path: Path) -> Path:
    (tmp_path / "in.conll").write_text(TWO)
    return tmp_path / "in.conll"


def left(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_file_to_file_and_back(run: Run, two: Path, tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.conllu", "a.CONLLUA", "a.semeval", "a.sgml", "a.md", "a.csv"):
        ran = run("convert", two, tmp_path / name, "--lossy")
        assert (ran.code, ran.out) == (0, ""), ran.err
        assert cl.score(two, tmp_path / name, align="characters" if name == "a.sgml" else "none").conll == 1
    assert run("convert", tmp_path / "a.jsonl", tmp_path / "back.conll").code == 0
    assert cl.score(two, tmp_path / "back.conll").conll == 1


LOSSES = ("discontinuous mentions (1)", "labels (4)", "bridging (2)", "split-antecedent (2)", "heads (5)")


@pytest.mark.parametrize("option", [[], ["--lossy"]])
def test_losses_are_reported_in_one_note(run: Run, tmp_path: Path, option: list[str]) -> None:
    (tmp_path / "a.conllu").write_text(conllu.FULL)
    ran = run("convert", tmp_path / "a.conllu", tmp_path / "a.jsonl", *option)
    assert (ran.code, left(tmp_path)) == (0, ["a.conllu", "a.jsonl"])
    (note,) = [line for line in ran.err.splitlines() if "left out" in line]
    assert note.startswith("coreflens: note: jsonlines can't hold")
    assert all(loss in note for loss in LOSSES)


def test_strict_refuses_losses(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(conllu.FULL)
    ran = run("convert", tmp_path / "a.conllu", tmp_path / "a.jsonl", "--strict")
    assert (ran.code, left(tmp_path)) == (3, ["a.conllu"])
    assert all(loss in ran.err for loss in LOSSES)
    assert "without --strict" in ran.err
    with pytest.raises(cl.InputError, match="can't hold"):
        cl.write(cl.read(tmp_path / "a.conllu"), tmp_path / "b.jsonl", strict=True)
    assert left(tmp_path) == ["a.conllu"]


def test_a_first_column_that_differs_from_the_header_stops_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(conll("(1)", "(1)").replace("#begin document (nw/a)", "#begin document (nw/b)"))
    ran = run("convert", tmp_path / "a.conll", tmp_path / "a.jsonl")
    assert ran.code == 0
    assert "jsonlines can't hold layer document (2): left out" in ran.err
    assert cl.score(tmp_path / "a.conll", tmp_path / "a.jsonl").conll == 1


def test_the_library_returns_and_reports_what_was_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(conllu.FULL)
    told: list[Issue] = []
    lost = cl.convert(tmp_path / "a.conllu", tmp_path / "a.jsonl", report=told.append)
    assert lost["bridging"] == 2
    assert [issue.code for issue in told if issue.code == "no-room"] == ["no-room"]
    assert cl.write(cl.read(tmp_path / "a.conllu"), tmp_path / "b.jsonl") == lost
    assert (tmp_path / "a.jsonl").read_text() == (tmp_path / "b.jsonl").read_text()


def test_directories(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "below").mkdir(parents=True)
    (folder / "a.conll").write_text(TWO)
    (folder / "below" / "c.conll").write_text(conll("(1)", "(1)", name="c"))
    assert run("convert", folder, f"{tmp_path}/out/", "--to", "jsonlines").code == 0
    assert left(tmp_path / "out") == ["a.jsonlines", "below/c.jsonlines"]
    assert cl.score(folder, tmp_path / "out").conll == 1
    (tmp_path / "there").mkdir()
    ran = run("convert", folder, tmp_path / "there")
    assert (ran.code, left(tmp_path / "there")) == (3, [])
    assert "--to" in ran.err


def test_brat_has_a_file_for_each_document(run: Run, two: Path, tmp_path: Path) -> None:
    ran = run("convert", two, tmp_path / "one.ann", "--lossy")
    assert ran.code == 3
    assert "directory" in ran.err
    assert left(tmp_path) == ["in.conll"]
    assert run("convert", two, f"{tmp_path}/brat/", "--to", "brat", "--lossy").code == 0
    assert [name.endswith((".ann", ".txt")) for name in left(tmp_path / "brat")] == [True] * 4
    assert len(cl.read(tmp_path / "brat").documents) == 2
    assert run("convert", tmp_path / "brat", tmp_path / "back.conll", "--lossy").code == 0
    mentions = [sorted(str(m.identity) for m in cl.read(p)) for p in (two, tmp_path / "back.conll")]
    assert mentions[0] == mentions[1]


def test_characters_and_tokens(run: Run, tmp_path: Path) -> None:
    """Stand-off text becomes tokens, and these become text; mentions keep their words."""
    (tmp_path / "a.txt").write_text(brat.TEXT)
    (tmp_path / "a.ann").write_text(brat.ann(*brat.MENTIONS[:5], "R1 | Coref Arg1:T2 Arg2:T1"))
    assert run("convert", tmp_path / "a.ann", tmp_path / "b.conll", "--lossy").code == 0
    assert run("convert", tmp_path / "b.conll", tmp_path / "c.ann", "--lossy").code == 0
    words = [
        sorted(c.words(row) for row in range(len(c)))
        for c in (cl.read(tmp_path / x) for x in ("a.ann", "b.conll", "c.ann"))
    ]
    assert words[0] == words[1] == words[2]
    assert cl.score(tmp_path / "a.ann", tmp_path / "b.conll", pair="file", align="characters").conll == 1


def test_archives_stdin_stdout_and_gzip(run: Run, two: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        archive.write(two, "x/a.conll")
        archive.writestr("x/b.conll", conll("(1)", "(1)", name="nw/c"))
    assert run("convert", tmp_path / "in.zip", tmp_path / "all.jsonl").code == 0
    assert [json.loads(line)["doc_key"] for line in (tmp_path / "all.jsonl").read_text().splitlines()] == [
        "nw/a_0",
        "nw/b_0",
        "nw/c_0",
    ]
    assert run("convert", "-", tmp_path / "s.jsonl.gz", stdin=TWO.encode()).code == 0
    assert gzip.decompress((tmp_path / "s.jsonl.gz").read_bytes()).count(b"\n") == 2
    assert cl.score(two, tmp_path / "s.jsonl.gz").conll == 1


def test_stdout(capfdbinary: pytest.CaptureFixture[bytes], two: Path) -> None:
    assert cl.convert(two, "-", to="jsonlines") == {}
    lines = capfdbinary.readouterr().out.splitlines()
    assert [json.loads(line)["doc_key"] for line in lines] == ["nw/a_0", "nw/b_0"]


def test_failures_leave_nothing(run: Run, two: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.conll").write_text(TWO + conll("(1", name="nw/c"))
    (tmp_path / "old.jsonl").write_text("kept")
    before = left(tmp_path)
    for arguments in (
        (tmp_path / "bad.conll", tmp_path / "old.jsonl"),  # a mistake behind two good documents
        (two, tmp_path / "none" / "a.jsonl"),  # no such directory
        (two, tmp_path / "a.unknown"),
        (tmp_path / "none.conll", tmp_path / "a.jsonl"),
    ):
        ran = run("convert", *arguments)
        assert (ran.code, left(tmp_path)) == (3, before), arguments
        assert (tmp_path / "old.jsonl").read_text() == "kept"
    ran = run("convert", two, tmp_path / "a", "--to", "nothing")
    assert ran.code == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_target_that_is_not_to_be_written(run: Run, two: Path, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    ran = run("convert", two, tmp_path / "closed" / "a.jsonl")
    assert ran.code == 3
    assert "can't be written" in ran.err


def test_progress(two: Path, tmp_path: Path) -> None:
    seen: list[str] = []
    cl.convert(two, f"{tmp_path}/d/", to="brat", lossy=True, progress=seen.append)
    assert len(seen) == 2 and all(Path(name).exists() for name in seen)


# ---- large files in pieces


def _ud(i: int) -> str:
    head = "# global.Entity = eid\n" if i == 0 else ""
    words = "".join(f"{n}\tw\t_\t_\t_\t_\t_\t_\t_\t_\n" for n in range(2, 90))
    bad = "Entity=(e1" if i == 7 else "Entity=(e1)"
    return f"# newdoc id = d{i}\n{head}# sent_id = {i}\n1\tw\t_\t_\t_\t_\t_\t_\t_\t{bad}\n{words}\n"


def _ua(i: int) -> str:
    head = "# global.columns = ID FORM MISC IDENTITY\n" if i == 0 else ""
    words = "".join(f"{n}\tw\t_\t_\n" for n in range(2, 200))
    bad = "(EntityID=1|MarkableID=m" + ("" if i == 7 else ")")
    return f"{head}# newdoc id = d{i}\n1\tw\t_\t{bad}\n{words}\n"


def _json(i: int) -> str:
    clusters = [[[0, 9999 if i == 7 else 0]]]
    return json.dumps({"doc_key": f"d{i}", "sentences": [["w"] * 400], "clusters": clusters}) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("make", [_ud, _ua, _json])
def test_pieces_keep_lines_and_mentions(make: Callable[[int], str], packed: bool, tmp_path: Path) -> None:
    text = "".join(make(i) for i in range(100))
    path = tmp_path / "a.x"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    whole = [(p.code, p.line) for p in cl.validate(path) if p.severity == "error"]
    assert len(whole) == 1 and whole[0][1] is not None and whole[0][1] > 7
    for size in (1 << 16, 100_000):
        pieces = list(stream(find(str(path))[0][0], lenient=True, size=size))
        assert len(pieces) > 1
        assert [(p.code, p.line) for _, s, _ in pieces for p in s.problems if p.severity == "error"] == whole
        mentions = [m for _, _, corpus in pieces if corpus is not None for m in corpus]
        assert [m.document.name for m in mentions] == [f"d{i}" for i in range(100) if i != 7]
