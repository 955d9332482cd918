// Where the user writes: sends, stops, and chooses the model and what the agent may do.

const ACTIVE = new Set(["RUNNING", "WAITING_APPROVAL"]);

function randomId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Composer {
  constructor({ form, api, rest, onSent, onTrouble }) {
    Object.assign(this, { form, api, rest, onSent, onTrouble });
    this.content = form.querySelector("#content");
    this.button = form.querySelector("#send");
    this.stop = form.querySelector("#cancel");
    this.attempt = null; // {content, eventId} of a message that may have arrived: sent again, it counts once
    form.addEventListener("submit", (event) => this.#submit(event));
    this.content.addEventListener("keydown", (event) => this.#key(event));
    this.stop.addEventListener("click", () => this.#try(() => this.rest.post(`${api}/cancel`, {})));
    for (const select of form.querySelectorAll("select[data-field]")) this.#keep(select);
  }

  set phase(phase) {
    this.stop.hidden = !ACTIVE.has(phase);
  }

  #key(event) {
    // While an input method is composing, Enter chooses a candidate and must not send.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.form.requestSubmit();
  }

  async #submit(event) {
    event.preventDefault();
    const content = this.content.value;
    if (!content.trim() || this.button.disabled) return;
    if (this.attempt?.content !== content) this.attempt = { content, eventId: randomId() };
    this.button.disabled = true;
    const sent = await this.#try(() => this.rest.post(`${this.api}/messages`, this.attempt));
    this.button.disabled = false;
    if (!sent) return;
    this.attempt = null;
    if (this.content.value === content) this.content.value = "";
    this.onSent();
  }

  // A setting of the session is stored when it changes, and falls back when that is refused.
  #keep(select) {
    let kept = select.value;
    select.addEventListener("change", async () => {
      const wanted = select.value;
      const set = await this.#try(() => this.rest.patch(this.api, { [select.dataset.field]: wanted }));
      if (set) kept = wanted;
      select.value = kept;
    });
  }

  // Whether it worked; otherwise the reason stands above the composer.
  async #try(action) {
    this.onTrouble("");
    try {
      await action();
      return true;
    } catch (error) {
      this.onTrouble(error.message);
      return false;
    }
  }
}
