// The text, with key mentions above the words and response mentions below, or side by side.

import { drawCurves, signsAt, toldAt } from "./anaphora.js";
import { button, counted, el, quoting, say, shortened } from "./dom.js";
import { aligned, chosen, creditOf, lacking, lastUpTo, lit, ownLabel, place, titled, widen, ZERO } from "./model.js";
import { go, state } from "./state.js";
import { Blocks } from "./virtual.js";

const LONG = 90; // the maximum number of words in a row
const TAG = 7; // characters of what the file calls an entity
const [LETTER, TAG_LETTER] = [8, 6]; // about the width in pixels of a letter of the text, and of a tag

export class TextPane {
  constructor(parent, view) {
    this.view = view;
    this.node = el("div", { class: `text mode-${state.mode}`, tabindex: "0", role: "region", "aria-label": "Text" });
    this.node.addEventListener("click", (event) => this.click(event));
    this.node.addEventListener("dblclick", () => this.chose && (getSelection()?.removeAllRanges(), widen(view)));
    this.node.addEventListener("keydown", (event) => this.key(event));
    parent.append(this.node);
    this.watch = new ResizeObserver(() => this.curves());
    const { text } = view;
    if (!text) {
      this.node.append(el("p", { class: "note" }, "These files have no text, only mentions: see Entities."));
      return;
    }
    if (state.mode === "beside") this.node.append(el("div", { class: "row beside", "aria-hidden": "true" }, el("span", { class: "no" }), ["Key", "Response"].map((side) => el("b", { class: "words" }, side))));
    this.isGlued = new Set(text.glued);
    this.isEmpty = new Set(text.empty);
    this.speaks = new Map(text.speakers);
    this.rows = rowsOf(text);
    this.starts = this.rows.map((row) => row.from);
    this.places();
    this.order = [...view.key.mentions, ...view.response.mentions.filter((m) => !m.twin)];
    this.order.sort((a, b) => a.start - b.start || b.end - a.end);
    const width = Math.max(this.node.clientWidth || 700, 200) / (state.mode === "beside" ? 2 : 1);
    this.blocks = new Blocks(this.node, [...this.rows.keys()], {
      draw: (n) => this.row(n),
      guess: (from, to) => this.guess(from, to, width),
      after: () => this.light(),
    });
    this.watch.observe(this.node);
  }

  curves() {
    if (this.blocks && this.view.answer.links.length) drawCurves(this.node, this.view);
  }

  /** The mentions of every row, and the zeros between words. */
  places() {
    const { view } = this;
    this.inserted = new Map();
    const columns = { k: [], r: [] };
    for (const side of [view.key, view.response]) {
      for (const mention of side.mentions) {
        const between = mention.end < mention.start;
        if (between) this.inserted.set(mention.start, [...(this.inserted.get(mention.start) ?? []), mention]);
        const from = lastUpTo(this.starts, mention.start);
        const to = between ? from : lastUpTo(this.starts, mention.end);
        for (let n = from; n <= to; n++) (columns[side.letter][n] ??= []).push(mention);
      }
    }
    this.here = columns;
  }

  guess(from, to, width) {
    let height = 0;
    for (const { from: a, to: b } of this.rows.slice(from, to)) {
      height += 34 * Math.max(1, Math.ceil(((b - a) * 50) / width)) + 8;
    }
    return Math.round(height);
  }

  row(n) {
    const { text } = this.view;
    const { sentence, first } = this.rows[n];
    const who = first && this.speaks.get(sentence);
    const sides = { both: ["kr"], key: ["k"], response: ["r"], beside: ["k", "r"] }[state.mode];
    return el(
      "div",
      { class: "sentence", "data-s": sentence },
      who ? el("div", { class: "speaker", dir: "auto" }, who) : null,
      el(
        "div",
        { class: "row", dir: text.rtl ? "rtl" : "ltr" },
        el("span", { class: "no", "aria-hidden": "true" }, first ? sentence + 1 : ""),
        sides.map((side) => el("p", { class: "words" }, this.words(n, side))),
      ),
      this.more(n, sides.join("")),
    );
  }

  /** How many mentions of a row are not drawn because too many lie over each other, and a button that draws more. */
  more(n, sides) {
    const { from, to } = this.rows[n];
    const most = Number(state.lanes);
    let hidden = 0;
    for (const side of sides) {
      const here = this.here[side][n] ?? [];
      if (here.length > most) for (const lane of lanes(here, from, to - 1).values()) hidden += lane >= most;
    }
    if (!hidden) return null;
    const said = `Not drawn: ${counted(hidden, "mention")} around these, because more than ${most} lie over each other. `;
    return el("p", { class: "note more-lanes" }, said, button("Draw more", () => go({ lanes: 4 * most }), { class: "linked" }));
  }

  words(n, sides) {
    const { from: a, to: b } = this.rows[n];
    const { text } = this.view;
    const bars = new Map(); // word → bars
    for (const side of sides) {
      for (const [mention, lane] of lanes(this.here[side][n] ?? [], a, b - 1)) {
        if (lane >= Number(state.lanes)) continue;
        for (let w = Math.max(mention.start, a); w <= Math.min(mention.end, b - 1); w++) {
          if (!bars.has(w)) bars.set(w, []);
          bars.get(w).push([mention, lane]);
        }
      }
    }
    const nodes = [];
    for (let w = a; w <= b; w++) {
      for (const mention of this.inserted.get(w) ?? []) {
        const ours = sides.includes(mention.side) && (w < b || b === text.words.length);
        if (ours) nodes.push(this.word(ZERO, w, [[mention, 0]], n, sides, true), " ");
      }
      if (w === b) break;
      const zero = this.isEmpty.has(w);
      nodes.push(this.word(text.words[w], w, bars.get(w) ?? [], n, sides, zero));
      if (!this.isGlued.has(w)) nodes.push(" ");
    }
    return nodes;
  }

  /** A word with its bars. It makes its line high enough for them. */
  word(written, w, covering, row, sides, zero) {
    const kind = ["w", covering.length && "m", zero && "zero", written.length > 40 && "long"].filter(Boolean).join(" ");
    const high = (side) => Math.max(0, ...covering.filter(([mention]) => mention.side === side).map(([, lane]) => lane + 1));
    const bars = covering.map(([mention, lane]) => this.bar(mention, lane, w, row, sides));
    const vars = covering.length ? { "--up": high("k"), "--down": high("r"), ...this.room(written, w, covering) } : null;
    const sign = this.sign(w, covering);
    return el("span", { class: kind, "data-w": w, vars }, sign ? el("b", { class: "sign", "aria-hidden": "true" }, sign) : null, written, bars);
  }

  /** Room after a short word for the tags of the mentions that end with it. */
  room(written, w, covering) {
    const alone = covering.filter(([mention]) => mention.start === w && mention.end <= w);
    const missing = Math.max(0, ...alone.map(([{ entity }]) => TAG_LETTER * tagOf(entity).length)) - LETTER * written.length;
    return missing > 0 ? { "--after": `${missing}px` } : {};
  }

  /** The signs of anaphors that start at a word: bridging, split antecedents, and non-referring expressions. */
  sign(w, covering) {
    const { view } = this;
    if (!view.answer.links.length) return null;
    this.unscored ??= new Map(view.answer.links.flatMap((link) => [link.key, link.response]).map((ends) => ends?.[0] ?? "").filter((end) => end.startsWith("w")).map((end) => [Number(end.slice(1).split("-")[0]), end]));
    const ids = covering.filter(([mention]) => mention.start === w).map(([mention]) => mention.id);
    if (this.unscored.has(w)) ids.push(this.unscored.get(w));
    const signs = ids.flatMap((id) => signsAt(view, id).match(/.!?/gu) ?? []);
    return [...new Set(signs)].join("") || null;
  }

  /** The part of a mention's bar that belongs to a word. The first part has the name of the entity. */
  bar(mention, lane, w, row, sides) {
    const { entity, twin } = mention;
    const piece = mention.pieces.find(([a, b]) => a <= w && w <= Math.max(a, b));
    const last = w >= mention.end || (piece && w === piece[1]);
    const first = w === Math.max(mention.start, this.rows[row].from);
    const astray = twin && !aligned(this.view, mention);
    const kind = ["bar", mention.side, entity.colour];
    if (!twin) kind.push("twinless");
    if (astray) kind.push("astray");
    if (!piece) kind.push("gap");
    if (!last && !this.isGlued.has(w)) kind.push("on");
    const said = w === mention.start && !(twin && mention.side === "r" && sides.includes("k"));
    return el("i", {
      class: kind.join(" "),
      "data-m": mention.id,
      "data-e": entity.name,
      "data-tag": first ? `${tagOf(entity)}${astray ? "≠" : ""}` : null,
      vars: { "--lane": lane },
      ...(said ? { role: "button", tabindex: "-1", "aria-label": spoken(mention, astray) + toldAt(this.view, mention) } : { "aria-hidden": "true" }),
    });
  }

  /** Arrows step like , and . in the direction of the text. Enter goes to the details of the selection. */
  key(event) {
    const ahead = this.view.text?.rtl ? "ArrowLeft" : "ArrowRight";
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.step(event.key === ahead ? 1 : -1);
    else if (event.key === "Enter") document.querySelector("#detail button, #detail a")?.focus();
    else return;
    event.preventDefault();
  }

  /** The second click of a double click does nothing here: `dblclick` goes on from what the first one chose. */
  click(event) {
    if (event.detail > 1) return;
    const bar = event.target.closest(".bar");
    const word = event.target.closest(".w");
    this.chose = Boolean(bar || word?.querySelector(".bar:not(.gap)"));
    if (bar) go({ sel: bar.dataset.m });
    else if (word) {
      // the first click selects the innermost mention, and each further click the next one around it
      const ids = [...word.querySelectorAll(".bar:not(.gap)")].map((b) => b.dataset.m);
      if (!ids.length) return;
      ids.sort((x, y) => length(this.view.mention(x)) - length(this.view.mention(y)));
      go({ sel: ids[(ids.indexOf(state.sel) + 1) % ids.length] });
    } else if (state.sel) go({ sel: "" });
  }

  /** Highlight the selection in the part that is drawn. */
  light() {
    const { own, others } = lit(this.view, state.sel);
    const found = chosen(this.view, state.sel);
    this.node.classList.toggle("chosen", Boolean(own));
    for (const word of this.node.querySelectorAll(".w.m")) {
      let [mine, theirs, exact, joined] = [false, false, false, false];
      for (const bar of word.querySelectorAll(".bar")) {
        const name = bar.dataset.e;
        bar.classList.toggle("own", name === own);
        bar.classList.toggle("other", others.has(name));
        if (bar.classList.contains("gap")) continue;
        mine ||= name === own;
        theirs ||= others.has(name);
        exact ||= found?.mention?.id === bar.dataset.m;
        joined ||= (name === own || others.has(name)) && bar.classList.contains("on");
      }
      word.classList.toggle("lit", mine);
      word.classList.toggle("met", theirs && !mine);
      word.classList.toggle("exact", exact);
      word.classList.toggle("joined", joined);
    }
    for (const [start, end] of found?.mention?.pieces ?? []) {
      // also where its bar is not drawn, because too many lie over each other
      for (let w = start; w <= end; w++) {
        for (const word of this.node.querySelectorAll(`[data-w="${w}"]`)) word.classList.add("exact");
      }
    }
    for (const word of this.node.querySelectorAll(".spot")) word.classList.remove("spot");
    for (const [start, end] of place(this.view, state.sel)?.pieces ?? []) {
      for (let w = start; w <= Math.max(start, end); w++) {
        for (const word of this.node.querySelectorAll(`[data-w="${w}"]`)) word.classList.add("spot");
      }
    }
    this.curves();
  }

  /** Bring a mention into view. */
  reveal(mention) {
    if (!this.blocks || !mention) return;
    const sentence = this.blocks.show(lastUpTo(this.starts, mention.start));
    if (!sentence) return;
    const bar = mention.id && this.view.mention(mention.id) === mention && sentence.querySelector(`[data-m="${mention.id}"]`);
    const word = (bar ? bar.parentElement : sentence.querySelector(`[data-w="${mention.start}"]`)) ?? sentence;
    word.scrollIntoView({ block: "center" });
    // again, when the heights of the newly visible parts are known
    requestAnimationFrame(() => requestAnimationFrame(() => word.isConnected && word.scrollIntoView({ block: "center" })));
  }

  /** The next mention (step 1) or the one before (−1), in the order of the text. */
  step(step) {
    const found = chosen(this.view, state.sel);
    const at = found?.mention ? this.order.indexOf(found.mention) : found ? this.order.indexOf(found.entity.mentions[0]) - step : -1;
    let next = at + step;
    if (found?.mention && at < 0) next = this.order.indexOf(found.mention.twin) + step;
    const mention = this.order[Math.min(Math.max(next, 0), this.order.length - 1)];
    if (!mention) return;
    go({ sel: mention.id }, true);
    const how = mention.by ? `, matched by ${mention.by} with ${mention.twin.text}` : "";
    say(`${mention.text}: ${titled(mention.entity)}${mention.twin ? `, ${titled(mention.twin.entity)}${how}` : ", twinless"}`);
  }

  everything() {
    this.blocks?.everything();
  }

  end() {
    this.watch.disconnect();
    this.blocks?.end();
  }
}

/** The number of an entity, and the end of what its file calls it, where ids differ. */
function tagOf(entity) {
  const own = ownLabel(entity);
  const number = entity.name.slice(1);
  return own ? `${number}:${own.length > TAG ? `…${own.slice(1 - TAG)}` : own}` : number;
}

/** A mention for screen readers. */
function spoken({ side, entity, twin, by, text }, astray) {
  const [ours, theirs] = side === "k" ? ["key", "response"] : ["response", "key"];
  const number = (e) => titled(e).slice(1);
  const how = by ? `, matched by ${by} with “${shortened(twin.text, 60)}”` : "";
  const other = twin ? `${theirs} entity ${number(twin.entity)}${astray ? ", not aligned" : ""}${how}` : `the ${theirs} lacks it`;
  return `mention “${shortened(text, 60)}”: ${ours} entity ${number(entity)}, ${counted(entity.size, "mention")}; ${other}`;
}

function length(mention) {
  return mention.end - mention.start;
}

/** Sentences. A very long one is divided into rows that end with a full stop if there is one. */
function rowsOf(text) {
  const rows = [];
  text.sentences.forEach((start, sentence) => {
    const stop = text.sentences[sentence + 1] ?? text.words.length;
    let from = start;
    while (stop - from > LONG) {
      let to = from + LONG;
      while (to > from + LONG / 3 && !/^[.!?。！？]+$/u.test(text.words[to - 1])) to--;
      if (to <= from + LONG / 3) to = from + LONG;
      rows.push({ from, to, sentence, first: from === start });
      from = to;
    }
    rows.push({ from, to: stop, sentence, first: from === start });
  });
  return rows;
}

/** Lanes for the mentions of a row: short mentions next to the words, longer ones outside. Mentions never overlap. */
function lanes(mentions, from, to) {
  const sorted = [...mentions].sort((a, b) => length(a) - length(b) || a.start - b.start);
  const taken = [];
  const found = new Map();
  for (const mention of sorted) {
    const [a, b] = [Math.max(mention.start, from), Math.min(Math.max(mention.end, mention.start), to)];
    let lane = 0;
    while (taken[lane]?.some(([x, y]) => x <= b && a <= y)) lane++;
    (taken[lane] ??= []).push([a, b]);
    found.set(mention, lane);
  }
  return found;
}

/** The mentions of a word, for the tip that is shown when the pointer rests on it. */
export function hints(view, word) {
  const found = [...word.querySelectorAll(".bar:not(.gap)")].map((bar) => view.mention(bar.dataset.m));
  // a mention that both sides have is shown once, as the key's
  return found.filter((m) => m.side === "k" || !m.twin || !found.includes(m.twin)).map((m) => hint(view, m));
}

function hint(view, mention) {
  const { entity, twin, by } = mention;
  const others = entity.mentions.filter((m) => m !== mention).slice(0, 4).map((m) => `“${shortened(m.text, 24)}”`);
  const more = entity.mentions.length - 1 - others.length;
  const meets = entity.meets.slice(0, 4).map((m) => `${titled(m.entity)} (${m.cell.n})`).join(", ");
  const number = (x) => (typeof x === "number" ? Number(x.toFixed(2)) : x);
  const earns = creditOf(view, mention).slice(1).map(([name, a, b]) => `${name} ${number(a)}/${number(b)}`).join(", ");
  return [
    el("b", {}, quoting(`${titled(entity)}${twin ? ` ${aligned(view, mention) ? "=" : "≠"} ${titled(twin.entity)}` : ""} `)),
    ...quoting(`“${shortened(mention.text, 60)}”${twin ? "" : `: ${lacking(mention)}`}`),
    ...(by ? quoting(`, matched by ${by} with “${shortened(twin.text, 60)}”`) : []),
    el("br", {}),
    ...quoting(others.length ? `also ${others.join(", ")}${more > 0 ? ` and ${more} more` : ""}; ` : "no other mention; "),
    ...quoting(`meets ${meets || "nothing"}`),
    ...(twin ? [el("br", {}), `earns (recall/precision) ${earns}`] : []),
  ];
}
