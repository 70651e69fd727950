// As port.go: ports for programs that a test starts, below those that connections are
// given, each handed out once, from a place of this process's own.
import { once } from "node:events";
import { createServer } from "node:net";

const first = 20_000, end = 32_768, block = 64;
let handedOut = 0;

/** A port at which nobody listens on this machine. */
export async function freePort() {
  for (let tries = first; tries < end; tries++) {
    const port = first + (process.pid * block + ++handedOut) % (end - first);
    if (await isFree("127.0.0.1", port) && await isFree("::1", port)) return port;
  }
  throw new Error("every port is in use");
}

/** Whether an address is not in use; one that this machine does not have is not. */
async function isFree(host, port) {
  const server = createServer();
  try {
    await once(server.listen(port, host), "listening");
  } catch (error) {
    return error.code !== "EADDRINUSE";
  }
  server.close();
  await once(server, "close");
  return true;
}
