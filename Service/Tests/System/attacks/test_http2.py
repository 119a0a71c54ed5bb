"""Tests HTTP/2: what ends a connection, which host a request names, how requests end, their bounds, and the end of the process."""

import contextlib
import json
import os
import pathlib
import signal
import time

import http2_frames as h2
import pytest
from http2_frames import END_HEADERS, END_STREAM
from secure_service import SecureService, curl
from service import running
from waiting import wait_until

JSON = (b"content-type", b"application/json")
ENTIRE = END_STREAM | END_HEADERS
STATUS_200, STATUS_400 = b"\x88", b"\x8c"
NO_ERROR, REFUSED_STREAM = 0, 7


@pytest.fixture(scope="module")
def secure(tmp_path_factory, authority):
    with running(SecureService(tmp_path_factory.mktemp("secure"), authority)) as service:
        yield service


def h2_connection(service) -> h2.Connection:
    return h2.Connection(service.port, str(service.authority.certificate_path))


def get(stream: int, path: bytes = b"/livez", *headers: tuple[bytes, bytes]) -> bytes:
    """Returns a request. `/livez` does not depend on the database: `/health` is 503 while a disk hangs for two seconds."""
    return h2.frame(h2.HEADERS, ENTIRE, stream, h2.request(b"GET", path, *headers))


def half(stream: int, *headers: tuple[bytes, bytes]) -> bytes:
    """Returns the headers of a request whose body follows."""
    return h2.frame(h2.HEADERS, END_HEADERS, stream, h2.request(b"POST", b"/v1/session/otp", JSON, *headers))


def goes_on(service) -> None:
    with h2_connection(service) as connection:
        connection.send(get(1))
        assert connection.response(1).status == STATUS_200


# Floods


def resets(count: int):
    for stream in range(1, 2 * count, 2):
        yield get(stream, b"/absent") + h2.frame(h2.RST_STREAM, 0, stream, (8).to_bytes(4, "big"))


def header_bomb() -> bytes:
    """A field in the dynamic table, and many references to it, of one byte each (RFC 7541 §2.3.3)."""
    stored = b"\x40" + h2.text(b"x") + h2.text(b"y" * 3000)
    return h2.frame(h2.HEADERS, ENTIRE, 1, h2.request(b"GET", b"/livez") + stored + b"\xbe" * 4000)


FLOODS = {
    "requests that are cancelled at once": lambda: resets(2000),
    "settings": lambda: (h2.frame(h2.SETTINGS, 0, 0) for _ in range(2000)),
    "pings": lambda: (h2.frame(h2.PING, 0, 0, b"12345678") for _ in range(2000)),
    "continuations": lambda: [
        h2.frame(h2.HEADERS, END_STREAM, 1, h2.request(b"GET", b"/livez")),
        *(h2.frame(h2.CONTINUATION, 0, 1, h2.block((b"x", b"y"))) for _ in range(200))],
    "empty data": lambda: [half(1), *(h2.frame(h2.DATA, 0, 1) for _ in range(200))],
    "long headers": lambda: [get(1, b"/livez", *[(b"x%d" % index, b"y" * 100) for index in range(200)])],
    "references to one header": lambda: [header_bomb()],
    "a frame of the wrong size": lambda: [h2.frame(h2.PING, 0, 0, b"1")],
    "an invalid preface": lambda: [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"],
}


# Proves: N4
@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_over_http2_gets_goaway_and_loses_its_connection_within_seconds(secure, name):
    connection = h2_connection(secure) if name != "an invalid preface" else h2.Connection(
        secure.port, str(secure.authority.certificate_path), preface=b"")
    for piece in FLOODS[name]():
        if not connection.send(piece):
            break
    begin = time.monotonic()
    kinds = [found[0] for found in connection.frames()]
    assert time.monotonic() - begin < 6 and connection.has_ended
    assert h2.GOAWAY in kinds
    assert h2.HEADERS not in kinds or name.startswith("requests"), "the request was served"
    connection.close()
    goes_on(secure)


# Proves: N4
def test_a_client_that_goes_on_after_goaway_is_not_read_and_loses_its_connection(secure):
    connection = h2_connection(secure)
    begin = time.monotonic()
    while connection.send(h2.frame(h2.PING, 0, 0, b"12345678") * 100):
        assert time.monotonic() - begin < 10, "the connection is still open"
    connection.close()
    wait_until(lambda: "a client broke the rules or limits of HTTP/2" in secure.log())


def test_a_malformed_request_ends_its_stream_only(secure):
    with h2_connection(secure) as connection:
        connection.send(h2.frame(h2.HEADERS, ENTIRE, 1, h2.request(b"GET", b"/livez", (b"connection", b"close"))))
        connection.send(get(3))
        assert connection.response(3).status == STATUS_200
        assert connection.resets[1] == 1, "PROTOCOL_ERROR"


@pytest.mark.parametrize("value", [b" a", b"a ", b"\ta", b"a\t", b" "])
def test_a_header_with_a_space_at_an_end_is_malformed(secure, value):
    with h2_connection(secure) as connection:
        connection.send(h2.frame(h2.HEADERS, ENTIRE, 1, h2.request(b"GET", b"/livez", (b"x-note", value))))
        assert connection.response(1).status == STATUS_400
        connection.send(h2.frame(h2.HEADERS, ENTIRE, 3, h2.request(b"GET", b"/livez", (b"x-note", b"a b"), (b"x", b""))))
        assert connection.response(3).status == STATUS_200


def test_a_method_that_is_no_token_is_refused_and_takes_no_place(tmp_path, authority):
    path = b"/v1/session/refresh"
    with running(SecureService(tmp_path, authority, "--request-limit", "16")) as service:
        with h2_connection(service) as connection:
            for number, method in enumerate([b"G(T", b"a/b", b"(", "GÄ".encode()] * 5):
                stream = 4 * number + 1
                connection.send(h2.frame(
                    h2.HEADERS, END_HEADERS, stream, h2.request(method, path, (b"content-length", b"2"))))
                connection.read_for(0.05)
                connection.send(h2.frame(h2.DATA, END_STREAM, stream, b"{}"))
                assert connection.response(stream).status == STATUS_400, method
                # In one frame.
                connection.send(h2.frame(h2.HEADERS, ENTIRE, stream + 2, h2.request(method, path)))
                assert connection.response(stream + 2).status == STATUS_400, method
                assert b"token" in connection.response(stream + 2).body
        with h2_connection(service) as connection:
            connection.send(get(1, b"/absent"))
            assert connection.response(1).status == b"\x8d", "404"


# Hosts


def naming(authority: bytes | None, *hosts: bytes, path: bytes = b"/livez") -> bytes:
    fields = [(b":method", b"GET"), (b":scheme", b"https"), (b":path", path)]
    if authority is not None:
        fields.append((b":authority", authority))
    return h2.frame(h2.HEADERS, ENTIRE, 1, h2.block(*fields, *((b"host", host) for host in hosts)))


NAMINGS = {
    "an authority": (naming(b"localhost"), STATUS_200),
    "a host": (naming(None, b"localhost"), STATUS_200),
    "both": (naming(b"localhost", b"LOCALHOST:443"), STATUS_200),
    "different ones": (naming(b"localhost", b"example.com"), STATUS_400),
    "two hosts": (naming(b"localhost", b"localhost", b"localhost"), STATUS_400),
    "two hosts without authority": (naming(None, b"localhost", b"example.com"), STATUS_400),
    "none": (naming(None), STATUS_400),
    "an empty authority": (naming(b""), STATUS_400),
    "a user": (naming(b"user@localhost"), STATUS_400),
    "a URL as path": (naming(b"localhost", path=b"https://localhost/livez"), STATUS_400),
    "an empty method": (
        h2.frame(h2.HEADERS, ENTIRE, 1, h2.request(b"", b"/livez")), STATUS_400),
    "a star as path": (naming(b"localhost", path=b"*"), STATUS_400),
}


# Proves: N6
@pytest.mark.parametrize("name", NAMINGS)
def test_a_request_of_http2_names_one_host(secure, name):
    sent, status = NAMINGS[name]
    with h2_connection(secure) as connection:
        connection.send(sent)
        response = connection.response(1)
        assert response.status == status
        if status == STATUS_400:
            assert json.loads(response.body)["code"] == "bad_request"
        connection.send(get(3))
        assert connection.response(3).status == STATUS_200, "the connection goes on"


# Requests without an end


def test_a_request_that_is_rejected_before_its_end_gets_a_complete_response_and_then_no_error(secure):
    with h2_connection(secure) as connection:
        connection.send(half(1, (b"host", b"example.com"), (b"content-length", b"5000")))
        response = connection.response(1)
        assert response.status == STATUS_400 and response.has_ended
        assert json.loads(response.body)["code"] == "bad_request"
        wait_until(lambda: 1 in connection.read_for(0.1).resets, 5)
        assert connection.resets[1] == NO_ERROR


def test_a_body_that_is_too_long_gets_413_and_then_no_error(secure):
    with h2_connection(secure) as connection:
        connection.send(half(1, (b"content-length", b"200000")))
        for _ in range(5):
            connection.send(h2.frame(h2.DATA, 0, 1, b"a" * 16_000))
            connection.read_for(0.05)
        response = connection.response(1)
        assert response.has_ended and json.loads(response.body)["code"] == "bad_request"
        wait_until(lambda: 1 in connection.read_for(0.1).resets, 5)
        assert connection.resets[1] == NO_ERROR


def test_a_client_that_waits_for_100_gets_it_and_then_its_response(secure):
    """RFC 9110 §10.1.1."""
    with h2_connection(secure) as connection:
        connection.send(half(1, (b"expect", b"100-continue")))
        connection.until(h2.HEADERS, flags=END_HEADERS)
        assert not connection.responses[1].has_ended
        connection.send(h2.frame(h2.DATA, END_STREAM, 1, b"{}"))
        assert json.loads(connection.response(1).body)["code"] == "bad_request"


def test_curl_reads_the_response_to_an_upload_that_is_too_long(secure, tmp_path):
    upload = tmp_path / "upload"
    upload.write_bytes(b"a" * 3_000_000)
    for option in "--http2", "--http1.1":
        _, status, body = curl(
            secure, "/v1/session/otp", option, "--data-binary", f"@{upload}", "--header", "Content-Type: application/json",
            "--header", "Expect:", "--show-error", "--fail-with-body")
        assert status == 413 and json.loads(body)["code"] == "bad_request", option


# Bounds


# Proves: N4
def test_a_connection_has_a_bounded_number_of_requests_at_once(secure):
    connection = h2_connection(secure)
    for stream in range(1, 2 * 100, 2):
        connection.send(half(stream))
    connection.send(h2.frame(h2.PING, 0, 0, b"12345678"))
    assert h2.GOAWAY not in [found[0] for found in connection.read_for(1).seen] and not connection.has_ended
    connection.send(half(201))
    assert h2.GOAWAY in [found[0] for found in connection.frames()] and connection.has_ended
    connection.close()
    goes_on(secure)


def memory(service) -> int:
    """Returns the resident memory in KiB."""
    status = open(f"/proc/{service.process.pid}/status").read()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


# Proves: N4
def test_unfinished_requests_take_a_bounded_number_of_places_and_bounded_memory(tmp_path, authority):
    with running(SecureService(tmp_path, authority, "--connection-limit", "100")) as service:
        goes_on(service)
        before = memory(service)
        connections = [h2_connection(service) for _ in range(5)]
        for connection in connections:
            for stream in range(1, 2 * 60, 2):
                connection.send(half(stream) + h2.frame(h2.DATA, 0, stream, b" " * 16_000))
                connection.send(h2.frame(h2.DATA, 0, stream, b" " * 16_000))
            connection.read_for(0.3)

        def refused() -> int:
            for connection in connections:
                connection.read_for(0.1)
            return sum(code == REFUSED_STREAM for connection in connections for code in connection.resets.values())

        # On a busy machine, the last ones arrive late.
        wait_until(lambda: refused() >= 300 - 100)
        assert memory(service) - before < 40_000
        goes_on(service)
        for connection in connections:
            connection.close()


def test_unfinished_requests_do_not_keep_new_connections_out(tmp_path, authority):
    with running(SecureService(tmp_path, authority, "--connection-limit", "4")) as service:
        slow = [h2_connection(service) for _ in range(40)]
        for connection in slow:
            connection.send(half(1))
        goes_on(service)
        goes_on(service)
        for connection in slow:
            connection.close()


def test_clients_that_read_no_response_over_http2_keep_no_place(tmp_path, authority):
    """Each connection counted as busy for 75 seconds, so all others got 503."""
    closed_window = h2.PREFACE + h2.frame(h2.SETTINGS, 0, 0, (4).to_bytes(2, "big") + (0).to_bytes(4, "big"))
    with running(SecureService(tmp_path, authority, "--development", "--connection-limit", "4")) as service:
        slow = [h2.Connection(service.port, str(authority.certificate_path), closed_window) for _ in range(4)]
        for connection in slow:
            connection.send(get(1, b"/.well-known/jwks.json"))
            connection.until(h2.HEADERS)
        with h2_connection(service) as connection:
            connection.send(get(1, b"/.well-known/jwks.json"))
            assert connection.response(1).status == STATUS_200
        for connection in slow:
            connection.close()


def test_a_client_that_closes_its_side_leaves_its_place_soon(tmp_path, authority):
    """Its connection stayed until it was idle for 75 seconds."""
    with running(SecureService(tmp_path, authority, "--development")) as service:
        opened = [h2_connection(service) for _ in range(3)]
        for connection in opened:
            connection.send(get(1))
            assert connection.response(1).status == STATUS_200
        before = sockets(service.process.pid)
        for connection in opened:
            connection.close()
        # Other files of the process, such as the database, may be opened meanwhile.
        wait_until(lambda: len(before - sockets(service.process.pid)) >= 3)


def sockets(process: int) -> set[str]:
    """The sockets that a process has open, by their numbers in the kernel."""
    names = set()
    for file in pathlib.Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            names.add(os.readlink(file))
    return {name for name in names if name.startswith("socket:")}


# Deadlines


# Proves: N4
def test_the_deadlines_hold_for_requests_of_http2(tmp_path, authority):
    with running(SecureService(tmp_path, authority, "--body-timeout", "1", "--idle-timeout", "2")) as service:
        connection = h2_connection(service)
        connection.send(half(1))
        response = connection.response(1)
        assert response.has_ended and b"took too long" in response.body, "408"
        begin = time.monotonic()
        assert connection.frames() is not None
        assert time.monotonic() - begin < 15, "an idle connection ends"


# Proves: N4
def test_a_preface_that_never_comes_is_closed_at_the_deadline_of_headers(tmp_path, authority):
    with running(SecureService(tmp_path, authority, "--header-timeout", "1")) as service:
        for sent in b"", h2.PREFACE[:10], h2.PREFACE:
            connection = h2.Connection(service.port, str(authority.certificate_path), preface=sent)
            begin = time.monotonic()
            connection.frames()
            assert connection.has_ended and time.monotonic() - begin < 5, sent
            connection.close()


# End of the process


def test_a_stopping_service_finishes_over_http2(tmp_path, authority):
    with running(SecureService(tmp_path, authority)) as service:
        connection = h2_connection(service)
        connection.send(get(1))
        assert connection.response(1).status == STATUS_200
        service.process.send_signal(signal.SIGTERM)
        assert h2.GOAWAY in [found[0] for found in connection.frames()]
        assert service.process.wait(20) == 0


def test_open_requests_finish_when_the_service_stops_and_new_ones_are_refused(tmp_path, authority):
    body = json.dumps({"identifier": {"type": "email_address", "value": "ada@example.com"}}).encode()
    with running(SecureService(tmp_path, authority, "--development")) as service:
        connection = h2_connection(service)
        connection.send(half(1) + h2.frame(h2.DATA, 0, 1, body[:10]))
        connection.read_for(0.3)
        service.process.send_signal(signal.SIGTERM)
        ping = connection.until(h2.PING, flags=0)
        connection.send(h2.frame(h2.PING, h2.ACK, 0, ping[3]))
        goaway = connection.until(h2.GOAWAY)
        assert int.from_bytes(goaway[3][:4], "big") == 1, "the last stream"
        connection.send(get(3))
        connection.send(h2.frame(h2.DATA, END_STREAM, 1, body[10:]))
        response = connection.response(1)
        assert response.has_ended and response.status[:1] not in (STATUS_400,)
        connection.frames()
        assert 3 not in connection.responses
        assert service.process.wait(20) == 0


def test_a_client_that_ignores_goaway_is_refused_and_cut(tmp_path, authority):
    with running(SecureService(tmp_path, authority)) as service:
        connection = h2_connection(service)
        connection.send(half(1))
        connection.read_for(0.3)
        service.process.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        # Without the answer to PING, the service cannot know what the client has seen. It still sends its request.
        for second in range(20):
            if second == 4:
                connection.send(get(3))
            if not connection.send(h2.frame(h2.DATA, 0, 1, b" ")) or connection.read_for(1).has_ended:
                break
        assert connection.resets.get(3) == REFUSED_STREAM and connection.has_ended
        assert service.process.wait(25) == 0
        assert 8 < time.monotonic() - begin < 20


def test_a_client_that_stops_in_the_middle_of_a_request_gets_408_when_the_service_stops(tmp_path, authority):
    with running(SecureService(tmp_path, authority)) as service:
        connection = h2_connection(service)
        connection.send(half(1) + h2.frame(h2.DATA, 0, 1, b"{"))
        connection.read_for(0.3)
        service.process.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        assert b"took too long" in connection.response(1).body
        assert service.process.wait(25) == 0
        assert time.monotonic() - begin < 8
