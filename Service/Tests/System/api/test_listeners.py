"""Tests the management API on its own listener, and paths and hosts that a proxy could read differently."""

import contextlib
import socket
import time

import pytest
from person import Person
from service import Service, running
from sockets import free_port


def status(port: int, path: str, *headers: str, host: str = "localhost") -> int:
    """Sends a request as written. A client of a library would normalize it."""
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}", *headers, "Connection: close", "", ""]
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall("\r\n".join(lines).encode())
        text = b""
        while part := connection.recv(65536):
            text += part
    return int(text.split(b" ", 2)[1])


@pytest.fixture(scope="module")
def separate(tmp_path_factory):
    port = free_port()
    with running(Service(tmp_path_factory.mktemp("separate"), "--management-port", str(port))) as service:
        service.management_port = port
        yield service


def bearer(service) -> str:
    return f"Authorization: Bearer {service.key}"


# Proves: G10
def test_the_management_api_has_its_own_listener(separate):
    assert status(separate.management_port, "/v2/session/apps", bearer(separate)) == 200
    assert status(separate.port, "/v2/session/apps", bearer(separate)) == 404
    assert status(separate.port, "/v2/session/apps") == 404


# Proves: G10
def test_the_listener_of_the_management_api_serves_no_app(separate):
    for path in ["/.well-known/jwks.json", "/v1/session/password/compliancy", "/dev", "/dev/mailbox"]:
        assert status(separate.port, path) == 200
        assert status(separate.management_port, path) == 404
    Person.signed_in(separate).refresh()


def test_both_listeners_answer_health_checks_and_stop(tmp_path):
    port = free_port()
    with running(Service(tmp_path, "--management-port", str(port))) as service:
        assert status(service.port, "/health") == status(port, "/health") == 200
        assert "listening for the management API" in service.log()
        assert service.stop() == 0


# Proves: X12
def test_each_listener_has_its_own_places(tmp_path):
    """A flood of one listener took the places of the other one, too (X12)."""
    port, half = free_port(), b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: "
    flags = ["--management-port", str(port), "--connection-limit", "50"]
    with running(Service(tmp_path, *flags)) as service, contextlib.ExitStack() as opened:
        for kept_port, full_port in [(port, service.port), (service.port, port)]:
            kept = opened.enter_context(socket.create_connection(("127.0.0.1", kept_port), timeout=10))
            kept.sendall(half + b"1\r\n\r\n")
            assert kept.recv(65536).startswith(b"HTTP/1.1 200 ")
            for _ in range(150):
                flooding = opened.enter_context(socket.create_connection(("127.0.0.1", full_port), timeout=10))
                flooding.sendall(half)
            line, deadline = f"closed the connections that waited longest count=1 port={full_port}\n", time.monotonic() + 5
            while line not in service.log() and time.monotonic() < deadline:
                time.sleep(0.1)
            kept.sendall(half + b"2\r\n\r\n")
            assert kept.recv(65536).startswith(b"HTTP/1.1 200 ")
            assert line in service.log()


def test_without_the_option_one_listener_serves_both(shared):
    assert status(shared.port, "/v2/session/apps", bearer(shared)) == 200
    assert status(shared.port, "/v1/session/password/compliancy") == 200


# Proves: N7
@pytest.mark.parametrize("path", [
    "//v2/session/apps", "/v2//session/apps", "/v2/session/apps/", "/./v2/session/apps", "/v1/../v2/session/apps",
    "/v2%2fsession/apps", "/v2/session%2Fapps", "/%76%32/session/apps", "/v2/%2e/session/apps", "/v2\\session/apps",
    "///v2/session/apps", "/v2/session/apps%00", "/v2;x=y/session/apps", "/V2/session/apps",
    "http://localhost//v2/session/apps",
])
def test_a_path_has_one_spelling(shared, path):
    """A proxy that blocks /v2/ compares text, so the service serves no other spelling of it."""
    assert status(shared.port, path, bearer(shared)) == 404


# Proves: N7
def test_a_target_in_absolute_form_must_name_the_host(shared):
    """RFC 9112 §3.2.2. A proxy may have chosen by one of them, so both must agree."""
    assert status(shared.port, "http://localhost/livez") == 200
    assert status(shared.port, "HTTP://LOCALHOST:80/livez") == 200
    assert status(shared.port, "http://other.example/livez") == 400
    assert status(shared.port, "http://localhost@other.example/livez") == 400
    assert status(shared.port, "ftp://localhost/livez") == 400
    assert status(shared.port, "localhost/livez") == 400


@pytest.mark.parametrize("host", ["a b", "a/b", "user@a", "a,b", "a?b", "a\\b"])
def test_an_invalid_host_is_rejected(shared, host):
    assert status(shared.port, "/livez", host=host) == 400


# Proves: N7
def test_a_repeated_host_is_rejected(shared):
    """RFC 9112 §3.2."""
    for second in ["localhost", "other.example", ""]:
        assert status(shared.port, "/livez", f"Host: {second}") == 400
        assert status(shared.port, "/livez", f"hOST: {second}") == 400
