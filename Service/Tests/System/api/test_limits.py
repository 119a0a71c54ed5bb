"""Tests the budgets of codes, passwords and messages: of strangers, known devices and sessions, and the operator's limits."""

import base64
import hashlib
import hmac
import json
import re
import secrets
import time

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from device import V1
from keys import base64url
from operator_api import Management
from person import Person, new_email, new_phone
from service import APP, ROOT, Service, running
from strangers import ProxiedTransport, codes, fail, from_address, start, stranger, wrong
from transport import Answer
from waiting import wait_until

SCOPE = "transfer:write"
DAY = 86_400

#: Every limit, with its default.
DEFAULTS = {
    "code_lifetime": 600, "checks_per_code": 5, "resend_delay": 30, "sends_per_verification": 5,
    "starts": {"limit": 5, "window": 600}, "failed_checks": {"limit": 10, "window": 3600}, "failed_checks_per_day": 20,
    "consecutive_failed_checks": 99, "sends_per_hour": 5, "sends_per_day": 10, "app_sends_per_day": 10_000,
    "calling_code_sends_per_day": 2000, "number_range_sends_per_day": 500, "allowed_prefixes": [],
    "starts_per_address": {"limit": 150, "window": 600},
    "failures_per_address": {"limit": 60, "window": 600}, "invalid_calls_per_address": {"limit": 60, "window": 600},
    "migrations_per_address": {"limit": 150, "window": 600}, "step_ups": {"limit": 30, "window": 600},
    "notices_per_day": 5, "delivery_tests": {"limit": 10, "window": 600},
}
#: Another valid value of every limit.
OTHERS = {
    "code_lifetime": 300, "checks_per_code": 3, "resend_delay": 0, "sends_per_verification": 1,
    "starts": {"limit": 0, "window": 86_400}, "failed_checks": {"limit": 1_000_000, "window": 1},
    "failed_checks_per_day": 0, "consecutive_failed_checks": 1, "sends_per_hour": 0, "sends_per_day": 1_000_000,
    "app_sends_per_day": 100_000_000, "calling_code_sends_per_day": 0, "number_range_sends_per_day": 7,
    "allowed_prefixes": ["+33", "+1415"],
    "starts_per_address": {"limit": 1, "window": 3600}, "failures_per_address": {"limit": 2, "window": 1},
    "invalid_calls_per_address": {"limit": 0, "window": 60}, "migrations_per_address": {"limit": 3, "window": 61},
    "step_ups": {"limit": 0, "window": 62}, "notices_per_day": 0, "delivery_tests": {"limit": 1, "window": 63},
}
#: Invalid values, each with the field that the error names.
INVALID = [
    ({"code_lifetime": 59}, "code_lifetime"), ({"code_lifetime": 601}, "code_lifetime"),
    ({"code_lifetime": "600"}, "code_lifetime"), ({"checks_per_code": 0}, "checks_per_code"),
    ({"checks_per_code": 11}, "checks_per_code"), ({"resend_delay": -1}, "resend_delay"),
    ({"code_lifetime": 60, "resend_delay": 61}, "resend_delay"),
    ({"sends_per_verification": 0}, "sends_per_verification"), ({"sends_per_verification": 21}, "sends_per_verification"),
    ({"starts": {"limit": -1, "window": 60}}, "starts.limit"), ({"starts": {"limit": 5}}, "starts.window"),
    ({"starts": {"limit": 5, "window": 86_401}}, "starts.window"), ({"starts": 5}, "starts"),
    ({"failed_checks": {"limit": 1_000_001, "window": 60}}, "failed_checks.limit"),
    ({"failed_checks": {"limit": 10, "window": 0}}, "failed_checks.window"),
    ({"failed_checks_per_day": -1}, "failed_checks_per_day"),
    ({"consecutive_failed_checks": 0}, "consecutive_failed_checks"),
    ({"consecutive_failed_checks": 100}, "consecutive_failed_checks"),
    ({"sends_per_hour": -1}, "sends_per_hour"), ({"sends_per_day": 1_000_001}, "sends_per_day"),
    ({"app_sends_per_day": -1}, "app_sends_per_day"), ({"app_sends_per_day": 100_000_001}, "app_sends_per_day"),
    ({"calling_code_sends_per_day": -1}, "calling_code_sends_per_day"),
    ({"number_range_sends_per_day": -1}, "number_range_sends_per_day"),
    ({"allowed_prefixes": ["33"]}, "allowed_prefixes"), ({"allowed_prefixes": ["+"]}, "allowed_prefixes"),
    ({"allowed_prefixes": ["+0"]}, "allowed_prefixes"), ({"allowed_prefixes": ["+33 6"]}, "allowed_prefixes"),
    ({"allowed_prefixes": [f"+{number}" for number in range(1, 302)]}, "allowed_prefixes"),
    ({"allowed_prefixes": "+33"}, "allowed_prefixes"),
    ({"starts_per_address": {"limit": 1, "window": 86401}}, "starts_per_address.window"),
    ({"failures_per_address": {"limit": -1, "window": 60}}, "failures_per_address.limit"),
    ({"invalid_calls_per_address": {"limit": 1, "window": 3601}}, "invalid_calls_per_address.window"),
    ({"migrations_per_address": {"limit": 1, "window": 0}}, "migrations_per_address.window"),
    ({"step_ups": {"limit": 1000001, "window": 60}}, "step_ups.limit"),
    ({"notices_per_day": -1}, "notices_per_day"),
    ({"delivery_tests": {"limit": -1, "window": 60}}, "delivery_tests.limit"),
]


@pytest.fixture(scope="module")
def management(shared) -> Management:
    management = Management(shared)

    def rule(kind: str, key: str) -> dict:
        direct = {
            "identifier_types": [kind], "status": "review", "granted_for": 300, "grant_mode": "session-bound",
            "steps": [{"order": 1, "key": key}],
        }
        return {"scope": SCOPE, "mode": "direct", "direct": direct}

    rules = [rule("email_address", "verify_email"), rule("phone_number", "verify_sms")]
    management.set("stepup", {"allowed_scopes": rules})
    management.register(SCOPE)
    return management


@pytest.fixture
def limits(management):
    """Returns a function that sets limits of the app. All others get their defaults, and after the test all."""
    yield lambda **members: management.expect(200, "PUT", "/config/limits", members)["config"]
    management.expect(200, "PUT", "/config/limits", {})


@pytest.fixture
def ada(shared, management) -> Person:
    """Returns a user who is signed in on a known device. One code was sent to the address, `ada.email`."""
    email = new_email()
    person = Person.signed_in(shared, email)
    person.email = email
    assert person.device.trusted
    return person


def status_and_code(answer: Answer) -> tuple:
    return answer.status, answer.code


def without_id(answer: Answer) -> tuple:
    return answer.status, {name: value for name, value in answer.json.items() if name != "request_id"}


def assert_limited(answer: Answer, shortest: int, longest: int) -> None:
    """Asserts that a call is rejected, for a time in seconds that is in this range."""
    assert status_and_code(answer) == (429, "rate_limited"), answer
    assert shortest < int(answer.headers["Retry-After"]) <= longest, answer.headers["Retry-After"]


def spend_failed_checks(service: Service, email: str) -> None:
    """Spends the ten failed checks of strangers, with three codes, and asserts that they are spent."""
    for _ in range(2):
        fail(service, stranger(service), email, 5)
    third = stranger(service)
    verification = start(third, email)
    assert_limited(third.check(verification, codes(service, email)[0]), 3000, 3600)


def sign_in(person: Person, email: str) -> None:
    """Signs in with a code, on the device of the person."""
    verification = start(person.device, email)
    checked = person.device.check(verification, person.code(email))
    assert checked.status == 200, checked
    person.take(person.device.finalize(checked.json["challenge_token"]))


# Failed checks


# Proves: X5
def test_wrong_codes_of_a_stranger_do_not_lock_out_a_known_device(shared, ada):
    spend_failed_checks(shared, ada.email)
    assert ada.device.revoke(ada.refresh_token).status == 204, "the token of the device survives the logout"
    fail(shared, ada.device, ada.email, 1)
    sign_in(ada, ada.email)
    assert_limited(stranger(shared).password(ada.email, "a guessed password"), 3000, 3600)


# Proves: X5
def test_wrong_codes_of_a_stranger_do_not_limit_a_step_up(shared, ada):
    spend_failed_checks(shared, ada.email)
    ada.refresh(ada.do_code_step(ada.challenge(SCOPE), ada.email))
    assert ada.scopes() == [SCOPE]


# Proves: O17
def test_wrong_passwords_and_wrong_codes_spend_the_same_budget(shared, management, limits):
    email, password = new_email(), "correct horse battery"
    identifiers = [{"type": "email_address", "value": email}]
    management.expect(201, "POST", "/users", {"identifiers": identifiers, "password": password})
    owner = Person(shared)
    checked = owner.device.password(email, password)
    assert checked.status == 200, checked
    owner.take(owner.device.finalize(checked.json["challenge_token"]))

    limits(failed_checks={"limit": 2, "window": 3600})
    guesser = stranger(shared)
    verification = fail(shared, guesser, email, 1)
    assert status_and_code(guesser.password(email, "a guessed password")) == (401, "unauthorized")
    assert_limited(guesser.password(email, password), 3000, 3600)
    assert_limited(guesser.check(verification, codes(shared, email)[0]), 3000, 3600)
    assert owner.device.password(email, password).status == 200


# Proves: O24
def test_a_correct_code_resets_the_failed_checks(shared, limits):
    email = new_email()
    fail(shared, stranger(shared), email, 5)
    device = stranger(shared)
    verification = fail(shared, device, email, 4)
    assert device.check(verification, codes(shared, email)[0]).status == 200
    spend_failed_checks(shared, email)


# Proves: O9
def test_unknown_and_known_identifiers_have_the_same_limits(shared, ada, limits):
    unknown = new_email()
    limits(failed_checks={"limit": 1, "window": 3600})
    refusals = []
    for email in (ada.email, unknown):
        device = stranger(shared)
        verification = fail(shared, device, email, 1)
        refusals.append(without_id(device.check(verification, wrong(codes(shared, email)[0]))))
    assert refusals[0] == refusals[1] and refusals[0][0] == 429


# Sends


# Proves: H19
def test_an_address_gets_five_codes_in_an_hour_including_resends(shared, limits):
    limits(resend_delay=0)
    email, device = new_email(), stranger(shared)
    verification = start(device, email)
    for _ in range(4):
        assert device.resend(verification).status == 204
    assert_limited(stranger(shared).start(email), 600, 3600)
    assert len(codes(shared, email)) == 5


# Proves: X5
def test_a_known_device_has_sends_of_its_own(shared, ada, limits):
    limits(resend_delay=0)
    device = stranger(shared)
    verification = start(device, ada.email)
    for _ in range(3):
        assert device.resend(verification).status == 204
    assert_limited(device.resend(verification), 600, 3600)
    verification = start(ada.device, ada.email)
    for _ in range(4):
        assert ada.device.resend(verification).status == 204
    assert_limited(ada.device.start(ada.email), 600, 3600)
    assert len(codes(shared, ada.email)) == 10


def withheld(service: Service) -> int:
    return sum(event["data"]["reason"] == "stranger_limit" for event in Management(service).events("login.failed"))


def test_an_app_keeps_messages_for_known_devices_and_tells_strangers_nothing(service):
    email = new_email()
    person = Person.signed_in(service, email)
    Management(service).expect(200, "PUT", "/config/limits", {"app_sends_per_day": 10})
    others = [new_email() for _ in range(9)]
    for other in others[:4]:
        identifiers = [{"type": "email_address", "value": other}]
        Management(service).expect(201, "POST", "/users", {"identifiers": identifiers})
    for other in others:
        start(stranger(service), other)
    # Six of strangers, one of which signed the person in. Two more are for users, and none of these is among the last.
    assert [len(codes(service, other)) for other in others] == [1] * 5 + [0] * 4
    wait_until(lambda: withheld(service) == 4)
    sign_in(person, email)
    assert service.log().count(f"app {APP} has sent as many codes as its limits allow.") == 1


# Proves: H19
def test_messages_to_the_numbers_of_a_country_are_limited(service):
    Management(service).expect(200, "PUT", "/config/limits", {"calling_code_sends_per_day": 5})
    phones = [new_phone() for _ in range(5)]
    for phone in phones:
        identifiers = [{"type": "phone_number", "value": phone}]
        Management(service).expect(201, "POST", "/users", {"identifiers": identifiers})
    for phone in phones:
        start(stranger(service), phone)
    # Three of strangers, and one for a user.
    assert [len(codes(service, phone)) for phone in phones] == [1, 1, 1, 1, 0]
    start(stranger(service), "+33612345678")
    start(stranger(service), new_email())
    assert service.log().count("has sent as many codes to +1 as its limits allow.") == 1


# Source addresses


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    """A service that reads addresses from X-Forwarded-For."""
    service = Service(tmp_path_factory.mktemp("office"), "--trusted-proxy", "127.0.0.1")
    with running(service) as service:
        yield service


# Proves: H19
def test_starts_without_a_right_code_are_limited_by_address(office):
    Management(office).expect(
        200, "PUT", "/config/limits", {"starts_per_address": {"limit": 2, "window": 86400}})

    def status(source: str) -> int:
        return from_address(office, source).start(new_email()).status

    assert [status("203.0.113.7") for _ in range(3)] == [204, 204, 429]
    assert status("203.0.113.8") == 204
    assert [status(f"2001:db8:1:2::{host}") for host in (1, 2, 3)] == [204, 204, 429], "one /64 network"
    assert status("2001:db8:1:3::1") == 204
    [event] = [event for event in Management(office).events("login.limited")
               if event["data"]["limit"] == "starts_of_address" and event["context"]["ip"] == "203.0.113.7"]
    assert event["data"]["setting"] == "limits.starts_per_address"
    assert "refuses calls by its limit starts_of_address" in office.log()
    Management(office).expect(204, "DELETE", "/limits?address=203.0.113.7")
    assert status("203.0.113.7") == 204
    assert office.run("limits", "clear", "--app", APP, "--address", "2001:db8:1:2::9").returncode == 0
    assert status("2001:db8:1:2::1") == 204


def test_a_limit_of_an_address_is_reported_for_each_user(office):
    management, source = Management(office), "203.0.113.50"
    management.expect(200, "PUT", "/config/limits", {"starts_per_address": {"limit": 1, "window": 86400}})
    people = {}
    for _ in range(3):
        address = new_email()
        identifiers = [{"type": "email_address", "value": address}]
        people[address] = management.expect(201, "POST", "/users", {"identifiers": identifiers})["id"]
    line = "refuses calls by its limit starts_of_address"
    lines = office.log().count(line)
    assert from_address(office, source).start(new_email()).status == 204
    for address in [new_email(), *people, *people, new_email()]:
        assert from_address(office, source).start(address).status == 429
    reported = [event["data"].get("user_id") for event in management.events("login.limited")
                if event["context"]["ip"] == source]
    # The first refused caller, and then each other identifier once: the writes do not show which of them have a user.
    assert len(reported) == 5 and set(reported) == {None, *people.values()}
    for user in people.values():
        [event] = office.run("events", "--app", APP, "--user", user, "--name", "login.limited", "--json").stdout.splitlines()
        assert json.loads(event)["data"]["limit"] == "starts_of_address"
    assert office.log().count(line) == lines + 1


def test_the_limit_of_wrong_management_keys_is_a_setting(tmp_path):
    service = Service(tmp_path, "--trusted-proxy", "127.0.0.1", "--wrong-key-limit", "3")

    def send(key: str, path: str) -> Answer:
        return ProxiedTransport(service, "203.0.113.7").send(
            "GET", "/v2/session" + path, None, [("Authorization", f"Bearer {key}")])

    with running(service):
        assert [send("psk_wrong", "/apps").status for _ in range(5)] == [401, 401, 401, 429, 429]
        [event] = [event for event in send(service.key, "/events").json["events"] if event["name"] == "login.limited"]
        assert (event["data"]["limit"], event["data"]["setting"]) == ("source_management_key", "wrongKeyLimit")


# Proves: O8
def test_logins_of_a_school_pass_when_their_codes_are_right(office):
    """More people than the limit sign in one after the other from one address, and each has a wrong code first."""
    Management(office).expect(200, "PUT", "/config/limits", {
        "starts_per_address": {"limit": 3, "window": 86400}, "failures_per_address": {"limit": 3, "window": 600}})
    for _ in range(8):
        email, device = new_email(), from_address(office, "203.0.113.20")
        verification = fail(office, device, email, 1)
        assert device.check(verification, codes(office, email)[0]).status == 200


# Proves: O8
def test_invented_tokens_of_one_client_refuse_invented_tokens_only(office):
    Management(office).expect(200, "PUT", "/config/limits", {
        "invalid_calls_per_address": {"limit": 5, "window": 600}})
    attacker = from_address(office, "203.0.113.30")
    assert {attacker.resend(secrets.token_urlsafe(32)).status for _ in range(20)} == {400, 429}
    assert {attacker.check(secrets.token_urlsafe(32), "123456").status for _ in range(40)} == {429}
    email, colleague = new_email(), from_address(office, "203.0.113.30")
    verification = start(colleague, email)
    assert colleague.check(verification, codes(office, email)[0]).status == 200


# Proves: O8
def test_wrong_passwords_for_one_user_leave_the_address_to_others(office):
    management = Management(office)
    management.expect(200, "PUT", "/config/limits", {"failures_per_address": {"limit": 3, "window": 600}})
    password, people = "correct horse battery", [new_email() for _ in range(2)]
    for email in people:
        identifiers = [{"type": "email_address", "value": email}]
        management.expect(201, "POST", "/users", {"identifiers": identifiers, "password": password})
    victim, colleague = people
    guesser = from_address(office, "203.0.113.40")
    assert {guesser.password(victim, f"a guessed password {index}").status for index in range(35)} == {401, 429}
    assert from_address(office, "203.0.113.40").password(colleague, password).status == 200
    # Wrong passwords for many accounts close the address to strangers, but not to known devices.
    known = from_address(office, "203.0.113.41")
    checked = known.password(colleague, password)
    known.trusted = known.finalize(checked.json["challenge_token"]).headers["X-Trusted-Device"]
    known.transport = ProxiedTransport(office, "203.0.113.40")
    for _ in range(2):
        assert guesser.password(new_email(), "a guessed password").status == 401
    # All windows of an address end together.
    assert_limited(from_address(office, "203.0.113.40").password(colleague, password), 0, 600)
    assert known.password(colleague, password).status == 200
    event = [event for event in management.events("login.limited")
             if event["data"]["limit"] == "failures_of_address"][0]
    user = management.get(f"/users?identifier_type=email_address&identifier_value={colleague}")["users"][0]["id"]
    assert event["data"]["user_id"] == user
    for query in ("address=nonsense", "", f"address=203.0.113.40&identifier_value={colleague}"):
        refused = management.send("DELETE", "/limits?" + query)
        assert refused.status == 400 and refused.json["message"].startswith("address "), refused


def test_an_operator_sets_the_limits_of_an_identifier_back(office):
    management = Management(office)
    management.expect(200, "PUT", "/config/limits", {"failed_checks": {"limit": 1, "window": 3600}})
    email = new_email()
    for clear in (
        lambda: management.expect(
            204, "DELETE", f"/limits?identifier_type=email_address&identifier_value={email}"),
        lambda: office.run("limits", "clear", "--app", APP, "--identifier", email),
    ):
        assert stranger(office).password(email, "a guessed password").status == 401
        assert stranger(office).password(email, "a guessed password").status == 429
        clear()
    assert stranger(office).password(email, "a guessed password").status == 401


# Proves: H19
def test_codes_are_sent_to_allowed_prefixes_only(shared, management, limits):
    known, unknown = new_phone(), new_phone()
    person = Person.signed_in(shared, known)
    challenge = person.challenge(SCOPE)
    device = stranger(shared)
    running_verification = start(device, new_phone())
    limits(allowed_prefixes=["+33", "+44"], resend_delay=0)

    refusals = [stranger(shared).start(number, "phone_number") for number in (known, unknown)]
    refusals += [person.device.start(known, "phone_number"), device.resend(running_verification)]
    refusals.append(person.device.send_step_code(challenge))
    for refused in refusals:
        assert status_and_code(refused) == (400, "invalid_identifier"), refused
        assert refused.json["message"].startswith("identifier ")
        assert without_id(refused) == without_id(refusals[0])
    start(device, f"+336{secrets.randbelow(10**8):08d}")
    start(device, new_email())


# The tokens of known devices


def known_device_token(
        service: Service, user: str, device: str, issued: int, app: str = APP, epoch: int = 0) -> str:
    """Makes the token of a known device, with the master key of the service (HKDF, RFC 5869)."""
    text = json.loads((service.directory / "session.sqlite.keys").read_text())["keys"][0]["secret"]
    secret = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    key_id = base64url(hashlib.sha256(b"prelude-session key id" + secret).digest())[:8]
    key = HKDF(SHA256(), 32, salt=None, info=b"prelude-session known-device v1").derive(secret)
    message = "\0".join([app, user, device, str(issued), str(epoch)]).encode()
    return f"{user}.{device}.{issued}.{epoch}.{key_id}.{base64url(hmac.digest(key, message, 'sha256'))}"


# Proves: O21
def test_the_token_of_another_user_opens_nothing(shared, ada, limits):
    bob, unknown = Person.signed_in(shared), new_email()
    start(stranger(shared), unknown)
    limits(sends_per_hour=1)
    devices = [stranger(shared), bob.device]
    refusals = [without_id(device.start(email)) for device in devices for email in (ada.email, unknown)]
    assert refusals == [refusals[0]] * 4 and refusals[0][0] == 429
    start(ada.device, ada.email)


# Proves: O21
def test_an_invalid_token_is_the_same_as_none(shared, ada, limits):
    limits(sends_per_hour=1)
    user, device, issued, epoch, key_id, mac = ada.device.trusted.split(".")
    assert known_device_token(shared, user, device, int(issued)) == ada.device.trusted
    now = int(time.time())
    invalid = {
        "empty": "", "text": "x", "too long": "a" * 5000, "a short MAC": ada.device.trusted[:-1],
        "another time": f"{user}.{device}.{int(issued) + 1}.{epoch}.{key_id}.{mac}",
        "another device": f"{user}.dev_other.{issued}.{epoch}.{key_id}.{mac}",
        "another key": f"{user}.{device}.{issued}.{epoch}.AAAAAAAA.{mac}",
        "expired": known_device_token(shared, user, device, now - 180 * DAY - 1),
        "from the future": known_device_token(shared, user, device, now + 2 * DAY),
        "of another app": known_device_token(shared, user, device, now, app="abc1234"),
        "another epoch": f"{user}.{device}.{issued}.{int(epoch) + 1}.{key_id}.{mac}",
        "of another user": known_device_token(shared, "usr_other", device, now),
    }
    none = without_id(stranger(shared).start(ada.email))
    assert none[0] == 429
    for name, token in invalid.items():
        forger = stranger(shared)
        forger.trusted = token
        assert without_id(forger.start(ada.email)) == none, name
    old = stranger(shared)
    old.trusted = known_device_token(shared, user, "dev_old", now - 179 * DAY)
    start(old, ada.email)


# Proves: O21
def test_signing_out_other_sessions_leaves_the_known_devices_one_budget(shared, ada, limits):
    other = Person(shared)
    sign_in(other, ada.email)
    revoked = ada.transport.send(
        "POST", f"{V1}/me/revoke?target=others", None, [ada.device.authorization(ada.access_token)])
    assert revoked.status == 204, revoked
    limits(sends_per_hour=3)
    start(stranger(shared), ada.email)
    assert stranger(shared).start(ada.email).status == 429
    for device in (other.device, ada.device, other.device):
        start(device, ada.email)
    refusals = [without_id(device.start(ada.email)) for device in (other.device, ada.device, stranger(shared))]
    assert refusals == [refusals[0]] * 3 and refusals[0][0] == 429
    limits(sends_per_hour=4)
    sign_in(ada, ada.email)
    limits(sends_per_hour=3)
    assert other.device.start(ada.email).status == 429
    start(ada.device, ada.email)


# Proves: O25
@pytest.mark.parametrize("by", ["management_key", "command_line"])
def test_an_operator_sets_the_limits_of_a_user_back(shared, management, ada, limits, by):
    spend_failed_checks(shared, ada.email)
    user = ada.device.trusted.split(".")[0]
    if by == "command_line":
        assert shared.run("limits", "clear", "--app", APP, user).returncode == 0
    else:
        management.expect(204, "DELETE", f"/users/{user}/limits")
    limits(failed_checks={"limit": 1, "window": 3600})
    fail(shared, stranger(shared), ada.email, 1)
    [event] = [event for event in management.events("user.limits.cleared") if event["data"]["user_id"] == user]
    assert event["context"]["actor"]["type"] in (by, "configuration")
    assert management.send("DELETE", "/users/usr_unknown/limits").status == 404


# Proves: O22
def test_a_browser_gets_the_token_in_a_cookie(shared, limits):
    email, person = new_email(), Person(shared)
    checked = person.device.check(start(person.device, email), person.code(email))
    origin, body = ("Origin", shared.url), {"challenge_token": checked.json["challenge_token"]}
    finalized = person.transport.send("POST", f"{V1}/login/finalize", body, [origin])
    assert finalized.status == 200 and finalized.headers["X-Trusted-Device"] is None, finalized
    [cookie] = [text for text in finalized.headers.get_all("Set-Cookie") if text.startswith(f"device_{APP}=")]
    assert "HttpOnly" in cookie and f"Max-Age={180 * DAY}" in cookie

    limits(sends_per_hour=1)
    identifier = {"identifier": {"type": "email_address", "value": email}}
    assert person.transport.send("POST", f"{V1}/otp", identifier, [origin]).status == 429
    known = [origin, ("Cookie", cookie.split(";")[0])]
    assert person.transport.send("POST", f"{V1}/otp", identifier, known).status == 204


# What operators set


# Proves: O30
@pytest.mark.parametrize("name", DEFAULTS)
def test_each_limit_is_set_alone_and_read_again(management, limits, name):
    assert limits() == DEFAULTS
    expected = {**DEFAULTS, name: OTHERS[name]}
    assert expected != DEFAULTS
    assert limits(**{name: OTHERS[name]}) == expected
    assert management.get("/config/limits")["config"] == expected


# Proves: O30
@pytest.mark.parametrize(("body", "field"), INVALID, ids=lambda value: value if isinstance(value, str) else "")
def test_an_invalid_limit_is_rejected_by_its_name(management, limits, body, field):
    limits(sends_per_day=7)
    refused = management.send("PUT", "/config/limits", body)
    assert status_and_code(refused) == (400, "bad_request")
    assert refused.json["message"].startswith(f"{field} "), refused.json["message"]
    assert management.get("/config/limits")["config"] == {**DEFAULTS, "sends_per_day": 7}, "nothing was stored"


def test_every_limit_has_an_invalid_value_and_a_row_on_the_page():
    assert {field.split(".")[0] for _, field in INVALID} == set(DEFAULTS) == set(OTHERS)
    section = (ROOT / "docs" / "settings.md").read_text().split("\n## limits\n")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| `([^`]+)` \|$", section, re.MULTILINE))
    assert {name: json.loads(default) for name, default in rows.items()} == DEFAULTS


def test_a_limit_of_zero_stops_messages_to_a_country_and_to_no_other_channel(shared, limits):
    """For strangers, too, whose codes are withheld at every other limit."""
    phone = new_phone()
    known = Person.signed_in(shared, phone)
    limits(calling_code_sends_per_day=0)
    for device in (stranger(shared), known.device):
        assert_limited(device.start(phone, "phone_number"), DAY - 5, DAY)
    start(stranger(shared), new_email())
    event = Management(shared).events("login.limited")[0]
    assert event["data"]["calling_code"] == "+1" and event["data"]["limit"] == "sends_to_calling_code"
    limits(app_sends_per_day=0)
    assert_limited(stranger(shared).start(new_email()), DAY - 5, DAY)


# Floods of codes


# Proves: H19
def test_a_flood_to_invented_numbers_does_not_stop_a_user_on_a_new_device(office):
    """From many addresses, with numbers that no user has. Its answers do not show which numbers have a user."""
    management, number = Management(office), "+33612345678"
    management.expect(
        201, "POST", "/users", {"identifiers": [{"type": "phone_number", "value": number}]})
    management.expect(200, "PUT", "/config/limits", {
        "calling_code_sends_per_day": 10, "resend_delay": 0, "sends_per_hour": 20})
    flood = [f"+337{secrets.randbelow(10**8):08d}" for _ in range(30)]
    answers = [from_address(office, f"203.0.113.{100 + index}").start(phone, "phone_number")
               for index, phone in enumerate(flood)]
    assert {answer.status for answer in answers} == {204}
    assert sum(len(codes(office, phone)) for phone in flood) == 6
    owner = from_address(office, "198.51.100.1")
    verification = start(owner, number)
    assert owner.check(verification, codes(office, number)[0]).status == 200
    # A resend of a withheld code is withheld, too, and answered alike.
    silent = next(answer for answer, phone in zip(answers, flood) if not codes(office, phone))
    assert owner.resend(silent.headers["X-Verification-Token"]).status == 204
    # The worker reports it after the answer.
    wait_until(lambda: withheld(office) == 25)
    # Other countries are open.
    spanish = f"+346{secrets.randbelow(10**8):08d}"
    start(from_address(office, "198.51.100.2"), spanish)
    assert len(codes(office, spanish)) == 1


def test_a_flood_to_one_range_leaves_the_rest_of_its_country(service):
    Management(service).expect(200, "PUT", "/config/limits", {"number_range_sends_per_day": 5})
    flood = [f"+33700{secrets.randbelow(10**6):06d}" for _ in range(5)]
    for phone in flood:
        start(stranger(service), phone)
    assert sum(len(codes(service, phone)) for phone in flood) == 3
    start(stranger(service), "+33612345678")
    assert len(codes(service, "+33612345678")) == 1
