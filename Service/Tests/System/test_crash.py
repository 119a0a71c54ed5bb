"""Tests that a service that is killed under load loses no answered refresh and signs no user out."""

import http.client
import random
import threading
import time

from device import Device
from transport import Transport

DEVICES = 8
KILLS = 6


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


def test_a_killed_service_loses_no_answered_refresh(service):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    moments = random.Random(seed)
    owners = [Owner(service.url, number) for number in range(DEVICES)]
    for owner in owners:
        owner.sign_in(Transport(service.url))
    for _ in range(KILLS):
        threads = [threading.Thread(target=owner.refresh_until_gone) for owner in owners]
        for thread in threads:
            thread.start()
        time.sleep(moments.uniform(0.05, 0.6))
        service.kill()
        for thread in threads:
            thread.join()
        service.start()
        for owner in owners:
            assert owner.refresh(), "the service is up again"
            assert owner.refusals == [], (seed, owner.refusals)
    answered = sum(owner.answered for owner in owners)
    print(f"{answered} rotations answered over {KILLS} kills")
    assert answered > DEVICES * KILLS
