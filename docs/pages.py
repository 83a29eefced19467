"""Writes the pages that are generated.

python docs/pages.py             write them
python docs/pages.py --check     exit with 1 if one on disk is not what would be written
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import api_page
import baselines_page
import data_page
import database_page
import disagreements_page
import papers_page
import reference_pages

DOCS = Path(__file__).parent
PAGES: dict[str, Callable[[], str]] = {
    "disagreements.md": lambda: disagreements_page.page(disagreements_page.load()),
    "real-files.md": data_page.page,
    "papers.md": papers_page.page,
    **reference_pages.PAGES,
    "reference/api.md": api_page.page,
    "reference/database.md": database_page.page,
    "reference/database.svg": database_page.diagram,
}
if baselines_page.DATA.is_dir():  # third-party texts
    PAGES["baselines.md"] = baselines_page.page


def main(arguments: Sequence[str]) -> int:
    stale = 0
    if "--check" in arguments:
        del PAGES["real-files.md"]  # what is new there makes the page no worse
        for line in data_page.outdated():
            sys.stderr.write(f"docs/real-files.md is out of date: python docs/pages.py\n{line}\n")
            stale = 1
    for name, write in PAGES.items():
        path, text = DOCS / name, write()
        if path.exists() and path.read_text("utf-8") == text:
            continue
        if "--check" in arguments:
            sys.stderr.write(f"docs/{name} is out of date: python docs/pages.py\n")
            stale = 1
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
