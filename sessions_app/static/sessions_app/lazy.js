// What opens on demand: a `details[data-load]` fetches its content when it is first opened, `a[data-more]` the next page.

export class Lazy {
  constructor({ root, rest, scroll, onTrouble }) {
    Object.assign(this, { rest, scroll, onTrouble });
    this.known = new Map(); // what was loaded once, by address: a part that is drawn again shows it at once
    root.addEventListener("toggle", (event) => this.#opened(event.target), true);
    root.addEventListener("click", (event) => this.#click(event));
  }

  // Load the content of a fold, or the next page of it. False: all of it is here.
  async further(details) {
    if (details.dataset.load && !details.dataset.filled) {
      await this.#fill(details);
      return true;
    }
    const link = details.querySelector("a[data-more]");
    if (link) await this.#more(link);
    return Boolean(link);
  }

  #opened(details) {
    const { load, filled } = details.dataset;
    if (load && !filled && details.open) this.#fill(details).catch((error) => this.onTrouble(error.message));
  }

  async #fill(details) {
    details.dataset.filled = "true";
    try {
      await this.#draw(details, details.dataset.load);
    } catch (error) {
      delete details.dataset.filled;
      throw error;
    }
  }

  async #draw(details, address) {
    if (!this.known.has(address)) this.known.set(address, await this.rest.text(address));
    details.querySelector("[data-loaded]").innerHTML = this.known.get(address);
  }

  #click(event) {
    const link = event.target.closest("a[data-more]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.#more(link).catch((error) => this.onTrouble(error.message));
  }

  async #more(link) {
    const html = await this.rest.text(link.href);
    const above = link.closest("details.fold"); // its content grows upwards: the reader keeps the place
    const fromEnd = this.scroll.scrollHeight - this.scroll.scrollTop;
    link.parentElement.outerHTML = html;
    if (above) this.scroll.scrollTop = this.scroll.scrollHeight - fromEnd;
  }
}
