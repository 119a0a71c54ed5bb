"""Access tokens bound to the key, by a foreign client: proofs are joserfc's, and nothing of ours makes or reads them."""

import json
import time

import pytest

from device import V1
from dpop import make_dpop
from keys import unverified_claims
from operator_api import Management
from person import Person, new_email
from test_terminal import log_in_with_code

LIST, IDENTIFIERS, REVOKE = f"{V1}/me/list", f"{V1}/me/identifiers", f"{V1}/me/revoke"
RESET, STEP_UP = f"{V1}/me/password/reset", f"{V1}/stepup/request"
SCOPE = "prld:pwd:write"


def bind(service, binding: str, **settings) -> dict:
    body = {"access_token_binding": binding, **settings}
    return Management(service).expect(200, "PUT", "/config/sessions", body)["config"]


@pytest.fixture
def ada(shared):
    """Somebody with a bound token; the app binds tokens."""
    bind(shared, "dpop")
    return Person.signed_in(shared)


def call(person: Person, scheme: str = "DPoP", proofs: list[str] | None = None, path: str = LIST, method: str = "GET"):
    headers = [("Authorization", f"{scheme} {person.access_token}")]
    return person.transport.send(method, path, None, [*headers, *(("DPoP", proof) for proof in proofs or [])])


def proof(person: Person, path: str = LIST, method: str = "GET", **changes) -> str:
    """A good proof of the person's key, but for the changes."""
    members = {
        "key": person.device.key, "method": method, "url": person.transport.url(path),
        "access_token": person.access_token, **changes,
    }
    return make_dpop(**members)


def told(answer) -> tuple[int, str | None]:
    return answer.status, answer.code


def test_the_setting_is_shown_as_it_was_set(shared):
    assert bind(shared, "dpop")["access_token_binding"] == "dpop"
    assert Management(shared).get("/config/sessions")["config"]["access_token_binding"] == "dpop"
    # Whoever says nothing of it does not switch it off.
    config = Management(shared).expect(200, "PUT", "/config/sessions", {})["config"]
    assert config["access_token_binding"] == "dpop"
    assert bind(shared, "none")["access_token_binding"] == "none"


@pytest.mark.parametrize("value", ["DPoP", "", "bearer", "mtls", 1, True])
def test_a_setting_that_is_none_is_refused_and_named(shared, value):
    bind(shared, "dpop")
    refused = Management(shared).send("PUT", "/config/sessions", {"access_token_binding": value})
    assert told(refused) == (400, "bad_request")
    assert "access_token_binding" in refused.json["message"]
    assert Management(shared).get("/config/sessions")["config"]["access_token_binding"] == "dpop"


def test_the_token_names_the_key(ada):
    answer = ada.device.refresh(ada.refresh_token)
    claims = ada.take(answer)
    assert claims["cnf"] == {"jkt": ada.device.key.thumbprint()}
    assert answer.json["token_type"] == "DPoP"


def test_a_token_of_an_app_that_binds_none_names_none(shared):
    bind(shared, "none")
    person = Person.signed_in(shared)
    answer = person.device.refresh(person.refresh_token)
    assert "cnf" not in person.take(answer)
    assert answer.json["token_type"] == "Bearer"


def test_no_mapping_writes_a_binding(shared):
    refused = Management(shared).send("POST", "/config/claims", {"mapping": {"cnf": {"jkt": "mine"}}})
    assert told(refused) == (400, "bad_request")


@pytest.mark.parametrize("policy", ["when_needed", "always"])
def test_the_whole_journey(shared, policy):
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
    assert told(other.device.sessions(other.access_token)) == (401, "unauthorized")
    assert person.device.revoke(person.refresh_token).status == 204
    assert told(person.device.sessions(person.access_token)) == (401, "unauthorized")


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", LIST), ("GET", IDENTIFIERS), ("POST", REVOKE), ("POST", RESET), ("POST", STEP_UP)])
def test_a_stolen_token_opens_nothing(shared, ada, method, path):
    thief = Person.signed_in(shared)
    own = [proof(ada, path, method, key=thief.device.key)]
    assert told(call(ada, "Bearer", path=path, method=method)) == (401, "unauthorized")
    assert told(call(ada, "Bearer", own, path, method)) == (401, "unauthorized")
    assert told(call(ada, "DPoP", path=path, method=method)) == (401, "missing_dpop_proof")
    mismatch = call(ada, "DPoP", [proof(ada, path, method, key=thief.device.key)], path, method)
    assert told(mismatch) == (401, "dpop_key_mismatch")
    assert mismatch.headers["WWW-Authenticate"] == 'DPoP error="invalid_token", algs="ES256"'
    assert ada.device.sessions(ada.access_token).status == 200


def test_a_bound_token_is_good_with_one_right_proof_only(ada):
    assert call(ada, proofs=[proof(ada)]).status == 200
    # The names of schemes have no case (RFC 9110 §11.1), and a query is none of the proof's.
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


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_one_change_to_a_good_call_is_a_refusal(ada, mutation):
    send, status, code = MUTATIONS[mutation]
    refused = send(ada)
    assert told(refused) == (status, code)
    assert 'algs="ES256"' in refused.headers["WWW-Authenticate"]
    assert refused.headers["Cache-Control"] == "no-store"


def test_a_proof_is_good_once(ada):
    once = proof(ada)
    assert call(ada, proofs=[once]).status == 200
    assert told(call(ada, proofs=[once])) == (400, "invalid_dpop_proof")


def test_switched_off_a_bound_token_is_still_no_bearer_token(shared, ada):
    bind(shared, "none")
    assert told(call(ada, "Bearer")) == (401, "unauthorized")
    assert call(ada, proofs=[proof(ada)]).status == 200
    assert "cnf" not in ada.refresh()
    assert call(ada, "Bearer").status == 200


def test_switched_on_a_bearer_token_is_good_until_it_ends(shared):
    bind(shared, "none")
    person = Person.signed_in(shared)
    bind(shared, "dpop")
    assert call(person, "Bearer").status == 200
    assert told(call(person, "DPoP", [proof(person)])) == (401, "unauthorized")
    assert "cnf" in person.refresh()
    assert told(call(person, "Bearer")) == (401, "unauthorized")


def test_who_has_no_key_gets_no_token(shared):
    bind(shared, "dpop")
    person = Person(shared)
    email = new_email()
    verification = person.device.start(email).headers["X-Verification-Token"]
    challenge = person.device.check(verification, person.code(email)).json["challenge_token"]
    origin = [("Origin", shared.url)]
    for headers in [[], origin]:
        refused = person.transport.send("POST", f"{V1}/login/finalize", {"challenge_token": challenge}, headers)
        assert told(refused) == (401, "missing_dpop_proof")
    # Neither spent the challenge.
    assert "cnf" in person.take(person.device.finalize(challenge))


def test_the_terminal_does_not_notice(service):
    """The SDK, a process for each command: signed in while nothing is bound, and there all the same afterwards."""
    assert log_in_with_code(service, "ada@example.com").returncode == 0
    for binding, claim in [("dpop", True), ("none", False), ("dpop", True)]:
        bind(service, binding)
        assert json.loads(service.run("whoami", "--json").stdout)["identifiers"] == ["ada@example.com"]
        token = service.run("refresh", "--print-token").stdout.strip()
        assert ("cnf" in unverified_claims(token)) == claim
        assert json.loads(service.run("whoami", "--json").stdout)["identifiers"] == ["ada@example.com"]
        assert service.run("sessions").returncode == 0
    assert service.run("logout").returncode == 0


def test_an_app_can_begin_with_bound_tokens(service):
    made = service.run("app", "create", "Bound", "--id", "bound01", "--email", "--bound-access-tokens")
    assert made.returncode == 0, made.stderr
    assert "DPoP" in made.stdout
    config = Management(service, "bound01").get("/config/sessions")["config"]
    assert config["access_token_binding"] == "dpop"
