"""Tests the SDK in real processes: killed during a refresh, many on one credential file, and with lost answers."""

import json
import os
import resource
import signal
import subprocess
import threading

import pytest

from faulty_proxy import FaultyProxy
from operator_api import Management
from service import BINARY, Service, running
from terminal import log_in_with_code


@pytest.fixture
def person(tmp_path):
    """A service behind a proxy with faults, and a user who is signed in through it."""
    service = Service(tmp_path)
    between = FaultyProxy(service.port)
    service.flags += ["--public-url", between.url]
    with running(service):
        service.url = between.url
        assert log_in_with_code(service, "ada@example.com").returncode == 0
        yield service, between
    between.close()


def session_file(service: Service):
    return next((service.directory / "credentials").glob("*.session"))


def spend_access_token(service: Service) -> None:
    """Changes the stored access token so that it has expired."""
    record = json.loads(session_file(service).read_text())
    record["accessTokenExpiresAt"] = 1
    session_file(service).write_text(json.dumps(record))


def start(service: Service, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [BINARY, *arguments], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PRELUDE_SESSION_ENDPOINT": service.url,
             "PRELUDE_SESSION_CREDENTIALS": str(service.directory / "credentials")})


def who(service: Service) -> dict:
    result = service.run("whoami", "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


# Proves: E4
def test_a_lost_answer_is_requested_again(person):
    service, between = person
    before = who(service)
    between.faults["/refresh"] = lambda: False
    spend_access_token(service)
    assert who(service)["session_id"] == before["session_id"]
    assert between.counts["/refresh"] == 2


def attempt_files(service: Service) -> list:
    return list((service.directory / "credentials").glob("*.attempt.*"))


# Proves: X9, E4
def test_a_request_that_arrives_twice_does_not_end_the_session(person):
    service, between = person
    before = who(service)
    for _ in range(3):
        # As libcurl does on a connection that the server has closed: the same bytes, the same proof.
        between.doubled.add("/refresh")
        spend_access_token(service)
        assert who(service)["session_id"] == before["session_id"]
    assert attempt_files(service) == []


# Proves: X9, E4
def test_a_request_that_arrives_after_its_repetition_was_used_does_not_end_the_session(person):
    service, between = person
    before = who(service)
    between.delayed.add("/refresh")
    spend_access_token(service)
    assert who(service)["session_id"] == before["session_id"]
    spend_access_token(service)
    assert who(service)["session_id"] == before["session_id"]
    answer, content = between.send(*between.kept[0])
    assert (answer.status, json.loads(content)["code"]) == (409, "token_reused")
    spend_access_token(service)
    assert who(service)["session_id"] == before["session_id"]


# Proves: E4
def test_a_process_killed_between_sending_and_storing_loses_nothing(person):
    service, between = person
    before = who(service)
    for _ in range(3):
        spend_access_token(service)
        spent = session_file(service).read_bytes()
        arrived, killed = threading.Event(), threading.Event()

        def hold():
            arrived.set()
            killed.wait(20)
            return False

        between.faults["/refresh"] = hold
        process = start(service, "whoami")
        assert arrived.wait(20)
        # The service has rotated the token, but the client has not received the new one.
        process.kill()
        process.wait(20)
        killed.set()
        assert session_file(service).read_bytes() == spent
        assert who(service)["session_id"] == before["session_id"]


# Proves: E3
@pytest.mark.parametrize("count", [8])
def test_many_processes_on_one_file_refresh_once_and_stay_signed_in(person, count):
    service, between = person
    before = who(service)
    for _ in range(3):
        between.counts.clear()
        spend_access_token(service)
        processes = [start(service, "whoami", "--json") for _ in range(count)]
        for process in processes:
            output, errors = process.communicate(timeout=60)
            assert process.returncode == 0, errors
            assert json.loads(output)["session_id"] == before["session_id"]
        assert between.counts["/refresh"] == 1


# Proves: E3
def test_a_killed_process_leaves_no_lock_behind(person):
    service, between = person
    spend_access_token(service)
    arrived, over = threading.Event(), threading.Event()

    def hold():
        arrived.set()
        over.wait(20)
        return False

    between.faults["/refresh"] = hold
    holder = start(service, "whoami")
    assert arrived.wait(20)
    waiter = start(service, "whoami", "--json")
    holder.kill()
    holder.wait(20)
    over.set()
    output, errors = waiter.communicate(timeout=60)
    assert waiter.returncode == 0, errors


# Proves: E2
def test_a_network_error_keeps_the_session_and_is_reported(person):
    service, _ = person
    before = who(service)
    spend_access_token(service)
    service.kill()
    away = service.run("whoami")
    assert away.returncode == 3, away.stderr
    service.start()
    assert who(service)["session_id"] == before["session_id"]


# Proves: E6
def test_a_session_revoked_elsewhere_is_reported_once_and_deleted(person):
    service, _ = person
    user = who(service)["user_id"]
    assert Management(service).expect(200, "POST", f"/users/{user}/sessions/invalidate") == {"revoked": 1}
    spend_access_token(service)
    assert service.run("whoami").returncode == 2
    assert not list((service.directory / "credentials").glob("*.session"))


# Proves: E4
def test_a_full_disk_keeps_the_old_record_and_loses_nothing(person):
    service, between = person
    before = who(service)
    spend_access_token(service)
    spent = session_file(service).read_bytes()
    files = {path.name for path in (service.directory / "credentials").iterdir()}

    def full_disk():
        # Limits files to 64 bytes, also for root. The write fails in the middle, as on a full disk.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

    result = subprocess.run(
        [BINARY, "whoami"], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
        preexec_fn=full_disk,
        env={**os.environ, "PRELUDE_SESSION_ENDPOINT": service.url,
             "PRELUDE_SESSION_CREDENTIALS": str(service.directory / "credentials")})
    assert result.returncode != 0
    assert "cannot write" in result.stderr and ".session" in result.stderr, result.stderr
    assert between.counts["/refresh"] == 1
    assert session_file(service).read_bytes() == spent
    leftovers = {path.name for path in (service.directory / "credentials").iterdir()} - files
    # The attempt id was stored before the request was sent. It is short enough for this disk.
    assert not [name for name in leftovers if not name.endswith(".lock") and ".attempt." not in name]
    # The service repeats the answer that could not be stored.
    assert who(service)["session_id"] == before["session_id"]
    assert between.counts["/refresh"] == 2


# Proves: R22, E7
def test_a_session_that_ended_offline_is_revoked_by_the_next_command(service):
    assert log_in_with_code(service, "ada@example.com").returncode == 0
    service.stop()
    assert service.run("logout").returncode == 0
    service.start()
    assert Management(service).events("user.session.revoked") == []
    # No user is signed in, so the command itself sends nothing.
    assert service.run("whoami").returncode == 2
    assert len(Management(service).events("user.session.revoked")) == 1
