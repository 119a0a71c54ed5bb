"""Tests the driver of the browser: a page whose script has failed ends a test at once, and the test says why."""

import time

import pytest

from browser import Browser
from mail_browser import CHROMIUM
from web_site import EMPTY_PAGE, WebSite

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="the Debian package chromium is not installed")

PAGE = EMPTY_PAGE.replace("</html>", "{}</html>")


@pytest.fixture
def site():
    site = WebSite()
    yield site
    site.close()


@pytest.mark.parametrize("script, reason", [
    # The site answers with a page. A browser runs no module of this type.
    ('<script type="module" src="/missing.js"></script>', "Failed to load module script"),
    ('<script type="module">import { nothing } from "/clients/web/prelude-session.js";</script>', "nothing"),
    ('<script src="http://localhost:1/gone.js"></script>', "a script was not loaded: net::ERR"),
    ('<script type="module">throw new Error("the session has no key");</script>', "the session has no key"),
    ('<script type="module">Promise.reject(new Error("nobody waits for it"));</script>', "nobody waits for it"),
])
def test_a_wait_ends_when_a_script_of_the_page_has_failed(browser, site, script, reason):
    site.page = PAGE.format(script)
    page = browser.page(site.origin, browser.profile())
    started = time.monotonic()
    with pytest.raises(AssertionError) as failure:
        page.wait_until("globalThis.isReady")
    assert "globalThis.isReady did not become true, because a script has failed" in str(failure.value)
    assert reason in str(failure.value)
    assert time.monotonic() - started < 10


def test_a_wait_goes_on_after_an_error_that_the_page_has_handled(browser, site):
    site.scripted = [(401, {})]
    site.page = PAGE.format("""<script type="module">
        await fetch("/api");
        try { throw new Error("x"); } catch { console.error("handled"); }
        setTimeout(() => globalThis.isReady = true, 1500);</script>""")
    page = browser.page(site.origin, browser.profile())
    page.wait_until("globalThis.isReady")
    assert len(page.errors) == 2


def test_a_later_page_is_not_blamed_for_an_earlier_one(browser, site):
    site.page = PAGE.format("<script>throw new Error('first page');</script>")
    page = browser.page(site.origin, browser.profile())
    site.page = PAGE.format("<script>setTimeout(() => globalThis.isReady = true, 1200);</script>")
    page.open(site.origin)
    page.wait_until("globalThis.isReady")


def test_a_command_ends_when_the_browser_has_ended(tmp_path):
    other = Browser(tmp_path)
    page = other.page("about:blank", other.profile())
    other.process.kill()
    started = time.monotonic()
    with pytest.raises((RuntimeError, OSError)):
        for _ in range(100):
            page.run("return 1;")
            time.sleep(0.1)
    assert time.monotonic() - started < 15
    other.close()
