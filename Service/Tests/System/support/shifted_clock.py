"""Processes whose system clock a test sets. Their uptime, and the clocks of all other processes, stay as they are."""

import contextlib
import mmap
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

import pytest
from service import Service

COMPILER = shutil.which("cc") or shutil.which("clang")
needs_shift = pytest.mark.skipif(
    sys.platform != "linux" or not COMPILER, reason="setting the clock of one process needs Linux and a C compiler")


def shifting(directory: pathlib.Path) -> dict[str, str]:
    """Returns the variables of a process whose clock `set_clock` sets in the same directory."""
    library, file = directory / "shifted_clock.so", directory / "clock"
    subprocess.run(
        [COMPILER, "-shared", "-fPIC", "-O1", "-o", library, pathlib.Path(__file__).with_suffix(".c"), "-ldl"],
        check=True)
    file.write_bytes(bytes(mmap.PAGESIZE))
    return {"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(file)}


def set_clock(directory: pathlib.Path, seconds: float) -> None:
    """Sets the clock to this many seconds ahead of the correct time."""
    with open(directory / "clock", "r+b") as file:
        file.write(struct.pack("=q", int(seconds * 1000)))


@contextlib.contextmanager
def shifted(seconds: float):
    """Yields the variables of a process whose clock is this many seconds ahead. Each user can enter their folder, which is not
    so for the folder of a test: a database server has a user of its own."""
    with tempfile.TemporaryDirectory(prefix="clock-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        variables = shifting(folder)
        set_clock(folder, seconds)
        yield variables


class ShiftedService(Service):
    """The processes of its commands have the same clock."""

    def __init__(self, directory: pathlib.Path, *flags: str, development: bool = True):
        super().__init__(directory, *flags, development=development)
        self.variables = shifting(directory)

    def set_clock(self, seconds: float) -> None:
        """Sets the clock to this many seconds ahead of the correct time."""
        set_clock(self.directory, seconds)

    def start(self) -> None:
        before = dict(os.environ)
        os.environ.update(self.variables)
        try:
            super().start()
        finally:
            for name in self.variables:
                del os.environ[name]
            os.environ.update(before)
