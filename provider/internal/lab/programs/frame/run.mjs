// Runs the scripts of the folder above one after another, or those that are named, and writes their rows into the two
// tables of docs/clients.md, with the day.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const scripts = new URL("../", import.meta.url), manual = new URL("../../../../docs/clients.md", scripts);
const all = readdirSync(scripts).filter((name) => name.endsWith(".mjs")).map((name) => name.slice(0, -4));
const named = process.argv.slice(2);

const text = readFileSync(manual, "utf8"), from = text.search(/^<!-- make programs, /m), to = text.indexOf("<!-- end of programs -->");
const headings = ["program", "upstream"], nameOf = (row) => row.split(" | ")[0].slice(2);
const tables = headings.map((heading) => {
  const [, table = ""] = text.slice(from, to).split(`| ${heading} | version |`);
  return new Map(table.split("\n\n")[0].split("\n").filter((line) => line.startsWith("| ")).map((row) => [nameOf(row), row]));
});

let failed = 0;
for (const name of named.length ? named : all) {
  const { stdout, status } = spawnSync("node", [fileURLToPath(new URL(`${name}.mjs`, scripts))], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const row = stdout.split("\n").find((line) => line.startsWith("| "));
  if (status === 0 && row) tables[Number(name.startsWith("upstream-"))].set(nameOf(row), row);
  else failed++;
  console.log(status === 0 ? row : `${name} FAILED`);
}
const written = headings.map((heading, i) => {
  const rows = [...tables[i].values()].sort((a, b) => nameOf(a).localeCompare(nameOf(b), "en"));
  return [`| ${heading} | version | works | to know |`, "|---|---|---|---|", ...rows].join("\n");
});
const day = new Date().toISOString().slice(0, 10);
writeFileSync(manual, `${text.slice(0, from)}<!-- make programs, ${day} -->\n${written.join("\n\nAnd as its upstream:\n\n")}\n\n${text.slice(to)}`);
process.exit(failed ? 1 : 0);
