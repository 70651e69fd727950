// Hands the answer to the browser that has opened this window, at once or by the link that has it, and
// without an answer closes the window. No promise is kept in a window that a person has opened.
for (const said of document.querySelectorAll("[data-answer]")) {
  const { answer, account } = said.dataset;
  const go = async () => {
    if (answer) await IdentityProvider.resolve(answer, account ? { accountId: account } : {});
    else IdentityProvider.close();
  };
  if (said.localName === "a") {
    said.addEventListener("click", (event) => {
      event.preventDefault();
      go().catch(() => { location.href = said.href; });
    });
  } else go().catch(() => {});
}
