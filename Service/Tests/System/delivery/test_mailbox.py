"""Tests that the mailbox of development mode is shown only for this machine, which prevents DNS rebinding."""

import http.client
import json

import pytest

from operator_api import Management
from service import APP, Service, running

DOMAIN = "login.shop.example"


@pytest.fixture(scope="module")
def development(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("mailbox"))
    # If the service has a public URL with {app_id}, apps have names below it.
    service.flags += ["--public-url", f"http://{{app_id}}.session.test:{service.port}"]
    with running(service):
        Management(service).expect(200, "PATCH", "", {"domains": [DOMAIN]})
        yield service


def get(service: Service, path: str, *headers: tuple[str, str]) -> tuple[int, bytes]:
    """Connects to the loopback with any Host, as a browser does after DNS rebinding."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=10)
    try:
        connection.putrequest("GET", path, skip_host=True)
        for name, value in headers:
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


PAGES = ["/dev", "/dev/mailbox"]


# Proves: G6
@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    "host", [
        "localhost", "localhost:{port}", "LocalHost:{port}", "127.0.0.1:{port}", "127.0.0.2", "[::1]:{port}", "[::1]",
        f"{APP}.session.test:{{port}}", f"{APP.upper()}.session.test", DOMAIN, f"{DOMAIN}:443",
    ])
def test_the_mailbox_is_shown_for_local_and_configured_hosts(development, path, host):
    assert get(development, path, ("Host", host.format(port=development.port)))[0] == 200


# Proves: G6
@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    "host", [
        "attacker.example", "attacker.example:{port}", "localhost.attacker.example", "127.0.0.1.attacker.example",
        f"{APP}.attacker.example", "abc1234.session.test", "session.test", f"{DOMAIN}.attacker.example",
        "attacker.localhost.example", "10.0.0.1:{port}", "[::2]", "localhost:{port}@attacker.example", "localhost.", "",
    ])
def test_the_mailbox_is_not_shown_for_any_other_host(development, path, host):
    status, body = get(development, path, ("Host", host.format(port=development.port)))
    assert status in (400, 403)
    if status == 403:
        assert json.loads(body)["code"] == "forbidden" and b"localhost" in body


# Proves: G6
def test_a_forwarded_host_does_not_replace_the_host(tmp_path):
    service = Service(tmp_path, "--trusted-proxy", "127.0.0.1")
    with running(service):
        for name in ("X-Forwarded-Host", "Forwarded"):
            status, _ = get(service, "/dev/mailbox", ("Host", "attacker.example"), (name, "localhost"))
            assert status == 403


def test_the_mailbox_is_not_shown_without_a_host(development):
    assert get(development, "/dev/mailbox")[0] in (400, 403)


def test_the_mailbox_on_a_public_address_is_shown_only_for_the_public_url(tmp_path):
    service = Service(tmp_path, "--host", "0.0.0.0", "--allow-public-development")
    service.flags += ["--public-url", f"http://192.0.2.7:{service.port}"]
    with running(service):
        assert get(service, "/dev", ("Host", f"192.0.2.7:{service.port}"))[0] == 200
        assert get(service, "/dev", ("Host", f"192.0.2.8:{service.port}"))[0] == 403
