"""Access tokens as the service makes them, and invalid ones, made by hand, because libraries do not make invalid tokens."""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass, field

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

ISSUER, AUDIENCE = "app1234.session.example.com", "app1234"
#: The verifier's clock.
NOW = 1_750_000_000

#: The value of a member that is left out.
MISSING = object()


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value: int, length: int) -> str:
    return encode(value.to_bytes(length, "big"))


@dataclass
class Key:
    """A private key, and the JWK of its public key."""

    alg: str
    kid: str
    private: object = field(repr=False)

    @classmethod
    def generate(cls, alg: str, kid: str) -> "Key":
        if alg == "EdDSA":
            return cls(alg, kid, ed25519.Ed25519PrivateKey.generate())
        if alg == "ES256":
            return cls(alg, kid, ec.generate_private_key(ec.SECP256R1()))
        return cls(alg, kid, rsa.generate_private_key(65537, 2048))

    @property
    def jwk(self) -> dict:
        public = self.private.public_key()
        if self.alg == "EdDSA":
            members = {"kty": "OKP", "crv": "Ed25519", "x": encode(self.public_bytes("Raw", "Raw"))}
        elif self.alg == "ES256":
            numbers = public.public_numbers()
            members = {"kty": "EC", "crv": "P-256", "x": number(numbers.x, 32), "y": number(numbers.y, 32)}
        else:
            numbers = public.public_numbers()
            members = {"kty": "RSA", "n": number(numbers.n, 256), "e": number(numbers.e, 3)}
        return {**members, "kid": self.kid, "alg": self.alg, "use": "sig"}

    def public_bytes(self, encoding: str, form: str = "SubjectPublicKeyInfo") -> bytes:
        return self.private.public_key().public_bytes(
            getattr(serialization.Encoding, encoding), getattr(serialization.PublicFormat, form))

    def sign(self, text: bytes) -> bytes:
        if self.alg == "EdDSA":
            return self.private.sign(text)
        if self.alg == "ES256":
            r, s = utils.decode_dss_signature(self.sign_der(text))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")
        return self.private.sign(text, padding.PKCS1v15(), hashes.SHA256())

    def sign_der(self, text: bytes) -> bytes:
        return self.private.sign(text, ec.ECDSA(hashes.SHA256()))

    def sign_pss(self, text: bytes) -> bytes:
        return self.private.sign(text, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())

    def sign_rs512(self, text: bytes) -> bytes:
        return self.private.sign(text, padding.PKCS1v15(), hashes.SHA512())


def mac(key: bytes):
    return lambda text: hmac.digest(key, text, hashlib.sha256)


def without_missing(members: dict) -> dict:
    return {name: value for name, value in members.items() if value is not MISSING}


def claims(**changes) -> dict:
    return without_missing({
        "iss": ISSUER, "aud": AUDIENCE, "sub": "usr_1", "sid": "ses_1", "client_id": AUDIENCE, "jti": "jti_1",
        "iat": NOW, "nbf": NOW, "exp": NOW + 300, "scope": "orders:read", **changes,
    })


def header(key: Key, **changes) -> dict:
    return without_missing({"alg": key.alg, "typ": "at+jwt", "kid": key.kid, **changes})


def sign(key: Key, head, body, sign=None) -> str:
    """Makes a token. Text is used unchanged, everything else is encoded as JSON."""
    parts = [encode((part if isinstance(part, str) else json.dumps(part)).encode()) for part in (head, body)]
    return sign_parts(key, *parts, sign=sign)


def sign_parts(key: Key, head: str, body: str, sign=None) -> str:
    """Makes a token from encoded parts."""
    text = f"{head}.{body}"
    return f"{text}.{encode((sign or key.sign)(text.encode()))}"


def token(key: Key, head: dict | None = None, sign_with=None, **changes) -> str:
    """Makes a token of the service with these changes of header and claims."""
    return sign(key, header(key, **(head or {})), claims(**changes), sign_with)


def with_spare_bits(text: str) -> str:
    """Changes the unused bits of the last character, which gives another spelling of the same bytes (RFC 4648 §3.5)."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    assert len(text) % 4, "no spare bits"
    return text[:-1] + alphabet[alphabet.index(text[-1]) + 1]
