"""What is wrong with a submission, in words and as JSON: one file for each kind of fault."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

import coreflens as cl
from command import Run, conll
from coreflens.corpora.submission import CHECKS

CELLS: dict[str, tuple[str, ...]] = {
    "nw/a": ("(1)", "-", "(1)", "(2)", "(2)", "(3)"),
    "nw/b": ("(1)", "(1)", "-", "(2)", "-", "(1)"),
}
SYSTEM: dict[str, tuple[str, ...]] = {
    "nw/a": ("(7)", "(7)", "(7)", "(8)", "-", "(8)"),
    "nw/b": ("(1)", "(2)", "-", "(2)", "-", "(1)"),
}


def text(cells: dict[str, tuple[str, ...]]) -> str:
    return "".join(conll(*row, name=name) for name, row in cells.items())


KEY = text(CELLS)
SKELETON = text({name: ("-",) * len(row) for name, row in CELLS.items()})
GOOD = text(SYSTEM)

ERROR, WARNING = "error", "warning"
EMPTY = ("-",) * 6

# name → the submission, the question, how grave, and words of the answer
BROKEN: dict[str, tuple[str | bytes, str, str, str]] = {
    "missing": (text({"nw/a": SYSTEM["nw/a"]}), "documents", ERROR, "1 document of the task is missing: 'nw/b"),
    "extra": (GOOD + conll("(1)", name="x"), "documents", ERROR, "1 document is not part of the task, such as 'x"),
    "renamed": (GOOD.replace("nw/", "wsj_"), "documents", ERROR, "no document in common"),
    "twice": (GOOD + GOOD, "documents", ERROR, "there is already a document"),
    "word": (GOOD.replace("w1", "W-1", 1), "tokens", ERROR, "is 'W-1', and in the task it is 'w1'"),
    "shorter": (
        text(SYSTEM | {"nw/b": SYSTEM["nw/b"][:-1]}),
        "tokens",
        ERROR,
        "missing, and in the task it is 'w2'",
    ),
    "longer": (text(SYSTEM | {"nw/b": (*SYSTEM["nw/b"], "-")}), "tokens", ERROR, "'w0', and in the task it is missing"),
    "unclosed": (GOOD.replace("(8)", "(8", 1), "format", ERROR, "never closed"),
    "unopened": (GOOD.replace("(7)", "7)", 1), "format", ERROR, "never opened"),
    "prose": ("Dear organisers, please find our system attached.\n", "format", ERROR, "not a coreference format"),
    "binary": (bytes(range(256)) * 20, "format", ERROR, "binary"),
    "encoding": (GOOD.replace("w1", "Z\xfcrich").encode("latin-1"), "format", ERROR, "not UTF-8"),
    "nothing": ("", "empty", ERROR, "the file is empty"),
    "no mentions": (SKELETON, "empty", ERROR, "no mention in the whole submission"),
    "half empty": (text(SYSTEM | {"nw/b": EMPTY}), "empty", WARNING, "1 document without any mention, such as 'nw/b"),
    "one entity": (text(dict.fromkeys(SYSTEM, ("(1)",) * 6)), "ids", WARNING, "2 documents in which all mentions are"),
    "mention ids": (text({n: tuple(f"({i})" for i in range(6)) for n in SYSTEM}), "ids", WARNING, "ids of mentions?"),
    "two entities": (GOOD.replace("(8)", "(8)|(7)", 1), "ids", WARNING, "is in entities"),
}


@pytest.fixture
def tasks(tmp_path: Path) -> list[Path]:
    """The key, and the same without its chains."""
    files = [tmp_path / "key.conll", tmp_path / "skeleton.conll"]
    for file, content in zip(files, (KEY, SKELETON), strict=True):
        file.write_text(content, "utf-8")
    return files


def test_a_sound_submission(tasks: list[Path], tmp_path: Path, run: Run) -> None:
    sent = tmp_path / "team.conll"
    sent.write_text(GOOD, "utf-8")
    for task in tasks:
        ran = run("check-submission", task, sent)
        assert ran.code == 0 and ran.out.splitlines()[-1] == "accepted"
        assert [line.split()[1] for line in ran.out.splitlines()[2:-1]] == ["ok:"] * len(CHECKS)
    assert "12 mentions" not in ran.out and "9 mentions in 4 entities" in ran.out


def test_a_submission_may_be_packed(tasks: list[Path], tmp_path: Path, run: Run) -> None:
    with zipfile.ZipFile(tmp_path / "team.zip", "w") as archive:
        for name, cells in SYSTEM.items():
            archive.writestr(f"team/{name[-1]}.conll", conll(*cells, name=name))
        archive.writestr("team/README", "our system")
    (tmp_path / "team.conll.gz").write_bytes(gzip.compress(GOOD.encode()))
    for sent in ("team.zip", "team.conll.gz"):
        assert run("check-submission", tasks[1], tmp_path / sent).code == 0
    (tmp_path / "cut.conll.gz").write_bytes(gzip.compress(GOOD.encode())[:-20])
    ran = run("check-submission", tasks[1], tmp_path / "cut.conll.gz")
    assert ran.code == 1 and "not accepted: 1 error" in ran.out


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_submission_gets_the_right_words(kind: str, tasks: list[Path], tmp_path: Path, run: Run) -> None:
    content, question, severity, words = BROKEN[kind]
    sent = tmp_path / "team.conll"
    sent.write_bytes(content if isinstance(content, bytes) else content.encode())
    reports = []
    for task in tasks:
        ran = run("check-submission", task, sent)
        assert ran.code == (severity == "error"), ran.out
        (line,) = [line for line in ran.out.splitlines() if words in line]
        assert line.startswith(f"{question:<11} {severity}: "), line
        assert ran.out.splitlines()[-1].startswith("not accepted: " if severity == "error" else "accepted: ")
        plain = run("check-submission", task, sent, "--format", "json")
        assert plain.code == ran.code
        reports.append(cl.check_submission(task, sent).to_dict())
        assert reports[-1]["ok"] is (severity == "warning")
        findings = reports[-1]["checks"][question]["findings"]
        assert reports[-1]["checks"][question]["status"] == severity
        assert any(words in finding["message"] for finding in findings)
        assert run("check-submission", task, sent, "--strict").code == 1
        others = {name: check["status"] for name, check in reports[-1]["checks"].items() if name != question}
        assert "error" not in others.values(), others
    assert reports[0]["checks"] == reports[1]["checks"]  # the chains of the key are not looked at


def test_what_can_not_be_read_at_all(tasks: list[Path], tmp_path: Path, run: Run) -> None:
    ran = run("check-submission", tasks[0], tmp_path / "nobody.conll")
    assert ran.code == 3 and "no such file" in ran.err
    (tmp_path / "task.txt").write_text("no task", "utf-8")
    assert run("check-submission", tmp_path / "task.txt", tasks[0]).code == 3
    ran = run("check-submission", tasks[0], "-")
    assert ran.code == 2 and "read twice" in ran.err


def test_submissions_without_words(tasks: list[Path], tmp_path: Path, run: Run) -> None:
    """Spans alone: the words can't be compared, and the report says so; a span behind the end is an error."""
    sent = tmp_path / "team.csv"
    rows = ["doc,start,end,entity", "nw/a_0,0,0,1", "nw/a_0,2,3,1", "nw/b_0,0,1,2", "nw/b_0,4,5,2"]
    sent.write_text("\n".join(rows) + "\n", "utf-8")
    ran = run("check-submission", tasks[1], sent)
    assert ran.code == 0 and "tokens      not checked: there are no words to compare" in ran.out
    sent.write_text("\n".join([*rows, "nw/b_0,5,6,2"]) + "\n", "utf-8")
    ran = run("check-submission", tasks[1], sent)
    assert ran.code == 1 and "with mentions after the last token" in ran.out


def test_other_tokens_of_the_same_text(tasks: list[Path], tmp_path: Path, run: Run) -> None:
    words = ["w0w1", "w2", "w0", "w1", "w2"]
    rows = [f"nw/a\t0\t{n}\t{word}\t{cell}\n" for n, (word, cell) in enumerate(zip(words, CELLS["nw/a"], strict=False))]
    other = "".join(["#begin document (nw/a); part 000\n", *rows, "\n#end document\n"])
    sent = tmp_path / "team.conll"
    sent.write_text(other + conll(*SYSTEM["nw/b"], name="nw/b"), "utf-8")
    assert run("check-submission", tasks[1], sent).code == 1
    assert run("check-submission", tasks[1], sent, "--align", "characters").code == 0
