// The sample of the dashboard for Node is run by a test in Go, like those in other
// languages; here are the libraries that it needs.
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

test("the sample of the dashboard signs in as it is shown", () => {
  const args = ["test", "-count=1", "-run", "^TestSamplesSignInAsTheyAreShown$/^node$/^standard$", "./provider/developer/internal/samples"];
  execFileSync("go", args, {
    cwd: path("../../.."), stdio: "inherit", env: { ...process.env, BONAFIDE_NODE_MODULES: path("node_modules") },
  });
});
