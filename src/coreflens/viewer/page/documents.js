// The documents, with what was found in each.

import { el, points } from "./dom.js";
import { index } from "./data.js";
import { go, link, state } from "./state.js";
import { Blocks } from "./virtual.js";

const ORDERS = { order: "order of the key", errors: "errors", conll: "CoNLL, lowest first" };

export function drawDocuments(parent) {
  const system = Number(state.sys);
  const worst = { errors: (d) => -d.errors[system], conll: (d) => d.conll[system] ?? 2 }[state.docs];
  let shown = [...index.documents];
  if (state.only) shown = shown.filter((d) => d.errors[system]);
  if (worst) shown.sort((a, b) => worst(a) - worst(b));
  const order = el("select", { id: "docs", onchange: (event) => go({ docs: event.target.value }, true) });
  for (const [name, label] of Object.entries(ORDERS)) order.append(el("option", { value: name, selected: state.docs === name }, label));
  const only = el("input", { id: "only", type: "checkbox", checked: Boolean(state.only), onchange: (event) => go({ only: event.target.checked ? "1" : "" }, true) });
  const node = el(
    "div",
    { class: "documents" },
    el(
      "div",
      { class: "tools" },
      el("label", {}, only, " only documents with errors"),
      el("label", { for: "docs" }, "Sorted by "),
      order,
      el("span", { class: "count" }, `${shown.length} of ${index.documents.length}`),
    ),
  );
  parent.append(node);
  return new Blocks(node, shown, { draw: documentLine, guess: (from, to) => 44 * (to - from), size: 50 });
}

function documentLine(d) {
  const scores = index.systems.map((s, n) => (d.conll[n] === undefined ? null : `${index.systems.length > 1 ? `${s.name} ` : ""}${points(d.conll[n])}`));
  const errors = index.systems.map((_, n) => d.errors[n]).join(" / ");
  return el(
    "a",
    { class: "doc", href: link({ doc: d.label, tab: "text", sel: "", e: "" }), onclick: (event) => (event.preventDefault(), go({ doc: d.label, tab: "text", sel: "", e: "" })), "aria-current": d.label === state.doc ? "true" : null },
    el("span", { class: "dname" }, d.label),
    el("span", { class: "note" }, d.genre),
    el("span", {}, `${d.mentions} mentions`),
    el("span", {}, `${errors} errors`),
    el("span", { class: "dscore" }, scores.filter(Boolean).length ? `CoNLL ${scores.filter(Boolean).join(" · ")}` : ""),
  );
}
