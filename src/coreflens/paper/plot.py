"""Plots for papers and pages: one description, drawn as SVG, or as PNG or PDF through matplotlib.

A `Plot` is laid out once, and both outputs draw exactly that layout. Series differ by colour (Okabe & Ito 2008, safe
for colour-blind readers), dash and marker, so that a grey print still tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, cos, floor, isfinite, log10, pi, sin
from pathlib import Path
from typing import TypeAlias

from ..errors import UsageError, choose
from .drawing import FAINT, INK, Drawing, Drawn, Point, Shape, Stroke, Text

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES: tuple[tuple[float, ...], ...] = ((), (7, 3), (2, 2), (9, 3, 2, 3), (4, 2, 1, 2, 1, 2))  # 5 and 7: 35 pairs


@dataclass(frozen=True, slots=True)
class Series:
    """One line, cloud of points, or set of bars. `low` and `high` bound a band, `labels` name the points."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    labels: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Plot:
    """What to draw; `kind` is line, scatter, bar (horizontal, one bar per label of each series), map or stages."""

    kind: str
    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    width: float = 640
    height: float = 400

    def __post_init__(self) -> None:
        choose(self.kind, _LAYOUTS, "kind of plot")

    @property
    def drawing(self) -> Drawing:
        """The plot laid out: background, title, and what its kind draws."""
        paper = Shape([(0, 0), (self.width, 0), (self.width, self.height), (0, self.height)], "#FFFFFF")
        title = Text((12, 22), self.title, size=14, bold=True)
        return Drawing(self.title, self.width, self.height, [paper, title, *_LAYOUTS[self.kind](self)])

    def svg(self) -> str:
        return self.drawing.svg()

    _repr_svg_ = svg  # notebooks look for it

    def save(self, path: str | Path) -> None:
        """Write the plot; the file's suffix, .svg, .png or .pdf, gives the format."""
        self.drawing.save(path)


def _polygon(corners: int, turn: float, radius: float) -> tuple[Point, ...]:
    angles = (2 * pi * k / corners + turn for k in range(corners))
    return tuple((radius * sin(a), -radius * cos(a)) for a in angles)


_ARM = ((-1.4, -4.6), (1.4, -4.6), (1.4, -1.4))  # one arm of a cross; the others are this one turned
_CROSS = tuple(
    (x, y) if k == 0 else (-y, x) if k == 1 else (-x, -y) if k == 2 else (y, -x) for k in range(4) for x, y in _ARM
)
MARKERS = (
    _polygon(20, 0, 3.6),  # disc
    _polygon(4, pi / 4, 4.6),  # square
    _polygon(3, 0, 5.0),  # triangle
    _polygon(4, 0, 5.0),  # diamond
    _polygon(3, pi, 5.0),  # triangle, pointing down
    _CROSS,
)


def _mark(place: int, at: Point, title: str = "", scale: float = 1) -> Shape:
    outline = [(at[0] + scale * x, at[1] + scale * y) for x, y in MARKERS[place % len(MARKERS)]]
    return Shape(outline, COLOURS[place % len(COLOURS)], title=title)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers, 1, 2 or 5 times a power of ten apart, from at most `low` to at least `high`."""
    if high - low < 1e-9 * max(abs(low), abs(high), 1):
        low, high = low - 0.5, high + 0.5
    power = 10.0 ** floor(log10((high - low) / most))
    step = next(m * power for m in (1, 2, 5, 10, 20) if ceil(high / (m * power)) - floor(low / (m * power)) <= most)
    return [round(k * step, 12) for k in range(floor(low / step + 1e-9), ceil(high / step - 1e-9) + 1)]


@dataclass(frozen=True, slots=True)
class _Frame:
    """The axes: data to points."""

    left: float
    top: float
    right: float
    bottom: float
    x_ticks: Sequence[float]
    y_ticks: Sequence[float]

    def at(self, x: float, y: float) -> Point:
        across = (x - self.x_ticks[0]) / (self.x_ticks[-1] - self.x_ticks[0])
        up = (y - self.y_ticks[0]) / (self.y_ticks[-1] - self.y_ticks[0])
        return self.left + across * (self.right - self.left), self.bottom - up * (self.bottom - self.top)

    def draw(self, plot: Plot) -> Iterator[Drawn]:
        for y in self.y_ticks:
            height = self.at(self.x_ticks[0], y)[1]
            yield Stroke([(self.left, height), (self.right, height)], FAINT)
            yield Text((self.left - 8, height + 4), f"{y:g}", "end")
        for x in self.x_ticks:
            across = self.at(x, self.y_ticks[0])[0]
            yield Stroke([(across, self.bottom), (across, self.bottom + 5)], INK)
            yield Text((across, self.bottom + 19), f"{x:g}", "middle")
        yield Stroke([(self.left, self.bottom), (self.right, self.bottom)], INK)
        middle = (self.left + self.right) / 2, (self.top + self.bottom) / 2
        yield Text((middle[0], self.bottom + 38), plot.x_label, "middle")
        yield Text((self.left - 42, middle[1]), plot.y_label, "middle", upright=True)


def _points(series: Series) -> list[tuple[float, float, int]]:
    """The points that can be drawn; an undefined score leaves a gap."""
    finite = (isfinite(x) and isfinite(y) for x, y in zip(series.x, series.y, strict=True))
    return [(series.x[k], series.y[k], k) for k, fine in enumerate(finite) if fine]


def _text_width(text: str, size: float = 12) -> float:
    return 0.6 * size * len(text)


def _framed(plot: Plot) -> _Frame:
    xs = [x for s in plot.series for x, _, _ in _points(s)]
    ys = [y for s in plot.series for _, y, _ in _points(s)]
    ys += [y for s in plot.series for y in (*s.low, *s.high) if isfinite(y)]
    if not xs:
        raise UsageError(f"nothing to plot in '{plot.title}': no defined number")
    margin = 34 + max(_text_width(s.name) for s in plot.series)
    return _Frame(64, 40, plot.width - margin, plot.height - 56, ticks(min(xs), max(xs), 10), ticks(min(ys), max(ys)))


def _line(plot: Plot) -> Iterator[Drawn]:
    """Lines with bands; each is named where it ends, the names moved apart where ends meet."""
    frame = _framed(plot)
    yield from frame.draw(plot)
    yield from _lines(plot, frame)


def _lines(plot: Plot, frame: _Frame) -> Iterator[Drawn]:
    for place, series in enumerate(plot.series):
        if len(series.low) and any(a != b for a, b in zip(series.low, series.high, strict=True)):
            upper = [frame.at(x, series.high[k]) for x, _, k in _points(series)]
            lower = [frame.at(x, series.low[k]) for x, _, k in _points(series)]
            yield Shape([*upper, *reversed(lower)], COLOURS[place % len(COLOURS)], 0.15)
    ends = []
    for place, series in enumerate(plot.series):
        drawn = [(frame.at(x, y), f"{series.name}: {y:.4g} at {x:g}") for x, y, _ in _points(series)]
        if not drawn:
            continue
        path = [at for at, _ in drawn]
        yield Stroke(path, COLOURS[place % len(COLOURS)], 1.8, DASHES[place % len(DASHES)])
        yield from (_mark(place, at, title, 0.8) for at, title in drawn)
        ends.append((path[-1], place))
    ends.sort(key=lambda end: end[0][1])
    heights = _apart([end[0][1] for end in ends], 15, frame.top, frame.bottom)
    for (end, place), height in zip(ends, heights, strict=True):
        yield Stroke([(end[0] + 5, end[1]), (frame.right + 12, height)], COLOURS[place % len(COLOURS)], 0.7)
        yield _mark(place, (frame.right + 17, height))
        yield Text((frame.right + 26, height + 4), plot.series[place].name)


def _apart(heights: list[float], least: float, top: float, bottom: float) -> list[float]:
    """Sorted heights moved so that neighbours are `least` apart: blocks that touch are centred where they belong."""
    blocks: list[tuple[float, int]] = []  # middle, members

    def within(middle: float, members: int) -> float:
        half = least * (members - 1) / 2
        return max(min(middle, bottom - half), top + half)

    for height in heights:
        middle, members = within(height, 1), 1
        while blocks and middle - blocks[-1][0] < least * (members + blocks[-1][1]) / 2:
            before, more = blocks.pop()
            middle, members = (before * more + middle * members) / (more + members), more + members
            middle = within(middle, members)
        blocks.append((middle, members))
    return [middle + least * (k - (members - 1) / 2) for middle, members in blocks for k in range(members)]


_LABELS = 20


_Box: TypeAlias = tuple[float, float, float, float]  # left, top, right, bottom


def _scatter(plot: Plot) -> Iterator[Drawn]:
    """Points; a name stands by the topmost of its points where there is room, and on every point's tooltip."""
    frame = _framed(plot)
    yield from frame.draw(plot)
    tops: dict[str, Point] = {}
    taken: list[_Box] = []
    for place, series in enumerate(plot.series):
        for x, y, k in _points(series):
            at = frame.at(x, y)
            label = series.labels[k] if len(series.labels) else ""
            name = f"{label}, {series.name}" if label else series.name
            yield _mark(place, at, f"{name}: {x:.4g}, {y:.4g}")
            taken.append((at[0] - 4, at[1] - 4, at[0] + 4, at[1] + 4))
            if label and at[1] < tops.get(label, (0, plot.height))[1]:
                tops[label] = at
    if len(tops) <= _LABELS:  # if only some points could be named, none is
        yield from _names_of_points(tops, taken, frame)
    for place, series in enumerate(plot.series):
        height = frame.top + 8 + 18 * place
        yield _mark(place, (frame.right + 17, height))
        yield Text((frame.right + 26, height + 4), series.name)


def _names_of_points(tops: Mapping[str, Point], taken: list[_Box], frame: _Frame) -> Iterator[Drawn]:
    """The name of each point above or below it, where nothing else stands."""
    for name, (x, y) in sorted(tops.items(), key=lambda item: item[1]):
        label = name if len(name) <= 24 else f"{name[:23]}…"
        half = _text_width(label, 10) / 2
        middle = min(max(x, frame.left + half), frame.right - half)
        for baseline in (y - 8, y + 16):
            box = (middle - half, baseline - 9, middle + half, baseline + 2)
            if not any(_overlap(box, other) for other in taken):
                taken.append(box)
                yield Text((middle, baseline), label, "middle", 10)
                break


def _overlap(one: _Box, other: _Box) -> bool:
    beside = one[0] >= other[2] or other[0] >= one[2]
    above = one[1] >= other[3] or other[1] >= one[3]
    return not beside and not above


def _defined(plot: Plot) -> list[float]:
    """The numbers of all series that can be drawn; an error if there are none."""
    values = [y for series in plot.series for y in series.y if isfinite(y)]
    if not values:
        raise UsageError(f"nothing to plot in '{plot.title}': no defined number")
    return values


@dataclass(frozen=True, slots=True)
class _Scale:
    """A horizontal axis: a number to points."""

    left: float
    right: float
    ticks: Sequence[float]

    def at(self, value: float) -> float:
        return self.left + (value - self.ticks[0]) / (self.ticks[-1] - self.ticks[0]) * (self.right - self.left)


def _bar(plot: Plot) -> Iterator[Drawn]:
    """Horizontal bars from zero, grouped by label, each with its number; `y` are the values, `labels` the groups."""
    labels = list(dict.fromkeys(label for s in plot.series for label in s.labels))
    values = _defined(plot)
    several = len(plot.series) > 1
    legend = max(_text_width(s.name) for s in plot.series) + 20 if several else 0
    scale = _Scale(
        left=16 + max(map(_text_width, labels)),
        right=plot.width - 60 - legend,
        ticks=ticks(min(0, *values), max(0, *values)),
    )
    row = (plot.height - 96) / len(labels)
    thick = min(row * 0.8 / len(plot.series), 22)
    bottom = plot.height - 56
    for tick in scale.ticks:
        yield Stroke([(scale.at(tick), 40), (scale.at(tick), bottom)], FAINT)
        yield Text((scale.at(tick), bottom + 16), f"{tick:g}", "middle")
    for place, series in enumerate(plot.series):
        colour = COLOURS[place % len(COLOURS)]
        for label, value in zip(series.labels, series.y, strict=True):
            top = 40 + row * (labels.index(label) + 0.5) + thick * (place - len(plot.series) / 2)
            yield from _one_bar(scale, value, top, thick, colour, f"{label}, {series.name}")
        if several:
            yield _mark(place, (scale.right + 52, 48 + 18 * place))
            yield Text((scale.right + 62, 52 + 18 * place), series.name)
    for k, label in enumerate(labels):
        yield Text((scale.left - 8, 40 + row * (k + 0.5) + 4), label, "end")
    yield Stroke([(scale.at(0), 40), (scale.at(0), bottom)], INK)
    yield Text(((scale.left + scale.right) / 2, bottom + 36), plot.x_label, "middle")


def _one_bar(scale: _Scale, value: float, top: float, thick: float, colour: str, name: str) -> Iterator[Drawn]:
    """A bar and its number, or n/a."""
    zero, baseline = scale.at(0), top + thick / 2 + 4
    if not isfinite(value):
        yield Text((zero + 5, baseline), "n/a", size=11)
        return
    end = scale.at(value)
    corners = [(zero, top), (end, top), (end, top + thick), (zero, top + thick)]
    yield Shape(corners, colour, title=f"{name}: {value:.4g}")
    if value >= 0:
        yield Text((end + 5, baseline), f"{value:.3g}", "start", 11)
    else:
        yield Text((end - 5, baseline), f"{value:.3g}", "end", 11)


def _stages(plot: Plot) -> Iterator[Drawn]:
    """Lines over stages, which are named below by `labels`; where there are many, not every one is."""
    names = plot.series[0].labels
    several = [y for s in plot.series for y in (*s.y, *s.low, *s.high) if isfinite(y)]
    if not several:
        raise UsageError(f"nothing to plot in '{plot.title}': no defined number")
    margin = 34 + max(_text_width(s.name) for s in plot.series)
    ends = (0.5, len(names) + 0.5)
    frame = _Frame(64, 40, plot.width - margin, plot.height - 56, ends, ticks(min(several), max(several)))
    for y in frame.y_ticks:
        height = frame.at(ends[0], y)[1]
        yield Stroke([(frame.left, height), (frame.right, height)], FAINT)
        yield Text((frame.left - 8, height + 4), f"{y:g}", "end")
    yield Stroke([(frame.left, frame.bottom), (frame.right, frame.bottom)], INK)
    yield Text((frame.left - 42, (frame.top + frame.bottom) / 2), plot.y_label, "middle", upright=True)
    room = (frame.right - frame.left) / len(names)
    every = max(ceil(48 / room), 1)
    most = max(int(every * room / 7.4), 3)
    for k in range(0, len(names), every):
        across = frame.at(k + 1, frame.y_ticks[0])[0]
        shown = names[k] if len(names[k]) <= most else f"{names[k][: most - 1]}…"
        yield Stroke([(across, frame.bottom), (across, frame.bottom + 5)], INK)
        yield Text((across, frame.bottom + 19), shown, "middle")
    yield from _lines(plot, frame)


_LIGHT, _DARK = (239, 243, 255), (8, 69, 148)  # one hue, from light to dark: a grey print keeps the order


@dataclass(frozen=True, slots=True)
class _Grid:
    """The cells of a map, in points."""

    left: float
    top: float
    wide: float
    tall: float

    def corners(self, row: int, column: int) -> list[Point]:
        x, y = self.left + self.wide * column, self.top + self.tall * row
        right, bottom = x + self.wide - 1, y + self.tall - 1
        return [(x, y), (right, y), (right, bottom), (x, bottom)]

    def middle(self, row: int, column: int) -> Point:
        return self.left + self.wide * column + self.wide / 2, self.top + self.tall * row + self.tall / 2


def _map(plot: Plot) -> Iterator[Drawn]:
    """A map: one line of cells for each series, from the top; `labels` name the columns. Colours go by rank."""
    shares = _ranks(_defined(plot))
    columns = list(plot.series[0].labels)
    left, right = 40 + max(_text_width(s.name) for s in plot.series), plot.width - 20
    top, bottom = 40, plot.height - 56
    grid = _Grid(left, top, (right - left) / len(columns), (bottom - top) / len(plot.series))
    every_row = max(ceil(14 / grid.tall), 1)  # a label in so many rows, or columns, has room
    every_column = max(ceil(max(map(_text_width, columns)) / grid.wide), 1)
    for row, series in enumerate(plot.series):
        if row % every_row == 0:
            yield Text((left - 8, top + grid.tall * (row + 0.5) + 4), series.name, "end")
        for column, y in enumerate(series.y):
            name = f"{plot.x_label} {columns[column]}, {plot.y_label} {series.name}"
            yield from _map_cell(grid, row, column, y, shares.get(round(y, 6)), name)
    for column in range(0, len(columns), every_column):
        yield Text((left + grid.wide * (column + 0.5), bottom + 17), columns[column], "middle")
    yield Text(((left + right) / 2, bottom + 38), plot.x_label, "middle")
    yield Text((18, (top + bottom) / 2), plot.y_label, "middle", upright=True)


def _ranks(values: Iterable[float]) -> dict[float, float]:
    """The rank of each number, 0–1. By rank, one low cell does not make all others look alike."""
    ordered = sorted({round(y, 6) for y in values})
    if len(ordered) == 1:
        return {ordered[0]: 0.5}
    return {y: k / (len(ordered) - 1) for k, y in enumerate(ordered)}


def _map_cell(grid: _Grid, row: int, column: int, y: float, share: float | None, name: str) -> Iterator[Drawn]:
    """A cell in the colour of its rank, with its number where there is room."""
    if share is None:
        yield Shape(grid.corners(row, column), "#F2F2F2", title=f"{name}: not tried")
        return
    mixed = (round(a + share * (b - a)) for a, b in zip(_LIGHT, _DARK, strict=True))
    yield Shape(grid.corners(row, column), "#{:02X}{:02X}{:02X}".format(*mixed), title=f"{name}: {y:.4g}")
    if grid.wide >= 34 and grid.tall >= 16:
        x, middle = grid.middle(row, column)
        tone = "#FFFFFF" if share > 0.5 else INK
        yield Text((x, middle + 4), f"{y:.1f}", "middle", 11, colour=tone)


_LAYOUTS: dict[str, Callable[[Plot], Iterator[Drawn]]] = {
    "line": _line,
    "scatter": _scatter,
    "bar": _bar,
    "map": _map,
    "stages": _stages,
}
