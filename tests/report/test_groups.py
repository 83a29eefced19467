"""Tables by group: R and P as well, labels of values, and what 0/0 counts as."""

from __future__ import annotations

import pytest

import coreflens as cl
from command import Run
from coreflens.report.score import breakdown, render

KEY = {"d1": [["a", "b", "c"], ["d", "e", "f", "g"]], "d2": [["a", "b"], ["c", "d"]]}
RESPONSE = {"d1": [["a", "b", "c", "d"], ["e", "f", "g"]], "d2": [["a"], ["b"], ["c"], ["d"]]}


def test_every_number_of_a_group_is_that_of_its_scores() -> None:
    result = cl.score(KEY, RESPONSE, metrics="muc,bcub,blanc,derror,mela")
    groups = result.by_document()
    table = breakdown(result, groups, 2, rpf=True)
    assert table.long_header == [
        *("by group", "MUC R", "MUC P", "MUC F1", "B³ R", "B³ P", "B³ F1", "BLANC R", "BLANC P", "BLANC F1"),
        *("d-error", "error", "MELA"),
    ]
    for row, scores in zip(table.rows, [*groups.values(), result], strict=True):
        expected = [
            f"{100 * float(number):.2f}" if scores[m].defined(name) else "n/a"
            for m in ("muc", "bcub", "blanc")
            for name, number in scores[m].numbers().items()
        ]
        assert row[1:10] == expected
        assert row[10:12] == [f"{100 * float(scores['derror'].main):.2f}", scores["derror"].label or ""]


def test_what_zero_over_zero_counts_as_is_printed_and_marked() -> None:
    """Table 2, line 1 of Popescu-Belis & Robba 1998 prints 100 for the precision of a response of singletons."""
    result = cl.score(KEY["d2"], RESPONSE["d2"], metrics="muc", undefined="popescu-belis")
    assert "100.00°" in str(result)
    assert "° comes from 0/0, counted as --undefined popescu-belis says" in str(result)
    for undefined in ("zero", "nan"):
        shown = str(cl.score(KEY["d2"], RESPONSE["d2"], metrics="muc", undefined=undefined))
        assert "n/a" in shown
        assert "°" not in shown


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "html"])
def test_the_legend_stands_below_every_table(format: str) -> None:
    result = cl.score(KEY, RESPONSE, metrics="muc", undefined="popescu-belis")
    shown = render(result, format, by="document", rpf=True)
    assert "comes from 0/0" in shown


def test_intervals_of_groups_stand_below_their_f1() -> None:
    result = cl.score(KEY, RESPONSE, metrics="muc,derror,lea")
    groups = {"x": result.group_by(lambda d: "x")["x"]}
    intervals = result.bootstrap(50, by=lambda d: "x")
    table = breakdown(result, groups, 2, intervals, rpf=True)
    header = table.long_header
    for n, cell in enumerate(table.rows[1]):
        assert ("–" in cell or cell == "n/a") == (header[n].endswith("F1") or header[n] == "d-error"), header[n]


def test_rpf_needs_groups(run: Run) -> None:
    failed = run("score", "k", "r", "--rpf")
    assert failed.code == 2
    assert "--by" in failed.err
