"""Routes of mail and SMS from the environment, for `prelude-session delivery test` and a service."""

import contextlib
import os
import pathlib
import subprocess
from typing import Iterator

from mail_servers import PASSWORD, USER
from service import BINARY, Service

PREFIX = "PRELUDE_SESSION_"


def smtp(port: int, prefix: str = "EMAIL_", **changes: str | None) -> dict[str, str]:
    """Returns the settings of a mail route. A change to None removes a setting."""
    settings = {
        "ROUTE": "smtp", "HOST": "localhost", "PORT": str(port), "USERNAME": USER, "SECRET": PASSWORD,
        "FROM": "Example <login@example.com>"} | changes
    return {prefix + name: value for name, value in settings.items() if value is not None}


def delivery_test(
    to: str, settings: dict[str, str], authority: pathlib.Path | None, *arguments: str, allows_loopback: bool = True,
) -> subprocess.CompletedProcess:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    if allows_loopback:
        settings = {"EGRESS_NETWORKS": "127.0.0.0/8,::1"} | settings
    if authority:
        settings = {"EGRESS_TRUST_ROOTS": str(authority)} | settings
    environment |= {PREFIX + name: value for name, value in settings.items()}
    # A proxy would resolve the name of the server itself.
    environment |= {"ALL_PROXY": "http://127.0.0.1:9", "smtp_proxy": "http://127.0.0.1:9"}
    return subprocess.run(
        [BINARY, "delivery", "test", "--to", to, *arguments], env=environment, capture_output=True, text=True, timeout=60)


def lines(result: subprocess.CompletedProcess) -> dict[str, str]:
    """Returns the lines of the last route by their labels: `{"DNS": "ok localhost is …", …}`."""
    last = result.stdout.rsplit("Route ", 1)[-1].splitlines()[1:]
    pairs = [line.strip().split(maxsplit=1) for line in last]
    return {label: " ".join(text.split()) for label, text in pairs}


@contextlib.contextmanager
def delivering_service(
    directory: pathlib.Path, authority, monkeypatch, settings: dict[str, str], *channels: str) -> Iterator[Service]:
    """A running service with these routes, and an app with logins by code."""
    service = Service(
        directory, "--public-url", "https://session.example.com", "--default-app", "mailapp", "--egress-network",
        "127.0.0.0/8", "--egress-network", "::1", "--egress-trust-roots", str(authority.certificate_path))
    service.app = "mailapp"
    made = service.run("app", "create", "Mail", "--id", service.app, *channels)
    assert made.returncode == 0, made
    for name, value in settings.items():
        monkeypatch.setenv(PREFIX + name, value)
    service.start()
    try:
        yield service
    finally:
        service.kill()
