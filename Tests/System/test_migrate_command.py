"""Tests `prelude-session migrate` on both kinds of databases."""

import concurrent.futures
import json
import sqlite3

import pytest

import postgres
from conftest import running
from service import Service
from test_operator_commands import NEWEST, VERSIONS, command, contents, database


#: Two steps before the newest version.
OLDER = VERSIONS[-3]


@pytest.fixture(scope="module")
def server():
    with postgres.own_server() as server:
        yield server


def migrate(directory, action: str, location: str, *arguments: str):
    return command(directory, "migrate", action, "--database", location, *arguments)


def status(directory, location: str) -> tuple[int, dict]:
    shown = migrate(directory, "status", location, "--json")
    return shown.returncode, json.loads(shown.stdout)[0]


def test_an_embedded_database_of_an_older_version_is_shown_and_migrated(tmp_path):
    path = database(tmp_path / "old", OLDER)
    before = contents(path)
    code, shown = status(tmp_path, "sqlite:old")
    assert code == 2
    assert shown == {
        "database": str(path), "schema": str(OLDER), "supported": str(NEWEST), "state": "pending",
        "pending": "9 messages, 11 events by actor"}
    plan = migrate(tmp_path, "plan", "sqlite:old")
    assert plan.returncode == 0 and "-- 9 messages\nBEGIN IMMEDIATE;" in plan.stdout
    assert contents(path) == before, "neither command changes anything"

    # The plan is SQL that works, and leads to the same schema.
    by_hand = database(tmp_path / "by-hand", OLDER)
    with sqlite3.connect(by_hand, isolation_level=None) as connection:
        connection.executescript(plan.stdout)
    done = migrate(tmp_path, "up", "sqlite:old", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [{
        "database": str(path), "from": str(OLDER), "to": str(NEWEST), "steps": "9 messages, 11 events by actor"}]
    assert contents(path) == contents(by_hand)
    assert status(tmp_path, "sqlite:old")[1]["state"] == "current"
    again = migrate(tmp_path, "up", "sqlite:old")
    assert again.returncode == 0 and "none" in again.stdout


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
    assert (code, shown["schema"], shown["state"]) == (2, "0", "empty")
    steps = json.loads(migrate(tmp_path, "plan", url, "--json").stdout)
    assert [step["name"] for step in steps] == ["foundation", "settings revision", "events by actor"]
    assert status(tmp_path, url)[1] == shown, "a plan changes nothing"

    # An administrator runs the first step of the plan.
    postgres.execute(url, steps[0]["sql"])
    code, shown = status(tmp_path, url)
    steps = "10 settings revision, 11 events by actor"
    assert (code, shown["schema"], shown["state"], shown["pending"]) == (2, "9", "pending", steps)
    plan = migrate(tmp_path, "plan", url).stdout
    assert plan.startswith("-- 10 settings revision\nBEGIN") and "COMMIT;\n-- 11 events by actor\n" in plan
    assert "CREATE INDEX CONCURRENTLY events_by_actor ON events (app_id, " in plan

    done = migrate(tmp_path, "up", url, "--json")
    assert done.returncode == 0, done.stderr
    [report] = json.loads(done.stdout)
    assert (report["from"], report["to"], report["steps"]) == ("9", shown["supported"], steps)
    assert status(tmp_path, url) == (0, {**shown, "schema": shown["supported"], "state": "current", "pending": "none"})
    assert json.loads(migrate(tmp_path, "up", url, "--json").stdout)[0]["steps"] == "none"
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
    assert [report["from"] for report in reports].count("0") == 1
    assert {report["to"] for report in reports} == {status(tmp_path, url)[1]["schema"]}
