// @ts-check
/**
 * Prelude Session for web pages: signs users in, keeps them signed in, and authorizes the calls of the page.
 *
 * One ES module without dependencies. Names and promises are those of the Swift SDK. `docs/browsers.md` explains what
 * to configure.
 *
 * ```js
 * import { PreludeSessionClient } from "https://session.example.com/v1/prelude-session.js";
 * const client = new PreludeSessionClient();
 * await client.startOTPLogin({ identifier: { type: "email_address", value: "ada@example.com" } });
 * const user = await client.checkOTP("123456");
 * const response = await client.fetch("/api/orders");
 * ```
 *
 * Where the state is: the refresh token is in a cookie that scripts cannot read. Everything else is in one record of
 * IndexedDB, which all tabs of the page's origin share: the device key, which cannot be exported, and the access token.
 * A Web Lock allows one login, refresh or revocation at a time, in all tabs. With `storage: "page"`, the record is in
 * memory, and ends with the page.
 *
 * Contents: types · errors · texts and tokens · passwords · keys and proofs · the record · step-up challenges · calls
 * of the service · the client.
 *
 * @module
 */

/** The version of this module, a part of the path that never changes. */
export const version = "1.3.0";

// --------------------------------------------------------------------------------------------------------------- Types

/**
 * @typedef {object} ClientOptions
 * @property {string} [endpoint] The origin of the service, such as `https://session.example.com`. Default: the
 *   service that this module was loaded from. A copy of the module at another place has no default.
 * @property {string[]} [apiOrigins] Origins that `fetch` may send access tokens to, beside the page's own.
 * @property {number} [timeout] Seconds that a request may take. Default: 10.
 * @property {number} [earlyRefreshMargin] Seconds before its expiry at which an access token is refreshed.
 *   Default: 30.
 * @property {() => Promise<string | undefined>} [signals] Sends device signals. Logins carry the id that it
 *   returns.
 * @property {"browser" | "page"} [storage] Where the device key and the access token are. `browser`, the default: in
 *   IndexedDB, for all tabs. `page`: in the memory of this page, so the session ends with it.
 * @property {(url: string, init: RequestInit) => Promise<Response>} [fetch] Sends the requests to the service, instead
 *   of the page's `fetch`, for example to show or to count them. It must pass them on unchanged.
 *
 * @typedef {"phone_number" | "email_address"} IdentifierType
 * @typedef {{type: IdentifierType, value: string}} Identifier
 *
 * @typedef {object} Profile The claims of an access token. They are not verified: use them for display only.
 * @property {string} userID
 * @property {string} sessionID
 * @property {Record<string, unknown>} extras All claims that are not registered.
 *
 * @typedef {object} User
 * @property {string} accessToken A JWT for the app's backend. It is valid for minutes.
 * @property {Profile} profile
 * @property {boolean} isNewUser Whether the login that returned this value created the user.
 *
 * @typedef {object} SessionView One session of the user. Times are RFC 3339. Unknown values are empty.
 * @property {string} id
 * @property {string} deviceModel
 * @property {"desktop" | "mobile" | "tablet" | "unknown"} deviceType
 * @property {string} osVersion
 * @property {string} countryCode
 * @property {string} createdAt
 * @property {string} lastSeenAt
 * @property {string} expiresAt
 *
 * @typedef {"all" | "others" | "mine" | {session: string}} RevokeTarget
 *
 * @typedef {"logout" | "revoked_here" | "ended" | "suspended" | "another_client" | "device_key_lost"} SignOutReason
 * @typedef {{type: "signedIn", profile: Profile} | {type: "refreshed", profile: Profile}
 *   | {type: "signedOut", reason: SignOutReason}} SessionEvent
 *
 * @typedef {object} PasswordRules Minimum counts of Unicode scalars. A `maxLength` of 0 is no limit.
 * @property {number} minLength
 * @property {number} maxLength
 * @property {number} uppercase
 * @property {number} lowercase
 * @property {number} numbers
 * @property {number} symbols
 *
 * @typedef {object} PasswordResult
 * @property {"min_length" | "max_length" | "uppercase" | "lowercase" | "numbers" | "symbols"} criterion
 * @property {number} actual
 * @property {number} expected
 * @property {boolean} valid
 */

// -------------------------------------------------------------------------------------------------------------- Errors

/**
 * @typedef {"badRequest" | "unauthorized" | "rateLimited" | "internalServerError" | "missingChallengeToken"
 *   | "invalidChallengeToken" | "expiredChallengeToken" | "tokenReused" | "invalidOTPCode" | "refreshFailed"
 *   | "invalidConfiguration" | "invalidPassword" | "forbidden" | "insufficientScope" | "notFound" | "conflict"
 *   | "timeout" | "network" | "generic" | "storageUnavailable" | "deviceKeyLost" | "originNotAllowed"
 *   | "cookiesBlocked" | "wrongPassword" | "accountSuspended"} ErrorKind
 *
 * @typedef {object} ErrorFacts What a response of the service says about an error.
 * @property {number} [status]
 * @property {string} [code]
 * @property {string} [requestID]
 * @property {number} [retryAfter]
 * @property {string} [field]
 * @property {boolean} [needsNewCode]
 * @property {boolean} [isFromGateway]
 * @property {unknown} [cause]
 */

/** @type {Record<string, ErrorKind>} The kinds of the service's error codes. */
const kindsOfCodes = Object.fromEntries(/** @type {[ErrorKind, string][]} */ ([
  ["badRequest", "bad_request invalid_identifier invalid_metadata invalid_pagination_limit invalid_pagination_offset " +
    "invalid_verification_token password_not_set no_login_config"],
  ["unauthorized", "unauthorized missing_dpop_proof dpop_key_mismatch invalid_dpop_proof use_dpop_nonce"],
  ["invalidPassword", "invalid_password"],
  ["invalidOTPCode", "bad_check_code"],
  ["missingChallengeToken", "missing_challenge_token"],
  ["expiredChallengeToken", "expired_challenge_token"],
  ["invalidChallengeToken", "invalid_challenge_token token_mismatch step_not_completed step_not_found step_bypassed"],
  ["tokenReused", "token_reused"],
  ["forbidden", "forbidden auth_blocked scope_not_allowed not_configured direct_scope_identifier_mismatch"],
  ["accountSuspended", "inactive_user suspended_account"],
  ["insufficientScope", "insufficient_scope"],
  ["notFound", "not_found"],
  ["conflict", "conflict identifier_already_exists"],
  ["rateLimited", "rate_limited too_many_requests"],
  ["internalServerError", "internal internal_server_error"],
]).flatMap(([kind, codes]) => codes.split(" ").map((code) => [code, kind])));

/** Codes about a challenge. With any status they mean nothing for the session. */
const challengeCodes = new Set(["missing_challenge_token", "invalid_challenge_token", "expired_challenge_token",
  "token_mismatch", "token_reused", "step_not_completed", "step_not_found", "step_bypassed"]);

/** Codes about the refresh itself, with or without a challenge. */
const refreshCodes = new Set(["unauthorized", "missing_dpop_proof", "dpop_key_mismatch", "invalid_dpop_proof",
  "use_dpop_nonce", "rate_limited", "too_many_requests", "suspended_account", "inactive_user"]);

const passwordLoginPath = "/login/email/password";

/** An error of this module. Decide by `kind` and `code`; the message is for developers and contains no secret. */
export class PreludeSessionError extends Error {
  /** @param {ErrorKind} kind @param {string} message @param {ErrorFacts} [facts] */
  constructor(kind, message, facts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = "PreludeSessionError";
    /** What failed. */
    this.kind = kind;
    /** The service's error code, such as `rate_limited`; `undefined` for an error of this module. */
    this.code = facts.code;
    /** The status of the response; `undefined` without one. */
    this.status = facts.status;
    /** The service's id of the request, to find it in the service's log. */
    this.requestID = facts.requestID;
    /** Seconds to wait before the next try, if the service sent them. */
    this.retryAfter = facts.retryAfter;
    /** The member of the request that the error is about, such as `identifier` or `password`. */
    this.field = facts.field;
    /** Whether no code that was sent before can be accepted any more. Offer another code. */
    this.needsNewCode = facts.needsNewCode ?? false;
    /** Whether a gateway in front of the service did not reach it. */
    this.isFromGateway = facts.isFromGateway ?? false;
  }

  /** Whether the phone number or e-mail address is invalid, or one that the app sends no codes to. */
  get isInvalidIdentifier() {
    const isNamed = /^(metadata\.)?identifier(\.|$)/.test(this.field ?? "");
    return this.kind === "badRequest" && (this.code === "invalid_identifier" || isNamed);
  }

  /** Whether the account is suspended or closed. Another try does not help. */
  get isAccountSuspended() {
    return this.kind === "accountSuspended";
  }
}

/**
 * Reads an error response. A body that is not the service's gets the code `http_<status>`, and its text is never shown.
 * @param {Response} response @param {any} body @param {string} path
 */
function errorOf(response, body, path) {
  const isForeign = typeof body?.code !== "string" || typeof body?.message !== "string";
  const { status } = response;
  const code = isForeign ? `http_${status}` : body.code;
  const isFromGateway = isForeign && [502, 503, 504].includes(status);
  // A login with a code that has ended.
  const hasLoginEnded = code === "invalid_verification_token" && path.startsWith("/otp/");
  // The service does not say whether the address or the password is wrong.
  const isWrongPassword = code === "unauthorized" && path === passwordLoginPath;
  const facts = {
    status, code, isFromGateway, field: isForeign ? undefined : body.field ?? (isWrongPassword ? "password" : undefined),
    needsNewCode: isForeign ? false : body.needs_new_code ?? hasLoginEnded,
    requestID: (isForeign ? undefined : body.request_id) ?? response.headers.get("X-Request-Id") ?? undefined,
    retryAfter: retryAfterOf(response),
  };
  if (isFromGateway) return new PreludeSessionError("network", `a gateway answered ${status} for the service`, facts);
  const kind = isForeign && status === 429 ? "rateLimited"
    : isWrongPassword ? "wrongPassword" : kindsOfCodes[code] ?? "generic";
  const message = isForeign ? `the response with status ${status} is not from the session service` : body.message;
  return new PreludeSessionError(kind, message.slice(0, 300), facts);
}

/** @param {Response} response */
function retryAfterOf(response) {
  const text = response.headers.get("Retry-After");
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}

/** @param {unknown} error @param {ErrorKind} kind @returns {error is PreludeSessionError} */
function isError(error, kind) {
  return error instanceof PreludeSessionError && error.kind === kind;
}

/** @param {unknown} error */
const codeOf = (error) => error instanceof PreludeSessionError ? error.code : undefined;

// ---------------------------------------------------------------------------------------------------- Texts and tokens

/** @param {ArrayBuffer | Uint8Array} bytes */
function base64url(bytes) {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {unknown} value */
const base64urlOfJSON = (value) => base64url(new TextEncoder().encode(JSON.stringify(value)));

/** @param {string} text */
function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {number} count */
const randomText = (count) => base64url(crypto.getRandomValues(new Uint8Array(count)));

/** @param {string} text */
const hashOf = async (text) => base64url(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));

/**
 * The claims of a JWT, not verified; `undefined` for anything else.
 * @param {string | undefined} token @returns {Record<string, any> | undefined}
 */
function claimsOf(token) {
  try {
    const part = (token ?? "").split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(part), (byte) => byte.charCodeAt(0))));
  } catch {
    return undefined;
  }
}

/** Seconds by which the service sets `iat` back, because common libraries reject a token from the future. */
const backdating = 30;

/**
 * When the service issued an access token, in seconds; `undefined` without one.
 * @param {string | undefined} token
 */
const issueTimeOf = (token) => {
  const issuedAt = claimsOf(token)?.iat;
  return issuedAt === undefined ? undefined : issuedAt + backdating;
};

const registeredClaims = new Set(["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "client_id", "cnf"]);

/** @param {string} accessToken @returns {Profile} */
function profileOf(accessToken) {
  const claims = claimsOf(accessToken) ?? {};
  const extras = Object.fromEntries(Object.entries(claims).filter(([name]) => !registeredClaims.has(name)));
  return { userID: claims.sub ?? "", sessionID: claims.sid ?? "", extras };
}

/** @param {string} accessToken @param {boolean} [isNewUser] @returns {User} */
const userOf = (accessToken, isNewUser = false) => ({ accessToken, profile: profileOf(accessToken), isNewUser });

/** @param {string} accessToken */
const scopesOf = (accessToken) => String(claimsOf(accessToken)?.scope ?? "").split(" ");

// Whether a token can be used only with proofs by the device key (RFC 9449 §6.1).
/** @param {string} accessToken */
const isBound = (accessToken) => claimsOf(accessToken)?.cnf?.jkt !== undefined;

// The value of `Authorization` (RFC 6750 §2.1, RFC 9449 §7.1).
/** @param {string} accessToken */
const authorizationOf = (accessToken) => `${isBound(accessToken) ? "DPoP" : "Bearer"} ${accessToken}`;

/**
 * The digits of a code, in ASCII, as a user typed or pasted it: in any script, with spaces and punctuation. A text that
 * has anything else is returned as it is.
 * @param {string} typed
 */
function normalizedCode(typed) {
  const text = typed.normalize("NFKC").replace(/[\p{P}\p{Z}\p{C}\u2212\u30FC]/gu, "");
  const digits = Array.from(text, digitOf).join("");
  return /^\d+$/.test(digits) ? digits : typed;
}

// The digits of a script follow each other, from 0 to 9.
/** @param {string} character */
function digitOf(character) {
  const isDigit = (/** @type {number} */ scalar) => /^\p{Nd}$/u.test(String.fromCodePoint(scalar));
  const scalar = character.codePointAt(0) ?? 0;
  if (!isDigit(scalar)) return character;
  let value = 0;
  while (value < 9 && isDigit(scalar - value - 1)) value += 1;
  return String(value);
}

// ----------------------------------------------------------------------------------------------------------- Passwords

/**
 * Checks a password by the app's rules, on this device. Letters and digits count by Unicode general category.
 * @param {string} password @param {PasswordRules} rules @returns {{valid: boolean, results: PasswordResult[]}}
 */
export function validatePassword(password, rules) {
  const scalars = Array.from(password);
  const count = (/** @type {RegExp} */ kind) => scalars.filter((scalar) => kind.test(scalar)).length;
  /** @type {[PasswordResult["criterion"], number, number][]} */
  const counted = [
    ["min_length", scalars.length, rules.minLength], ["max_length", scalars.length, rules.maxLength],
    ["uppercase", count(/^\p{Lu}$/u), rules.uppercase], ["lowercase", count(/^\p{Ll}$/u), rules.lowercase],
    ["numbers", count(/^\p{Nd}$/u), rules.numbers], ["symbols", count(/^[^\p{Lu}\p{Ll}\p{Nd}]$/u), rules.symbols],
  ];
  const results = counted.filter(([, , expected]) => expected > 0).map(([criterion, actual, expected]) => (
    { criterion, actual, expected, valid: criterion === "max_length" ? actual <= expected : actual >= expected }));
  return { valid: results.every((result) => result.valid), results };
}

// ----------------------------------------------------------------------------------------------------- Keys and proofs

/** @typedef {{privateKey: CryptoKey, publicKey: JsonWebKey}} DeviceKey */

// Creates a key whose private half never leaves the browser.
/** @returns {Promise<DeviceKey>} */
async function newDeviceKey() {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return { privateKey: pair.privateKey, publicKey: { kty, crv, x, y } };
}

/**
 * A DPoP proof for one request (RFC 9449 §4.2).
 *
 * @param {DeviceKey} key
 * @param {object} facts
 * @param {string} facts.method
 * @param {string} facts.url Query and fragment are removed.
 * @param {number} facts.time Now, in seconds, by the server's clock.
 * @param {string} [facts.accessToken] The access token of the request.
 * @param {string} [facts.nonce] The last nonce of the server.
 * @param {string} [facts.attempt] The id of the login that starts a session, or of the rotation of a refresh.
 * @param {string} [facts.id] The id of the challenge token that the proof is for. Default: a random one.
 */
async function dpopProof(key, { method, url, time, accessToken, nonce, attempt, id = randomText(16) }) {
  const { origin, pathname } = new URL(url);
  const header = { typ: "dpop+jwt", alg: "ES256", jwk: key.publicKey };
  const payload = { jti: id, htm: method, htu: origin + pathname, iat: Math.floor(time), nonce, attempt,
    ath: accessToken === undefined ? undefined : await hashOf(accessToken) };
  const input = `${base64urlOfJSON(header)}.${base64urlOfJSON(payload)}`;
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  return `${input}.${base64url(await crypto.subtle.sign(algorithm, key.privateKey, new TextEncoder().encode(input)))}`;
}

// ---------------------------------------------------------------------------------------------------------- The record

/**
 * @typedef {object} StoredSession
 * @property {string} accessToken
 * @property {number} expiresAt Seconds, by the server's clock.
 * @property {boolean} [isRejected] Whether the token must be replaced although it has not expired.
 *
 * @typedef {object} StoredChallenge
 * @property {string} token
 * @property {string} scope
 * @property {StepUpStatus} status
 *
 * @typedef {object} SessionRecord All that this browser knows about its session.
 * @property {1} version
 * @property {number} epoch Counts logins and logouts. A result of a call that began in another epoch is dropped.
 * @property {DeviceKey} [key] Kept by a logout, like a device.
 * @property {string} [nonce] The service's last DPoP nonce.
 * @property {number} clockOffset Seconds to add to this device's clock to get the service's.
 * @property {StoredSession} [session]
 * @property {string} [attempt] The id of the rotation that was begun. It is stored before anything is sent, and the
 *   service repeats its answer for it, so a lost answer loses nothing.
 * @property {StoredChallenge[]} stepUps Open and completed challenges of the session, the newest last.
 * @property {boolean} mustRevoke Whether the session of the cookie has ended here and not yet on the service.
 * @property {boolean} keepsCookies Whether a refresh has succeeded, so the browser keeps the service's cookies.
 */

const recordVersion = 1;

/** @type {SessionRecord} */
const emptyRecord = {
  version: recordVersion, epoch: 0, clockOffset: 0, stepUps: [], mustRevoke: false, keepsCookies: false,
};

/** The record of one service in IndexedDB. Each change is one transaction, so tabs do not overwrite each other. */
class RecordStore {
  /** @type {Promise<IDBDatabase> | undefined} */
  #database;

  /** @param {string} name The origin of the service. */
  constructor(name) {
    this.name = name;
  }

  /** @returns {Promise<SessionRecord>} */
  async read() {
    return (await this.#transact("readonly", () => undefined)).record;
  }

  /**
   * Changes the record, unless the change returns `undefined`.
   *
   * @param {(record: SessionRecord) => SessionRecord | undefined} change It must not wait for anything.
   * @returns {Promise<{record: SessionRecord, isChanged: boolean}>} The record afterwards.
   */
  update(change) {
    return this.#transact("readwrite", change);
  }

  async close() {
    (await this.#database?.catch(() => undefined))?.close();
    this.#database = undefined;
  }

  /**
   * @param {IDBTransactionMode} mode @param {(record: SessionRecord) => SessionRecord | undefined} change
   * @returns {Promise<{record: SessionRecord, isChanged: boolean}>}
   */
  async #transact(mode, change) {
    try {
      const database = await (this.#database ??= this.#open());
      return await new Promise((resolve, reject) => {
        const transaction = database.transaction("clients", mode);
        const clients = transaction.objectStore("clients");
        const reading = clients.get(this.name);
        let result = { record: emptyRecord, isChanged: false };
        reading.onsuccess = () => {
          result.record = reading.result ?? emptyRecord;
          if (result.record.version > recordVersion) return transaction.abort();
          const changed = change(result.record);
          if (changed === undefined) return;
          result = { record: changed, isChanged: true };
          clients.put(changed, this.name);
        };
        transaction.oncomplete = () => resolve(result);
        transaction.onabort = () => reject(transaction.error ?? new Error("a newer version wrote the record"));
      });
    } catch (cause) {
      this.#database = undefined;
      throw new PreludeSessionError(
        "storageUnavailable", "the browser cannot read or write IndexedDB; the session is kept", { cause });
    }
  }

  /** @returns {Promise<IDBDatabase>} */
  #open() {
    return new Promise((resolve, reject) => {
      const opening = indexedDB.open("prelude-session", 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore("clients");
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const database = opening.result;
        database.onversionchange = () => this.close();
        database.onclose = () => { this.#database = undefined; };
        resolve(database);
      };
    });
  }
}

/** The record of one client, in the memory of its page. */
class PageStore {
  #record = emptyRecord;

  async read() {
    return this.#record;
  }

  /** @param {(record: SessionRecord) => SessionRecord | undefined} change */
  async update(change) {
    const changed = change(this.#record);
    this.#record = changed ?? this.#record;
    return { record: this.#record, isChanged: changed !== undefined };
  }

  async close() {}
}

// -------------------------------------------------------------------------------------------------- Step-up challenges

/** @typedef {"continue" | "review" | "block"} StepUpStatus */

/** One attempt to get a scope, in the state of the service's last response. Each response returns the next state. */
export class StepUpChallenge {
  #token;

  /** @param {StoredChallenge | {status: "block", scope: string, token?: undefined}} stored */
  constructor(stored) {
    const claims = claimsOf(stored.token) ?? {};
    this.#token = stored.token;
    /** The service's decision: `continue` is granted, `review` needs steps, `block` is denied. */
    this.status = stored.status;
    /** The service's id of the attempt, the same in all steps. Empty if it is denied. */
    this.challengeID = String(claims.challenge_id ?? "");
    /** `verify_sms`, `verify_email` or a step of the app's own; `completed` after the last one. */
    this.currentStep = /** @type {string | undefined} */ (claims.current_step);
    this.requestedScope = stored.scope;
    /** @internal */
    this.sessionID = claims.sid;
    /** @internal */
    this.tokenID = claims.jti;
    /** @internal */
    this.expiresAt = claims.exp ?? 0;
  }

  /** Whether all steps are completed. The next refresh then adds the scope to the access token. */
  get isCompleted() { return this.currentStep === "completed"; }

  /** Whether the current step is a code of the service. Any other open step is the app's own. */
  get expectsCode() { return ["verify_sms", "verify_email"].includes(this.currentStep ?? ""); }

  /** @internal @returns {string} */
  get token() {
    if (this.#token !== undefined && this.status !== "block") return this.#token;
    throw new PreludeSessionError("invalidChallengeToken", "the scope was denied; the challenge cannot continue");
  }
}

/** @param {SessionRecord} record */
const challengesOf = (record) => record.stepUps.map((stored) => new StepUpChallenge(stored));

// The record without a challenge.
/** @param {SessionRecord} record @param {string} id @returns {SessionRecord} */
const withoutChallenge = (record, id) => ({
  ...record, stepUps: record.stepUps.filter((stored) => new StepUpChallenge(stored).challengeID !== id),
});

/** How many challenges a session may have open, as on the service. */
const maximumChallenges = 10;

// ------------------------------------------------------------------------------------------------ Calls of the service

/**
 * @typedef {object} Call
 * @property {object} [body]
 * @property {string} [accessToken]
 * @property {boolean} [hasProof] Whether the call carries a proof by the device key.
 * @property {string} [attempt] The login or the rotation that the proof names.
 * @property {string} [challengeID] The challenge token that the proof is for. Such a proof has no nonce.
 * @property {Record<string, string>} [headers]
 * @property {boolean} [outlivesPage] Whether the request continues when the user leaves the page.
 * @property {() => void} [onSent] Called when the browser has the request.
 */

/** Sends calls to the service: adds proofs, learns nonces and the service's time, and throws its errors. */
class ServiceConnection {
  /** Whether a page of this origin has received a response, so that CORS allows it. */
  #isOriginAllowed;

  /**
   * @param {string} endpoint
   * @param {number} timeout Seconds.
   * @param {RecordStore | PageStore} store
   * @param {ClientOptions["fetch"]} send
   */
  constructor(endpoint, timeout, store, send = (url, init) => fetch(url, init)) {
    this.endpoint = endpoint;
    this.timeout = timeout;
    this.store = store;
    this.sendRequest = send;
    this.#isOriginAllowed = endpoint === location.origin;
  }

  /**
   * Sends a call. If the service asks for a nonce, it is repeated once with it (RFC 9449 §8), except for a refresh.
   *
   * @param {"GET" | "POST"} method
   * @param {string} path Relative to `/v1/session`.
   * @param {Call} [call]
   * @returns {Promise<{json: any, headers: Headers}>}
   */
  async send(method, path, call = {}) {
    try {
      return await this.#attempt(method, path, call);
    } catch (error) {
      const mayRepeat = call.hasProof && call.attempt === undefined && call.challengeID === undefined;
      if (!mayRepeat || codeOf(error) !== "use_dpop_nonce") throw error;
      return this.#attempt(method, path, call);
    }
  }

  /** @param {"GET" | "POST"} method @param {string} path @param {Call} call */
  async #attempt(method, path, call) {
    const url = `${this.endpoint}/v1/session${path}`;
    const headers = new Headers(call.headers);
    if (call.body !== undefined) headers.set("Content-Type", "application/json");
    if (call.accessToken !== undefined) headers.set("Authorization", authorizationOf(call.accessToken));
    if (call.hasProof) headers.set("DPoP", await this.#proof(method, url, call));
    const answer = this.#fetch(url, {
      method, headers, body: call.body === undefined ? undefined : JSON.stringify(call.body),
      keepalive: call.outlivesPage,
    });
    call.onSent?.();
    const { response, json } = await answer;
    await this.#learn(response, json);
    if (!response.ok) throw errorOf(response, json, path);
    return { json, headers: response.headers };
  }

  /** @param {string} method @param {string} url @param {Call} call */
  async #proof(method, url, call) {
    const record = await this.store.read();
    return dpopProof(requireKey(record), {
      method, url, time: serverTime(record), accessToken: call.accessToken, attempt: call.attempt, id: call.challengeID,
      nonce: call.challengeID === undefined ? record.nonce : undefined,
    });
  }

  /** @param {string} url @param {RequestInit} init @returns {Promise<{response: Response, json: any}>} */
  async #fetch(url, init) {
    try {
      const response = await this.sendRequest(url, {
        ...init, credentials: "include", cache: "no-store", redirect: "error",
        signal: signalAfter(this.timeout),
      });
      this.#isOriginAllowed = true;
      // A body that is not the service's has no members.
      return { response, json: jsonOf(await response.text()) };
    } catch (cause) {
      if (/** @type {Error} */ (cause).name === "TimeoutError") {
        throw new PreludeSessionError("timeout", "the service did not answer in time; a session is kept", { cause });
      }
      await this.#requireAllowedOrigin();
      throw new PreludeSessionError("network", `${this.endpoint} did not answer; a session is kept`, { cause });
    }
  }

  /** A browser reports a forbidden origin like a missing network. So ask for public data, with and without CORS. */
  async #requireAllowedOrigin() {
    if (this.#isOriginAllowed) return;
    const isReachable = (/** @type {string} */ path, /** @type {RequestMode} */ mode) =>
      this.sendRequest(this.endpoint + path, { mode, credentials: "omit", cache: "no-store",
        signal: signalAfter(this.timeout) }).then(() => true, () => false);
    if (await isReachable("/.well-known/jwks.json", "cors")) return void (this.#isOriginAllowed = true);
    if (!await isReachable("/livez", "no-cors")) return;
    throw new PreludeSessionError("originNotAllowed",
      `the service does not allow pages of ${location.origin}; add "${location.origin}" to allowed_origins of the app`);
  }

  /**
   * Keeps the service's nonce and time. Pages of another origin can read `Date` only if the service exposes it. A new
   * access token has the time as well.
   * @param {Response} response @param {any} json
   */
  async #learn(response, json) {
    const nonce = response.headers.get("DPoP-Nonce") ?? undefined;
    const seconds = Date.parse(response.headers.get("Date") ?? "") / 1000 || issueTimeOf(json?.access_token);
    const measured = seconds === undefined ? undefined : seconds - Date.now() / 1000;
    await this.store.update((record) => {
      const clockOffset = measured === undefined ? record.clockOffset : correctedOffset(record.clockOffset, measured);
      if (clockOffset === record.clockOffset && (nonce === undefined || nonce === record.nonce)) return undefined;
      return { ...record, clockOffset, nonce: nonce ?? record.nonce };
    });
  }
}

/** @param {number} seconds @returns {AbortSignal} */
const signalAfter = (seconds) => /** @type {any} */ (AbortSignal).timeout(seconds * 1000);

/** Seconds. A smaller difference of clocks is the duration of a request. */
const clockTolerance = 5;

/** @param {number} known @param {number} measured */
function correctedOffset(known, measured) {
  if (Math.abs(measured - known) <= clockTolerance) return known;
  return Math.abs(measured) > clockTolerance ? measured : 0;
}

// Now, in seconds, by the service's clock as far as it is known.
/** @param {SessionRecord} record */
const serverTime = (record) => Date.now() / 1000 + record.clockOffset;

// ---------------------------------------------------------------------------------------------------------- The client

/**
 * @typedef {object} PendingLogin A login that waits for its code, kept for this tab, so that a reload continues it.
 * @property {string} codeVerifier The secret of RFC 7636, so that only this tab can finish the login.
 * @property {string | undefined} verificationToken
 * @property {string} [attempt] The id of the login, which every request that starts its session has.
 * @property {{code: string, challengeToken: string}} [accepted] The right code, if no session could be started yet.
 */

/** The scope that allows one password change. */
const passwordScope = "prld:pwd:write";

/** Signs a user in and keeps the session. All tabs of an origin share it, and any number of clients. */
export class PreludeSessionClient {
  #options;
  #store;
  #service;
  /** @type {BroadcastChannel | undefined} */
  #channel;
  /** @type {Set<(event: SessionEvent) => void>} */
  #listeners = new Set();
  /** @type {Map<string, string>} The last DPoP nonce of each backend. */
  #backendNonces = new Map();
  /** @type {PendingLogin | undefined} The login that waits for its code, if the page keeps it. */
  #loginOfPage;
  /** @type {{epoch: number, user: Promise<User>} | undefined} The refresh that all callers of this tab share. */
  #refreshing;
  #stop = new AbortController();

  /** @param {ClientOptions} [options] */
  constructor(options = {}) {
    const { endpoint = servingOrigin(), apiOrigins = [], timeout = 10, earlyRefreshMargin = 30, signals,
      storage = "browser", fetch: send } = options;
    if (!globalThis.isSecureContext || !navigator.locks || !crypto.subtle) {
      throw new PreludeSessionError("invalidConfiguration",
        "the page needs https, or localhost: other pages have no keys and no locks");
    }
    if (storage !== "browser" && storage !== "page") {
      throw new PreludeSessionError("invalidConfiguration", 'storage must be "browser" or "page"');
    }
    const origins = [location.origin, ...apiOrigins.map(originOf)];
    this.#options = { timeout, earlyRefreshMargin, signals, storage, apiOrigins: origins };
    this.endpoint = originOf(endpoint);
    this.#store = storage === "page" ? new PageStore() : new RecordStore(this.endpoint);
    this.#service = new ServiceConnection(this.endpoint, timeout, this.#store, send);
    if (storage === "browser") {
      this.#channel = new BroadcastChannel(`prelude-session ${this.endpoint}`);
      this.#channel.onmessage = ({ data }) => {
        const isSignedOut = data.type === "signedOut";
        this.#notify(isSignedOut ? { type: "signedOut", reason: "another_client" } : data);
        // The page that signed out may be gone before its request has left.
        if (isSignedOut) this.#settleRevocation();
      };
    }
    addEventListener("online", () => this.#settleRevocation(), { signal: this.#stop.signal });
    this.#settleRevocation();
  }

  /** Ends this client, not the session: closes its channel and its database. */
  close() {
    this.#stop.abort();
    this.#channel?.close();
    this.#store.close();
  }

  // ---- Signing in

  /**
   * Sends a code. Submit it with `checkOTP`. It replaces an earlier login of this tab that waits for its code.
   * @param {{identifier: Identifier, loginConfigID?: string}} options
   */
  async startOTPLogin({ identifier, loginConfigID }) {
    const codeVerifier = randomText(32);
    const body = { identifier, login_config_id: loginConfigID, dispatch_id: await this.#dispatchID(),
      code_challenge: await hashOf(codeVerifier) };
    const { headers } = await this.#service.send("POST", "/otp", { body });
    const verificationToken = headers.get("X-Verification-Token") ?? undefined;
    this.#pendingLogin = { codeVerifier, verificationToken, attempt: randomText(16) };
  }

  /** Sends the code of the started login again, or a new one. */
  async resendOTP() {
    await this.#service.send("POST", "/otp/retry", verificationOf(this.#requirePendingLogin()));
  }

  /**
   * Signs in with a code. After a network error, call it again with the same code.
   *
   * @param {string} typed The digits, as the user typed them.
   * @returns {Promise<User>}
   */
  async checkOTP(typed) {
    const code = normalizedCode(typed);
    const pending = this.#requirePendingLogin();
    const { epoch } = await this.#store.read();
    if (pending.accepted?.code !== code) {
      const { json } = await this.#sendLogin("/otp/check", { body: { code }, ...verificationOf(pending) });
      pending.accepted = { code, challengeToken: json?.challenge_token };
      if (this.#pendingLogin?.codeVerifier === pending.codeVerifier) this.#pendingLogin = pending;
    }
    const { accepted, codeVerifier, attempt } = pending;
    const user = await this.#finalize(accepted.challengeToken, codeVerifier, attempt, epoch);
    if (this.#pendingLogin?.codeVerifier === pending.codeVerifier) this.#pendingLogin = undefined;
    return user;
  }

  /**
   * Signs in with a password, which is not stored. The kind of the error for a wrong one is `wrongPassword`.
   * @param {{emailAddress: string, password: string}} options @returns {Promise<User>}
   */
  async loginWithPassword({ emailAddress, password }) {
    const { epoch } = await this.#store.read();
    const body = { identifier: emailAddress, password, dispatch_id: await this.#dispatchID() };
    const { json } = await this.#sendLogin(passwordLoginPath, { body });
    return this.#finalize(json?.challenge_token, undefined, randomText(16), epoch);
  }

  /**
   * Signs in with a credential of the app's previous system.
   * @param {{token: string}} options @returns {Promise<User>}
   */
  async migrate({ token }) {
    const codeVerifier = randomText(32);
    const { epoch } = await this.#store.read();
    const body = { token, code_challenge: await hashOf(codeVerifier), dispatch_id: await this.#dispatchID() };
    const { json } = await this.#service.send("POST", "/migration", { body });
    return this.#finalize(json?.challenge_token, codeVerifier, randomText(16), epoch);
  }

  /**
   * The end of every login: starts the session with the key of this browser, and stores it before it is published.
   *
   * @param {string} challengeToken
   * @param {string | undefined} codeVerifier
   * @param {string | undefined} attempt The id of the login.
   * @param {number} epoch The epoch in which the login began.
   * @returns {Promise<User>}
   */
  #finalize(challengeToken, codeVerifier, attempt, epoch) {
    return this.#locked(async () => {
      const { key = await newDeviceKey() } = await this.#unchangedRecord(epoch);
      await this.#store.update((record) => record.key ? undefined : { ...record, key });
      const body = { challenge_token: challengeToken, code_verifier: codeVerifier };
      const { json } = await this.#sendLogin("/login/finalize", { body, hasProof: true, attempt });
      const session = sessionOf(json);
      // The service has ended the session that the cookie named before, so nothing is left to revoke.
      const { isChanged, record } = await this.#store.update((record) => record.epoch !== epoch ? undefined : {
        ...record, session, epoch: epoch + 1, attempt: undefined, stepUps: [], mustRevoke: false,
        keepsCookies: record.keepsCookies || this.endpoint === location.origin,
      });
      if (!isChanged) {
        // A logout came between. Its own revocation waits for the lock.
        await this.#store.update((record) => ({ ...record, mustRevoke: true }));
        await this.#sendRevocation();
        throw overtaken();
      }
      const { accessToken } = await this.#proveCookies(record, session);
      const user = userOf(accessToken, json.is_new_user === true);
      this.#emit({ type: "signedIn", profile: user.profile });
      return user;
    });
  }

  /**
   * Sends a request of a login, and repeats it when its answer may be lost: the service answers the right code, and the
   * challenge of the same attempt, again.
   * @param {string} path @param {Call} call
   */
  async #sendLogin(path, call) {
    const left = { lost: 1, nonce: 1, proof: 1, attempt: 0 };
    for (;;) {
      try {
        return await this.#service.send("POST", path, call);
      } catch (error) {
        const reason = repetitionReason(error);
        if (reason === undefined || left[reason]-- === 0) throw error;
      }
    }
  }

  /**
   * Refreshes once after the first login of this browser at a service of another origin. So a browser that drops the
   * cookie is found now, and not when the first access token expires.
   * @param {SessionRecord} record @param {StoredSession} session
   */
  async #proveCookies(record, session) {
    if (record.keepsCookies) return session;
    try {
      return await this.#rotate(record);
    } catch (error) {
      // Without an answer the session goes on, and the next refresh is the proof.
      if ((await this.#store.read()).session) return session;
      throw error;
    }
  }

  /**
   * Ends the session that the browser cannot keep, also on the service.
   * @param {string} accessToken
   */
  async #cookiesBlocked(accessToken) {
    await this.#service.send("POST", "/me/revoke?target=mine", { accessToken, hasProof: true }).catch(() => undefined);
    return new PreludeSessionError("cookiesBlocked",
      `the browser does not keep the cookies of ${this.endpoint} for pages of ${location.origin}, so no session can ` +
      "last. Serve the session service at a subdomain of the page's own domain, such as " +
      `https://session.${location.hostname.replace(/^www\./, "")}, and add it to the domains of the app`);
  }

  // Another login would be replaced on the service by one that is not wanted any more.
  /** @param {number} epoch */
  async #unchangedRecord(epoch) {
    const record = await this.#store.read();
    if (record.epoch !== epoch) throw overtaken();
    return record;
  }

  // ---- The session

  /**
   * The user with an access token that is valid now. All callers in all tabs share one refresh.
   * @returns {Promise<User>}
   */
  refresh() {
    return this.#refreshingOnce(0);
  }

  /**
   * An access token that is valid for some time.
   *
   * @param {number} [margin] Seconds. More than two thirds of the token's lifetime count as two thirds.
   */
  async validAccessToken(margin = 30) {
    const user = await this.#refreshingOnce(margin);
    return user.accessToken;
  }

  /** The signed-in user's claims, also offline; `undefined` if no user is signed in. */
  async profile() {
    const { session } = await this.#store.read();
    return session && profileOf(session.accessToken);
  }

  /** Has the next call refresh the access token. */
  async invalidateSession() {
    const { session } = await this.#store.read();
    if (session) await this.#reject(session.accessToken);
  }

  /** Signs out at once, also offline. The service revokes the session in the background, when it can be reached. */
  async logout() {
    let wasSignedIn = false;
    await this.#store.update((record) => {
      wasSignedIn = record.session !== undefined;
      // Without a session, too: a login in progress must not sign in.
      return { ...signedOut(record), epoch: record.epoch + 1, mustRevoke: wasSignedIn || record.mustRevoke };
    });
    if (wasSignedIn) this.#emit({ type: "signedOut", reason: "logout" });
    // The page may go on to another one now, so the request must have left. A second is enough for it, and no answer is needed.
    await new Promise((resolve) => {
      setTimeout(resolve, 1000);
      this.#settleRevocation(() => resolve(undefined)).then(resolve);
    });
  }

  /**
   * Waits until the service has answered the revocation of a session that has ended in this browser, at most for the
   * timeout of the client. Revocations are sent without it, too: it is for pages that show or test them.
   */
  async revokeEndedSessions() {
    await this.#settleRevocation();
  }

  /**
   * @param {{limit?: number, offset?: number}} [options]
   * @returns {Promise<{sessions: SessionView[], total: number, limit: number, offset: number}>} Last seen first.
   */
  async listSessions(options = {}) {
    const query = String(new URLSearchParams(Object.entries(options).map(([name, value]) => [name, String(value)])));
    const { json } = await this.#sendSignedIn("GET", `/me/list${query && `?${query}`}`);
    const sessions = json.sessions.map((/** @type {any} */ view) => ({
      id: view.id, deviceModel: view.device_model, deviceType: view.device_type, osVersion: view.os_version,
      countryCode: view.country_code, createdAt: view.created_at, lastSeenAt: view.last_seen_at,
      expiresAt: view.expires_at,
    }));
    return { ...json, sessions };
  }

  /**
   * Revokes sessions. If this one is among them, it also ends here.
   * @param {RevokeTarget} target
   */
  async revokeSessions(target) {
    const query = new URLSearchParams(typeof target === "string"
      ? { target } : { target: "session", session_id: target.session });
    const { session } = await this.#store.read();
    await this.#sendSignedIn("POST", `/me/revoke?${query}`);
    const own = session && profileOf(session.accessToken).sessionID;
    const isOwn = typeof target === "string" ? target !== "others" : target.session === own;
    if (isOwn) await this.#endSession("revoked_here", own);
  }

  /**
   * The identifiers of the user.
   * @returns {Promise<Identifier[]>}
   */
  async identifiers() {
    return (await this.#sendSignedIn("GET", "/me/identifiers")).json.identifiers;
  }

  // ---- Refreshing

  /** @param {number} margin @returns {Promise<User>} */
  async #refreshingOnce(margin) {
    const record = await this.#store.read();
    if (!this.#needsRefresh(record, margin)) return userOf(requireSession(record).accessToken);
    const running = this.#refreshing;
    if (running?.epoch === record.epoch) {
      await running.user;
      // Its caller may need the token for a shorter time, so the lock decides again.
      return this.#locked(() => this.#refreshUnderLock(margin));
    }
    const started = { epoch: record.epoch, user: this.#locked(() => this.#refreshUnderLock(margin)) };
    this.#refreshing = started;
    return started.user.finally(() => { if (this.#refreshing === started) this.#refreshing = undefined; });
  }

  // Another tab may have refreshed while this one waited for the lock.
  /** @param {number} margin @returns {Promise<User>} */
  async #refreshUnderLock(margin) {
    for (let mayCarryChallenge = true; ; mayCarryChallenge = false) {
      const record = await this.#store.read();
      if (!this.#needsRefresh(record, margin)) return userOf(requireSession(record).accessToken);
      const challenge = mayCarryChallenge ? completedChallenge(record) : undefined;
      try {
        return this.#refreshed(await this.#rotate(record, challenge));
      } catch (error) {
        if (!challenge) throw error;
        // The step-up failed. The token may still be valid, or a refresh without the challenge may succeed.
        const now = await this.#store.read();
        if (now.session && this.#isFresh(now, margin)) return userOf(now.session.accessToken);
        if (!rejectsChallenge(error) && !isError(error, "internalServerError")) throw error;
      }
    }
  }

  /** @param {SessionRecord} record @param {number} margin Seconds for which the token must be valid. */
  #needsRefresh(record, margin) {
    return !this.#isFresh(record, margin) || completedChallenge(record) !== undefined;
  }

  /** @param {SessionRecord} record @param {number} margin */
  #isFresh(record, margin) {
    const { accessToken, expiresAt, isRejected } = requireSession(record);
    const left = expiresAt - serverTime(record);
    const measured = expiresAt - (claimsOf(accessToken)?.iat ?? 0);
    // A server that does not set `iat` back may issue tokens that live shorter than that.
    const lifetime = measured > backdating ? measured - backdating : measured;
    return !isRejected && left > Math.min(this.#options.earlyRefreshMargin, lifetime / 3)
      && left >= Math.min(margin, lifetime * 2 / 3);
  }

  /**
   * Spends the refresh token and stores the new access token.
   *
   * @param {SessionRecord} record The record under the lock.
   * @param {StepUpChallenge} [challenge] A completed challenge, whose scope the new token gets.
   * @returns {Promise<User>}
   */
  async #rotate(record, challenge) {
    const { epoch } = record;
    try {
      const { json } = await this.#exchange(epoch, challenge);
      const session = sessionOf(json);
      const { isChanged } = await this.#store.update((record) => !isSameSession(record, epoch) ? undefined : {
        ...(challenge ? withoutChallenge(record, challenge.challengeID) : record),
        session, attempt: undefined, keepsCookies: true,
      });
      if (!isChanged) throw overtaken();
      return userOf(session.accessToken);
    } catch (error) {
      if (challenge && rejectsChallenge(error)) await this.#drop(challenge, epoch);
      else if (isError(error, "deviceKeyLost") || codeOf(error) === "dpop_key_mismatch") {
        await this.#endSession("device_key_lost");
        const message = "the key of the session is lost; sign in again";
        throw new PreludeSessionError("deviceKeyLost", message, { cause: error });
      } else if (isError(error, "accountSuspended")) {
        // The service says it only to who has proven the session, and has ended all sessions of the user before.
        await this.#endSession("suspended");
      } else if (endsSession(error)) {
        await this.#endSession("ended");
        if (!record.keepsCookies) throw await this.#cookiesBlocked(requireSession(record).accessToken);
      }
      throw error;
    }
  }

  /** @param {User} user */
  #refreshed(user) {
    this.#emit({ type: "refreshed", profile: user.profile });
    return user;
  }

  /**
   * Sends the refresh, and repeats it when the answer may be lost: the service repeats its answer to the same attempt.
   * @param {number} epoch @param {StepUpChallenge} [challenge]
   */
  async #exchange(epoch, challenge) {
    const body = challenge && { step_up_token: challenge.token };
    const left = { lost: 1, nonce: 1, proof: 1, attempt: 1 };
    let attempt = await this.#preparedAttempt(epoch, false);
    for (;;) {
      try {
        return await this.#service.send("POST", "/refresh", { body, hasProof: true, attempt });
      } catch (error) {
        const reason = repetitionReason(error);
        if (reason === undefined || left[reason]-- === 0 || reason === "attempt" && challenge) throw error;
        // The token was spent by an earlier request with this attempt. A new attempt gets a definite answer.
        attempt = await this.#preparedAttempt(epoch, reason === "attempt");
      }
    }
  }

  // Stores the id of a rotation before it is sent.
  /** @param {number} epoch @param {boolean} isNew */
  async #preparedAttempt(epoch, isNew) {
    const id = randomText(16);
    const { record } = await this.#store.update((record) => {
      if (!isSameSession(record, epoch) || record.attempt !== undefined && !isNew) return undefined;
      return { ...record, attempt: id };
    });
    if (!isSameSession(record, epoch)) throw overtaken();
    return record.attempt;
  }

  /**
   * Deletes the session of this browser, which the service has ended. A login in progress continues, unless the user
   * has ended the session.
   *
   * @param {SignOutReason} reason
   * @param {string} [sessionID] The session that has ended; a newer one is kept.
   */
  async #endSession(reason, sessionID) {
    const { isChanged } = await this.#store.update((record) => {
      const own = record.session && profileOf(record.session.accessToken).sessionID;
      if (own === undefined || own !== (sessionID ?? own)) return undefined;
      return reason === "revoked_here" ? { ...signedOut(record), epoch: record.epoch + 1 } : signedOut(record);
    });
    if (isChanged) this.#emit({ type: "signedOut", reason });
  }

  // Marks an access token as expired, unless it was replaced meanwhile.
  /** @param {string} accessToken */
  #reject(accessToken) {
    return this.#store.update(({ session, ...record }) => session?.accessToken !== accessToken ? undefined
      : { ...record, session: { ...session, isRejected: true } });
  }

  /**
   * Sends a revocation that is not done, without an error: a later call tries again.
   * @param {() => void} [onSent] Called when the browser has the request.
   */
  async #settleRevocation(onSent) {
    try {
      if ((await this.#store.read()).mustRevoke) await this.#locked(() => this.#sendRevocation(onSent));
    } catch {
      // The record still says that it is to be sent.
    }
  }

  /**
   * Revokes the session of the cookie. Only a definite answer of the service completes it.
   * @param {() => void} [onSent]
   */
  async #sendRevocation(onSent) {
    if (!(await this.#store.read()).mustRevoke) return;
    await this.#service.send("POST", "/revoke", { hasProof: true, outlivesPage: true, onSent }).catch((error) => {
      if (!endsSession(error) && !isError(error, "deviceKeyLost")) throw error;
    });
    await this.#store.update((record) => ({ ...record, mustRevoke: false }));
  }

  // ---- Calls of the app

  /**
   * `fetch` as the signed-in user: adds the access token, and a proof if the token is bound to the key of this browser.
   * After a 401 the request is repeated once with a new token. Without an answer it rejects like `fetch`.
   *
   * @param {RequestInfo | URL} input A URL of the page's origin or of `apiOrigins`.
   * @param {RequestInit} [init]
   * @returns {Promise<Response>}
   */
  async fetch(input, init) {
    const request = new Request(input, init);
    const origin = this.#requireOwnOrigin(request);
    const user = await this.refresh();
    const response = await this.#sendAuthorized(request, origin, user.accessToken);
    if (response.status !== 401 || this.stepUpScope(response) !== undefined) return response;
    return this.#sendAuthorized(request, origin, await this.#renewedToken(user));
  }

  /**
   * A copy of a request with an access token, and a proof if the token is bound. Authorize each request anew.
   * @param {Request} request
   */
  async authorize(request) {
    const origin = this.#requireOwnOrigin(request);
    return this.#authorized(request, origin, (await this.refresh()).accessToken);
  }

  /**
   * The scope that a backend asks a step-up for (RFC 9470 §3); `undefined` for any other response. A backend of another
   * origin must expose `WWW-Authenticate`.
   * @param {Response} response
   */
  stepUpScope(response) {
    const text = response.status === 401 ? response.headers.get("WWW-Authenticate") ?? "" : "";
    if (!/error="?insufficient_user_authentication"?/.test(text)) return undefined;
    return /scope="([^" ]+)/.exec(text)?.[1];
  }

  /** @param {Request} request @param {string} origin @param {string} accessToken */
  async #sendAuthorized(request, origin, accessToken) {
    const known = this.#backendNonces.get(origin);
    const response = await fetch(await this.#authorized(request, origin, accessToken));
    const nonce = response.headers.get("DPoP-Nonce");
    if (nonce !== null) this.#backendNonces.set(origin, nonce);
    // RFC 9449 §9.
    const asksForNonce = response.status === 401 && isBound(accessToken) && nonce !== null && nonce !== known;
    return asksForNonce ? fetch(await this.#authorized(request, origin, accessToken)) : response;
  }

  /** @param {Request} request @param {string} origin @param {string} accessToken */
  async #authorized(request, origin, accessToken) {
    const headers = new Headers(request.headers);
    headers.set("Authorization", authorizationOf(accessToken));
    if (isBound(accessToken)) {
      const record = await this.#store.read();
      headers.set("DPoP", await dpopProof(requireKey(record), { method: request.method, url: request.url,
        time: serverTime(record), accessToken, nonce: this.#backendNonces.get(origin) }));
    }
    return new Request(request.clone(), { headers });
  }

  /** @param {Request} request */
  #requireOwnOrigin(request) {
    const { origin } = new URL(request.url);
    if (this.#options.apiOrigins.includes(origin)) return origin;
    throw new PreludeSessionError("invalidConfiguration",
      `access tokens are not sent to ${origin}; if it is the app's backend, add it to apiOrigins`);
  }

  /**
   * Another access token of the same session, after one was rejected. If the refresh fails, its error counts and not
   * the 401: without a network the user is still signed in.
   * @param {User} user
   */
  async #renewedToken(user) {
    await this.#reject(user.accessToken);
    const renewed = await this.refresh();
    if (renewed.profile.sessionID !== user.profile.sessionID) throw overtaken();
    return renewed.accessToken;
  }

  /**
   * Sends a call of the service as the signed-in user.
   *
   * @param {"GET" | "POST"} method @param {string} path @param {object} [body]
   * @param {User} [user] Default: the user with a token that is valid now.
   */
  async #sendSignedIn(method, path, body, user) {
    const caller = user ?? await this.refresh();
    const send = (/** @type {string} */ accessToken) =>
      this.#service.send(method, path, { body, accessToken, hasProof: true });
    try {
      return await send(caller.accessToken);
    } catch (error) {
      if (!(error instanceof PreludeSessionError) || error.status !== 401) throw error;
      return send(await this.#renewedToken(caller));
    }
  }

  // ---- Step-up

  /**
   * Requests a scope. If it is granted at once, the access token has it when this returns.
   * @param {string} scope @param {Record<string, string>} [metadata]
   */
  async requestStepUp(scope, metadata) {
    const { epoch } = await this.#store.read();
    const body = { scope, metadata, dispatch_id: await this.#dispatchID() };
    const { json } = await this.#sendSignedIn("POST", "/stepup/request", body);
    if (json.status === "block") return new StepUpChallenge({ status: "block", scope });
    const status = json.status === "continue" ? "continue" : "review";
    return this.#keep({ token: json.challenge_token, scope, status }, epoch);
  }

  /**
   * Sends the code of the challenge's step.
   * @param {StepUpChallenge} challenge
   */
  async sendStepUpOTP(challenge) {
    const { epoch } = await this.#requireUsable(challenge);
    await this.#sendStep(challenge, epoch, "/otp", { body: { challenge_token: challenge.token } });
  }

  /**
   * Submits the code of a step. After a network error, call it again with the same code.
   *
   * @param {StepUpChallenge} challenge
   * @param {string} code
   * @returns {Promise<StepUpChallenge | null>} The next step; `null` when the access token has the scope.
   */
  submitStepUpOTP(challenge, code) {
    return this.#advance(challenge, "/otp/check", { code: normalizedCode(code) });
  }

  /**
   * Completes a step of the app's own.
   *
   * @param {StepUpChallenge} challenge
   * @param {string} verificationToken A token that the app's backend has signed.
   * @returns {Promise<StepUpChallenge | null>} The next step; `null` when the access token has the scope.
   */
  continueStepUp(challenge, verificationToken) {
    return this.#advance(challenge, "/stepup/continue", { verification_token: verificationToken });
  }

  /** The open challenge that changed last, also after a reload; `undefined` without one. */
  async activeStepUp() {
    const record = await this.#store.read();
    return challengesOf(record).filter((challenge) => challenge.expiresAt > serverTime(record)).pop();
  }

  /** @param {StepUpChallenge} challenge @param {string} path @param {object} body */
  async #advance(challenge, path, body) {
    const record = await this.#requireUsable(challenge);
    const stored = challengesOf(record).find((stored) => stored.challengeID === challenge.challengeID);
    if (stored?.isCompleted) {
      // The answer was accepted before, but the refresh after it failed.
      await this.#redeem(stored);
      return null;
    }
    const { json } = await this.#sendStep(challenge, record.epoch, path, {
      body: { ...body, challenge_token: challenge.token }, hasProof: true, challengeID: challenge.tokenID,
    });
    const { status, requestedScope: scope } = challenge;
    const next = await this.#keep({ token: json.challenge_token, scope, status }, record.epoch);
    return next.isCompleted ? null : next;
  }

  // Stores the next state of a challenge, and fetches its scope if it is completed.
  /** @param {StoredChallenge} stored @param {number} epoch */
  async #keep(stored, epoch) {
    const challenge = new StepUpChallenge(stored);
    const { isChanged } = await this.#store.update((record) => {
      if (!isSameSession(record, epoch)) return undefined;
      const { stepUps } = withoutChallenge(record, challenge.challengeID);
      return { ...record, stepUps: [...stepUps, stored].slice(-maximumChallenges) };
    });
    if (!isChanged) throw overtaken();
    if (challenge.isCompleted) await this.#redeem(challenge);
    return challenge;
  }

  // Fetches the scope of a completed challenge. The refresh of another caller may do it first.
  /** @param {StepUpChallenge} challenge */
  async #redeem(challenge) {
    await this.#locked(async () => {
      const record = await this.#store.read();
      if (challengesOf(record).some((stored) => stored.challengeID === challenge.challengeID)) {
        return this.#refreshed(await this.#rotate(record, challenge));
      }
      if (record.session && scopesOf(record.session.accessToken).includes(challenge.requestedScope)) return undefined;
      throw new PreludeSessionError("invalidChallengeToken", "the challenge was rejected; request the scope again");
    });
  }

  /** @param {StepUpChallenge} challenge */
  async #requireUsable(challenge) {
    const record = await this.#store.read();
    const own = profileOf(requireSession(record).accessToken).sessionID;
    if (challenge.status !== "block" && challenge.sessionID !== own) {
      throw new PreludeSessionError("invalidChallengeToken", "the challenge belongs to another session");
    }
    if (challenge.token && challenge.expiresAt > serverTime(record)) return record;
    throw new PreludeSessionError("expiredChallengeToken", "the challenge has expired; request the scope again");
  }

  /** @param {StepUpChallenge} challenge @param {number} epoch @param {string} path @param {Call} call */
  async #sendStep(challenge, epoch, path, call) {
    try {
      return await this.#service.send("POST", path, call);
    } catch (error) {
      if (challengeCodes.has(codeOf(error) ?? "")) await this.#drop(challenge, epoch);
      throw error;
    }
  }

  /** @param {StepUpChallenge} challenge @param {number} epoch */
  #drop(challenge, epoch) {
    return this.#store.update((record) => record.epoch === epoch
      ? withoutChallenge(record, challenge.challengeID) : undefined);
  }

  // ---- Passwords

  /**
   * The app's rules for passwords.
   * @returns {Promise<PasswordRules>}
   */
  async passwordCompliancy() {
    const { json } = await this.#service.send("GET", "/password/compliancy");
    return { minLength: json.min_length, maxLength: json.max_length, uppercase: json.uppercase,
      lowercase: json.lowercase, numbers: json.numbers, symbols: json.symbols };
  }

  /**
   * Checks a password by the app's rules.
   * @param {string} password
   */
  async validatePassword(password) {
    return validatePassword(password, await this.passwordCompliancy());
  }

  /** Whether the session has the scope `prld:pwd:write`. Otherwise request it with `requestStepUp`. */
  async canChangePassword() {
    return scopesOf((await this.#userForPassword()).accessToken).includes(passwordScope);
  }

  /**
   * Changes the password. This uses up the scope `prld:pwd:write`.
   * @param {string} password
   */
  async changePassword(password) {
    const user = await this.#userForPassword();
    await this.#sendSignedIn("POST", "/me/password/reset", { password }, user);
    // The token still names the scope, which is used up. The password is changed, so a failing refresh is no error.
    await this.#reject(user.accessToken);
    await this.refresh().catch(() => undefined);
  }

  /** A token with the scope is used until it expires: a refresh would remove a scope that is valid once. */
  async #userForPassword() {
    const record = await this.#store.read();
    const { accessToken, expiresAt } = requireSession(record);
    const isUsable = expiresAt > serverTime(record) && scopesOf(accessToken).includes(passwordScope);
    return isUsable ? userOf(accessToken) : this.refresh();
  }

  // ---- Events

  /**
   * Calls a function with each event of the session, in whichever tab it happens.
   *
   * @param {(event: SessionEvent) => void} listener
   * @returns {() => void} Ends the subscription.
   */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @param {SessionEvent} event */
  #emit(event) {
    if (!this.#stop.signal.aborted) this.#channel?.postMessage(event);
    this.#notify(event);
  }

  /** @param {SessionEvent} event */
  #notify(event) {
    for (const listener of this.#listeners) {
      try { listener(event); } catch (error) { reportError(error); }
    }
  }

  // ---- Parts

  /**
   * Runs work that sends or replaces the cookie, in one tab at a time.
   *
   * @template Result
   * @param {() => Promise<Result>} work
   * @returns {Promise<Result>}
   */
  async #locked(work) {
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), Math.max(30, 3 * this.#options.timeout) * 1000);
    try {
      return await navigator.locks.request(`prelude-session ${this.endpoint}`, { signal: waiting.signal }, () => {
        clearTimeout(timer);
        return work();
      });
    } catch (cause) {
      if (!waiting.signal.aborted) throw cause;
      throw new PreludeSessionError("timeout", "another tab did not finish its call; the session is kept", { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  async #dispatchID() {
    return this.#options.signals?.().catch(() => undefined);
  }

  get #pendingKey() { return `prelude-session ${this.endpoint}`; }

  /** @returns {PendingLogin | undefined} */
  get #pendingLogin() {
    if (this.#options.storage === "page") return this.#loginOfPage;
    return JSON.parse(sessionStorage.getItem(this.#pendingKey) ?? "null") ?? undefined;
  }

  set #pendingLogin(login) {
    if (this.#options.storage === "page") this.#loginOfPage = login;
    else if (login === undefined) sessionStorage.removeItem(this.#pendingKey);
    else sessionStorage.setItem(this.#pendingKey, JSON.stringify(login));
  }

  #requirePendingLogin() {
    const pending = this.#pendingLogin;
    if (pending) return pending;
    const message = "no login waits for a code; call startOTPLogin first";
    throw new PreludeSessionError("unauthorized", message, { needsNewCode: true });
  }
}

// The origin of the service that serves this module.
function servingOrigin() {
  const { origin, pathname } = new URL(import.meta.url);
  if (/^\/v1\/prelude-session(-\d+\.\d+\.\d+)?\.js$/.test(pathname)) return origin;
  throw new PreludeSessionError("invalidConfiguration",
    "endpoint is missing: this module is a copy, so it does not know the origin of the session service");
}

/** @param {string} url */
function originOf(url) {
  try {
    const { origin, protocol } = new URL(url, location.href);
    if (protocol === "https:" || protocol === "http:") return origin;
  } catch {
    // Reported below.
  }
  throw new PreludeSessionError("invalidConfiguration", "endpoint and apiOrigins must be http or https origins");
}

// Without the header, the service reads its cookie.
/** @param {PendingLogin} pending @returns {Call} */
const verificationOf = ({ verificationToken: token }) =>
  ({ headers: token === undefined ? undefined : { "X-Verification-Token": token } });

/**
 * The session in a response, if its access token can be used.
 * @param {any} json @returns {StoredSession}
 */
function sessionOf(json) {
  const { access_token: accessToken, expires_at: expiresAt, token_type: type } = json ?? {};
  const isUsable = claimsOf(accessToken)?.sub && Number.isFinite(expiresAt)
    && (type === undefined || type.toLowerCase() === (isBound(accessToken) ? "dpop" : "bearer"));
  if (isUsable) return { accessToken, expiresAt };
  throw new PreludeSessionError("refreshFailed", "the response has no access token that can be used");
}

/** @param {SessionRecord} record */
function requireSession(record) {
  if (record.session) return record.session;
  throw new PreludeSessionError("unauthorized", "no user is signed in");
}

/** @param {SessionRecord} record */
function requireKey({ key }) {
  if (key) return key;
  throw new PreludeSessionError("deviceKeyLost", "the key of this browser is missing; sign in again");
}

/** @param {SessionRecord} record @param {number} epoch */
const isSameSession = (record, epoch) => record.epoch === epoch && record.session !== undefined;

/** @param {SessionRecord} record @returns {SessionRecord} */
const signedOut = (record) =>
  ({ ...record, session: undefined, attempt: undefined, stepUps: [], mustRevoke: false });

const overtaken = () => new PreludeSessionError("unauthorized", "a login or a logout came between");

/** @param {SessionRecord} record */
const completedChallenge = (record) =>
  challengesOf(record).find((challenge) => challenge.isCompleted && challenge.expiresAt > serverTime(record));

// Whether the service itself has ended the session. A proxy's 401 has no code of the service.
/** @param {any} error */
const endsSession = (error) => error.status === 401 && ["unauthorized", "dpop_key_mismatch"].includes(error.code);

// Whether a refresh was rejected because of its challenge.
/** @param {any} error */
function rejectsChallenge({ code, status }) {
  if (code === undefined || refreshCodes.has(code)) return false;
  return challengeCodes.has(code) || status >= 400 && status < 500 && !code.startsWith("http_");
}

// Why a request is sent once more; `undefined` if its answer is final.
/** @param {any} error */
function repetitionReason(error) {
  if (error.kind === "network" && error.retryAfter === undefined) return "lost";
  if (error.code === "use_dpop_nonce") return "nonce";
  if (error.code === "invalid_dpop_proof") return "proof";
  return error.status === 409 && error.code === "token_reused" ? "attempt" : undefined;
}
