"""The architecture as a test: rooms in a written order, imports that point one way, public names, and one map of it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "coreflens"

# Imports against the order: each stands inside a function or is for type checkers only, and closes no cycle.
LAZY = {
    ("scoring.result", "stats"): "Result.bootstrap is the door to the intervals",
}


class Import(NamedTuple):
    """`here` imports `name` of the package or module `there`: when it is loaded, when it is called, or never (`typed`).

    `lazy` says that it is not when the module is loaded.
    """

    here: str
    there: str
    name: str
    lazy: bool
    typed: bool

    @property
    def module(self) -> str:
        """The module that is loaded."""
        inner = f"{self.there}.{self.name}".strip(".")
        return inner if inner in MODULES else self.there


def room(module: str) -> str:
    return module.partition(".")[0]


def modules() -> dict[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(module: str, path: Path) -> Iterator[Import]:
    """What a module of the package imports from the package."""
    tree = ast.parse(path.read_text("utf-8"))
    at_once = {id(node) for node in tree.body}
    typed = {id(node) for block in tree.body if _is_for_types(block) for node in ast.walk(block)}
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")]
        for alias in node.names:
            yield Import(module, ".".join(filter(None, base)), alias.name, id(node) not in at_once, id(node) in typed)


def _is_for_types(block: ast.stmt) -> bool:
    return isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"


MODULES = modules()


@cache
def all_imports() -> list[Import]:
    return [found for module, path in MODULES.items() for found in imports(module, path)]


def the_map() -> dict[str, list[str]]:
    """Room → its modules, as CONTRIBUTING.md draws them, in its order; the first row has those that are in no room."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    drawn = re.search(r"```text\n(coreflens/\n.*?)```", text, re.DOTALL)
    assert drawn, "CONTRIBUTING.md has no map of the rooms"
    rows: dict[str, list[str]] = {}
    here = ""
    for line in drawn[1].splitlines()[1:]:
        names = line.partition("#")[0].split()
        if names and names[0].endswith("/") and line.startswith("  ") and line[2] != " ":
            here = names.pop(0).rstrip("/")
        rows.setdefault(here, []).extend(name.rstrip("/") for name in names)
    return rows


MAP = the_map()
ORDER = [*MAP[""], *[name for name in MAP if name]]


def inside(folder: Path) -> set[str]:
    """The modules and packages of a folder."""
    files = {p.stem for p in folder.glob("*.py") if not p.stem.startswith("__")}
    return files | {p.name for p in folder.iterdir() if (p / "__init__.py").is_file()}


def test_the_map_is_the_tree() -> None:
    assert set(MAP[""]) | {name for name in MAP if name} == inside(PACKAGE)
    for name, listed in MAP.items():
        if name:
            assert sorted(listed) == sorted(inside(PACKAGE / name)), f"{name}/ in CONTRIBUTING.md"


def test_imports_point_one_way() -> None:
    used = set()
    for found in all_imports():
        here, there = room(found.here), room(found.there) or found.name
        if not here or here == "__main__" or here == there or there in ("__version__", "WRITERS"):
            continue
        if ORDER.index(there) < ORDER.index(here):
            continue
        assert (found.here, there) in LAZY, f"{found.here} imports {there}, which stands below it in the map"
        assert found.lazy, f"{found.here} may import {there} inside a function only"
        used.add((found.here, there))
    assert used == set(LAZY), "exceptions that nobody needs any more"


def test_no_cycle_of_imports() -> None:
    """Also not through imports inside functions: those are for start-up and optional packages, never for a cycle."""
    graph: dict[str, set[str]] = {module: set() for module in MODULES if module}
    for found in all_imports():
        if found.here and found.module and not found.typed:
            graph[found.here].add(found.module)
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise AssertionError(f"a cycle of imports: {' ← '.join(error.args[1])}") from None


def public(package: str) -> set[str]:
    tree = ast.parse((PACKAGE.joinpath(*package.split("."), "__init__.py")).read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return {str(name) for name in ast.literal_eval(node.value)}
    raise AssertionError(f"{package}/__init__.py does not say what is public: __all__")


PACKAGES = sorted(name for name, path in MODULES.items() if name and path.name == "__init__.py")


@pytest.mark.parametrize("package", PACKAGES)
def test_what_other_rooms_import_is_public(package: str) -> None:
    """A package lists its public names, modules among them, in `__all__`; other rooms import nothing else of it."""
    names = public(package)
    for found in all_imports():
        if room(found.here) in ("", room(package)):  # the root's own names have a test in test_library.py
            continue
        inner = found.there.removeprefix(f"{package}.").partition(".")[0]
        name = found.name if found.there == package else inner if found.there.startswith(f"{package}.") else None
        assert name is None or name in names, f"{found.here} imports {name} of {package}, which is not public there"


def test_every_test_file_has_a_name_of_its_own() -> None:
    """Python imports tests by their names alone."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("*.py"))
    assert not [name for name, count in names.items() if count > 1]
