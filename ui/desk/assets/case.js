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

function press(key) {
  if (key === "j") return show(1);
  if (key === "k") return show(-1);
  if (key === "y") return answer("yes");
  if (key === "x") return answer("no");
  if (key === "n") return document.getElementById("note")?.focus();
  if (/^[1-9]$/.test(key)) {
    const box = document.querySelectorAll("#reasons input")[Number(key) - 1];
    box?.click();
    return box?.focus();
  }
  const act = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (act instanceof HTMLDetailsElement) act.open = !act.open;
  else act?.click();
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  if (event.key === "Escape" && event.target.matches(fields)) return event.target.blur();
  if (event.target.matches(fields) || !/^[a-z1-9?]$/i.test(event.key)) return;
  event.preventDefault(); // or the field that gets the focus gets the key as well
  press(event.key.toLowerCase());
});
