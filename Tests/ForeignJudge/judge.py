"""The foreign judge: checks tokens, proofs and signatures with joserfc and cryptography, without code of this project.

Usage: judge.py SUBCOMMAND, with the arguments as a JSON object on standard input. Writes a JSON object to standard
output: {"accepted": true, …} or {"accepted": false, "reason": …}. Exits with 0 in both cases.
"""

import inspect
import json
import sys

from access_token import verify_access_token
from certificates import make_certificates
from dpop import make_dpop, verify_dpop
from keys import import_key, new_device_key
from mail import parse_mail
from rsa import make_rsa_token, verify_pss


def judge_access_token(token, jwks, issuer, audience, now=None) -> dict:
    return {"claims": verify_access_token(token, jwks, issuer, audience, now)}


def make_proof(method, url, key=None, nonce=None, access_token=None, iat=None, jti=None) -> dict:
    """Signs with the given private JWK or with a new key. The result contains the private key: for tests only."""
    key = import_key(key) if key else new_device_key()
    proof = make_dpop(key, method, url, nonce, access_token, iat, jti)
    return {"proof": proof, "key": key.as_dict(private=True), "thumbprint": key.thumbprint()}


def thumbprint(jwk) -> dict:
    return {"thumbprint": import_key(jwk).thumbprint()}


SUBCOMMANDS = {
    "verify-access-token": judge_access_token,
    "verify-dpop": verify_dpop,
    "make-dpop": make_proof,
    "verify-pss": verify_pss,
    "make-rsa-token": make_rsa_token,
    "make-certificates": make_certificates,
    "parse-mail": parse_mail,
    "thumbprint": thumbprint,
}


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in SUBCOMMANDS:
        print(f"usage: judge.py {'|'.join(SUBCOMMANDS)} < arguments.json", file=sys.stderr)
        return 2
    subcommand = SUBCOMMANDS[sys.argv[1]]
    arguments = json.load(sys.stdin)
    try:
        inspect.signature(subcommand).bind(**arguments)
    except TypeError as error:
        print(f"{sys.argv[1]}: {error}", file=sys.stderr)
        return 2
    try:
        answer = {"accepted": True, **subcommand(**arguments)}
    except Exception as error:  # The libraries raise different exceptions for invalid input.
        answer = {"accepted": False, "reason": str(error) or type(error).__name__}
    json.dump(answer, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
