// The buttons of a proposed memory's card: say yes or no, then show the card as it is now.

export class Proposals {
  constructor({ root, rest, sessionId, onTrouble }) {
    Object.assign(this, { rest, sessionId, onTrouble });
    root.addEventListener("click", (event) => this.#click(event));
  }

  async #click(event) {
    const button = event.target.closest("button[data-memory-status]");
    if (!button) return;
    const card = button.closest("[data-message-id]");
    const { memoryId } = button.closest("[data-memory-id]").dataset;
    button.disabled = true;
    this.onTrouble("");
    try {
      await this.rest.patch(`/v1/memory/${memoryId}`, { status: button.dataset.memoryStatus });
    } catch (error) {
      this.onTrouble(error.message);
    }
    await this.#renew(card).catch((error) => this.onTrouble(error.message));
  }

  async #renew(card) {
    const html = await this.rest.text(`/sessions/${this.sessionId}/messages/${card.dataset.messageId}/fragment`);
    const fresh = document.createRange().createContextualFragment(html).firstElementChild;
    fresh.open = card.open;
    card.replaceWith(fresh);
  }
}
