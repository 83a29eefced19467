// Scores of the corpus and of this document, as the library computed them, and how they are derived.

import { button, counted, el, points, quoting, shortened } from "./dom.js";
import { change, index, PARTLY, partlyMark } from "./data.js";
import { titled, viewOf } from "./model.js";
import { reference } from "./projections.js";
import { go, state, turned } from "./state.js";
import { unfolded } from "./unfold.js";
import { Blocks } from "./virtual.js";

const OWN = { muc: "MUC", bcub: "B³", ceafe: "CEAFe", lea: "LEA" };

export function drawScores(parent, raw) {
  const lists = [];
  const s = Number(state.sys);
  const system = index.systems[s];
  const view = viewOf(raw, s);
  const box = el(
    "div",
    { class: "scores" },
    index.systems.length > 1 ? everyone(raw, s) : null,
    el("h2", {}, system.name),
    state.vs === "" ? null : comparison(raw, s, Number(state.vs)),
    table(system, raw.systems[s].scores, raw.label),
    [system.scores, raw.systems[s].scores].some((scores) => index.metrics.some(({ name }) => partlyMark(scores, name))) ? el("p", { class: "note" }, PARTLY) : null,
    how(system, raw.systems[s], raw.label, view),
    el("h3", {}, `Entities${index.documents.length > 1 ? ` of ${raw.label}` : ""}`),
    el("div", { class: "sides" }, ["key", "response"].map((side) => entityList(view[side], side, lists))),
    classes(system),
    el("h3", {}, "Notes about the input"),
    system.issues.length ? el("ul", {}, system.issues.map((issue) => el("li", {}, issue))) : el("p", { class: "note" }, "None."),
    el("h3", {}, "Signature"),
    el("p", {}, el("code", { class: "signature" }, system.signature)),
    el("p", { class: "note" }, system.known),
  );
  parent.append(box);
  for (const list of lists) list.start();
  return { light: () => lists.forEach((list) => list.light()), end: () => lists.forEach((list) => list.blocks.end()) };
}

/** All systems, one line each: F1 (or the value) in the corpus and, if there are several documents, in this document. */
function everyone(raw, sys) {
  const places = [["corpus", index.systems]];
  if (index.documents.length > 1 && Object.keys(raw.systems[sys].scores).length > 0) places.push([raw.label, raw.systems]);
  return places.map(([label, systems]) => {
    const caption = `F1 of ${counted(systems.length, "system")}: ${label}`;
    const best = index.metrics.map(({ name, best: ideal }) => {
      const numbers = systems.map(({ scores }) => scores[name]?.[2]).filter((x) => typeof x === "number");
      return ideal === 0 ? Math.min(...numbers) : Math.max(...numbers);
    });
    return el(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
      el(
        "table",
        { class: "numbers everyone" },
        el("caption", {}, caption),
        el("tr", {}, el("td", {}), index.metrics.map(({ title }) => el("th", { scope: "col" }, title))),
        systems.map(({ scores }, n) => {
          const { name } = index.systems[n];
          const show = button(name, () => go(turned(String(n))), { class: "linked", title: `Show ${name}` });
          return el(
            "tr",
            { class: n === sys ? "picked-row" : null, "aria-current": n === sys ? "true" : null },
            el("th", { scope: "row" }, show),
            index.metrics.map((metric, m) => el("td", { class: scores[metric.name]?.[2] === best[m] ? "top" : null }, `${points(scores[metric.name]?.[2])}${partlyMark(scores, metric.name)}`)),
          );
        }),
      ),
    );
  });
}

/** Two systems: F1 (or the value) of each, and the difference, in the corpus and in this document. */
function comparison(raw, sys, vs) {
  const several = index.documents.length > 1 && Object.keys(raw.systems[sys].scores).length > 0;
  const places = [["corpus", index.systems]];
  if (several) places.push([raw.label, raw.systems]);
  const heads = [index.systems[sys].name, index.systems[vs].name, "change"];
  return el(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": `${heads[0]} against ${heads[1]}` },
    el(
      "table",
      { class: "numbers two" },
      el("caption", {}, `F1 of ${heads[0]} and ${heads[1]}`),
      several ? el("tr", {}, el("td", {}), places.map(([label]) => el("th", { scope: "colgroup", colspan: 3 }, label))) : null,
      el("tr", {}, el("td", {}), places.map(() => heads.map((x) => el("th", { scope: "col" }, x)))),
      index.metrics.map(({ name, title, best }) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, title),
          places.map(([, systems]) => {
            const more = change(sys, vs, (later, earlier) => systems[later].differences[earlier][name]);
            const better = !more || best === 0 ? "" : more > 0 ? "better" : "worse";
            return [
              el("td", {}, `${points(systems[sys].scores[name]?.[2])}${partlyMark(systems[sys].scores, name)}`),
              el("td", {}, `${points(systems[vs].scores[name]?.[2])}${partlyMark(systems[vs].scores, name)}`),
              el("td", { class: better }, points(more, true)),
            ];
          }),
        ),
      ),
    ),
  );
}

/** The entities of a side with their own scores; those that lose most come first. Selecting one shows its derivation. */
function entityList(side, name, lists) {
  const sorted = [...side.entities].sort((a, b) => b.loss - a.loss || b.size - a.size || a.number - b.number);
  const scroller = el("div", { class: "scroller", tabindex: "0", role: "group", "aria-label": `Scores of the ${name}'s entities` });
  const light = () => {
    for (const line of scroller.querySelectorAll(".escore")) line.setAttribute("aria-pressed", String(line.dataset.e === state.sel));
  };
  const start = () => (list.blocks = new Blocks(scroller, sorted, { draw: entityLine, guess: (from, to) => 30 * (to - from), size: 40, root: scroller, after: light }));
  const list = { light, start };
  lists.push(list);
  const heads = ["", "size", ...Object.values(OWN)];
  return el(
    "div",
    {},
    el("p", { class: "note" }, `${name === "key" ? "Recall" : "Precision"} of ${counted(sorted.length, "entity", "entities")} of the ${name}, those that lose most first`),
    el("div", { class: "escore heads", "aria-hidden": "true" }, heads.map((x) => el("span", {}, x))),
    scroller,
  );
}

function entityLine(entity) {
  const first = shortened(entity.mentions[0]?.text ?? "", 28);
  const scores = Object.keys(OWN).map((metric) => points(entity.scores[metric].score ?? "n/a"));
  return el(
    "button",
    { type: "button", class: "escore", "data-e": entity.name, "aria-pressed": String(entity.name === state.sel), onclick: () => go({ sel: entity.name }) },
    el("span", { class: "ename" }, el("span", { class: `dot ${entity.colour}` }), quoting(`${titled(entity, 12)} `), el("bdi", {}, first)),
    el("small", {}, entity.size),
    scores.map((x, n) => el("span", {}, el("span", { class: "unseen" }, ` ${Object.values(OWN)[n]} `), x)),
  );
}

/** R, P and F1 of a metric, with the mark of a mean of which a part is 0/0. */
function withMark(scores, name) {
  const cells = scores[name].map((x) => points(x));
  cells[2] += partlyMark(scores, name);
  return cells;
}

function table(system, here, label) {
  const several = index.documents.length > 1 && Object.keys(here).length > 0;
  const interval = Object.keys(system.intervals).length > 0;
  const heads = ["", "R", "P", "F1", ...(interval ? ["95 % of F1"] : [])];
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
        const cells = withMark(system.scores, name);
        if (interval) cells.push(range ? `${points(range[0])}–${points(range[1])}` : "—");
        if (several) cells.push(...withMark(here, name));
        const chosen = state.how === name;
        const toggle = () => go({ how: chosen ? "" : name }, true);
        const explained = system.derivations[name] ? button(title, toggle, { id: `how-${name}`, class: "linked", "aria-expanded": String(chosen), title: "How it is derived" }) : title;
        return el("tr", { class: chosen ? "picked-row" : null }, el("th", { scope: "row" }, explained), cells.map((x) => el("td", {}, x)));
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
    el("caption", {}, "Errors, and what CoNLL gains when they are corrected"),
    el("tr", {}, el("td", {}), ["errors", "alone", "in turn"].map((x) => el("th", { scope: "col" }, x))),
    rows.map(([kind, c]) =>
      el("tr", {}, el("th", { scope: "row" }, button(kind, () => go({ err: String(index.classes.indexOf(kind)), esort: "", e: "" }), { class: "linked", title: "List these errors, the largest gain first" })), el("td", {}, c.errors), el("td", {}, points(c.alone, true)), el("td", {}, points(c.next, true))),
    ),
  );
}

/** The derivation of the selected metric, for this document and for the corpus. */
function how(system, here, label, view) {
  const metric = state.how;
  const parts = [[`of ${label}`, here.derivations], [index.documents.length > 1 ? "of the corpus" : "", system.derivations]];
  const found = parts.filter(([, all]) => all[metric]);
  const title = index.metrics.find(({ name }) => name === metric)?.title;
  if (!found.length) return el("p", { class: "note" }, metric ? `There is no derivation of ${title}.` : "Choose a metric to see how its score is derived.");
  return el(
    "section",
    { class: "derivation-of", "aria-label": `How ${title} is derived` },
    el("div", { class: "dhead" }, el("h3", {}, `How ${title} is derived`), button("×", () => closeDerivation(metric), { class: "small", "aria-label": "Close the derivation" })),
    el("p", { class: "note" }, index.notation),
    found.map(([where, all], n) =>
      el("details", { open: n === 0 }, el("summary", {}, `${title} ${where}`), [metric, ...all[metric].parts].map((name, k) => [
        k ? el("h4", { class: "part" }, titleOf(name)) : null,
        unfolded(view, all[name]).map((step) => stepOf(step, all === here.derivations || index.documents.length === 1 ? view : null)),
      ])),
    ),
  );
}

function closeDerivation(metric) {
  go({ how: "" }, true);
  document.getElementById(`how-${metric}`)?.focus();
}

function titleOf(name) {
  return index.metrics.find((m) => m.name === name)?.title ?? name;
}

/** `local`: the document, if it is the one shown, so that its entities can be chosen. */
function stepOf({ title, before, header, rows, words, total, after }, local) {
  const kind = (n) => (words.includes(n) ? "word" : null);
  const cell = (x) => (local?.entity(x) ? reference(x, x) : x);
  const line = (cells, last) => el("tr", { class: last ? "total" : null }, cells.map((x, n) => el("td", { class: kind(n), dir: kind(n) && "auto" }, cell(x))));
  return el(
    "div",
    { class: "step" },
    title ? el("h4", {}, title) : null,
    before.map((x) => el("p", { class: x.startsWith("  ") ? "line formula" : "line", tabindex: x.startsWith("  ") ? "0" : null }, x)),
    header
      ? el(
          "div",
          { class: "wide", tabindex: "0", role: "region", "aria-label": title },
          el(
            "table",
            { class: "numbers" },
            el("thead", {}, el("tr", {}, header.map((x, n) => (x ? el("th", { scope: "col", class: kind(n) }, x) : el("td", {}))))),
            el("tbody", {}, rows.map((cells, n) => line(cells, total && n === rows.length - 1))),
          ),
        )
      : null,
    after.map((x) => el("p", { class: "line" }, x)),
  );
}
