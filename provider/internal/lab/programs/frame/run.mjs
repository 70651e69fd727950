// Runs the scripts of the folder above one after another, or those that are named, and writes their rows into
// docs/clients.md, with the day.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const scripts = new URL("../", import.meta.url), manual = new URL("../../../../docs/clients.md", scripts);
const all = readdirSync(scripts).filter((name) => name.endsWith(".mjs")).map((name) => name.slice(0, -4));
const named = process.argv.slice(2);

const text = readFileSync(manual, "utf8"), from = text.search(/^<!-- make programs, /m), to = text.indexOf("<!-- end of programs -->");
const nameOf = (row) => row.split(" | ")[0];
const rows = new Map(text.slice(from, to).split("\n").filter((line) => line.startsWith("| ") && nameOf(line) !== "| program").map((row) => [nameOf(row), row]));

let failed = 0;
for (const name of named.length ? named : all) {
  const { stdout, status } = spawnSync("node", [fileURLToPath(new URL(`${name}.mjs`, scripts))], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const row = stdout.split("\n").find((line) => line.startsWith("| "));
  if (status === 0 && row) rows.set(nameOf(row), row);
  else failed++;
  console.log(status === 0 ? row : `${name} FAILED`);
}
const sorted = [...rows.values()].sort((a, b) => nameOf(a).localeCompare(nameOf(b), "en"));
const table = ["| program | version | what works | what to know |", "|---|---|---|---|", ...sorted].join("\n");
writeFileSync(manual, `${text.slice(0, from)}<!-- make programs, ${new Date().toISOString().slice(0, 10)} -->\n${table}\n${text.slice(to)}`);
process.exit(failed ? 1 : 0);
