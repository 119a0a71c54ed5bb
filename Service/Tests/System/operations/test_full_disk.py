"""Tests a full disk, a lost one and a lost database file: 503, one log line per second, and recovery without a restart."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

import pytest
from outage import assert_is_temporary, health
from person import Person
from service import BINARY, Service, running
from terminal import log_in_with_code
from waiting import wait_until

FAILURE = "the database failed"


def may_mount() -> bool:
    return os.geteuid() == 0 and subprocess.run(
        ["unshare", "-m", "true"], capture_output=True).returncode == 0


needs_mount = pytest.mark.skipif(not may_mount(), reason="mounting a small disk needs root and mount namespaces")


class SmallDisk(Service):
    """A service whose database is on a disk of a few megabytes, which only its process sees."""

    #: Mounts the disk at `$0`.
    mounting = 'mount -t tmpfs -o size=6m tmpfs "$0"'

    def __init__(self, directory: pathlib.Path, *flags: str):
        super().__init__(directory, *flags)
        self.mount = directory / "disk"
        self.mount.mkdir()
        self.database = f"sqlite:{self.mount}/session.sqlite"

    def start(self) -> None:
        log = open(self.directory / "service.log", "ab")
        self.process = subprocess.Popen(
            ["unshare", "-m", "sh", "-c", self.mounting + ' && exec "$@"', self.mount, BINARY, "serve", "--port", str(self.port), "--database",
             self.database, *self.flags],
            env={**os.environ, "PRELUDE_SESSION_MANAGEMENT_KEY": self.key}, stdout=log, stderr=log,
            stdin=subprocess.DEVNULL)
        wait_until(lambda: health(self, "/livez")[0] == 200 or self.process.poll() is not None)

    @property
    def disk(self) -> pathlib.Path:
        """The disk, as the service sees it."""
        return pathlib.Path(f"/proc/{self.process.pid}/root{self.mount}")

    def fill(self) -> None:
        with contextlib.suppress(OSError), open(self.disk / "filler", "ab", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)

    def free(self) -> None:
        (self.disk / "filler").unlink()

    def inside(self, *command) -> None:
        """Runs a command where the disk is visible."""
        subprocess.run(["nsenter", "-t", str(self.process.pid), "-m", *command], check=True)


def failure_lines(service: Service) -> list[str]:
    return [line for line in service.log().splitlines() if FAILURE in line]


def exhausted(person: Person):
    """Refreshes until the disk is full. Returns the first answer that is no success."""
    for _ in range(2000):
        answer = person.device.refresh(person.refresh_token)
        if answer.status != 200:
            return answer
        person.keep(answer)
    raise AssertionError("the disk did not fill")


# Proves: B8
@needs_mount
def test_a_full_disk_is_temporary_and_signs_nobody_out(tmp_path):
    with running(SmallDisk(tmp_path)) as service:
        people = [Person.signed_in(service) for _ in range(3)]
        service.fill()
        for person in people:
            assert_is_temporary(exhausted(person))
        assert health(service, "/health")[0] == health(service, "/readyz")[0] == 503
        assert health(service, "/livez") == (200, '{"status":"ok"}')
        # Verification needs no write.
        assert people[0].claims()
        service.free()
        wait_until(lambda: health(service, "/readyz")[0] == 200)
        for person in people:
            person.refresh()
        assert "the database works again" in service.log()
        assert service.stop() == 0


# Proves: B8
@needs_mount
def test_a_full_disk_under_load_has_one_line_per_second_and_loses_no_session(tmp_path):
    """Devices go on refreshing while the disk is full, one at a time each, as the SDK does."""
    with running(SmallDisk(tmp_path)) as service:
        people = [Person.signed_in(service) for _ in range(6)]
        ends, statuses = threading.Event(), set()

        def refreshing(person: Person) -> None:
            while not ends.is_set():
                answer = person.device.refresh(person.refresh_token)
                statuses.add(answer.status)
                if answer.status == 200:
                    person.keep(answer)

        threads = [threading.Thread(target=refreshing, args=[person]) for person in people]
        for thread in threads:
            thread.start()
        for _ in range(3):
            service.fill()
            wait_until(lambda: health(service, "/health")[0] == 503)
            time.sleep(2)
            service.free()
            wait_until(lambda: health(service, "/health")[0] == 200)
            time.sleep(0.3)
        ends.set()
        for thread in threads:
            thread.join()
        assert statuses == {200, 503}
        for person in people:
            person.refresh()
        lines = failure_lines(service)
        seconds = [line.split(" ")[0] for line in lines]
        assert 3 <= len(lines) <= 15, service.log()[-4000:]
        assert max(seconds.count(second) for second in seconds) <= 2, "two lines in a second of the clock are a second apart"
        assert sum(int(number) for number in re.findall(r"failed (\d+) times", "".join(lines))) > 10
        assert "request failed" not in service.log() and "housekeeping failed" not in service.log()


# Proves: B8
@needs_mount
def test_a_disk_that_is_lost_and_comes_back_is_temporary(tmp_path):
    with running(SmallDisk(tmp_path)) as service:
        person, held = Person.signed_in(service), tmp_path / "held"
        held.mkdir()
        service.inside("mount", "--bind", service.mount, held)
        service.inside("umount", "--lazy", service.mount)
        assert_is_temporary(exhausted(person))
        assert health(service, "/readyz")[0] == 503
        service.inside("mount", "--bind", held, service.mount)
        person.refresh()
        assert health(service, "/readyz")[0] == 200


# Proves: B8
@needs_mount
def test_the_sdk_keeps_its_session_on_a_full_disk_of_the_service(tmp_path):
    """The terminal client is the SDK: 503 is a failure for now, and the session goes on afterwards."""
    with running(SmallDisk(tmp_path)) as service:
        assert log_in_with_code(service, "ada@example.com").returncode == 0
        service.fill()
        wait_until(lambda: service.run("refresh").returncode != 0)
        for _ in range(3):
            refresh = service.run("refresh")
            assert refresh.returncode not in (0, 2), "2 would mean that the user has to sign in again"
            assert "sign in" not in refresh.stderr.lower()
        service.free()
        assert service.run("refresh").returncode == 0
        assert "ada@example.com" in service.run("whoami").stdout


# Proves: B8
def test_a_limit_of_the_file_size_is_temporary(tmp_path):
    """RLIMIT_FSIZE makes writes fail with EFBIG, or SIGXFSZ, which must not end the process."""
    with running(Service(tmp_path)) as service:
        person = Person.signed_in(service)
        size = (tmp_path / "session.sqlite-wal").stat().st_size
        subprocess.run(
            ["prlimit", "--pid", str(service.process.pid), f"--fsize={size + 40_000}:unlimited"], check=True)
        assert_is_temporary(exhausted(person))
        assert service.process.poll() is None
        subprocess.run(["prlimit", "--pid", str(service.process.pid), "--fsize=unlimited:unlimited"], check=True)
        person.refresh()


# Proves: B8
def test_nothing_is_written_to_a_deleted_database(tmp_path):
    with running(Service(tmp_path)) as service:
        person = Person.signed_in(service)
        database, aside = tmp_path / "session.sqlite", tmp_path / "aside"
        database.rename(aside)
        assert_is_temporary(person.device.refresh(person.refresh_token))
        wait_until(lambda: health(service, "/health")[0] == 503)
        assert "session.sqlite was deleted while the service runs. Nothing is read or written" in service.log()
        database.write_bytes(b"")
        assert_is_temporary(person.device.refresh(person.refresh_token))
        assert "was replaced while the service runs" in service.log() or len(failure_lines(service)) >= 1
        database.unlink()
        aside.rename(database)
        person.refresh()
        assert health(service, "/health")[0] == 200


@needs_mount
def test_the_service_ends_on_a_full_disk(tmp_path):
    with running(SmallDisk(tmp_path)) as service:
        person = Person.signed_in(service)
        service.fill()
        exhausted(person)
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(20) == 0


class FailingDisk(SmallDisk):
    """The disk is an image with ext4, which the test makes read-only, as the kernel does after an error of the disk."""

    def __init__(self, directory: pathlib.Path):
        super().__init__(directory)
        image = directory / "image"
        with open(image, "wb") as file:
            file.truncate(16 << 20)
        made = subprocess.run(["mkfs.ext4", "-q", image], capture_output=True)
        if made.returncode != 0 or subprocess.run(["losetup", "--find"], capture_output=True).returncode != 0:
            pytest.skip("this needs mkfs.ext4 and loop devices")
        self.mounting = f'mount -o loop "{image}" "$0"'

    def fail(self) -> None:
        self.inside("mount", "-o", "remount,abort", self.mount)


@needs_mount
def test_a_disk_that_became_read_only_is_not_ready_and_a_start_on_it_is_refused(tmp_path):
    with running(FailingDisk(tmp_path)) as service:
        person = Person.signed_in(service)
        service.fail()
        assert_is_temporary(person.device.refresh(person.refresh_token))
        assert health(service, "/readyz")[0] == health(service, "/health")[0] == 503
        service.kill()
        repaired, service.mounting = service.mounting, service.mounting + ' && mount -o remount,abort "$0"'
        service.start()
        assert service.process.poll() == 1
        assert "SQLite 8: attempt to write a readonly database" in service.log()
        service.mounting = repaired
        service.start()
        person.refresh()


@needs_mount
def test_a_restore_on_a_full_disk_says_so_and_leaves_no_file(tmp_path):
    with running(SmallDisk(tmp_path)) as service:
        person = Person.signed_in(service)
        environment = {**os.environ, "PRELUDE_SESSION_BACKUP_PASSPHRASE": "a passphrase of five words"}
        other = service.disk / "other"
        other.mkdir()

        def run(verb: str, database: pathlib.Path) -> subprocess.CompletedProcess:
            command = [BINARY, "backup", verb, tmp_path / "backup", "--database", f"sqlite:{database}"]
            inside = ["nsenter", "-t", str(service.process.pid), "-m", *command]
            return subprocess.run(inside, env=environment, capture_output=True, text=True)

        assert run("create", service.mount / "session.sqlite").returncode == 0
        service.fill()
        made = run("restore", service.mount / "other" / "session.sqlite")
        assert made.returncode != 0 and "cannot write" in made.stderr and "No space left on device" in made.stderr
        assert {path.name for path in other.iterdir()} <= {"session.sqlite.lock"}
        service.free()
        person.refresh()
