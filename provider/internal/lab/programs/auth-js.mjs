import { known, newWindow, noah, npm, program, shows, signIn, start } from "./frame/lab.mjs";

const version = "0.12.3";
program("Auth.js (@auth/express)", version, async (works) => {
  await npm(`@auth/express@${version}`, "express@5.3.0");
  const p = await known("auth-js");
  await start("node", ["server.mjs"], `${p.site}/auth/csrf`, { env: { AUTH_SECRET: "a secret of this script, long enough" } });
  const come = async (person) => {
    const page = await newWindow();
    await page.goto(`${p.site}/auth/signin`);
    await page.getByRole("button", { name: /Provider/ }).click();
    await signIn(page, p, "", person);
    await page.goto(p.site);
    await shows(page, person?.email ?? "maria@example.com");
  };
  await come();
  works("sign-in");
  await come(noah);
  works("second user");
});
