"""Tests the send hook: the service asks a real https backend, that of the example, before each code."""

import threading

import phonenumbers
import pytest

from device import Device
from example_backend import running_backend
from operator_api import Management
from person import Person, new_email, new_phone
from receiver import Receiver, Reply
from send_decisions import SendDecisions
from snippets import load
from transport import Answer, Transport

is_new_request = load("hooks.md").is_new_request

SCOPE = "transfer:write"
PATH = "/send"
DENIED = (403, "auth_blocked", None)
OTHER = (403, "auth_blocked", "identifier.type")


@pytest.fixture(scope="module")
def management(trusting) -> Management:
    management = Management(trusting)
    direct = {
        "identifier_types": ["email_address"], "status": "review", "granted_for": 300, "grant_mode": "session-bound",
        "steps": [{"order": 1, "key": "verify_email"}],
    }
    management.set("stepup", {"allowed_scopes": [{"scope": SCOPE, "mode": "direct", "direct": direct}]})
    management.register(SCOPE)
    return management


@pytest.fixture
def configure(management, backend):
    """Returns a function that sets the decision of the backend, and limits of the app. After the test, there is no hook."""

    def configure(decision, **limits) -> Receiver:
        backend.on(PATH, decision if callable(decision) else Reply(200, {"decision": decision}))
        backend.forget()
        hook = {"url": backend.url(PATH), **limits.pop("hook", {})}
        management.expect(200, "PUT", "/config/limits", {"send_hook": hook, **limits})
        return backend

    yield configure
    management.expect(200, "PUT", "/config/limits", {})


def stranger(service) -> Device:
    return Device(Transport(service.url))


def outcome(answer: Answer) -> tuple:
    return answer.status, answer.code, answer.json.get("field")


def start(device: Device, identifier: str, **members) -> Answer:
    kind = "phone_number" if identifier.startswith("+") else "email_address"
    body = {"identifier": {"type": kind, "value": identifier}, **members}
    return device.transport.send("POST", "/v1/session/otp", body)


def mails(service, identifier: str) -> int:
    return sum(mail["to"] == identifier for mail in Transport(service.url).send("GET", "/dev/mailbox").json)


def test_the_backend_of_the_example_decides(trusting, configure):
    """A page that shows a proof gets its code; one that does not gets none, and a fixed line is asked for an address."""
    decisions, keys = SendDecisions(), Transport(trusting.url).send("GET", "/.well-known/jwks.json")
    seen: dict[str, int] = {}

    def decide(received) -> Reply:
        jwks = Transport(trusting.url).send("GET", "/.well-known/jwks.json").json
        if not is_new_request(received.headers, received.body, jwks, seen):
            return Reply(403)
        return Reply(200, decisions.decide(received.json))

    assert keys.status == 200
    configure(decide)
    phone = new_phone()
    assert outcome(start(stranger(trusting), phone)) == DENIED
    assert outcome(start(stranger(trusting), phone, dispatch_id="invented")) == DENIED
    assert mails(trusting, phone) == 0
    proof, device = decisions.prove(), stranger(trusting)
    assert start(device, phone, dispatch_id=proof).status == 204
    assert mails(trusting, phone) == 1
    assert outcome(start(stranger(trusting), phone, dispatch_id=proof)) == DENIED, "a proof is used once"
    assert outcome(start(stranger(trusting), "+33142685300")) == OTHER
    assert start(stranger(trusting), new_email()).status == 204


def test_the_example_backend_decides_about_calls_of_the_service_only(trusting, management, tmp_path):
    with running_backend(tmp_path, trusting.url) as backend:
        hook = {"url": backend.url("/hooks/send"), "if_unavailable": "deny"}
        management.expect(200, "PUT", "/config/limits", {"send_hook": hook})
        try:
            assert start(stranger(trusting), new_email()).status == 204
            assert outcome(start(stranger(trusting), "+33142685301")) == OTHER
            assert backend.send("POST", "/hooks/send", {"identifier": {"type": "email_address"}}).status == 401
        finally:
            management.expect(200, "PUT", "/config/limits", {})


def test_the_backend_learns_the_call_and_nothing_about_the_user(trusting, configure):
    backend, email = configure("allow"), new_email()
    person = Person.signed_in(trusting, email)
    calls = [backend.next().json]
    assert start(stranger(trusting), email, dispatch_id="dsp_1").status == 204
    challenge = person.challenge(SCOPE)
    assert person.device.send_step_code(challenge).status == 204
    calls += [backend.next().json, backend.next().json]
    assert [call["purpose"] for call in calls] == ["login", "login", "step_up"]
    for call in calls:
        assert call["identifier"] == {"type": "email_address", "value": email}
        assert call["signals"]["ip"] == "127.0.0.1" and call["is_resend"] is False
        assert set(call) - {"dispatch_id"} == {"purpose", "is_resend", "identifier", "signals"}
    assert calls[1]["dispatch_id"] == "dsp_1"


def test_a_refused_resend_and_a_refused_step_send_nothing(trusting, configure):
    configure("allow", resend_delay=0)
    email = new_email()
    person, device = Person.signed_in(trusting, email), stranger(trusting)
    verification = start(device, email).headers["X-Verification-Token"]
    challenge, before = person.challenge(SCOPE), mails(trusting, email)
    backend = configure("deny", resend_delay=0)
    assert outcome(device.resend(verification)) == DENIED
    assert backend.next().json["is_resend"] is True
    assert outcome(person.device.send_step_code(challenge)) == DENIED
    assert mails(trusting, email) == before
    # The code that was sent before is still right.
    assert device.check(verification, person.code(email)).status == 200
    reasons = [event["data"]["reason"] for event in Management(trusting).events("login.failed")][:2]
    assert reasons == ["send_denied", "send_denied"]


@pytest.mark.parametrize(("rule", "expected"), [({}, 204), ({"if_unavailable": "deny"}, 403)])
@pytest.mark.parametrize("reply", ["slow", Reply(500), Reply(200, {"decision": "maybe"}), Reply(302, b"", {"Location": "/"})])
def test_without_an_answer_the_rule_of_the_app_decides(trusting, configure, rule, expected, reply):
    release = threading.Event()

    def wait(_) -> Reply:
        release.wait(20)
        return Reply(200, {"decision": "deny" if expected == 204 else "allow"})

    configure(wait if reply == "slow" else lambda _: reply, hook=rule)
    assert start(stranger(trusting), new_email()).status == expected
    release.set()
    assert Management(trusting).events("send_hook.failed")[0]["data"]["reason"] in {
        "request_failed", "invalid_status_code", "invalid_decision"}


def test_a_caller_at_a_limit_does_not_reach_the_backend(trusting, configure):
    """A refused code counts for its identifier."""
    backend, email = configure("deny", starts={"limit": 2, "window": 600}), new_email()
    assert [start(stranger(trusting), email).status for _ in range(4)] == [403, 403, 429, 429]
    assert backend.received.qsize() == 2


@pytest.mark.parametrize(("hook", "field"), [
    ({"url": "nonsense"}, "send_hook.url"),
    ({"url": "https://10.0.0.1/"}, "send_hook.url"), ({}, "send_hook.url"), ("https://a.example", "send_hook"),
    ({"url": "https://a.example", "if_unavailable": "maybe"}, "send_hook.if_unavailable"),
    ({"url": "https://a.example", "timeout": 9}, "send_hook.timeout"),
])
def test_an_invalid_hook_is_rejected_by_its_name(management, hook, field):
    refused = management.send("PUT", "/config/limits", {"send_hook": hook})
    assert refused.status == 400 and refused.json["message"].startswith(field), refused


def test_country_and_line_type_are_those_of_the_numbering_plans(trusting, configure):
    """Judged by Google's libphonenumber: a country is that of its calling code, and `mobile` is never said of another line."""
    backend = configure(
        "deny", starts={"limit": 10**6, "window": 60}, starts_per_address={"limit": 10**6, "window": 60})
    shared = {code for code, regions in phonenumbers.COUNTRY_CODE_TO_REGION_CODE.items() if len(regions) > 1}
    kinds = {phonenumbers.PhoneNumberType.MOBILE: "mobile", phonenumbers.PhoneNumberType.FIXED_LINE: "other"}
    known = 0
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        for kind, line_type in kinds.items():
            example = phonenumbers.example_number_for_type(region, kind)
            if example is None or phonenumbers.number_type(example) != kind:
                continue
            number = phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.E164)
            if start(stranger(trusting), number).status == 400:
                continue
            sent = backend.next().json["identifier"]
            assert sent["calling_code"] == f"+{example.country_code}", sent
            is_unknown = example.country_code in shared or region in ("AC", "IO", "XK", "NF")
            assert sent.get("country") == (None if is_unknown else region), (region, sent)
            assert sent.get("line_type") in (line_type, None, "other"), (region, sent)
            known += "line_type" in sent
    assert known > 80
