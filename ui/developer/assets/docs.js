// What makes the reference a little more pleasant. All of it can be read without it.

// Leave out the parts, and the links to them, that do not have the words that are typed.
{
  const filter = document.getElementById("filter"), result = document.getElementById("filtered");
  const links = new Map([...document.querySelectorAll(".contents a")].map((a) => [a.hash.slice(1), a.parentElement]));
  const parts = [...document.querySelectorAll(".reference .part")].map((element) => ({ element, text: element.textContent.toLowerCase() }));
  const sections = [...document.querySelectorAll(".reference > section")].map((element) => {
    const own = [...element.children].filter((child) => !child.matches(".part"));
    return { element, own, text: own.map((child) => child.textContent).join(" ").toLowerCase(), parts: parts.filter((p) => element.contains(p.element)) };
  });
  const show = (element, shown) => {
    element.hidden = !shown;
    const link = links.get(element.id);
    if (link) link.hidden = !shown;
    return shown;
  };
  const apply = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (text) => words.every((word) => text.includes(word));
    let found = 0;
    for (const section of sections) {
      const whole = has(section.text);
      for (const child of section.own) child.hidden = !whole && !child.matches("h2");
      const within = section.parts.filter((part) => show(part.element, has(part.text))).length;
      if (show(section.element, whole || within > 0)) found++;
    }
    result.textContent = words.length === 0 ? "" : found > 0 ? result.dataset.found : result.dataset.nothing;
  };
  filter.closest(".field").hidden = false;
  filter.addEventListener("input", apply);
  addEventListener("pageshow", apply);
  // A link leads to a part that is left out: show everything again.
  addEventListener("hashchange", () => {
    if (document.getElementById(location.hash.slice(1))?.closest("[hidden]")) {
      filter.value = "";
      apply();
      document.getElementById(location.hash.slice(1)).scrollIntoView();
    }
  });
}
