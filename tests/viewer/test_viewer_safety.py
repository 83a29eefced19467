"""The page under strain: hostile text, requests, other scripts, books, small screens, real files, axe."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coreflens as cl
from places import DATA
from viewing import ARABIC, CHINESE, HEBREW, HOSTILE, ZERO, Show, hostile, pair, until

pytest_plugins = ("browsing",)
expect = pytest.importorskip("playwright.sync_api", reason="THE PAGE IS NOT TESTED: no playwright").expect
TABS = {"1": "text", "2": "entities", "3": "scores", "4": "documents"}

REAL = DATA


def turn(page: Any, key: str) -> None:
    """To another tab, by its key."""
    page.keyboard.press(key)
    expect(page.locator(f".pane-{TABS[key]}")).to_be_visible()


@pytest.mark.parametrize(
    "path",
    [
        "litbank/conll/1023_bleak_house_brat.conll",
        "ontogum/conll",
        "gum/dep/GUM_conversation_risk.conllu",
        "craft/coreference-annotation/knowtator-2/11597317.xml",
        "korkor/dev",
    ],
)
def test_real_files(show: Show, path: str) -> None:
    """A response without every fifth mention, and with every seventh in the entity of the one before."""
    if not (REAL / path).exists():
        pytest.skip(f"NO REAL DATA: {REAL / path} is absent")
    key = cl.read(REAL / path)
    entity = key.entity.copy()
    entity[7::7] = entity[6:-1:7]
    response = replace(key, entity=entity).take(np.flatnonzero(np.arange(len(key)) % 5 > 0))
    page = show(cl.view(key, response))
    for _ in range(3):
        page.keyboard.press("n")
        page.wait_for_selector(".error[aria-current]")
    expect(page.locator("#detail")).to_contain_text("What this mention earns")
    until(page, "document.querySelector('.w.exact')?.getBoundingClientRect().y > 0")
    page.keyboard.press("2")
    page.wait_for_selector(".pline.own")
    if "conversation" in path:
        assert "Jennifer" in show(cl.view(key, response)).text_content(".text")


def test_small_screens_and_print(show: Show, corpus: cl.View) -> None:
    page = show(corpus, "#sel=k2", viewport={"width": 360, "height": 700})
    for tab in "1234":
        turn(page, tab)
        until(page, "document.documentElement.scrollWidth <= innerWidth")
    turn(page, "1")
    page.emulate_media(media="print")
    expect(page.locator("#side")).to_be_hidden()
    expect(page.locator(".sentence").first).to_be_visible()


def test_long_names_on_a_small_screen(show: Show, tmp_path: Path) -> None:
    paths = pair(tmp_path, (HEBREW[0], *HEBREW))
    name = "a system with a very long name, as file names are"
    page = show(
        cl.view(*paths, names=[f"{name} {n}" for n in "ab"], title=name), viewport={"width": 360, "height": 700}
    )
    until(page, "document.documentElement.scrollWidth <= innerWidth")
    wide = show(cl.view(*paths, names=[f"{name} {n}" for n in "ab"]), viewport={"width": 1000, "height": 700})
    wide.mouse.wheel(0, 300)
    bottom, top = (f"document.querySelector('{x}').getBoundingClientRect()" for x in ("#top", ".tabs"))
    until(wide, f"{top}.top >= {bottom}.bottom - 1")  # however high the header is


def test_paper_is_light_and_has_all_entities(show: Show) -> None:
    key = [[f"{n}a", f"{n}b"] for n in range(200)]
    page = show(cl.view(key, key[:-1]), "#tab=entities&theme=dark")
    assert page.locator(".pline").count() < 200
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".pcolumn.k .pline")).to_have_count(200)
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(page.locator("#paper")).to_be_visible()


def test_zeros_without_form_are_seen(show: Show, tmp_path: Path) -> None:
    key = tmp_path / "key.conllu"
    empty = "0.1\t_\t_\tPRON\t_\t_\t_\t_\t1:nsubj\tEntity=(e1-x-1-)\n"
    key.write_text(ZERO.format(zero=empty, entity="Entity=(e2-x-1-)"), encoding="utf-8")
    page = show(cl.view(key, key))
    expect(page.locator(".w.zero")).to_have_text("∅")
    page.click(".w.zero")  # it has an extent
    expect(page.locator(".quoted")).to_have_text("∅")


@pytest.mark.parametrize(("texts", "direction"), [(ARABIC, "rtl"), (HEBREW, "rtl"), (CHINESE, "ltr")])
def test_scripts(show: Show, tmp_path: Path, texts: tuple[str, str], direction: str) -> None:
    page = show(cl.view(*pair(tmp_path, texts)))
    left = [page.locator(f"[data-w='{w}']").bounding_box()["x"] for w in (0, 1)]
    assert (left[1] < left[0]) == (direction == "rtl")
    gap = page.eval_on_selector(".words", "line => / /.test(line.textContent)")
    assert gap != (texts is CHINESE)


def test_latin_words_keep_their_order_among_hebrew(show: Show, tmp_path: Path) -> None:
    page = show(cl.view(*pair(tmp_path, HEBREW)))
    new, york = (page.get_by_text(word, exact=True).first.bounding_box()["x"] for word in ("New", "York"))
    assert new < york


def test_hostile_text_is_shown_and_does_nothing(show: Show, tmp_path: Path) -> None:
    page = show(hostile(tmp_path))
    for tab in "1234":
        turn(page, tab)
    assert "run" not in page.title() and page.title().startswith("</title><script>")
    turn(page, "1")
    shown = page.text_content(".text")
    for word in (*HOSTILE[:3], *HOSTILE[5:]):
        assert word in shown
    assert "⟨202E⟩evil" in shown and "a␇b␛c" in shown
    assert page.locator("img").count() == 0
    page.click("[data-w='0']")
    expect(page.locator("#detail")).to_contain_text(HOSTILE[0])


def test_the_policy_forbids_requests(browser: Any, tmp_path: Path, tale: cl.View) -> None:
    """A server that would notice: it is reached from a page without the policy, and never from ours."""
    reached = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        for text, patience in ((tale.html, 2), ("<!doctype html><title>no policy</title>", 60)):
            server.settimeout(patience)
            (tmp_path / "page.html").write_text(text, encoding="utf-8")
            page = browser.new_page()
            page.goto((tmp_path / "page.html").as_uri())
            page.evaluate(f"void fetch('{address}/x', {{mode: 'no-cors'}}).catch(() => {{}})")
            page.evaluate(f"document.body.append(Object.assign(new Image(), {{src: '{address}/y'}}))")
            try:
                server.accept()[0].close()
                reached.append(True)
            except TimeoutError:
                reached.append(False)
            page.close()
    assert reached == [False, True]


def test_a_book_is_drawn_as_it_comes_into_view(show: Show, tmp_path: Path) -> None:
    """200,000 words, 30,000 mentions."""
    line = " ".join(f"[{{}} the w{n}] saw it and went on" for n in range(3)) + " ."
    lines = [line.format(n % 997, n % 31, n) for n in range(10_000)]
    key, response = pair(
        tmp_path, ("\n".join(lines), "\n".join(line.format(n % 997, n % 37, n) for n in range(10_000))), "book"
    )
    page = show(cl.view(key, response))
    page.wait_for_selector(".w")
    assert page.evaluate("document.querySelectorAll('.w').length") < 5000
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
    tops = "[...document.querySelectorAll('.w')].map(w => w.getBoundingClientRect().y)"
    until(page, f"{tops}.some(y => y > 200 && y < 700)")
    assert page.evaluate("document.querySelectorAll('.w').length") < 8000
    page.evaluate("location.hash = '#sel=k29000'")
    page.wait_for_selector(".w.exact")
    until(page, "(y => 0 < y && y < 800)(document.querySelector('.w.exact').getBoundingClientRect().y)")


def test_in_a_notebook(show: Show, browser: Any, tale: cl.View, tmp_path: Path) -> None:
    page = browser.new_page()
    page.set_content(tale._repr_html_())
    frame = page.frame_locator("iframe")
    frame.locator(".w").first.click()
    expect(frame.locator("#detail")).to_contain_text("earns")
    page.close()
    show(tale)


def _axe(directory: Path) -> str:
    """axe-core: the file that AXE_CORE names, else the npm package."""
    if "AXE_CORE" in os.environ:
        return Path(os.environ["AXE_CORE"]).read_text(encoding="utf-8")
    if shutil.which("npm") is None:
        pytest.skip("ACCESSIBILITY IS NOT TESTED: neither AXE_CORE nor npm")
    try:
        command = ["npm", "pack", "--silent", "axe-core@4"]
        got = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=60, check=True)
    except (subprocess.SubprocessError, OSError) as error:
        pytest.skip(f"ACCESSIBILITY IS NOT TESTED: axe-core can't be downloaded ({type(error).__name__})")
    with tarfile.open(directory / got.stdout.split()[-1]) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member
        return member.read().decode()


def test_no_serious_findings_of_axe(show: Show, corpus: cl.View, tmp_path: Path) -> None:
    axe = _axe(tmp_path)
    for scheme in ("light", "dark"):
        page = show(corpus, "#sel=k2", color_scheme=scheme, reduced_motion="reduce")
        page.evaluate(axe)
        for tab in "1234":
            turn(page, tab)
            found = page.evaluate("axe.run()")["violations"]
            serious = [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in ("serious", "critical")]
            assert not serious, (scheme, tab)
