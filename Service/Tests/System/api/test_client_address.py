"""Tests from which address a request is, behind a proxy that adds its lines to those of the client and removes none."""

import json
import re
import socket
import subprocess
import threading
import urllib.request

import pytest

from service import Service, running
from sockets import free_port
from waiting import wait_until

PROXY, CLIENT, FORGED = "127.0.0.1", "203.0.113.7", "198.51.100.1"
BODY = b"{}"


class RawProxy:
    """Adds lines to the headers of each request, and passes everything else."""

    def __init__(self, service: Service, *lines: str):
        self._service, self._lines = service, lines
        self._socket = socket.create_server((PROXY, free_port(PROXY)))
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> "RawProxy":
        return self

    def __exit__(self, *_) -> None:
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            with client, socket.create_connection((PROXY, self._service.port), timeout=10) as server:
                received = b""
                while BODY not in received:
                    received += client.recv(65536)
                first, rest = received.split(b"\r\n", 1)
                server.sendall(b"\r\n".join([first, *(line.encode() for line in self._lines), rest]))
                while part := server.recv(65536):
                    client.sendall(part)

    def send(self, *lines: str) -> str:
        """Sends a request with these headers of a client, and returns the address in the line of the log."""
        before = len(requests(self._service))
        head = ["POST /v1/session/otp HTTP/1.1", "Host: abc1234.example.com", "Connection: close",
                "Content-Type: application/json", f"Content-Length: {len(BODY)}", *lines, "", ""]
        with socket.create_connection(self._socket.getsockname(), timeout=10) as connection:
            connection.sendall("\r\n".join(head).encode() + BODY)
            while connection.recv(65536):
                pass
        return wait_until(lambda: requests(self._service)[before:])[0]


def requests(service: Service) -> list[str]:
    """Returns the addresses of the requests in the log."""
    return re.findall(r" request .*\baddress=(\S+)", service.log())


def complaints(service: Service) -> list[str]:
    return [line for line in service.log().splitlines() if "sends requests without the address of their client in" in line
            and "ready, with warnings" not in line]


def behind_proxy(directory, *flags: str) -> Service:
    port = free_port()
    service = Service(
        directory, "--trusted-proxy", PROXY, "--public-url", "https://{app_id}.example.com", "--management-port", str(port),
        *flags, development=False)
    service.management = f"http://{PROXY}:{port}"
    return service


def readiness(service: Service) -> dict:
    with urllib.request.urlopen(service.management + "/readyz", timeout=10) as answer:
        return json.load(answer)


# Proves: N9
def test_forwarding_headers_of_an_untrusted_address_are_reported_once(tmp_path):
    port = free_port()
    with running(Service(tmp_path, "--management-port", str(port))) as service:
        for _ in range(3):
            for url in (service.url, f"http://127.0.0.1:{port}"):
                subprocess.run(
                    ["curl", "--silent", "--output", "/dev/null", "-H", "X-Forwarded-For: 198.51.100.1", url + "/nowhere"],
                    check=True, timeout=10)
        lines = [line for line in service.log().splitlines() if "forwarding header" in line]
        assert len(lines) == 1
        assert "--trusted-proxy" in lines[0] and re.search(r"address=(127\.0\.0\.1|::1)\b", lines[0])
        assert "header=X-Forwarded-For" in lines[0]


# Proves: N10
@pytest.mark.parametrize(("header", "line"), [
    ("X-Forwarded-For", f"X-Forwarded-For: {CLIENT}"), ("Forwarded", f'Forwarded: for="{CLIENT}:4711";proto=https'),
    ("X-Real-IP", f"X-Real-IP: {CLIENT}"), ("CF-Connecting-IP", f"CF-Connecting-IP: {CLIENT}")])
def test_the_configured_header_names_the_client_and_no_other_one_does(tmp_path, header, line):
    forged = [
        part for name, part in [
            ("X-Forwarded-For", f"X-Forwarded-For: {FORGED}"), ("Forwarded", f"Forwarded: for={FORGED}"),
            ("X-Real-IP", f"X-Real-IP: {FORGED}")] if name != header]
    with running(behind_proxy(tmp_path, "--client-address-header", header)) as service:
        with RawProxy(service, line) as proxy:
            assert proxy.send() == CLIENT
            assert proxy.send(*forged) == CLIENT
        assert complaints(service) == [] and readiness(service) == {"reasons": {}, "status": "ready"}


# Proves: N11
def test_a_trusted_proxy_without_the_address_of_its_client_is_reported_whatever_the_client_sends(tmp_path):
    """A client that sent Forwarded chose its address, and kept the warning away."""
    with running(behind_proxy(tmp_path)) as service, RawProxy(service, f"X-Real-IP: {CLIENT}") as proxy:
        assert readiness(service) == {"reasons": {}, "status": "ready"}
        assert proxy.send(f"Forwarded: for={FORGED}") == PROXY
        [line] = complaints(service)
        assert f"the trusted proxy {PROXY} " in line and "X-Forwarded-For" in line and "clientAddressHeader" in line
        assert proxy.send("X-Forwarded-For: unknown") == PROXY
        assert len(complaints(service)) == 1
        reason = wait_until(lambda: readiness(service)["reasons"].get("client_address"))
        assert reason["level"] == "warning" and f"the trusted proxy {PROXY} " in reason["message"]
        assert readiness(service)["status"] == "ready"


# Proves: N10
def test_a_header_with_one_address_is_no_address_if_the_client_may_have_sent_it(tmp_path):
    with running(behind_proxy(tmp_path, "--client-address-header", "X-Real-IP")) as service:
        with RawProxy(service, f"X-Real-IP: {CLIENT}") as proxy:
            assert proxy.send(f"X-Real-IP: {FORGED}") == PROXY
        with RawProxy(service, f"X-Real-IP: {FORGED}, {CLIENT}") as proxy:
            assert proxy.send() == PROXY
        assert len(complaints(service)) == 1
