// What the tests in a browser look at, built once for all of them.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../../../..", import.meta.url));

/**
 * Builds a program and returns its path. One that is up to date is left as it is, and may be running; the lock keeps
 * two tests from writing it.
 */
export function build(source) {
  const programs = join(repository, ".cache/programs"), program = join(programs, basename(source));
  mkdirSync(programs, { recursive: true });
  execFileSync("flock", [programs, "go", "build", "-ldflags=-s -w", "-o", program, source], { cwd: repository, stdio: "inherit" });
  return program;
}

/** The folder of the pages of these packages: GALLERY, or one that is written and removed after the tests. */
export function gallery(...packages) {
  if (process.env.GALLERY) return process.env.GALLERY;
  const folder = mkdtempSync(join(tmpdir(), "bonafide-gallery-"));
  after(() => rmSync(folder, { recursive: true }));
  execFileSync("go", ["test", ...packages, "-count=1", "-run", "^TestGallery$", `-gallery=${folder}`], { cwd: repository });
  return folder;
}
