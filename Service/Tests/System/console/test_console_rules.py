"""Tests the console's pages for step-up rules, claims, limits, notices and migration in headless Chromium."""

import itertools
import json
import re

import pytest

from console_operator import DESKTOP, PHONE, Operator
from mail_browser import CHROMIUM
from operator_api import Management
from person import Person, new_email
from service import APP, Service, running
from token_builder import encode

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

HOME = f"/apps/{APP}"
SCOPE = "payments:write"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """Returns a service of its own: the tests change how users sign in."""
    with running(Service(tmp_path_factory.mktemp("rules"))) as service:
        yield service


@pytest.fixture(scope="module")
def management(service):
    return Management(service)


@pytest.fixture
def operator(browser, service):
    """Returns an operator who is signed in with a key for all apps. No page may have written an error to its console."""
    operator = Operator(browser, service)
    operator.sign_in(service.key)
    yield operator
    assert [error for error in operator.page.errors if "status of 400" not in error] == []


def rows(operator: Operator, caption: str) -> list[list[str]]:
    """Returns the texts of the cells of a table."""
    return operator.run(f"""
        const table = [...document.querySelectorAll("table")].find(t => t.caption.innerText === {json.dumps(caption)});
        return table ? [...table.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.innerText.trim())) : [];""")


def rules_of(management: Management, scope: str) -> list[dict]:
    return [rule for rule in management.get("/config/stepup")["config"]["allowed_scopes"] if rule["scope"] == scope]


def open_rule(operator: Operator, scope: str) -> None:
    operator.open(f"{HOME}/step-up")
    operator.page._wait(lambda: operator.run(f"""
        [...document.querySelectorAll("tbody th a")].find(link => link.innerText.startsWith({json.dumps(scope)})).click();"""))


def test_rules_of_each_kind_can_be_read_by_everyone(operator):
    operator.open(f"{HOME}/step-up/new/delegated")
    operator.submit("#rule", **{
        "rule.scope": "orders:read", "rule.delegated.delegation_hook": "https://backend.example.com/step-up"})
    open_rule(operator, "orders:read")
    pages = [f"{HOME}/step-up", f"{HOME}/step-up/new/delegated", f"{HOME}/step-up/new/managed", operator.path]
    for path, size, dark in itertools.product(pages, (DESKTOP, PHONE), (False, True)):
        operator.show(size, dark)
        operator.open(path)
        assert "Error" not in operator.title and "does not exist" not in operator.title, path
        assert operator.findings == [], (path, size, dark)


def test_the_keyboard_reaches_every_field_of_a_rule_in_reading_order(operator):
    operator.open(f"{HOME}/step-up/new/direct")
    expected = operator.run("""
        const all = document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary");
        return [...all].filter(e => e.getClientRects().length).map(e => e.outerHTML);""")
    reached = []
    for _ in expected:
        operator.press("Tab", 9)
        reached.append(operator.run("return document.activeElement.outerHTML;"))
    assert reached == expected and len(expected) > 20


def test_an_operator_builds_changes_and_removes_a_rule(operator, management):
    operator.open(f"{HOME}/step-up/new/direct")
    operator.submit("#rule", **{"rule.scope": "not a scope"})
    assert "Scope must be 1 to 128 letters, digits and . - _ :." in operator.text
    assert operator.run("return document.querySelector('[name=\"rule.scope\"]').ariaInvalid;") == "true"
    operator.submit("#rule", **{
        "rule.scope": SCOPE, "rule.direct.identifier_types": "phone_number", "rule.direct.steps[0].key": "verify_sms",
        "rule.direct.steps[0].expiration_duration": "120", "rule.direct.granted_for": "300"})
    assert operator.path == f"{HOME}/step-up"
    meaning = (
        "payments:write needs a code by SMS within 2 minutes. Then it is in the access tokens of the session for 5 minutes. "
        "The rule is for users with a phone number.")
    assert [row[2] for row in rows(operator, "Rules") if row[0].startswith(SCOPE)] == [meaning]
    rule = {
        "scope": SCOPE, "mode": "direct", "direct": {
            "identifier_types": ["phone_number"], "status": "review", "granted_for": 300, "grant_mode": "session-bound",
            "steps": [{"order": 1, "key": "verify_sms", "expiration_duration": 120}]}}
    assert rules_of(management, SCOPE) == [rule]
    assert [row[1] for row in rows(operator, "Scopes") if row[0] == SCOPE] == ["1 rule"]

    open_rule(operator, SCOPE)
    operator.submit("#rule", **{"rule.direct.status": "block"})
    assert rules_of(management, SCOPE)[0]["direct"] == {"identifier_types": ["phone_number"], "status": "block"}
    open_rule(operator, SCOPE)
    visible = "return document.querySelector('[name=\"rule.direct.granted_for\"]').getClientRects().length;"
    assert operator.run(visible) == 0, "a denied scope has no terms"
    operator.fill('[name="rule.direct.status"]', "continue")
    assert operator.run(visible) == 1
    operator.open(operator.path + "/remove")
    assert "It is the last rule for payments:write" in operator.text
    operator.submit("#confirm")
    assert rules_of(management, SCOPE) == []


def test_a_rule_that_was_built_in_the_console_decides_on_a_step_up(operator, management, service):
    operator.open(f"{HOME}/step-up/new/direct")
    operator.submit("#rule", **{"rule.scope": "reports:read", "rule.direct.status": "continue"})
    person = Person.signed_in(service, new_email())
    answer = person.request_scope("reports:read")
    assert answer.status == 200, answer
    person.refresh(answer.json["challenge_token"])
    assert person.scopes() == ["reports:read"]


def test_an_operator_registers_and_removes_a_scope_and_the_steps_of_a_backend(operator, management):
    operator.open(f"{HOME}/step-up")
    operator.submit("#scope", scope="files:..")
    assert "files:.." in management.get("/config/scopes")["scopes"]
    operator.open(f"{HOME}/step-up/scopes/{encode(b'files:..')}/remove")
    assert "No later access token has the scope files:..." in operator.text
    assert "No user has the scope files:.. by a step-up now." in operator.text
    operator.submit("#confirm")
    assert "files:.." not in management.get("/config/scopes")["scopes"]
    operator.submit("#steps", jwks_url="", step_keys="check_id")
    assert "URL of the keys is required" in operator.text
    operator.submit("#steps", jwks_url="https://backend.example.com/jwks.json", step_keys="check_id\nsign_form")
    config = management.get("/config/stepup")["config"]
    assert config["step_keys"] == ["check_id", "sign_form"]
    operator.open(f"{HOME}/step-up/new/direct")
    assert "Your step sign_form" in operator.run("return document.querySelector('select[name$=\".key\"]').innerText;")


def test_an_operator_sees_a_token_before_claims_are_saved(operator, management, service):
    email = new_email()
    user = management.expect(201, "POST", "/users", {
        "identifiers": [{"type": "email_address", "value": email}], "profile": {"plan": "gold"}})["id"]
    operator.open(f"{HOME}/claims")
    operator.fill('[name="claims.0.name"]', "tier")
    operator.fill('[name="claims.0.source"]', "json")
    operator.fill('[name="claims.0.value"]', '{"level": 3}')
    operator.fill('[name="claims.1.name"]', "plan")
    operator.fill('[name="claims.1.source"]', "profile")
    operator.fill('[name="claims.1.value"]', "plan")
    operator.fill('[name="claims.2.name"]', "phone")
    operator.fill('[name="claims.2.source"]', "phone_numbers")
    operator.fill('[name="user"]', email)
    operator.click("#claims button[name=preview]")
    header, payload = (json.loads(text) for text in operator.run(
        "return [...document.querySelectorAll('.card pre')].map(pre => pre.innerText);"))
    assert header["typ"] == "at+jwt" and header["alg"] and header["kid"]
    assert payload["sub"] == user and payload["tier"] == {"level": 3} and payload["plan"] == "gold"
    assert payload["phone"] is None and "phone is null" in operator.text
    assert management.send("GET", "/config/claims").status == 404, "a preview saves nothing"
    operator.click("#claims button[type=submit]")
    assert "The changes are saved." in operator.text
    mapping = {"tier": {"level": 3}, "plan": {"$custom_claim": "plan"}, "phone": {"$input": "phone_numbers"}}
    assert management.get("/config/claims")["config"]["mapping"] == mapping
    person = Person.signed_in(service, email)
    claims = person.claims()
    assert {name: claims[name] for name in mapping} == {name: payload[name] for name in mapping}
    # The page invents a session, so it does not say how the user signed in.
    assert set(claims) - {"amr", "cnf", "scope"} == set(payload) - {"cnf"}
    operator.fill('[name="claims.3.name"]', "sub")
    operator.click("#claims button[type=submit]")
    assert "Name is a claim that the service sets." in operator.text


def test_an_operator_changes_limits_notices_and_migration(operator, management):
    operator.open(f"{HOME}/logins")
    operator.page._wait(lambda: operator.run("document.querySelector('main a[href$=\"/limits\"]').click();"))
    operator.submit("#limits", **{"code_lifetime": "300", "starts.window": "900", "allowed_prefixes": "+33\n+1415"})
    assert "Nothing is saved yet." in operator.text
    assert re.search("users? ha(s|ve) a phone number to which the app sends no codes any more", operator.text)
    operator.submit("#confirm")
    config = management.get("/config/limits")["config"]
    assert config["code_lifetime"] == 300 and config["starts"] == {"limit": 5, "window": 900}
    assert config["allowed_prefixes"] == ["+33", "+1415"] and config["sends_per_day"] == 10
    operator.submit("#limits", **{"starts_per_address.window": "86401"})
    assert "Messages that wait for their right code: in how many seconds must be 1 to 86400 seconds." in operator.text
    operator.submit("#limits", **{"starts_per_address.window": "600", "allowed_prefixes": "33"})
    assert "Countries for SMS must be at most 300 prefixes of phone numbers, such as +33." in operator.text

    operator.open(f"{HOME}/notices")
    operator.submit("#notices", new_device=True, sessions_ended=False)
    assert "Users are no longer told that all their sessions were ended." in operator.text
    operator.submit("#confirm")
    notices = management.get("/config/notices")["config"]
    assert notices["new_device"] and not notices["sessions_ended"] and notices["password_changed"]

    operator.open(f"{HOME}/migration")
    operator.submit("#migration", session_validation_url="backend")
    assert "URL of your backend is refused: " in operator.text
    operator.submit("#migration", session_validation_url="https://backend.example.com/migrate")
    assert management.get("/config/migration")["config"]["session_validation_url"].endswith("/migrate")


def test_a_key_that_may_only_read_sees_the_configuration_and_a_preview(browser, management, service):
    operator = Operator(browser, service)
    operator.sign_in(management.expect(201, "POST", "/keys", {"name": "reader", "role": "read"})["key"])
    for path in ("/step-up", "/step-up/new/direct", "/claims", "/limits", "/notices", "/migration"):
        operator.open(HOME + path)
        forms = operator.run("return [...document.querySelectorAll('form[method=post]')].map(f => f.action);")
        assert [form.removeprefix(operator.url) for form in forms] == ["/console/sign-out"], path
        assert operator.findings == [], path
    email = new_email()
    user = management.expect(201, "POST", "/users", {"identifiers": [{"type": "email_address", "value": email}]})["id"]
    operator.open(f"{HOME}/claims")
    operator.submit("main form[role=search]", user=email)
    assert user in operator.text
