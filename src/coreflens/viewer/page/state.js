// The state of the page. All of it is in the URL, so a link opens the page in the same state.

const DEFAULTS = {
  doc: "", // label of the document
  tab: "text",
  sys: "0", // number of the system
  vs: "", // number of the one it is compared with
  mode: "both", // both, key, response, beside
  lanes: "12", // mentions that are drawn over each other at a word, by side
  sel: "", // entity (K3, R1) or mention (k12, r5)
  err: "", // classes of errors shown, by number; "" for all
  esort: "", // order of the errors: "" by gain, or place in the text
  diff: "", // against `vs`: repaired or broken
  e: "", // number of the current error
  q: "",
  all: "", // search in all documents
  sort: "order",
  how: "", // metric whose derivation is shown
  only: "", // only documents with errors
  docs: "order",
  theme: "",
  links: "", // "all": curves of all anaphors, not only of the selection
  keys: "", // "off": single letters do nothing
};

export const state = { ...DEFAULTS };
const listeners = [];

export function onChange(listener) {
  listeners.push(listener);
}

/** Change some of the state. `quiet` changes add no step for the browser's back button. */
export function go(patch, quiet = false) {
  const changed = Object.keys(patch).filter((key) => state[key] !== String(patch[key]));
  if (!changed.length) return;
  for (const key of changed) state[key] = String(patch[key]);
  try {
    history[quiet ? "replaceState" : "pushState"](null, "", link({}));
  } catch {
    // a page inside a notebook has no address of its own
  }
  for (const listener of listeners) listener(new Set(changed));
}

/** The address of the page with some of the state changed. */
export function link(patch) {
  const wanted = { ...state, ...patch };
  const pairs = Object.entries(wanted).filter(([key, value]) => value !== DEFAULTS[key]);
  return `#${new URLSearchParams(pairs)}`;
}

export function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const patch = {};
  for (const key of Object.keys(DEFAULTS)) patch[key] = given.get(key) ?? DEFAULTS[key];
  return patch;
}

/** Read the state from the address, without adding a step. */
export function follow() {
  const patch = readAddress();
  const changed = Object.keys(patch).filter((key) => state[key] !== patch[key]);
  Object.assign(state, patch);
  if (changed.length) for (const listener of listeners) listener(new Set(changed));
}

/** The changes that show another system. If it is the one compared with, the two are exchanged. */
export function turned(sys) {
  return { sys, vs: sys === state.vs ? state.sys : state.vs, sel: "", e: "" };
}
