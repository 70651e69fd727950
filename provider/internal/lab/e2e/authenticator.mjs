// A passkey manager for a window of the tests, which Chromium plays (WebDriver extension of
// WebAuthn Level 3 section 11, by the DevTools protocol).
import assert from "node:assert/strict";

/** A device with a fingerprint reader, whose passkeys stay on it. */
export const device = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true };

/** A key for the pocket: it cannot tell who presses it, and keeps no passkey itself. */
export const securityKey = { protocol: "ctap2", transport: "usb", hasResidentKey: false, hasUserVerification: false, isUserVerified: false };

/** A password manager, which copies its passkeys to all devices of its owner. */
export const synced = { ...device, ctap2Version: "ctap2_1", defaultBackupEligibility: true, defaultBackupState: true };

/**
 * Gives a window an authenticator. The person in front of it touches it at once, unless
 * presence(false) has been said.
 */
export async function addAuthenticator(page, options = device) {
  page.authenticators ??= await connect(page);
  const { session, seen } = page.authenticators;
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", { options: { automaticPresenceSimulation: true, ...options } });
  const send = (method, more = {}) => session.send(`WebAuthn.${method}`, { authenticatorId, ...more });
  const credentials = async () => (await send("getCredentials")).credentials;
  return {
    credentials,
    /** What has happened to its passkeys: added, asserted, updated, deleted. */
    events: () => seen.filter((e) => e.authenticatorId === authenticatorId).map((e) => e.what),
    /** Whether the person touches it when asked. */
    presence: (enabled) => send("setAutomaticPresenceSimulation", { enabled }),
    /** Whether the person proves who he or she is. A finger that is not theirs ends the dialog as Cancel does. */
    verified: (isUserVerified) => send("setUserVerified", { isUserVerified }),
    /** Says something else of the only passkey: backupEligibility, backupState. */
    flip: async (properties) => {
      const [{ credentialId }] = await credentials();
      await send("setCredentialProperties", { credentialId, ...properties });
    },
    /** Sets the counter of the only passkey, as a copy of it would have another. */
    count: async (signCount) => {
      const [credential] = await credentials();
      await send("removeCredential", { credentialId: credential.credentialId });
      await send("addCredential", { credential: { ...credential, signCount } });
    },
    /** Puts a passkey of another authenticator into this one. */
    take: (credential) => send("addCredential", { credential }),
    /** Loses all passkeys. */
    clear: () => send("clearCredentials"),
    /** Signs wrongly from now on. */
    forge: (isBogusSignature) => send("setResponseOverrideBits", { isBogusSignature }),
    remove: () => send("removeVirtualAuthenticator"),
  };
}

async function connect(page) {
  const session = await page.context().newCDPSession(page), seen = [];
  await session.send("WebAuthn.enable", { enableUI: false });
  for (const what of ["Added", "Asserted", "Updated", "Deleted"]) {
    session.on(`WebAuthn.credential${what}`, (e) => seen.push({ ...e, what: what.toLowerCase() }));
  }
  return { session, seen };
}

/** The only passkey of an authenticator. */
export async function onlyPasskey(authenticator) {
  const credentials = await authenticator.credentials();
  assert.equal(credentials.length, 1, "one passkey");
  return credentials[0];
}
