"""Tests the delegation hook: the service calls a real https backend in Python and checks each answer."""

import copy
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
import time

import pytest

from certificate_authority import CertificateAuthority
from operator_api import Management
from person import Person, new_email, new_phone
from receiver import Receiver, Reply
from service import APP, Service, running
from sockets import free_port
from snippets import load
from transport import Transport

is_from_the_service = load("hooks.md").is_from_the_service
is_new_request = load("hooks.md").is_new_request

SCOPE = "transfer:write"
PATH = "/hook"

REVIEW = {
    "status": "review", "granted_for": 300, "grant_mode": "single-use",
    "steps": [{"order": 1, "key": "verify_email", "expiration_duration": 600}],
}


def changed(**members) -> dict:
    """Returns the valid answer with other members. `None` removes a member."""
    return {name: value for name, value in {**REVIEW, **members}.items() if value is not None}


def step(**members) -> dict:
    return changed(steps=[{**REVIEW["steps"][0], **members}])


@pytest.fixture(scope="module")
def management(trusting) -> Management:
    management = Management(trusting)
    management.register(SCOPE)
    return management


@pytest.fixture
def hook(management, backend):
    """Returns the backend, which is called for the scope from now on."""
    management.delegate(SCOPE, backend.url(PATH))
    backend.on(PATH, Reply(200, REVIEW))
    backend.forget()
    return backend


@pytest.fixture
def ada(trusting) -> Person:
    return Person.signed_in(trusting)


def assert_fails(management: Management, person: Person, reason: str) -> None:
    """Asserts that the app only learns the denial, and that the operator can read the reason."""
    answer = person.request_scope(SCOPE)
    assert (answer.status, answer.code) == (403, "auth_blocked"), answer
    assert reason not in answer.body.decode()
    claims = person.claims()
    event = management.events("step_up.hook_failed")[0]
    assert event["data"] == {
        "user_id": claims["sub"], "session_id": claims["sid"], "scope": SCOPE, "reason": reason}


def test_the_hook_receives_the_user_the_scope_and_the_client(trusting, hook):
    email = new_email()
    person = Person.signed_in(trusting, email)
    agent = ("User-Agent", "Prelude/0.3 (Apple; iOS 17.4.0)")
    answer = person.device.request_scope(person.access_token, SCOPE, {"amount": "120 EUR"}, [agent])
    assert answer.status == 200, answer
    call = hook.next()
    assert call.method == "POST"
    assert call.headers["user-agent"] == "Prelude-SessionStepUpHook/1.0"
    assert call.headers["content-type"] == "application/json"
    assert call.json == {
        "scope_requested": SCOPE, "user_id": person.claims()["sub"],
        "identifiers": [{"type": "email_address", "value": email}],
        "signals": {"user_agent": agent[1], "platform": "ios", "ip": "127.0.0.1"},
        "metadata": {"amount": "120 EUR"},
    }


def test_a_request_without_metadata_has_no_metadata_member(hook, ada):
    ada.challenge(SCOPE)
    assert "metadata" not in hook.next().json


# Proves: H22
def test_the_body_is_signed_by_the_key_that_the_header_names(trusting, hook, ada):
    ada.challenge(SCOPE)
    call = hook.next()
    signature, key_id = call.headers["x-webhook-signature"], call.headers["x-webhook-signature-key-id"]
    jwks = Transport(trusting.url).send("GET", "/.well-known/jwks.json").json
    key = next(key for key in jwks["keys"] if key["kid"] == key_id)
    assert (key["kty"], key["alg"], key["use"]) == ("RSA", "PS256", "sig")
    assert not {"d", "p", "q", "dp", "dq", "qi"} & key.keys()
    assert "=" not in signature
    assert is_from_the_service(call.body, signature, key_id, jwks)
    assert not is_from_the_service(call.body + b" ", signature, key_id, jwks)
    others = [key["kid"] for key in jwks["keys"] if key["kid"] != key_id]
    assert not any(is_from_the_service(call.body, signature, other, jwks) for other in others)


# Proves: H23
def test_a_replayed_hook_is_rejected(trusting, hook, ada):
    """The id and the time of the documentation's receiver are signed, and two equal calls have two ids."""
    seen: dict[str, int] = {}
    calls = []
    for _ in range(2):
        ada.challenge(SCOPE)
        calls.append(hook.next())
    jwks = Transport(trusting.url).send("GET", "/.well-known/jwks.json").json
    for call in calls:
        assert is_new_request(call.headers, call.body, jwks, seen)
        assert not is_new_request(call.headers, call.body, jwks, seen)
    assert calls[0].body == calls[1].body and len(seen) == 2
    exchanged = {**calls[0].headers, "x-webhook-id": calls[1].headers["x-webhook-id"]}
    assert not is_new_request(exchanged, calls[0].body, jwks, {})
    later = {**calls[0].headers, "x-webhook-timestamp": str(int(time.time()) + 60)}
    assert not is_new_request(later, calls[0].body, jwks, {})
    assert not is_new_request(calls[0].headers, calls[0].body + b" ", jwks, {})


def test_review_grants_the_scope_after_its_steps(trusting, hook):
    email = new_email()
    person = Person.signed_in(trusting, email)
    answer = person.request_scope(SCOPE)
    assert answer.json["status"] == "review"
    completed = person.do_code_step(answer.json["challenge_token"], email)
    assert SCOPE not in person.scopes()
    person.refresh(completed)
    assert person.scopes() == [SCOPE]


# Proves: S1, O13
def test_two_steps_must_be_completed_in_order(management, trusting, hook):
    email, phone = new_email(), new_phone()
    person = Person.signed_in(trusting, email)
    management.expect(
        200, "POST", f"/users/{person.claims()['sub']}/identifiers", {"type": "phone_number", "value": phone})
    steps = [{"order": 2, "key": "verify_sms"}, {"order": 1, "key": "verify_email"}]
    hook.on(PATH, Reply(200, changed(steps=steps)))
    second = person.do_code_step(person.challenge(SCOPE), email)
    early = person.device.refresh(person.refresh_token, second)
    assert (early.status, early.code) == (409, "step_not_completed")
    person.refresh(person.do_code_step(second, phone))
    assert person.scopes() == [SCOPE]


def test_continue_grants_at_once(hook, ada):
    hook.on(PATH, Reply(200, {"status": "continue", "granted_for": 60, "grant_mode": "session-bound"}))
    answer = ada.request_scope(SCOPE)
    assert answer.json["status"] == "continue"
    ada.refresh(answer.json["challenge_token"])
    assert ada.scopes() == [SCOPE]
    ada.refresh()
    assert ada.scopes() == [SCOPE], "the session keeps it"
    # The token was issued 30 seconds after its `iat`.
    assert ada.claims()["exp"] - ada.claims()["iat"] <= 60 + 30, "no token outlives the grant"


@pytest.mark.parametrize("status", ["continue", "review"])
def test_a_decision_for_identifiers_that_changed_meanwhile_opens_no_challenge(management, trusting, hook, status):
    """The hook decided on a user without the number. The repeated request asks it again, with the number."""
    email, phone = new_email(), new_phone()
    person = Person.signed_in(trusting, email)
    decision = changed(status=status, steps=REVIEW["steps"] if status == "review" else None)

    def decide(call):
        if len(call.json["identifiers"]) == 1:
            added = {"type": "phone_number", "value": phone}
            management.expect(200, "POST", f"/users/{call.json['user_id']}/identifiers", added)
        return Reply(200, decision)

    hook.on(PATH, decide)
    refused = person.request_scope(SCOPE)
    assert (refused.status, refused.code) == (429, "rate_limited"), refused
    assert refused.headers["retry-after"] == "5"
    repeated = person.request_scope(SCOPE)
    assert (repeated.status, repeated.json["status"]) == (200, status), repeated
    assert [len(hook.next().json["identifiers"]) for _ in range(2)] == [1, 2]


def test_block_denies_without_a_token(hook, ada):
    hook.on(PATH, Reply(200, {"status": "block"}))
    answer = ada.request_scope(SCOPE)
    assert answer.status == 200 and answer.json == {"status": "block"}


# Proves: S2, H21
@pytest.mark.parametrize(
    ("reason", "reply"),
    [
        ("invalid_status_code", Reply(500, REVIEW)),
        ("invalid_status_code", Reply(404, REVIEW)),
        ("response_decode_failed", Reply(200, "hello")),
        ("response_decode_failed", Reply(200, "")),
        ("response_decode_failed", Reply(200, json.dumps(REVIEW) + " " * 65 * 1024)),
        ("invalid_response", Reply(200, [REVIEW])),
        ("invalid_status", Reply(200, changed(status="allow"))),
        ("invalid_status", Reply(200, changed(status=None))),
        ("missing_steps", Reply(200, changed(steps=None))),
        ("missing_steps", Reply(200, changed(steps=[]))),
        ("invalid_granted_for", Reply(200, changed(granted_for=86_401))),
        ("invalid_granted_for", Reply(200, changed(granted_for="300"))),
        ("invalid_granted_for", Reply(200, changed(granted_for=0, grant_mode="session-bound"))),
        ("invalid_grant_mode", Reply(200, changed(grant_mode="forever"))),
        ("invalid_grant_mode", Reply(200, changed(grant_mode=None))),
        ("invalid_step", Reply(200, step(key="verify_face"))),
        ("invalid_step", Reply(200, step(key="verify_sms"))),
        ("invalid_step", Reply(200, step(expiration_duration=-1))),
        ("invalid_step", Reply(200, changed(steps=REVIEW["steps"] * 2))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_invalid_answer_of_the_backend_denies_the_request(management, hook, ada, reason, reply):
    hook.on(PATH, reply)
    assert_fails(management, ada, reason)


# Proves: H1
def test_a_redirect_is_not_followed(management, hook, ada):
    hook.on(PATH, Reply(302, b"", {"Location": hook.url(PATH)}))
    assert_fails(management, ada, "invalid_status_code")
    assert hook.next().path == PATH
    assert hook.received.empty(), "the hook is called only once"


# Proves: H21
def test_a_refused_connection_denies_the_request(management, ada):
    management.delegate(SCOPE, f"https://localhost:{free_port()}{PATH}")
    assert_fails(management, ada, "request_failed")


# Proves: H1
def test_a_certificate_of_an_unknown_authority_denies_the_request(management, ada, tmp_path):
    with Receiver(CertificateAuthority(tmp_path)) as stranger:
        management.delegate(SCOPE, stranger.on(PATH, Reply(200, REVIEW)))
        assert_fails(management, ada, "request_failed")
        assert stranger.received.empty(), "no request is sent to the stranger"


# Proves: H1, A6
def test_outside_development_hooks_need_https_and_a_public_address(tmp_path):
    """By default, no address of this machine or a private network is called."""
    service = Service(tmp_path, "--public-url", "https://{app_id}.session.example.com", development=False)
    service.start()
    try:
        base = Transport(service.url)
        headers = [("Authorization", f"Bearer {service.key}")]
        made = base.send("POST", "/v2/session/apps", {"id": "hookapp", "name": "Hooks"}, headers)
        assert made.status == 201, made
        management = Management(service, "hookapp")
        for url in [
            "http://backend.example.com/hook", "https://localhost/hook", "https://127.0.0.1/hook", "https://[::1]/hook",
            "https://10.0.0.1/hook", "https://169.254.169.254/latest", "https://2130706433/hook",
            "https://user:secret@backend.example.com/hook",
        ]:
            rule = {"scope": SCOPE, "mode": "delegated", "delegated": {"delegation_hook": url}}
            refused = management.send("POST", "/config/stepup", {"allowed_scopes": [rule]})
            assert (refused.status, refused.code) == (400, "bad_request"), (url, refused)
            assert "allowed_scopes[0].delegated.delegation_hook" in refused.json["message"]
            assert "secret" not in refused.json["message"]
    finally:
        service.kill()


# Proves: H1
def test_a_backend_that_never_answers_denies_the_request_after_five_seconds(management, hook, ada):
    end = threading.Event()

    def never(_):
        end.wait(20)
        return Reply(200, REVIEW)

    hook.on(PATH, never)
    began = time.monotonic()
    assert_fails(management, ada, "request_failed")
    end.set()
    assert 4.5 < time.monotonic() - began < 8


# Proves: N2
def test_apps_with_slow_hooks_leave_the_service_to_others(tmp_path, authority, backend, monkeypatch):
    """Calls of two apps wait in all places for such calls, 18 of 50 requests. The rest is refused at once, and a third app
    is served."""
    resolve = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *rest, **named: resolve(
        "127.0.0.1" if str(host).endswith(".localhost") else host, *rest, **named))
    answers = threading.Event()

    def slow(_) -> Reply:
        answers.wait(4)
        return Reply(200, REVIEW)

    url = backend.on("/slow", slow)
    service = Service(
        tmp_path, "--egress-trust-roots", str(authority.certificate_path), "--egress-network", "127.0.0.0/8",
        "--request-limit", "50")
    service.flags += ["--public-url", f"http://{{app_id}}.localhost:{service.port}"]

    def of_app(app: str) -> Service:
        copied = copy.copy(service)
        copied.app, copied.url = app, f"http://{app}.localhost:{service.port}"
        return copied

    with running(service), ThreadPoolExecutor(60) as pool:
        slow_users = []
        for app in ("slowap1", "slowap2"):
            made = Transport(service.url).send(
                "POST", "/v2/session/apps", {"id": app, "name": "Slow"}, [("Authorization", f"Bearer {service.key}")])
            assert made.status == 201, made
            management = Management(service, app=app)
            management.expect(
                201, "POST", "/config/login/otp", {"config_type": "otp", "channel_type": "email", "is_default": True})
            management.register(SCOPE)
            management.delegate(SCOPE, url)
            management.expect(200, "PUT", "/config/limits", {"step_ups": {"limit": 1000, "window": 600}})
            slow_users.append(Person.signed_in(of_app(app)))
        ada = Person.signed_in(of_app(APP))
        calls = [pool.submit(user.request_scope, SCOPE) for _ in range(30) for user in slow_users]
        refused = [call.result() for _, call in zip(range(42), as_completed(calls, timeout=20))]
        others = [
            ada.device.start(new_email()).status, ada.device.sessions(ada.access_token).status,
            Management(service).send("GET", "/users").status]
        answers.set()
        statuses = [call.result().status for call in calls]
    assert {answer.status for answer in refused} <= {429, 503}
    assert all(answer.headers["Retry-After"] for answer in refused)
    assert others == [204, 200, 200]
    assert statuses.count(200) > 0 and set(statuses) <= {200, 403, 429, 503}
