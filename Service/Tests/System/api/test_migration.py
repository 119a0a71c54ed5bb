"""Tests the migration from an earlier system: the operator's backend checks the old credential once."""

import secrets

import pytest

from operator_api import Management
from person import Person, new_email, pkce
from receiver import Reply
from snippets import load
from transport import Transport

is_from_the_service = load("hooks.md").is_from_the_service
is_new_request = load("hooks.md").is_new_request

PATH = "/validate"
CREDENTIAL = "old-session-3f9c"


def owner(**members) -> Reply:
    return Reply(200, {"user": {"identifiers": [{"type": "email_address", "value": new_email()}], **members}})


@pytest.fixture(scope="module")
def management(trusting, backend) -> Management:
    management = Management(trusting)
    management.set("migration", {"session_validation_url": backend.url(PATH)})
    return management


def migrate(service, credential: str = CREDENTIAL) -> Person:
    person = Person(service)
    verifier, challenge = pkce()
    answer = person.device.migrate(credential, challenge)
    assert answer.status == 200, answer
    person.take(person.device.finalize(answer.json["challenge_token"], verifier))
    return person


def test_a_user_is_migrated_with_identifiers_profile_and_name(trusting, management, backend):
    email, number = new_email(), secrets.token_hex(6)
    identifiers = [{"type": "email_address", "value": email}, {"type": "phone_number", "value": "+14155557777"}]
    backend.on(PATH, owner(identifiers=identifiers, profile={"plan": "gold"}, external_id=number))
    backend.forget()
    person = migrate(trusting)
    user = management.get(f"/users/{person.claims()['sub']}")
    assert user["identifiers"] == identifiers
    assert (user["profile"], user["external_id"], user["has_password"]) == ({"plan": "gold"}, number, False)
    call = backend.next()
    assert (call.method, call.json) == ("POST", {"token": CREDENTIAL})
    assert call.headers["user-agent"] == "Prelude-SessionMigrationHook/1.0"
    jwks = Transport(trusting.url).send("GET", "/.well-known/jwks.json").json
    signature, key_id = call.headers["x-webhook-signature"], call.headers["x-webhook-signature-key-id"]
    assert is_from_the_service(call.body, signature, key_id, jwks)


# Proves: H23
def test_a_replayed_migration_is_rejected(trusting, management, backend):
    backend.on(PATH, owner())
    backend.forget()
    migrate(trusting)
    call, jwks = backend.next(), Transport(trusting.url).send("GET", "/.well-known/jwks.json").json
    seen: dict[str, int] = {}
    assert is_new_request(call.headers, call.body, jwks, seen)
    assert not is_new_request(call.headers, call.body, jwks, seen)
    assert not is_new_request(call.headers, call.body.replace(b"old", b"new"), jwks, {})
    for name in ("x-webhook-id", "x-webhook-timestamp"):
        assert not is_new_request({**call.headers, name: call.headers[name] + "0"}, call.body, jwks, {}), name


# Proves: R11
def test_migrating_twice_gives_the_same_user(trusting, management, backend):
    email, number = new_email(), secrets.token_hex(6)
    backend.on(PATH, owner(identifiers=[{"type": "email_address", "value": email}], external_id=number))
    first = migrate(trusting).claims()
    backend.on(PATH, owner(identifiers=[{"type": "email_address", "value": email}], profile={"plan": "tin"}))
    second = migrate(trusting).claims()
    assert first["sub"] == second["sub"] and first["sid"] != second["sid"]
    assert management.get(f"/users/{first['sub']}")["profile"] == {}, "existing data is not overwritten"


def test_an_existing_user_is_found_by_the_identifier(trusting, backend, management):
    email = new_email()
    there = Person.signed_in(trusting, email).claims()["sub"]
    backend.on(PATH, owner(identifiers=[{"type": "email_address", "value": email.upper()}]))
    assert migrate(trusting).claims()["sub"] == there


# Proves: H7
def test_identifiers_of_two_users_are_a_conflict(trusting, backend, management):
    one, other = new_email(), new_email()
    for email in (one, other):
        Person.signed_in(trusting, email)
    identifiers = [{"type": "email_address", "value": email} for email in (one, other)]
    backend.on(PATH, owner(identifiers=identifiers))
    answer = Person(trusting).device.migrate(CREDENTIAL, pkce()[1])
    assert (answer.status, answer.code) == (409, "identifier_already_exists")


def test_a_credential_that_the_backend_rejects_is_unauthorized(trusting, management, backend):
    backend.on(PATH, Reply(401, {"error": "expired"}))
    answer = Person(trusting).device.migrate(CREDENTIAL, pkce()[1])
    assert (answer.status, answer.code) == (401, "unauthorized")


# Proves: H21
@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(500), "invalid_status_code"), (Reply(204), "invalid_status_code"),
        (Reply(302, b"", {"Location": "/validate"}), "invalid_status_code"),
        (Reply(200, "fine"), "response_decode_failed"), (Reply(200, {}), "response_decode_failed"),
        (Reply(200, {"user": {"identifiers": []}}), "invalid_response"),
        (Reply(200, {"user": {"identifiers": [{"type": "name", "value": "Ada"}]}}), "invalid_response"),
        (Reply(200, {"user": {"identifiers": [{"type": "email_address", "value": "nowhere"}]}}), "invalid_response"),
    ],
    ids=lambda value: value if isinstance(value, str) else "")
def test_an_invalid_answer_of_the_backend_denies_the_request(trusting, management, backend, reply, reason):
    backend.on(PATH, reply)
    answer = Person(trusting).device.migrate(CREDENTIAL, pkce()[1])
    assert (answer.status, answer.code) == (403, "auth_blocked")
    event = management.events("migration.hook_failed")[0]
    assert event["data"] == {"reason": reason}
    assert CREDENTIAL not in trusting.log()


# Proves: R12
def test_only_the_client_that_began_a_migration_can_finish_it(trusting, management, backend):
    """The challenge of a migration is useless without the verifier (RFC 7636)."""
    backend.on(PATH, owner())
    device = Person(trusting).device
    verifier, challenge = pkce()
    token = device.migrate(CREDENTIAL, challenge).json["challenge_token"]
    wrong = device.finalize(token, pkce()[0])
    assert (wrong.status, wrong.code) == (401, "token_mismatch")
    missing = device.finalize(token)
    assert (missing.status, missing.code) == (400, "bad_request")
    assert device.finalize(token, verifier).status == 200


# Proves: R8
def test_a_suspended_user_cannot_sign_in_by_migration(trusting, management, backend):
    email = new_email()
    user = Person.signed_in(trusting, email).claims()["sub"]
    management.expect(200, "PUT", f"/users/{user}/status", {"status": "suspended"})
    backend.on(PATH, owner(identifiers=[{"type": "email_address", "value": email}]))
    answer = Person(trusting).device.migrate(CREDENTIAL, pkce()[1])
    assert (answer.status, answer.code) == (403, "suspended_account")


def test_without_a_configuration_there_is_no_migration(shared):
    answer = Person(shared).device.migrate(CREDENTIAL, pkce()[1])
    assert (answer.status, answer.code) == (400, "no_login_config")
