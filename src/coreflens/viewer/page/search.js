// Search by text and entity, in this document or in all of them.

import { counted, el, replace } from "./dom.js";
import { index, unpacked } from "./data.js";
import { viewOf } from "./model.js";
import { go, link, state } from "./state.js";

const MOST = 200;
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
    for (const hit of found(viewOf(raw, Number(state.sys)), query)) hits.push({ d, ...hit });
    if (hits.length >= MOST) break;
  }
  replace(
    node,
    el("div", { class: "dhead" }, el("h2", {}, "Found"), el("span", { class: "count" }, hits.length >= MOST ? `the first ${MOST}` : counted(hits.length, "hit"))),
    el("ul", { class: "hits" }, hits.slice(0, MOST).map(hitLine)),
  );
}

function hitLine({ d, sel, text, what }) {
  const { label } = index.documents[d];
  const patch = { doc: label, sel, e: "" };
  return el(
    "li",
    {},
    el("a", { href: link(patch), dir: "auto", onclick: (event) => (event.preventDefault(), go(patch)) }, text),
    el("span", { class: "where" }, ` ${what}${state.all ? `, ${label}` : ""}`),
  );
}

/** Entities by name or label, then mentions by their text; a mention that both sides have counts once. */
function* found(view, query) {
  for (const entity of view.names.values()) {
    if (entity.name.toLowerCase() === query || String(entity.label).toLowerCase() === query) {
      yield { sel: entity.name, text: `${entity.name} ${entity.mentions[0]?.text ?? ""}`, what: `entity of ${entity.size}` };
    }
  }
  const mentions = [...view.key.mentions, ...view.response.mentions.filter((m) => !m.twin)];
  for (const mention of mentions) {
    if (mention.text.toLowerCase().includes(query)) {
      const twin = mention.twin ? ` = ${mention.twin.entity.name}` : ", twinless";
      yield { sel: mention.id, text: mention.text, what: `${mention.entity.name}${twin}` };
    }
  }
}
