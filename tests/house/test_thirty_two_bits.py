"""score, explain, diagnose and view where the platform's integer has 32 bits and there are no processes (WebAssembly).

No such platform can be had for tests. So functions of numpy behave as they do there: those that take counts or places
refuse integers of 64 bits, and those that make places give integers of 32 bits.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import Run
from places import ROOT

REFUSING = ("repeat", "bincount")  # the functions of numpy that only coreflens/integers.py may call
MAKING = ("arange", "flatnonzero", "argsort", "searchsorted", "lexsort", "argmax", "nonzero", "where")
COMMANDS: dict[str, tuple[str, ...]] = {
    "score": ("score", "KEY", "RESPONSE", "-m", "all"),
    "groups": ("score", "KEY", "RESPONSE", "--by", "document"),
    "intervals": ("score", "KEY", "RESPONSE", "--bootstrap", "50"),
    "spans that overlap": ("score", "KEY", "RESPONSE", "--match", "partial"),
    "other tables": ("score", "CSV", "CSV2"),
    "lists": ("score", "JSON", "JSON2"),
    "explain": ("explain", "KEY", "RESPONSE"),
    "explain a metric": ("explain", "KEY", "RESPONSE", "-m", "ceafe"),
    "diagnose": ("diagnose", "KEY", "RESPONSE"),
    "diagnose for machines": ("diagnose", "KEY", "RESPONSE", "--format", "json"),
    "view": ("view", "KEY", "RESPONSE", "OUT"),
}


@pytest.fixture
def sides(run: Run, tmp_path: Path) -> dict[str, Path]:
    """The demo in several formats, and a place for a page."""
    assert run("demo", "--write", tmp_path).code == 0
    found = {"KEY": tmp_path / "key.conll", "RESPONSE": tmp_path / "response.conll", "OUT": tmp_path / "view.html"}
    for format, word, suffix in (("table", "CSV", "csv"), ("jsonlines", "JSON", "jsonl")):
        for side, number in (("KEY", ""), ("RESPONSE", "2")):
            found[f"{word}{number}"] = tmp_path / f"{side.lower()}.{suffix}"
            assert run("convert", found[side], found[f"{word}{number}"], "--to", format).code == 0
    return found


def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numpy whose integers have 32 bits: counts of 64 bits are refused."""
    counts = 1 if function is np.repeat else 0

    def narrow(*given: Any, **more: Any) -> Any:
        if len(given) > counts and getattr(given[counts], "dtype", None) in (np.int64, np.uint64):
            raise TypeError("Cannot cast array data from dtype('int64') to dtype('int32') according to the rule 'safe'")
        return function(*given, **more)

    return narrow


def making(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numpy that makes places: they have 32 bits, unless another type was asked for."""

    def narrow(*given: Any, **more: Any) -> Any:
        found = function(*given, **more)
        places = function not in (np.where, np.arange) or len(given) == 1
        if "dtype" in more or (not places and function is np.where):
            return found
        if isinstance(found, tuple):
            return tuple(each.astype(np.int32) for each in found)
        wide = isinstance(found, (np.ndarray, np.integer)) and found.dtype == np.int64
        return found.astype(np.int32) if wide else found

    return narrow


@pytest.mark.parametrize("name", COMMANDS)
def test_the_same_output(run: Run, sides: dict[str, Path], monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    arguments = [sides.get(word, word) for word in COMMANDS[name]]
    usual = run(*arguments)
    page = sides["OUT"].read_bytes() if name == "view" else b""
    assert usual.code == 0, usual
    sides["OUT"].unlink(missing_ok=True)
    for function in REFUSING:
        monkeypatch.setattr(np, function, refusing(getattr(np, function)))
    for function in MAKING:
        monkeypatch.setattr(np, function, making(getattr(np, function)))
    monkeypatch.setattr(np, "intp", np.int32)
    assert run(*arguments) == usual
    assert not page or sides["OUT"].read_bytes() == page


def test_the_double_refuses_what_the_platform_refuses() -> None:
    for function, given in ((np.repeat, ([1, 2], np.array([1, 2]))), (np.bincount, (np.array([1, 2]),))):
        with pytest.raises(TypeError, match="safe"):
            refusing(function)(*given)
    assert making(np.arange)(3).dtype == np.int32 and making(np.arange)(3, dtype=np.int64).dtype == np.int64


def test_wide_counts_are_given_in_one_place() -> None:
    """No other module calls the functions that refuse them."""
    found = set()
    for path in (ROOT / "src" / "coreflens").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in REFUSING and getattr(node.value, "id", "") == "np":
                found.add(path.name)
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "reduceat":
                starts = node.args[1]
                assert isinstance(starts, ast.Call) and getattr(starts.func, "id", "") == "places", path
    assert found == {"integers.py"}


WITHOUT = """\
import sys
for name in ("multiprocessing", "_multiprocessing", "concurrent.futures.process"):
    sys.modules[name] = None  # an import fails
from coreflens.cli import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["score", "intervals", "explain", "diagnose", "view"])
def test_without_processes(sides: dict[str, Path], name: str) -> None:
    arguments = [str(sides.get(word, word)) for word in COMMANDS[name]]
    ran = subprocess.run([sys.executable, "-c", WITHOUT, *arguments], capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 0, ran.stderr
