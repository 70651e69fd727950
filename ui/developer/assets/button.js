// The sign-in button, and its code, follow what is chosen of them. Without this the form shows both.
const form = document.querySelector("[data-maker]");
const span = document.querySelector(".stage span");
const code = document.getElementById("file-1");
form.querySelector("button").hidden = true;
form.addEventListener("change", () => {
  let look = "";
  for (const { name, value } of form.querySelectorAll("select")) {
    delete span.dataset[name];
    if (!value) continue;
    span.dataset[name] = value;
    look += ` data-${name}="${value}"`;
  }
  globalThis.Bonafide?.scan(document);
  const height = { small: 37, large: 52 }[span.dataset.size] ?? 44;
  code.textContent = code.textContent
    .replace(/(?: data-(?:type|size|shape|theme|lang)="[^"]*")*(?=>\n  <(?:a|noscript)[ >])/, look)
    .replace(/min-height: \d+px/, `min-height: ${height}px`);
});
