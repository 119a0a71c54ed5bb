"""Tests notices with the real service: what changes an account, who gets a message, and in which language."""

import pytest

from operator_api import Management
from person import Person, new_email, new_phone
from transport import Transport


@pytest.fixture
def operator(service) -> Management:
    return Management(service)


@pytest.fixture
def notices(service):
    """Returns a function that returns the notices, oldest first, as pairs of receiver and text, and asserts their number."""
    def read(count: int) -> list[tuple[str, str]]:
        mails = Transport(service.url).send("GET", "/dev/mailbox").json
        found = [(mail["to"], mail["text"]) for mail in reversed(mails) if mail["purpose"] == "notice"]
        assert len(found) == count, found
        return found
    return read


def made(operator: Management, *identifiers: str) -> str:
    """Creates a user and returns its id."""
    typed = [
        {"type": "phone_number" if identifier.startswith("+") else "email_address", "value": identifier}
        for identifier in identifiers]
    return operator.expect(201, "POST", "/users", {"identifiers": typed})["id"]


# Proves: M19
def test_an_operators_changes_are_reported_to_the_user(operator, notices):
    mail, phone = new_email(), new_phone()
    user = made(operator, mail)
    operator.expect(200, "POST", f"/users/{user}/identifiers", {"type": "phone_number", "value": phone})
    [(to, text)] = notices(1)
    assert to == mail and f"{phone[:3]}*******{phone[-2:]}" in text and phone not in text
    operator.expect(204, "PUT", f"/users/{user}/password", {"password": "staple of the better kind"})
    assert {to for to, _ in notices(3)[1:]} == {mail, phone}


def test_a_notice_that_an_operator_causes_is_in_the_language_of_the_users_last_login(operator, notices, service):
    person, mail = Person(service), new_email()
    send = person.transport.send
    person.transport.send = lambda method, path, body=None, headers=(): send(
        method, path, body, [*headers, ("Accept-Language", "fr-CA, en;q=0.5")])
    started = person.device.start(mail)
    person.take(person.device.finalize(
        person.device.check(started.headers["X-Verification-Token"], person.code(mail)).json["challenge_token"]))
    user = person.claims()["sub"]
    assert operator.get(f"/users/{user}")["locale"] == "fr-CA"
    assert operator.get(f"/users/{user}/export")["user"]["locale"] == "fr-CA"
    operator.expect(204, "PUT", f"/users/{user}/password", {"password": "staple of the better kind"})
    [(to, text)] = notices(1)
    assert to == mail and "mot de passe" in text, text
    unknown = made(operator, new_email())
    assert "locale" not in operator.get(f"/users/{unknown}")


# Proves: M20
def test_a_removed_identifier_gets_the_notice_of_its_removal(operator, notices):
    mail, phone = new_email(), new_phone()
    user = made(operator, mail, phone)
    operator.send("DELETE", f"/users/{user}/identifiers", {"type": "phone_number", "value": phone})
    assert {to for to, _ in notices(2)} == {mail, phone}


def test_notices_are_off_if_the_operator_turns_them_off(operator, notices):
    operator.expect(200, "PUT", "/config/notices", {"password_changed": False})
    user = made(operator, new_email())
    operator.expect(204, "PUT", f"/users/{user}/password", {"password": "staple of the better kind"})
    operator.expect(200, "POST", f"/users/{user}/identifiers", {"type": "phone_number", "value": new_phone()})
    [(_, text)] = notices(1)
    assert "was added" in text


# Proves: M21
def test_at_most_five_notices_of_a_kind_are_sent_in_a_day(operator, notices):
    user = made(operator, new_email())
    for number in range(7):
        operator.expect(204, "PUT", f"/users/{user}/password", {"password": f"staple of the better kind {number}"})
    operator.expect(200, "POST", f"/users/{user}/identifiers", {"type": "phone_number", "value": new_phone()})
    texts = [text for _, text in notices(6)]
    assert len([text for text in texts if "new password" in text]) == 5 and any("was added" in text for text in texts)


# Proves: M21
def test_a_notice_with_more_messages_than_are_left_is_sent_and_the_change_is_made(operator, notices):
    """With one of the day left, PostgreSQL answered 503, and undid the end of a stolen session, too."""
    mail, other, phone = new_email(), new_email(), new_phone()
    user = made(operator, mail, other, phone)
    operator.expect(200, "PUT", "/config/limits", {"app_sends_per_day": 1})
    operator.expect(204, "PUT", f"/users/{user}/password", {"password": "staple of the better kind"})
    assert {to for to, _ in notices(3)} == {mail, other, phone}
    operator.expect(204, "PUT", f"/users/{user}/password", {"password": "staple of another kind"})
    notices(3)


# Proves: M22
def test_a_message_is_in_the_language_of_its_request(service, operator):
    def text(language: str) -> str:
        address = new_email()
        started = Transport(service.url).send(
            "POST", "/v1/session/otp", {"identifier": {"type": "email_address", "value": address}},
            [("Accept-Language", language)])
        assert started.status == 204
        person = Person(service)
        person.code(address)
        mails = Transport(service.url).send("GET", "/dev/mailbox").json
        return next(mail["text"] for mail in mails if mail["to"] == address)

    assert text("de-CH, en;q=0.5").startswith("Mit diesem Code")
    assert text("it, fr;q=0.1").startswith("Utilisez ce code")
    assert text("it").startswith("Use this code")
    operator.expect(200, "PUT", "/config/templates", {"default_locale": "ja"})
    operator.expect(200, "PUT", "/config/templates/email/sign_in/it", {"subject": "Codice", "text": "Codice: {{code}}"})
    assert text("it-CH").startswith("Codice: ")
    assert "サインイン" in text("nl")
