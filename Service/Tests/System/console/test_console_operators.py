"""Operators with accounts in headless Chromium: invitation, code, roles, confirmation and removal."""

import json
import re
import time
import urllib.request

import pytest

from browser import Browser
from console_operator import DESKTOP, PHONE, Operator
from mail_browser import CHROMIUM
from operator_api import Management
from person import new_email
from service import APP, Service, running
from shifted_clock import ShiftedService, needs_shift

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

HOME = f"/apps/{APP}"
PASSWORD = "staple of the better kind"
FORMS = "return [...document.querySelectorAll('form[method=post]')].map(f => new URL(f.action).pathname);"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with running(Service(tmp_path_factory.mktemp("operators"))) as service:
        yield service


@pytest.fixture
def admin(browser, service):
    """Returns a person with a management key for all apps."""
    admin = Operator(browser, service)
    admin.sign_in(service.key)
    return admin


def code_of(service: Service, address: str, after: str | None = None) -> str:
    """Returns the last code that was sent to an address, once it is another one than before."""
    deadline = time.monotonic() + 60
    while True:
        with urllib.request.urlopen(service.url + "/dev/mailbox") as answer:
            codes = [mail["code"] for mail in json.load(answer) if mail["to"] == address and mail.get("code")]
        if codes and codes[0] != after:
            return codes[0]
        assert time.monotonic() < deadline, "no code was sent in time"
        time.sleep(0.05)


def invite(admin: Operator, role: str, app: str = "") -> str:
    """Invites an operator, and returns the address."""
    address = new_email()
    admin.open("/operators/new")
    admin.submit("#operator", address=address, role=role, app=app)
    assert "The operator can sign in." in admin.text, admin.text
    return address


def sign_in(browser: Browser, service: Service, address: str) -> Operator:
    """Signs an operator in with the code of a mail."""
    operator = Operator(browser, service)
    operator.open("/sign-in")
    operator.submit("main form", address=address)
    operator.submit("main form", code=code_of(service, address))
    assert operator.path != "/sign-in", operator.text
    return operator


# Proves: C11
def test_an_operator_is_invited_works_with_each_role_and_is_removed(browser, service, admin):
    management = Management(service)
    user = management.expect(
        201, "POST", "/users", {"identifiers": [{"type": "email_address", "value": new_email()}]})["id"]
    address = invite(admin, "viewer")
    page = admin.path
    operator = sign_in(browser, service, address)
    assert address in operator.text and "(viewer)" in operator.text
    for path in (f"{HOME}/users/{user}", f"{HOME}/settings", f"{HOME}/keys", "/operators"):
        operator.open(path)
        assert operator.run(FORMS) == ["/console/sign-out"], path
        assert operator.findings == [], path

    admin.open(page)
    admin.submit("#role", role="support")
    assert "The changes are saved." in admin.text
    operator.open(f"{HOME}/users/{user}")
    assert f"/console{HOME}/users/{user}/limits" in operator.run(FORMS)
    operator.submit("#external", external_id="crm-1")
    assert management.get(f"/users/{user}")["external_id"] == "crm-1"
    event = management.events("user.external_id.updated")[0]
    assert event["context"]["actor"]["type"] == "operator" and event["context"]["actor"]["name"] == address
    operator.open(f"{HOME}/settings")
    assert operator.run(FORMS) == ["/console/sign-out"]

    admin.open(page)
    admin.submit("#role", role="admin")
    operator.open(f"{HOME}/users/{user}/delete")
    operator.submit("#confirm")
    assert management.send("GET", f"/users/{user}").status == 404

    admin.open(page)
    assert "Active sessions" in admin.text
    admin.open(f"{page}/remove")
    assert "1 active session ends at once." in admin.text
    admin.submit("#confirm")
    assert address not in admin.run("return document.querySelector('main').innerText;")
    operator.open(HOME)
    assert operator.path == "/sign-in"


def test_an_operator_sets_a_password_signs_in_with_it_and_sees_one_app(browser, service, admin):
    address = invite(admin, "support", APP)
    operator = sign_in(browser, service, address)
    assert APP in operator.text
    operator.open("/operators")
    assert "This is not allowed" in operator.text
    operator.open("/account")
    operator.submit("#password", password="short")
    assert "Nothing was changed." in operator.text
    operator.submit("#password", password=PASSWORD)
    assert "The changes are saved." in operator.text
    operator.submit(".top form")
    operator.open("/sign-in")
    operator.submit("main form", address=address, password="not the password")
    assert "The address or the password is not correct." in operator.text
    operator.submit("main form", address=address, password=PASSWORD)
    assert operator.path != "/sign-in" and APP in operator.text


def test_the_pages_of_operators_can_be_read_by_everyone(browser, service, admin):
    address = invite(admin, "admin")
    page = admin.path
    sign_in(browser, service, address)
    guest = Operator(browser, service)
    for size, dark in [(DESKTOP, False), (DESKTOP, True), (PHONE, False), (PHONE, True)]:
        admin.show(size, dark)
        for path in ("/operators", "/operators/new", page, f"{page}/status", f"{page}/remove", "/operators/events",
                     page.replace("/operators", "/actors"), "/account"):
            admin.open(path)
            assert admin.findings == [], (path, size, dark)
        guest.show(size, dark)
        for way in ("/sign-in", "/sign-in?with=key"):
            guest.open(way)
            assert guest.findings == [], (way, size, dark)
        guest.open("/sign-in")
        guest.submit("main form", address="")
        assert "E-mail address" in guest.text and guest.findings == [], (size, dark)
    guest.open("/sign-in")
    guest.submit("main form", address=new_email())
    assert "a code was sent to it" in guest.text and guest.findings == []
    guest.submit("main form", code="000000")
    assert "not correct" in guest.text and guest.findings == []


@needs_shift
def test_a_dangerous_action_waits_for_a_code_and_continues(browser, tmp_path):
    with running(ShiftedService(tmp_path)) as service:
        admin = Operator(browser, service)
        admin.sign_in(service.key)
        address, other = invite(admin, "admin"), new_email()
        operator = sign_in(browser, service, address)
        first = code_of(service, address)
        service.set_clock(700)
        operator.open("/operators/new")
        operator.submit("#operator", address=other, role="support")
        assert "Confirm that it is you" in operator.text and operator.findings == []
        operator.submit("main form")
        assert f"It was sent to {address}." in operator.text and operator.findings == []
        operator.submit("main form", confirm_code=code_of(service, address, first))
        assert "The operator can sign in." in operator.text and other in operator.text
        # The confirmation is new, so the next action needs none.
        operator.open(f"{operator.path}/remove")
        operator.submit("#confirm")
        assert "It is deleted." in operator.text and other not in operator.text
        # A session with a key confirms with the key.
        admin.open("/operators/new")
        admin.submit("#operator", address=other, role="viewer")
        admin.submit("main form", confirm_key="psk_wrong")
        assert "That is not correct." in admin.text
        admin.submit("main form", confirm_key=service.key)
        assert "The operator can sign in." in admin.text
        admin.open("/events?name=management.console.confirmed")
        assert admin.run("return document.querySelectorAll('tbody tr').length;") == 2


def test_accounts_are_managed_by_commands(service):
    address = new_email()
    added = service.run("operator", "add", address, "--role", "support", "--app", APP, "--json")
    assert added.returncode == 0, added.stderr
    record = json.loads(added.stdout)[0]
    assert re.fullmatch("usr_[0-9a-z]{26}", record["id"]) and (record["role"], record["app"]) == ("support", APP)
    assert address in [each["address"] for each in json.loads(service.run("operator", "list", "--json").stdout)]
    for arguments, text in [
        ((address, "--role", "admin"), "identifier"), (("nobody", "--role", "admin"), "address"),
        ((new_email(), "--role", "owner"), "--role"), ((new_email(), "--role", "admin", "--app", "unknown"), "unknown"),
    ]:
        refused = service.run("operator", "add", *arguments)
        assert refused.returncode != 0 and text in refused.stderr, (arguments, refused.stderr)
    assert address in service.run("operator", "unlock", address).stdout
    assert service.run("operator", "unlock", "no-one@example.com").returncode != 0
    assert service.run("operator", "remove", address).returncode == 0
    assert service.run("operator", "remove", address).returncode != 0
    assert service.run("app", "list", "--json").stdout.count('"id"') == 1
    assert service.run("user", "find", "--app", "-admin-", "--email", address).returncode != 0
