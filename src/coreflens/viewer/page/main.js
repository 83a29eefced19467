// The page: header, tabs, the panes, and the keys.

import { legendOf, nextLink } from "./anaphora.js";
import { button, el, points, quoting, replace, say } from "./dom.js";
import { guardDoubleClicks } from "./clicks.js";
import { documentNumber, index, isKnown, partlyMark, unpacked } from "./data.js";
import { clear, drawDetail } from "./detail.js";
import { drawDocuments } from "./documents.js";
import { drawErrors, markError, step, stepper } from "./errors.js";
import { chosen, hasOwnLabels, place, viewOf } from "./model.js";
import { Projections } from "./projections.js";
import { drawScores } from "./scores.js";
import { drawHits, nextHit } from "./search.js";
import { follow, go, onChange, readAddress, state, turned } from "./state.js";
import { TextPane, hints } from "./text.js";

const TABS = { text: "Text", entities: "Entities", scores: "Scores", documents: "Documents" };
const MODES = { both: "key above, response below", beside: "side by side", key: "key only", response: "response only" };
const KEYS = [
  ["n p", "next, previous error"],
  [", .", "previous, next mention"],
  ["[ ]", "previous, next document"],
  ["1 2 3 4", "text, entities, scores, documents"],
  ["← →", "in the text: previous, next mention"],
  ["↑ ↓ ← →", "in the lists of entities and errors"],
  ["v", "change how the text is drawn"],
  ["b", "next bridging or split antecedent"],
  ["l", "show curves for all of these, or for the selection"],
  ["s", "next system"],
  ["/ Enter", "search; next hit"],
  ["t", "light, dark"],
  ["Esc", "clear the selection"],
  ["?", "these keys"],
];

const NAME = 22; // characters of a system's name in the menu; the rest is for its score

const main = document.getElementById("main");
const detail = el("section", { id: "detail", "aria-label": "Selection" });
const errors = el("section", { id: "errors", "aria-label": "Errors" });
const hits = el("section", { id: "hits", "aria-label": "Search results", hidden: true });
const pane = el("div", { id: "pane", role: "tabpanel" });
const jump = el("nav", { id: "jump", "aria-label": "Errors at once" }); // on small screens, where the errors are below the text
const tip = document.getElementById("tip");
const scrolled = {}; // the scroll position of each tab
let [raw, view, shown] = [null, null, null];

function option(value, label, selected) {
  return el("option", { value, selected }, label);
}

function turnTo(sys) {
  go(turned(sys));
}

/** A long name without its middle, because names of systems differ at their ends. */
function middle(name) {
  return name.length <= NAME ? name : `${name.slice(0, NAME / 2 - 1)}…${name.slice(-NAME / 2)}`;
}

/** Its CoNLL average, in short. */
function conll(system) {
  const score = system.scores.conll?.[2];
  return score === undefined ? "" : ` · CoNLL ${points(score)}${partlyMark(system.scores, "conll")}`;
}

function header() {
  const several = index.documents.length > 1;
  const systems = index.systems.length > 1;
  const picker = el("select", { id: "doc", "aria-label": "Document", onchange: (e) => go({ doc: e.target.value, sel: "", e: "" }) });
  for (const d of index.documents) picker.append(option(d.label, d.label || "document", d.label === state.doc));
  const system = el("select", { id: "sys", "aria-label": "Response", onchange: (e) => turnTo(e.target.value) });
  const against = el("select", { id: "vs", "aria-label": "Compared with", onchange: (e) => go({ vs: e.target.value, diff: "", e: "", sel: state.sel.startsWith("o") ? "" : state.sel }) });
  against.append(option("", "compared with …", false));
  index.systems.forEach((s, n) => {
    system.append(option(String(n), `${middle(s.name)}${conll(s)}`, false));
    against.append(option(String(n), `against ${s.name}`, false));
  });
  const search = el("input", { id: "q", type: "search", placeholder: "Mentions, entities, words", "aria-label": "Search mentions, entities, words", oninput: (e) => go({ q: e.target.value }, true) });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") nextHit(hits);
    if (event.key === "Escape") {
      go({ q: "" }, true);
      search.blur();
    }
  });
  const everywhere = el("label", { class: "everywhere" }, el("input", { id: "all", type: "checkbox", onchange: (e) => go({ all: e.target.checked ? "1" : "" }, true) }), " all documents");
  replace(
    document.getElementById("top"),
    button("Skip to the text", () => pane.querySelector("[tabindex]")?.focus(), { class: "skip" }),
    index.title ? el("h1", {}, index.title) : null,
    index.title ? el("span", { class: "group note" }, `Key ${index.key}`) : el("h1", {}, el("small", {}, "Key "), index.key),
    several ? el("span", { class: "group" }, button("‹", () => turn(-1), { "aria-label": "Previous document" }), picker, button("›", () => turn(1), { "aria-label": "Next document" })) : null,
    systems
      ? el("span", { class: "group" }, el("small", {}, "Response "), system, against)
      : el("span", { class: "group" }, el("small", {}, "Response "), el("b", {}, index.systems[0].name), el("small", {}, conll(index.systems[0]))),
    el(
      "span",
      { class: "group grow" },
      search,
      several ? everywhere : null,
      button("◐", theme, { "aria-label": "Light or dark", title: "t" }),
      button("?", help, { "aria-label": "Keys", title: "?" }),
    ),
  );
}

function tabs() {
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": "Views" });
  for (const [name, label] of Object.entries(TABS)) {
    const on = state.tab === name;
    list.append(button(label, () => go({ tab: name }), { role: "tab", id: `tab-${name}`, "aria-selected": String(on), "aria-controls": "pane", tabindex: on ? "0" : "-1" }));
  }
  list.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const names = Object.keys(TABS);
    go({ tab: names[(names.indexOf(state.tab) + by + names.length) % names.length] });
    document.getElementById(`tab-${state.tab}`).focus();
  });
  return list;
}

function modes() {
  const select = el("select", { id: "mode", onchange: (e) => go({ mode: e.target.value }, true) });
  for (const [name, label] of Object.entries(MODES)) select.append(option(name, label, state.mode === name));
  return el(
    "div",
    { class: "tools" },
    el("label", { for: "mode" }, "Drawn "),
    select,
    el(
      "ul",
      { class: "legend" },
      [
        ["", "same colour and number: entities aligned by CEAFe"],
        ...(hasOwnLabels(view) ? [["7:x", "entity 7, which the file calls x"]] : []),
        ["≠", "another entity than in the key"],
        ["┄", "twinless: the other side lacks the mention"],
        ["", "grey: singleton, or not aligned"],
        ...legendOf(view),
      ].map(([sign, said]) => el("li", {}, sign ? el("b", {}, sign) : null, ` ${said}`)),
    ),
  );
}

function drawPane() {
  const focused = main.contains(document.activeElement) ? document.activeElement.id : "";
  const before = pane.className.replace("pane-", "");
  if (before && before !== state.tab) scrolled[before] = scrollY;
  shown?.end();
  shown = null;
  main.querySelector(".tabs")?.replaceWith(tabs());
  pane.setAttribute("aria-labelledby", `tab-${state.tab}`);
  pane.className = `pane-${state.tab}`;
  replace(pane);
  if (state.tab === "entities") shown = new Projections(pane, view);
  else if (state.tab === "scores") shown = drawScores(pane, raw);
  else if (state.tab === "documents") shown = drawDocuments(pane);
  else {
    if (view.text) pane.append(modes());
    shown = new TextPane(pane, view);
    reveal();
  }
  if (before !== state.tab && state.tab !== "text") scrollTo(0, Math.min(scrolled[state.tab] ?? 0, pane.offsetTop));
  else if (before !== state.tab && !chosen(view, state.sel)) scrollTo(0, scrolled.text ?? 0);
  paper();
  const again = focused.startsWith("tab-") ? `tab-${state.tab}` : focused;
  if (again) document.getElementById(again)?.focus({ preventScroll: true });
}

/** Buttons that go to the errors and back, and through them. */
function drawJump() {
  const there = () => errors.scrollIntoView({ block: "start" });
  const back = () => scrollTo(0, Math.max(0, pane.getBoundingClientRect().top + scrollY - 60));
  replace(
    jump,
    button(`${errors.querySelector(".dhead .count").textContent.split(" ")[0]} errors ↓`, there, { id: "to-errors", "aria-label": "Go to the errors" }),
    button("Text ↑", back, { id: "to-text", "aria-label": "Back to the text" }),
    stepper("jump"),
  );
}

/** What a printed page shows. */
function paper() {
  const system = index.systems[Number(state.sys)];
  const legend = state.tab === "text" ? " Key above the words, response below; same number: aligned; ≠: another entity; dashed: twinless." : "";
  replace(document.getElementById("paper"), el("b", {}, index.title || `Key ${index.key}`), el("span", {}, ` · ${raw.label} · ${system.name}${conll(system)}.${legend}`));
}

function reveal() {
  if (!(shown instanceof TextPane)) return;
  const spot = place(view, state.sel);
  if (spot) shown.reveal(spot);
  const found = chosen(view, state.sel);
  if (!found) return;
  const mention = found.mention ?? found.entity.mentions[0];
  const other = state.mode === "key" && mention.side === "r" ? mention.twin : state.mode === "response" && mention.side === "k" ? mention.twin : null;
  if (!inView(mention)) shown.reveal(other ?? mention);
}

function inView(mention) {
  const box = shown.node.querySelector(`[data-m="${mention.id}"]`)?.getBoundingClientRect();
  const small = matchMedia("(max-width: 60rem)").matches; // the details of the selection cover the lower part
  const [top, bottom] = small ? [60, 0.6 * innerHeight] : [document.getElementById("top").offsetHeight + 60, innerHeight - 20];
  return box && box.top > top && box.bottom < bottom;
}

function drawSide() {
  document.body.classList.toggle("picked", Boolean(chosen(view, state.sel) || place(view, state.sel)));
  drawDetail(detail, view, index.documents[documentNumber(state.doc)].genre);
}

async function load() {
  const number = documentNumber(state.doc);
  const got = await unpacked(number);
  if (number !== documentNumber(state.doc)) return;
  if (raw && raw !== got) {
    for (const tab of Object.keys(scrolled)) delete scrolled[tab];
    scrollTo(0, 0);
  }
  raw = got;
  view = viewOf(raw, Number(state.sys));
  settleSelection();
  tellUnknown();
  drawPane();
  drawSide();
  drawErrors(errors, raw, view);
  drawJump();
  drawHits(hits, number);
  document.body.dataset.ready = `${index.documents[number].label}`;
}

function controls() {
  for (const [id, value] of [["doc", state.doc], ["sys", state.sys], ["vs", state.vs], ["q", state.q]]) {
    const node = document.getElementById(id);
    if (node && node.value !== value) node.value = value;
  }
  const all = document.getElementById("all");
  if (all) all.checked = Boolean(state.all);
}

function react(changed) {
  const has = (...names) => names.some((name) => changed.has(name));
  settle();
  controls();
  if (has("theme")) paint();
  if (has("doc", "sys", "sel")) notice.hidden = true;
  if (has("doc", "sys")) return load();
  if (!view) return undefined;
  settleSelection();
  tellUnknown();
  const here = { documents: ["only", "docs"], scores: ["how"] }[state.tab] ?? [];
  if (has("links")) shown?.curves?.();
  if (has("tab", "mode", "lanes", "vs", ...here)) drawPane();
  else if (has("sel", "sort")) {
    if (shown instanceof Projections) shown.arrange();
    else {
      reveal(); // measures, so before anything changes
      shown?.light?.();
    }
  }
  if (has("sel", "vs")) drawSide();
  if (has("err", "esort", "vs", "diff")) {
    drawErrors(errors, raw, view);
    drawJump();
  }
  else if (has("e")) markError();
  if (has("q", "all")) drawHits(hits, documentNumber(state.doc));
  return undefined;
}

const notice = el("p", { id: "notice", role: "alert", hidden: true });
let unknown = []; // what an address asked for that the page does not have

/** A document and system that exist, and a tab that has something to show. What does not exist is noted. */
function settle() {
  if (state.doc && !isKnown(state.doc)) {
    unknown.push(`the document “${state.doc}”`);
    Object.assign(state, { sel: "", e: "" }); // they were of that document
  }
  state.doc = index.documents[documentNumber(state.doc)]?.label ?? "";
  if (!index.systems[Number(state.sys)]) {
    unknown.push(`the response number ${state.sys}`);
    state.sys = "0";
  }
  if (state.vs !== "" && !index.systems[Number(state.vs)]) unknown.push(`the response number ${state.vs}`);
  if (state.vs !== "" && (!index.systems[Number(state.vs)] || state.vs === state.sys)) state.vs = "";
  if (state.vs === "") state.diff = "";
  for (const [name, choices] of Object.entries({ tab: TABS, mode: MODES })) {
    if (state[name] in choices) continue;
    unknown.push(`the view “${state[name]}”`);
    state[name] = Object.keys(choices)[0];
  }
  if (!(Number(state.lanes) >= 1)) state.lanes = "12";
  if (state.esort !== "place") state.esort = "";
}

/** A selection that the document has. */
function settleSelection() {
  if (!state.sel || chosen(view, state.sel) || place(view, state.sel)) return;
  unknown.push(`“${state.sel}” in this document`);
  state.sel = "";
}

/** Say what of an address the page does not have, and what it shows instead. */
function tellUnknown() {
  if (!unknown.length) return;
  const shown = raw.label ? [" It shows the document “", el("bdi", {}, raw.label), "”."] : null;
  const close = button("×", () => (notice.hidden = true), { class: "small", "aria-label": "Close" });
  replace(notice, ["This page does not have ", quoting(unknown.join(", or ")), ".", shown, " ", close].flat().map((x) => (typeof x === "string" ? document.createTextNode(x) : x)));
  notice.hidden = false;
  unknown = [];
}

function turn(by) {
  const documents = index.documents;
  const next = (documentNumber(state.doc) + by + documents.length) % documents.length;
  go({ doc: documents[next].label, sel: "", e: "" });
  say(documents[next].label);
}

function theme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = state.theme || (dark ? "dark" : "light");
  go({ theme: now === "dark" ? "light" : "dark" }, true);
}

function paint() {
  if (state.theme) document.documentElement.dataset.theme = state.theme;
  else delete document.documentElement.dataset.theme;
}

function help() {
  const dialog = el(
    "dialog",
    { "aria-label": "Keys", onclose: (e) => e.target.remove() },
    el("h2", {}, "Keys"),
    el("dl", { class: "keys" }, KEYS.map(([keys, what]) => [el("dt", {}, keys.split(" ").map((k) => [el("kbd", {}, k), " "])), el("dd", {}, what)])),
    el("label", {}, el("input", { type: "checkbox", checked: state.keys !== "off", onchange: (e) => go({ keys: e.target.checked ? "" : "off" }, true) }), " use single keys"),
    el("p", { class: "note" }, `coreflens ${index.coreflens}. The page does not send or fetch anything.`),
    el("form", { method: "dialog" }, el("button", {}, "Close")),
  );
  document.body.append(dialog);
  dialog.showModal();
}

function cycle(choices, now, key) {
  go({ [key]: choices[(choices.indexOf(now) + 1) % choices.length] }, true);
}

const ACTIONS = {
  n: () => step(1),
  p: () => step(-1),
  ",": () => shown instanceof TextPane && shown.step(-1),
  ".": () => shown instanceof TextPane && shown.step(1),
  "[": () => turn(-1),
  "]": () => turn(1),
  v: () => cycle(Object.keys(MODES), state.mode, "mode"),
  b: () => nextLink(view),
  l: () => cycle(["", "all"], state.links, "links"),
  s: () => index.systems.length > 1 && turnTo(String((Number(state.sys) + 1) % index.systems.length)),
  "/": () => document.getElementById("q").focus(),
  t: theme,
  "?": help,
  Escape: clear,
};
Object.keys(TABS).forEach((name, n) => (ACTIONS[n + 1] = () => go({ tab: name })));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.matches?.("input:not([type=checkbox], [type=radio]), select, textarea")) return;
  const action = ACTIONS[event.key];
  if (!action || (state.keys === "off" && event.key !== "Escape")) return;
  event.preventDefault();
  action();
});

pane.addEventListener("mouseover", (event) => {
  const word = event.target.closest?.(".w.m");
  tip.hidden = !word;
  if (!word) return;
  replace(tip, hints(view, word).map((lines) => el("div", {}, lines)));
  const box = word.getClientRects()[0];
  tip.style.left = `${Math.max(4, Math.min(box.left, innerWidth - tip.offsetWidth - 12))}px`;
  const above = box.top - tip.offsetHeight - 26;
  tip.style.top = `${above > 4 ? above : box.bottom + 26}px`;
});
pane.addEventListener("mouseleave", () => (tip.hidden = true));
addEventListener("scroll", () => (tip.hidden = true), { passive: true });
addEventListener("hashchange", follow);
addEventListener("popstate", follow);
addEventListener("beforeprint", () => shown?.everything?.());
addEventListener("afterprint", () => shown instanceof Projections && shown.draw());

Object.assign(state, readAddress());
settle();
if (!index.documents.length) replace(main, el("p", { class: "note" }, "There are no documents."));
else {
  paint();
  header();
  main.append(notice, tabs(), pane);
  guardDoubleClicks();
  document.getElementById("side").append(hits, detail, errors);
  document.body.append(jump);
  new IntersectionObserver(([seen]) => jump.classList.toggle("there", seen.isIntersecting), { rootMargin: "0px 0px -40% 0px" }).observe(errors);
  const top = document.getElementById("top");
  new ResizeObserver(() => document.documentElement.style.setProperty("--top", `${top.offsetHeight}px`)).observe(top);
  document.getElementById("foot").append(el("span", {}, index.systems.map((s) => s.signature).filter((s, n, all) => all.indexOf(s) === n).join("; ")));
  onChange(react);
  controls();
  load().then(() => {
    if (!view.text && !location.hash.includes("tab=")) go({ tab: "entities" }, true);
  });
}
