// The text: key mentions drawn above the words, response mentions below; or side by side.

import { el, quoting, say, shortened } from "./dom.js";
import { chosen, lit, sentenceOf } from "./model.js";
import { go, state } from "./state.js";
import { Blocks } from "./virtual.js";


export class TextPane {
  constructor(parent, view) {
    this.view = view;
    this.node = el("div", { class: `text mode-${state.mode}`, tabindex: "0", role: "region", "aria-label": "Text" });
    this.node.addEventListener("click", (event) => this.click(event));
    parent.append(this.node);
    const { text } = view;
    if (!text) {
      this.node.append(el("p", { class: "note" }, "These files have no text, only mentions: see Entities."));
      return;
    }
    this.isGlued = new Set(text.glued);
    this.isEmpty = new Set(text.empty);
    this.speaks = new Map(text.speakers);
    this.places();
    this.order = [...view.key.mentions, ...view.response.mentions.filter((m) => !m.twin)];
    this.order.sort((a, b) => a.start - b.start || b.end - a.end);
    const width = Math.max(this.node.clientWidth || 700, 200) / (state.mode === "beside" ? 2 : 1);
    this.blocks = new Blocks(this.node, [...text.sentences.keys()], {
      draw: (s) => this.sentence(s),
      guess: (from, to) => this.guess(from, to, width),
      after: () => this.light(),
    });
  }

  /** The mentions of every sentence, and the zeros that stand between words. */
  places() {
    const { view } = this;
    this.inserted = new Map();
    const columns = { k: [], r: [] };
    for (const side of [view.key, view.response]) {
      for (const mention of side.mentions) {
        const between = mention.end < mention.start;
        if (between) this.inserted.set(mention.start, [...(this.inserted.get(mention.start) ?? []), mention]);
        const from = sentenceOf(view.text, mention.start);
        const to = between ? from : sentenceOf(view.text, mention.end);
        for (let s = from; s <= to; s++) (columns[side.letter][s] ??= []).push(mention);
      }
    }
    this.here = columns;
  }

  bounds(s) {
    const { sentences, words } = this.view.text;
    return [sentences[s], s + 1 < sentences.length ? sentences[s + 1] : words.length];
  }

  guess(from, to, width) {
    let height = 0;
    for (let s = from; s < to; s++) {
      const [a, b] = this.bounds(s);
      height += 34 * Math.max(1, Math.ceil(((b - a) * 50) / width)) + 8;
    }
    return Math.round(height);
  }

  sentence(s) {
    const { text } = this.view;
    const who = this.speaks.get(s);
    const sides = { both: ["kr"], key: ["k"], response: ["r"], beside: ["k", "r"] }[state.mode] ?? ["kr"];
    return el(
      "div",
      { class: "sentence", "data-s": s },
      who ? el("div", { class: "speaker", dir: "auto" }, who) : null,
      el(
        "div",
        { class: "row", dir: text.rtl ? "rtl" : "ltr" },
        el("span", { class: "no", "aria-hidden": "true" }, s + 1),
        sides.map((side) => el("p", { class: "words" }, this.words(s, side))),
      ),
    );
  }

  words(s, sides) {
    const [a, b] = this.bounds(s);
    const { text } = this.view;
    const drawn = [...sides].map((side) => lanes(this.here[side][s] ?? [], a, b - 1));
    const bars = new Map(); // word → bars
    for (const { mentions } of drawn) {
      for (const [mention, lane] of mentions) {
        for (let w = Math.max(mention.start, a); w <= Math.min(mention.end, b - 1); w++) {
          if (!bars.has(w)) bars.set(w, []);
          bars.get(w).push(this.bar(mention, lane, w));
        }
      }
    }
    const above = sides[0] === "k" ? drawn[0].count : 0;
    const below = sides.at(-1) === "r" ? drawn.at(-1).count : 0;
    const nodes = [];
    for (let w = a; w <= b; w++) {
      for (const mention of this.inserted.get(w) ?? []) {
        const ours = sides.includes(mention.side) && (w < b || b === text.words.length);
        if (ours) nodes.push(this.word("∅", w, [this.bar(mention, 0, mention.start)], true), " ");
      }
      if (w === b) break;
      const zero = this.isEmpty.has(w);
      const written = zero && text.words[w] === "_" ? "∅" : text.words[w];
      nodes.push(this.word(written, w, bars.get(w) ?? [], zero));
      if (!this.isGlued.has(w)) nodes.push(" ");
    }
    const line = el("span", { class: "line", vars: { "--above": above, "--below": below } }, nodes);
    return line;
  }

  word(written, w, bars, zero) {
    return el("span", { class: bars.length ? (zero ? "w m zero" : "w m") : zero ? "w zero" : "w", "data-w": w }, written, bars);
  }

  bar(mention, lane, w) {
    const piece = mention.pieces.find(([a, b]) => a <= w && w <= Math.max(a, b));
    const last = w >= mention.end || (piece && w === piece[1]);
    const first = w === mention.start;
    const kind = ["bar", mention.side, mention.entity.colour];
    if (!mention.twin) kind.push("twinless");
    if (!piece) kind.push("gap");
    if (first) kind.push("first");
    if (!last && !this.isGlued.has(w)) kind.push("on");
    return el("i", {
      class: kind.join(" "),
      "data-m": mention.id,
      "data-e": mention.entity.name,
      "data-tag": first ? mention.entity.name.slice(1) : null,
      vars: { "--lane": lane },
    });
  }

  click(event) {
    const bar = event.target.closest(".bar");
    const word = event.target.closest(".w");
    if (bar) go({ sel: bar.dataset.m });
    else if (word) {
      // the innermost mention first; clicked again, the next one around it
      const ids = [...word.querySelectorAll(".bar:not(.gap)")].map((b) => b.dataset.m);
      if (!ids.length) return;
      ids.sort((x, y) => length(this.view.mention(x)) - length(this.view.mention(y)));
      go({ sel: ids[(ids.indexOf(state.sel) + 1) % ids.length] });
    } else if (state.sel) go({ sel: "" });
  }

  /** Light up what is chosen in what is drawn. */
  light() {
    const { own, others } = lit(this.view, state.sel);
    const found = chosen(this.view, state.sel);
    this.node.classList.toggle("chosen", Boolean(own));
    for (const word of this.node.querySelectorAll(".w.m")) {
      let [mine, theirs, exact] = [false, false, false];
      for (const bar of word.querySelectorAll(".bar")) {
        const name = bar.dataset.e;
        bar.classList.toggle("own", name === own);
        bar.classList.toggle("other", others.has(name));
        if (bar.classList.contains("gap")) continue;
        mine ||= name === own;
        theirs ||= others.has(name);
        exact ||= found?.mention?.id === bar.dataset.m;
      }
      word.classList.toggle("lit", mine);
      word.classList.toggle("met", theirs && !mine);
      word.classList.toggle("exact", exact);
    }
  }

  /** Bring a mention into view. */
  reveal(mention) {
    if (!this.blocks || !mention) return;
    const sentence = this.blocks.show(sentenceOf(this.view.text, mention.start));
    if (!sentence) return;
    this.light();
    const word = sentence.querySelector(`[data-m="${mention.id}"]`)?.parentElement ?? sentence;
    word.scrollIntoView({ block: "center" });
    requestAnimationFrame(() => word.scrollIntoView({ block: "center" })); // once more, when heights are known
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
    say(`${mention.text}: ${mention.entity.name}${mention.twin ? `, ${mention.twin.entity.name}` : ", twinless"}`);
  }

  everything() {
    this.blocks?.everything();
  }

  end() {
    this.blocks?.end();
  }
}

function length(mention) {
  return mention.end - mention.start;
}

/** Lanes for the mentions of a sentence: short ones next to the words, longer ones beyond; none overlap. */
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
  return { mentions: found, count: taken.length };
}

/** What the mentions of a word are, for the tip shown when the pointer rests on it. */
export function hints(view, word) {
  const found = [...word.querySelectorAll(".bar:not(.gap)")].map((bar) => view.mention(bar.dataset.m));
  // a mention that both sides have is told once, as the key's
  return found.filter((m) => m.side === "k" || !m.twin || !found.includes(m.twin)).map((m) => hint(view, m));
}

function hint(view, mention) {
  const { entity, twin } = mention;
  const lacking = mention.side === "k" ? "the response lacks it" : "the key lacks it";
  const others = entity.mentions.filter((m) => m !== mention).slice(0, 4).map((m) => `“${shortened(m.text, 24)}”`);
  const more = entity.mentions.length - 1 - others.length;
  const meets = entity.meets.slice(0, 4).map((m) => `${m.entity.name} (${m.cell.n})`).join(", ");
  const cell = twin && view.at.get(mention.side === "k" ? `${entity.number},${twin.entity.number}` : `${twin.entity.number},${entity.number}`);
  const earns = cell ? `; earns ${cell.credit.bcubR.toFixed(2)} recall, ${cell.credit.bcubP.toFixed(2)} precision in B³` : "";
  return [
    el("b", {}, `${entity.name}${twin ? ` = ${twin.entity.name}` : ""} `),
    ...quoting(`“${shortened(mention.text, 60)}”${twin ? earns : `: ${lacking}`}`),
    el("br", {}),
    ...quoting(others.length ? `also ${others.join(", ")}${more > 0 ? ` and ${more} more` : ""}; ` : "no other mention; "),
    `meets ${meets || "nothing"}`,
  ];
}
