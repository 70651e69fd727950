import { go, isAskedAgain, known, newWindow, noah, path, program, shows, signIn, start, until, write } from "./frame/lab.mjs";

const version = "v7.15.6";
program("oauth2-proxy", version, async (works) => {
  await go(`github.com/oauth2-proxy/oauth2-proxy/v7@${version}`);
  const p = await known("oauth2-proxy");
  write({ "cookie-secret": "0123456789abcdef0123456789abcdef" });
  await start(path("bin/oauth2-proxy"), [
    "--config=oauth2-proxy.cfg", `--http-address=localhost:${p.port}`, "--upstream=static://200", "--cookie-secure=false", "--cookie-refresh=1s",
    `--whitelist-domain=localhost:${new URL(p.base).port}`,
  ], `${p.site}/ping`);
  const page = await newWindow();
  const who = async (page, email) => {
    await page.goto(`${p.site}/oauth2/userinfo`);
    await shows(page, email);
  };
  await page.goto(p.site);
  await page.getByRole("button", { name: /Sign in with/ }).click();
  await signIn(page, p);
  await who(page, "maria@example.com");
  works("sign-in");
  await until(async () => { await page.goto(p.site); return p.refreshed(); });
  works("refresh");
  const other = await signIn(await newWindow(), p, `${p.site}/oauth2/start?rd=/`, noah);
  await who(other, "noah@example.com");
  works("second user");
  await page.goto(`${p.site}/oauth2/sign_out?rd=${encodeURIComponent(`${p.base}/signout?client_id=${p.id}`)}`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await isAskedAgain(page, `${p.site}/oauth2/start?rd=/`);
  works("sign-out");
});
