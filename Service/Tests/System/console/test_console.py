"""Tests what the console does, in headless Chromium without scripts.

`test_console_walk.py` opens every page and sends every form.
"""

import http.client
import itertools
import re

import pytest

from console_operator import DESKTOP, PHONE, Operator
from mail_browser import CHROMIUM
from operator_api import Management
from person import Person, new_email
from receiver import Reply
from service import APP, Service, running
from sockets import free_port
from waiting import wait_until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

HOME = f"/apps/{APP}"


@pytest.fixture(scope="module")
def management(trusting):
    return Management(trusting)


@pytest.fixture
def operator(browser, trusting):
    """Returns an operator who is signed in with a key for all apps. No page may have written an error to its console."""
    operator = Operator(browser, trusting)
    operator.sign_in(trusting.key)
    yield operator
    # The browser reports the status of a form that the test sends wrong.
    assert [error for error in operator.page.errors if "status of 400" not in error] == []


def new_user(management: Management, **more) -> dict:
    identifiers = [{"type": "email_address", "value": new_email()}]
    return management.expect(201, "POST", "/users", {"identifiers": identifiers, **more})


def key_of_app(management: Management, role: str) -> str:
    return management.expect(201, "POST", "/keys", {"name": f"{role} key", "role": role})["key"]


def test_lists_without_a_result_and_other_ranges_can_be_read_by_everyone(operator):
    """The walk looks at each page as it is when it has something to show."""
    pages = ["/activity?range=day", "/api?q=user", f"{HOME}/users?q=nothing", f"{HOME}/events?name=migration.*"]
    for path, size, dark in itertools.product(pages, (DESKTOP, PHONE), (False, True)):
        operator.show(size, dark)
        operator.open(path)
        assert operator.findings == [], (path, size, dark)


def test_the_sign_in_can_be_read_by_everyone(browser, trusting):
    operator = Operator(browser, trusting)
    for size, dark, wrong in itertools.product((DESKTOP, PHONE), (False, True), (False, True)):
        operator.show(size, dark)
        operator.open("/sign-in")
        if wrong:
            operator.submit("main form", key="psk_wrong")
            assert "not valid" in operator.text
            assert operator.run("return document.querySelector('#key').ariaInvalid;") == "true"
        operator.run("document.querySelector('details').open = true;")
        assert operator.findings == [], (size, dark, wrong)


def test_the_audit_finds_what_is_wrong(operator):
    operator.open("")
    for change, finding in [
        ("document.querySelector('h1').style.color = '#bbb';", "contrast"),
        ("document.querySelector('h1').outerHTML = '<h3>x</h3>';", "one first heading"),
        ("document.querySelector('main').innerHTML += '<input>';", "field without label"),
        ("document.querySelector('main').innerHTML += '<button></button>';", "no name"),
        ("document.querySelector('main').innerHTML += '<table></table>';", "table without caption"),
        ("document.querySelector('main').innerHTML += '<p id=content>x</p>';", "id twice"),
        ("document.querySelector('main').style.minWidth = '5000px';", "wider than the screen"),
        ("document.querySelector('button').ariaLabel = 'Leave';", "name without the visible text"),
        # What a screen reader gets.
        ("document.querySelector('main').role = 'group';", "not one main: 0"),
        ("document.querySelector('main').role = 'group';", "outside of all landmarks: StaticText"),
        ("document.querySelector('nav').ariaLabel = '';", 'no name: navigation ""'),
        ("document.querySelector('header').append(document.querySelector('nav').cloneNode(true));", "the same name: navigation"),
        ("document.querySelector('h1').role = 'presentation';", "not one first heading"),
        ("document.querySelector('button').role = 'heading';", "heading skips a level"),
        ("document.querySelector('main').innerHTML += '<span tabindex=0>x</span>';", "what has no role: generic"),
        ("document.querySelector('main').innerHTML += '<svg role=img></svg>';", 'no name: image ""'),
        ("document.querySelector('main').innerHTML += '<input aria-label=x aria-invalid=true>';", "what is wrong: textbox"),
        ("document.querySelector('main').innerHTML += '<p class=message>Done.</p>';", "not announced: Done."),
        ("for (const cell of document.querySelectorAll('thead th')) cell.role = 'cell';", "no header cells: table"),
        ("document.querySelector('tbody th').role = 'cell';", "a row without a header: table"),
        ("document.querySelector('tbody td').innerHTML = '<button>x</button><button>x</button>';", "2 controls of a table"),
    ]:
        operator.open("")
        operator.run(change)
        assert any(finding in found for found in operator.findings), (finding, operator.findings)


def test_the_keyboard_reaches_everything_in_reading_order_and_shows_where_it_is(operator):
    operator.open(f"{HOME}/settings")
    expected = operator.run("""
        const all = document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary");
        return [...all].map(e => e.outerHTML);""")
    assert len(expected) > 20
    reached = []
    for _ in expected:
        operator.press("Tab", 9)
        reached.append(operator.run("return document.activeElement.outerHTML;"))
        outline = operator.run("""
            const style = getComputedStyle(document.activeElement);
            return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;""")
        assert outline, reached[-1]
    assert reached == expected
    assert "Skip to the content" in expected[0]
    visible = operator.run("""
        document.querySelector(".skip").focus();
        return document.querySelector(".skip").getBoundingClientRect().top >= 0;""")
    assert visible


# Proves: C1
def test_an_operator_signs_in_by_keyboard_and_signs_out(browser, trusting):
    operator = Operator(browser, trusting)
    operator.open(f"{HOME}/users")
    assert operator.path == "/sign-in"
    operator.run("document.querySelector('#key').focus();")
    operator.page.call("Input.insertText", {"text": trusting.key})
    operator.page._wait(lambda: operator.page.call("Input.dispatchKeyEvent", {
        "type": "keyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}))
    assert operator.path == f"{HOME}/users"
    cookie = operator.page.cookies(operator.url)["prelude_console"]
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and cookie["session"]
    assert trusting.key not in operator.run("return document.documentElement.outerHTML;") + trusting.log()
    operator.submit(".top form")
    assert operator.path == "/sign-in" and "You are signed out." in operator.text
    assert "prelude_console" not in operator.page.cookies(operator.url)
    operator.open(HOME)
    assert operator.path == "/sign-in"


def test_an_operator_creates_an_app_and_changes_its_settings(operator, trusting):
    operator.open("")
    operator.click("a.primary")
    operator.submit("#app", name="Shop <b>", id="NOT VALID")
    assert "Id must be 7 lower-case letters or digits." in operator.text
    assert operator.run("return document.querySelector('#app-name').value;") == "Shop <b>"
    operator.submit("#app", id="")
    app = operator.path.removeprefix("/apps/")
    assert re.fullmatch("[a-z0-9]{7}", app) and "Shop <b>" in operator.text
    operator.open(f"/apps/{app}/settings")
    operator.submit(
        "#settings", name="Shop", allowed_origins="https://shop.example.com\nhttps://www.example.com",
        domains=f"{app}.example.com", sign_up=False, event_retention="60")
    assert "Nothing is saved yet." in operator.text and "The app has 0 active users." in operator.text
    assert f"New access tokens have another issuer: {app}.example.com." in operator.text
    assert "Persons without an account can no longer sign up." in operator.text
    operator.submit("#confirm")
    assert "The changes are saved." in operator.text
    shop = Management(trusting, app=app).get("")
    assert shop["name"] == "Shop" and shop["domains"] == [f"{app}.example.com"] and not shop["sign_up"]
    assert shop["allowed_origins"] == ["https://shop.example.com", "https://www.example.com"]
    assert shop["event_retention"] == 60 and shop["password_change_ends_other_sessions"]
    operator.submit("#settings", event_retention="5000000")
    assert "Events are kept, in days must be" in operator.text


def test_an_operator_configures_logins_and_sessions(operator, management):
    operator.open(f"{HOME}/logins")
    operator.submit("#password", **{
        "password_compliancy.min_length": "12", "reject_common_passwords": False})
    config = management.get("/config/login/password")["config"]
    assert config["password_compliancy"]["min_length"] == 12 and not config["reject_common_passwords"]
    assert config["enabled"]

    operator.open(f"{HOME}/logins/codes/new")
    operator.submit("#login", channel_type="sms", code_size="8")
    login = management.get("/config/login/otp")["configs"][-1]
    assert login["channel_type"] == "sms" and login["code_size"] == 8
    operator.open(f"{HOME}/logins/codes/{login['id']}")
    operator.submit("#login", code_size="11")
    assert "Digits of a code must be 4 to 10." in operator.text
    operator.submit("#login", code_size="9")
    operator.open(f"{HOME}/logins/codes/{login['id']}/delete")
    assert "Users who are signed in stay signed in," in operator.text
    operator.submit("#confirm")
    assert login["id"] not in [each["id"] for each in management.get("/config/login/otp")["configs"]]

    operator.open(f"{HOME}/sessions")
    operator.submit("#sessions", idle_lifetime="604800", maximum_sessions="7")
    assert "Nothing is saved yet." in operator.text and "unused for 7 days, not 30 days" in operator.text
    operator.submit("#confirm")
    config = management.get("/config/sessions")["config"]
    assert config["idle_lifetime"] == 604800 and config["maximum_sessions"] == 7
    assert config["absolute_lifetime"] == 365 * 86400 and "Now 7 days." in operator.text


def test_an_operator_activates_a_webhook_and_sends_an_event_again(operator, management, backend):
    url = backend.on("/console-hook", lambda call: Reply(
        200, {"challenge": int(call.query["challenge"])} if call.method == "GET" else b""))
    operator.open(f"{HOME}/webhooks/new")
    operator.submit("#webhook", url="ftp://hooks.example.com/")
    assert "Nothing was changed." in operator.text
    operator.submit("#webhook", url=url)
    hook = operator.path.split("/")[-1]
    assert "not active" in operator.text
    operator.submit("#activate")
    assert "The webhook is active." in operator.text and "No event was sent yet" in operator.text
    backend.forget()
    user = new_user(management)["id"]
    events = backend.next(30).json["events"]
    assert [event["data"].get("user_id") for event in events] == [user]

    def delivered() -> bool:
        operator.open(f"{HOME}/webhooks/{hook}")
        return "delivered" in operator.text

    wait_until(delivered)
    operator.click(f'form[id="{events[0]["id"]}"] button')
    assert "sent again" in operator.text
    assert backend.next(30).json["events"][0]["id"] == events[0]["id"]
    operator.open(f"{HOME}/webhooks/{hook}/delete")
    operator.submit("#confirm")
    assert hook not in [each["id"] for each in management.get("/webhooks")["webhooks"]]


def test_an_operator_creates_rotates_and_revokes_keys(operator, management, trusting):
    operator.open(f"{HOME}/keys/new")
    operator.submit("#key", name="console test", role="write")
    secret = operator.run("return document.querySelector('.secret').innerText;")
    assert Management(trusting, key=secret).get("")["id"] == APP
    key = next(each for each in management.get("/keys")["keys"] if each["name"] == "console test")
    assert key["created_by"] == "configuration"
    operator.open(f"{HOME}/keys/{key['id']}/rotate")
    operator.submit("#confirm")
    rotated = operator.run("return document.querySelector('.secret').innerText;")
    assert Management(trusting, key=secret).send("GET", "").status == 401
    assert Management(trusting, key=rotated).get("")["id"] == APP
    key = next(each for each in management.get("/keys")["keys"] if each["name"] == "console test")
    operator.open(f"{HOME}/keys/{key['id']}/revoke")
    operator.submit("#confirm")
    assert Management(trusting, key=rotated).send("GET", "").status == 401
    before = len(management.get("/signing-keys")["signing_keys"])
    operator.open(f"{HOME}/signing-keys/rotate")
    operator.submit("#confirm", purpose="challenge")
    assert "The key is rotated." in operator.text
    assert len(management.get("/signing-keys")["signing_keys"]) == before + 1


def test_an_operator_finds_changes_and_deletes_a_user(operator, management):
    email, other = new_email(), new_email()
    operator.open(f"{HOME}/users/new")
    operator.submit("#user", email=email, external_id="crm-4711", password="short")
    assert "Nothing was changed." in operator.text
    operator.submit("#user", password="staple of the better kind")
    user = operator.path.split("/")[-1]
    for text in (email.upper(), user, "crm-4711"):
        operator.open(f"{HOME}/users")
        operator.submit("main form[role=search]", q=text)
        assert operator.run("return document.querySelectorAll('tbody tr').length;") == 1, text
    operator.open(f"{HOME}/users/{user}")
    operator.submit("#identifier", identifier=other)
    operator.submit("#profile", key="plan", value="gold")
    operator.submit("#external", external_id="crm-1")
    found = management.get(f"/users/{user}")
    assert [each["value"] for each in found["identifiers"]] == [email, other]
    assert found["profile"] == {"plan": "gold"} and found["external_id"] == "crm-1" and found["has_password"]
    operator.click(f"a[aria-label='Remove {other}']")
    assert f"{other} is removed from 1 user." in operator.text and f"still signs in with {email}." in operator.text
    operator.submit("#confirm")
    operator.submit("#profile", key="plan", value="")
    found = management.get(f"/users/{user}")
    assert [each["value"] for each in found["identifiers"]] == [email] and found["profile"] == {}
    operator.open(f"{HOME}/users/{user}/status?to=suspended")
    operator.submit("#confirm")
    assert management.get(f"/users/{user}")["status"] == "suspended"
    operator.open(f"{HOME}/users?status=suspended")
    assert email in operator.text
    operator.open(f"{HOME}/users/{user}/delete")
    assert "1 user is deleted" in operator.text and "This cannot be undone." in operator.text
    operator.submit("#confirm")
    assert management.send("GET", f"/users/{user}").status == 404
    deleted = management.events("user.deleted")[0]
    assert deleted["data"]["user_id"] == user
    assert deleted["context"]["actor"] == {"type": "configuration", "name": "configured"}


def test_an_operator_revokes_one_session_then_the_others_and_then_all(operator, management, trusting):
    email = new_email()
    people = [Person.signed_in(trusting, email) for _ in range(4)]
    user = management.get(f"/users?identifier_type=email_address&identifier_value={email}")["users"][0]["id"]
    operator.open(f"{HOME}/users/{user}")
    rows = "return [...document.querySelectorAll('table tbody tr')].map(row => row.innerText);"
    assert len(operator.run(rows)) == 4 and all("127.0.0.1" in row for row in operator.run(rows))
    sessions = management.get(f"/users/{user}/sessions")["sessions"]
    operator.click(f"a[href$='{sessions[0]['id']}/revoke']")
    assert "3 other active sessions stay." in operator.text
    operator.submit("#confirm")
    assert "It is revoked." in operator.text and len(operator.run(rows)) == 3
    kept = sessions[2]["id"]
    operator.click(f"a[href$='{kept}/revoke-others']")
    assert "2 other active sessions end at once." in operator.text
    operator.submit("#confirm")
    assert "It is revoked." in operator.text and len(operator.run(rows)) == 1
    assert [each["id"] for each in management.get(f"/users/{user}/sessions")["sessions"]] == [kept]
    assert operator.run("return document.querySelector('a[href*=revoke-]');") is None
    statuses = [person.device.refresh(person.refresh_token).status for person in people]
    assert sorted(statuses) == [200, 401, 401, 401]
    another = Person.signed_in(trusting, email)
    operator.open(f"{HOME}/users/{user}/sessions/revoke-all")
    assert "2 active sessions end at once." in operator.text
    operator.submit("#confirm")
    assert "No active session" in operator.text
    assert another.device.refresh(another.refresh_token).status == 401
    assert management.get(f"/users/{user}/sessions")["total"] == 0
    events = management.events("user.session.revoked")[:5]
    assert {event["context"]["actor"]["name"] for event in events} == {"configured"}


def test_an_operator_filters_the_sessions_of_a_user(operator, management, trusting):
    email = new_email()
    for _ in range(2):
        Person.signed_in(trusting, email)
    user = management.get(f"/users?identifier_type=email_address&identifier_value={email}")["users"][0]["id"]
    kind = management.get(f"/users/{user}/sessions")["sessions"][0]["device_type"]
    operator.open(f"{HOME}/users/{user}")
    rows = "return document.querySelectorAll('table tbody tr').length;"
    operator.submit("form[role=search]", device_type=kind)
    assert operator.run(rows) == 2 and "Active sessions that fit the filter" in operator.text
    assert operator.run("return document.querySelector('#filter-device_type').value;") == kind
    operator.submit("form[role=search]", country_code="ZZ")
    assert operator.run(rows) == 0 and "No session fits the filter" in operator.text and operator.findings == []
    operator.click(f"main a[href='/console{HOME}/users/{user}'].button")
    assert operator.run(rows) == 2 and operator.run("return document.querySelector('#filter-device_type').value;") == ""
    operator.submit("form[role=search]", country_code="france")
    assert "Country must be two upper-case letters, such as FR." in operator.text and operator.findings == []


def test_the_audit_trail_is_filtered_and_the_mailbox_shows_codes(operator, management, trusting):
    email = new_email()
    Person.signed_in(trusting, email)
    user = management.get(f"/users?identifier_type=email_address&identifier_value={email}")["users"][0]["id"]
    operator.open(f"{HOME}/events")
    operator.submit("main form[role=search]", name="user.*", user_id=user)
    names = "return [...document.querySelectorAll('tbody td:nth-child(2)')].map(cell => cell.innerText);"
    assert operator.run(names) == ["user.session.created", "user.created"]
    operator.submit("main form[role=search]", name="user.created")
    assert operator.run(names) == ["user.created"]
    operator.submit("main form[role=search]", **{"from": "2099-01-01T00:00:01"})
    assert "No event matches" in operator.text
    operator.open(f"{HOME}/events?from=yesterday")
    assert "From (UTC) must be a time in UTC" in operator.text
    operator.open("/mailbox")
    assert email in operator.text
    operator.open("/events")
    assert "management.console.signed_in" in operator.text


def test_a_key_that_may_only_read_sees_no_form(browser, management, trusting):
    operator = Operator(browser, trusting)
    operator.sign_in(key_of_app(management, "read"))
    assert operator.path == "" and "(read only)" in operator.text
    for path in ("/users", "/settings", "/logins", "/sessions", "/webhooks", "/keys"):
        operator.open(HOME + path)
        forms = operator.run("return [...document.querySelectorAll('form[method=post]')].map(f => f.action);")
        assert [form.removeprefix(operator.url) for form in forms] == ["/console/sign-out"], path
        assert operator.findings == [], path
    operator.open("/events")
    assert "This is not allowed" in operator.text


# Proves: C4
def test_a_page_of_another_origin_can_neither_send_a_form_nor_show_the_console(browser, management, trusting, backend):
    operator = Operator(browser, trusting)
    operator.sign_in(trusting.key)
    name = management.get("")["name"]
    html = f"""<iframe src="{operator.url}/console"></iframe>
        <form id="attack" method="post" action="{operator.url}/console{HOME}/settings"><input name="name" value="Taken">
        <button type="submit">x</button></form>"""
    url = backend.on("/attack", Reply(200, html, {"Content-Type": "text/html"}))
    operator.page.open(url)
    # A refused frame shows an error page of the browser, which this page may not read.
    assert operator.run("return document.querySelector('iframe').contentDocument;") is None
    operator.submit("#attack")
    assert operator.path in ("/sign-in", f"{HOME}/settings")
    assert management.get("")["name"] == name


def get(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


# Proves: C15
def test_the_console_is_on_the_listener_of_the_management_api_only(tmp_path):
    port = free_port()
    with running(Service(tmp_path, "--management-port", str(port))) as service:
        assert get(port, "/console/sign-in") == 200
        assert get(service.port, "/console/sign-in") == 404


# Proves: C15
def test_a_listener_for_everyone_has_no_console_in_production(tmp_path):
    service = Service(tmp_path, "--public-url", "https://session.example.com", development=False)
    with running(service):
        assert get(service.port, "/console") == get(service.port, "/console/sign-in") == 404
