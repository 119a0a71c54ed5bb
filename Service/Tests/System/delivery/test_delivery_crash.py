"""Tests that a killed service delivers each code that it has confirmed, and none whose life is over."""

import random
import threading
import time

from busy_devices import Caller
from device import Device
from operator_api import Management
from service import Service
from transport import Transport

CALLERS = 6
KILLS = 5


def mailbox(service: Service) -> list[dict]:
    return Transport(service.url).send("GET", "/dev/mailbox").json


def sign_in_code(service: Service, address: str) -> tuple[str, str]:
    """Asks for a code. Returns the verification token and the code."""
    token = Device(Transport(service.url)).start(address).headers["X-Verification-Token"]
    return token, next(mail["code"] for mail in mailbox(service) if mail["to"] == address)


# Proves: M1
def test_a_killed_service_delivers_each_code_that_it_has_confirmed(service):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    moments = random.Random(seed)
    confirmed, repeated = 0, 0
    for kill in range(KILLS):
        callers = [Caller(service, f"crash-{kill}-{number}") for number in range(CALLERS)]
        threads = [threading.Thread(target=caller.ask_until_gone) for caller in callers]
        for thread in threads:
            thread.start()
        time.sleep(moments.uniform(0.05, 0.5))
        service.kill()
        for thread in threads:
            thread.join()
        assert [caller.refusals for caller in callers] == [[]] * CALLERS, seed
        tokens = {address: token for caller in callers for address, token in caller.confirmed.items()}
        status = dict(service.sql("SELECT value, status FROM messages"))
        assert set(tokens) <= set(status), "a confirmed code has no message"
        assert {status[address] for address in tokens} <= {"pending", "sent"}
        # The leases of the killed process end. Most are not delivered yet only at an unlucky moment, so some that were
        # delivered are treated as if their result had not been stored.
        sample = moments.sample(sorted(tokens), min(10, len(tokens)))
        places = ", ".join(f"'{address}'" for address in sample)
        service.sql(f"UPDATE messages SET status = 'pending' WHERE value IN ({places})")
        service.sql("UPDATE messages SET next_attempt_at = 0 WHERE status = 'pending'")
        waiting = {address for (address,) in service.sql("SELECT value FROM messages WHERE status = 'pending'")}
        service.start()
        codes = {mail["to"]: mail["code"] for mail in mailbox(service)}
        # The mailbox keeps the newest hundred.
        arrived = waiting & set(codes)
        assert arrived == waiting or len(arrived) == 100, (seed, waiting - arrived)
        device = Device(Transport(service.url))
        for address in arrived.intersection(sample):
            assert device.check(tokens[address], codes[address]).status == 200, (seed, address)
        confirmed, repeated = confirmed + len(tokens), repeated + len(waiting)
    print(f"{confirmed} codes confirmed over {KILLS} kills, {repeated} delivered after a restart")
    assert confirmed > CALLERS * KILLS


# Proves: O26
def test_a_code_is_the_same_after_a_restart_and_is_not_in_the_database(service):
    address = "restart@example.com"
    token, code = sign_in_code(service, address)
    service.kill()
    for path in service.directory.glob("session.sqlite*"):
        assert f'"{code}"'.encode() not in path.read_bytes()
    columns = [str(column) for row in service.sql("SELECT * FROM messages") for column in row]
    columns += [str(column) for row in service.sql("SELECT * FROM verifications") for column in row]
    assert columns and code not in columns
    service.sql("UPDATE messages SET status = 'pending', next_attempt_at = 0")
    service.start()
    assert [mail["code"] for mail in mailbox(service)] == [code]
    assert Device(Transport(service.url)).check(token, code).status == 200


# Proves: M1
def test_a_code_whose_life_is_over_is_not_sent_after_a_restart(service):
    sign_in_code(service, "late@example.com")
    service.kill()
    service.sql("UPDATE messages SET status = 'pending', next_attempt_at = 0, expires_at = 1")
    service.start()
    assert mailbox(service) == []
    failed = Management(service).events("code.failed")
    assert [event["data"]["stage"] for event in failed] == ["expired"]
    assert failed[0]["data"]["identifier"] == "l***@example.com"
