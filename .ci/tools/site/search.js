// Finds headings of all pages: `found` has the title of the page, the heading and its address.
const form = document.querySelector("[role=search]");
const [field, list, count] = ["input", "ul", "output"].map((name) => form.querySelector(name));
const root = document.currentScript.src.replace(/[^/]*$/, "");
form.hidden = false;

function find() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = words.length ? found.filter(([page, heading]) => words.every((w) => `${page} ${heading}`.toLowerCase().includes(w))) : [];
  // Where the heading itself has the words comes first.
  const rank = ([, heading]) => words.filter((w) => !heading.toLowerCase().includes(w)).length;
  const best = all.toSorted((a, b) => rank(a) - rank(b)).slice(0, 12);
  list.replaceChildren(...best.map(([page, heading, address]) => {
    const link = Object.assign(document.createElement("a"), { href: root + address, textContent: heading });
    link.append(Object.assign(document.createElement("small"), { textContent: page }));
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
  count.textContent = words.length ? `${all.length} found` : "";
}

field.addEventListener("input", find);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
form.addEventListener("keydown", (event) => {
  const stops = [field, ...list.querySelectorAll("a")];
  const to = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (to) stops[stops.indexOf(document.activeElement) + to]?.focus();
  else if (event.key === "Escape") { field.value = ""; find(); field.focus(); }
  else return;
  event.preventDefault();
});
