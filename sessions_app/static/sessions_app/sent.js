// The page of one request: a part's whole text comes when it is asked for.

import { visible } from "./visible.js";

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-part-text]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const response = await fetch(link.href, { credentials: "same-origin" }).catch(() => null);
  if (!response?.ok || response.redirected) {
    location.href = link.href; // the browser says what is wrong
    return;
  }
  link.parentElement.querySelector(".result").textContent = visible(await response.text());
  link.remove();
});
