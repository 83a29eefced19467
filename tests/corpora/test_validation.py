"""`coreflens validate`: every kind of finding with its place, in every output, on files of any size."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path

import pytest

import coreflens as cl
from command import Run, conll
from coreflens.files.finding import find
from coreflens.formats.shared.problems import CODES
from coreflens.formats.shared.streaming import stream
from texts.mmax2 import SETS, project

BROKEN = """\
#begin document (nw/a); part 000
nw/a 0 0 The NN * - - - - * (1
nw/a 0 1 cat NN * - - - - * (2
nw/a 0 2 sat NN * - - - - * 1)|(3)
nw/a 0 3 . NN * - - - - * 2)|(3)

nw/a 0 0 It NN * - - - - * (4)|(5)
nw/a 0 1 is NN * - - - - * (6
nw/a 0 2 on NN * - - - - * 7)

#end document
#begin document (nw/a); part 000
nw/a 0 0 It NN * - - - - * (1)

#end document
#begin document (nw/b); part 000
nw/b 0 0 A NN * - - - - * (8
nw/b 0 1 b NN * - - - - * (8)

nw/b 0 0 c NN * - - - - * 8)

#end document
#begin document (nw/c); part 000
nw/c 0 0 A NN * - - - - * -

#end document
"""


def test_everything_is_found_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(BROKEN)
    found = {(p.code, p.line) for p in cl.validate(tmp_path / "a.conll")}
    assert found == {
        ("crossing", 3),
        ("two-entities", 7),
        ("unclosed", 8),
        ("unopened", 9),
        ("duplicate-document", 12),
        ("sentence-border", 17),
        ("same-entity", 18),
        ("no-mentions", 23),
    }


def test_places_have_columns(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(BROKEN)
    places = {p.code: p.column for p in cl.validate(tmp_path / "a.conll")}
    line = BROKEN.split("\n")[7]
    assert places["unclosed"] == line.index("(6") + 1
    assert places["two-entities"] == BROKEN.split("\n")[6].index("(4)") + 1


def test_a_span_twice_in_its_entity(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(conll("(1)|(1)", "(2)"))
    assert [(p.code, p.line, p.severity) for p in cl.validate(tmp_path / "a.conll")] == [("repeated", 2, "warning")]


def test_exit_codes_and_text(run: Run, tmp_path: Path) -> None:
    broken, odd, fine = (tmp_path / name for name in ("broken.conll", "odd.conll", "fine.conll"))
    broken.write_text(BROKEN)
    odd.write_text(conll("(1)|(2)"))
    fine.write_text(conll("(1)", "(1)"))
    ran = run("validate", fine)
    assert (ran.code, ran.out) == (0, "")
    assert "nothing found" in ran.err
    ran = run("validate", odd, broken)
    assert ran.code == 1
    assert f"{odd}:2:13: warning: 'w0' is in entities 1 and 2 [two-entities]" in ran.out
    assert f"{broken}:8:" in ran.out
    assert "remark" not in ran.out
    assert run("validate", odd).code == 0
    assert run("validate", odd, "--strict").code == 1
    assert run("validate", odd, "--strict", "--ignore", "two-entities").code == 0
    assert "no-mentions" in run("validate", broken, "--severity", "remark").out


def test_many_findings_are_counted_first(run: Run, tmp_path: Path) -> None:
    """Two kinds, one of them 40 times; the counts are right although most messages are never made."""
    many = tmp_path / "many.conll"
    many.write_text(conll(*["(1)|(2)"] * 20, "(3)|(3)", *["(1)|(2)"] * 20))
    ran = run("validate", many)
    lines = ran.out.splitlines()
    assert lines[0].split()[:3] == ["40", "two-entities", "warning"]
    assert lines[1].split()[:3] == ["1", "repeated", "warning"]
    assert lines[2] == "" and len(lines) == 3 + 5 + 1
    assert [line.split(":")[1] for line in lines[3:]] == ["2", "3", "4", "5", "6", "22"]
    assert "--details lists all" in ran.err and "41 warnings" in ran.err
    in_full = run("validate", many, "--details").out.splitlines()
    assert len(in_full) == 41 and set(lines[3:]) <= set(in_full)
    assert len(json.loads(run("validate", many, "--format", "json").out)) == 41
    assert len(run("validate", many, "--format", "github").out.splitlines()) == 41
    folder = tmp_path / "several"
    folder.mkdir()
    for name in "abcdefg":
        (folder / f"{name}.conll").write_text(conll("(1)|(2)"))
    assert run("validate", folder).out.splitlines()[0].split()[0] == "7"
    assert run("validate", folder, "--jobs", "2").out == run("validate", folder).out


def test_json_and_github(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(conll("(1"))
    ran = run("validate", tmp_path / "a.conll", "--format", "json")
    (problem,) = json.loads(ran.out)
    assert (ran.code, problem["code"], problem["severity"], problem["line"]) == (1, "unclosed", "error", 2)
    ran = run("validate", tmp_path / "a.conll", "--format", "github")
    assert ran.out.startswith(f"::error file={tmp_path}/a.conll,line=2,col=")
    assert ",title=unclosed::mention 1" in ran.out


def test_codes_are_listed(run: Run) -> None:
    ran = run("validate", "--codes")
    assert [line.split()[0] for line in ran.out.splitlines()] == list(CODES)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty-file"),
        (b"hello world\n", "unknown-format"),
        (conll("(1)").encode().replace(b"w0", b"\xe9"), "encoding"),
        (b"\x1f\x8b\x08garbage", "input"),
    ],
)
def test_files_that_cannot_be_read(run: Run, tmp_path: Path, content: bytes, code: str) -> None:
    (tmp_path / "x").write_bytes(content)
    ran = run("validate", tmp_path / "x", "--format", "json")
    assert (ran.code, [p["code"] for p in json.loads(ran.out)]) == (1, [code])


def test_a_missing_file_does_not_stop_the_others(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(conll("(1"))
    ran = run("validate", tmp_path / "none", tmp_path / "a.conll")
    assert ran.code == 1
    assert "no such file" in ran.out
    assert "unclosed" in ran.out


def test_directories_archives_and_globs(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    (folder / "a.conll").write_text(conll("(1"))
    (folder / "b.conll").write_text(conll("(1)|(2)"))
    (folder / "notes.txt").write_text("nothing of interest\n")
    codes = ["no-mentions", "unclosed", "two-entities", "passed-over"]
    assert [p.code for p in cl.validate(folder)] == codes
    assert [p.code for p in cl.validate(folder / "*.conll")] == codes[:3]
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        for file in sorted(folder.iterdir()):
            archive.write(file, file.name)
    assert [p.code for p in cl.validate(tmp_path / "d.zip")] == codes
    assert cl.validate(tmp_path / "d.zip")[0].file == f"{tmp_path}/d.zip/a.conll"


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".conll", ".conll.gz"])
def test_pieces_of_a_large_file_keep_their_lines(tmp_path: Path, suffix: str) -> None:
    """Streamed in pieces of any size, a file has the same findings at the same lines."""
    filler = ["-"] * 300
    documents = [
        conll("(1)|(2)" if i % 3 == 0 else "(1)", "(1" if i == 7 else "-", *filler, name=f"nw/{i}") for i in range(60)
    ]
    text = "".join(documents) + conll("(1)", name="nw/3")
    path = tmp_path / f"a{suffix}"
    path.write_bytes(gzip.compress(text.encode()) if suffix.endswith("gz") else text.encode())
    whole = cl.validate(path)
    codes = [p.code for p in whole]
    assert (codes.count("two-entities"), codes.count("unclosed")) == (20, 1)
    assert ("duplicate-document", text[: text.rindex("#begin")].count("\n") + 1) in [(p.code, p.line) for p in whole]
    lines = text.split("\n")
    for size in (1 << 16, 100_000, 1 << 18):
        pieces = list(stream(find(str(path))[0][0], lenient=True, size=size))
        assert len(pieces) > 1
        found = sorted((p.code, p.line or 0) for _, source, _ in pieces for p in source.problems)
        assert found == sorted((p.code, p.line or 0) for p in whole if p.severity == "error")
        mentions = [mention for _, _, corpus in pieces if corpus is not None for mention in corpus]
        assert len(mentions) == 81
        assert all(lines[m.line - 1].startswith(f"{m.document.name}\t") for m in mentions)


def test_stdin(run: Run) -> None:
    ran = run("validate", "-", stdin=conll("(1").encode())
    assert ran.code == 1
    assert "stdin:2:" in ran.out


def test_damage_in_an_archive(run: Run, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.conll", conll("(1)") * 1000)
    data = bytearray(buffer.getvalue())
    data[60:80] = bytes(20)
    (tmp_path / "a.zip").write_bytes(bytes(data))
    assert run("validate", tmp_path / "a.zip").code == 1
    (tmp_path / "b.zip").write_bytes(bytes(data[:100]))
    assert run("validate", tmp_path / "b.zip").code == 1


def test_a_gate_on_nothing_is_no_gate(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = run("validate", tmp_path / "empty")
    assert ran.code == 1
    assert "no coreference file here (0 files)" in ran.out
    (tmp_path / "empty" / "notes.txt").write_text("nothing of interest\n")
    assert run("validate", tmp_path / "empty").code == 1


@pytest.mark.slow
def test_several_processes_find_the_same(run: Run, tmp_path: Path) -> None:
    """Files of several formats, one with neighbours, one that is a stranger; then one that is damaged."""
    for n, cells in enumerate((["(1)", "(1)"], ["(1)", "-"], ["(1)", "(2", "2)"])):
        lines = [f"d{n} 0 {k} word {cell}" for k, cell in enumerate(cells)]
        text = "\n".join((f"#begin document (d{n}); part 000", *lines, "#end document\n"))
        (tmp_path / f"{n}.conll").write_text(text)
    (tmp_path / "project").mkdir()
    project(tmp_path / "project", coref=SETS)
    (tmp_path / "notes.md").write_text("no coreference\n")
    for command in (["describe", "--format", "json"], ["validate", "--format", "json"]):
        one, two = (run(*command, str(tmp_path), "--jobs", jobs) for jobs in ("1", "2"))
        assert one == two and one[1]
    for command in (["score", "--format", "json"], ["diagnose", "--format", "json"], ["explain", "-m", "muc"]):
        one, two = (run(*command, str(tmp_path), str(tmp_path), "--jobs", jobs) for jobs in ("1", "2"))
        assert one == two and one[0] == 0
    (tmp_path / "1.conll").write_text("#begin document (x); part 000\nx 0 0 a (1\n#end document\n")
    for command in (["describe"], ["validate"]):
        one, two = (run(*command, str(tmp_path), "--jobs", jobs) for jobs in ("1", "2"))
        assert one == two and one[0] in (1, 3)


def test_strangers_among_others(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(conll("(1)"))
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (tmp_path / "b.conll").write_text("")
    assert [(p.code, Path(p.file).name) for p in cl.validate(tmp_path)] == [
        ("empty-file", "b.conll"),
        ("passed-over", "image.png"),
    ]


def test_neighbours_are_read_with_their_file_only(tmp_path: Path) -> None:
    """A text of one number per line would be labels, if it were not that of the annotation beside it."""
    (tmp_path / "a.ann").write_text("T1\tMention 0 1\t1\n")
    (tmp_path / "a.txt").write_text("1\n1\n2\n")
    assert cl.validate(tmp_path / "a.txt") == []  # read as labels
    assert not [p for p in cl.validate(tmp_path) if p.file.endswith(".txt")]


def test_any_file_of_a_project(tmp_path: Path) -> None:
    """Files in whole or in pieces, they have the same neighbours."""
    project(tmp_path, coref=SETS)
    assert cl.validate(tmp_path / "t.mmax") == cl.validate(tmp_path) == []
    assert cl.validate(tmp_path / "Basedata" / "t_words.xml") == []
