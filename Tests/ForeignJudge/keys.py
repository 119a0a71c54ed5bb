"""Keys and hashes, with joserfc and hashlib only."""

import base64
import hashlib
import json
import warnings

from joserfc.errors import SecurityWarning
from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey

# RFC 9864 deprecates the name EdDSA in favour of Ed25519. An app chooses the name; the default is EdDSA.
warnings.filterwarnings("ignore", message="EdDSA is deprecated", category=SecurityWarning)

PRIVATE_MEMBERS = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unverified_claims(token: str) -> dict:
    """Returns the claims of a JWT without verification."""
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


def unverified_header(token: str) -> dict:
    """Returns the header of a JWT without verification."""
    part = token.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def access_token_hash(token: str) -> str:
    """Returns the value of the claim `ath` (RFC 9449 §4.2)."""
    return base64url(hashlib.sha256(token.encode("ascii")).digest())


def new_device_key() -> ECKey:
    return ECKey.generate_key("P-256")


def import_key(jwk: dict) -> ECKey | OKPKey | RSAKey:
    """Imports a JWK of a type that the protocol uses: P-256, Ed25519 or RSA."""
    match (jwk.get("kty"), jwk.get("crv")):
        case ("EC", "P-256"):
            return ECKey.import_key(jwk)
        case ("OKP", "Ed25519"):
            return OKPKey.import_key(jwk)
        case ("RSA", None):
            return RSAKey.import_key(jwk)
        case other:
            raise ValueError(f"unsupported key: {other}")


def import_key_set(jwks: dict) -> KeySet:
    return KeySet.import_key_set(jwks)
