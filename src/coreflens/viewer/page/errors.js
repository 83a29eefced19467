// The errors that `diagnose` found: by class, each in a sentence with its price, stepped through one by one.

import { button, counted, el, points, quoting, replace, say } from "./dom.js";
import { documentNumber, index, unpacked } from "./data.js";
import { viewOf } from "./model.js";
import { go, state } from "./state.js";
import { Blocks } from "./virtual.js";

let list = null;

/** The errors that the filters let through; `repaired` are errors of the other system that this one does not make. */
export function filtered(raw, view) {
  const kinds = state.err === "" ? null : new Set(state.err.split(",").map(Number));
  const other = Number(state.vs);
  let errors = view.errors;
  if (state.vs !== "" && state.diff === "broken") errors = errors.filter((e) => !e.shared.includes(other));
  if (state.vs !== "" && state.diff === "repaired") {
    errors = viewOf(raw, other).errors.filter((e) => !e.shared.includes(Number(state.sys)));
  }
  return kinds ? errors.filter((e) => kinds.has(e.kind)) : errors;
}

export function drawErrors(node, raw, view) {
  const errors = filtered(raw, view);
  list?.end();
  const box = el("div", { class: "elist", tabindex: "0", role: "region", "aria-label": "List of errors" });
  replace(
    node,
    el(
      "div",
      { class: "dhead" },
      el("h2", {}, "Errors"),
      el("span", { class: "count" }, `${errors.length} in this document`),
      button("‹", () => step(-1), { class: "small", "aria-label": "Previous error", title: "p" }),
      button("›", () => step(1), { class: "small", "aria-label": "Next error", title: "n" }),
    ),
    filters(view),
    versus(),
    box,
  );
  if (!errors.length) box.append(el("p", { class: "note" }, "None that the filters let through."));
  list = new Blocks(box, errors, {
    draw: errorLine,
    guess: (from, to) => 62 * (to - from),
    size: 25,
    root: box,
    after: () => mark(box),
  });
  list.errors = errors;
  list.box = box;
  center(box);
}

function center(box) {
  const at = list.errors.findIndex((e) => String(e.number) === state.e);
  if (at >= 0) {
    const node = list.show(at);
    mark(box);
    box.scrollTop = node.offsetTop - box.offsetTop - box.clientHeight / 3;
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

function filters(view) {
  const on = state.err === "" ? null : new Set(state.err.split(","));
  const here = index.classes.map((_, kind) => view.errors.filter((e) => e.kind === kind).length);
  const all = index.systems[Number(state.sys)].classes;
  return el(
    "fieldset",
    { class: "kinds" },
    el("legend", { class: "unseen" }, "Classes of errors"),
    index.classes.map((kind, number) => {
      const input = el("input", { type: "checkbox", checked: !on || on.has(String(number)), onchange: toggled, "data-kind": number });
      const price = `alone ${points(all[number].alone, true)} CoNLL in the corpus`;
      return all[number].errors
        ? el("label", { title: price }, input, ` ${kind} `, el("span", { class: "count" }, `${here[number]}/${all[number].errors}`))
        : null;
    }),
  );
}

function toggled(event) {
  const boxes = [...event.target.closest("fieldset").querySelectorAll("input")];
  const on = boxes.filter((box) => box.checked).map((box) => box.dataset.kind);
  const kind = event.target.dataset.kind;
  go({ err: on.length === boxes.length ? "" : on.join(",") || "none", e: "" }, true);
  document.querySelector(`.kinds [data-kind="${kind}"]`)?.focus();
}

function versus() {
  if (state.vs === "") return null;
  const name = index.systems[Number(state.vs)].name;
  const choices = { "": "all", repaired: "repaired", broken: "broken" };
  return el(
    "fieldset",
    { class: "diff" },
    el("legend", {}, `Against ${name}`),
    Object.entries(choices).map(([value, label]) =>
      el("label", {}, el("input", { type: "radio", name: "diff", checked: state.diff === value, onchange: () => go({ diff: value, e: "" }, true) }), ` ${label} `),
    ),
  );
}

function errorLine(error) {
  const price = error.price === null ? "price not computed" : `${points(error.price, true)} CoNLL if put right`;
  const shared = error.shared.map((n) => index.systems[n].name);
  return el(
    "button",
    { type: "button", class: "error", "data-error": error.number, onclick: () => pick(error) },
    el("span", { class: `kind kind-${error.kind}` }, index.classes[error.kind]),
    el("span", { class: "price" }, price),
    el("span", { class: "what" }, quoting(error.said)),
    shared.length ? el("span", { class: "note" }, `also made by ${shared.join(", ")}`) : null,
  );
}

function pick(error) {
  const system = state.diff === "repaired" && state.vs !== "" ? Number(state.vs) : Number(state.sys);
  // a mention of the other system's response is no mention of this one: see `elsewhere`
  const other = error.lead[0] === "r" && system !== Number(state.sys);
  go({ e: error.number, sel: other ? `o${error.lead.slice(1)}` : error.lead, ...(state.tab === "entities" ? {} : { tab: "text" }) });
  const price = error.price === null ? "" : ` ${points(error.price, true)} CoNLL.`;
  say(`${index.classes[error.kind]}. ${error.said}${price}`);
}

/** The next error (step 1) or the one before (−1), in the next document that has one if need be. */
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
    go({ doc: index.documents[d].label, sel: "", e: "" });
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)));
    return pick(by > 0 ? found[0] : found.at(-1));
  }
  say(`No more errors: ${counted(errors.length, "error")} here.`);
}
