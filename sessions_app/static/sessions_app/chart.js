// Below the history chart: the numbers of the request that is pointed at.

function tell(event) {
  const bar = event.target.closest?.(".chart a");
  const readout = bar?.closest("[data-testid=history-chart]").querySelector(".readout");
  if (readout) readout.textContent = bar.querySelector("title").textContent.trim().replace(/\s+/g, " ");
}

document.addEventListener("pointerover", tell);
document.addEventListener("focusin", tell);
