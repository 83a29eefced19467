// The documents, with the results of each; two systems are shown side by side if they are compared.

import { button, el, points } from "./dom.js";
import { change, index, PARTLY } from "./data.js";
import { go, link, state } from "./state.js";
import { Blocks } from "./virtual.js";

/** Columns: their heads, what they show of a document, and what they are sorted by (the largest first if `down`). */
function columns() {
  const [sys, vs] = [Number(state.sys), Number(state.vs)];
  const compared = state.vs !== "";
  const of = (n) => (compared ? ` ${index.systems[n].name}` : "");
  const partly = (d, n) => d.partly[n] === true; // these are sorted apart, after the others
  const score = (n) => ({
    head: `CoNLL${of(n)}`,
    show: (d) => `${points(d.conll[n])}${partly(d, n) ? "°" : ""}`,
    by: (d) => (partly(d, n) ? 2 + d.conll[n] : (d.conll[n] ?? 4)),
  });
  const errors = (n) => ({ head: `errors${of(n)}`, show: (d) => d.errors[n], by: (d) => d.errors[n], down: true });
  const found = {
    order: { head: "document", show: (d) => d.label, by: null, word: true },
    genre: { head: "genre", show: (d) => d.genre, by: (d) => d.genre, word: true },
    mentions: { head: "mentions", show: (d) => d.mentions, by: (d) => d.mentions, down: true },
    errors: errors(sys),
    conll: score(sys),
  };
  if (!index.documents.some((d) => d.genre)) delete found.genre;
  if (!compared) return found;
  const more = (d) => change(sys, vs, (later, earlier) => d.differences[later][earlier]);
  return { ...found, errors2: errors(vs), conll2: score(vs), change: { head: "change", show: (d) => points(more(d), true), by: (d) => more(d) ?? 2 } };
}

export function drawDocuments(parent) {
  const system = Number(state.sys);
  const shape = columns();
  let shown = [...index.documents];
  if (state.only) shown = shown.filter((d) => d.errors[system]);
  const { by, down } = shape[state.docs] ?? {};
  if (by) shown.sort((a, b) => (by(a) === by(b) ? 0 : by(a) < by(b) === !down ? -1 : 1));
  const only = el("input", { id: "only", type: "checkbox", checked: Boolean(state.only), onchange: (event) => go({ only: event.target.checked ? "1" : "" }, true) });
  const heads = Object.entries(shape).map(([name, { head }]) => {
    const sort = state.docs === name && by ? (down ? "descending" : "ascending") : null;
    return el("span", { role: "columnheader", "aria-sort": sort }, button(head, () => go({ docs: name }, true), { class: "linked", id: `docs-${name}`, title: "Sort" }));
  });
  const grid = el("div", { class: "grid", role: "table", "aria-label": "Documents", vars: { "--numbers": Object.values(shape).filter((c) => !c.word).length } }, el("div", { class: "doc-heads", role: "row" }, heads));
  const node = el(
    "div",
    { class: "documents" },
    el("div", { class: "tools" }, el("label", {}, only, " only documents with errors"), el("span", { class: "count" }, `${shown.length} of ${index.documents.length}`)),
    grid,
  );
  if (index.documents.some((d) => d.partly.includes(true))) node.append(el("p", { class: "note" }, PARTLY));
  if (!shape.genre) grid.classList.add("no-genre");
  parent.append(node);
  return new Blocks(grid, shown, { draw: (d) => documentLine(d, shape), guess: (from, to) => 34 * (to - from), size: 50, role: "rowgroup" });
}

function documentLine(d, shape) {
  const patch = { doc: d.label, tab: "text", sel: "", e: "" };
  const open = (event) => {
    event.preventDefault();
    go(patch);
    document.getElementById("tab-text").focus();
  };
  return el(
    "div",
    { class: "doc", role: "row", onclick: open, "aria-current": d.label === state.doc ? "true" : null },
    Object.entries(shape).map(([name, { show, word }]) =>
      el("span", { role: "cell", class: word ? "dname" : null }, name === "order" ? el("a", { href: link(patch) }, show(d)) : show(d)),
    ),
  );
}
