"""Results know nothing of paper: each has a writer, which has what the methods of the result ask for."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

import pytest

from coreflens import WRITERS
from coreflens.presentation import InNotebooks, Presented, writer_of


@pytest.mark.parametrize("name", WRITERS)
def test_a_writer_has_what_its_result_asks_for(name: str) -> None:
    module, _, class_name = name.rpartition(".")
    result = getattr(import_module(f"coreflens.{module}"), class_name)
    writer = import_module(f"coreflens.{WRITERS[name]}")
    asked = set(re.findall(r"writer_of\(self\)\.(\w+)\(", inspect.getsource(result)))
    if issubclass(result, Presented):
        asked.add("text")
    if issubclass(result, InNotebooks):
        asked.add("html")
    assert asked, f"{name} asks its writer for nothing"
    assert not [function for function in sorted(asked) if not callable(getattr(writer, function, None))]


def test_a_class_without_a_writer() -> None:
    with pytest.raises(TypeError, match="no writer shows int"):
        writer_of(1)
