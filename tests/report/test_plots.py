"""Plots: what is drawn, that it can be told apart, and that both outputs draw it."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from math import nan
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chance import examples
from coreflens import InputError, UsageError
from coreflens.cli.choices import PLOT
from coreflens.paper.drawing import Shape, Stroke, Text
from coreflens.paper.plot import COLOURS, DASHES, MARKERS, Plot, Series, _apart, ticks
from registry import commands

X = [0.0, 50.0, 100.0]
LINE = Plot(
    "line", "Lines & more", "share (%)", "F1",
    [Series("B³ <sys>", X, [40, 50, 60], [39, 48, 57], [41, 52, 63]), Series("MUC", X, [40, nan, 61])],
)  # fmt: skip
SCATTER = Plot("scatter", "Points", "BLANC", "F1", [Series("MUC", [1, 2], [3, 4], labels=["lee", "chen"])])
BAR = Plot("bar", "Bars", "α", "", [Series("alpha", [], [0.5, -0.2, nan], labels=["news", "talk", "web"])])


@pytest.mark.parametrize("plot", [LINE, SCATTER, BAR], ids=lambda plot: plot.kind)
def test_svg_is_well_formed_and_inside_its_frame(plot: Plot) -> None:
    root = ElementTree.fromstring(plot.svg())
    assert root.find("{*}title").text == plot.title  # type: ignore[union-attr]
    for element in root.findall(".//{*}polygon"):
        for x, y in re.findall(r"([-\d.]+),([-\d.]+)", element.attrib["points"]):
            assert 0 <= float(x) <= plot.width and 0 <= float(y) <= plot.height
    words = {element.text for element in root.findall(".//{*}text")}
    assert {plot.title, plot.x_label} <= words


def test_a_line_is_at_its_numbers() -> None:
    """The axes' ticks say where 40 and 60 are; the line's ends must be there."""
    things = LINE.drawing.things
    heights = {t.text: t.at[1] - 4 for t in things if isinstance(t, Text) and t.anchor == "end"}
    line = next(t for t in things if isinstance(t, Stroke) and t.colour == COLOURS[0] and t.width > 1)
    assert line.points[0][1] == pytest.approx(heights["40"])
    assert line.points[2][1] == pytest.approx(heights["60"])
    assert line.points[1][0] == pytest.approx((line.points[0][0] + line.points[2][0]) / 2)


def test_bands_and_gaps() -> None:
    bands = [t for t in LINE.drawing.things if isinstance(t, Shape) and t.opacity < 1]
    assert [len(band.points) for band in bands] == [6]
    muc = [t for t in LINE.drawing.things if isinstance(t, Stroke) and t.colour == COLOURS[1] and t.width > 1]
    assert len(muc[0].points) == 2  # the undefined number is not drawn


def test_series_differ_without_colour() -> None:
    looks = [(k % len(MARKERS), k % len(DASHES)) for k in range(30)]
    assert len(set(looks)) == 30
    assert len({(k % len(COLOURS), k % len(DASHES)) for k in range(35)}) == 35


def test_names_of_lines_do_not_overlap() -> None:
    crowded = Plot("line", "t", "x", "y", [Series(f"m{k}", X, [1, 2, 3 + k / 1000]) for k in range(9)])
    names = sorted(t.at[1] for t in crowded.drawing.things if isinstance(t, Text) and t.text.startswith("m"))
    assert all(b - a >= 14.9 for a, b in pairwise(names))


@examples(500)
@given(st.lists(st.floats(0, 300), max_size=15))
def test_apart(heights: list[float]) -> None:
    moved = _apart(sorted(heights), 15, 0, 300)
    assert len(moved) == len(heights)
    assert all(b - a >= 15 - 1e-6 for a, b in pairwise(moved))


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_ticks_cover_the_numbers(a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    found = ticks(low, high)
    slack = 1e-6 * max(1, abs(low), abs(high))
    assert found[0] <= low + slack and found[-1] >= high - slack
    assert 2 <= len(found) <= 8


def test_labels_of_few_points_and_tooltips_of_all() -> None:
    words = [t.text for t in SCATTER.drawing.things if isinstance(t, Text)]
    assert {"lee", "chen"} <= set(words)
    many = Series("MUC", list(range(50)), list(range(50)), labels=[f"s{k}" for k in range(50)])
    svg = Plot("scatter", "t", "x", "y", [many]).svg()
    assert svg.count("<title>s") == 50 and ">s7</text>" not in svg


def test_bars_begin_at_zero() -> None:
    bars = [t for t in BAR.drawing.things if isinstance(t, Shape) and t.colour == COLOURS[0]]
    assert len(bars) == 2
    (positive, negative) = bars
    zero = positive.points[0][0]
    assert negative.points[0][0] == zero
    assert (zero - negative.points[1][0]) / (positive.points[1][0] - zero) == pytest.approx(0.2 / 0.5)
    assert "n/a" in [t.text for t in BAR.drawing.things if isinstance(t, Text)]


@pytest.mark.slow
def test_pdf(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="no matplotlib: plots as PDF are not drawn")
    for plot in (LINE, SCATTER, BAR):
        plot.save(tmp_path / "p.pdf")
        data = (tmp_path / "p.pdf").read_bytes()
        assert data.startswith(b"%PDF") and b"/FontFile2" in data  # fonts are embedded


@pytest.mark.slow
def test_png(tmp_path: Path) -> None:
    """Two dots of the image are a point of the plot, and the same plot gives the same bytes."""
    pytest.importorskip("matplotlib", reason="no matplotlib: plots as PNG are not drawn")
    image = pytest.importorskip("PIL.Image")
    for plot in (LINE, SCATTER, BAR):
        plot.save(tmp_path / "p.png")
        data = (tmp_path / "p.png").read_bytes()
        drawn = image.open(tmp_path / "p.png").convert("RGB")
        assert drawn.size == (2 * plot.width, 2 * plot.height)
        assert len(drawn.getcolors(maxcolors=1 << 20)) > 10  # more than paper
        plot.save(tmp_path / "p.png")
        assert (tmp_path / "p.png").read_bytes() == data


def test_every_command_with_plots_refuses_other_formats_before_it_reads() -> None:
    """The name of the plot is checked first: no input of these commands exists."""
    found = 0
    for command in commands().values():
        for option in command.params:
            if "plot" not in (option.name or ""):
                continue
            found += 1
            if option.type is PLOT:
                with pytest.raises(UsageError, match=r"\.svg, \.png or \.pdf"):
                    PLOT.convert("p.jpg", option, None)
            else:
                assert command.name == "compare"  # KIND=FILE: see tests/comparison/test_comparison_plots.py
    assert found >= 11


def test_pdf_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"coreflens\[plots\]"):
        LINE.save(tmp_path / "p.pdf")


def test_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.svg, \.png or \.pdf"):
        LINE.save(tmp_path / "p.jpg")
    with pytest.raises(InputError, match="can't be written"):
        LINE.save(tmp_path / "no" / "p.svg")
    with pytest.raises(UsageError, match="did you mean 'line'"):
        Plot("lines", "", "", "", [])
    for kind in ("line", "bar"):
        with pytest.raises(UsageError, match="nothing to plot"):
            Plot(kind, "", "", "", [Series("a", [0], [nan], labels=["b"])]).svg()
