// The conversation column: adds what the server rendered, shows what streams, keeps the reader's place.

import { Awaited } from "./awaited.js";
import { Folds } from "./folds.js";
import { visible } from "./visible.js";

const NEAR_PX = 48; // this close to the end counts as being there
const MOST_ENTRIES = 400; // more are let go at the top, from where they can be loaded again
const KEPT_ENTRIES = 200;

const lastId = (list) => Number([...list.querySelectorAll("[data-message-id]")].at(-1)?.dataset.messageId ?? 0);

// Append what is new: the browser need not lay out again what stands before. A text that changed replaces the old one.
function grow(element, text) {
  const shown = element.firstChild;
  if (!shown || !text.startsWith(shown.data)) element.textContent = text;
  else if (text !== shown.data) shown.appendData(text.slice(shown.data.length));
}

export class Conversation {
  constructor({ root, scroll, down, template, call, rest, onTrouble }) {
    Object.assign(this, { root, scroll, down, template, rest, onTrouble });
    this.messages = root.querySelector("#messages");
    this.tail = root.querySelector("#tail");
    this.streaming = root.querySelector("#streaming");
    this.earlier = root.querySelector("#earlier");
    this.folds = new Folds({ root, messages: this.messages, earlier: this.earlier });
    this.awaited = new Awaited({ root, place: this.streaming, template: call });
    this.saved = null; // the request whose answer was stored last
    this.shownTail = null;
    this.stuck = true;
    scroll.addEventListener("scroll", () => this.#look(), { passive: true });
    new ResizeObserver(() => this.#settle()).observe(scroll);
    root.addEventListener("click", (event) => this.#click(event));
    down.addEventListener("click", () => this.toEnd());
    this.toEnd();
  }

  get last() {
    return lastId(this.messages);
  }

  // Id of the last message that is shown as compacted.
  get boundary() {
    return this.folds.boundary;
  }

  toEnd() {
    this.scroll.scrollTop = this.scroll.scrollHeight;
    this.#look();
  }

  // Show a message that is on the page; what streams on does not move it away.
  toMessage(element) {
    element.scrollIntoView();
    this.#look();
  }

  // Load the messages before the first one. False: there are none.
  async loadEarlier() {
    if (this.earlier.hidden) return false;
    await this.#load(this.earlier.querySelector("a"));
    return true;
  }

  // A request's answer was stored: its streamed text stands until the message itself is here.
  answered(requestId, messageId, partial) {
    this.saved = requestId;
    if (partial.requestId !== requestId) return;
    this.stream(partial);
    const shown = this.#live;
    if (shown && messageId > Math.max(this.last, this.boundary)) this.awaited.answer(shown, messageId);
    partial.clear();
    this.stream(partial);
  }

  // A tool was called: its card stands until the server's own is here.
  called(data, seq) {
    this.awaited.call(data, seq);
    this.#settle();
  }

  // Show an update; `partial` is what streams now.
  apply(update, partial) {
    const { messages, tail, afresh, first, folds, boundary } = update;
    if (afresh) {
      this.messages.innerHTML = messages;
      this.#offerEarlier(first);
    } else if (messages) {
      this.messages.insertAdjacentHTML("beforeend", messages);
      this.root.querySelector("#welcome")?.remove();
    }
    this.#fold({ folds, boundary });
    if (tail !== this.shownTail) {
      this.tail.innerHTML = tail;
      this.shownTail = tail;
    }
    this.awaited.settle({ ...update, last: this.last });
    if (partial.requestId === this.saved) partial.clear();
    this.stream(partial);
    this.#trim();
    this.#settle();
  }

  // Show the text so far, as plain text; the stored message will come as Markdown.
  stream(partial) {
    const shown = this.#live;
    if (partial.blank) {
      shown?.remove();
      return;
    }
    const article = shown ?? this.template.content.firstElementChild.cloneNode(true);
    grow(article.querySelector(".text"), visible(partial.content.text));
    grow(article.querySelector(".thought"), visible(partial.thinking.text));
    article.querySelector(".thinking").hidden = !partial.thinking.text;
    if (!shown) this.streaming.append(article);
    this.#settle();
  }

  get #live() {
    return this.streaming.querySelector(".streaming");
  }

  // What is compacted moves into a fold: who reads above the end keeps the place.
  #fold(state) {
    const top = this.scroll.getBoundingClientRect().top;
    const inSight = (entry) => entry.getBoundingClientRect().bottom > top;
    const anchor = this.stuck ? undefined : [...this.messages.children].find(inSight);
    const before = anchor?.getBoundingClientRect().top;
    this.folds.apply(state, !this.stuck);
    if (anchor?.isConnected) this.scroll.scrollTop += anchor.getBoundingClientRect().top - before;
  }

  #look() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroll;
    this.stuck = scrollHeight - clientHeight - scrollTop < NEAR_PX;
    this.down.hidden = this.stuck;
  }

  #settle() {
    if (this.stuck) this.scroll.scrollTop = this.scroll.scrollHeight;
    else this.#look();
  }

  #trim() {
    const entries = this.messages.children;
    if (!this.stuck || entries.length <= MOST_ENTRIES) return;
    const cut = entries[entries.length - KEPT_ENTRIES];
    while (this.messages.firstElementChild !== cut) this.messages.firstElementChild.remove();
    const first = this.messages.querySelector("[data-message-id]").dataset.messageId;
    while (!this.messages.firstElementChild.dataset.messageId) this.messages.firstElementChild.remove();
    this.#offerEarlier(first);
  }

  #offerEarlier(first) {
    this.earlier.hidden = !first;
    this.earlier.querySelector("a").href = `?before=${first ?? ""}`;
  }

  #click(event) {
    const link = event.target.closest("a[data-unfold], a[data-output], #earlier a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const action = link.matches("[data-unfold]") ? this.#unfold : link.matches("[data-output]") ? this.#output : this.#load;
    action.call(this, link).catch((error) => this.onTrouble(error.message));
  }

  async #unfold(link) {
    const html = await this.rest.text(link.href);
    const entry = link.closest("[data-message-id]");
    const fresh = document.createRange().createContextualFragment(html).firstElementChild;
    if (entry.open) fresh.open = true;
    entry.replaceWith(fresh);
  }

  async #output(link) {
    const { output } = await this.rest.json(link.href);
    const inside = link.parentElement;
    inside.querySelector(".result").textContent = visible(output);
    for (const fold of inside.querySelectorAll(".unfold")) fold.remove();
  }

  async #load(link) {
    const before = new URL(link.href).searchParams.get("before");
    const { messages, first } = await this.rest.json(`${this.root.dataset.earlier}?before=${before}`);
    const fromEnd = this.scroll.scrollHeight - this.scroll.scrollTop;
    this.messages.insertAdjacentHTML("afterbegin", messages);
    this.#offerEarlier(first);
    this.scroll.scrollTop = this.scroll.scrollHeight - fromEnd;
  }
}
