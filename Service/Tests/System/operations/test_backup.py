"""Tests that a backup under load is complete, that a restore never mixes two databases, and that damage is found."""

import base64
import contextlib
import json
import os
import pathlib
import pty
import shutil
import signal
import sqlite3
import subprocess
import threading
import time

import pytest

from operator_api import Management
from person import Person, new_email
from service import APP, BINARY, Service, running

PASSPHRASE = "a passphrase of five words"
FILES = ["manifest.json", "master-keys.sealed", "session.sqlite"]


def run(*arguments, passphrase: str | None = PASSPHRASE, stdin: str = "", **variables) -> subprocess.CompletedProcess:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PRELUDE_SESSION_")}
    if passphrase is not None:
        environment["PRELUDE_SESSION_BACKUP_PASSPHRASE"] = passphrase
    return subprocess.run(
        [BINARY, *arguments], env=environment | variables, input=stdin, capture_output=True, text=True, timeout=120)


def create(service: Service, path: pathlib.Path, **options) -> pathlib.Path:
    made = run("backup", "create", path, "--database", service.database, **options)
    assert made.returncode == 0, made.stderr
    return path


def restore(service: Service, path: pathlib.Path, *arguments, **options) -> subprocess.CompletedProcess:
    return run("backup", "restore", path, "--database", service.database, *arguments, **options)


def file_of(service: Service) -> pathlib.Path:
    return pathlib.Path(service.database.removeprefix("sqlite:"))


def integrity(path: pathlib.Path) -> str:
    reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return reader.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.DatabaseError as error:
        return str(error)
    finally:
        reader.close()


def fill(service: Service, megabytes: int) -> None:
    """Makes the database large. The service does not know the table."""
    with sqlite3.connect(file_of(service)) as database:
        database.execute("CREATE TABLE filler (content)")
        database.executemany("INSERT INTO filler VALUES (randomblob(100000))", [()] * (10 * megabytes))
    database.close()


class Writers:
    """Users who refresh without a pause. Each refresh is a commit."""

    def __init__(self, service: Service, count: int = 4):
        self.people = [Person.signed_in(service) for _ in range(count)]
        self.refreshes = 0
        self.failures: list[str] = []
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(person,)) for person in self.people]

    def _run(self, person: Person) -> None:
        while not self._stop.is_set():
            answer = person.device.refresh(person.refresh_token)
            if answer.status != 200:
                self.failures.append(str(answer))
                return
            person.refresh_token = answer.headers["X-Refresh-Token"]
            self.refreshes += 1

    def __enter__(self) -> "Writers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(30)


def users(service: Service) -> set[str]:
    return {user["id"] for user in Management(service).get("/users?limit=100")["users"]}


@pytest.fixture
def other(tmp_path):
    """Returns a service for another directory, which a test fills by a restore."""
    directory = tmp_path / "other"
    directory.mkdir()
    service = Service(directory)
    yield service
    if service.process and service.process.poll() is None:
        service.kill()


# Creating


def test_a_backup_under_load_is_complete_and_can_be_restored_elsewhere(service, other, tmp_path):
    person = Person.signed_in(service)
    service.stop()
    fill(service, 30)
    service.start()
    with Writers(service) as writers:
        before = writers.refreshes
        began = time.monotonic()
        backup = create(service, tmp_path / "backup")
        seconds, during = time.monotonic() - began, writers.refreshes - before
    print(f"30 MB in {seconds:.1f} s, {during} refreshes meanwhile")
    assert writers.failures == [] and during > 10
    assert sorted(path.name for path in backup.iterdir()) == FILES
    assert all(path.stat().st_mode & 0o077 == 0 for path in [backup, *backup.iterdir()])
    assert run("backup", "verify", backup).returncode == 0
    made = restore(other, backup)
    assert made.returncode == 0, made.stderr
    known = users(service)
    other.start()
    assert users(other) == known
    # This device has not refreshed since the backup, so its session continues with the restored keys.
    service.stop()
    other.stop()
    other.port, other.url = service.port, service.url
    other.start()
    person.refresh()


def test_the_manifest_describes_the_backup(service, tmp_path):
    backup = create(service, tmp_path / "backup")
    manifest = json.loads((backup / "manifest.json").read_text())
    keys = json.loads((tmp_path / "session.sqlite.keys").read_text())
    assert set(manifest) == {"format", "created_at", "version", "schema", "database", "master_keys"}
    content = (backup / "session.sqlite").read_bytes()
    digest = subprocess.run(["sha256sum"], input=content, capture_output=True).stdout.split()[0].decode()
    sha256 = base64.urlsafe_b64encode(bytes.fromhex(digest)).decode().rstrip("=")
    assert manifest["database"] == {"file": "session.sqlite", "size": len(content), "sha256": sha256}
    assert manifest["format"] == 1 and len(manifest["master_keys"]["ids"]) == 1
    for path in backup.iterdir():
        assert keys["keys"][0]["secret"].encode() not in path.read_bytes(), path


def test_a_killed_backup_leaves_no_backup(service, tmp_path):
    service.stop()
    fill(service, 60)
    backup = tmp_path / "backup"
    environment = {**os.environ, "PRELUDE_SESSION_BACKUP_PASSPHRASE": PASSPHRASE}
    process = subprocess.Popen(
        [BINARY, "backup", "create", backup, "--database", service.database], env=environment, stdin=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not list(tmp_path.glob("backup.partial-*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    assert not backup.exists()
    create(service, backup)


def test_an_existing_directory_is_not_overwritten(service, tmp_path):
    (tmp_path / "backup").mkdir()
    made = run("backup", "create", tmp_path / "backup", "--database", service.database)
    assert made.returncode != 0 and "exists. Name a new directory" in made.stderr
    assert list((tmp_path / "backup").iterdir()) == []


# The passphrase


def test_the_passphrase_comes_from_a_file_the_environment_a_credential_or_standard_input(service, tmp_path):
    file = tmp_path / "passphrase"
    file.write_text(PASSPHRASE + "\n")
    file.chmod(0o600)
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    shutil.copy(file, credentials / "prelude-session-backup-passphrase")
    backup = create(service, tmp_path / "backup")
    for options in (
            {"arguments": ["--passphrase-file", file]}, {"CREDENTIALS_DIRECTORY": str(credentials)},
            {"stdin": PASSPHRASE + "\n"}):
        arguments = options.pop("arguments", [])
        made = run("backup", "verify", backup, *arguments, passphrase=None, **options)
        assert made.returncode == 0, made.stderr
    file.chmod(0o644)
    readable = run("backup", "verify", backup, "--passphrase-file", file)
    assert readable.returncode != 0 and "other users can read" in readable.stderr


def test_a_short_passphrase_is_rejected(service, tmp_path):
    made = run("backup", "create", tmp_path / "backup", "--database", service.database, passphrase="too short")
    assert made.returncode != 0 and "at least 12 characters" in made.stderr
    assert not (tmp_path / "backup").exists()


# Proves: B1
def test_the_prompt_for_the_passphrase_shows_nothing_and_asks_twice(service, tmp_path):
    process, terminal = pty.fork()
    if process == 0:
        os.execve(BINARY, [str(BINARY), "backup", "create", str(tmp_path / "backup"), "--database", service.database],
                  {name: value for name, value in os.environ.items() if "PASSPHRASE" not in name})
    shown = b""
    for prompt in (b"Passphrase for the backup: ", b"Again: "):
        while prompt not in shown:
            shown += os.read(terminal, 1024)
        time.sleep(0.2)
        os.write(terminal, PASSPHRASE.encode() + b"\n")
    try:
        while block := os.read(terminal, 1024):
            shown += block
    except OSError:  # the terminal is closed
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0, shown
    assert PASSPHRASE.encode() not in shown
    assert run("backup", "verify", tmp_path / "backup").returncode == 0


# Verifying


# Proves: B1
def test_verify_finds_every_change_and_a_wrong_passphrase(service, tmp_path):
    backup = create(service, tmp_path / "backup")
    service.stop()
    shutil.rmtree(tmp_path / "credentials", ignore_errors=True)
    valid = run("backup", "verify", backup)
    assert valid.returncode == 0 and "valid" in valid.stdout
    wrong = run("backup", "verify", backup, passphrase="another passphrase")
    assert wrong.returncode != 0 and "the passphrase is wrong" in wrong.stderr

    def rejected(change, expected: str) -> None:
        copy = tmp_path / "changed"
        shutil.copytree(backup, copy)
        change(copy)
        result = run("backup", "verify", copy)
        assert result.returncode != 0 and expected in result.stderr, result.stderr
        refused = restore(service, copy)
        assert refused.returncode != 0 and expected in refused.stderr
        shutil.rmtree(copy)

    def flip(name: str):
        def change(copy: pathlib.Path) -> None:
            content = bytearray((copy / name).read_bytes())
            content[len(content) // 2] ^= 1
            (copy / name).write_bytes(content)
        return change

    def rewrite(**members):
        def change(copy: pathlib.Path) -> None:
            manifest = json.loads((copy / "manifest.json").read_text())
            (copy / "manifest.json").write_text(json.dumps(manifest | members))
        return change

    rejected(flip("session.sqlite"), "its SHA-256 is another one")
    rejected(rewrite(version="9.9.9"), "a file of the backup was changed")
    rejected(rewrite(schema=999), "the backup has schema 999")
    rejected(rewrite(format=999), "the backup has format 999")
    rejected(rewrite(database={"file": "../session.sqlite", "size": 1, "sha256": ""}), "the manifest is damaged")
    rejected(lambda copy: (copy / "master-keys.sealed").write_text("{}"), "a file that is sealed with the passphrase is damaged")
    for name in FILES:
        rejected(lambda copy, name=name: (copy / name).unlink(), name)
    assert integrity(file_of(service)) == "ok"


# Restoring


# Proves: B2
def test_a_backup_that_is_copied_over_a_killed_database_corrupts_it_and_a_restore_does_not(service, tmp_path):
    """The files beside the database belong to it: SQLite applies them to another database of this name."""
    kept = Person.signed_in(service)
    backup = create(service, tmp_path / "backup")
    for _ in range(25):
        Person.signed_in(service)
    # Then the log has some pages of the database, and not all.
    with sqlite3.connect(file_of(service)) as checkpoint:
        checkpoint.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    checkpoint.close()
    for _ in range(10):
        Person.signed_in(service)
    newer = users(service)
    service.kill()
    database = file_of(service)
    assert all(pathlib.Path(f"{database}{suffix}").stat().st_size > 0 for suffix in ("-wal", "-shm"))
    killed = tmp_path / "killed"
    killed.mkdir()
    for path in tmp_path.glob("session.sqlite*"):
        shutil.copy(path, killed)

    # What was done before there was a command: the file is replaced, and the others stay.
    shutil.copy(backup / "session.sqlite", database)
    with pytest.raises(RuntimeError, match="damaged|ended"):
        service.start()
    assert "is damaged" in service.log() and "prelude-session backup restore" in service.log()

    # The damaged database with its files is replaced, and so is one as a killed process leaves it.
    for source in (None, killed):
        if source:
            for path in source.glob("session.sqlite*"):
                shutil.copy(path, tmp_path)
        made = restore(service, backup)
        assert made.returncode == 0, made.stderr
        left = {path.name for path in tmp_path.glob("session.sqlite*") if ".replaced-" not in path.name}
        assert left == {"session.sqlite", "session.sqlite.keys", "session.sqlite.lock"}
        assert integrity(database) == "ok"
    replaced = next(word for word in made.stdout.split() if ".replaced-" in word).removesuffix(".")
    assert integrity(pathlib.Path(replaced)) == "ok"
    with sqlite3.connect(replaced) as old:
        assert {row[0] for row in old.execute("SELECT id FROM users")} == newer, "nothing of the replaced one is lost"
    old.close()
    service.start()
    assert len(users(service)) == 1
    kept.refresh()


# Proves: B2
def test_a_restore_needs_a_stopped_service_and_works_after_a_kill(service, tmp_path):
    backup = create(service, tmp_path / "backup")
    refused = restore(service, backup)
    assert refused.returncode != 0 and "is in use. Stop the service" in refused.stderr
    Person.signed_in(service)
    service.kill()
    assert restore(service, backup).returncode == 0
    service.start()
    assert users(service) == set()


# Proves: B2
def test_a_restore_finds_other_programs_that_have_the_database_open(service, tmp_path):
    """Such as sqlite3, or a version of the service without the lock."""
    backup = create(service, tmp_path / "backup")
    service.kill()
    other = sqlite3.connect(file_of(service))
    other.execute("SELECT count(*) FROM users").fetchall()
    refused = restore(service, backup)
    assert refused.returncode != 0 and "is in use" in refused.stderr
    other.close()
    assert restore(service, backup).returncode == 0


def test_a_restore_adds_master_keys_and_removes_none(service, other, tmp_path):
    """A device that refreshed after a change of the master key has a token that was made with the new key."""
    backup = create(service, tmp_path / "backup")
    service.stop()
    file = tmp_path / "session.sqlite.keys"
    old = json.loads(file.read_text())["keys"]
    new = {"secret": "A" * 43}
    file.write_text(json.dumps({"version": 1, "keys": [new]}))
    made = restore(service, backup)
    assert made.returncode == 0, made.stderr
    assert json.loads(file.read_text())["keys"] == [new, *old]
    assert file.stat().st_mode & 0o077 == 0
    assert "Wrote the master keys" in made.stdout
    again = restore(service, backup)
    assert "include those of the backup" in again.stdout
    service.start()


def test_a_management_key_that_was_revoked_after_the_backup_works_again(service, tmp_path):
    """The report of the restore says so, because a key may have been revoked after a leak."""
    created = service.run("key", "create", "backend", "--json")
    assert created.returncode == 0, created.stderr
    key = json.loads(created.stdout)[0]

    def status() -> int:
        return Management(service, key=key["key"]).send("GET", "/users").status

    assert status() == 200
    backup = create(service, tmp_path / "backup")
    revoked = service.run("key", "revoke", key["id"])
    assert revoked.returncode == 0, revoked.stderr
    assert status() == 401
    service.stop()
    made = restore(service, backup)
    assert made.returncode == 0, made.stderr
    service.start()
    assert status() == 200
    assert service.run("key", "revoke", key["id"]).returncode == 0
    assert status() == 401
    assert "management keys" in made.stdout


# Proves: B2
def test_a_restore_undoes_one_that_was_killed_before_its_rename(service, tmp_path):
    """The database has two names then. SQLite would name the log after the one that a program opens."""
    backup = create(service, tmp_path / "backup")
    service.stop()
    database = file_of(service)
    second = pathlib.Path(f"{database}.replaced-20260101T000000Z")
    os.link(database, second)
    service.start()
    assert not second.exists() and database.stat().st_nlink == 1
    service.stop()
    os.link(database, second)
    made = restore(service, backup)
    assert made.returncode == 0, made.stderr
    assert not second.exists() and database.stat().st_nlink == 1
    kept = [path for path in tmp_path.glob("session.sqlite.replaced-*") if not path.name.endswith(".keys")]
    assert len(kept) == 1 and kept[0].stat().st_nlink == 1


def test_master_keys_from_the_environment_or_a_credential_are_in_the_backup_but_are_not_written(tmp_path, monkeypatch):
    key, wrong = "B" * 42 + "A", "C" * 42 + "A"
    service = Service(tmp_path)
    monkeypatch.setenv("PRELUDE_SESSION_MASTER_KEYS", key)
    with running(service):
        backup = create(service, tmp_path / "backup", PRELUDE_SESSION_MASTER_KEYS=key)
    monkeypatch.delenv("PRELUDE_SESSION_MASTER_KEYS")
    credentials = tmp_path / "credentials"
    credentials.mkdir()

    def place(kind: str, value: str) -> dict:
        if kind == "environment":
            return {"PRELUDE_SESSION_MASTER_KEYS": value}
        (credentials / "prelude-session-keys").write_text(value)
        return {"CREDENTIALS_DIRECTORY": str(credentials)}

    for kind in ("environment", "credential"):
        refused = restore(service, backup, **place(kind, wrong))
        assert refused.returncode != 0 and "of the backup. A command cannot add it there" in refused.stderr
        made = restore(service, backup, **place(kind, key))
        assert made.returncode == 0, made.stderr
        assert not (tmp_path / "session.sqlite.keys").exists()
    # The keys are lost, but the backup has them.
    written = restore(service, backup, "--key-file", str(tmp_path / "keys"))
    assert written.returncode == 0, written.stderr
    assert json.loads((tmp_path / "keys").read_text())["keys"] == [{"secret": key}]


# Damage


# Proves: B5
def test_the_service_refuses_a_damaged_database_and_names_the_remedy(service):
    service.stop()
    fill(service, 1)
    database = file_of(service)
    content = bytearray(database.read_bytes())
    # Pages that the service does not read at its start.
    for page in range(len(content) // 2 // 4096 * 4096, len(content), 8 * 4096):
        content[page:page + 64] = b"\xa5" * 64
    valid = service.run("check", "--public-url", "https://session.example.com")
    assert valid.returncode == 0, valid.stderr
    database.write_bytes(content)
    checked = service.run("check", "--public-url", "https://session.example.com")
    assert checked.returncode != 0 and "is damaged" in checked.stderr, checked.stderr
    with pytest.raises(RuntimeError):
        service.start()
    assert "is damaged" in service.log() and "Restore a backup with `prelude-session backup restore`" in service.log()


def enlarge(database: pathlib.Path, size: int) -> None:
    """Adds pages to a closed database that take no place on the disk."""
    with database.open("r+b") as file:
        file.truncate(size // 4096 * 4096)
        # The number of pages, which is valid because the change counter is that of the last writer (offsets 24 and 92).
        file.seek(28)
        file.write((size // 4096).to_bytes(4, "big"))


# Proves: B5
def test_a_large_database_is_checked_while_the_service_runs(service):
    """The start of a service with 7 GB took more than 20 seconds, because the check read the whole file first."""
    person = Person.signed_in(service)
    service.stop()
    enlarge(file_of(service), 5 << 28)
    service.start()
    person.refresh()
    deadline = time.monotonic() + 60
    while "the structure of the database is intact" not in service.log():
        assert time.monotonic() < deadline, service.log()[-500:]
        time.sleep(0.05)
    person.refresh()
    service.stop()
    content = file_of(service).open("r+b")
    with content:
        # The first page of a table that the start does not read.
        with sqlite3.connect(file_of(service)) as database:
            page = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'webhook_deliveries'").fetchone()[0]
        database.close()
        content.seek((page - 1) * 4096)
        content.write(b"\xa5" * 64)
    with contextlib.suppress(RuntimeError):
        service.start()
    assert service.process.wait(60) != 0
    assert "is damaged" in service.log() and "Restore a backup with `prelude-session backup restore`" in service.log()


# Proves: B4
def test_an_emptied_database_is_not_taken_for_a_new_one(service, tmp_path):
    """SQLite takes an empty file for a new database, so the service started without users."""
    person = Person.signed_in(service)
    backup = create(service, tmp_path / "backup")
    service.stop()
    file_of(service).write_bytes(b"")
    with pytest.raises(RuntimeError):
        service.start()
    assert "the file is empty, but session.sqlite.lock" in service.log()
    assert "Restore a backup with `prelude-session backup restore`" in service.log()
    listed = service.run("app", "list")
    assert listed.returncode != 0 and "is damaged" in listed.stderr
    assert restore(service, backup).returncode == 0
    service.start()
    person.refresh()


# Root in the directory of the service's user

#: Another user than root. No account is needed.
STRANGER = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def foreign(service, tmp_path):
    """Returns a backup and a directory that belongs to another user, with the files of a database."""
    backup = create(service, tmp_path / "backup")
    service.stop()
    directory = tmp_path / "foreign"
    directory.mkdir()
    for path in tmp_path.glob("session.sqlite*"):
        shutil.copy(path, directory)
    for path in [directory, *directory.iterdir()]:
        os.chown(path, STRANGER, STRANGER)
    return backup, directory


# Proves: B3
@as_root
def test_root_gives_no_file_away_that_it_has_not_created(foreign):
    """A file of root under the name of the lock got the owner of the database."""
    _, directory = foreign
    lock = directory / "session.sqlite.lock"
    os.chown(lock, 0, 0)
    listed = run("app", "list", "--database", f"sqlite:{directory}/session.sqlite")
    assert listed.returncode == 0, listed.stderr
    assert lock.stat().st_uid == 0
    lock.unlink()
    run("app", "list", "--database", f"sqlite:{directory}/session.sqlite")
    assert lock.stat().st_uid == STRANGER


# Proves: B3
@as_root
def test_root_restores_nothing_through_a_link_of_another_user(foreign, tmp_path):
    """A link in place of the database made root replace the file that it names."""
    backup, directory = foreign
    target = tmp_path / "root-only"
    target.write_text("root only")
    (directory / "session.sqlite").unlink()
    (directory / "session.sqlite").symlink_to(target)
    os.chown(directory / "session.sqlite", STRANGER, STRANGER, follow_symlinks=False)
    for arguments in (["backup", "restore", backup], ["app", "list"]):
        made = run(*arguments, "--database", f"sqlite:{directory}/session.sqlite")
        assert made.returncode != 0 and "is a symbolic link that does not belong to root" in made.stderr
    assert target.read_text() == "root only" and target.stat().st_uid == 0


# Proves: B3
@as_root
def test_root_restores_files_for_their_owner_and_removes_no_directory_for_it(foreign):
    backup, directory = foreign
    (directory / "session.sqlite.keys").write_text(json.dumps({"version": 1, "keys": [{"secret": "A" * 43}]}))
    made = run("backup", "restore", backup, "--database", f"sqlite:{directory}/session.sqlite")
    assert made.returncode == 0, made.stderr
    for name in ("session.sqlite", "session.sqlite.keys"):
        assert (directory / name).stat().st_uid == STRANGER and (directory / name).stat().st_mode & 0o077 == 0
    tree = directory / "session.sqlite.restoring"
    tree.mkdir()
    (tree / "file").touch()
    refused = run("backup", "restore", backup, "--database", f"sqlite:{directory}/session.sqlite")
    assert refused.returncode != 0 and (tree / "file").exists()


# Revoking all sessions


def revoked(service: Service) -> list[dict]:
    return Management(service).events("user.session.revoked")


# Proves: R21
def test_all_sessions_of_an_app_end_while_the_service_runs(service):
    people = [Person.signed_in(service) for _ in range(3)]
    begun, address = Person(service), new_email()
    Management(service).expect(201, "POST", "/users", {"identifiers": [{"type": "email_address", "value": address}]})
    started = begun.device.start(address)
    challenge = begun.device.check(started.headers["X-Verification-Token"], begun.code(address)).json["challenge_token"]
    # Logins are voided by their second.
    time.sleep(1.1)
    asked = service.run("session", "revoke", "--all")
    assert asked.returncode != 0 and "Add --yes" in asked.stderr
    assert service.run("session", "revoke", "--yes").returncode != 0
    made = service.run("session", "revoke", "--all", "--app", APP, "--yes", "--json")
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout) == [{"app": APP, "users": 4, "revoked_sessions": 3}]
    for person in people:
        assert person.device.refresh(person.refresh_token).status == 401
    assert begun.device.finalize(challenge).status == 401, "a login that had begun is void"
    events = revoked(service)
    assert len(events) == 3 and {event["data"]["reason"] for event in events} == {"revoked_by_operator"}
    Person.signed_in(service)
    again = service.run("session", "revoke", "--all", "--yes", "--json")
    assert json.loads(again.stdout)[0]["revoked_sessions"] == 1
