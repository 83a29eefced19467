// Key entities on the left and response entities on the right, one per line. Their overlaps are drawn between them.
// After the interface of Popescu-Belis & Robba (1998): choosing K shows π*(K), choosing R shows σ*(R).

import { counted, el, points, quoting, replace, say, svg } from "./dom.js";
import { chosen, lit, titled, widen } from "./model.js";
import { go, link, state } from "./state.js";

const ROW = 34; // pixels
const LINKS = 200; // the maximum number of overlaps that are drawn
const SHOWN = 10; // mentions on a line; the selection lists all of them

const SORTS = {
  order: ["place", (a, b) => a.number - b.number],
  size: ["size", (a, b) => b.size - a.size || a.number - b.number],
  loss: ["loss", (a, b) => b.loss - a.loss || a.number - b.number],
};

export class Projections {
  constructor(parent, view) {
    this.view = view;
    this.canvas = svg("svg", { class: "links", "aria-hidden": "true", preserveAspectRatio: "none" });
    this.columns = { k: this.column("k", "Key entities"), r: this.column("r", "Response entities") };
    this.inner = el("div", { class: "pinner" }, this.columns.k, el("div", { class: "pmiddle" }, this.canvas), this.columns.r);
    this.scroller = el("div", { class: "pscroll", onscroll: () => this.soon() }, this.inner);
    this.node = el("div", { class: "projections" }, this.bar(), this.heads(), this.scroller, legend());
    parent.append(this.node);
    this.resize = new ResizeObserver(() => this.extent() !== this.drawn && this.draw()); // it is also called once at the start
    this.resize.observe(this.scroller);
    this.arrange();
  }

  bar() {
    const select = el("select", { id: "sort", onchange: (event) => go({ sort: event.target.value }, true) });
    for (const [name, [label]] of Object.entries(SORTS)) {
      select.append(el("option", { value: name, selected: state.sort === name }, label));
    }
    return el("div", { class: "tools" }, el("label", { for: "sort" }, "Sorted by "), select);
  }

  heads() {
    const { key, response } = this.view;
    return el(
      "div",
      { class: "pheads" },
      el("h2", {}, `Key: ${counted(key.entities.length, "entity", "entities")}`),
      el("span", {}),
      el("h2", {}, `Response: ${counted(response.entities.length, "entity", "entities")}`),
    );
  }

  column(side, label) {
    const node = el("div", { class: `pcolumn ${side}`, role: "listbox", tabindex: "0", "aria-label": label });
    node.addEventListener("keydown", (event) => this.key(event, side));
    node.addEventListener("click", (event) => this.click(event));
    node.addEventListener("dblclick", () => widen(this.view));
    return node;
  }

  /** The second click of a double click does nothing here: `dblclick` goes on from what the first one chose. */
  click(event) {
    if (event.detail > 1) return;
    const mention = event.target.closest("[data-m]");
    const line = event.target.closest("[data-e]");
    this.held = line ? this.view.entity(line.dataset.e).row * ROW - this.scroller.scrollTop : null;
    if (mention) go({ sel: mention.dataset.m });
    else if (line) go({ sel: line.dataset.e });
    else go({ sel: "" });
    this.held = null;
  }

  /** Up and down move the selection within a column; left and right go to the largest overlap on the other side. */
  key(event, side) {
    const own = chosen(this.view, state.sel)?.entity;
    const list = this.order[side];
    const at = own?.side === side ? list.indexOf(own) : -1;
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: list.length - 1, PageDown: at + 10, PageUp: at - 10 };
    if (event.key in moves) {
      event.preventDefault();
      this.choose(list[Math.min(Math.max(moves[event.key], 0), list.length - 1)]);
    } else if ((event.key === "ArrowRight" && side === "k") || (event.key === "ArrowLeft" && side === "r")) {
      event.preventDefault();
      const other = side === "k" ? "r" : "k";
      this.columns[other].focus();
      this.choose(own?.side === side && own.meets.length ? own.meets[0].entity : this.order[other][0]);
    }
  }

  choose(entity) {
    if (!entity) return;
    this.steady = true;
    go({ sel: entity.name }, true);
    this.steady = false;
    const met = entity.meets.map((m) => `${titled(m.entity)} ${m.cell.n}`).join(", ");
    say(`${titled(entity)}, ${counted(entity.size, "mention")}; meets ${met || "nothing"}`);
  }

  /** Both columns in order; the response follows the key. Each order is computed once. */
  sorted() {
    if (this.sortedOnce?.sort === state.sort) return this.sortedOnce;
    const { key, response } = this.view;
    const [, by] = SORTS[state.sort] ?? SORTS.order;
    const k = [...key.entities].sort(by);
    k.forEach((entity, n) => (entity.row = n));
    const partner = (r) => (r.meets.find((m) => m.cell.ceafe) ?? r.meets[0])?.entity;
    const where = new Map(response.entities.map((r) => [r, partner(r)?.row ?? Infinity]));
    const r = [...response.entities].sort((a, b) => (where.get(a) === where.get(b) ? by(a, b) : where.get(a) - where.get(b)));
    return (this.sortedOnce = { sort: state.sort, k, r });
  }

  /** Scroll so that the entities that overlap with the selection are next to it. */
  arrange() {
    this.order = { ...this.sorted() };
    const own = chosen(this.view, state.sel)?.entity;
    if (own) {
      const other = own.side === "k" ? "r" : "k";
      const met = new Set(own.meets.map((m) => m.entity));
      const rest = this.order[other].filter((e) => !met.has(e));
      const at = Math.min(this.order[own.side].indexOf(own), rest.length);
      this.order[other] = [...rest.slice(0, at), ...met, ...rest.slice(at)];
    }
    for (const side of ["k", "r"]) this.order[side].forEach((entity, n) => (entity.row = n));
    this.inner.style.height = `${Math.max(this.order.k.length, this.order.r.length) * ROW}px`;
    if (own && typeof this.held === "number") this.scroller.scrollTop = own.row * ROW - this.held; // under the pointer
    else this.reveal(own);
    this.draw();
  }

  reveal(entity) {
    if (!entity) return;
    const top = entity.row * ROW;
    const { scrollTop, clientHeight } = this.scroller;
    const room = ROW * Math.max(1, Math.min(entity.meets.length, 6)); // for the overlapping entities, which are next to it
    if (top < scrollTop || top + room > scrollTop + clientHeight) this.scroller.scrollTop = top - clientHeight / 3;
  }

  /** Draw once before the next frame, even if it is called several times. */
  soon() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      this.draw();
    });
  }

  extent() {
    return `${this.canvas.clientWidth} ${this.scroller.clientHeight}`;
  }

  /** All lines, for printing. */
  everything() {
    this.draw({ scrollTop: 0, clientHeight: parseFloat(this.inner.style.height) });
  }

  draw({ scrollTop, clientHeight } = this.scroller) {
    this.drawn = this.extent();
    const width = this.canvas.clientWidth || 160; // measured before anything changes
    const from = Math.max(Math.floor(scrollTop / ROW) - 4, 0);
    const to = Math.ceil((scrollTop + (clientHeight || 600)) / ROW) + 4;
    const light = lit(this.view, state.sel);
    for (const side of ["k", "r"]) {
      const list = this.order[side];
      const lines = list.slice(from, to).map((entity, n) => this.line(entity, from + n, list.length, light));
      replace(this.columns[side], lines.length ? lines : el("p", { class: "note" }, `The ${side === "k" ? "key" : "response"} has no entities here.`));
      const active = lines.find((line) => line.dataset.e === light.own);
      if (active) this.columns[side].setAttribute("aria-activedescendant", active.id);
      else this.columns[side].removeAttribute("aria-activedescendant");
    }
    this.links(from, to, light, { scrollTop, clientHeight, width });
  }

  line(entity, row, total, { own, others }) {
    const kind = ["pline", entity.colour];
    if (entity.name === own) kind.push("own");
    if (others.has(entity.name)) kind.push("other");
    if (own && !kind.includes("own") && !kind.includes("other")) kind.push("dim");
    const more = entity.mentions.length - SHOWN;
    return el(
      "div",
      {
        class: kind.join(" "),
        role: "option",
        id: `line-${entity.name}`,
        "data-e": entity.name,
        "aria-selected": String(entity.name === own),
        "aria-setsize": total,
        "aria-posinset": row + 1,
        vars: { top: `${row * ROW}px` },
      },
      el("b", { class: "ename", title: titled(entity, 200) }, entity.name, ownName(entity)),
      el("span", { class: "esize" }, entity.size),
      state.sort === "loss" ? el("span", { class: "loss", title: "the share of MUC, B³ and LEA that it loses" }, points(-entity.loss)) : null,
      el("span", { class: "chips" }, entity.mentions.slice(0, SHOWN).map((m) => chip(m, own))),
      more > 0 ? el("span", { class: "more" }, `+${more}`) : null,
    );
  }

  /** The overlaps of the visible lines, only the largest if there are many. Ends that are not visible are also drawn. */
  links(from, to, { own }, { scrollTop, clientHeight, width }) {
    this.canvas.setAttribute("height", clientHeight);
    this.canvas.setAttribute("viewBox", `0 0 ${width} ${clientHeight}`); // on paper the columns are narrower
    const seen = [...this.order.k.slice(from, to), ...this.order.r.slice(from, to)];
    const cells = new Set(seen.flatMap((entity) => entity.meets.slice(0, LINKS).map((m) => m.cell)));
    const mine = (cell) => this.view.key.entities[cell.i].name === own || this.view.response.entities[cell.j].name === own;
    const shown = [...cells].sort((a, b) => mine(b) - mine(a) || b.n - a.n).slice(0, LINKS).reverse();
    const height = (row) => Math.min(Math.max(row * ROW + ROW / 2 - scrollTop, -200), clientHeight + 200);
    const [paths, labels] = [[], []];
    for (const cell of shown) {
      const k = this.view.key.entities[cell.i];
      const [a, b] = [height(k.row), height(this.view.response.entities[cell.j].row)];
      const kind = ["link", k.colour];
      if (cell.ceafe || cell.ceafm) kind.push("aligned");
      if (own) kind.push(mine(cell) ? "own" : "dim");
      const d = `M0 ${a} C${width / 2} ${a} ${width / 2} ${b} ${width} ${b}`;
      paths.push(svg("path", { class: kind.join(" "), d, vars: { "stroke-width": `${Math.min(1 + Math.sqrt(cell.n), 7)}` } }));
      if (mine(cell) || (!own && cell.n > 1 && cell.ceafe)) {
        const text = `${cell.n}${own ? ` ${signs(cell)}` : ""}`;
        labels.push(svg("text", { class: `shared${own ? " own" : ""}`, x: width / 2, y: (a + b) / 2 - 3 }, text));
      }
    }
    replace(this.canvas, paths, labels);
  }

  end() {
    this.resize.disconnect();
  }
}

/** The marks of an overlap, as letters: see the legend. */
export function signs(cell) {
  const found = [];
  if (cell.keyCore) found.push("●");
  if (cell.responseCore) found.push("○");
  if (cell.exclusive) found.push("◆");
  if (cell.ceafm || cell.ceafe) found.push("=");
  return found.join("");
}

function legend() {
  const items = [
    ["●", "core of the key entity"],
    ["○", "core of the response entity"],
    ["◆", "exclusive core"],
    ["=", "aligned by CEAF"],
    ["┄", "twinless mention"],
  ];
  return el("ul", { class: "legend" }, items.map(([sign, text]) => el("li", {}, el("b", {}, sign), ` ${text}`)));
}

export function chip(mention, own) {
  const kind = ["chip", mention.twin ? mention.twin.entity.colour : "c-"];
  if (!mention.twin) kind.push("twinless");
  if (own && mention.twin?.entity.name === own) kind.push("hit");
  const other = mention.twin ? titled(mention.twin.entity) : "twinless";
  return el("span", { class: kind.join(" "), "data-m": mention.id, title: other, dir: "auto" }, mention.text);
}

/** What the file calls an entity, beside its name. */
function ownName(entity) {
  const own = titled(entity, 12).slice(entity.name.length);
  return own ? el("span", { class: "elabel" }, quoting(own)) : null;
}

/** The name of an entity, with what its file calls it, as a link to the entity. */
export function named(entity) {
  return reference(entity.name, quoting(titled(entity)));
}

/** A mention or an entity as a link to itself. */
export function reference(id, text, props = {}) {
  return el("a", { href: link({ sel: id }), onclick: (event) => (event.preventDefault(), go({ sel: id })), ...props }, text);
}

