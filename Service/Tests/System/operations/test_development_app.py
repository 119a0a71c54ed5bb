"""Tests that the development app has what the tutorials use, and that commands configure a running service."""

import json

import pytest

from operator_api import Management
from person import Person, new_email, new_phone
from receiver import Receiver, Reply
from service import APP, Service, running
from terminal import log_in_with_code, run_with_code
from waiting import wait_until

TRANSFER, CHANGE_PASSWORD, CHANGE_PASSKEYS = "transfer:write", "prld:pwd:write", "prld:passkey:write"


def printed(service: Service, *arguments: str):
    result = service.run(*arguments, "--json")
    assert result.returncode == 0, (arguments, result.stderr)
    return json.loads(result.stdout)


@pytest.mark.parametrize("new_identifier", [new_email, new_phone])
@pytest.mark.parametrize("scope", [TRANSFER, CHANGE_PASSWORD, CHANGE_PASSKEYS])
def test_the_scopes_of_the_tutorials_need_no_configuration(shared, new_identifier, scope):
    identifier = new_identifier()
    person = Person.signed_in(shared, identifier)
    assert person.scopes() == []
    person.refresh(person.do_code_step(person.challenge(scope), identifier))
    assert person.scopes() == [scope]
    person.refresh()
    assert person.scopes() == ([] if scope == CHANGE_PASSWORD else [scope]), "a change of the password is granted once"


def test_the_login_for_a_forgotten_password_grants_the_change(shared):
    email = new_email()
    person = Person(shared)
    body = {"identifier": {"type": "email_address", "value": email}, "login_config_id": "lcfg_reset"}
    started = person.transport.send("POST", "/v1/session/otp", body)
    checked = person.device.check(started.headers["X-Verification-Token"], person.code(email))
    person.take(person.device.finalize(checked.json["challenge_token"]))
    assert person.scopes() == [CHANGE_PASSWORD]
    assert Person.signed_in(shared, new_email()).scopes() == [], "other logins grant nothing"


def test_a_development_app_of_an_earlier_version_gets_the_rules(tmp_path):
    service = Service(tmp_path)
    made = service.run("app", "create", "Old", "--id", APP, "--email")
    assert made.returncode == 0, made.stderr
    assert service.run("step-up", "show", "--app", APP).returncode != 0
    with running(service):
        scopes = [rule["scope"] for rule in printed(service, "step-up", "show", "--app", APP)["allowed_scopes"]]
        assert scopes == [CHANGE_PASSWORD] * 2 + [CHANGE_PASSKEYS] * 2 + [TRANSFER] * 2
        assert [scope["scope"] for scope in printed(service, "scope", "list", "--app", APP)] == [
            CHANGE_PASSWORD, CHANGE_PASSKEYS, TRANSFER]
        # A configuration of the developer stays.
        assert service.run("step-up", "remove", "--app", APP, TRANSFER).returncode == 0
        service.stop()
        service.start()
        rules = printed(service, "step-up", "show", "--app", APP)["allowed_scopes"]
        assert [rule["scope"] for rule in rules] == [CHANGE_PASSWORD] * 2 + [CHANGE_PASSKEYS] * 2


def test_a_rule_that_a_command_sets_is_used_by_the_running_service(shared):
    email = new_email()
    person = Person.signed_in(shared, email)
    assert person.request_scope("reports:read").code == "scope_not_allowed"
    rules = printed(
        shared, "step-up", "set", "--app", APP, "reports:read", "--grant-mode", "single-use", "--granted-for", "60",
        "--email")["allowed_scopes"]
    assert [rule for rule in rules if rule["scope"] == "reports:read"] == [{
        "scope": "reports:read", "mode": "direct", "direct": {
            "identifier_types": ["email_address"], "status": "review", "granted_for": 60, "grant_mode": "single-use",
            "steps": [{"order": 1, "key": "verify_email", "expiration_duration": 0}]}}]
    challenge = wait_until(
        lambda: (person.request_scope("reports:read").json or {}).get("challenge_token"),
        pause=0.6)  # A limit allows 30 requests for a scope.
    person.refresh(person.do_code_step(challenge, email))
    assert person.scopes() == ["reports:read"]
    again = printed(shared, "step-up", "set", "--app", APP, "reports:read", "--decision", "block")["allowed_scopes"]
    assert [rule["direct"]["status"] for rule in again if rule["scope"] == "reports:read"] == ["block", "block"]
    assert TRANSFER in [rule["scope"] for rule in again], "the rules of other scopes stay"


def test_the_printed_rules_are_what_replace_reads(shared, tmp_path):
    shown = printed(shared, "step-up", "show", "--app", APP)
    (tmp_path / "rules.json").write_text(json.dumps(shown))
    replaced = printed(shared, "step-up", "replace", "--app", APP, str(tmp_path / "rules.json"))
    for rules in (shown, replaced):
        del rules["updated_at"]
    assert replaced == shown
    assert Management(shared).get("/config/stepup")["config"]["allowed_scopes"] == shown["allowed_scopes"]


@pytest.mark.parametrize(
    ("text", "error"), [
        ("{}", "allowed_scopes is required"),
        ('{"allowed_scopes": null}', "allowed_scopes must be an array"),
        ('{"allowed_scope": []}', "allowed_scope is not a known member"),
        ('{"config": {"allowed_scopes": []}}', "config is the frame of a response"), ("[]", "body"), ("", "body"),
    ])
def test_a_file_that_is_no_configuration_deletes_no_rules(shared, text, error):
    before = printed(shared, "step-up", "show", "--app", APP)
    result = shared.run("step-up", "replace", "--app", APP, "-", stdin=text)
    assert result.returncode != 0 and error in result.stderr, result.stderr
    assert printed(shared, "step-up", "show", "--app", APP) == before


@pytest.mark.parametrize(
    ("arguments", "error"), [
        (["step-up", "set", "--app", APP, "a b"], "scope must be 1 to 128"),
        (["step-up", "set", "--app", APP, "pay", "--granted-for", "0"], "granted_for must be 1 to 86400"),
        (["step-up", "set", "--app", APP, "pay", "--hook", "http://10.0.0.1/hook"], "delegation_hook"),
        (["step-up", "set", "--app", "zzzzzzz", "pay"], "there is no app zzzzzzz"),
        (["step-up", "remove", "--app", APP, "no:such:scope"], "there is no rule for this scope"),
        (["step-up", "set", "--app", APP, "prld:phone:register", "--decision", "block"], "--decision has no effect"),
        (["step-up", "set", "--app", APP, "prld:phone:register", "--hook", "https://a.example"], "--hook has no effect"),
        (["step-up", "set", "--app", APP, "pay", "--hook", "https://a.example", "--email"], "--email has no effect"),
        (["step-up", "set", "--app", APP, "pay", "--decision", "block", "--granted-for", "9"], "--granted-for has no"),
        (["scope", "add", "--app", APP, "a b"], "scope must be 1 to 128"),
        (["scope", "remove", "--app", APP, "no:such:scope"], "there is no such scope"),
        (["domain", "add", "--app", APP, "https://session.example.com"], "domains must be at most 20 different bare hosts"),
        *[(["domain", "add", "--app", APP, name], "domains must be at most 20 different bare hosts") for name in [
            "*.example.com", "a..com", "example.com.", "10.0.0.1", "localhost", "a.-b.com", "a-.com", f"{'a' * 64}.com"]],
        (["domain", "remove", "--app", APP, "other.example.com"], "the app has no such domain"),
        (["webhook", "create", "--app", APP, "http://localhost:1/x"], "url"),
        (["webhook", "create", "--app", APP, "https://backend.example.com", "--event", "x"], "events must be some of"),
        (["webhook", "show", "--app", APP, "web_1"], "there is no such webhook"),
        (["session", "revoke", "--app", APP, "--user", "usr_1"], "there is no such user"),
        (["session", "revoke", "--user", "usr_1"], "--user needs --app"),
        (["session", "revoke", "--all", "--user", "usr_1", "--app", APP], "Give --user"),
        (["session", "revoke", "--all", "--except", "ses_1"], "--except needs --user"),
        (["session", "revoke", "--app", APP, "--user", "usr_1", "--session", "ses_1", "--except", "ses_2"], "exclude each"),
    ], ids=lambda value: " ".join(value)[:50] if isinstance(value, list) else "")
def test_commands_validate_as_the_management_api_does(shared, arguments, error):
    result = shared.run(*arguments)
    assert result.returncode != 0 and result.stdout == ""
    assert error in result.stderr


def test_all_sessions_but_one_end(shared):
    email = new_email()
    people = [Person.signed_in(shared, email) for _ in range(3)]
    user = printed(shared, "user", "find", "--app", APP, "--email", email)[0]["id"]
    listed = [each["id"] for each in printed(shared, "session", "list", "--app", APP, user)]
    revoke = ["session", "revoke", "--app", APP, "--user", user, "--except"]
    wrong = shared.run(*revoke, "ses_none")
    assert wrong.returncode != 0 and "the user has no such session" in wrong.stderr
    assert len(printed(shared, "session", "list", "--app", APP, user)) == 3
    assert printed(shared, *revoke, listed[1])[0]["revoked_sessions"] == 2
    assert [each["id"] for each in printed(shared, "session", "list", "--app", APP, user)] == [listed[1]]
    assert sorted(person.device.refresh(person.refresh_token).status for person in people) == [200, 401, 401]


def test_a_webhook_of_a_command_receives_events(shared):
    with Receiver(None) as backend:
        url = backend.on("/events", lambda received: Reply(
            200, {"challenge": int(received.query["challenge"])} if received.method == "GET" else b""))
        webhook = printed(
            shared, "webhook", "create", "--app", APP, url, "--event", "user.created", "--development")[0]
        assert webhook["status"] == "inactive"
        activated = printed(shared, "webhook", "activate", "--app", APP, webhook["id"], "--development")[0]
        assert activated["status"] == "active" and backend.next().method == "GET"
        printed(shared, "user", "create", "--app", APP, "--email", new_email())
        assert backend.next(timeout=20).json["events"][0]["name"] == "user.created"
        delivered = wait_until(lambda: [
            delivery for delivery in printed(shared, "webhook", "deliveries", "--app", APP, webhook["id"])
            if delivery["status"] == "delivered"])
        assert delivered[0]["event"] == "user.created" and delivered[0]["attempts"] == 1
        assert shared.run("webhook", "delete", "--app", APP, webhook["id"]).returncode == 0
        assert printed(shared, "webhook", "list", "--app", APP) == []


def test_an_operator_lists_and_revokes_sessions_of_a_user(service):
    login = json.loads(log_in_with_code(service, "ada@example.com").stdout)
    user = ["--app", APP, "--user", login["user_id"]]
    listed = printed(service, "session", "list", "--app", APP, login["user_id"])
    assert [session["id"] for session in listed] == [login["session_id"]]
    unknown = service.run("session", "revoke", *user, "--session", "ses_1")
    assert unknown.returncode == 1 and "the user has no such session" in unknown.stderr
    revoked = printed(service, "session", "revoke", *user, "--session", login["session_id"])
    assert revoked[0]["revoked_sessions"] == 1
    assert service.run("refresh").returncode == 2
    log_in_with_code(service, "ada@example.com")
    assert printed(service, "session", "revoke", *user)[0]["revoked_sessions"] == 1
    assert service.run("refresh").returncode == 2


def test_a_terminal_does_the_step_up_of_the_tutorial(service):
    log_in_with_code(service, "ada@example.com")
    granted = run_with_code(service, "ada@example.com", "step-up", TRANSFER, "--json")
    assert granted.returncode == 0, granted.stderr
    named = run_with_code(service, "ada@example.com", "step-up", "request", TRANSFER, "--json")
    assert json.loads(named.stdout) == {"scope": TRANSFER, "granted": True}
