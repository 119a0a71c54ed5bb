"""Tests step-up with direct rules: what a grant allows, what ends it, and what is rejected."""

import base64
import json
import time

import pytest

from device import V1
from dpop import make_dpop
from keys import unverified_claims
from operator_api import Management
from person import Person, new_email, new_phone
from service import Service, running

ONCE, SESSION, PROFILE, TWO, AT_ONCE, NEVER = "once", "session", "profile", "two:steps", "at.once", "never"
PHONE = "prld:phone:register"
EMAIL_STEP = {"order": 1, "key": "verify_email"}


def rule(scope: str, mode: str = "single-use", steps: list | None = None, **members) -> dict:
    direct = {
        "identifier_types": ["email_address"], "status": "review", "granted_for": 120, "grant_mode": mode,
        "steps": steps or [EMAIL_STEP], **members,
    }
    return {"scope": scope, "mode": "direct", "direct": direct}


RULES = [
    rule(ONCE), rule(SESSION, "session-bound"), rule(PROFILE, "profile-bound"),
    rule(TWO, "session-bound", [EMAIL_STEP, {"order": 2, "key": "verify_sms"}], identifier_types=["phone_number"]),
    rule(AT_ONCE, status="continue"), rule(NEVER, status="block"),
    rule("hurry", steps=[{**EMAIL_STEP, "expiration_duration": 2}]),
    {"scope": PHONE, "mode": "managed"},
]


@pytest.fixture(scope="module")
def management(shared) -> Management:
    management = Management(shared)
    management.register(*(entry["scope"] for entry in RULES), "prld:pwd:write")
    return management


@pytest.fixture
def ada(shared, management) -> Person:
    """Returns a user with an e-mail address, `ada.email`, and the rules above."""
    management.set("stepup", {"allowed_scopes": RULES})
    return new_person(shared)


def new_person(service) -> Person:
    email = new_email()
    person = Person.signed_in(service, email)
    person.email = email
    return person


def another_session(person: Person, service) -> Person:
    other = Person.signed_in(service, person.email)
    assert other.claims()["sub"] == person.claims()["sub"]
    return other


def complete(person: Person, scope: str) -> str:
    return person.do_code_step(person.challenge(scope), person.email)


def status_and_code(answer) -> tuple:
    return answer.status, answer.code


# What a grant allows


def test_a_single_use_grant_lasts_one_generation_of_the_session(ada):
    ada.refresh(complete(ada, ONCE))
    assert ada.scopes() == [ONCE]
    ada.refresh()
    assert ada.scopes() == []


def test_a_session_bound_grant_is_in_every_token_of_its_session_only(ada, shared):
    elsewhere = another_session(ada, shared)
    ada.refresh(complete(ada, SESSION))
    ada.refresh()
    elsewhere.refresh()
    assert (ada.scopes(), elsewhere.scopes()) == ([SESSION], [])


def test_a_profile_bound_grant_is_in_every_session_of_its_user_only(ada, shared):
    elsewhere, stranger = another_session(ada, shared), new_person(shared)
    ada.refresh(complete(ada, PROFILE))
    elsewhere.refresh()
    stranger.refresh()
    assert (ada.scopes(), elsewhere.scopes(), stranger.scopes()) == ([PROFILE], [PROFILE], [])


def test_a_profile_bound_grant_ends_with_the_session_that_earned_it(ada, shared):
    elsewhere = another_session(ada, shared)
    ada.refresh(complete(ada, PROFILE))
    elsewhere.refresh()
    assert elsewhere.scopes() == [PROFILE]
    assert ada.device.revoke(ada.refresh_token).status == 204
    elsewhere.refresh()
    assert elsewhere.scopes() == []


# Proves: P2
def test_no_token_outlives_its_grant(ada):
    claims = ada.refresh(complete(ada, SESSION))
    # The token was issued 30 seconds after its `iat`.
    assert claims["exp"] - claims["iat"] - 30 <= 120 < 300
    assert ada.refresh()["exp"] == claims["exp"], "the token expires with its grant"


def test_an_immediate_grant_returns_a_completed_challenge(ada):
    answer = ada.request_scope(AT_ONCE)
    assert answer.json["status"] == "continue"
    challenge = unverified_claims(answer.json["challenge_token"])
    assert (challenge["current_step"], challenge["steps"]) == ("completed", [])
    assert challenge["exp"] - challenge["iat"] == 300
    ada.refresh(answer.json["challenge_token"])
    assert ada.scopes() == [AT_ONCE]


def test_a_denied_scope_returns_no_token(ada):
    answer = ada.request_scope(NEVER)
    assert (answer.status, answer.json) == (200, {"status": "block"})


# Proves: S3
def test_a_lost_answer_repeats_the_grant(ada):
    completed, spent = complete(ada, ONCE), ada.refresh_token
    lost = ada.device.refresh(spent, completed)
    ada.take(ada.device.refresh(spent, completed))
    assert ada.scopes() == [ONCE]
    assert ada.refresh_token == lost.headers["X-Refresh-Token"]
    assert status_and_code(ada.device.refresh(ada.refresh_token, completed)) == (409, "token_reused")


# Proves: S1
def test_a_rejected_step_up_token_does_not_change_the_session(ada):
    for token, refusal in [
        (ada.challenge(ONCE), (409, "step_not_completed")), ("not.a.token", (401, "invalid_challenge_token")),
        (ada.access_token, (401, "invalid_challenge_token")),
    ]:
        assert status_and_code(ada.device.refresh(ada.refresh_token, token)) == refusal
    ada.refresh()
    assert ada.scopes() == []


# What is rejected


# Proves: R12
def test_a_scope_request_needs_a_proof_by_the_session_key(ada, shared):
    path = f"{V1}/stepup/request"
    bearer = [("Authorization", f"Bearer {ada.access_token}")]
    assert status_and_code(ada.transport.send("POST", path, {"scope": ONCE}, bearer)) == (401, "missing_dpop_proof")
    thief = new_person(shared).device
    assert status_and_code(thief.request_scope(ada.access_token, ONCE)) == (401, "dpop_key_mismatch")
    assert status_and_code(ada.transport.send("POST", path, {"scope": ONCE})) == (401, "unauthorized")


# Proves: R12
def test_a_step_needs_a_proof_that_repeats_the_challenge(ada, shared):
    challenge = ada.challenge(ONCE)
    assert ada.device.send_step_code(challenge).status == 204
    path, body = f"{V1}/otp/check", {"challenge_token": challenge, "code": ada.code(ada.email)}
    assert status_and_code(ada.transport.send("POST", path, body)) == (401, "missing_dpop_proof")
    of_nothing = ada.device.proof("POST", path)
    assert status_and_code(ada.device.send_with(of_nothing, "POST", path, body)) == (400, "invalid_dpop_proof")
    thief = new_person(shared).device
    assert status_and_code(thief.check_step(challenge, body["code"])) == (401, "dpop_key_mismatch")
    jti = unverified_claims(challenge)["jti"]
    elsewhere = make_dpop(ada.device.key, "POST", ada.transport.url(f"{V1}/refresh"), jti=jti)
    assert status_and_code(ada.device.send_with(elsewhere, "POST", path, body)) == (400, "invalid_dpop_proof")
    assert ada.device.check_step(challenge, body["code"]).status == 200, "the rejected requests had no effect"


# Proves: S3
def test_a_token_of_a_completed_step_is_rejected(ada):
    first = ada.challenge(ONCE)
    completed = ada.do_code_step(first, ada.email)
    assert status_and_code(ada.device.check_step(first, "123456")) == (409, "token_reused")
    assert status_and_code(ada.device.send_step_code(first)) == (409, "token_reused")
    assert status_and_code(ada.device.refresh(ada.refresh_token, first)) == (409, "token_reused")
    assert status_and_code(ada.device.send_step_code(completed)) == (409, "step_not_found")
    ada.refresh(completed)


# Proves: S3
def test_a_challenge_of_another_session_is_rejected(ada, shared):
    elsewhere = another_session(ada, shared)
    completed = complete(ada, ONCE)
    assert status_and_code(elsewhere.device.refresh(elsewhere.refresh_token, completed)) == (401, "token_mismatch")
    elsewhere.refresh()
    assert elsewhere.scopes() == []
    ada.refresh(completed)
    assert ada.scopes() == [ONCE]


# Proves: S5
def test_a_modified_challenge_is_rejected(ada):
    header, payload, signature = ada.challenge(ONCE).split(".")
    claims = {**unverified_claims(f"{header}.{payload}.{signature}"), "current_step": "completed"}
    forged = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
    for token in [f"{header}.{forged}.{signature}", f"{header}.{forged}."]:
        assert status_and_code(ada.device.refresh(ada.refresh_token, token)) == (401, "invalid_challenge_token")


# Proves: S5, J11
def test_a_token_of_one_kind_is_rejected_as_another_kind(ada):
    challenge = ada.challenge(ONCE)
    assert status_and_code(ada.device.identifiers(challenge)) == (401, "unauthorized")
    assert status_and_code(ada.device.finalize(challenge)) == (401, "invalid_challenge_token")
    verification = ada.device.start(ada.email).headers["X-Verification-Token"]
    login = ada.device.check(verification, ada.code(ada.email)).json["challenge_token"]
    assert status_and_code(ada.device.refresh(ada.refresh_token, login)) == (401, "invalid_challenge_token")
    assert status_and_code(ada.device.send_step_code(login)) == (401, "invalid_challenge_token")


# Proves: S1
def test_every_step_must_be_completed(shared, management, ada):
    phone = new_phone()
    management.expect(
        200, "POST", f"/users/{ada.claims()['sub']}/identifiers", {"type": "phone_number", "value": phone})
    first = ada.challenge(TWO)
    second = ada.do_code_step(first, ada.email)
    assert status_and_code(ada.device.refresh(ada.refresh_token, second)) == (409, "step_not_completed")
    stale = ada.code(ada.email)
    assert ada.device.send_step_code(second).status == 204
    if stale != ada.code(phone):
        assert status_and_code(ada.device.check_step(second, stale)) == (401, "bad_check_code"), "the first step's code"
    ada.refresh(ada.device.check_step(second, ada.code(phone)).json["challenge_token"])
    assert ada.scopes() == [TWO]


# Proves: O6
def test_five_wrong_codes_end_a_challenge_and_a_resend_does_not_reset_the_count(ada):
    challenge = ada.challenge(ONCE)
    assert ada.device.send_step_code(challenge).status == 204
    again = ada.device.send_step_code(challenge)
    assert status_and_code(again) == (429, "rate_limited") and 0 < int(again.headers["Retry-After"]) <= 30
    right = ada.code(ada.email)
    wrong = str((int(right[0]) + 1) % 10) + right[1:]
    for _ in range(5):
        assert status_and_code(ada.device.check_step(challenge, wrong)) == (401, "bad_check_code")
    assert status_and_code(ada.device.check_step(challenge, right)) == (401, "invalid_challenge_token")
    assert status_and_code(ada.device.send_step_code(challenge)) == (401, "invalid_challenge_token")


# Proves: O9
def test_checking_a_code_does_not_reveal_that_the_challenge_has_expired(ada):
    challenge = ada.challenge("hurry")
    assert ada.device.send_step_code(challenge).status == 204
    code = ada.code(ada.email)
    time.sleep(max(0, unverified_claims(challenge)["exp"] - time.time()) + 0.1)
    assert status_and_code(ada.device.check_step(challenge, code)) == (401, "bad_check_code")
    assert status_and_code(ada.device.send_step_code(challenge)) == (401, "expired_challenge_token")
    assert status_and_code(ada.device.refresh(ada.refresh_token, challenge)) == (401, "expired_challenge_token")


# Who may request which scope


def test_an_unknown_or_unregistered_scope_is_rejected(ada, management):
    assert status_and_code(ada.request_scope("unheard:of")) == (403, "scope_not_allowed")
    assert status_and_code(ada.request_scope("no spaces")) == (400, "bad_request")
    management.expect(204, "DELETE", "/config/scopes", {"scope": ONCE})
    assert status_and_code(ada.request_scope(ONCE)) == (403, "scope_not_allowed"), "a rule, but not registered"
    management.register(ONCE)
    assert ada.request_scope(ONCE).status == 200


# Proves: S2
def test_a_rule_needs_a_matching_identifier(shared, management, ada):
    caller = Person.signed_in(shared, new_phone())
    assert status_and_code(caller.request_scope(ONCE)) == (403, "direct_scope_identifier_mismatch")
    # The rule matches, but the user has no identifier for one of its codes.
    assert status_and_code(caller.request_scope(TWO)) == (403, "direct_scope_identifier_mismatch")


def test_metadata_has_limits(ada):
    for metadata in [
        {str(number): "x" for number in range(6)}, {"x" * 13: "x"}, {"": "x"}, {"note": "x" * 33},
        {"identifier": "x" * 321},
    ]:
        assert status_and_code(ada.request_scope(ONCE, metadata)) == (400, "invalid_metadata"), metadata


def test_a_session_has_at_most_ten_open_challenges(ada):
    challenges = [ada.challenge(ONCE) for _ in range(11)]
    assert status_and_code(ada.device.send_step_code(challenges[0])) == (401, "invalid_challenge_token")
    assert ada.device.send_step_code(challenges[1]).status == 204
    ada.refresh(ada.device.check_step(challenges[1], ada.code(ada.email)).json["challenge_token"])


# Proves: O15
def test_a_user_has_at_most_thirty_scope_requests_in_ten_minutes(ada):
    for _ in range(30):
        assert ada.request_scope(NEVER).status == 200
    limited = ada.request_scope(NEVER)
    assert status_and_code(limited) == (429, "rate_limited") and 0 < int(limited.headers["Retry-After"]) <= 600


# What ends a grant or a challenge


# Proves: R13
def test_removing_a_scope_ends_its_grants_and_challenges(ada, management):
    ada.refresh(complete(ada, SESSION))
    running = ada.challenge(SESSION)
    management.expect(204, "DELETE", "/config/scopes", {"scope": SESSION})
    management.register(SESSION)
    ada.refresh()
    assert ada.scopes() == [], "and it does not come back with the scope"
    assert status_and_code(ada.device.send_step_code(running)) == (401, "invalid_challenge_token")


# Proves: R13
def test_removing_a_rule_ends_its_grants_and_challenges(ada, management):
    ada.refresh(complete(ada, PROFILE))
    running, other = ada.challenge(PROFILE), ada.challenge(ONCE)
    management.set("stepup", {"allowed_scopes": [entry for entry in RULES if entry["scope"] != PROFILE]})
    management.set("stepup", {"allowed_scopes": RULES})
    ada.refresh()
    assert ada.scopes() == []
    assert status_and_code(ada.device.send_step_code(running)) == (401, "invalid_challenge_token")
    assert ada.device.send_step_code(other).status == 204, "a rule that stays keeps its challenges"


# Proves: R13
def test_changing_a_rule_ends_its_grants_and_challenges(ada, management):
    ada.refresh(complete(ada, SESSION))
    running = ada.challenge(SESSION)
    stricter = [
        rule(SESSION, "session-bound", granted_for=60) if entry["scope"] == SESSION else entry for entry in RULES]
    management.set("stepup", {"allowed_scopes": stricter})
    ada.refresh()
    assert ada.scopes() == []
    assert status_and_code(ada.device.send_step_code(running)) == (401, "invalid_challenge_token")


# Proves: O12, R15
def test_removing_an_identifier_ends_grants_and_challenges(ada, management):
    user, phone = ada.claims()["sub"], {"type": "phone_number", "value": new_phone()}
    management.expect(200, "POST", f"/users/{user}/identifiers", phone)
    ada.refresh(complete(ada, SESSION))
    running = ada.challenge(ONCE)
    management.expect(200, "DELETE", f"/users/{user}/identifiers", phone)
    ada.refresh()
    assert ada.scopes() == []
    assert status_and_code(ada.device.send_step_code(running)) == (401, "invalid_challenge_token")


# Proves: O12
def test_a_new_password_ends_grants_challenges_and_logins(ada, management):
    ada.refresh(complete(ada, SESSION))
    running = ada.challenge(ONCE)
    assert ada.device.send_step_code(running).status == 204
    code, verification = ada.code(ada.email), ada.device.start(ada.email).headers["X-Verification-Token"]
    login_code = ada.code(ada.email)
    management.expect(
        204, "PUT", f"/users/{ada.claims()['sub']}/password",
        {"password": "correct horse battery", "revoke_sessions": False})
    assert status_and_code(ada.device.check_step(running, code)) == (401, "invalid_challenge_token")
    assert status_and_code(ada.device.check(verification, login_code)) == (401, "bad_check_code")
    ada.refresh()
    assert ada.scopes() == []


# Proves: R14
def test_ending_a_session_ends_its_challenges(ada):
    completed, running = complete(ada, PROFILE), ada.challenge(ONCE)
    assert ada.device.revoke(ada.refresh_token).status == 204
    assert status_and_code(ada.device.send_step_code(running)) == (401, "invalid_challenge_token")
    assert status_and_code(ada.device.refresh(ada.refresh_token, completed)) == (401, "unauthorized")


# Scopes that register an identifier


def test_a_new_identifier_is_added_after_the_correct_code(ada, management):
    phone = new_phone()
    answer = ada.request_scope(PHONE, {"identifier": phone})
    challenge = answer.json["challenge_token"]
    assert (answer.json["status"], unverified_claims(challenge)["current_step"]) == ("review", "verify_sms")
    assert {"type": "phone_number", "value": phone} not in ada.device.identifiers(ada.access_token).json["identifiers"]
    ada.refresh(ada.do_code_step(challenge, phone))
    assert {"type": "phone_number", "value": phone} in ada.device.identifiers(ada.access_token).json["identifiers"]
    event = management.events("user.identifier.created")[0]
    assert event["data"]["identifier"] == {"type": "phone_number", "value": phone}


def test_a_held_phone_signs_in_and_opens_nothing_else(ada, shared):
    phone = new_phone()
    challenge = ada.request_scope(PHONE, {"identifier": phone}).json["challenge_token"]
    ada.refresh(ada.do_code_step(challenge, phone))
    thief = Person.signed_in(shared, phone)
    assert thief.claims()["sub"] == ada.claims()["sub"]
    for person in (ada, thief):
        another = person.request_scope(PHONE, {"identifier": new_phone()}).json["challenge_token"]
        steps = [step["key"] for step in unverified_claims(another)["steps"]]
        assert steps == ["verify_email", "verify_sms"], "the address is confirmed first, however new the login is"


# Proves: O9
def test_a_taken_identifier_is_revealed_only_to_its_owner(ada, shared):
    phone = new_phone()
    owner = Person.signed_in(shared, phone)
    answer = ada.request_scope(PHONE, {"identifier": phone})
    assert answer.status == 200, "the same as for a number that no user has"
    challenge = answer.json["challenge_token"]
    assert ada.device.send_step_code(challenge).status == 204
    right = owner.code(phone)
    wrong = str((int(right[0]) + 1) % 10) + right[1:]
    assert status_and_code(ada.device.check_step(challenge, wrong)) == (401, "bad_check_code")
    assert status_and_code(ada.device.check_step(challenge, right)) == (409, "identifier_already_exists")
    assert status_and_code(ada.device.check_step(challenge, right)) == (401, "invalid_challenge_token")


def test_a_registration_must_name_the_identifier(ada):
    assert status_and_code(ada.request_scope(PHONE)) == (400, "invalid_metadata")
    assert status_and_code(ada.request_scope(PHONE, {"identifier": "0123"})) == (400, "invalid_metadata")


# Scopes that a login grants


def test_a_reserved_scope_of_a_login_lasts_ten_minutes(ada, shared, management):
    configs = management.get("/config/login/otp")["configs"]
    [config] = [config for config in configs if config["channel_type"] == "email" and config["is_default"]]
    body = {"channel_type": "email", "is_default": True, "granted_scopes": ["prld:pwd:write", ONCE]}
    management.expect(200, "PUT", "/config/sessions", {"access_token_lifetime": 900})
    management.expect(200, "PUT", f"/config/login/otp/{config['id']}", body)
    try:
        person = Person.signed_in(shared)
        claims = person.claims()
        assert person.scopes() == [ONCE, "prld:pwd:write"]
        assert 590 <= claims["exp"] - claims["iat"] - 30 <= 600, "of the 900 that a token lasts here"
        assert person.device.change_password(person.access_token, "correct horse battery").status == 204
        person.refresh()
        assert person.scopes() == [ONCE], "others last as long as the session"
        again = person.device.change_password(person.access_token, "staple of the better kind")
        assert status_and_code(again) == (403, "insufficient_scope")
    finally:
        management.expect(200, "PUT", "/config/sessions", {})
        management.expect(200, "PUT", f"/config/login/otp/{config['id']}", {**body, "granted_scopes": []})


def test_a_login_cannot_grant_an_unregistered_scope(management):
    refused = management.send(
        "POST", "/config/login/otp", {"channel_type": "email", "granted_scopes": ["never:registered"]})
    assert status_and_code(refused) == (400, "bad_request")
    assert refused.json["message"].startswith("granted_scopes ")


def test_without_a_configuration_there_is_no_step_up(tmp_path):
    service = Service(tmp_path, "--default-app", "newapp1")
    service.app = "newapp1"
    made = service.run("app", "create", "New", "--id", service.app, "--email")
    assert made.returncode == 0, made.stderr
    with running(service):
        assert status_and_code(Person.signed_in(service).request_scope(ONCE)) == (403, "not_configured")
