"""Makes the test vectors with cryptography and checks them with joserfc, without code of this project.

Usage: vectors.py FOLDER [--check]

Writes the files of FOLDER from its keys.json. With --check it writes nothing and fails if the files differ.
The output is deterministic: keys, times, ids and signatures are fixed (ES256 by RFC 6979).
"""

import argparse
import json
import pathlib
import sys

from access_token import verify_access_token
from dpop import verify_dpop
from keys import access_token_hash, base64url
from vector_signer import Signer, authenticated, changed, flipped, stray_bits

NOW = 1_750_000_000
ISSUER = "testapp.session.example.com"
AUDIENCE = "testapp"
METHOD = "POST"
URL = "https://api.example.com/v1/orders?page=2"
WINDOW = 60


class Maker:
    def __init__(self, keys: dict):
        self.signers = {name: Signer(jwk) for name, jwk in keys.items()}
        self.jwks = {"keys": [self.signers[name].published for name in ("service_eddsa", "service_es256", "service_rs256")]}
        self.device = self.signers["device"]
        self.other = self.signers["other_device"]

    def claims(self, bound: bool = False) -> dict:
        claims = {
            "iss": ISSUER, "aud": AUDIENCE, "sub": "usr_1", "sid": "ses_1", "client_id": AUDIENCE, "jti": "tok_1",
            "iat": NOW - 10, "nbf": NOW - 10, "exp": NOW + 290, "scope": "read write",
        }
        return {**claims, "cnf": {"jkt": self.device.thumbprint}} if bound else claims

    def token(self, signer: str = "service_eddsa", bound: bool = False, header: dict = {}, **claims) -> str:
        key = self.signers[signer]
        head = changed({"typ": "at+jwt", "alg": key.algorithm, "kid": key.thumbprint}, **header)
        return key.compact(head, changed(self.claims(bound), **claims))

    def proof(self, token: str, signer: Signer | None = None, header: dict = {}, **claims) -> str:
        key = signer or self.device
        head = changed({"typ": "dpop+jwt", "alg": "ES256", "jwk": key.public}, **header)
        body = {
            "jti": "e1j3V_bKic8-LAEB", "htm": METHOD, "htu": URL.split("?")[0], "iat": NOW,
            "ath": access_token_hash(token),
        }
        return key.compact(head, changed(body, **claims))

    def access_tokens(self) -> dict:
        vectors = []

        def add(name: str, token: str, reason: str | None = None, time: int = NOW) -> None:
            result = {"accepted": True, "user": "usr_1"} if reason is None else {"accepted": False, "reason": reason}
            vectors.append({"name": name, "time": time, "token": token, **result})

        for kind in ("eddsa", "es256", "rs256"):
            token = self.token(f"service_{kind}")
            add(f"{kind}", token)
            add(f"{kind}: bound, sent without a proof (RFC 9449 §7.2)", self.token(f"service_{kind}", bound=True), "bound_token")
            add(f"{kind}: a bit of the signature is another (RFC 8725 §3.3)", flipped(token, 2, 20), "invalid_signature")
            add(f"{kind}: a bit of the claims is another (RFC 8725 §3.3)", flipped(token, 1, 40), "invalid_signature")
            add(f"{kind}: alg of another key of the set (RFC 8725 §3.1)", self.token(
                f"service_{kind}", header={"alg": "ES256" if kind != "es256" else "EdDSA"}), "unsupported_algorithm")
            add(f"{kind}: past its end (RFC 7519 §4.1.4)", token, "expired", NOW + 296)
            signer = self.signers[f"service_{kind}"]
            for spelling, secret in signer.spellings(signer.published).items():
                add(f"{kind}: alg is a MAC under the public key as {spelling} (RFC 8725 §3.1)", authenticated(
                    self.token(f"service_{kind}", header={"alg": "HS256"}), secret), "unsupported_algorithm")
        token = self.token()
        none = ".".join([base64url(b'{"alg":"none","typ":"at+jwt"}'), token.split(".")[1], ""])
        add("alg is none (RFC 8725 §3.2)", none, "unsupported_algorithm")
        add("kid is missing (RFC 8725 §3.10)", self.token(header={"kid": None}), "malformed")
        add("kid is nobody's (RFC 8725 §3.10)", self.token(header={"kid": "nobody"}), "unknown_key")
        add("jwk in the header signed (RFC 8725 §3.10)", self.token("other_device", header={"jwk": self.other.public}), "unknown_key")
        add("crit is there (RFC 7515 §4.1.11)", self.token(header={"crit": ["exp"], "exp": 1}), "malformed")
        add("typ is JWT (RFC 8725 §3.11)", self.token(header={"typ": "JWT"}), "wrong_type")
        add("typ is missing (RFC 8725 §3.11)", self.token(header={"typ": None}), "wrong_type")
        add("a proof (RFC 8725 §3.12)", self.proof(token), "malformed")
        add("padded (RFC 7515 §2)", token + "=", "malformed")
        add("two parts (RFC 7515 §7.1)", token.rsplit(".", 1)[0], "malformed")
        add("iss is somebody else (RFC 8725 §3.8)", self.token(iss="other.example.com"), "wrong_issuer")
        add("aud is another app (RFC 8725 §3.9)", self.token(aud="otherapp"), "wrong_audience")
        add("aud has this app among others (RFC 7519 §4.1.3)", self.token(aud=["otherapp", AUDIENCE]))
        add("aud has other apps only (RFC 7519 §4.1.3)", self.token(aud=["otherapp"]), "wrong_audience")
        add("nbf is to come (RFC 7519 §4.1.5)", self.token(nbf=NOW + 10), "not_yet_valid")
        for name in ("iss", "sub", "exp"):
            add(f"{name} is missing (RFC 9068 §2.2)", self.token(**{name: None}), "malformed")
        for name in ("aud", "client_id", "iat", "jti"):
            add(f"{name} is missing (RFC 9068 §2.2)", self.token(**{name: None}), "missing_claim")
        return {"issuer": ISSUER, "audience": AUDIENCE, "jwks": self.jwks, "vectors": vectors}

    def proofs(self) -> dict:
        vectors = []
        token = self.token(bound=True)

        def add(name: str, proofs: list[str], reason: str | None = None, time: int = NOW, access_token: str = token) -> None:
            result = {"accepted": True, "jkt": self.device.thumbprint} if reason is None else {"accepted": False, "reason": reason}
            vectors.append({
                "name": name, "method": METHOD, "url": URL, "time": time, "access_token": access_token,
                "proofs": proofs, **result})

        good = self.proof(token)
        for kind in ("eddsa", "es256", "rs256"):
            bound = self.token(f"service_{kind}", bound=True)
            add(f"a token of {kind}", [self.proof(bound)], access_token=bound)
        unbound = self.token()
        add("the token is not bound (RFC 9449 §7.1)", [self.proof(unbound)], "unbound_token", access_token=unbound)
        add("no proof (RFC 9449 §4.3 step 1)", [], "missing_proof")
        add("two proofs (RFC 9449 §4.3 step 1)", [good, good], "missing_proof")
        add("folded proofs (RFC 9449 §4.3 step 1)", [good + "," + good], "invalid_proof")
        add("no JWT (RFC 9449 §4.3 step 2)", ["proof"], "invalid_proof")
        for name in ("jti", "htm", "htu", "iat"):
            add(f"{name} is missing (RFC 9449 §4.3 step 3)", [self.proof(token, **{name: None})], "invalid_proof")
        add("jwk is missing (RFC 9449 §4.3 step 3)", [self.proof(token, header={"jwk": None})], "invalid_proof")
        add("typ is JWT (RFC 9449 §4.3 step 4)", [self.proof(token, header={"typ": "JWT"})], "invalid_proof")
        add("alg is none (RFC 9449 §4.3 step 5)", [self.proof(token, header={"alg": "none"}).rsplit(".", 1)[0] + "."], "invalid_proof")
        for spelling, secret in self.device.spellings(self.device.public).items():
            mac = authenticated(self.proof(token, header={"alg": "HS256"}), secret)
            add(f"alg is a MAC under the public key as {spelling} (RFC 9449 §4.3 step 5)", [mac], "invalid_proof")
        add("another key signed (RFC 9449 §4.3 step 6)", [self.proof(token, header={"jwk": self.other.public})], "invalid_proof")
        add("a bit of the signature is another (RFC 9449 §4.3 step 6)", [flipped(good, 2, 40)], "invalid_proof")
        private = {**self.device.public, "d": "AQ"}
        add("the key is private (RFC 9449 §4.3 step 7)", [self.proof(token, header={"jwk": private})], "invalid_proof")
        add("htm is another method (RFC 9449 §4.3 step 8)", [self.proof(token, htm="GET")], "wrong_method")
        add("htm is in lower case (RFC 9110 §9.1)", [self.proof(token, htm="post")], "wrong_method")
        for name, htu in (
            ("another host", "https://other.example.com/v1/orders"), ("another scheme", "http://api.example.com/v1/orders"),
            ("another port", "https://api.example.com:8443/v1/orders"), ("another path", "https://api.example.com/v1/order"),
            ("a slash at the end", "https://api.example.com/v1/orders/"),
        ):
            add(f"htu has {name} (RFC 9449 §4.3 step 9)", [self.proof(token, htu=htu)], "wrong_target")
        for name, htu in (
            ("a query", URL), ("a fragment", "https://api.example.com/v1/orders#x"),
            ("upper case in scheme and host", "HTTPS://API.example.com/v1/orders"),
            ("the default port", "https://api.example.com:443/v1/orders"),
            ("an escaped letter", "https://api.example.com/v1/%6frders"),
            ("dot segments", "https://api.example.com/v1/./x/../orders"),
        ):
            add(f"htu has {name}, which does not matter (RFC 9449 §4.3 step 9)", [self.proof(token, htu=htu)])
        add("iat is at the edge of the window (RFC 9449 §11.1)", [good], time=NOW + WINDOW)
        add("iat is too old (RFC 9449 §4.3 step 11)", [good], "stale_proof", NOW + WINDOW + 1)
        add("iat is too new (RFC 9449 §4.3 step 11)", [self.proof(token, iat=NOW + WINDOW + 1)], "stale_proof")
        add("ath is missing (RFC 9449 §4.3 step 12)", [self.proof(token, ath=None)], "wrong_access_token")
        add("ath is another token's (RFC 9449 §4.3 step 12)", [self.proof("another")], "wrong_access_token")
        add("the key is not the token's (RFC 9449 §4.3 step 12)", [self.proof(token, self.other)], "wrong_key")
        return {"issuer": ISSUER, "audience": AUDIENCE, "resource": "https://api.example.com", "jwks": self.jwks, "vectors": vectors}

    def thumbprints(self) -> dict:
        vectors = [
            {"name": name, "jwk": signer.public, "accepted": True, "thumbprint": signer.thumbprint}
            for name, signer in self.signers.items()]
        ec_key = self.device.public
        same = dict(reversed({**ec_key, "kid": "1", "use": "sig", "alg": "ES256", "x5u": "https://example.com/"}.items()))
        vectors.append({
            "name": "order and optional members do not matter (RFC 7638 §3)", "jwk": same, "accepted": True,
            "thumbprint": self.device.thumbprint})
        for name, jwk in (
            ("a coordinate is padded (RFC 7515 §2)", {**ec_key, "x": ec_key["x"] + "="}),
            ("a coordinate has stray bits (RFC 4648 §3.5)", {**ec_key, "x": stray_bits(ec_key["x"])}),
            ("a coordinate is short (RFC 7518 §6.2.1.2)", {**ec_key, "x": "AQ"}),
            ("a coordinate is missing (RFC 7518 §6.2.1)", changed(ec_key, y=None)),
            ("the point is not on the curve (RFC 8725 §3.4)", {**ec_key, "y": ec_key["x"]}),
            ("a curve that is not supported", {**ec_key, "crv": "P-521"}),
        ):
            vectors.append({"name": name, "jwk": jwk, "accepted": False})
        return {"vectors": vectors}

    def files(self) -> dict[str, str]:
        made = {"access-tokens.json": self.access_tokens(), "dpop-proofs.json": self.proofs(), "thumbprints.json": self.thumbprints()}
        return {name: json.dumps(content, indent=2, ensure_ascii=False) + "\n" for name, content in made.items()}


def judge_access_token(file: dict, vector: dict) -> dict:
    """Returns the claims of a valid bearer token (RFC 9068 §4, RFC 9449 §7.2). Raises for an invalid token."""
    claims = verify_access_token(vector["token"], file["jwks"], file["issuer"], file["audience"], vector["time"], leeway=5)
    if "cnf" in claims:
        raise ValueError("the token is bound")
    return claims


def judge_proof(file: dict, vector: dict) -> dict:
    """Returns the verdict on a valid bound request (RFC 9449 §4.3, §7.1). Raises for an invalid request."""
    token = vector["access_token"]
    claims = verify_access_token(token, file["jwks"], file["issuer"], file["audience"], vector["time"], leeway=5)
    [proof] = vector["proofs"]
    verdict = verify_dpop(proof, vector["method"], vector["url"], token)
    if verdict["thumbprint"] != claims["cnf"]["jkt"]:
        raise ValueError("the key is not the token's")
    if abs(vector["time"] - verdict["claims"]["iat"]) > WINDOW:
        raise ValueError("iat is too far off")
    return verdict


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the test vectors, or checks them.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    made = Maker(json.loads((arguments.folder / "keys.json").read_text())["keys"]).files()
    for name, text in made.items():
        file = arguments.folder / name
        if arguments.check and (not file.exists() or file.read_text() != text):
            print(f"{name} differs from the generated file: run scripts/make-vectors and check the difference.", file=sys.stderr)
            return 1
        if not arguments.check:
            file.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
