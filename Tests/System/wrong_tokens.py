"""Access tokens that break one rule each, by the name of what is wrong; and right ones that look unusual."""

import json
from dataclasses import dataclass

import forge
from forge import AUDIENCE, ISSUER, MISSING, NOW, Key


@dataclass
class Ring:
    """The service's keys, one of each algorithm, and what else stands in its set."""

    eddsa: Key
    es256: Key
    rs256: Key
    #: A key of a stranger.
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
            # Of a type that nobody knows yet, which must not break the others (RFC 7517 §5).
            {"kty": "AKP", "kid": "k0", "alg": "ML-DSA-44", "pub": "AA"},
            nameless, eddsa, self.es256.jwk, self.rs256.jwk,
            # The key of k1 once more, for another algorithm, for none, and on a curve of another purpose.
            {**eddsa, "kid": "k1-as-es256", "alg": "ES256"}, {**unlabelled, "kid": "k1-unlabelled"},
            {**eddsa, "kid": "k1-as-x25519", "crv": "X25519"},
            # The key of k3 once more, for an algorithm that no backend accepts.
            {**self.rs256.jwk, "kid": "k3-as-rs512", "alg": "RS512"},
        ]


def change_claims(token: str) -> str:
    head, _, signature = token.split(".")
    return ".".join([head, forge.encode(json.dumps(forge.claims(sub="usr_2")).encode()), signature])


def change_header(key: Key) -> str:
    _, body, signature = forge.token(key).split(".")
    return ".".join([forge.encode(json.dumps(forge.header(key, cty="x")).encode()), body, signature])


def change_signature(token: str, change) -> str:
    head, body, signature = token.split(".")
    return ".".join([head, body, change(signature)])


def raw_claims(**raw: str) -> str:
    """The claims with members in a spelling of their own."""
    members = [f'"{name}": {json.dumps(value)}' for name, value in forge.claims().items() if name not in raw]
    return "{" + ", ".join([*members, *(f'"{name}": {text}' for name, text in raw.items())]) + "}"


def in_standard_alphabet(key: Key) -> str:
    """A signature with + and / for - and _; signed until there is one."""
    for number in range(100):
        token = forge.token(key, jti=f"jti_{number}")
        if set("-_") & set(token.split(".")[2]):
            return change_signature(token, lambda text: text.replace("-", "+").replace("_", "/"))
    raise AssertionError("no such signature")


def padded_part(key: Key, index: int) -> str:
    """Header or claims with padding, signed as they are."""
    parts = forge.token(key, {"cty": "x"}, scope="x").split(".")[:2]
    for blanks in range(4):
        if len(parts[index]) % 4:
            break
        # JSON may have blanks at its end: they change the length.
        source = forge.header(key, cty="x") if index == 0 else forge.claims(scope="x")
        parts[index] = forge.encode((json.dumps(source) + " " * (blanks + 1)).encode())
    parts[index] += "=" * (-len(parts[index]) % 4)
    assert parts[index].endswith("=")
    return forge.sign_parts(key, *parts)


def spare_bits_in_claims(key: Key) -> str:
    for blanks in range(3):
        head, body = forge.sign(key, forge.header(key), json.dumps(forge.claims()) + " " * blanks).split(".")[:2]
        if len(body) % 4:
            return forge.sign_parts(key, head, forge.with_spare_bits(body))
    raise AssertionError("no length has spare bits")


def claim(**changes):
    return lambda ring: forge.token(ring.eddsa, **changes)


def head(**changes):
    return lambda ring: forge.token(ring.eddsa, changes)


def written(**raw: str):
    return lambda ring: forge.sign(ring.eddsa, forge.header(ring.eddsa), raw_claims(**raw))


def body(payload):
    return lambda ring: forge.sign(ring.eddsa, forge.header(ring.eddsa), payload)


def text(change):
    return lambda ring: change(forge.token(ring.eddsa))


def signature(change):
    return text(lambda token: change_signature(token, change))


def maced(key):
    """HS256 with something for a key that everybody knows (RFC 8725 §2.1)."""
    return lambda ring: forge.token(ring.eddsa, {"alg": "HS256"}, sign_with=forge.mac(key(ring.eddsa)))


WRONG = {
    # Signature and key
    "alg is none and there is no signature": lambda ring: forge.token(ring.eddsa, {"alg": "none"}, lambda _: b""),
    "alg is none and there is a signature": head(alg="none"),
    "alg is missing": head(alg=MISSING),
    "alg is in lower case": head(alg="eddsa"),
    "alg is the name of a member that every object has": head(alg="constructor"),
    "a MAC with the bytes of the public key": maced(lambda key: key.public_bytes("Raw", "Raw")),
    "a MAC with x of the public key": maced(lambda key: key.jwk["x"].encode()),
    "a MAC with the JWK": maced(lambda key: json.dumps(key.jwk).encode()),
    "a MAC with the JWK without blanks": maced(lambda key: json.dumps(key.jwk, separators=(",", ":")).encode()),
    "a MAC with the PEM": maced(lambda key: key.public_bytes("PEM")),
    "a MAC with the DER": maced(lambda key: key.public_bytes("DER")),
    "a MAC with nothing": maced(lambda key: b""),
    "alg is of another key of the set, which signed": lambda ring: forge.token(
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
    "a stranger's key signed": lambda ring: forge.token(ring.strange),
    "a stranger's key signed and stands in the header": lambda ring: forge.token(
        ring.strange, {"jwk": ring.strange.jwk}),
    "other claims": text(change_claims),
    "another header": lambda ring: change_header(ring.eddsa),
    "a signature of zeros": signature(lambda text: forge.encode(bytes(64))),
    "the signature is cut off": signature(lambda text: text[:-4]),
    "the signature is longer": signature(lambda text: text[:-2] + "AAAA"),
    "the signature is empty": signature(lambda text: ""),
    # Header
    "typ is missing": head(typ=MISSING),
    "typ is JWT": head(typ="JWT"),
    "typ is of a challenge": head(typ="challenge+jwt"),
    "typ is of a proof": head(typ="dpop+jwt"),
    "typ is a list": head(typ=["at+jwt"]),
    "crit names what nobody knows": head(crit=["x"], x=1),
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
    "exp is a number without an end": written(exp="1e999"),
    "exp is Infinity, which is no JSON": written(exp="Infinity"),
    "iat is NaN, which is no JSON": written(iat="NaN"),
    "iss is somebody else": claim(iss="evil.example"),
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
    "it is over": claim(exp=NOW - 300),
    "it is over, leeway included": claim(exp=NOW - 5),
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
    "a letter that is not ASCII": signature(lambda text: text[:-1] + "é"),
    "bits to spare in the signature": signature(forge.with_spare_bits),
    "bits to spare in the claims": lambda ring: spare_bits_in_claims(ring.eddsa),
    "claims are a list": body([forge.claims()]),
    "claims are a string": body(json.dumps(json.dumps(forge.claims()))),
    "claims are null": body("null"),
    "claims are empty": body(""),
    "claims are no JSON": body("{sub: 1}"),
    "something after the claims": body(json.dumps(forge.claims()) + "{}"),
    "the header is a list": lambda ring: forge.sign(ring.eddsa, [forge.header(ring.eddsa)], forge.claims()),
    "the header is null": lambda ring: forge.sign(ring.eddsa, "null", forge.claims()),
}

RIGHT = {
    "as the service makes it": claim(),
    "nbf is missing": claim(nbf=MISSING),
    "aud is a list of this app": claim(aud=[AUDIENCE]),
    "aud is a list with this app": claim(aud=["another", AUDIENCE]),
    "scope is missing": claim(scope=MISSING),
    "exp has a fraction": claim(exp=NOW + 300.5),
    "exp has an exponent": written(exp="1.7500003e9"),
    "it is over, but for the leeway": claim(exp=NOW - 4),
    "it begins within the leeway": claim(nbf=NOW + 5),
    "it was issued by a clock ahead": claim(iat=NOW + 300),
    "claims of the app": claim(plan={"name": "größer", "seats": [1, None, True]}),
    "claims in another case": lambda ring: forge.sign(
        ring.eddsa, forge.header(ring.eddsa),
        {**forge.claims(), "SUB": "usr_2", "Exp": 0, "Aud": "another", "CNF": {"jkt": "x"}}),
    "a member of the header that nobody knows": head(hint="x"),
    "members of the header in another case": head(Typ="JWT", KID="k9", Alg="none", CRIT=["x"]),
}

#: What only those have to tell who accept these algorithms.
WRONG_OF_OTHER_ALGORITHMS = {
    "ES256: a stranger's key": lambda ring: forge.token(Key.generate("ES256", "k2")),
    "ES256: other claims": lambda ring: change_claims(forge.token(ring.es256)),
    "ES256: a signature in DER": lambda ring: forge.token(ring.es256, sign_with=ring.es256.sign_der),
    "ES256: a signature of zeros": lambda ring: forge.token(ring.es256, sign_with=lambda _: bytes(64)),
    "ES256: a MAC with the PEM": lambda ring: forge.token(
        ring.es256, {"alg": "HS256"}, forge.mac(ring.es256.public_bytes("PEM"))),
    "RS256: other claims": lambda ring: change_claims(forge.token(ring.rs256)),
    "RS256: signed as PS256": lambda ring: forge.token(ring.rs256, sign_with=ring.rs256.sign_pss),
    "RS256: signed as PS256, and says so": lambda ring: forge.token(ring.rs256, {"alg": "PS256"}, ring.rs256.sign_pss),
    "RS256: a MAC with the PEM": lambda ring: forge.token(
        ring.rs256, {"alg": "HS256"}, forge.mac(ring.rs256.public_bytes("PEM"))),
    "RS256: the key is for RS512, which signed": lambda ring: forge.token(
        ring.rs256, {"kid": "k3-as-rs512", "alg": "RS512"}, ring.rs256.sign_rs512),
    "RS256: the key is for RS512, and RS256 signed": lambda ring: forge.token(
        ring.rs256, {"kid": "k3-as-rs512", "alg": "RS512"}),
    "RS256: alg is none": lambda ring: forge.token(ring.rs256, {"alg": "none"}, lambda _: b""),
}
