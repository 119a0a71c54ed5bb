"""Tests TLS in the process: versions, the protocols, replacement of the certificate, and the handshake."""

import contextlib
import datetime
import json
import os
import signal
import socket
import ssl
import subprocess
import time

import pytest
from secure_service import SecureService, curl
from service import BINARY, running
from sockets import free_port
from waiting import wait_until


@pytest.fixture(scope="module")
def secure(tmp_path_factory, authority):
    with running(SecureService(tmp_path_factory.mktemp("secure"), authority)) as service:
        yield service


@pytest.mark.parametrize("option, version", [("--http2", "2"), ("--http1.1", "1.1")])
def test_http2_and_http1_serve_the_same(secure, option, version):
    assert curl(secure, "/livez", option) == (version, 200, '{"status":"ok"}')
    wait_until(lambda: curl(secure, "/health", option) == (version, 200, '{"status":"ok"}'))
    assert json.loads(curl(secure, "/.well-known/jwks.json", option)[2])["keys"]
    body = json.dumps({"identifier": {"type": "email_address", "value": "ada@example.com"}})
    post = ["--data", body, "--header", "Content-Type: application/json"]
    assert curl(secure, "/v1/session/otp", option, *post)[:2] == (version, 204)
    # Without a length, which HTTP/2 does not need.
    post = ["--data-binary", "@-", "--header", "Content-Type: application/json", "--header", "Content-Length:"]
    assert curl(secure, "/v1/session/refresh", option, "--data", "{}")[1] in (400, 401, 415)
    assert curl(secure, "/absent", option)[1] == 404
    assert curl(secure, "/livez", option, "--head")[:2] == (version, 200)


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


# Proves: N4
@pytest.mark.parametrize("version, works", [("-tls1", False), ("-tls1_1", False), ("-tls1_2", True), ("-tls1_3", True)])
def test_old_versions_of_tls_are_rejected(secure, version, works):
    run = subprocess.run(
        ["openssl", "s_client", "-connect", f"localhost:{secure.port}", version, "-alpn", "h2,http/1.1",
         "-cipher", "DEFAULT@SECLEVEL=0"], input="", capture_output=True, text=True, errors="replace", timeout=30)
    assert ("ALPN protocol: h2" in run.stdout) == works
    assert ("Cipher is (NONE)" not in run.stdout) == works


# Proves: N5
@pytest.mark.parametrize("how", ["change", "signal"])
def test_a_new_certificate_is_used_for_new_connections_and_closes_none(tmp_path, authority, how):
    with running(SecureService(tmp_path, authority)) as service:
        before = service.serial()
        with service.connected("http/1.1") as old:
            service.replace_certificate()
            if how == "signal":
                service.process.send_signal(signal.SIGHUP)
            wait_until(lambda: service.serial() != before)
            old.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert old.recv(4096).startswith(b"HTTP/1.1 200")


def test_a_session_of_the_old_certificate_is_not_resumed(tmp_path, authority):
    """A resumed handshake shows no certificate, so its client would never see that the certificate was replaced."""
    context = ssl.create_default_context(cafile=str(authority.certificate_path))
    context.maximum_version = ssl.TLSVersion.TLSv1_2

    def connect(session=None):
        with context.wrap_socket(
                socket.create_connection(("127.0.0.1", service.port), timeout=30), server_hostname="localhost",
                session=session) as connection:
            return connection.session, connection.session_reused

    with running(SecureService(tmp_path, authority)) as service:
        before = service.serial()
        session, _ = connect()
        assert connect(session)[1]
        service.replace_certificate()
        wait_until(lambda: service.serial() != before)
        assert not connect(session)[1]


# Proves: N5
def test_a_broken_certificate_keeps_the_last_one(tmp_path, authority):
    with running(SecureService(tmp_path, authority)) as service:
        before = service.serial()
        service.certificate.write_text("broken")
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "the last one stays" in service.log())
        assert service.serial() == before
        service.replace_certificate()
        wait_until(lambda: service.serial() != before)


# Proves: N5
def test_a_key_of_another_certificate_keeps_the_last_one_and_the_log_says_why(tmp_path, authority):
    with running(SecureService(tmp_path, authority)) as service:
        before = service.serial()
        key = authority.server_chain().read_text().partition("-----BEGIN CERTIFICATE")[0]
        certificate = authority.server_chain().read_text().partition("-----END PRIVATE KEY-----")[2]
        service.certificate.write_text(key + certificate)
        wait_until(lambda: "is not the key of the first certificate" in service.log())
        assert service.serial() == before


def test_a_certificate_that_expires_while_the_service_runs_is_an_error_and_leaves_it_ready(tmp_path, authority):
    with running(SecureService(tmp_path, authority, "--development")) as service:
        assert json.loads(curl(service, "/readyz")[2])["reasons"] == {}
        service.replace_certificate(valid_for=datetime.timedelta(seconds=9))
        wait_until(lambda: "read the TLS certificate again" in service.log())
        assert "expired" not in service.log()
        wait_until(lambda: "the TLS certificate expired at" in service.log())
        line = next(line for line in service.log().splitlines() if "the TLS certificate expired at" in line)
        assert "error" in line
        wait_until(lambda: "certificate" in curl(service, "/readyz", "--insecure")[2])
        _, status, body = curl(service, "/readyz", "--insecure")
        assert status == 200 and json.loads(body)["reasons"]["certificate"]["level"] == "warning"
        # The log names the reason once more, as it does for each change of readiness.
        service.replace_certificate()
        wait_until(lambda: json.loads(curl(service, "/readyz", "--insecure")[2])["reasons"] == {})


# Proves: N5
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
    for mode, warns in (0o644, True), (0o640, False):
        os.chmod(chain, mode)
        run = check(tmp_path, "--tls-certificate", chain, "--tls-key", chain)
        assert run.returncode == 0 and (f"can read {chain}, which contains secrets" in run.stdout) == warns, run.stdout
    expired = str(authority.server_chain(valid_for=datetime.timedelta(days=-1)))
    run = check(tmp_path, "--tls-certificate", expired, "--tls-key", expired)
    assert run.returncode == 0 and "the TLS certificate expired at" in run.stdout
    many = tmp_path / "many.pem"
    many.write_text("\n".join(open(path).read() for path in [chain] * 11))
    run = check(tmp_path, "--tls-certificate", str(many), "--tls-key", chain)
    assert run.returncode == 0 and "has 11 certificates" in run.stdout


def test_check_and_the_start_warn_of_a_certificate_for_another_host(tmp_path, authority):
    def warned(name: str, url: str, *flags: str) -> str:
        chain = str(authority.server_chain(name))
        os.chmod(chain, 0o640)
        run = subprocess.run(
            [BINARY, "check", "--public-url", url, "--default-app", "abc1234", "--port", str(free_port()), "--database",
             f"sqlite:{tmp_path}/a.sqlite", "--tls-certificate", chain, "--tls-key", chain, *flags],
            capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})
        assert run.returncode == 0, run.stderr
        return run.stdout if "the TLS certificate" in run.stdout else ""

    found = warned("www.example.com", "https://auth.example.com")
    assert "is for www.example.com, and not for the host of publicUrl https://auth.example.com: clients reject it" in found
    assert warned("auth.example.com", "https://auth.example.com") == ""
    assert warned("*.example.com", "https://{app_id}.example.com") == ""
    assert warned("*.example.com", "https://{app_id}.auth.example.com")
    assert "is for localhost, 127.0.0.1, and" in warned("localhost", "https://auth.example.com")
    # A proxy may connect by another name.
    assert warned("inside.example.com", "https://auth.example.com", "--trusted-proxy", "10.0.0.1") == ""
    with running(SecureService(tmp_path, authority, "--development", "--public-url", "https://auth.example.com")) as service:
        assert "and not for the host of publicUrl https://auth.example.com" in service.log()


# Proves: N4
def test_a_handshake_that_never_ends_is_closed_at_the_deadline_of_headers(tmp_path, authority):
    with running(SecureService(tmp_path, authority, "--header-timeout", "1")) as service:
        with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
            connection.sendall(b"\x16\x03\x01")
            begin = time.monotonic()
            with contextlib.suppress(ConnectionResetError):
                assert connection.recv(100) == b""
            assert time.monotonic() - begin < 5
        assert "the TLS handshake took too long" in service.log()


@pytest.mark.parametrize(("protocol", "preface"), [
    ("http/1.1", b""), ("h2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")])
def test_a_connection_without_a_request_is_neither_a_slow_header_nor_a_slow_handshake(tmp_path, authority, protocol, preface):
    """Browsers open connections that they may not need. With HTTP/2, they send the preface (RFC 9113 3.4)."""
    with running(SecureService(tmp_path, authority, "--header-timeout", "1", "--idle-timeout", "1")) as service:
        with service.connected(protocol) as connection, contextlib.suppress(OSError):
            connection.sendall(preface)
            while connection.recv(4096):
                pass
        assert "took too long" not in service.log()


def test_plain_http_at_a_port_with_tls_is_closed(secure):
    with socket.create_connection(("127.0.0.1", secure.port), timeout=20) as connection:
        connection.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        with contextlib.suppress(ConnectionResetError):
            assert not connection.recv(4096).startswith(b"HTTP")
