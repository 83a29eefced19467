// Long lists are drawn in blocks when they become visible. Until then a block is empty and has an estimated height.

export class Blocks {
  /** `draw(item)` makes an element, and `guess(from, to)` returns the estimated height of a block, in pixels. */
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
    if (this.nodes.length && this.fill(this.nodes[0])) after(); // immediately, to avoid flicker
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

  /** Draw an item and what is around it, if necessary, so that nothing moves later. Return its element. */
  show(number) {
    const at = Math.floor(number / this.size);
    const drawn = this.nodes.slice(Math.max(at - 2, 0), at + 3).map((node) => this.fill(node));
    if (drawn.some(Boolean)) this.after();
    return this.nodes[at]?.children[number % this.size] ?? null;
  }

  /** Draw everything, for printing. */
  everything() {
    for (const node of this.nodes) this.fill(node);
    this.after();
  }

  end() {
    this.watch.disconnect();
  }
}
