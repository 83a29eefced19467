// Scores of the corpus and of this document, as the library computed them, and where they come from.

import { el, points } from "./dom.js";
import { index } from "./data.js";
import { state } from "./state.js";

export function drawScores(parent, raw) {
  const box = el("div", { class: "scores" });
  const systems = state.vs === "" ? [Number(state.sys)] : [Number(state.sys), Number(state.vs)];
  for (const s of systems) {
    const system = index.systems[s];
    const here = raw.systems[s];
    const section = el(
      "section",
      { "aria-label": system.name },
      el("h2", {}, system.name),
      table(system, here.scores, raw.label),
      derivation("How the CoNLL average of the corpus comes about", system.derivations.conll),
      derivation(`How that of ${raw.label} comes about`, here.derivations.conll),
      classes(system),
      el("h3", {}, "Oddities found on reading"),
      system.issues.length ? el("ul", {}, system.issues.map((issue) => el("li", {}, issue))) : el("p", { class: "note" }, "None."),
      el("h3", {}, "Signature"),
      el("p", {}, el("code", { class: "signature" }, system.signature)),
      el("p", { class: "note" }, system.known),
    );
    box.append(section);
  }
  parent.append(box);
  return { end() {} };
}

function table(system, here, label) {
  const several = index.documents.length > 1 && Object.keys(here).length > 0;
  const interval = Object.keys(system.intervals).length > 0;
  const heads = ["", "R", "P", "F1", ...(interval ? ["interval"] : [])];
  return el(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": `Scores of ${system.name}` },
    el(
      "table",
      { class: "numbers" },
      several
        ? el("tr", {}, el("td", {}), el("th", { scope: "colgroup", colspan: heads.length - 1 }, "corpus"), el("th", { scope: "colgroup", colspan: 3 }, label))
        : null,
      el("tr", {}, [...heads, ...(several ? ["R", "P", "F1"] : [])].map((x) => (x ? el("th", { scope: "col" }, x) : el("td", {})))),
      index.metrics.map(({ name, title }) => {
        const range = system.intervals[name];
        const cells = system.scores[name].map((x) => points(x));
        if (interval) cells.push(range ? `${points(range[0])}–${points(range[1])}` : "—");
        if (several) cells.push(...here[name].map((x) => points(x)));
        return el("tr", {}, el("th", { scope: "row" }, title), cells.map((x) => el("td", {}, x)));
      }),
    ),
  );
}

function classes(system) {
  const rows = index.classes.map((kind, n) => [kind, system.classes[n]]).filter(([, c]) => c.errors);
  if (!rows.length) return null;
  return el(
    "table",
    { class: "numbers" },
    el("caption", {}, "Errors, and what CoNLL gains when they are put right"),
    el("tr", {}, el("td", {}), ["errors", "alone", "in turn"].map((x) => el("th", { scope: "col" }, x))),
    rows.map(([kind, c]) =>
      el("tr", {}, el("th", { scope: "row" }, kind), el("td", {}, c.errors), el("td", {}, points(c.alone, true)), el("td", {}, points(c.next, true))),
    ),
  );
}

function derivation(title, text) {
  if (!text) return null;
  return el("details", {}, el("summary", {}, title), el("pre", { tabindex: "0" }, text));
}
