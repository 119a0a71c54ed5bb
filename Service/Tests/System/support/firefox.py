"""Drives headless Firefox over Marionette, its own protocol on the loopback: no driver and no library is needed."""

import json
import pathlib
import shutil
import socket
import subprocess
import time

from browser import PATIENCE, PageError

#: The name of the browser differs between systems. `None`: there is none.
FIREFOX = next(filter(None, map(shutil.which, ["firefox-esr", "firefox"])), None)

#: What Firefox calls at any time for itself is switched off. It chooses the port, and writes it into its profile.
PREFERENCES = {
    "marionette.port": 0, "privacy.userContext.enabled": True, "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore", "browser.aboutwelcome.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False, "toolkit.telemetry.enabled": False,
    "app.normandy.enabled": False, "app.update.disabledForTesting": True, "extensions.update.enabled": False,
    "browser.safebrowsing.downloads.remote.enabled": False, "browser.safebrowsing.update.enabled": False,
    "browser.region.network.url": "", "browser.region.update.enabled": False, "services.settings.server": "data:,",
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "network.dns.disablePrefetch": True, "network.prefetch-next": False, "extensions.getAddons.cache.enabled": False,
    "media.gmp-manager.updateEnabled": False, "browser.topsites.contile.enabled": False,
    "browser.newtabpage.enabled": False, "dom.push.connection.enabled": False,
    # The tabs of a test are in the background, and their timers are those of a tab in front.
    "dom.min_background_timeout_value": 4, "dom.timeout.enable_budget_timer_throttling": False,
}

#: Runs in the page itself, which a policy against `eval` forbids.
IN_PAGE = """
const [script, done] = arguments;
const run = `(async () => { ${script} })()`;
window.eval(run).then(
  value => done({ value }),
  error => done({ error: { ...error, text: String(error) } }));
"""

#: Runs beside the page, with its elements.
BESIDE_PAGE = """
const done = arguments[arguments.length - 1];
(async () => { %s })().then(value => done({ value }), error => done({ error: { text: String(error) } }));
"""

#: The errors of scripts, policies (CSP) and calls of other origins (CORS), as the console shows them. What a page writes into
#: its console is not among them.
ERRORS = """
return Services.console.getMessageArray()
  .filter(message => message instanceof Ci.nsIScriptError && !(message.flags & Ci.nsIScriptError.warningFlag)
    && /^http/.test(message.sourceName))
  .map(error => `${error.errorMessage} ${error.sourceName}`);
"""

#: Opens a tab in a container: its cookies and its storage are its own.
NEW_TAB = """
gBrowser.selectedTab = gBrowser.addTab("about:blank", {
  userContextId: arguments[0], triggeringPrincipal: Services.scriptSecurityManager.getSystemPrincipal() });
"""

COOKIES = """
const [host, userContextId] = arguments;
return Services.cookies.getCookiesFromHost(host, { userContextId }).map(
  cookie => ({ name: cookie.name, value: cookie.value, httpOnly: cookie.isHttpOnly, sameSite: cookie.sameSite }));
"""


class Firefox:
    """One process of Firefox. Profiles, which are containers here, separate cookies and storage."""

    def __init__(self, directory: pathlib.Path):
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()]
        (directory / "user.js").write_text("".join(lines))
        self.process = subprocess.Popen(
            # The last option lets a test read the console and the cookies that scripts cannot read.
            [FIREFOX, "--headless", "--no-remote", "--profile", directory, "--marionette", "--remote-allow-system-access"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(directory / "firefox.log", "wb"))
        self._next = 0
        self._profiles = 0
        try:
            self._connection = socket.create_connection(("127.0.0.1", self._port(directory)), PATIENCE)
            self._replies = self._connection.makefile("rb")
            self._read()
            self.call("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {
                "timeouts": {"script": PATIENCE * 1000, "pageLoad": PATIENCE * 1000}, "pageLoadStrategy": "normal"}}})
        except BaseException:
            self.process.kill()
            raise

    def _port(self, directory: pathlib.Path) -> int:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return int((directory / "MarionetteActivePort").read_text())
            except (FileNotFoundError, ValueError):
                assert self.process.poll() is None, (directory / "firefox.log").read_text()
                assert time.monotonic() < deadline, "Firefox has not opened its port"
                time.sleep(0.05)

    def call(self, command: str, parameters: dict | None = None):
        """Sends a command, and returns its result."""
        self._next += 1
        message = json.dumps([0, self._next, command, parameters or {}]).encode()
        self._connection.sendall(b"%d:%b" % (len(message), message))
        _, number, error, result = self._read()
        assert number == self._next
        if error:
            raise RuntimeError(f"{command}: {error['error']}: {error['message']}")
        return result["value"] if isinstance(result, dict) and set(result) == {"value"} else result

    def _read(self):
        size = b""
        while not size.endswith(b":"):
            byte = self._replies.read(1)
            assert byte, "Firefox has ended"
            size += byte
        return json.loads(self._replies.read(int(size[:-1])))

    def run(self, script: str, *arguments):
        """Runs the body of a function with the rights of the browser, in its window."""
        self.call("Marionette:SetContext", {"value": "chrome"})
        try:
            return self.call("WebDriver:ExecuteScript", {"script": script, "args": list(arguments)})
        finally:
            self.call("Marionette:SetContext", {"value": "content"})

    def profile(self) -> int:
        """Creates a profile: a user of the computer, without cookies and storage."""
        self._profiles += 1
        return self._profiles

    def forget(self, profile: int) -> None:
        """Closes the tabs of a profile. The first tab of the browser has none, so it stays open."""
        self.run("""
            for (const tab of [...gBrowser.tabs])
              if (tab.userContextId === arguments[0]) gBrowser.removeTab(tab);""", profile)
        self.call("WebDriver:SwitchToWindow", {"handle": self.call("WebDriver:GetWindowHandles")[0], "focus": False})

    def page(self, url: str, profile: int) -> "FirefoxPage":
        """Opens a tab, and waits until the page has run its script."""
        before = set(self.call("WebDriver:GetWindowHandles"))
        self.run(NEW_TAB, profile)
        [handle] = set(self.call("WebDriver:GetWindowHandles")) - before
        page = FirefoxPage(self, handle, profile)
        page.open(url)
        return page

    @property
    def errors(self) -> list[str]:
        """Returns the errors of all pages since they were forgotten."""
        return self.run(ERRORS)

    def forget_errors(self) -> None:
        self.run("Services.console.reset();")

    def close(self) -> None:
        try:
            self.call("Marionette:Quit", {"flags": ["eForceQuit"]})
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self._connection.close()


class FirefoxPage:
    """A tab, with the methods of a `Page` of Chromium that the tests of both browsers use."""

    def __init__(self, browser: Firefox, handle: str, profile: int):
        self.browser, self._handle, self._profile = browser, handle, profile

    def call(self, command: str, parameters: dict | None = None):
        self.browser.call("WebDriver:SwitchToWindow", {"handle": self._handle, "focus": False})
        return self.browser.call(command, parameters)

    def open(self, url: str) -> None:
        self.call("WebDriver:Navigate", {"url": url})
        # In a new tab, the navigation can end with the empty page, which is loaded first.
        deadline = time.monotonic() + PATIENCE
        while not self._is_open():
            assert time.monotonic() < deadline, f"{url} was not loaded"
            time.sleep(0.02)

    def _is_open(self) -> bool:
        try:
            return self.call("WebDriver:ExecuteScript", {
                "script": 'return location.href !== "about:blank" && document.readyState === "complete";', "args": []})
        except RuntimeError:
            # The page was replaced meanwhile.
            return False

    def reload(self) -> None:
        self.call("WebDriver:Refresh")

    def click(self, element: str) -> None:
        """Clicks what leads to another page, as a person does, and waits for that page."""
        [reference] = self.call("WebDriver:FindElement", {"using": "css selector", "value": element}).values()
        self.call("WebDriver:ElementClick", {"id": reference})

    def run(self, script: str):
        """Runs the body of an async function in the page, and returns its result. Its errors are `PageError`."""
        return self._value(IN_PAGE, [script])

    def look(self, script: str):
        """Does the same beside the page, whose policy may forbid scripts."""
        return self._value(BESIDE_PAGE % script, [])

    def _value(self, script: str, arguments: list):
        # No sandbox with its own view: the objects are those of the page.
        answer = self.call("WebDriver:ExecuteAsyncScript", {"script": script, "args": arguments, "sandbox": None})
        if "error" in answer:
            raise PageError(answer["error"]["text"], answer["error"])
        return answer.get("value")

    def wait_until(self, condition: str) -> None:
        """Waits until an expression of the page is true."""
        self.run(f"while (!({condition})) await new Promise((resolve) => setTimeout(resolve, 10));")

    def cookies(self, host: str) -> dict[str, dict]:
        """Returns the cookies of a host, by name, also those that scripts cannot read."""
        return {cookie["name"]: cookie for cookie in self.browser.run(COOKIES, host, self._profile)}
