// @ts-check
/**
 * Shows tokens and JSON in the playground.
 *
 * A token is shown without its signature, so that a picture of the page gives away nothing that works. The operator can
 * show signatures. Passwords, codes and verifiers are never shown.
 *
 * @module
 */

/** Three parts in base64url, the first of which is a JSON object. */
const token = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** Members and headers whose value is a secret in any form, unless it is a token. */
const secretName = /^(code|password|code_verifier|token|.*_token|x-trusted-device|x-verification-token)$/i;

const mask = "••••••";

/** @type {WeakMap<Element, string>} The tokens behind the elements that show them. */
let tokens = new WeakMap();

let showsSignatures = false;

/** @param {string} text */
const withoutSignature = (text) => text.slice(0, text.lastIndexOf(".") + 1) + mask;

/** @param {Element} element */
function showToken(element) {
  const whole = tokens.get(element);
  if (whole !== undefined) element.textContent = showsSignatures ? whole : withoutSignature(whole);
}

const shownTokens = () => document.querySelectorAll(".token");

/**
 * Shows or hides the signatures of all tokens on the page.
 * @param {boolean} isOn
 */
export function showSignatures(isOn) {
  showsSignatures = isOn;
  shownTokens().forEach(showToken);
}

/** Forgets the signatures of all tokens, as after a sign-out. */
export function forgetTokens() {
  const wasOn = showsSignatures;
  showSignatures(false);
  tokens = new WeakMap();
  showsSignatures = wasOn;
}

/**
 * A text in which each token is an element of its own.
 * @param {string} text @returns {Node[]}
 */
export function textWithTokens(text) {
  /** @type {Node[]} */
  const nodes = [];
  let end = 0;
  for (const { 0: found, index = 0 } of text.matchAll(token)) {
    const element = document.createElement("span");
    element.className = "token";
    tokens.set(element, found);
    showToken(element);
    nodes.push(document.createTextNode(text.slice(end, index)), element);
    end = index + found.length;
  }
  return [...nodes, document.createTextNode(text.slice(end))];
}

/** @param {string} text */
const isToken = (text) => text.replace(token, "") === "" && text !== "";

/**
 * The value of a header or member as it is shown: secrets that are no tokens are masked.
 * @param {string} name @param {string} value
 */
export const shownValue = (name, value) => secretName.test(name) && !isToken(value) ? mask : value;

/**
 * JSON for people; a text that is no JSON, as it is.
 * @param {string} text
 */
export function shownBody(text) {
  try {
    // A code of an error, such as "bad_check_code", is a word, not a secret.
    const isError = typeof JSON.parse(text)?.message === "string";
    return JSON.stringify(JSON.parse(text), (name, value) =>
      typeof value !== "string" || isError && name === "code" ? value : shownValue(name, value), 2);
  } catch {
    return text.slice(0, 2000);
  }
}

/**
 * Header and payload of a token, not verified; `undefined` for anything else.
 * @param {string} text @returns {{header: Record<string, unknown>, payload: Record<string, unknown>} | undefined}
 */
export function decoded(text) {
  try {
    const [header, payload] = text.split(".").slice(0, 2).map((part) => {
      const bytes = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
      return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))));
    });
    return { header, payload };
  } catch {
    return undefined;
  }
}
