import { known, npm, program, start, walkSite } from "./frame/lab.mjs";

const version = "0.1.2";
program("passport-openidconnect", version, async (works) => {
  await npm(`passport-openidconnect@${version}`, "passport@0.7.0", "express@5.3.0", "express-session@1.19.0");
  const p = await known("passport-openidconnect");
  await start("node", ["server.mjs"], p.site, { env: { SESSION_SECRET: "a secret of this script" } });
  await walkSite(works, p, `${p.site}/login`);
}, "no PKCE");
