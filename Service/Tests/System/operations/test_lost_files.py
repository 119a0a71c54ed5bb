"""Tests files of the database that are deleted or replaced: nothing is written to them, and no user is signed out."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

import pytest
from outage import assert_is_temporary, health
from person import Person
from service import BINARY, Service, running
from sockets import free_port
from terminal import log_in_with_code
from waiting import wait_until


class Refreshing:
    """Devices that refresh all the time, and keep the newest token that was answered."""

    def __init__(self, people: list[Person]):
        self.statuses: set[int] = set()
        self.answered = 0
        self._ends = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=[person]) for person in people]

    def __enter__(self) -> "Refreshing":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join()

    def _run(self, person: Person) -> None:
        while not self._ends.is_set():
            try:
                answer = person.device.refresh(person.refresh_token)
            except Exception:  # the process was killed
                return
            self.statuses.add(answer.status)
            if answer.status == 200:
                person.keep(answer)
                self.answered += 1


def assert_says(service: Service, text: str) -> None:
    wait_until(lambda: health(service, "/readyz")[0] == 503)
    assert text in service.log(), service.log()


@pytest.mark.parametrize("suffixes", [["-wal"], ["-shm"], ["-wal", "-shm"]])
def test_after_a_file_was_deleted_nothing_is_answered_and_an_end_by_sigterm_loses_nothing(tmp_path, suffixes):
    with running(Service(tmp_path)) as service:
        people = [Person.signed_in(service) for _ in range(4)]
        with Refreshing(people) as load:
            wait_until(lambda: load.answered > 20)
            for suffix in suffixes:
                (tmp_path / f"session.sqlite{suffix}").unlink()
            wait_until(lambda: 503 in load.statuses)
            assert_says(service, f"session.sqlite{suffixes[0]} was deleted while the service runs")
            for person in people:
                assert_is_temporary(person.device.refresh(person.refresh_token))
        assert load.statuses <= {200, 503}
        assert "stop every process of the service with SIGTERM" in service.log()
        refused = service.run("app", "list")
        assert refused.returncode != 0 and "another process has it open" in refused.stderr, refused
        assert service.stop() == 0
        service.start()
        for person in people:
            person.refresh()
        assert service.run("app", "list").returncode == 0


def test_a_kill_after_the_log_was_deleted_signs_out_no_device_that_signed_in_before(tmp_path):
    """The log is lost with the process. Devices are ahead of the database then, and it follows them."""
    with running(Service(tmp_path)) as service:
        people = [Person.signed_in(service) for _ in range(4)]
        # The end copies the logins into the database.
        assert service.stop() == 0
        service.start()
        with Refreshing(people) as load:
            wait_until(lambda: load.answered > 20)
            (tmp_path / "session.sqlite-wal").unlink()
            wait_until(lambda: 503 in load.statuses)
            service.kill()
        service.start()
        for person in people:
            person.refresh()


def test_the_sdk_stays_signed_in_when_the_log_is_deleted(tmp_path):
    with running(Service(tmp_path)) as service:
        assert log_in_with_code(service, "ada@example.com").returncode == 0
        (tmp_path / "session.sqlite-wal").unlink()
        assert service.run("refresh").returncode != 0
        assert service.stop() == 0
        service.start()
        assert service.run("refresh").returncode == 0
        assert "ada@example.com" in service.run("whoami").stdout


def test_a_replaced_database_stops_writes_until_a_restart(tmp_path):
    database = tmp_path / "session.sqlite"
    with running(Service(tmp_path)) as service:
        person = Person.signed_in(service)
        assert service.stop() == 0
        shutil.copy(database, tmp_path / "copy")
        service.start()
        (tmp_path / "copy").rename(database)
        assert_says(service, "session.sqlite was replaced while the service runs")
        assert_is_temporary(person.device.refresh(person.refresh_token))
        assert service.stop() == 0
        service.start()
        person.refresh()


def test_an_emptied_database_stops_writes_and_keeps_its_log(tmp_path):
    with running(Service(tmp_path)) as service:
        person = Person.signed_in(service)
        os.truncate(tmp_path / "session.sqlite", 0)
        assert_is_temporary(person.device.refresh(person.refresh_token))
        wait_until(lambda: health(service, "/readyz")[0] == 503)
        assert "session.sqlite was emptied while the service runs" in service.log()
        assert service.stop() == 0
        assert (tmp_path / "session.sqlite-wal").stat().st_size > 100_000
        with pytest.raises(RuntimeError, match="is damaged: the file is empty"):
            service.start()


def test_a_lost_database_is_not_replaced_by_a_new_one(tmp_path):
    """A new one would sign out every device: its refresh tokens would be unknown."""
    with running(Service(tmp_path)) as service:
        person = Person.signed_in(service)
        service.kill()
        (tmp_path / "session.sqlite").rename(tmp_path / "aside")
        with pytest.raises(RuntimeError, match="the file is missing, but session.sqlite.lock beside it"):
            service.start()
        assert service.run("app", "create", "Shop").returncode != 0
        assert not (tmp_path / "session.sqlite").exists()
        (tmp_path / "aside").rename(tmp_path / "session.sqlite")
        service.start()
        person.refresh()


@pytest.mark.skipif(os.geteuid() != 0, reason="files of two users need root")
@pytest.mark.parametrize("suffix", ["-wal", "-shm", ".lock"])
def test_a_file_of_another_user_beside_the_database_is_named(suffix):
    """Such as the log that root has created with the sqlite3 shell."""
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, 65534, 65534)
        database = pathlib.Path(folder) / "session.sqlite"
        pathlib.Path(f"{database}{suffix}").touch(mode=0o600)
        command = [BINARY, "serve", "--development", "--port", str(free_port()), "--database", f"sqlite:{database}"]
        result = subprocess.run(
            ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *command], capture_output=True, text=True,
            timeout=20)
        assert result.returncode == 1
        assert re.search(rf"the user \S+ cannot (read|write) {database}{suffix}\. Run: chown", result.stderr), result.stderr
