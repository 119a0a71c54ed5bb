"""Makes and checks DPoP proofs (RFC 9449) without code of this project."""

import json
import re
import secrets
import string
import time
from urllib.parse import urljoin, urlsplit

from joserfc import jws
from joserfc.jwk import ECKey

from keys import PRIVATE_MEMBERS, access_token_hash, base64url

UNRESERVED = string.ascii_letters + string.digits + "-._~"


def make_dpop(
    key: ECKey,
    method: str,
    url: str,
    nonce: str | None = None,
    access_token: str | None = None,
    iat: int | None = None,
    jti: str | None = None,
    attempt: str | None = None,
) -> str:
    claims = {
        "jti": jti or base64url(secrets.token_bytes(16)),
        "htm": method,
        "htu": url.split("#")[0].split("?")[0],
        "iat": int(time.time()) if iat is None else iat,
    }
    if nonce is not None:
        claims["nonce"] = nonce
    if access_token is not None:
        claims["ath"] = access_token_hash(access_token)
    if attempt is not None:
        claims["attempt"] = attempt
    header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": key.as_dict(private=False)}
    return jws.serialize_compact(header, json.dumps(claims).encode(), key, algorithms=["ES256"])


def verify_dpop(proof: str, method: str, url: str, access_token: str | None = None) -> dict:
    """Checks steps 2 to 9 and 12 of RFC 9449 §4.3. Returns thumbprint and claims. Raises for an invalid proof."""
    header = jws.extract_compact(proof.encode()).headers()
    _require(header.get("typ") == "dpop+jwt", "typ is not dpop+jwt")
    _require(header.get("alg") == "ES256", "alg is not ES256")
    jwk = header.get("jwk")
    _require(isinstance(jwk, dict), "jwk is missing")
    _require(not PRIVATE_MEMBERS & jwk.keys(), "jwk is private")
    _require(jwk.get("kty") == "EC" and jwk.get("crv") == "P-256", "jwk is not a P-256 key")
    key = ECKey.import_key(jwk)
    claims = json.loads(jws.deserialize_compact(proof, key, algorithms=["ES256"]).payload)

    _require(isinstance(claims, dict), "the payload is not an object")
    _require(isinstance(claims.get("jti"), str) and claims["jti"] != "", "jti is missing")
    _require(type(claims.get("iat")) in (int, float), "iat is missing")
    _require(claims.get("htm") == method, "htm is another method")
    _require(isinstance(claims.get("htu"), str), "htu is missing")
    _require(normalise(claims["htu"]) == normalise(url), "htu is another target")
    if access_token is not None:
        _require(claims.get("ath") == access_token_hash(access_token), "ath is another token's")
    return {"thumbprint": key.thumbprint(), "claims": claims}


def normalise(url: str) -> tuple[str, str, int, str]:
    """Returns scheme, host, port and path in the normal form of RFC 3986 §6.2.2 and §6.2.3."""
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    port = parts.port or {"http": 80, "https": 443}[scheme]
    path = re.sub("%([0-9A-Fa-f]{2})", _unescape, parts.path)
    resolved = urlsplit(urljoin("http://host", path)).path or "/"
    return scheme, parts.hostname or "", port, resolved


def _unescape(escape: re.Match) -> str:
    character = chr(int(escape[1], 16))
    return character if character in UNRESERVED else escape[0].upper()


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise ValueError(reason)
