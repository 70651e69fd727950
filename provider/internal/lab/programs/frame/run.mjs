// Runs the scripts of the folder above one after another, or those that are named, and writes their rows into the two
// tables of docs/clients.md, with the day.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const scripts = new URL("../", import.meta.url), manual = new URL("../../../../docs/clients.md", scripts);
const all = readdirSync(scripts).filter((name) => name.endsWith(".mjs")).map((name) => name.slice(0, -4));
const named = process.argv.slice(2);

const text = readFileSync(manual, "utf8"), from = text.search(/^<!-- make programs, /m), to = text.indexOf("<!-- end of programs -->");
const headings = ["|program|besides two sign-ins|to know|\n|---|---|---|", "|upstream|works|to know|\n|---|---|---|"];

/** What is in the first column but for its last word, the version. */
const nameOf = (row) => row.split("|")[1].replace(/ \S+$/, "");
const tables = headings.map((heading) => {
  const [, table = ""] = text.slice(from, to).split(heading);
  return new Map(table.split("\n\n")[0].split("\n").filter(Boolean).map((row) => [nameOf(row), row]));
});

/** The row of the manual that a script's line makes; what nearly all can is said once, in the heading. */
function rowOf(line, isUpstream) {
  const [name, version, works, known] = line.slice(2, -2).split(" | ");
  const usual = isUpstream ? [] : ["sign-in", "second user"], done = works.split(", ");
  const besides = usual.every((one) => done.includes(one)) ? done.filter((one) => !usual.includes(one)) : done;
  return `|${name} ${version}|${besides.join(", ")}|${known}|`;
}

let failed = 0;
for (const name of named.length ? named : all) {
  const { stdout, status } = spawnSync("node", [fileURLToPath(new URL(`${name}.mjs`, scripts))], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const line = stdout.split("\n").find((line) => line.startsWith("| ")), isUpstream = name.startsWith("upstream-");
  if (status !== 0 || !line) {
    failed++;
    console.log(`${name} FAILED`);
    continue;
  }
  console.log(line);
  const row = rowOf(line, isUpstream);
  tables[Number(isUpstream)].set(nameOf(row), row);
}
const written = headings.map((heading, i) => [heading, ...[...tables[i].values()].sort((a, b) => a.localeCompare(b, "en"))].join("\n"));
const day = new Date().toISOString().slice(0, 10);
writeFileSync(manual, `${text.slice(0, from)}<!-- make programs, ${day} -->\n${written.join("\n\nAs its upstream:\n\n")}\n\n${text.slice(to)}`);
process.exit(failed ? 1 : 0);
