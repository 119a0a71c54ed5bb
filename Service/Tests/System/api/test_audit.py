"""The audit trail of the real service, in the management API and in `prelude-session events`."""

import json
import sqlite3
import subprocess

import postgres
import pytest

from operator_api import Management
from person import Person, new_email
from service import APP, BINARY


@pytest.fixture(scope="module")
def story(shared):
    """Returns the service after one person failed to sign in, signed in, and was suspended by an operator."""
    email = new_email()
    person = Person(shared)
    started = person.device.start(email, "email_address")
    token = started.headers["X-Verification-Token"]
    code = person.code(email)
    assert person.device.check(token, "000000" if code != "000000" else "000001").status == 401
    checked = person.device.check(token, code)
    person.take(person.device.finalize(checked.json["challenge_token"]))
    user = person.claims()["sub"]
    management = Management(shared)
    management.expect(200, "PUT", f"/users/{user}/status", {"status": "suspended"})
    management.expect(200, "PATCH", "", {"name": "Audited"})
    return shared, management, user, [code, person.access_token, person.refresh_token, shared.key]


def names(events: list[dict]) -> list[str]:
    return [event["name"] for event in events]


# Proves: A1
def test_the_trail_of_one_person_names_actors_addresses_and_devices(story):
    _, management, user, _ = story
    events = list(reversed(management.get(f"/events?user_id={user}&limit=100")["events"]))
    assert names(events) == [
        "user.created", "user.session.created", "user.status.updated", "user.session.revoked"]
    assert [event["context"]["actor"]["type"] for event in events[:2]] == ["client", "client"]
    assert events[1]["data"]["method"] == "otp_email"
    assert events[1]["context"]["ip"] in ("127.0.0.1", "::1") and "device" in events[1]["context"]
    assert events[2]["context"]["actor"]["type"] in ("management_key", "configuration")
    failed = management.get("/events?name=login.failed")["events"][0]
    assert failed["data"]["reason"] == "wrong_code" and failed["data"]["identifier"].startswith("p***@")


def test_a_change_of_settings_has_the_values_before_and_after(story):
    _, management, _, _ = story
    event = management.get("/events?name=management.app.updated&limit=1")["events"][0]
    assert event["data"]["changes"]["name"]["after"] == "Audited"


def test_pages_continue_after_an_event(story):
    _, management, _, _ = story
    everything = management.get("/events?limit=100")["events"]
    pages, query = [], "limit=3"
    while page := management.get(f"/events?{query}")["events"]:
        pages += page
        query = f"limit=3&before={page[-1]['id']}"
    assert pages == everything


def lines(result: subprocess.CompletedProcess) -> list[str]:
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_the_command_prints_one_line_for_each_event(story):
    service, _, user, _ = story
    printed = lines(service.run("events", "--app", APP, "--user", user))
    assert [line.split()[2] for line in printed] == [
        "user.created", "user.session.created", "user.status.updated", "user.session.revoked"]
    assert all(line.split()[1] == APP and user in line for line in printed)
    assert lines(service.run("events", "--app", APP, "--user", user, "--until", "1h")) == []


def test_what_a_management_key_did_is_found_by_its_id(story):
    service, management, _, _ = story
    made = json.loads("".join(lines(service.run("key", "create", "sam", "--json"))))[0]
    identifier = {"type": "email_address", "value": new_email()}
    Management(service, key=made["key"]).expect(201, "POST", "/users", {"identifiers": [identifier]})
    listed = management.get(f"/events?actor_id={made['id']}")["events"]
    assert names(listed) == ["user.created"] and listed[0]["context"]["actor"]["name"] == "sam"
    assert management.get(f"/events?actor_id={made['id']}&name=login.*")["events"] == []
    printed = [json.loads(line) for line in lines(service.run("events", "--actor", made["id"], "--json"))]
    assert [event["id"] for event in printed] == [event["id"] for event in listed]


def test_the_command_filters_like_the_api_and_prints_json(story):
    service, management, user, _ = story
    printed = [json.loads(line) for line in lines(service.run("events", "--name", "user.session.*", "--json"))]
    wanted = [event for event in printed if event["data"].get("user_id") == user]
    assert names(wanted) == ["user.session.created", "user.session.revoked"]
    assert wanted[0]["app_id"] == APP
    listed = management.get(f"/events?user_id={user}&name=user.session.*")["events"]
    assert [{**event, "app_id": APP} for event in reversed(listed)] == wanted
    assert len(lines(service.run("events", "--limit", "2"))) == 2
    assert lines(service.run("events", "--since", "2100-01-01T00:00:00Z")) == []


@pytest.mark.parametrize(
    ("arguments", "field"), [
        (["--name", "Login"], "--name"), (["--since", "yesterday"], "--since"), (["--limit", "0"], "--limit"),
        (["--follow", "--until", "1h"], "--follow"), (["--app", "zzzzzzz"], "zzzzzzz"),
    ], ids=lambda value: str(value))
def test_an_invalid_filter_is_an_error_that_names_it(story, arguments, field):
    service, *_ = story
    result = service.run("events", *arguments)
    assert result.returncode != 0 and field in result.stderr and result.stdout == ""


def test_follow_prints_new_events_until_it_is_stopped(story):
    service, management, _, _ = story
    command = [BINARY, "events", "--follow", "--json", "--limit", "1", "--name", "management.app.*",
               "--database", service.database]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            first = json.loads(process.stdout.readline())
            assert first["data"]["changes"]["name"]["after"] == "Audited"
            management.expect(200, "PATCH", "", {"name": "Followed"})
            second = json.loads(process.stdout.readline())
            assert second["data"]["changes"]["name"] == {"before": "Audited", "after": "Followed"}
            assert second["id"] != first["id"] and process.poll() is None
        finally:
            process.terminate()
            management.expect(200, "PATCH", "", {"name": "Audited"})


@postgres.only_embedded
def test_follow_prints_new_events_after_the_clock_was_set_back(story):
    """Their time is before that of --since."""
    service, *_ = story
    command = [BINARY, "events", "--follow", "--json", "--since", "1h", "--limit", "1", "--database", service.database]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            process.stdout.readline()
            with sqlite3.connect(service.database.removeprefix("sqlite:")) as stored:
                stored.execute(
                    "INSERT INTO events (app_id, id, name, created_at, data, user_id, context)"
                    " SELECT app_id, 'evt_earlier', name, created_at - 86400, data, user_id, context FROM events LIMIT 1")
            stored.close()
            assert json.loads(process.stdout.readline())["id"] == "evt_earlier"
        finally:
            process.terminate()


# Proves: A1
def test_commands_are_actors(story):
    service, _, _, _ = story
    made = lines(service.run("key", "create", "audited", "--json"))
    event = json.loads(lines(service.run("events", "--name", "management.key.created", "--limit", "1", "--json"))[0])
    assert event["context"] == {"actor": {"type": "command_line"}} and "app_id" not in event
    key = json.loads("".join(made))[0]
    assert event["data"]["key_id"] == key["id"]
    for output in ("--json", None):
        shown = service.run("events", "--limit", "10000", *([output] if output else []))
        assert key["key"] not in shown.stdout


# Proves: A3
def test_no_event_contains_a_secret(story):
    service, management, _, secrets = story
    shown = service.run("events", "--limit", "10000", "--json").stdout + json.dumps(
        management.get("/events?limit=100"))
    assert len(shown) > 1000
    for secret in secrets:
        assert f'"{secret}"' not in shown and (len(secret) < 10 or secret not in shown)
