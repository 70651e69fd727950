// Asks the browser for passkeys. The options stand in the page, and the answer goes into a
// hidden field of an ordinary form. What fails or is cancelled leaves the page as it was.
(() => {
  const { credentials } = navigator;
  const { PublicKeyCredential: api } = window;
  if (!credentials || !api?.parseRequestOptionsFromJSON) return;

  const read = (element) => JSON.parse(element.querySelector("script").textContent);
  const write = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");

  // Not by toJSON, which fails for what some extensions return.
  const encode = (credential) => {
    const { rawId, response: from } = credential;
    const response = { transports: from.getTransports?.() };
    for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
      // Of a creation, the authenticator's data are in the attestation.
      if (from[name] && !(from.attestationObject && name === "authenticatorData")) response[name] = write(from[name]);
    }
    return JSON.stringify({
      id: write(rawId), rawId: write(rawId), type: "public-key", response,
      clientExtensionResults: credential.getClientExtensionResults(),
    });
  };

  // A browser answers one question at a time: the next one ends the one before.
  let asking;
  const ask = async (form, mediation) => {
    asking?.abort();
    const { signal } = asking = new AbortController();
    const create = form.dataset.passkey === "create";
    try {
      const publicKey = create ? api.parseCreationOptionsFromJSON(read(form)) : api.parseRequestOptionsFromJSON(read(form));
      const options = { publicKey, signal, ...mediation && { mediation } };
      return encode(await (create ? credentials.create(options) : credentials.get(options)));
    } catch (error) {
      if (signal.aborted) return;
      return create && error.name === "InvalidStateError" ? "exists" : "";
    }
  };
  const send = (form, answer) => {
    form.elements.passkey.value = answer;
    form.submit();
  };

  // A form that is sent while the page loads would end that.
  const loaded = new Promise((done) => {
    if (document.readyState === "complete") done();
    else addEventListener("load", done, { once: true });
  });

  let waiting;
  const wait = async (form) => {
    const answer = await ask(form, "conditional");
    if (answer) send(form, answer);
  };

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    const conditional = "conditional" in form.dataset;
    if (conditional && form.dataset.passkey === "create") {
      // Nobody is asked, and nobody waits for long.
      const late = new Promise((done) => { setTimeout(done, 3000, ""); });
      Promise.all([Promise.race([ask(form, "conditional"), late]), loaded]).then(([answer]) => send(form, answer));
      continue;
    }
    form.hidden = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const answer = await ask(form);
      if (answer) send(form, answer);
      else if (answer === "" && waiting) wait(waiting);
    });
    if (conditional) {
      api.isConditionalMediationAvailable?.().then((can) => { if (can) wait(waiting = form); });
    }
  }

  // What is of use only to a browser that can create a passkey: buttons, and fields that say so.
  for (const element of document.querySelectorAll("[data-passkey-able]")) {
    element.hidden = false;
    element.value ||= "1";
  }
  for (const element of document.querySelectorAll("[data-passkey-unable]")) element.hidden = true;

  // Tell the server that the browser can create a passkey unasked.
  const upgrade = document.getElementsByName("upgrade");
  if (upgrade.length) {
    api.getClientCapabilities?.().then((can) => {
      for (const field of can.conditionalCreate ? upgrade : []) field.value = "1";
    });
  }

  // Nobody waits for a signal: in one browser it is never done.
  for (const element of document.querySelectorAll("[data-passkey-signals]")) {
    for (const [name, value] of Object.entries(read(element))) api[name]?.(value).catch(() => {});
  }
})();
