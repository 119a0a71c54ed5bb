"""Tests how the service ends: what it reports while it drains, and which requests it finishes."""

import contextlib
import signal
import socket
import time

import pytest
from person import Person
from service import Service, running
from sockets import connect, received


def status(port: int, path: str, *, on: socket.socket | None = None) -> int:
    """Asks on a new connection, or on an open one."""
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with contextlib.ExitStack() as stack:
        connection = on or stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
        connection.sendall(request)
        return int(connection.recv(65536).split(b" ", 2)[1])


@pytest.fixture
def draining(tmp_path):
    """A service that has got SIGTERM, goes on for a while, and has a request that is not complete."""
    with running(Service(tmp_path, "--drain-delay", "8")) as service:
        person = Person.signed_in(service)
        body = b'{"identifier":"a@example.com","password":"wrong password"}'
        head = (
            b"POST /v1/session/login/email/password HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body))
        with connect(service.port, head + body[:10]) as begun:
            kept = connect(service.port, b"")
            assert status(service.port, "/readyz", on=kept) == 200
            service.process.send_signal(signal.SIGTERM)
            deadline = time.monotonic() + 5
            while "draining" not in service.log() and time.monotonic() < deadline:
                time.sleep(0.02)
            yield service, person, kept, begun, body[10:]
            kept.close()


def test_a_draining_service_reports_503_and_serves_until_its_delay_ends(draining):
    service, person, kept, begun, rest = draining
    for path, expected in [("/readyz", 503), ("/health", 503), ("/livez", 200)]:
        assert status(service.port, path) == expected
        assert status(service.port, path, on=kept) == expected
    person.refresh()
    begun.sendall(rest)
    assert begun.recv(65536).startswith(b"HTTP/1.1 401 ")
    assert service.process.wait(20) == 0


def test_a_second_signal_ends_the_delay_and_open_requests_finish(draining):
    service, _, kept, begun, rest = draining
    started = time.monotonic()
    service.process.send_signal(signal.SIGTERM)
    # The listener closes. The connection without a request, too.
    assert received(kept) == b""
    begun.sendall(rest)
    assert received(begun).startswith(b"HTTP/1.1 401 ")
    assert service.process.wait(20) == 0
    assert time.monotonic() - started < 7


def test_a_client_that_stops_in_the_middle_of_a_request_does_not_keep_the_process(draining):
    service, _, _, begun, _ = draining
    started = time.monotonic()
    service.process.send_signal(signal.SIGTERM)
    assert received(begun).startswith(b"HTTP/1.1 408 ")
    assert service.process.wait(20) == 0
    # The body would have until 20 seconds after its headers.
    assert time.monotonic() - started < 9


def read_all(connection: socket.socket) -> list[int]:
    """Returns how many bytes of the body of each response arrive, less what its header announces."""
    stream, missing = connection.makefile("rb"), []
    while stream.readline():
        headers = dict(line.rstrip().lower().split(b": ", 1) for line in iter(stream.readline, b"\r\n"))
        length = int(headers[b"content-length"])
        missing.append(length - len(stream.read(length)))
    return missing


@pytest.mark.parametrize("end", ["the process", "the client's side"])
def test_a_client_that_reads_slowly_gets_whole_responses_at_the_end(tmp_path, end):
    with running(Service(tmp_path)) as service:
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.settimeout(20)
            connection.connect(("127.0.0.1", service.port))
            # Much more than the buffers of the system take.
            connection.sendall(b"GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
            time.sleep(1)
            if end == "the process":
                service.process.send_signal(signal.SIGTERM)
                time.sleep(0.3)
            else:
                connection.shutdown(socket.SHUT_WR)
            missing = read_all(connection)
        assert set(missing) == {0}
        if end == "the process":
            # No response is computed before the client has read those before it.
            assert len(missing) < 50
            assert service.process.wait(20) == 0
        else:
            assert len(missing) == 50


def test_a_request_that_is_answered_before_its_end_does_not_keep_the_process(tmp_path):
    with running(Service(tmp_path)) as service:
        head = (
            b"POST /v1/session/otp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 70000\r\n\r\n")
        with connect(service.port, head + b"a" * 66_000) as connection:
            assert connection.recv(65536).startswith(b"HTTP/1.1 413 ")
            begin = time.monotonic()
            service.process.send_signal(signal.SIGTERM)
            assert service.process.wait(20) == 0
            assert time.monotonic() - begin < 10


def test_a_client_that_closes_its_side_gets_the_answer_of_its_health_check(service):
    # The answer waits for the database if the last one is old.
    for path in ["/health", "/readyz", "/livez"]:
        time.sleep(1.2)
        with connect(service.port, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()) as connection:
            connection.shutdown(socket.SHUT_WR)
            assert received(connection).startswith(b"HTTP/1.1 200 "), path
