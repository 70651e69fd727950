import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { answer, buttonTag, document, eventOf, lab, link, openPopup, put, putRedirectPage, span, visit } from "./lab.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** With SHOTS=folder, pictures of all looks are left there. */
const shots = process.env.SHOTS;
if (shots) await mkdir(shots, { recursive: true });

const themes = ["brand", "light", "dark", "auto", "outline"];
const sizes = ["small", "medium", "large"];

/** A page with every theme in every size. */
function gallery({ dark = false, dir = "ltr", lang = "en" } = {}) {
  const rows = themes.map((theme) => {
    const buttons = sizes.map((size) =>
      span({ id: `${theme}-${size}`, redirect: "/page-0", size, theme: theme == "brand" ? undefined : theme }),
    );
    return `<p>${buttons.join(" ")}</p>`;
  });
  const colors = dark ? "background:#16181d;color:#e8eaed;color-scheme:dark" : "background:#fff;color:#202124";
  return {
    html: `<!DOCTYPE html><html lang="${lang}" dir="${dir}"><head><title>Gallery</title>
      <style>body { ${colors}; margin: 24px; font: 16px system-ui }</style></head>
      <body><main><h1>Gallery</h1>${rows.join("")}</main>${buttonTag()}</body></html>`,
  };
}

// Where colours are forced, axe reads those that the page asked for and nobody sees.
const looks = [
  ["light", {}, {}],
  ["dark", { dark: true }, { colorScheme: "dark" }],
  ["right-to-left", { dir: "rtl", lang: "ar" }, {}],
  ["forced-colours", {}, { forcedColors: "active" }],
  ["forced-colours-dark", { dark: true }, { forcedColors: "active", colorScheme: "dark" }],
];

for (const [name, page, context] of looks)
  test(`axe finds nothing in any theme: ${name}`, async (t) => {
    const tab = await visit(t, put(gallery(page)), { context });
    await link(tab, "outline-large").waitFor();
    await tab.evaluate(axe);
    const rules = { "color-contrast": { enabled: !context.forcedColors } };
    const { violations } = await tab.evaluate((rules) => window.axe.run(document, { rules }), rules);
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => html + failureSummary)]), []);
    if (shots) await tab.screenshot({ path: `${shots}/${name}.png`, fullPage: true });
  });

test("axe finds nothing while a button waits and after it failed", async (t) => {
  const page = await visit(t, put({ html: document(`<main><h1>Page</h1>${span({ redirect: putRedirectPage(), display: "popup" })}</main>` + buttonTag()) }));
  const run = async () => {
    const { violations } = await page.evaluate(() => window.axe.run());
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html]), []);
  };
  const popup = await openPopup(page);
  await page.evaluate(axe);
  await run();
  if (shots) await page.screenshot({ path: `${shots}/waiting.png` });
  await answer(popup, "deny");
  await eventOf(page, "cancel");
  await run();
  if (shots) await page.screenshot({ path: `${shots}/not-completed.png` });
});

test("the sizes differ, and all but the small one are targets of at least 44 pixels", async (t) => {
  const page = await visit(t, put(gallery()));
  await link(page, "outline-large").waitFor();
  for (const theme of themes) {
    const heights = [];
    for (const size of sizes) heights.push((await link(page, `${theme}-${size}`).boundingBox()).height);
    const [small, medium, large] = heights.map(Math.round);
    assert.deepEqual([small, medium, large], [37, 44, 52], theme);
  }
});

test("a button without a label is square, and still has its name", async (t) => {
  const page = await visit(t, put(sizes.map((size) => span({ id: size, size, shape: "icon", redirect: "/page-0" })).join(" ") + buttonTag()));
  for (const [size, side] of [["small", 37], ["medium", 44], ["large", 52]]) {
    const { width, height } = await link(page, size).boundingBox();
    assert.deepEqual([Math.round(width), Math.round(height)], [side, side], size);
  }
  assert.equal(await page.getByRole("link", { name: "Verify with Example ID" }).count(), 3);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run({ include: [["span"]] }));
  assert.deepEqual(violations.map(({ id }) => id), []);
  if (shots) await page.screenshot({ path: `${shots}/icons.png` });
});

test("text follows the reader's size, and not a page that makes little of it", async (t) => {
  for (const [root, size] of [["100%", "16px"], ["200%", "32px"], ["62.5%", "16px"]]) {
    const page = await visit(t, put({ html: document(span({ redirect: "/page-0" }) + buttonTag(), `<style>html { font-size: ${root} }</style>`) }));
    assert.equal(await link(page).evaluate((link) => getComputedStyle(link).fontSize), size, root);
    if (shots) await page.screenshot({ path: `${shots}/text-${parseInt(root)}.png` });
  }
});

test("full-width styling does not shrink the button", async (t) => {
  const page = await visit(
    t,
    put({ html: document(span({ redirect: "/page-0" }) + buttonTag(), "<style>span { width: 100% } span::part(button) { box-sizing: border-box; width: 100% }</style>") }),
  );
  assert.equal(Math.round((await link(page).boundingBox()).height), 44);
});

test("the focus is visible on light and on dark, and with forced colours", async (t) => {
  for (const [name, page, context] of looks) {
    const tab = await visit(t, put(gallery(page)), { context });
    await link(tab, "outline-large").waitFor();
    const look = () =>
      link(tab, "brand-medium").evaluate((link) => {
        const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(link);
        return { outlineStyle, outlineWidth, outlineColor, boxShadow };
      });
    assert.equal((await look()).outlineStyle, "none");
    for (const _ of ["small", "medium"]) await tab.keyboard.press("Tab");
    const { outlineStyle, outlineWidth, outlineColor, boxShadow } = await look();
    assert.deepEqual([outlineStyle, outlineWidth], ["solid", "3px"], name);
    // Two rings, of which one stands out on any background.
    if (!context.forcedColors) {
      assert.equal(outlineColor, "rgb(255, 255, 255)");
      assert.match(boxShadow, /^rgb\(34, 34, 34\) 0px 0px 0px 6px$/);
    }
    if (shots) await tab.locator("p").first().screenshot({ path: `${shots}/focus-${name}.png` });
  }
});

test("focus goes through the buttons in order and nowhere else in them", async (t) => {
  const page = await visit(t, put(span({ id: "one", redirect: "/page-0" }) + span({ id: "two", redirect: "/page-0" }) + buttonTag()));
  await link(page, "two").waitFor();
  const focused = [];
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press("Tab");
    focused.push(await page.evaluate(() => document.activeElement.id));
  }
  assert.deepEqual(focused, ["one", "two", ""]);
});

test("a theme that follows the system does, and light and dark do not", async (t) => {
  for (const [colorScheme, auto] of [["light", "rgb(255, 255, 255)"], ["dark", "rgb(17, 17, 17)"]]) {
    const page = await visit(t, put(gallery()), { context: { colorScheme } });
    const fill = (theme) => link(page, theme + "-medium").evaluate((link) => getComputedStyle(link).backgroundColor);
    assert.equal(await fill("auto"), auto);
    assert.equal(await fill("light"), "rgb(255, 255, 255)");
    assert.equal(await fill("dark"), "rgb(17, 17, 17)");
    assert.equal(await fill("brand"), "rgb(91, 42, 134)");
    await page.locator("#brand-medium").evaluate((span) => (span.dataset.theme = "")); // as templates write it
    assert.equal(await fill("brand"), "rgb(91, 42, 134)");
  }
});

test("nothing moves", async (t) => {
  const page = await visit(t, put(span({ redirect: "/page-0" }) + buttonTag()));
  const moving = await link(page).evaluate((link) => {
    const { animationName, transitionDuration } = getComputedStyle(link);
    return [animationName, transitionDuration, getComputedStyle(link, "::before").animationName];
  });
  assert.deepEqual(moving, ["none", "0s", "none"]);
});

const labels = {
  en: ["Sign in with Example ID", "Sign up with Example ID", "Continue with Example ID", "Verify with Example ID"],
  de: ["Mit Example ID anmelden", "Mit Example ID registrieren", "Mit Example ID fortfahren", "Mit Example ID verifizieren"],
  fr: ["Se connecter avec Example ID", "S’inscrire avec Example ID", "Continuer avec Example ID", "Vérifier avec Example ID"],
  es: ["Iniciar sesión con Example ID", "Registrarse con Example ID", "Continuar con Example ID", "Verificar con Example ID"],
  it: ["Accedi con Example ID", "Registrati con Example ID", "Continua con Example ID", "Verifica con Example ID"],
  pt: ["Entrar com Example ID", "Inscrever-se com Example ID", "Continuar com Example ID", "Verificar com Example ID"],
  ar: ["تسجيل الدخول باستخدام Example ID", "إنشاء حساب باستخدام Example ID", "المتابعة باستخدام Example ID", "التحقق باستخدام Example ID"],
  zh: ["使用 Example ID 登录", "使用 Example ID 注册", "使用 Example ID 继续", "使用 Example ID 验证"],
};

test("labels in eight languages and four types", async (t) => {
  const types = ["signin", "signup", "continue", "verify"];
  const body = Object.keys(labels)
    .map((lang) => `<p lang="${lang}" dir="${lang == "ar" ? "rtl" : "ltr"}">${types.map((type) => span({ id: type + lang, type, redirect: "/page-0" })).join(" ")}</p>`)
    .join("");
  const page = await visit(t, put(body + buttonTag()));
  for (const [lang, texts] of Object.entries(labels))
    for (const [i, type] of types.entries()) {
      assert.equal(await link(page, type + lang).textContent(), texts[i]);
      assert.equal(await link(page, type + lang).getAttribute("lang"), lang);
    }
  if (shots) await page.screenshot({ path: `${shots}/languages.png`, fullPage: true });
});

for (const [name, options, context, text, lang] of [
  ["data-lang before the page", { lang: "de-AT" }, {}, "Mit Example ID verifizieren", "de"],
  ["the page before the browser", {}, { locale: "fr-FR" }, "Verify with Example ID", "en"],
  ["an unknown language as English", { lang: "tlh" }, {}, "Verify with Example ID", "en"],
  ["a hostile language as English", { lang: "constructor" }, {}, "Verify with Example ID", "en"],
  ["op when there is no type", { op: "signup" }, {}, "Sign up with Example ID", "en"],
  ["type before op", { op: "signup", type: "continue" }, {}, "Continue with Example ID", "en"],
  ["an unknown type as verify", { type: "toString" }, {}, "Verify with Example ID", "en"],
  ["own text as it is, in a language that we do not know", { text: "Join $& us", lang: "de" }, {}, "Join $& us", ""],
])
  test(`the label takes ${name}`, async (t) => {
    const page = await visit(t, put(span({ redirect: "/page-0", ...options }) + buttonTag()), { context });
    assert.equal(await link(page).textContent(), text);
    assert.equal(await link(page).getAttribute("lang"), lang);
  });

test("the label takes the browser's language when the page has none", async (t) => {
  const page = await visit(t, put({ html: `<!DOCTYPE html><title>Page</title>${span({ redirect: "/page-0" })}${buttonTag()}` }), { context: { locale: "it-IT" } });
  assert.equal(await link(page).textContent(), "Verifica con Example ID");
});

test("the mark stands at the start of the line in both directions", async (t) => {
  const page = await visit(t, put(span({ id: "ltr", redirect: "/page-0" }) + span({ id: "rtl", lang: "ar", redirect: "/page-0" }) + buttonTag()));
  for (const dir of ["ltr", "rtl"]) {
    await link(page, dir).waitFor();
    assert.equal(await link(page, dir).evaluate((link) => getComputedStyle(link).direction), dir);
  }
});

test("a narrow column wraps the label instead of cutting it", async (t) => {
  const page = await visit(t, put(`<div style="width:160px">${span({ redirect: "/page-0", text: "Continue with an exceptionally long name" })}</div>` + buttonTag()));
  const { width, height } = await link(page).boundingBox();
  assert.ok(width <= 160 && height > 44, `${width} by ${height}`);
  if (shots) await page.screenshot({ path: `${shots}/narrow.png`, clip: { x: 0, y: 0, width: 320, height: 200 } });
});

test("a page can restyle the button from outside, and stretch it", async (t) => {
  const page = await visit(
    t,
    put({ html: document(span({ redirect: "/page-0" }) + buttonTag(), "<style>span { width: 300px } span::part(button) { border-radius: 0; background: #003300 }</style>") }),
  );
  const { width } = await link(page).boundingBox();
  assert.equal(width, 300);
  assert.equal(await link(page).evaluate((link) => getComputedStyle(link).backgroundColor), "rgb(0, 51, 0)");
});

test("a hidden span stays hidden", async (t) => {
  const page = await visit(t, put(span({ redirect: "/page-0" }).replace("<span", "<span hidden") + buttonTag()));
  await page.waitForFunction(() => button.shadowRoot);
  assert.ok(!(await link(page).isVisible()));
});

test("the page's own text styles do not leak in", async (t) => {
  const page = await visit(
    t,
    put({ html: document(span({ redirect: "/page-0" }) + buttonTag(), "<style>body { text-transform: uppercase; letter-spacing: 1em; font: 40px serif } a { display: none }</style>") }),
  );
  const style = await link(page).evaluate((link) => {
    const { textTransform, letterSpacing, fontSize } = getComputedStyle(link);
    return { textTransform, letterSpacing, fontSize };
  });
  assert.deepEqual(style, { textTransform: "none", letterSpacing: "normal", fontSize: "16px" });
});
