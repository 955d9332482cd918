// What frames told of before the server's own rows of it are here: streamed answers and begun calls keep their places.

import { visible } from "./visible.js";

const LINE_CHARS = 160;

// The arguments on one line, as tool_card.py does it.
function line(text) {
  let values;
  try {
    values = Object.values(JSON.parse(text));
  } catch {
    values = [text];
  }
  const shown = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" · ");
  return visible(shown.replace(/\s+/g, " ").slice(0, LINE_CHARS));
}

export class Awaited {
  // `place`: they stand in it, above what streams; `root`: where the server's rows come.
  constructor({ root, place, template }) {
    Object.assign(this, { root, place, template });
    this.waiting = []; // {element, arrived(update)}, in order
  }

  // A streamed answer that was stored as message `id`.
  answer(article, id) {
    article.classList.remove("streaming");
    article.removeAttribute("aria-busy");
    this.#wait(article, ({ last, boundary }) => id <= Math.max(last, boundary));
  }

  // A call that has begun, told of by the frame `seq`.
  call({ tool_call_id, tool_name, arguments: args }, seq) {
    const known = () => this.root.querySelector(`[data-call-id="${CSS.escape(tool_call_id)}"]`);
    if (known()) return;
    const card = this.template.content.firstElementChild.cloneNode(true);
    card.querySelector(".tool").textContent = visible(tool_name);
    card.querySelector(".line").textContent = line(args);
    this.#wait(card, (update) => known() || (update.seq >= seq && !update.later));
  }

  // Take away what an update has brought.
  settle(update) {
    this.waiting = this.waiting.filter(({ element, arrived }) => {
      if (arrived(update)) element.remove();
      return element.isConnected;
    });
  }

  #wait(element, arrived) {
    const before = this.waiting.at(-1)?.element;
    if (before) before.after(element);
    else this.place.prepend(element);
    this.waiting.push({ element, arrived });
  }
}
