// A document with one system's response, as objects. Everything is looked up in the data; nothing is computed.

import { coloured } from "./colours.js";
import { shortened } from "./dom.js";
import { go, state } from "./state.js";

export const ZERO = "∅";
export const EARNED = ["muc", "bcub", "ceafm", "ceafe", "lea"];
const [CEAFM, CEAFE, KEY_CORE, RESPONSE_CORE, EXCLUSIVE] = [1, 2, 4, 8, 16];

export function viewOf(raw, system) {
  raw.views ??= [];
  return (raw.views[system] ??= joined(raw, system));
}

function joined(raw, system) {
  const answer = raw.systems[system];
  const view = { raw, text: raw.text, answer, cells: answer.cells.map(cellOf) };
  view.key = sideOf("k", raw.key, answer.key_scores, answer.key_muc, raw.text);
  view.response = sideOf("r", answer, answer.entity_scores, answer.muc, raw.text);
  view.mention = (id) => (id[0] === "k" ? view.key : view.response).mentions[Number(id.slice(1))];
  view.entity = (name) => view.names.get(name);
  view.names = new Map([...view.key.entities, ...view.response.entities].map((e) => [e.name, e]));
  view.at = new Map(view.cells.map((cell) => [`${cell.i},${cell.j}`, cell]));
  answer.twins.forEach((r, k) => {
    if (r < 0) return;
    view.key.mentions[k].twin = view.response.mentions[r];
    view.response.mentions[r].twin = view.key.mentions[k];
    view.at.get(`${raw.key.entity[k]},${answer.entity[r]}`).matched += 1;
    view.key.mentions[k].by = view.response.mentions[r].by = answer.by[k] ?? "";
  });
  for (const id of answer.left_out) view.mention(id).dropped = true;
  for (const cell of view.cells) {
    const [k, r] = [view.key.entities[cell.i], view.response.entities[cell.j]];
    k.meets.push({ cell, entity: r });
    r.meets.push({ cell, entity: k });
  }
  for (const entity of view.names.values()) entity.meets.sort((a, b) => b.cell.n - a.cell.n);
  view.errors = answer.errors.map((error, number) => ({ ...error, number }));
  coloured(view);
  return view;
}

function cellOf([i, j, n, marks, bcubR, bcubP, leaR, leaP, ceafe]) {
  return {
    i,
    j,
    n,
    matched: 0, // less than n if a repeated mention counts in several entities
    ceafm: Boolean(marks & CEAFM),
    ceafe: Boolean(marks & CEAFE),
    keyCore: Boolean(marks & KEY_CORE),
    responseCore: Boolean(marks & RESPONSE_CORE),
    exclusive: Boolean(marks & EXCLUSIVE),
    credit: { bcubR, bcubP, leaR, leaP, ceafe },
  };
}

function sideOf(letter, side, scores, muc, text) {
  const entities = side.entities.map(({ name, label }, number) => {
    const earned = (metric) => ({ earned: scores[metric].earned[number], score: scores[metric].score[number] });
    const own = Object.fromEntries(EARNED.map((metric) => [metric, earned(metric)]));
    return { name, label, number, size: side.sizes[number], loss: scores.loss[number], scores: own, mentions: [], meets: [], side: letter };
  });
  const mentions = side.entity.map((e, number) => {
    const pieces = side.pieces[number] ?? [[side.start[number], side.end[number]]];
    const mention = {
      id: `${letter}${number}`,
      number,
      side: letter,
      start: side.start[number],
      end: side.end[number],
      pieces,
      entity: entities[e],
      type: side.types[number],
      line: side.lines[number],
      muc: muc[number],
      twin: null,
      by: "", // the rule by which it and its twin matched, if they may differ
      dropped: false, // its twin is a singleton that was left out
      text: side.names ? side.names[number] : pieces.map((piece) => wordsOf(text, piece)).join(" … "),
    };
    entities[e].mentions.push(mention);
    return mention;
  });
  return { letter, entities, mentions };
}

/** Words as they are written, with the spaces between them. */
export function wordsOf(text, [start, end]) {
  if (end < start) return ZERO;
  text.isGlued ??= new Set(text.glued);
  let words = "";
  for (let w = start; w <= end; w++) {
    words += text.words[w];
    if (w < end && !text.isGlued.has(w)) words += " ";
  }
  return words;
}

/** What a name or a mention's id stands for: {entity, mention}, or null. */
export function chosen(view, sel) {
  if (!sel) return null;
  if (/^[kr]/.test(sel)) {
    const mention = view.mention(sel);
    return mention ? { mention, entity: mention.entity } : null;
  }
  const entity = view.entity(sel);
  return entity ? { entity, mention: null } : null;
}

/** From the selected mention to its entity. */
export function widen(view) {
  const now = chosen(view, state.sel);
  if (now?.mention) go({ sel: now.entity.name });
}

/** What the file calls an entity, if its name does not say it. */
export function ownLabel({ name, label }) {
  const own = String(label ?? "");
  return own === name || own === name.slice(1) ? "" : own;
}

export function hasOwnLabels(view) {
  return [...view.names.values()].some((entity) => ownLabel(entity));
}

/** The name of an entity, with what its file calls it: `R3 “7”`. */
export function titled(entity, width = 24) {
  const own = ownLabel(entity);
  return own ? `${entity.name} “${shortened(own, width)}”` : entity.name;
}

/**
 * A place that is not a mention here, else null: `o7`, a mention of the response that this one is compared with, or words
 * such as `w12-14`.
 */
export function place(view, sel) {
  const words = /^w(\d+)-(\d+)$/.exec(sel);
  if (words && view.text) {
    const [start, end] = [Number(words[1]), Number(words[2])];
    if (start <= end && end < view.text.words.length) return { start, end, pieces: [[start, end]], text: wordsOf(view.text, [start, end]) };
  }
  if (!/^o\d+$/.test(sel) || state.vs === "") return null;
  return viewOf(view.raw, Number(state.vs)).mention(`r${sel.slice(1)}`) ?? null;
}

/** Whether CEAFe aligns the entities that a mention and its twin belong to. */
export function aligned(view, { side, entity, twin }) {
  const [k, r] = side === "k" ? [entity, twin.entity] : [twin.entity, entity];
  return Boolean(view.at.get(`${k.number},${r.number}`)?.ceafe);
}

/** The entities that a selection highlights: the selected one, and those of the other side that share mentions with it. */
export function lit(view, sel) {
  const found = chosen(view, sel);
  if (!found) return { own: null, others: new Set() };
  return { own: found.entity.name, others: new Set(found.entity.meets.map((m) => m.entity.name)) };
}

/** The position of the last of some ascending numbers that is not greater than `x`. */
export function lastUpTo(numbers, x) {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (numbers[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function sentenceOf(text, word) {
  return lastUpTo(text.sentences, word);
}

export function speakerOf(text, sentence) {
  let who = "";
  for (const [from, name] of text.speakers) {
    if (from > sentence) break;
    who = name;
  }
  return who;
}

/** Why a mention has no twin. */
export function lacking({ side, dropped }) {
  const other = side === "k" ? "response" : "key";
  return dropped ? `a singleton in the ${other}, which is left out` : `twinless: the ${other} lacks it`;
}

/** What a mention earns in each metric: in recall (as a key mention) and in precision (as a response mention). */
export function creditOf(view, mention) {
  const [k, r] = mention.side === "k" ? [mention, mention.twin] : [mention.twin, mention];
  const cell = k && r ? view.at.get(`${k.entity.number},${r.entity.number}`) : null;
  const share = (there, value) => (!there ? "—" : cell ? value(cell) : 0);
  const muc = (m) => (!m ? "—" : m.muc === null ? "first" : m.muc);
  return [
    ["mentions", mention.dropped ? 1 : share(k, () => 1), mention.dropped ? 1 : share(r, () => 1)],
    ["MUC", muc(k), muc(r)],
    ["B³", share(k, (c) => c.credit.bcubR), share(r, (c) => c.credit.bcubP)],
    ["CEAFm", share(k, (c) => Number(c.ceafm)), share(r, (c) => Number(c.ceafm))],
    ["CEAFe", share(k, (c) => c.credit.ceafe), share(r, (c) => c.credit.ceafe)],
    ["LEA", share(k, (c) => c.credit.leaR), share(r, (c) => c.credit.leaP)],
  ];
}
