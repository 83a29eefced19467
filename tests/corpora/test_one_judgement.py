"""What one command accepts the others accept, and what one refuses `validate` finds."""

from __future__ import annotations

from pathlib import Path

from command import Run

BEGIN, END = "#begin document ({}); part 000\n", "\n#end document\n"
WIDE = "a\t0\t{}\t{}\tNN\t{}\t-\t-\t-\t-\t*\t{}\n"


def conll(name: str, rows: list[tuple[str, str]]) -> str:
    lines = "".join(f"{name}\t0\t{i}\t{word}\t{cell}\n" for i, (word, cell) in enumerate(rows))
    return BEGIN.format(name) + lines + END


def test_trees_that_are_not_whole(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "f.conll"
    rows = [("John", "(TOP(S(NP*)", "(1)"), ("saw", "(VP*))))))", "-"), ("him", "*", "(1)")]
    path.write_text(BEGIN.format("a") + "".join(WIDE.format(i, *row) for i, row in enumerate(rows)) + END, "utf-8")
    assert run("describe", path).code == 3
    checked = run("validate", path)
    assert f"{path}:3" in checked.out and "[trees]" in checked.out and checked.code == 0
    assert run("score", path, path).code == 0


def test_a_document_of_fewer_columns(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "f.conll"
    wide = "".join(WIDE.format(i, word, "(NP*)", "(1)") for i, word in enumerate(("John", "he")))
    narrow = conll("b", [("x", "(1)"), ("y", "(1)")])
    path.write_text(BEGIN.format("a") + wide + END + narrow, "utf-8")
    for command in (
        ("score", path, path),
        ("validate", path),
        ("describe", path),
        ("convert", path, tmp_path / "o.jsonl"),
    ):
        assert run(*command).code == 0, command


def test_a_mention_that_ends_in_white_space(tmp_path: Path, run: Run) -> None:
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    for blank, start, end in (("\u3000", 0, 1), ("\u00a0", 0, 1)):
        rows = [("John", "(1"), (blank, "1)"), ("saw", "-"), ("him", "(1)")]
        key.write_text(conll("a", rows), "utf-8")
        response.write_text(conll("a", [("John", "(1)"), ("saw", "-"), ("him", "(1)")]), "utf-8")
        for one, other in ((key, response), (response, key)):
            ran = run("score", one, other, "--align", "characters", "--format", "json")
            assert ran.json["scores"]["mentions"]["f1"] == 1, (blank, start, end)


def test_sweep_by_characters(tmp_path: Path, run: Run) -> None:
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(conll("a", [("John", "(1)"), ("saw", "-"), ("him", "(1)"), ("him", "(2)")]), "utf-8")
    response.write_text(
        conll("a", [("Jo", "(1"), ("hn", "1)"), ("saw", "(2)"), ("him", "(1)"), ("him", "(1)")]), "utf-8"
    )
    for damage in ("twinless", "drop", "split", "merge", "shift", "add"):
        ran = run("sweep", key, response, "--align", "characters", "--damage", damage, "-m", "bcub", "--steps", 1)
        assert ran.code == 0 or "nothing to damage" in ran.err, (damage, ran.err)
    ran = run("sweep", key, response, "--align", "characters", "-m", "bcub", "--steps", 1, "--format", "json")
    first = ran.json
    scored = run("score", key, response, "--align", "characters", "-m", "bcub", "--format", "json").json
    assert str(scored["scores"]["bcub"]["f1"])[:6] in str(first)


def test_blanks_around_names(tmp_path: Path, run: Run) -> None:
    key, response = tmp_path / "key.csv", tmp_path / "response.csv"
    key.write_text("doc,mention,entity\na,m1,1\na,m2,1\na,m3,2\n", "utf-8")
    response.write_text("doc,mention,entity\na, m1,1\na, m2,1\na,m3,2\n", "utf-8")
    ran = run("score", key, response)
    assert ran.code == 0 and "2 more mentions would be the same without the blanks" in ran.err and "[blanks]" in ran.err
