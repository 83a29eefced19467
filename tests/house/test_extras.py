"""Packages that are not always there: imported when needed, or a message that names the extra."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from coreflens.errors import UsageError
from coreflens.extras import extra


def test_a_package_that_is_there() -> None:
    assert extra("json", "this test") is json


def test_a_package_that_is_missing() -> None:
    with pytest.raises(UsageError, match=r"^this test needs no_such_thing.*pip install 'coreflens\[thing\]'$"):
        extra("no_such_thing", "this test", "thing")


def test_a_package_that_lacks_something_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault is told as it is, and not taken for a missing extra."""
    (tmp_path / "broken_package.py").write_text("import something_else_that_is_missing\n", "utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(ModuleNotFoundError, match="something_else_that_is_missing"):
        extra("broken_package", "this test")
