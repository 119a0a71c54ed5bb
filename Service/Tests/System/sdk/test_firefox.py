"""Tests the browser client and the console in headless Firefox: what depends on the browser. All else is tested in Chromium."""

import json

import pytest

from browser import PageError
from console_operator import AUDIT, Operator
from firefox import FIREFOX, Firefox
from keys import unverified_claims
from operator_api import Management
from person import new_email
from service import APP, Service
from transport import Transport
from waiting import wait_until
from web_site import WebSite, gated
from web_visitor import Visitor

pytestmark = pytest.mark.skipif(FIREFOX is None, reason="the Debian package firefox-esr is not installed")

HOME = f"/apps/{APP}"


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    firefox = Firefox(tmp_path_factory.mktemp("firefox"))
    yield firefox
    firefox.close()


@pytest.fixture
def clean(firefox):
    """Returns the browser. No page may have caused an error."""
    firefox.forget_errors()
    yield firefox
    assert firefox.errors == []


@pytest.fixture(scope="module")
def site():
    site = WebSite()
    yield site
    site.close()


@pytest.fixture(scope="module")
def gate(tmp_path_factory, site):
    """Returns the proxy at which pages of the site reach the service: another origin of the same site."""

    def configure(service: Service) -> None:
        service.transport = Transport(service.url)
        Management(service).expect(200, "PATCH", "", {"allowed_origins": [site.origin]})

    with gated(tmp_path_factory.mktemp("service"), configure) as gate:
        yield gate


@pytest.fixture
def visitor(clean, gate, site):
    """Returns a new user in a profile of its own, who is signed in with a code."""
    visitor = Visitor(clean, gate.service, gate.url, site.origin)
    visitor.user = visitor.sign_in()
    yield visitor
    visitor.close()


def test_a_session_is_refreshed_by_a_cookie_of_another_origin_that_no_script_reads(visitor, gate):
    claims = unverified_claims(visitor.user["accessToken"])
    assert visitor.user["isNewUser"] and visitor.user["profile"]["userID"] == claims["sub"]
    cookie = visitor.page.cookies("localhost")[f"refresh_{APP}"]
    assert cookie["httpOnly"] and visitor.run("return document.cookie;") == ""
    assert cookie["value"] not in json.dumps(visitor.record())

    visitor.reload()
    before = gate.counts["/refresh"]
    assert visitor.token() == visitor.user["accessToken"] and gate.counts["/refresh"] == before
    visitor.rejected_token()
    fresh = visitor.token()
    assert fresh != visitor.user["accessToken"] and gate.counts["/refresh"] == before + 1
    assert unverified_claims(fresh)["sid"] == claims["sid"]
    assert visitor.page.cookies("localhost")[f"refresh_{APP}"]["value"] != cookie["value"]


def test_the_key_is_stored_and_cannot_be_exported(visitor):
    key = visitor.run("""
        const opening = indexedDB.open("prelude-session");
        const database = await new Promise((resolve) => opening.onsuccess = () => resolve(opening.result));
        const reading = database.transaction("clients").objectStore("clients").get(client.endpoint);
        const { key } = await new Promise((resolve) => reading.onsuccess = () => resolve(reading.result));
        database.close();
        const refused = await Promise.all(["jwk", "pkcs8"].map((format) =>
            crypto.subtle.exportKey(format, key.privateKey).then(() => format, (error) => error.name)));
        return { extractable: key.privateKey.extractable, refused };""")
    assert key == {"extractable": False, "refused": ["InvalidAccessError"] * 2}


def test_five_tabs_refresh_once_and_a_logout_ends_all(visitor, gate):
    tabs = [visitor.page, *(visitor.new_tab() for _ in range(4))]
    visitor.rejected_token()
    before = gate.counts["/refresh"]
    # The tabs wait for a lock, so that they begin together.
    visitor.run("""navigator.locks.request("start", () => new Promise((resolve) => globalThis.start = resolve));""")
    for tab in tabs:
        tab.run("""globalThis.tokens = navigator.locks.request("start", { mode: "shared" },
            () => Promise.all(Array.from({ length: 5 }, () => client.validAccessToken())));""")
    visitor.page.wait_until("globalThis.start && (await navigator.locks.query()).pending.length === 5")
    visitor.run("start();")
    assert len({token for tab in tabs for token in tab.run("return tokens;")}) == 1
    assert gate.counts["/refresh"] == before + 1
    visitor.sign_out()
    for tab in tabs[1:]:
        tab.wait_until('events.at(-1) === "signedOut another_client"')
    assert f"refresh_{APP}" not in visitor.page.cookies("localhost")


def test_a_page_of_an_origin_that_the_app_does_not_allow_signs_nobody_in_and_can_read_why(firefox, gate):
    other = WebSite()
    profile = firefox.profile()
    page = firefox.page(other.origin + "/", profile)
    with pytest.raises(PageError) as refused:
        page.run(f"""
            const {{ PreludeSessionClient }} = await import({json.dumps(gate.url + "/v1/prelude-session.js")});
            await new PreludeSessionClient().startOTPLogin(
                {{ identifier: {{ type: "email_address", value: {json.dumps(new_email())} }} }});""")
    assert refused.value.members["kind"] == "originNotAllowed"
    firefox.forget(profile)
    other.close()


class FirefoxOperator(Operator):
    """An operator whose browser runs the scripts of pages."""

    def __init__(self, firefox: Firefox, service: Service):
        self.url = service.url
        self.page = firefox.page(self.url + "/console", firefox.profile())

    def run(self, script: str):
        return self.page.look(script)

    def click(self, element: str) -> None:
        self.page.click(element)

    @property
    def findings(self) -> list[str]:
        return self.run(AUDIT)


def test_an_operator_looks_at_the_console_and_deletes_a_user(clean, gate):
    service, address = gate.service, new_email()
    user = Management(service).expect(
        201, "POST", "/users", {"identifiers": [{"type": "email_address", "value": address}]})["id"]
    operator = FirefoxOperator(clean, service)
    assert operator.path == "/sign-in"
    operator.sign_in(service.key)
    for path in ["", HOME, f"{HOME}/users", f"{HOME}/users/{user}", f"{HOME}/events", f"{HOME}/keys", f"{HOME}/logins",
                 f"{HOME}/playground", "/operators", "/activity", "/api"]:
        operator.open(path)
        assert operator.path == path and operator.findings == [], (path, operator.text)
    operator.open(f"{HOME}/users/{user}/delete")
    assert address in operator.text
    operator.submit("main form")
    assert "It is deleted." in operator.text
    assert Management(service).send("GET", f"/users/{user}").status == 404
    operator.submit(".top form")
    assert "You are signed out." in operator.text


def test_the_check_for_errors_finds_what_a_page_has_caused(firefox, site):
    profile = firefox.profile()
    page = firefox.page(site.origin + "/", profile)
    firefox.forget_errors()
    page.run('setTimeout(() => { throw new Error("too late"); }); return null;')
    wait_until(lambda: any("too late" in error for error in firefox.errors))
    firefox.forget(profile)
