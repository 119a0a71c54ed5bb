"""Logins with a password while the process gets no memory for a hash, or for a thread."""

import concurrent.futures
import pathlib
import re
import resource

import pytest

from operator_api import Management
from service import Service
from transport import Transport

EMAIL, PASSWORD = "ada@example.com", "correct horse battery"
#: Attempts with one address in an hour.
LIMIT = 10


@pytest.fixture
def service(tmp_path):
    service = Service(tmp_path)
    service.start()
    user = {"identifiers": [{"type": "email_address", "value": EMAIL}], "password": PASSWORD}
    assert Management(service).send("POST", "/users", user).status in (200, 201)
    yield service
    if service.process.poll() is None:
        service.kill()


def limit_memory(service: Service, megabytes: int | None) -> None:
    """Limits the address space of the process to what it has now, and some megabytes."""
    status = pathlib.Path(f"/proc/{service.process.pid}/status").read_text()
    now = int(re.search(r"VmSize:\s+(\d+)", status)[1]) << 10
    limit = resource.RLIM_INFINITY if megabytes is None else now + (megabytes << 20)
    resource.prlimit(service.process.pid, resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))


def login(service: Service, email: str = EMAIL) -> int:
    body = {"identifier": email, "password": PASSWORD}
    return Transport(service.url, timeout=20).send("POST", "/v1/session/login/email/password", body).status


def test_calls_without_memory_use_up_no_attempts_of_the_user(service):
    limit_memory(service, 12)
    assert [login(service) for _ in range(LIMIT + 2)] == [500] * (LIMIT + 2)
    assert "not enough memory for a password hash" in service.log()
    limit_memory(service, None)
    assert login(service) == 200


def test_every_call_is_answered_without_memory_for_a_thread_and_the_service_ends(service):
    limit_memory(service, 1)
    with concurrent.futures.ThreadPoolExecutor(6) as callers:
        statuses = list(callers.map(lambda number: login(service, f"{number}@example.com"), range(6)))
    assert set(statuses) == {500}
    limit_memory(service, None)
    assert login(service) == 200
    assert service.stop() == 0
