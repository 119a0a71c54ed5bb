"""A story with every kind of call, and every secret that it used: for tests of what the service shows about itself."""

import base64
import contextlib
import hashlib
import pathlib
import re
import secrets
import time

from device import V1
from operator_api import Management
from person import Person, new_email
from receiver import Receiver, Reply
from service import APP, Service
from transport import Transport

#: Headers and members whose values are secrets.
HEADERS = {
    "authorization", "dpop", "x-refresh-token", "x-verification-token", "x-trusted-device", "dpop-nonce", "cookie"}
MEMBERS = {
    "access_token", "refresh_token", "challenge_token", "step_up_token", "verification_token", "password", "code", "key",
    "secret", "token", "code_challenge", "code_verifier"}
SCOPE = "transfer:write"


class Secrets:
    """Every secret that a request or a response has had, and those that a test adds."""

    def __init__(self):
        self.values: set[str] = set()
        #: Codes of messages. They are short, so they are in longer numbers and ids by chance.
        self.codes: set[str] = set()

    def add(self, *values: str) -> None:
        for value in values:
            # A `code` may be that of an error.
            if len(value) >= 8 and not value.replace("_", "").isalpha():
                self.values.add(value)
            elif len(value) >= 4 and value.isdecimal():
                self.codes.add(value)

    def add_body(self, body) -> None:
        match body:
            case dict():
                for name, value in body.items():
                    if name in MEMBERS and isinstance(value, str):
                        self.add(value)
                    else:
                        self.add_body(value)
            case list():
                for value in body:
                    self.add_body(value)

    def codes_in(self, text: str) -> set[str]:
        """Returns the codes that are whole words of a text: not a part of a longer number, a fraction or an id."""
        return {word for word in re.findall(r"(?<![\w.:-])\d+(?![\w:-]|\.\d)", text) if word in self.codes}

    def forms(self) -> set[bytes]:
        """Returns the secrets, and how logs usually repeat them by mistake."""
        encoded = {value.encode() for value in self.values}
        return encoded | {base64.b64encode(value) for value in encoded} | {value.hex().encode() for value in encoded}


@contextlib.contextmanager
def recorded(kept: Secrets):
    """Keeps the secrets of all requests inside."""
    send = Transport.send

    def recording(self, method, path, body=None, headers=()):
        answer = send(self, method, path, body, headers)
        for name, value in [*headers, *answer.headers.items()]:
            if name.lower() in HEADERS:
                kept.add(value, value.split(" ")[-1])
        kept.add_body(body)
        with contextlib.suppress(ValueError):
            kept.add_body(answer.json if answer.body else None)
        return answer

    Transport.send = recording
    try:
        yield
    finally:
        Transport.send = send


def play(service: Service, backend: Receiver, kept: Secrets) -> None:
    """Logins by code and password, refreshes, a step-up, hooks, webhooks, deliveries, limits, and failures of each."""
    with recorded(kept):
        management = Management(service)
        kept.add(service.key)
        email, password = new_email(), "correct horse " + secrets.token_hex(8)
        kept.add(password, email)
        # A user with a code, refreshes, a late repetition, a token of another app, and a stolen old token.
        person = Person.signed_in(service, email)
        first = person.refresh_token
        person.refresh()
        person.refresh()
        Transport(service.url).send("POST", f"{V1}/refresh", None, [("X-Refresh-Token", first)])
        person.device.refresh("prt_" + secrets.token_urlsafe(40))
        _replay_a_proof(service, kept)
        # A password: wrong, unknown, correct, and changed by the user.
        user = management.send("POST", "/users", {
            "identifiers": [{"type": "email_address", "value": new_email()}], "password": password}).json
        address = user["identifiers"][0]["value"]
        for attempt in ["wrong " + password, password]:
            person.device.password(address, attempt)
        person.device.password(new_email(), password)
        _step_up(service, backend, management, kept)
        _deliver(backend, management, kept)
        # Limits: of an address without a user, and of wrong management keys.
        stranger = new_email()
        for _ in range(12):
            person.device.start(stranger)
        for _ in range(22):
            Management(service, key="psk_" + secrets.token_urlsafe(32)).send("GET", "")
        _attack(service, kept)


def _replay_a_proof(service: Service, kept: Secrets) -> None:
    person = Person.signed_in(service)
    proof = person.device.proof("POST", f"{V1}/refresh")
    for _ in range(2):
        person.device.send_with(proof, "POST", f"{V1}/refresh", None, [("X-Refresh-Token", person.refresh_token)])
    wrong = person.device.proof("POST", f"{V1}/elsewhere")
    person.device.send_with(wrong, "POST", f"{V1}/refresh", None, [("X-Refresh-Token", person.refresh_token)])
    person.device.send_with("not.a.proof-" + secrets.token_hex(9), "POST", f"{V1}/refresh", None)


def _step_up(service: Service, backend: Receiver, management: Management, kept: Secrets) -> None:
    """A hook that answers, and one that fails; the secret is in its URL."""
    management.register(SCOPE, "prld:pwd:write")
    token = secrets.token_hex(12)
    kept.add(token)
    path = f"/hook/{token}"
    review = {
        "status": "review", "granted_for": 300, "grant_mode": "single-use",
        "steps": [{"order": 1, "key": "verify_email", "expiration_duration": 600}]}
    management.delegate(SCOPE, backend.url(path))
    email = new_email()
    person = Person.signed_in(service, email)
    backend.on(path, Reply(200, review))
    challenge = person.request_scope(SCOPE)
    kept.add_body(challenge.json)
    sent = person.device.send_step_code(challenge.json["challenge_token"])
    verification = sent.headers["X-Verification-Token"]
    if verification:
        person.device.check(verification, person.code(email))
    backend.on(path, Reply(500, "down"))
    person.request_scope(SCOPE)
    person.device.change_password(person.access_token, "new horse " + secrets.token_hex(8))


def _deliver(backend: Receiver, management: Management, kept: Secrets) -> None:
    """Webhooks with a secret in their URL, and routes of the app that fail."""
    token, route_secret = secrets.token_hex(12), "gateway-" + secrets.token_hex(12)
    kept.add(token, route_secret)

    def activate(received):
        return Reply(200, {"challenge": int(received.query["challenge"])}) if "challenge" in received.query else Reply(200)

    url = backend.on(f"/webhook/{token}", activate)
    webhook = management.expect(201, "POST", "/webhooks", {"url": url})
    management.send("POST", f"/webhooks/{webhook['id']}/activate")
    management.send("PUT", "/config/delivery", {
        "email": [{"type": "smtp", "host": "localhost", "port": 1, "username": "user", "secret": route_secret,
                   "from": "login@example.com"}],
        "sms": [{"type": "webhook", "url": backend.on(f"/sms/{token}", Reply(500, "down"))}]})
    Person(management_service(management)).device.start(new_email())
    management.send("POST", "/users", {"identifiers": [{"type": "email_address", "value": new_email()}]})
    created = management.expect(201, "POST", "/keys", {"name": "story"})
    management.send("DELETE", f"/keys/{created['id']}")
    deadline = time.monotonic() + 10
    while backend.received.empty() and time.monotonic() < deadline:
        time.sleep(0.05)


def management_service(management: Management):
    """What `Person` needs of a service: the address that this management API has."""
    class Address:
        url, app = management._transport.url(""), APP
    return Address


def _attack(service: Service, kept: Secrets) -> None:
    """Secrets and control characters where they do not belong: paths, queries, headers, names."""
    hidden = [secrets.token_hex(10) for _ in range(5)]
    kept.add(*hidden)
    kept.add(hashlib.sha256(service.key.encode()).hexdigest())
    transport = Transport(service.url)
    transport.send("POST", f"{V1}/otp?code={hidden[0]}", {})
    transport.send("GET", f"/v1/{hidden[1]}")
    transport.send("GET", f"/v2/session/apps/{APP}/users/{hidden[2]}")
    transport.send("GET", "/health", None, [("User-Agent", f"{hidden[3]} level=error \x1b[2J"), ("X-Request-Id", hidden[4])])
    Management(service).send("PATCH", "", {"name": "a\nb\x1b[2J\u2028 status=200"})
