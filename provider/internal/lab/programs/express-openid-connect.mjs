import { isAskedAgain, known, newWindow, noah, npm, program, shows, signIn, start } from "./frame/lab.mjs";

const version = "3.4.0";
program("express-openid-connect", version, async (works) => {
  await npm(`express-openid-connect@${version}`, "express@5.3.0");
  const p = await known("express-openid-connect");
  await start("node", ["server.mjs"], `${p.site}/callback`, { env: { SESSION_SECRET: "a secret of this script, long enough" } });
  const page = await signIn(await newWindow(), p, p.site);
  await shows(page, "maria@example.com");
  works("sign-in");
  await page.goto(`${p.site}/refresh`);
  await shows(page, "refreshed");
  works("refresh");
  await shows(await signIn(await newWindow(), p, p.site, noah), "noah@example.com");
  works("second user");
  await page.goto(`${p.site}/logout`);
  await isAskedAgain(page);
  works("sign-out");
}, "`response_type: \"code\"`; its default is `id_token`");
