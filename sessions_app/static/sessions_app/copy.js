// Copies a code block as shown, and a message as it was stored: its Markdown, a tool's whole result.

const SHOWN_MS = 1500;

export class Copying {
  constructor({ root, api, rest, texts, onTrouble }) {
    Object.assign(this, { api, rest, texts, onTrouble });
    root.addEventListener("click", (event) => this.#click(event));
    new MutationObserver(() => this.#equip(root)).observe(root, { childList: true, subtree: true });
    this.#equip(root);
  }

  // Code blocks come from Markdown, which holds no buttons.
  #equip(root) {
    for (const block of root.querySelectorAll(".markdown pre:not([data-copy])")) {
      block.dataset.copy = "";
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "copy", textContent: this.texts.copy });
      block.append(button);
    }
  }

  async #click(event) {
    const button = event.target.closest("button.copy");
    if (!button) return;
    event.preventDefault();
    this.onTrouble("");
    try {
      await navigator.clipboard.writeText(await this.#text(button));
    } catch (error) {
      this.onTrouble(`${this.texts.notCopied} ${error.message}`);
      return;
    }
    button.textContent = this.texts.copied;
    setTimeout(() => {
      button.textContent = this.texts.copy;
    }, SHOWN_MS);
  }

  async #text(button) {
    const code = button.closest("pre")?.querySelector("code");
    if (code) return code.textContent;
    const id = Number(button.closest("[data-message-id]").dataset.messageId);
    const { results } = await this.rest.json(`${this.api}/messages?before=${id + 1}&limit=1`);
    return results[0].content;
  }
}
