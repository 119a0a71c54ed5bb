"""Tests over a raw socket that header names have their usual spelling, for clients that compare them with regard to case.

URLSession on Linux stores cookies of `Set-Cookie` only, and not of `set-cookie`.
"""

import json
import re
import socket

import pytest

from device import V1
from person import Person, new_email

#: Names whose parts do not all begin with one capital letter.
SPECIAL = {"DPoP", "DPoP-Nonce", "WWW-Authenticate", "ETag"}


def names(service, request: str) -> list[str]:
    """Returns the header names of the response, as they are sent."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        connection.sendall(request.encode())
        received = b""
        while b"\r\n\r\n" not in received:
            part = connection.recv(65536)
            assert part, received
            received += part
    lines = received.split(b"\r\n\r\n")[0].decode().split("\r\n")
    return [line.split(":")[0] for line in lines[1:]]


def request(line: str, *fields: str, body: str = "") -> str:
    return "\r\n".join([
        f"{line} HTTP/1.1", "Host: localhost", "Content-Type: application/json", f"Content-Length: {len(body)}", *fields,
        "", body])


def is_usual(name: str) -> bool:
    return name in SPECIAL or re.fullmatch(r"[A-Z][a-z]*(-[A-Z][a-z]*)*", name) is not None


def start(*fields: str) -> str:
    body = {"identifier": {"type": "email_address", "value": new_email()}, "code_challenge": "A" * 43}
    return request("POST /v1/session/otp", *fields, body=json.dumps(body))


BROWSER = ("Sec-Fetch-Site: same-origin",)


@pytest.mark.parametrize("sent, expected", [
    pytest.param(start, {"X-Verification-Token", "X-Request-Id", "Date", "Cache-Control"}, id="an app"),
    pytest.param(lambda: start(*BROWSER), {"Set-Cookie"}, id="a browser"),
    pytest.param(lambda: request("OPTIONS /v1/session/otp", "Origin: http://localhost:3000"), {"X-Request-Id"}, id="CORS"),
    pytest.param(lambda: request("POST /v1/session/refresh"), {"Content-Type", "Content-Length"}, id="no proof"),
    pytest.param(lambda: request("GET /v1/session/me/list"), {"WWW-Authenticate"}, id="no token"),
    pytest.param(lambda: request("GET /nowhere"), {"X-Content-Type-Options"}, id="no route"),
    pytest.param(lambda: request("GET /.well-known/jwks.json"), {"Cache-Control"}, id="keys"),
    pytest.param(lambda: request("GET /dev"), {"Content-Security-Policy"}, id="mailbox"),
    pytest.param(lambda: "GET /health HTTP/1.1\r\n\r\n", {"Connection", "X-Request-Id", "Date"}, id="no host"),
])
def test_header_names_have_their_usual_spelling(shared, sent, expected):
    found = names(shared, sent())
    assert expected <= set(found), found
    assert not [name for name in found if not is_usual(name)]


def test_the_names_of_tokens_and_nonces_have_their_usual_spelling(shared):
    person = Person(shared)
    email = new_email()
    started = person.device.start(email, "email_address")
    checked = person.device.check(started.headers["X-Verification-Token"], person.code(email))
    finished = person.device.finalize(checked.json["challenge_token"])
    person.device.clock_offset = -3600
    path = f"{V1}/refresh"
    without_nonce = person.device.send_with(
        person.device.proof("POST", path), "POST", path, None, [("X-Refresh-Token", finished.headers["X-Refresh-Token"])])
    assert without_nonce.json["code"] == "use_dpop_nonce"
    found = {*finished.headers, *without_nonce.headers}
    assert {"X-Refresh-Token", "X-Refresh-Token-Expires-At", "X-Trusted-Device", "DPoP-Nonce"} <= found, found
    assert not [name for name in found if not is_usual(name)]
