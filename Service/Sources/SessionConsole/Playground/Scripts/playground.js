// @ts-check
/**
 * The playground of the console: signs a user of the app in with the browser client, and shows what each step does.
 *
 * Keys and tokens are in the memory of this page only. `PlaygroundPage.swift` has the forms and the lines of Swift.
 *
 * @module
 */

import { PreludeSessionClient, PreludeSessionError } from "./prelude-session.js";
import { CallLog, textOf } from "./calls.js";
import { markInvalid, markValid } from "./fields.js";
import { accessTokenMembers, sessionItem } from "./members.js";
import { decoded, forgetTokens, showSignatures, textWithTokens } from "./tokens.js";

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(`play-${id}`));
/** @param {string} id */
const field = (id) => /** @type {HTMLInputElement} */ (element(id));

const root = element("root");
const { endpoint = "", mailbox = "" } = root.dataset;

const log = new CallLog(element("log"), element("log-empty"));
const client = new PreludeSessionClient({ endpoint, storage: "page", fetch: log.fetch, timeout: 30 });

/** @typedef {"signedOut" | "codeSent" | "signedIn"} State */

/** @type {string} The address that the code was sent to. */
let address = "";
/** @type {import("./prelude-session.js").StepUpChallenge | undefined} The step-up that waits for a step. */
let challenge;
let isBusy = false;

// --------------------------------------------------------------------------------------------------------------- Steps

/** @param {string} text */
const announce = (text) => { element("result").textContent = text; };

/**
 * The line of Swift of a step, with the values of this one.
 * @param {string} step @param {Record<string, string>} values Values that take the place of the examples.
 */
function listing(step, values) {
  const source = /** @type {HTMLElement} */ (document.querySelector(`[data-swift="${step}"]`));
  let swift = source.textContent ?? "";
  for (const [example, value] of Object.entries(values)) {
    swift = swift.replaceAll(JSON.stringify(example), () => JSON.stringify(value));
  }
  return { title: source.dataset.title ?? step, swift };
}

/**
 * Does one step, and shows what happens. Only one runs at a time.
 *
 * @param {string} name The name of the step in the table of Swift lines.
 * @param {HTMLElement} origin What the operator has used. An error appears in its card.
 * @param {() => Promise<string | void>} work It may return what to announce.
 * @param {Record<string, string>} [values]
 */
async function perform(name, origin, work, values = {}) {
  if (isBusy) return;
  isBusy = true;
  root.setAttribute("aria-busy", "true");
  const { title, swift } = listing(name, values);
  const card = /** @type {HTMLElement} */ (origin.closest(".card"));
  for (const problem of root.querySelectorAll("[data-error]")) problem.textContent = "";
  for (const input of /** @type {NodeListOf<HTMLElement>} */ (card.querySelectorAll("[aria-invalid]"))) markValid(input);
  announce(`${title} …`);
  const step = log.begin(title, swift);
  element("to-calls").hidden = false;
  try {
    const text = await work();
    step.end();
    announce(`${title}: done, ${step.count} ${step.count === 1 ? "call" : "calls"}. ${text ?? ""}`);
  } catch (error) {
    step.end(textOf(error));
    announce(`${title}: failed.`);
    // The card is hidden if the session has ended. The first one always shows.
    const problem = (card.hidden ? root : card).querySelector("[data-error]");
    if (problem) problem.textContent = textOf(error);
    const input = [...origin.querySelectorAll("input")].at(-1);
    if (error instanceof PreludeSessionError && error.status !== undefined && input) {
      markInvalid(input, problem);
      input.focus();
    }
  } finally {
    isBusy = false;
    root.removeAttribute("aria-busy");
  }
}

/** @param {string} form @param {(form: HTMLElement) => unknown} action */
function onSubmit(form, action) {
  element(form).addEventListener("submit", (event) => {
    event.preventDefault();
    action(element(form));
  });
}

/** @param {string} button @param {(button: HTMLElement) => unknown} action */
function onClick(button, action) {
  // Some are not on the page, such as the button for the mailbox in production.
  const found = document.getElementById(`play-${button}`);
  found?.addEventListener("click", () => action(found));
}

/**
 * Shows the cards of a state.
 * @param {State} state
 */
function show(state) {
  for (const card of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-state]"))) {
    card.hidden = !(card.dataset.state ?? "").split(" ").includes(state);
  }
}

// ---------------------------------------------------------------------------------------------------------- Signing in

onSubmit("start", (form) => {
  const typed = field("address").value.trim();
  const isPhone = typed.startsWith("+");
  perform(isPhone ? "send-code-by-sms" : "send-code", form, async () => {
    await client.startOTPLogin({ identifier: { type: isPhone ? "phone_number" : "email_address", value: typed } });
    address = typed;
    element("sent-to").textContent = typed;
    field("code").value = "";
    show("codeSent");
    field("code").focus();
    return `Enter the code that was sent to ${typed}.`;
  }, isPhone ? { "+14155550100": typed } : { "ada@example.com": typed });
});

onSubmit("check", (form) => perform("check-code", form, async () => {
  await client.checkOTP(field("code").value);
  field("code").value = "";
  return signedIn();
}));

onClick("resend", (button) => perform("resend-code", button, () => client.resendOTP()));

onClick("another", () => {
  show("signedOut");
  field("address").focus();
});

onSubmit("password-login", (form) => {
  const emailAddress = field("email").value.trim();
  perform("password-login", form, async () => {
    await client.loginWithPassword({ emailAddress, password: field("password").value });
    address = emailAddress;
    field("password").value = "";
    return signedIn();
  }, { "ada@example.com": emailAddress });
});

async function signedIn() {
  show("signedIn");
  await showSession();
  element("state").focus();
  return "You are signed in.";
}

/**
 * Fills in the newest code of the development mailbox.
 * @param {HTMLInputElement} target @param {string[]} purposes
 */
async function takeCode(target, purposes) {
  const messages = /** @type {{to: string, purpose: string, code?: string}[]} */ (
    await fetch(mailbox, { cache: "no-store", credentials: "omit" }).then((response) => response.json(), () => []));
  const found = messages.find(({ to, purpose, code }) => code !== undefined && purposes.includes(purpose)
    && (purpose !== "sign_in" || to.toLowerCase() === address.toLowerCase()));
  announce(found ? `The code that was sent to ${found.to} is filled in.` : "The mailbox has no code.");
  if (found?.code) target.value = found.code;
  target.focus();
}

onClick("take", () => takeCode(field("code"), ["sign_in"]));
onClick("scope-take", () => takeCode(field("scope-code"), ["step_up", "new_identifier"]));

// --------------------------------------------------------------------------------------------------------- The session

/** Shows the claims of the access token. It makes no call. */
async function showSession() {
  const profile = await client.profile();
  if (!profile) return;
  const { accessToken } = await client.refresh();
  const claims = decoded(accessToken)?.payload ?? {};
  element("state").textContent = "Signed in";
  element("user").textContent = profile.userID;
  element("token").replaceChildren(...textWithTokens(accessToken));
  element("claims").replaceChildren(accessTokenMembers(claims));
  const mayChange = String(claims.scope ?? "").split(" ").includes("prld:pwd:write");
  element("password-ready").textContent = mayChange ? "The session has the scope for one change."
    : "This needs the scope prld:pwd:write. Get it by a step-up first.";
}

onClick("refresh", (button) => perform("refresh", button, async () => {
  await client.invalidateSession();
  await client.refresh();
  await showSession();
}));

onClick("log-out", (button) => perform("log-out", button, async () => {
  await client.logout();
  await client.revokeEndedSessions();
}));

client.subscribe((event) => {
  if (event.type !== "signedOut") return;
  // What was shown stays readable, and cannot be used any more.
  forgetTokens();
  challenge = undefined;
  element("state").textContent = "Signed out";
  for (const id of ["token", "claims", "session-list"]) element(id).replaceChildren();
  element("scope-steps").hidden = true;
  show("signedOut");
  field("address").focus();
});

// -------------------------------------------------------------------------------------------------------- All sessions

onClick("list", (button) => perform("list-sessions", button, listSessions));

onClick("revoke-others", (button) => perform("revoke-others", button, async () => {
  await client.revokeSessions("others");
  await listSessions();
}));

async function listSessions() {
  const { sessions, total } = await client.listSessions({ limit: 20 });
  const own = (await client.profile())?.sessionID;
  element("session-list").replaceChildren(...sessions.map((session) => {
    const { item, button } = sessionItem(session, session.id === own);
    button.addEventListener("click", () => perform("revoke-session", button, async () => {
      await client.revokeSessions({ session: session.id });
      if (session.id === own) return;
      await listSessions();
      element("list").focus();
    }, { "ses_01": session.id }));
    return item;
  }));
  return `${total} ${total === 1 ? "session" : "sessions"}.`;
}

// ------------------------------------------------------------------------------------------------------------- Step-up

/**
 * Shows what a step-up waits for.
 * @param {import("./prelude-session.js").StepUpChallenge | null} next `null` when the access token has the scope.
 */
async function showStep(next) {
  const isBlocked = next?.status === "block";
  const isOpen = next !== null && !next.isCompleted && !isBlocked;
  challenge = isOpen ? next : undefined;
  element("scope-steps").hidden = !isOpen;
  if (isOpen) {
    element("scope-step").textContent = next.currentStep ?? "";
    element("scope-check").hidden = !next.expectsCode;
    element("scope-continue").hidden = next.expectsCode;
    field(next.expectsCode ? "scope-code" : "scope-token").value = "";
    field(next.expectsCode ? "scope-code" : "scope-token").focus();
    return next.expectsCode ? "The step is a code. Send it, then enter it." : "The step is one of the app's own.";
  }
  await showSession();
  if (isBlocked) return "The rule denies this scope.";
  element("state").focus();
  return "The access token has the scope.";
}

onSubmit("scope", (form) => {
  const scope = field("scope-name").value;
  perform("request-scope", form, async () => showStep(await client.requestStepUp(scope)),
    { "transfer:write": scope });
});

onClick("scope-send", (button) => perform("send-scope-code", button, async () => {
  if (challenge) await client.sendStepUpOTP(challenge);
  field("scope-code").focus();
  return "Enter the code.";
}));

onSubmit("scope-check", (form) => perform("check-scope-code", form, async () => {
  const code = field("scope-code").value;
  field("scope-code").value = "";
  if (challenge) return showStep(await client.submitStepUpOTP(challenge, code));
}));

onSubmit("scope-continue", (form) => perform("continue-scope", form, async () => {
  if (challenge) return showStep(await client.continueStepUp(challenge, field("scope-token").value.trim()));
}));

// ------------------------------------------------------------------------------------------------------------ Password

onSubmit("new-password", (form) => perform("change-password", form, async () => {
  await client.changePassword(field("new").value);
  field("new").value = "";
  await showSession();
  return "The password is changed.";
}));

// ------------------------------------------------------------------------------------------------------------ The page

element("signatures").addEventListener("change", () => showSignatures(field("signatures").checked));
onClick("clear", () => log.clear());

// A page that is kept in memory must not come back signed in. When it ends, its key is gone, so nothing can use the session.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

show("signedOut");
element("loading").hidden = true;
root.hidden = false;
