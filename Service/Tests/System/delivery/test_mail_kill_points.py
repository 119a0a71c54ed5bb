"""Tests that a code arrives although the service is killed at any point of its delivery to a mail server."""

import email
import email.policy
import re

import pytest

from device import Device
from mail_servers import FaultyMailServer, MailServer
from providers import smtp
from service import Service
from transport import Transport
from waiting import wait_until

APP = "mailapp"
ADDRESS = "ada@example.com"

#: The command whose answer the mail server holds back, and the commands that it has received by then.
POINTS = {
    "CONNECT": [], "EHLO": ["EHLO"], "STARTTLS": ["EHLO", "STARTTLS"], "EHLO2": ["EHLO", "STARTTLS", "EHLO"],
    "AUTH": ["AUTH"], "MAIL": ["MAIL"], "RCPT": ["MAIL", "RCPT"], "DATA": ["RCPT", "DATA"], "CONTENT": ["RCPT", "DATA"],
}


@pytest.fixture
def mailing(tmp_path, authority, monkeypatch):
    """Returns a service outside development, and a function that starts it with the mail server at a port."""
    service = Service(
        tmp_path, "--public-url", "https://session.example.com", "--default-app", APP, "--egress-network",
        "127.0.0.0/8", "--egress-network", "::1", "--egress-trust-roots", str(authority.certificate_path),
        development=False)
    made = service.run("app", "create", "Mail", "--id", APP, "--email")
    assert made.returncode == 0, made.stderr

    def start(port: int) -> None:
        for name, value in smtp(port).items():
            monkeypatch.setenv("PRELUDE_SESSION_" + name, value)
        service.start()

    yield service, start
    if service.process and service.process.poll() is None:
        service.kill()


def let_time_pass(service: Service, change: str) -> None:
    """Changes the messages of a service that is not running, as if time had passed."""
    service.sql(f"UPDATE messages SET {change} WHERE status = 'pending'")


def ask(service: Service) -> str:
    answer = Device(Transport(service.url)).start(ADDRESS)
    assert answer.status == 204, answer
    return answer.headers["X-Verification-Token"]


def is_reached(server: FaultyMailServer, commands: list[str]) -> bool:
    received = list(server.commands)
    return server.connections > 0 and all(received.count(name) >= commands.count(name) for name in commands)


# Proves: M1
@pytest.mark.parametrize("point", POINTS)
def test_a_code_arrives_although_the_service_is_killed_at_this_point(mailing, authority, point):
    service, start = mailing
    tls = authority.server_context()
    with FaultyMailServer(tls, "stall", point) as silent:
        start(silent.port)
        token = ask(service)
        wait_until(lambda: is_reached(silent, POINTS[point]))
        service.kill()
    let_time_pass(service, "next_attempt_at = 0")
    with MailServer(tls) as server:
        start(server.port)
        mail = server.mails.get(timeout=10)
        text = email.message_from_bytes(mail.content, policy=email.policy.default).get_body(("plain",)).get_content()
        code = re.search(r"\b\d{6}\b", text).group()
        assert Device(Transport(service.url)).check(token, code).status == 200
        assert server.mails.empty(), "the code arrives once"


# Proves: M1
@pytest.mark.parametrize("point", ["CONNECT", "CONTENT"])
def test_no_code_arrives_after_its_expiry(mailing, authority, point):
    service, start = mailing
    tls = authority.server_context()
    with FaultyMailServer(tls, "stall", point) as silent:
        start(silent.port)
        ask(service)
        wait_until(lambda: is_reached(silent, POINTS[point]))
        service.kill()
    let_time_pass(service, "next_attempt_at = 0, expires_at = 1")
    with MailServer(tls) as server:
        start(server.port)
        wait_until(lambda: service.run("events", "--name", "code.failed").stdout.strip())
        assert server.mails.empty() and server.connections == 0
