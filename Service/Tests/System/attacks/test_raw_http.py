"""Tests requests that no HTTP client sends, over a real socket: none causes a server error, and the service continues."""

import random
import re
import socket
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

BODY = b'{"identifier":{"type":"email_address","value":"ada@example.com"},"code_challenge":"' + b"A" * 43 + b'"}'
POST = (
    b"POST /v1/session/otp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: " + str(len(BODY)).encode() + b"\r\n\r\n" + BODY
)
CHUNKED = (
    b"POST /v1/session/refresh HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
)
GET = b"GET /v1/session/password/compliancy?a=b HTTP/1.1\r\nHost: localhost\r\nAccept-Language: de, en;q=0.5\r\n\r\n"
SEEDS = [POST, CHUNKED, GET, GET + POST]

WORDS = [
    b"\r\n", b"\n", b"\r", b"\0", b" ", b"\t", b"\r\n ", b":", b"HTTP/1.0", b"HTTP/2.0", b"HTTP/9.9", b"Host: \r\n",
    b"Host: other\r\n", b"Content-Length: 5\r\n", b"Content-Length: -1\r\n", b"Content-Length: 99999999999999999999\r\n",
    b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: gzip, chunked\r\n", b"Expect: 100-continue\r\n",
    b"Connection: close\r\n", b"Connection: upgrade\r\nUpgrade: h2c\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"ffffffff\r\n",
    b"%00", b"%ff", b"/../", b"//", b"?", b"#", b"*", b"http://elsewhere/", b"\xff\xfe", "é".encode(), b"a" * 5000, b"0",
]

STATUS = re.compile(rb"^HTTP/1\.[01] (\d{3}) ", re.MULTILINE)


def statuses(service, sent: bytes, patience: float = 1.0) -> list[int]:
    """Returns the statuses that are received until the service closes the connection or sends nothing more."""
    received = b""
    with socket.create_connection(("127.0.0.1", service.port), timeout=patience) as connection:
        try:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65536):
                received += part
        except OSError:
            pass  # The service closed the connection or sent nothing. Both are valid.
    return [int(status) for status in STATUS.findall(received)]


def mutated(chance: random.Random) -> bytes:
    text = bytearray(chance.choice(SEEDS))
    for _ in range(chance.randint(1, 6)):
        place = chance.randint(0, len(text))
        end = min(len(text), place + chance.randint(0, 16))
        kind = chance.randrange(5)
        if kind == 0:
            text[place:place] = bytes([chance.randrange(256)])
        elif kind == 1:
            del text[place:end]
        elif kind == 2:
            text[place:end] = chance.choice(WORDS)
        elif kind == 3:
            text[place:place] = chance.choice(WORDS)
        else:
            text[place:place] = text[place:end]
    return bytes(text)


def is_well(service) -> bool:
    with urllib.request.urlopen(service.url + "/livez", timeout=5) as answer:
        return answer.status == 200 and service.process.poll() is None


def test_no_mutated_request_causes_a_server_error(shared):
    chance = random.Random(1)
    requests = [mutated(chance) for _ in range(400)]
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda sent: statuses(shared, sent), requests))
    failed = [(sent, found) for sent, found in zip(requests, answers) if any(status >= 500 for status in found)]
    assert not failed
    # The mutation must be effective: some requests are still valid, and most are not.
    everything = [status for found in answers for status in found]
    assert everything.count(400) > 50 and any(status < 300 for status in everything)
    assert is_well(shared)
    assert "request failed" not in shared.log() and "Fatal error" not in shared.log()


def post(*lines: bytes, body: bytes = b"{}") -> bytes:
    return b"\r\n".join([b"POST /v1/session/refresh HTTP/1.1", b"Host: localhost", *lines, b"", body])


# Proves: N7
@pytest.mark.parametrize("sent", [
    pytest.param(post(b"Content-Length: 2", b"Content-Length: 3"), id="two lengths"),
    pytest.param(post(b"Content-Length: 2, 2"), id="two lengths in one"),
    pytest.param(post(b"Content-Length: +2"), id="a length with a sign"),
    pytest.param(post(b"Content-Length: 2", b"Transfer-Encoding: chunked", body=b"0\r\n\r\n"), id="a length and chunks"),
    pytest.param(post(b"Transfer-Encoding: chunked, gzip", body=b"0\r\n\r\n"), id="chunks that are not last"),
    pytest.param(post(b"Transfer-Encoding: ", body=b"0\r\n\r\n"), id="an empty coding"),
    pytest.param(post(b"Transfer-Encoding: ", b"Content-Length: 2"), id="an empty coding and a length"),
    pytest.param(post(b"Transfer-Encoding: gzip, chunked", body=b"0\r\n\r\n"), id="another coding before chunked"),
    pytest.param(post(b"Transfer-Encoding: chunked", body=b"zz\r\n{}\r\n0\r\n\r\n"), id="a chunk without a size"),
    pytest.param(post(b"Content-Length: 20"), id="a body that breaks off"),
    pytest.param(post(b"Content-Length : 2"), id="a space before the colon"),
    pytest.param(post(b"X-Note: a\0b", b"Content-Length: 2"), id="NUL in a header"),
    pytest.param(post(b": nameless", b"Content-Length: 2"), id="a header without a name"),
    pytest.param(b"GET /livez HTTP/1.1\r\nHost: a\r\n  b\r\n\r\n", id="a folded host"),
    pytest.param(b"GET /livez HTTP/1.1 \r\nHost: a\r\n\r\n", id="text after the version"),
    pytest.param(b"GET /hea lth HTTP/1.1\r\nHost: a\r\n\r\n", id="a space in the path"),
    pytest.param(b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", id="an endless path"),
    pytest.param(b"GET /livez HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 200_000 + b"\r\n\r\n", id="an endless header"),
])
def test_an_ambiguous_request_is_rejected(shared, sent):
    """Rejects requests in which a proxy could find other boundaries (request smuggling, RFC 9112 §5.1, §6.1, §6.3)."""
    found = statuses(shared, sent)
    assert len(found) <= 1 and all(400 <= status < 500 for status in found)
    assert is_well(shared)


def test_a_client_of_http_1_0_keeps_its_connection_if_it_asks(shared):
    """As `ab -k` does: it waits for the header and a length in each response, and sends the next request then."""
    paths = [b"/livez", b"/v1/session/password/compliancy", b"/absent", b"/readyz"] * 5
    with socket.create_connection(("127.0.0.1", shared.port), timeout=10) as connection, connection.makefile("rb") as answers:
        for path in paths:
            connection.sendall(b"GET " + path + b" HTTP/1.0\r\nConnection: Keep-Alive\r\nHost: localhost\r\n\r\n")
            assert answers.readline().startswith(b"HTTP/1.1 ")
            head = dict(
                line.lower().strip().split(b": ", 1) for line in iter(answers.readline, b"\r\n"))
            assert head[b"connection"] == b"keep-alive" and b"transfer-encoding" not in head, head
            assert len(answers.read(int(head[b"content-length"]))) > 0
        connection.sendall(b"GET /livez HTTP/1.0\r\nHost: localhost\r\n\r\n")
        assert b"connection: close" in answers.read().lower()
