"""Tests the operator's own steps: joserfc makes RS256 tokens, and the service fetches their keys from a backend."""

import hmac
import json
import secrets
import time

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from keys import base64url, unverified_claims
from operator_api import Management
from person import Person, new_email
from receiver import Reply
from snippets import load

custom_step_token = load("hooks.md").custom_step_token

SCOPE = "account:close"
FIRST, SECOND = "check_id", "call_back"


@pytest.fixture(scope="module")
def key() -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": "operator-1"})


@pytest.fixture(scope="module")
def management(trusting, backend, key) -> Management:
    jwks = {"keys": [{**key.as_dict(private=False), "alg": "RS256", "use": "sig"}]}
    management = Management(trusting)
    management.set("stepup", {
        "jwks_url": backend.on("/jwks.json", Reply(200, jwks)),
        "step_keys": [FIRST, SECOND],
        "allowed_scopes": [{
            "scope": SCOPE, "mode": "direct",
            "direct": {
                "identifier_types": ["email_address"], "status": "review", "granted_for": 300,
                "grant_mode": "session-bound",
                "steps": [{"order": 1, "key": FIRST}, {"order": 2, "key": "verify_email"}, {"order": 3, "key": SECOND}],
            },
        }],
    })
    management.register(SCOPE)
    return management


class Case:
    """A user before the first step, and the claims of a valid token for the step."""

    def __init__(self, service, key: RSAKey):
        self.key = key
        self.email = new_email()
        self.person = Person.signed_in(service, self.email)
        self.challenge = self.person.challenge(SCOPE)
        self.challenge_id = unverified_claims(self.challenge)["challenge_id"]
        now = int(time.time())
        self.claims = {
            "sub": self.person.claims()["sub"], "challenge_id": self.challenge_id, "key": FIRST, "status": "completed",
            "iat": now, "nbf": now, "exp": now + 120, "jti": secrets.token_urlsafe(16),
        }

    def token(self, **changes) -> str:
        """Makes a valid token with other claims. `None` removes a claim."""
        claims = {name: value for name, value in {**self.claims, **changes}.items() if value is not None}
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key, algorithms=["RS256"])

    def submit(self, token: str):
        return self.person.device.continue_step(self.challenge, token)

    def assert_invalid(self, token: str) -> None:
        answer = self.submit(token)
        assert (answer.status, answer.code) == (400, "invalid_verification_token"), answer

    def assert_rejected(self, token: str, status: int, code: str) -> None:
        answer = self.submit(token)
        assert (answer.status, answer.code) == (status, code), answer
        # The rejected token had no effect: a valid one is still accepted.
        assert self.submit(self.token()).status == 200


@pytest.fixture
def case(trusting, management, key) -> Case:
    return Case(trusting, key)


def test_a_token_signed_as_documented_completes_the_step(case, key):
    subject = case.person.claims()["sub"]
    answer = case.submit(custom_step_token(key, subject, case.challenge_id, FIRST))
    assert answer.status == 200, answer
    second = answer.json["challenge_token"]
    assert unverified_claims(second)["current_step"] == "verify_email"
    assert [step["done"] for step in unverified_claims(second)["steps"]] == [True, False, False]

    third = case.person.do_code_step(second, case.email)
    last = case.person.device.continue_step(third, custom_step_token(key, subject, case.challenge_id, SECOND))
    assert last.status == 200, last
    assert unverified_claims(last.json["challenge_token"])["current_step"] == "completed"
    case.person.refresh(last.json["challenge_token"])
    assert case.person.scopes() == [SCOPE]


# Proves: P3
@pytest.mark.parametrize("claim", ["sub", "exp", "nbf", "iat", "jti", "challenge_id", "key", "status"])
def test_a_token_without_a_required_claim_is_rejected(case, claim):
    case.assert_rejected(case.token(**{claim: None}), 400, "invalid_verification_token")


# Proves: O13
@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"sub": "usr_01jd7w3k2m9z8x7c6v5b4n3m2a"}, 401, "token_mismatch"),
        ({"challenge_id": "chg_01jd7w3k2m9z8x7c6v5b4n3m2a"}, 401, "token_mismatch"),
        ({"status": "failed"}, 409, "step_not_completed"),
        ({"key": SECOND}, 409, "step_bypassed"),
        ({"key": "verify_email"}, 409, "step_not_found"),
        ({"key": "verify_face"}, 409, "step_not_found"),
        ({"exp": int(time.time()) - 120}, 400, "invalid_verification_token"),
        ({"exp": int(time.time()) + 2 * 86_400}, 400, "invalid_verification_token"),
        ({"nbf": int(time.time()) + 86_400}, 400, "invalid_verification_token"),
        ({"jti": ""}, 400, "invalid_verification_token"),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
def test_a_token_with_another_claim_value_is_rejected(case, changes, status, code):
    case.assert_rejected(case.token(**changes), status, code)


# Proves: P3
def test_a_token_with_another_algorithm_is_rejected(case, key):
    elliptic = ECKey.generate_key("P-256", {"kid": key.kid})
    for algorithm, signer in [("PS256", key), ("RS512", key), ("ES256", elliptic)]:
        token = jwt.encode({"alg": algorithm, "kid": key.kid}, case.claims, signer, algorithms=[algorithm])
        case.assert_invalid(token)


# Proves: P3
def test_a_token_without_a_valid_signature_is_rejected(case, key):
    def compact(header: dict, sign) -> str:
        head, payload = (base64url(json.dumps(part).encode()) for part in (header, case.claims))
        return f"{head}.{payload}.{base64url(sign(f'{head}.{payload}'.encode()))}"

    # The public key as the secret of a MAC (RFC 8725 §2.1).
    public = key.as_pem(private=False)
    case.assert_invalid(
        compact({"alg": "HS256", "kid": key.kid}, lambda text: hmac.digest(public, text, "sha256")))
    case.assert_invalid(compact({"alg": "none", "kid": key.kid}, lambda _: b""))
    case.assert_invalid(compact({"alg": "RS256", "kid": key.kid}, lambda _: b""))
    case.assert_invalid("not a token")


# Proves: O14
def test_a_token_of_an_unknown_key_is_rejected_without_another_fetch(case, backend):
    case.submit("not a token")
    assert case.submit(case.token(key="verify_face")).code == "step_not_found", "the keys are there"
    backend.forget()
    stranger = RSAKey.generate_key(2048, {"kid": "stranger"})
    impostor = RSAKey.generate_key(2048, {"kid": case.key.kid})
    for signer in [stranger, impostor, stranger]:
        case.assert_invalid(
            jwt.encode({"alg": "RS256", "kid": signer.kid}, case.claims, signer, algorithms=["RS256"]))
    assert backend.received.empty(), "keys are fetched at most every 30 seconds"


# Proves: S3
def test_a_token_is_accepted_once_for_all_challenges(trusting, key, case):
    other = Case(trusting, key)
    assert case.submit(case.token(jti="the-same-one")).status == 200
    other.assert_rejected(other.token(jti="the-same-one"), 409, "token_reused")


# Proves: O13
def test_the_token_of_a_completed_step_is_rejected(case):
    token = case.token()
    assert case.submit(token).status == 200
    again = case.submit(token)
    assert (again.status, again.code) == (409, "token_reused"), "its challenge token is used up"


# Proves: R12
def test_only_the_device_of_the_session_can_complete_the_step(trusting, case):
    thief = Person.signed_in(trusting)
    stolen = thief.device.continue_step(case.challenge, case.token())
    assert (stolen.status, stolen.code) == (401, "dpop_key_mismatch"), stolen
    bare = case.person.transport.send(
        "POST", "/v1/session/stepup/continue",
        {"challenge_token": case.challenge, "verification_token": case.token()})
    assert (bare.status, bare.code) == (401, "missing_dpop_proof"), bare
    case.assert_rejected("not a token", 400, "invalid_verification_token")
