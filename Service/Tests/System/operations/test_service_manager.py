"""Tests what the service tells systemd, at a socket of the test, and what `prelude-session health` tells scripts."""

import contextlib
import signal
import socket

import pytest

from secure_service import SecureService
from service import Service, running
from sockets import free_port


@contextlib.contextmanager
def manager(service: Service, name: str, **variables: str):
    """A socket that stands for that of systemd. Yields a function that returns the next message."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind("\0" + name[1:] if name.startswith("@") else name)
        listening.settimeout(20)
        service.variables |= {"NOTIFY_SOCKET": name, **variables}
        yield lambda: listening.recv(1000).decode()


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_systemd_hears_of_the_start_of_a_reload_and_of_the_end(tmp_path, kind):
    service = Service(tmp_path)
    name = str(tmp_path / "notify") if kind == "path" else f"@{tmp_path}"
    with manager(service, name) as message:
        with running(service):
            assert message() == "READY=1"
            service.process.send_signal(signal.SIGHUP)
            assert [message(), message()] == ["RELOADING=1", "READY=1"]
            assert service.stop() == 0
            assert message() == "STOPPING=1"


def test_a_service_that_does_not_start_is_never_ready(tmp_path):
    with running(Service(tmp_path)) as first:
        second = Service(tmp_path, "--management-port", str(first.port))
        with manager(second, str(tmp_path / "notify")) as message:
            with pytest.raises(RuntimeError, match="ended with 1"):
                second.start()
            second.process.wait(10)
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
                last.sendto(b"nothing before", str(tmp_path / "notify"))
            assert message() == "nothing before"


def test_the_watchdog_gets_signs_of_life_unless_it_watches_another_process(tmp_path):
    service = Service(tmp_path)
    with manager(service, str(tmp_path / "notify"), WATCHDOG_USEC="2000000") as message:
        with running(service):
            assert [message() for _ in range(3)] == ["READY=1", "WATCHDOG=1", "WATCHDOG=1"]
            service.stop()
    other = Service(tmp_path)
    with manager(other, str(tmp_path / "other"), WATCHDOG_USEC="1000000", WATCHDOG_PID="1") as message:
        with running(other):
            assert message() == "READY=1"
            other.stop()
            assert message() == "STOPPING=1"



def health(service: Service) -> tuple[int, str]:
    asked = service.run("health", "--port", str(service.port), *service.flags)
    assert asked.stderr == ""
    return asked.returncode, asked.stdout


def test_health_says_whether_each_listener_is_ready(tmp_path):
    service = Service(tmp_path, "--management-port", str(free_port()), "--host", "0.0.0.0", "--allow-public-development")
    with running(service):
        status, text = health(service)
        apps, management = text.splitlines()
        assert status == 0
        assert apps.startswith("apps ") and f"http://127.0.0.1:{service.port}/readyz: 200" in apps
        assert management.startswith("management ") and '"status":"ready"' in management
        service.stop()
        status, text = health(service)
        assert status == 1 and text.count("no answer") == 2


def test_health_of_a_service_with_tls_needs_no_authority(tmp_path, authority):
    service = SecureService(tmp_path, authority)
    with running(service):
        assert health(service)[0] == 0


def test_health_of_a_wrong_configuration_names_the_setting(tmp_path):
    asked = Service(tmp_path).run("health", "--port", "http")
    assert asked.returncode == 1 and '--port: must be a number from 1 to 65535, not "http"' in asked.stderr
