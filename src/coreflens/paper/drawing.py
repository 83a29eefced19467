"""Drawings of strokes, filled shapes and texts in points, written as SVG, or as PNG or PDF through matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TypeAlias

from ..errors import UsageError
from ..files.writing import save

Point: TypeAlias = tuple[float, float]
INK, FAINT = "#222222", "#DDDDDD"
_DOTS = 144  # per inch of a PNG; 72 points are an inch


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points."""

    points: Sequence[Point]
    colour: str
    width: float = 1
    dash: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """A filled polygon; `title` is its tooltip."""

    points: Sequence[Point]
    colour: str
    opacity: float = 1
    title: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """Words at a place: `at` is the baseline's start, middle or end."""

    at: Point
    text: str
    anchor: str = "start"
    size: float = 12
    bold: bool = False
    upright: bool = False
    colour: str = INK


Drawn: TypeAlias = Stroke | Shape | Text


@dataclass(frozen=True, slots=True)
class Drawing:
    """Things to draw; the first is at the back."""

    title: str
    width: float
    height: float
    things: Sequence[Drawn]

    def svg(self) -> str:
        size = f'viewBox="0 0 {self.width:g} {self.height:g}" width="{self.width:g}" height="{self.height:g}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="Helvetica, Arial, sans-serif" role="img">'
        return "\n".join([head, f"<title>{escape(self.title)}</title>", *map(_svg_element, self.things), "</svg>\n"])

    def save(self, path: str | Path) -> None:
        """Write it; the file's suffix, .svg, .png or .pdf, gives the format."""
        check_suffix(path)
        save([_WRITERS[Path(path).suffix.lower()](self)], path)


def check_suffix(path: str | Path) -> None:
    """Refuse a file name whose suffix names no format of a plot."""
    if Path(path).suffix.lower() not in _WRITERS:
        raise UsageError(f"a plot is written as {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}, not as '{path}'")


def _svg_element(thing: Drawn) -> str:
    if isinstance(thing, Text):
        x, y = thing.at
        turned = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if thing.upright else ""
        weight = ' font-weight="bold"' if thing.bold else ""
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{thing.anchor}" font-size="{thing.size:g}"'
        return f'<text {place}{weight}{turned} fill="{thing.colour}">{escape(thing.text)}</text>'
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in thing.points)
    if isinstance(thing, Stroke):
        dash = f' stroke-dasharray="{" ".join(f"{d:g}" for d in thing.dash)}"' if thing.dash else ""
        return f'<polyline points="{points}" fill="none" stroke="{thing.colour}" stroke-width="{thing.width:g}"{dash}/>'
    opacity = f' opacity="{thing.opacity:g}"' if thing.opacity < 1 else ""
    title = f"<title>{escape(thing.title)}</title>" if thing.title else ""
    return f'<polygon points="{points}" fill="{thing.colour}"{opacity}>{title}</polygon>'


def _svg(drawing: Drawing) -> bytes:
    return drawing.svg().encode()


def _pdf(drawing: Drawing) -> bytes:
    """Fonts are embedded as publishers ask."""
    return _painted(drawing, "pdf", {"Title": drawing.title, "CreationDate": None})


def _png(drawing: Drawing) -> bytes:
    return _painted(drawing, "png", {"Title": drawing.title, "Software": None})


def _painted(drawing: Drawing, form: str, metadata: dict[str, str | None]) -> bytes:
    """The same strokes, shapes and texts on a matplotlib canvas."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
        from matplotlib.lines import Line2D
        from matplotlib.patches import Polygon
    except ModuleNotFoundError:
        hint = "pip install 'coreflens[plots]'; .svg needs nothing"
        raise UsageError(f"a {form.upper()} needs matplotlib: {hint}") from None
    with rc_context({"pdf.fonttype": 42, "font.family": "sans-serif"}):
        figure = Figure(figsize=(drawing.width / 72, drawing.height / 72))
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, drawing.width), ylim=(drawing.height, 0))
        axes.set_axis_off()
        for order, thing in enumerate(drawing.things):
            if isinstance(thing, Text):
                axes.text(
                    *thing.at, thing.text, ha={"start": "left", "middle": "center", "end": "right"}[thing.anchor],
                    va="baseline", size=thing.size * 0.92, weight="bold" if thing.bold else "normal",
                    color=thing.colour, rotation=90 if thing.upright else 0, rotation_mode="anchor", zorder=order,
                    parse_math=False,
                )  # fmt: skip
            elif isinstance(thing, Stroke):
                xs, ys = zip(*thing.points, strict=True)
                dash = (0, tuple(d / thing.width for d in thing.dash)) if thing.dash else "-"
                line = Line2D(xs, ys, color=thing.colour, linewidth=thing.width, linestyle=dash, zorder=order)
                axes.add_line(line)
            else:
                axes.add_patch(Polygon(thing.points, facecolor=thing.colour, alpha=thing.opacity, lw=0, zorder=order))
        buffer = BytesIO()
        figure.savefig(buffer, format=form, dpi=_DOTS, metadata=metadata)
    return buffer.getvalue()


_WRITERS: dict[str, Callable[[Drawing], bytes]] = {".svg": _svg, ".png": _png, ".pdf": _pdf}
SUFFIXES = tuple(_WRITERS)
