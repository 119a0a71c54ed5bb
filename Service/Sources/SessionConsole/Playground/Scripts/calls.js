// @ts-check
/**
 * The log of the playground: for each step the line of Swift that does the same, and each call with its request, its
 * decoded proof, and its answer.
 *
 * @module
 */

import { PreludeSessionError } from "./prelude-session.js";
import { decoded, shownBody, shownValue, textWithTokens } from "./tokens.js";
import { proofMembers } from "./members.js";

/** How many steps are kept. */
const maximum = 30;

/** Headers of an answer that say something about the session. */
const shownHeaders = ["Content-Type", "Date", "DPoP-Nonce", "Retry-After", "WWW-Authenticate", "X-Request-Id"];

/** Calls whose cookies matter, with what they do. */
const cookies = new Map([
  ["/refresh", "the refresh token"], ["/revoke", "the refresh token"], ["/login/finalize", "an earlier refresh token"],
  ["/otp/check", "the login that waits for its code"], ["/otp/retry", "the login that waits for its code"],
]);

/**
 * @param {string} name @param {string} [className] @param {...(Node | string)} content
 * @returns {HTMLElement}
 */
function make(name, className = "", ...content) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

/** @param {string} text */
const block = (text) => make("pre", "", ...textWithTokens(text));

/** @param {string} text @param {"good" | "bad" | "warn" | ""} style */
const badge = (text, style) => make("span", `badge ${style}`, text);

/** Shows the steps, newest first. Pass its `fetch` to the client. */
export class CallLog {
  #list;
  #empty;
  /** @type {Step | undefined} */
  #current;

  /** @param {HTMLElement} list @param {HTMLElement} empty Shown while nothing was sent. */
  constructor(list, empty) {
    this.#list = list;
    this.#empty = empty;
  }

  /**
   * Begins a step. The calls that follow belong to it.
   * @param {string} title @param {string} swift
   */
  begin(title, swift) {
    this.#current?.fold();
    this.#current = new Step(title, swift);
    this.#empty.hidden = true;
    this.#list.prepend(this.#current.element);
    while (this.#list.children.length > maximum) this.#list.lastElementChild?.remove();
    return this.#current;
  }

  clear() {
    this.#current = undefined;
    this.#list.replaceChildren();
    this.#empty.hidden = false;
  }

  /**
   * Sends a request as the page does, and shows it.
   * @param {string} url @param {RequestInit} init
   */
  fetch = async (url, init) => {
    const isOwn = this.#current === undefined;
    const step = this.#current ?? this.begin("In the background", "");
    const begun = performance.now();
    const passed = () => `${Math.round(performance.now() - begun)} ms`;
    try {
      const response = await fetch(url, init);
      const text = await response.clone().text();
      step.add(url, init, passed(), { response, text });
      return response;
    } catch (error) {
      step.add(url, init, passed());
      throw error;
    } finally {
      if (isOwn) step.end();
    }
  };
}

/** One step of the user, with its calls. */
class Step {
  #state = badge("running", "");
  #calls = make("div", "calls");
  #error = make("p", "error");

  /** @param {string} title @param {string} swift */
  constructor(title, swift) {
    this.element = make("li", "step",
      make("div", "card-head", make("h3", "", title), this.#state),
      ...(swift ? [make("pre", "swift", make("code", "", swift))] : []), this.#error, this.#calls);
    this.#error.hidden = true;
  }

  /** How many calls the step has made. */
  get count() {
    return this.#calls.children.length;
  }

  /** @param {string} [error] */
  end(error) {
    this.#state.replaceWith(error ? badge("failed", "bad") : badge("done", "good"));
    this.#error.textContent = error ?? "";
    this.#error.hidden = !error;
  }

  /** Closes the calls, because a newer step follows. */
  fold() {
    for (const call of this.#calls.querySelectorAll("details")) call.open = false;
  }

  /**
   * @param {string} url @param {RequestInit} init @param {string} time
   * @param {{response: Response, text: string}} [answer] Without one, the browser has got none that it shows to the page.
   */
  add(url, init, time, answer) {
    const headers = new Headers(init.headers);
    const { pathname, search } = new URL(url);
    const method = init.method ?? "GET";
    const status = answer && answer.response.type !== "opaque" ? String(answer.response.status) : "no answer";
    const style = answer?.response.ok ? "good" : "bad";
    const summary = make("summary", "", make("span", "method", method), " ",
      make("span", "path", pathname + search), " ", badge(status, style), " ", make("span", "time", time));
    const call = /** @type {HTMLDetailsElement} */ (make("details", "call", summary,
      make("h4", "", "Request"), block(requestText(method, url, headers, init.body))));
    const cookie = cookies.get(pathname.replace("/v1/session", ""));
    if (cookie) call.append(make("p", "hint", `The browser adds the cookie with ${cookie}. No script can read it.`));
    const proof = decoded(headers.get("DPoP") ?? "");
    if (proof) call.append(make("h4", "", "Proof, decoded"), proofMembers(proof));
    call.append(make("h4", "", "Answer"), block(answerText(answer)));
    call.open = true;
    this.#calls.append(call);
  }
}

/** @param {string} method @param {string} url @param {Headers} headers @param {RequestInit["body"]} body */
function requestText(method, url, headers, body) {
  const lines = [...headers].map(([name, value]) => `${titled(name)}: ${shownValue(name, value)}`);
  const content = typeof body === "string" ? ["", shownBody(body)] : [];
  return [`${method} ${url}`, ...lines, ...content].join("\n");
}

/** @param {{response: Response, text: string} | undefined} answer */
function answerText(answer) {
  if (!answer || answer.response.type === "opaque") {
    return "The browser shows no answer to this page. There is no network, or the app does not allow its origin.";
  }
  const { response, text } = answer;
  const lines = shownHeaders.flatMap((name) => response.headers.has(name)
    ? [`${name}: ${response.headers.get(name)}`] : []);
  return [`HTTP ${response.status}`, ...lines, ...(text ? ["", shownBody(text)] : [])].join("\n");
}

/** @param {string} name The browser's form of a header, such as `x-request-id`. */
const titled = (name) => name === "dpop" ? "DPoP"
  : name.replaceAll(/(^|-)[a-z]/g, (part) => part.toUpperCase());

/**
 * What an operator can do about an error. The service's message comes first.
 * @param {PreludeSessionError} error
 */
function advice(error) {
  switch (error.kind) {
    case "originNotAllowed": return "Load this page again: it offers to allow the console.";
    case "cookiesBlocked": return "Open the console at a host of the app's own domain, such as console.example.com, "
      + "or in a browser that keeps cookies of other sites.";
    case "rateLimited": return `Wait ${error.retryAfter ?? 30} seconds.`;
    case "network": return "Is the service running, and can this browser reach it?";
    case "unauthorized": return error.status === undefined ? "Sign in first." : "";
    default: return error.needsNewCode ? "Ask for a new code." : "";
  }
}

/**
 * What an error is, and what to do about it.
 * @param {unknown} error
 */
export function textOf(error) {
  if (!(error instanceof PreludeSessionError)) return String(error);
  const code = error.code ? `${error.kind} (${error.code})` : error.kind;
  return `${code}: ${error.message}. ${advice(error)}`.trim();
}
