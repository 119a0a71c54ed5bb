"""Counts what a refresh costs the running service: calls of the allocator, of SQLite, of the disk and of the system,
and instructions."""

import collections
import collections.abc
import http.client
import mmap
import pathlib
import re
import shutil
import statistics
import struct
import subprocess
import sys
import time

import pytest

from device import V1
from person import Person
from service import BINARY, Service

COMPILER = shutil.which("cc") or shutil.which("clang")
STRACE = shutil.which("strace")
needs_counters = pytest.mark.skipif(
    sys.platform != "linux" or not COMPILER, reason="counting calls needs Linux and a C compiler")
needs_strace = pytest.mark.skipif(not STRACE, reason="there is no strace")
VALGRIND, CONTROL, STRIP = (shutil.which(name) for name in ("valgrind", "vgdb", "strip"))
needs_callgrind = pytest.mark.skipif(
    not (VALGRIND and CONTROL and STRIP and COMPILER), reason="counting instructions needs valgrind, strip and a C compiler")

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


class GroundService(Service):
    """A service under callgrind, which needs no counters of the processor. Only counted refreshes run slowly."""

    REFRESHES = 20
    #: Seconds in which only timers work.
    IDLE = 5

    def __init__(self, directory: pathlib.Path):
        super().__init__(directory)
        self._counts = directory / "callgrind.out"
        libraries = directory / "libraries"
        libraries.mkdir()
        # valgrind 3.19 ends when it reads the debug information of Swift's compiler. So it gets copies without.
        self.program = self._stripped(BINARY, directory)
        for line in subprocess.run(
                ["ldd", BINARY], check=True, capture_output=True, text=True).stdout.splitlines():
            library = re.search(r"=> (/.+) \(", line)
            if library and not library[1].startswith(("/lib", "/usr/lib")):
                self._stripped(pathlib.Path(library[1]), libraries)
        mask = directory / "readable_mask.so"
        source = pathlib.Path(__file__).with_name("readable_mask.c")
        subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", "-o", mask, source, "-ldl"], check=True)
        self.variables = {"LD_PRELOAD": str(mask), "LD_LIBRARY_PATH": str(libraries)}
        self.wrapper = [
            VALGRIND, "--quiet", "--tool=callgrind", "--instr-atstart=no", "--fair-sched=yes",
            f"--callgrind-out-file={self._counts}"]
        self.patience = 180
        self._dumps = 0

    @staticmethod
    def _stripped(path: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
        subprocess.run([STRIP, "-o", folder / path.name, path], check=True)
        return folder / path.name

    def _control(self, command: str) -> None:
        subprocess.run(
            [CONTROL, f"--pid={self.process.pid}", *command.split()], check=True, capture_output=True, timeout=60)

    def _count(self, work: collections.abc.Callable[[], None]) -> tuple[int, float]:
        """Returns the instructions of the process during some work, and the seconds that it took."""
        self._control("zero")
        begin = time.monotonic()
        work()
        seconds = time.monotonic() - begin
        self._control("dump")
        self._dumps += 1
        dump = pathlib.Path(f"{self._counts}.{self._dumps}").read_text(errors="replace")
        return int(re.search(r"^totals: (\d+)", dump, re.MULTILINE)[1]), seconds

    def costs(self) -> float:
        """Returns the instructions of one refresh."""
        refresher = Refresher(self)
        self._control("instrumentation on")

        def refresh():
            for _ in range(self.REFRESHES):
                refresher.refresh()

        refresh()
        instructions, seconds = self._count(refresh)
        # Timers work in each second, and a slow machine needs more seconds.
        idle, idle_seconds = self._count(lambda: time.sleep(self.IDLE))
        return (instructions - idle * seconds / idle_seconds) / self.REFRESHES
