// Small comforts; the page works without them: a memory that isn't listed is fetched, and characters are counted.

// The address names a memory that this list doesn't show: show that one.
function seek() {
  const [, id] = location.hash.match(/^#memory-(\d+)$/) ?? [];
  const shown = document.getElementById(`memory-${id}`) || new URLSearchParams(location.search).has("item");
  if (id && !shown) location.replace(`?item=${id}#memory-${id}`);
}

// Characters as the server counts them: code points, without space around the text.
function count(area, shown) {
  const length = [...area.value.trim()].length;
  shown.textContent = `${length} / ${shown.dataset.limit}`;
  shown.classList.toggle("over", length > Number(shown.dataset.limit));
}

for (const shown of document.querySelectorAll(".left")) {
  const area = document.getElementById(shown.closest("label").htmlFor);
  area.addEventListener("input", () => count(area, shown));
  count(area, shown);
}

addEventListener("hashchange", seek);
seek();
