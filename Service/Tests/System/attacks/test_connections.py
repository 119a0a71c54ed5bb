"""Tests the limits of connections, over real sockets: slow and idle clients end, and the service continues for others."""

import contextlib
import functools
import os
import pathlib
import re
import resource
import selectors
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

import pytest
from person import Person
from service import Service, running
from sockets import connect, received
from transport import Transport
from waiting import wait_until

HALF = b"POST /v1/session/refresh HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
BODY = HALF + b"1\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n"
HEALTH = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"


@contextlib.contextmanager
def many(port: int, count: int, sent: bytes):
    """Opens connections that send the same bytes."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    connections = []
    try:
        for _ in range(count):
            connections.append(connect(port, sent))
        yield connections
    finally:
        for connection in connections:
            connection.close()


def slow_reader(port: int, requests: bytes) -> socket.socket:
    """Sends requests and reads no response. The system buffers few bytes for it."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    connection.settimeout(10)
    connection.connect(("127.0.0.1", port))
    connection.setblocking(False)
    # The service does not read either while it cannot write.
    with contextlib.suppress(BlockingIOError, ConnectionResetError, BrokenPipeError):
        connection.send(requests)
    return connection


class Pipelining:
    """Clients that send many requests at once, and read the responses."""

    def __init__(self, port: int, clients: int, requests: bytes):
        self._stop = threading.Event()
        self._selector = selectors.DefaultSelector()
        for _ in range(clients):
            connection = socket.create_connection(("127.0.0.1", port), timeout=10)
            connection.setblocking(False)
            self._selector.register(connection, selectors.EVENT_READ | selectors.EVENT_WRITE, memoryview(requests))
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._stop.is_set() and self._selector.get_map():
            for key, events in self._selector.select(0.1):
                with contextlib.suppress(BlockingIOError):
                    try:
                        if events & selectors.EVENT_READ and not key.fileobj.recv(1 << 20):
                            self._selector.unregister(key.fileobj)
                            key.fileobj.close()
                            continue
                        if events & selectors.EVENT_WRITE:
                            rest = key.data[key.fileobj.send(key.data):]
                            both = selectors.EVENT_READ | selectors.EVENT_WRITE
                            self._selector.modify(key.fileobj, both if rest else selectors.EVENT_READ, rest)
                    except ConnectionError:
                        self._selector.unregister(key.fileobj)
                        key.fileobj.close()

    def __enter__(self) -> "Pipelining":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join(30)
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()


def health(service: Service) -> int:
    """Asks for the health of a service that has much to do.

    Asks again while it is not ready: its disk may hang for some seconds, which is no fault of the connections."""
    def answer() -> int | None:
        try:
            with urllib.request.urlopen(service.url + "/health", timeout=10) as response:
                return response.status
        except urllib.error.HTTPError as error:
            return None if b"the service is not ready" in error.read() else error.code

    return wait_until(answer, seconds=10)


# Proves: N8
@pytest.mark.parametrize("line", [b"HTTP/1.0", b"HTTP/1.1\r\nConnection: Close"])
def test_a_connection_that_is_not_kept_ends_with_its_response(impatient, line):
    """It stayed open until the idle timeout (RFC 9112 9.3)."""
    with connect(impatient.port, b"GET /livez " + line + b"\r\nHost: localhost\r\n\r\n") as connection:
        started = time.monotonic()
        text = received(connection)
    assert text.startswith(b"HTTP/1.1 200 ") and b"connection: close" in text.lower()
    assert text.endswith(b'{"status":"ok"}') and time.monotonic() - started < 1.5


# Proves: N8
def test_a_chunked_request_in_http_1_0_hides_no_other_request(impatient):
    """Another part of a chain of proxies does not know chunks in HTTP/1.0 (RFC 9112 6.1)."""
    head = b"POST /v1/session/otp HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    chunks = b"Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    with connect(impatient.port, head + chunks + HEALTH) as connection:
        text = received(connection)
    assert text.startswith(b"HTTP/1.1 400 ") and text.count(b"HTTP/1.1 ") == 1


# Proves: N8
def test_a_response_to_head_has_no_body_that_could_be_the_next_response(impatient):
    paths = [b"/livez", b"/absent"]
    heads = b"".join(HEALTH.replace(b"GET /livez", b"HEAD " + path) for path in paths)
    with connect(impatient.port, heads + HEALTH) as connection:
        text = received(connection)
    found = [part.split(b" ", 1)[0] for part in text.split(b"HTTP/1.1 ")[1:]]
    assert found == [b"200", b"404", b"200"] and text.count(b"\r\n\r\n{") == 1


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    flags = ["--header-timeout", "1", "--body-timeout", "1", "--idle-timeout", "2", "--connection-limit", "200"]
    with running(Service(tmp_path_factory.mktemp("impatient"), *flags)) as service:
        yield service


# Proves: X12
def test_half_sent_headers_shut_out_neither_health_checks_nor_users(tmp_path):
    """Half-sent headers took all descriptors, and the service stopped answering without a log line (X12)."""
    with running(Service(tmp_path, "--connection-limit", "500")) as service:
        person = Person.signed_in(service)
        for sent in [HALF, BODY, b""]:
            with many(service.port, 1100, sent):
                assert health(service) == 200
                person.refresh()
        assert "connection limit reached: closed the connections that waited longest" in service.log()
        # The first one at once, then one per interval.
        assert service.log().count("closed the connections that waited longest") < 20


# Proves: X12
def test_clients_that_do_not_read_shut_out_neither_health_checks_nor_users(tmp_path):
    """Their connections counted as busy for 120 seconds, so all others got 503 (X12)."""
    requests = b"GET /dev HTTP/1.1\r\nHost: localhost\r\n\r\n" * 700
    with running(Service(tmp_path, "--connection-limit", "50")) as service:
        person = Person.signed_in(service)
        readers = [slow_reader(service.port, requests) for _ in range(70)]
        try:
            # Until the buffers of the system are full, the service is busy for them.
            deadline, answer = time.monotonic() + 60, None
            while answer is None or answer.status == 503:
                assert time.monotonic() < deadline, "the service is still busy"
                assert health(service) == 200
                time.sleep(0.2)
                answer = person.device.refresh(person.refresh_token)
            person.keep(answer)
            for _ in range(3):
                assert health(service) == 200
                person.refresh()
        finally:
            for reader in readers:
                reader.close()


# Proves: X12
def test_pipelined_requests_do_not_shut_out_health_checks(tmp_path):
    """All requests of a read were decoded at once, which kept the event loops from everything else (X12)."""
    requests = b"GET /v1/none HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1500
    with running(Service(tmp_path)) as service:
        with Pipelining(service.port, 40, requests):
            for _ in range(6):
                assert health(service) == 200


# Proves: X12
def test_the_process_survives_few_descriptors(tmp_path, monkeypatch):
    """The connection limit follows the number of files that the system allows."""
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (400, 400))

    monkeypatch.setattr(subprocess, "Popen", functools.partial(subprocess.Popen, preexec_fn=limit))
    with running(Service(tmp_path)) as service:
        assert "the connection limit is lowered" in service.log()
        with many(service.port, 500, HALF):
            assert health(service) == 200


def cpu(service: Service) -> float:
    """Returns the seconds that the processors have worked for the service."""
    fields = pathlib.Path(f"/proc/{service.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_listener_without_free_descriptors_waits_and_then_accepts_all(tmp_path):
    """The event loop tried to accept again and again without a pause and without a line in the log."""
    with running(Service(tmp_path)) as service, contextlib.ExitStack() as opened:
        kept = opened.enter_context(connect(service.port, HEALTH))
        assert kept.recv(65536).startswith(b"HTTP/1.1 200 ")
        process = service.process.pid
        before = resource.prlimit(process, resource.RLIMIT_NOFILE)
        used = len(os.listdir(f"/proc/{process}/fd"))
        resource.prlimit(process, resource.RLIMIT_NOFILE, (used + 2, before[1]))
        waiting = [opened.enter_context(connect(service.port, HEALTH)) for _ in range(20)]
        wait_until(lambda: "no free file descriptor" in service.log())
        worked = cpu(service)
        time.sleep(1)
        assert cpu(service) - worked < 0.25
        kept.sendall(HEALTH)
        assert kept.recv(65536).startswith(b"HTTP/1.1 200 ")
        resource.prlimit(process, resource.RLIMIT_NOFILE, before)
        for connection in waiting:
            assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
        assert health(service) == 200
        assert service.log().count("no free file descriptor") == 1
        metrics = Transport(service.url).send("GET", "/metrics", None, [("Authorization", f"Bearer {service.key}")])
        counted = re.search(rb'connection_limits_total\{limit="not_accepted"\} (\d+)', metrics.body)
        assert 1 <= int(counted[1]) < 100


@pytest.mark.parametrize("request_line, field", [
    (b"GET /absent", b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"),
    (b"GET /livez", b"connection: keep-alive, UPGRADE\r\nUpgrade: websocket\r\n"), (b"CONNECT /absent", b""),
])
def test_a_connection_ends_after_a_request_for_another_protocol(impatient, request_line, field):
    """It stayed open, and the next request got no response. Clients in Java ask for HTTP/2 like this (RFC 9110 §7.8)."""
    with connect(impatient.port, request_line + b" HTTP/1.1\r\nHost: localhost\r\n" + field + b"\r\n") as connection:
        text = received(connection)
    assert b"\r\nconnection: close\r\n" in text.lower() and text.count(b"HTTP/1.1 ") == 1 and b" 408 " not in text


def test_a_client_that_waits_for_100_gets_it_and_then_its_response(shared):
    """It waited until the deadline of the body (RFC 9110 §10.1.1)."""
    head = BODY.replace(b"X-Slow: 1", b"Expect: 100-Continue")
    with connect(shared.port, head) as connection:
        assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"{}" + b" " * 18)
        assert connection.recv(65536).startswith(b"HTTP/1.1 401 ")
        # Without a body nothing waits.
        connection.sendall(HEALTH.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n"))
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
        connection.sendall(head.replace(b"HTTP/1.1", b"HTTP/1.0") + b" " * 20)
        assert connection.recv(65536).startswith(b"HTTP/1.1 4")


def test_a_body_of_many_chunks_does_not_keep_the_event_loop(shared):
    """Each chunk copied the list of all before it, so 360 KB took many seconds of an event loop."""
    head = b"POST /absent HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    worked = cpu(shared)
    with connect(shared.port, head + b"1\r\na\r\n" * 30_000 + b"0\r\n\r\n") as connection:
        assert connection.recv(65536).startswith(b"HTTP/1.1 404 ")
    assert cpu(shared) - worked < 2


# Proves: X12
@pytest.mark.parametrize("first", [
    pytest.param(b"", id="no byte"), pytest.param(HALF, id="half a header"),
    pytest.param(HEALTH + HALF, id="half a header after a request"),
])
def test_a_slow_header_ends_at_its_deadline(impatient, first):
    """No byte extends the deadline: it is for the whole header, not for a pause."""
    started, text = time.monotonic(), b""
    with connect(impatient.port, first) as connection:
        connection.settimeout(0.2)
        while b" 408 " not in text and time.monotonic() - started < 8:
            with contextlib.suppress(TimeoutError):
                text += connection.recv(65536)
            if first:
                connection.sendall(b"a")
    assert b" 408 " in text and time.monotonic() - started < 6


def test_a_connection_on_which_nothing_has_arrived_is_no_slow_header(tmp_path):
    """Browsers open connections that they may not need."""
    with running(Service(tmp_path, "--header-timeout", "1")) as service:
        with many(service.port, 5, b"") as connections:
            for connection in connections:
                assert received(connection).startswith(b"HTTP/1.1 408 ")
        assert "took too long" not in service.log() and "status=408" not in service.log()
        with connect(service.port, HALF) as connection:
            assert received(connection).startswith(b"HTTP/1.1 408 ")
        assert service.log().count("the headers of a request took too long") == 1


# Proves: X12
def test_a_slow_body_ends_at_its_deadline_with_408(impatient):
    with connect(impatient.port, BODY + b"{") as connection:
        text = received(connection)
    assert text.startswith(b"HTTP/1.1 408 ") and b'"code":"bad_request"' in text and b"connection: close" in text.lower()
    assert "the body of a request took too long" in impatient.log()


def test_an_idle_connection_is_closed_without_a_response(impatient):
    with connect(impatient.port, HEALTH) as connection:
        text = received(connection)
    assert text.startswith(b"HTTP/1.1 200 ") and text.count(b"HTTP/1.1") == 1


def test_a_log_line_reports_slow_headers_with_a_count(impatient):
    with many(impatient.port, 20, HALF) as connections:
        for connection in connections:
            assert received(connection).startswith(b"HTTP/1.1 408 ")
    assert "the headers of a request took too long" in impatient.log()
    assert impatient.log().count("the headers of a request took too long") < 8


def test_invalid_limits_are_rejected_with_the_name_of_the_setting(tmp_path):
    for flag, value in [("--connection-limit", "0"), ("--header-timeout", "none"), ("--management-host", "127.0.0.1")]:
        with pytest.raises(RuntimeError, match=flag.removeprefix("--")):
            Service(tmp_path, flag, value).start()
