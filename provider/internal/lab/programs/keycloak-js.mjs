import { isAskedAgain, known, newWindow, noah, npm, program, serve, shows, signIn } from "./frame/lab.mjs";

const version = "26.2.4";
program("keycloak-js", version, async (works) => {
  await npm(`keycloak-js@${version}`);
  const p = await known("keycloak-js");
  await serve(p.site, { "/": "index.html", "/keycloak.js": "node_modules/keycloak-js/lib/keycloak.js" });
  const come = async (person) => {
    const page = await newWindow();
    await page.goto(p.site);
    await shows(page, "nobody");
    await page.click("#sign-in");
    await signIn(page, p, "", person);
    await shows(page, person?.email ?? "maria@example.com");
    return page;
  };
  const page = await come();
  works("sign-in");
  await come(noah);
  works("second user");
  await page.click("#sign-out");
  await shows(page, "nobody");
  await page.click("#sign-in");
  await isAskedAgain(page);
  works("sign-out");
}, "JWT access tokens, no refresh token: it decodes both; `checkLoginIframe: false`");
