// The steps of a derivation in full. A folded step lacks what the page knows: the names of entities and mentions, and how
// entities overlap. Its figures are the library's, and the page computes no score.

import { index } from "./data.js";
import { wordsOf } from "./model.js";

const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"; // as in Python
const SPACES = new RegExp(`[${SPACE}]+`, "g");
const LAST_SPACES = new RegExp(`[${SPACE}]+$`);
const LENGTH = 24; // a mention is cut to this number of characters
const MANY_MENTIONS = 20; // a list with more mentions shows only the first ones
const FEW_MENTIONS = 3;
const PARTS = 6; // the number of parts shown of an entity if entities are not listed
const LINK_SETS = "{link sets}";
const ALIGNED = ["ceafm", "ceafe"]; // an entity's partner; for a cell, its figure if it is aligned

/** The steps of a derivation of a document. */
export function unfolded(view, { steps }) {
  return steps.map((step) => (step.form === undefined ? step : stepWith(view, step)));
}

function stepWith(view, step) {
  const form = { title: "", before: [], columns: [], total: false, ...(typeof step.form === "number" ? index.forms[step.form] : step.form) };
  const before = (step.before ?? form.before).flatMap((line) => (line === LINK_SETS ? linkSets(view) : [line]));
  const plain = { title: form.title, before, after: step.after ?? [] };
  if (!form.header) return plain;
  if (!form.of) return { ...plain, header: form.header, rows: step.rows, words: form.columns, total: form.total };
  const rows = rowsOfSheet(view, form, step);
  if (!rows.length && step.sums.length < 2) return plain;
  const isWord = (column) => WORDS.has(column) || (form.of !== "cells" && ALIGNED.includes(column));
  const words = form.columns.flatMap((column, n) => (isWord(column) && rows.some((row) => row[n]) ? [n] : []));
  const sums = step.sums.map(([what, ...values]) => [what, ...Array(form.header.length - 1 - values.length).fill(""), ...values]);
  return { ...plain, header: form.header, rows: [...rows, ...sums], words, total: true };
}

function rowsOfSheet(view, { of, columns }, { figures, shown }) {
  if (of === "mentions") return credits(view, figures);
  if (of === "cells") return view.cells.map((cell, n) => columns.map((column) => CELLS[column](view, cell, figures[0][n])));
  const full = columns[0] === "name";
  const { entities } = of === "key" ? view.key : view.response;
  const places = new Map(columns.flatMap((column, n) => (column ? [] : [n])).map((n, k) => [n, figures[k]]));
  return (shown ?? entities.map((_, n) => n)).map((e, row) => columns.map((column, n) => (column ? ENTITIES[column](view, entities[e], full) : places.get(n)[row])));
}

// What columns say about an entity, and about a cell. Those in WORDS and partners are words, all others numbers.
const ENTITIES = {
  name: (view, e) => e.name,
  described,
  parts: partSets,
  size: (view, e) => String(e.size),
  "parts count": (view, e) => String(partsOf(view, e).length),
  lacking: (view, e) => mentionList(view, inOrder(view, e.mentions).filter((m) => !m.twin)),
  squares,
};
for (const metric of ALIGNED) {
  const partner = (e) => e.meets.find(({ cell }) => cell[metric]);
  ENTITIES[metric] = (view, e, full) => (partner(e) ? (full ? partner(e).entity.name : described(view, partner(e).entity)) : "–");
  ENTITIES[`${metric} size`] = (view, e) => (partner(e) ? String(partner(e).entity.size) : "");
  ENTITIES[`${metric} overlap`] = (view, e) => (partner(e) ? String(partner(e).cell.n) : "");
}
const CELLS = {
  K: (view, { i }) => view.key.entities[i].name,
  R: (view, { j }) => view.response.entities[j].name,
  n: (view, { n }) => String(n),
  a: (view, { i }) => String(view.key.entities[i].size),
  b: (view, { j }) => String(view.response.entities[j].size),
  "": (view, cell, figure) => figure,
  ceafm: (view, cell, figure) => (cell.ceafm ? figure : ""),
  ceafe: (view, cell, figure) => (cell.ceafe ? figure : ""),
};
const WORDS = new Set(["name", "described", "parts", "lacking", "squares", "K", "R", "mention"]);

/** The place of each mention in the order of the derivations: those of the key, then those that only the response has. */
function rowOf(view, mention) {
  view.places ??= rowsIn(view);
  return view.places.get(mention.side === "r" && mention.twin ? mention.twin : mention);
}

function rowsIn(view) {
  const rows = [...view.key.mentions, ...view.response.mentions.filter((m) => !m.twin)];
  view.calledBy = new Map(rows.slice(view.key.mentions.length).map((m, n) => [m, view.answer.called[n]]));
  return new Map(rows.map((m, n) => [m, view.answer.order ? view.answer.order[n] : n]));
}

function inOrder(view, mentions) {
  return [...mentions].sort((a, b) => rowOf(view, a) - rowOf(view, b));
}

/** A mention by its words and its first token. */
function calledIn(view, mention) {
  const own = mention.side === "r" && mention.twin ? mention.twin : mention;
  rowOf(view, own);
  if (!view.calledBy.has(own)) {
    const text = own.pieces.map((piece) => wordsOf(view.text, piece)).join(" ... ").replace(SPACES, " ").trim();
    const letters = [...text];
    const short = letters.length <= LENGTH ? text : `${letters.slice(0, LENGTH - 1).join("").replace(LAST_SPACES, "")}…`;
    view.calledBy.set(own, `${short} [${own.start}]`);
  }
  return view.calledBy.get(own);
}

function described(view, e) {
  const first = inOrder(view, e.mentions).reduce((a, b) => (startOf(b) < startOf(a) ? b : a));
  return `${e.name} (${calledIn(view, first)})`;
}

function startOf(mention) {
  return mention.side === "r" && mention.twin ? mention.twin.start : mention.start;
}

function mentionList(view, mentions) {
  const sorted = [...mentions].sort((a, b) => startOf(a) - startOf(b));
  const few = sorted.length <= MANY_MENTIONS ? sorted.length : FEW_MENTIONS;
  const more = sorted.length > few ? [`… ${sorted.length - few} more`] : [];
  return [...sorted.slice(0, few).map((m) => calledIn(view, m)), ...more].join(", ");
}

/** How the other side divides an entity. Each twinless mention is a separate part. */
function partsOf(view, e) {
  if (e.parts) return e.parts;
  const parts = new Map();
  for (const mention of inOrder(view, e.mentions)) {
    const other = mention.twin?.entity ?? null;
    const part = parts.get(other ?? mention) ?? { other, mentions: [] };
    part.mentions.push(mention);
    parts.set(other ?? mention, part);
  }
  return (e.parts = [...parts.values()]);
}

/** The parts to show (all in their order, or the largest if there are many), and the number of the others. */
function largestParts(parts, full) {
  if (full || parts.length <= PARTS) return [parts, 0];
  return [[...parts].sort((a, b) => b.mentions.length - a.mentions.length).slice(0, PARTS - 1), parts.length - PARTS + 1];
}

function partSets(view, e, full) {
  const parts = partsOf(view, e);
  if (e.size <= (full ? MANY_MENTIONS : 4)) {
    const [shown, more] = largestParts(parts, full);
    return [...shown.map((part) => `{${mentionList(view, part.mentions)}}`), ...(more ? [`… ${more} more`] : [])].join(" ");
  }
  const [shown, more] = largestParts(parts.filter(({ other }) => other), full);
  const lonely = parts.filter(({ other }) => !other).length;
  const found = shown.map(({ other, mentions }) => `${other.name}: ${mentions.length}`);
  return [...found, ...(more ? [`… ${more} more`] : []), ...(lonely ? [`twinless: ${lonely}`] : [])].join(", ");
}

function squares(view, e, full) {
  const [shown, more] = largestParts(partsOf(view, e).filter(({ other }) => other), full);
  return [...shown.map(({ mentions }) => `${mentions.length}²/${e.size}`), ...(more ? ["…"] : [])].join(" + ");
}

/** A row for each mention: what it earns in its cell. */
function credits(view, [recall, precision]) {
  const figures = new Map(view.cells.map((cell, n) => [cell, [recall[n], precision[n]]]));
  const rows = new Map();
  for (const { entities, letter } of [view.key, view.response]) {
    for (const e of entities) {
      for (const { other, mentions } of partsOf(view, e)) {
        for (const mention of mentions) {
          const [k, r] = letter === "k" ? [mention, mention.twin] : [mention.twin, mention];
          if (rows.has(k ?? r)) continue;
          const earned = other ? figures.get(view.at.get(`${k.entity.number},${r.entity.number}`)) : [k ? "0" : "", r ? "0" : ""];
          rows.set(k ?? r, [calledIn(view, mention), k?.entity.name ?? "", r?.entity.name ?? "", ...earned]);
        }
      }
    }
  }
  return [...rows.values()];
}

/** C_k = {a–b, ...} and so on: the links of both sides, and those that both have. */
function linkSets(view) {
  const rows = inOrder(view, [...view.key.mentions, ...view.response.mentions.filter((m) => !m.twin)]);
  const names = rows.map((m) => calledIn(view, m));
  const joint = names.every((name) => [...name].length === 1) ? "" : "–";
  const sides = { k: rows.map((m) => (m.side === "k" ? m.entity : null)), r: rows.map((m) => (m.side === "r" ? m.entity : (m.twin?.entity ?? null))) };
  const sets = {};
  for (const [letter, entity] of Object.entries(sides)) {
    for (const kind of "CN") {
      const found = (sets[`${kind}_${letter}`] = []);
      for (let a = 0; a < rows.length; a++) {
        for (let b = a + 1; b < rows.length; b++) {
          if (entity[a] && entity[b] && (entity[a] === entity[b]) === (kind === "C")) found.push(a * rows.length + b);
        }
      }
    }
  }
  return [..."CN"].flatMap((kind) => {
    const [ours, theirs] = [sets[`${kind}_k`], sets[`${kind}_r`]];
    const both = ours.filter((pair) => theirs.includes(pair));
    const written = (pair) => `${names[Math.floor(pair / rows.length)]}${joint}${names[pair % rows.length]}`;
    const lines = { [`${kind}_k`]: ours, [`${kind}_r`]: theirs, [`${kind}_k ∩ ${kind}_r`]: both };
    return Object.entries(lines).map(([name, pairs]) => `${name} = ${pairs.length ? `{${pairs.map(written).join(", ")}}` : "∅"}`);
  });
}
