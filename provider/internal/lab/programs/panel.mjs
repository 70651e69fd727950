import { freePort, path, pip, program, provider, start, walkSite, write } from "./frame/lab.mjs";

const version = "1.8.4";
program("Panel", version, async (works) => {
  await pip(`panel==${version}`);
  const port = await freePort(), site = `http://localhost:${port}`;
  const p = await provider({ redirect_uris: [`${site}/login`] });
  write({ "app.py": `import panel as pn

pn.pane.Markdown("I am " + str((pn.state.user_info or {}).get("email"))).servable()
` });
  await start(path("venv/bin/panel"), [
    "serve", "app.py", `--port=${port}`, "--address=localhost", `--allow-websocket-origin=localhost:${port}`, "--oauth-provider=auth_code", `--oauth-key=${p.id}`, `--oauth-secret=${p.secret}`,
    `--oauth-redirect-uri=${site}/login`, "--cookie-secret=s", "--oauth-encryption-key=xxkZj5VSAfAWkrN3MrLpbmSY8XQCEDlGmqWPXQ4dIzE=", "--oauth-jwt-user=email",
  ], site, { env: {
    PANEL_OAUTH_SCOPE: "openid profile email", PANEL_OAUTH_AUTHORIZE_URL: `${p.base}/oauth/authorize`, PANEL_OAUTH_TOKEN_URL: `${p.base}/oauth/token`, PANEL_OAUTH_USER_URL: `${p.base}/api/public/v3/userinfo`,
  } });
  await walkSite(works, p, `${site}/app`);
});
