"""Tests webhooks: they are activated, signed, retried, and stored until they are delivered."""

import datetime
import threading
import time

import pytest

from operator_api import Management
from person import Person, new_email
from receiver import Receiver, Reply
from service import APP
from snippets import load
from transport import Transport
from waiting import wait_until
from webhook import ACKNOWLEDGED, PATH, activation, active_webhook, answering

is_from_the_service = load("hooks.md").is_from_the_service
is_new_request = load("hooks.md").is_new_request
take_new = load("webhooks.md").take_new


@pytest.fixture
def management(trusting, backend):
    """Returns the management API of an app without webhooks."""
    management = Management(trusting)
    yield management
    for webhook in management.get("/webhooks")["webhooks"]:
        management.expect(204, "DELETE", f"/webhooks/{webhook['id']}")
    backend.forget()


def test_activation_sends_a_challenge_to_the_endpoint(management, backend):
    url = backend.on(PATH, answering(ACKNOWLEDGED))
    webhook = management.expect(201, "POST", "/webhooks", {"url": url})
    assert webhook["id"].startswith("web_") and webhook["status"] == "inactive"
    assert backend.received.empty(), "nothing is called before the activation"
    active = management.expect(200, "POST", f"/webhooks/{webhook['id']}/activate")
    call = backend.next()
    assert call.method == "GET" and call.headers["user-agent"] == "Prelude-SessionWebhook/1.0"
    assert call.query == {
        "event": "activate", "verification_token": webhook["verification_token"], "challenge": call.query["challenge"],
        "app_id": APP}
    assert int(call.query["challenge"]) >= 0
    assert active["status"] == "active"


@pytest.mark.parametrize(
    "reply",
    [Reply(404), Reply(302, b"", {"Location": "/"}), Reply(200, {"challenge": -1}), Reply(200, "yes"),
     lambda received: Reply(200, {"challenge": received.query["challenge"]})],
    ids=["not found", "a redirect", "another number", "not JSON", "a text"])
def test_an_endpoint_that_does_not_repeat_the_challenge_stays_inactive(management, backend, reply):
    webhook = management.expect(201, "POST", "/webhooks", {"url": backend.on(PATH, reply)})
    refused = management.send("POST", f"/webhooks/{webhook['id']}/activate")
    assert (refused.status, refused.code) == (400, "bad_request")
    assert refused.json["message"].startswith("url could not be activated")
    assert management.get(f"/webhooks/{webhook['id']}")["status"] == "inactive"
    management.new_user()
    assert management.get(f"/webhooks/{webhook['id']}/deliveries")["deliveries"] == []


# Proves: H22
def test_events_are_signed(trusting, management, backend):
    active_webhook(management, backend, events=["user.created"])
    user = management.new_user()
    call = backend.next()
    assert call.method == "POST"
    assert call.headers["user-agent"] == "Prelude-SessionWebhook/1.0"
    signature, key_id = call.headers["x-webhook-signature"], call.headers["x-webhook-signature-key-id"]
    assert signature.startswith("rsassa-pss-sha256=")
    jwks = Transport(trusting.url).send("GET", "/.well-known/jwks.json").json
    assert is_from_the_service(call.body, signature, key_id, jwks)
    assert not is_from_the_service(call.body.replace(b"usr_", b"USR_"), signature, key_id, jwks)
    body = call.json
    assert set(body) == {"app_id", "events"} and body["app_id"] == APP
    [event] = body["events"]
    assert set(event) == {"id", "name", "created_at", "data"}
    assert (event["name"], event["data"]) == ("user.created", {"user_id": user})
    assert event["id"].startswith("evt_") and event["created_at"].endswith("Z")


# Proves: H23
def test_a_replayed_webhook_is_rejected(trusting, management, backend):
    """The receiver of the documentation accepts a request once, unchanged, and just after it was sent."""
    active_webhook(management, backend, events=["user.created"])
    management.new_user()
    call, jwks = backend.next(), Transport(trusting.url).send("GET", "/.well-known/jwks.json").json
    sent_at = int(call.headers["x-webhook-timestamp"])
    assert call.headers["x-webhook-id"].startswith("msg_") and abs(time.time() - sent_at) < 10

    def accepted(headers=None, body=call.body, seen=None, now=None) -> bool:
        return is_new_request({**call.headers, **(headers or {})}, body, jwks, {} if seen is None else seen, now)

    seen: dict[str, int] = {}
    assert accepted(seen=seen) and not accepted(seen=seen), "the same request again"
    assert set(seen) == {call.headers["x-webhook-id"]}
    assert accepted(now=sent_at + 299) and not accepted(now=sent_at + 301) and not accepted(now=sent_at - 301)
    assert not accepted(seen=seen, now=sent_at + 300), "the id is remembered as long as the request is accepted"
    assert not accepted({"x-webhook-id": call.headers["x-webhook-id"][:-1] + "0z"})
    assert not accepted({"x-webhook-timestamp": str(sent_at + 1)})
    assert not accepted(body=call.body + b" ")
    assert not accepted({"x-webhook-signature-v2": call.headers["x-webhook-signature"]}), "the signature of the body alone"
    assert not accepted({"x-webhook-signature-v2": ""}) and not accepted({"x-webhook-signature-key-id": "other"})
    seen["msg_old"] = sent_at - 301
    accepted(seen=seen)
    assert "msg_old" not in seen, "ids are forgotten when their requests are too old"


# Proves: H23
def test_a_retried_delivery_is_no_replay(trusting, management, backend):
    """The endpoint processes the first attempt, and its answer is lost. The retry is new, and its events are known."""
    webhook = active_webhook(management, backend, Reply(500), events=["user.created"])
    management.new_user()
    first = backend.next()
    path = f"/webhooks/{webhook['id']}/deliveries"
    wait_until(lambda: management.get(path)["deliveries"][0]["attempts"])
    trusting.kill()
    trusting.sql("UPDATE webhook_deliveries SET next_attempt_at = 0 WHERE status = 'pending'")
    trusting.start()
    second, jwks = backend.next(), Transport(trusting.url).send("GET", "/.well-known/jwks.json").json
    seen: dict[str, int] = {}
    assert is_new_request(first.headers, first.body, jwks, seen) and is_new_request(second.headers, second.body, jwks, seen)
    assert first.body == second.body and len(seen) == 2
    known: set[str] = set()
    assert len(take_new(first.json["events"], known)) == 1 and take_new(second.json["events"], known) == []


def test_the_events_of_a_user_arrive_in_order(trusting, management, backend):
    active_webhook(management, backend)
    email = new_email()
    person = Person.signed_in(trusting, email)
    user, session = (person.claims()[name] for name in ("sub", "sid"))
    management.expect(200, "PATCH", f"/users/{user}/profile", {"profile": {"plan": "gold"}})
    management.expect(
        200, "POST", f"/users/{user}/identifiers", {"type": "phone_number", "value": "+14155559999"})
    management.expect(
        200, "DELETE", f"/users/{user}/identifiers", {"type": "phone_number", "value": "+14155559999"})
    assert person.device.revoke(person.refresh_token).status == 204
    expected = [
        "user.created", "user.session.created", "user.profile.updated", "user.identifier.created",
        "user.identifier.deleted", "user.session.revoked", "user.deleted"]
    events = []
    while len(events) < len(expected) - 1:
        events += backend.next().json["events"]
    # Those that had not arrived yet would not be sent any more.
    management.expect(204, "DELETE", f"/users/{user}")
    events += backend.next().json["events"]
    assert [event["name"] for event in events] == expected
    assert all(event["data"]["user_id"] == user for event in events)
    assert events[1]["data"]["session_id"] == session
    assert events[5]["data"]["reason"] == "logout"
    seen: set[str] = set()
    assert take_new(events, seen) == events and take_new(events, seen) == [], "as documented for repeats"


def test_only_subscribed_events_arrive(management, backend):
    active_webhook(management, backend, events=["user.deleted"])
    user = management.new_user()
    management.expect(204, "DELETE", f"/users/{user}")
    assert [event["name"] for event in backend.next().json["events"]] == ["user.deleted"]


# Proves: H24
def test_a_failed_delivery_is_stored_and_due_a_minute_later(management, backend):
    webhook = active_webhook(management, backend, Reply(500, "no"), events=["user.created"])
    user = management.new_user()
    sent = backend.next().json["events"][0]
    path = f"/webhooks/{webhook['id']}/deliveries"

    def tried():
        [delivery] = management.get(path)["deliveries"]
        return delivery if delivery["attempts"] else None

    before = datetime.datetime.now(datetime.timezone.utc)
    delivery = wait_until(tried)
    assert delivery["event"] == sent and sent["data"] == {"user_id": user}
    assert (delivery["status"], delivery["attempts"], delivery["last_status"]) == ("pending", 1, 500)
    assert "500" in delivery["last_error"]
    wait = datetime.datetime.fromisoformat(delivery["next_attempt_at"]) - before
    assert 55 <= wait.total_seconds() <= 61
    assert delivery.get("delivered_at") is None


def test_the_delivery_log_reports_an_unreachable_endpoint(management, authority):
    with Receiver(authority) as leaving:
        webhook = active_webhook(management, leaving, events=["user.created"])
    management.new_user()
    path = f"/webhooks/{webhook['id']}/deliveries"
    delivery = wait_until(lambda: next((d for d in management.get(path)["deliveries"] if d["attempts"]), None))
    assert delivery["status"] == "pending" and delivery.get("last_status") is None
    assert delivery["last_error"].startswith("no connection")


def test_the_delivery_log_reports_a_successful_delivery(management, backend):
    webhook = active_webhook(management, backend, events=["user.created"])
    management.new_user()
    path = f"/webhooks/{webhook['id']}/deliveries"
    delivery = wait_until(
        lambda: next((d for d in management.get(path)["deliveries"] if d["status"] == "delivered"), None))
    assert (delivery["attempts"], delivery["last_status"]) == (1, 200)
    assert delivery["delivered_at"].endswith("Z") and delivery.get("next_attempt_at") is None


def test_a_changed_url_must_be_activated_again(management, backend):
    webhook = active_webhook(management, backend, events=["user.created"])
    other = backend.on("/elsewhere", ACKNOWLEDGED)
    changed = management.expect(200, "PUT", f"/webhooks/{webhook['id']}", {"url": other, "events": ["user.created"]})
    assert changed["status"] == "inactive"
    management.new_user()
    assert management.get(f"/webhooks/{webhook['id']}/deliveries")["deliveries"] == []


def test_a_changed_url_does_not_receive_deliveries_for_the_old_url(management, backend):
    webhook = active_webhook(management, backend, Reply(500), events=["user.created"])
    management.new_user()
    backend.next()
    path = f"/webhooks/{webhook['id']}"
    wait_until(lambda: management.get(f"{path}/deliveries")["deliveries"][0]["attempts"])
    other = backend.on("/elsewhere", answering(ACKNOWLEDGED))
    management.expect(200, "PUT", path, {"url": other, "events": ["user.created"]})
    [delivery] = management.get(f"{path}/deliveries")["deliveries"]
    assert (delivery["status"], delivery["last_error"]) == ("failed", "the webhook was changed")


# Proves: H24
def test_a_slow_webhook_does_not_delay_others(management, backend):
    end = threading.Event()

    def slow(received):
        if received.method == "POST":
            end.wait(20)
        return activation(received) if received.method == "GET" else ACKNOWLEDGED

    stuck = management.expect(201, "POST", "/webhooks", {"url": backend.on("/slow", slow), "events": ["user.created"]})
    management.expect(200, "POST", f"/webhooks/{stuck['id']}/activate")
    active_webhook(management, backend, events=["user.created"])
    try:
        for _ in range(2):
            user = management.new_user()
            began = time.monotonic()
            while (call := backend.next(5)).path != PATH or call.json["events"][-1]["data"]["user_id"] != user:
                pass
            assert time.monotonic() - began < 4
    finally:
        end.set()


def test_unknown_events_and_invalid_urls_are_rejected_with_their_field(management):
    for body, field in [
        ({"url": "https://example.com/hook", "events": ["user.sneezed"]}, "events"),
        ({"url": "ftp://example.com/hook"}, "url"), ({"url": "https://10.1.2.3/"}, "url"), ({}, "url"),
    ]:
        refused = management.send("POST", "/webhooks", body)
        assert (refused.status, refused.code) == (400, "bad_request"), (body, refused)
        assert refused.json["message"].startswith(field), refused.json


# Proves: H8
def test_the_outbox_survives_a_killed_process(service):
    """Committed events are delivered, even if the process is killed before the delivery."""
    management = Management(service)
    with Receiver(None) as backend:
        active_webhook(management, backend, events=["user.created"])
        # A delivery has just happened, so the next round is a second later.
        management.new_user()
        backend.next()
        user = management.new_user()
        service.kill()
        assert backend.received.empty(), "nothing was delivered before the end"
        service.start()
        [event] = backend.next().json["events"]
        assert event["data"] == {"user_id": user}
