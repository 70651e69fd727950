// What makes the screens a little more pleasant. All of them work without it.

// Show and hide a password.
for (const button of document.querySelectorAll(".reveal")) {
  const field = document.getElementById(button.getAttribute("aria-controls"));
  button.hidden = false;
  button.addEventListener("click", () => {
    const shown = field.type === "password";
    field.type = shown ? "text" : "password";
    button.setAttribute("aria-pressed", String(shown));
  });
  // A password must not be remembered as if it were ordinary text.
  field.form.addEventListener("submit", () => { field.type = "password"; });
}

// Tell when a new password has become long enough.
for (const rule of document.querySelectorAll("[data-least]")) {
  const field = document.getElementById(rule.dataset.for);
  const tell = () => {
    rule.firstElementChild.hidden = [...field.value].length < Number(rule.dataset.least);
  };
  field.addEventListener("input", tell);
  tell();
}

// Nothing is decided in the first moment after a decision comes into view: the
// click may have been meant for what was there before, or lured from another
// window. And nothing is decided twice.
for (const form of document.querySelectorAll("form[data-guard]")) {
  const buttons = form.querySelectorAll("button");
  let timer, sent = false;
  const set = (inert) => {
    for (const b of buttons) {
      if (inert) b.setAttribute("aria-disabled", "true");
      else b.removeAttribute("aria-disabled");
    }
  };
  const guard = () => {
    clearTimeout(timer);
    set(true);
    timer = setTimeout(() => { timer = undefined; set(false); }, 500);
  };
  form.addEventListener("submit", (event) => {
    if (timer !== undefined || sent) event.preventDefault();
    else sent = true;
  });
  addEventListener("focus", guard);
  addEventListener("pageshow", () => { sent = false; guard(); });
}

// A menu closes by Escape, which leads back to what opened it, and by whatever is done
// elsewhere.
const menus = document.querySelectorAll("details.languages");
addEventListener("keydown", (event) => {
  for (const menu of event.key === "Escape" ? menus : []) {
    if (!menu.open) continue;
    menu.open = false;
    menu.firstElementChild.focus();
  }
});
for (const act of ["click", "focusin"]) {
  addEventListener(act, (event) => {
    for (const menu of menus) if (!menu.contains(event.target)) menu.open = false;
  });
}

// Tell the time of the reader's place, which no server knows, in the reader's kind of the
// page's language. What stood there, in UTC, is a remark.
for (const time of document.querySelectorAll("time[data-local]")) {
  const { lang } = document.documentElement;
  const own = navigator.languages.find((l) => l.split("-")[0] === lang.split("-")[0]) ?? lang;
  time.title = time.textContent;
  time.textContent = new Intl.DateTimeFormat(own, { dateStyle: "long", timeStyle: "short", numberingSystem: "latn" })
    .format(new Date(time.dateTime));
}

// A file is on its way, as long as that takes; the picture is shown before, drawn small.
for (const form of document.querySelectorAll("form[data-sends]")) {
  const field = form.querySelector("[type=file]");
  let shown;
  field.addEventListener("change", async () => {
    shown?.remove();
    const picture = await createImageBitmap(field.files[0], { resizeWidth: 480 }).catch(() => null);
    if (!picture) return;
    shown = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height });
    shown.getContext("2d").drawImage(picture, 0, 0);
    field.closest(".field").after(shown);
  });
  form.addEventListener("submit", () => {
    const said = Object.assign(document.createElement("p"), { role: "status" });
    form.append(said, document.createElement("progress"));
    said.textContent = form.dataset.sends;
    form.querySelector("button").setAttribute("aria-disabled", "true");
  });
}

// Copy a value. Browsers have no clipboard for pages that did not come over TLS.
for (const button of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = button.dataset.copied;
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}

// Close a window that a page has opened; no script may close another. What says to close
// it by hand stands after the button.
for (const button of opener ? document.querySelectorAll("[data-close]") : []) {
  button.hidden = false;
  button.nextElementSibling.hidden = true;
  button.addEventListener("click", () => close());
}
