"""Tests access tokens that are bound to the device's key with a foreign client: joserfc makes the proofs."""

import json
import time

import pytest

from device import V1
from dpop import make_dpop
from keys import unverified_claims
from operator_api import Management
from person import Person, new_email
from terminal import log_in_with_code

LIST, IDENTIFIERS, REVOKE = f"{V1}/me/list", f"{V1}/me/identifiers", f"{V1}/me/revoke"
RESET, STEP_UP = f"{V1}/me/password/reset", f"{V1}/stepup/request"
SCOPE = "prld:pwd:write"


def bind(service, binding: str, **settings) -> dict:
    body = {"access_token_binding": binding, **settings}
    return Management(service).expect(200, "PUT", "/config/sessions", body)["config"]


@pytest.fixture
def ada(shared):
    """Returns a signed-in user with a bound token."""
    bind(shared, "dpop")
    return Person.signed_in(shared)


def call(person: Person, scheme: str = "DPoP", proofs: list[str] | None = None, path: str = LIST, method: str = "GET"):
    headers = [("Authorization", f"{scheme} {person.access_token}")]
    return person.transport.send(method, path, None, [*headers, *(("DPoP", proof) for proof in proofs or [])])


def proof(person: Person, path: str = LIST, method: str = "GET", **changes) -> str:
    """Makes a valid proof with the person's key, with these changes."""
    members = {
        "key": person.device.key, "method": method, "url": person.transport.url(path),
        "access_token": person.access_token, **changes,
    }
    return make_dpop(**members)


def status_and_code(answer) -> tuple[int, str | None]:
    return answer.status, answer.code


def test_the_setting_is_returned_as_it_was_set(shared):
    assert bind(shared, "dpop")["access_token_binding"] == "dpop"
    assert Management(shared).get("/config/sessions")["config"]["access_token_binding"] == "dpop"
    # A request without this setting does not change it.
    config = Management(shared).expect(200, "PUT", "/config/sessions", {})["config"]
    assert config["access_token_binding"] == "dpop"
    assert bind(shared, "none")["access_token_binding"] == "none"


@pytest.mark.parametrize("value", ["DPoP", "", "bearer", "mtls", 1, True])
def test_an_invalid_setting_is_rejected_with_its_field(shared, value):
    bind(shared, "dpop")
    refused = Management(shared).send("PUT", "/config/sessions", {"access_token_binding": value})
    assert status_and_code(refused) == (400, "bad_request")
    assert "access_token_binding" in refused.json["message"]
    assert Management(shared).get("/config/sessions")["config"]["access_token_binding"] == "dpop"


# Proves: D24
def test_a_bound_token_contains_the_thumbprint_of_the_key(ada):
    answer = ada.device.refresh(ada.refresh_token)
    claims = ada.take(answer)
    assert claims["cnf"] == {"jkt": ada.device.key.thumbprint()}
    assert answer.json["token_type"] == "DPoP"


def test_a_token_of_an_app_without_binding_contains_no_thumbprint(shared):
    bind(shared, "none")
    person = Person.signed_in(shared)
    answer = person.device.refresh(person.refresh_token)
    assert "cnf" not in person.take(answer)
    assert answer.json["token_type"] == "Bearer"


def test_a_claim_mapping_cannot_set_the_binding(shared):
    refused = Management(shared).send("POST", "/config/claims", {"mapping": {"cnf": {"jkt": "mine"}}})
    assert status_and_code(refused) == (400, "bad_request")


@pytest.mark.parametrize("policy", ["when_needed", "always"])
def test_all_calls_work_with_bound_tokens(shared, policy):
    bind(shared, "dpop", nonce_policy=policy)
    management = Management(shared)
    management.register(SCOPE)
    direct = {
        "identifier_types": ["email_address"], "status": "review", "granted_for": 300, "grant_mode": "single-use",
        "steps": [{"order": 1, "key": "verify_email"}],
    }
    management.set("stepup", {"allowed_scopes": [{"scope": SCOPE, "mode": "direct", "direct": direct}]})
    email = new_email()
    person = Person.signed_in(shared, email)
    assert person.device.sessions(person.access_token).json["total"] == 1
    assert person.device.identifiers(person.access_token).json["identifiers"][0]["value"] == email
    person.refresh(person.do_code_step(person.challenge(SCOPE), email))
    assert person.scopes() == [SCOPE]
    assert person.device.change_password(person.access_token, "a good password, bound").status == 204
    other = Person.signed_in(shared, email)
    assert person.device.end_sessions(person.access_token, "others").status == 204
    assert status_and_code(other.device.sessions(other.access_token)) == (401, "unauthorized")
    assert person.device.revoke(person.refresh_token).status == 204
    assert status_and_code(person.device.sessions(person.access_token)) == (401, "unauthorized")


# Proves: D27
@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", LIST), ("GET", IDENTIFIERS), ("POST", REVOKE), ("POST", RESET), ("POST", STEP_UP)])
def test_a_stolen_token_is_rejected(shared, ada, method, path):
    thief = Person.signed_in(shared)
    own = [proof(ada, path, method, key=thief.device.key)]
    assert status_and_code(call(ada, "Bearer", path=path, method=method)) == (401, "unauthorized")
    assert status_and_code(call(ada, "Bearer", own, path, method)) == (401, "unauthorized")
    assert status_and_code(call(ada, "DPoP", path=path, method=method)) == (401, "missing_dpop_proof")
    mismatch = call(ada, "DPoP", [proof(ada, path, method, key=thief.device.key)], path, method)
    assert status_and_code(mismatch) == (401, "dpop_key_mismatch")
    assert mismatch.headers["WWW-Authenticate"] == 'DPoP error="invalid_token", algs="ES256"'
    assert ada.device.sessions(ada.access_token).status == 200


# Proves: D26
def test_a_bound_token_needs_exactly_one_valid_proof(ada):
    assert call(ada, proofs=[proof(ada)]).status == 200
    # Names of schemes are case-insensitive (RFC 9110 §11.1), and a proof does not contain the query.
    assert call(ada, "dpop", [proof(ada)], LIST + "?limit=1").status == 200


MUTATIONS = {
    "no proof": (lambda ada: call(ada), 401, "missing_dpop_proof"),
    "two proofs": (lambda ada: call(ada, proofs=[proof(ada), proof(ada)]), 400, "invalid_dpop_proof"),
    "scheme": (lambda ada: call(ada, "Bearer", [proof(ada)]), 401, "unauthorized"),
    "no ath": (lambda ada: call(ada, proofs=[proof(ada, access_token=None)]), 400, "invalid_dpop_proof"),
    "another ath": (lambda ada: call(ada, proofs=[proof(ada, access_token="other")]), 400, "invalid_dpop_proof"),
    "another method": (lambda ada: call(ada, proofs=[proof(ada, method="POST")]), 400, "invalid_dpop_proof"),
    "another path": (lambda ada: call(ada, proofs=[proof(ada, IDENTIFIERS)]), 400, "invalid_dpop_proof"),
    "another host": (
        lambda ada: call(ada, proofs=[proof(ada, url="https://evil.example" + LIST)]), 400, "invalid_dpop_proof"),
    "stale": (lambda ada: call(ada, proofs=[proof(ada, iat=int(time.time()) - 90)]), 400, "use_dpop_nonce"),
    "ahead": (lambda ada: call(ada, proofs=[proof(ada, iat=int(time.time()) + 90)]), 400, "use_dpop_nonce"),
    "another nonce": (lambda ada: call(ada, proofs=[proof(ada, nonce="other")]), 400, "use_dpop_nonce"),
}


# Proves: D16
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_each_change_to_a_valid_call_is_rejected(ada, mutation):
    send, status, code = MUTATIONS[mutation]
    refused = send(ada)
    assert status_and_code(refused) == (status, code)
    assert 'algs="ES256"' in refused.headers["WWW-Authenticate"]
    assert refused.headers["Cache-Control"] == "no-store"


def test_a_proof_is_accepted_once(ada):
    once = proof(ada)
    assert call(ada, proofs=[once]).status == 200
    assert status_and_code(call(ada, proofs=[once])) == (400, "invalid_dpop_proof")


# Proves: D27
def test_a_bound_token_is_no_bearer_token_after_binding_is_switched_off(shared, ada):
    bind(shared, "none")
    assert status_and_code(call(ada, "Bearer")) == (401, "unauthorized")
    assert call(ada, proofs=[proof(ada)]).status == 200
    assert "cnf" not in ada.refresh()
    assert call(ada, "Bearer").status == 200


def test_a_bearer_token_is_valid_until_it_expires_after_binding_is_switched_on(shared):
    bind(shared, "none")
    person = Person.signed_in(shared)
    bind(shared, "dpop")
    assert call(person, "Bearer").status == 200
    assert status_and_code(call(person, "DPoP", [proof(person)])) == (401, "unauthorized")
    assert "cnf" in person.refresh()
    assert status_and_code(call(person, "Bearer")) == (401, "unauthorized")


# Proves: D22
def test_a_login_without_a_valid_proof_gets_no_token(shared):
    bind(shared, "dpop")
    person = Person(shared)
    email = new_email()
    verification = person.device.start(email).headers["X-Verification-Token"]
    challenge = person.device.check(verification, person.code(email)).json["challenge_token"]
    origin = [("Origin", shared.url)]
    for headers in [[], origin]:
        refused = person.transport.send("POST", f"{V1}/login/finalize", {"challenge_token": challenge}, headers)
        assert status_and_code(refused) == (401, "missing_dpop_proof")
    # Neither request used up the challenge.
    assert "cnf" in person.take(person.device.finalize(challenge))


def test_the_command_line_client_works_before_and_after_binding_is_switched_on(service):
    """The SDK runs as one process per command. It signs in while binding is off and works after it is switched on."""
    assert log_in_with_code(service, "ada@example.com").returncode == 0
    for binding, claim in [("dpop", True), ("none", False), ("dpop", True)]:
        bind(service, binding)
        assert json.loads(service.run("whoami", "--json").stdout)["identifiers"] == ["ada@example.com"]
        token = service.run("refresh", "--print-token").stdout.strip()
        assert ("cnf" in unverified_claims(token)) == claim
        assert json.loads(service.run("whoami", "--json").stdout)["identifiers"] == ["ada@example.com"]
        assert service.run("sessions").returncode == 0
    assert service.run("logout").returncode == 0


def test_an_app_can_be_created_with_bound_tokens(service):
    made = service.run("app", "create", "Bound", "--id", "bound01", "--email", "--bound-access-tokens")
    assert made.returncode == 0, made.stderr
    assert "DPoP" in made.stdout
    config = Management(service, "bound01").get("/config/sessions")["config"]
    assert config["access_token_binding"] == "dpop"
