"""Tests docs/management.md: runs every call in order and compares each response with the page and with openapi.yaml."""

import json
import re
from dataclasses import dataclass

import pytest
from jsonschema import Draft202012Validator, FormatChecker

import openapi_document
from operator_api import Management
from passkeys import make_passkey
from person import Person
from receiver import Receiver, Reply
from service import ROOT, Service, running
from transport import Answer, Transport

APP = "abc1234"
BACKEND = "https://backend.example.com"
BASE = f"/v2/session/apps/{APP}"


@dataclass
class Call:
    method: str
    path: str
    status: int
    body: dict | None
    answer: dict | None

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


def calls_of_the_page() -> list[Call]:
    text = (ROOT / "docs" / "management.md").read_text()
    calls = []
    for section in re.split(r"^#### ", text, flags=re.MULTILINE)[1:]:
        heading = re.match(r"`(\w+) (\S+)` → (\d+)\n", section)
        assert heading, f"no call: {section.splitlines()[0]}"
        blocks = re.findall(r"^```json\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        values = [json.loads(block) for block in blocks]
        if heading[1] == "GET":
            values.insert(0, None)
        body, answer = (*values, None, None)[:2]
        calls.append(Call(heading[1], heading[2], int(heading[3]), body, answer))
    return calls


CALLS = calls_of_the_page()
DOCUMENT = openapi_document.close(openapi_document.document())


def violations(call: Call, answer: Answer) -> list[str]:
    """Returns what in the response of a call differs from its schema in openapi.yaml, which forbids other members."""
    path = call.path.split("?")[0].replace("…", "/v2/session/apps/{app_id}")
    responses = DOCUMENT["paths"][path][call.method.lower()]["responses"]
    content = openapi_document.resolved(DOCUMENT, responses[str(call.status)]).get("content", {})
    if not content:
        return [] if not answer.body else ["a body"]
    schema = {**content["application/json"]["schema"], "components": DOCUMENT["components"]}
    return [error.message for error in Draft202012Validator(schema, format_checker=FormatChecker()).iter_errors(answer.json)]


def shape(value):
    """Returns the names of all members, recursively. For a list, those of its first element."""
    match value:
        case dict(): return {name: shape(member) for name, member in value.items()}
        case list(): return [shape(value[0])] if value else []
        case _: return None


def answers(response, sent) -> bool:
    """Whether a response repeats what was sent, but for secrets."""
    match sent:
        case dict():
            return "secret" not in response and all(
                answers(response.get(name), value) for name, value in sent.items() if name != "secret")
        case list(): return len(response) == len(sent) and all(map(answers, response, sent))
        case _: return response == sent


class Reader:
    """A reader who follows the page and puts the returned ids into the paths."""

    def __init__(self, service: Service, backend: Receiver):
        self.service = service
        self.backend = backend
        # A key of the database is an actor with an id, as on the page. The key of the configuration has none.
        self.key = json.loads(service.run("key", "create", "backend", "--json").stdout)[0]["key"]
        self.transport = Transport(service.url)
        # The examples of templates are for these messages.
        self.ids: dict[str, str] = {"channel": "email", "purpose": "sign_in", "locale": "it"}

    def follow(self, call: Call) -> Answer:
        path = call.path.replace("…", BASE).format(**self.ids)
        body = call.body
        if call.path == "…/tokens":
            body = {**body, "user_id": self.ids["user_id"]}
        if body is not None:
            body = json.loads(json.dumps(body).replace(BACKEND, self.backend.url("")))
        answer = self.transport.send(
            call.method, path, body, [("Authorization", f"Bearer {self.key}")])
        if answer.status == 201:
            self.note(answer.json)
        return answer

    def note(self, made: dict) -> None:
        id = made.get("config", made).get("id", "")
        kinds = {"mk": "key_id", "lcfg": "config_id", "usr": "user_id", "web": "webhook_id", "dom": "domain_id"}
        if kind := kinds.get(id.split("_")[0]):
            self.ids[kind] = id

    def unbind(self) -> None:
        """Lets the app issue bearer tokens. An earlier call of the page binds them to keys."""
        Management(self.service, APP).expect(200, "PUT", "/config/sessions", {"access_token_binding": "none"})

    def sign_in(self) -> None:
        person = Person(self.service)
        answer = person.device.password("ada@example.com", "staple of the better kind")
        finalized = person.device.finalize(answer.json["challenge_token"])
        assert finalized.status == 200, finalized
        self.access_token = finalized.json["access_token"]
        sessions = person.device.sessions(self.access_token)
        self.ids["session_id"] = sessions.json["sessions"][0]["id"]

    def register_passkey(self) -> None:
        """Registers a passkey of soft-webauthn, which verifies no user."""
        settings = {"rp_id": "example.com", "user_verification": "discouraged"}
        Management(self.service, APP).expect(200, "PUT", "/config/passkey", settings)
        path, headers = "/v1/session/me/passkeys/register", [("Authorization", f"Bearer {self.access_token}")]
        begun = self.transport.send("POST", f"{path}/begin", {"username": "ada@example.com", "nickname": "iPhone"}, headers)
        options = begun.json["public_key"]
        made = make_passkey("example.com", "https://example.com", options["challenge"], options["user"]["id"])["passkey"]
        attestation = {
            "id": made["id"], "rawId": made["id"], "type": "public-key",
            "response": {**made["registration"], "transports": ["internal", "hybrid"]}}
        body = {"registration_token": begun.json["registration_token"], "attestation": attestation}
        finished = self.transport.send("POST", f"{path}/finish", body, headers)
        assert finished.status == 200, (finished, finished.body)
        self.ids["credential_id"] = made["id"]


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("page"), "--default-app", APP)
    with running(service), Receiver(None) as backend:
        backend.on("/events", lambda received: Reply(200, {"challenge": int(received.query.get("challenge", 0))}))
        yield Reader(service, backend)


# Proves: R16
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_each_call_of_the_page_gives_the_documented_response(reader, call):
    if call.name == "GET …/users/{user_id}/sessions":
        reader.unbind()
        reader.sign_in()
    if call.name == "GET …/users/{user_id}/passkeys":
        reader.register_passkey()
    if call.path == "…/tokens":
        reader.unbind()
    answer = reader.follow(call)
    assert answer.status == call.status, (str(answer), answer.body)
    assert not violations(call, answer)
    if call.name == "GET …/events":
        # The worker may have reported a message since the event of the page.
        assert shape(call.answer) in [shape({**answer.json, "events": [event]}) for event in answer.json["events"]]
    elif call.answer is not None:
        assert shape(answer.json) == shape(call.answer)
    if call.body is not None and "/config/" in call.path and answer.body and "config" in answer.json:
        response = json.loads(answer.body.replace(reader.backend.url("").encode(), BACKEND.encode()))["config"]
        for name, value in call.body.items():
            assert answers(response[name], value), f"{name} is answered as it was sent"
        assert call.method != "POST" or {"created_at", "updated_at"} <= response.keys()


def test_the_page_has_every_call_of_the_router():
    router = (ROOT / "Service" / "Sources" / "SessionHTTP" / "Router.swift").read_text()
    management = router[router.index("private func addManagement"):]
    routes = re.findall(r'\.(get|post|put|patch|delete)\("([^"]*)"', management)
    in_router = {method.upper() + " …" + re.sub(r":(\w+)", r"{\1}", path) for method, path in routes}
    in_router |= {"GET /v2/session/apps", "POST /v2/session/apps", "GET /v2/session/events"}
    on_page = {f"{call.method} {call.path.split('?')[0]}" for call in CALLS}
    assert len(in_router) > 50
    assert on_page == in_router


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/users/usr_nobody", None, 404, "not_found"), ("GET", "/nowhere", None, 404, "not_found"),
        ("GET", "/users?limit=0", None, 400, "invalid_pagination_limit"),
        ("GET", "/users?offset=-1", None, 400, "invalid_pagination_offset"),
        ("POST", "/users", {"identifiers": [{"type": "email_address", "value": "x"}]}, 400, "invalid_identifier"),
        ("POST", "/users", {"identifiers": []}, 400, "bad_request"), ("POST", "/users", None, 400, "bad_request"),
        ("POST", "/config/claims", {"mapping": {}}, 409, "conflict"),
        ("POST", "/config/migration", {"session_validation_url": "http://localhost/x"}, 409, "conflict"),
        ("POST", "/config/login/password", {}, 409, "conflict"),
        ("POST", "/config/stepup", {"allowed_scopes": []}, 409, "step_up_config_already_exists"),
        ("PUT", "/config/stepup", {}, 400, "bad_request"), ("PUT", "/config/delivery", {}, 400, "bad_request"),
        ("DELETE", "/config/scopes?scope=never:registered", None, 404, "not_found"),
        ("DELETE", "/config/scopes", None, 400, "bad_request"),
        ("DELETE", "/keys/mk_nothing", None, 404, "not_found"),
        ("DELETE", "/webhooks/web_nothing", None, 404, "not_found"),
        ("POST", "/users", {"identifiers": [{"type": "email_address", "value": "y@example.com"}], "profile": {
            "x": "y" * 65 * 1024}}, 413, "bad_request"),
    ])
def test_errors_are_those_of_the_table(reader, method, path, body, status, code):
    headers = [("Authorization", f"Bearer {reader.service.key}")]
    refused = reader.transport.send(method, BASE + path, body, headers)
    assert (refused.status, refused.code) == (status, code)
    assert set(refused.json) - {"field"} == {"code", "status", "message", "request_id"}
    assert refused.json["status"] == status and refused.json["request_id"] == refused.headers["X-Request-Id"]


# Proves: G4
def test_domains_need_a_key_for_all_apps_and_belong_to_one_app(reader):
    def patch(app: str, key: str, body: dict) -> tuple:
        path = f"/v2/session/apps/{app}"
        answer = reader.transport.send("PATCH", path, body, [("Authorization", f"Bearer {key}")])
        return answer.status, answer.code

    headers = [("Authorization", f"Bearer {reader.service.key}")]
    key = reader.transport.send("POST", f"{BASE}/keys", {"name": "backend"}, headers).json["key"]
    assert patch(APP, key, {"sign_up": True}) == (200, None)
    assert patch(APP, key, {"domains": ["other.example.com"]}) == (403, "forbidden")
    assert patch("devapp1", reader.service.key, {"domains": ["SESSION.example.com"]}) == (409, "conflict")


# Proves: G4
def test_nothing_is_created_for_a_missing_app(reader):
    headers = [("Authorization", f"Bearer {reader.service.key}")]
    user = {"identifiers": [{"type": "email_address", "value": "nobody@example.com"}]}
    for path, body in [("users", user), ("keys", {"name": "x"}), ("config/scopes", {"scope": "x"})]:
        answer = reader.transport.send("POST", f"/v2/session/apps/zzzzzzz/{path}", body, headers)
        assert (answer.status, answer.code) == (404, "not_found")


# Proves: H9
def test_a_key_of_another_app_and_a_missing_app_get_the_same_response(reader):
    def answer(path: str, key: str):
        response = reader.transport.send("GET", path, None, [("Authorization", f"Bearer {key}")])
        return response.status, {**response.json, "request_id": None}

    made = reader.transport.send(
        "POST", f"{BASE}/keys", {"name": "backend"}, [("Authorization", f"Bearer {reader.service.key}")]).json
    assert answer(f"{BASE}/users", made["key"])[0] == 200
    refusals = [
        answer("/v2/session/apps/devapp1/users", made["key"]), answer("/v2/session/apps/zzzzzzz/users", made["key"]),
        answer("/v2/session/apps", made["key"]), answer(f"{BASE}/users", "psk_wrong"),
        answer("/v2/session/apps/zzzzzzz/users", "psk_wrong"),
    ]
    assert refusals == [refusals[0]] * 5 and refusals[0][0] == 401
