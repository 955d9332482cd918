// The compacted messages above the conversation: folds with a divider below each. They never change, they come and go.

export class Folds {
  constructor({ root, messages, earlier }) {
    Object.assign(this, { messages, earlier });
    this.place = root.querySelector("#folds");
    this.boundary = Number(root.dataset.boundary);
    this.shown = null;
  }

  // Show what the server says is compacted. While someone reads above (`reading`), messages that are folded away now stay open.
  apply({ folds, boundary }, reading) {
    const gone = boundary > this.boundary ? this.#take(boundary) : [];
    this.boundary = boundary;
    if (folds !== this.shown) this.#draw(folds);
    this.shown = folds;
    const fold = [...this.place.querySelectorAll("details.fold")].at(-1);
    if (!reading || !gone.length || !fold) return;
    fold.dataset.filled = "true";
    fold.open = true;
    fold.querySelector("[data-loaded]").replaceChildren(...gone);
  }

  // The entries up to the boundary, taken out of the conversation.
  #take(boundary) {
    const entries = [...this.messages.children];
    const last = entries.findLastIndex((entry) => entry.dataset.messageId && Number(entry.dataset.messageId) <= boundary);
    const gone = entries.slice(0, last + 1);
    for (const entry of gone) entry.remove();
    const before = Number(new URL(this.earlier.querySelector("a").href).searchParams.get("before"));
    const left = Number(this.messages.querySelector("[data-message-id]")?.dataset.messageId ?? 0);
    if (before <= boundary || !left) this.earlier.hidden = true;
    return gone;
  }

  #draw(html) {
    const fresh = document.createRange().createContextualFragment(html);
    const old = new Map([...this.place.children].map((child) => [child.id, child]));
    this.place.replaceChildren(...[...fresh.children].map((child) => (child.id && old.get(child.id)) || child));
  }
}
