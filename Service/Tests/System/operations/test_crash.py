"""Tests that a service that is killed under load loses no answered refresh and signs no user out."""

import random
import threading
import time

from busy_devices import Owner
from transport import Transport

DEVICES = 8
KILLS = 6


# Proves: R5
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
