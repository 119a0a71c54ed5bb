"""Verifies access tokens of a Prelude session service, and DPoP proofs (RFC 9068, RFC 9449).

Needs Python 3.11 and the package `cryptography`. Copy this file into your backend.

    verifier = SessionVerifier(
        "https://app1234.session.example.com", "app1234", resources=["https://api.example.com"])
    claims = verifier.verify("GET", "/orders?page=2", authorization, proofs)
"""

import base64
import hashlib
import hmac
import json
import re
import sys
import threading
import time
from urllib.request import HTTPRedirectHandler, Request, build_opener

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

#: Accepted algorithms. Ed25519 has two names (RFC 9864 §2.2). A key is used with its own algorithm only (RFC 8725 §3.1).
ALGORITHMS = {"EdDSA": "EdDSA", "Ed25519": "EdDSA", "ES256": "ES256", "RS256": "RS256"}
PRIVATE_MEMBERS = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
LEEWAY = 5
#: Seconds by which `iat` of a proof may differ from the clock (RFC 9449 §11.1).
PROOF_WINDOW = 60
#: Larger numbers are no times (RFC 7519 §2).
MAXIMUM_TIME = 2**53
#: Deeper JSON is rejected.
MAXIMUM_DEPTH = 32
#: Seconds for the response with the keys.
FETCH_SECONDS = 10


#: Reasons that concern the proof. All other rejections concern the token.
PROOF_REASONS = {
    "missing_proof", "invalid_proof", "wrong_method", "wrong_target", "wrong_access_token", "stale_proof", "replayed_proof"}


class Rejected(Exception):
    """The request is not authenticated. Respond with `status` and `headers`; `reason` is for your log."""

    status = 401

    def __init__(self, reason: str, nonce: str | None = None):
        super().__init__(reason)
        self.reason, self.nonce, self.scheme = reason, nonce, "Bearer"

    @property
    def headers(self) -> dict[str, str]:
        error = "invalid_dpop_proof" if self.reason in PROOF_REASONS else "invalid_token"
        error = {"nonce_required": "use_dpop_nonce"}.get(self.reason, error)
        challenge = f'{self.scheme} error="{error}"' if self.reason != "missing_credentials" else self.scheme
        algs = ', algs="ES256"' if self.scheme == "DPoP" else ""
        nonce = {"DPoP-Nonce": self.nonce} if self.nonce else {}
        return {"Cache-Control": "no-store", "WWW-Authenticate": challenge + algs, **nonce}


class Unavailable(Rejected):
    """The keys, or the memory of used proofs, are unavailable. The token may be valid."""

    status = 503
    headers = {"Cache-Control": "no-store", "Retry-After": "1"}


class SessionVerifier:
    """Create one for the process and keep it: it caches keys and remembers proofs. It is safe to use from any thread.

    `resources` are the URLs that apps use for this backend. Without them, bound tokens are rejected.
    """

    def __init__(self, service, audience, resources=(), issuer=None, keys=None, replays=None, nonces=None, now=time.time):
        parts = normalized(service)
        if parts is None or parts[1] != "/" or not all(normalized(url) and not re.search("[?#]", url) for url in resources):
            raise ValueError("service must be an origin, and resources must be URLs")
        # An attacker who changes the keys can sign any token. A token that is sent over plain http can be stolen.
        if not all(is_safe(url) for url in (service, *resources)):
            raise ValueError("service and resources must be https; http is allowed for localhost, 127.0.0.1 and [::1]")
        self.issuer = issuer or re.sub(r":\d+$", "", parts[0].split("://")[1])
        self.audience, self.resources, self.now = audience, [url.removesuffix("/") for url in resources], now
        self.keys = keys or KeyCache(parts[0])
        self.replays, self.nonces = replays or ReplayMemory(), nonces

    def verify(self, method: str, target: str, authorization: str | None, proofs: list[str]) -> dict:
        """Returns the claims of the token, or raises `Rejected`.

        `target` is the path of the request with its query, `proofs` the values of all `DPoP` headers.
        """
        scheme, _, token = (authorization or "").partition(" ")
        scheme, token = scheme.lower(), token.lstrip(" ")
        scheme = scheme if token else ""
        try:
            if scheme == "dpop" and self.resources:
                if len(proofs) != 1:
                    raise Rejected("missing_proof")
                return self.verify_bound(method, target, token, proofs[0])
            if scheme != "bearer":
                raise Rejected("dpop_not_offered" if scheme == "dpop" else "missing_credentials")
            claims = self.verify_token(token)
            if "cnf" in claims:
                raise Rejected("bound_token")
            return claims
        except Rejected as error:
            error.scheme = "DPoP" if scheme == "dpop" and self.resources else "Bearer"
            raise

    def verify_token(self, token: str) -> dict:
        """Checks everything but the binding: your code must check a proof if the claims have `cnf`."""
        header, payload, signature, signed = parse(token, "malformed")
        algorithm = ALGORITHMS.get(text(header, "alg", "malformed"))
        if algorithm is None:
            raise Rejected("unsupported_algorithm")
        key = self.keys.key(text(header, "kid", "malformed"))
        if key.algorithm != algorithm:
            raise Rejected("unsupported_algorithm")
        if not key.verifies(signature, signed):
            raise Rejected("invalid_signature")
        if str(header.get("typ", "")).lower() not in ("at+jwt", "application/at+jwt"):
            raise Rejected("wrong_type")
        return check_claims(payload, self.issuer, self.audience, self.now())

    def verify_bound(self, method: str, target: str, token: str, proof: str) -> dict:
        claims = self.verify_token(token)
        binding = claims.get("cnf")
        thumbprint = binding.get("jkt") if isinstance(binding, dict) else None
        if not isinstance(thumbprint, str):
            raise Rejected("unbound_token")
        if not target.startswith("/"):
            raise Rejected("wrong_target")
        targets = [normalized(resource + target) for resource in self.resources]
        found = check_proof(proof, method, targets, token)
        if found["thumbprint"] != thumbprint:
            raise Rejected("wrong_key")
        end = self.accepted_until(found)
        if not self.replays.reserve(f"{thumbprint}.{found['jti']}", end + 30, claims["sub"], self.now()):
            raise Rejected("replayed_proof")
        return claims

    def accepted_until(self, proof: dict) -> float:
        """Checks that the proof is fresh, by its nonce if this backend uses nonces (RFC 9449 §4.3 steps 10 and 11)."""
        now = self.now()
        if self.nonces is None:
            if abs(now - proof["iat"]) > PROOF_WINDOW:
                raise Rejected("stale_proof")
            return proof["iat"] + PROOF_WINDOW
        end = self.nonces.end(proof["nonce"], now)
        if end is None:
            raise Rejected("nonce_required", self.nonces.current(now))
        return end


# Tokens


def check_claims(claims: dict, issuer: str, audience: str, now: float) -> dict:
    """Checks the claims that RFC 9068 §2.2 requires. `nbf` may be missing (RFC 7519 §4.1.5)."""
    if any(not isinstance(claims.get(name), str) for name in ("iss", "sub", "client_id", "jti")):
        raise Rejected("missing_claim")
    for name in ("scope", "sid"):
        if not isinstance(claims.get(name, ""), str):
            raise Rejected("malformed")
    if any(not claims[name] for name in ("iss", "sub", "client_id", "jti")):
        raise Rejected("missing_claim")
    exp, iat, nbf = (claims.get("exp"), claims.get("iat"), claims.get("nbf", 0))
    if not all(is_time(value) for value in (exp, iat, nbf)):
        raise Rejected("malformed")
    if claims["iss"] != issuer:
        raise Rejected("wrong_issuer")
    audiences = claims.get("aud") if isinstance(claims.get("aud"), list) else [claims.get("aud")]
    if not all(isinstance(name, str) for name in audiences):
        raise Rejected("malformed")
    if audience not in audiences:
        raise Rejected("wrong_audience")
    if now >= exp + LEEWAY:
        raise Rejected("expired")
    if now + LEEWAY < nbf:
        raise Rejected("not_yet_valid")
    return claims


# Proofs


def check_proof(proof: str, method: str, targets: list, token: str) -> dict:
    """The checks of RFC 9449 §4.3 that need no clock and no store. Returns `thumbprint`, `jti`, `iat` and `nonce`."""
    header, claims, signature, signed = parse(proof, "invalid_proof")
    if text(header, "typ", "invalid_proof").lower() != "dpop+jwt" or header.get("alg") != "ES256":
        raise Rejected("invalid_proof")
    jwk = header.get("jwk")
    if not isinstance(jwk, dict):
        raise Rejected("invalid_proof")
    try:
        key = Key({**jwk, "alg": "ES256", "use": "sig", "kid": "jwk", "key_ops": ["verify"]})
    except ValueError:
        raise Rejected("invalid_proof") from None
    if not key.verifies(signature, signed):
        raise Rejected("invalid_proof")
    jti, htm, htu = (text(claims, name, "invalid_proof") for name in ("jti", "htm", "htu"))
    nonce = text(claims, "nonce", "invalid_proof") if claims.get("nonce") is not None else None
    if not 1 <= len(jti.encode()) <= 256 or len((nonce or "").encode()) > 256 or not is_time(claims.get("iat")):
        raise Rejected("invalid_proof")
    if htm != method:
        raise Rejected("wrong_method")
    claimed = normalized(htu)
    if claimed is None or claimed not in targets:
        raise Rejected("wrong_target")
    ath = claims.get("ath")
    expected = encode(hashlib.sha256(token.encode()).digest())
    if not isinstance(ath, str) or not hmac.compare_digest(ath.encode(), expected.encode()):
        raise Rejected("wrong_access_token")
    return {"thumbprint": key.thumbprint, "jti": jti, "iat": claims["iat"], "nonce": nonce}


def normalized(url: str) -> tuple[str, str] | None:
    """Origin and path without query, normalized (RFC 3986 §6.2.2 and §6.2.3). `None` if it is no http or https URL."""
    # URLs are ASCII. Without this check, "(?i)https" also matches a long s.
    found = url.isascii() and re.fullmatch(r"(?i)(https?)://([^/?#]+)([^?#]*)(?:[?#].*)?", url, re.DOTALL)
    if not found or re.search(r"[^!-~]|@", found[2]) or re.search(r"[^!-~]|%(?![0-9A-Fa-f]{2})", found[3]):
        return None
    scheme, path = found[1].lower(), found[3] or "/"
    authority = re.fullmatch(r"(\[[^\]]*\]|[^:\[]+)(?::(?:0*(?=\d))?(\d{0,5}))?", found[2].lower())
    if not authority or (authority[2] and not 1 <= int(authority[2]) <= 65535):
        return None
    port = int(authority[2]) if authority[2] else None
    origin = f"{scheme}://{authority[1]}" + (f":{port}" if port not in (None, {"http": 80, "https": 443}[scheme]) else "")

    def decoded(escape: re.Match) -> str:
        character = chr(int(escape[1], 16))
        return character if re.fullmatch(r"[A-Za-z0-9._~-]", character) else escape[0].upper()

    segments: list[str] = []
    rest = re.sub("%([0-9A-Fa-f]{2})", decoded, path).split("/")[1:]
    for index, segment in enumerate(rest):
        if segment == "..":
            del segments[-1:]
        if segment not in (".", ".."):
            segments.append(segment)
        elif index == len(rest) - 1:
            segments.append("")
    return origin, "/" + "/".join(segments)


def is_safe(url: str) -> bool:
    """Whether the connection cannot be read or changed on its way: https, or the loopback interface."""
    return re.match(r"https:|http://(localhost|127\.0\.0\.1|\[::1\])(:|$)", normalized(url)[0]) is not None


class ReplayMemory:
    """Accepts each proof once (RFC 9449 §11.1), within this process. Several processes need a shared store.

    It rejects new proofs if it is full, and keeps the old ones. One user can fill a sixteenth of it.
    """

    def __init__(self, capacity: int = 262_144):
        self.capacity, self.lock = capacity, threading.Lock()
        #: Ends and users of proofs, in slots of half a minute that are removed together.
        self.slots: dict[int, dict[bytes, str]] = {}
        self.count, self.by_user = 0, {}

    def reserve(self, proof: str, end: float, user: str, now: float) -> bool:
        """Returns whether the proof is new. Raises `Unavailable` if there is no place for it."""
        key = hashlib.sha256(proof.encode()).digest()[:16]
        with self.lock:
            for slot in [slot for slot in self.slots if slot < now // 30]:
                for owner in self.slots.pop(slot).values():
                    self.count -= 1
                    self.by_user[owner] -= 1
                    if not self.by_user[owner]:
                        del self.by_user[owner]
            if any(key in slot for slot in self.slots.values()):
                return False
            mine = self.by_user.get(user, 0)
            if self.count >= self.capacity or mine >= max(1, self.capacity // 16):
                raise Unavailable("replay_memory_full")
            self.slots.setdefault(int(end // 30), {})[key] = user
            self.count, self.by_user[user] = self.count + 1, mine + 1
            return True


class Nonces:
    """Nonces without a store (RFC 9449 §8). All processes need the same secret of 32 random bytes.

    A nonce is valid for one to two minutes, so that no proof is made long in advance (RFC 9449 §11.2).
    """

    def __init__(self, secret: bytes, audience: str, window: int = 60):
        self.secret, self.audience, self.window = secret, audience, window

    def value(self, number: int) -> str:
        message = f"dpop-nonce\0{self.audience}\0{number}".encode()
        return encode(hmac.digest(self.secret, message, "sha256")[:18])

    def current(self, now: float) -> str:
        return self.value(int(now) // self.window)

    def end(self, nonce: str | None, now: float) -> int | None:
        current = int(now) // self.window
        for number in (current, current - 1):
            if nonce and hmac.compare_digest(nonce.encode(), self.value(number).encode()):
                return (number + 2) * self.window
        return None


# Keys


class Key:
    """A public JWK (RFC 7517). Raises `ValueError` if it cannot verify signatures, or has private members."""

    def __init__(self, jwk: dict):
        uses = ["verify"] if jwk.get("key_ops") is None else jwk["key_ops"]
        if not isinstance(uses, list) or not all(isinstance(use, str) for use in uses) or "verify" not in uses:
            raise ValueError("the key is not for signatures")
        if PRIVATE_MEMBERS & jwk.keys() or jwk.get("use") not in (None, "sig"):
            raise ValueError("the key is private, or has another use")
        self.kid, kind = jwk.get("kid"), (jwk.get("kty"), jwk.get("crv"))
        if not isinstance(self.kid, str) or not 1 <= len(self.kid.encode()) <= 256:
            raise ValueError("the key has no id")
        members = {"OKP": ("crv", "kty", "x"), "EC": ("crv", "kty", "x", "y"), "RSA": ("e", "kty", "n")}.get(str(kind[0]))
        if members is None or not all(isinstance(jwk.get(name), str) for name in members):
            raise ValueError("the key has another type")
        if kind[0] == "RSA":
            n, e = decode(jwk["n"]), decode(jwk["e"])
            if not 2048 <= int.from_bytes(n).bit_length() <= 4096 or n[0] == 0 or not 1 <= len(e) <= 4 or e[0] == 0:
                raise ValueError("the key has another size")
            self.algorithm = "RS256"
            self.public = rsa.RSAPublicNumbers(int.from_bytes(e), int.from_bytes(n)).public_key()
        elif kind == ("OKP", "Ed25519"):
            self.algorithm, self.public = "EdDSA", ed25519.Ed25519PublicKey.from_public_bytes(decode(jwk["x"], 32))
        elif kind == ("EC", "P-256"):
            x, y = (int.from_bytes(decode(jwk[name], 32)) for name in ("x", "y"))
            self.algorithm, self.public = "ES256", ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        else:
            raise ValueError("the key is on another curve")
        if ALGORITHMS.get(jwk.get("alg")) != self.algorithm:
            raise ValueError("the key is for another algorithm")
        # RFC 7638 §3: the required members only, so the name of the algorithm does not matter.
        canonical = json.dumps({name: jwk[name] for name in members}, separators=(",", ":"))
        self.thumbprint = encode(hashlib.sha256(canonical.encode()).digest())

    def verifies(self, signature: bytes, message: bytes) -> bool:
        try:
            if self.algorithm == "EdDSA":
                self.public.verify(signature, message)
            elif self.algorithm == "RS256":
                self.public.verify(signature, message, padding.PKCS1v15(), hashes.SHA256())
            else:
                r, s = int.from_bytes(signature[:32]), int.from_bytes(signature[32:])
                self.public.verify(utils.encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))
                return len(signature) == 64
        except InvalidSignature:
            return False
        return True


class NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def fetch_keys(service: str) -> tuple[bytes, float | None]:
    """The key set, and for how many seconds it may be kept."""
    request = Request(service + "/.well-known/jwks.json", headers={"Accept": "application/json"})
    end, body = time.monotonic() + FETCH_SECONDS, b""
    with build_opener(NoRedirects).open(request, timeout=FETCH_SECONDS) as response:
        while part := response.read1(65_536):
            body += part
            if len(body) > 256 * 1024 or time.monotonic() > end:
                raise ValueError("the response is too long or too slow")
        if response.status != 200:
            raise ValueError("not a key set")
        age = re.fullmatch(r"\d{1,9}", response.headers.get("Age", "0"))
        control = ", ".join(response.headers.get_all("Cache-Control", []))
        found = re.search(r'(?i)(?:^|,)\s*max-age="?(\d{1,9})"?\s*(?:,|$)', control)
        return body, max(0, int(found[1]) - int(age[0] if age else 0)) if found else None


class KeyCache:
    """The service's keys. Fetched for the first token, when they are no longer fresh, and when a token names an unknown
    key: at most every 30 seconds. All threads share one fetch, and the old keys are used while the service is down or
    sends no usable key. A set has at most 100 keys.
    """

    LIFETIME, MAXIMUM_LIFETIME, STALENESS, INTERVAL, RETRY = 300, 3600, 86_400, 30, 1

    def __init__(self, service: str, fetch=fetch_keys, clock=time.time, on_failure=lambda error: None):
        self.service, self.fetch, self.clock, self.on_failure = service, fetch, clock, on_failure
        self.lock = threading.Lock()
        self.keys: dict[str, Key] | None = None
        self.fetched_at = self.fresh_until = self.usable_until = 0.0
        self.last_attempt = self.last_failure = None
        self.has_succeeded, self.running = False, None

    def key(self, kid: str) -> Key:
        """Raises `Rejected` if the service has no such key, and `Unavailable` if that is unknown."""
        now = self.clock()
        with self.lock:
            key = self.usable(kid, now)
            if key and self.fetched_at <= now < self.fresh_until:
                return key
            fetch = self.fetch_if_allowed(now)
            # A busy backend uses the old keys during the fetch. After an idle time it waits for the new ones, because a
            # leaked key may have been removed meanwhile. It does not wait while the service is down.
            is_down = self.last_failure is not None and now - self.last_failure < 2 * self.INTERVAL
            if key and (now < self.fresh_until + self.INTERVAL or is_down or fetch is None):
                return key
        if fetch:
            fetch.join(FETCH_SECONDS)
        with self.lock:
            key = self.usable(kid, self.clock())
            if key is None:
                raise (Rejected if self.has_succeeded else Unavailable)("unknown_key" if self.has_succeeded else "keys_unavailable")
            return key

    def usable(self, kid: str, now: float) -> Key | None:
        return self.keys.get(kid) if self.keys is not None and now < self.usable_until else None

    def fetch_if_allowed(self, now: float) -> threading.Thread | None:
        # A thread that a fork has ended, or that hangs, does not stop later fetches.
        if self.running and self.running.is_alive() and self.last_attempt <= now < self.last_attempt + self.INTERVAL:
            return self.running
        interval = self.INTERVAL if self.has_succeeded or self.keys is not None else self.RETRY
        # If the clock went back, do not wait.
        if self.last_attempt is not None and self.last_attempt <= now < self.last_attempt + interval:
            return None
        self.last_attempt, self.has_succeeded = now, False
        self.running = threading.Thread(target=self.refresh, args=(now,), daemon=True)
        try:
            self.running.start()
        except RuntimeError:  # no more threads
            self.running, self.last_failure = None, now
        return self.running

    def refresh(self, now: float) -> None:
        try:
            body, max_age = self.fetch(self.service)
            keys = read_key_set(body)
        except Exception as error:
            with self.lock:
                if self.running is threading.current_thread():
                    self.running, self.last_failure = None, now
            self.on_failure(error)
            return
        lifetime = min(self.LIFETIME if max_age is None else max_age, self.MAXIMUM_LIFETIME)
        with self.lock:
            if self.running is not threading.current_thread():
                return  # a later fetch has begun, so this response is old
            self.keys, self.running, self.last_failure, self.has_succeeded = keys, None, None, True
            self.fetched_at, self.fresh_until = now, now + max(lifetime, self.INTERVAL)
            self.usable_until = self.fresh_until + self.STALENESS


def read_key_set(body: bytes) -> dict[str, Key]:
    """The usable keys by id. Others are skipped (RFC 7517 §5); of two with one id, the first counts.

    Raises `ValueError` if there is none: the service always publishes one, so the set is a fault.
    """
    entries = read_json(body).get("keys")
    if not isinstance(entries, list) or len(entries) > 100:
        raise ValueError("not a key set")
    keys: dict[str, Key] = {}
    for entry in entries:
        try:
            key = Key(entry)
        except (AttributeError, TypeError, ValueError):
            continue
        keys.setdefault(key.kid, key)
    if not keys:
        raise ValueError("no usable key")
    return keys


# Encoding


def parse(token: str, reason: str) -> tuple[dict, dict, bytes, bytes]:
    """Header, payload, signature and the signed text of a compact JWS (RFC 7515 §7.1)."""
    try:
        if len(token) > 8192:
            raise ValueError("too long")
        head, body, signature = token.split(".")
        header, payload = read_json(decode(head)), read_json(decode(body))
        if "crit" in header:
            raise ValueError("a critical extension")
        for name, kind in (("typ", str), ("kid", str), ("jwk", dict)):
            if not isinstance(header.get(name), kind | None):
                raise ValueError(f"{name} has another type")
        return header, payload, decode(signature), f"{head}.{body}".encode()
    except (ValueError, RecursionError):
        raise Rejected(reason) from None


def read_json(data: bytes) -> dict:
    """A JSON object in UTF-8 (RFC 8725 §3.7) that all parsers read alike: without repeated members (RFC 7515 §4), unpaired
    surrogates, U+0000, numbers that are no double, and deep nesting.
    """
    def members(pairs):
        if len({name for name, _ in pairs}) < len(pairs):
            raise ValueError("a member is repeated")
        return dict(pairs)

    def constant(name):
        raise ValueError(f"{name} is no JSON")

    def check(value, depth=1):
        if isinstance(value, str) and b"\0" in value.encode():  # raises for an unpaired surrogate
            raise ValueError("a null character")
        if isinstance(value, (int, float)) and abs(value) > sys.float_info.max:
            raise ValueError("a number is too large")
        if isinstance(value, (dict, list)):
            if depth > MAXIMUM_DEPTH:
                raise ValueError("nested too deep")
            for part in [*value, *value.values()] if isinstance(value, dict) else value:
                check(part, depth + 1)

    value = json.loads(data.decode(), object_pairs_hook=members, parse_constant=constant)
    check(value)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def text(members: dict, name: str, reason: str) -> str:
    if not isinstance(members.get(name), str):
        raise Rejected(reason)
    return members[name]


def is_time(value) -> bool:
    return type(value) in (int, float) and abs(value) < MAXIMUM_TIME


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text: str, length: int | None = None) -> bytes:
    """Canonical base64url (RFC 4648 §5): no padding, no other characters, no unused bits."""
    if not re.fullmatch("[A-Za-z0-9_-]*", text):
        raise ValueError("not base64url")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if encode(data) != text or length not in (None, len(data)):
        raise ValueError("not base64url, or of another length")
    return data
