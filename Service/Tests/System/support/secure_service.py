"""A service with TLS, and its foreign client curl."""

import shutil
import socket
import ssl
import subprocess

from certificate_authority import CertificateAuthority
from service import BINARY, Service
from waiting import wait_until


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
            env={"PATH": "/usr/bin:/bin", "PRELUDE_SESSION_MANAGEMENT_KEY": self.key},
            stdout=log, stderr=log, stdin=subprocess.DEVNULL)
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


def curl(service: SecureService, path: str, *options: str) -> tuple[str, int, str]:
    """Returns the version of HTTP, the status and the body."""
    run = subprocess.run(
        ["curl", "--silent", "--max-time", "10", "--cacert", str(service.authority.certificate_path), *options,
         "--write-out", "\n%{http_version} %{http_code}", service.url + path], capture_output=True, text=True)
    body, _, last = run.stdout.rpartition("\n")
    version, _, status = last.partition(" ")
    return version, int(status or 0), body
