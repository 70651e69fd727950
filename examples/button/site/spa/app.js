import { complain, redeem, show } from "/redeem.js";

const view = document.getElementById("view");

// button is added when the page is already there: the script finds it.
function button() {
  const span = document.createElement("span");
  Object.assign(span.dataset, {
    clientId: "page", redirect: `${location.origin}/spa/`, scopes: "openid login military",
    response: "code", display: "popup", pkce: "", type: "signin",
  });
  return span;
}

function signedOut(problem) {
  if (problem) complain(view, problem);
  view.append(button());
}

function signedIn(response) {
  redeem(response).then((claims) => show(view, claims), (error) => signedOut(error.message));
}

document.addEventListener("bonafide:success", (event) => {
  event.preventDefault(); // or the page would go to the redirect URI
  signedIn(event.detail);
});
document.addEventListener("bonafide:error", (event) => {
  view.replaceChildren();
  signedOut(event.detail.error_description ?? event.detail.error);
});

const response = window.Bonafide.handleRedirect();
if (response?.code) signedIn(response);
else signedOut(response?.error);
