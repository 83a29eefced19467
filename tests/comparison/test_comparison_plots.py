"""`compare --plot`: what is drawn, where it is written, and what can't be drawn."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from test_verdict import documents, key, write

import coreflens as cl
from command import Run
from coreflens.report.comparison.plots import KINDS, usual

GENRES = ("bc", "nw")


def compared(names: str = "ABC", **settings: Any) -> cl.Comparison:
    rng = np.random.default_rng(3)
    systems = {name: documents(rng, 30, 0.1 + 0.15 * n, GENRES) for n, name in enumerate(names)}
    return cl.compare(key(30, GENRES), systems, metrics="conll,lea", resamples=1500, title="Toy", **settings)


def texts(svg: str) -> list[str]:
    return [t.text or "" for t in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_the_plot_that_says_most() -> None:
    for found, kind in (
        (compared("AB"), "forest"),
        (compared("ABC"), "ranks"),
        (compared("ABC", baseline="A"), "forest"),
        (compared("ABC", by="genre"), "groups"),
    ):
        assert usual(found, found.sections[0]) == kind


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_names_the_data_and_the_systems(kind: str) -> None:
    found = compared("ABC", by="genre")
    figure = KINDS[kind](found, found.sections[0])
    shown = texts(figure.svg())
    assert shown[0].startswith("Toy: ") and shown[0].endswith("(30 documents)")
    systems = {"A", "B", "C"} if kind != "forest" else {"minus B", "minus C", "CoNLL", "LEA"}
    assert systems <= set(shown)
    drawing = figure.drawing
    for thing in drawing.things:
        for x, y in getattr(thing, "points", [getattr(thing, "at", (0, 0))]):
            assert -1 <= x <= drawing.width + 1 and -1 <= y <= drawing.height + 1


def test_a_forest_plot_has_the_numbers_of_the_tests() -> None:
    found = compared("AB")
    (panel,) = KINDS["forest"](found, found.sections[0]).panels
    test = found.sections[0].test_of("B", "A")
    names = ["mentions", "muc", "bcub", "ceafe", "lea", "conll"]
    for metric, dot in zip(names, panel.dots, strict=True):
        assert dot is not None
        assert (dot.value, dot.low, dot.high) == pytest.approx(
            (100 * test[metric].difference, 100 * test[metric].low, 100 * test[metric].high)
        )
        assert dot.decided == (test[metric].p <= 0.05)


def test_many_systems_have_one_panel_of_differences() -> None:
    found = compared("ABCDEFG")
    figure = KINDS["forest"](found, found.sections[0])
    assert len(figure.panels) == 1 and list(figure.rows) == found.sections[0].names[1:]
    ranks = KINDS["ranks"](found, found.sections[0]).panels[0].dots
    places = found.sections[0].rank_intervals(0.05)
    assert [(d.low, d.high) for d in ranks if d] == [places[name] for name in found.sections[0].names]


def test_files_and_what_can_t_be_drawn(run: Run, tmp_path: Path) -> None:
    gold = write(tmp_path / "toy.csv", key(12))
    a = write(tmp_path / "a.csv", documents(np.random.default_rng(1), 12, 0.2))
    b = write(tmp_path / "b.csv", documents(np.random.default_rng(2), 12, 0.3))
    ran = run("compare", gold, a, b, "--plot", tmp_path / "x.svg", "--plot", f"metrics={tmp_path}/m.svg")
    assert ran.code == 0 and f"wrote {tmp_path / 'x.svg'}" in ran.err
    assert texts((tmp_path / "x.svg").read_text())[0] == "toy: difference, a minus b (12 documents)"
    assert "systems by metric" in texts((tmp_path / "m.svg").read_text())[0]
    for given, why in (
        ("x.jpg", "written as .svg, .png or .pdf"),
        ("forst=x.svg", "did you mean 'forest'"),
        (f"groups={tmp_path}/g.svg", "needs --by"),
        (f"ranks={tmp_path}/missing/r.svg", "can't be written"),
    ):
        ran = run("compare", gold, a, b, "--plot", given)
        assert ran.code in (2, 3) and why in ran.err, given


@pytest.mark.slow
def test_pdf_where_matplotlib_is(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = compared("ABC", by="genre")
    for kind in KINDS:
        (path,) = found.plot(tmp_path / f"{kind}.pdf", kind)
        assert path.read_bytes().startswith(b"%PDF") and re.search(rb"/Title \(?", path.read_bytes())
