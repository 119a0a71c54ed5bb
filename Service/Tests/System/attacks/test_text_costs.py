"""Tests that no text of the API costs more than its length: what a request with 60 KB costs against one with 16 KB.

The cost is the CPU time of the service's process, the least of several requests. It is no measure of speed: a cost that grows with
the square of the length is 14 times as high, and a linear one 4 times, on any machine.
"""

import http.client
import json
import time
from urllib.parse import quote

import pytest

from operator_api import Management
from person import Person
from service import Service, running

SIZES = (4_000, 16_000, 60_000)
#: A linear cost grows 4.7 times as much between the larger sizes as between the smaller ones, and a quadratic one 15 times.
STEEPEST = 9
#: Seconds that the debug program may need in addition. Below it, the cost is of the machine.
ALLOWED = 0.03
REPEATS = 3

#: Units that are repeated. What sorts marks, composes letters, finds the ends of characters or changes case is slow with them.
ALPHABETS = {
    "ASCII": "a", "digits": "9", "mixed case": "aB", "backslashes": "\\", "quotes": '"', "percent": "%", "spaces": " ",
    "dots": ".", "at signs": "@", "commas": ",", "slashes": "/", "brackets": "[{", "template": "{{code}}",
    "acute": "\u0301", "two marks": "\u0316\u0301", "musical mark": "\U0001D165", "greek dialytika": "\u0344",
    "tibetan ii": "\u0F73", "tibetan uu": "\u0F75", "tibetan reversed ii": "\u0F81", "tibetan mix": "\u0F73\u0F71\u0F80",
    "halfwidth voiced": "\uFF9E", "halfwidth mix": "\uFF9E\u0301\uFF9F\u0316", "kana voiced": "\u3099\u309A",
    "hebrew points": "\u05B0\u05BC", "arabic marks": "\u0651\u064B", "enclosing": "\u20DD", "joiner": "\u034F",
    "letters with marks": "e\u0301\u0323", "composed": "\u1E69", "hangul lead": "\u1100", "hangul syllables": "\uAC01\u11A8",
    "flags": "\U0001F1EB", "families": "\U0001F468\u200D", "skin tones": "\U0001F44D\U0001F3FD", "selectors": "\uFE0F",
    "zero width joiners": "\u200D", "tags": "\U000E0061", "virama": "\u0915\u094D", "prepended": "\u0600",
    "thai": "\u0E33", "ligature": "\uFDFA", "sharp s": "\u00DF", "dotted i": "\u0130", "final sigma": "\u03A3",
    "ideographs": "\uF900", "fullwidth": "\uFF41", "right to left": "\u202E",
}


def text(unit: str, size: int) -> str:
    """Returns a text of about `size` bytes, which no unit begins: a mark needs a letter before it."""
    return "a1" + unit * (size // len(unit.encode()))


def in_json(*path: str):
    """A reader of a member of a body. In a path, `*` is the name of a member that the text is."""
    def body(value: str) -> bytes:
        content: object = value
        for name in reversed(path):
            content = [content] if name == "[]" else {value if name == "*" else name: "x" if name == "*" else content}
        return json.dumps(content, ensure_ascii=False).encode()
    return body


IDENTIFIER = in_json("identifier", "value")
USER = "/users/usr_01jd7w3k2m9z8x7c6v5b4n3m2a"
#: Readers of the frontend API without a caller: the method, the path and the body.
FRONTEND = {
    "identifier": ("POST", "/otp", lambda value: json.dumps(
        {"identifier": {"type": "email_address", "value": value}}, ensure_ascii=False).encode()),
    "phone number": ("POST", "/otp", lambda value: json.dumps(
        {"identifier": {"type": "phone_number", "value": "+" + value}}, ensure_ascii=False).encode()),
    "type": ("POST", "/otp", in_json("identifier", "type")), "unknown member": ("POST", "/otp", in_json("*")),
    "e-mail domain": ("POST", "/otp", lambda value: json.dumps(
        {"identifier": {"type": "email_address", "value": "a@" + value + ".com"}}, ensure_ascii=False).encode()),
    "code": ("POST", "/otp/check", in_json("code")),
    "password": ("POST", "/login/email/password", lambda value: json.dumps(
        {"identifier": "ada@example.com", "password": value}, ensure_ascii=False).encode()),
    "address": ("POST", "/login/email/password", lambda value: json.dumps(
        {"identifier": value, "password": "x"}, ensure_ascii=False).encode()),
    "challenge token": ("POST", "/login/finalize", in_json("challenge_token")),
    "migration token": ("POST", "/migration", in_json("token")),
}
MANAGEMENT = {
    "new identifier": ("POST", "/users", in_json("identifiers", "[]", "value")),
    "new password": ("POST", "/users", lambda value: json.dumps(
        {"identifiers": [{"type": "email_address", "value": "ada@example.com"}], "password": value},
        ensure_ascii=False).encode()),
    "new external id": ("POST", "/users", lambda value: json.dumps(
        {"identifiers": [{"type": "email_address", "value": "ada@example.com"}], "external_id": value},
        ensure_ascii=False).encode()),
    "profile": ("PUT", USER + "/profile", in_json("profile", "a")), "profile key": ("PUT", USER + "/profile", in_json("profile", "*")),
    "status": ("PUT", USER + "/status", in_json("status")), "unknown setting": ("PUT", "/config/limits", in_json("*")),
    "lookup": ("POST", "/users/batch_lookup", in_json("external_ids", "[]")), "name": ("PATCH", "", in_json("name")),
    "origins": ("PUT", "/config/cors", in_json("allowed_origins", "[]")), "scope": ("POST", "/config/scopes", in_json("scope")),
    "key": ("POST", "/keys", in_json("name")), "webhook": ("POST", "/webhooks", in_json("url")),
    "event": ("POST", "/webhooks", in_json("events", "[]")),
    "template": ("PUT", "/config/templates/email/sign_in/en", in_json("text")),
    "subject": ("PUT", "/config/templates/email/sign_in/en", lambda value: json.dumps(
        {"subject": value, "text": "{{code}}"}, ensure_ascii=False).encode()),
    "claims": ("PUT", "/config/claims", in_json("claims", "*")), "step-up": ("PUT", "/config/stepup", in_json("jwks_url")),
    "rule": ("PUT", "/config/stepup", in_json("allowed_scopes", "[]", "scope")),
}
#: Parameters of queries, whose size the limits of a request line bound.
QUERIES = {
    "external id in a query": "/users?external_id=", "identifier in a query": "/users?identifier_type=email_address&identifier_value=",
    "name of a parameter": "/users?", "name of an event": "/events?name=", "user in a query": "/events?user_id=",
}
HEADERS = ["User-Agent", "Accept-Language", "Cookie", "X-Trusted-Device", "Origin", "DPoP", "X-Device-Model"]


class Meter:
    """Sends requests to one service, and says what they cost its process."""

    def __init__(self, service: Service):
        self.port = service.port
        # The clock of another process (clock_getcpuclockid).
        self._clock = ~service.process.pid << 3 | 2
        #: The status of the last answer. 0: the service has closed the connection.
        self.status = 0

    def cost(self, method: str, path: str, body: bytes, headers: list[tuple[str, str]], repeats: int) -> float:
        """Returns the least seconds of CPU of a few equal requests."""
        costs = []
        for _ in range(repeats):
            connection = http.client.HTTPConnection("localhost", self.port, timeout=60)
            self.status = 0
            begun = time.clock_gettime(self._clock)
            try:
                connection.putrequest(method, path)
                for name, value in headers:
                    connection.putheader(name, value.encode())
                connection.putheader("Content-Type", "application/json")
                connection.putheader("Content-Length", str(len(body)))
                connection.endheaders(body)
                answer = connection.getresponse()
                answer.read()
                self.status = answer.status
                assert self.status < 500, (method, path[:80], self.status)
            except (BrokenPipeError, ConnectionResetError):
                pass  # The service has refused the request before its end.
            finally:
                connection.close()
            costs.append(time.clock_gettime(self._clock) - begun)
        return min(costs)

    def steepness(self, request) -> str | None:
        """Compares the costs of a request at three sizes. Returns them if they grow too fast, also when they are measured again."""
        for repeats in (1, REPEATS, 3 * REPEATS):
            small, middle, large = (self.cost(*request(size), repeats=repeats) for size in SIZES)
            if large <= small + STEEPEST * max(middle - small, 0) + ALLOWED:
                return None
        return ", ".join(f"{cost * 1000:.1f} ms" for cost in (small, middle, large))


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with running(Service(tmp_path_factory.mktemp("service"))) as service:
        management = Management(service)
        unlimited = {"limit": 1_000_000, "window": 600}
        management.expect(200, "PUT", "/config/limits", {
            "starts_per_address": unlimited, "failures_per_address": unlimited})
        yield service


@pytest.fixture(scope="module")
def meter(shared):
    return Meter(shared)


def operator(service: Service) -> list[tuple[str, str]]:
    return [("Host", f"localhost:{service.port}"), ("Authorization", f"Bearer {service.key}")]


def steep(meter: Meter, request) -> dict[str, str]:
    """Returns the alphabets with which a request is too costly."""
    found = {name: meter.steepness(lambda size, unit=unit: request(text(unit, size))) for name, unit in ALPHABETS.items()}
    return {name: costs for name, costs in found.items() if costs}


# Proves: O18
@pytest.mark.parametrize("reader", FRONTEND)
def test_a_text_of_the_frontend_api_costs_no_more_than_its_length(shared, meter, reader):
    method, path, body = FRONTEND[reader]
    assert steep(meter, lambda value: (method, "/v1/session" + path, body(value), [])) == {}


# Proves: O18
@pytest.mark.parametrize("reader", MANAGEMENT)
def test_a_text_of_the_management_api_costs_no_more_than_its_length(shared, meter, reader):
    method, path, body = MANAGEMENT[reader]
    path = f"/v2/session/apps/{shared.app}{path}"
    assert steep(meter, lambda value: (method, path, body(value), operator(shared)[1:])) == {}


@pytest.mark.parametrize("reader", QUERIES)
def test_a_query_costs_no_more_than_its_length(shared, meter, reader):
    path = f"/v2/session/apps/{shared.app}{QUERIES[reader]}"

    def request(value: str):
        # A percent-encoded byte is three.
        return "GET", path + quote(value[:len(value) // 3], safe=""), b"", operator(shared)[1:]
    assert steep(meter, request) == {}


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_costs_no_more_than_its_length(shared, meter, header):
    def request(value: str):
        return "GET", "/v1/session/password/compliancy", b"", [(header, value.replace("\n", " "))]
    assert steep(meter, request) == {}


# Proves: O18
def test_a_new_password_of_a_signed_in_user_costs_no_more_than_its_length(shared, meter):
    management = Management(shared)
    management.register("prld:pwd:write")
    configs = management.get("/config/login/otp")["configs"]
    [config] = [config for config in configs if config["channel_type"] == "email" and config["is_default"]]
    management.expect(200, "PUT", f"/config/login/otp/{config['id']}", {
        "channel_type": "email", "is_default": True, "granted_scopes": ["prld:pwd:write"]})
    person = Person.signed_in(shared, "adalovelace@example.com")
    # Gets the nonce of the proofs.
    assert person.device.change_password(person.access_token, "short").status == 400

    def request(value: str):
        path = "/v1/session/me/password/reset"
        proof = person.device.proof("POST", path, person.access_token)
        body = json.dumps({"password": "adalovelace1" + value[2:]}, ensure_ascii=False).encode()
        return "POST", path, body, [person.device.authorization(person.access_token), ("DPoP", proof)]

    found = {}
    for name in ("tibetan ii", "tibetan uu", "tibetan reversed ii", "tibetan mix", "acute", "flags", "halfwidth mix", "ASCII"):
        def cost(size: int) -> float:
            # A proof is valid once, so each request has its own.
            least = min(meter.cost(*request(text(ALPHABETS[name], size)), repeats=1) for _ in range(REPEATS))
            assert meter.status == 400, "the password is refused, not the caller"
            return least

        small, middle, large = (cost(size) for size in SIZES)
        if large > small + STEEPEST * max(middle - small, 0) + ALLOWED:
            found[name] = (small, middle, large)
    assert found == {}
    assert person.device.change_password(person.access_token, "correct horse battery").status == 204, "the grant is kept"
