// What makes the dashboard a little more pleasant. All of it works without it.

// Say while somebody types whether a value will be accepted.
for (const field of document.querySelectorAll("[data-check]")) {
  const result = document.getElementById(field.id + "-check");
  let timer, latest = 0;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    const mine = ++latest;
    timer = setTimeout(async () => {
      const answer = await fetch(field.dataset.check + "&value=" + encodeURIComponent(field.value), { headers: { Accept: "text/plain" } });
      // Who is signed out by now is led to a page.
      const text = answer.ok && !answer.redirected ? await answer.text() : "";
      if (mine === latest) result.textContent = text;
    }, 300);
  });
}

// Choose a colour by eye. The field and the picker say the same, and the previews follow.
for (const picker of document.querySelectorAll("[data-color]")) {
  const field = document.getElementById(picker.dataset.color);
  const shown = () => {
    const complete = /^#[0-9a-f]{6}$/i.test(field.value);
    if (complete) picker.value = field.value;
    return complete || field.value === "";
  };
  let timer;
  const follow = () => {
    clearTimeout(timer);
    if (!shown()) return;
    timer = setTimeout(() => {
      for (const frame of document.querySelectorAll("[data-preview]")) {
        const address = new URL(frame.dataset.preview, location.href);
        address.searchParams.set(field.name, field.value);
        frame.contentWindow.location.replace(address.href);
      }
    }, 300);
  };
  picker.hidden = false;
  shown();
  field.addEventListener("input", follow);
  picker.addEventListener("input", () => { field.value = picker.value; follow(); });
}

// Bring the tab of this page into view, where the style sheet cannot (scroll-initial-target).
if (!CSS.supports("scroll-initial-target", "nearest")) {
  document.querySelector(".sections [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
}
