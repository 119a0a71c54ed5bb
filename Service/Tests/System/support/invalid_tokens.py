"""Access tokens that each break one rule, by the name of the defect, and valid tokens that look unusual."""

import json
from dataclasses import dataclass

import token_builder
from token_builder import AUDIENCE, ISSUER, MISSING, NOW, Key


@dataclass
class Ring:
    """The service's keys, one per algorithm, and the other keys of its key set."""

    eddsa: Key
    es256: Key
    rs256: Key
    #: A key that is not the service's.
    strange: Key

    @classmethod
    def generate(cls) -> "Ring":
        return cls(
            Key.generate("EdDSA", "k1"), Key.generate("ES256", "k2"), Key.generate("RS256", "k3"),
            Key.generate("EdDSA", "k1"))

    @property
    def jwks(self) -> list[dict]:
        eddsa = self.eddsa.jwk
        nameless = {name: value for name, value in eddsa.items() if name != "kid"}
        unlabelled = {name: value for name, value in eddsa.items() if name != "alg"}
        return [
            # Of an unknown type, which must not affect the others (RFC 7517 §5).
            {"kty": "AKP", "kid": "k0", "alg": "ML-DSA-44", "pub": "AA"},
            nameless, eddsa, self.es256.jwk, self.rs256.jwk,
            # The key k1 again: for another algorithm, for no algorithm, and on a curve with another purpose.
            {**eddsa, "kid": "k1-as-es256", "alg": "ES256"}, {**unlabelled, "kid": "k1-unlabelled"},
            {**eddsa, "kid": "k1-as-x25519", "crv": "X25519"},
            # The key k3 again, for an algorithm that no backend accepts.
            {**self.rs256.jwk, "kid": "k3-as-rs512", "alg": "RS512"},
        ]


def change_claims(token: str) -> str:
    head, _, signature = token.split(".")
    return ".".join([head, token_builder.encode(json.dumps(token_builder.claims(sub="usr_2")).encode()), signature])


def change_header(key: Key) -> str:
    _, body, signature = token_builder.token(key).split(".")
    return ".".join([token_builder.encode(json.dumps(token_builder.header(key, cty="x")).encode()), body, signature])


def change_signature(token: str, change) -> str:
    head, body, signature = token.split(".")
    return ".".join([head, body, change(signature)])


def raw_claims(**raw: str) -> str:
    """Returns the claims as JSON text, with these members in the given spelling."""
    members = [f'"{name}": {json.dumps(value)}' for name, value in token_builder.claims().items() if name not in raw]
    return "{" + ", ".join([*members, *(f'"{name}": {text}' for name, text in raw.items())]) + "}"


def in_standard_alphabet(key: Key) -> str:
    """Makes a signature with + and / instead of - and _. Signs until the signature has one of them."""
    for number in range(100):
        token = token_builder.token(key, jti=f"jti_{number}")
        if set("-_") & set(token.split(".")[2]):
            return change_signature(token, lambda text: text.replace("-", "+").replace("_", "/"))
    raise AssertionError("no such signature")


def padded_part(key: Key, index: int) -> str:
    """Makes a token whose header or claims have padding. The signature covers the padding."""
    parts = token_builder.token(key, {"cty": "x"}, scope="x").split(".")[:2]
    for blanks in range(4):
        if len(parts[index]) % 4:
            break
        # JSON may have spaces at its end. They change the length.
        source = token_builder.header(key, cty="x") if index == 0 else token_builder.claims(scope="x")
        parts[index] = token_builder.encode((json.dumps(source) + " " * (blanks + 1)).encode())
    parts[index] += "=" * (-len(parts[index]) % 4)
    assert parts[index].endswith("=")
    return token_builder.sign_parts(key, *parts)


def spare_bits_in_claims(key: Key) -> str:
    for blanks in range(3):
        head, body = token_builder.sign(key, token_builder.header(key), json.dumps(token_builder.claims()) + " " * blanks).split(".")[:2]
        if len(body) % 4:
            return token_builder.sign_parts(key, head, token_builder.with_spare_bits(body))
    raise AssertionError("no length has spare bits")


def claim(**changes):
    return lambda ring: token_builder.token(ring.eddsa, **changes)


def head(**changes):
    return lambda ring: token_builder.token(ring.eddsa, changes)


def written(**raw: str):
    return lambda ring: token_builder.sign(ring.eddsa, token_builder.header(ring.eddsa), raw_claims(**raw))


def body(payload):
    return lambda ring: token_builder.sign(ring.eddsa, token_builder.header(ring.eddsa), payload)


def text(change):
    return lambda ring: change(token_builder.token(ring.eddsa))


def signature(change):
    return text(lambda token: change_signature(token, change))


def maced(key):
    """Makes an HS256 token with a key that everyone knows (RFC 8725 §2.1)."""
    return lambda ring: token_builder.token(ring.eddsa, {"alg": "HS256"}, sign_with=token_builder.mac(key(ring.eddsa)))


INVALID = {
    # Signature and key
    "alg is none and there is no signature": lambda ring: token_builder.token(ring.eddsa, {"alg": "none"}, lambda _: b""),
    "alg is none and there is a signature": head(alg="none"),
    "alg is missing": head(alg=MISSING),
    "alg is in lower case": head(alg="eddsa"),
    "alg is the name of a member that all objects have": head(alg="constructor"),
    "a MAC with the bytes of the public key": maced(lambda key: key.public_bytes("Raw", "Raw")),
    "a MAC with x of the public key": maced(lambda key: key.jwk["x"].encode()),
    "a MAC with the JWK": maced(lambda key: json.dumps(key.jwk).encode()),
    "a MAC with the JWK without blanks": maced(lambda key: json.dumps(key.jwk, separators=(",", ":")).encode()),
    "a MAC with the PEM": maced(lambda key: key.public_bytes("PEM")),
    "a MAC with the DER": maced(lambda key: key.public_bytes("DER")),
    "a MAC with nothing": maced(lambda key: b""),
    "alg is of another key of the set, which signed": lambda ring: token_builder.token(
        ring.es256, {"kid": ring.eddsa.kid}),
    "alg is of another key of the set": head(alg="ES256"),
    "alg is not the one that the key is for": head(kid="k1-as-es256"),
    "alg is not the one that the key is of": head(kid="k1-as-es256", alg="ES256"),
    "the key is on a curve of another purpose": head(kid="k1-as-x25519"),
    "the key is for no algorithm": head(kid="k1-unlabelled"),
    "kid is of another key of the set": head(kid="k2"),
    "kid is unknown": head(kid="k9"),
    "kid is of a key of an unknown type": head(kid="k0", alg="ML-DSA-44"),
    "kid is missing": head(kid=MISSING),
    "kid is empty": head(kid=""),
    "kid is null": head(kid=None),
    "kid is a list": head(kid=["k1"]),
    "a stranger's key signed": lambda ring: token_builder.token(ring.strange),
    "a stranger's key signed and stands in the header": lambda ring: token_builder.token(
        ring.strange, {"jwk": ring.strange.jwk}),
    "other claims": text(change_claims),
    "another header": lambda ring: change_header(ring.eddsa),
    "a signature of zeros": signature(lambda text: token_builder.encode(bytes(64))),
    "the signature is cut off": signature(lambda text: text[:-4]),
    "the signature is longer": signature(lambda text: text[:-2] + "AAAA"),
    "the signature is empty": signature(lambda text: ""),
    # Header
    "typ is missing": head(typ=MISSING),
    "typ is JWT": head(typ="JWT"),
    "typ is of a challenge": head(typ="challenge+jwt"),
    "typ is of a proof": head(typ="dpop+jwt"),
    "typ is a list": head(typ=["at+jwt"]),
    "crit names an unknown member": head(crit=["x"], x=1),
    "crit names b64": head(crit=["b64"], b64=True),
    "crit is empty": head(crit=[]),
    "crit is null": head(crit=None),
    # Claims
    **{
        f"{name} is missing": claim(**{name: MISSING})
        for name in ("iss", "aud", "sub", "client_id", "jti", "iat", "exp")},
    **{
        f"{name} is null": claim(**{name: None})
        for name in ("iss", "aud", "sub", "client_id", "jti", "iat", "nbf", "exp")},
    **{f"{name} is empty": claim(**{name: ""}) for name in ("iss", "aud", "sub", "client_id", "jti")},
    **{f"{name} is a number": claim(**{name: 1}) for name in ("iss", "aud", "sub", "client_id", "jti")},
    **{
        f"{name} is a string": claim(**{name: str(time)})
        for name, time in {"iat": NOW, "nbf": NOW, "exp": NOW + 300}.items()},
    **{f"{name} is true": claim(**{name: True}) for name in ("iat", "nbf", "exp")},
    "iat and nbf are missing": claim(iat=MISSING, nbf=MISSING),
    "exp is a list": claim(exp=[NOW + 300]),
    "exp is an infinite number": written(exp="1e999"),
    "exp is Infinity, which is no JSON": written(exp="Infinity"),
    "iat is NaN, which is no JSON": written(iat="NaN"),
    "iss is another service": claim(iss="evil.example"),
    "iss is the URL": claim(iss=f"https://{ISSUER}"),
    "iss is a list": claim(iss=[ISSUER]),
    "aud is another app": claim(aud="another"),
    "aud begins with this app": claim(aud=f"{AUDIENCE}5"),
    "aud is a list of other apps": claim(aud=["another", f"{AUDIENCE}5"]),
    "aud is true": claim(aud=True),
    "aud is a list of true": claim(aud=[True]),
    "aud is an empty list": claim(aud=[]),
    "aud is a list in a list": claim(aud=[[AUDIENCE]]),
    "aud is an object": claim(aud={AUDIENCE: AUDIENCE}),
    "it has expired": claim(exp=NOW - 300),
    "it has expired, including the leeway": claim(exp=NOW - 5),
    "exp is 0": claim(exp=0),
    "it begins later": claim(nbf=NOW + 300),
    "it begins just after the leeway": claim(nbf=NOW + 6),
    "it is bound to a key": claim(cnf={"jkt": "x"}),
    "it is bound to something": claim(cnf={}),
    "it is bound to null": claim(cnf=None),
    # Text
    "nothing": lambda ring: "",
    "one part": text(lambda token: token.split(".")[0]),
    "two parts": text(lambda token: token.rsplit(".", 1)[0]),
    "four parts": text(lambda token: token + ".AAAA"),
    "a point at the end": text(lambda token: token + "."),
    "padding of the signature": signature(lambda text: text + "=="),
    "padding of the header": lambda ring: padded_part(ring.eddsa, 0),
    "padding of the claims": lambda ring: padded_part(ring.eddsa, 1),
    "the alphabet of plain base64": lambda ring: in_standard_alphabet(ring.eddsa),
    "a character of no alphabet": signature(lambda text: text[:20] + "!" + text[20:]),
    "a blank in the signature": signature(lambda text: text[:20] + " " + text[20:]),
    "a line break in the signature": signature(lambda text: text[:20] + "\n" + text[20:]),
    "a line break at the end": text(lambda token: token + "\n"),
    "a blank at the front": text(lambda token: " " + token),
    "a character that is not ASCII": signature(lambda text: text[:-1] + "é"),
    "unused bits in the signature": signature(token_builder.with_spare_bits),
    "unused bits in the claims": lambda ring: spare_bits_in_claims(ring.eddsa),
    "claims are a list": body([token_builder.claims()]),
    "claims are a string": body(json.dumps(json.dumps(token_builder.claims()))),
    "claims are null": body("null"),
    "claims are empty": body(""),
    "claims are no JSON": body("{sub: 1}"),
    "something after the claims": body(json.dumps(token_builder.claims()) + "{}"),
    "the header is a list": lambda ring: token_builder.sign(ring.eddsa, [token_builder.header(ring.eddsa)], token_builder.claims()),
    "the header is null": lambda ring: token_builder.sign(ring.eddsa, "null", token_builder.claims()),
}

VALID = {
    "as the service makes it": claim(),
    "nbf is missing": claim(nbf=MISSING),
    "aud is a list of this app": claim(aud=[AUDIENCE]),
    "aud is a list with this app": claim(aud=["another", AUDIENCE]),
    "scope is missing": claim(scope=MISSING),
    "exp has a fraction": claim(exp=NOW + 300.5),
    "exp has an exponent": written(exp="1.7500003e9"),
    "it has expired within the leeway": claim(exp=NOW - 4),
    "it begins within the leeway": claim(nbf=NOW + 5),
    "it was issued by a clock ahead": claim(iat=NOW + 300),
    "claims of the app": claim(plan={"name": "größer", "seats": [1, None, True]}),
    "claims in another case": lambda ring: token_builder.sign(
        ring.eddsa, token_builder.header(ring.eddsa),
        {**token_builder.claims(), "SUB": "usr_2", "Exp": 0, "Aud": "another", "CNF": {"jkt": "x"}}),
    "an unknown member of the header": head(hint="x"),
    "members of the header in another case": head(Typ="JWT", KID="k9", Alg="none", CRIT=["x"]),
}

#: Tokens that are tested only with verifiers that accept these algorithms.
INVALID_OF_OTHER_ALGORITHMS = {
    "ES256: a stranger's key": lambda ring: token_builder.token(Key.generate("ES256", "k2")),
    "ES256: other claims": lambda ring: change_claims(token_builder.token(ring.es256)),
    "ES256: a signature in DER": lambda ring: token_builder.token(ring.es256, sign_with=ring.es256.sign_der),
    "ES256: a signature of zeros": lambda ring: token_builder.token(ring.es256, sign_with=lambda _: bytes(64)),
    "ES256: a MAC with the PEM": lambda ring: token_builder.token(
        ring.es256, {"alg": "HS256"}, token_builder.mac(ring.es256.public_bytes("PEM"))),
    "RS256: other claims": lambda ring: change_claims(token_builder.token(ring.rs256)),
    "RS256: signed as PS256": lambda ring: token_builder.token(ring.rs256, sign_with=ring.rs256.sign_pss),
    "RS256: signed as PS256, with alg PS256": lambda ring: token_builder.token(ring.rs256, {"alg": "PS256"}, ring.rs256.sign_pss),
    "RS256: a MAC with the PEM": lambda ring: token_builder.token(
        ring.rs256, {"alg": "HS256"}, token_builder.mac(ring.rs256.public_bytes("PEM"))),
    "RS256: the key is for RS512, which signed": lambda ring: token_builder.token(
        ring.rs256, {"kid": "k3-as-rs512", "alg": "RS512"}, ring.rs256.sign_rs512),
    "RS256: the key is for RS512, and RS256 signed": lambda ring: token_builder.token(
        ring.rs256, {"kid": "k3-as-rs512", "alg": "RS512"}),
    "RS256: alg is none": lambda ring: token_builder.token(ring.rs256, {"alg": "none"}, lambda _: b""),
}
