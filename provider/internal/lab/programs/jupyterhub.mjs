import { freePort, known, newWindow, noah, npm, path, pip, program, shows, signIn, start, until, write } from "./frame/lab.mjs";

const version = "6.1.1", authenticator = "17.4.0";
program("JupyterHub (GenericOAuthenticator)", `${version}/${authenticator}`, async (works) => {
  await pip(`jupyterhub==${version}`, `oauthenticator==${authenticator}`);
  await npm("configurable-http-proxy@5.3.0");
  const p = await known("jupyterhub");
  write({ "lab.py": `load_subconfig("jupyterhub_config.py")
c.JupyterHub.bind_url = "${p.site}"
c.JupyterHub.hub_port = ${await freePort()}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:${await freePort()}"
c.ConfigurableHTTPProxy.command = "${path("node_modules/.bin/configurable-http-proxy")}"
c.JupyterHub.spawner_class = "simple"
` });
  await start(path("venv/bin/jupyterhub"), ["--config=lab.py"]);
  await until(() => fetch(`${p.site}/hub/health`).then((r) => r.ok, () => false));
  const come = async (person) => {
    const page = await signIn(await newWindow(), p, `${p.site}/hub/oauth_login?next=%2Fhub%2Fhome`, person);
    await page.goto(`${p.site}/hub/home`);
    await shows(page, person?.email ?? "maria@example.com");
  };
  await come();
  works("sign-in");
  await come(noah);
  works("second user");
});
