"""The page in a real browser: by mouse, by keyboard alone, by its address; and that it asks for nothing."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
from coreflens.diagnosis.differences import difference
from viewing import TOY, Show

pytest_plugins = ("browsing",)
playwright = pytest.importorskip("playwright.sync_api", reason="THE PAGE IS NOT TESTED: no playwright")


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
    playwright.expect(page.locator(".mode-beside .words")).to_have_count(6)


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


def test_an_entity_is_derived_as_explain_does(show: Show, tale: cl.View) -> None:
    """Its own scores, one click away in Scores and in Text, are those of `explain --entity`."""
    page = show(tale, "#tab=scores")
    page.click(".escore[data-e='K1']")
    rows = page.eval_on_selector_all(
        ".derivation tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    evidence = tale.content.systems[0].diagnosis.evidence
    for metric, row in zip(("muc", "bcub", "ceafm", "ceafe", "lea"), rows, strict=True):
        explained = cl.explain(evidence.key, evidence.response, metric, entity="K1")
        earned, of = explained.counts.values()
        assert float(row[2]) == pytest.approx(float(earned), abs=1e-3) and float(row[3]) == of
        assert row[4] == f"{100 * float(earned / of):.2f}"
    assert rows[1][1] == "2²/3 + 1²/3"


def test_every_metric_is_derived(show: Show, corpus: cl.View) -> None:
    page = show(corpus, "#tab=scores")
    for metric in ("muc", "bcub", "ceafm", "ceafe", "blanc", "lea", "conll"):
        page.click(f"#how-{metric}")
        shown = page.text_content(".derivation-of")
        system = corpus.content.systems[0]
        explained = cl.explain(system.diagnosis.evidence.key, system.diagnosis.evidence.response, metric)
        document = cl.explain(
            system.diagnosis.evidence.key, system.diagnosis.evidence.response, metric, document="nw/a_0"
        )
        for explanation in (explained, document):
            for line in (line for part in (explanation, *explanation.parts) for line in part.steps[-1].after):
                assert line in shown, metric
        page.click(f"#how-{metric}")
    playwright.expect(page.locator(".derivation-of")).to_have_count(0)
    page = show(corpus, "#tab=scores&how=muc")
    page.locator(".derivation-of details").first.locator("td a").first.click()
    assert selected(page) == "K1"


def test_repaired_errors_of_the_other_system(show: Show, tale: cl.View) -> None:
    """Their sentences say whose they are, and their mentions are found in the text, also those that this one lacks."""
    page = show(tale, "#sys=0&vs=1&diff=repaired")
    errors = page.locator(".error")
    assert errors.count()
    for n in range(errors.count()):
        errors.nth(n).click()
        assert "The response of new" in page.text_content(".error[aria-current]")
        assert "was worth" in page.text_content(".error[aria-current]")
        assert page.locator(".w.spot, .w.exact").count() >= 1, selected(page)
    page = show(tale, "#sys=0&vs=1&sel=o0")
    assert "A mention of new" in page.text_content("#detail")
    page.click("text=Show new")
    assert page.input_value("#sys") == "1" and selected(page) == "r0"


def test_errors_by_gain(show: Show, tale: cl.View) -> None:
    page = show(tale)
    page.select_option("#esort", "gain")
    prices = page.eval_on_selector_all(".error .price", "nodes => nodes.map(n => n.textContent)")
    gains = [float(price.split()[0].replace("−", "-")) for price in prices]
    assert gains == sorted(gains, reverse=True) and len(gains) > 2
    page.focus("#elist")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("[...document.querySelectorAll('.error')].findIndex(e => e.ariaCurrent)") == 1
    assert page.evaluate("document.activeElement.id") == "elist"


def test_the_current_error_is_in_view(show: Show, corpus: cl.View) -> None:
    page = show(corpus, viewport={"width": 1300, "height": 620})
    for _ in range(page.locator(".error").count()):
        page.keyboard.press("n")
        error, box = (page.locator(x).bounding_box() for x in (".error[aria-current]", ".elist"))
        assert box["y"] - 1 <= error["y"] and error["y"] + error["height"] <= box["y"] + box["height"] + 40


def test_two_systems_in_one_table(show: Show, tale: cl.View) -> None:
    page = show(tale, "#tab=scores&sys=1&vs=0")
    old, new = (system.result for system in tale.content.systems)
    row = page.locator(".scores table").first.locator("tr", has_text="LEA").text_content()
    change = 100 * (float(new["lea"].main) - float(old["lea"].main))
    assert f"{change:+.2f}".replace("-", "−") in row
    page.keyboard.press("s")  # the other way round
    playwright.expect(page.locator("#sys")).to_have_value("0")


def test_words_are_found(show: Show, corpus: cl.View) -> None:
    page = show(corpus)
    page.fill("#q", "greeted")
    page.wait_for_selector(".hits a")
    page.keyboard.press("Enter")
    assert selected(page) == "w7-7" and page.locator(".w.spot").text_content() == "greeted"
    assert "in no mention" in page.text_content("#detail")
    page.fill("#q", "nowhere")
    playwright.expect(page.locator("#hits")).to_contain_text("nothing")
    page.keyboard.press("Escape")
    assert page.is_hidden("#hits")


def test_mentions_are_told_without_sight(show: Show, tale: cl.View) -> None:
    page = show(tale)
    labels = page.eval_on_selector_all(".bar[role=button]", "bars => bars.map(b => b.ariaLabel)")
    assert "mention “Ida”: key entity 1, 3 mentions; response entity 1" in labels
    assert "mention “She”: key entity 1, 3 mentions; response entity 2, not aligned" in labels
    assert "mention “him”: key entity 2, 2 mentions; the response lacks it" in labels
    assert page.locator("[data-w='6'] .bar.astray").count() == 2  # seen as well, and not by colour alone
    page.focus(".text")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('#detail') !== null")


def test_single_keys_can_be_switched_off(show: Show, tale: cl.View) -> None:
    page = show(tale)
    page.keyboard.press("?")
    page.uncheck("dialog input")
    page.click("dialog button")
    page.keyboard.press("2")
    assert page.get_attribute("#tab-text", "aria-selected") == "true"


def test_focus_is_never_lost(show: Show, tale: cl.View) -> None:
    page = show(tale, "#vs=1&sel=K1")
    for selector in ("#diff-broken", "#kind-1", "#next-errors"):
        page.focus(selector)
        page.keyboard.press("Space")
        assert page.evaluate("document.activeElement.id") == selector[1:]
    page.focus("#detail button[aria-label='Clear the selection']")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className").startswith("text")


def test_light_and_dark(show: Show, tale: cl.View) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    page = show(tale, color_scheme="dark")
    dark = page.evaluate(background)
    page.keyboard.press("t")
    assert page.evaluate(background) != dark
