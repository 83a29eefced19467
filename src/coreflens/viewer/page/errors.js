// The errors that `diagnose` found, by class, each in a sentence with its price. The user can step through them.

import { button, counted, el, points, quoted, quoting, replace, say } from "./dom.js";
import { documentNumber, index, unpacked } from "./data.js";
import { viewOf } from "./model.js";
import { go, state } from "./state.js";
import { Blocks } from "./virtual.js";

const ORDERS_OF_ERRORS = { "": "gain", place: "place in the text" };
let list = null;
let folded = innerHeight < 800; // whether the classes are folded, because there is little room

/** Errors of this system. `broken`: only those that the other does not make; `repaired`: those that only the other makes. */
function against(raw, view, diff) {
  const other = Number(state.vs);
  if (state.vs === "" || diff === "") return view.errors;
  if (diff === "broken") return view.errors.filter((e) => !e.shared.includes(other));
  return viewOf(raw, other).errors.filter((e) => !e.shared.includes(Number(state.sys)));
}

/** The errors that pass the filters, in the selected order. */
function filtered(raw, view) {
  const kinds = state.err === "" ? null : new Set(state.err.split(",").map(Number));
  const errors = against(raw, view, state.diff).filter((e) => !kinds || kinds.has(e.kind));
  return state.esort === "place" ? errors : [...errors].sort((a, b) => b.price - a.price);
}

export function drawErrors(node, raw, view) {
  const focused = node.contains(document.activeElement) ? document.activeElement.id : "";
  const errors = filtered(raw, view);
  list?.end();
  const box = el("div", { class: "elist", id: "elist", tabindex: "0", role: "group", "aria-label": "List of errors; use the arrow keys to move through it" });
  box.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    step(by);
  });
  replace(
    node,
    el(
      "div",
      { class: "dhead" },
      el("h2", {}, "Errors"),
      el("span", { class: "count" }, `${errors.length} in this document`),
      stepper("errors"),
    ),
    versus(raw, view),
    view.errors.length || errors.length ? filters(against(raw, view, state.diff)) : null,
    box,
  );
  if (!errors.length) box.append(el("p", { class: "note" }, nothing(view)));
  list = new Blocks(box, errors, {
    draw: errorLine,
    guess: (from, to) => 62 * (to - from),
    size: 25,
    root: box,
    after: () => mark(box),
  });
  list.errors = errors;
  list.written = Boolean(view.text);
  list.box = box;
  center(box);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

/** Buttons to the previous and the next error. */
export function stepper(where) {
  return el(
    "span",
    { class: "group stepper" },
    button("‹", () => step(-1), { class: "small", id: `previous-${where}`, "aria-label": "Previous error", title: "p" }),
    button("›", () => step(1), { class: "small", id: `next-${where}`, "aria-label": "Next error", title: "n" }),
  );
}

function nothing(view) {
  if (!view.key.mentions.length && !view.response.mentions.length) return "Neither side has mentions here.";
  if (state.diff) return `Nothing was ${state.diff} here.`;
  return view.errors.length ? "There are no errors of the selected classes." : "No errors: key and response agree.";
}

function center(box) {
  const at = list.errors.findIndex((e) => String(e.number) === state.e);
  if (at >= 0) {
    const node = list.show(at);
    mark(box);
    box.scrollTop = node.offsetTop - box.clientHeight / 3;
  } else mark(box);
}

/** Show which error is the current one. */
export function markError() {
  if (list) center(list.box);
}

function mark(box) {
  for (const node of box.querySelectorAll(".error")) {
    if (node.dataset.error === state.e) node.setAttribute("aria-current", "true");
    else node.removeAttribute("aria-current");
  }
}

/** Classes to switch on and off, with their numbers of errors here and in the corpus; and the order of the list. */
function filters(errors) {
  const on = state.err === "" ? null : new Set(state.err.split(","));
  const here = index.classes.map((_, kind) => errors.filter((e) => e.kind === kind).length);
  const all = index.systems[Number(state.diff === "repaired" ? state.vs : state.sys)].classes;
  const order = el("select", { id: "esort", onchange: (event) => go({ esort: event.target.value, e: "" }, true) });
  for (const [value, label] of Object.entries(ORDERS_OF_ERRORS)) order.append(el("option", { value, selected: state.esort === value }, label));
  const shown = on ? `${[...on].filter((kind) => index.classes[kind]).length} of ${index.classes.length} classes` : "all classes";
  const box = el(
    "details",
    { class: "classes", open: !folded },
    el("summary", { id: "classes" }, `Classes and order: ${shown}, by ${ORDERS_OF_ERRORS[state.esort]}`),
    el(
      "fieldset",
      { class: "kinds" },
      el("legend", { class: "unseen" }, "Classes of errors"),
      index.classes.map((kind, number) => {
        const input = el("input", { type: "checkbox", id: `kind-${number}`, checked: !on || on.has(String(number)), onchange: toggled, "data-kind": number });
        const price = `alone ${points(all[number].alone, true)} CoNLL in the corpus`;
        return all[number].errors
          ? el("label", { title: price }, input, ` ${kind} `, el("span", { class: "count" }, state.diff ? here[number] : `${here[number]}/${all[number].errors}`))
          : null;
      }),
    ),
    el("label", { class: "order" }, "Sorted by ", order),
  );
  box.addEventListener("toggle", () => (folded = !box.open));
  return box;
}

function toggled(event) {
  const boxes = [...event.target.closest("fieldset").querySelectorAll("input")];
  const on = boxes.filter((box) => box.checked).map((box) => box.dataset.kind);
  go({ err: on.length === boxes.length ? "" : on.join(",") || "none", e: "" }, true);
}

function versus(raw, view) {
  if (state.vs === "") return null;
  const name = index.systems[Number(state.vs)].name;
  const choices = { "": "all", repaired: "repaired", broken: "broken" };
  return el(
    "fieldset",
    { class: "diff" },
    el("legend", {}, `Against ${name}`),
    Object.entries(choices).map(([value, label]) => {
      const input = el("input", { type: "radio", id: `diff-${value}`, name: "diff", checked: state.diff === value, onchange: () => go({ diff: value, e: "" }, true) });
      return el("label", {}, input, ` ${label} `, el("span", { class: "count" }, against(raw, view, value).length));
    }),
  );
}

/** The error in a sentence. If this system repaired it, the sentence is about the other system. */
function sentence(error) {
  if (state.diff !== "repaired") return error.said;
  const whose = (text) => text.replace(/he response/gu, (words) => `${words} of ${index.systems[Number(state.vs)].name}`);
  return quoted(error.said).map((part, n) => (n % 2 ? part : whose(part))).join("");
}

function gain(error) {
  return state.diff === "repaired" ? `was worth ${points(error.price, true)} CoNLL` : `${points(error.price, true)} CoNLL if corrected`;
}

function errorLine(error) {
  const shared = error.shared.map((n) => index.systems[n].name);
  const why = error.price < 0 ? "This repair alone costs more than it gains, because the entities that it merges contain other errors." : null;
  return el(
    "button",
    { type: "button", class: "error", tabindex: "-1", "data-error": error.number, onclick: () => pick(error) },
    el("span", { class: "kind" }, index.classes[error.kind]),
    el("span", { class: "price" }, gain(error)),
    el("span", { class: "what" }, quoting(sentence(error))),
    why ? el("span", { class: "note" }, why) : null,
    shared.length ? el("span", { class: "note" }, `also made by ${shared.join(", ")}`) : null,
  );
}

function pick(error, written = list.written, doc = state.doc) {
  const system = state.diff === "repaired" && state.vs !== "" ? Number(state.vs) : Number(state.sys);
  // a mention of the other system's response is not a mention of this one: see `place`
  const other = error.lead[0] === "r" && system !== Number(state.sys);
  const tab = state.tab === "entities" || !written ? "entities" : "text";
  go({ doc, e: error.number, sel: other ? `o${error.lead.slice(1)}` : error.lead, tab });
  say(`${index.classes[error.kind]}. ${sentence(error)} ${gain(error)}.`);
}

/** The next error (step 1) or the one before (−1), if necessary in the next document that has one. */
export async function step(by) {
  if (!list) return;
  const { errors } = list;
  const at = errors.findIndex((e) => String(e.number) === state.e);
  const next = at < 0 ? (by > 0 ? 0 : errors.length - 1) : at + by;
  if (errors[next]) return pick(errors[next]);
  const documents = index.documents.length;
  const system = Number(state.sys);
  let d = documentNumber(state.doc);
  for (let tried = 1; tried < documents; tried++) {
    d = (d + by + documents) % documents;
    const worth = index.documents[d].errors[system] || (state.diff === "repaired" && index.documents[d].errors[Number(state.vs)]);
    if (!worth) continue;
    const raw = await unpacked(d);
    const found = filtered(raw, viewOf(raw, system));
    if (!found.length) continue;
    return pick(by > 0 ? found[0] : found.at(-1), Boolean(raw.text), index.documents[d].label);
  }
  say(`No more errors: ${counted(errors.length, "error")} here.`);
}
