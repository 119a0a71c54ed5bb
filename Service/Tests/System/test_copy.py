"""`prelude-session copy`: devices stay signed in when their service moves from SQLite to PostgreSQL, and back."""

import contextlib
import os
import pty
import re
import sqlite3
import subprocess

import pytest

import postgres
from conftest import running
from device import V1
from dpop import make_dpop
from operator_api import Management
from person import Person, new_email
from service import BINARY, Service
from waiting import wait_until

PASSWORD = "not-in-any-output"
EVENTS = "/events?limit=100"
LIST = f"{V1}/me/list"


@pytest.fixture(scope="module")
def server():
    with postgres.own_server() as server:
        yield server


@pytest.fixture
def old(tmp_path):
    """A service with an embedded database, that the test starts and stops."""
    service = Service(tmp_path)
    service.database = f"sqlite:{tmp_path}/session.sqlite"
    with running(service):
        yield service


def copy(source: str, target: str, *flags: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [BINARY, "copy", "--from", source, "--to", target, *flags], capture_output=True, text=True, timeout=300)


def copied(source: str, target: str, *flags: str) -> str:
    done = copy(source, target, *flags)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(source: str, target: str, *flags: str) -> str:
    done = copy(source, target, *flags)
    assert done.returncode != 0, done.stdout
    return done.stderr


def with_password(url: str) -> str:
    return url.replace("postgres@", f"postgres:{PASSWORD}@")


@contextlib.contextmanager
def moved(service: Service, database: str):
    """Starts a stopped service with another database and the same master keys."""
    service.database = database
    service.flags += ["--key-file", str(service.directory / "session.sqlite.keys")]
    with running(service):
        yield


def fill(database: str, sessions: int) -> None:
    """Copies a session of the database many times."""
    with contextlib.closing(sqlite3.connect(database.removeprefix("sqlite:"))) as connection, connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(sessions)")]
        others = ", ".join(column for column in columns if column != "id")
        connection.execute(
            f"""WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {sessions})
            INSERT INTO sessions (id, {others}) SELECT 'ses_copy' || n, {others}
            FROM numbers, (SELECT * FROM sessions LIMIT 1)""")


def used_proof(person: Person) -> str:
    """Uses a proof once."""
    proof = make_dpop(person.device.key, "GET", person.transport.url(LIST))
    assert person.device.send_with(proof, "GET", LIST, None, [authorization(person)]).status == 200
    return proof


def is_used(proof: str, person: Person) -> bool:
    answer = person.device.send_with(proof, "GET", LIST, None, [authorization(person)])
    assert (answer.status, answer.code) in [(200, None), (400, "invalid_dpop_proof")], answer
    return answer.code == "invalid_dpop_proof"


def authorization(person: Person) -> tuple[str, str]:
    return person.device.authorization(person.access_token)


def test_devices_stay_signed_in_when_their_service_moves(server, old):
    people = [Person.signed_in(old) for _ in range(3)]
    subjects = [person.refresh()["sub"] for person in people]
    management = Management(old)
    management.expect(201, "POST", "/webhooks", {"url": "https://backend.invalid/hook"})
    webhooks = management.get("/webhooks")
    # A login that has begun before the move, and ends after it.
    eve, address = Person(old), new_email()
    started = eve.device.start(address)
    code = eve.code(address)
    keys = people[0].transport.send("GET", "/.well-known/jwks.json").json
    before = management.get(EVENTS)["events"]
    proofs = [used_proof(person) for person in people]
    old.stop()

    database = postgres.new_database(server.url)
    printed = copied(old.database, with_password(database))
    assert PASSWORD not in printed and "they have the same rows" in printed
    assert re.search(r"^sessions +3  [0-9a-f]{16}$", printed, re.MULTILINE), printed
    assert f"{old.directory}/session.sqlite.keys" in printed
    assert "have the same rows" in copied(old.database, database, "--verify-only")
    with moved(old, database):
        assert all(is_used(proof, person) for proof, person in zip(proofs, people, strict=True))
        assert not is_used(make_dpop(people[0].device.key, "GET", people[0].transport.url(LIST)), people[0])
        proofs += [used_proof(person) for person in people]
        assert [person.refresh()["sub"] for person in people] == subjects
        assert people[0].transport.send("GET", "/.well-known/jwks.json").json == keys
        assert management.get("/webhooks") == webhooks
        after = management.get(EVENTS)["events"]
        assert after[-len(before):] == before
        checked = eve.device.check(started.headers["X-Verification-Token"], code)
        eve.take(eve.device.finalize(checked.json["challenge_token"]))
        assert management.get(EVENTS)["events"][0]["created_at"] >= before[0]["created_at"]
        for person in people:
            person.refresh()
    # The rows differ now, and the old file does not replace them.
    assert "other rows than the source in" in refused(f"sqlite:{old.directory}/session.sqlite", database, "--verify-only")

    # The way back.
    back = f"sqlite:{old.directory}/back.sqlite"
    copied(database, back)
    old.flags = old.flags[:-2]
    with moved(old, back):
        assert all(is_used(proof, person) for proof, person in zip(proofs, people * 2, strict=True))
        assert [person.refresh()["sub"] for person in people] == subjects
        eve.refresh()


def test_a_killed_copy_continues_and_no_service_starts_before_its_end(server, old, tmp_path):
    ada = Person.signed_in(old)
    subject = ada.refresh()["sub"]
    old.stop()
    sessions = 60_000
    fill(old.database, sessions)
    database = postgres.new_database(server.url)
    process = subprocess.Popen(
        [BINARY, "copy", "--from", old.database, "--to", database], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def copied_sessions() -> int:
        if postgres.execute(database, "SELECT to_regclass('prelude_session_copy') IS NULL") == "t":
            return 0
        return int(postgres.execute(
            database, "SELECT coalesce(max(copied_rows), 0) FROM prelude_session_copy WHERE table_name = 'sessions'"))

    wait_until(lambda: copied_sessions() > 0, 60)
    process.kill()
    process.communicate()
    rows = copied_sessions()
    assert 0 < rows < sessions
    node = Service(tmp_path / "node")
    node.directory.mkdir()
    node.database = database
    node.flags += ["--key-file", f"{old.directory}/session.sqlite.keys"]
    with pytest.raises(RuntimeError, match="has a copy of another database that is not finished. Run the same"):
        node.start()
    assert "is not finished" in node.run("app", "list").stderr

    # Another database does not continue it, and neither does this one after a change.
    other = tmp_path / "other.sqlite"
    with contextlib.closing(sqlite3.connect(old.database.removeprefix("sqlite:"))) as source:
        source.execute("VACUUM INTO ?", [str(other)])
    with contextlib.closing(sqlite3.connect(other)) as changed, changed:
        changed.execute("UPDATE sessions SET generation = generation + 1")
    assert "has an unfinished copy of another database, or of this one" in refused(f"sqlite:{other}", database)

    done = copy(old.database, database)
    assert done.returncode == 0, done.stderr
    assert f"copying sessions: {rows + 1}" not in done.stderr and "copying apps" not in done.stderr
    assert int(postgres.execute(database, "SELECT count(*) FROM sessions")) == sessions + 1
    with moved(old, database):
        assert ada.refresh()["sub"] == subject


def test_a_copy_that_cannot_be_right_is_refused(server, old, tmp_path):
    database = postgres.new_database(server.url)
    file = f"sqlite:{tmp_path}/session.sqlite"
    assert "from: " in (text := refused(file, database)) and "is in use. Stop the service" in text
    old.stop()
    for source, target, message in [
        (f"sqlite:{tmp_path}/none.sqlite", database, "from: "), (file, f"sqlite:{tmp_path}/b.sqlite", "to: must be postgresql"),
        (database, server.url, "to: must be sqlite:PATH"), ("sqlite::memory:", database, "from: must be a file or a server"),
        (file, "nowhere", "to: must be sqlite:PATH"), (database, f"sqlite:{tmp_path}/b.sqlite", "there is nothing to copy"),
    ]:
        assert message in refused(source, target)
    assert not (tmp_path / "b.sqlite").exists()
    assert "there is nothing to compare" in refused(file, database, "--verify-only")
    # libpq takes the start of this password for a port, and its end for the name of the database.
    text = refused(file, f"postgresql://postgres:{PASSWORD[:3]}/{PASSWORD[3:]}@127.0.0.1:1/x")
    assert "percent-encode" in text and PASSWORD[3:] not in text
    copied(file, database)
    assert "has the data of a service" in refused(file, database)
    assert "has the data of a service" in refused(database, file)
    with moved(old, database):
        text = refused(database, f"sqlite:{tmp_path}/b.sqlite")
        assert "is in use: services have" in text and "Stop them on all nodes" in text
    for url in (with_password(database).replace("127.0.0.1", "127.0.0.2"), with_password(database) + "?no=1"):
        text = refused(file, url)
        assert PASSWORD not in text and "to: " in text


def test_what_fails_in_the_middle_is_named_with_its_database(server, old, tmp_path):
    Person.signed_in(old)
    old.stop()
    with contextlib.closing(sqlite3.connect(tmp_path / "session.sqlite")) as changed, changed:
        changed.execute("UPDATE messages SET content = 'no JSON'")
    database = postgres.new_database(server.url)
    text = refused(old.database, database)
    assert f"Error: from: {tmp_path}/session.sqlite cannot be read: SQLite 1: malformed JSON" in text
    # The copy is unfinished, which is no difference.
    assert "has an unfinished copy. Run the command without --verify-only" in refused(old.database, database, "--verify-only")
    with contextlib.closing(sqlite3.connect(tmp_path / "session.sqlite")) as changed, changed:
        changed.execute("UPDATE messages SET content = '{}'")
        changed.execute("UPDATE users SET profile = '{}' || char(0)")
    text = refused(old.database, postgres.new_database(server.url))
    assert "cannot be used: a row of users cannot be stored: PostgreSQL 22021" in text and "the same command again" in text


def test_a_key_file_without_the_keys_is_not_recommended(server, old, tmp_path):
    old.stop()
    keys = tmp_path / "session.sqlite.keys"
    assert f"They are in {keys}: copy this file" in copied(old.database, postgres.new_database(server.url))
    keys.write_text("no keys")
    printed = copied(old.database, postgres.new_database(server.url))
    assert f"{keys} does not have them, or cannot be read" in printed and "They are in" not in printed


def test_progress_is_a_bar_on_a_terminal_lines_elsewhere_or_nothing(server, old):
    Person.signed_in(old)
    old.stop()
    done = copy(old.database, postgres.new_database(server.url))
    assert re.search(r"^copying users: \d+ of \d+ rows", done.stderr, re.MULTILINE), done.stderr
    assert "\x1b" not in done.stderr
    assert copy(old.database, postgres.new_database(server.url), "--quiet").stderr == ""
    ours, theirs = pty.openpty()
    command = [BINARY, "copy", "--from", old.database, "--to", postgres.new_database(server.url)]
    with open(ours, "rb", buffering=0) as terminal:
        assert subprocess.run(command, stdout=subprocess.DEVNULL, stderr=theirs, timeout=60).returncode == 0
        os.close(theirs)
        shown = terminal.read(1 << 16).decode()
    assert "[########################] 100%  comparing messages" in shown
