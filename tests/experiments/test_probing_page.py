"""docs/probing.md is what the metrics do today: `python docs/probing_page.py` writes it again."""

from __future__ import annotations

import sys

import pytest

from places import ROOT


@pytest.mark.slow
def test_the_page_is_what_was_found() -> None:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import probing_page
    finally:
        sys.path.pop(0)
    text, plots = probing_page.page()
    assert text == (ROOT / "docs" / "probing.md").read_text("utf-8")
    for name, svg in plots.items():
        assert svg == (ROOT / "docs" / "probing" / f"{name}.svg").read_text("utf-8"), name
