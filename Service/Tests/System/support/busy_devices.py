"""Devices that use a service as fast as they can, until it is gone, and know what was answered."""

import http.client

from device import Device
from service import Service
from transport import Answer, Transport


class Owner:
    """A device that refreshes as fast as it can and keeps the newest token."""

    def __init__(self, url: str, number: int):
        self.device = Device(Transport(url))
        self.address = f"crash-{number}@example.com"
        self.token = ""
        self.answered = 0
        self.refusals: list[str] = []

    def sign_in(self, mailbox: Transport) -> None:
        started = self.device.start(self.address)
        mails = mailbox.send("GET", "/dev/mailbox").json
        code = next(mail["code"] for mail in mails if mail["to"] == self.address and "code" in mail)
        challenge = self.device.check(started.headers["X-Verification-Token"], code).json["challenge_token"]
        self.token = self.device.finalize(challenge).headers["X-Refresh-Token"]

    def refresh(self) -> bool:
        """Refreshes once and returns whether there was an answer. Records a refusal: then the user was signed out."""
        try:
            answer = self.device.refresh(self.token)
        except (OSError, http.client.HTTPException):
            return False
        if answer.status == 200:
            self.token = answer.headers["X-Refresh-Token"]
            self.answered += 1
        elif answer.status not in (429, 500, 503):
            self.refusals.append(str(answer))
        return True

    def refresh_until_gone(self) -> None:
        while self.refresh() and not self.refusals:
            pass


class Caller:
    """Asks for codes to new addresses as fast as it can, and keeps the verification tokens of the confirmed ones."""

    def __init__(self, service: Service, name: str):
        self.service, self.name = service, name
        self.confirmed: dict[str, str] = {}
        self.refusals: list[str] = []

    def ask_until_gone(self) -> None:
        device = Device(Transport(self.service.url))
        for index in range(10_000):
            address = f"{self.name}-{index}@example.com"
            try:
                answer = device.start(address)
            except (OSError, http.client.HTTPException):
                return
            if not self.goes_on_after(address, answer):
                return

    def goes_on_after(self, address: str, answer: Answer) -> bool:
        if answer.status != 204:
            self.refusals.append(str(answer))
            return False
        self.confirmed[address] = answer.headers["X-Verification-Token"]
        return True
