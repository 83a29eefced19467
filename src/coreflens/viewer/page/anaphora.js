// Bridging, split antecedents and non-referring expressions: signs at the words, and curves from anaphors to antecedents.

import { el, quoting, say, svg } from "./dom.js";
import { chosen } from "./model.js";
import { go, state } from "./state.js";

const SIGNS = { bridging: "↷", split: "⋔", nonreferring: "⊘" };
const NAMES = { bridging: "bridging", split: "split antecedent", nonreferring: "non-referring" };

/** The kinds that a document has, for the legend. */
export function legendOf(view) {
  const here = Object.keys(SIGNS).filter((what) => view.answer.links.some((link) => link.what === what));
  if (!here.length) return [];
  const told = here.map((what) => [SIGNS[what], { bridging: "bridging: a dotted curve goes to the anchor", split: "split antecedent: curves go to its parts", nonreferring: "refers to nothing" }[what]]);
  const curves = here.some((what) => what !== "nonreferring");
  return curves ? [...told, ["!", "wrong: the curve is red, with a ring at its end"], ["", "l: show all curves; b: go to the next one"]] : told;
}

/** The signs of a place, such as `k5` or `w12-14`: what starts there, and whether it is wrong. */
export function signsAt(view, id) {
  view.signs ??= signsOf(view);
  return view.signs.get(id) ?? "";
}

/** The same for screen readers. */
export function toldAt(view, { id, twin }) {
  const signs = new Set(`${signsAt(view, id)}${twin ? signsAt(view, twin.id) : ""}`.match(/.!?/gu) ?? []);
  return [...signs].map((sign) => `; ${NAMES[Object.keys(SIGNS).find((what) => sign.startsWith(SIGNS[what]))]}${sign.endsWith("!") ? ", wrong" : ""}`).join("");
}

function signsOf(view) {
  const found = new Map();
  for (const link of view.answer.links) {
    for (const ends of [link.key, link.response]) {
      if (!ends?.length) continue;
      const sign = `${SIGNS[link.what]}${link.kind ? "!" : ""}`;
      const before = found.get(ends[0]) ?? "";
      if (!before.includes(sign)) found.set(ends[0], before + sign);
    }
  }
  return found;
}

/** The links that a selection takes part in: a mention's own, or all of an entity's. */
export function linksOf(view, sel) {
  const found = chosen(view, sel);
  const ids = new Set([sel]);
  if (found?.mention?.twin) ids.add(found.mention.twin.id);
  if (found && !found.mention) for (const mention of found.entity.mentions) ids.add(mention.id).add(mention.twin?.id);
  return view.answer.links.filter((link) => [...(link.key ?? []), ...(link.response ?? [])].some((end) => ids.has(end)));
}

/** The links of a selection in words, with references to their ends. */
export function saidOf(view, sel, reference) {
  const links = linksOf(view, sel);
  if (!links.length) return null;
  const words = (end) => (/^[kr]/.test(end) ? view.mention(end).text : view.text.words.slice(...range(end)).join(" "));
  const side = (name, ends) => (ends ? el("li", {}, `${name}: `, ends.map((end, n) => [n ? (n === 1 ? " → " : ", ") : "", reference(end, words(end), { dir: "auto" })])) : el("li", {}, `${name}: nothing`));
  return [
    el("h3", {}, "Other anaphora"),
    links.map((link) => [
      el("p", { class: link.kind ? "wrong" : null }, el("b", {}, `${SIGNS[link.what]} ${NAMES[link.what]}: `), link.kind ? quoting(`${link.kind}, ${link.said}`) : "right"),
      el("ul", { class: "meets" }, side("Key", link.key), side("Response", link.response)),
    ]),
  ];
}

function range(end) {
  const [a, b] = end.slice(1).split("-").map(Number);
  return [a, b + 1];
}

/** Go to the next link of the document after the selection, and select its anaphor. */
export function nextLink(view) {
  const links = view.answer.links;
  if (!links.length) return say("No bridging or split antecedents here.");
  const at = links.findIndex((link) => (link.key ?? link.response)[0] === state.sel);
  const link = links[(at + 1) % links.length];
  const ends = link.key ?? link.response;
  if (ends.length) go({ sel: ends[0], tab: "text" });
  return say(`${NAMES[link.what]}: ${link.kind ? `${link.kind}, ${link.said}` : "right"}`);
}

/** Draw the curves of the selection, or all curves, over the visible words. */
export function drawCurves(pane, view) {
  pane.querySelector(".curves")?.remove();
  const links = state.links ? view.answer.links : linksOf(view, state.sel);
  const paths = [];
  const frame = pane.getBoundingClientRect();
  for (const link of links) {
    for (const [side, ends] of [["k", link.key], ["r", link.kind || state.mode === "response" ? link.response : null]]) {
      if (!ends || ends.length < 2) continue; // a link that both sides have is drawn once
      const from = boxOf(pane, view, ends[0], side);
      for (const end of ends.slice(1)) {
        const to = boxOf(pane, view, end, side);
        if (from && to) paths.push(...curve(from, to, frame, side, link));
      }
    }
  }
  if (!paths.length) return;
  pane.append(svg("svg", { class: "curves", "aria-hidden": "true", width: pane.scrollWidth, height: pane.scrollHeight }, paths));
}

/** Where an end is drawn: at the bar of its side, or of its twin, or at its words. */
function boxOf(pane, view, end, side) {
  const words = /^w(\d+)-/.exec(end);
  if (words) return pane.querySelector(`[data-w="${words[1]}"]`)?.getBoundingClientRect();
  const twin = view.mention(end)?.twin?.id;
  const bar = pane.querySelector(`[data-m="${end}"]`) ?? (twin && pane.querySelector(`[data-m="${twin}"]`));
  return (bar ?? null)?.closest(".w").getBoundingClientRect();
}

/** Curves of the key go above the words, curves of the response below. */
function curve(from, to, frame, side, link) {
  const middle = (box) => box.left + Math.min(box.width / 2, 20) - frame.left;
  const level = (box) => (side === "k" ? box.top : box.bottom) - frame.top;
  const [x, y, a, b] = [middle(from), level(from), middle(to), level(to)];
  const lift = (side === "k" ? -1 : 1) * Math.min(18 + Math.abs(x - a) / 6 + Math.abs(y - b) / 8, 70);
  const d = `M ${x} ${y} C ${x} ${y + lift}, ${a} ${b + lift}, ${a} ${b}`;
  const kind = ["curve", side, link.what, link.kind ? "wrong" : "right"].join(" ");
  return [svg("path", { class: kind, d }), svg("circle", { class: kind, cx: a, cy: b, r: link.kind ? 4 : 2.5 })];
}
