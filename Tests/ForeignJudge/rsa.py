"""RSA with cryptography and joserfc: verifies signatures of the service and makes tokens of operators."""

import base64
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256
from joserfc import jws
from joserfc.jwk import RSAKey


def verify_pss(jwk: dict, message: str, signature: str, salt_length: int = 32) -> dict:
    """Verifies RSASSA-PSS with SHA-256, MGF1 with SHA-256 and exactly this salt length (RFC 8017 §8.1.2)."""
    key = RSAKey.import_key(jwk)
    scheme = padding.PSS(mgf=padding.MGF1(SHA256()), salt_length=salt_length)
    try:
        key.public_key.verify(_decode(signature), message.encode(), scheme, SHA256())
    except InvalidSignature:
        raise ValueError("the signature is wrong") from None
    return {"thumbprint": key.thumbprint()}


def make_rsa_token(claims: dict, alg: str = "RS256", kid: str = "stranger", typ: str | None = None) -> dict:
    """Returns a token that a new key signed, and the key set with that key."""
    key = RSAKey.generate_key(2048, {"kid": kid, "use": "sig"}, auto_kid=False)
    header = {"alg": alg, "kid": kid} | ({} if typ is None else {"typ": typ})
    token = jws.serialize_compact(header, json.dumps(claims).encode(), key, algorithms=[alg])
    return {"token": token, "jwks": {"keys": [key.as_dict(private=False)]}, "thumbprint": key.thumbprint()}


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
