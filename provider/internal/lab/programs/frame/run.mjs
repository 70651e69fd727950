// Runs the scripts of the folder above, or those that are named, and writes their rows into the two tables of
// docs/clients.md: all anew, with the day, where none is named.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const scripts = new URL("../", import.meta.url), manual = new URL("../../../../docs/clients.md", scripts);
const all = readdirSync(scripts).filter((name) => name.endsWith(".mjs")).map((name) => name.slice(0, -4));
const named = process.argv.slice(2), waiting = named.length ? named : all;

const text = readFileSync(manual, "utf8"), from = text.search(/^<!-- make programs, /m), to = text.indexOf("<!-- end of programs -->");
const headings = ["|program|besides two sign-ins|to know|\n|---|---|---|", "|upstream|works|to know|\n|---|---|---|"];

/** What is in the first column but for its last word, the version. */
const nameOf = (row) => row.split("|")[1].replace(/ \S+$/, "");
const tables = headings.map((heading) => {
  const [, table = ""] = named.length ? text.slice(from, to).split(heading) : [];
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

async function run(name) {
  const child = spawn("node", [fileURLToPath(new URL(`${name}.mjs`, scripts))], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close"), stdout = (await child.stdout.toArray()).join(""), [status] = await closed;
  const line = stdout.split("\n").find((line) => line.startsWith("| ")), isUpstream = name.startsWith("upstream-");
  if (status !== 0 || !line) {
    failed++;
    console.log(`${name} FAILED`);
    return;
  }
  console.log(line);
  const row = rowOf(line, isUpstream);
  tables[Number(isUpstream)].set(nameOf(row), row);
}

// Two at once: while one installs, the other is walked through.
await Promise.all([1, 2].map(async () => {
  for (let name; name = waiting.shift();) await run(name);
}));
const written = headings.map((heading, i) => [heading, ...[...tables[i].values()].sort((a, b) => a.localeCompare(b, "en"))].join("\n"));
const when = named.length ? text.slice(from).match(/.*\n/)[0] : `<!-- make programs, ${new Date().toISOString().slice(0, 10)} -->\n`;
writeFileSync(manual, `${text.slice(0, from)}${when}${written.join("\n\nAs its upstream:\n\n")}\n\n${text.slice(to)}`);
process.exit(failed ? 1 : 0);
