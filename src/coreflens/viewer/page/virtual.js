// Long lists are drawn as they come into view: in blocks, each of which is empty and as high as guessed until then.

export class Blocks {
  /** `draw(item)` makes an element; `guess(from, to)` the height of a block, in pixels. */
  constructor(parent, items, { draw, guess, size = 20, root = null, role = null, after = () => {} }) {
    Object.assign(this, { items, draw, size, after });
    this.nodes = [];
    this.watch = new IntersectionObserver((entries) => this.seen(entries), { root, rootMargin: "800px 0px" });
    const all = document.createDocumentFragment();
    for (let from = 0; from < items.length; from += size) {
      const node = document.createElement("div");
      node.className = "block";
      if (role) node.setAttribute("role", role);
      node.style.minHeight = `${guess(from, Math.min(from + size, items.length))}px`;
      node.number = this.nodes.length;
      this.nodes.push(node);
      all.append(node);
    }
    parent.append(all);
    for (const node of this.nodes) this.watch.observe(node);
    if (this.nodes.length && this.fill(this.nodes[0])) after(); // at once, without a flicker
  }

  seen(entries) {
    let drawn = false;
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      if (isIntersecting) drawn = this.fill(target) || drawn;
      else if (target.filled) {
        target.style.minHeight = `${boundingClientRect.height}px`;
        target.replaceChildren();
        target.filled = false;
      }
    }
    if (drawn) this.after();
  }

  fill(node) {
    if (node.filled) return false;
    const from = node.number * this.size;
    node.replaceChildren(...this.items.slice(from, from + this.size).map((item) => this.draw(item)));
    node.style.minHeight = "";
    return (node.filled = true);
  }

  /** Make sure that an item is drawn, and what is around it, so that nothing moves later; return its element. */
  show(number) {
    const at = Math.floor(number / this.size);
    const drawn = this.nodes.slice(Math.max(at - 2, 0), at + 3).map((node) => this.fill(node));
    if (drawn.some(Boolean)) this.after();
    return this.nodes[at]?.children[number % this.size] ?? null;
  }

  /** Draw all of it, to print. */
  everything() {
    for (const node of this.nodes) this.fill(node);
    this.after();
  }

  end() {
    this.watch.disconnect();
  }
}
