"""Tests the routes of an app: their secrets, the webhook that sends messages, and the commands about them."""

import json
import os
import subprocess

import pytest

from mail_servers import PASSWORD, USER, MailServer
from operator_api import Management
from providers import smtp
from receiver import Reply
from service import APP, BINARY, Service, running
from sockets import free_port
from snippets import load
from transport import Transport

is_new_request = load("hooks.md").is_new_request

MAIL = {"type": "smtp", "host": "mail.example.com", "username": USER, "secret": PASSWORD, "from": "login@example.com"}


@pytest.fixture
def management(trusting):
    management = Management(trusting)
    yield management
    management.send("DELETE", "/config/delivery")


def files_of(service) -> bytes:
    return b"".join(file.read_bytes() for file in service.directory.iterdir() if file.is_file())


def delivery_test(service, authority, to: str, *arguments: str) -> subprocess.CompletedProcess:
    environment = {
        **os.environ, "PRELUDE_SESSION_DATABASE": service.database, "PRELUDE_SESSION_EGRESS_NETWORKS": "127.0.0.0/8,::1",
        "PRELUDE_SESSION_EGRESS_TRUST_ROOTS": str(authority.certificate_path)}
    return subprocess.run(
        [BINARY, "delivery", "test", "--to", to, "--app", APP, *arguments], env=environment, capture_output=True,
        text=True, timeout=60)


# Proves: M10
def test_a_secret_is_never_shown_again_and_not_stored_in_clear(trusting, management):
    assert management.send("GET", "/config/delivery").status == 404
    made = management.expect(200, "PUT", "/config/delivery", {"email": [MAIL]})["config"]
    assert made["email"] == [
        {"type": "smtp", "host": "mail.example.com", "username": USER, "from": "login@example.com", "secret_set": True}]
    assert made["sms"] == []
    assert PASSWORD not in json.dumps(management.get("/config/delivery"))
    event = management.events("management.app.updated")[0]
    assert event["data"]["changes"]["delivery.email"]["after"][0]["secret"] == "(hidden)"
    assert PASSWORD not in json.dumps(event) and PASSWORD not in trusting.log()
    assert PASSWORD.encode() not in files_of(trusting)
    assert management.send("DELETE", "/config/delivery").status == 204
    assert management.send("GET", "/config/delivery").status == 404
    assert management.send("DELETE", "/config/delivery").status == 404


# Proves: M11
def test_a_secret_stays_only_while_the_route_goes_to_the_same_place(management):
    management.expect(200, "PUT", "/config/delivery", {"email": [MAIL]})
    without = {name: value for name, value in MAIL.items() if name != "secret"}
    kept = management.expect(200, "PUT", "/config/delivery", {"email": [without | {"from": "new@example.com"}]})
    assert kept["config"]["email"][0]["secret_set"] is True
    for change in ({"host": "evil.example.net"}, {"port": 2525}, {"username": "other"}, {"tls": "implicit"}):
        answer = management.send("PUT", "/config/delivery", {"email": [without | change]})
        assert answer.status == 400 and answer.json["message"].startswith("email[0].secret "), change


# Proves: H1
@pytest.mark.parametrize(("body", "field"), [
    ({}, "email"), ({"email": [MAIL] * 3}, "email"), ({"email": [MAIL | {"type": "fax"}]}, "email[0].type"),
    ({"email": [MAIL | {"type": "twilio"}]}, "email[0].type"), ({"sms": [MAIL]}, "sms[0].type"),
    ({"email": [MAIL, MAIL | {"host": "10.0.0.1"}]}, "email[1].host"),
    ({"email": [MAIL | {"host": "mail example"}]}, "email[0].host"), ({"email": [MAIL | {"port": 0}]}, "email[0].port"),
    ({"email": [MAIL | {"tls": "none"}]}, "email[0].tls"), ({"email": [MAIL | {"auth": "ntlm"}]}, "email[0].auth"),
    ({"email": [MAIL | {"from": "a@b"}]}, "email[0].from"),
    ({"email": [MAIL | {"from": "x\r\nBcc: b@example.com <a@example.com>"}]}, "email[0].from"),
    ({"email": [MAIL | {"secret": ""}]}, "email[0].secret"), ({"email": [MAIL | {"url": "https://x.example"}]}, "email[0].url"),
    ({"email": [{"type": "webhook", "url": "ftp://hooks.example.com/"}]}, "email[0].url"),
    ({"email": [{"type": "webhook", "url": "https://169.254.169.254/"}]}, "email[0].url"), ({"email": [{}]}, "email[0].type"),
])
def test_an_invalid_route_is_named(management, body, field):
    answer = management.send("PUT", "/config/delivery", body)
    assert answer.status == 400 and answer.json["message"].startswith(field + " "), answer.json
    assert management.send("GET", "/config/delivery").status == 404, "nothing was stored"


# Proves: M15
def test_mail_of_the_service_is_sent_from_its_own_domains_only(tmp_path):
    service = Service(tmp_path, "--egress-network", "127.0.0.0/8")
    settings = smtp(free_port(), HOST="127.0.0.1", SENDER_DOMAINS="shop.example, second.example")
    service.variables = {"PRELUDE_SESSION_" + name: value for name, value in settings.items()}
    login = {"config_type": "otp", "channel_type": "email", "sender_id": "CEO <ceo@bank.example>"}
    with running(service):
        management = Management(service)
        refused = management.send("POST", "/config/login/otp", login)
        assert refused.status == 400, refused
        assert refused.json["message"].startswith(
            "sender_id must be in a domain that the service sends mail from: example.com, second.example, shop.example.")
        own = {**login, "sender_id": "Shop <login@SHOP.example>"}
        made = management.expect(201, "POST", "/config/login/otp", own)["config"]
        path = f"/config/login/otp/{made['id']}"
        assert management.send("PUT", path, login).status == 400
        # With a mail server of its own, the app sends what that server accepts.
        management.expect(200, "PUT", "/config/delivery", {"email": [MAIL]})
        management.expect(200, "PUT", path, login)
        # Without it the login is as it was, and mails have the sender of the service.
        management.expect(204, "DELETE", "/config/delivery")
        assert management.get(path)["config"]["sender_id"] == login["sender_id"]
        assert management.send("PUT", path, login).status == 400


def test_a_read_only_key_reads_routes_and_changes_none(trusting, management):
    management.expect(200, "PUT", "/config/delivery", {"email": [MAIL]})
    key = management.expect(201, "POST", "/keys", {"name": "reader", "role": "read"})["key"]
    reader = Management(trusting, key=key)
    assert reader.get("/config/delivery")["config"]["email"][0]["secret_set"] is True
    assert reader.send("PUT", "/config/delivery", {"email": [MAIL]}).status == 403
    assert reader.send("DELETE", "/config/delivery").status == 403


def test_the_routes_of_an_app_are_tested_by_command(trusting, management, authority):
    with MailServer(authority.server_context()) as server:
        route = MAIL | {"host": "localhost", "port": server.port}
        management.expect(200, "PUT", "/config/delivery", {"email": [route]})
        result = delivery_test(trusting, authority, "bob@example.com")
        assert result.returncode == 0, result
        assert server.mails.get(timeout=5).recipient == "bob@example.com"
    assert PASSWORD not in result.stdout + result.stderr


# Proves: H23
@pytest.mark.parametrize(("reply", "stage"), [
    (Reply(200, {"id": "op-1"}), None), (Reply(202), None), (Reply(204), None),
    (Reply(422, {"error": "recipient", "message": "no such number"}), "recipient"),
    (Reply(400, {"error": "sender"}), "sender"), (Reply(400, "nonsense"), "message"), (Reply(401), "AUTH"),
    (Reply(500), "answer"), (Reply(429), "answer"), (Reply(301, "", {"Location": "/"}), "answer"), (Reply(200, "x" * 70_000), "answer"),
])
def test_a_webhook_gets_a_signed_message(trusting, management, authority, backend, reply, stage):
    url = backend.on("/send", reply)
    backend.forget()
    management.expect(200, "PUT", "/config/delivery", {"sms": [{"type": "webhook", "url": url}]})
    result = delivery_test(trusting, authority, "+14155550123")
    call = backend.next()
    assert backend.received.empty()
    jwks = Transport(trusting.url).send("GET", "/.well-known/jwks.json").json
    assert is_new_request(call.headers, call.body, jwks, {})
    assert call.headers["user-agent"] == "Prelude-SessionDelivery/1.0"
    assert call.json["id"].startswith("msg_") and call.json["to"] == "+14155550123"
    assert {"app_id", "app_name", "channel", "purpose", "locale", "code", "text", "expires_at"} <= set(call.json)
    assert result.returncode == (0 if stage is None else 1), result
    if stage:
        assert f"{stage} " in result.stdout and "FAILED" in result.stdout


@pytest.mark.parametrize("timeout", ["0", "31", "-1", "9223372036854775807", "9" * 30, "x"])
def test_the_timeout_of_the_test_has_a_range(timeout):
    result = subprocess.run(
        [BINARY, "delivery", "test", "--to", "bob@example.com", f"--timeout={timeout}"], env={**os.environ}, capture_output=True,
        text=True, timeout=60)
    assert result.returncode == 64 and "--timeout" in result.stderr, result


def test_a_webhook_of_the_configuration_needs_an_app():
    environment = {**os.environ, "PRELUDE_SESSION_SMS_ROUTE": "webhook", "PRELUDE_SESSION_SMS_URL": "https://b.example/"}
    result = subprocess.run(
        [BINARY, "delivery", "test", "--to", "+14155550123"], env=environment, capture_output=True, text=True, timeout=60)
    assert result.returncode != 0 and "--app" in result.stderr


def test_a_new_app_without_delivery_is_created_with_a_warning(tmp_path):
    def create(name: str, *arguments: str, **variables: str) -> str:
        result = subprocess.run(
            [BINARY, "app", "create", name, "--database", f"sqlite:{tmp_path}/db", *arguments],
            env={**os.environ, **variables}, capture_output=True, text=True, timeout=60)
        assert result.returncode == 0, result
        return result.stderr

    assert "no delivery by e-mail" in create("A", "--email")
    assert "no delivery by SMS" in create("B", "--sms")
    assert "Warning" not in create("C", "--password")
    mail = {f"PRELUDE_SESSION_{name}": value for name, value in smtp(587).items()}
    assert "Warning" not in create("D", "--email", **mail)
    warned = create("E", "--email", "--sms", **mail)
    assert "by SMS" in warned and "by e-mail" not in warned
    assert "Warning" not in create("F", "--email", PRELUDE_SESSION_DEVELOPMENT="true")


# Proves: M10
def test_master_keys_of_secrets_are_not_lost(tmp_path):
    """The command that reseals keys reseals the secrets, and a start without their master key is refused."""
    old, new = "A" * 43, "B" * 42 + "A"

    def run(keys: str, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [BINARY, *arguments, "--database", f"sqlite:{tmp_path}/db"],
            env={**os.environ, "PRELUDE_SESSION_MASTER_KEYS": keys}, capture_output=True, text=True, timeout=60)

    assert run(old, "app", "create", "Shop", "--id", APP).returncode == 0
    os.environ["PRELUDE_SESSION_MASTER_KEYS"] = old
    try:
        service = Service(tmp_path)
        service.database = f"sqlite:{tmp_path}/db"
        with running(service):
            Management(service).expect(200, "PUT", "/config/delivery", {"email": [MAIL]})
    finally:
        del os.environ["PRELUDE_SESSION_MASTER_KEYS"]
    resealed = run(f"{new},{old}", "key", "reseal", "--json")
    assert resealed.returncode == 0, resealed
    assert int(json.loads(resealed.stdout)[0]["resealed"]) >= 3, "two signing keys and one secret"
    assert run(new, "app", "list").returncode == 0
