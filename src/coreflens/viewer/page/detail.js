// The selection: a mention with its credit in every metric, or an entity with its projections and mentions.

import { saidOf } from "./anaphora.js";
import { index } from "./data.js";
import { button, counted, el, points, quoting, replace, shortened } from "./dom.js";
import { chosen, creditOf, lacking, ownLabel, place, sentenceOf, speakerOf, titled } from "./model.js";
import { stepper } from "./errors.js";
import { named, reference, signs } from "./projections.js";
import { go, link, state } from "./state.js";

const MANY = 200; // mentions listed at once
const TERMS = 5; // terms of a sum that are shown

export function drawDetail(node, view, genre) {
  const focused = node.contains(document.activeElement);
  const [title, content] = selection(view, genre);
  // a new scroller starts at the top, so nothing has to be measured
  replace(node, title ? head(title) : el("h2", {}, "Selection"), el("div", { class: "body" }, content));
  if (focused) (node.querySelector("[aria-current]") ?? node.querySelector("button"))?.focus();
}

function selection(view, genre) {
  const spot = place(view, state.sel);
  if (spot) return spot.entity ? ["Mention", ofOther(spot)] : ["Words", [ofWords(view, spot), saidOf(view, state.sel, reference)]];
  const found = chosen(view, state.sel);
  if (!found) return ["", el("p", { class: "note" }, "Choose a mention or an entity. ", el("kbd", {}, "?"), " lists the keys.")];
  const { mention, entity } = found;
  const beside = saidOf(view, state.sel, reference);
  return mention ? ["Mention", [ofMention(view, mention, genre, beside), ofEntity(view, entity)]] : ["Entity", [beside, ofEntity(view, entity)]];
}

/** Clear the selection. If the focus was in its details, it goes back to the view. */
export function clear() {
  const inside = document.activeElement?.closest("#detail");
  go({ sel: "", e: "" });
  if (inside) document.querySelector("#pane [tabindex='0']")?.focus({ preventScroll: true });
}

function head(title) {
  return el("div", { class: "dhead" }, el("h2", {}, title), state.e === "" ? null : stepper("detail"), button("×", clear, { class: "small", "aria-label": "Clear the selection" }));
}

/** Words that were searched for, and the mentions they belong to. */
function ofWords(view, { start, end, text }) {
  const around = [...view.key.mentions, ...view.response.mentions].filter((m) => m.pieces.some(([a, b]) => a <= start && end <= b));
  return [
    el("blockquote", { dir: "auto", class: "quoted" }, text),
    el("p", {}, `Sentence ${sentenceOf(view.text, start) + 1}${around.length ? ", within:" : "; in no mention."}`),
    el("ul", { class: "meets" }, around.map((m) => el("li", {}, reference(m.id, shortened(m.text)), " ", quoting(titled(m.entity))))),
  ];
}

/** A mention of the other system, and a button that goes to it. */
function ofOther(mention) {
  const [here, there] = [index.systems[Number(state.sys)].name, index.systems[Number(state.vs)].name];
  const key = mention.twin ? `, ${titled(mention.twin.entity)} of the key` : "; the key lacks it";
  return [
    el("blockquote", { dir: "auto", class: "quoted" }, mention.text),
    el("p", {}, quoting(`A mention of ${there}: ${titled(mention.entity)} there${key}. The page shows ${here}.`)),
    button(`Show ${there}`, () => go({ sys: state.vs, vs: state.sys, diff: "broken", sel: mention.id })),
  ];
}

function ofMention(view, mention, genre, beside) {
  const facts = [];
  if (view.text) {
    const s = sentenceOf(view.text, mention.start);
    facts.push(["sentence", s + 1]);
    if (speakerOf(view.text, s)) facts.push(["speaker", speakerOf(view.text, s)]);
  }
  if (genre) facts.push(["genre", genre]);
  if (mention.type) facts.push(["type", mention.type]);
  if (mention.line) facts.push([`line in the ${mention.side === "k" ? "key" : "response"}`, mention.line]);
  const { twin } = mention;
  const lacks = lacking(mention);
  return [
    el("blockquote", { dir: "auto", class: "quoted" }, mention.text),
    el(
      "p",
      {},
      mention.side === "k" ? "Key " : "Response ",
      named(mention.entity),
      twin ? [mention.side === "k" ? ", response " : ", key ", named(twin.entity)] : `; ${lacks}`,
      ".",
    ),
    mention.by ? matched(mention) : null,
    beside,
    el("dl", { class: "facts" }, facts.map(([name, value]) => [el("dt", {}, name), el("dd", { dir: "auto" }, value)])),
    credit(view, mention),
  ];
}

/** The matched mention of the other side, if it differs, and the rule by which they matched. */
function matched({ side, twin, by }) {
  const other = side === "k" ? "response" : "key";
  return el("p", {}, `Matched by ${by} with the ${other} mention `, reference(twin.id, shortened(twin.text), { dir: "auto" }), ".");
}

function credit(view, mention) {
  const number = (x) => (typeof x === "number" ? x.toFixed(2) : x);
  return el(
    "table",
    { class: "numbers" },
    el("caption", {}, "What this mention earns"),
    el("thead", {}, el("tr", {}, ["", "recall", "precision"].map((x) => el("th", { scope: "col" }, x)))),
    el("tbody", {}, creditOf(view, mention).map(([name, a, b]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, number(a)), el("td", {}, number(b))))),
  );
}

/** Whether a part of an entity is in other documents, so that this document does not show all of it. */
function isPartly(entity) {
  return entity.size > entity.mentions.length;
}

function ofEntity(view, entity) {
  const ours = entity.side === "k" ? "Key" : "Response";
  const other = entity.side === "k" ? "π*" : "σ*";
  const label = ownLabel(entity) ? `, “${shortened(ownLabel(entity), 40)}” in the file` : "";
  const missing = entity.mentions.filter((m) => !m.twin);
  const partly = isPartly(entity);
  return [
    el("h3", {}, el("span", { class: `dot ${entity.colour}` }), quoting(`${ours} entity ${entity.name}${label}`)),
    el(
      "p",
      {},
      counted(entity.size, "mention"),
      partly ? `, ${entity.mentions.length} in this document` : "",
      missing.length ? `, ${missing.length} of ${partly ? "these" : "them"} twinless.` : ".",
    ),
    earnings(entity, missing.length),
    el("h4", {}, `${other}(${entity.name})${partly ? ", only its part in this document" : ""}`),
    entity.meets.length
      ? el("ul", { class: "meets" }, entity.meets.map((m) => el("li", {}, met(entity, m))))
      : el("p", { class: "note" }, `No ${entity.side === "k" ? "response" : "key"} entity has any of its mentions.`),
    el("h4", {}, "Mentions"),
    el("ol", { class: "mentions" }, entity.mentions.slice(0, MANY).map((m) => listed(m))),
    entity.mentions.length > MANY ? el("p", { class: "note" }, `${entity.mentions.length - MANY} more: step through them with , and .`) : null,
    el("p", { class: "note" }, el("a", { href: link({}) }, "Link to this selection")),
  ];
}

/** How the entity's own scores are derived: the rows of `coreflens explain --entity`, in the numbers of its overlaps. */
function earnings(entity, twinless) {
  const { size: a, meets, scores } = entity;
  const parts = meets.filter(({ cell }) => cell.matched);
  const few = parts.slice(0, TERMS);
  const sum = (term) => `${few.map(({ cell }) => term(cell.matched)).join(" + ") || "0"}${parts.length > TERMS ? " + …" : ""}`;
  const repeated = meets.some(({ cell }) => cell.matched !== cell.n);
  const aligned = (by) => meets.find(({ cell }) => cell[by]);
  const [m, e] = [aligned("ceafm"), aligned("ceafe")];
  const rows = [
    ["muc", "MUC", `${a} − ${counted(parts.length + twinless, "part")}`, a - 1],
    ["bcub", "B³", repeated ? "with repetitions" : sum((n) => `${n}²/${a}`), a],
    ["ceafm", "CEAFm", m ? `${m.cell.n} in ${titled(m.entity)}` : "not aligned", a],
    ["ceafe", "CEAFe", e ? `2·${e.cell.n}/(${a} + ${e.entity.size}), ${titled(e.entity)}` : "not aligned", 1],
    ["lea", "LEA", a > 1 ? `${a} · (${sum((n) => `${n}·${n - 1}`)}) / ${a}·${a - 1}` : "1 if a singleton on both sides", a],
  ];
  const heads = ["", "how", "earns", "of", entity.side === "k" ? "recall" : "precision"];
  return el(
    "table",
    { class: "numbers derivation" },
    el("caption", {}, `What ${entity.name} earns`),
    el("thead", {}, el("tr", {}, heads.map((x) => el("th", { scope: "col" }, x)))),
    el("tbody", {}, rows.map(([metric, name, how, of]) => {
      const { earned, score } = scores[metric];
      const cells = [Number(earned.toFixed(3)), of, score === null ? "n/a" : points(score)];
      return el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "how" }, isPartly(entity) ? "" : quoting(how)), cells.map((x) => el("td", {}, x)));
    })),
  );
}

function met(entity, { cell, entity: other }) {
  const words = [];
  if (cell.keyCore) words.push("core of the key entity");
  if (cell.responseCore) words.push("core of the response entity");
  if (cell.exclusive) words.push("exclusive core");
  if (cell.ceafm && cell.ceafe) words.push("aligned by CEAF");
  else if (cell.ceafm || cell.ceafe) words.push(`aligned by ${cell.ceafm ? "CEAFm" : "CEAFe"}`);
  return [
    el("span", { class: `dot ${other.colour}` }),
    named(other),
    ` shares ${cell.n} of ${entity.size}, has ${other.size}`,
    words.length ? el("span", { class: "marks" }, ` ${signs(cell)} ${words.join(", ")}`) : "",
  ];
}

function listed(mention) {
  const where = mention.twin ? titled(mention.twin.entity) : "twinless";
  const now = state.sel === mention.id;
  return el(
    "li",
    { class: mention.twin ? null : "twinless" },
    reference(mention.id, shortened(mention.text), { dir: "auto", "aria-current": now ? "true" : null }),
    el("span", { class: "where" }, quoting(` ${where}`)),
  );
}
