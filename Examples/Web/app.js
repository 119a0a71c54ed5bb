// Signs a user in with a code, shows their sessions, and signs out. All tabs of the page show the same.

// The session service serves the client. Write its origin here.
import { PreludeSessionClient, PreludeSessionError } from "http://localhost:8080/v1/prelude-session.js";

const client = new PreludeSessionClient();
const element = (id) => document.getElementById(id);

function show(part, text) {
  for (const id of ["address-form", "code-form", "account"]) element(id).hidden = id !== part;
  element("status").textContent = text;
}

/** Shows the state of the session, also after a change in another tab. */
async function showSession() {
  const profile = await client.profile();
  if (!profile) return show("address-form", "You are signed out.");
  show("account", `You are signed in as ${profile.userID}.`);
  const { sessions } = await client.listSessions({ limit: 20 });
  element("sessions").replaceChildren(...sessions.map((session) => {
    const item = document.createElement("li");
    const isThis = session.id === profile.sessionID ? " (this browser)" : "";
    item.textContent = `${session.deviceModel || "Unknown device"}${isThis}`;
    return item;
  }));
}

/** What a user can do about an error. The texts of errors are for developers. */
function advice(error) {
  if (!(error instanceof PreludeSessionError)) return "Something went wrong. Try again.";
  if (error.isInvalidIdentifier) return "This is not an e-mail address.";
  if (error.needsNewCode) return "Ask for a new code.";
  switch (error.kind) {
    case "invalidOTPCode": return "The code is wrong. Try again.";
    case "accountSuspended": return "Your account is suspended. Contact our support.";
    case "rateLimited": return `Wait ${error.retryAfter ?? 30} seconds, then try again.`;
    case "network": case "timeout": return "There is no connection. Try again later.";
    case "cookiesBlocked": return "Allow cookies for this page, then sign in again.";
    default: return "Something went wrong. Try again.";
  }
}

async function perform(work) {
  try {
    await work();
  } catch (error) {
    console.debug(error);
    element("status").textContent = advice(error);
  }
}

element("address-form").addEventListener("submit", (event) => {
  event.preventDefault();
  perform(async () => {
    await client.startOTPLogin({ identifier: { type: "email_address", value: element("address").value } });
    show("code-form", "Enter the code that you have received.");
    element("code").focus();
  });
});
element("code-form").addEventListener("submit", (event) => {
  event.preventDefault();
  perform(() => client.checkOTP(element("code").value));
});
element("sign-out").addEventListener("click", () => perform(() => client.logout()));
element("sign-out-others").addEventListener("click", () => perform(async () => {
  await client.revokeSessions("others");
  await showSession();
}));

client.subscribe((event) => { if (event.type !== "refreshed") perform(showSession); });
perform(showSession);
