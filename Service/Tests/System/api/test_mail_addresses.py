"""Tests that the spellings of one mailbox are one user (email-validator, PyPI)."""

import pytest
from email_validator import validate_email

from operator_api import Management
from person import Person
from service import Service, running

DOMAINS = [
    "münchen.de", "bücher.example.com", "例え.jp", "пример.рф", "παράδειγμα.gr", "उदाहरण.भारत", "مثال.مصر", "한국.kr", "çok.com.tr",
    "sub.münchen.de", "xn--mnchen-3ya.de", "a.b.c.ñandú.cl", "kraków.pl", "ελλάδα.gr", "日本語.jp",
]


@pytest.fixture
def users(shared):
    return Management(shared)


def body(value: str) -> dict:
    return {"identifiers": [{"type": "email_address", "value": value}]}


# Proves: O19
@pytest.mark.parametrize("domain", DOMAINS)
def test_all_spellings_of_an_international_domain_are_one_user(users, shared, domain):
    judged = validate_email(f"ada@{domain}", check_deliverability=False, test_environment=True)
    readable, ascii = judged.domain, judged.ascii_domain
    spellings = [f"ada@{readable}", f"ADA@{readable.upper()}", f"ada@{ascii}", f"Ada@{ascii.upper()}"]
    created = [users.send("POST", "/users", body(spelling)) for spelling in spellings]
    assert [answer.status for answer in created[1:]] == [409] * 3 and created[0].status in (201, 409), created
    found = {
        user["id"] for spelling in spellings
        for user in users.expect(200, "POST", "/users/batch_lookup", body(spelling))["users"]}
    assert len(found) == 1
    assert shared.sql(f"SELECT canonical FROM identifiers WHERE user_id = '{found.pop()}'") == [(f"ada@{ascii}",)]


def test_an_address_that_is_typed_in_ascii_is_shown_in_letters(users):
    shown = users.expect(201, "POST", "/users", body("grace@xn--mnchen-3ya.de"))["identifiers"]
    assert shown == [{"type": "email_address", "value": "grace@münchen.de"}]


# Proves: O19
def test_all_spellings_have_one_budget(users, shared):
    users.expect(200, "PUT", "/config/limits", {"sends_per_hour": 3, "resend_delay": 0})
    spellings = ["eve@münchen.de", "EVE@MÜNCHEN.DE", "eve@xn--mnchen-3ya.de", "eve@XN--MNCHEN-3YA.de", "eve@münchen.de"]
    answers = [Person(shared).device.start(spelling).status for spelling in spellings]
    assert answers == [204, 204, 204, 429, 429]
    keys = shared.sql("SELECT key FROM counters WHERE key LIKE '%eve@%'")
    assert keys and {key.split(":")[-1] for [key] in keys} == {"eve@xn--mnchen-3ya.de"}


def test_addresses_of_earlier_versions_are_found_after_the_upgrade(tmp_path):
    """Before schema 14, the domain was stored as it was typed."""
    service = Service(tmp_path)
    with running(service):
        management = Management(service)
        users = {
            value: management.expect(201, "POST", "/users", body(value))["id"]
            for value in ("ada@münchen.de", "jürgen@example.com", "bob@example.com", "eve@xn--bcher-kva.de")}
        taken = management.expect(201, "POST", "/users", body("eve2@example.com"))["id"]
        assert service.stop() == 0
        service.sql("UPDATE identifiers SET canonical = value WHERE value LIKE '%nchen.de'")
        service.sql(f"UPDATE identifiers SET canonical = 'eve@bücher.de', value = 'eve@bücher.de' WHERE user_id = '{taken}'")
        back_to_schema_13(service)
        service.start()
        for value, user in users.items():
            found = management.expect(200, "POST", "/users/batch_lookup", body(value))["users"]
            assert [one["id"] for one in found] == [user], value
        # Two users had one mailbox. The one whose form is the key keeps it, and the other one is found by the id.
        assert management.get(f"/users/{taken}")["identifiers"][0]["value"] == "eve@bücher.de"


def back_to_schema_13(service: Service) -> None:
    service.sql("DROP TABLE passkeys")
    service.sql("ALTER TABLE sessions DROP COLUMN method")
    if service.database.startswith("postgresql:"):
        service.sql("ALTER TABLE users DROP COLUMN locale")
        service.sql("ALTER TABLE verifications DROP COLUMN payers")
        service.sql("UPDATE prelude_session SET schema = 13 WHERE id = 1")
    else:
        service.sql("ALTER TABLE users DROP COLUMN locale")
        service.sql("ALTER TABLE verifications DROP COLUMN payers")
        service.sql("DROP TABLE proofs")
        service.sql(
            "CREATE TABLE proofs (sequence INTEGER PRIMARY KEY, key INTEGER NOT NULL, app_id TEXT NOT NULL, "
            "expires_at INTEGER NOT NULL) STRICT")
        service.sql("PRAGMA user_version = 13")
