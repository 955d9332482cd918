// Fetches what changed, once for many reasons: a request that comes while one is under way is served by the next.

const SPACING_MS = 50;
const RETRY_MS = [500, 1000, 2000, 5000];

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Updates {
  // `load()` gives {seq, later, ...} and throws {final: true} when asking again is useless; `apply(update)` shows it.
  constructor({ load, apply, seq, spacing = SPACING_MS, retry = RETRY_MS }) {
    Object.assign(this, { load, apply, seq, spacing, retry });
    this.wanted = false;
    this.busy = null;
  }

  // Ask for the state of frame `seq` or later; of now when it is null. Resolves when that is shown.
  ask(seq = null) {
    if (seq !== null && seq <= this.seq) return this.busy ?? Promise.resolve();
    this.wanted = true;
    this.busy ??= this.#work().finally(() => {
      this.busy = null;
    });
    return this.busy;
  }

  async #work() {
    let failures = 0;
    while (this.wanted) {
      await pause(this.spacing);
      this.wanted = false;
      try {
        const update = await this.load();
        failures = 0;
        this.seq = update.seq;
        this.apply(update);
        this.wanted ||= update.later;
      } catch (error) {
        if (error.final) return;
        this.wanted = true;
        await pause(this.retry[Math.min(failures, this.retry.length - 1)]);
        failures += 1;
      }
    }
  }
}
