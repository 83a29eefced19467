"""How fast the page of `coreflens view` is in a real browser: `python bench/page.py [--rounds N] [--json]`.

A book of 210,000 words, 30,000 mentions and some 8,000 errors in one document, and a corpus of 340 documents. Wall
time, of which the machine and the size of the window are a part. A choice counts until the frame that shows it is
painted and the next begins, which is 33 ms where nothing has to be done.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from generate import generate
from table import Row

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]

# In the page, before its own script: when the first words were painted, and how long what is done takes. The second of
# two frames begins when the first, in which the change is drawn, has been painted.
CLOCK = """
const late = (done) => setTimeout(() => done(performance.now()), 2000);
const frame = () => new Promise((done) => (requestAnimationFrame(done), late(done)));
window.painted = async () => (await frame(), await frame(), performance.now());
window.first = (async () => {
  const drawn = () => [...document.querySelectorAll(".w")].some((w) => w.getBoundingClientRect().top < innerHeight);
  while (!drawn()) await frame();
  return painted();
})();
window.taken = async (act, done = () => true) => {
  await painted();
  const start = performance.now();
  act();
  while (!done()) {
    if (performance.now() - start > 20000) throw Error(`nothing came of ${act} at ${location.hash}`);
    await frame();
  }
  return (await painted()) - start;
};
window.press = (key, at = document.body) => at.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
window.at = (selector) => document.querySelector(selector);
window.address = (hash) => taken(() => (location.hash = hash));
window.frames = async (step, scroller = document.documentElement) => {
  const took = [];
  let before = await frame();
  for (let y = 0; y < scroller.scrollHeight; y += step) {
    scroller.scrollTop = y;
    const now = await frame();
    took.push(now - before);
    before = now;
  }
  return took;
};
"""
CHOOSE = "name => taken(() => at(`.bar[data-e='${name}']`).click(), () => at('.w.lit'))"
LINE = "name => taken(() => at(`#line-${name} .ename`).click(), () => at(`#line-${name}.own`))"
ARROW = "taken(() => press('ArrowDown', at('.pcolumn.k')))"
ERROR = "taken(() => press('n'), () => at('.error[aria-current]'))"
JUMP = """share => taken(() => scrollTo(0, share * document.documentElement.scrollHeight),
  () => [...document.querySelectorAll('.w')].some(w => Math.abs(w.getBoundingClientRect().top - 400) < 300))"""
SEARCH = """text => taken(() => {
  at('#hits').replaceChildren();
  at('#q').value = text;
  at('#q').dispatchEvent(new Event('input', { bubbles: true }));
}, () => at('.hits'))"""
TURN = """taken(() => (delete document.body.dataset.ready, press(']')), () => document.body.dataset.ready)"""
LARGEST = """(async () => {
  await address('#tab=entities&sort=size');
  return at('.pcolumn.k .pline').dataset.e;
})()"""


def worst(what: str, times: list[float], target: str = "") -> Iterator[Row]:
    yield Row(f"{what}, median of {len(times)}", median(times), "ms", target)
    yield Row(f"{what}, worst", max(times), "ms", target)


def built(folder: Path) -> Iterator[Row]:
    files = [folder / "key.conll", folder / "response.conll"]
    command = [sys.executable, "-m", "coreflens", "view", *map(str, files), str(folder / "page.html")]
    started = perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    yield Row(f"{folder.name}: coreflens view", perf_counter() - started)
    size, given = (folder / "page.html").stat().st_size, sum(file.stat().st_size for file in files)
    yield Row(f"{folder.name}: page against its input", size / given, "×", "≤3")


@contextmanager
def opened(driver: Any, page: Path) -> Iterator[Any]:
    """The page in a newly started browser, which has nothing compiled or cached."""
    browser = driver.chromium.launch(executable_path=BROWSER, args=FLAGS)
    try:
        tab = browser.new_page(viewport={"width": 1300, "height": 800})
        tab.add_init_script(CLOCK)
        tab.goto(page.as_uri(), wait_until="commit")
        tab.wait_for_selector("body[data-ready]", timeout=120_000)
        yield tab
    finally:
        browser.close()


def first_text(driver: Any, page: Path, rounds: int) -> list[float]:
    times = []
    for _ in range(rounds):
        with opened(driver, page) as tab:
            times.append(tab.evaluate("first"))
    return times


def book(driver: Any, page: Path, rounds: int) -> Iterator[Row]:
    yield from worst("book: first text", first_text(driver, page, max(rounds, 3)), "≤2000")
    with opened(driver, page) as tab:

        def times(script: str, count: int = 40) -> list[float]:
            return [tab.evaluate(script) for _ in range(count)]

        def largest_chosen(script: str) -> list[float]:
            found = []
            for _ in range(10):
                found.append(tab.evaluate(script, largest))
                tab.evaluate("taken(() => press('Escape'))")
            return found

        tab.evaluate("first")
        largest = tab.evaluate(LARGEST)
        size = tab.text_content(f"#line-{largest} .esize")
        tab.evaluate("address('')")
        yield from worst(f"book: largest entity, {size} mentions, chosen in the text", largest_chosen(CHOOSE), "≤100")
        drawn = tab.evaluate("[...new Set([...document.querySelectorAll('.bar')].map(bar => bar.dataset.e))]")
        yield from worst("book: any entity chosen in the text", [tab.evaluate(CHOOSE, e) for e in drawn[:40]], "≤100")
        tab.evaluate("address('#sel=')")
        yield from worst("book: next error (n)", times(ERROR))
        yield from worst("book: next mention (.)", times("taken(() => press('.'))"))
        tab.evaluate("address('#sel=')")
        yield from worst(
            "book: to the entities and back (2, 1)",
            [tab.evaluate(f"taken(() => press('{k}'))") for k in "21" * 5],
        )
        tab.evaluate("address('#tab=entities&sort=size')")
        yield from worst(f"book: largest entity, {size} mentions, chosen in Entities", largest_chosen(LINE), "≤100")
        yield from worst("book: next entity (↓)", times(ARROW), "≤100")
        frames = tab.evaluate("frames(300, at('.pscroll'))")
        yield Row(f"book: longest frame, scrolling through Entities in {len(frames)} steps", max(frames), "ms")
        tab.evaluate("address('')")
        frames = tab.evaluate("frames(600)")
        yield Row(f"book: longest frame, scrolling through the text in {len(frames)} steps", max(frames), "ms")
        yield from worst("book: jump in the text", [tab.evaluate(JUMP, n / 11) for n in (5, 1, 9, 3, 7)])
        yield from worst("book: search", [tab.evaluate(SEARCH, text) for text in ("a", "ban", "no such", "K1")])


def corpus(driver: Any, page: Path, rounds: int) -> Iterator[Row]:
    yield from worst("dev: first text", first_text(driver, page, max(rounds, 3)), "≤2000")
    with opened(driver, page) as tab:
        tab.evaluate("first")
        yield from worst("dev: next document (])", [tab.evaluate(TURN) for _ in range(40)])
        yield Row("dev: to the documents (4)", tab.evaluate("taken(() => press('4'))"), "ms")
        tab.evaluate("taken(() => press('1'))")
        tab.check("#all")
        yield Row("dev: search in all documents, all unpacked", tab.evaluate(SEARCH, "no such"), "ms")


def timings(out: Path, rounds: int) -> Iterator[Row]:
    generate(out, ("book", "dev"))
    for name in ("book", "dev"):
        yield from built(out / name)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield Row("the page in a browser", None, note="not measured: playwright is not installed")
        return
    if BROWSER is None:
        yield Row("the page in a browser", None, note="not measured: there is no chromium")
        return
    with sync_playwright() as driver:
        yield from book(driver, out / "book" / "page.html", rounds)
        yield from corpus(driver, out / "dev" / "page.html", rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="browsers started to see the first text (5)")
    parser.add_argument("--json", action="store_true", help="for run.py")
    options = parser.parse_args()
    rows = []
    for row in timings(Path(__file__).parent / "out", options.rounds):
        rows.append(asdict(row))
        if not options.json:
            print(row, flush=True)
    if options.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
