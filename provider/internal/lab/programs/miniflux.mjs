import { chmodSync } from "node:fs";
import { command, freePort, go, maria, newWindow, noah, path, program, provider, shows, signIn, start, until } from "./frame/lab.mjs";

const version = "v2.3.5";
program("Miniflux", version, async (works) => {
  await go(`miniflux.app/v2@${version}`);
  const port = await freePort(), site = `http://localhost:${port}`, database = await freePort();
  const bin = (await command("bash", ["-c", "dirname $(ls /usr/lib/postgresql/*/bin/postgres | tail -n 1)"])).trim();
  chmodSync(path(), 0o777);
  const as = ["-u", "postgres", "--"];
  await command("runuser", [...as, `${bin}/initdb`, "-D", path("pg"), "-A", "trust", "-N"]);
  await start("runuser", [...as, `${bin}/postgres`, "-D", path("pg"), "-h", "127.0.0.1", "-p", String(database), "-k", path()]);
  const url = `postgres://postgres@127.0.0.1:${database}/postgres?sslmode=disable`;
  await until(() => command("runuser", [...as, `${bin}/pg_isready`, "-h", "127.0.0.1", "-p", String(database)]).catch(() => false));
  const p = await provider({ redirect_uris: [`${site}/oauth2/oidc/callback`] });
  await start(path("bin/v2"), [], site, { env: {
    DATABASE_URL: url, RUN_MIGRATIONS: "1", LISTEN_ADDR: `localhost:${port}`, BASE_URL: site, OAUTH2_PROVIDER: "oidc", OAUTH2_CLIENT_ID: p.id, OAUTH2_CLIENT_SECRET: p.secret,
    OAUTH2_REDIRECT_URL: `${site}/oauth2/oidc/callback`, OAUTH2_OIDC_DISCOVERY_ENDPOINT: p.issuer, OAUTH2_USER_CREATION: "1",
  } });
  for (const [person, what] of [[maria, "sign-in"], [noah, "second user"]]) {
    const page = await signIn(await newWindow(), p, `${site}/oauth2/oidc/redirect`, person);
    await page.goto(`${site}/settings`);
    await shows(page, person.email);
    works(what);
  }
});
