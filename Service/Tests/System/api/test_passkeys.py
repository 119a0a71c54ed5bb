"""Tests passkeys over HTTP with software that shares no code with the service: soft-webauthn makes them, and py_webauthn
reads the options."""

import json

import pytest
from soft_webauthn import SoftWebauthnDevice
from webauthn.helpers import (
    bytes_to_base64url, parse_authentication_options_json, parse_registration_options_json)

from device import V1
from operator_api import Management
from person import Person, new_email
from service import Service, running

RP_ID, ORIGIN = "example.com", "https://app.example.com"
REGISTER = f"{V1}/me/passkeys/register"
TRANSFER = {
    "scope": "transfer:write", "mode": "direct", "direct": {
        "identifier_types": ["email_address"], "status": "review", "granted_for": 120, "grant_mode": "single-use",
        "steps": [{"order": 1, "key": "verify_passkey"}]}}


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with running(Service(tmp_path_factory.mktemp("passkeys"))) as service:
        management = Management(service)
        # soft-webauthn verifies no user.
        management.expect(200, "PUT", "/config/passkey", {
            "rp_id": RP_ID, "rp_name": "Example", "allowed_origins": [ORIGIN], "user_verification": "discouraged"})
        management.register(TRANSFER["scope"])
        management.set("stepup", {"allowed_scopes": [TRANSFER]})
        yield service


class PasskeyOwner:
    """A signed-in user with an authenticator of soft-webauthn."""

    def __init__(self, service: Service):
        self.person = Person.signed_in(service, new_email())
        self.authenticator = SoftWebauthnDevice()

    def call(self, method: str, path: str, body: dict | None = None):
        return self.person.transport.send(
            method, path, body, [("Authorization", f"Bearer {self.person.access_token}")])

    def register(self) -> dict:
        begun = self.call("POST", f"{REGISTER}/begin", {"username": "ada", "nickname": "Key"}).json
        options = begun["public_key"]
        # py_webauthn has no ES384.
        options["pubKeyCredParams"] = [each for each in options["pubKeyCredParams"] if each["alg"] != -35]
        options = parse_registration_options_json(json.dumps(options))
        assert options.rp.id == RP_ID and options.rp.name == "Example" and len(options.user.id) == 64
        created = self.authenticator.create({"publicKey": {
            "challenge": options.challenge, "rp": {"id": RP_ID}, "user": {"id": options.user.id},
            "pubKeyCredParams": [{"alg": int(each.alg), "type": "public-key"} for each in options.pub_key_cred_params],
        }}, ORIGIN)
        finished = self.call("POST", f"{REGISTER}/finish", {
            "registration_token": begun["registration_token"], "attestation": credential(created)})
        assert finished.status == 200, finished
        return finished.json["credential"]

    def assertion(self, options: dict) -> dict:
        parsed = parse_authentication_options_json(json.dumps(options))
        assert parsed.rp_id == RP_ID
        return credential(self.authenticator.get(
            {"publicKey": {"challenge": parsed.challenge, "rpId": RP_ID}}, ORIGIN))

    def sign_in(self) -> dict:
        begun = self.person.transport.send("POST", f"{V1}/login/passkey/begin", {}).json
        finished = self.person.transport.send("POST", f"{V1}/login/passkey/finish", {
            "login_token": begun["login_token"], "assertion": self.assertion(begun["public_key"])})
        assert finished.status == 200, finished
        return self.person.take(self.person.device.finalize(finished.json["challenge_token"]))


def credential(made: dict) -> dict:
    """The JSON of a credential. What the service does not know, browsers send too."""
    return {
        "id": bytes_to_base64url(made["rawId"]), "rawId": bytes_to_base64url(made["rawId"]), "type": "public-key",
        "clientExtensionResults": {},
        "response": {name: bytes_to_base64url(value) for name, value in made["response"].items()}}


# Proves: W2, W4
def test_a_passkey_of_another_authenticator_signs_in(shared):
    owner = PasskeyOwner(shared)
    user = owner.person.claims()["sub"]
    registered = owner.register()
    assert registered["nickname"] == "Key"
    owner.person.refresh()
    assert owner.person.claims()["has_passkey"] is True and owner.person.claims()["amr"] == ["otp"]
    claims = owner.sign_in()
    assert claims["sub"] == user and claims["amr"] == ["pop", "user"]
    listed = owner.call("GET", f"{V1}/me/passkeys").json["credentials"]
    assert [each["credential_id"] for each in listed] == [registered["credential_id"]]
    assert listed[0]["last_used_at"] >= listed[0]["created_at"]


# Proves: W10
def test_a_deleted_passkey_signs_nobody_in(shared):
    owner = PasskeyOwner(shared)
    passkey = owner.register()["credential_id"]
    assert owner.call("DELETE", f"{V1}/me/passkeys/{passkey}").status == 204
    with pytest.raises(AssertionError, match="401"):
        owner.sign_in()


# Proves: W4
def test_a_passkey_completes_a_step(shared):
    owner = PasskeyOwner(shared)
    owner.register()
    requested = owner.person.request_scope(TRANSFER["scope"]).json
    assertion = owner.assertion(requested["public_key_credential_request_options"])
    done = owner.person.device.continue_with_passkey(requested["challenge_token"], assertion)
    assert done.status == 200, done
    owner.person.refresh(done.json["challenge_token"])
    assert owner.person.scopes() == [TRANSFER["scope"]]


# Proves: W7
def test_a_copied_security_key_is_refused(shared):
    owner = PasskeyOwner(shared)
    owner.register()
    owner.sign_in()
    owner.authenticator.sign_count = 0
    with pytest.raises(AssertionError, match="401"):
        owner.sign_in()
    assert Management(shared).events("user.passkey.counter_lowered")[0]["data"]["refused"] is True
