"""Counts the instructions of a refresh with callgrind, which needs no counters of the processor."""

import collections.abc
import pathlib
import re
import shutil
import subprocess
import time

import pytest

import service
from refresh_costs import COMPILER, Refresher

VALGRIND, CONTROL, STRIP = (shutil.which(name) for name in ("valgrind", "vgdb", "strip"))
needs_callgrind = pytest.mark.skipif(
    not (VALGRIND and CONTROL and STRIP and COMPILER), reason="counting instructions needs valgrind, strip and a C compiler")


class GroundService(service.Service):
    """A service under callgrind. Only counted refreshes run slowly."""

    REFRESHES = 20
    #: Seconds in which only timers work.
    IDLE = 5

    def __init__(self, directory: pathlib.Path):
        super().__init__(directory)
        self._counts = directory / "callgrind.out"
        libraries = directory / "libraries"
        libraries.mkdir()
        # valgrind 3.19 ends when it reads the debug information of Swift's compiler. So it gets copies without.
        self.program = self._stripped(service.BINARY, directory)
        for line in subprocess.run(
                ["ldd", service.BINARY], check=True, capture_output=True, text=True).stdout.splitlines():
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
