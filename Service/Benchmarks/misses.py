#!/usr/bin/env python3
"""Counts the instruction fetches of a refresh that miss the caches of a core: misses.py PROGRAM...

callgrind simulates 32 KB and 512 KB, so other programs change nothing. Each refresh has its connection and a request for the
key set. The counts are those of 170 refreshes without those of 20. Needs valgrind, objcopy and the Python of the foreign
judge.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Service" / "Tests" / "System" / "support"), str(ROOT / "Tests" / "ForeignJudge")]

import service as system  # noqa: E402
from person import Person  # noqa: E402

#: callgrind's names: instructions, and fetches of them that miss the first and the last cache.
EVENTS = {"Ir": "instructions", "I1mr": "miss 32 KB", "ILmr": "miss 512 KB"}


def counts(program: pathlib.Path, folder: pathlib.Path, refreshes: int) -> dict[str, int]:
    folder.mkdir()
    profile = folder / "profile"
    service = system.Service(folder)
    service.program, service.patience = program, 120
    service.wrapper = [
        "valgrind", "--quiet", "--tool=callgrind", "--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64",
        "--LL=524288,8,64", f"--callgrind-out-file={profile}"]
    service.start()
    person = Person.signed_in(service)
    for _ in range(refreshes):
        person.refresh()
    service.stop()
    text = profile.read_text(errors="replace")
    names = re.search(r"^events: (.*)$", text, re.MULTILINE)[1].split()
    totals = re.findall(r"^(?:totals|summary): (.*)$", text, re.MULTILINE)[-1].split()
    return dict(zip(names, map(int, totals)))


def main() -> None:
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            # Valgrind cannot read the debug information.
            program = folder / "prelude-session"
            subprocess.run(["objcopy", "--strip-debug", "--remove-section=.swift_ast", name, program], check=True)
            few, many = counts(program, folder / "few", 20), counts(program, folder / "many", 170)
        print(name, ", ".join(f"{(many[event] - few[event]) / 150:,.0f} {what}" for event, what in EVENTS.items()))


if __name__ == "__main__":
    main()
