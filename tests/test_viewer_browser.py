"""The page in a real browser: by mouse, by keyboard alone, by its address; and that it asks for nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coreflens as cl
from coreflens.diagnosis.differences import difference
from test_viewer import hostile
from viewing import ARABIC, CHINESE, HEBREW, HOSTILE, TOY, conll, pair

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
playwright = pytest.importorskip("playwright.sync_api", reason="THE PAGE IS NOT TESTED: playwright is not installed")
if BROWSER is None:
    pytest.skip("THE PAGE IS NOT TESTED: there is no chromium", allow_module_level=True)

RIGHT = "[1 Ida] met [2 the old [3 miller]] .\n[1 She] greeted [2 him] .\n[3 He] gave [1 her] [4 a cake] ."
OLD = "[1 Ida] met [2 the old miller] .\n[2 She] greeted him .\n[3 He] gave [1 her] a cake ."
NEW = "[1 Ida] met [2 the old [3 miller]] .\n[1 She] greeted him .\n[3 He] gave [3 her] [4 a cake] ."

Show = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
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
        page = contexts[-1].new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.on("console", lambda message: failed.append(message.text) if message.type == "error" else None)
        page.goto(target.as_uri() + address)
        page.wait_for_selector("body[data-ready]", timeout=20_000)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not failed
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


def names(page: Any, selector: str) -> set[str]:
    return set(page.eval_on_selector_all(selector, "nodes => nodes.map(n => n.dataset.e)"))


def lit(page: Any) -> set[str]:
    return names(page, ".pline.own, .pline.other")


def selected(page: Any) -> str:
    found: str = page.evaluate("new URLSearchParams(location.hash.slice(1)).get('sel') ?? ''")
    return found


def test_projections_of_1998_by_mouse(show: Show) -> None:
    page = show(cl.view(*TOY))
    page.click("#line-K3 .ename")
    assert lit(page) == {"K3", "R1", "R2"}
    page.click("#line-R1 .ename")
    assert lit(page) == {"R1", "K1", "K3"}
    assert page.locator("path.link.own").count() == 2
    page.keyboard.press("Escape")
    assert lit(page) == set()


def test_projections_of_1998_by_keyboard(show: Show) -> None:
    page = show(cl.view(*TOY))
    page.focus(".pcolumn.k")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert lit(page) == {"K3", "R1", "R2"}
    assert page.get_attribute(".pcolumn.k", "aria-activedescendant") == "line-K3"
    assert "R1 5, R2 2" in page.text_content("#said")
    page.keyboard.press("ArrowRight")
    assert lit(page) == {"R1", "K1", "K3"}


def test_projections_of_1998_by_address(show: Show) -> None:
    assert lit(show(cl.view(*TOY), "#tab=entities&sel=K3")) == {"K3", "R1", "R2"}


def test_entities_are_sorted(show: Show) -> None:
    page = show(cl.view(*TOY), "#tab=entities")
    page.select_option("#sort", "size")
    assert page.eval_on_selector_all(".pcolumn.k .pline", "nodes => nodes.map(n => n.dataset.e)") == [
        "K3",
        "K4",
        "K2",
        "K1",
    ]


def test_a_mention_is_explained(show: Show, tale: cl.View) -> None:
    page = show(tale)
    page.hover("[data-w='8']")  # him: the old system lacks it
    assert "the response lacks it" in page.text_content("#tip")
    page.hover("[data-w='0']")
    assert "K1 = R1" in page.text_content("#tip") and "also “She”" in page.text_content("#tip")
    page.click("[data-w='8']")
    detail = page.text_content("#detail")
    assert "twinless: the response lacks it" in detail and "What this mention earns" in detail
    page.click("[data-w='4']")  # miller: innermost first, then what is around it
    first = selected(page)
    page.click("[data-w='4']")
    assert selected(page) != first
    assert page.locator(".w.lit").count() >= 3


def test_the_focus_stays_where_it_is(show: Show, tale: cl.View) -> None:
    page = show(tale, "#sel=K1")
    page.locator(".mentions a").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "She" and selected(page) == "k3"
    page.focus("#tab-text")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-entities"
    page.focus("#tab-entities")
    page.keyboard.press("ArrowLeft")
    page.select_option("#mode", "beside")
    assert page.locator(".mode-beside .words").count() == 6


def test_crossing_discontinuous_and_nested_mentions(show: Show, tmp_path: Path) -> None:
    words = ["he", "switched", "the", "old", "lamp", "off", "and", "left", "."]
    line = {"doc_key": "d", "sentences": [words], "clusters": [[[2, 4], [0, 0]], [[3, 5], [0, 3]], [[4, 4], [7, 7]]]}
    (tmp_path / "key.jsonlines").write_text(json.dumps(line), encoding="utf-8")
    key = cl.read(tmp_path / "key.jsonlines")
    row = next(n for n, mention in enumerate(key) if (mention.start, mention.end) == (0, 3))
    key = replace(key, parts={row: ((0, 0), (3, 3))})
    page = show(cl.view(key, key))
    box = {bar.get_attribute("data-m"): bar.bounding_box() for bar in page.locator("[data-w='4'] .bar.k").all()}
    assert len(box) == 3 and len({round(b["y"]) for b in box.values()}) == 3  # none hides another
    gaps = page.locator(".bar.k.gap")
    assert {gap.locator("..").get_attribute("data-w") for gap in gaps.all()} == {"1", "2"}
    gaps.first.click()
    assert page.text_content(".quoted") == "he … old"
    assert page.locator(".w.exact").count() == 2


REAL = Path(__file__).parents[2] / "shared" / "data"


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
    assert "What this mention earns" in page.text_content("#detail")
    assert page.evaluate("document.querySelector('.w.exact').getBoundingClientRect().y") > 0
    page.keyboard.press("2")
    page.wait_for_selector(".pline.own")
    if "conversation" in path:
        assert "Jennifer" in show(cl.view(key, response)).text_content(".text")


def test_text_is_stepped_through_by_keyboard(show: Show, tale: cl.View) -> None:
    page = show(tale)
    page.keyboard.press(".")
    page.keyboard.press(".")
    second = page.text_content("#said")
    assert second.startswith("the old miller: K2")
    page.keyboard.press(",")
    assert page.text_content("#said").startswith("Ida: K1")


def test_errors_are_filtered_and_stepped_through(show: Show, tale: cl.View) -> None:
    page = show(tale)
    total = page.locator(".error").count()
    page.keyboard.press("n")
    assert page.locator(".error[aria-current]").count() == 1
    assert page.locator(".w.exact").count() >= 1
    assert "CoNLL" in page.text_content("#said")
    page.locator(".kinds input").first.uncheck()
    assert 0 < page.locator(".error").count() < total
    page.locator(".error").last.click()
    assert page.locator(".error[aria-current]").count() == 1


def test_errors_go_on_in_the_next_document_that_has_some(show: Show, corpus: cl.View) -> None:
    page = show(corpus)
    for _ in range(page.locator(".error").count()):
        page.keyboard.press("n")
    page.keyboard.press("n")
    page.wait_for_selector("body[data-ready='nw/c_0']")
    page.wait_for_selector(".error[aria-current]")


def test_only_documents_with_errors(show: Show, corpus: cl.View) -> None:
    page = show(corpus, "#tab=documents")
    assert page.locator(".doc").count() == 3
    page.check("text=only documents with errors")
    assert page.locator(".doc").count() == 2
    page.locator(".doc").nth(1).click()
    page.wait_for_selector("body[data-ready='nw/c_0']")
    page.keyboard.press("[")
    page.wait_for_selector("body[data-ready='nw/b_0']")


def test_two_systems(show: Show, tale: cl.View) -> None:
    page = show(tale)
    page.select_option("#sys", "1")
    page.select_option("#vs", "0")
    old, new = (system.diagnosis for system in tale.content.systems)
    verdict = difference(old, new)
    page.check("text=repaired")
    assert page.locator(".error").count() == len(verdict.repaired)
    page.check("text=broken")
    assert page.locator(".error").count() == len(verdict.broken)
    page.keyboard.press("Tab")
    page.focus(".text")
    page.keyboard.press("s")
    playwright.expect(page.locator("#sys")).to_have_value("0")


def test_scores_are_the_librarys(show: Show, tale: cl.View) -> None:
    page = show(tale, "#tab=scores")
    shown = page.text_content(".scores")
    result = tale.content.systems[0].result
    assert f"{100 * float(result.conll):.2f}" in shown and str(result.signature) in shown


def test_search_by_text_and_entity(show: Show, corpus: cl.View) -> None:
    page = show(corpus)
    page.keyboard.press("/")
    page.keyboard.type("cake")
    page.wait_for_selector(".hits a")
    assert page.locator(".hits a").count() == 1
    page.keyboard.press("Enter")
    assert "a cake" in page.text_content("#detail")
    page.check("#all")
    playwright.expect(page.locator(".hits a")).to_have_count(3)
    page.fill("#q", "K2")
    playwright.expect(page.locator(".hits a").first).to_have_text(re.compile("^K2 "))


def test_addresses(show: Show, corpus: cl.View) -> None:
    page = show(corpus, "#doc=nw%2Fc_0&sel=k3&mode=beside&theme=dark")
    assert page.evaluate("document.body.dataset.ready") == "nw/c_0"
    assert page.locator(".w.exact").count() >= 1 and page.locator(".mode-beside").count() == 1
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.keyboard.press("2")
    page.go_back()
    page.wait_for_selector(".mode-beside")
    page.evaluate("location.hash = '#doc=nw%2Fa_0&tab=entities&sel=R1'")
    page.wait_for_selector("body[data-ready='nw/a_0']")
    page.wait_for_selector(".pline.own")
    assert page.evaluate("(location.hash = '#doc=gone&sel=k999&sys=9&tab=x', true)")  # nothing of that exists
    page.wait_for_selector(".text")


def test_light_and_dark(show: Show, tale: cl.View) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    page = show(tale, color_scheme="dark")
    dark = page.evaluate(background)
    page.keyboard.press("t")
    assert page.evaluate(background) != dark


def test_small_screens_and_print(show: Show, corpus: cl.View) -> None:
    page = show(corpus, "#sel=k2", viewport={"width": 360, "height": 700})
    for tab in "1234":
        page.keyboard.press(tab)
        page.wait_for_timeout(50)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), tab
    page.keyboard.press("1")
    page.emulate_media(media="print")
    assert not page.is_visible("#side") and page.is_visible(".sentence")


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
        page.keyboard.press(tab)
        page.wait_for_timeout(50)
    assert "run" not in page.title() and page.title().startswith("</title><script>")
    page.keyboard.press("1")
    shown = page.text_content(".text")
    for word in (*HOSTILE[:3], *HOSTILE[5:]):
        assert word in shown
    assert "⟨202E⟩evil" in shown and "a␇b␛c" in shown
    assert page.locator("img").count() == 0
    page.click("[data-w='0']")
    assert HOSTILE[0] in page.text_content("#detail")


def test_the_policy_forbids_requests(browser: Any, tmp_path: Path, tale: cl.View) -> None:
    """A server that would notice: it is reached from a page without the policy, and never from ours."""
    reached = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(1)
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        for text in (tale.html, "<!doctype html><title>no policy</title>"):
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
    page.wait_for_timeout(500)
    assert page.evaluate(f"{tops}.some(y => y > 200 && y < 700)")
    assert page.evaluate("document.querySelectorAll('.w').length") < 8000
    page.evaluate("location.hash = '#sel=k29000'")
    page.wait_for_selector(".w.exact")
    page.wait_for_timeout(300)
    assert 0 < page.locator(".w.exact").first.bounding_box()["y"] < 800


def test_in_a_notebook(show: Show, browser: Any, tale: cl.View, tmp_path: Path) -> None:
    page = browser.new_page()
    page.set_content(tale._repr_html_())
    frame = page.frame_locator("iframe")
    frame.locator(".w").first.click()
    assert "earns" in frame.locator("#detail").text_content()
    page.close()
    show(tale)


def _axe(directory: Path) -> str:
    """axe-core: the file that AXE_CORE names, else the npm package."""
    if "AXE_CORE" in os.environ:
        return Path(os.environ["AXE_CORE"]).read_text(encoding="utf-8")
    if shutil.which("npm") is None:
        pytest.skip("ACCESSIBILITY IS NOT TESTED: neither AXE_CORE nor npm")
    got = subprocess.run(["npm", "pack", "axe-core@4"], cwd=directory, capture_output=True, text=True, timeout=60)
    if got.returncode:
        pytest.skip("ACCESSIBILITY IS NOT TESTED: axe-core can't be downloaded")
    with tarfile.open(directory / got.stdout.split()[-1]) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member
        return member.read().decode()


def test_no_serious_findings_of_axe(show: Show, corpus: cl.View, tmp_path: Path) -> None:
    axe = _axe(tmp_path)
    for scheme in ("light", "dark"):
        page = show(corpus, "#sel=k2", color_scheme=scheme)
        page.evaluate(axe)
        for tab in "1234":
            page.keyboard.press(tab)
            page.wait_for_timeout(300)
            found = page.evaluate("axe.run()")["violations"]
            serious = [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in ("serious", "critical")]
            assert not serious, (scheme, tab)
