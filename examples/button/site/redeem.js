// What a public client does with a response: it redeems the code with its verifier,
// and asks for the user's data with the access token.

const provider = "http://localhost:8080";

// redeem returns the claims of the user.
export async function redeem({ code, code_verifier, redirect_uri }) {
  const token = await ask(`${provider}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code", client_id: "page", code, code_verifier, redirect_uri,
    }),
  });
  return ask(`${provider}/api/public/v3/userinfo`, { headers: { Authorization: `Bearer ${token.access_token}` } });
}

async function ask(address, options) {
  const response = await fetch(address, options);
  const body = await response.json();
  if (!response.ok) throw new Error(body.error_description ?? body.error);
  return body;
}

// show writes claims into an element as a table.
export function show(element, claims) {
  const table = document.createElement("table");
  for (const [name, value] of Object.entries(claims)) {
    const row = table.insertRow();
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = name;
    row.append(head);
    row.insertCell().textContent = typeof value === "string" ? value : JSON.stringify(value);
  }
  element.replaceChildren(table);
}

// complain says what went wrong.
export function complain(element, text) {
  const line = document.createElement("p");
  line.className = "problem";
  line.textContent = text;
  element.replaceChildren(line);
}
