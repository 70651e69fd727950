// An authenticator app (RFC 6238), over the cryptography of Node alone.
import { createHmac } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function decode(secret) {
  const bits = [...secret.toUpperCase().replace(/[\s=-]/g, "")].map((c) => alphabet.indexOf(c).toString(2).padStart(5, "0")).join("");
  return Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
}

/** The number of the interval of 30 seconds that now is in. */
export const stepNow = () => Math.floor(Date.now() / 30_000);

/** The code of a secret in base32, at a step. */
export function totp(secret, step = stepNow()) {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", decode(secret)).update(counter).digest();
  const number = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/**
 * An app with a secret. It shows every code once: within an interval it goes on to the
 * next one, which a server takes as well for a clock that is ahead.
 */
export function app(secret) {
  let last = 0;
  return async () => {
    while (stepNow() + 1 <= last) await new Promise((wait) => setTimeout(wait, 200));
    last = Math.max(stepNow(), last + 1);
    return totp(secret, last);
  };
}
