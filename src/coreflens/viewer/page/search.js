// Search for mentions, entities and words, in this document or in all of them.

import { counted, el, quoting, replace, say } from "./dom.js";
import { index, unpacked } from "./data.js";
import { aligned, lastUpTo, titled, viewOf, wordsOf } from "./model.js";
import { go, link, state } from "./state.js";

const MOST = 200;
const AROUND = 4; // words shown on each side of a hit
let latest = 0;

export async function drawHits(node, number) {
  const ticket = ++latest;
  const query = state.q.trim().toLowerCase();
  node.hidden = !query;
  if (!query) return replace(node);
  const documents = state.all ? index.documents.keys() : [number];
  const hits = [];
  for (const d of documents) {
    const raw = await unpacked(d);
    if (ticket !== latest) return;
    const view = viewOf(raw, Number(state.sys));
    for (const hit of found(view, query)) if (hits.push({ d, ...hit }) >= MOST) break;
    if (hits.length >= MOST) break;
  }
  const count = hits.length >= MOST ? `the first ${MOST}` : counted(hits.length, "hit");
  replace(
    node,
    el(
      "details",
      { open: true },
      el("summary", {}, el("b", {}, "Found "), el("span", { class: "count" }, hits.length ? count : "nothing")),
      el("ul", { class: "hits" }, hits.slice(0, MOST).map(hitLine)),
    ),
  );
  say(hits.length ? `${count}; Enter goes to the next` : "nothing found");
}

/** Go to the next hit, when Enter is pressed. */
export function nextHit(node) {
  const links = [...node.querySelectorAll("a")];
  if (!links.length) return;
  const at = links.findIndex((a) => a.hasAttribute("aria-current"));
  for (const a of links) a.removeAttribute("aria-current");
  const next = links[(at + 1) % links.length];
  next.setAttribute("aria-current", "true");
  next.scrollIntoView({ block: "nearest" });
  next.click();
}

function hitLine({ d, sel, text, what, tab }) {
  const { label } = index.documents[d];
  const patch = { doc: label, sel, e: "", ...(tab ? { tab } : {}) };
  return el(
    "li",
    {},
    el("a", { href: link(patch), dir: "auto", "aria-current": label === state.doc && sel === state.sel ? "true" : null, onclick: (event) => (event.preventDefault(), go(patch)) }, text),
    el("span", { class: "where" }, quoting(` ${what}${state.all ? `, ${label}` : ""}`)),
  );
}

/** Entities by name or label, mentions by their text (once if both sides have it), then words that are not in a mention. */
function* found(view, query) {
  for (const entity of view.names.values()) {
    if (entity.name.toLowerCase() === query || String(entity.label).toLowerCase() === query) {
      yield { sel: entity.name, text: `${titled(entity)} ${entity.mentions[0]?.text ?? ""}`, what: `entity of ${entity.size}` };
    }
  }
  const mentions = [...view.key.mentions, ...view.response.mentions.filter((m) => !m.twin)];
  for (const mention of mentions) {
    mention.lower ??= mention.text.toLowerCase();
    if (mention.lower.includes(query)) {
      const twin = mention.twin ? ` ${aligned(view, mention) ? "=" : "≠"} ${titled(mention.twin.entity)}` : ", twinless";
      yield { sel: mention.id, text: mention.text, what: `${titled(mention.entity)}${twin}` };
    }
  }
  if (view.text) yield* wordsFound(view.text, mentions, query);
}

/** Words that are not within a mention, sentence by sentence. */
function* wordsFound(text, mentions, query) {
  const reach = new Int32Array(text.words.length).fill(-1); // the last word of the pieces that began up to here
  for (const { pieces } of mentions) for (const [a, b] of pieces) if (a <= b) reach[a] = Math.max(reach[a], b);
  for (let w = 1; w < reach.length; w++) reach[w] = Math.max(reach[w], reach[w - 1]);
  text.lowered ??= lowered(text);
  for (const [s, { first, stop, starts, line }] of text.lowered.entries()) {
    for (let at = line.indexOf(query); at >= 0; at = line.indexOf(query, at + query.length)) {
      const [from, to] = [first + lastUpTo(starts, at), first + lastUpTo(starts, at + query.length - 1)];
      if (reach[from] >= to) continue;
      const around = wordsOf(text, [Math.max(first, from - AROUND), Math.min(stop - 1, to + AROUND)]);
      yield { sel: `w${from}-${to}`, text: around, what: `sentence ${s + 1}`, tab: "text" };
    }
  }
}

/** The sentences in small letters, and where each word starts. */
function lowered({ words, sentences, glued }) {
  const spaceless = new Set(glued);
  return sentences.map((first, s) => {
    const stop = sentences[s + 1] ?? words.length;
    const starts = [];
    let line = "";
    for (let w = first; w < stop; w++) {
      starts.push(line.length);
      line += words[w].toLowerCase() + (spaceless.has(w) ? "" : " ");
    }
    return { first, stop, starts, line };
  });
}
