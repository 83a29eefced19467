// Double clicks. A click may redraw what is under the pointer, so that the second click of a double click meets something
// else. It must not act there: a double click means what its first click was on.

const CLICKED_PARTS = "[data-m], [data-w], [data-e], [data-error], .doc, a, button, input, select, summary, label";
let firstClicked = "";

/** Stop the second click of a double click where it meets something else than the first. */
export function guardDoubleClicks() {
  document.addEventListener("click", guarded, true);
}

function guarded(event) {
  const here = identityOf(event.target);
  if (event.detail < 2) firstClicked = here;
  else if (here !== firstClicked) {
    event.stopPropagation();
    event.preventDefault();
  }
}

/** What identifies a part of the page after it was drawn again. */
function identityOf(target) {
  const part = target.closest(CLICKED_PARTS);
  if (!part) return "";
  const { m, w, e, error } = part.dataset;
  return [part.tagName, part.id, m, w, e, error, part.getAttribute("aria-label"), part.textContent.slice(0, 80)].join("\n");
}
