import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, mkdirSync } from "node:fs";
import { connect } from "node:net";
import { apt, freePort, maria, noah, path, program, provider, start, tokens, until, write } from "./frame/lab.mjs";

const version = await apt("dovecot-imapd");
program("Dovecot (XOAUTH2, OAUTHBEARER)", version, async (works) => {
  const port = await freePort(), callback = `http://localhost:${await freePort()}/callback`;
  const p = await provider({ redirect_uris: [callback] });
  chmodSync(path(), 0o755);
  mkdirSync(path("mail"));
  chmodSync(path("mail"), 0o777);
  write({
    "oauth2.conf.ext": `introspection_url = ${p.base}/oauth/introspect
introspection_mode = post
client_id = ${p.id}
client_secret = ${p.secret}
username_attribute = sub
active_attribute = active
active_value = true
`,
    "dovecot.conf": `base_dir = ${path("run")}
state_dir = ${path("run")}
log_path = ${path("dovecot.log")}
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_mechanisms = oauthbearer xoauth2
mail_location = maildir:${path("mail")}/%n
service imap-login { inet_listener imap { port = ${port} } }
passdb { driver = oauth2; mechanisms = oauthbearer xoauth2; args = ${path("oauth2.conf.ext")} }
userdb { driver = static; args = uid=nobody gid=nogroup home=${path("mail")}/%n }
`.replace(/\{ /g, "{\n").replace(/; /g, "\n").replace(/ \}/g, "\n}"),
  });
  await start("/usr/sbin/dovecot", ["-F", "-c", path("dovecot.conf")]);
  const login = async (line) => {
    const socket = await until(async () => { const s = connect(port, "127.0.0.1"); return once(s, "data").then(() => s, () => false); });
    socket.write(`a AUTHENTICATE ${line}\r\n`);
    const [answer] = await once(socket, "data");
    socket.destroy();
    return String(answer);
  };
  for (const [person, what] of [[maria, "sign-in by token"], [noah, "second user"]]) {
    const { access_token: token } = await tokens(p, callback, "openid profile email", person);
    assert.match(await login(`XOAUTH2 ${Buffer.from(`user=${person.uuid}\x01auth=Bearer ${token}\x01\x01`).toString("base64")}`), /^a OK/m);
    assert.match(await login(`OAUTHBEARER ${Buffer.from(`n,a=${person.uuid},\x01auth=Bearer ${token}\x01\x01`).toString("base64")}`), /^a OK/m);
    works(what);
  }
}, "`username_attribute = sub`; its secret beside `client_id`, not in the address");
