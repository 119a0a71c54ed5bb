// @ts-check
/**
 * Shows the members of tokens and proofs with what each is for.
 *
 * @module
 */

/** @type {Record<string, string>} Members of a DPoP proof (RFC 9449 §4.2). */
const ofProofs = {
  typ: "What the token is: a proof, so it can be nothing else, such as an access token.",
  alg: "How it is signed.",
  jwk: "The public key of this page. The session is bound to its thumbprint, so a stolen refresh token is useless.",
  jti: "The id of the proof. The service accepts each once. For a step-up it is the id of the challenge token.",
  htm: "The method of the request that it is valid for.",
  htu: "The URL of that request, without its query.",
  iat: "When it was made. It is valid for a short time.",
  nonce: "The last nonce of the service. It shows that the proof was not made in advance.",
  ath: "The SHA-256 hash of the access token that is sent with it.",
  attempt: "The id of this rotation. If the answer is lost, the service repeats it for the same id.",
};

/** @type {Record<string, string>} Claims of an access token (RFC 9068, RFC 7800). */
const ofAccessTokens = {
  iss: "The service that has issued it.",
  aud: "Whom it is for: the backends of the app.",
  sub: "The user.",
  sid: "The session, until it is revoked.",
  iat: "When it was issued.",
  nbf: "From when it is valid.",
  exp: "When it expires. The client refreshes before.",
  jti: "The id of this token.",
  client_id: "The app.",
  cnf: "The thumbprint of the key that must sign a proof for each use of it.",
  scope: "What the session may do beyond the usual, by a login or a step-up.",
};

/** @param {string} name @param {unknown} value */
function shown(name, value) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 1).replaceAll(/\n */g, " ");
  const isTime = ["iat", "nbf", "exp"].includes(name) && typeof value === "number";
  return isTime ? `${text} (${new Date(value * 1000).toISOString().slice(0, 19)}Z)` : text;
}

/**
 * A list of members: name, value, meaning.
 * @param {Record<string, unknown>} members @param {Record<string, string>} meanings
 */
function list(members, meanings) {
  const list = document.createElement("dl");
  list.className = "members";
  for (const [name, value] of Object.entries(members)) {
    const term = document.createElement("dt");
    term.textContent = name;
    const content = document.createElement("dd");
    const code = document.createElement("code");
    code.textContent = shown(name, value);
    const meaning = document.createElement("span");
    meaning.textContent = meanings[name] ?? "A claim of the app.";
    content.append(code, meaning);
    list.append(term, content);
  }
  return list;
}

/** @param {{header: Record<string, unknown>, payload: Record<string, unknown>}} proof */
export const proofMembers = ({ header, payload }) => list({ ...header, ...payload }, ofProofs);

/** @param {Record<string, unknown>} claims */
export const accessTokenMembers = (claims) => list(claims, ofAccessTokens);

/**
 * A session of the user in a list, and its button that revokes it.
 * @param {import("./prelude-session.js").SessionView} session @param {boolean} isOwn Whether it is the one of this page.
 */
export function sessionItem(session, isOwn) {
  /** @param {string} tag @param {string} className @param {string} text */
  const make = (tag, className, text) => Object.assign(document.createElement(tag), { className, textContent: text });
  const time = session.lastSeenAt.slice(0, 16).replace("T", " ");
  const button = /** @type {HTMLButtonElement} */ (make("button", "small danger", "Revoke"));
  button.type = "button";
  button.setAttribute("aria-label", `Revoke the session ${session.id}`);
  const item = document.createElement("li");
  item.append(
    make("span", "mono", session.id), ...(isOwn ? [make("span", "badge good", "this page")] : []),
    make("span", "hint", `${session.deviceModel || session.deviceType}, last seen ${time} UTC`), button);
  return { item, button };
}
