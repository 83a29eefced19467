"""Tables as a page: complete, and sorted by a click."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coreflens.paper.table import Table
from coreflens.paper.web import page
from coreflens.paper.writers import WRITERS

pytest_plugins = ("browsing",)

TABLE = Table(
    ["system", "F1"],
    [["x", "9.50"], ["y", "10.25"], ["z", "−1.00"], ["u", "n/a"], ["Δ", "+1.00"]],
    title="Title",
    caption="x beats <y>.",
    marks={(0, 1): "†"},
    below=1,
)
BLOCKS = Table(["metric", "F1"], [["a", "1"], ["b", "2"], ["c", "3"], ["d", "4"]], headings={0: "first", 2: "second"})


def test_a_fragment_has_the_caption_and_no_script() -> None:
    found = WRITERS["html"](TABLE, "note")
    assert "<p>x beats &lt;y&gt;.</p>" in found and "<script" not in found and "note" in found


def test_columns_are_sorted(browser: Any, tmp_path: Path) -> None:
    """By numbers, the highest first, what is none at the end; Δ stays below; a third click restores the order."""
    (tmp_path / "x.html").write_text(page(WRITERS["html"](TABLE, "") + WRITERS["html"](BLOCKS, "")), "utf-8")
    opened = browser.new_page()
    failed: list[str] = []
    opened.on("pageerror", lambda error: failed.append(str(error)))
    opened.goto((tmp_path / "x.html").as_uri())

    def names(table: int) -> list[str]:
        cells = "rows => rows.map(row => row.cells[0].textContent)"
        found: list[str] = opened.locator("table").nth(table).locator("tbody tr").evaluate_all(cells)
        return found

    head = opened.locator("table").nth(0).get_by_role("button", name="F1")
    seen = []
    for _ in range(3):
        head.click()
        seen.append("".join(names(0)))
    assert seen == ["yxzuΔ", "zxyuΔ", "xyzuΔ"]
    opened.locator("table").nth(1).get_by_role("button", name="F1").click()
    assert names(1) == ["first", "b", "a", "second", "d", "c"]
    assert opened.locator("th[aria-sort=descending]").count() == 1
    opened.close()
    assert not failed
