import { complain, redeem, show } from "/redeem.js";

const result = document.getElementById("result");
const response = window.Bonafide.handleRedirect();
if (!response) {
  complain(result, "This tab did not begin a sign-in.");
} else if (response.error) {
  complain(result, response.error === "access_denied" ? "You did not allow it." : response.error);
} else {
  redeem(response).then((claims) => show(result, claims), (error) => complain(result, error.message));
}
