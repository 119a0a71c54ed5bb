"""Tests `prelude-session migrate` on both kinds of databases."""

import base64
import concurrent.futures
import contextlib
import hashlib
import json
import re
import secrets
import shutil
import sqlite3
import subprocess

import pytest

import postgres
from commands import NEWEST, command, contents, database, migrations
from device import V1
from dpop import make_dpop
from person import Person
from service import Service, running


#: Some steps before the newest version.
OLDER = 8
STEPS = (
    "9 messages, 11 events by actor, 12 short proofs, 13 proofs in order, 14 ASCII domains, 15 locale, 16 payers, "
    "17 proofs by key, 18 passkeys")


@pytest.fixture(scope="module")
def server():
    with postgres.own_server() as server:
        yield server


def migrate(directory, action: str, location: str, *arguments: str):
    return command(directory, "migrate", action, "--database", location, *arguments)


def status(directory, location: str) -> tuple[int, dict]:
    shown = migrate(directory, "status", location, "--json")
    return shown.returncode, json.loads(shown.stdout)[0]


def execute(path, statement: str) -> list[tuple]:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement).fetchall()


@postgres.only_embedded
def test_a_proof_that_was_used_before_the_migration_stays_used(service):
    """The table of used proofs becomes that of schema 11 again, and the service migrates it."""
    person = Person.signed_in(service)
    path = f"{V1}/me/list"
    proof = make_dpop(person.device.key, "GET", person.transport.url(path))

    def use(proof: str) -> tuple[int, str | None]:
        authorization = person.device.authorization(person.access_token)
        answer = person.device.send_with(proof, "GET", path, None, [authorization])
        return answer.status, answer.code

    assert use(proof) == (200, None)
    service.stop()
    jti = json.loads(base64.urlsafe_b64decode(proof.split(".")[1] + "=="))["jti"]
    digest = hashlib.sha256(f"{person.device.key.thumbprint()}.{jti}".encode()).digest()
    key = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    [(app, short, expires_at)] = service.sql(
        f"SELECT app_id, key, expires_at FROM proofs WHERE key = {int.from_bytes(digest[:8], 'big', signed=True)}")
    foundation = migrations()[1]
    for statement in (
        "DROP TABLE proofs", re.search(r"CREATE TABLE proofs .*?WITHOUT ROWID", foundation, re.DOTALL)[0],
        "CREATE INDEX proofs_by_expiry ON proofs (expires_at)",
        f"INSERT INTO proofs VALUES ('{app}', '{key}', {expires_at})", "ALTER TABLE users DROP COLUMN locale",
        "ALTER TABLE verifications DROP COLUMN payers", "DROP TABLE passkeys",
        "ALTER TABLE sessions DROP COLUMN method",
        "PRAGMA user_version = 11"):
        service.sql(statement)
    service.start()
    assert "migrated the database" in service.log()
    assert service.sql("SELECT app_id, key, expires_at FROM proofs") == [(app, short, expires_at)]
    assert use(proof) == (400, "invalid_dpop_proof")
    assert use(make_dpop(person.device.key, "GET", person.transport.url(path))) == (200, None)


def test_an_embedded_database_of_an_older_version_is_shown_and_migrated(tmp_path):
    path = database(tmp_path / "old", OLDER)
    before = contents(path)
    code, shown = status(tmp_path, "sqlite:old")
    assert code == 2
    assert shown == {
        "database": str(path), "schema": OLDER, "supported": NEWEST, "state": "pending",
        "pending": STEPS.split(", ")}
    plan = migrate(tmp_path, "plan", "sqlite:old")
    assert plan.returncode == 0 and plan.stdout.startswith(".bail on\n-- 9 messages\nBEGIN IMMEDIATE;")
    assert contents(path) == before, "neither command changes anything"

    # The plan is SQL that works, and leads to the same schema and rows.
    by_hand = database(tmp_path / "by-hand", OLDER)
    key = base64.urlsafe_b64encode(bytes(range(240, 256)) * 2).rstrip(b"=").decode()
    for old in (path, by_hand):
        execute(old, f"INSERT INTO proofs VALUES ('testapp', '{key}', 1000)")
    with contextlib.closing(sqlite3.connect(by_hand, isolation_level=None)) as connection:
        # Without the command of the shell.
        connection.executescript(plan.stdout.partition("\n")[2])
    done = migrate(tmp_path, "up", "sqlite:old", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [{
        "database": str(path), "from": OLDER, "to": NEWEST, "steps": STEPS.split(", ")}]
    assert contents(path) == contents(by_hand)
    for new in (path, by_hand):
        assert execute(new, "SELECT app_id, key, expires_at FROM proofs") == [
            ("testapp", int.from_bytes(range(240, 248), "big", signed=True), 1000)]
    assert status(tmp_path, "sqlite:old")[1]["state"] == "current"
    again = migrate(tmp_path, "up", "sqlite:old")
    assert again.returncode == 0 and "none" in again.stdout


@pytest.mark.skipif(not shutil.which("sqlite3"), reason="there is no sqlite3")
def test_the_shell_ends_at_the_first_error_of_the_plan(tmp_path):
    """Without that, a full disk would lose all used proofs: the shell would go on and drop their table."""
    path = database(tmp_path / "old", OLDER)
    rows = [("testapp", secrets.token_urlsafe(32), 1000) for _ in range(20_000)]
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany("INSERT INTO proofs VALUES (?, ?, ?)", rows)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    plan = migrate(tmp_path, "plan", "sqlite:old").stdout

    def run(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(["sqlite3", *arguments, path], input=plan, capture_output=True, text=True)

    full = run("-cmd", f"PRAGMA max_page_count = {pages + 40}")
    assert full.returncode != 0 and "full" in full.stderr
    assert execute(path, "SELECT count(*) FROM proofs") == [(len(rows),)]
    assert status(tmp_path, "sqlite:old")[1]["state"] == "pending"


@pytest.mark.parametrize("action", ["status", "plan", "up"])
def test_no_action_creates_or_changes_an_embedded_database_that_it_cannot_use(tmp_path, action):
    missing = migrate(tmp_path, action, "sqlite:missing")
    assert missing.returncode == 1 and f"{tmp_path}/missing (from --database) does not exist" in missing.stderr
    assert not list(tmp_path.glob("missing*"))
    path = database(tmp_path / "new", NEWEST + 1)
    before = contents(path)
    newer = migrate(tmp_path, action, "sqlite:new")
    assert newer.returncode == 1 and "cannot use it any more" in newer.stderr
    assert contents(path) == before
    in_memory = migrate(tmp_path, action, "sqlite::memory:")
    assert in_memory.returncode != 0 and "a database in memory has no migrations" in in_memory.stderr


def test_a_postgresql_database_is_shown_created_and_migrated(server, tmp_path):
    url = postgres.new_database(server.url)
    code, shown = status(tmp_path, url)
    assert (code, shown["schema"], shown["state"]) == (2, 0, "empty")
    steps = json.loads(migrate(tmp_path, "plan", url, "--json").stdout)
    assert [step["name"] for step in steps] == ["foundation", "settings revision", "events by actor", "copied proofs", "ASCII domains", "locale", "payers", "passkeys"]
    assert status(tmp_path, url)[1] == shown, "a plan changes nothing"

    # An administrator runs the first step of the plan.
    postgres.execute(url, steps[0]["sql"])
    code, shown = status(tmp_path, url)
    steps = "10 settings revision, 11 events by actor, 12 copied proofs, 14 ASCII domains, 15 locale, 16 payers, 18 passkeys"
    assert (code, shown["schema"], shown["state"], shown["pending"]) == (2, 9, "pending", steps.split(", "))
    plan = migrate(tmp_path, "plan", url).stdout
    assert plan.startswith("\\set ON_ERROR_STOP on\n-- 10 settings revision\nBEGIN") and "COMMIT;\n-- 11 events by actor\n" in plan
    assert "CREATE INDEX CONCURRENTLY events_by_actor ON events (app_id, " in plan

    done = migrate(tmp_path, "up", url, "--json")
    assert done.returncode == 0, done.stderr
    [report] = json.loads(done.stdout)
    assert (report["from"], report["to"], report["steps"]) == (9, shown["supported"], steps.split(", "))
    assert status(tmp_path, url) == (0, {**shown, "schema": shown["supported"], "state": "current", "pending": []})
    assert json.loads(migrate(tmp_path, "up", url, "--json").stdout)[0]["steps"] == []
    node = Service(tmp_path, "--key-file", str(tmp_path / "keys"))
    node.database = url
    with running(node):
        assert "migrated the database" not in node.log()


def test_a_migration_waits_for_another_node(server, tmp_path):
    """Commands at the same time: one migrates, and all succeed."""
    url = postgres.new_database(server.url)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda _: migrate(tmp_path, "up", url, "--json"), range(4)))
    assert [result.returncode for result in done] == [0] * 4, [result.stderr for result in done]
    reports = [json.loads(result.stdout)[0] for result in done]
    assert [report["from"] for report in reports].count(0) == 1
    assert {report["to"] for report in reports} == {status(tmp_path, url)[1]["schema"]}
