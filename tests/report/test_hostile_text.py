"""Text from files in reports: it can't steer a terminal, become a formula, or become part of a page."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import coreflens as cl
from command import Run, conll
from coreflens.errors import visible
from coreflens.paper.table import Table
from coreflens.paper.web import SORTING
from coreflens.paper.writers import WRITERS, csv_cell

CONTROLS = [*(chr(c) for c in range(32)), *(chr(c) for c in range(0x7F, 0xA0)), "\u2028", "\u202e", "\u2066"]
EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.exe"
FORMATS = ("table", "json", "csv", "markdown", "latex", "html")


def harmless(text: str) -> bool:
    return not any(c in text for c in CONTROLS if c not in "\n\t")


def test_what_is_shown() -> None:
    assert visible("a\x1bb\nc\u202e") == "a\\u001bb\\nc\\u202e"
    assert visible("a\nb", keep="\n") == "a\nb"
    assert visible("Müller 漢字 עברית") == "Müller 漢字 עברית"
    assert json.loads(visible(json.dumps({"a": EVIL}, ensure_ascii=False))) == {"a": EVIL}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for side, clusters in (("k", [[[0, 0], [1, 1]], [[2, 2]]]), ("r", [[[0, 0]], [[1, 1], [2, 2]]])):
        record = {"doc_key": f"nw/{EVIL}", "sentences": [[EVIL, "<script>", "=cmd()"]], "clusters": clusters}
        Path(f"{side}.jsonl").write_text(json.dumps(record) + "\n")
    return tmp_path


@pytest.mark.parametrize("format", FORMATS)
def test_reports(run: Run, here: Path, format: str) -> None:
    for command in (
        ["score", "k.jsonl", "r.jsonl", "--by", "document", "--format", format],
        ["diagnose", "k.jsonl", "r.jsonl", *([] if format == "json" else ["--show", "errors"]), "--format", format],
        ["agree", "k.jsonl", "r.jsonl", "--differences", "--format", format],
        ["compare", "k.jsonl", f"{EVIL}=r.jsonl", "k.jsonl", "--by", "document", "--format", format],
        ["describe", "k.jsonl", "--by", "document", "--format", format],
        ["explain", "k.jsonl", "r.jsonl", "-m", "muc", "--format", format],
    ):
        if command[0] == "explain" and format == "csv":
            continue
        ran = run(*command)
        assert ran.code == 0, ran.err
        assert harmless(ran.out) and harmless(ran.err), command
        if format == "html":
            assert "<script" not in ran.out.replace(f"<script>{SORTING}</script>", "", 1)  # ours, if it is a page
        if format == "markdown":
            assert "<script" not in ran.out.replace("\\<script", "")


def test_messages(run: Run, here: Path) -> None:
    Path("bad.conll").write_text(conll("(1", name=EVIL) + conll("(1", name=EVIL))
    for command in (["score", "bad.conll", "bad.conll"], ["validate", "bad.conll"], ["pair", "k.jsonl", "r.jsonl"]):
        ran = run(*command)
        assert harmless(ran.out) and harmless(ran.err)
    ran = run("score", "k.jsonl", f"none{EVIL}")
    assert ran.code == 3 and harmless(ran.err)


def test_a_name_is_one_line(run: Run, here: Path) -> None:
    """Otherwise a document could add a line of its own to a log: a command for GitHub, or another error."""
    for side in "kr":
        record = {"doc_key": "nw/a\n::error::x", "sentences": [["a"]], "clusters": [[[0, 0]]]}
        Path(f"{side}.jsonl").write_text(json.dumps(record) + "\n")
    Path("empty.jsonl").write_text(json.dumps({"doc_key": "other\n::error::x", "sentences": [["a"]], "clusters": []}))
    for command in (["score", "k.jsonl", "r.jsonl", "--by", "document"], ["score", "k.jsonl", "empty.jsonl"]):
        ran = run(*command)
        assert not any(line.startswith("::") for line in (ran.out + ran.err).splitlines())


def test_cells_are_no_formulas() -> None:
    for text in ("=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "-", "+", "=", "\r=1"):
        assert csv_cell(text) == f"'{text}"
    for number in ("-1", "+0.53", "-.5", "1/3", "-1/3", "-1e-05", "-0.0", "12", ""):
        assert csv_cell(number) == number
    rows = list(csv.reader(io.StringIO(WRITERS["csv"](Table(["=a", "b"], [["=x", "-1.5"], ["a\nb", "+1"]]), ""))))
    assert rows == [["'=a", "b"], ["'=x", "-1.5"], ["a\nb", "+1"]]


def test_no_formula_from_a_file(run: Run, here: Path) -> None:
    ran = run("diagnose", "k.jsonl", "r.jsonl", "--show", "errors", "--format", "csv")
    cells = [cell for row in csv.reader(io.StringIO(ran.out)) for cell in row]
    assert any("cmd()" in cell for cell in cells)
    assert not any(cell.startswith("=") for cell in cells)


def test_what_convert_writes_is_the_text_itself(here: Path) -> None:
    cl.convert("k.jsonl", "k.csv", to="table")
    cl.convert("k.jsonl", "again.jsonl")
    assert json.loads(Path("again.jsonl").read_text())["sentences"] == [[EVIL, "<script>", "=cmd()"]]
    assert "'=" not in Path("k.csv").read_text()


def test_markdown_has_no_html() -> None:
    table = Table(["<b>"], [["<img src=x onerror=alert(1)>"], ["a & b"]], title="<i>")
    written = WRITERS["markdown"](table, "<u>")
    assert not any(tag in written for tag in ("<b>", "<img", "<i>", "<u>")) and "&lt;img" in written
    assert "a &amp; b" in written
