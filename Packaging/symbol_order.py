#!/usr/bin/env python3
"""Writes the functions that the service runs, for the linker's --symbol-ordering-file: symbol_order.py PROGRAM OUTPUT

It starts the program under callgrind, signs users in and refreshes their sessions. The kernel maps 64 KB around each page
that a process touches, so functions that run are resident in small numbers of pages only when they are neighbours.
PROGRAM needs its symbols. Valgrind cannot read its debug information, so a copy without it runs. Needs valgrind, binutils
and the Python of the foreign judge.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

from training import train


def run(program: pathlib.Path, folder: pathlib.Path) -> str:
    """Returns what callgrind has written about a start, sign-ins, refreshes and the background tasks."""
    profile = folder / "profile"
    # Both starts write the profile, the last one stays.
    train(
        f"exec valgrind --tool=callgrind --callgrind-out-file={profile} --demangle=no --compress-strings=no {program}",
        folder, people=2, refreshes=50)
    return profile.read_text(errors="replace")


def functions(program: pathlib.Path) -> list[str]:
    """The functions of a program in the order of their addresses, so that those of a module stay together."""
    lines = subprocess.run(["readelf", "--symbols", "--wide", program], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in lines.splitlines()]
    return [name for _, name in sorted((int(row[1], 16), row[7]) for row in rows if len(row) == 8 and row[3] == "FUNC")]


def main() -> None:
    program, target = (pathlib.Path(argument) for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "prelude-session"
        subprocess.run(["objcopy", "--strip-debug", "--remove-section=.swift_ast", program, copy], check=True)
        # A recursive function has a number behind its name.
        ran = {name.split("'")[0] for name in re.findall(r"^c?fn=(\S+)", run(copy, pathlib.Path(folder)), re.MULTILINE)}
        order = [name for name in functions(copy) if name in ran]
    if len(order) < 5000:
        raise SystemExit(f"callgrind has seen {len(order)} functions only; are the symbols of {program} stripped?")
    target.write_text("".join(f"{name}\n" for name in order))
    print(f"{len(order)} functions in {target}")


if __name__ == "__main__":
    main()
