"""Dots with intervals in rows, one panel beside the other: forest plots, ranks, small multiples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import cos, inf, isfinite, pi, sin
from pathlib import Path

from ..errors import UsageError
from .drawing import FAINT, INK, Drawing, Drawn, Shape, Stroke, Text
from .plot import ticks

BLUE = "#0072B2"  # dark enough in grey; the shape also shows what is decided
_ROW, _WIDE, _HEAD, _FOOT = 20.0, 190.0, 34.0, 34.0  # of a row, of a panel, above and below its rows
_GAP = 34.0  # between panels, so that the numbers below them stay apart


@dataclass(frozen=True, slots=True)
class Dot:
    """A number with its interval; filled where `decided`, else a ring. An undefined number is left out."""

    value: float
    low: float = float("nan")
    high: float = float("nan")
    decided: bool = True


@dataclass(frozen=True, slots=True)
class Panel:
    """A dot for each row of the figure, below a title."""

    title: str
    dots: Sequence[Dot | None]


@dataclass(frozen=True, slots=True)
class Panels:
    """Panels with the same rows. `shared`: one scale for all; `zero`: a line at 0; `whole`: whole numbers only;
    `most`: no number can be higher.

    The last of the `strong` rows is the most important and bold; `note`, below the figure, says what the marks mean.
    """

    title: str
    rows: Sequence[str]
    panels: Sequence[Panel]
    x_label: str
    note: str = ""
    shared: bool = True
    zero: bool = False
    whole: bool = False
    strong: frozenset[int] = frozenset()
    across: int = 4
    most: float = inf

    @property
    def drawing(self) -> Drawing:
        """The figure laid out."""
        if not any(dot is not None and isfinite(dot.value) for panel in self.panels for dot in panel.dots):
            raise UsageError(f"nothing to plot in '{self.title}': no defined number")
        margin = 16 + max(_text_width(row, bold=n in self.strong) for n, row in enumerate(self.rows))
        columns = min(self.across, len(self.panels))
        wide = _WIDE if columns > 1 else 2 * _WIDE
        lines = -(-len(self.panels) // columns)
        high = _HEAD + _ROW * len(self.rows) + _FOOT
        width = max(margin + columns * (wide + _GAP) + 14, _text_width(self.title, 14, bold=True) + 24)
        note = _broken(self.note, width - 24)
        height = 32 + lines * high + 22 + 15 * len(note) + 6
        things: list[Drawn] = [Shape([(0, 0), (width, 0), (width, height), (0, height)], "#FFFFFF")]
        things.append(Text((12, 22), self.title, size=14, bold=True))
        for place, panel in enumerate(self.panels):
            left = margin + (place % columns) * (wide + _GAP)
            things += self._panel(panel, left, left + wide, 32 + place // columns * high, place % columns == 0)
        things.append(
            Text((margin + (columns * (wide + _GAP) - _GAP) / 2, 32 + lines * high + 10), self.x_label, "middle")
        )
        below = 32 + lines * high + 32
        things += [Text((12, below + 15 * n), line, size=11) for n, line in enumerate(note)]
        return Drawing(self.title, width, height, things)

    def svg(self) -> str:
        return self.drawing.svg()

    _repr_svg_ = svg  # notebooks look for it

    def save(self, path: str | Path) -> None:
        """Write the figure; the file's suffix, .svg, .png or .pdf, gives the format."""
        self.drawing.save(path)

    def _scale(self, panels: Sequence[Panel]) -> list[float]:
        dots = [dot for panel in panels for dot in panel.dots if dot is not None]
        numbers = [x for dot in dots for x in (dot.value, dot.low, dot.high) if isfinite(x)] + [0.0] * self.zero
        if not numbers:
            return [0.0, 1.0]
        found = [x for x in ticks(min(numbers), max(numbers), 5) if x <= self.most]
        return [1.0, *(x for x in found if x == int(x) and x > 1)] if self.whole else found

    def _panel(self, panel: Panel, left: float, right: float, top: float, first: bool) -> Iterator[Drawn]:
        scale = self._scale(self.panels if self.shared else [panel])
        start, bottom = top + _HEAD, top + _HEAD + _ROW * len(self.rows)
        dots = [dot for dot in panel.dots if dot is not None]
        ends = [x for dot in dots for x in (dot.value, dot.low, dot.high) if isfinite(x)]
        low, high = min([scale[0], *ends]), max([scale[-1], *ends])

        def across(x: float) -> float:
            return left + 6 + (x - low) / (high - low) * (right - left - 12) if high > low else (left + right) / 2

        yield Text(((left + right) / 2, start - 8), panel.title, "middle", bold=True)
        for tick in scale:
            yield Stroke([(across(tick), start), (across(tick), bottom)], FAINT)
            yield Text((across(tick), bottom + 16), f"{tick:g}".replace("-", "−"), "middle", 11)
        if self.zero:
            yield Stroke([(across(0), start), (across(0), bottom)], INK, 1, (4, 3))
        yield Stroke([(left, bottom), (right, bottom)], INK)
        for n, (row, dot) in enumerate(zip(self.rows, panel.dots, strict=True)):
            middle = start + _ROW * (n + 0.5)
            if first:
                yield Text((left - 8, middle + 4), row, "end", bold=n in self.strong)
            if dot is not None and isfinite(dot.value):
                yield from _drawn(dot, across, middle, _told(row, panel.title, dot))


def _drawn(dot: Dot, across: Callable[[float], float], middle: float, title: str) -> Iterator[Drawn]:
    """A dot with its interval; a ring if it is undecided."""
    if isfinite(dot.low):
        low, high = across(dot.low), across(dot.high)
        yield Stroke([(low, middle), (high, middle)], BLUE, 1.6)
        for end in (low, high):
            yield Stroke([(end, middle - 3.5), (end, middle + 3.5)], BLUE, 1.6)
    yield Shape(_disc(across(dot.value), middle, 4.6), BLUE, title=title)
    if not dot.decided:
        yield Shape(_disc(across(dot.value), middle, 2.7), "#FFFFFF", title=title)


def _told(row: str, title: str, dot: Dot) -> str:
    interval = f" [{dot.low:.4g}, {dot.high:.4g}]" if isfinite(dot.low) else ""
    return f"{row}, {title}: {dot.value:.4g}{interval}"


def _disc(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    return [(x + radius * cos(2 * pi * k / 20), y + radius * sin(2 * pi * k / 20)) for k in range(20)]


def _text_width(text: str, size: float = 12, bold: bool = False) -> float:
    return (0.66 if bold else 0.6) * size * len(text)


def _broken(text: str, width: float, size: float = 11) -> list[str]:
    """A text in lines that fit."""
    lines: list[str] = []
    for word in text.split():
        if lines and _text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
