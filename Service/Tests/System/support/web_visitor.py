"""A user in front of a browser: a profile with tabs of one site, each with a client of the service."""

import json
import time

from browser import Browser, Page
from operator_api import Management
from person import new_email
from service import Service

PASSWORD = "correct horse battery 7 Staple"


class Visitor:
    def __init__(self, browser: Browser, service: Service, endpoint: str, origin: str):
        self.browser, self.service, self.endpoint, self.origin = browser, service, endpoint, origin
        #: The module knows the service that it was loaded from.
        self.module = endpoint + "/v1/prelude-session.js"
        self.options: dict = {"timeout": 60}
        self.profile = browser.profile()
        self.email = new_email()
        self.tabs: list[Page] = []
        self.page = self.new_tab()

    def new_tab(self) -> Page:
        page = self.browser.page(self.origin + "/", self.profile)
        self.tabs.append(page)
        self.start_client(page)
        return page

    def start_client(self, page: Page | None = None) -> None:
        """Creates `client` in a page, and `events` with what it reports."""
        (page or self.page).run(f"""
            Object.assign(globalThis, await import({json.dumps(self.module)}));
            globalThis.client = new PreludeSessionClient({json.dumps(self.options)});
            globalThis.events = [];
            client.subscribe((event) => events.push(event.type + (event.reason ? " " + event.reason : "")));""")

    def run(self, script: str):
        return self.page.run(script)

    def reload(self) -> None:
        self.page.reload()
        self.start_client()

    def close(self) -> None:
        self.browser.forget(self.profile)

    # What the user does.

    def ask_for_code(self) -> None:
        self.run(f"""await client.startOTPLogin(
            {{ identifier: {{ type: "email_address", value: {json.dumps(self.email)} }} }});""")

    def code(self) -> str:
        """Returns the newest code that was sent to the user."""
        mails = self.service.transport.send("GET", "/dev/mailbox").json
        return next(mail["code"] for mail in mails if mail["to"] == self.email and "code" in mail)

    def sign_in(self) -> dict:
        """Signs in with a code, and returns the user."""
        self.ask_for_code()
        return self.run(f"return await client.checkOTP({json.dumps(self.code())});")

    def sign_out(self) -> None:
        """Signs out, and waits until the service has revoked the session."""
        self.run("await client.logout(); await client.revokeEndedSessions();")

    def wait_for_revocation(self) -> None:
        deadline = time.monotonic() + 120
        while self.record()["mustRevoke"]:
            assert time.monotonic() < deadline, "the session was not revoked"
            time.sleep(0.05)

    def set_password(self) -> None:
        """Gives the user a password, as the operator does."""
        user = self.run("return (await client.profile()).userID;")
        Management(self.service).expect(204, "PUT", f"/users/{user}/password", {"password": PASSWORD})

    def token(self) -> str:
        return self.run("return client.validAccessToken();")

    def rejected_token(self) -> None:
        """Has the next call refresh the access token."""
        self.run("await client.invalidateSession();")

    def record(self) -> dict:
        """Returns what the browser has stored, without the key."""
        return self.run(f"""
            const opening = indexedDB.open("prelude-session");
            const database = await new Promise((resolve) => opening.onsuccess = () => resolve(opening.result));
            const reading = database.transaction("clients").objectStore("clients").get({json.dumps(self.endpoint)});
            await new Promise((resolve) => reading.onsuccess = resolve);
            database.close();
            const {{ key, ...record }} = reading.result;
            return record;""")
