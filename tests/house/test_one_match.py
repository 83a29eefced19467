"""One place that matches, one for singletons, one for twinless mentions: read off the syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "coreflens"
# An engine has a table and no alignment: it applies the policies to that, once.
TABLES = PACKAGE / "engines" / "scored.py"
OUTSIDE = sorted(path for path in PACKAGE.rglob("*.py") if PACKAGE / "matching" not in path.parents)


def broken(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names}
            if (node.module or "").endswith("matching.alignment") and "align" in names:
                yield "imports the aligner: take a Matched"
            if (node.module or "").endswith("matching") and "alignment" in names:
                yield "imports the aligner's module: take a Matched"
            if (node.module or "").endswith("matching.twinless") and names - {"POLICIES", "TwinlessPolicy", "about"}:
                yield "imports a twinless policy: Matched.halves applies it"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "align":
                yield "matches a response a second time: take a Matched"
            if node.func.attr == "without_singletons":
                yield "drops singletons by itself: Matched.scored does"
        elif isinstance(node, (ast.Subscript, ast.Attribute)) and getattr(node.value, "id", "") == "POLICIES":
            yield "applies a twinless policy by itself: Matched.halves does"


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_matching_matches(path: Path) -> None:
    found = set(broken(ast.parse(path.read_text("utf-8"))))
    assert found == ({"applies a twinless policy by itself: Matched.halves does"} if path == TABLES else set())


@pytest.mark.parametrize(
    "code",
    [
        "from ..matching.alignment import Alignment, align",
        "from ..matching import alignment",
        "from ..matching.twinless import extend",
        "scorer.align(response)",
        "alignment.without_singletons(True, True)",
        "POLICIES[metric.twinless](alignment)",
        "POLICIES.get('sys')",
    ],
)
def test_the_test_would_see_it(code: str) -> None:
    assert list(broken(ast.parse(code)))
