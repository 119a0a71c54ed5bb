// Verifies access tokens of a Prelude session service, and DPoP proofs (RFC 9068, RFC 9449).
//
// Needs Web Crypto and fetch, nothing else. Tested with Node 20 and later. Copy this file into your backend.
//
//   const verifier = new SessionVerifier("https://app1234.session.example.com", "app1234", {
//     resources: ["https://api.example.com"],
//   });
//   const claims = await verifier.verify("GET", "/orders?page=2", authorization, proofs);

// Accepted algorithms. Ed25519 has two names (RFC 9864 §2.2). A key is used with its own algorithm only (RFC 8725 §3.1).
const ALGORITHMS = new Map(Object.entries({ EdDSA: "EdDSA", Ed25519: "EdDSA", ES256: "ES256", RS256: "RS256" }));
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
// The required members of a key, in the order of its thumbprint (RFC 7638 §3), and how Web Crypto uses the key.
const KINDS = new Map([
  ["OKP Ed25519", { algorithm: "EdDSA", members: ["crv", "kty", "x"], import: "Ed25519", verify: "Ed25519" }],
  [
    "EC P-256",
    {
      algorithm: "ES256",
      members: ["crv", "kty", "x", "y"],
      import: { name: "ECDSA", namedCurve: "P-256" },
      verify: { name: "ECDSA", hash: "SHA-256" },
    },
  ],
  [
    "RSA",
    {
      algorithm: "RS256",
      members: ["e", "kty", "n"],
      import: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
      verify: "RSASSA-PKCS1-v1_5",
    },
  ],
]);
const LEEWAY = 5;
// Seconds by which `iat` of a proof may differ from the clock (RFC 9449 §11.1).
const PROOF_WINDOW = 60;
// Larger numbers are no times (RFC 7519 §2).
const MAXIMUM_TIME = 2 ** 53;
// Deeper JSON is rejected.
const MAXIMUM_DEPTH = 32;
// Reasons that concern the proof. All other rejections concern the token.
const PROOF_REASONS = new Set(
  "missing_proof invalid_proof wrong_method wrong_target wrong_access_token stale_proof replayed_proof".split(" "),
);
const UNAVAILABLE = new Set(["keys_unavailable", "replay_memory_full"]);

/** The request is not authenticated. Respond with `status` and `headers`; `reason` is for your log. */
export class Rejected extends Error {
  scheme = "Bearer";

  constructor(reason, nonce) {
    super(reason);
    Object.assign(this, { reason, nonce });
  }

  /** 503 if the token may be valid, but the keys or the memory of used proofs are unavailable. */
  get status() {
    return UNAVAILABLE.has(this.reason) ? 503 : 401;
  }

  get headers() {
    if (this.status === 503) return { "Cache-Control": "no-store", "Retry-After": "1" };
    const error = PROOF_REASONS.has(this.reason) ? "invalid_dpop_proof" : "invalid_token";
    const code = this.reason === "nonce_required" ? "use_dpop_nonce" : error;
    const challenge = this.reason === "missing_credentials" ? this.scheme : `${this.scheme} error="${code}"`;
    const headers = { "Cache-Control": "no-store", "WWW-Authenticate": challenge };
    if (this.scheme === "DPoP") headers["WWW-Authenticate"] += ', algs="ES256"';
    if (this.nonce) headers["DPoP-Nonce"] = this.nonce;
    return headers;
  }
}

/**
 * Create one for the process and keep it: it caches keys and remembers proofs.
 *
 * `resources` are the URLs that apps use for this backend. Without them, bound tokens are rejected.
 */
export class SessionVerifier {
  constructor(service, audience, { resources = [], issuer, keys, replays, nonces, now } = {}) {
    const origin = normalized(service);
    if (origin?.path !== "/" || !resources.every((url) => normalized(url) && !/[?#]/.test(url)))
      throw new TypeError("service must be an origin, and resources must be URLs");
    // An attacker who changes the keys can sign any token. A token that is sent over plain http can be stolen.
    if (![service, ...resources].every(isSafe))
      throw new TypeError("service and resources must be https; http is allowed for localhost, 127.0.0.1 and [::1]");
    this.issuer = issuer ?? origin.origin.split("://")[1].replace(/:\d+$/, "");
    this.audience = audience;
    this.resources = resources.map((url) => url.replace(/\/$/, ""));
    this.now = now ?? (() => Date.now() / 1000);
    this.keys = keys ?? new KeyCache(origin.origin);
    this.replays = replays ?? new ReplayMemory();
    this.nonces = nonces;
  }

  /**
   * Returns the claims of the token, or throws `Rejected`.
   *
   * `target` is the path of the request with its query, `proofs` the values of all `DPoP` headers.
   */
  async verify(method, target, authorization, proofs) {
    const [, name, token] = /^(\S+) +([^ ][^]*)$/.exec(authorization ?? "") ?? [];
    const scheme = name?.toLowerCase();
    const isBound = scheme === "dpop" && this.resources.length > 0;
    try {
      if (isBound) {
        if (proofs.length !== 1) throw new Rejected("missing_proof");
        return await this.#verifyBound(method, target, token, proofs[0]);
      }
      if (scheme !== "bearer") throw new Rejected(scheme === "dpop" ? "dpop_not_offered" : "missing_credentials");
      const claims = await this.verifyToken(token);
      if (claims.cnf !== undefined) throw new Rejected("bound_token");
      return claims;
    } catch (error) {
      if (error instanceof Rejected && isBound) error.scheme = "DPoP";
      throw error;
    }
  }

  /** Checks everything but the binding: your code must check a proof if the claims have `cnf`. */
  async verifyToken(token) {
    const { header, payload, signature, signed } = parse(token, "malformed");
    const algorithm = ALGORITHMS.get(text(header, "alg", "malformed"));
    if (!algorithm) throw new Rejected("unsupported_algorithm");
    const key = await this.keys.key(text(header, "kid", "malformed"));
    if (key.algorithm !== algorithm) throw new Rejected("unsupported_algorithm");
    if (!(await key.verifies(signature, signed))) throw new Rejected("invalid_signature");
    const type = typeof header.typ === "string" ? header.typ.toLowerCase() : "";
    if (type !== "at+jwt" && type !== "application/at+jwt") throw new Rejected("wrong_type");
    return checkClaims(payload, this.issuer, this.audience, this.now());
  }

  async #verifyBound(method, target, token, proof) {
    const claims = await this.verifyToken(token);
    const thumbprint = claims.cnf?.jkt;
    if (typeof thumbprint !== "string") throw new Rejected("unbound_token");
    if (!target.startsWith("/")) throw new Rejected("wrong_target");
    const targets = this.resources.map((resource) => normalized(resource + target)).filter(Boolean);
    const found = await checkProof(proof, method, targets, token);
    if (found.thumbprint !== thumbprint) throw new Rejected("wrong_key");
    const end = await this.#acceptedUntil(found);
    // With several processes, `replays` can be a shared store.
    if (!(await this.replays.reserve(`${thumbprint}.${found.jti}`, end + 30, claims.sub, this.now())))
      throw new Rejected("replayed_proof");
    return claims;
  }

  // Checks that the proof is fresh, by its nonce if this backend uses nonces (RFC 9449 §4.3 steps 10 and 11).
  async #acceptedUntil({ iat, nonce }) {
    const now = this.now();
    if (!this.nonces) {
      if (Math.abs(now - iat) > PROOF_WINDOW) throw new Rejected("stale_proof");
      return iat + PROOF_WINDOW;
    }
    const end = await this.nonces.end(nonce, now);
    if (!end) throw new Rejected("nonce_required", await this.nonces.current(now));
    return end;
  }
}

// Tokens

/** Checks the claims that RFC 9068 §2.2 requires. `nbf` may be missing (RFC 7519 §4.1.5). */
function checkClaims(claims, issuer, audience, now) {
  const { iss, sub, client_id, jti, aud, exp, iat, nbf = 0, scope = "", sid = "" } = claims;
  if (![iss, sub, client_id, jti].every((claim) => typeof claim === "string" && claim !== ""))
    throw new Rejected("missing_claim");
  if (![exp, iat, nbf].every(isTime) || ![scope, sid].every((claim) => typeof claim === "string"))
    throw new Rejected("malformed");
  if (iss !== issuer) throw new Rejected("wrong_issuer");
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (!audiences.every((name) => typeof name === "string")) throw new Rejected("malformed");
  if (!audiences.includes(audience)) throw new Rejected("wrong_audience");
  if (now >= exp + LEEWAY) throw new Rejected("expired");
  if (now + LEEWAY < nbf) throw new Rejected("not_yet_valid");
  return claims;
}

// Proofs

/** The checks of RFC 9449 §4.3 that need no clock and no store. */
export async function checkProof(proof, method, targets, token) {
  const { header, payload: claims, signature, signed } = parse(proof, "invalid_proof");
  if (text(header, "typ", "invalid_proof").toLowerCase() !== "dpop+jwt" || header.alg !== "ES256")
    throw new Rejected("invalid_proof");
  let key;
  try {
    key = await Key.read({ ...header.jwk, alg: "ES256", use: "sig", kid: "jwk", key_ops: ["verify"] });
  } catch {
    throw new Rejected("invalid_proof");
  }
  if (!(await key.verifies(signature, signed))) throw new Rejected("invalid_proof");
  const [jti, htm, htu] = ["jti", "htm", "htu"].map((name) => text(claims, name, "invalid_proof"));
  const nonce = (claims.nonce ?? null) === null ? "" : text(claims, "nonce", "invalid_proof");
  if (jti === "" || [jti, nonce].some((id) => bytes(id).length > 256) || !isTime(claims.iat))
    throw new Rejected("invalid_proof");
  if (htm !== method) throw new Rejected("wrong_method");
  const claimed = normalized(htu);
  if (!targets.some(({ origin, path }) => origin === claimed?.origin && path === claimed?.path))
    throw new Rejected("wrong_target");
  if (claims.ath !== encode(await sha256(token))) throw new Rejected("wrong_access_token");
  return { thumbprint: key.thumbprint, jti, iat: claims.iat, nonce };
}

/** Origin and path without query, normalized (RFC 3986 §6.2.2 and §6.2.3). `null` if it is no http or https URL. */
export function normalized(url) {
  const found = /^(https?):\/\/([^/?#]+)([^?#]*)(?:[?#][^]*)?$/i.exec(url);
  // URLs are ASCII.
  if (!found || /[^\0-\x7f]/.test(url) || /[^!-~]|@/.test(found[2]) || /[^!-~]|%(?![0-9A-Fa-f]{2})/.test(found[3])) return null;
  const scheme = found[1].toLowerCase();
  const authority = /^(\[[^\]]*\]|[^:[]+)(?::(\d*))?$/.exec(found[2].toLowerCase());
  const port = Number(authority?.[2] || NaN);
  if (!authority || (authority[2] && !(port >= 1 && port <= 65535))) return null;
  const isDefault = Number.isNaN(port) || port === { http: 80, https: 443 }[scheme];
  const path = (found[3] || "/").replace(/%([0-9A-Fa-f]{2})/g, (escape, code) => {
    const character = String.fromCharCode(parseInt(code, 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escape.toUpperCase();
  });
  const segments = [];
  path.split("/").slice(1).forEach((segment, index, all) => {
    if (segment === "..") segments.pop();
    if (segment !== "." && segment !== "..") segments.push(segment);
    else if (index === all.length - 1) segments.push("");
  });
  return { origin: `${scheme}://${authority[1]}${isDefault ? "" : `:${port}`}`, path: `/${segments.join("/")}` };
}

/** Whether the connection cannot be read or changed on its way: https, or the loopback interface. */
const isSafe = (url) => /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$))/.test(normalized(url).origin);

/**
 * Accepts each proof once (RFC 9449 §11.1), within this process. Several processes need a shared store.
 *
 * It rejects new proofs if it is full, and keeps the old ones. One user can fill a sixteenth of it.
 */
export class ReplayMemory {
  // Users of proofs, in slots of half a minute that are removed together.
  #slots = new Map();
  #count = 0;
  #byUser = new Map();

  constructor(capacity = 262_144) {
    this.capacity = capacity;
  }

  /** Returns whether the proof is new. Throws `Rejected` with the status 503 if there is no place for it. */
  async reserve(proof, end, user, now) {
    const key = encode((await sha256(proof)).subarray(0, 16));
    // No await below this line: two calls with one proof must not both find it new.
    for (const [slot, proofs] of this.#slots) {
      if (slot >= Math.floor(now / 30)) continue;
      this.#slots.delete(slot);
      this.#count -= proofs.size;
      for (const owner of proofs.values()) {
        const left = this.#byUser.get(owner) - 1;
        if (left) this.#byUser.set(owner, left);
        else this.#byUser.delete(owner);
      }
    }
    for (const proofs of this.#slots.values()) if (proofs.has(key)) return false;
    const mine = this.#byUser.get(user) ?? 0;
    if (this.#count >= this.capacity || mine >= Math.max(1, Math.floor(this.capacity / 16)))
      throw new Rejected("replay_memory_full");
    const slot = Math.floor(end / 30);
    if (!this.#slots.has(slot)) this.#slots.set(slot, new Map());
    this.#slots.get(slot).set(key, user);
    this.#count += 1;
    this.#byUser.set(user, mine + 1);
    return true;
  }
}

/**
 * Nonces without a store (RFC 9449 §8). All processes need the same secret of 32 random bytes.
 *
 * A nonce is valid for one to two minutes, so that no proof is made long in advance (RFC 9449 §11.2).
 */
export class Nonces {
  #key;

  constructor(secret, audience, window = 60) {
    this.#key = crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    Object.assign(this, { audience, window });
  }

  async current(now) {
    return this.#value(Math.floor(now / this.window));
  }

  async end(nonce, now) {
    const current = Math.floor(now / this.window);
    for (const number of [current, current - 1])
      if (nonce && nonce === (await this.#value(number))) return (number + 2) * this.window;
    return null;
  }

  async #value(number) {
    const message = bytes(`dpop-nonce\0${this.audience}\0${number}`);
    return encode(new Uint8Array(await crypto.subtle.sign("HMAC", await this.#key, message)).subarray(0, 18));
  }
}

// Keys

/** A public JWK (RFC 7517). */
class Key {
  /** Throws if the JWK cannot verify signatures, or has private members. */
  static async read(jwk) {
    const { kid, kty, crv, alg } = jwk;
    const uses = jwk.key_ops ?? ["verify"];
    if (!Array.isArray(uses) || !uses.every((use) => typeof use === "string") || !uses.includes("verify"))
      throw new Error("the key is not for signatures");
    if (PRIVATE_MEMBERS.some((name) => name in jwk) || (jwk.use ?? "sig") !== "sig")
      throw new Error("the key is private, or has another use");
    if (typeof kid !== "string" || kid === "" || bytes(kid).length > 256) throw new Error("the key has no id");
    const kind = KINDS.get(kty === "RSA" ? "RSA" : `${kty} ${crv}`);
    if (!kind || ALGORITHMS.get(alg) !== kind.algorithm) throw new Error("the key is for another algorithm");
    const sizes = Object.fromEntries(kind.members.map((name) => [name, jwk[name]]));
    if (!Object.values(sizes).every((value) => typeof value === "string")) throw new Error("a member has another type");
    if (kind.algorithm === "RS256") {
      const [n, e] = [decode(jwk.n), decode(jwk.e)];
      const isShort = n.length < 256 || (n.length === 256 && n[0] < 0x80);
      // With the exponent 1, everyone can sign. Even exponents are invalid.
      const isWeak = e.length > 4 || !e[0] || e.at(-1) % 2 === 0 || (e.length === 1 && e[0] === 1);
      if (!n[0] || isShort || n.length > 512 || isWeak) throw new Error("the key has another size");
    } else if (["x", "y"].some((name) => name in sizes && decode(sizes[name]).length !== 32)) {
      throw new Error("the key has another size");
    }
    const key = new Key();
    key.public = await crypto.subtle.importKey("jwk", sizes, kind.import, false, ["verify"]);
    // RFC 7638 §3: the required members only, so the name of the algorithm does not matter.
    key.thumbprint = encode(await sha256(JSON.stringify(sizes)));
    return Object.assign(key, { kid, algorithm: kind.algorithm, parameters: kind.verify });
  }

  async verifies(signature, message) {
    return crypto.subtle.verify(this.parameters, this.public, signature, message);
  }
}

/** The key set, and for how many seconds it may be kept. */
export async function fetchKeys(service) {
  const response = await fetch(`${service}/.well-known/jwks.json`, {
    headers: { Accept: "application/json" },
    // With "manual", a redirect has no status 200. Some workers have no "error".
    redirect: "manual",
    signal: AbortSignal.timeout(10_000),
  });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  const parts = [];
  let length = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > 256 * 1024) {
      reader.cancel().catch(() => {});
      throw new Error("too long");
    }
    parts.push(value);
  }
  const found = /(?:^|,)\s*max-age="?(\d{1,9})"?\s*(?:,|$)/i.exec(response.headers.get("cache-control") ?? "");
  const age = Number(/^\d{1,9}$/.exec(response.headers.get("age") ?? "") ?? 0);
  const body = new Uint8Array(await new Blob(parts).arrayBuffer());
  return { body, maxAge: found ? Math.max(0, Number(found[1]) - age) : null };
}

const LIFETIME = 300;
const MAXIMUM_LIFETIME = 3600;
const STALENESS = 86_400;
const INTERVAL = 30;
const RETRY = 1;

/**
 * The service's keys. Fetched for the first token, when they are no longer fresh, and when a token names an unknown key:
 * at most every 30 seconds. All calls share one fetch, and the old keys are used while the service is down or sends no
 * usable key. A set has at most 100 keys.
 */
export class KeyCache {
  #set = null;
  #running = null;
  #lastAttempt = null;
  #lastFailure = null;
  #hasSucceeded = false;

  constructor(service, { fetch = fetchKeys, clock = () => Date.now() / 1000, onFailure = () => {} } = {}) {
    Object.assign(this, { service, fetch, clock, onFailure });
  }

  /** Throws `Rejected`: `unknown_key` if the service has no such key, `keys_unavailable` if that is unknown. */
  async key(kid) {
    const now = this.clock();
    const key = this.#usable(kid, now);
    if (key && this.#set.fetchedAt <= now && now < this.#set.freshUntil) return key;
    const fetch = this.#fetchIfAllowed(now);
    // A busy backend uses the old keys during the fetch. After an idle time it waits for the new ones, because a leaked
    // key may have been removed meanwhile. It does not wait while the service is down.
    const isDown = this.#lastFailure !== null && now - this.#lastFailure < 2 * INTERVAL;
    if (key && (now < this.#set.freshUntil + INTERVAL || isDown || !fetch)) return key;
    await fetch;
    const found = this.#usable(kid, this.clock());
    if (!found) throw new Rejected(this.#hasSucceeded ? "unknown_key" : "keys_unavailable");
    return found;
  }

  #usable(kid, now) {
    return this.#set && now < this.#set.usableUntil ? this.#set.keys.get(kid) : undefined;
  }

  #fetchIfAllowed(now) {
    if (this.#running) return this.#running;
    const interval = this.#hasSucceeded || this.#set ? INTERVAL : RETRY;
    const last = this.#lastAttempt;
    // If the clock went back, do not wait.
    if (last !== null && last <= now && now < last + interval) return null;
    this.#lastAttempt = now;
    this.#hasSucceeded = false;
    return (this.#running = this.#refresh(now).finally(() => (this.#running = null)));
  }

  async #refresh(now) {
    try {
      const { body, maxAge } = await this.fetch(this.service);
      const keys = await readKeySet(body);
      const freshUntil = now + Math.max(Math.min(maxAge ?? LIFETIME, MAXIMUM_LIFETIME), INTERVAL);
      this.#set = { keys, fetchedAt: now, freshUntil, usableUntil: freshUntil + STALENESS };
      this.#lastFailure = null;
      this.#hasSucceeded = true;
    } catch (error) {
      this.#lastFailure = now;
      // An error of the callback must not end the process as an unhandled rejection.
      Promise.resolve(error).then(this.onFailure).catch(console.error);
    }
  }
}

/**
 * The usable keys by id. Others are skipped (RFC 7517 §5); of two with one id, the first counts.
 *
 * Throws if there is none: the service always publishes one, so the set is a fault.
 */
export async function readKeySet(body) {
  const entries = readJSON(body).keys;
  if (!Array.isArray(entries) || entries.length > 100) throw new Error("not a key set");
  const keys = new Map();
  for (const entry of entries) {
    const key = await Key.read(entry).catch(() => null);
    if (key && !keys.has(key.kid)) keys.set(key.kid, key);
  }
  if (keys.size === 0) throw new Error("no usable key");
  return keys;
}

// Encoding

const bytes = (text) => new TextEncoder().encode(text);
const sha256 = async (text) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes(text)));
const isTime = (value) => typeof value === "number" && Math.abs(value) < MAXIMUM_TIME;

/** Header, payload, signature and the signed text of a compact JWS (RFC 7515 §7.1). */
function parse(token, reason) {
  try {
    const parts = token.length <= 8192 ? token.split(".") : [];
    if (parts.length !== 3) throw new Error("not three parts");
    const [head, body, signature] = parts.map(decode);
    const [header, payload] = [readJSON(head), readJSON(body)];
    if ("crit" in header) throw new Error("a critical extension");
    const { typ, kid, jwk } = header;
    if (![typ, kid].every((value) => typeof (value ?? "") === "string") || typeof (jwk ?? {}) !== "object" || Array.isArray(jwk))
      throw new Error("a member has another type");
    return { header, payload, signature, signed: bytes(`${parts[0]}.${parts[1]}`) };
  } catch {
    throw new Rejected(reason);
  }
}

/**
 * A JSON object in UTF-8 (RFC 8725 §3.7) that all parsers read alike: without repeated members (RFC 7515 §4), unpaired
 * surrogates, U+0000, numbers that are no double, and deep nesting.
 */
function readJSON(data) {
  const json = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  const value = JSON.parse(json, (name, member) => {
    if ([name, member].some((text) => typeof text === "string" && /[\p{Surrogate}\0]/u.test(text)))
      throw new Error("an unpaired surrogate or a null character");
    if (typeof member === "number" && !Number.isFinite(member)) throw new Error("a number is too large");
    return member;
  });
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new Error("not an object");
  // JSON.parse keeps the last of two equal members.
  const open = [];
  for (const [token, name] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (name) {
      const member = JSON.parse(name);
      if (open.at(-1).has(member)) throw new Error("a member is repeated");
      open.at(-1).add(member);
    }
    if (open.length > MAXIMUM_DEPTH) throw new Error("nested too deep");
  }
  return value;
}

function text(members, name, reason) {
  if (typeof members[name] !== "string") throw new Rejected(reason);
  return members[name];
}

function encode(data) {
  return btoa(String.fromCharCode(...data)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Canonical base64url (RFC 4648 §5): no padding, no other characters, no unused bits. */
function decode(text) {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new Error("not base64url");
  const data = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0));
  if (encode(data) !== text) throw new Error("not base64url");
  return data;
}
