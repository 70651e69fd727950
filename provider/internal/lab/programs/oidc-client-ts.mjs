import { isAskedAgain, known, newWindow, noah, npm, program, serve, shows, signIn, until } from "./frame/lab.mjs";

const version = "3.5.0";
program("oidc-client-ts", version, async (works) => {
  await npm(`oidc-client-ts@${version}`);
  const p = await known("oidc-client-ts", {}, { lifetimes: { access_token: "65s" } });
  await serve(p.site, { "/": "index.html", "/oidc-client-ts.min.js": "node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js" });
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
  await until(() => p.refreshed());
  works("refresh");
  await page.click("#sign-out");
  await shows(page, "nobody");
  await page.click("#sign-in");
  await isAskedAgain(page);
  works("sign-out");
});
