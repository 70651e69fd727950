// What makes a case quicker to decide. Every key is a button, a box or a link as well.

const fields = "textarea, select, input:not([type=checkbox]):not([type=radio])";
const evidence = [...document.querySelectorAll("[data-evidence]")];
const questions = [...document.querySelectorAll("[data-question]")];
let shown = -1;

function show(step) {
  if (evidence.length === 0) return;
  shown = (shown + step + evidence.length) % evidence.length;
  evidence[shown].focus();
  evidence[shown].scrollIntoView({ block: "start" });
}

// The next question without an answer gets one, and the focus goes to the one after it.
function answer(value) {
  const open = questions.filter((q) => !q.querySelector(":checked"));
  const box = open[0]?.querySelector(`[value="${value}"]`);
  if (!box) return;
  box.checked = true;
  (open[1]?.querySelector("input") ?? box).focus();
}

// Single keys can be switched off, as for people who dictate; the browser remembers it.
const off = "bonafide-keys-off";
const keys = document.getElementById("keys-on");
if (keys) {
  keys.closest("[hidden]").hidden = false;
  keys.checked = !localStorage.getItem(off);
  keys.addEventListener("change", () => {
    if (keys.checked) localStorage.removeItem(off);
    else localStorage.setItem(off, "1");
  });
}

// A decision can be taken back for a few seconds, which count down.
for (const panel of document.querySelectorAll("[data-undo]")) {
  const number = panel.querySelector("[data-seconds]");
  const end = performance.now() + 1000 * Number(number.textContent);
  const ticking = setInterval(() => {
    const left = Math.ceil((end - performance.now()) / 1000);
    number.textContent = left;
    if (left > 0) return;
    clearInterval(ticking);
    panel.querySelector("form").remove();
    panel.firstElementChild.textContent = panel.dataset.undo; // which is read out
  }, 250);
}

function press(key) {
  if (key === "j") return show(1);
  if (key === "k") return show(-1);
  if (key === "y") return answer("yes");
  if (key === "x") return answer("no");
  if (key === "n") return document.getElementById("note")?.focus();
  if (/^[1-9]$/.test(key)) {
    const box = document.querySelectorAll("#reasons input")[Number(key) - 1];
    if (box) box.closest("details").open = true;
    box?.click();
    return box?.focus();
  }
  const act = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  const closed = act?.closest("details:not([open])");
  if (act instanceof HTMLDetailsElement) act.open = !act.open;
  else if (closed) {
    closed.open = true;
    closed.querySelector("input").focus();
  } else act?.click();
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  if (event.key === "Escape" && event.target.matches(fields)) return event.target.blur();
  if (event.target.matches(fields) || !/^[a-z1-9?]$/i.test(event.key) || localStorage.getItem(off)) return;
  event.preventDefault(); // or the field that gets the focus gets the key as well
  press(event.shiftKey ? event.key.toUpperCase() : event.key.toLowerCase());
});
