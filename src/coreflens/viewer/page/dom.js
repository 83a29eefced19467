// Elements made from data. Text is always inserted as text, never as markup.

const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu;

/** Text in which control characters and bidi overrides are visible and have no effect. */
export function visible(text) {
  return String(text).replace(CONTROL, (c) => {
    const code = c.codePointAt(0);
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : `⟨${code.toString(16).toUpperCase()}⟩`;
  });
}

/** el("p", {class: "x", onclick: f}, "text", child, ...); null and false are left out. */
export function el(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function svg(tag, props, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
}

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [key, x] of Object.entries(value)) node.style.setProperty(key, x);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((x) => x !== null && x !== undefined && x !== false).map(asNode));
  return node;
}

function asNode(x) {
  return x instanceof Node ? x : document.createTextNode(visible(x));
}

export function button(label, onclick, props) {
  return el("button", { type: "button", onclick, ...props }, label);
}

export function replace(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter(Boolean));
}

/** Announce a text to screen readers. */
export function say(text) {
  document.getElementById("said").textContent = visible(text);
}

/** Points with two decimals, halves rounded away from zero as everywhere; — for a missing number. */
export function points(x, sign = false) {
  if (x === null || x === undefined) return "—";
  if (x === "n/a") return x;
  const decimal = Math.abs(x).toPrecision(15); // a number stands for the shortest decimal within its last bits
  const hundredths = decimal.includes("e") ? 0 : Math.round(Number(`${decimal}e4`));
  const text = `${x < 0 && hundredths ? "−" : ""}${(hundredths / 100).toFixed(2)}`;
  return sign && !text.startsWith("−") ? `+${text}` : text;
}

export function counted(n, one, many = `${one}s`) {
  return `${n} ${n === 1 ? one : many}`;
}

export function shortened(text, width = 60) {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** A sentence with its quotations isolated, so that right-to-left words do not reorder the text around them. */
export function quoting(sentence) {
  return quoted(sentence).map((part, n) => (n % 2 ? el("bdi", {}, part) : part));
}

/** A sentence in pieces: every second piece is in quotation marks. */
export function quoted(sentence) {
  return sentence.split(/(?<=“)([^”]*)(?=”)/u);
}
