// The script of the redirect page. In a popup it is the relay that passes the
// response to the page behind it; after a redirect it finishes what this tab
// has begun, when the page asks for it.

import { parameters } from "./response";
import { take } from "./storage";

const script = document.currentScript;
const url = location.href;
// An <img name="currentScript"> smuggled into the page would stand in the
// script's place and choose where the user goes, hence instanceof.
const next = script instanceof HTMLScriptElement ? script.dataset.next : "";
const message = { url, next: next ? new URL(next, url).href : undefined };

// The channel reaches pages of this origin only, and does so where a
// Cross-Origin-Opener-Policy has cut the opener off. Nobody answers after a
// redirect, and the page continues as if this script were not there.
const channel = new BroadcastChannel("bonafide");
channel.onmessage = ({ data }) => {
  if (data != url) return;
  // Should the window stay, neither its address nor its history holds a code.
  history.replaceState(null, "", location.pathname);
  close();
};
channel.postMessage(message);

// Where storage is partitioned, as for a page in a frame of another site, the
// channel does not reach it. An opener of another origin receives nothing.
opener?.postMessage(message, location.origin);

globalThis.Bonafide = {
  ...globalThis.Bonafide,
  handleRedirect() {
    const response = parameters(url);
    const pending = take(response.state);
    // A response that this tab did not ask for is somebody else's attempt to
    // sign the user in, or belongs to the page that opened this popup; one
    // of another issuer is a mix-up (RFC 9207). Neither is a response here.
    if (!pending || pending.iss != response.iss) return;
    // Neither history nor a copied address keeps the code.
    history.replaceState(null, "", pending.redirect_uri);
    // Ours come last, so that parameters of the address cannot pose as them.
    return { ...response, nonce: undefined, code_verifier: undefined, ...pending };
  },
};
