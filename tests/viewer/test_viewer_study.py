"""The page as it is studied with: where scores come from, two systems, what costs most, search; also without sight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
from viewing import Show, pair, until

pytest_plugins = ("browsing",)
expect = pytest.importorskip("playwright.sync_api", reason="THE PAGE IS NOT TESTED: no playwright").expect


def selected(page: Any, sel: str) -> None:
    until(page, f"new URLSearchParams(location.hash.slice(1)).get('sel') === '{sel}'")


def focused(page: Any, id: str) -> None:
    until(page, f"document.activeElement.id === '{id}'")


def test_an_entity_is_derived_as_explain_does(show: Show, tale: cl.View) -> None:
    """Its own scores, one click away, are those of `explain --entity`."""
    page = show(tale, "#tab=scores")
    page.click(".escore[data-e='K1']")
    expect(page.locator(".derivation tbody tr")).to_have_count(5)
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
    """In the lines of `explain`, for the corpus and for the document; its entities can be chosen."""
    page = show(corpus, "#tab=scores")
    evidence = corpus.content.systems[0].diagnosis.evidence
    for metric in ("muc", "bcub", "ceafm", "ceafe", "blanc", "lea", "conll"):
        page.click(f"#how-{metric}")
        whole, part = (
            cl.explain(evidence.key, evidence.response, metric, document=document) for document in (None, "nw/a_0")
        )
        for explanation in (whole, part, *whole.parts, *part.parts):
            for line in explanation.steps[-1].after:
                expect(page.locator(".derivation-of")).to_contain_text(line)
        page.click(f"#how-{metric}")
        expect(page.locator(".derivation-of")).to_have_count(0)
    page = show(corpus, "#tab=scores&how=muc")
    page.locator(".derivation-of details").first.locator("td a").first.click()
    selected(page, "K1")


def test_repaired_errors_of_the_other_system(show: Show, tale: cl.View) -> None:
    """Their sentences say whose they are, and their mentions are found in the text, also those that this one lacks."""
    page = show(tale, "#sys=0&vs=1&diff=repaired")
    errors = page.locator(".error")
    expect(errors.first).to_be_visible()
    for n in range(errors.count()):
        errors.nth(n).click()
        expect(page.locator(".error[aria-current]")).to_contain_text("The response of new")
        expect(page.locator(".error[aria-current]")).to_contain_text("was worth")
        expect(page.locator(".w.spot, .w.exact").first).to_be_visible()
    page = show(tale, "#sys=0&vs=1&sel=o0")
    expect(page.locator("#detail")).to_contain_text("A mention of new")
    page.click("text=Show new")
    expect(page.locator("#sys")).to_have_value("1")
    selected(page, "r0")


def test_errors_by_gain(show: Show, tale: cl.View) -> None:
    page = show(tale)
    page.focus("#esort")
    page.select_option("#esort", "place")
    page.select_option("#esort", "")
    focused(page, "esort")
    prices = page.eval_on_selector_all(".error .price", "nodes => nodes.map(n => n.textContent)")
    gains = [float(price.split()[0].replace("−", "-")) for price in prices]
    assert gains == sorted(gains, reverse=True) and len(gains) > 2
    page.focus("#elist")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    until(page, "[...document.querySelectorAll('.error')].findIndex(e => e.ariaCurrent) === 1")
    focused(page, "elist")


def test_the_current_error_is_in_view(show: Show, corpus: cl.View) -> None:
    page = show(corpus, viewport={"width": 1300, "height": 620})
    inside = (
        "(([e, b]) => b.top - 1 <= e.top && e.top < b.bottom - 20)"
        "(['.error[aria-current]', '.elist'].map(x => document.querySelector(x).getBoundingClientRect()))"
    )
    for n in range(page.locator(".error").count()):
        page.keyboard.press("n")
        expect(page.locator(".error").nth(n)).to_have_attribute("aria-current", "true")
        until(page, inside)


def test_two_systems_in_one_table(show: Show, tale: cl.View) -> None:
    page = show(tale, "#tab=scores&sys=1&vs=0")
    old, new = (system.result for system in tale.content.systems)
    change = 100 * (float(new["lea"].main) - float(old["lea"].main))
    row = page.locator(".scores table.two tr", has_text="LEA")
    expect(row).to_contain_text(f"{change:+.2f}".replace("-", "−"))
    page = show(tale, "#tab=scores&sys=0&vs=1")  # the other way round
    row = page.locator(".scores table.two tr", has_text="LEA")
    expect(row).to_contain_text(f"{-change:+.2f}".replace("-", "−"))


def test_words_are_found(show: Show, corpus: cl.View) -> None:
    page = show(corpus)
    page.fill("#q", "greeted")
    page.wait_for_selector(".hits a")
    page.keyboard.press("Enter")
    selected(page, "w7-7")
    expect(page.locator(".w.spot")).to_have_text("greeted")
    expect(page.locator("#detail")).to_contain_text("in no mention")
    page.fill("#q", "nowhere")
    expect(page.locator("#hits")).to_contain_text("nothing")
    page.keyboard.press("Escape")
    expect(page.locator("#hits")).to_be_hidden()


def test_words_around_a_mention_are_found(show: Show, corpus: cl.View) -> None:
    page = show(corpus)
    for query, sel in (("she greeted", "w6-7"), ("miller", "k1")):  # beyond its border; and within
        page.fill("#q", query)
        page.wait_for_selector(".hits a")
        page.keyboard.press("Enter")
        selected(page, sel)


def test_enter_goes_from_hit_to_hit(show: Show, corpus: cl.View) -> None:
    """Also from document to document, and from the last to the first."""
    page = show(corpus, "#all=1")
    page.fill("#q", "a cake")
    expect(page.locator(".hits a")).to_have_count(3)
    for label in ("nw/a_0", "nw/b_0", "nw/c_0", "nw/a_0"):
        page.focus("#q")
        page.keyboard.press("Enter")
        page.wait_for_selector(f"body[data-ready='{label}']")
        expect(page.locator(".quoted")).to_have_text("a cake")
        expect(page.locator(".hits a[aria-current]")).to_have_count(1)


def test_three_systems(show: Show, tmp_path: Path) -> None:
    """The page says rightly whose errors are shown, also when the system or the one it is compared with changes."""
    right = "[1 The response team] met [2 Bo] .\n[1 They] greeted [2 him] ."
    wrong = [right.replace("[1 They]", "They"), right.replace("[2 him]", "him"), right]
    key, *responses = pair(tmp_path, (right, *wrong))
    view = cl.view(key, *responses, names=["a", "b", "$&"])
    page = show(view, "#sys=2&vs=0&diff=repaired")
    said = page.locator(".error .what")
    expect(said).to_have_text("The response of a lacks “They”, a mention of “The response team”.")
    page.keyboard.press("s")  # the first system, now against the one before
    expect(page.locator("#sys")).to_have_value("0")
    expect(page.locator("#vs")).to_have_value("2")
    page = show(view, "#sys=0&vs=2&diff=repaired&sel=o0")
    expect(page.locator("#detail")).to_contain_text("A mention of $&")
    page.select_option("#vs", "1")
    expect(page.locator("#detail")).not_to_contain_text("A mention of")


def test_mentions_are_told_without_sight(show: Show, tale: cl.View) -> None:
    page = show(tale)
    labels = page.eval_on_selector_all(".bar[role=button]", "bars => bars.map(b => b.ariaLabel)")
    assert "mention “Ida”: key entity 1, 3 mentions; response entity 1" in labels
    assert "mention “She”: key entity 1, 3 mentions; response entity 2, not aligned" in labels
    assert "mention “him”: key entity 2, 2 mentions; the response lacks it" in labels
    assert page.locator("[data-w='6'] .bar.astray").count() == 2  # seen as well, and not by colour alone
    page.focus(".text")
    page.keyboard.press("ArrowRight")
    selected(page, "k0")
    page.keyboard.press("Enter")
    until(page, "document.activeElement.closest('#detail') !== null")


def test_single_keys_can_be_switched_off(show: Show, tale: cl.View) -> None:
    page = show(tale)
    page.keyboard.press("?")
    page.uncheck("dialog input")
    page.click("dialog button")
    page.keyboard.press("2")
    expect(page.locator("#tab-text")).to_have_attribute("aria-selected", "true")
    page = show(tale)
    page.keyboard.press("2")
    expect(page.locator("#tab-entities")).to_have_attribute("aria-selected", "true")


def test_focus_is_never_lost(show: Show, tale: cl.View) -> None:
    page = show(tale, "#vs=1&sel=K1")
    for id in ("diff-broken", "kind-1", "next-errors"):
        page.focus(f"#{id}")
        page.keyboard.press("Space")
        focused(page, id)
    page.focus("#detail button[aria-label='Clear the selection']")
    page.keyboard.press("Enter")
    until(page, "document.activeElement.classList.contains('text')")


def test_scores_are_rounded_as_everywhere(show: Show) -> None:
    """Halves go up: 25/32 is 78.13 here, in `score` and in the derivation."""
    key = [[f"{n}" for n in range(32)]]
    response = [key[0][:25], key[0][25:]]
    page = show(cl.view(key, response), "#tab=scores&how=ceafm&sel=K1")
    result = cl.score(key, response)
    printed = "78.13"
    assert ["CEAFm", printed, printed, printed] in [line.split()[:4] for line in str(result).splitlines()]
    expect(page.locator(".scores tr", has_text="CEAFm").first).to_contain_text(printed)
    expect(page.locator(".derivation-of")).to_contain_text(f"{printed} %")
    expect(page.locator(".derivation tr", has_text="CEAFm")).to_contain_text(printed)


def test_entities_over_documents_say_what_is_elsewhere(show: Show) -> None:
    key = {"a": {1: "x", 2: "x"}, "b": {1: "x", 2: "y"}}
    response = {"a": {1: "x", 2: "x", 3: "z"}, "b": {1: "w", 3: "z"}}
    page = show(cl.view(key, response, scope="corpus"), "#tab=entities&sel=K1")
    detail = page.locator("#detail")
    expect(detail).to_contain_text("3 mentions, 2 in this document")
    expect(detail).to_contain_text("π*(K1), only its part in this document")
    expect(page.locator(".derivation tr", has_text="MUC")).to_have_text("MUC1250.00")  # no way there that is not true


def test_singletons_that_are_dropped_are_no_lack(show: Show) -> None:
    page = show(cl.view([["a", "b"]], [["a"], ["b", "c"]], singletons="drop"), "#tab=entities&sel=k0")
    expect(page.locator("#detail")).to_contain_text("a singleton in the response, which is left out")
    expect(page.locator("#detail .numbers tr", has_text="mentions")).to_contain_text("1.00")


def test_a_tab_opens_at_its_top_and_keeps_its_place(show: Show, corpus: cl.View) -> None:
    page = show(corpus, viewport={"width": 1300, "height": 400})
    page.keyboard.press("3")
    page.mouse.wheel(0, 350)
    until(page, "scrollY > 300")
    page.keyboard.press("4")
    until(page, "scrollY === 0 || document.querySelector('.doc').getBoundingClientRect().top > 0")
    page.keyboard.press("3")
    until(page, "document.querySelector('#pane').getBoundingClientRect().top > -100")


def test_the_chosen_mention_is_not_covered(show: Show, corpus: cl.View) -> None:
    page = show(corpus, viewport={"width": 390, "height": 700})
    for _ in range(4):
        page.keyboard.press("n")
        until(page, "document.querySelector('.w.exact')?.getBoundingClientRect().bottom < 0.62 * innerHeight")
