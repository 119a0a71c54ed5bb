"""Drives headless Chromium over the DevTools protocol, through pipes: no driver and no library is needed."""

import json
import os
import pathlib
import queue
import subprocess
import threading
import time

from mail_browser import SHELL

#: What Chromium calls at any time for itself is switched off.
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--no-default-browser-check",
    "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-extensions",
    "--process-per-site", "--remote-debugging-pipe",
    # Names of tests are this machine, and certificates for them are those of the test authority.
    "--host-resolver-rules=MAP *.test 127.0.0.1", "--ignore-certificate-errors",
]


#: Seconds that a command may take on a busy machine. Only a test that fails waits so long, and not even that if a script of
#: the page has failed: see `Page.failures`.
PATIENCE = 120
#: Milliseconds after which a wait looks for a script that has failed.
GLANCE = 500


class PageError(Exception):
    """An exception that a page's script has thrown, with its members."""

    def __init__(self, text: str, members: dict):
        super().__init__(f"{text}: {members}")
        self.members = members


class Browser:
    """One process of Chromium. Profiles separate cookies and storage, like different users of a computer."""

    def __init__(self, directory: pathlib.Path, *flags: str, program: str | None = SHELL):
        (commands, self._commands), (self._events, events) = os.pipe(), os.pipe()
        # Chromium reads commands from descriptor 3 and writes to 4.
        redirect = f'exec "$@" 3<&{commands} 4>&{events}'
        self.process = subprocess.Popen(
            ["bash", "-c", redirect, "bash", program, *FLAGS, *flags, f"--user-data-dir={directory}", "about:blank"],
            pass_fds=(commands, events), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(directory / "chromium.log", "wb"))
        os.close(commands)
        os.close(events)
        self._lock = threading.Lock()
        self._next = 0
        self._answers: dict[int, queue.Queue] = {}
        self._pages: dict[str, Page] = {}
        threading.Thread(target=self._read, daemon=True).start()

    def call(self, method: str, parameters: dict | None = None, page: str | None = None) -> dict:
        """Sends a command, and returns its result."""
        with self._lock:
            self._next += 1
            number, answer = self._next, queue.Queue()
            self._answers[number] = answer
            command = {"id": number, "method": method, "params": parameters or {}}
            command |= {"sessionId": page} if page else {}
            os.write(self._commands, json.dumps(command).encode() + b"\0")
        result = answer.get(timeout=PATIENCE)
        if "error" in result:
            raise RuntimeError(f"{method}: {result['error']}")
        return result["result"]

    def profile(self) -> str:
        """Creates a profile: a user of the computer, without cookies and storage."""
        return self.call("Target.createBrowserContext")["browserContextId"]

    def forget(self, profile: str) -> None:
        """Closes the tabs of a profile, and deletes its cookies and storage."""
        self.call("Target.disposeBrowserContext", {"browserContextId": profile})

    def page(self, url: str, profile: str) -> "Page":
        """Opens a tab and waits until the page has run its script."""
        target = self.call("Target.createTarget", {"url": "about:blank", "browserContextId": profile})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = Page(self, session)
        self._pages[session] = page
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.open(url)
        return page

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            os.close(self._commands)

    def _read(self) -> None:
        with os.fdopen(self._events, "rb", buffering=0) as events:
            rest = b""
            while chunk := events.read(1 << 16):
                *messages, rest = (rest + chunk).split(b"\0")
                for message in map(json.loads, messages):
                    if "id" in message:
                        self._answers.pop(message["id"]).put(message)
                    elif page := self._pages.get(message.get("sessionId")):
                        page.note(message["method"], message["params"])
        # Chromium has ended: no answer will come.
        for answer in self._answers.values():
            answer.put({"error": "the browser has ended"})


class Page:
    """A tab. It notes the errors in its console."""

    def __init__(self, browser: Browser, session: str):
        self.browser, self._session = browser, session
        self.errors: list[str] = []
        #: Scripts of the page that could not be loaded, and errors that no script has caught. What a test waits for then never
        #: happens, so a wait ends at once.
        self.failures: list[str] = []
        #: What the tab has loaded as a page: method, URL and status. A form and the page to which it leads are two.
        self.documents: list[tuple[str, str, int]] = []
        self._requested: dict[str, tuple[str, str]] = {}
        self._loaded = threading.Event()

    def call(self, method: str, parameters: dict | None = None) -> dict:
        return self.browser.call(method, parameters, self._session)

    def note(self, event: str, facts: dict) -> None:
        if event == "Page.loadEventFired":
            self._loaded.set()
        elif event == "Network.requestWillBeSent" and facts.get("type") == "Document":
            if "redirectResponse" in facts:
                self.documents.append((*self._requested[facts["requestId"]], facts["redirectResponse"]["status"]))
            self._requested[facts["requestId"]] = (facts["request"]["method"], facts["request"]["url"])
        elif event == "Network.responseReceived" and facts["type"] == "Document":
            self.documents.append((*self._requested[facts["requestId"]], facts["response"]["status"]))
        elif event == "Network.responseReceived" and facts["type"] == "Script" and facts["response"]["status"] >= 400:
            self.failures.append(f"{facts['response']['url']} is {facts['response']['status']}")
        elif event == "Network.loadingFailed" and facts["type"] == "Script" and not facts.get("canceled"):
            self.failures.append(f"a script was not loaded: {facts.get('blockedReason', facts['errorText'])}")
        elif event == "Runtime.exceptionThrown":
            details = facts["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
            self.failures.append(self.errors[-1])
        elif event == "Log.entryAdded" and facts["entry"]["level"] == "error":
            self.errors.append(f"{facts['entry']['text']} {facts['entry'].get('url', '')}")
            # Such as one of another type, or without the headers for another origin.
            if "module script" in self.errors[-1]:
                self.failures.append(self.errors[-1])
        elif event == "Runtime.consoleAPICalled" and facts["type"] in ("error", "assert"):
            self.errors.append(str([value.get("value", value.get("description")) for value in facts["args"]]))

    def open(self, url: str) -> None:
        self._wait(lambda: self.call("Page.navigate", {"url": url}))

    def reload(self) -> None:
        self._wait(lambda: self.call("Page.reload"))

    def _wait(self, load) -> None:
        self._loaded.clear()
        self.failures.clear()
        load()
        deadline = time.monotonic() + PATIENCE
        while not self._loaded.wait(GLANCE / 1000):
            self._expect_more(deadline, "the page was not loaded")

    def _expect_more(self, deadline: float, problem: str) -> None:
        """Fails if it makes no sense to wait any longer."""
        assert not self.failures, f"{problem}, because a script has failed: {self.failures}"
        assert time.monotonic() < deadline, f"{problem} within {PATIENCE} seconds; errors of the page: {self.errors}"

    def run(self, script: str):
        """Runs the body of an async function in the page, and returns its result. Its errors are `PageError`."""
        wrapped = f"""(async () => {{
            try {{ return {{ value: await (async () => {{ {script} }})() }}; }}
            catch (error) {{
                return {{ error: {{ ...error, text: String(error), isInvalidIdentifier: error.isInvalidIdentifier }} }};
            }}
        }})()"""
        answer = self.call(
            "Runtime.evaluate", {"expression": wrapped, "awaitPromise": True, "returnByValue": True})
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        result = answer["result"]["value"]
        if "error" in result:
            raise PageError(result["error"]["text"], result["error"])
        return result.get("value")

    def wait_until(self, condition: str) -> None:
        """Waits until an expression of the page is true. Fails at once when a script of the page has failed."""
        deadline = time.monotonic() + PATIENCE
        while not self.run(f"""
            const end = performance.now() + {GLANCE};
            while (!({condition})) {{
                if (performance.now() > end) return false;
                await new Promise((resolve) => setTimeout(resolve, 10));
            }}
            return true;"""):
            self._expect_more(deadline, f"{condition} did not become true")

    def cookies(self, url: str) -> dict[str, dict]:
        """Returns the cookies that the browser would send to a URL, by name, also those that scripts cannot read."""
        return {cookie["name"]: cookie for cookie in self.call("Network.getCookies", {"urls": [url]})["cookies"]}

    def set_offline(self, is_offline: bool) -> None:
        self.call("Network.emulateNetworkConditions", {
            "offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

