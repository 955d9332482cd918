// The compaction controls: compact now, stop, undo, each through REST; and the time that one at work has taken so far.

const TICK_MS = 1000;

export class Compaction {
  constructor({ body, api, rest, stop, onChange }) {
    Object.assign(this, { body, api, rest, stop, onChange });
    this.form = body.querySelector("#compact-form");
    this.trouble = body.querySelector("#compaction-trouble");
    this.form.addEventListener("submit", (event) => this.#submit(event, () => this.#compact()));
    body.querySelector("#undo-form").addEventListener("submit", (event) => this.#submit(event, () => rest.post(`${api}/compaction/undo`, {})));
    body.querySelector("#stop-form").addEventListener("submit", (event) => this.#submit(event, () => rest.post(`${api}/cancel`, {})));
    setInterval(() => this.#tick(), TICK_MS);
    this.apply();
  }

  // After the parts were drawn: the composer's stop button also stops a compaction.
  apply() {
    if (this.#state === "working") this.stop.hidden = false;
    this.#tick();
  }

  get #state() {
    return this.body.querySelector(".progress").dataset.state;
  }

  async #submit(event, action) {
    event.preventDefault();
    this.#say("");
    try {
      await action();
    } catch (error) {
      this.#say(error.message);
    }
    this.onChange();
  }

  async #compact() {
    const { tier, instructions } = Object.fromEntries(new FormData(this.form));
    await this.rest.post(`${this.api}/compact`, instructions.trim() ? { tier, instructions } : { tier });
    this.form.querySelector("#focus").value = "";
    this.form.querySelector(".focus").open = false;
  }

  #say(message) {
    this.trouble.textContent = message;
    this.trouble.hidden = !message;
  }

  #tick() {
    const since = this.body.querySelector("time[data-since]");
    if (!since) return;
    const seconds = Math.max(0, Math.round((Date.now() - new Date(since.dateTime)) / 1000));
    since.textContent = `${seconds} s`;
  }
}
