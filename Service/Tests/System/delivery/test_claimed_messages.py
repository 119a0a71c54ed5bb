"""Tests that each code arrives once, although the service is stopped or held between its commit and its result.

The commit of a login claims its message while the service has a place for it, and no other transaction does.
"""

import collections
import os
import random
import signal
import threading
import time

import pytest

from busy_devices import Caller
from providers import PREFIX
from receiver import Receiver, Reply
from service import running
from shifted_clock import ShiftedService, needs_shift
from transport import Answer
from waiting import wait_until

CALLERS = 4
#: Seconds. As in the service: the life of a claim, and the time that an attempt may take.
LEASE, ATTEMPT = 60, 45
#: Seconds that a stop gives to what is being sent. What it cancels then is sent again, because the route may have it.
GRACE = 8
#: Seconds. A message that is due later than this is due now, as in the service.
HORIZON = 120


class Backend:
    """The operator's backend, to which a route posts the codes. It takes its time for each."""

    def __init__(self, receiver: Receiver):
        self.arrivals: collections.Counter[str] = collections.Counter()
        self.seconds = 0.0
        self.url = receiver.on("/send", self._take)

    def _take(self, received) -> Reply:
        self.arrivals[received.json["to"]] += 1
        time.sleep(random.uniform(0, self.seconds))
        return Reply(202, {})


@pytest.fixture
def backend(authority):
    with Receiver(authority) as receiver:
        yield Backend(receiver)


@pytest.fixture
def held(tmp_path, authority, backend):
    """Returns a service with a clock that the test sets, which sends codes to the backend."""
    service = ShiftedService(
        tmp_path, "--egress-trust-roots", str(authority.certificate_path), "--egress-network", "127.0.0.0/8",
        "--egress-network", "::1")
    service.variables |= {PREFIX + "EMAIL_ROUTE": "webhook", PREFIX + "EMAIL_URL": backend.url}
    with running(service):
        yield service


class PacedCaller(Caller):
    """A caller with a pause after each code: the signatures of a debug build take long."""

    def __init__(self, service, name: str, enough: threading.Event):
        super().__init__(service, name)
        self.enough = enough

    def goes_on_after(self, address: str, answer: Answer) -> bool:
        super().goes_on_after(address, answer)
        return not self.enough.wait(random.uniform(0, 0.1))


class Load:
    """Callers that ask for codes at the same time, until the service is gone or they are ended."""

    def __init__(self, service, name: str):
        self._enough = threading.Event()
        self._callers = [PacedCaller(service, f"{name}-{number}", self._enough) for number in range(CALLERS)]
        self._threads = [threading.Thread(target=caller.ask_until_gone) for caller in self._callers]
        for thread in self._threads:
            thread.start()

    def end(self) -> set[str]:
        """Ends the callers, and returns the addresses whose codes were confirmed."""
        self._enough.set()
        return self.addresses()

    def addresses(self) -> set[str]:
        """Waits for the callers, and returns the addresses whose codes were confirmed."""
        for thread in self._threads:
            thread.join()
        assert {refusal.split()[0] for caller in self._callers for refusal in caller.refusals} <= {"503"}
        return {address for caller in self._callers for address in caller.confirmed}


def repeated(service, backend: Backend) -> list[tuple]:
    """Returns the messages that arrived twice, apart from those of which the service knows that an attempt failed."""
    return [row for row in service.sql("SELECT value, status, attempts, last_failure FROM messages")
            if backend.arrivals[row[0]] > max(row[2], 1)]


def lease_ends(service) -> list[float]:
    """Returns when the pending messages are due, in seconds since 1970."""
    return [end / 1000 for (end,) in service.sql("SELECT next_attempt_at FROM messages WHERE status = 'pending'")]


def test_a_stop_under_load_loses_no_code_and_sends_none_twice(held, backend):
    backend.seconds = 0.1
    confirmed: set[str] = set()
    for turn in range(4):
        load = Load(held, f"stop-{turn}")
        time.sleep(random.uniform(0.2, 0.8))
        asked = time.monotonic()
        assert held.stop() == 0
        if time.monotonic() - asked > GRACE:
            pytest.skip("The machine is so busy that sending took longer than the grace.")
        confirmed |= load.addresses()
        leased = held.sql(f"SELECT count(*) FROM messages WHERE status = 'pending' AND next_attempt_at > {time.time() * 1000 + 2000}")
        assert leased == [(0,)], "a claimed message was not begun, and waits for its lease"
        held.start()
    wait_until(lambda: confirmed <= set(backend.arrivals))
    time.sleep(1.5)
    assert repeated(held, backend) == []
    assert len(confirmed) > 20


@needs_shift
@pytest.mark.parametrize("seconds", [ATTEMPT - LEASE // 2, LEASE - 10, LEASE + 5, 3600, -LEASE - 5, -3600])
def test_a_service_that_is_held_while_it_sends_sends_each_code_once(held, backend, seconds):
    """The process is stopped at random moments. When it goes on, much time has passed, or the clock was set back."""
    backend.seconds = 0.05
    load, clock = Load(held, "held"), 0
    for _ in range(5):
        time.sleep(random.uniform(0.05, 0.3))
        os.kill(held.process.pid, signal.SIGSTOP)
        clock += seconds if abs(seconds) < 3600 or clock == 0 else 0
        held.set_clock(clock)
        time.sleep(0.1)
        os.kill(held.process.pid, signal.SIGCONT)
    time.sleep(0.3)
    # What a lease holds is due at its end, or if its end is so far ahead that the clock must have been set back.
    clock += LEASE + 1
    held.set_clock(clock)
    confirmed = load.end()
    wait_until(lambda: not [end for end in lease_ends(held) if end > time.time() + clock + HORIZON], 60)
    # So is what the process had claimed, but not begun.
    held.set_clock(max([clock] + [end - time.time() + 1 for end in lease_ends(held)]))
    wait_until(lambda: not lease_ends(held), 60)
    assert held.stop() == 0
    # A code whose life was over at the end of its lease is not sent.
    expired = {value for (value,) in held.sql(
        "SELECT value FROM messages WHERE status = 'failed' AND last_failure LIKE '%expired%'")}
    assert confirmed - expired <= set(backend.arrivals)
    assert repeated(held, backend) == []
    assert len(confirmed) > 20


def test_codes_that_find_no_place_are_sent_once_when_there_is_one(held, backend):
    backend.seconds = 2
    load = Load(held, "full")
    time.sleep(3)
    asked = time.monotonic()
    held.stop()
    seconds = time.monotonic() - asked
    confirmed = load.addresses()
    backend.seconds = 0
    held.start()
    wait_until(lambda: confirmed <= set(backend.arrivals), 60)
    time.sleep(1.5)
    assert len(confirmed) > 32
    # On a very busy machine, a stop can take longer than the grace. What it cancels then is sent again.
    assert repeated(held, backend) == [] or seconds > GRACE, seconds
