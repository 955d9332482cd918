// The tabs, the live parts beside the conversation, and the memory switch.

const VIEWS = new Set(["conversation", "context", "requests", "compactions"]);

export class Inspector {
  constructor({ body, api, rest, onChange, onTrouble }) {
    Object.assign(this, { body, api, rest, onChange, onTrouble });
    this.shown = new Map();
    this.toggle = body.querySelector("#inject");
    this.toggle.addEventListener("change", () => this.#inject());
    addEventListener("hashchange", () => this.#view());
    this.#view();
  }

  // Replace the parts that changed, and only those: what is being read or pointed at stays.
  apply(parts) {
    for (const [name, html] of Object.entries(parts)) {
      if (this.shown.get(name) === html) continue;
      this.shown.set(name, html);
      this.#draw(this.body.querySelector(`[data-part="${name}"]`), html);
    }
    if (!this.changing) this.toggle.checked = this.body.querySelector("[data-injection]").dataset.injection === "on";
  }

  // What was unfolded stays so, and the keyboard where it was; both are known by their ids.
  #draw(part, html) {
    const open = [...part.querySelectorAll("details[open][id]")].map(({ id }) => id);
    const focused = part.contains(document.activeElement) && document.activeElement.id;
    part.innerHTML = html;
    for (const id of open) part.querySelector(`#${id}`)?.setAttribute("open", "");
    if (focused) part.querySelector(`#${focused}`)?.focus();
  }

  get phase() {
    return this.body.querySelector(".phase").dataset.phase;
  }

  #view() {
    const name = location.hash.slice(1);
    const view = VIEWS.has(name) ? name : "";
    if (view !== this.body.dataset.view) this.body.querySelector(".side").scrollTop = 0;
    this.body.dataset.view = view;
    for (const link of this.body.querySelectorAll(".tabs a")) {
      if (link.hash === `#${view}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  async #inject() {
    const wanted = this.toggle.checked;
    this.changing = true;
    this.onTrouble("");
    try {
      await this.rest.patch(this.api, { memoryInjectionDisabled: !wanted });
    } catch (error) {
      this.toggle.checked = !wanted;
      this.onTrouble(error.message);
    }
    this.changing = false;
    this.onChange();
  }
}
