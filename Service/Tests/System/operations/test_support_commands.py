"""Tests the commands of a support case: `user show`, `limits show` and `clear`, and `events` by their origin."""

import json

import pytest

from person import Person, new_email
from service import APP, Service, running
from strangers import fail, from_address, start, stranger


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("support"), "--trusted-proxy", "127.0.0.1")
    with running(service) as service:
        yield service


def data(service: Service, *arguments: str):
    done = service.run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def locked_out(service: Service) -> tuple[Person, str]:
    """A user for whose address strangers have spent all checks of the hour, and the id of the user."""
    email = new_email()
    ada = Person.signed_in(service, email)
    for _ in range(2):
        fail(service, stranger(service), email, 5)
    return ada, email, ada.claims()["sub"]


def test_user_show_says_why_a_user_cannot_sign_in(service):
    _, email, user = locked_out(service)
    shown = data(service, "user", "show", "--app", APP, email)
    assert shown == data(service, "user", "show", "--app", APP, user)
    assert (shown["user"]["id"], shown["user"]["status"]) == (user, "active")
    assert (shown["user"]["identifiers"], shown["user"]["password"]) == ([email], False)
    assert [len(shown["sessions"]), shown["held_identifiers"]] == [1, []]
    refusing = [limit for limit in shown["limits"] if limit["refused_until"]]
    assert shown["limits"][:len(refusing)] == refusing
    [checks] = [limit for limit in refusing if limit["setting"] == "limits.failed_checks"]
    assert (checks["limit"], checks["count"], checks["of"]) == ("failures_hour", 10, 10)
    assert checks["refused_until"] == checks["ends"] and email in checks["counter"]
    assert [event["name"] for event in shown["events"]].count("login.failed") > 5
    assert len(data(service, "user", "show", "--app", APP, user, "--events", "3")["events"]) == 3

    text = service.run("user", "show", "--app", APP, email).stdout
    assert f"identifiers  {email}\n" in text and "\nSessions: 1\n" in text and "refuse now\n" in text
    assert "  login.failed  " in text and "refused until" in text


def test_user_show_reads_no_limits_of_others(service):
    quiet = Person.signed_in(service).claims()["sub"]
    assert not [limit for limit in data(service, "user", "show", "--app", APP, quiet)["limits"] if limit["refused_until"]]
    for unknown in ("usr_01jd7w3k2m9z8x7c6v5b4n3m2a", "nobody@example.com", "+14155550199"):
        refused = service.run("user", "show", "--app", APP, unknown)
        assert refused.returncode == 1 and "there is no such user" in refused.stderr
    wrong = service.run("user", "show", "--app", APP, "ada")
    assert wrong.returncode == 1 and "user" in wrong.stderr and "E.164" in wrong.stderr


def test_limits_are_shown_and_cleared_for_users_identifiers_and_addresses(service):
    _, email, user = locked_out(service)
    subjects = [[user], ["--identifier", email]]
    for subject in subjects:
        assert data(service, "limits", "show", "--app", APP, *subject)[0]["limit"] == "failures_hour"
    assert service.run("limits", "clear", "--app", APP, *subjects[1]).returncode == 0
    for subject in subjects:
        assert not [each for each in data(service, "limits", "show", "--app", APP, *subject) if each["refused_until"]]

    # An identifier without a user, and the total of the app.
    unknown = new_email()
    start(stranger(service), unknown)
    counted = {each["limit"]: each["count"] for each in data(service, "limits", "show", "--app", APP, "--identifier", unknown)}
    assert counted["starts"] == counted["sends_hour"] == counted["sends_day"] == 1
    assert counted["sends_of_app"] >= 3

    source = "203.0.113.77"
    for _ in range(3):
        start(from_address(service, source), new_email())
    [starts] = data(service, "limits", "show", "--app", APP, "--address", source)
    assert (starts["limit"], starts["count"], starts["of"], starts["refused_until"]) == ("starts_of_address", 3, 150, None)
    start(from_address(service, "2001:db8:9:2::1"), new_email())
    assert {each["of"] for each in data(service, "limits", "show", "--app", APP, "--address", "2001:db8:9:2::5")} == {
        150, 150 * 16}, "the network of a customer, and that of a site"
    assert service.run("limits", "clear", "--app", APP, "--address", source).returncode == 0
    assert data(service, "limits", "show", "--app", APP, "--address", source) == []


@pytest.mark.parametrize("subject", [[], ["usr_1", "--address", "203.0.113.7"], ["--address", "x"], ["--identifier", "ada"]])
def test_a_wrong_subject_is_refused(service, subject):
    for verb in ("show", "clear"):
        assert service.run("limits", verb, "--app", APP, *subject).returncode != 0


@pytest.mark.parametrize("command", [
    ["limits", "show", "--address", "1.2.3.4"], ["limits", "clear", "--address", "1.2.3.4"],
    ["limits", "show", "--identifier", "ada@example.com"], ["limits", "clear", "--identifier", "ada@example.com"],
    ["limits", "clear", "usr_1"], ["user", "show", "usr_1"], ["user", "show", "ada@example.com"],
    ["user", "find", "--email", "ada@example.com"], ["user", "set-status", "usr_1", "active"],
    ["user", "delete", "usr_1", "--yes"],
    ["user", "create", "--email", "ada@example.com"], ["session", "list", "usr_1"], ["session", "revoke", "--user", "usr_1"],
    ["webhook", "list"], ["webhook", "show", "web_1"], ["block", "list"], ["events"]], ids=" ".join)
def test_a_command_says_that_there_is_no_such_app(service, command):
    refused = service.run(*command, "--app", "zzzzzzz")
    assert refused.returncode == 1 and "Error: there is no app zzzzzzz" in refused.stderr, refused
    assert refused.stdout == ""


def test_events_are_found_by_request_and_by_address(service):
    source = "203.0.113.78"
    device = from_address(service, source)
    refused = device.check(start(device, new_email()), "000000")
    request = refused.headers["X-Request-Id"]
    [event] = [json.loads(line) for line in service.run("events", "--request-id", request, "--json").stdout.splitlines()]
    assert (event["name"], event["context"]["request_id"]) == ("login.failed", request)
    found = [json.loads(line) for line in service.run("events", "--address", source, "--json").stdout.splitlines()]
    assert event in found and {each["context"]["ip"] for each in found} == {source}
    assert service.run("events", "--request-id", "req_unknown").stdout == ""


def test_events_are_found_by_an_address_in_any_spelling_and_by_its_network(service):
    def found(address: str) -> list[dict]:
        shown = service.run("events", "--address", address, "--json", "--limit", "10000")
        assert shown.returncode == 0, shown.stderr
        return [json.loads(line) for line in shown.stdout.splitlines()]

    for sent, address, spellings, other in [
            ("203.0.113.79", "203.0.113.79", ["203.0.113.79", "::ffff:203.0.113.79", "203.0.113.79/32"], "203.0.113.80/28"),
            ("::ffff:203.0.113.201", "203.0.113.201", ["203.0.113.201"], "203.0.113.202"),
            ("2001:DB8:77:0::0001", "2001:db8:77::1", ["2001:db8:77::1", "2001:DB8:77:0:0::1", "2001:db8:77::/48"],
             "2001:db8:78::/48")]:
        device = from_address(service, sent)
        assert device.check(start(device, new_email()), "000000").status == 401
        for spelling in spellings:
            events = found(spelling)
            assert events and {event["context"]["ip"] for event in events} == {address}, spelling
        assert not [event for event in found(other) if event["context"]["ip"] == address]
    assert {event["context"]["ip"] for event in found("203.0.113.0/24")} >= {"203.0.113.79", "203.0.113.201"}
    for wrong in ("garbage", "203.0.113.0/33", "203.0.113.0/+24", "::ffff:203.0.113.0/24", ""):
        refused = service.run("events", "--address", wrong)
        assert refused.returncode != 0 and "--address must be an IP address, or a network" in refused.stderr


def test_a_user_is_deleted_only_after_a_confirmation(service):
    user = Person.signed_in(service).claims()["sub"]
    asked = service.run("user", "delete", "--app", APP, user)
    assert asked.returncode != 0 and "Add --yes to confirm." in asked.stderr
    assert data(service, "user", "show", "--app", APP, user)["user"]["id"] == user
    assert data(service, "user", "delete", "--app", APP, user, "--yes") == [{"deleted": user}]
    assert service.run("user", "show", "--app", APP, user).returncode == 1
