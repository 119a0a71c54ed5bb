"""Tests blocks of networks and identifiers: what they refuse, what they leave, and that each change is an event."""

import json

import pytest

from operator_api import Management
from person import Person, new_email
from service import APP, Service, running
from strangers import from_address
from transport import Transport

NETWORK = "198.51.100.0/24"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("blocks"), "--trusted-proxy", "127.0.0.1")
    with running(service) as service:
        yield service


@pytest.fixture
def management(service):
    management = Management(service)
    yield management
    for block in management.get("/blocks")["blocks"]:
        query = f"address={block['address']}" if "address" in block else (
            f"identifier_type={block['identifier_type']}&identifier_value={block['identifier_value']}")
        management.expect(204, "DELETE", f"/blocks?{query}")


def limited(answer, seconds: int) -> bool:
    return (answer.status, answer.code) == (429, "rate_limited") and seconds - 60 < int(answer.headers["Retry-After"]) <= seconds


def test_a_blocked_network_is_refused_and_its_users_stay_signed_in(service, management):
    inside, outside = from_address(service, "198.51.100.7"), from_address(service, "198.51.101.7")
    ada = Person.signed_in(service)
    ada.device.transport = inside.transport
    made = management.expect(201, "POST", "/blocks", {"address": NETWORK, "seconds": 3600, "note": "guesses codes"})
    assert (made["address"], made["note"]) == (NETWORK, "guesses codes") and made["until"] > made["created_at"]
    assert limited(inside.start(new_email()), 3600)
    assert limited(ada.device.refresh(ada.refresh_token), 3600)
    assert limited(ada.device.sessions(ada.access_token), 3600)
    assert outside.start(new_email()).status == 204
    assert inside.transport.send("GET", "/.well-known/jwks.json").status == 200, "backends verify tokens"
    # A page can read the refusal.
    page = inside.transport.send("POST", "/v1/session/otp", {}, [("Origin", f"http://localhost:{service.port}")])
    assert page.status == 429 and page.headers["Access-Control-Allow-Origin"]
    # A longer block of the same subject replaces it.
    management.expect(201, "POST", "/blocks", {"address": NETWORK, "seconds": 7200})
    assert [block["address"] for block in management.get("/blocks")["blocks"]] == [NETWORK]
    assert limited(inside.start(new_email()), 7200)
    management.expect(204, "DELETE", f"/blocks?address={NETWORK}")
    management.expect(404, "DELETE", f"/blocks?address={NETWORK}")
    assert ada.device.refresh(ada.refresh_token).status == 200, "the same token still works"


@pytest.mark.parametrize("spellings", [
    ["203.0.113.0/24", "203.0.113.77/24", "::ffff:203.0.113.0/120"], ["2001:db8::/32", "2001:0DB8:0:0::1/32"],
    ["203.0.113.7", "203.0.113.7/32", "::ffff:203.0.113.7"]])
def test_a_network_has_one_block_however_it_is_written(service, management, spellings):
    for written in spellings:
        made = management.expect(201, "POST", "/blocks", {"address": written, "seconds": 600})
        assert made["address"] == spellings[0]
        assert [block["address"] for block in management.get("/blocks")["blocks"]] == spellings[:1]
    for written in spellings:
        management.expect(204, "DELETE", f"/blocks?address={written}")
        assert management.get("/blocks")["blocks"] == []
        management.expect(201, "POST", "/blocks", {"address": spellings[0], "seconds": 600})
    refused = management.send("DELETE", "/blocks?address=203.0.113.0/024")
    assert (refused.status, refused.json["field"]) == (400, "address")


@pytest.mark.parametrize(("address", "source"), [
    ("203.0.113.9", "203.0.113.9"), ("2001:DB8::/32", "2001:db8:1::5"), ("203.0.113.9", "::ffff:203.0.113.9")])
def test_addresses_of_both_kinds_are_blocked(service, management, address, source):
    management.expect(201, "POST", "/blocks", {"address": address, "seconds": 60})
    assert limited(from_address(service, source).start(new_email()), 60)
    assert from_address(service, "203.0.113.10").start(new_email()).status == 204


def test_a_blocked_identifier_signs_in_with_nothing_and_others_do(service, management):
    email = new_email()
    ada = Person.signed_in(service, email)
    subject = {"identifier_type": "email_address", "identifier_value": email.upper()}
    running_login = Person(service)
    started = running_login.device.start(email)
    management.expect(201, "POST", "/blocks", {**subject, "seconds": 600})
    assert limited(Person(service).device.start(email), 600)
    assert limited(Person(service).device.password(email, "any password"), 600)
    assert limited(running_login.device.resend(started.headers["X-Verification-Token"]), 600)
    unknown = {"identifier_type": "email_address", "identifier_value": "no-user@example.com"}
    management.expect(201, "POST", "/blocks", {**unknown, "seconds": 600})
    assert limited(Person(service).device.start("no-user@example.com"), 600), "also without a user"
    assert ada.refresh()["sub"], "the session goes on"
    assert Person.signed_in(service)


def test_a_block_ends_by_itself_and_is_then_not_listed(tmp_path):
    from shifted_clock import ShiftedService
    service = ShiftedService(tmp_path, "--trusted-proxy", "127.0.0.1")
    with running(service):
        management, device = Management(service), from_address(service, "198.51.100.7")
        management.expect(201, "POST", "/blocks", {"address": NETWORK, "seconds": 60})
        assert device.start(new_email()).status == 429
        service.set_clock(61)
        assert device.start(new_email()).status == 204
        assert management.get("/blocks")["blocks"] == []


@pytest.mark.parametrize(("body", "field"), [
    ({"address": "0.0.0.0/0", "seconds": 60}, "address"), ({"address": "10.0.0.0/7", "seconds": 60}, "address"),
    ({"address": "::/15", "seconds": 60}, "address"), ({"address": "example.com", "seconds": 60}, "address"),
    *[({"address": address, "seconds": 60}, "address") for address in [
        "203.0.113.0/024", "203.0.113.0/+24", "203.0.113.0/33", "203.0.113.0/", "::ffff:203.0.113.0/24"]],
    ({"seconds": 60}, "address"), ({"address": "203.0.113.9"}, "seconds"),
    ({"address": "203.0.113.9", "seconds": 59}, "seconds"), ({"address": "203.0.113.9", "seconds": 31_536_001}, "seconds"),
    ({"address": "203.0.113.9", "seconds": 60, "note": "x" * 201}, "note"),
    ({"address": "203.0.113.9", "seconds": 60, "until": "2026-01-01T00:00:00Z"}, "until"),
    ({"identifier_type": "email_address", "identifier_value": "ada", "seconds": 60}, "identifier_value"),
    ({"identifier_type": "name", "identifier_value": "ada", "seconds": 60}, "identifier_type"),
    ({"address": "203.0.113.9", "identifier_type": "email_address", "identifier_value": "a@example.com", "seconds": 60}, "address"),
])
def test_an_invalid_block_names_its_field(management, body, field):
    refused = management.send("POST", "/blocks", body)
    assert refused.status in (400, 422) and field in (refused.json.get("field") or refused.json["message"]), refused


def test_an_app_has_a_bounded_number_of_blocks(tmp_path):
    with running(Service(tmp_path)) as service:
        management = Management(service)
        for number in range(200):
            management.expect(201, "POST", "/blocks", {"address": f"203.0.{number}.1", "seconds": 60})
        assert management.send("POST", "/blocks", {"address": "198.51.100.1", "seconds": 60}).status == 409
        management.expect(201, "POST", "/blocks", {"address": "203.0.0.1", "seconds": 60})


def test_each_change_is_an_event_without_the_identifier(service, management):
    subject = {"identifier_type": "email_address", "identifier_value": "grace@example.com"}
    management.expect(201, "POST", "/blocks", {**subject, "seconds": 600})
    [event, *_] = management.events("management.app.updated")
    assert "grace@example.com" not in json.dumps(event)
    [name] = [name for name in event["data"]["changes"] if name.startswith("blocks.")]
    assert event["data"]["changes"][name]["before"] is None and event["context"]["actor"]


def test_changes_of_identifiers_with_the_same_mask_and_of_notes_are_events(service, management):
    def change() -> dict:
        """The change that the newest event reports, which has no identifier."""
        [event, *_] = management.events("management.app.updated")
        assert event["id"] not in seen and not any(name in json.dumps(event) for name in names), event
        seen.add(event["id"])
        [(name, values)] = event["data"]["changes"].items()
        assert name == "blocks.a***@example.com"
        return values

    names, seen = ["ada@example.com", "abel@example.com", "ana.maria@example.com"], set()
    for number, name in enumerate(names):
        subject = {"identifier_type": "email_address", "identifier_value": name}
        management.expect(201, "POST", "/blocks", {**subject, "seconds": 600, "note": f"note {number}"})
        added = change()
        assert added["before"] is None and added["after"]["note"] == f"note {number}" and added["after"]["until"]
    subject = {"identifier_type": "email_address", "identifier_value": names[2]}
    management.expect(201, "POST", "/blocks", {**subject, "seconds": 600, "note": "guesses codes"})
    noted = change()
    assert (noted["before"]["note"], noted["after"]["note"]) == ("note 2", "guesses codes")
    for number, name in enumerate(names[:2]):
        management.expect(204, "DELETE", f"/blocks?identifier_type=email_address&identifier_value={name}")
        removed = change()
        assert removed["before"]["note"] == f"note {number}" and removed["after"] is None


def test_the_commands_block_list_and_remove(service, management):
    def run(*arguments: str) -> list:
        done = service.run("block", *arguments, "--app", APP, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    [made] = run("add", "--address", NETWORK, "--for", "24h", "--note", "guesses codes")
    assert (made["blocked"], made["note"]) == (NETWORK, "guesses codes")
    assert run("list") == [made]
    run("add", "--identifier", "+33612345678", "--for", "7d")
    assert [block["blocked"] for block in run("list")] == ["+33612345678", NETWORK]
    assert run("remove", "--identifier", "+33 6 12 34 56 78") == [made]
    for wrong in (["add", "--address", NETWORK, "--for", "tomorrow"], ["add", "--for", "1h"], ["remove", "--address", "192.0.2.1"],
                  ["add", "--address", NETWORK, "--identifier", "a@example.com", "--for", "1h"]):
        assert service.run("block", *wrong, "--app", APP).returncode != 0
    for span in ("1000000d", "366d", "59s", "0h", "tomorrow", "9223372036854775807d"):
        refused = service.run("block", "add", "--address", NETWORK, "--for", span, "--app", APP)
        assert refused.returncode != 0 and "--for must be 60s to 365d" in refused.stderr


def test_a_read_key_cannot_block(service, management):
    key = json.loads(service.run("key", "create", "reader", "--app", APP, "--role", "read", "--json").stdout)[0]["key"]
    reader = Management(service, key=key)
    assert reader.send("GET", "/blocks").status == 200
    assert reader.send("POST", "/blocks", {"address": NETWORK, "seconds": 60}).status == 403
    assert Transport(service.url).send("GET", f"/v2/session/apps/{APP}/blocks").status == 401
