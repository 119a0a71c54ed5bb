"""Opens every page and sends every form of the console in headless Chromium, by the list in `console_routes.txt`.

A test of the console (`RouteListTests`) holds the list to the router, so a new page or form fails here until it is in the walk.
"""

import base64
import hashlib
import json
import re
import time
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from console_operator import DESKTOP, PHONE, Operator
from mail_browser import CHROMIUM
from person import Person, new_email
from receiver import Reply
from service import APP, SUPPORT, Service, running
from sockets import free_port
from transport import Transport

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

ROUTES = (SUPPORT / "console_routes.txt").read_text().splitlines()
PASSWORD = "staple of the better kind"
CREATED, SAVED, DELETED, REVOKED = "It is created.", "The changes are saved.", "It is deleted.", "It is revoked."
HOME, RULES, TEMPLATE = f"/apps/{APP}", f"/apps/{APP}/step-up/rules", f"/apps/{APP}/templates/email/sign_in/it"
USER, HOOK, PERSON = f"{HOME}/users/<user>", f"{HOME}/webhooks/<hook>", "/operators/<operator>"


class Step(NamedTuple):
    """One form. `<name>` stands for an id that an earlier step has taken, or for a value of the test."""

    #: Its path. Empty: the page that the step before has led to.
    page: str
    #: A text of the page that follows.
    then: str
    #: What is entered, by the names of the fields.
    fields: dict[str, str | bool] = {}
    #: The path of the form, below the page if it begins with a dot, or a selector. Empty: that of the page.
    form: str = ""
    #: Ids that the page that follows has in its addresses. The last one counts.
    take: dict[str, str] = {}


CONFIGURATION = [
    Step("/new-app", CREATED, {"name": "Second shop"}),
    Step(f"{HOME}/settings", SAVED, {"name": "Shop"}),
    Step(f"{HOME}/sessions", "Nothing is saved yet.", {"maximum_sessions": "5"}),
    Step("", SAVED, form="#confirm"),
    Step(f"{HOME}/logins", SAVED, {"password_compliancy.min_length": "10"}, "./password"),
    Step(f"{HOME}/logins/codes/new", CREATED, {"code_size": "8"}, take={"login": r"/logins/codes/(?!new)([\w-]+)"}),
    Step(f"{HOME}/logins/codes/<login>", SAVED, {"code_size": "7"}),
    Step(f"{HOME}/logins/codes/<login>/delete", DELETED),
    Step(f"{HOME}/passkeys", SAVED, {"rp_name": "Shop"}),
    Step(f"{HOME}/passkeys", "Nothing is saved yet.", {"codes_with_passkey": False}),
    Step("", SAVED, form="#confirm"),
    Step(f"{HOME}/playground", SAVED, form="./allow"),
    Step(f"{HOME}/playground", SAVED, form="./disallow"),
    Step(f"{HOME}/step-up", SAVED, {"scope": "orders:write"}, "./scopes", {"scope": r"/scopes/([\w-]+)/remove"}),
    Step(f"{HOME}/step-up/scopes/<scope>/remove", DELETED),
    Step(f"{HOME}/step-up", SAVED, {"jwks_url": "https://backend.example.com/jwks", "step_keys": "check_id"}, "./steps"),
    Step(f"{HOME}/step-up/new/direct", CREATED, {"rule.scope": "payments:write"}, take={"rule": r"/rules/([\w-]+)"}),
    Step(f"{RULES}/<rule>", SAVED, {"rule.direct.granted_for": "60"}, take={"rule": r"/rules/([\w-]+)"}),
    Step(f"{HOME}/step-up/new/direct", CREATED, {
        "rule.scope": "payments:write", "rule.direct.identifier_types": "phone_number"}, take={"second": r"/rules/([\w-]+)"}),
    Step(f"{RULES}/<second>", SAVED, form="./raise"),
    Step(f"{RULES}/<rule>/remove", DELETED),
    Step(f"{HOME}/claims", SAVED, {"claims.0.name": "tier", "claims.0.source": "text", "claims.0.value": "gold"}),
    Step(f"{HOME}/limits", SAVED, {"code_lifetime": "300"}),
    Step(f"{HOME}/limits", "The limits are set back.", {"subject": "ada@example.com"}, "./clear"),
    Step(f"{HOME}/limits", SAVED, {"subject": "203.0.113.0/24", "note": "guesses"}, "./block"),
    Step(f"{HOME}/limits", SAVED, form="./unblock"),
    Step(f"{HOME}/notices", SAVED, {"new_device": True}),
    Step(f"{HOME}/notices", "Nothing is saved yet.", {"new_device": False}),
    Step("", SAVED, form="#confirm"),
    Step(f"{HOME}/migration", SAVED, {"session_validation_url": "https://backend.example.com/migrate"}),
]

MESSAGES = [
    Step(f"{HOME}/delivery/email/1?type=webhook", SAVED, {"url": "<url>"}),
    Step(f"{HOME}/delivery", "has accepted the test message", {"identifier": "ada@example.com"}, "./email/test"),
    Step(f"{HOME}/delivery/email/1/remove", DELETED),
    Step(f"{HOME}/templates", SAVED, {"default_locale": "de"}),
    Step(f"{HOME}/templates/new", CREATED, {
        "channel": "email", "purpose": "sign_in", "locale": "it", "subject": "Codice", "text": "Il codice: {{code}}"}),
    Step(TEMPLATE, SAVED, {"subject": "Il codice"}),
    Step(TEMPLATE, "This text is not saved yet.", {"subject": "Il tuo codice"}, "./preview"),
    Step(f"{TEMPLATE}/delete", DELETED),
]

KEYS_AND_WEBHOOKS = [
    Step(f"{HOME}/keys/new", "psk_", {"name": "backend"}),
    Step(f"{HOME}/keys/<key>/rotate", "psk_"),
    Step(f"{HOME}/keys/<key>/revoke", REVOKED),
    Step(f"{HOME}/signing-keys/rotate", "The key is rotated."),
    Step(f"{HOME}/webhooks/new", CREATED, {"url": "<url>"}, take={"hook": r"/webhooks/(?!new)([\w-]+)"}),
    Step(HOOK, "The webhook is active.", form="./activate"),
]

USERS = [
    Step(f"{HOME}/users/new", CREATED, {"email": "<email>"}, take={"user": r"/users/(usr_[\w]+)"}),
    Step(f"{USER}/passkeys/<passkey>/remove", DELETED),
    Step(f"{USER}/sessions/<session>/revoke-others", REVOKED),
    Step(f"{USER}/sessions/<session>/revoke", REVOKED),
    Step(USER, SAVED, {"external_id": "crm-4711"}, "./external-id"),
    Step(USER, SAVED, {"identifier": "+14155550100"}, "./identifiers"),
    Step(f"{USER}/identifiers/remove?type=phone_number&value=%2B14155550100", SAVED),
    Step(USER, SAVED, {"key": "newsletter", "kind": "json", "value": "true"}, "./profile"),
    Step(USER, SAVED, {"password": PASSWORD}, "./password"),
    Step(USER, "The limits are set back.", form="./limits"),
    Step(f"{USER}/sessions/revoke-all", REVOKED),
    Step(f"{USER}/status?to=suspended", SAVED),
    Step(f"{USER}/delete", DELETED),
    Step(HOOK, "sent again", form="./deliveries/<event>/resend"),
    Step(HOOK, SAVED, {"url": "<url>/2"}),
    Step(f"{HOOK}/delete", DELETED),
]

OPERATORS = [
    Step(PERSON, "Nothing is saved yet.", {"role": "viewer"}, "./role"),
    Step("", SAVED, form="#confirm"),
    Step(f"{PERSON}/sessions/<operator_session>/revoke", REVOKED),
    Step(PERSON, "The limits are set back.", form="./limits"),
    Step(f"{PERSON}/status?to=suspended", SAVED),
    Step(f"{PERSON}/remove", DELETED),
]

#: Pages without a form that changes something.
PAGES = [
    "", "/apps", "/events", "/operators", "/operators/events", "/actors/<operator>", "/account", "/activity", "/api", "/api/users", "/mailbox",
    HOME, f"{HOME}/users", f"{HOME}/events", f"{HOME}/webhooks", f"{HOME}/keys",
]

#: The elements that the keyboard must reach. The others that it reaches are frames and parts that scroll.
EXPECT_KEYS = """
const all = document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary");
globalThis.expected = [...all].filter(e => e.checkVisibility() && !e.disabled);
globalThis.reached = [];
globalThis.unmarked = [];
document.addEventListener("focusin", ({ target }) => {
  if (!expected.includes(target)) return;
  reached.push(target);
  const style = getComputedStyle(target);
  if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) unmarked.push(target.outerHTML.slice(0, 120));
});
// The parts of a time are stops of their own.
const parts = 8 * document.querySelectorAll("input[type=datetime-local]").length;
const others = document.querySelectorAll("[tabindex], iframe, pre, table").length + parts;
return [expected.length, expected.length + others];
"""
KEYS_ARE_DONE = "return reached.at(-1) === expected.at(-1);"
KEYS = """
const isSame = reached.length === expected.length && reached.every((e, index) => e === expected[index]);
return unmarked.map(e => "focus is not shown: " + e).concat(isSame ? [] :
  ["keyboard order: " + reached.map(e => e.outerHTML.slice(0, 60)).join(" ")]);
"""


class Walk:
    """Sends forms one after the other, and looks at each page once: at both sizes, in both schemes, with the keyboard."""

    def __init__(self, operator: Operator, service: Service, values: dict[str, str]):
        self.operator, self.service, self.values = operator, service, values
        self.looked: set[str] = set()

    def do(self, steps: list[Step]) -> None:
        for step in steps:
            if step.page:
                self.open(step.page)
            form = self.form(step)
            self.enter(form, step)
            text = self.operator.text
            assert self.filled(step.then) in text, (step, text)
            self.look(f"after {form}")
            for name, pattern in step.take.items():
                self.take(name, pattern)

    def form(self, step: Step) -> str:
        """The selector of a form, or of a button that sends the fields of a form to another path."""
        if step.form.startswith("#"):
            return step.form
        page = step.page.split("?")[0]
        return '[method=post][action="{0}"], :has([formaction="{0}"])'.format(
            "/console" + self.filled(page + step.form.removeprefix(".")))

    def enter(self, form: str, step: Step) -> None:
        for name, value in step.fields.items():
            value = self.filled(value) if isinstance(value, str) else value
            self.operator.fill(f'form:is({form}) [name="{name}"]', value)
        if step.form.startswith("#"):
            return self.operator.click(f"{form} [type=submit]")
        path = form.split('"')[1]
        button = f'form[method=post][action="{path}"] [type=submit]:not([formaction]), [formaction="{path}"]'
        self.operator.click(button)

    def filled(self, text: str) -> str:
        for name, value in self.values.items():
            text = text.replace(f"<{name}>", value)
        return text

    def open(self, path: str) -> None:
        self.operator.open(self.filled(path))
        self.look(path)

    def look(self, name: str) -> None:
        """Audits the page, unless this was done before."""
        if name in self.looked:
            return
        self.looked.add(name)
        operator = self.operator
        assert "Error" not in operator.title and "does not exist" not in operator.title, (name, operator.text)
        for size, dark in [(DESKTOP, True), (PHONE, True), (PHONE, False), (DESKTOP, False)]:
            operator.show(size, dark)
            assert operator.findings == [], (name, size, dark)
        if not name.startswith("after"):
            assert self.keyboard_findings() == [], name

    def keyboard_findings(self) -> list[str]:
        operator = self.operator
        operator.page.call("Emulation.setScriptExecutionDisabled", {"value": False})
        least, most = operator.run(EXPECT_KEYS)
        for number in range(1, most + 1):
            operator.press("Tab", 9)
            if number >= least and operator.run(KEYS_ARE_DONE):
                break
        findings = operator.run(KEYS)
        operator.page.call("Emulation.setScriptExecutionDisabled", {"value": True})
        return findings

    def take(self, name: str, pattern: str, page: str = "") -> None:
        """Takes an id from the addresses of the page. A page is opened again until it has one."""
        deadline = time.monotonic() + 120
        while True:
            if page:
                self.open(page)
            addresses = self.operator.run("""
                return [location.pathname, ...[...document.querySelectorAll("[href], [action]")]
                    .map(e => e.getAttribute("href") ?? e.getAttribute("action"))].join(" ");""")
            if found := re.findall(pattern, addresses):
                self.values[name] = found[-1]
                return
            assert page and time.monotonic() < deadline, (name, addresses)
            time.sleep(0.05)

    def download(self, path: str) -> None:
        """Fetches a file of a page as the browser would, which stores no files here."""
        cookie = self.operator.page.cookies(self.operator.url)["prelude_console"]["value"]
        path = "/console" + self.filled(path)
        answer = Transport(self.operator.url).send("GET", path, None, [("Cookie", f"prelude_console={cookie}")])
        self.operator.page.documents.append(("GET", self.operator.url + path, answer.status))


@pytest.fixture(scope="module")
def separate(tmp_path_factory, authority):
    """Returns a service whose console has an origin of its own, and which may call this machine."""
    port = free_port()
    flags = [
        "--management-port", str(port), "--egress-trust-roots", str(authority.certificate_path),
        "--egress-network", "127.0.0.0/8"]
    with running(Service(tmp_path_factory.mktemp("walk"), *flags)) as service:
        service.console = f"http://localhost:{port}"
        yield service


def sign_in_with_code(operator: Operator, service: Service, address: str) -> None:
    operator.open("/sign-in")
    operator.submit("main form", address=address)
    operator.submit("main form", code=Person(service).code(address))
    assert operator.path != "/sign-in", operator.text


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def register_passkey(service: Service, person: Person) -> str:
    """Registers a passkey without an attestation, which needs no signature. Returns its id."""
    def call(step: str, body: dict) -> dict:
        path = f"/v1/session/me/passkeys/register/{step}"
        device, token = person.device, person.access_token
        proof = device.proof("POST", path, token)
        answer = device.send_with(proof, "POST", path, body, [device.authorization(token)])
        assert answer.status == 200, answer
        return answer.json

    begun = call("begin", {"username": "ada"})
    options = begun["public_key"]
    client_data = {"type": "webauthn.create", "challenge": options["challenge"], "origin": service.url}
    credential_id = b"walk" * 8
    # The base point of P-256 as a key of COSE (RFC 9053).
    x = bytes.fromhex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
    y = bytes.fromhex("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
    key = b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20" + x + b"\x22\x58\x20" + y
    # The hash of the RP ID, the flags for presence, verification and a credential, a counter, and an AAGUID of zeros.
    data = (hashlib.sha256(options["rp"]["id"].encode()).digest() + b"\x45" + bytes(4) + bytes(16)
            + len(credential_id).to_bytes(2) + credential_id + key)
    attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58" + len(data).to_bytes(1) + data
    name = base64url(credential_id)
    call("finish", {"registration_token": begun["registration_token"], "attestation": {
        "id": name, "rawId": name, "type": "public-key", "response": {
            "clientDataJSON": base64url(json.dumps(client_data).encode()), "attestationObject": base64url(attestation)}}})
    return name


def route(method: str, path: str) -> str:
    """Returns the route of a path: of those that fit, the one with the fewest parameters."""
    fitting = [
        each for each in ROUTES
        if re.fullmatch(re.escape(each).replace(r"\*", "[^/]+"), f"{method} {path}")]
    assert fitting, f"{method} {path} is not in the list of routes"
    return min(fitting, key=lambda each: each.count("*"))


def test_every_page_is_opened_and_every_form_is_sent_in_a_browser(browser, separate, backend):
    url = backend.on("/walk", lambda call: Reply(
        200, {"challenge": int(call.query["challenge"])} if call.method == "GET" else b""))
    operator = Operator(browser, separate, separate.console)
    walk = Walk(operator, separate, {"url": url, "email": new_email(), "address": new_email()})
    walk.open("/sign-in")
    operator.sign_in(separate.key)
    walk.do(CONFIGURATION)
    walk.do(MESSAGES[:-1])
    operator.page.open(f"{operator.url}/console{TEMPLATE}/mail")
    walk.do(MESSAGES[-1:])

    walk.do(KEYS_AND_WEBHOOKS[:1])
    walk.take("key", r"/keys/([\w-]+)/rotate", f"{HOME}/keys")
    walk.do(KEYS_AND_WEBHOOKS[1:2])
    walk.take("key", r"/keys/([\w-]+)/rotate", f"{HOME}/keys")
    walk.do(KEYS_AND_WEBHOOKS[2:])

    # Dangerous actions need a sign-in that is not older than ten minutes.
    operator.sign_in(separate.key)
    walk.do(USERS[:1])
    walk.values["passkey"] = register_passkey(separate, Person.signed_in(separate, walk.values["email"]))
    walk.take("session", r"/sessions/(?!revoke)([\w-]+)/revoke", USER)
    walk.download(f"{USER}/export")
    walk.take("event", r"/deliveries/([\w-]+)/resend", HOOK)
    walk.do(USERS[1:])

    walk.do([Step("/operators/new", "The operator can sign in.", {"address": "<address>", "role": "support"}, take={
        "operator": r"/operators/(usr_[\w]+)"})])
    colleague = Walk(Operator(browser, separate, separate.console), separate, {})
    sign_in_with_code(colleague.operator, separate, walk.values["address"])
    colleague.do([Step("/account", SAVED, {"password": PASSWORD}, "./password")])
    walk.take("operator_session", r"/sessions/([\w-]+)/revoke", PERSON)
    walk.do(OPERATORS)
    for page in PAGES:
        walk.open(page)
    walk.download("/events/export?format=csv")
    walk.download("/operators/events/export?format=csv")
    walk.download(f"{HOME}/events/export?format=jsonl")
    operator.submit(".top form")
    assert "You are signed out." in operator.text

    assert operator.page.errors == [] and colleague.operator.page.errors == []
    used = {
        route(method, urlsplit(url).path) for tab in (operator, colleague.operator)
        for method, url, status in tab.page.documents if status < 400}
    missing = set(ROUTES) - used
    assert not missing, f"no browser has used {sorted(missing)}: add them to the walk"


def test_the_check_of_the_keyboard_finds_what_is_wrong(browser, separate):
    operator = Operator(browser, separate, separate.console)
    operator.sign_in(separate.key)
    for change, finding in [
        ("document.querySelector('h1').outerHTML = '<a href=\"/\" tabindex=\"1\">x</a>';", "keyboard order: <a href"),
        ("document.querySelector('.skip').style.outline = 'none';", "focus is not shown: <a class=\"skip\""),
    ]:
        walk = Walk(operator, separate, {})
        operator.open("/new-app")
        assert walk.keyboard_findings() == []
        operator.open("/new-app")
        operator.run(change)
        assert any(found.startswith(finding) for found in walk.keyboard_findings()), finding
