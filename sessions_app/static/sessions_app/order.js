// The order of the composition's list: kept in the address, asked for with every update.

export class Order {
  constructor({ root, onChange }) {
    this.onChange = onChange;
    root.addEventListener("click", (event) => this.#click(event));
  }

  // What an update's address says of it.
  get query() {
    return new URLSearchParams(location.search).get("sort") === "size" ? "&sort=size" : "";
  }

  #click(event) {
    const link = event.target.closest("a[data-sort]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.replaceState(null, "", link.href);
    this.onChange();
  }
}
