"""Tests logins whose responses are lost: with the SDK behind a proxy that cuts every response once, and with a device that
shares no code with this package."""

import postgres
import pytest

from device import Device, new_attempt
from faulty_proxy import FaultyProxy
from person import Person, new_email, pkce
from service import Service, running
from shifted_clock import ShiftedService, needs_shift
from terminal import log_in_with_code

PASSWORD = "correct horse battery"


@pytest.fixture
def proxied(tmp_path):
    service = Service(tmp_path)
    between = FaultyProxy(service.port)
    service.flags += ["--public-url", between.url]
    with running(service):
        service.url = between.url
        yield service, between
    between.close()


def cut_each_answer(between: FaultyProxy) -> None:
    """Loses the next response of every call of a login, after the service has processed it."""
    for path in ("/otp/check", "/login/email/password", "/login/finalize", "/refresh", "/me/list"):
        between.faults[path] = lambda: False


# Proves: R18
def test_a_login_with_a_code_survives_the_loss_of_each_answer(proxied):
    service, between = proxied
    for number in range(1, 4):
        between.faults["/otp"] = lambda: False
        # The user asks for the code again.
        assert service.run("login", "--email", "ada@example.com").returncode != 0
        cut_each_answer(between)
        login = log_in_with_code(service, "ada@example.com")
        assert login.returncode == 0, login.stderr
        assert set(between.faults) <= {"/login/email/password", "/refresh", "/me/list"}
        between.faults.clear()
        # Each login replaces the session before it, so a ghost would be a second row.
        assert service.run("sessions").stdout.count("ses_") == 1
    assert between.counts["/otp/check"] == between.counts["/login/finalize"] == 6


def test_a_login_with_a_password_survives_the_loss_of_each_answer(proxied):
    service, between = proxied
    created = service.run(
        "user", "create", "--app", "devapp1", "--email", "grace@example.com", "--password", "--json",
        stdin=PASSWORD + "\n")
    assert created.returncode == 0, created.stderr
    for _ in range(2):
        cut_each_answer(between)
        login = service.run("login", "--email", "grace@example.com", "--password", stdin=PASSWORD + "\n")
        assert login.returncode == 0, login.stderr
        between.faults.clear()
        assert service.run("sessions").stdout.count("ses_") == 1


class Login:
    """A login with a code of a foreign device."""

    def __init__(self, person: Person, code_challenge: str | None):
        self.person, self.device, self.email = person, person.device, new_email()
        self.verification = self.device.start(self.email, code_challenge=code_challenge).headers["X-Verification-Token"]

    def check(self, code: str | None = None):
        return self.device.check(self.verification, code or self.person.code(self.email))

    def challenge_token(self) -> str:
        return self.check().json["challenge_token"]


def outcome(answer) -> tuple[int, str | None]:
    return answer.status, answer.code


def test_the_right_code_gets_its_challenge_again_until_the_login_is_finalized(shared):
    person, (verifier, challenge), attempt = Person(shared), pkce(), new_attempt()
    login = Login(person, challenge)
    first, wrong, second = login.check(), login.check("1234567"), login.check()
    assert outcome(wrong) == (401, "bad_check_code")
    assert first.status == second.status == 200
    finalized = person.device.finalize(second.json["challenge_token"], verifier, attempt)
    person.keep(finalized)
    assert outcome(login.check()) == (400, "invalid_verification_token")
    # Both tokens are one challenge.
    again = person.device.finalize(first.json["challenge_token"], verifier, attempt)
    assert again.headers["X-Refresh-Token"] == finalized.headers["X-Refresh-Token"]
    assert outcome(person.device.finalize(first.json["challenge_token"], verifier)) == (409, "token_reused")
    assert len(person.device.sessions(person.access_token).json["sessions"]) == 1


def test_without_a_code_challenge_a_right_code_works_once(shared):
    login = Login(Person(shared), None)
    assert login.check().status == 200
    assert outcome(login.check()) == (400, "invalid_verification_token")


def test_a_finalize_is_repeated_for_its_key_and_attempt_until_the_first_refresh(shared):
    person, (verifier, challenge), attempt = Person(shared), pkce(), new_attempt()
    token = Login(person, challenge).check().json["challenge_token"]
    person.keep(person.device.finalize(token, verifier, attempt))
    for other in (None, new_attempt()):
        assert outcome(person.device.finalize(token, verifier, other)) == (409, "token_reused")
    assert outcome(Device(person.transport).finalize(token, verifier, attempt)) == (409, "token_reused")
    person.keep(person.device.finalize(token, verifier, attempt))
    person.refresh()
    assert outcome(person.device.finalize(token, verifier, attempt)) == (409, "token_reused")
    assert person.device.refresh(person.refresh_token).status == 200


@needs_shift
@postgres.only_embedded
def test_a_finalize_is_repeated_after_its_challenge_has_expired_and_a_first_one_is_not(tmp_path):
    service = ShiftedService(tmp_path)
    with running(service):
        person, (verifier, challenge), attempt = Person(service), pkce(), new_attempt()
        started, unused = (Login(person, challenge).challenge_token() for _ in range(2))
        person.keep(person.device.finalize(started, verifier, attempt))
        service.set_clock(301)
        for token, other in ((unused, attempt), (unused, None), (started, None), (started, new_attempt())):
            assert outcome(person.device.finalize(token, verifier, other)) == (401, "expired_challenge_token")
        again = person.device.finalize(started, verifier, attempt)
        assert again.headers["X-Refresh-Token"] == person.refresh_token
        assert person.device.refresh(person.refresh_token).status == 200
        assert outcome(person.device.finalize(started, verifier, attempt)) == (401, "expired_challenge_token")
