"""Tests TLS in the process: versions, HTTP/2, replacement of the certificate, and limits that hold for HTTP/2, too."""

import contextlib
import datetime
import json
import shutil
import signal
import socket
import ssl
import subprocess
import time

import http2_frames as h2
import pytest
from certificate_authority import CertificateAuthority
from conftest import running
from service import BINARY, Service, free_port


class SecureService(Service):
    """A service with a certificate of the test authority."""

    def __init__(self, directory, authority: CertificateAuthority, *flags: str):
        self.authority = authority
        self.certificate = directory / "server.pem"
        self.replace_certificate()
        super().__init__(
            directory, "--tls-certificate", str(self.certificate), "--tls-key", str(self.certificate), *flags)
        self.url = f"https://localhost:{self.port}"

    def replace_certificate(self, **options) -> None:
        new = self.certificate.with_suffix(".new")
        shutil.copy(self.authority.server_chain(**options), new)
        new.rename(self.certificate)

    def start(self) -> None:
        log = open(self.directory / "service.log", "ab")
        self.process = subprocess.Popen(
            [BINARY, "serve", "--port", str(self.port), "--database", self.database, *self.flags],
            env={"PATH": "/usr/bin:/bin", "PRELUDE_SESSION_MANAGEMENT_KEY": self.key}, stdout=log, stderr=log,
            stdin=subprocess.DEVNULL)
        wait_until(lambda: curl(self, "/livez")[1] == 200 or self.process.poll() is not None)

    def serial(self) -> int:
        """Returns the number of the certificate of a new connection."""
        with self.connected() as connection:
            return int.from_bytes(connection.getpeercert(binary_form=True)[15:35], "big")

    def connected(self, *protocols: str) -> ssl.SSLSocket:
        context = ssl.create_default_context(cafile=str(self.authority.certificate_path))
        if protocols:
            context.set_alpn_protocols(list(protocols))
        return context.wrap_socket(
            socket.create_connection(("127.0.0.1", self.port), timeout=30), server_hostname="localhost")


def wait_until(holds, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def curl(service: SecureService, path: str, *options: str) -> tuple[str, int, str]:
    """Returns the version of HTTP, the status and the body."""
    run = subprocess.run(
        ["curl", "--silent", "--max-time", "10", "--cacert", str(service.authority.certificate_path), *options,
         "--write-out", "\n%{http_version} %{http_code}", service.url + path], capture_output=True, text=True)
    body, _, last = run.stdout.rpartition("\n")
    version, _, status = last.partition(" ")
    return version, int(status or 0), body


@pytest.fixture(scope="module")
def secure(tmp_path_factory, authority):
    with running(SecureService(tmp_path_factory.mktemp("secure"), authority)) as service:
        yield service


@pytest.mark.parametrize("option, version", [("--http2", "2"), ("--http1.1", "1.1")])
def test_http2_and_http1_serve_the_same(secure, option, version):
    assert curl(secure, "/health", option) == (version, 200, '{"status":"ok"}')
    assert curl(secure, "/livez", option)[:2] == (version, 200)
    assert json.loads(curl(secure, "/.well-known/jwks.json", option)[2])["keys"]
    body = json.dumps({"identifier": {"type": "email_address", "value": "ada@example.com"}})
    post = ["--data", body, "--header", "Content-Type: application/json"]
    assert curl(secure, "/v1/session/otp", option, *post)[:2] == (version, 204)
    # Without a length, which HTTP/2 does not need.
    post = ["--data-binary", "@-", "--header", "Content-Type: application/json", "--header", "Content-Length:"]
    assert curl(secure, "/v1/session/refresh", option, "--data", "{}")[1] in (400, 401, 415)
    assert curl(secure, "/absent", option)[1] == 404
    assert curl(secure, "/health", option, "--head")[:2] == (version, 200)


def test_a_login_over_http2_has_the_issuer_and_targets_of_the_public_url(secure):
    from device import Device
    from person import Person, new_email
    from transport import Transport

    class Trusting(Transport):
        """Sends each request with curl, which speaks HTTP/2."""

        def send(self, method, path, body=None, headers=()):
            import email
            options = ["--request", method, "--http2", "--include"]
            if method != "GET":
                options += ["--header", "Content-Type: application/json", "--data", "" if body is None else json.dumps(body)]
            for name, value in headers:
                options += ["--header", f"{name}: {value}"]
            version, status, text = curl(secure, path, *options)
            assert version == "2"
            head, _, content = text.partition("\n\n") if "\n\n" in text else text.partition("\r\n\r\n")
            from transport import Answer
            return Answer(status, email.message_from_string(head.partition("\n")[2]), content.encode())

    person = Person(secure)
    person.transport = Trusting(secure.url)
    person.mailboxes = [person.transport]
    person.device = Device(person.transport)
    address = new_email()
    started = person.device.start(address)
    assert started.status == 204
    checked = person.device.check(started.headers["X-Verification-Token"].strip(), person.code(address))
    person.keep(person.device.finalize(checked.json["challenge_token"]))
    person.refresh_token = person.refresh_token.strip()
    person.keep(person.device.refresh(person.refresh_token))


@pytest.mark.parametrize("version, works", [("-tls1", False), ("-tls1_1", False), ("-tls1_2", True), ("-tls1_3", True)])
def test_old_versions_of_tls_are_rejected(secure, version, works):
    run = subprocess.run(
        ["openssl", "s_client", "-connect", f"localhost:{secure.port}", version, "-alpn", "h2,http/1.1",
         "-cipher", "DEFAULT@SECLEVEL=0"], input="", capture_output=True, text=True, errors="replace", timeout=30)
    assert ("ALPN protocol: h2" in run.stdout) == works
    assert ("Cipher is (NONE)" not in run.stdout) == works


@pytest.mark.parametrize("how", ["change", "signal"])
def test_a_new_certificate_is_used_for_new_connections_and_closes_none(tmp_path, authority, how):
    with running(SecureService(tmp_path, authority)) as service:
        before = service.serial()
        with service.connected("http/1.1") as old:
            service.replace_certificate()
            if how == "signal":
                service.process.send_signal(signal.SIGHUP)
            wait_until(lambda: service.serial() != before)
            old.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert old.recv(4096).startswith(b"HTTP/1.1 200")


def test_a_broken_certificate_keeps_the_last_one(tmp_path, authority):
    with running(SecureService(tmp_path, authority)) as service:
        before = service.serial()
        service.certificate.write_text("broken")
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "the last one stays" in service.log())
        assert service.serial() == before
        service.replace_certificate()
        wait_until(lambda: service.serial() != before)


def test_sighup_does_not_end_a_service_without_tls(service):
    service.process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    assert service.process.poll() is None
    assert service.stop() == 0


def check(directory, *flags: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [BINARY, "check", "--development", "--port", str(free_port()), "--database", f"sqlite:{directory}/a.sqlite", *flags],
        capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})


def test_check_names_what_is_wrong_with_a_certificate(tmp_path, authority):
    chain, other = str(authority.server_chain()), str(authority.server_chain())
    noise = tmp_path / "noise.pem"
    noise.write_text("noise")
    cases = [
        (["--tls-certificate", chain], "tlsKey"), (["--tls-key", chain], "tlsCertificate"),
        (["--tls-certificate", f"{tmp_path}/absent.pem", "--tls-key", chain], "does not exist"),
        (["--tls-certificate", str(noise), "--tls-key", chain], "has no certificate in PEM format"),
        (["--tls-certificate", chain, "--tls-key", str(noise)], "has no private key in PEM format"),
        (["--tls-certificate", chain, "--tls-key", other], "is not the key of the first certificate"),
    ]
    for flags, problem in cases:
        run = check(tmp_path, *flags)
        assert run.returncode != 0 and problem in run.stderr, (flags, run.stderr)
    assert check(tmp_path, "--tls-certificate", chain, "--tls-key", chain).returncode == 0
    expired = str(authority.server_chain(valid_for=datetime.timedelta(days=-1)))
    run = check(tmp_path, "--tls-certificate", expired, "--tls-key", expired)
    assert run.returncode == 0 and "the TLS certificate expired at" in run.stdout


def test_a_handshake_that_never_ends_is_closed_at_the_deadline_of_headers(tmp_path, authority):
    with running(SecureService(tmp_path, authority, "--header-timeout", "1")) as service:
        with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
            connection.sendall(b"\x16\x03\x01")
            begin = time.monotonic()
            with contextlib.suppress(ConnectionResetError):
                assert connection.recv(100) == b""
            assert time.monotonic() - begin < 5
        assert "the TLS handshake took too long" in service.log()


def test_plain_http_at_a_port_with_tls_is_closed(secure):
    with socket.create_connection(("127.0.0.1", secure.port), timeout=20) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        with contextlib.suppress(ConnectionResetError):
            assert not connection.recv(4096).startswith(b"HTTP")


def answered(connection: h2.Connection, stream: int) -> bool:
    """Reads until a request has its response or the connection ends."""
    while found := connection.frame():
        if found[0] == h2.HEADERS and found[2] == stream:
            return True
        if found[0] == h2.GOAWAY:
            return False
    return False


def h2_connection(service) -> h2.Connection:
    return h2.Connection(service.port, str(service.authority.certificate_path))


def goes_on(service) -> None:
    connection = h2_connection(service)
    connection.send(h2.frame(h2.HEADERS, h2.END_STREAM | h2.END_HEADERS, 1, h2.request(b"GET", b"/health")))
    assert answered(connection, 1)
    connection.close()


def flood(service, pieces) -> list:
    """Sends the pieces until the service takes no more. Returns the kinds of the frames that it sends until GOAWAY."""
    connection = h2_connection(service)
    for piece in pieces:
        if not connection.send(piece):
            break
    kinds = []
    while h2.GOAWAY not in kinds and (found := connection.frame()):
        kinds.append(found[0])
    connection.close()
    return kinds


def resets(count: int):
    for stream in range(1, 2 * count, 2):
        yield (
            h2.frame(h2.HEADERS, h2.END_STREAM | h2.END_HEADERS, stream, h2.request(b"GET", b"/absent"))
            + h2.frame(h2.RST_STREAM, 0, stream, (8).to_bytes(4, "big")))


FLOODS = {
    "requests that are cancelled at once": lambda: resets(2000),
    "settings": lambda: (h2.frame(h2.SETTINGS, 0, 0) for _ in range(2000)),
    "pings": lambda: (h2.frame(h2.PING, 0, 0, b"12345678") for _ in range(2000)),
    "continuations": lambda: [
        h2.frame(h2.HEADERS, h2.END_STREAM, 1, h2.request(b"GET", b"/health")),
        *(h2.frame(h2.CONTINUATION, 0, 1, h2.block((b"x", b"y"))) for _ in range(200))],
    "empty data": lambda: [
        h2.frame(h2.HEADERS, h2.END_HEADERS, 1, h2.request(b"POST", b"/v1/session/otp")),
        *(h2.frame(h2.DATA, 0, 1) for _ in range(200))],
    "long headers": lambda: [
        h2.frame(
            h2.HEADERS, h2.END_STREAM | h2.END_HEADERS, 1,
            h2.request(b"GET", b"/health", *[(b"x%d" % index, b"y" * 100) for index in range(130)])),
        h2.frame(99, 0, 0)],
}


@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_over_http2_ends_its_connection_or_is_rejected_and_harms_no_other(secure, name):
    if name == "long headers":
        connection = h2_connection(secure)
        for piece in FLOODS[name]():
            connection.send(piece)
        kind, _, _, payload = next(
            (found for found in iter(connection.frame, None) if found[0] in (h2.HEADERS, h2.RST_STREAM, h2.GOAWAY)),
            (h2.GOAWAY, 0, 0, b""))
        # HEADERS begins with the status: 431 in full, as the name is indexed and the value is not.
        assert kind != h2.HEADERS or b"\x88" != payload[:1], "the request was served"
        connection.close()
    else:
        assert h2.GOAWAY in flood(secure, FLOODS[name]())
    goes_on(secure)


def test_a_connection_has_a_bounded_number_of_requests_at_once(secure):
    connection = h2_connection(secure)
    half = h2.request(b"POST", b"/v1/session/otp", (b"content-type", b"application/json"))
    for stream in range(1, 2 * 200, 2):
        connection.send(h2.frame(h2.HEADERS, h2.END_HEADERS, stream, half))
    connection.send(h2.frame(h2.PING, 0, 0, b"12345678"))
    rejected = set()
    while found := connection.frame():
        if found[0] == h2.RST_STREAM:
            rejected.add(found[2])
        if found[0] in (h2.GOAWAY, h2.PING):
            break
    assert len(rejected) >= 100 or found is None or found[0] == h2.GOAWAY
    connection.close()
    goes_on(secure)


def test_the_deadlines_hold_for_requests_of_http2(tmp_path, authority):
    with running(SecureService(tmp_path, authority, "--body-timeout", "1", "--idle-timeout", "2")) as service:
        connection = h2_connection(service)
        half = h2.request(b"POST", b"/v1/session/otp", (b"content-type", b"application/json"))
        connection.send(h2.frame(h2.HEADERS, h2.END_HEADERS, 1, half))
        assert answered(connection, 1), "408"
        begin = time.monotonic()
        assert connection.frames() is not None
        assert time.monotonic() - begin < 15, "an idle connection ends"


def test_a_stopping_service_finishes_over_http2(tmp_path, authority):
    with running(SecureService(tmp_path, authority)) as service:
        connection = h2_connection(service)
        connection.send(h2.frame(h2.HEADERS, h2.END_STREAM | h2.END_HEADERS, 1, h2.request(b"GET", b"/health")))
        assert answered(connection, 1)
        service.process.send_signal(signal.SIGTERM)
        assert h2.GOAWAY in [found[0] for found in connection.frames()]
        assert service.process.wait(20) == 0
