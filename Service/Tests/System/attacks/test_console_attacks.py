"""Attacks operators through the console, in headless Chromium with scripts: whatever users, backends and other operators write is
text on every page, and no form and no address does more than the role and the app of its operator allow."""

import json
import urllib.error
import urllib.parse
import urllib.request

import pytest

from console_operator import Operator
from mail_browser import CHROMIUM
from operator_api import Management
from person import Person, new_email
from playground_user import PlaygroundUser
from service import APP, SUPPORT, Service, running
from transport import Answer, Transport

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

HOME = f"/apps/{APP}"
#: Breaks out of a text, of a value with either quote, of a tag, of an address, of a script and of a template.
ATTACK = """'"></title></textarea></script><img src=x onerror=attack()><a href="javascript:attack()">{{7*7}}${7*7}<b>"""
#: The same in what may be at most 64 characters.
SHORT = """'"><img src=x onerror=attack()><b>"""

#: Runs before every page. Nothing of a page calls `attack`.
WATCH = """
globalThis.attacks = [];
globalThis.attack = () => attacks.push(location.pathname);
addEventListener("securitypolicyviolation", (event) => attacks.push(event.violatedDirective + " " + event.blockedURI));
"""
#: Elements that only a text which became markup can make.
MADE = """
return attacks.concat([...document.querySelectorAll(
  "img, b, [onerror], [style], a[href^='javascript' i], script:not([src]), base, object, embed")].map(e => e.outerHTML));
"""


class AttackingTransport(Transport):
    """A device that sends markup wherever a header is shown."""

    def send(self, method: str, path: str, body=None, headers=()) -> Answer:
        return super().send(method, path, body, [*headers, ("User-Agent", f"Prelude/1.0 ({SHORT}; {SHORT})")])


def attacking_person(service: Service, email: str) -> Person:
    person = Person(service)
    person.device.transport = AttackingTransport(service.url)
    started = person.device.start(email)
    checked = person.device.check(started.headers["X-Verification-Token"], person.code(email))
    person.keep(person.device.finalize(checked.json["challenge_token"]))
    return person


class Scene:
    """A service in which everything that can be a text is an attack."""

    def __init__(self, service: Service):
        self.service = service
        self.management = management = Management(service)
        self.email = new_email()
        identifiers = [{"type": "email_address", "value": self.email}]
        self.user = management.expect(201, "POST", "/users", {
            "identifiers": identifiers, "external_id": ATTACK,
            "profile": {SHORT: ATTACK, "list": [{ATTACK: ATTACK}]}})["id"]
        for _ in range(2):
            attacking_person(service, self.email)
        management.expect(200, "PATCH", "", {"name": SHORT})
        self.key = management.expect(201, "POST", "/keys", {"name": SHORT, "role": "read"})["id"]
        management.set("claims", {"mapping": {SHORT: ATTACK, "plan": {"$custom_claim": SHORT}}})
        management.expect(200, "PUT", "/config/templates/email/sign_in/it", {"subject": SHORT, "text": "{{code}}" + SHORT})
        self.webhook = management.expect(201, "POST", "/webhooks", {
            "url": "https://hooks.example.com/" + "%3Cimg%20src=x%20onerror=attack()%3E"})["id"]
        # What a stranger can write into the audit trail.
        stranger = AttackingTransport(service.url)
        stranger.send("POST", "/v1/session/login/email/password", {"identifier": self.email, "password": ATTACK})
        stranger.send("POST", "/v1/session/otp", {"identifier": {"type": "email_address", "value": ATTACK + "@example.com"}})
        stranger.send("GET", "/console/" + "%3Cimg src=x onerror=attack()%3E".replace(" ", "%20"))

    def pages(self, session: str) -> list[str]:
        """All pages of the list of routes."""
        values = {"users": self.user, "webhooks": self.webhook, "keys": self.key, "sessions": session, "apps": APP, "api": "users"}
        pages = []
        for line in (SUPPORT / "console_routes.txt").read_text().splitlines():
            method, path = line.split(" ")
            path = path.removeprefix("/console")
            for kind, value in values.items():
                path = path.replace(f"/{kind}/*", f"/{kind}/{value}")
            path = path.replace("/templates/*/*/*", "/templates/email/sign_in/it").replace("/delivery/*/*", "/delivery/email/1")
            if method == "GET" and "*" not in path and not path.endswith(("/export", "/mail", "/sign-in")):
                pages.append(path)
        return pages


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    with running(Service(tmp_path_factory.mktemp("attacked"))) as service:
        yield Scene(service)


def victim(browser, scene: Scene, key: str) -> Operator:
    """An operator whose pages run scripts, and who notes what they run."""
    operator = PlaygroundUser(browser, scene.service)
    operator.page.call("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
    operator.sign_in(key)
    return operator


def test_the_check_finds_markup_that_has_become_a_page(browser, scene):
    operator = victim(browser, scene, scene.service.key)
    operator.open(HOME)
    operator.run(f"document.querySelector('h1').innerHTML = {json.dumps(ATTACK)};")
    found = operator.run(MADE)
    assert any("<img" in each for each in found) and any("javascript:" in each for each in found)


# Proves: C5
def test_no_text_of_anyone_becomes_markup_on_any_page(browser, scene):
    operator = victim(browser, scene, scene.service.key)
    session = scene.management.get(f"/users/{scene.user}/sessions")["sessions"][0]["id"]
    pages = scene.pages(session)
    assert len(pages) > 40 and f"{HOME}/users/{scene.user}/sessions/{session}/revoke-others" in pages
    shown = 0
    for path in pages + [f"{HOME}/users?q={ATTACK}", f"{HOME}/events?user_id={ATTACK}&from={ATTACK}", "/activity?range=" + SHORT]:
        operator.open(path)
        assert operator.run(MADE) == [], path
        shown += "onerror=attack()" in operator.run("return document.documentElement.textContent;")
    assert shown > 15
    # The browser reports the status of a wrong filter, and of what does not exist.
    assert [error for error in operator.page.errors if "status of 400" not in error and "status of 404" not in error] == []


def test_no_text_of_a_form_becomes_markup_when_its_page_is_shown_again(browser, scene):
    operator = victim(browser, scene, scene.service.key)
    forms = [
        ("/new-app", "#app", {"name": ATTACK, "id": ATTACK}), (f"{HOME}/users/new", "#user", {"email": ATTACK, "external_id": ATTACK}),
        (f"{HOME}/settings", "#settings", {"name": ATTACK, "domains": ATTACK, "event_retention": ATTACK}),
        (f"{HOME}/webhooks/new", "#webhook", {"url": ATTACK}), (f"{HOME}/keys/new", "#key", {"name": ATTACK + "x" * 100}),
        (f"{HOME}/users/{scene.user}", "#identifier", {"identifier": ATTACK}), (f"{HOME}/limits", "form[id]", {"code_lifetime": ATTACK}),
        (f"{HOME}/templates/email/sign_in/it", "#template", {"subject": ATTACK, "text": ATTACK}),
        (f"{HOME}/migration", "form[id]", {"session_validation_url": ATTACK}),
    ]
    for path, form, fields in forms:
        operator.open(path)
        operator.submit(f"main {form}", **fields)
        assert operator.run(MADE) == [], path
        assert operator.run("return document.querySelector('.message.bad') !== null;"), (path, operator.text)
        assert operator.run("return [...document.querySelectorAll('input, textarea')].some(e => e.value.includes('onerror'));"), path


# Proves: C5
def test_a_template_with_markup_is_text_in_the_preview_and_in_the_mail(browser, scene):
    operator = victim(browser, scene, scene.service.key)
    operator.open(f"{HOME}/templates/email/sign_in/it")
    text = "{{code}}\n\n<img src=x onerror=attack()> javascript:attack() <style>*{display:none}</style>"
    operator.fill("#template-text", text)
    operator.click("[formaction$='/preview']")
    assert "This text is not saved yet." in operator.text and operator.run(MADE) == []
    assert operator.run("return document.querySelector('#preview pre').textContent;") == text.replace("{{code}}", "123456")
    mail = operator.run("return document.querySelector('iframe.mail').src;")
    # The mail alone: as the frame has it, and as a tab of an attacker would.
    operator.page.open(mail)
    body = operator.run("return document.body.innerText;")
    assert "<img src=x onerror=attack()>" in body and "<style>" in body
    assert operator.run("return document.querySelectorAll('img, script, a, form, link, iframe').length;") == 0
    assert operator.run("return attacks.length;") == 0
    # Another site cannot show its own text under the origin of the console.
    cookie = operator.page.cookies(operator.url)["prelude_console"]["value"]
    refused = Transport(operator.url).send("GET", mail.removeprefix(operator.url), None, [
        ("Cookie", f"prelude_console={cookie}"), ("Sec-Fetch-Site", "cross-site")])
    assert refused.status == 403


# Proves: C5
def test_the_playground_shows_devices_profiles_and_answers_as_text(browser, scene):
    user = victim(browser, scene, scene.service.key)
    user.open_playground()
    assert user.sign_in_user(scene.email)["state"] == "done"
    listed = user.do("list")
    assert listed["state"] == "done" and "onerror=attack()" in json.dumps(listed["calls"])
    assert user.do("refresh")["state"] == "done"
    assert "onerror=attack()" in user.run("return document.querySelector('main').textContent;")
    assert user.run(MADE) == []
    assert user.do("log-out")["state"] == "done"
    # A code, an address and a scope that are markup.
    user.do("start", address=SHORT)
    assert user.run(MADE) == []


def forms_of(operator: Operator) -> list[str]:
    """The paths of the forms that an operator is shown."""
    return operator.run("return [...document.querySelectorAll('main form[method=post]')].map(f => f.getAttribute('action'));")


def forged(operator: Operator, path: str, **fields: str) -> int:
    """Sends a form that no page has shown, with the session and the token of the operator, and returns the status."""
    token = operator.run("return document.querySelector('[name=form_token]').value;")
    cookie = operator.page.cookies(operator.url)["prelude_console"]["value"]
    request = urllib.request.Request(
        operator.url + path, urllib.parse.urlencode({"form_token": token, **fields}).encode(),
        {"Cookie": f"prelude_console={cookie}", "Origin": operator.url, "Sec-Fetch-Site": "same-origin"})
    try:
        return urllib.request.urlopen(request, timeout=60).status
    except urllib.error.HTTPError as refusal:
        return refusal.status


# Proves: C7
@pytest.mark.parametrize("role", ["viewer", "support"])
def test_an_operator_cannot_send_the_forms_of_a_higher_role(browser, scene, role):
    """An operator copies the forms of an admin into the own page, with the own token."""
    admin = victim(browser, scene, scene.service.key)
    address = new_email()
    admin.open("/operators/new")
    admin.submit("#operator", address=address, role=role)
    operator = victim_with_code(browser, scene, address)
    sessions = scene.management.get(f"/users/{scene.user}/sessions")["sessions"]
    before = scene.management.get("")
    refused = 0
    for path in (f"{HOME}/settings", f"{HOME}/users/{scene.user}", f"{HOME}/keys", f"{HOME}/templates/email/sign_in/it",
                 f"{HOME}/users/{scene.user}/sessions/{sessions[0]['id']}/revoke-others"):
        admin.open(path)
        operator.open(path)
        own = forms_of(operator)
        for form in sorted(set(forms_of(admin)) - set(own)):
            assert forged(operator, form, name="Taken", subject="x", text="{{code}}") == 403, form
            refused += 1
    assert refused >= (6 if role == "viewer" else 2)
    assert scene.management.get("") == before
    kept = len(scene.management.get(f"/users/{scene.user}/sessions")["sessions"])
    assert kept == len(sessions)


def victim_with_code(browser, scene: Scene, address: str) -> Operator:
    operator = PlaygroundUser(browser, scene.service)
    operator.open("/sign-in")
    operator.submit("main form", address=address)
    operator.submit("main form", code=Person(scene.service).code(address))
    assert operator.path != "/sign-in", operator.text
    return operator


# Proves: C7
def test_the_ids_of_another_app_and_of_another_user_reach_nothing(browser, scene):
    other = Management(scene.service, app="other01")
    Transport(scene.service.url).send("POST", "/v2/session/apps", {"id": "other01", "name": "Other"}, [
        ("Authorization", f"Bearer {scene.service.key}")])
    bystander = new_email()
    Person.signed_in(scene.service, bystander)
    users = scene.management.get(f"/users?identifier_type=email_address&identifier_value={bystander}")["users"]
    session = scene.management.get(f"/users/{users[0]['id']}/sessions")["sessions"][0]["id"]
    foreign = other.expect(201, "POST", "/users", {"identifiers": [{"type": "email_address", "value": bystander}]})["id"]
    operator = victim(browser, scene, scene.service.key)
    operator.open(f"{HOME}/users/{scene.user}")
    paths = [
        f"{HOME}/users/{scene.user}/sessions/{session}/revoke", f"{HOME}/users/{scene.user}/sessions/{session}/revoke-others",
        f"{HOME}/users/{foreign}/sessions/{session}/revoke-others", f"/apps/other01/users/{users[0]['id']}/sessions/revoke-all",
        f"/apps/other01/users/{foreign}/sessions/{session}/revoke", f"{HOME}/users/{foreign}/delete",
        f"{HOME}/users/..%2F..%2Fother01%2Fusers%2F{foreign}/delete"]
    for path in paths:
        assert forged(operator, "/console" + path) == 404, path
    assert [each["id"] for each in scene.management.get(f"/users/{users[0]['id']}/sessions")["sessions"]] == [session]
    assert other.get(f"/users/{foreign}")["id"] == foreign
