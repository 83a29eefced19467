"""Fixtures for tests of the page in a real browser; where there is none they skip, and say so."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
from viewing import NEW, OLD, PATIENCE, RIGHT, Show, conll, pair

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [  # for containers, and so that the browser does nothing of its own
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="THE PAGE IS NOT TESTED: playwright is not installed"
    )
    if BROWSER is None:
        pytest.skip("THE PAGE IS NOT TESTED: there is no chromium")
    with playwright.sync_playwright() as driver:
        playwright.expect.set_options(timeout=PATIENCE)
        try:
            opened = driver.chromium.launch(executable_path=BROWSER, args=FLAGS, timeout=PATIENCE)
            opened.new_page().close()
        except playwright.Error as error:
            pytest.skip(f"THE PAGE IS NOT TESTED: {BROWSER} does not start: {str(error).splitlines()[0]}")
        yield opened
        opened.close()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Show]:
    """Open a page from disk; whatever happens, it asks for nothing but itself, and no script fails."""
    contexts, asked, failed = [], [], []

    def opened(view: cl.View | str, address: str = "", **settings: Any) -> Any:
        target = tmp_path / "page.html"
        target.write_text(view if isinstance(view, str) else view.html, encoding="utf-8")
        contexts.append(browser.new_context(**({"viewport": {"width": 1300, "height": 800}} | settings)))
        contexts[-1].set_default_timeout(PATIENCE)
        page = contexts[-1].new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.on("console", lambda message: failed.append(message.text) if message.type == "error" else None)
        page.goto(target.as_uri() + address)
        page.wait_for_selector("body[data-ready]")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not failed
    if contexts:  # a test that skips has opened none
        assert {url.split("#")[0] for url in asked} == {(tmp_path / "page.html").as_uri()}


@pytest.fixture
def tale(tmp_path: Path) -> cl.View:
    key, old, new = pair(tmp_path, (RIGHT, OLD, NEW))
    return cl.view(key, old, new, names=["old", "new"])


@pytest.fixture
def corpus(tmp_path: Path) -> cl.View:
    """Three documents, the second without errors."""
    paths = [tmp_path / "key.conll", tmp_path / "response.conll"]
    for path, texts in zip(paths, ((RIGHT, RIGHT, RIGHT), (OLD, RIGHT, NEW)), strict=True):
        path.write_text("".join(conll(text, f"nw/{'abc'[n]}") for n, text in enumerate(texts)), encoding="utf-8")
    return cl.view(*paths)
