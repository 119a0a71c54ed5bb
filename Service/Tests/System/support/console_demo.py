"""A shop for the pictures of the console: people with devices, operators, rules, and an hour of traffic in a few minutes."""

import random
import threading
import time
from functools import partial
from typing import Callable, NamedTuple

from device import Device
from operator_api import Management
from person import Person
from service import APP, Service
from shifted_clock import ShiftedService
from transport import Answer, Transport

DAY = 86400
#: The recorder of the graphs reads every ten seconds. Its next reading is due within a second of this clock, see `Ticker`.
SLOT, LATE = 10, 9.05
#: Real seconds of a slot.
PACE = 1.08
FLAGS = ["--trusted-proxy", "127.0.0.1", "--country-header", "X-Country"]

FIRST = (
    "ada grace katherine margaret radia barbara frances hedy lise emmy sophie maria rosalind dorothy edith joan karen "
    "mary annie jean evelyn klara adele shafi").split()
LAST = (
    "okafor lindqvist marino duarte kowalski nakamura haddad berger silva novak moreau jansen adeyemi rossi larsen "
    "vargas keller murphy santos weber dubois ivanov tanaka costa").split()


class Kind(NamedTuple):
    agent: str
    country: str
    address: str


PHONE = Kind("Prelude/1.0 (iPhone 17 Pro; iOS 26.1)", "FR", "203.0.113.24")
TABLET = Kind("Prelude/1.0 (iPad Air; iPadOS 26.1)", "FR", "203.0.113.24")
LAPTOP = Kind("Prelude/1.0 (MacBook Pro; macOS 26.0)", "DE", "198.51.100.77")
BROWSER = Kind(
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36", "GB", "192.0.2.140")


class _Behind(Transport):
    """Sends what a trusted proxy adds for a device at some place."""

    def __init__(self, url: str, kind: Kind):
        super().__init__(url, timeout=60)
        self._place = kind

    def send(self, method: str, path: str, body: dict | None = None, headers=()) -> Answer:
        agent, country, address = self._place
        return super().send(method, path, body, [
            *headers, ("User-Agent", agent), ("X-Country", country), ("X-Forwarded-For", address)])


class Visitor(Person):
    """A person at a device whose clock is that of the service."""

    def __init__(self, demo: "Demo", kind: Kind):
        super().__init__(demo.service)
        self.transport = _Behind(demo.service.url, kind)
        self.mailboxes = [self.transport]
        self.device = Device(self.transport)
        self._demo = demo

    def log_in(self, identifier: str, wrong: int = 0) -> bool:
        """Logs in with a code, after some wrong ones. Returns whether it has worked."""
        kind = "phone_number" if identifier.startswith("+") else "email_address"
        started = self.device.start(identifier, kind)
        if started.status != 204:
            return False
        verification = started.headers["X-Verification-Token"]
        for _ in range(wrong):
            self.device.check(verification, "000000")
        checked = self.device.check(verification, self.code(identifier))
        if checked.status != 200:
            return False
        self.device.clock_offset = int(self._demo.ahead)
        self.keep(self.device.finalize(checked.json["challenge_token"]))
        return True

    def renew(self) -> None:
        self.device.clock_offset = int(self._demo.ahead)
        answer = self.device.refresh(self.refresh_token)
        if answer.status == 200:
            self.keep(answer)


class Ticker(threading.Thread):
    """Moves the clock of the service from slot to slot, always to a moment shortly before the end of one.

    So the service sleeps for a second between two readings of its figures, and an hour of graphs takes a few minutes. While
    the machine has no time for this thread, it has none for the service, so a slot then takes longer. The clock is that
    much too late afterwards.
    """

    def __init__(self, demo: "Demo", slots: int):
        super().__init__(daemon=True)
        self._demo, self.slots, self.slot = demo, slots, 0
        self._base = int(time.time() + slots * PACE) // SLOT * SLOT - slots * SLOT

    def run(self) -> None:
        passed, before = 0.0, time.monotonic()
        while self.slot < self.slots:
            now = time.monotonic()
            passed, before = passed + min(now - before, 0.03), now
            self.slot = int(passed / PACE)
            self._demo.set_clock(self._base + self.slot * SLOT + LATE - time.time())
            time.sleep(0.01)


class Demo:
    def __init__(self, service: ShiftedService):
        self.service, self.ahead = service, 0.0
        self.management = Management(service)
        self.random = random.Random(7)
        self.people = [
            f"{first}.{last}@{'example.com' if index % 3 else 'example.org'}"
            for index, (first, last) in enumerate(zip(FIRST, LAST))]
        self.signed_in: list[Visitor] = []

    def set_clock(self, ahead: float) -> None:
        self.ahead = ahead
        self.service.set_clock(ahead)

    def fill(self, plans: list[tuple[float, Callable[[], None]]]) -> None:
        """What has happened in forty days, before the last hour. The other plans have days, too, before today."""
        plans = [(40, self.configure), *plans]
        for number, email in enumerate(self.people):
            plans.append((39 - 1.5 * number + self.random.random(), partial(self.register, number, email)))
        for days, kind in [(19.3, LAPTOP), (8.6, TABLET), (1.4, BROWSER)]:
            plans.append((days, partial(self.visit, self.people[0], kind)))
        # A clock that goes back would not be like life.
        for days, act in sorted(plans, key=lambda plan: -plan[0]):
            self.set_clock(-days * DAY)
            act()

    def register(self, number: int, email: str) -> None:
        identifiers = [{"type": "email_address", "value": email}]
        if number % 4 == 0:
            identifiers.append({"type": "phone_number", "value": f"+3361234{5600 + number}"})
        user = self.management.expect(201, "POST", "/users", {
            "identifiers": identifiers, "external_id": f"crm-{4711 + 13 * number}",
            "profile": {"plan": "basic" if number % 3 else "gold", "newsletter": number % 2 == 0}})["id"]
        if number in (5, 9):
            status = "suspended" if number == 5 else "inactive"
            self.management.expect(200, "PUT", f"/users/{user}/status", {"status": status})
        if number == 0:
            self.user = user

    def visit(self, email: str, kind: Kind) -> None:
        visitor = Visitor(self, kind)
        assert visitor.log_in(email)
        self.signed_in.append(visitor)

    def configure(self) -> None:
        management = self.management
        management.expect(200, "PATCH", "", {"name": "Harbour Books", "domains": ["account.harbour.example"]})
        management.register("payments:write", "refunds:write", "account:delete")
        management.set("stepup", {"allowed_scopes": [
            rule("payments:write", "verify_email", 300),
            rule("refunds:write", "verify_sms", 120),
            {"scope": "account:delete", "mode": "direct", "direct": {
                "identifier_types": ["email_address"], "status": "review", "grant_mode": "single-use", "granted_for": 0,
                "steps": [{"order": 1, "key": "verify_email", "expiration_duration": 600}]}}]})
        management.set("claims", {"mapping": {
            "plan": {"$custom_claim": "plan"}, "newsletter": {"$custom_claim": "newsletter"}, "shop": "books"}})
        management.expect(201, "POST", "/webhooks", {"url": "https://crm.harbour.example/events"})

    def traffic(self, slots: int) -> None:
        """Logins and refreshes of an hour, with wrong codes, and with an address that tries too much for a few minutes."""
        ticker = Ticker(self, slots)
        ticker.start()
        done = -1
        while ticker.is_alive():
            if ticker.slot == done:
                time.sleep(0.02)
                continue
            done = ticker.slot
            part = done / slots
            wave = 0.6 + 0.9 * part + 0.25 * self.random.random()
            for _ in range(self.count(0.7 * wave)):
                self.login()
            for _ in range(self.count(2.6 * wave)):
                if self.signed_in:
                    self.random.choice(self.signed_in).renew()
            if 0.52 < part < 0.58:
                for _ in range(4):
                    Visitor(self, BROWSER).device.start(f"guess{self.random.randrange(10**6)}@example.net")

    def count(self, mean: float) -> int:
        """A number of things that happen at random, this often on average."""
        return int(mean) + (self.random.random() < mean % 1)

    def login(self) -> None:
        chance = self.random.random()
        address = f"203.0.113.{self.random.randrange(1, 250)}"
        kind = self.random.choice([PHONE, PHONE, TABLET, LAPTOP, BROWSER])._replace(address=address)
        visitor = Visitor(self, kind)
        name = f"{self.random.choice(FIRST)}.{self.random.choice(LAST)}{self.random.randrange(100)}"
        identifier = f"+3362{self.random.randrange(10**7):07d}" if chance < 0.25 else f"{name}@example.com"
        if chance > 0.9:
            visitor.device.start(identifier)
        elif visitor.log_in(identifier, wrong=int(chance > 0.8)):
            self.signed_in.append(visitor)


def rule(scope: str, step: str, seconds: int) -> dict:
    kind = "email_address" if step == "verify_email" else "phone_number"
    return {"scope": scope, "mode": "direct", "direct": {
        "identifier_types": [kind], "status": "review", "grant_mode": "session-bound", "granted_for": seconds,
        "steps": [{"order": 1, "key": step, "expiration_duration": 600}]}}
