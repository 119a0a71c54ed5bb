"""Tests that a deleted user is in no table and in no file of the database: address, number, id and source address."""

import pathlib
import secrets
import sqlite3
import subprocess
from contextlib import closing

import pytest

from operator_api import Management
from person import Person
from service import Service, running
from transport import Transport
from waiting import wait_until

V1 = "/v1/session"
#: The source addresses of the user, of a stranger at the user's address, and of the operator.
USER, STRANGER = "203.0.113.77", "203.0.113.88"


class From(Transport):
    """Sends requests as a trusted proxy does, for one client."""

    def __init__(self, url: str, source: str):
        super().__init__(url)
        self.source = source

    def send(self, method, path, body=None, headers=()):
        return super().send(method, path, body, [*headers, ("X-Forwarded-For", self.source)])


@pytest.fixture
def own_service(tmp_path, authority):
    service = Service(
        tmp_path, "--trusted-proxy", "127.0.0.1", "--trusted-proxy", "::1", "--egress-network", "127.0.0.0/8",
        "--egress-trust-roots", str(authority.certificate_path))
    with running(service) as service:
        yield service


def content(service: Service) -> dict[str, bytes]:
    """Returns all that the database has: the rows of each table, and, of an embedded one, the bytes of its files."""
    if service.database.startswith("postgresql:"):
        dumped = subprocess.run(
            ["pg_dump", "--data-only", "--inserts", service.database], capture_output=True, check=True)
        return {"dump": dumped.stdout}
    path = pathlib.Path(service.database.removeprefix("sqlite:"))
    with closing(sqlite3.connect(path)) as database:
        dump = "\n".join(database.iterdump()).encode()
    return {"dump": dump} | {file.name: file.read_bytes() for file in path.parent.glob(path.name + "*")}


def lines(found: bytes, needle: str) -> list[str]:
    return [line.decode(errors="replace")[:300] for line in found.splitlines() if needle.encode() in line]


def begin(transport: Transport, value: str, kind: str = "email_address") -> None:
    started = transport.send("POST", f"{V1}/otp", {"identifier": {"type": kind, "value": value}})
    assert started.status == 204, started


# Proves: B10
def test_nothing_of_a_deleted_user_stays_but_the_id_in_the_event_of_the_deletion(own_service):
    service, management = own_service, Management(own_service)
    token = secrets.token_hex(8)
    mail, phone, removed = f"ada-{token}@example.com", "+14155550177", f"old-{token}@example.com"
    identifiers = [{"type": "email_address", "value": mail}, {"type": "phone_number", "value": phone}]
    user = management.expect(201, "POST", "/users", {
        "identifiers": identifiers, "external_id": f"crm-{token}", "profile": {"name": f"Name {token}"},
        "password": f"staple {token} horse"})["id"]
    person = Person(service)
    person.transport = person.device.transport = From(service.url, USER)
    started = person.device.start(mail)
    person.take(person.device.finalize(
        person.device.check(started.headers["X-Verification-Token"], person.code(mail)).json["challenge_token"]))
    # Counters and events of wrong passwords, codes and messages, of the device and of a stranger.
    person.device.password(mail, "wrong password")
    for source in (USER, STRANGER):
        begin(From(service.url, source), mail)
        begin(From(service.url, source), phone, "phone_number")
    other = {"type": "email_address", "value": removed}
    management.expect(200, "POST", f"/users/{user}/identifiers", other)
    management.expect(200, "DELETE", f"/users/{user}/identifiers", other)
    bob = management.expect(201, "POST", "/users", {"identifiers": [{"type": "email_address", "value": f"bob-{token}@example.com"}]})["id"]
    wait_until(lambda: service.sql("SELECT count(*) FROM messages WHERE status = 'pending'") == [(0,)])

    before = content(service)["dump"]
    for needle in (mail, phone, removed, user, USER, f"crm-{token}"):
        assert needle.encode() in before, f"the test looks for {needle}"
    management.expect(204, "DELETE", f"/users/{user}")
    after = content(service)["dump"]
    for needle in (mail, phone, removed, USER, f"crm-{token}", f"Name {token}"):
        assert lines(after, needle) == [], needle
    left = lines(after, user)
    assert len(left) == 1 and "user.deleted" in left[0], left
    assert bob.encode() in after and f"bob-{token}@example.com".encode() in after

    listed = management.get("/events?limit=100")["events"]
    kept = [event for event in listed if event["data"].get("user_id", "").startswith("del_")]
    assert {event["name"] for event in kept} >= {"user.created", "user.session.created", "user.identifier.deleted"}
    assert len({event["data"]["user_id"] for event in kept}) == 1, "one pseudonym for all events of the user"
    assert all(set(event["data"]) == {"user_id"} for event in kept)
    assert management.get(f"/events?user_id={user}")["events"][0]["name"] == "user.deleted"

    assert service.stop() == 0
    for name, found in content(service).items():
        for needle in (mail, phone, removed, USER, f"crm-{token}", f"Name {token}"):
            assert needle.encode() not in found, f"{needle} is in {name}"


def test_a_removed_address_has_no_messages_and_no_counters_once_its_notice_is_sent(own_service):
    service, management = own_service, Management(own_service)
    mail, old = f"eve-{secrets.token_hex(6)}@example.com", f"old-{secrets.token_hex(6)}@example.com"
    identifiers = [{"type": "email_address", "value": value} for value in (mail, old)]
    user = management.expect(201, "POST", "/users", {"identifiers": identifiers})["id"]
    begin(Transport(service.url), old)
    key, row = f"SELECT count(*) FROM counters WHERE key LIKE '%{old}'", f"SELECT count(*) FROM messages WHERE value = '{old}'"
    assert service.sql(key)[0][0] > 0 and service.sql(row)[0][0] > 0
    management.expect(200, "DELETE", f"/users/{user}/identifiers", identifiers[1])
    wait_until(lambda: service.sql(row) == [(0,)])
    assert service.sql(key) == [(0,)]
    assert service.sql(f"SELECT count(*) FROM verifications WHERE value = '{old}'") == [(0,)]
    sent = [mail["to"] for mail in Transport(service.url).send("GET", "/dev/mailbox").json if mail["purpose"] == "notice"]
    assert old in sent, "it is told of its removal"


def test_the_running_login_of_a_deleted_user_answers_as_one_of_an_unknown_address(own_service):
    service, management = own_service, Management(own_service)
    mail = f"eve-{secrets.token_hex(6)}@example.com"
    user = management.expect(201, "POST", "/users", {"identifiers": [{"type": "email_address", "value": mail}]})["id"]
    person = Person(service)
    started = person.device.start(mail)
    code = person.code(mail)
    management.expect(204, "DELETE", f"/users/{user}")
    wrong = person.device.check(started.headers["X-Verification-Token"], code)
    assert (wrong.status, wrong.code) == (401, "bad_check_code"), wrong
    assert person.device.resend(started.headers["X-Verification-Token"]).status in (204, 429)


@pytest.mark.parametrize("prefixes", [["+336"], ["+33"], [], ["+336", "+3370"]])
def test_a_resend_to_a_number_answers_alike_whether_its_user_is_deleted_or_not(own_service, prefixes):
    service, management = own_service, Management(own_service)
    management.expect(200, "PUT", "/config/limits", {"allowed_prefixes": prefixes, "resend_delay": 0})
    answers = []
    for is_deleted in (False, True):
        number, device = f"+336{secrets.randbelow(10**8):08d}", Person(service).device
        user = management.expect(
            201, "POST", "/users", {"identifiers": [{"type": "phone_number", "value": number}]})["id"]
        started = device.start(number, "phone_number")
        if is_deleted:
            management.expect(204, "DELETE", f"/users/{user}")
        answers.append(device.resend(started.headers["X-Verification-Token"]))
    assert [(answer.status, answer.body) for answer in answers] == [(204, b"")] * 2, answers
