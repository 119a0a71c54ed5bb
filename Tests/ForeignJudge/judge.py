"""The foreign judge: checks tokens, proofs and signatures with joserfc and cryptography, without code of this project.

Usage: judge.py SUBCOMMAND, with the arguments as a JSON object on standard input. Writes a JSON object to standard
output: {"accepted": true, …} or {"accepted": false, "reason": …}. Exits with 0 in both cases.
"""

import importlib
import inspect
import json
import sys


def judge_access_token(token, jwks, issuer, audience, now=None) -> dict:
    from access_token import verify_access_token
    return {"claims": verify_access_token(token, jwks, issuer, audience, now)}


def make_proof(method, url, key=None, nonce=None, access_token=None, iat=None, jti=None) -> dict:
    """Signs with the given private JWK or with a new key. The result contains the private key: for tests only."""
    from dpop import make_dpop
    from keys import import_key, new_device_key
    key = import_key(key) if key else new_device_key()
    proof = make_dpop(key, method, url, nonce, access_token, iat, jti)
    return {"proof": proof, "key": key.as_dict(private=True), "thumbprint": key.thumbprint()}


def thumbprint(jwk) -> dict:
    from keys import import_key
    return {"thumbprint": import_key(jwk).thumbprint()}


#: The module and the function of each subcommand. Only this module is loaded, because each question starts a process, and
#: loading all of them takes longer than the answer.
SUBCOMMANDS = {
    "verify-access-token": ("judge", "judge_access_token"),
    "verify-dpop": ("dpop", "verify_dpop"),
    "make-dpop": ("judge", "make_proof"),
    "verify-pss": ("rsa", "verify_pss"),
    "make-rsa-token": ("rsa", "make_rsa_token"),
    "make-certificates": ("certificates", "make_certificates"),
    "parse-mail": ("mail", "parse_mail"),
    "make-passkey": ("passkeys", "make_passkey"),
    "judge-passkeys": ("passkeys", "judge_passkeys"),
    "thumbprint": ("judge", "thumbprint"),
}


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in SUBCOMMANDS:
        print(f"usage: judge.py {'|'.join(SUBCOMMANDS)} < arguments.json", file=sys.stderr)
        return 2
    module, function = SUBCOMMANDS[sys.argv[1]]
    subcommand = getattr(importlib.import_module(module), function)
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
