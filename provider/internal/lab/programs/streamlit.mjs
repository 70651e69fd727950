import { readFileSync, writeFileSync } from "node:fs";
import { known, newWindow, noah, path, pip, program, shows, signIn, start, write } from "./frame/lab.mjs";

const version = "1.67.0";
program("Streamlit", version, async (works) => {
  await pip(`streamlit[auth]==${version}`);
  const p = await known("streamlit"), secrets = path(".streamlit/secrets.toml");
  writeFileSync(secrets, readFileSync(secrets, "utf8").replace('cookie_secret = ""', 'cookie_secret = "a secret of this script, long enough"'));
  write({ "app.py": `import streamlit as st

if st.user.is_logged_in:
    st.write("I am " + st.user.email)
    st.button("Leave", on_click=st.logout)
else:
    st.button("Come in", on_click=st.login)
` });
  await start(path("venv/bin/streamlit"), ["run", "app.py", "--server.headless=true", "--server.address=localhost", `--server.port=${p.port}`, "--browser.gatherUsageStats=false"], p.site);
  const come = async (person) => {
    const page = await newWindow();
    await page.goto(p.site);
    await page.getByRole("button", { name: "Come in" }).click();
    await signIn(page, p, "", person);
    await shows(page, `I am ${person?.email ?? "maria@example.com"}`);
    return page;
  };
  const page = await come();
  works("sign-in");
  await come(noah);
  works("second user");
  await page.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("button", { name: "Come in" }).waitFor();
  works("sign-out");
});
