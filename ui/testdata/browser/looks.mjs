// The colours of an element follow from the style sheets, its classes and attributes, and what it is
// in: where a page has none that another did not have, its colours have been judged.

/** What decides the colours of each element of the page. It runs in the page. */
export const looks = () => {
  const sheets = [...document.styleSheets].map((sheet) => sheet.href), look = (e) => [e.localName, e.className, ...e.getAttributeNames()];
  return [...document.body.querySelectorAll("*")].map((e) => [sheets, look(e.parentElement), look(e)].join(" "));
};

const judged = new Set();

/** Reports whether one of them was on no page before, and keeps all. */
export const areNew = (looks) => looks.filter((look) => !judged.has(look) && judged.add(look)).length > 0;
