"""The page in a real browser: by mouse, by keyboard alone, by its address; and that it asks for nothing."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import anaphora_cases as anaphora
import coreflens as cl
from coreflens.diagnosis.differences import difference
from corefud_cases import met_otherwise, written
from viewing import NEW, OLD, RIGHT, TOY, Show, conll, until

pytest_plugins = ("browsing",)
expect = pytest.importorskip("playwright.sync_api", reason="THE PAGE IS NOT TESTED: no playwright").expect


def lit(page: Any, *entities: str) -> None:
    """These entities are lit, and no others."""
    found = "[...document.querySelectorAll('.pline.own, .pline.other')].map(n => n.dataset.e).sort().join()"
    until(page, f"{found} === '{','.join(sorted(entities))}'")


def test_projections_of_1998_by_mouse(show: Show) -> None:
    page = show(cl.view(*TOY))
    page.click("#line-K3 .ename")
    lit(page, "K3", "R3", "R2")
    page.click("#line-R3 .ename")
    lit(page, "R3", "K1", "K3")
    expect(page.locator("path.link.own")).to_have_count(2)
    page.keyboard.press("Escape")
    lit(page)


def test_projections_of_1998_by_keyboard(show: Show) -> None:
    page = show(cl.view(*TOY))
    page.focus(".pcolumn.k")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    lit(page, "K3", "R3", "R2")
    expect(page.locator(".pcolumn.k")).to_have_attribute("aria-activedescendant", "line-K3")
    expect(page.locator("#said")).to_contain_text("R3 5, R2 2")
    page.keyboard.press("ArrowRight")
    lit(page, "R3", "K1", "K3")


def test_projections_of_1998_by_address(show: Show) -> None:
    lit(show(cl.view(*TOY), "#tab=entities&sel=K3"), "K3", "R3", "R2")


def selected(page: Any) -> str:
    found: str = page.evaluate("new URLSearchParams(location.hash.slice(1)).get('sel') ?? ''")
    return found


def double_click(page: Any, place: str) -> None:
    """Two clicks where the pointer is, as a person makes them: what is under it may have changed in between."""
    box = page.locator(place).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for count in (1, 2):
        page.mouse.down(click_count=count)
        page.mouse.up(click_count=count)


def test_every_double_click_of_1998(show: Show) -> None:
    """Table 1: a double click on a line shows its projections, whatever was chosen before."""
    projections = {"K1": "R3", "K2": "R2", "K3": "R2 R3", "K4": "R2 R4", "R2": "K2 K3 K4", "R3": "K1 K3", "R4": "K4"}
    page = show(cl.view(*TOY), "#tab=entities")
    for before in projections:
        for line, others in projections.items():
            page.keyboard.press("Escape")
            page.click(f"#line-{before} .ename")
            lit(page, before, *projections[before].split())
            double_click(page, f"#line-{line} .ename")
            lit(page, line, *others.split())
            assert selected(page) == line, (before, line)


def test_a_double_click_on_a_mention_of_a_line_chooses_its_entity(show: Show) -> None:
    page = show(cl.view(*TOY), "#tab=entities&sel=R2")
    double_click(page, "#line-K1 .chip >> nth=0")
    lit(page, "K1", "R3")
    assert selected(page) == "K1"


def test_a_line_that_is_clicked_stays_under_the_pointer(show: Show) -> None:
    many = [[f"{n}a", f"{n}b"] for n in range(60)]
    mixed = [[f"{n}a", f"{(n + 30) % 60}b"] for n in range(60)]
    page = show(cl.view(many, mixed), "#tab=entities&sel=R40")
    page.locator(".pscroll").evaluate("node => (node.scrollTop = 500)")
    for name in ("R18", "K25"):
        before = page.locator(f"#line-{name}").bounding_box()["y"]
        page.click(f"#line-{name} .ename")
        until(page, f"document.querySelector('.pline.own')?.dataset.e === '{name}'")
        assert abs(page.locator(f"#line-{name}").bounding_box()["y"] - before) < 1


def test_the_second_click_does_not_follow_another_link(show: Show) -> None:
    """A first click can draw a link under the pointer, on which the second click then is."""
    page = show(cl.view(*TOY), "#tab=entities")
    for place, count in (("#line-K3", 1), ("#detail .meets a", 2)):
        click = f"new MouseEvent('click', {{bubbles: true, cancelable: true, detail: {count}}})"
        page.evaluate(f"document.querySelector('{place}').dispatchEvent({click})")
        assert selected(page) == "K3"


def test_the_files_own_labels_are_beside_the_common_numbers(show: Show, tmp_path: Path) -> None:
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(conll(RIGHT))
    first = "[77 Ida] met [e-long-label-9 the old [2 miller]] ."
    response.write_text(conll(f"{first}\n[77 She] greeted [e-long-label-9 him] .\nHe gave her a cake ."))
    page = show(cl.view(key, response), "#tab=entities")
    expect(page.locator(".pcolumn.k .ename")).to_have_text(["K1", "K2", "K3", "K4"])  # the file has the same numbers
    expect(page.locator("#line-R1 .ename")).to_have_text("R1 “77”")
    expect(page.locator("#line-R2 .ename")).to_have_text("R2 “e-long-labe…”")
    expect(page.locator("#line-R2 .ename")).to_have_attribute("title", "R2 “e-long-label-9”")
    page.click("#line-R1 .chip >> nth=0")
    expect(page.locator("#detail")).to_contain_text("Response R1 “77”, key K1.")
    expect(page.locator("#detail .mentions")).to_contain_text("K1")
    page.click("#line-K1 .ename")
    expect(page.locator("#detail .meets")).to_contain_text("R1 “77” shares 2 of 3")
    expect(page.locator("#detail .mentions")).to_contain_text("R1 “77”")
    page.keyboard.press("1")
    tags = page.eval_on_selector_all(".bar.r[data-tag]", "nodes => nodes.map(n => n.dataset.tag)")
    assert tags == ["1:77", "2:…abel-9", "3:2", "1:77", "2:…abel-9"]
    page.hover("[data-w='0']")
    expect(page.locator("#tip")).to_contain_text("K1 = R1 “77”")
    page.keyboard.press(".")
    expect(page.locator("#said")).to_contain_text("R1 “77”")
    page.fill("#q", "77")
    expect(page.locator(".hits a").first).to_have_text(re.compile("^R1 “77” Ida"))
    page.keyboard.press("Escape")
    page.keyboard.press("3")


def test_many_mentions_over_each_other_are_drawn_when_asked_for(show: Show, tmp_path: Path) -> None:
    words = [f"w{n}" for n in range(500)]
    nested = [[[0, n], [0, n + 1]] for n in range(0, 499, 2)]
    path = tmp_path / "nested.jsonlines"
    path.write_text(json.dumps({"doc_key": "d", "sentences": [words], "clusters": nested}))
    page = show(cl.view(path, path))
    nodes = "document.querySelectorAll('*').length"
    assert page.evaluate(nodes) < 3000
    note = page.locator(".more-lanes").first
    expect(note).to_contain_text("Not drawn: 976 mentions around these, because more than 12 lie over each other.")
    note.locator("button").click()
    expect(page.locator(".more-lanes").first).to_contain_text("Not drawn: 904 mentions")
    assert page.evaluate("location.hash").count("lanes=48") == 1
    page.evaluate("location.hash = '#sel=k400'")  # a mention whose bar is not drawn
    until(page, "document.querySelectorAll('.w.exact').length > 100")


def test_an_address_that_is_not_here_says_so(show: Show, corpus: cl.View) -> None:
    page = show(corpus, "#doc=gone&sel=k1&tab=x")
    notice = page.locator("#notice")
    expect(notice).to_contain_text("does not have the document “gone”, or the view “x”. It shows the document “nw/a_0”")
    expect(page.locator("#detail")).to_contain_text("Choose a mention")  # k1 was of the other document
    page.evaluate("location.hash = '#doc=nw%2Fb_0&sel=k999'")
    page.wait_for_selector("body[data-ready='nw/b_0']")
    expect(notice).to_contain_text("“k999” in this document. It shows the document “nw/b_0”")
    page.evaluate("location.hash = '#doc=nw%2Fb_0&sys=9'")
    expect(notice).to_contain_text("the response number 9")
    page.evaluate("location.hash = '#doc=nw%2Fc_0&sel=k1'")
    page.wait_for_selector("body[data-ready='nw/c_0']")
    expect(notice).to_be_hidden()


def test_entities_are_sorted(show: Show) -> None:
    page = show(cl.view(*TOY), "#tab=entities")
    page.select_option("#sort", "size")
    expect(page.locator(".pcolumn.k .ename")).to_have_text(["K3", "K4", "K2", "K1"])


def test_a_mention_is_explained(show: Show, tale: cl.View) -> None:
    page = show(tale)
    page.hover("[data-w='8']")  # him: the old system lacks it
    expect(page.locator("#tip")).to_contain_text("the response lacks it")
    page.hover("[data-w='0']")
    expect(page.locator("#tip")).to_contain_text(re.compile("K1 = R1.*also “She”.*MUC first/first, B³ 0.67/1"))
    page.click("[data-w='8']")
    expect(page.locator("#detail")).to_contain_text("twinless: the response lacks it")
    expect(page.locator("#detail")).to_contain_text("What this mention earns")
    page.click("[data-w='4']")  # miller: innermost first, then what is around it
    expect(page.locator(".quoted")).to_have_text("miller")
    page.click("[data-w='4']")
    expect(page.locator(".quoted")).to_have_text("the old miller")
    expect(page.locator(".w.lit").nth(2)).to_be_visible()


def test_the_focus_stays_where_it_is(show: Show, tale: cl.View) -> None:
    page = show(tale, "#sel=K1")
    page.locator(".mentions a").nth(1).focus()
    page.keyboard.press("Enter")
    until(page, "document.activeElement.textContent === 'She' && location.hash.includes('sel=k3')")
    page.focus("#tab-text")
    page.keyboard.press("ArrowRight")
    until(page, "document.activeElement.id === 'tab-entities'")
    page.focus("#tab-entities")
    page.keyboard.press("ArrowLeft")
    page.select_option("#mode", "beside")
    expect(page.locator(".mode-beside p.words")).to_have_count(6)


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
    expect(page.locator(".quoted")).to_have_text("he … old")
    expect(page.locator(".w.exact")).to_have_count(2)


def test_a_double_click_chooses_the_entity_that_was_clicked(show: Show, tale: cl.View) -> None:
    """A click chooses the innermost mention, another one the next around it; two at once choose the first's entity."""
    page = show(tale, "#sys=1")
    word = page.locator(".w.m", has_text="miller").first
    word.click()
    first = page.evaluate("new URLSearchParams(location.hash.slice(1)).get('sel')")
    word.click()
    assert page.evaluate("new URLSearchParams(location.hash.slice(1)).get('sel')") != first
    page.keyboard.press("Escape")
    entity = page.locator(f"[data-m='{first}']").first.get_attribute("data-e")
    word.dblclick()
    until(page, f"new URLSearchParams(location.hash.slice(1)).get('sel') === '{entity}'")
    expect(page.locator("#detail h2")).to_have_text("Entity")
    page.keyboard.press("Escape")
    bar = page.locator(".bar.r").nth(3)
    entity = bar.get_attribute("data-e")
    bar.dblclick()
    until(page, f"new URLSearchParams(location.hash.slice(1)).get('sel') === '{entity}'")


def test_aligned_entities_have_one_number_in_the_text(show: Show, tmp_path: Path) -> None:
    """The response's first entity is the key's second."""
    (tmp_path / "key.conll").write_text(conll(RIGHT))
    (tmp_path / "response.conll").write_text(
        conll("Ida met [1 the old [2 miller]] .\n[3 She] greeted [1 him] .\n[2 He] gave [3 her] [4 a cake] .")
    )
    page = show(cl.view(tmp_path / "key.conll", tmp_path / "response.conll"))
    tags = page.evaluate(
        "[...document.querySelectorAll('.w.m')].map(w => ['k', 'r'].map(s => w.querySelector(`.bar.${s}[data-tag]`)"
        "?.dataset.tag)).filter(([k, r]) => k && r)"
    )
    assert len(tags) > 3
    assert {k for k, _ in tags} == {"1", "2", "3", "4"}
    assert all(k == r.partition(":")[0] for k, r in tags), tags  # after it: what the file calls the entity
    assert {r for _, r in tags} >= {"1:3", "2:1", "3:2", "4"}


def test_all_systems_are_in_the_scores(show: Show, corpus: cl.View, tmp_path: Path) -> None:
    key = tmp_path / "six.conll"
    key.write_text(conll(RIGHT))
    systems = []
    for n, text in enumerate([RIGHT, OLD, NEW, OLD, NEW, RIGHT]):
        systems.append(tmp_path / f"a-system-with-a-rather-long-name-{n}.conll")
        systems[-1].write_text(conll(text))
    page = show(cl.view(key, *systems), "#tab=scores&sys=2")
    rows = page.locator(".everyone tr[class], .everyone tr:has(th[scope=row])")
    expect(rows).to_have_count(6)
    for n, path in enumerate(systems):
        cells = [f"{100 * float(s.main):.2f}" for s in cl.score(key, path).values()]
        expect(rows.nth(n).locator("td")).to_have_text(cells)
    expect(page.locator(".everyone tr[aria-current] th")).to_have_text(systems[2].stem)
    page.click(f".everyone >> text={systems[4].stem}")
    expect(page.locator("#sys")).to_have_value("4")


def test_the_menu_of_responses_shows_the_whole_score(show: Show, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.conll" for name in ("key", "a-system-with-a-rather-long-name-one", "b" * 60)]
    for path, text in zip(paths, (RIGHT, OLD, NEW), strict=True):
        path.write_text(conll(text))
    for width in (1300, 390):
        page = show(cl.view(*paths), viewport={"width": width, "height": 800})
        score = f"CoNLL {100 * cl.score(paths[0], paths[1]).conll:.2f}"
        assert page.locator("#sys option").first.text_content().endswith(score)
        room = page.evaluate(
            "(() => { const s = document.getElementById('sys'), style = getComputedStyle(s);"
            "const c = document.createElement('canvas').getContext('2d'); c.font = style.font;"
            "const wide = Math.max(...[...s.options].map(o => c.measureText(o.textContent).width));"
            "return s.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - wide; })()"
        )
        assert room >= 0, (width, room)


def test_errors_come_by_gain_unless_asked_otherwise(show: Show, tale: cl.View) -> None:
    page = show(tale)

    def gains() -> list[float]:
        prices = page.eval_on_selector_all(".error .price", "nodes => nodes.map(n => n.textContent)")
        return [float(price.split()[0].replace("−", "-")) for price in prices]

    assert gains() == sorted(gains(), reverse=True)
    page.select_option("#esort", "place")
    until(page, "location.hash.includes('esort=place')")
    assert gains() != sorted(gains(), reverse=True)
    page.select_option("#esort", "")
    until(page, "!location.hash.includes('esort')")
    assert gains() == sorted(gains(), reverse=True)


def test_errors_are_reached_at_once_on_a_phone(show: Show, corpus: cl.View) -> None:
    page = show(corpus, viewport={"width": 390, "height": 800})
    expect(page.locator("#to-errors")).to_be_in_viewport()
    expect(page.locator("#to-errors")).to_contain_text(str(page.locator(".error").count()))
    page.click("#to-errors")
    expect(page.locator(".error").first).to_be_in_viewport()
    page.click("#to-text")
    expect(page.locator(".text .w").first).to_be_in_viewport()
    page.click("#next-jump")
    expect(page.locator(".error[aria-current]")).to_have_count(1)
    expect(page.locator("#detail .body")).to_be_in_viewport()  # what was chosen does not cover the way
    page.click("#to-errors")
    expect(page.locator(".error").first).to_be_in_viewport()
    wide = show(corpus)
    expect(wide.locator("#jump")).to_be_hidden()


def test_text_is_stepped_through_by_keyboard(show: Show, tale: cl.View) -> None:
    page = show(tale)
    page.keyboard.press(".")
    page.keyboard.press(".")
    expect(page.locator("#said")).to_have_text(re.compile("^the old miller: K2"))
    page.keyboard.press(",")
    expect(page.locator("#said")).to_have_text(re.compile("^Ida: K1"))


def test_what_matched_by_its_head_is_reached_by_keyboard(show: Show, tmp_path: Path) -> None:
    key, response = met_otherwise()
    files = written(key, tmp_path / "key.conllu"), written(response, tmp_path / "response.conllu")
    page = show(cl.view(*files, protocol="corefud"))
    page.keyboard.press(".")
    said = re.compile("^the big dog: K1 “e1”, R1 “e1”, matched by head with big dog$")
    expect(page.locator("#said")).to_have_text(said)
    expect(page.locator("#detail")).to_contain_text("Matched by head with the response mention big dog.")
    expect(page.locator(".bar.k[data-m='k0']:not(.gap)")).to_have_count(3)
    expect(page.locator(".bar.r[data-m='r0']:not(.gap)")).to_have_count(2)
    page.click("#detail p >> text=big dog")
    expect(page.locator("#detail")).to_contain_text("Matched by head with the key mention the big dog.")


def test_bridging_and_split_antecedents_are_drawn_and_reached_by_keyboard(show: Show, tmp_path: Path) -> None:
    marks = [anaphora.Markable(f"m{n}", ((n, n),), e) for n, e in enumerate(["1", "2", "3", "4", "9-Pseudo"])]
    elements = [("3", "1"), ("3", "2")]
    sides = (("k", [("m3", "m0")]), ("r", [("m3", "m1")]))
    docs = [(n, anaphora.Doc("d", 6, marks, elements, bridges)) for n, bridges in sides]
    page = show(cl.view(*(anaphora.written(doc, tmp_path / f"{n}.CONLLUA") for n, doc in docs), protocol="ua"))
    expect(page.locator(".legend")).to_contain_text("bridging: a dotted curve goes to the anchor")
    assert page.locator(".sign").all_text_contents() == ["⋔", "↷!", "⊘"]
    expect(page.locator("path.curve")).to_have_count(0)
    page.keyboard.press("b")
    expect(page.locator("#said")).to_have_text("bridging: wrong anchor, “w3” → “w0”, not “w1”")
    expect(page.locator("path.curve.bridging.wrong")).to_have_count(2)  # one for each side
    expect(page.locator("#detail")).to_contain_text("Response: w3 → w1")
    page.keyboard.press("b")
    expect(page.locator("path.curve.split.right")).to_have_count(2)  # one for each part, of both sides
    page.keyboard.press("l")
    expect(page.locator("path.curve")).to_have_count(4)
    expect(page.locator('[data-m="k3"][role=button]')).to_have_attribute("aria-label", re.compile("bridging, wrong$"))


def test_errors_are_filtered_and_stepped_through(show: Show, tale: cl.View) -> None:
    page = show(tale)
    total = page.locator(".error").count()
    page.keyboard.press("n")
    expect(page.locator(".error[aria-current]")).to_have_count(1)
    expect(page.locator(".w.exact").first).to_be_visible()
    expect(page.locator("#said")).to_contain_text("CoNLL")
    page.locator(".kinds input").first.uncheck()
    until(page, f"(n => 0 < n && n < {total})(document.querySelectorAll('.error').length)")
    page.locator(".error").last.click()
    expect(page.locator(".error[aria-current]")).to_have_count(1)


def test_errors_go_on_in_the_next_document_that_has_some(show: Show, corpus: cl.View) -> None:
    page = show(corpus)
    for _ in range(page.locator(".error").count()):
        page.keyboard.press("n")
    page.keyboard.press("n")
    page.wait_for_selector("body[data-ready='nw/c_0']")
    page.wait_for_selector(".error[aria-current]")


def test_only_documents_with_errors(show: Show, corpus: cl.View) -> None:
    page = show(corpus, "#tab=documents")
    expect(page.locator(".doc")).to_have_count(3)
    page.check("text=only documents with errors")
    expect(page.locator(".doc")).to_have_count(2)
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
    expect(page.locator(".error")).to_have_count(len(verdict.repaired))
    page.check("text=broken")
    expect(page.locator(".error")).to_have_count(len(verdict.broken))
    page.keyboard.press("Tab")
    page.focus(".text")
    page.keyboard.press("s")
    expect(page.locator("#sys")).to_have_value("0")


def test_scores_are_the_librarys(show: Show, tale: cl.View) -> None:
    page = show(tale, "#tab=scores")
    shown = page.text_content(".scores")
    result = tale.content.systems[0].result
    assert f"{100 * float(result.conll):.2f}" in shown and str(result.signature) in shown


def test_search_by_text_and_entity(show: Show, corpus: cl.View) -> None:
    page = show(corpus)
    page.keyboard.press("/")
    page.keyboard.type("cake")
    expect(page.locator(".hits a")).to_have_text(["a cake"])
    page.keyboard.press("Enter")
    expect(page.locator("#detail")).to_contain_text("a cake")
    page.check("#all")
    expect(page.locator(".hits a")).to_have_count(3)
    page.fill("#q", "K2")
    expect(page.locator(".hits a").first).to_have_text(re.compile("^K2 "))


def test_addresses(show: Show, corpus: cl.View) -> None:
    page = show(corpus, "#doc=nw%2Fc_0&sel=k3&mode=beside&theme=dark")
    assert page.evaluate("document.body.dataset.ready") == "nw/c_0"
    expect(page.locator(".mode-beside .w.exact").first).to_be_visible()
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
    until(page, f"{background} !== '{dark}'")
