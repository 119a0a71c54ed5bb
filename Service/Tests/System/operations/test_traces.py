"""Tests the traces that a collector gets: connected across the service, as the operator allows, and without secrets."""

import contextlib
import json
import re
import secrets
import time

import pytest

from observed_story import Secrets, play
from operator_api import Management
from person import Person, new_email
from receiver import Receiver, Reply
from service import Service, running
from sockets import free_port
from transport import Transport

#: The span of the caller.
PARENT = "00f067aa0ba902b7"


@pytest.fixture
def collector():
    with Receiver(None) as receiver:
        receiver.on("/v1/traces", Reply(200, {"partialSuccess": {}}))
        yield receiver


def traced(directory, collector: Receiver, *flags: str) -> Service:
    return Service(directory, "--otlp-endpoint", collector.url(""), "--log-format", "json", *flags)


@contextlib.contextmanager
def calls(trace: str, sampled: bool = True):
    """Adds `traceparent` to each request inside."""
    send = Transport.send

    def sending(self, method, path, body=None, headers=()):
        parent = f"00-{trace}-{PARENT}-{'01' if sampled else '00'}"
        return send(self, method, path, body, [*headers, ("traceparent", parent)])

    Transport.send = sending
    try:
        yield
    finally:
        Transport.send = send


def exports(collector: Receiver) -> list:
    received = []
    while not collector.received.empty():
        received.append(collector.received.get_nowait())
    assert all(each.method == "POST" and each.path == "/v1/traces" for each in received)
    assert all(each.headers["content-type"] == "application/json" for each in received)
    return received


def spans(received: list) -> list[dict]:
    return [
        span for each in received for resource in each.json["resourceSpans"] for scope in resource["scopeSpans"]
        for span in scope["spans"]]


def wait_for_span(collector: Receiver, name: str) -> list:
    """Returns everything that the collector got until the first span with this name."""
    received, deadline = [], time.monotonic() + 20
    while not any(span["name"] == name for span in spans(received)):
        assert time.monotonic() < deadline, f"there is no span {name}"
        time.sleep(0.1)
        received += exports(collector)
    return received


def attributes(span: dict) -> dict:
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


def requests_in_log(service: Service) -> list[dict]:
    records = [json.loads(line) for line in service.log().splitlines() if line.startswith("{")]
    return [record for record in records if record["message"] == "request"]


def test_a_login_and_a_refresh_are_one_trace_below_the_span_of_the_caller(tmp_path, collector):
    trace = secrets.token_hex(16)
    with running(traced(tmp_path, collector)) as service:
        with calls(trace):
            person = Person.signed_in(service)
            person.refresh()
            # An invalid header begins a trace of the service.
            Transport(service.url).send("GET", "/v1/nothing")
        assert service.stop() == 0
    received = exports(collector)
    resource = {each["key"]: each["value"]["stringValue"] for each in
                received[0].json["resourceSpans"][0]["resource"]["attributes"]}
    assert resource["service.name"] == "prelude-session" and resource["service.instance.id"].startswith("node_")
    mine = [span for span in spans(received) if span["traceId"] == trace]
    ids = {span["spanId"] for span in mine}
    assert len(ids) == len(mine) and all(re.fullmatch("[0-9a-f]{16}", each) for each in ids)
    roots = [span for span in mine if span["parentSpanId"] == PARENT]
    assert all(span["parentSpanId"] in ids | {PARENT} for span in mine), "the trace is not connected"
    assert all(span["kind"] == 2 for span in roots)
    by_id = {span["spanId"]: span for span in mine}
    refresh = next(span for span in roots if span["name"] == "POST /v1/session/refresh")
    shown = attributes(refresh)
    assert shown["http.route"] == "/v1/session/refresh" and shown["http.response.status_code"] == "200", shown
    assert shown["prelude_session.app"] == service.app and shown["prelude_session.request_id"].startswith("req_")
    names = {span["name"] for span in roots}
    assert {"POST /v1/session/otp", "POST /v1/session/otp/check", "POST /v1/session/login/finalize"} <= names, names
    rotation = next(span for span in mine if span["parentSpanId"] == refresh["spanId"])
    assert rotation["name"] == "RotateRefreshToken" and rotation["kind"] == 1
    commit = next(span for span in mine if span["parentSpanId"] == rotation["spanId"])
    assert commit["name"] == "commit" and attributes(commit)["prelude_session.commit.writes"] == "1"
    for span in mine:
        parent = by_id.get(span["parentSpanId"])
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
        assert parent is None or int(parent["startTimeUnixNano"]) <= int(span["startTimeUnixNano"])
    # The delivery of the code is a trace of its own, because it waits in the database.
    attempt = next(span for span in spans(received) if span["name"] == "send email")
    delivery = next(span for span in spans(received) if span["spanId"] == attempt["parentSpanId"])
    assert "parentSpanId" not in delivery and delivery["name"] == "deliver messages"
    lines = [line for line in requests_in_log(service) if line["route"] == "/v1/session/refresh"]
    assert [line["trace_id"] for line in lines] == [trace]


def test_hashes_and_hooks_are_in_the_trace_and_hooks_continue_it(tmp_path, collector, authority, backend):
    trace, password = secrets.token_hex(16), "correct horse " + secrets.token_hex(8)
    flags = ["--egress-trust-roots", str(authority.certificate_path), "--egress-network", "127.0.0.0/8"]
    with running(traced(tmp_path, collector, *flags)) as service:
        management = Management(service)
        management.register("transfer:write")
        management.delegate("transfer:write", backend.on("/hook", Reply(200, {
            "status": "review", "granted_for": 300, "grant_mode": "single-use",
            "steps": [{"order": 1, "key": "verify_email", "expiration_duration": 600}]})))
        backend.forget()
        email = new_email()
        management.send(
            "POST", "/users", {"identifiers": [{"type": "email_address", "value": email}], "password": password})
        person = Person.signed_in(service)
        with calls(trace):
            person.device.password(email, password)
            person.request_scope("transfer:write")
        hook = backend.next()
        assert service.stop() == 0
    mine = [span for span in spans(exports(collector)) if span["traceId"] == trace]
    by_id = {span["spanId"]: span for span in mine}
    hashing = next(span for span in mine if span["name"] == "password hash")
    assert by_id[hashing["parentSpanId"]]["name"] == "POST /v1/session/login/email/password"
    call = next(span for span in mine if span["kind"] == 3)
    assert call["name"] == "POST" and attributes(call)["server.address"] == "localhost"
    assert hook.headers["traceparent"] == f"00-{trace}-{call['spanId']}-01"


@pytest.mark.parametrize("flags, sampled, recorded", [
    (["--otlp-ratio", "0"], True, False),
    (["--otlp-ratio", "1"], False, True),
    (["--otlp-ratio", "0", "--trusted-proxy", "127.0.0.1", "--trusted-proxy", "::1"], True, False),
    (["--otlp-ratio", "0", "--trusted-proxy", "127.0.0.1", "--trusted-proxy", "::1", "--otlp-follow-proxies"], True, True),
    (["--trusted-proxy", "127.0.0.1", "--trusted-proxy", "::1", "--otlp-follow-proxies"], False, False),
])
def test_callers_decide_only_as_trusted_proxies_which_traces_are_recorded(
        tmp_path, collector, flags, sampled, recorded):
    trace = secrets.token_hex(16)
    with running(traced(tmp_path, collector, *flags)) as service:
        with calls(trace, sampled):
            Transport(service.url).send("GET", "/.well-known/jwks.json")
        assert service.stop() == 0
    mine = [span for span in spans(exports(collector)) if span["traceId"] == trace]
    assert [span["name"] for span in mine] == (["GET /.well-known/jwks.json"] if recorded else [])
    assert [line["trace_id"] for line in requests_in_log(service) if line["route"].endswith("jwks.json")] == [trace]


def test_a_collector_that_takes_no_spans_changes_no_response_and_is_reported(tmp_path, collector):
    collector.on("/v1/traces", Reply(400, "no"))
    with running(traced(tmp_path, collector)) as service:
        Person.signed_in(service).refresh()
        deadline = time.monotonic() + 20
        while "spans of traces were not exported" not in service.log() and time.monotonic() < deadline:
            time.sleep(0.05)
        metrics = Transport(service.url).send(
            "GET", "/metrics", None, [("Authorization", f"Bearer {service.key}")]).body.decode()
        assert service.stop() == 0
    assert "the collector answered 400. Calls are not affected" in service.log()
    assert int(re.search(r"^prelude_session_spans_dropped_total (\d+)$", metrics, re.MULTILINE)[1]) > 0


def test_spans_that_the_collector_rejects_from_a_batch_are_lost_and_reported(tmp_path, collector):
    collector.on("/v1/traces", Reply(200, {"partialSuccess": {"rejectedSpans": "1", "errorMessage": "it is too old"}}))
    with running(traced(tmp_path, collector)) as service:
        Transport(service.url).send("GET", "/.well-known/jwks.json")
        assert service.stop() == 0
    assert "1 spans of traces were not exported and are lost: the collector rejected them: it is too old" in service.log()
    assert len(exports(collector)) == 1


def test_a_collector_that_is_down_does_not_hold_up_the_end_and_its_loss_is_reported(tmp_path):
    flags = ["--otlp-endpoint", f"http://127.0.0.1:{free_port()}"]
    with running(Service(tmp_path, *flags)) as service:
        Person.signed_in(service)
        began = time.monotonic()
        assert service.stop() == 0
        assert time.monotonic() - began < 15
    assert "spans of traces were not exported" in service.log()


def test_no_secret_of_a_whole_story_reaches_the_collector(tmp_path, collector, authority, backend):
    kept = Secrets()
    flags = ["--egress-trust-roots", str(authority.certificate_path), "--egress-network", "127.0.0.0/8"]
    with running(traced(tmp_path, collector, *flags)) as service:
        play(service, backend, kept)
        # Webhooks are delivered after the calls that they are about.
        received = wait_for_span(collector, "deliver webhooks")
        assert service.stop() == 0
    kept.add(*(key["secret"] for key in json.loads((tmp_path / "session.sqlite.keys").read_text())["keys"]))
    received += exports(collector)
    shown = b"".join(each.body + repr(each.headers).encode() for each in received)
    assert len(kept.values) > 60 and len(spans(received)) > 100
    for secret in kept.forms():
        assert secret not in shown, secret
    names = {span["name"] for span in spans(received)}
    assert {"deliver messages", "deliver webhooks", "password hash", "commit", "send email", "POST"} <= names, names
    allowed = {
        "http.request.method", "http.route", "http.response.status_code", "error.type", "server.address",
        "prelude_session.app", "prelude_session.request_id", "prelude_session.commit.writes",
        "prelude_session.commit.wait", "prelude_session.password_hash.wait", "prelude_session.message.route"}
    assert {name for span in spans(received) for name in attributes(span)} <= allowed


def resource(received: list) -> dict:
    return attributes(received[0].json["resourceSpans"][0]["resource"])


def test_the_standard_variables_of_a_platform_are_enough(tmp_path, collector):
    service = Service(tmp_path, "--log-format", "json")
    service.variables = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://192.0.2.1:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": collector.url("/v1/traces"),
        "OTEL_SERVICE_NAME": "shop-login", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=pro%20duction,broken",
        "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Bearer%20of-the-test,Content-Length=1,X-Key: kept-secret==",
        "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
        "OTEL_TRACES_SAMPLER_ARG": "1"}
    with running(service):
        Person.signed_in(service)
        received = wait_for_span(collector, "POST /v1/session/login/finalize")
    found = resource(received)
    assert (found["service.name"], found["deployment.environment"]) == ("shop-login", "pro duction")
    assert {each.headers["authorization"] for each in received} == {"Bearer of-the-test"}
    log = service.log()
    assert "OTEL_RESOURCE_ATTRIBUTES has a part that is not NAME=VALUE" in log and "of-the-test" not in log
    for name in ("Content-Length", "a name"):
        assert f"OTEL_EXPORTER_OTLP_HEADERS has {name}, which is not a header that can be added" in log
    assert "kept-secret" not in log


@pytest.mark.parametrize(("variables", "warning"), [
    ({"OTEL_TRACES_SAMPLER": "always_off"}, None), ({"OTEL_SDK_DISABLED": "true"}, None), ({"OTEL_TRACES_EXPORTER": "none"}, None),
    ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "OTEL_EXPORTER_OTLP_PROTOCOL is grpc"),
])
def test_standard_variables_turn_traces_off(tmp_path, collector, variables, warning):
    service = Service(tmp_path)
    service.variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url(""), **variables}
    with running(service):
        Person.signed_in(service)
        service.stop()
    assert spans(exports(collector)) == []
    assert (warning or "warning prelude-session: OTEL") in service.log() or warning is None


def test_a_setting_of_the_service_is_stronger_than_a_standard_variable(tmp_path, collector):
    service = traced(tmp_path, collector)
    service.variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://192.0.2.1:4318", "OTEL_TRACES_SAMPLER": "jaeger_remote"}
    with running(service):
        Person.signed_in(service)
        assert resource(wait_for_span(collector, "POST /v1/session/otp"))["service.name"] == "prelude-session"
    assert "OTEL_TRACES_SAMPLER jaeger_remote is not supported" in service.log()


@pytest.mark.parametrize(("variable", "url"), [
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "unix:///tmp/collector"),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://ada:of-the-test@127.0.0.1:4318"),
    ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "127.0.0.1:4318 "),
])
def test_a_url_of_the_platform_that_is_none_does_not_stop_the_start(tmp_path, variable, url):
    service = Service(tmp_path)
    service.variables = {variable: url}
    with running(service):
        assert f"{variable} is not the URL of a collector, and no traces are sent" in service.log()
    assert "of-the-test" not in service.log()


@pytest.mark.parametrize(("variable", "url", "path", "query"), [
    ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "/of/a/tenant", "/of/a/tenant", {}),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "/base?tenant=a", "/base/v1/traces", {"tenant": "a"})])
def test_the_url_for_traces_is_used_as_it_is_and_the_other_one_is_a_base(tmp_path, collector, variable, url, path, query):
    service = Service(tmp_path)
    service.variables = {variable: collector.url(url)}
    with running(service):
        Person.signed_in(service)
        received = collector.received.get(timeout=20)
        assert (received.path, received.query) == (path, query)
    while not collector.received.empty():
        collector.received.get_nowait()
