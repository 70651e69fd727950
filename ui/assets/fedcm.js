// Hands the answer to the browser that has opened this window, at once or by the link that has it, and
// without an answer closes the window. In a window that a person has opened no promise is kept.
for (const said of document.querySelectorAll("[data-answer]")) {
  const { answer, account } = said.dataset;
  const go = async () => answer
    ? IdentityProvider.resolve(answer, account ? { accountId: account } : {})
    : IdentityProvider.close();
  if (said.localName !== "a") go().catch(() => {});
  else said.addEventListener("click", (event) => {
    event.preventDefault();
    go().catch(() => { location.href = said.href; });
  });
}
