"""The work for which a release is optimized: starts, sign-ins, refreshes, lists and the background tasks.

It needs the Python of the foreign judge.
"""

import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "Service" / "Tests" / "System"), str(ROOT / "Tests" / "ForeignJudge")]

import service as system  # noqa: E402
from person import Person  # noqa: E402


def train(command: str, folder: pathlib.Path, people: int, refreshes: int) -> None:
    """Starts the service twice with a shell command, which gets its arguments, and lets these people use it."""
    wrapper = folder / "wrapper"
    wrapper.write_text(f'#!/bin/sh\n{command} "$@"\n')
    wrapper.chmod(0o755)
    system.BINARY = wrapper
    service = system.Service(folder)
    # The first start creates the database. The second one is the usual one.
    for _ in range(2):
        service.start()
        for person in [Person.signed_in(service) for _ in range(people)]:
            person.device.sessions(person.access_token)
            for _ in range(refreshes):
                person.refresh()
        time.sleep(11)
        service.stop()
