"""Counts what a refresh costs the running service: calls of the allocator, of SQLite, of the disk and of the system."""

import collections
import http.client
import mmap
import pathlib
import re
import shutil
import statistics
import struct
import subprocess
import sys

import pytest

from device import V1
from person import Person
from service import Service

COMPILER = shutil.which("cc") or shutil.which("clang")
STRACE = shutil.which("strace")
needs_counters = pytest.mark.skipif(
    sys.platform != "linux" or not COMPILER, reason="counting calls needs Linux and a C compiler")
needs_strace = pytest.mark.skipif(not STRACE, reason="there is no strace")

#: Each refresh is counted alone, and the median is its cost. So the work of timers does not count, however slow the machine.
REFRESHES = 100


class Refresher:
    """Refreshes one session on one connection that stays open."""

    #: What the first refreshes of a process prepare does not count.
    WARM_UP = 30

    def __init__(self, service: Service):
        self.person = Person.signed_in(service)
        self.connection = http.client.HTTPConnection("localhost", service.port, timeout=60)
        for _ in range(self.WARM_UP):
            self.refresh()

    def refresh(self) -> None:
        proof = self.person.device.proof("POST", f"{V1}/refresh")
        headers = {"Content-Type": "application/json", "X-Refresh-Token": self.person.refresh_token, "DPoP": proof}
        self.connection.request("POST", f"{V1}/refresh", headers=headers)
        answer = self.connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
        self.person.refresh_token = answer.headers["X-Refresh-Token"]
        self.person.device.nonce = answer.headers["DPoP-Nonce"] or self.person.device.nonce


def medians(refreshes: list[dict[str, int]]) -> dict[str, float]:
    """Returns the cost of one refresh, from the counts of several."""
    names = {name for counts in refreshes for name in counts}
    return {name: statistics.median(counts.get(name, 0) for counts in refreshes) for name in sorted(names)}


class CountedService(Service):
    """A service that loads `cost_counters.c`."""

    #: In the order of `Counter` in the library.
    NAMES = ["allocations", "SQL statements", "SQL preparations", "syncs of the disk"]

    def __init__(self, directory: pathlib.Path):
        super().__init__(directory)
        library, self._file = directory / "cost_counters.so", directory / "counts"
        source = pathlib.Path(__file__).with_name("cost_counters.c")
        subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        self._file.write_bytes(bytes(mmap.PAGESIZE))
        self.variables = {"LD_PRELOAD": str(library), "COST_COUNTERS": str(self._file)}

    def counts(self) -> dict[str, int]:
        return dict(zip(self.NAMES, struct.unpack_from(f"={len(self.NAMES)}Q", self._file.read_bytes())))

    def costs(self) -> dict[str, float]:
        refresher, totals = Refresher(self), [self.counts()]
        for _ in range(REFRESHES):
            refresher.refresh()
            totals.append(self.counts())
        return medians([
            {name: after[name] - before[name] for name in after} for before, after in zip(totals, totals[1:])])


class CountedLogins(CountedService):
    """Counts logins of new users with a code, from the start to the first access token."""

    LOGINS, WARM_UP = 40, 5

    def costs(self) -> dict[str, float]:
        totals = []
        for _ in range(self.WARM_UP + self.LOGINS + 1):
            Person.signed_in(self)
            totals.append(self.counts())
        totals = totals[self.WARM_UP:]
        return medians([
            {name: after[name] - before[name] for name in after} for before, after in zip(totals, totals[1:])])


class TracedService(Service):
    """A service whose system calls strace writes into a file."""

    #: The begin of a request in the trace.
    REQUEST = f'"POST {V1}'[:16]
    #: The begin of a call. The line of its end, if another thread was between them, has its name elsewhere.
    CALL = re.compile(r"^\d+ +(\w+)\(")

    def __init__(self, directory: pathlib.Path):
        super().__init__(directory)
        self._trace = directory / "trace"
        # With -D, the process is the service and strace its grandchild, so that signals reach the service.
        self.wrapper = [STRACE, "-D", "-f", "-qq", "-s", "16", "-o", str(self._trace)]

    def costs(self) -> dict[str, float]:
        """Stops the service."""
        refresher = Refresher(self)
        for _ in range(REFRESHES):
            refresher.refresh()
        self.stop()
        requests = [collections.Counter()]
        for line in self._trace.read_text(errors="replace").splitlines():
            if self.REQUEST in line:
                requests.append(collections.Counter())
            if call := self.CALL.match(line):
                requests[-1][call[1]] += 1
        # With the last request is the end of the process, and before the others the sign-in.
        return medians(requests[-REFRESHES:-1])
