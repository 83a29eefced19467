"""Published tables that come with the package: small files in printed/, each with its title, paper and place."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from ..errors import did_you_mean
from ..references import short


@dataclass(frozen=True, slots=True)
class Printed:
    """A table as it was printed: what it is, where it stands, and its cells.

    name     its name here, such as conll-2012/english
    cite     the key of the paper in `references`
    where    the table of the paper
    notes    what a reader has to know: misprints, what is missing
    """

    name: str
    title: str
    cite: str
    where: str
    notes: tuple[str, ...]
    header: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]

    @property
    def source(self) -> str:
        """`Pradhan et al. (2014), Table 1`."""
        return f"{short(self.cite)}, {self.where}"

    @property
    def rows(self) -> list[dict[str, str]]:
        """A mapping for each row, as `published` takes them."""
        return [dict(zip(self.header, row, strict=True)) for row in self.cells]

    @property
    def scores(self) -> bool:
        """Whether its rows are scores of systems; other tables have counts or coefficients."""
        return self.header[0] == "system"


def names() -> list[str]:
    """The names of all tables."""
    return sorted(_files())


def printed(name: str) -> Printed | None:
    """The table of that name; None if there is none."""
    file = _files().get(name.strip().lower())
    return None if file is None else _read(name.strip().lower(), file.read_text("utf-8"))


def guess(name: str) -> str:
    """A suggestion of similar names, to be added to a message."""
    return did_you_mean(name.lower(), names())


def _files() -> dict[str, Traversable]:
    folder = files(__package__) / "printed"
    return dict(_below(folder, ""))


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _below(entry, f"{path}{entry.name}/")
        elif entry.name.endswith(".csv"):
            yield path + entry.name.removesuffix(".csv"), entry


def _read(name: str, content: str) -> Printed:
    about: dict[str, list[str]] = {}
    lines = content.splitlines()
    for line in lines:
        if line.startswith("# "):
            word, _, text = line[2:].partition(": ")
            about.setdefault(word, []).append(text)
    header, *cells = csv.reader(line for line in lines if not line.startswith("#"))
    one = {word: about[word][0] for word in ("title", "cite", "where")}
    notes = tuple(about.get("note", ()))
    return Printed(name, **one, notes=notes, header=tuple(header), cells=tuple(map(tuple, cells)))
