"""Signs the tokens and proofs of the test vectors with cryptography, and changes signed ones."""

import base64
import hashlib
import hmac
import json

from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from joserfc.jwk import ECKey, OKPKey, RSAKey

from keys import PRIVATE_MEMBERS, base64url

KINDS = {"EC": ECKey, "OKP": OKPKey, "RSA": RSAKey}


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Signer:
    """A private key of keys.json."""

    def __init__(self, jwk: dict):
        self.key = KINDS[jwk["kty"]].import_key(jwk)
        self.algorithm = {"EC": "ES256", "OKP": "EdDSA", "RSA": "RS256"}[jwk["kty"]]
        self.thumbprint = self.key.thumbprint()
        self.public = {name: value for name, value in jwk.items() if name not in PRIVATE_MEMBERS}

    @property
    def published(self) -> dict:
        return {**self.public, "kid": self.thumbprint, "alg": self.algorithm, "use": "sig"}

    def spellings(self, members: dict) -> dict[str, bytes]:
        """Returns the encodings of the public key that an attacker may use as the secret of a MAC (RFC 8725 §2.1)."""
        public = self.key.public_key
        info = lambda encoding: public.public_bytes(encoding, PublicFormat.SubjectPublicKeyInfo)
        match self.algorithm:
            case "ES256":
                raw = public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
            case "RS256":
                raw = public.public_numbers().n.to_bytes((public.key_size + 7) // 8)
            case _:
                raw = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
        jwk = json.dumps(members, sort_keys=True, separators=(",", ":")).encode()
        return {"raw bytes": raw, "JWK": jwk, "DER": info(Encoding.DER), "PEM": info(Encoding.PEM)}

    def signature(self, message: bytes) -> bytes:
        private = self.key.private_key
        match self.algorithm:
            case "ES256":
                r, s = decode_dss_signature(private.sign(message, ec.ECDSA(SHA256(), deterministic_signing=True)))
                return r.to_bytes(32) + s.to_bytes(32)
            case "RS256":
                return private.sign(message, padding.PKCS1v15(), SHA256())
            case _:
                return private.sign(message)

    def compact(self, header: dict, claims: dict | bytes) -> str:
        payload = claims if isinstance(claims, bytes) else json.dumps(claims).encode()
        message = base64url(json.dumps(header).encode()) + "." + base64url(payload)
        return message + "." + base64url(self.signature(message.encode()))


def changed(original: dict, **changes) -> dict:
    """Returns a copy with changes. None removes a member."""
    return {name: value for name, value in {**original, **changes}.items() if value is not None}


def flipped(token: str, part: int, index: int) -> str:
    """Returns the token with one changed bit in one part."""
    parts = token.split(".")
    data = bytearray(decode(parts[part]))
    data[index] ^= 1
    parts[part] = base64url(bytes(data))
    return ".".join(parts)


def authenticated(token: str, secret: bytes) -> str:
    """Returns the token with a MAC instead of its signature (HS256, RFC 7518 §3.2)."""
    message = token.rsplit(".", 1)[0]
    return message + "." + base64url(hmac.digest(secret, message.encode(), hashlib.sha256))


def stray_bits(text: str) -> str:
    """Sets an unused trailing bit. Lenient decoders return the same 32 bytes."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return text[:-1] + alphabet[alphabet.index(text[-1]) + 1]
