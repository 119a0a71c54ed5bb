"""`prelude-session export` and `import`: devices stay signed in when their service moves to another database."""

import contextlib
import json
import os
import pathlib
import pty
import re
import sqlite3
import subprocess

import pytest

import postgres
from commands import copied, export, restore, succeeded
from device import V1
from dpop import make_dpop
from operator_api import Management
from person import Person, new_email
from service import BINARY, Service, running
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


def refused(done: subprocess.CompletedProcess) -> str:
    assert done.returncode != 0, done.stdout
    return done.stderr


def rows(database: str) -> list[str]:
    """The lines of an export after its header."""
    return succeeded(export(database)).splitlines()[1:]


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
    file = old.directory / "export.jsonl"
    assert f"{old.directory}/session.sqlite.keys" in export(old.database, file).stderr
    assert file.stat().st_mode & 0o777 == 0o600
    printed = succeeded(restore(with_password(database), file))
    assert PASSWORD not in printed and "they have the same rows" in printed
    assert re.search(r"^sessions +3  [0-9a-f]{16}$", printed, re.MULTILINE), printed
    lines = rows(old.database)
    assert rows(database) == lines
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
        # The service runs, and the export is one of this moment.
        assert "is in use: what is written to it from now on is not in the export" in export(database).stderr
    assert rows(database) != lines

    # The way back, and to another server.
    back = f"sqlite:{old.directory}/back.sqlite"
    copied(database, back)
    other = postgres.new_database(server.url)
    copied(database, other)
    assert rows(other) == rows(back) == rows(database)
    old.flags = old.flags[:-2]
    with moved(old, back):
        assert all(is_used(proof, person) for proof, person in zip(proofs, people * 2, strict=True))
        assert [person.refresh()["sub"] for person in people] == subjects
        eve.refresh()


def started_import(database: str, file: pathlib.Path, rows_so_far) -> int:
    """Kills an import in the middle of the sessions.

    Returns the number of lines that it has written.
    """
    process = subprocess.Popen(
        [BINARY, "import", "--database", database, file], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(lambda: rows_so_far() > 5000, 60)
    process.kill()
    process.communicate()
    return rows_so_far()


@pytest.mark.parametrize("store", ["postgres", "sqlite"])
def test_a_killed_import_continues_and_no_service_starts_before_its_end(server, old, tmp_path, store):
    ada = Person.signed_in(old)
    subject = ada.refresh()["sub"]
    old.stop()
    sessions = 40_000
    fill(old.database, sessions)
    file, other = tmp_path / "export.jsonl", tmp_path / "other.jsonl"
    succeeded(export(old.database, file))
    lines = file.read_text().splitlines()
    changed = next(number for number, line in enumerate(lines) if '"table":"users"' in line)
    other.write_text("\n".join([*lines[:changed], lines[changed].replace('"active"', '"inactive"'), *lines[changed + 1:]]))

    target = tmp_path / "new.sqlite"
    database = postgres.new_database(server.url) if store == "postgres" else f"sqlite:{target}"

    def written() -> int:
        if store == "sqlite":
            with contextlib.closing(sqlite3.connect(f"file:{target}.importing?mode=rw", uri=True)) as connection:
                try:
                    return connection.execute("SELECT lines FROM prelude_session_import").fetchone()[0]
                except sqlite3.OperationalError:
                    return 0
        if postgres.execute(database, "SELECT to_regclass('prelude_session_import') IS NULL") == "t":
            return 0
        return int(postgres.execute(database, "SELECT lines FROM prelude_session_import"))

    def seen() -> int:
        try:
            return written()
        except (sqlite3.OperationalError, TypeError):
            return 0

    found = started_import(database, file, seen)
    assert 5000 < found < sessions
    if store == "postgres":
        node = Service(tmp_path / "node")
        node.directory.mkdir()
        node.database = database
        node.flags += ["--key-file", f"{old.directory}/session.sqlite.keys"]
        with pytest.raises(RuntimeError, match="has an import that is not finished. Run the same"):
            node.start()
        assert "is not finished" in node.run("app", "list").stderr
        assert "has an unfinished import. Finish it first" in refused(export(database))
    else:
        assert not target.exists()

    assert "has an unfinished import of another file. Import that file again, or" in refused(restore(database, other))
    done = restore(database, file)
    assert done.returncode == 0, done.stderr
    imported = re.search(r"^Imported (\d+) rows", done.stdout, re.MULTILINE)
    assert imported and int(imported[1]) == len(lines) - found, done.stdout
    assert rows(database) == lines[1:]
    with moved(old, database):
        assert ada.refresh()["sub"] == subject


def test_a_line_that_is_wrong_is_named_and_nothing_is_served(server, old, tmp_path):
    Person.signed_in(old)
    old.stop()
    lines = succeeded(export(old.database)).splitlines()
    header = json.loads(lines[0])
    assert header["format"] == "prelude-session export 1" and header["tables"]["users"] == 1
    user = next(number for number, line in enumerate(lines) if '"table":"users"' in line)
    row = json.loads(lines[user])

    def with_row(**members) -> list[str]:
        return [*lines[:user], json.dumps({**row, **members}), *lines[user + 1:]]

    wrong = {
        "line 1: schema must be": [json.dumps({**header, "schema": 8}), *lines[1:]],
        "line 1: tables has one that this version does not know": [
            json.dumps({**header, "tables": {**header["tables"], "other": 1}}), *lines[1:]],
        "line 1: format must be": lines[1:],
        f"line {user + 1}: is no valid JSON": [*lines[:user], lines[user][:-3], *lines[user + 1:]],
        f"line {user + 1}: table must be users": with_row(table="other"),
        f"line {user + 1}: users.created_at must be a whole number": with_row(created_at="yesterday"),
        f"line {user + 1}: has a column that users does not have": with_row(shoe_size=44),
        f"line {user + 1}: has a row of users that cannot be stored": with_row(status=None),
        f"line {len(lines)}: is missing: the file ends after": lines[:-1],
        f"line {len(lines) + 1}: comes after the last row": [*lines, "{}"],
    }
    for number, (message, changed) in enumerate(wrong.items()):
        for database in (postgres.new_database(server.url), f"sqlite:{tmp_path}/wrong{number}.sqlite"):
            text = refused(restore(database, "-", text="\n".join(changed)))
            assert f"Error: file: the standard input, {message}" in text, text
        assert not (tmp_path / f"wrong{number}.sqlite").exists()


def test_what_cannot_be_right_is_refused(server, old, tmp_path):
    database = postgres.new_database(server.url)
    file = tmp_path / "export.jsonl"
    assert "is in use: what is written to it from now on is not in the export" in export(old.database, file).stderr
    assert f"output: {file} exists. Name a new file" in refused(export(old.database, file))
    old.stop()
    for done, message in [
        (export(f"sqlite:{tmp_path}/none.sqlite"), "none.sqlite does not exist"),
        (export("sqlite::memory:"), "database: must be a file or a server"),
        (export(database), "is empty: there is nothing to export"),
        (export(old.database, tmp_path / "no" / "file"), "output: cannot create"),
        (restore("sqlite::memory:", file), "database: must be a file or a server"),
        (restore(database, tmp_path / "none"), "none does not exist. Name the file of an export"),
        (restore(old.database, file), "has the data of a service"),
    ]:
        assert message in refused(done)
    assert sorted(tmp_path.glob("*.partial*")) == []
    succeeded(restore(database, file))
    assert "has the data of a service" in refused(restore(database, file))
    for url in (with_password(database).replace("127.0.0.1", "127.0.0.2"), with_password(database) + "?no=1"):
        text = refused(restore(url, file))
        assert PASSWORD not in text and "database: " in text


def test_what_fails_in_the_middle_is_named_with_its_database(server, old, tmp_path):
    Person.signed_in(old)
    old.stop()
    with contextlib.closing(sqlite3.connect(tmp_path / "session.sqlite")) as changed, changed:
        changed.execute("UPDATE messages SET content = 'no JSON'")
    text = refused(export(old.database, tmp_path / "export.jsonl"))
    assert f"Error: database: {tmp_path}/session.sqlite cannot be read: SQLite 1: malformed JSON" in text
    assert sorted(tmp_path.glob("export*")) == []


def test_progress_is_a_bar_on_a_terminal_lines_elsewhere_or_nothing(server, old, tmp_path):
    Person.signed_in(old)
    old.stop()
    done = export(old.database, file := tmp_path / "export.jsonl")
    assert re.search(r"^exporting users: \d+ of \d+ rows", done.stderr, re.MULTILINE), done.stderr
    assert "\x1b" not in done.stderr
    assert export(old.database, "-", "--quiet").stderr == ""
    done = restore(postgres.new_database(server.url), file)
    assert re.search(r"^importing users: \d+ of \d+ rows", done.stderr, re.MULTILINE), done.stderr
    assert restore(postgres.new_database(server.url), file, "--quiet").stderr == ""
    ours, theirs = pty.openpty()
    command = [BINARY, "import", "--database", postgres.new_database(server.url), file]
    with open(ours, "rb", buffering=0) as terminal:
        assert subprocess.run(command, stdout=subprocess.DEVNULL, stderr=theirs, timeout=60).returncode == 0
        # Secrets are not shown on a terminal.
        shown = subprocess.run(
            [BINARY, "export", "--database", old.database], stdout=theirs, stderr=subprocess.PIPE, text=True, timeout=60)
        os.close(theirs)
        assert shown.returncode != 0 and "output: must name a file" in shown.stderr
        assert b"comparing messages" in terminal.read(1 << 16)
