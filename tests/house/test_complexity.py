"""Functions that a stranger can read: how many ways lead through one, as radon counts them, and how deep it nests."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from radon.complexity import cc_visit_ast
from radon.visitors import Class, Function

from places import ROOT

MOST = 20  # ways through a function
MANY = 15  # so many are too many for most functions,
FEW = 60  # and only so many functions have more
DEEPEST = 4  # statements within statements

_BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match)


class Measured(NamedTuple):
    """A function, and what was counted in it."""

    number: int
    place: str

    def __str__(self) -> str:
        return f"{self.number:3} {self.place}"


def trees() -> Iterator[tuple[str, ast.Module]]:
    """The modules of the package, by their paths."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        yield str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8"))


def complexities() -> list[Measured]:
    """The ways through every function and method. Those of a function in a function count in both."""
    measured = []
    for file, tree in trees():
        blocks: list[Class | Function] = cc_visit_ast(tree)
        functions = [block for block in blocks if isinstance(block, Function)]
        measured += [Measured(f.complexity, f"{file}:{f.lineno} {f.fullname}") for f in functions]
    return measured


def nesting(node: ast.AST) -> int:
    """How many statements stand within each other in a function. The steps of a ladder of `elif` stand side by side."""
    deepest = 0
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            is_step = isinstance(inner, _BLOCKS) and not _is_elif(inner, node)
            deepest = max(deepest, nesting(inner) + is_step)
    return deepest


def _is_elif(inner: ast.AST, outer: ast.AST) -> bool:
    return isinstance(inner, ast.If) and isinstance(outer, ast.If) and outer.orelse == [inner]


def depths() -> list[Measured]:
    measured = []
    for file, tree in trees():
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        measured += [Measured(nesting(f), f"{file}:{f.lineno} {f.name}") for f in functions]
    return measured


def listed(measured: list[Measured]) -> str:
    return "\n" + "\n".join(map(str, sorted(measured, reverse=True)))


def test_nesting_is_counted() -> None:
    code = """
def f():
    for x in y:
        if x:
            pass
        elif z:
            try:
                pass
            except OSError:
                def g():
                    if x:
                        pass
"""
    (function,) = ast.parse(code).body
    assert nesting(function) == 3


def test_no_function_has_too_many_ways() -> None:
    above = [one for one in complexities() if one.number > MOST]
    assert not above, listed(above)


def test_few_functions_have_many_ways() -> None:
    above = [one for one in complexities() if one.number > MANY]
    assert len(above) <= FEW, listed(above)


def test_no_function_nests_too_deep() -> None:
    above = [one for one in depths() if one.number > DEEPEST]
    assert not above, listed(above)
