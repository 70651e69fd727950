import { chmodSync, readFileSync } from "node:fs";
import { apt, isAskedAgain, known, newWindow, noah, path, program, shows, signIn, start, until, write } from "./frame/lab.mjs";

const modules = ["mpm_event", "authn_core", "authz_core", "authz_user", "mime", "dir", "include", "auth_openidc"];
const version = await apt("libapache2-mod-auth-openidc", "apache2");
program("mod_auth_openidc (Apache)", version, async (works) => {
  const p = await known("mod-auth-openidc");
  chmodSync(path(), 0o711); // as root, Apache reads pages as the user of its configuration
  const sample = readFileSync(path("openidc.conf"), "utf8").replace(/^OIDCCryptoPassphrase .*$/m, "OIDCCryptoPassphrase n8Wc2Vq6Jx0RzT4yLk9GmB5sHd7PfEaU");
  write({ "apache.conf": `ServerName localhost
PidFile ${path("pid")}
DefaultRuntimeDir ${path()}
Mutex posixsem
User #65534
Group #65534
Listen localhost:${p.port}
ErrorLog ${path("error.log")}
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
TypesConfig /dev/null
DirectoryIndex index.html
AddType text/html .html
DocumentRoot ${path("www")}
${sample}
# Longer than an access token lives: it is refreshed at every request.
OIDCRefreshAccessTokenBeforeExpiry 3600
<Directory ${path("www/page")}>
	Options +Includes
	SetOutputFilter INCLUDES
</Directory>
`, "www/index.html": "Bye", "www/page/index.html": '<!--#echo var="OIDC_CLAIM_email" -->' });
  await start("/usr/sbin/apache2", ["-f", path("apache.conf"), "-DFOREGROUND"], p.site);
  const guarded = `${p.site}/page/index.html`;
  const page = await signIn(await newWindow(), p, guarded);
  await shows(page, "maria@example.com");
  works("sign-in");
  await until(async () => { await page.reload(); return p.refreshed(); });
  works("refresh");
  const other = await signIn(await newWindow(), p, guarded, noah);
  await shows(other, "noah@example.com");
  works("second user");
  await page.goto(`${p.redirectURI}?logout=${encodeURIComponent(`${p.site}/`)}`);
  await shows(page, "Bye");
  await isAskedAgain(page, guarded);
  works("sign-out");
  await other.goto(`${p.base}/signout`);
  await other.getByRole("button", { name: "Sign out" }).click();
  await until(async () => { await other.goto(guarded); return other.url().startsWith(p.base); });
  works("back-channel sign-out");
}, "EdDSA fails in its library");
