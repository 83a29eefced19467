"""The schema of the database as a page and as a diagram, both made from `coreflens.database.schema`."""

from __future__ import annotations

from coreflens.database.schema import TABLES, VERSION, Table
from coreflens.paper.drawing import FAINT, INK, Drawing, Drawn, Shape, Stroke, Text
from coreflens.store.queries import recipes

_COLUMNS = (
    ("info", "side", "source", "document", "label"),
    ("sentence", "token", "node", "dependency"),
    ("name", "proposition", "argument", "sense", "inventory", "frame"),
    ("mention", "entity", "link"),
    ("alignment", "score", "error", "mark"),
)
_WIDTH, _GAP, _LINE, _HEAD = 170.0, 70.0, 13.0, 20.0
_KEY, _TITLE = "#0072B2", "#E8F1F8"

_INTRO = f"""\
This page is made from the schema itself, version {VERSION}. [The database](../database.md) shows how to use it.

Every row of a layer carries the number of its document as `document`. Within a document sentences, tokens, nodes,
names, propositions and mentions are counted from 0. `start` and `end` are tokens, both included; in sides that count
characters they are characters. `end` is a word of SQL, so queries write it in quotation marks: `"end"`. Keys between
tables are not declared to DuckDB: `coreflens db check` looks whether they hold.

![The tables and the keys between them](database.svg)
"""


def page() -> str:
    """The tables with their columns, and the recipes."""
    if missing := set(TABLES) ^ {name for column in _COLUMNS for name in column}:
        raise ValueError(f"the diagram and the schema differ in {', '.join(sorted(missing))}")
    parts = ["# Schema of the database", _INTRO]
    parts += [f"## {table.name}\n\n{table.about}\n\n{_columns(table)}" for table in TABLES.values()]
    rows = [
        f"| `{r.name}` | {r.title} {r.about} | {' '.join(f'`${p}`' for p in r.parameters)} |"
        for r in recipes().values()
    ]
    parts.append("\n".join(["## Recipes\n", "| recipe | question | parameters |", "|---|---|---|", *rows]))
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _columns(table: Table) -> str:
    rows = [f"| `{c.name}` | `{c.type}` | {c.about} | {f'`{c.key}`' if c.key else ''} |" for c in table.columns]
    unique = ", ".join(f"`{name}`" for name in table.unique)
    return "\n".join(
        ["| column | type | | found in |", "|---|---|---|---|", *rows, "", f"No two rows agree in {unique}."]
    )


def diagram() -> str:
    """The tables as boxes, with a line for each key between two of them; as SVG."""
    places: dict[str, tuple[float, float, float]] = {}  # left, top, height
    for number, names in enumerate(_COLUMNS):
        top = 20.0
        for name in names:
            height = _HEAD + _LINE * len(TABLES[name].columns) + 6
            places[name] = 20 + number * (_WIDTH + _GAP), top, height
            top += height + 18
    width = 20 + len(_COLUMNS) * (_WIDTH + _GAP) - _GAP + 20
    height = max(top + size for _, top, size in places.values()) + 20
    drawn: list[Drawn] = [Shape([(0, 0), (width, 0), (width, height), (0, height)], "#FFFFFF")]
    for table in TABLES.values():
        drawn += _lines(table, places)
    for table in TABLES.values():
        drawn += _box(table, *places[table.name])
    return Drawing("The tables of the database and the keys between them", width, height, drawn).svg()


def _row(place: tuple[float, float, float], number: int) -> float:
    return place[1] + _HEAD + _LINE * (number + 0.5) + 3


def _lines(table: Table, places: dict[str, tuple[float, float, float]]) -> list[Drawn]:
    found: list[Drawn] = []
    here = places[table.name]
    for number, column in enumerate(table.columns):
        target, _, name = column.key.partition(".")
        if not target or target == table.name:
            continue
        there = places[target]
        row = [c.name for c in TABLES[target].columns].index(name)
        start, end = _row(here, number), _row(there, row)
        colour = FAINT if target == "document" else _KEY
        if here[0] == there[0]:
            bend = here[0] - 10
            points = [(here[0], start), (bend, start), (bend, end), (here[0], end)]
        else:
            left = here[0] < there[0]
            a = here[0] + _WIDTH if left else here[0]
            b = there[0] if left else there[0] + _WIDTH
            points = [(a, start), (a + (14 if left else -14), start), (b + (-14 if left else 14), end), (b, end)]
        found.append(Stroke(points, colour))
    return found


def _box(table: Table, left: float, top: float, height: float) -> list[Drawn]:
    corners = [(left, top), (left + _WIDTH, top), (left + _WIDTH, top + height), (left, top + height)]
    head = [(left, top), (left + _WIDTH, top), (left + _WIDTH, top + _HEAD), (left, top + _HEAD)]
    found: list[Drawn] = [Shape(corners, "#FFFFFF"), Shape(head, _TITLE), Stroke([*corners, corners[0]], INK, 0.8)]
    found.append(Text((left + 6, top + 14), table.name, size=12, bold=True))
    for number, column in enumerate(table.columns):
        y = top + _HEAD + _LINE * (number + 1) + 1
        bold = column.name in table.unique
        found.append(Text((left + 6, y), column.name, size=10, bold=bold, colour=_KEY if column.key else INK))
        found.append(Text((left + _WIDTH - 6, y), column.type.split("(")[0].lower(), "end", 9, colour="#777777"))
    return found
