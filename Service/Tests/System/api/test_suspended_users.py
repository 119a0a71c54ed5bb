"""Tests what a user learns whose account was suspended or closed, and what others learn."""

import pytest

from device import Device
from operator_api import Management
from person import Person, new_email


def outcome(answer) -> tuple[int, str | None]:
    return answer.status, answer.code


@pytest.mark.parametrize("status, code", [("suspended", "suspended_account"), ("inactive", "inactive_user")])
def test_who_proves_the_device_or_an_identifier_learns_the_status(shared, status, code):
    email = new_email()
    person = Person.signed_in(shared, email)
    management = Management(shared)
    user = person.claims()["sub"]
    management.expect(200, "PUT", f"/users/{user}/status", {"status": status})
    # With the key of the session, as often as the device asks.
    for _ in range(2):
        assert outcome(person.device.refresh(person.refresh_token)) == (403, code)
    # Without the key, with another key, and with an invented token.
    path = "/v1/session/refresh"
    headers = [("X-Refresh-Token", person.refresh_token)]
    assert outcome(person.transport.send("POST", path, None, headers)) == (401, "unauthorized")
    stranger = Device(person.transport)
    assert outcome(stranger.refresh(person.refresh_token)) == (401, "unauthorized")
    assert outcome(person.device.refresh(person.refresh_token[:-3] + "AAA")) == (401, "unauthorized")
    # With the right code, and not with a wrong one.
    started, unknown = stranger.start(email), stranger.start(new_email())
    assert started.status == unknown.status == 204
    wrong = [stranger.check(answer.headers["X-Verification-Token"], "1234567") for answer in (started, unknown)]
    assert [outcome(answer) for answer in wrong] == [(401, "bad_check_code")] * 2
    assert outcome(stranger.check(started.headers["X-Verification-Token"], person.code(email))) == (403, code)
    # An active account needs a new login: its sessions have ended.
    management.expect(200, "PUT", f"/users/{user}/status", {"status": "active"})
    assert outcome(person.device.refresh(person.refresh_token)) == (401, "unauthorized")
    Person.signed_in(shared, email)
