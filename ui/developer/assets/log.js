// Show new lines of a log by itself, while somebody wants it and looks at it.
for (const label of document.querySelectorAll("[data-live]")) {
  const box = label.querySelector("input"), lines = document.getElementById(label.dataset.live);
  label.hidden = false;
  const look = async () => {
    if (!box.checked || document.hidden) return;
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, redirect: "error" }).catch(() => null);
    if (!answer || !answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const latest = page.getElementById(lines.id);
    if (box.checked && latest && latest.textContent !== lines.textContent) lines.replaceChildren(...latest.children);
  };
  setInterval(look, 3000);
  box.addEventListener("change", look);
}
