"""Provokes alerts with a real Prometheus that scrapes a real service. Its minutes are seconds, and less.

All rules have tests with invented series, with their real times (Packaging/prometheus/alerts_test.yml).
"""

import json
import pathlib
import re
import subprocess
import urllib.request

import pytest

import postgres
from device import Device
from mail_servers import MailServer
from person import Person, new_email, send_refresh
from programs import of_prometheus
from providers import smtp
from service import ROOT, Service, running
from sockets import free_port
from strangers import fail, stranger
from waiting import wait_until

RULES = (ROOT / "Packaging" / "prometheus" / "alerts.yml").read_text()

#: How many times faster than the rules the time of the test is. Two minutes are two seconds.
SPEED = 60


def compressed(rules: str) -> str:
    """Windows and waiting times in milliseconds, SPEED times shorter. Numbers that Prometheus compares stay."""
    def shorter(match: re.Match) -> str:
        seconds = int(match[2]) * {"s": 1, "m": 60, "h": 3600}[match[3]]
        return f"{match[1]}{max(2000, seconds * 1000 // SPEED)}ms"
    rules = re.sub(r"(\[)(\d+)([smh])(?=\])", shorter, rules)
    return re.sub(r"(for: )(\d+)([smh])", lambda match: f"for: {int(match[2]) * 1000 // 60}ms", rules)


class Prometheus:
    """A server that scrapes the service every 200 milliseconds, inside a `with` block."""

    def __init__(self, folder: pathlib.Path, service: Service):
        self.url = f"http://127.0.0.1:{free_port()}"
        self.folder = folder
        (folder / "alerts.yml").write_text(compressed(RULES))
        (folder / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "200ms", "scrape_timeout": "200ms", "evaluation_interval": "200ms"},
            "rule_files": ["alerts.yml"],
            "scrape_configs": [{
                "job_name": "prelude-session", "static_configs": [{"targets": [f"127.0.0.1:{service.port}"]}],
                "authorization": {"credentials": service.key}}]}))

    def __enter__(self) -> "Prometheus":
        program = of_prometheus("prometheus")
        self.process = subprocess.Popen(
            [program, f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data",
             f"--web.listen-address={self.url.removeprefix('http://')}", "--log.level=error"],
            stdin=subprocess.DEVNULL)
        wait_until(lambda: self.has_scraped(), 20)
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait(10)

    def get(self, path: str) -> dict:
        with urllib.request.urlopen(self.url + path, timeout=5) as answer:
            return json.load(answer)["data"]

    def has_scraped(self) -> bool:
        try:
            return bool(self.get("/api/v1/query?query=prelude_session_ready")["result"])
        except OSError:
            return False

    def firing(self) -> set[str]:
        return {
            alert["labels"]["alertname"] for alert in self.get("/api/v1/alerts")["alerts"] if alert["state"] == "firing"}

    def expect(self, alert: str, meanwhile=lambda: None) -> None:
        def fires() -> bool:
            meanwhile()
            return alert in self.firing()
        wait_until(fires, 40)


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory, authority):
    """A service, and the server that watches it. The last test ends the service."""
    tmp_path = tmp_path_factory.mktemp("watched")
    with MailServer(authority.server_context()) as server:
        service = Service(
            tmp_path, "--egress-trust-roots", str(authority.certificate_path), "--egress-network", "127.0.0.0/8",
            "--egress-network", "::1")
        # The password of the mail server is wrong.
        service.variables = smtp(server.port, prefix="PRELUDE_SESSION_EMAIL_", SECRET="wrong")
        with running(service), Prometheus(tmp_path, service) as prometheus:
            prometheus.service = service
            yield prometheus


def test_a_wrong_password_for_mail_pages_while_one_code_is_tried(prometheus):
    device = Person(prometheus.service).device
    assert "PreludeSessionMessagesFail" not in prometheus.firing()
    assert device.start(new_email()).status == 204
    # The window is two seconds here, so attempts must follow each other faster than for one code.
    prometheus.expect("PreludeSessionMessagesFail", lambda: device.start(new_email()))
    prometheus.expect("PreludeSessionHealthWarning")


def test_attacks_and_defects_of_clients_page(prometheus):
    service = prometheus.service
    person = Person.signed_in(service)

    def use_a_spent_token() -> None:
        owner, thief = Person.signed_in(service), Device(person.transport)
        [(spent, attempt)] = owner.rotate()
        assert send_refresh(thief, spent, attempt).status == 401

    prometheus.expect("PreludeSessionTokensReused", use_a_spent_token)

    prometheus.expect("PreludeSessionLoginsFail", lambda: fail(service, stranger(service), new_email(), 5))
    prometheus.expect("PreludeSessionProofsRejected", lambda: person.device.send_with("no proof", "POST", "/v1/session/refresh", None))


@postgres.only_embedded
def test_a_lost_database_and_a_lost_service_page(prometheus):
    service, device = prometheus.service, Person(prometheus.service).device
    pathlib.Path(service.database.removeprefix("sqlite:")).rename(service.directory / "moved")
    for alert in ("PreludeSessionNotReady", "PreludeSessionErrors"):
        prometheus.expect(alert, lambda: device.start(new_email()))
    service.kill()
    prometheus.expect("PreludeSessionDown")
