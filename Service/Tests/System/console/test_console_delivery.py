"""Tests delivery, templates and exports of the console in headless Chromium."""

import csv
import io
import itertools
import json

import pytest

from console_operator import DESKTOP, PHONE, Operator
from mail_browser import CHROMIUM
from operator_api import Management
from person import Person, new_email
from receiver import Reply
from service import APP, Service
from sockets import free_port
from transport import Transport

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

HOME = f"/apps/{APP}"
MAIL = f"{HOME}/templates/email/sign_in/en"


@pytest.fixture(scope="module")
def management(trusting):
    return Management(trusting)


@pytest.fixture
def operator(browser, trusting):
    operator = Operator(browser, trusting)
    operator.sign_in(trusting.key)
    yield operator
    assert [error for error in operator.page.errors if "status of 400" not in error] == []


@pytest.fixture(autouse=True)
def nothing_configured(management):
    """The other tests of this service send by its mailbox, with the built-in texts."""
    yield
    management.send("DELETE", "/config/delivery")
    management.expect(204, "DELETE", "/config/templates")


def download(operator: Operator, service: Service, link: str) -> tuple[dict, str]:
    """Follows a link as the browser would, with its cookie, because headless Chromium stores no files here."""
    path = operator.run(f"return document.querySelector({json.dumps(link)}).getAttribute('href');")
    cookie = operator.page.cookies(operator.url)["prelude_console"]["value"]
    answer = Transport(service.url).send("GET", path, None, [("Cookie", f"prelude_console={cookie}")])
    assert answer.status == 200, (answer, answer.body)
    return answer.headers, answer.body.decode()


def test_routes_and_templates_of_each_kind_can_be_read_by_everyone(operator, management):
    management.expect(200, "PUT", "/config/delivery", {"email": [
        {"type": "smtp", "host": "mail.example.com", "username": "u", "secret": "s", "from": "Shop <a@example.com>"}]})
    management.expect(200, "PUT", "/config/templates/email/sign_in/it", {"subject": "Codice", "text": "{{code}}"})
    pages = [
        "/delivery", "/delivery/email/2?type=prelude", "/delivery/sms/1?type=twilio", "/templates?locale=none",
        "/templates/sms/notice_new_device/ja",
    ]
    for path in pages:
        for size, dark in itertools.product((DESKTOP, PHONE), (False, True)):
            operator.show(size, dark)
            operator.open(HOME + path)
            assert operator.findings == [], (path, size, dark)


def test_an_operator_sets_a_mail_server_whose_secret_is_never_shown(operator, management):
    operator.open(f"{HOME}/delivery")
    assert "The service has no route" in operator.text or "routes of the service" in operator.text \
        or "Neither this app" in operator.text
    operator.open(f"{HOME}/delivery/email/1")
    operator.submit("#route", host="mail.example.com:25", **{"from": "Shop <a@example.com>"}, secret="s3cret")
    assert "Nothing was changed." in operator.text and "Server must be the name of a server" in operator.text
    assert operator.run("return document.querySelector('#route-secret').value;") == ""
    operator.submit(
        "#route", host="mail.example.com", port="465", tls="implicit", auth="plain", username="shop", secret="s3cret")
    assert operator.path == f"{HOME}/delivery" and "secret is set" in operator.text
    stored = management.get("/config/delivery")["config"]["email"]
    assert stored == [{
        "type": "smtp", "host": "mail.example.com", "port": 465, "tls": "implicit", "auth": "plain", "username": "shop",
        "from": "Shop <a@example.com>", "secret_set": True}]
    operator.open(f"{HOME}/delivery/email/1")
    assert "A secret is set." in operator.text
    assert "s3cret" not in operator.run("return document.documentElement.outerHTML;")
    operator.submit("#route", **{"from": "b@example.com"})
    assert management.get("/config/delivery")["config"]["email"][0]["secret_set"]
    operator.open(f"{HOME}/delivery/email/1/remove")
    operator.submit("#confirm")
    assert management.send("GET", "/config/delivery").status == 404


def test_a_test_message_shows_what_the_route_says(operator, management, backend):
    url = backend.on("/console-mail", lambda call: Reply(422, {"error": "sender"}))
    operator.open(f"{HOME}/delivery/email/1?type=webhook")
    operator.submit("#route", url=url)
    operator.submit("#test-email", identifier="nobody")
    assert operator.text.count("Your e-mail address is not an e-mail address") == 2, "in the summary and at the field"
    operator.submit("#test-email", identifier="ada@example.com")
    assert "has not accepted the test message" in operator.text and "HTTP 422." in operator.text
    assert "Remedy: use a sender that the account may use." in operator.text
    assert operator.findings == []
    event = management.events("management.delivery.tested")[0]
    assert event["data"] == {"channel": "email", "identifier": "a***@example.com", "routes": ["webhook"]}

    # Nothing listens on the port of this mail server.
    operator.open(f"{HOME}/delivery/email/1?type=smtp")
    operator.submit("#route", host="127.0.0.1", port=str(free_port()), **{"from": "shop@example.com"})
    operator.submit("#test-email", identifier="ada@example.com")
    assert "check host and port, and that a firewall lets this machine connect" in operator.text
    rows = operator.run("return [...document.querySelectorAll('tbody tr')].map(row => row.innerText);")
    assert "passed" in rows[0] and rows[0].startswith("DNS") and "failed" in rows[-1], rows


def test_an_operator_writes_previews_and_deletes_a_template(operator, management):
    operator.open(f"{HOME}/templates")
    operator.submit("main form[role=search]", channel="email", purpose="sign_in", locale="en")
    operator.click("tbody a")
    assert operator.path == MAIL and "The built-in text" in operator.text
    text = "Dear customer,\n\n{{code}}\n\nThe shop"
    operator.fill("#template-subject", "Your code <b>")
    operator.fill("#template-text", text)
    operator.click("#template button[formaction]")
    assert "This text is not saved yet." in operator.text and "Your code <b>" in operator.text
    assert operator.findings == []
    frame = operator.run("return document.querySelector('iframe').getAttribute('src');")
    operator.submit("#template")
    assert operator.path == MAIL and "Your own text" in operator.text
    stored = management.get("/config/templates/email/sign_in/en")["config"]
    assert stored["subject"] == "Your code <b>" and stored["text"] == text
    operator.submit("#template", text="no code")
    assert "Text must contain {{code}}" in operator.text
    operator.open(f"{MAIL}/delete")
    operator.submit("#confirm")
    assert management.get("/config/templates/email/sign_in/en")["config"]["built_in"]

    # The frame on its own: the code is large, so the styles of the mail are there, and it has no origin.
    operator.page.open(operator.url + frame)
    assert operator.run("return getComputedStyle(document.querySelector('.code')).fontSize;") == "28px"
    assert operator.run("return origin;") == "null"


def test_the_frame_shows_the_mail_and_runs_nothing(whole_browser, trusting):
    operator = Operator(whole_browser, trusting)
    operator.sign_in(trusting.key)
    operator.open(MAIL)
    box = operator.run("""
        const box = document.querySelector('iframe').getBoundingClientRect();
        return [box.width, box.height];""")
    assert box[0] > 300 and box[1] > 300
    # Chromium gives a sandboxed frame a process of its own.
    targets = whole_browser.call("Target.getTargets")["targetInfos"]
    frames = [each for each in targets if each["url"].endswith(f"/console{MAIL}/mail")]
    assert [each["type"] for each in frames] == ["iframe"], targets
    session = whole_browser.call("Target.attachToTarget", {"targetId": frames[0]["targetId"], "flatten": True})["sessionId"]
    answer = whole_browser.call("Runtime.evaluate", {
        "expression": "[origin, getComputedStyle(document.querySelector('.code')).fontSize].join()"}, session)
    assert answer["result"]["value"] == "null,28px"
    # Without the right to read its origin, the console's page sees no document in the frame.
    assert operator.run("return document.querySelector('iframe').contentDocument;") is None
    assert operator.page.errors == []


def test_the_audit_trail_and_a_user_are_downloaded(operator, management, trusting):
    email = new_email()
    Person.signed_in(trusting, email)
    user = management.get(f"/users?identifier_type=email_address&identifier_value={email}")["users"][0]["id"]
    operator.open(f"{HOME}/events?user_id={user}")
    headers, text = download(operator, trusting, "a[href*='format=csv']")
    assert headers["Content-Disposition"] == f'attachment; filename="events-{APP}.csv"'
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert {row["user_id"] for row in rows} == {user} and rows[-1]["name"] == "user.created"
    headers, text = download(operator, trusting, "a[href*='format=jsonl']")
    events = [json.loads(line) for line in text.splitlines()]
    assert [event["id"] for event in events] == [row["id"] for row in rows]
    operator.open(f"{HOME}/users/{user}")
    headers, text = download(operator, trusting, "a[href$='/export']")
    file = json.loads(text)
    assert file["user"] == management.get(f"/users/{user}") and len(file["sessions"]) == 1
    assert "management.user.exported" in [event["name"] for event in file["events"]]
    assert headers["Content-Disposition"] == f'attachment; filename="{user}.json"'
    of_api = management.get(f"/users/{user}/export")
    assert set(of_api) == set(file) and of_api["sessions"] == file["sessions"]
