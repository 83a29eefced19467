// The index is read at the start. Chunks of documents are unpacked when they are needed, and a few are kept.

export const index = JSON.parse(document.getElementById("index").textContent);

const packed = document.getElementsByClassName("chunk");
const kept = new Map();
const KEEP = 12;

export async function unpacked(number) {
  const chunk = index.chunks.findLastIndex((first) => first <= number);
  if (!kept.has(chunk)) {
    if (kept.size >= KEEP) kept.delete(kept.keys().next().value);
    kept.set(chunk, documentsOf(packed[chunk].textContent));
  }
  return (await kept.get(chunk))[number - index.chunks[chunk]];
}

/** The documents of a chunk, each with its derivations. Documents of the same shape share them. */
async function documentsOf(base64) {
  const { documents, derivations } = await unpack(base64);
  for (const system of documents.flatMap((d) => d.systems)) system.derivations = derivations[system.derivations];
  return documents;
}

async function unpack(base64) {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i); // ten times as fast as Uint8Array.from
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/** The difference between two systems. `kept(later, earlier)` looks it up, because only this direction is stored. */
export function change(sys, vs, kept) {
  const found = sys > vs ? kept(sys, vs) : kept(vs, sys);
  return found === undefined || found === null ? null : sys > vs ? found : -found;
}

/** What ° means, behind a mean in which the F1 of a part is 0/0. */
export const PARTLY = "° The F1 of a part of this mean is 0/0. It counts as --undefined says.";

/** The mark of a metric that is a mean in which the F1 of a part is 0/0. */
export function partlyMark(scores, name) {
  const parts = index.metrics.find((metric) => metric.name === name)?.parts ?? [];
  return typeof scores[name]?.[2] === "number" && parts.some((part) => scores[part]?.[2] === "n/a") ? "°" : "";
}

export function isKnown(label) {
  return index.documents.some((d) => d.label === label);
}

export function documentNumber(label) {
  const found = index.documents.findIndex((d) => d.label === label);
  return found < 0 ? 0 : found;
}
