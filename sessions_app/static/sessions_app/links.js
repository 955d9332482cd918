// Links to a message (#message-ID): one that is folded away or was not loaded yet is brought onto the page first.

const MOST_PAGES = 8; // loaded for one link; a message further back has a page of its own

export class Links {
  constructor({ root, conversation, lazy, onTrouble }) {
    Object.assign(this, { root, conversation, lazy });
    const follow = () => this.#follow().catch((error) => onTrouble(error.message));
    addEventListener("hashchange", follow);
    follow();
  }

  async #follow() {
    const [, id] = /^#message-(\d+)$/.exec(location.hash) ?? [];
    if (!id) return;
    for (let pages = 0; !this.#found(id) && pages < MOST_PAGES; pages += 1) {
      if (!(await this.#load(Number(id)))) break;
    }
    const message = this.#found(id);
    if (location.hash !== `#message-${id}`) return; // another link was followed meanwhile
    if (!message) {
      location.assign(`?before=${Number(id) + 1}${location.hash}`);
      return;
    }
    message.closest("details.fold")?.setAttribute("open", "");
    location.replace(location.hash); // what came later becomes the target, too
    this.conversation.toMessage(message);
  }

  #found(id) {
    return document.getElementById(`message-${id}`);
  }

  // Load one more page of messages there where this one is. False: there is none.
  async #load(id) {
    if (id > this.conversation.boundary) return this.conversation.loadEarlier();
    const fold = [...this.root.querySelectorAll("details.fold")].find(({ dataset }) => {
      const range = new URL(dataset.load, location.href).searchParams;
      return id > Number(range.get("after")) && id < Number(range.get("before"));
    });
    return Boolean(fold) && this.lazy.further(fold);
  }
}
